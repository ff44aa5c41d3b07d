package interp

import (
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// TestWideMasks: masks of 64 bits have the lanes of a wave of 64, the upper half of them too.
func TestWideMasks(t *testing.T) {
	k := newBench(t, 4)
	k.s.Info.WorkgroupSize[0] = 64
	b := k.b
	for _, intr := range []ir.Intrinsic{ir.IntrLoadSubgroupEqMask, ir.IntrLoadSubgroupLtMask} {
		m := &b.Intrinsic(intr, 1, 64).Def
		k.out(b.U2u32(m))
		k.out(b.U2u32(b.Ushr(m, b.Imm32(32))))
	}
	r := k.run(64)
	eq, lt := func(l int) uint64 { return 1 << l }, func(l int) uint64 { return 1<<l - 1 }
	k.want(r, 0, func(l int) uint32 { return uint32(eq(l)) })
	k.want(r, 1, func(l int) uint32 { return uint32(eq(l) >> 32) })
	k.want(r, 2, func(l int) uint32 { return uint32(lt(l)) })
	k.want(r, 3, func(l int) uint32 { return uint32(lt(l) >> 32) })
}

// TestUniformTail: of a word that a uniform buffer has only a part of, a load gives that part, and nothing of one after its end.
func TestUniformTail(t *testing.T) {
	k := newBench(t, 3)
	b := k.b
	k.bind = func(bind *emu.Bindings, mem *emu.Memory) {
		buf := mem.Alloc(6)
		copy(buf.Data, []byte{1, 2, 3, 4, 5, 6})
		bind.Set(0, 7, []emu.Descriptor{{Type: emu.DescUniformBuffer, Addr: buf.Addr, Size: 6}})
	}
	h := b.Channel(&b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0)).Set(ir.IdxBinding, 7).Set(ir.IdxDescType, uint64(emu.DescUniformBuffer)).Def, 0)
	for i := range 3 {
		k.out(&b.Intrinsic(ir.IntrLoadUbo, 1, 32, h, b.Imm32(uint32(4*i))).Set(ir.IdxAlignMul, 4).Set(ir.IdxRange, 1<<32-1).Def)
	}
	r := k.run(4)
	for i, want := range []uint32{0x04030201, 0x0605, 0} {
		k.want(r, i, func(int) uint32 { return want })
	}
}
