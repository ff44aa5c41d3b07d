package passes

import (
	"fmt"

	"nirc/ir"
)

var lowerAtomicsPass = &Pass{
	Name: "lower_atomics", For: ir.HasAtomic, Class: "A", Run: lowerAtomics, Idempotent: true,
	Doc: "Writes atomics on floats as loops: load, compute, compare and exchange until nothing came between. Input: explicit buffer, shared and global atomics of 32 bits, " +
		"and those on images, whose operation is fadd, fmin or fmax. Helpers of fragment shaders, who exchange nothing, are kept out by is_helper_invocation. " +
		"Other sizes and operations stay.",
	Options: []Option{{"exchanges", "of 64 bits, all operations of buffers, global memory and images other than exchanges: for hardware whose 64-bit atomics do nothing else", false},
		{"wide", "of 64 bits, atomics on floats in memory, and signed minima and maxima of buffers, global memory and images: for hardware whose 64-bit atomics are unsigned", false}},
}

func lowerAtomics(c *Context, s *ir.Shader) (bool, error) {
	wide, exchanges := c.Bool("wide"), c.Bool("exchanges")
	return eachImpl(s, ir.MetaNone, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool {
			_, ok := loopedAtomic(in, wide, exchanges)
			return ok
		})
		for _, in := range list {
			op, _ := loopedAtomic(in, wide, exchanges)
			loopAtomic(in, op)
		}
		return len(list) > 0
	}), nil
}

// loopedAtomic is the operation of an atomic that becomes a loop, false if it
// stays: of integers those of 64 bits, in workgroup memory none.
func loopedAtomic(in *ir.Instr, wide, exchanges bool) (ir.Op, bool) {
	if swapOf(in.Intr) == 0 {
		return 0, false
	}
	op, ok := reducedBy(ir.AtomicOp(in.Get(ir.IdxAtomicOp)), true)
	if !ok {
		return 0, false
	}
	long := in.Def.BitSize == 64
	switch op {
	case ir.OpFadd, ir.OpFmin, ir.OpFmax:
		return op, in.Def.BitSize == 32 || long && (wide || exchanges)
	case ir.OpImin, ir.OpImax:
		ok = long && (wide || exchanges)
	default:
		ok = long && exchanges
	}
	return op, ok && in.Intr != ir.IntrSharedAtomic
}

// swapOf is the compare and exchange at the kind of place that an atomic has, 0
// of what is none.
func swapOf(i ir.Intrinsic) ir.Intrinsic {
	switch i {
	case ir.IntrSsboAtomic:
		return ir.IntrSsboAtomicSwap
	case ir.IntrSharedAtomic:
		return ir.IntrSharedAtomicSwap
	case ir.IntrGlobalAtomic:
		return ir.IntrGlobalAtomicSwap
	case ir.IntrGlobalAtomic2x32:
		return ir.IntrGlobalAtomicSwap2x32
	case ir.IntrImageDerefAtomic:
		return ir.IntrImageDerefAtomicSwap
	case ir.IntrImageAtomic:
		return ir.IntrImageAtomicSwap
	case ir.IntrBindlessImageAtomic:
		return ir.IntrBindlessImageAtomicSwap
	}
	return 0
}

// loopAtomic replaces one atomic. What it gives back is the value that
// its exchange met, which is what was computed with.
func loopAtomic(in *ir.Instr, op ir.Op) {
	b := builderBefore(in)
	var guard *ir.If
	if b.Shader.Stage == ir.StageFragment {
		guard = b.PushIf(b.Inot(&b.Intrinsic(ir.IntrIsHelperInvocation, 1, 1).Def))
	}
	first := loadAtomic(b, in)
	pre := b.Cursor.Block
	loop := b.PushLoop()
	phi := b.Shader.NewPhi(1, in.Def.BitSize)
	b.Insert(phi)
	b.Shader.AddPhiSrc(phi, pre, first)
	old := &phi.Def
	sum := b.ALU(op, old, in.Srcs[len(in.Srcs)-1].Def)
	sum.Instr.Exact = true
	met := exchange(b, in, old, sum)
	done := b.PushIf(b.Ieq(met, old))
	b.Jump(ir.JumpBreak)
	b.PopIf(done)
	b.Shader.AddPhiSrc(phi, b.Cursor.Block, met)
	b.PopLoop(loop)
	if guard != nil {
		b.PopIf(guard)
	}
	if !in.Def.Unused() {
		if guard != nil {
			met = b.IfPhi(guard, met, undefAtStart(b.Impl, 1, in.Def.BitSize))
		}
		in.Def.RewriteUses(met)
	}
	in.Remove()
}

// exchange puts sum where in's place still holds old, and returns what it held.
// It goes by bits: to it, the texels of an image are integers.
func exchange(b *ir.Builder, in *ir.Instr, old, sum *ir.Def) *ir.Def {
	var srcs [5]*ir.Def
	n := len(in.Srcs) - 1
	for i := range n {
		srcs[i] = in.Srcs[i].Def
	}
	srcs[n], srcs[n+1] = old, sum
	swap := b.Intrinsic(swapOf(in.Intr), 1, in.Def.BitSize, srcs[:n+2]...)
	copyIndices(swap, in)
	if swap.Has(ir.IdxFormat) && swap.Get(ir.IdxFormat) != 0 {
		f, _ := ir.ParseImageFormat(fmt.Sprintf("r%dui", in.Def.BitSize))
		swap.Set(ir.IdxFormat, uint64(f))
	}
	return &swap.Set(ir.IdxAtomicOp, uint64(ir.AtomicCmpXchg)).Def
}

// loadAtomic reads the place of an atomic. The value may be old: it is only
// what the first exchange expects.
func loadAtomic(b *ir.Builder, in *ir.Instr) *ir.Def {
	src := func(i int) *ir.Def { return in.Srcs[i].Def }
	load := func(i ir.Intrinsic, srcs ...*ir.Def) *ir.Def {
		l := b.Intrinsic(i, 1, in.Def.BitSize, srcs...)
		copyIndices(l, in)
		return &l.Set(ir.IdxAlignMul, uint64(in.Def.BitSize/8)).Def
	}
	texel := func(i ir.Intrinsic) *ir.Def {
		bits, class := in.Def.BitSize, ir.ClassFloat
		if bits == 64 {
			class = ir.ClassInt
		}
		l := b.Intrinsic(i, 4, bits, src(0), src(1), src(2), b.Imm32(0))
		copyIndices(l, in)
		return b.Channel(&l.Set(ir.IdxDestType, ir.ALUType{Class: class, Bits: bits}.Pack()).Def, 0)
	}
	switch in.Intr {
	case ir.IntrSsboAtomic:
		return load(ir.IntrLoadSsbo, src(0), src(1))
	case ir.IntrSharedAtomic:
		b.Shader.Info.CoherentShared = true
		return load(ir.IntrLoadShared, src(0))
	case ir.IntrGlobalAtomic:
		return load(ir.IntrLoadGlobal, src(0))
	case ir.IntrGlobalAtomic2x32:
		return load(ir.IntrLoadGlobal2x32, src(0))
	case ir.IntrImageAtomic:
		return texel(ir.IntrImageLoad)
	case ir.IntrBindlessImageAtomic:
		return texel(ir.IntrBindlessImageLoad)
	}
	return texel(ir.IntrImageDerefLoad)
}

// copyIndices gives to the constant indices that from has too.
func copyIndices(to, from *ir.Instr) {
	for _, k := range [...]ir.Index{ir.IdxBase, ir.IdxAccess, ir.IdxImageDim, ir.IdxImageArray, ir.IdxFormat, ir.IdxRangeBase} {
		if to.Has(k) && from.Has(k) {
			to.Set(k, from.Get(k))
		}
	}
}
