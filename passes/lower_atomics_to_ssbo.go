package passes

import (
	"slices"

	"nirc/ir"
)

var lowerAtomicsToSsboPass = &Pass{
	Name: "lower_atomics_to_ssbo", For: ir.HasAtomic, Class: "C", Run: lowerAtomicsToSsbo, Idempotent: true,
	Doc: "Makes OpenGL's atomic counters words of storage buffers: operations on the counters of buffer N become atomics on the buffer at binding N, and the shader's own storage buffers of that set move up by as many bindings as counters take. " +
		"Input: before lower_explicit_io. Output: derefs of descriptors; the counters' variables are gone.",
	Options: []Option{{"set", "descriptor set of the buffers", 0}},
}

func lowerAtomicsToSsbo(c *Context, s *ir.Shader) (bool, error) {
	if err := c.wantUpTo(mostPlaces, "set"); err != nil {
		return false, err
	}
	l := &atomicCounters{set: uint64(c.Int("set")), words: ir.ArrayType(ir.ScalarType(ir.BaseUint, 32), 0, 4)}
	isCounter := func(in *ir.Instr) bool { return in.Memory().Space == ir.SpaceCounter }
	for _, f := range s.Functions {
		if f.Impl != nil {
			for _, in := range collect(f.Impl, isCounter) {
				l.buffers = max(l.buffers, in.Get(ir.IdxBase)+1)
			}
		}
	}
	if l.buffers == 0 {
		return false, nil
	}
	for _, v := range s.Variables {
		if v.Mode == ir.ModeSSBO && v.HasBinding && uint64(v.Set) == l.set {
			v.Binding += uint32(l.buffers)
		}
	}
	progress := eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		for _, in := range collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrVulkanResourceIndex }) {
			if in.Get(ir.IdxDescType) == descStorageBuffer && in.Get(ir.IdxDescSet) == l.set {
				in.Set(ir.IdxBinding, in.Get(ir.IdxBinding)+l.buffers)
			}
		}
		for _, in := range collect(impl, isCounter) {
			l.operation(in)
		}
		removeUnusedDerefs(impl)
		return true
	})
	s.Variables = slices.DeleteFunc(s.Variables, (*ir.Variable).IsCounter)
	return progress, nil
}

// atomicCounters is the pass; buffers are the bindings that counters take, words what a buffer holds.
type atomicCounters struct {
	set, buffers uint64
	words        *ir.Type
}

// wordsAt is the storage buffer at a binding, as an array of words without end.
func wordsAt(b *ir.Builder, set, binding uint64, words *ir.Type) *ir.Def {
	index := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0))
	index.Set(ir.IdxDescSet, set).Set(ir.IdxBinding, binding).Set(ir.IdxDescType, descStorageBuffer)
	buffer := b.Intrinsic(ir.IntrLoadVulkanDescriptor, 2, 32, &index.Def)
	buffer.Set(ir.IdxDescType, descStorageBuffer)
	return b.DerefCast(&buffer.Def, ir.ModeSSBO, words, 4)
}

// operation makes an operation on a counter one on a word of its buffer.
func (l *atomicCounters) operation(in *ir.Instr) {
	b := builderBefore(in)
	d := b.DerefArray(wordsAt(b, l.set, in.Get(ir.IdxBase), l.words), b.Ushr(in.Srcs[0].Def, b.Imm32(2)))
	var r *ir.Instr
	switch in.Intr {
	case ir.IntrLoadCounter:
		v := b.LoadDeref(d, ir.AccessCoherent)
		in.Def.RewriteUses(v)
		in.Remove()
		return
	case ir.IntrCounterAtomicSwap:
		r = b.Intrinsic(ir.IntrDerefAtomicSwap, 1, 32, d, in.Srcs[1].Def, in.Srcs[2].Def)
	default:
		r = b.Intrinsic(ir.IntrDerefAtomic, 1, 32, d, in.Srcs[1].Def)
	}
	r.Set(ir.IdxAtomicOp, in.Get(ir.IdxAtomicOp)).Set(ir.IdxAccess, uint64(ir.AccessCoherent))
	in.Def.RewriteUses(&r.Def)
	in.Remove()
}
