package ir_test

import (
	"math/rand/v2"
	"testing"

	"nirc/internal/refs"
	"nirc/ir"
	"nirc/ir/irtest"
)

// editor makes random edits of a function's tree. Values of irtest's shaders
// are used only in the scope where they are made (phis of a loop's head also
// after it), so edges may come and go without breaking dominance.
type editor struct {
	r    *rand.Rand
	impl *ir.Impl
	cond *ir.Def
	did  map[string]int
}

func (e *editor) blocks(ok func(*ir.Block) bool) []*ir.Block {
	var l []*ir.Block
	for b := range e.impl.Blocks() {
		if ok(b) {
			l = append(l, b)
		}
	}
	return l
}

func (e *editor) pick(ok func(*ir.Block) bool) *ir.Block {
	if l := e.blocks(ok); len(l) > 0 {
		return l[e.r.IntN(len(l))]
	}
	return nil
}

func everyBlock(*ir.Block) bool { return true }

// place returns a random place after b's phis. In the start block it is
// after everything, where the condition is made, and so it is in a loop's
// head, whose values go round.
func (e *editor) place(b *ir.Block) ir.Cursor {
	c := ir.AfterPhis(b)
	l, head := ir.Parent(b).(*ir.Loop)
	if b == e.impl.Start() || head && l.Body.FirstBlock() == b {
		return ir.BeforeJump(b)
	}
	for c.At != nil && c.At.Next() != nil && e.r.IntN(3) > 0 {
		c.At = c.At.Next()
	}
	return c
}

var edits = []struct {
	name string
	do   func(*editor) bool
}{
	{"insert_if", func(e *editor) bool {
		i := ir.InsertIf(e.place(e.pick(everyBlock)), e.cond)
		b := ir.NewBuilder(ir.AtEnd(i.Then.FirstBlock()))
		x := b.Imm32(3)
		b.PushElse(i)
		y := b.Imm32(4)
		b.IfPhi(i, x, y)
		return true
	}},
	{"insert_loop", func(e *editor) bool {
		l := ir.InsertLoop(e.place(e.pick(everyBlock)))
		b := ir.NewBuilder(ir.AtEnd(l.Body.FirstBlock()))
		i := b.PushIf(e.cond)
		b.Jump(ir.JumpBreak)
		b.PopIf(i)
		head := l.Body.FirstBlock()
		phi := b.Shader.NewPhi(1, 32)
		ir.AtStart(head).Insert(phi)
		for _, p := range head.Preds {
			b.Shader.AddPhiSrc(phi, p, e.cond32())
		}
		return true
	}},
	{"jump", func(e *editor) bool {
		b := e.pick(func(b *ir.Block) bool {
			return b.Jump() == nil && ir.Next(b) == nil && ir.Parent(b) != nil
		})
		if b == nil {
			return false
		}
		kinds := []ir.JumpKind{ir.JumpReturn, ir.JumpHalt}
		if ir.EnclosingLoop(b) != nil {
			kinds = append(kinds, ir.JumpBreak, ir.JumpContinue)
		}
		if inContinue(b) {
			kinds = []ir.JumpKind{ir.JumpBreak}
		}
		b.InsertJump(kinds[e.r.IntN(len(kinds))])
		return true
	}},
	{"remove_jump", func(e *editor) bool {
		b := e.pick(func(b *ir.Block) bool { return b.Jump() != nil })
		if b == nil {
			return false
		}
		b.Jump().Remove()
		return true
	}},
	{"extract_reinsert", func(e *editor) bool {
		from := e.pick(func(b *ir.Block) bool { return b.Jump() == nil })
		if from == nil || from == e.impl.Start() {
			return false
		}
		to := from
		for n := ir.Next(from); n != nil && e.r.IntN(2) == 0; n = ir.Next(n) {
			if b, ok := n.(*ir.Block); ok {
				to = b
			}
		}
		at := ir.AfterPhis(to)
		c := e.place(from)
		if to == from {
			c = at
		} else if to.First() != at.At {
			return false // phis of a block that ends the range become moves: not the same shader
		}
		if to == from && at.At != nil && e.r.IntN(2) == 0 {
			at.At = at.At.Next()
		}
		l := ir.Extract(c, at)
		ir.Reinsert(l, ir.Cursor{Block: from, At: at.At})
		return true
	}},
	{"remove_node", func(e *editor) bool {
		b := e.pick(func(b *ir.Block) bool { return ir.Next(b) != nil })
		if b == nil || e.r.IntN(3) > 0 {
			return false
		}
		ir.RemoveNode(ir.Next(b))
		return true
	}},
	{"replace_if", func(e *editor) bool {
		b := e.pick(func(b *ir.Block) bool { return b.FollowingIf() != nil })
		if b == nil || e.r.IntN(2) > 0 {
			return false
		}
		i := b.FollowingIf()
		side := &i.Then
		if e.r.IntN(2) == 0 {
			side = &i.Else
		}
		ir.ReplaceIf(i, side)
		return true
	}},
	{"add_continue", func(e *editor) bool {
		b := e.pick(func(b *ir.Block) bool { return b.FollowingLoop() != nil })
		if b == nil {
			return false
		}
		b.FollowingLoop().AddContinue()
		return true
	}},
	{"drop_continue", func(e *editor) bool {
		b := e.pick(func(b *ir.Block) bool {
			l := b.FollowingLoop()
			return l != nil && !l.Continue.Empty() && l.Continue.First() == l.Continue.Last() && l.Continue.FirstBlock().Empty()
		})
		if b == nil {
			return false
		}
		b.FollowingLoop().DropContinue()
		return true
	}},
	{"remove_instr", func(e *editor) bool {
		b := e.pick(func(b *ir.Block) bool { return !b.Empty() })
		for in := range b.Instrs() {
			if in.HasDef() && in.Def.Unused() && &in.Def != e.cond {
				in.Remove()
			}
		}
		return true
	}},
}

// cond32 is a 32-bit value that is available everywhere.
func (e *editor) cond32() *ir.Def {
	u := e.impl.Shader.NewUndef(1, 32)
	ir.AtStart(e.impl.Start()).Insert(u)
	return &u.Def
}

func inContinue(b *ir.Block) bool {
	l := ir.EnclosingLoop(b)
	if l == nil {
		return false
	}
	for x := ir.ParentList(b); x != nil; x = ir.ParentList(x.Owner()) {
		if x.Owner() == ir.Node(l) {
			return x == &l.Continue
		}
	}
	return false
}

func newEditor(seed uint64, s *ir.Shader) *editor {
	e := &editor{r: rand.New(rand.NewPCG(seed, 5)), impl: s.Entry().Impl, did: map[string]int{}}
	c := s.NewConst(1, 1)
	ir.AtStart(e.impl.Start()).Insert(c)
	e.cond = &c.Def
	return e
}

func TestRandomEdits(t *testing.T) {
	did := map[string]int{}
	seeds := make([]uint64, 400)
	for i := range seeds {
		seeds[i] = uint64(i)
	}
	for _, seed := range refs.Sample(seeds, 3) {
		s := irtest.Config{Seed: seed, Size: 120, Everything: seed%2 == 0}.Shader()
		e := newEditor(seed, s)
		e.did = did
		for range 40 {
			before := ir.Print(s)
			op := edits[e.r.IntN(len(edits))]
			e.impl.Require(ir.MetaDominance | ir.MetaInstrIndex)
			if !op.do(e) {
				continue
			}
			did[op.name]++
			if op.name == "insert_if" || op.name == "insert_loop" || op.name == "remove_instr" {
				e.impl.Preserve(ir.MetaNone) // they add and remove instructions too
			}
			if err := ir.Validate(s); err != nil {
				t.Fatalf("seed %d: after %s: %v\nbefore:\n%s\nafter:\n%s", seed, op.name, err, before, ir.Print(s))
			}
			if len(before) > 200000 {
				break
			}
		}
		text := ir.PrintWith(s, ir.PrintOptions{Locs: true})
		back, err := ir.Parse(text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if err := ir.Validate(back); err != nil {
			t.Fatalf("seed %d: read back: %v", seed, err)
		}
		if again := ir.PrintWith(back, ir.PrintOptions{Locs: true}); again != text {
			t.Fatalf("seed %d: text differs after reading back: %s", seed, firstDiff(text, again))
		}
	}
	for _, op := range edits {
		if did[op.name] == 0 {
			t.Errorf("%s was never done", op.name)
		}
	}
	t.Log(did)
}

// TestExtractReinsertIsIdentity: what is taken out and put back is the same.
func TestExtractReinsertIsIdentity(t *testing.T) {
	n := 0
	for seed := range uint64(12) {
		s := irtest.RandomShader(seed, 200)
		e := newEditor(seed, s)
		for range 20 {
			before := ir.Print(s)
			if !edits[4].do(e) {
				continue
			}
			n++
			if after := ir.Print(s); after != before {
				t.Fatalf("seed %d: %s", seed, firstDiff(before, after))
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d ranges", n)
	}
}

// firstDiff returns the first lines that differ.
func firstDiff(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	start := max(0, i-300)
	return "…" + a[start:min(len(a), i+200)] + "\n---- against ----\n…" + b[start:min(len(b), i+200)]
}
