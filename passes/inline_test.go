package passes

import (
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// TestInlineLimits: calls that would never end, or multiply without end, are
// refused at once.
func TestInlineLimits(t *testing.T) {
	var tree strings.Builder
	tree.WriteString("shader compute \"main\" {\n  info { workgroup_size=1,1,1 }\n")
	for i := range 40 {
		fmt.Fprintf(&tree, "  fn f%d \"f%d\" (%s) {\n    b0:\n", i, i, "")
		for range 2 {
			if i > 0 {
				fmt.Fprintf(&tree, "      call f%d()\n", i-1)
			}
		}
		tree.WriteString("  }\n")
	}
	tree.WriteString("  fn f40 \"main\" entry() {\n    b0:\n      call f39()\n  }\n}\n")
	for _, c := range []struct{ text, want string }{
		{tree.String(), "calls that make more than 1048576 instructions"},
		{"shader compute \"main\" {\n  info { workgroup_size=1,1,1 }\n  fn f0 \"a\" () {\n    b0:\n      call f1()\n  }\n  fn f1 \"main\" entry() {\n    b0:\n      call f0()\n  }\n}\n", "recursive call of \"a\" is"},
		{strings.Replace(tree.String(), `"f20"`, `""`, 1), "instructions of a function without name are"},
		{"shader compute \"main\" {\n  info { workgroup_size=1,1,1 }\n  fn f0 \"\" entry() {\n    b0:\n      call f0()\n  }\n}\n", "recursive call of the entry point is"},
	} {
		s, err := ir.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := RunPass(s, "inline_functions"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestInlinesMuch: what a chain of calls makes is counted without making it, and
// a condition of a pipeline can ask for it.
func TestInlinesMuch(t *testing.T) {
	c, err := parseCond("inlines_much")
	if err != nil {
		t.Fatal(err)
	}
	for depth, want := range map[int]bool{0: false, 3: false, 14: true, 400: true} {
		var text strings.Builder
		text.WriteString("shader compute \"main\" {\n  info { workgroup_size=1,1,1 }\n  fn f0 \"leaf\" () {\n    b0:\n      %0:32 = load_const 0x1\n  }\n")
		for i := range depth {
			fmt.Fprintf(&text, "  fn f%d \"f%d\" () {\n    b0:\n      call f%d()\n      call f%d()\n  }\n", i+1, i+1, i, i)
		}
		fmt.Fprintf(&text, "  fn f%d \"main\" entry() {\n    b0:\n      call f%d()\n  }\n}\n", depth+1, depth)
		s, err := ir.Parse(text.String())
		if err != nil {
			t.Fatal(err)
		}
		if got := c.eval(s, &condEnv{}); got != want {
			t.Errorf("%d calls deep: %v, want %v", depth, got, want)
		}
	}
}
