package ir

import "fmt"

// ValidationError is a broken rule of the IR. Rules are named as in docs/ir.md:
// a letter for what they are about and a number.
type ValidationError struct {
	Rule  string // "V4"
	Where string // the instruction, block or variable
	Msg   string
}

// Error returns "rule: message: where".
func (e *ValidationError) Error() string {
	if e.Where == "" {
		return e.Rule + ": " + e.Msg
	}
	return e.Rule + ": " + e.Msg + ": " + e.Where
}

// Validate checks every rule of the IR and returns the first that is broken,
// as a *ValidationError, or nil. It changes nothing, valid metadata included.
func Validate(s *Shader) (err error) {
	v := &validator{s: s}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *ValidationError:
			err = e
		default:
			panic(e)
		}
	}()
	v.shader()
	return nil
}

type validator struct {
	s     *Shader
	impl  *Impl
	vars  map[*Variable]*Impl // what is declared, and in which function (nil: the shader)
	seen  []bool              // by Def.Index
	uses  int
	depth int
}

func (v *validator) fail(rule, where, format string, a ...any) {
	panic(&ValidationError{Rule: rule, Where: where, Msg: fmt.Sprintf(format, a...)})
}

// check fails with in as the place unless ok.
func (v *validator) check(ok bool, rule string, in *Instr, format string, a ...any) {
	if !ok {
		v.fail(rule, PrintInstr(in), format, a...)
	}
}

func (v *validator) shader() {
	v.vars = map[*Variable]*Impl{}
	for _, x := range v.s.Variables {
		if x.Mode == ModeFunctionTemp {
			v.fail("R1", x.Name, "function_temp variable outside a function")
		}
		v.variable(x)
	}
	entries, preambles := 0, 0
	for _, f := range v.s.Functions {
		if f.IsEntry {
			entries++
		}
		if f.IsPreamble {
			preambles++
		}
		if f.IsEntry && f.IsPreamble {
			v.fail("F1", f.Name, "the entry point is the preamble")
		}
		if f.Shader != v.s || f.Impl != nil && (f.Impl.Fn != f || f.Impl.Shader != v.s) {
			v.fail("F1", f.Name, "function and body do not point at each other")
		}
	}
	if entries > 1 || preambles > 1 {
		v.fail("F1", "", "%d entry points, %d preambles", entries, preambles)
	}
	for _, f := range v.s.Functions {
		if f.Impl != nil {
			v.function(f)
		}
	}
}

func (v *validator) variable(x *Variable) {
	v.vars[x] = v.impl
	m := x.Mode
	switch {
	case m == 0 || m&(m-1) != 0 || m >= modeEnd:
		v.fail("R1", x.Name, "a variable has exactly one mode")
	case x.Type == nil:
		v.fail("R1", x.Name, "variable without type")
	case x.Compact && !(x.Type.IsArray() && compactElem(x)):
		v.fail("R2", x.Name, "compact variable is not an array of scalars")
	case m == ModeImage && x.Type.WithoutArray().Base != BaseImage:
		v.fail("R5", x.Name, "image variable of type %s", x.Type)
	case m&opaqueModes == 0 && x.Type.WithoutArray().IsOpaque():
		v.fail("R5", x.Name, "variable of type %s in %s", x.Type, m)
	case m&(ModeShaderTemp|ModeFunctionTemp) == 0 && x.Type.WithoutArray().Base == BaseRayQuery:
		v.fail("R5", x.Name, "variable of type %s in %s", x.Type, m)
	case x.InterfaceType != nil && !x.InterfaceType.WithoutArray().IsStruct():
		v.fail("R3", x.Name, "interface type %s is no struct", x.InterfaceType)
	case x.PerVertex && !(v.s.Stage == StageFragment && m == ModeShaderIn):
		v.fail("R6", x.Name, "per_vertex is for fragment inputs")
	case x.PerView && !x.Type.IsArray():
		v.fail("R6", x.Name, "per_view variable is not an array")
	}
	if x.Init != nil {
		if m&(ModeReadOnly&^(ModeConstant|ModeUniform)) != 0 { // uniforms: what a driver fills in
			v.fail("R4", x.Name, "initialiser of what nothing may store to, in %s", m)
		}
		v.constant(x.Init, x.Type, x, 0)
	}
}

// opaqueModes are the modes of images, textures and samplers.
const opaqueModes = ModeUniform | ModeImage | ModeShaderTemp | ModeFunctionTemp

// compactElem: arrayed stages have the vertex dimension outside.
func compactElem(x *Variable) bool {
	e := x.Type.Elem
	return e.IsScalar() || e.IsArray() && e.Elem.IsScalar()
}

func (v *validator) constant(c *Constant, t *Type, x *Variable, depth int) {
	if c.Zero || t.IsVectorOrScalar() {
		return
	}
	if len(c.Elems) != t.ChildCount() || depth > 1000 {
		v.fail("R4", x.Name, "initialiser has %d parts, the type %d", len(c.Elems), t.ChildCount())
	}
	for i, e := range c.Elems {
		ct := t.Child()
		if t.IsStruct() {
			ct = t.Fields[i].Type
		}
		v.constant(e, ct, x, depth+1)
	}
}

func (v *validator) function(f *Function) {
	impl := f.Impl
	v.impl = impl
	for _, x := range impl.Locals {
		if x.Mode != ModeFunctionTemp {
			v.fail("R1", x.Name, "local variable of mode %s", x.Mode)
		}
		v.variable(x)
	}
	if !impl.Structured {
		v.fail("B7", f.Name, "unstructured function: there is no goto, so edges follow from the tree")
	}
	v.tree(&impl.Body, nil)
	if !impl.End.Empty() || impl.End.list != nil || impl.End.Succ != [2]*Block{} {
		v.fail("B4", f.Name, "the end block has instructions, successors or a place in the tree")
	}
	v.edges()
	claimed := impl.valid
	v.metadata(claimed)
	impl.valid &^= MetaBlockIndex | MetaDominance | MetaInstrIndex
	impl.Require(MetaDominance | MetaInstrIndex)
	v.seen = make([]bool, impl.NumDefs)
	v.uses = 0
	listed := 0
	for b := range impl.Blocks() {
		listed += v.block(b)
	}
	impl.valid = claimed
	if listed != v.uses {
		v.fail("V3", f.Name, "%d sources, but use lists have %d", v.uses, listed)
	}
}

// metadata compares what is claimed valid with what is true (rule M1).
func (v *validator) metadata(claimed Metadata) {
	impl := v.impl
	if claimed&MetaBlockIndex != 0 {
		n := uint32(0)
		for b := range impl.Blocks() {
			if b.Index != n {
				v.fail("M1", v.impl.Fn.Name, "block_index claimed valid, but is not")
			}
			n++
		}
	}
	if claimed&MetaInstrIndex != 0 {
		v.instrIndex()
	}
	if claimed&MetaDominance == 0 {
		return
	}
	type old struct{ b, idom *Block }
	var was []old
	for b := range impl.Blocks() {
		was = append(was, old{b, b.idom})
	}
	impl.indexBlocks()
	impl.computeDominance()
	for _, o := range was {
		if o.b.idom != o.idom {
			v.fail("M1", v.impl.Fn.Name, "dominance claimed valid, but is not")
		}
	}
}

// instrIndex checks that instruction numbers increase; a removal may have left gaps.
func (v *validator) instrIndex() {
	last := uint32(0)
	for b := range v.impl.Blocks() {
		ok := b.StartIP >= last
		last = b.StartIP
		for in := b.first; in != nil; in = in.next {
			ok = ok && in.Index > last
			last = in.Index
		}
		if !ok || b.EndIP <= last {
			v.fail("M1", v.impl.Fn.Name, "instr_index claimed valid, but is not")
		}
		last = b.EndIP
	}
}

// tree checks the structure of a list: B1, B2, B6.
func (v *validator) tree(l *List, owner Node) {
	name := v.impl.Fn.Name
	if v.depth++; v.depth > 100000 {
		v.fail("B1", name, "control flow nests too deep, or is circular")
	}
	defer func() { v.depth-- }()
	if l.owner != owner || l.impl != v.impl {
		v.fail("B1", name, "list does not know its owner")
	}
	if l.Empty() {
		v.fail("B6", name, "empty list")
	}
	var prev Node
	wantBlock := true
	for n := l.head; n != nil; n = n.cf().next {
		if n.cf().list != l || n.cf().prev != prev {
			v.fail("B1", name, "node has wrong links")
		}
		switch x := n.(type) {
		case *Block:
			if !wantBlock {
				v.fail("B2", name, "two blocks in a row")
			}
			if x.impl != v.impl {
				v.fail("B1", name, "block of another function")
			}
		case *If:
			v.notBlock(wantBlock)
			v.tree(&x.Then, x)
			v.tree(&x.Else, x)
		case *Loop:
			v.notBlock(wantBlock)
			v.tree(&x.Body, x)
			if !x.Continue.Empty() {
				v.tree(&x.Continue, x)
			}
		}
		_, isBlock := n.(*Block)
		wantBlock = !isBlock
		prev = n
	}
	if l.tail != prev {
		v.fail("B1", name, "list has a wrong end")
	}
	if wantBlock {
		v.fail("B6", name, "list does not end in a block")
	}
}

func (v *validator) notBlock(wantBlock bool) {
	if wantBlock {
		v.fail("B2", v.impl.Fn.Name, "an if or loop is first in its list, or follows another")
	}
}

// edges checks B3 and B4: successors as the tree says, predecessors their inverse.
func (v *validator) edges() {
	impl := v.impl
	name := impl.Fn.Name
	if len(impl.Start().Preds) != 0 {
		v.fail("B4", name, "the start block has predecessors")
	}
	links := 0
	for b := range impl.Blocks() {
		if b.Succ != b.successors() {
			v.fail("B3", name, "a block's successors are not what its place in the tree says")
		}
		if b.Succ[0] == b.Succ[1] && b.Succ[0] != nil {
			v.fail("B3", name, "duplicate edge")
		}
		for _, s := range b.Succ {
			if s != nil {
				links++
				if !s.HasPred(b) {
					v.fail("B3", name, "a successor lacks its predecessor")
				}
			}
		}
	}
	for b := range impl.Blocks() {
		links -= len(b.Preds)
	}
	if links != len(impl.End.Preds) {
		v.fail("B3", name, "predecessors are not the inverse of successors")
	}
}

// block checks the instructions of b and returns how many uses the values
// defined in it have listed.
func (v *validator) block(b *Block) (listed int) {
	phisDone := false
	var prev *Instr
	for in := b.first; in != nil; in = in.next {
		if in.Block != b || in.prev != prev {
			v.fail("V5", v.impl.Fn.Name, "instruction with wrong links in a block")
		}
		prev = in
		if in.Kind == KindPhi {
			v.check(!phisDone, "P1", in, "phi after another instruction")
		} else {
			phisDone = true
		}
		if in.Kind == KindJump {
			v.jump(in)
		}
		v.srcs(in)
		if in.HasDef() || in.Kind != KindIntrinsic && definesValue(in) {
			listed += v.def(in, &in.Def)
		}
		v.instr(in)
		if in.Kind == KindParallelCopy {
			for i := range in.CopyInfo().Entries {
				if e := &in.CopyInfo().Entries[i]; e.DstReg == nil {
					listed += v.def(in, &e.Dst)
				}
			}
		}
	}
	if b.last != prev {
		v.fail("V5", v.impl.Fn.Name, "block with a wrong end")
	}
	if i := b.FollowingIf(); i != nil {
		v.ifCond(b, i)
	}
	return listed
}

func (v *validator) ifCond(b *Block, i *If) {
	c := i.Cond.Def
	if c == nil || i.Cond.If != i {
		v.fail("V3", v.impl.Fn.Name, "condition of an if without value or owner")
	}
	v.uses++
	if c.Instr == nil || c.Instr.Block == nil || c.Instr.Block.impl != v.impl {
		v.fail("V3", v.impl.Fn.Name, "condition of an if comes from outside the function")
	}
	if c.NumComponents != 1 || c.BitSize > 32 {
		v.fail("B5", PrintInstr(c.Instr), "condition of %dx%d", c.BitSize, c.NumComponents)
	}
	v.number(c.Instr, c)
	if !c.Instr.Block.Dominates(b) {
		v.fail("V4", PrintInstr(c.Instr), "value does not dominate the if that it is the condition of")
	}
}

// definesValue reports whether an instruction such as in always has a result.
func definesValue(in *Instr) bool {
	switch in.Kind {
	case KindIntrinsic:
		return int(in.Intr) < NumIntrinsics && in.Intr.Info().HasDest
	case KindJump, KindCall, KindParallelCopy:
		return false
	}
	return true
}

func validComps(n uint8) bool { return n >= 1 && n <= 5 || n == 8 || n == 16 }

func validBits(n uint8) bool { return n == 1 || n == 8 || n == 16 || n == 32 || n == 64 }

func (v *validator) def(in *Instr, d *Def) (listed int) {
	v.check(d.Instr == in, "V1", in, "value does not name its instruction")
	v.check(validComps(d.NumComponents), "V2", in, "%d components", d.NumComponents)
	v.check(int(d.Index) < len(v.seen) && !v.seen[d.Index], "V1", in, "value number %d is not unique or too large", d.Index)
	v.seen[d.Index] = true
	v.check(validBits(d.BitSize), "V2", in, "bit size %d", d.BitSize)
	for u := d.uses; u != nil; u = u.next {
		listed++
		v.check(u.Def == d, "V3", in, "use list holds a use of another value")
		if u.next != nil {
			v.check(u.next.prev == u, "V3", in, "use list is broken")
		}
		if u.If != nil {
			v.check(&u.If.Cond == u, "V3", in, "use list holds a stray condition")
			continue
		}
		v.check(u.Instr != nil && u.Instr.Block != nil && u.Instr.Block.impl == v.impl && ownsSrc(u.Instr, u), "V3", in, "use list holds a source of no instruction of this function")
	}
	return listed
}

func ownsSrc(in *Instr, u *Src) bool {
	for i := range in.Srcs {
		if &in.Srcs[i] == u {
			return true
		}
	}
	return false
}

func (v *validator) srcs(in *Instr) {
	for i := range in.Srcs {
		s := &in.Srcs[i]
		v.check(s.Def != nil, "V5", in, "source %d is missing", i)
		v.check(s.Instr == in, "V3", in, "source %d belongs to another instruction", i)
		v.uses++
		d := s.Def.Instr
		v.check(d != nil && d.Block != nil && d.Block.impl == v.impl, "V3", in, "source %d comes from outside the function", i)
		if in.Kind == KindPhi {
			continue
		}
		ok := false
		if d.Block == in.Block {
			ok = d.Index < in.Index
		} else {
			ok = d.Block.Dominates(in.Block)
		}
		v.check(ok, "V4", in, "source %d does not dominate its use", i)
	}
}

func (v *validator) jump(in *Instr) {
	v.check(in.next == nil, "J1", in, "jump is not last in its block")
	loop := EnclosingLoop(in.Block)
	switch in.Jump {
	case JumpBreak:
		v.check(loop != nil, "J1", in, "break outside a loop")
	case JumpContinue:
		v.check(loop != nil, "J1", in, "continue outside a loop")
		v.check(!inContinue(in.Block), "J1", in, "continue in a continue list")
	default:
		v.check(!inContinue(in.Block), "J1", in, "%s in a continue list", jumpNames[in.Jump])
	}
}

// inContinue reports whether b is in the continue list of its innermost loop.
func inContinue(b *Block) bool {
	l := b.list
	for l.owner != nil {
		if loop, ok := l.owner.(*Loop); ok {
			return l == &loop.Continue
		}
		l = l.owner.cf().list
	}
	return false
}

func (v *validator) instr(in *Instr) {
	switch in.Kind {
	case KindALU:
		v.alu(in)
	case KindIntrinsic:
		v.intrinsic(in)
	case KindTex:
		v.tex(in)
	case KindDeref:
		v.deref(in)
	case KindLoadConst:
		v.check(len(in.Imm) == int(in.Def.NumComponents), "K1", in, "%d constants for %d components", len(in.Imm), in.Def.NumComponents)
		for _, c := range in.Imm {
			v.check(in.Def.BitSize == 64 || c>>in.Def.BitSize == 0, "K1", in, "unused bits of a constant are not zero")
		}
	case KindPhi:
		v.phi(in)
	case KindCall:
		v.call(in)
	case KindParallelCopy:
		v.parallelCopy(in)
	}
}

// parallelCopy checks the sizes of the copies and that register ends are registers.
func (v *validator) parallelCopy(in *Instr) {
	entries := in.CopyInfo().Entries
	v.check(len(entries) == len(in.Srcs), "P3", in, "%d copies of %d sources", len(entries), len(in.Srcs))
	size := func(d *Def, isReg bool) (comps, bits uint64) {
		if !isReg {
			return uint64(d.NumComponents), uint64(d.BitSize)
		}
		v.check(d.Instr.IsIntrinsic(IntrDeclReg), "I4", in, "register end does not come from decl_reg")
		return d.Instr.Get(IdxNumComponents), d.Instr.Get(IdxBitSize)
	}
	for i := range entries {
		e := &entries[i]
		dst := &e.Dst
		if e.DstReg != nil {
			dst = e.DstReg
		}
		sc, sb := size(in.Srcs[i].Def, e.SrcIsReg)
		dc, db := size(dst, e.DstReg != nil)
		v.check(sc == dc && sb == db, "P3", in, "copy %d is from %dx%d to %dx%d", i, sb, sc, db, dc)
	}
}

func (v *validator) phi(in *Instr) {
	preds := in.PhiInfo().Preds
	v.check(len(preds) == len(in.Srcs), "P2", in, "%d sources from %d predecessors", len(in.Srcs), len(preds))
	v.check(len(preds) == len(in.Block.Preds), "P2", in, "%d sources, but %d predecessors", len(preds), len(in.Block.Preds))
	for i, p := range preds {
		v.check(in.Block.HasPred(p), "P2", in, "source %d comes from a block that is no predecessor", i)
		for _, q := range preds[:i] {
			v.check(p != q, "P2", in, "two sources from one predecessor")
		}
		d := in.Srcs[i].Def
		v.check(d.BitSize == in.Def.BitSize && d.NumComponents == in.Def.NumComponents, "P2", in, "source %d has another size", i)
		v.check(d.Instr.Block.Dominates(p), "V4", in, "source %d does not dominate its predecessor", i)
		if d.Instr.Kind == KindDeref {
			v.check(d.Instr.DerefInfo().Modes&(ModeShaderIn|ModeShaderOut|ModeUniform) == 0, "D7", in, "phi of a deref of inputs, outputs or uniforms")
		}
	}
}

func (v *validator) call(in *Instr) {
	f := in.CallInfo().Callee
	v.check(f != nil && f.Shader == v.s, "C1", in, "callee is no function of this shader")
	v.check(!f.IsPreamble || v.impl.Fn.IsEntry, "F1", in, "the preamble is called from another function than the entry point")
	v.check(len(f.Params) == len(in.Srcs), "C1", in, "%d arguments for %d parameters", len(in.Srcs), len(f.Params))
	for i, q := range f.Params {
		d := in.Srcs[i].Def
		v.check(d.NumComponents == q.NumComponents && d.BitSize == q.BitSize, "C1", in, "argument %d has another size than the parameter", i)
		if a := d.Instr; q.Modes != 0 && a != nil && a.Kind == KindDeref {
			v.check(a.DerefInfo().Modes&q.Modes != 0, "C1", in, "argument %d points to %s, the parameter to %s", i, a.DerefInfo().Modes, q.Modes)
		}
	}
}
