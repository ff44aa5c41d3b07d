package spirv

import (
	"fmt"
	"strings"
	"testing"
)

// nestedTypes declares so many types, each made by one of the word and of those before it, from uint on, with a variable of the last.
func nestedTypes(n int, make func(before string) string) string {
	var w strings.Builder
	last := "%uint"
	for i := range n {
		fmt.Fprintf(&w, "%%t%d = %s\n", i, make(last))
		last = fmt.Sprintf("%%t%d", i)
	}
	return w.String() + "%pt = OpTypePointer Private " + last + "\n%vt = OpVariable %pt Private\n"
}

// TestTypeLimits: types as deep and as large as they may be, and one step beyond.
func TestTypeLimits(t *testing.T) {
	array := func(of string) string { return "OpTypeArray " + of + " %c1" }
	wrap := func(of string) string { return "OpTypeStruct " + of }
	double := func(of string) string { return "OpTypeStruct " + of + " " + of }
	values := func(n int) string {
		return fmt.Sprintf("%%many = OpConstant %%uint %d\n%%t0 = OpTypeArray %%uint %%many\n%%pt = OpTypePointer Private %%t0\n%%vt = OpVariable %%pt Private\n", n)
	}
	// 2^15 - 1 nodes, then an array of them, then another
	tree := func(more int) string {
		text := nestedTypes(14, double)
		text = text[:strings.Index(text, "%pt = ")]
		last := "%t13"
		for i := range more {
			text += fmt.Sprintf("%%a%d = %s\n", i, array(last))
			last = fmt.Sprintf("%%a%d", i)
		}
		return text + "%pt = OpTypePointer Private " + last + "\n%vt = OpVariable %pt Private\n"
	}
	const see = "%vp = OpCopyObject %pt %vt\n"
	const load = "%vv = OpLoad %t0 %vt\nOpStore %vt %vv\n"
	for _, c := range []struct{ name, decl, body, want string }{
		{"arrays in arrays", nestedTypes(255, array), see, ""},
		{"arrays in arrays", nestedTypes(256, array), see, "the array type is too large or too deep"},
		{"structs in structs", nestedTypes(255, wrap), see, ""},
		{"structs in structs", nestedTypes(256, wrap), see, "the struct type is too large or too deep"},
		{"a tree of structs", tree(1), see, ""},
		{"a tree of structs", tree(2), see, "the array type is too large or too deep"},
		{"a tree of structs", nestedTypes(15, double), see, "the struct type is too large or too deep"},
		{"values", values(1 << 16), load, ""},
		{"values", values(1<<16 + 1), load, "are too large"},
	} {
		text := strings.Replace(operandHead, "%main = ", c.decl+"%main = ", 1)
		_, err := Translate(assemble(t, text+c.body+"OpReturn\nOpFunctionEnd\n"), Options{panics: true})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
