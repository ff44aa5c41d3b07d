package amber

import (
	"context"
	"embed"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"nirc/backend/gputest"
	"nirc/internal/emu"
)

//go:embed testdata/held
var heldScripts embed.FS

// changesOf is how often each script is changed.
const changesOf = 960

// TestHeldScripts holds what scripts of all commands become, and thousands that are nearly right: what was read of them, or the
// line and the reason, and how they end with programs in Go.
func TestHeldScripts(t *testing.T) {
	files, err := heldScripts.ReadDir("testdata/held")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, f := range files {
		text, err := heldScripts.ReadFile(path.Join("testdata/held", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		script := strings.ReplaceAll(string(text), "MODULE\nEND\n", someModule)
		if _, err := Parse(f.Name(), []byte(script)); err != nil {
			t.Errorf("%s: %v", f.Name(), err)
		}
		r := rand.New(rand.NewPCG(uint64(len(f.Name())), 7))
		var sum gputest.Digest
		read, passed := 0, 0
		for i := range changesOf {
			changed := script
			if i > 0 {
				changed = oneChange(script, r)
			}
			s, res := heldScript(t, f.Name(), changed, &sum)
			if i == 0 {
				t.Logf("%s as it is: %s, %s", f.Name(), res.Verdict, res.Reason)
			}
			if s != nil {
				read++
			}
			if res.Verdict == Pass {
				passed++
			}
			if i%120 == 119 {
				rows[fmt.Sprintf("%s %d", f.Name(), i/120)] = fmt.Sprintf("%d read\t%d passed\t%016x", read, passed, uint64(sum))
				sum, read, passed = 0, 0, 0
			}
		}
	}
	gputest.HoldTable(t, "held_scripts.tsv", rows)
}

// heldScript adds what becomes of a script.
func heldScript(t *testing.T, name, text string, sum *gputest.Digest) (*Script, Result) {
	s, err := Parse(name, []byte(text))
	if err != nil {
		sum.Text(err.Error())
		return nil, Result{}
	}
	d := dumper{at: map[any]int{}}
	d.value(reflect.ValueOf(s))
	sum.Text(d.b.String())
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	res := (&Runner{Target: anyTarget{}, Strict: true, Glslang: "none", Limits: emu.Limits{Budget: 1 << 16}}).Run(ctx, s)
	sum.Text(fmt.Sprint(res.Verdict, res.Cause, res.Reason, res.Checked))
	return s, res
}

// numbersOf are put in place of others.
var numbersOf = [...]string{"0", "1", "2", "3", "4", "7", "8", "9", "16", "31", "32", "33", "64", "127", "128", "255", "256", "-1", "-2", "0.5", "1.5", "-0.0", "1e10",
	"65535", "65536", "16777215", "16777216", "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775808", "0x10", "0xffffffff"}

// oneChange changes a word or a line of a script: numbers into others, words into other words of it.
func oneChange(text string, r *rand.Rand) string {
	lines := strings.Split(text, "\n")
	var words []string
	for {
		if words = strings.Fields(lines[r.IntN(len(lines))]); len(words) > 0 {
			break
		}
	}
	at := r.IntN(len(lines))
	for strings.TrimSpace(lines[at]) == "" || strings.HasPrefix(lines[at], "#") {
		at = r.IntN(len(lines))
	}
	list := strings.Fields(lines[at])
	k := r.IntN(len(list))
	number := strings.ContainsAny(list[k][:1], "0123456789-.(")
	switch n := r.IntN(16); {
	case n == 0:
		list = nil
	case n == 1:
		list = slices.Delete(list, k, k+1)
	case n == 2:
		list = slices.Insert(list, k, list[k])
	case n == 3:
		list = append(list, words[r.IntN(len(words))])
	case n == 4:
		list[k] = words[r.IntN(len(words))]
	case number || n == 5:
		list[k] = numbersOf[r.IntN(len(numbersOf))]
	case n < 9:
		list[k] = heldWords[r.IntN(len(heldWords))]
	default: // one of the same beginning
		var like []string
		for _, w := range strings.Fields(text) {
			if w[0] == list[k][0] {
				like = append(like, w)
			}
		}
		list[k] = like[r.IntN(len(like))]
	}
	lines[at] = strings.Join(list, " ")
	return strings.Join(lines, "\n")
}

// heldWords are all that choices are made of.
var heldWords = slices.Concat(bindingWords, topologyWords, comparatorWords, bufferCompareWords, filterWords, addressWords, borderWords, pipelineKinds, instanceFlagWords,
	[]string{"R8_UINT", "R16G16_SFLOAT", "B8G8R8A8_UNORM", "D16_UNORM", "vec2<int16>", "mat3x3<double>", "uint64", "float", "float[3]", "vec3<float>[]", "uint8[0]", "int32[x", "int32[4294967296]", "pair", "pair[2]", "[2]", "on", "off", "front", "back", "END", "AS", "DATA"})

// dumper writes values with all that they lead to, each place once.
type dumper struct {
	b  strings.Builder
	at map[any]int
}

func (d *dumper) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			d.b.WriteString("nil ")
			return
		}
		if n, ok := d.at[v.Interface()]; ok {
			fmt.Fprintf(&d.b, "^%d ", n)
			return
		}
		d.at[v.Interface()] = len(d.at)
		d.value(v.Elem())
	case reflect.Interface:
		if !v.IsNil() {
			d.b.WriteString(v.Elem().Type().String())
			d.value(v.Elem())
		}
	case reflect.Struct:
		d.b.WriteByte('{')
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				d.value(v.Field(i))
			}
		}
		d.b.WriteByte('}')
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 && v.Kind() == reflect.Slice {
			h := fnv.New64a()
			h.Write(v.Bytes())
			fmt.Fprintf(&d.b, "%d:%x ", v.Len(), h.Sum64())
			return
		}
		fmt.Fprintf(&d.b, "%d[", v.Len())
		for i := range v.Len() {
			d.value(v.Index(i))
		}
		d.b.WriteByte(']')
	case reflect.Func, reflect.Map, reflect.Chan: // of programs, not of scripts
	default:
		fmt.Fprintf(&d.b, "%v ", v)
	}
}
