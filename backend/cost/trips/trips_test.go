package trips

import (
	"fmt"
	"testing"

	"nirc/backend/cost"
	"nirc/backend/object"
	"nirc/ir"
)

// counted makes a loop from 0 up to a limit. What body adds to it may end it too.
func counted(s *ir.Shader, b *ir.Builder, limit *ir.Def, body func()) {
	zero, before := b.Imm32(0), b.Cursor.Block
	l := b.PushLoop()
	head := l.Body.FirstBlock()
	i := s.NewPhi(1, 32)
	ir.AfterPhis(head).Insert(i)
	exit := b.PushIf(b.Uge(&i.Def, limit))
	b.Jump(ir.JumpBreak)
	b.PopIf(exit)
	if body != nil {
		body()
	}
	next := b.IAddImm(&i.Def, 1)
	for _, p := range head.Preds {
		if p == before {
			s.AddPhiSrc(i, p, zero)
		} else {
			s.AddPhiSrc(i, p, next)
		}
	}
	b.PopLoop(l)
}

// TestOf: loops in their order with how often their headers run, or run at most, and why they are still there.
func TestOf(t *testing.T) {
	s := ir.NewShader(ir.StageCompute, &ir.Options{MaxUnroll: 16})
	s.Locs = []ir.Loc{{}, {Line: 7}}
	s.NewFunction("declared").Impl = nil
	f := s.NewFunction("main")
	f.IsEntry = true
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	unknown := func() *ir.Def {
		return &b.Intrinsic(ir.IntrLoadPushConstant, 1, 32, b.Imm32(0)).Set(ir.IdxRange, 4).Def
	}
	counted(s, b, b.Imm32(5), nil)
	counted(s, b, b.Imm32(17), func() { unknown().Instr.Loc = 1 })
	counted(s, b, unknown(), nil)
	counted(s, b, b.Imm32(9), func() {
		i := b.PushIf(b.Ine(unknown(), b.Imm32(3)))
		b.Jump(ir.JumpBreak)
		b.PopIf(i)
	})
	counted(s, b, b.Imm32(3), func() { counted(s, b, b.Imm32(4), nil) })
	once := b.PushLoop()
	b.Jump(ir.JumpBreak)
	b.PopLoop(once)
	want := []Loop{
		{Depth: 1, Trips: 6, Reason: "its copies would be too large, or its hint says so"},
		{Depth: 1, Trips: 18, Reason: "it runs too often", Loc: ir.Loc{Line: 7}},
		{Depth: 1, Reason: "how often it runs is not known at compile time"},
		{Depth: 1, Most: 10, Reason: "only a bound of how often it runs is known"},
		{Depth: 1, Trips: 4, Reason: "it holds another loop"},
		{Depth: 2, Trips: 5, Reason: "its copies would be too large, or its hint says so"},
	}
	if got := Of(s, true); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
	if got := Of(s, false); got[0].Reason != "nothing is unrolled at -O0" || got[1].Reason != "it runs too often" {
		t.Errorf("where nothing is unrolled: %+v", got)
	}
}

// looping is code of a loop of three instructions, which a test at its head or at its end leaves, within another or not.
func looping(atEnd bool) *cost.Program {
	p := &cost.Program{Instrs: make([]cost.Instr, 6)}
	for i := range p.Instrs {
		p.Instrs[i].Offset = 8 * i
		p.Nodes = append(p.Nodes, cost.Node{Instr: int32(i), Succ: []int32{int32(i + 1)}})
	}
	p.Nodes[5].Succ = nil
	if atEnd {
		p.Nodes[3].Succ = []int32{4, 1}
	} else {
		p.Nodes[1].Succ, p.Nodes[3].Succ = []int32{2, 4}, []int32{1}
	}
	return p
}

// TestPair: the trips of a loop that its end leaves are one fewer, where code is turned so; loops that are not as many, or not nested
// alike, are not known.
func TestPair(t *testing.T) {
	for _, c := range []struct {
		name          string
		atEnd, turned bool
		loops         []Loop
		trips, most   string
		after         Loop
	}{
		{"at its head", false, true, []Loop{{Depth: 1, Trips: 6}}, "map[1:6]", "map[]", Loop{Depth: 1, Trips: 6, Header: 1, Instrs: []int32{1, 2, 3}}},
		{"at its end", true, true, []Loop{{Depth: 1, Trips: 6}}, "map[1:5]", "map[]", Loop{Depth: 1, Trips: 5, Header: 1, Instrs: []int32{1, 2, 3}}},
		{"at its end, at most", true, true, []Loop{{Depth: 1, Most: 6}}, "map[]", "map[1:5]", Loop{Depth: 1, Most: 5, Header: 1, Instrs: []int32{1, 2, 3}}},
		{"never", true, true, []Loop{{Depth: 1, Trips: 1}}, "map[1:1]", "map[]", Loop{Depth: 1, Trips: 1, Header: 1, Instrs: []int32{1, 2, 3}}},
		{"once", true, true, []Loop{{Depth: 1, Trips: 2}}, "map[1:1]", "map[]", Loop{Depth: 1, Trips: 1, Header: 1, Instrs: []int32{1, 2, 3}}},
		{"as it stands", true, false, []Loop{{Depth: 1, Trips: 6}}, "map[1:6]", "map[]", Loop{Depth: 1, Trips: 6, Header: 1, Instrs: []int32{1, 2, 3}}},
		{"not known", true, true, []Loop{{Depth: 1}}, "map[]", "map[]", Loop{Depth: 1, Header: 1, Instrs: []int32{1, 2, 3}}},
		{"another depth", true, true, []Loop{{Depth: 2, Trips: 6}}, "map[]", "map[]", Loop{Depth: 2}},
		{"one too many", true, true, []Loop{{Depth: 1, Trips: 6, Most: 7}, {Depth: 1}}, "map[]", "map[]", Loop{Depth: 1}},
	} {
		p := looping(c.atEnd)
		p.Turned = c.turned
		o := &object.Object{}
		Note(p, o, c.loops)
		if fmt.Sprint(p.Trips) != c.trips || fmt.Sprint(p.Most) != c.most || fmt.Sprint(c.loops[0]) != fmt.Sprint(c.after) {
			t.Errorf("%s: %v, at most %v, %+v; want %s, %s, %+v", c.name, p.Trips, p.Most, c.loops[0], c.trips, c.most, c.after)
		}
		header := int32(-1)
		if c.after.Instrs != nil {
			header = 8
		}
		if n := o.Loops[0]; n.Header != header || n.Trips != c.after.Trips || n.Most != c.after.Most || n.Depth != c.after.Depth {
			t.Errorf("%s: noted %+v", c.name, n)
		}
		// Read again the object says the same of the code, and nothing of other code.
		again := looping(c.atEnd)
		if back := Noted(again, o); fmt.Sprint(back[0]) != fmt.Sprint(c.after) || fmt.Sprint(again.Trips) != c.trips || fmt.Sprint(again.Most) != c.most {
			t.Errorf("%s: read again %+v, %v, at most %v", c.name, back[0], again.Trips, again.Most)
		}
		other := looping(c.atEnd)
		other.Instrs[1].Offset = 12
		if back := Noted(other, o); back[0].Instrs != nil || len(other.Trips)+len(other.Most) != 0 {
			t.Errorf("%s: of other code %+v", c.name, back[0])
		}
	}
}
