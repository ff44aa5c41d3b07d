package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// Values that are the same for all fibers of a wave, computed by the scalar
// unit in shared registers (ir3.md §7.7): they take no registers
// of fibers and no delay slots among themselves. They are chosen after selection, so that no
// instruction is added but copies of constants: what the scalar unit computes is read by
// itself, or by instructions that take a shared register where the value stands. Chains of
// such values end by themselves in the last instruction that takes one.

// phiUniform, in the flags of a machine phi: the fibers that are there together have one value.
const phiUniform uint8 = 1

// uniformity is what is known about the values of a program.
type uniformity struct {
	f    *mach.Func
	code *code
	// apart are the loops that fibers leave in different iterations: first block, and the one after.
	apart [][2]mach.BlockID
	// register is what a register of fibers is worth.
	register int32
	def      []*mach.Instr  // by value
	at       []mach.BlockID // by value: the block of its definition
	runs     []useRun       // by value: its uses in list
	list     []valueUse
	// share[v]: the scalar unit computes v. root[v] is the shared value that v is a copy of in a
	// normal register, 0 none.
	share []bool
	root  []mach.Value
	// copied[v] is the shared copy of the constant v.
	copied []mach.Value
	// equal, by value: what same has found.
	equal []uint8
	work  []mach.Value
}

// given are the flags of results whose registers are not free to choose.
const given = mach.Fixed | mach.Tied | mach.Early

type useRun struct{ from, to int32 }

type valueUse struct {
	in *mach.Instr
	k  int32 // number of the use
	at mach.BlockID
}

// run moves uniform values to shared registers, whether it is worth it or not
// if all. It reports whether the program uses any.
func (u *uniformity) run(all bool) bool {
	if !u.any() {
		return false
	}
	u.index()
	u.choose()
	if !all {
		u.dropDear()
	}
	u.rewrite()
	removeDead(u.f)
	return true
}

// any reports whether there may be something to share.
func (u *uniformity) any() bool {
	for b := range u.f.Blocks {
		for _, in := range u.f.Blocks[b].Instrs {
			for _, d := range in.Defs() {
				if d.Val != 0 && u.f.File(d.Val) == fileShared {
					return true
				}
			}
			if u.computable(in) && (in.Op == mach.OpPhi || len(in.Uses()) == 0) {
				return true
			}
		}
	}
	return false
}

// index lists definitions and uses.
func (u *uniformity) index() {
	n := u.f.NumValues()
	u.def, u.at, u.runs = make([]*mach.Instr, n), make([]mach.BlockID, n), make([]useRun, n)
	u.share, u.root, u.copied = make([]bool, n), make([]mach.Value, n), make([]mach.Value, n)
	total := int32(0)
	for b := range u.f.Blocks {
		for _, in := range u.f.Blocks[b].Instrs {
			for _, d := range in.Defs() {
				u.def[d.Val], u.at[d.Val] = in, mach.BlockID(b)
			}
			for _, s := range in.Uses() {
				u.runs[s.Val].to++
				total++
			}
		}
	}
	at := int32(0)
	for v := range u.runs {
		k := u.runs[v].to
		u.runs[v] = useRun{at, at}
		at += k
	}
	u.list = make([]valueUse, total)
	for b := range u.f.Blocks {
		blk := &u.f.Blocks[b]
		for _, in := range blk.Instrs {
			for k, s := range in.Uses() {
				r := &u.runs[s.Val]
				u.list[r.to] = valueUse{in, int32(k), mach.BlockID(b)}
				if in.Op == mach.OpPhi {
					u.list[r.to].at = blk.Preds[k]
				}
				r.to++
			}
		}
	}
}

func (u *uniformity) usesOf(v mach.Value) []valueUse { return u.list[u.runs[v].from:u.runs[v].to] }

// computable reports whether the scalar unit has the instruction, as far as its
// form goes; of moves only those that convert.
func (u *uniformity) computable(in *mach.Instr) bool {
	switch {
	case in.Op == mach.OpPhi:
		return in.Flags&phiUniform != 0
	case in.Op < mach.FirstTargetOp, in.Op >= opInputs, in.NDefs != 1:
		return false
	}
	d := &in.Ops[0]
	if d.Val == 0 || d.Flags&given != 0 || u.f.File(d.Val) != fileGPR || u.f.Elems(d.Val) != 1 {
		return false
	}
	t := &u.code.tmpl[in.Ext]
	switch t.Op.Category() {
	case 1:
		if t.Op != isa.OpCov {
			return false
		}
	case 2:
	case 3:
		if !scalarCat3(t.Op) {
			return false
		}
	default:
		return false
	}
	return scalarOp(t, len(in.Uses()))
}

// copyOf is the shared value that in copies to a normal register, 0 if it does not.
func (u *uniformity) copyOf(in *mach.Instr) mach.Value {
	if in.Op != machOp(isa.OpMov) || len(in.Ops) != 2 || u.f.File(in.Ops[1].Val) != fileShared || u.f.File(in.Ops[0].Val) != fileGPR {
		return 0
	}
	if t := &u.code.tmpl[in.Ext]; t.Type != isa.U32 || t.SrcType != isa.U32 {
		return 0
	}
	return in.Ops[1].Val
}

// available reports whether the scalar unit can read v.
func (u *uniformity) available(v mach.Value) bool {
	return v != 0 && (u.share[v] || u.root[v] != 0 || u.f.File(v) == fileShared && u.f.Elems(v) == 1 || u.isConst(u.def[v]))
}

// choose finds the values to share: at first all that the scalar unit could
// compute, from which those go that miss a source or have a user that cannot read them.
func (u *uniformity) choose() {
	for v := range u.share {
		in := u.def[v]
		if v == 0 || in == nil {
			continue
		}
		if r := u.copyOf(in); r != 0 && !u.carriedOut(mach.Value(v)) {
			u.root[v] = r
		}
		if u.computable(in) && !u.carriedOut(mach.Value(v)) || u.fetched(in) {
			u.share[v] = true
			u.work = append(u.work, mach.Value(v))
		}
	}
	for len(u.work) > 0 {
		v := u.work[len(u.work)-1]
		u.work = u.work[:len(u.work)-1]
		if !u.share[v] || u.keeps(v) {
			continue
		}
		u.share[v] = false
		for _, s := range u.def[v].Uses() {
			u.work = append(u.work, s.Val)
		}
		for _, x := range u.usesOf(v) {
			for _, d := range x.in.Defs() {
				u.work = append(u.work, d.Val)
			}
			// What it reads beside v may have a place now, or none.
			for _, s := range x.in.Uses() {
				u.work = append(u.work, s.Val)
			}
		}
	}
}

// carriedOut reports whether v is used after a loop that fibers leave in
// different iterations: each of them has its own value there.
func (u *uniformity) carriedOut(v mach.Value) bool {
	for _, l := range u.apart {
		if u.at[v] < l[0] || u.at[v] >= l[1] {
			continue
		}
		for _, x := range u.usesOf(v) {
			if x.at < l[0] || x.at >= l[1] {
				return true
			}
		}
	}
	return false
}

// keeps reports whether v, which is to be shared, has its sources, and only users that can read it.
func (u *uniformity) keeps(v mach.Value) bool {
	in := u.def[v]
	switch {
	case in.Op == mach.OpSplit:
		if !u.share[in.Ops[in.NDefs].Val] {
			return false
		}
	case !isUBOLoad(in):
		for _, s := range in.Uses() {
			if !u.available(s.Val) {
				return false
			}
		}
	}
	uses := u.usesOf(v)
	for _, x := range uses {
		if !u.scalarUser(x.in) && !u.takes(x) {
			return false
		}
	}
	return len(uses) > 0 || in.Op == mach.OpSplit
}

// scalarUser reports whether the scalar unit runs in.
func (u *uniformity) scalarUser(in *mach.Instr) bool {
	return in.NDefs == 1 && !isUBOLoad(in) && int(in.Ops[0].Val) < len(u.share) && u.share[in.Ops[0].Val]
}

// takes reports whether an instruction of normal registers takes a shared
// register for its use, beside its other sources.
func (u *uniformity) takes(x valueUse) bool {
	in := x.in
	switch {
	case in.Op == mach.OpSplit:
		return u.piecesShared(in)
	case in.Op < mach.FirstTargetOp, in.Op >= opInputs:
		return false
	}
	t := &u.code.tmpl[in.Ext]
	switch t.Op.Category() {
	case 1:
		return t.Op == isa.OpMov || t.Op == isa.OpCov
	case 2, 3:
	default:
		return false
	}
	switch i := sourceOf(t, x.k); {
	case i < 0:
		return false
	case swaps(t.Op) && i != 1:
		return true // beside consts and shared registers too
	case swaps(t.Op):
		return u.swappable(in, t)
	case !takesShared(t, i):
		return false
	}
	for k, s := range in.Uses() {
		if int32(k) != x.k && u.isShared(s.Val) {
			return false
		}
	}
	return true
}

func (u *uniformity) isShared(v mach.Value) bool {
	return u.f.File(v) == fileShared || u.share[v]
}

// swaps reports whether the first two sources of an operation may change places,
// of which the second is never shared.
func swaps(op isa.Op) bool {
	switch op {
	case isa.OpMadU24, isa.OpMadS24, isa.OpMadF16, isa.OpMadF32, isa.OpSadS16, isa.OpSadS32:
		return true
	}
	return false
}

// swappable reports whether in can have its second source first.
func (u *uniformity) swappable(in *mach.Instr, t *isa.Instr) bool {
	if t.Srcs[0].Kind != isa.Reg || t.Srcs[0].IsShared() || u.isShared(in.Uses()[0].Val) {
		return false
	}
	mad := t.Op.Category() == 3 && t.Op != isa.OpSadS16 && t.Op != isa.OpSadS32
	return mad || (t.Srcs[0].Flags|t.Srcs[1].Flags)&^isa.Half == 0
}

// swap brings a shared second source of in to the front.
func (u *uniformity) swap(in *mach.Instr) {
	t := &u.code.tmpl[in.Ext]
	if !swaps(t.Op) || t.Srcs[1].Kind != isa.Reg || t.Srcs[0].Kind != isa.Reg || u.f.File(in.Uses()[1].Val) != fileShared {
		return
	}
	n := *t
	n.Srcs[0], n.Srcs[1] = n.Srcs[1], n.Srcs[0]
	in.Ext = u.code.new(n)
	uses := in.Uses()
	uses[0].Val, uses[1].Val = uses[1].Val, uses[0].Val
}

// sourceOf is the source of t that stands for use k, -1 of implicit ones.
func sourceOf(t *isa.Instr, k int32) int {
	for i := range t.Srcs {
		if t.Srcs[i].Kind != isa.Reg {
			continue
		}
		if k == 0 {
			return i
		}
		k--
	}
	return -1
}

// rewrite gives the chosen values their class and instructions their forms.
func (u *uniformity) rewrite() {
	any := false
	for v := range u.share {
		if u.share[v] {
			u.f.SetClass(mach.Value(v), sharedClass(u.f.Class(mach.Value(v))))
			any = true
		}
	}
	if any {
		u.copyConsts()
	}
	for b := range u.f.Blocks {
		for _, in := range u.f.Blocks[b].Instrs {
			switch {
			case isUBOLoad(in) && u.share[in.Ops[0].Val]:
				t := u.code.tmpl[in.Ext]
				t.Flags |= isa.Uniform
				in.Ext = u.code.new(t)
			case u.scalarUser(in):
				u.readShared(in)
			case in.Op >= mach.FirstTargetOp && in.Op < opInputs:
				u.swap(in)
				u.readRoots(in, mach.BlockID(b))
				u.swap(in)
			}
			u.rebind(in)
		}
	}
}

func sharedClass(class uint8) uint8 {
	if class == classHalf {
		return classSharedHalf
	}
	return classShared
}

// readShared lets an instruction of the scalar unit read shared registers only.
func (u *uniformity) readShared(in *mach.Instr) {
	uses := in.Uses()
	for k := range uses {
		switch v := uses[k].Val; {
		case u.root[v] != 0:
			uses[k].Val = u.root[v]
		case u.copied[v] != 0:
			uses[k].Val = u.copied[v]
		}
	}
}

// readRoots lets an instruction of normal registers read one shared register
// where it is, instead of its copy in a normal one.
func (u *uniformity) readRoots(in *mach.Instr, b mach.BlockID) {
	uses := in.Uses()
	for k := range uses {
		v := uses[k].Val
		if int(v) >= len(u.root) || u.root[v] == 0 || u.copyOf(in) != 0 {
			continue
		}
		if u.takes(valueUse{in, int32(k), b}) {
			uses[k].Val = u.root[v]
		}
	}
}

// rebind makes the template of in stand for the classes of its operands.
func (u *uniformity) rebind(in *mach.Instr) {
	if in.Op < mach.FirstTargetOp || in.Op >= opInputs {
		return
	}
	old := &u.code.tmpl[in.Ext]
	t := *old
	if in.NDefs > 0 && t.Dst.Kind == isa.Reg && in.Ops[0].Val != 0 && u.f.File(in.Ops[0].Val) == fileShared {
		t.Dst = standIn(u.f.Class(in.Ops[0].Val)).With(t.Dst.Flags &^ isa.Half)
	}
	for k, s := range in.Uses() {
		i := sourceOf(&t, int32(k))
		if i < 0 {
			break
		}
		if s.Val != 0 && u.f.File(s.Val) == fileShared {
			t.Srcs[i] = standIn(u.f.Class(s.Val)).With(t.Srcs[i].Flags &^ isa.Half)
		}
	}
	if t != *old {
		in.Ext = u.code.new(t)
	}
}
