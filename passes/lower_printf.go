package passes

import (
	"strconv"

	"nirc/ir"
)

var lowerPrintfPass = &Pass{
	Name: "lower_printf", Class: "C", Run: lowerPrintf, Idempotent: true,
	Doc: "Makes what a shader prints (debugPrintfEXT) records in a storage buffer of words: the first word counts those taken after it, by an atomic; a record has the call's word in the module, the number of its words, " +
		"and these. What the buffer has no room for is counted and lost. Input: before lower_explicit_io.",
	Options: []Option{
		{"set", "descriptor set of the buffer", 0},
		{"binding", "its binding, -1: the pass does nothing", -1},
	},
}

// PrintfBuffer is where shaders leave what they print.
type PrintfBuffer struct{ Set, Binding uint32 }

// options are those of the pass.
func (p *PrintfBuffer) options() []string {
	return []string{"set", strconv.FormatUint(uint64(p.Set), 10), "binding", strconv.FormatUint(uint64(p.Binding), 10)}
}

func lowerPrintf(c *Context, s *ir.Shader) (bool, error) {
	binding := c.Int("binding")
	if binding < 0 {
		return false, nil
	}
	words := ir.ArrayType(ir.ScalarType(ir.BaseUint, 32), 0, 4)
	progress := eachImpl(s, ir.MetaNone, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrPrintf })
		for _, in := range list {
			b := builderBefore(in)
			printRecord(b, wordsAt(b, uint64(c.Int("set")), uint64(binding), words), in)
			in.Remove()
		}
		return len(list) > 0
	})
	if progress {
		block := &ir.Type{Base: ir.BaseStruct, Name: "printf", Block: true, Fields: []ir.Field{{Name: "words", Type: words, Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1}}}
		v := s.NewVariable(ir.ModeSSBO, block, "printf")
		v.Set, v.Binding, v.HasBinding = uint32(c.Int("set")), uint32(binding), true
		s.Info.WritesMemory = true
	}
	return progress, nil
}

// printRecord stores what a call prints, if the buffer has room.
func printRecord(b *ir.Builder, buffer *ir.Def, in *ir.Instr) {
	args := in.Srcs[0].Def
	n := uint32(args.NumComponents) + 2
	count := b.Intrinsic(ir.IntrDerefAtomic, 1, 32, b.DerefArray(buffer, b.Imm32(0)), b.Imm32(n))
	count.Set(ir.IdxAtomicOp, uint64(ir.AtomicIAdd)).Set(ir.IdxAccess, uint64(ir.AccessCoherent))
	at := b.IAddImm(&count.Def, 1)
	room := &b.Intrinsic(ir.IntrDerefBufferArrayLength, 1, 32, buffer).Def
	i := b.PushIf(b.Iand(b.Uge(room, b.Imm32(n)), b.Uge(b.Isub(room, b.Imm32(n)), at)))
	store := func(k uint32, v *ir.Def) { b.StoreDeref(b.DerefArray(buffer, b.IAddImm(at, int64(k))), v, 1, 0) }
	store(0, b.Imm32(uint32(in.Get(ir.IdxBase))))
	store(1, b.Imm32(n-2))
	for k := range n - 2 {
		store(k+2, b.Channel(args, int(k)))
	}
	b.PopIf(i)
}
