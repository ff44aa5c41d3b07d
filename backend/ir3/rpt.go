package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// RptStats counts what became of repeat groups.
type RptStats struct {
	Made    int // by selection
	Cleaned int // cut or given up before allocation, as they could never merge
	Merged  int // instructions with (rptN) made
	Split   int // groups of which allocation let only parts, or nothing, merge
	Saved   int // instructions saved
}

// linker links the machine instructions that selection makes of the members of a group.
// A group's number stands in Aux of its members, 0 is none.
type linker struct {
	plan   *vecPlan
	cur    int32 // the group of the plan that is being selected
	id     int32 // and the number that its members get
	first  *mach.Instr
	n      int
	groups int32
	made   int
}

// member notes that in was made for a member of group g of the plan.
func (l *linker) member(g int32, in *mach.Instr) {
	if l.cur != g || l.n == maxGroup {
		l.cur, l.first, l.n = g, in, 1
		l.groups++
		l.id = l.groups
		return
	}
	if l.n == 1 {
		l.first.Aux = l.id
		l.made++
	}
	in.Aux = l.id
	l.n++
}

// fresh starts a group that is not of the plan, and returns its number for member.
func (l *linker) fresh() int32 {
	l.plan.last++
	return l.plan.last
}

// linkMoves makes groups of moves of one immediate that stand in a row, as
// vectors of constants leave them.
func linkMoves(f *mach.Func, l *linker) {
	c := templates(f)
	same := func(a, b *mach.Instr) bool {
		return b.Op == a.Op && b.Aux == 0 && c.tmpl[a.Ext] == c.tmpl[b.Ext] && f.Class(a.Ops[0].Val) == f.Class(b.Ops[0].Val)
	}
	for b := range f.Blocks {
		ins := f.Blocks[b].Instrs
		for i := 0; i < len(ins); {
			in := ins[i]
			n := 1
			if in.Op == machOp(isa.OpMov) && in.Aux == 0 && in.NDefs == 1 && f.File(in.Ops[0].Val) == fileGPR && c.tmpl[in.Ext].Srcs[0].Kind == isa.Imm {
				for n < maxGroup && i+n < len(ins) && same(in, ins[i+n]) {
					n++
				}
			}
			if n > 1 {
				l.groups++
				l.made++
				for k := range n {
					ins[i+k].Aux = l.groups
				}
			}
			i += n
		}
	}
}

// stride is how an operand goes on from member to member.
type stride uint8

const (
	strideUnknown stride = iota
	strideSame
	strideNext
)

// cleanRepeats cuts groups where a member cannot be repeated from the one
// before it (ir3.md §8.3, step 3), and adds to runs the values
// that would like consecutive registers (step 4).
func cleanRepeats(f *mach.Func, l *linker, st *RptStats, runs [][]mach.Value) [][]mach.Value {
	c := templates(f)
	next := l.groups
	seen := make([]bool, l.groups+1)
	for b := range f.Blocks {
		ins := f.Blocks[b].Instrs
		for i := 0; i < len(ins); {
			g := ins[i].Aux
			if g == 0 || ins[i].Op < mach.FirstTargetOp {
				i++
				continue
			}
			n := repeatLength(f, c, ins[i:])
			cut := n == 1 || seen[g] || i+n < len(ins) && ins[i+n].Aux == g && ins[i+n].Op >= mach.FirstTargetOp
			if cut && !seen[g] {
				st.Cleaned++
			}
			id := int32(0)
			if n > 1 {
				next++
				id = next
				runs = appendRuns(runs, f, c, ins[i:i+n])
			}
			seen[g] = true
			for k := range n {
				ins[i+k].Aux = id
			}
			i += n
		}
	}
	return runs
}

// repeatLength is the number of instructions at the start of ins that can be
// one group.
func repeatLength(f *mach.Func, c *code, ins []*mach.Instr) int {
	first := ins[0]
	t := &c.tmpl[first.Ext]
	if !repeatable(t.Op) || first.NDefs != 1 {
		return 1
	}
	var pattern [4]stride
	n := 1
	for n < len(ins) && n < maxGroup && ins[n].Aux == first.Aux && ins[n].Op == first.Op {
		if !fitsGroup(f, c, first, ins[n], n, &pattern) {
			break
		}
		n++
	}
	return n
}

// repeatable reports whether an instruction takes (rptN) (ir3.md §8.4).
func repeatable(op isa.Op) bool {
	switch op {
	case isa.OpRcp, isa.OpDp2acc, isa.OpDp4acc, isa.OpMovmsk, isa.OpSwz, isa.OpMova, isa.OpMova1:
		return false
	}
	cat := op.Category()
	return cat >= 1 && cat <= 4 && op.CanRepeat()
}

func isFetch(op isa.Op) bool { return op == isa.OpBaryF || op == isa.OpFlatB }

// fitsGroup reports whether in can be member k of the group of first.
func fitsGroup(f *mach.Func, c *code, first, in *mach.Instr, k int, pattern *[4]stride) bool {
	a, b := &c.tmpl[first.Ext], &c.tmpl[in.Ext]
	if in.NDefs != 1 || len(in.Ops) != len(first.Ops) || f.Class(in.Ops[0].Val) != f.Class(first.Ops[0].Val) {
		return false
	}
	x, y := *a, *b
	x.Srcs, y.Srcs = [4]isa.Operand{}, [4]isa.Operand{}
	if x != y {
		return false
	}
	use := 0
	for i := range a.Srcs {
		p, q := a.Srcs[i], b.Srcs[i]
		if p.Kind != q.Kind || p.Flags != q.Flags {
			return false
		}
		switch p.Kind {
		case isa.Reg:
			u, v := first.Uses()[use].Val, in.Uses()[use].Val
			use++
			if f.Class(u) != f.Class(v) || !pattern[i].note(u == v) {
				return false
			}
		case isa.Const, isa.RelConst:
			if p.Kind == isa.RelConst && !faults.has(faultRelativeRepeat) {
				return false // whether it advances is not known (ir3.md §8.5)
			}
			if q.Val != p.Val && q.Val != p.Val+int32(k) || !pattern[i].note(q.Val == p.Val) {
				return false
			}
		case isa.RelReg:
			return false
		default:
			want := p.Val
			if isFetch(a.Op) && p.Kind == isa.Imm {
				want += int32(k)
			}
			if q.Val != want {
				return false
			}
		}
	}
	for u := in.Uses(); use < len(u); use++ { // a0.x
		if u[use].Val != first.Uses()[use].Val {
			return false
		}
	}
	return true
}

// note checks that a source stays the same, or goes on, in all members.
func (s *stride) note(same bool) bool {
	want := strideNext
	if same {
		want = strideSame
	}
	if *s == strideUnknown {
		*s = want
	}
	return *s == want
}

// appendRuns adds the results of a group, and its sources that differ.
func appendRuns(runs [][]mach.Value, f *mach.Func, c *code, group []*mach.Instr) [][]mach.Value {
	for k := range group[0].Ops {
		v := group[0].Ops[k].Val
		if v == 0 || v == group[1].Ops[k].Val || f.Elems(v) != 1 {
			continue
		}
		run := f.ValueList(len(group))
		for i, in := range group {
			run[i] = in.Ops[k].Val
		}
		runs = append(runs, run)
	}
	return runs
}

// mergeRepeats makes (rptN) instructions of groups whose registers came out
// in line (ir3.md §8.3, step 5).
func (p *phys) mergeRepeats(st *RptStats) {
	for b := range p.blocks {
		ins := p.blocks[b].ins
		out := ins[:0]
		group := int32(0)
		parts := 0
		end := func() {
			if parts > 1 {
				st.Split++
			}
		}
		for i := 0; i < len(ins); {
			if ins[i].group != group {
				end()
				group, parts = ins[i].group, 0
			}
			n := 1
			if ins[i].group != 0 {
				parts++
				n = absorb(ins[i:])
			}
			if n > 1 {
				st.Merged++
				st.Saved += n - 1
			}
			out = append(out, ins[i])
			i += n
		}
		end()
		p.blocks[b].ins = out
	}
}

// absorb merges the followers of ins[0] into it and returns how many
// instructions it stands for then.
func absorb(ins []pinstr) int {
	t := &ins[0]
	first := t.Instr
	var pattern [4]stride
	n := 1
	for n < len(ins) && n < maxGroup && ins[n].group == t.group && follows(&first, &ins[n].Instr, n, &pattern) {
		n++
	}
	if n == 1 {
		return 1
	}
	t.Repeat = uint8(n - 1)
	for i := range t.Srcs {
		if pattern[i] == strideNext {
			t.Srcs[i].Flags |= isa.Rpt
		}
	}
	return n
}

// follows reports whether in is the k-th repetition of first.
func follows(first, in *isa.Instr, k int, pattern *[4]stride) bool {
	x, y := *first, *in
	x.Srcs, y.Srcs, x.Dst.Val, y.Dst.Val = [4]isa.Operand{}, [4]isa.Operand{}, 0, 0
	if x != y || in.Dst.Val != first.Dst.Val+int32(k) {
		return false
	}
	try := *pattern
	for i := range first.Srcs {
		p, q := first.Srcs[i], in.Srcs[i]
		if p.Kind != q.Kind || p.Flags != q.Flags {
			return false
		}
		switch {
		case p.Kind == isa.None:
			continue
		case p.Kind == isa.RelReg, p.Kind == isa.RelConst && !faults.has(faultRelativeRepeat):
			return false
		case p.Kind == isa.Reg || p.Kind == isa.Const || p.Kind == isa.RelConst || p.Kind == isa.Imm && isFetch(first.Op):
			if q.Val != p.Val && q.Val != p.Val+int32(k) || !try[i].note(q.Val == p.Val) {
				return false
			}
			// No repetition reads what an earlier one has written.
			if !p.IsPred() && overlaps(q, first.Dst, k) {
				return false
			}
		case p.Val != q.Val:
			return false
		}
	}
	*pattern = try
	return true
}

// overlaps reports whether a source register is among the first n destinations.
func overlaps(src, dst isa.Operand, n int) bool {
	a, ok := operandSpan(src, 1)
	b, ok2 := operandSpan(dst, n)
	return ok && ok2 && a.unit < b.unit+b.n && b.unit < a.unit+a.n
}
