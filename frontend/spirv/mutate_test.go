package spirv

import (
	"encoding/binary"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// TestMutations changes words of real modules at random: whatever comes out
// and still parses has to translate or fail with an error, never with a
// run-time panic, and what translates has to be valid IR.
func TestMutations(t *testing.T) {
	// NIRC_MODULES names a folder of more modules, NIRC_SEED another run.
	seed, _ := strconv.ParseInt(os.Getenv("NIRC_SEED"), 10, 64)
	rng := rand.New(rand.NewSource(1 + seed))
	parsed, translated := 0, 0
	rounds := 3000
	list := sampleModules(t)
	if dir := os.Getenv("NIRC_MODULES"); dir != "" {
		files, _ := filepath.Glob(filepath.Join(dir, "*.spv"))
		for _, f := range files {
			if data, err := os.ReadFile(f); err == nil && len(data) < 40000 && len(data) > 20 && data[0] == 3 && data[3] == 7 {
				list = append(list, data)
			}
		}
		rounds = 40
	}
	for _, src := range list {
		words := make([]uint32, len(src)/4)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(src[4*i:])
		}
		for range rounds {
			w := append([]uint32(nil), words...)
			for range 1 + rng.Intn(3) {
				i := 5 + rng.Intn(len(w)-5)
				switch rng.Intn(3) {
				case 0:
					w[i] = w[5+rng.Intn(len(w)-5)]
				case 1:
					w[i] = uint32(rng.Intn(int(w[3])))
				default:
					w[i] ^= 1 << rng.Intn(32)
				}
			}
			m, err := spv.ParseWords(w)
			if err != nil {
				continue
			}
			parsed++
			for _, e := range EntryPoints(m) {
				s, err := Translate(m, Options{Entry: e.Name, Stage: e.Stage, panics: os.Getenv("NIRC_PANICS") != ""})
				switch {
				case err != nil && strings.Contains(err.Error(), "internal error"):
					t.Errorf("%v", err)
				case err != nil:
					checkPlace(t, err)
				default:
					translated++
					if err := ir.Validate(s); err != nil {
						t.Errorf("a changed module gives invalid IR: %v", err)
					}
				}
			}
			SpecConstants(m)
		}
	}
	t.Logf("%d changed modules parse, %d entry points of them translate", parsed, translated)
}

// checkPlace checks that each error says where in the module it is about, but
// those about the whole module.
func checkPlace(t *testing.T, err error) {
	t.Helper()
	list := []error{err}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		list = many.Unwrap()
	}
	for _, err := range list {
		e, ok := err.(*Error)
		if !ok {
			t.Errorf("an error of another type: %T %v", err, err)
		} else if e.Word < 5 && !strings.Contains(e.Msg, "the module has") {
			t.Errorf("an error without a place: %v", e)
		}
	}
}

// TestPlaces: errors name the place in the source that OpLine gives, in the
// function and among the declarations.
func TestPlaces(t *testing.T) {
	head := computeHead + "%file = OpString \"a.comp\"\n"
	body := "%main = OpFunction %void None %fn\n%e = OpLabel\nOpLine %file 7 3\n%r = OpFAdd %uint %c0 %c1\nOpReturn\nOpFunctionEnd\n"
	for text, want := range map[string]string{
		head + computeTypes + body: "a.comp:7:3: ",
		head + computeTypes + "OpLine %file 4 1\n%odd = OpTypeInt 24 1\n%po = OpTypePointer Private %odd\n%vo = OpVariable %po Private\n" +
			"%main = OpFunction %void None %fn\n%e = OpLabel\n%r = OpLoad %odd %vo\nOpReturn\nOpFunctionEnd\n": "a.comp:4:1: ",
		computeHead + computeTypes + strings.Replace(body, "OpLine %file 7 3\n", "", 1): "word ",
	} {
		_, err := Translate(assemble(t, text), Options{})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want a place %q", err, want)
			continue
		}
		checkPlace(t, err)
	}
}
