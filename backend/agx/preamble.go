package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/internal/slab"
	"nirc/ir"
	"nirc/ir/optab"
	"nirc/passes/analysis"
)

// preambleBudget is the number of uniform halves that driver values, pushed
// data and preamble results may take together (agx.md §13).
const preambleBudget = 480

// preamble moves what is the same for all invocations into a program of its
// own, which runs once before the shader and leaves its results in uniform registers.
type preamble struct {
	s    *ir.Shader
	impl *ir.Impl
	uni  *uniforms
	// can[d.Index]: the value is the same everywhere and may be computed early;
	// free: it costs the shader nothing where it is.
	can, free []bool
	pre       *ir.Shader
	b         *ir.Builder
	copies    []*ir.Def // by index: the value in the preamble
	moved     []movedValue
	ends      bool // the shader may have ended before what is classified now
	chosen    bool // what an if chose has moved
}

// movedValue is a value that the preamble leaves in uniform registers.
type movedValue struct {
	in    *ir.Instr
	bits  uint8
	place []uint32 // of each component
}

// formPreamble returns the preamble's shader, or nil if there is nothing to move, and whether ifs may be left that choose nothing.
func formPreamble(s *ir.Shader, impl *ir.Impl, u *uniforms, m *memory) (pre *ir.Shader, chosen bool) {
	p := &preamble{s: s, impl: impl, uni: u}
	list := p.classifyAll(m)
	if p.negateFactors() {
		list = p.classifyAll(m)
	}
	for _, in := range list {
		if p.leaves(&in.Def) {
			p.move(in)
		}
	}
	m.moved = p.moved
	if len(p.moved) == 0 {
		return nil, false
	}
	p.fill(m)
	for i := range p.moved {
		p.moved[i].replace()
	}
	sweep(impl)
	impl.Preserve(ir.MetaControlFlow)
	return p.pre, p.chosen
}

// classifyAll classifies the values in their order, and lists those that are worth moving.
func (p *preamble) classifyAll(m *memory) []*ir.Instr {
	n := int(p.impl.NumDefs)
	m.can, m.free, m.copies = slab.Zeroed(m.can, n), slab.Zeroed(m.free, n), slab.Zeroed(m.copies, n)
	p.can, p.free, p.copies, p.moved, p.ends = m.can, m.free, m.copies, m.moved[:0], false
	list := m.list[:0]
	for b := range p.impl.Blocks() {
		for in := range b.Instrs() {
			if in.HasDef() {
				if p.classify(in); p.can[in.Def.Index] && !p.free[in.Def.Index] {
					list = append(list, in)
				}
			} else {
				p.ends = p.ends || endsInvocation(in)
			}
		}
	}
	m.list = list
	return list
}

// endsInvocation reports whether an instruction may end some invocations.
func endsInvocation(in *ir.Instr) bool {
	if in.Kind == ir.KindJump {
		return in.Jump == ir.JumpHalt || in.Jump == ir.JumpReturn
	}
	return in.IsIntrinsic(ir.IntrTerminate) || in.IsIntrinsic(ir.IntrTerminateIf) || in.IsIntrinsic(ir.IntrDemote) || in.IsIntrinsic(ir.IntrDemoteIf)
}

// classify finds out whether a value can be computed in the preamble.
func (p *preamble) classify(in *ir.Instr) {
	d := &in.Def
	switch in.Kind {
	case ir.KindLoadConst, ir.KindUndef:
		p.can[d.Index], p.free[d.Index] = true, true
		return
	case ir.KindALU:
		if d.BitSize == 64 && !movesWide(in) || d.BitSize == 8 {
			return
		}
		free := in.IsVec() || in.Op == ir.OpMov
		for i := range in.Srcs {
			x := in.Srcs[i].Def
			if !p.can[x.Index] {
				return
			}
			free = free && p.free[x.Index]
		}
		p.can[d.Index], p.free[d.Index] = true, free || isFree(in.Op)
	case ir.KindIntrinsic:
		p.intrinsic(in)
	case ir.KindDeref:
		k := in.Deref == ir.DerefVar || in.Deref == ir.DerefArray
		p.can[d.Index] = k && p.allCan(in)
		p.free[d.Index] = true
	case ir.KindPhi:
		x := backend.Chooser(in)
		p.can[d.Index] = x != nil && p.can[x.Cond.Def.Index] && p.allCan(in) && d.NumComponents == 1 && (d.BitSize == 16 || d.BitSize == 32)
	case ir.KindTex:
		switch in.TexOp {
		case ir.TexOpTxs, ir.TexOpQueryLevels, ir.TexOpTextureSamples:
			p.can[d.Index] = d.BitSize == 32 && p.allCan(in)
		default:
			p.can[d.Index] = p.movesTexture(in)
		}
	}
}

// isConstantLoad reports whether a load gives the same all the time that the shader runs.
func isConstantLoad(in *ir.Instr) bool {
	const want, not = ir.AccessNonWriteable | ir.AccessCanReorder, ir.AccessVolatile | ir.AccessCoherent
	a := ir.Access(in.Get(ir.IdxAccess))
	return a&want == want && a&not == 0
}

func (p *preamble) allCan(in *ir.Instr) bool {
	for i := range in.Srcs {
		if !p.can[in.Srcs[i].Def.Index] {
			return false
		}
	}
	return true
}

// movesWide reports whether an operation with a 64-bit result is one of addresses.
func movesWide(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpIadd, ir.OpIsub, ir.OpIleaAgx, ir.OpUleaAgx, ir.OpImul2x32_64, ir.OpUmul2x32_64, ir.OpPack64_2x32Split:
		return in.Def.NumComponents == 1
	}
	return false
}

// isFree lists operations that operands or register allocation absorb, where
// their sources are uniform.
func isFree(op ir.Op) bool {
	switch op {
	case ir.OpFneg, ir.OpFabs, ir.OpUnpack32_2x16SplitX, ir.OpUnpack32_2x16SplitY, ir.OpPack64_2x32Split,
		ir.OpUnpack64_2x32SplitX, ir.OpUnpack64_2x32SplitY:
		return true
	}
	return false
}

func (p *preamble) intrinsic(in *ir.Instr) {
	d := &in.Def
	if isGuarded(in) && (p.ends || !analysis.UnderIfs(in.Block, p.can)) {
		return
	}
	switch in.Intr {
	case ir.IntrLoadSsbo:
		p.can[d.Index] = (d.BitSize == 32 || d.BitSize == 16) && isConstantLoad(in) && p.allCan(in)
	case ir.IntrLoadConstantAgx:
		base := in.Srcs[0].Def.Instr // of the tables that drivers write, this one alone has indices that may be the same for all
		p.can[d.Index] = base.IsIntrinsic(ir.IntrLoadSysvalAgx) && base.Get(ir.IdxFlags) == uint64(abi.UniformSamplerBiases) && p.allCan(in)
	case ir.IntrLoadUbo, ir.IntrLoadPushConstant, ir.IntrLoadConstant, ir.IntrGetSsboSize, ir.IntrGetUboSize:
		free := true
		for i := range in.Srcs {
			x := in.Srcs[i].Def
			if !p.can[x.Index] {
				return
			}
			free = free && x.IsConst() && in.Intr != ir.IntrLoadConstant
		}
		p.can[d.Index], p.free[d.Index] = d.BitSize == 32 || d.BitSize == 16, free
	case ir.IntrImageDerefSize, ir.IntrImageDerefLevels, ir.IntrImageDerefSamples:
		p.can[d.Index] = d.BitSize == 32 && p.allCan(in)
	case ir.IntrLoadNumWorkgroups, ir.IntrLoadBaseWorkgroupId, ir.IntrLoadFirstVertex, ir.IntrLoadBaseVertex, ir.IntrLoadBaseInstance,
		ir.IntrLoadDrawId, ir.IntrLoadIsIndexedDraw, ir.IntrLoadSubgroupSize, ir.IntrLoadNumSubgroups, ir.IntrLoadWorkgroupSize:
		p.can[d.Index], p.free[d.Index] = d.BitSize == 32, true
	case ir.IntrLoadSysvalAgx:
		p.can[d.Index], p.free[d.Index] = true, true
	}
}

// leaves reports whether the shader itself uses a value.
func (p *preamble) leaves(d *ir.Def) bool {
	for u := range d.Uses() {
		if u.Instr == nil || !u.Instr.HasDef() || int(u.Instr.Def.Index) >= len(p.can) || !p.can[u.Instr.Def.Index] {
			return true
		}
		// A vector of it is free only if something reads the vector.
		if p.free[u.Instr.Def.Index] && p.leaves(&u.Instr.Def) {
			return true
		}
	}
	return false
}

// move notes that the preamble leaves in's components, if there is room for them.
func (p *preamble) move(in *ir.Instr) {
	m := movedValue{in: in, bits: max(16, in.Def.BitSize)}
	for range in.Def.NumComponents {
		u, ok := p.room(int(m.bits))
		if !ok {
			return
		}
		m.place = append(m.place, u)
	}
	p.moved = append(p.moved, m)
}

// room finds uniform registers for a value.
func (p *preamble) room(bits int) (uint32, bool) {
	if bits == 64 {
		return p.uni.base()
	}
	return p.uni.result(bits)
}

func (p *preamble) store(x *ir.Def, u uint32) {
	p.b.Intrinsic(ir.IntrStorePreamble, 0, 0, x).Set(ir.IdxBase, uint64(u))
}

// replace makes the shader read the value from uniform registers.
func (m *movedValue) replace() {
	at := ir.Before(m.in)
	if m.in.Kind == ir.KindPhi {
		at = ir.AfterPhis(m.in.Block)
	}
	b := ir.NewBuilder(at).AtInstr(m.in)
	b.Cursor = at
	comps := make([]*ir.Def, len(m.place))
	for c, u := range m.place {
		if m.bits == 64 {
			comps[c] = b.Pack64_2x32Split(loadPreamble(b, 32, u), loadPreamble(b, 32, u+2))
			continue
		}
		comps[c] = loadPreamble(b, m.bits, u)
		if m.in.Def.BitSize == 1 {
			comps[c] = b.Ine(comps[c], b.ImmInt(0, 16))
		}
	}
	r := comps[0]
	if len(comps) > 1 {
		r = b.Vec(comps...)
	}
	m.in.Def.RewriteUses(r)
}

func loadPreamble(b *ir.Builder, bits uint8, u uint32) *ir.Def {
	return &b.Intrinsic(ir.IntrLoadPreamble, 1, bits).Set(ir.IdxBase, uint64(u)).Def
}

// start makes the preamble's shader, which has what code generation asks of it.
func (p *preamble) start() {
	p.pre = newPreamble(p.s)
	p.b = ir.NewBuilder(ir.AtEnd(p.pre.Entry().Impl.Start()))
}

// newPreamble makes an empty preamble of a shader.
func newPreamble(s *ir.Shader) *ir.Shader {
	pre := ir.NewShader(ir.StageCompute, s.Options)
	pre.Name, pre.Info, pre.ConstantData = s.Name+".preamble", s.Info, s.ConstantData
	pre.Locs, pre.Files, pre.Funcs, pre.Names = s.Locs, s.Files, s.Funcs, s.Names
	pre.NewFunction("main").IsEntry = true
	return pre
}

// copy makes a value in the preamble, of the copies of its sources.
func (p *preamble) copy(in *ir.Instr) *ir.Def {
	srcs := make([]*ir.Def, len(in.Srcs))
	for i := range srcs {
		srcs[i] = p.copies[in.Srcs[i].Def.Index]
	}
	var c *ir.Instr
	switch in.Kind {
	case ir.KindLoadConst:
		c = p.pre.NewConst(in.Def.BitSize, in.Imm...)
	case ir.KindUndef:
		c = p.pre.NewUndef(in.Def.NumComponents, in.Def.BitSize)
	case ir.KindALU:
		c = p.pre.NewALU(in.Op, in.Def.NumComponents, in.Def.BitSize, srcs...)
		c.Exact, c.FastMath, c.NoSignedWrap, c.NoUnsignedWrap = in.Exact, in.FastMath, in.NoSignedWrap, in.NoUnsignedWrap
		for i := range c.Srcs {
			c.Srcs[i].Swizzle = in.Srcs[i].Swizzle
		}
	case ir.KindDeref:
		c = p.pre.NewDeref(in.Deref, *in.DerefInfo(), in.Def.NumComponents, in.Def.BitSize, srcs...)
	case ir.KindTex:
		c = p.pre.NewTex(in.TexOp, in.Def.NumComponents, in.Def.BitSize)
		kinds := in.TexInfo().SrcKinds
		*c.TexInfo() = *in.TexInfo()
		c.TexInfo().SrcKinds = nil
		for i, k := range kinds {
			p.pre.AddTexSrc(c, k, srcs[i])
		}
		p.withoutDerivatives(c)
	default:
		c = p.pre.NewIntrinsic(in.Intr, in.Def.NumComponents, in.Def.BitSize, srcs...).CopyIndices(in)
		c.NumComponents = in.NumComponents
	}
	c.Loc = in.Loc
	p.b.Insert(c)
	return &c.Def
}

// sweep removes values that nothing uses any more.
func sweep(impl *ir.Impl) {
	for again := true; again; {
		again = false
		for b := range impl.BlocksReverse() {
			for in := range b.InstrsReverse() {
				if in.HasDef() && in.Def.Unused() && eliminable(in) {
					in.Remove()
					again = true
				}
			}
		}
	}
}

func eliminable(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindALU, ir.KindLoadConst, ir.KindUndef, ir.KindPhi, ir.KindDeref, ir.KindTex:
		return true
	case ir.KindIntrinsic:
		return in.Intr.Info().Flags&optab.CanEliminate != 0
	}
	return false
}
