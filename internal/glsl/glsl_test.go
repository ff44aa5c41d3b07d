package glsl

import (
	"reflect"
	"testing"
)

// The messages of both compilers are read; what they say of nothing in the file is the message itself.
func TestMessages(t *testing.T) {
	for _, c := range []struct {
		text, path string
		want       []Message
	}{
		{"/tmp/x.frag\nERROR: /tmp/x.frag:3: 'a' : undeclared identifier \nWARNING: /tmp/x.frag:4: odd\nERROR: 1 compilation errors.  No code generated.\n", "/tmp/x.frag",
			[]Message{{3, false, "'a' : undeclared identifier"}, {4, true, "odd"}}},
		{"x.frag:3: error: 'a' : undeclared identifier\nx.frag:5: warning: odd\n1 error generated.\n", "x.frag",
			[]Message{{3, false, "'a' : undeclared identifier"}, {5, true, "odd"}}},
		{"crashed", "x.frag", []Message{{0, false, "the GLSL compiler failed: crashed"}}},
	} {
		if got := messages(c.text, c.path); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v", c.text, got)
		}
	}
}
