package mach

import (
	"strings"
	"testing"
)

// A vector whose elements are collected of halves collects the halves, which then stand where it is; one with an element of
// another kind stays as it is.
func TestJoinCollects(t *testing.T) {
	const head = `func f target test
block 0
  v1:half = const {1}
  v2:half = const {2}
  v3:half = const {3}
  v4:half = const {4}
  v5:full = collect v2, v1
  v6:full = collect v4, v3
  v7:full = const {5}
`
	for _, c := range []struct{ vector, want string }{
		{"collect v5, v6", "collect v2, v1, v4, v3"},
		{"collect v5, v7", "collect v5, v7"},
	} {
		f, err := Parse(head+"  v8:full*2 = "+c.vector+"\n  store v8\n  end\n", &testISA{units: 32})
		if err != nil {
			t.Fatal(err)
		}
		JoinCollects(f)
		if text := f.String(); !strings.Contains(text, "v8:full*2 = "+c.want+"\n") {
			t.Errorf("%s is not %s in\n%s", c.vector, c.want, text)
		}
		RemoveDead(f, func(*Func, *Instr) bool { return false })
		if err := allocate(f, AllocOptions{}); err != nil {
			t.Fatal(err)
		}
		if text := f.String(); c.vector != c.want && strings.Contains(text, "move") {
			t.Errorf("copies left:\n%s", text)
		}
	}
}
