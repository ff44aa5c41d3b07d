package agx_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"nirc"
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/object"
	"nirc/passes"
)

// fragmentMain is what a fragment shader does of which its prolog and epilog depend.
type fragmentMain struct {
	early, store         bool
	end                  string // demote or terminate_if, or nothing
	depth, stencil, mask bool
	color, second        string // types of outputs, or nothing
	sampled              bool
}

// text is the shader.
func (m fragmentMain) text() string {
	var vars, body strings.Builder
	n, value := 1, 10
	store := func(kind, at, deref, value string) {
		fmt.Fprintf(&vars, "  var @%d shader_out %s \"o%d\" { location=%s }\n", n, kind, n, at)
		mask := "x"
		if strings.HasPrefix(kind, "vec4") {
			mask = "xyzw"
		}
		fmt.Fprintf(&body, "      %%%s:32 = deref_var @%d\n      store_deref %%%s, %s write_mask=%s\n", deref, n, deref, value, mask)
		n++
	}
	output := func(kind, at string) {
		bits := 32
		if strings.HasSuffix(kind, "16") {
			bits = 16
		}
		fmt.Fprintf(&body, "      %%%d:%dx4 = load_const (0x1, 0x2, 0x3, 0x4)\n", value, bits)
		store(kind, at, fmt.Sprint(value+1), fmt.Sprintf("%%%d", value))
		value += 2
	}
	info := ""
	if m.early {
		info += " early_fragment_tests"
	}
	if m.store {
		info += " writes_memory"
		vars.WriteString("  var @9 mem_ssbo u32[4] \"b\" { set=0 binding=0 }\n")
		body.WriteString("      %30:32x2 = vulkan_resource_index %1 desc_type=7\n      %31:32x2 = load_vulkan_descriptor %30 desc_type=7\n      store_ssbo %1, %31, %1 write_mask=x align_mul=4\n")
	}
	switch m.end {
	case "":
	case "demote_if":
		info += " uses_demote"
		body.WriteString("      demote_if %6\n")
	default:
		info += " uses_discard"
		fmt.Fprintf(&body, "      %s %%6\n", m.end)
	}
	if m.sampled {
		info += " uses_sample_shading"
	}
	if m.depth {
		store("f32", "DEPTH", "40", "%5")
	}
	if m.stencil {
		store("i32", "STENCIL", "41", "%7")
	}
	if m.mask {
		store("i32", "SAMPLE_MASK", "42", "%7")
	}
	if m.color != "" {
		output(m.color, "DATA0")
	}
	if m.second != "" {
		output(m.second, "DATA2")
	}
	return fmt.Sprintf("shader fragment \"main\" {\n  info {%s }\n%s  fn f0 \"main\" entry() {\n    b0:\n      %%1:32 = load_const 0x0\n      %%2:32x4 = load_frag_coord\n      %%3:32 = mov %%2.x\n      %%4:32 = load_const 0x3e800000\n      %%5:32 = fmul %%3, %%4\n      %%6:1 = flt %%4, %%5\n      %%7:32 = f2i32 %%5\n%s  }\n}\n",
		info, vars.String(), body.String())
}

// fragmentMains are main parts of all such forms.
func fragmentMains() (list []fragmentMain) {
	for i, end := range []string{"", "demote_if", "terminate_if"} {
		for _, early := range []bool{false, true} {
			for k := range 8 {
				m := fragmentMain{early: early, end: end, store: k&1 != 0, depth: k&2 != 0, stencil: k&4 != 0, mask: k%3 == 1, sampled: (k+i)%4 == 3}
				m.color = []string{"vec4f32", "vec4i32", "", "vec4u32"}[(k+i)%4]
				m.second = []string{"", "vec4f32", "vec4i32", ""}[(k/2+i)%4]
				list = append(list, m)
			}
		}
	}
	return list
}

func fragmentPart(t *testing.T, m fragmentMain, abi string) (*object.Object, error) {
	t.Helper()
	return nirc.Compile(t.Context(), []byte(m.text()), nirc.Options{File: "main.nir", Target: "agx", ABI: abi, Level: passes.O2})
}

// heldForms are prologs and epilogs of main parts that end early or late, test depths, keep samples or drop them, and write what they
// like, for some states each.
func heldForms(t *testing.T, parts backend.Linker, rows map[string]string) {
	t.Helper()
	for i, m := range fragmentMains() {
		name := fmt.Sprintf("form %d", i)
		main, err := fragmentPart(t, m, nirc.SeparateABI)
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, m.text())
			continue
		}
		var made []string
		for k := range 8 {
			s := &backend.State{Fragment: randomKey(rand.New(rand.NewPCG(uint64(i), uint64(k))))}
			list, err := parts.Parts(main, s)
			made = append(made, digest(t, err, append([]*object.Object{main}, list...)...))
		}
		rows[name] = fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(made, "\n"))))[:12]
	}
}

// TestNoMainPart: parts are made for main parts of the target, whose metadata is right.
func TestNoMainPart(t *testing.T) {
	b, err := nirc.Backend("agx")
	if err != nil {
		t.Fatal(err)
	}
	parts := b.Linker(nirc.BuiltinLists("agx"))
	state := &backend.State{Fragment: randomKey(rand.New(rand.NewPCG(1, 1)))}
	compiled := func(abi string) *object.Object {
		o, err := fragmentPart(t, fragmentMain{color: "vec4f32"}, abi)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	changed := func(change func(m *abi.Meta)) *object.Object {
		o := *compiled(nirc.SeparateABI)
		var m abi.Meta
		if err := json.Unmarshal(o.ABI, &m); err != nil {
			t.Fatal(err)
		}
		change(&m)
		if o.ABI, err = json.Marshal(&m); err != nil {
			t.Fatal(err)
		}
		return &o
	}
	list, err := parts.Parts(compiled(nirc.SeparateABI), state)
	if err != nil || len(list) == 0 {
		t.Fatalf("%d parts, %v", len(list), err)
	}
	for _, c := range []struct {
		o    *object.Object
		want string
	}{
		{compiled(""), "main is no main part: compile it with --abi separate"},
		{list[0], "is no main part: compile it with --abi separate"},
		{changed(func(m *abi.Meta) { m.Part = "middle" }), "is no main part"},
		{changed(func(m *abi.Meta) { m.Halves = -1 }), "agx meta: -1 and"},
	} {
		if list, err := parts.Parts(c.o, state); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d parts, %v, want %q", len(list), err, c.want)
		}
		if _, err := parts.Link([]*object.Object{c.o}); err == nil {
			t.Errorf("%s is linked", c.want)
		}
	}
}
