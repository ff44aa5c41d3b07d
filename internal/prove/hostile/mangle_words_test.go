package hostile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
	"nirc/ir/optab"
)

// wordKinds collects lists of words by what its words have in common.
type wordKinds map[string][]string

func (k wordKinds) add(kind string, words ...string) { k[kind] = append(k[kind], words...) }

// lists are the lists in a fixed order.
func (k wordKinds) lists() [][]string {
	var all [][]string
	for _, kind := range slices.Sorted(maps.Keys(k)) {
		all = append(all, k[kind])
	}
	return all
}

// moduleWords are the words of SPIR-V assembly: opcodes by what they have as
// results and by the first part of their names (Atomic, Image, F, …), and the
// names of enumerants and bits by kind.
func moduleWords() [][]string {
	k := wordKinds{}
	for op := range spv.Op(1 << 13) {
		if !op.Known() {
			continue
		}
		name := strings.TrimPrefix(op.String(), "Op")
		n := 1 + strings.IndexFunc(name[1:], unicode.IsUpper)
		k.add(fmt.Sprint("op ", op.HasResult(), op.HasResultType(), name[:max(n, 1)]), "Op"+name)
	}
	for kind := spv.Kind(0); !strings.HasPrefix(kind.String(), "Kind("); kind++ {
		for v := range uint32(6200) {
			if kind.IsMask() && v < 32 {
				v = 1 << v
			}
			if !kind.IsMask() && !kind.IsEnum() || kind.IsMask() && v&(v-1) != 0 {
				break
			}
			if name := kind.Text(v); !strings.ContainsAny(name, "(|") {
				k.add(kind.String(), name)
			}
		}
	}
	return k.lists()
}

// irWords are the words of IR text: operations by their number of sources,
// and the names of whatever else the tables have names for.
func irWords() [][]string {
	k := wordKinds{}
	for _, op := range optab.Ops {
		k.add(fmt.Sprint("op", len(op.In)), op.Name)
	}
	for i := range optab.Intrinsics {
		row := optab.Intrinsics[i]
		k.add(fmt.Sprint("intrinsic", len(row.Srcs), row.HasDest), row.Name)
	}
	for i := range optab.Texs {
		k.add("tex", optab.Texs[i].Name)
	}
	for _, s := range optab.TexSources {
		k.add("texsrc", s.Name)
	}
	for i := range optab.Index(optab.NumIndices) {
		k.add("index", i.String())
	}
	names := func(kind string, name func(i int) string) {
		for i := 0; i < 32 && name(i) != "" && !strings.Contains(name(i), "?"); i++ {
			k.add(kind, name(i))
		}
	}
	names("mode", func(i int) string { return ir.Mode(1 << i).String() })
	names("dim", func(i int) string { return ir.Dim(i).String() })
	names("stage", func(i int) string { return ir.Stage(i).String() })
	names("interp", func(i int) string { return ir.Interp(i).String() })
	for f := range ir.ImageFormat(48) {
		k.add("format", f.String())
	}
	k.add("atomic", ir.AtomicOpNames[:]...)
	k.add("scope", ir.ScopeNames[:]...)
	k.add("semantics", ir.SemanticsNames[:]...)
	k.add("deref", "deref_var", "deref_array", "deref_wildcard", "deref_struct", "deref_ptr", "deref_cast")
	k.add("jump", "return", "halt", "break", "continue")
	for _, bits := range []int{1, 8, 16, 32, 64} {
		for _, comps := range []string{"", "x2", "x3", "x4"} {
			k.add("size", fmt.Sprint(bits, comps))
		}
		for _, base := range "bfiu" {
			for _, rows := range []string{"", "vec2", "vec3", "vec4", "mat2x2", "mat4x3"} {
				k.add("type", fmt.Sprintf("%s%c%d", rows, base, bits))
			}
		}
	}
	return k.lists()
}

// TestMangleWords: an op stands with others of as many sources, and everything
// that the texts have names for is among the words.
func TestMangleWords(t *testing.T) {
	together := func(lists [][]string, a, b string) bool {
		return slices.ContainsFunc(lists, func(l []string) bool { return slices.Contains(l, a) && slices.Contains(l, b) })
	}
	text, module := irWords(), moduleWords()
	for _, c := range []struct {
		lists       [][]string
		word, other string
		same        bool
	}{
		{text, "fadd", "imul", true}, {text, "fadd", "ffma", false}, {text, "load_ssbo", "ssbo_atomic", false},
		{text, "load_ubo", "load_ssbo", true}, {text, "txl", "tg4", true}, {text, "vec4f32", "u16", true},
		{text, "mem_ssbo", "shader_in", true}, {text, "CUBE", "2D", true}, {text, "32x2", "64", true}, {text, "align_mul", "range", true},
		{module, "OpAtomicIAdd", "OpAtomicXor", true}, {module, "OpFAdd", "OpAtomicXor", false}, {module, "Uniform", "Workgroup", true},
		{module, "GLCompute", "Fragment", true}, {module, "Bias", "Lod", true}, {module, "NoContraction", "NonWritable", true},
	} {
		if got := together(c.lists, c.word, c.other); got != c.same || !together(c.lists, c.word, c.word) {
			t.Errorf("%s and %s stand together: %v", c.word, c.other, got)
		}
	}
}
