package agx

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
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
	at := func(offset uint32) []abi.TileTarget {
		return []abi.TileTarget{{Slot: ir.SlotData0 + 1, Mask: 15, Format: isa.FormatU8Norm, Offset: offset}}
	}
	ofFragment := func(o *object.Object) *object.Object { o.Stage = ir.StageFragment; return o }
	readsTile := func(offset uint32) *object.Object {
		return ofFragment(vertexPart(t, abi.PartMain, 3, abi.Meta{Stage: ir.StageFragment, TileReads: at(offset)}))
	}
	storesTile := func(offset uint32) *object.Object {
		return ofFragment(vertexPart(t, abi.PartEpilog, 1, abi.Meta{Stage: ir.StageFragment, Tile: at(offset)}))
	}
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
		{"reads colour attachment 1 elsewhere in the tile", []*object.Object{readsTile(0), storesTile(4)}},
		{"", []*object.Object{readsTile(8), storesTile(8)}},
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

// TestMerge: a program is what its parts are: of sizes the largest, of facts whether one of them has it, of lists all; the coefficients
// of the main part are the program's already, those of a prolog come after them; the depth is the epilog's.
func TestMerge(t *testing.T) {
	coefs := func(list ...int) (c []abi.Coef) {
		for _, k := range list {
			c = append(c, abi.Coef{CF: k, Count: 1})
		}
		return c
	}
	layout := &abi.TileLayout{}
	main := abi.Meta{Part: abi.PartMain, Halves: 40, UniformHalves: 8, ScratchSize: 0, Coefs: coefs(0, 1), KeepDepth: true, Samples: 1}
	part := abi.Meta{Halves: 20, UniformHalves: 12, ScratchSize: 64, Coefs: coefs(2), Lists: true, Samples: 4, UsesDiscard: true, NeedsQuads: true, WritesMemory: true,
		Fetches: true, Tile: make([]abi.TileTarget, 2), TileLayout: layout, Pass: abi.Pass{WritesDepth: true}}
	for _, c := range []struct {
		part  abi.Part
		coefs int
		lists bool
	}{{abi.PartProlog, 3, true}, {abi.PartMain, 2, false}, {abi.PartEpilog, 2, false}} {
		for range 2 {
			l := &linker{meta: main}
			part.Part = c.part
			if err := l.merge(&part); err != nil {
				t.Fatal(err)
			}
			m := &l.meta
			if len(m.Coefs) != c.coefs || m.Coefs[c.coefs-1].CF != c.coefs-1 || m.Lists != c.lists {
				t.Errorf("with a %s: coefficients %+v, lists %t", c.part, m.Coefs, m.Lists)
			}
			if m.Halves != 40 || m.UniformHalves != 12 || m.ScratchSize != 64 || m.Samples != 4 || len(m.Tile) != 2 || m.TileLayout != layout {
				t.Errorf("with a %s: sizes %+v", c.part, m)
			}
			if !m.UsesDiscard || !m.NeedsQuads || !m.WritesMemory || !m.Fetches || !m.Pass.WritesDepth || m.KeepDepth {
				t.Errorf("with a %s: facts %+v", c.part, m)
			}
			// The other way round a small part with nothing changes nothing.
			if err := l.merge(&abi.Meta{Part: c.part}); err != nil || l.meta.Halves != 40 || len(l.meta.Coefs) != c.coefs || l.meta.TileLayout != layout || !l.meta.Fetches {
				t.Errorf("with an empty %s: %+v, %v", c.part, l.meta, err)
			}
		}
	}
	if len(main.Coefs) != 2 || cap(main.Coefs) > 2 && main.Coefs[:3][2].CF == 2 {
		t.Errorf("the main part has the prolog's coefficients: %+v", main.Coefs)
	}
}
