package ir

import (
	"strings"
	"testing"
)

// The memory of a program's variables survives the text and the serialised form, and is held to its bounds by both.
func TestProgramArgument(t *testing.T) {
	const text = `shader kernel "k" {
  argument "out" global { offset=0 size=8 }
  argument "program" program { offset=8 size=8 memory=40 init=0x0500ff at=8 to=0 at=32 to=40 }
  fn f0 "k" entry() {
  b0:
  }
}
`
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	a := s.Arguments[1]
	if a.Kind != ArgProgram || a.Memory != 40 || string(a.Init) != "\x05\x00\xff" || len(a.Links) != 2 || a.Links[1] != (ArgumentLink{32, 40}) {
		t.Errorf("%+v", a)
	}
	again, err := Deserialize(Serialize(s, SerializeOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*Shader{s, again, Clone(s)} {
		if !strings.Contains(Print(x), strings.Split(text, "\n")[2]) {
			t.Errorf("%s", Print(x))
		}
	}
	for _, c := range [][2]string{
		{"at=32", "at=33"}, {"to=40", "to=41"}, {"memory=40", "memory=2"}, {`"program" program`, `"program" hidden`}, {"init=0x0500ff", "init=0x05z"}, {"at=8 to=0", "at=8 size=8"},
		{"at=32", "at=4294967328"}, {"to=40", "to=4294967336"}, {"memory=40", "memory=4294967336"},
	} {
		if _, err := Parse(strings.Replace(text, c[0], c[1], 1)); err == nil {
			t.Errorf("%s is taken", c[1])
		}
	}
	if one, err := Parse(strings.Replace(text, "memory=40 init=0x0500ff at=8 to=0 at=32 to=40", "memory=1", 1)); err != nil || !strings.Contains(Print(one), "memory=1 }") {
		t.Errorf("a byte of memory: %v", err)
	}
	s.Arguments[1].Links[1].At = 33
	if _, err := Deserialize(Serialize(s, SerializeOptions{})); err == nil {
		t.Error("a link beyond the memory is taken")
	}
}
