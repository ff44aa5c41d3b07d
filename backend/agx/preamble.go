package agx

import (
	"nirc/backend/agx/abi"
	"nirc/backend/layout"
	"nirc/internal/slab"
	"nirc/ir"
	"nirc/ir/optab"
	"nirc/passes"
)

// preambleBudget is the number of uniform halves that driver values, pushed
// data and preamble results may take together (agx.md §13).
const preambleBudget = 480

// preamble moves what is the same for all invocations into a program of its
// own, which runs once before the shader and leaves its results in uniform registers.
type preamble struct {
	passes.Preamble
	s     *ir.Shader
	impl  *ir.Impl
	uni   *uniforms
	res   *resources
	crowd crowd
	// layout is the pipeline's, nil where there is none.
	layout *layout.Layout
	// biasWords is the size of the table of samplers' biases.
	biasWords uint32
	// places are the uniforms of components of values, first, by the value's index, where its own begin.
	places []uint32
	first  []int32
}

// formPreamble returns the preamble's shader, or nil if there is nothing to move, and whether ifs may be left that choose nothing.
func formPreamble(s *ir.Shader, impl *ir.Impl, res *resources, u *uniforms, p *preamble, l *layout.Layout) (pre *ir.Shader, chosen bool) {
	p.layout = l
	p.s, p.impl, p.uni, p.res, p.biasWords, p.BothSides = s, impl, u, res, res.biasWords(), maxBothSides
	p.Condition, p.Crowded = nil, p.findWishes
	if s.Stage == ir.StageCompute && !faults.has(faultEmptyDispatch) {
		p.Condition = anyWorkgroup
	}
	defer p.forget()
	p.Classify(impl, p)
	if p.negateFactors() {
		p.crowd.scalars = 0
		p.Classify(impl, p)
	}
	// What constants may want besides is room that results have no claim to.
	p.Room = min(u.resultRoom(), u.resultRoom()+uniformHalves-preambleBudget-2*p.crowd.scalars)
	p.places, p.first = p.places[:0], slab.Resized(p.first, int(impl.NumDefs))
	found := p.Choose()
	p.grant(1, 1) // what is left saves more than one instruction, or is left to selection
	if !found {
		return nil, false
	}
	pre = newPreamble(s)
	chosen = p.Form(pre.Entry().Impl, p)
	sweep(impl)
	impl.Preserve(ir.MetaControlFlow)
	return pre, chosen
}

// anyWorkgroup is that the dispatch has workgroups: nobody knows whether hardware runs the preamble of one without any, of which
// neither indices nor pointers need be good (agx.md §11.1).
func anyWorkgroup(b *ir.Builder) *ir.Def {
	n := &b.Intrinsic(ir.IntrLoadNumWorkgroups, 3, 32).Def
	least := b.Umin(b.Umin(b.Channel(n, 0), b.Channel(n, 1)), b.Channel(n, 2))
	return b.Ine(least, b.Imm32(0))
}

// forget lets go of the shader.
func (p *preamble) forget() {
	p.Forget()
	p.crowd.forget()
	p.s, p.impl, p.uni, p.res, p.layout = nil, nil, nil, nil, nil
}

// What an instruction of the preamble costs, to decide whether an if stays one there, and what has room (agx.md §13).
const (
	costALU     = 1
	costLoad    = 10
	costTexture = 20
	// maxBothSides is what both sides of an if may cost without a branch around them.
	maxBothSides = 64
)

// Cost is what an instruction costs.
func (p *preamble) Cost(in *ir.Instr) int32 {
	switch in.Kind {
	case ir.KindALU, ir.KindPhi:
		return costALU
	case ir.KindTex:
		return costTexture
	case ir.KindIntrinsic:
		switch in.Intr {
		case ir.IntrLoadSsbo, ir.IntrLoadUbo, ir.IntrLoadGlobal, ir.IntrLoadConstant, ir.IntrLoadConstantAgx:
			return costLoad
		}
	}
	return 0
}

// Guarded reports whether in reads by an index or a pointer that may be good only where it stands.
func (p *preamble) Guarded(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindIntrinsic:
		switch in.Intr {
		case ir.IntrLoadConstant, ir.IntrLoadSsbo, ir.IntrLoadGlobal, ir.IntrLoadConstantAgx:
			return true
		}
		return chosenByIndex(in)
	case ir.KindTex:
		return p.partiallyBound(in) || isFetch(in) && !fetchesBase(in) || chosenByIndex(in)
	}
	return false
}

// Moves finds out whether a value can be computed in the preamble.
func (p *preamble) Moves(_ *passes.Preamble, in *ir.Instr) bool {
	d := &in.Def
	switch in.Kind {
	case ir.KindLoadConst:
		p.crowd.scalars += int(d.NumComponents)
		return true
	case ir.KindUndef:
		return true
	case ir.KindALU:
		return d.BitSize != 8 && (d.BitSize != 64 || movesWide(in))
	case ir.KindIntrinsic:
		return p.intrinsic(in) && p.goodEarly(in)
	case ir.KindDeref:
		return in.Deref == ir.DerefVar || in.Deref == ir.DerefArray
	case ir.KindPhi:
		return d.NumComponents == 1 && (d.BitSize == 16 || d.BitSize == 32)
	case ir.KindTex:
		switch in.TexOp {
		case ir.TexOpTxs, ir.TexOpQueryLevels, ir.TexOpTextureSamples:
			return d.BitSize == 32 && p.goodEarly(in)
		}
		return movesTexture(in) && p.goodEarly(in)
	}
	return false
}

// Free reports whether the shader has a value in uniform registers anyway, in an operand or by register allocation.
func (p *preamble) Free(_ *passes.Preamble, in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindLoadConst, ir.KindUndef, ir.KindDeref:
		return true
	case ir.KindALU:
		return isFree(in.Op) || (in.IsVec() || in.Op == ir.OpMov) && p.FromFree(in)
	case ir.KindIntrinsic:
		return freeIntrinsic(in)
	}
	return false
}

// isConstantLoad reports whether a load gives the same all the time that the shader runs.
func isConstantLoad(in *ir.Instr) bool {
	const want, not = ir.AccessNonWriteable | ir.AccessCanReorder, ir.AccessVolatile | ir.AccessCoherent
	a := ir.Access(in.Get(ir.IdxAccess))
	return a&want == want && a&not == 0
}

// isEarlyLoad reports whether a load reads what was there when the shader began: it is by a pointer or a variable that is only
// read, and comes before all that the invocation writes and waits for. What other invocations
// write there meanwhile is a race.
func (p *preamble) isEarlyLoad(in *ir.Instr) bool {
	a := ir.Access(in.Get(ir.IdxAccess))
	return !p.Wrote() && a&ir.AccessNonWriteable != 0 && a&(ir.AccessVolatile|ir.AccessCoherent) == 0
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

func (p *preamble) intrinsic(in *ir.Instr) bool {
	d := &in.Def
	switch in.Intr {
	case ir.IntrLoadSsbo:
		return (d.BitSize == 32 || d.BitSize == 16) && (isConstantLoad(in) || p.isEarlyLoad(in))
	case ir.IntrLoadGlobal: // in a draw that shades nothing a pointer need not be good
		return (p.s.Stage == ir.StageCompute || !p.s.Options.HardFaults) && (d.BitSize == 32 || d.BitSize == 16) && p.isEarlyLoad(in)
	case ir.IntrLoadConstantAgx:
		base := in.Srcs[0].Def.Instr // of the tables that drivers write, this one alone has indices that may be the same for all
		return base.IsIntrinsic(ir.IntrLoadSysvalAgx) && base.Get(ir.IdxFlags) == uint64(abi.UniformSamplerBiases)
	case ir.IntrLoadUbo, ir.IntrLoadPushConstant, ir.IntrLoadConstant, ir.IntrGetSsboSize, ir.IntrGetUboSize:
		return d.BitSize == 32 || d.BitSize == 16
	case ir.IntrImageDerefSize, ir.IntrImageDerefLevels, ir.IntrImageDerefSamples:
		return d.BitSize == 32
	case ir.IntrLoadSysvalAgx:
		return true
	}
	return isDriverValue(in) && d.BitSize == 32
}

// freeIntrinsic reports whether what an intrinsic reads is in uniform registers: values of the driver's, and what is pushed.
func freeIntrinsic(in *ir.Instr) bool {
	switch in.Intr {
	case ir.IntrLoadUbo, ir.IntrLoadPushConstant, ir.IntrGetSsboSize, ir.IntrGetUboSize:
		for i := range in.Srcs {
			if !in.Srcs[i].Def.IsConst() {
				return false
			}
		}
		return true
	case ir.IntrLoadSysvalAgx:
		return true
	}
	return isDriverValue(in)
}

// isDriverValue reports whether in reads what the driver knows of a draw or dispatch; programs run once a view, and so do their preambles.
func isDriverValue(in *ir.Instr) bool {
	switch in.Intr {
	case ir.IntrLoadNumWorkgroups, ir.IntrLoadBaseWorkgroupId, ir.IntrLoadFirstVertex, ir.IntrLoadBaseVertex, ir.IntrLoadBaseInstance,
		ir.IntrLoadDrawId, ir.IntrLoadViewIndex, ir.IntrLoadIsIndexedDraw, ir.IntrLoadSubgroupSize, ir.IntrLoadNumSubgroups, ir.IntrLoadWorkgroupSize:
		return true
	}
	return false
}

// There reports nothing: no guarded instruction moves out of ifs that stay.
func (p *preamble) There(*ir.Instr) bool { return false }

// Size counts the halves of uniform registers that a value takes: each component begins at a word.
func (p *preamble) Size(d *ir.Def) int { return int(d.NumComponents) * max(2, int(d.BitSize)/16) }

// Place finds uniform registers for a value.
func (p *preamble) Place(in *ir.Instr) bool {
	p.grant(p.Gain(&in.Def), int32(p.Size(&in.Def)))
	first := len(p.places)
	for range in.Def.NumComponents {
		u, ok := p.room(int(bitsOf(&in.Def)))
		if !ok {
			return false
		}
		p.places = append(p.places, u)
	}
	p.first[in.Def.Index] = int32(first)
	return true
}

// bitsOf is the size of a component in uniform registers.
func bitsOf(d *ir.Def) uint8 { return max(16, d.BitSize) }

// room finds uniform registers for a component.
func (p *preamble) room(bits int) (uint32, bool) {
	if bits == 64 {
		return p.uni.base()
	}
	return p.uni.result(bits)
}

// place is where a component of a value was put.
func (p *preamble) place(d *ir.Def, k int) uint32 { return p.places[int(p.first[d.Index])+k] }

// Store leaves a value in its uniform registers.
func (p *preamble) Store(b *ir.Builder, in *ir.Instr, v *ir.Def) {
	for k := range int(in.Def.NumComponents) {
		x, u := b.Channel(v, k), p.place(&in.Def, k)
		switch in.Def.BitSize {
		case 1:
			x = b.B2i16(x)
		case 64:
			store(b, b.Unpack64_2x32SplitY(x), u+2)
			x = b.Unpack64_2x32SplitX(x)
		}
		store(b, x, u)
	}
}

func store(b *ir.Builder, x *ir.Def, u uint32) {
	b.Effect(ir.IntrStorePreamble, x).Set(ir.IdxBase, uint64(u))
}

// Load makes the shader read a value from uniform registers.
func (p *preamble) Load(b *ir.Builder, in *ir.Instr) *ir.Def {
	comps := make([]*ir.Def, in.Def.NumComponents)
	for c := range comps {
		u := p.place(&in.Def, c)
		if in.Def.BitSize == 64 {
			comps[c] = b.Pack64_2x32Split(loadPreamble(b, 32, u), loadPreamble(b, 32, u+2))
			continue
		}
		comps[c] = loadPreamble(b, bitsOf(&in.Def), u)
		if in.Def.BitSize == 1 {
			comps[c] = b.Ine(comps[c], b.ImmInt(0, 16))
		}
	}
	return b.Vec(comps...)
}

func loadPreamble(b *ir.Builder, bits uint8, u uint32) *ir.Def {
	return &b.Intrinsic(ir.IntrLoadPreamble, 1, bits).Set(ir.IdxBase, uint64(u)).Def
}

// newPreamble makes an empty preamble of a shader.
func newPreamble(s *ir.Shader) *ir.Shader {
	pre := ir.NewShader(ir.StageCompute, s.Options)
	pre.Name, pre.Info, pre.ConstantData = s.Name+".preamble", s.Info, s.ConstantData
	pre.Locs, pre.Files, pre.Funcs, pre.Names = s.Locs, s.Files, s.Funcs, s.Names
	pre.NewFunction("main").IsEntry = true
	return pre
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
