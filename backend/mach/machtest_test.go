package mach

import (
	"fmt"
	"math/rand"
	"strconv"
)

// testISA is a machine for tests: a file of units with halves in its lower
// half, and predicates. Ext is a number.
// testISA has units registers; units/2 - fewer of them hold halves.
type testISA struct{ units, fewer int }

const (
	opALU   = FirstTargetOp + iota // any defs, any uses
	opStore                        // uses only
	opConst
	opBr // conditional, one use
	opJump
	opEnd
	opSum // one def, one use, which may be made again
)

var testOps = []string{"alu", "store", "const", "br", "jump", "end", "sum"}

const (
	tHalf = iota
	tFull
	tPred
	tShared
)

func (t *testISA) Name() string { return "test" }
func (t *testISA) Files() []File {
	return []File{{Name: "r", Units: t.units, Spillable: true}, {Name: "p", Units: 4}, {Name: "s", Units: 8, Shared: true}}
}
func (t *testISA) Classes() []Class {
	return []Class{{Name: "half", Elem: 1, Align: 1, Limit: uint16(t.units/2 - t.fewer)}, {Name: "full", Elem: 2, Align: 2}, {Name: "pred", File: 1, Elem: 1, Align: 1}, {Name: "shared", File: 2, Elem: 2, Align: 2}}
}
func (t *testISA) OpName(op Op) string { return testOps[op-FirstTargetOp] }
func (t *testISA) OpByName(name string) (Op, bool) {
	for i, n := range testOps {
		if n == name {
			return FirstTargetOp + Op(i), true
		}
	}
	return 0, false
}
func (t *testISA) Props(in *Instr, f *Func) Props {
	switch in.Op {
	case opBr, opJump, opEnd:
		return PropTerminator
	case opConst, opSum:
		return PropRemat
	}
	return 0
}
func (t *testISA) FormatExt(f *Func, in *Instr) string {
	if in.Ext == 0 {
		return ""
	}
	return strconv.Itoa(int(in.Ext))
}
func (t *testISA) ParseExt(f *Func, in *Instr, text string) error {
	if text == "" {
		return nil
	}
	n, err := strconv.ParseUint(text, 10, 32)
	in.Ext = uint32(n)
	return err
}

// gen makes random structured programs in SSA form.
type gen struct {
	f     *Func
	r     *rand.Rand
	cur   BlockID
	avail []Value
	depth int
	loop  int32
	ext   uint32
	wide  bool // many values live at once
}

func randomFunc(seed int64, isa ISA, size int, wide bool) *Func {
	g := &gen{f: NewFunc("t", isa), r: rand.New(rand.NewSource(seed)), wide: wide}
	g.block()
	for range 3 {
		g.op()
	}
	g.region(size)
	for _, v := range g.avail {
		if g.r.Intn(3) > 0 {
			g.f.Add(g.cur, opStore, nil, []Value{v})
		}
	}
	g.f.Add(g.cur, opEnd, nil, nil)
	return g.f
}

func (g *gen) block() BlockID {
	g.cur = g.f.NewBlock()
	g.f.Blocks[g.cur].LoopDepth = g.loop
	return g.cur
}

func (g *gen) pick() Value { return g.avail[g.r.Intn(len(g.avail))] }

func (g *gen) value() Value {
	class, n := uint8(tFull), 1
	if g.r.Intn(3) == 0 {
		class = tHalf
	}
	if g.r.Intn(4) == 0 {
		n = 1 + g.r.Intn(4)
	}
	return g.f.NewValue(class, n)
}

func (g *gen) op() {
	f := g.f
	g.ext++
	if len(g.avail) == 0 || g.r.Intn(6) == 0 {
		v := f.NewValue(uint8(g.r.Intn(2)), 1)
		f.Add(g.cur, opConst, []Value{v}, nil).Ext = g.ext
		g.avail = append(g.avail, v)
		return
	}
	switch g.r.Intn(8) {
	case 0:
		f.Add(g.cur, opStore, nil, []Value{g.pick()})
		return
	case 1:
		class := uint8(g.r.Intn(2))
		var us []Value
		for range 2 + g.r.Intn(3) {
			for range 8 {
				if v := g.pick(); f.Class(v) == class && f.Elems(v) == 1 {
					us = append(us, v)
					break
				}
			}
		}
		if len(us) > 1 {
			v := f.NewValue(class, len(us))
			f.Add(g.cur, OpCollect, []Value{v}, us)
			g.avail = append(g.avail, v)
			return
		}
	case 2:
		v := g.pick()
		if n := f.Elems(v); n > 1 {
			ds := make([]Value, n)
			for i := range ds {
				if g.r.Intn(4) > 0 {
					ds[i] = f.NewValue(f.Class(v), 1)
					g.avail = append(g.avail, ds[i])
				}
			}
			f.Add(g.cur, OpSplit, ds, []Value{v})
			return
		}
	}
	var us []Value
	for range 1 + g.r.Intn(3) {
		us = append(us, g.pick())
	}
	d := g.value()
	tied := g.r.Intn(8) == 0
	if tied {
		d = f.Clone(us[0])
	}
	in := f.Add(g.cur, opALU, []Value{d}, us)
	in.Ext = g.ext
	switch {
	case tied:
		in.Ops[0].Flags |= Tied
	case g.r.Intn(8) == 0:
		in.Ops[0].Flags |= Early
	}
	g.avail = append(g.avail, d)
	if limit := 8; !g.wide && len(g.avail) > limit {
		g.avail = g.avail[len(g.avail)-limit:]
	}
}

func (g *gen) region(size int) {
	for size > 0 {
		switch k := g.r.Intn(10); {
		case k == 0 && size > 6 && g.depth < 4:
			g.branch(size / 2)
			size /= 2
		case k == 1 && size > 6 && g.depth < 4:
			g.repeat(size / 2)
			size /= 2
		default:
			g.op()
			size--
		}
	}
}

func (g *gen) cond() {
	p := g.f.NewValue(tPred, 1)
	g.ext++
	g.f.Add(g.cur, opALU, []Value{p}, []Value{g.pick()}).Ext = g.ext
	g.f.Add(g.cur, opBr, nil, []Value{p})
}

func (g *gen) jump(to BlockID) {
	g.f.Add(g.cur, opJump, nil, nil)
	g.f.AddEdge(g.cur, to)
}

// matching returns a value of b of the same shape as v.
func (g *gen) matching(v Value, b []Value) Value {
	for range 10 {
		w := b[g.r.Intn(len(b))]
		if g.f.Class(w) == g.f.Class(v) && g.f.Size(w) == g.f.Size(v) {
			return w
		}
	}
	return 0
}

func (g *gen) branch(size int) {
	g.depth++
	g.cond()
	from, before := g.cur, append([]Value(nil), g.avail...)
	var ends [2]BlockID
	var avail [2][]Value
	for i := range 2 {
		g.avail = append([]Value(nil), before...)
		b := g.block()
		g.f.AddEdge(from, b)
		g.region(g.r.Intn(size))
		ends[i], avail[i] = g.cur, g.avail
	}
	join := g.block()
	g.avail = before
	for i := range 2 {
		g.cur = ends[i]
		g.jump(join)
	}
	g.cur = join
	for range 1 + g.r.Intn(4) {
		v := avail[0][g.r.Intn(len(avail[0]))]
		if w := g.matching(v, avail[1]); w != 0 {
			d := g.f.Clone(v)
			g.f.Add(join, OpPhi, []Value{d}, []Value{v, w})
			g.avail = append(g.avail, d)
		}
	}
	g.depth--
}

func (g *gen) repeat(size int) {
	g.depth++
	pre := g.cur
	g.loop++
	head := g.block()
	g.cur = pre
	g.jump(head)
	g.cur = head
	var phis []*Instr
	for range 1 + g.r.Intn(4) {
		v := g.pick()
		d := g.f.Clone(v)
		phis = append(phis, g.f.Add(head, OpPhi, []Value{d}, []Value{v, 0}))
	}
	before := append([]Value(nil), g.avail...)
	for _, p := range phis {
		g.avail = append(g.avail, p.Ops[0].Val)
	}
	inside := append([]Value(nil), g.avail...)
	g.region(size)
	g.cond()
	latch := g.cur
	back := g.block()
	g.f.AddEdge(latch, back)
	g.jump(head)
	for _, p := range phis {
		w := g.matching(p.Ops[0].Val, g.avail)
		if w == 0 {
			w = p.Ops[0].Val
		}
		p.Ops[2].Val = w
	}
	g.loop--
	exit := g.block()
	g.f.AddEdge(latch, exit)
	_ = before
	g.avail = inside
	g.depth--
}

// run executes f before or after allocation and returns what it stored. The
// path through the program depends on seed and block only.
func run(f *Func, seed int64) (trace []uint64, err error) {
	m := &machine{f: f, r: rand.New(rand.NewSource(seed)), vals: make([][]uint64, f.NumValues()), mem: make([]uint64, f.SpillUnits+16)}
	for i := range m.regs {
		m.regs[i] = make([]uint64, 512)
	}
	prev, b := BlockID(-1), BlockID(0)
	for steps := 0; steps < 2000; steps++ {
		next, done, err := m.block(prev, b)
		if err != nil {
			return nil, err
		}
		if done {
			break
		}
		prev, b = b, next
	}
	return m.trace, nil
}

type machine struct {
	f     *Func
	r     *rand.Rand
	vals  [][]uint64
	regs  [2][]uint64
	mem   []uint64
	trace []uint64
}

func (m *machine) read(o *Operand) []uint64 {
	class, n := m.f.operandShape(o)
	if o.Reg == NoReg {
		if o.Val == 0 || m.vals[o.Val] == nil {
			return make([]uint64, n)
		}
		return m.vals[o.Val]
	}
	return append([]uint64(nil), m.regs[m.f.classes[class].File][o.Reg:int(o.Reg)+n]...)
}

func (m *machine) write(o *Operand, v []uint64) {
	class, n := m.f.operandShape(o)
	switch {
	case o.Reg != NoReg:
		copy(m.regs[m.f.classes[class].File][o.Reg:int(o.Reg)+n], v)
	case o.Val != 0:
		m.vals[o.Val] = append([]uint64(nil), v[:n]...)
	}
}

func (m *machine) block(prev, b BlockID) (next BlockID, done bool, err error) {
	blk := &m.f.Blocks[b]
	var phis [][]uint64
	for _, in := range blk.Instrs {
		if in.Op == OpPhi && in.Ops[0].Reg == NoReg {
			for k, p := range blk.Preds {
				if p == prev {
					phis = append(phis, m.read(&in.Uses()[k]))
				}
			}
		}
	}
	for i := range phis {
		m.write(&blk.Instrs[i].Ops[0], phis[i])
	}
	for _, in := range blk.Instrs {
		uses := make([][]uint64, len(in.Uses()))
		if in.Op != OpPhi {
			for i := range uses {
				uses[i] = m.read(&in.Uses()[i])
			}
		}
		switch in.Op {
		case OpPhi, OpUndef:
		case OpCopy, OpPcopy, OpMove:
			for i := range in.Defs() {
				m.write(&in.Ops[i], uses[i])
			}
		case OpSwap:
			x, y := m.read(&in.Ops[0]), m.read(&in.Ops[1])
			m.write(&in.Ops[0], y)
			m.write(&in.Ops[1], x)
		case OpCollect:
			var all []uint64
			for _, u := range uses {
				all = append(all, u...)
			}
			m.write(&in.Ops[0], all)
		case OpSplit:
			n := len(uses[0]) / int(in.NDefs)
			for i := range in.Defs() {
				if in.Ops[i].Val != 0 && in.Ops[i].Flags&Dead == 0 {
					m.write(&in.Ops[i], uses[0][i*n:])
				}
			}
		case OpSpill:
			copy(m.mem[in.Aux:], uses[0])
		case OpReload:
			m.write(&in.Ops[0], m.mem[in.Aux:])
		case opALU, opConst, opSum:
			h := uint64(in.Ext)*0x9e3779b97f4a7c15 + 1
			for _, u := range uses {
				for _, w := range u {
					h = (h ^ w) * 0xbf58476d1ce4e5b9
					h ^= h >> 29
				}
			}
			for i := range in.Defs() {
				_, n := m.f.operandShape(&in.Ops[i])
				out := make([]uint64, n)
				for k := range out {
					out[k] = h + uint64(k)*0x94d049bb133111eb
				}
				m.write(&in.Ops[i], out)
			}
		case opStore:
			m.trace = append(m.trace, uses[0]...)
		case opBr:
			m.trace = append(m.trace, uses[0]...)
			return blk.Succs[m.r.Intn(2)], false, nil
		case opJump:
			return blk.Succs[0], false, nil
		case opEnd:
			return 0, true, nil
		default:
			return 0, false, fmt.Errorf("unknown op %d", in.Op)
		}
	}
	return 0, false, fmt.Errorf("block %d has no end", b)
}
