package agx

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/object"
	"nirc/ir"
)

// vertexPart is a part of a vertex program: its code is bytes of its own number, then what more there is.
func vertexPart(t *testing.T, part abi.Part, n byte, m abi.Meta, more ...byte) *object.Object {
	t.Helper()
	m.Stage, m.Part, m.CodeSize = ir.StageVertex, part, 8*uint32(n)
	data, err := json.Marshal(&m)
	if err != nil {
		t.Fatal(err)
	}
	g, err := FindGPU("")
	if err != nil {
		t.Fatal(err)
	}
	return &object.Object{Target: TargetName, GPU: g.Name, Stage: ir.StageVertex, Entry: string(part), ABI: data,
		Code: append(bytes.Repeat([]byte{n}, 8*int(n)), more...)}
}

// TestLinkMoves joins a prolog and a main part, whose preamble goes behind the program: code, preamble, source lines and loops
// are found where they went, the figures are those of the whole.
func TestLinkMoves(t *testing.T) {
	const trap, preamble = 8, "the preamble"
	prolog := vertexPart(t, abi.PartProlog, 1, abi.Meta{})
	main := vertexPart(t, abi.PartMain, 3, abi.Meta{HasPreamble: true, Preamble: 24 + trap}, append(make([]byte, trap), preamble...)...)
	main.Lines = []object.LineEntry{{Offset: 0, Line: 1}, {Offset: 8, Line: 2}, {Offset: 24, Line: 3}, {Offset: 24 + trap, Line: 4}, {Offset: 26 + trap, Line: 5}}
	main.Loops = []object.Loop{{Header: 8}, {Header: -1}, {Header: 28 + trap}}
	prolog.Stats = []object.Stat{{Name: "threads", Value: 512}, {Name: "regs", Value: 40}, {Name: "alu", Value: 3}}
	main.Stats = []object.Stat{{Name: "threads", Value: 1024}, {Name: "regs", Value: 20}, {Name: "alu", Value: 4}, {Name: "code_bytes", Value: 1}}
	o, err := (Target{}).Link([]*object.Object{main, prolog})
	if err != nil {
		t.Fatal(err)
	}
	var m abi.Meta
	if err := json.Unmarshal(o.ABI, &m); err != nil {
		t.Fatal(err)
	}
	if want := append(bytes.Repeat([]byte{1}, 8), bytes.Repeat([]byte{3}, 24)...); !bytes.HasPrefix(o.Code, want) {
		t.Errorf("the program is %x, want %x first", o.Code, want)
	}
	if !m.HasPreamble || string(o.Code[m.Preamble:]) != preamble {
		t.Errorf("the preamble is %q", o.Code[m.Preamble:])
	}
	lines := []object.LineEntry{{Offset: 8, Line: 1}, {Offset: 16, Line: 2}, {Offset: 32}, {Offset: m.Preamble, Line: 4}, {Offset: m.Preamble + 2, Line: 5}}
	if !slices.Equal(o.Lines, lines) {
		t.Errorf("lines %v, want %v", o.Lines, lines)
	}
	loops := []object.Loop{{Header: 16}, {Header: -1}, {Header: int32(m.Preamble) + 4}}
	if !slices.Equal(o.Loops, loops) {
		t.Errorf("loops %v, want %v", o.Loops, loops)
	}
	figures := []object.Stat{{Name: "threads", Value: 512}, {Name: "regs", Value: 40}, {Name: "alu", Value: 7}, {Name: "code_bytes", Value: int64(len(o.Code))}}
	if !slices.Equal(o.Stats, figures) {
		t.Errorf("figures %v, want %v", o.Stats, figures)
	}
}

// TestLinkRefuses joins parts that do not belong together.
func TestLinkRefuses(t *testing.T) {
	main := func(m abi.Meta) *object.Object { return vertexPart(t, abi.PartMain, 3, m) }
	prolog := func(m abi.Meta) *object.Object { return vertexPart(t, abi.PartProlog, 1, m) }
	fragment := prolog(abi.Meta{})
	fragment.Stage = ir.StageFragment
	for _, c := range []struct {
		want  string
		parts []*object.Object
	}{
		{"", []*object.Object{main(abi.Meta{})}},
		{"", []*object.Object{prolog(abi.Meta{Next: ir.StageGeometry}), main(abi.Meta{Next: ir.StageGeometry})}},
		{"needs a main part", []*object.Object{prolog(abi.Meta{})}},
		{"is for a vertex shader before stage geometry", []*object.Object{prolog(abi.Meta{Next: ir.StageGeometry}), main(abi.Meta{})}},
		{"the main part for one before tess_ctrl", []*object.Object{prolog(abi.Meta{}), main(abi.Meta{Next: ir.StageTessCtrl})}},
		{"runs as compute and there is no prolog", []*object.Object{main(abi.Meta{Next: ir.StageGeometry})}},
		{"reads 1 attributes and there is no prolog", []*object.Object{main(abi.Meta{Attribs: make([]abi.Attrib, 1)})}},
		{"which only the main part can have", []*object.Object{prolog(abi.Meta{HasPreamble: true}), main(abi.Meta{})}},
		{"is for g13g fragment, the main part for g13g vertex", []*object.Object{fragment, main(abi.Meta{})}},
		{"there are two main parts", []*object.Object{main(abi.Meta{}), main(abi.Meta{})}},
	} {
		switch _, err := (Target{}).Link(c.parts); {
		case c.want == "" && err != nil:
			t.Errorf("refused: %v", err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
