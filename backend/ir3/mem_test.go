package ir3

import (
	"encoding/binary"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// memCase builds a shader that stores words of each lane to binding 1.
type memCase struct {
	name  string
	words int
	build func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def
	gpus  []string
}

func ubo(b *ir.Builder, off *ir.Def, n, bits uint8, alignMul uint64) *ir.Def {
	in := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0))
	in.Set(ir.IdxDescSet, 1).Set(ir.IdxBinding, 0).Set(ir.IdxDescType, 1)
	x := b.Intrinsic(ir.IntrLoadUbo, n, bits, b.Channel(&in.Def, 0), off)
	x.Set(ir.IdxAlignMul, alignMul).Set(ir.IdxRange, 1<<16)
	return &x.Def
}

func channels(b *ir.Builder, d *ir.Def) []*ir.Def {
	var l []*ir.Def
	for c := range int(d.NumComponents) {
		v := b.Channel(d, c)
		if v.BitSize < 32 {
			v = b.U2u32(v)
		}
		l = append(l, v)
	}
	return l
}

func pushLoad(b *ir.Builder, off *ir.Def, n, bits uint8, base, size uint64) *ir.Def {
	x := b.Intrinsic(ir.IntrLoadPushConstant, n, bits, off)
	x.Set(ir.IdxBase, base).Set(ir.IdxRange, size).Set(ir.IdxAlignMul, 4)
	return &x.Def
}

func shared(b *ir.Builder, off *ir.Def, n, bits uint8, base uint64) *ir.Def {
	return &b.Intrinsic(ir.IntrLoadShared, n, bits, off).Set(ir.IdxBase, base).Set(ir.IdxAlignMul, 4).Def
}

func storeTo(b *ir.Builder, i ir.Intrinsic, v, off *ir.Def, mask, base uint64) {
	b.Intrinsic(i, 0, 0, v, off).Set(ir.IdxWriteMask, mask).Set(ir.IdxBase, base).Set(ir.IdxAlignMul, 4)
}

func barrier(b *ir.Builder) {
	b.Intrinsic(ir.IntrBarrier, 0, 0).Set(ir.IdxExecutionScope, uint64(ir.ScopeWorkgroup)).Set(ir.IdxMemoryScope, uint64(ir.ScopeWorkgroup)).
		Set(ir.IdxMemorySemantics, uint64(ir.SemAcquire|ir.SemRelease)).Set(ir.IdxMemoryModes, uint64(ir.ModeShared))
}

var memCases = []memCase{
	{name: "ubo constant", words: 7, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		return append(channels(b, ubo(b, b.Imm32(24), 4, 32, 8)), channels(b, ubo(b, b.Imm32(4), 3, 32, 4))...)
	}},
	{name: "ubo dynamic vec4", words: 6, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		return append(channels(b, ubo(b, b.Ishl(id, b.Imm32(4)), 4, 32, 16)), channels(b, ubo(b, b.Imm32(8200), 2, 32, 8))...)
	}},
	{name: "ubo dynamic word", words: 2, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		return channels(b, ubo(b, b.Iadd(b.Ishl(id, b.Imm32(2)), b.Imm32(12)), 2, 32, 4))
	}},
	{name: "ubo 16 and 8 bits", words: 5, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		return append(channels(b, ubo(b, b.Ishl(id, b.Imm32(1)), 2, 16, 2)), append(channels(b, ubo(b, id, 2, 8, 1)), channels(b, ubo(b, b.Imm32(6), 1, 16, 2))...)...)
	}},
	{name: "push constants", words: 6, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		l := channels(b, pushLoad(b, b.Imm32(8), 3, 32, 4, 12))
		l = append(l, channels(b, pushLoad(b, b.Iand(b.Ishl(id, b.Imm32(2)), b.Imm32(28)), 2, 32, 0, 64))...)
		return append(l, b.U2u32(pushLoad(b, b.Iand(b.Ishl(id, b.Imm32(1)), b.Imm32(14)), 1, 16, 8, 16)))
	}},
	{name: "shared memory", words: 5, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		s.SharedSize = 4096
		li := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		off := b.Ishl(li, b.Imm32(4))
		storeTo(b, ir.IntrStoreShared, b.Vec(id, b.Imul(id, id), b.Inot(id)), off, 5, 16)
		storeTo(b, ir.IntrStoreShared, b.U2u16(id), b.Iadd(off, b.Imm32(4)), 1, 16)
		for _, base := range []uint64{2052, 3000} {
			storeTo(b, ir.IntrStoreShared, b.Iand(li, b.Imm32(1)), b.Ishl(li, b.Imm32(2)), 1, base)
		}
		barrier(b)
		back := b.Ishl(b.Isub(b.Imm32(63), li), b.Imm32(4))
		l := []*ir.Def{shared(b, back, 1, 32, 16), shared(b, b.Iadd(back, b.Imm32(8)), 1, 32, 16), b.U2u32(shared(b, back, 1, 16, 20))}
		old := b.Intrinsic(ir.IntrSharedAtomic, 1, 32, b.Imm32(2048), b.Imm32(3)).Set(ir.IdxAtomicOp, uint64(ir.AtomicIAdd)).Set(ir.IdxBase, 4)
		swap := b.Intrinsic(ir.IntrSharedAtomicSwap, 1, 32, b.Ishl(li, b.Imm32(2)), b.Imm32(0), id).Set(ir.IdxAtomicOp, uint64(ir.AtomicCmpXchg)).Set(ir.IdxBase, 3000)
		_ = old
		barrier(b)
		return append(l, &swap.Def, shared(b, b.Imm32(2052), 1, 32, 0))
	}},
	{name: "scratch", words: 4, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		s.ScratchSize = 128
		off := b.Iand(b.Ishl(id, b.Imm32(2)), b.Imm32(60))
		storeTo(b, ir.IntrStoreScratch, b.Vec(id, b.Inot(id), b.Imm32(7)), off, 7, 0)
		storeTo(b, ir.IntrStoreScratch, b.U2u16(id), b.Imm32(96), 1, 0)
		x := b.Intrinsic(ir.IntrLoadScratch, 3, 32, off).Set(ir.IdxAlignMul, 4)
		y := b.Intrinsic(ir.IntrLoadScratch, 1, 16, b.Imm32(96)).Set(ir.IdxAlignMul, 2)
		return append(channels(b, &x.Def), b.U2u32(&y.Def))
	}},
	{name: "ssbo atomics", words: 4, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		buf := gputest.StorageBuffer(b, 0, 1)
		at := b.Iadd(b.Ishl(id, b.Imm32(2)), b.Imm32(8192))
		atomic := func(op ir.AtomicOp, v *ir.Def) *ir.Def {
			return &b.Intrinsic(ir.IntrSsboAtomic, 1, 32, buf, at, v).Set(ir.IdxAtomicOp, uint64(op)).Def
		}
		l := []*ir.Def{atomic(ir.AtomicIAdd, id), atomic(ir.AtomicIMax, b.Imm32(20)), atomic(ir.AtomicXchg, b.Inot(id))}
		sw := b.Intrinsic(ir.IntrSsboAtomicSwap, 1, 32, buf, at, b.Inot(id), b.Imm32(99)).Set(ir.IdxAtomicOp, uint64(ir.AtomicCmpXchg))
		return append(l, &sw.Def)
	}},
	{name: "ssbo sizes and narrow loads", words: 4, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		n := b.Intrinsic(ir.IntrGetSsboSize, 1, 32, gputest.StorageBuffer(b, 0, 0))
		h := b.Intrinsic(ir.IntrLoadSsbo, 2, 16, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(1))).Set(ir.IdxAlignMul, 2)
		c := b.Intrinsic(ir.IntrLoadSsbo, 1, 8, gputest.StorageBuffer(b, 0, 0), id).Set(ir.IdxAlignMul, 1)
		return append([]*ir.Def{&n.Def, b.U2u32(&c.Def)}, channels(b, &h.Def)...)
	}},
	{name: "read-only buffer", words: 9, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		at := b.Ishl(id, b.Imm32(4))
		var l []*ir.Def
		for n, off := range []*ir.Def{nil, b.Iadd(at, b.Imm32(20)), b.Iadd(at, b.Imm32(4096)), b.Imm32(8), b.Ishl(id, b.Imm32(20))} {
			n := uint8(max(n, 1))
			if off == nil {
				off = at
			}
			ld := b.Intrinsic(ir.IntrLoadSsbo, min(n, 3), 32, gputest.StorageBuffer(b, 0, 0), off).Set(ir.IdxAlignMul, 4)
			l = append(l, channels(b, &ld.Set(ir.IdxAccess, uint64(ir.AccessNonWriteable|ir.AccessCanReorder)).Def)...)
		}
		return l[:9]
	}},
	{name: "8-bit stores", words: 2, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		off := b.Iadd(b.Ishl(id, b.Imm32(2)), b.Imm32(8192))
		v := b.Vec(b.U2u8(id), b.U2u8(b.Inot(id)), b.U2u8(b.Imm32(7)))
		b.Intrinsic(ir.IntrStoreSsbo, 0, 0, v, gputest.StorageBuffer(b, 0, 1), b.Iadd(off, b.Imm32(1))).Set(ir.IdxWriteMask, 5).Set(ir.IdxAlignMul, 1)
		return []*ir.Def{gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 1), off, 1), id}
	}},
	{name: "16-bit stores", words: 2, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		off := b.Iadd(b.Ishl(id, b.Imm32(2)), b.Imm32(8192))
		b.Intrinsic(ir.IntrStoreSsbo, 0, 0, b.Vec(b.U2u16(id), b.U2u16(b.Inot(id))), gputest.StorageBuffer(b, 0, 1), off).Set(ir.IdxWriteMask, 3).Set(ir.IdxAlignMul, 4)
		return []*ir.Def{gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 1), off, 1), id}
	}},
	{name: "sets chosen at run time", words: 1, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		x := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0))
		x.Set(ir.IdxDescSet, 0).Set(ir.IdxBinding, 0).Set(ir.IdxDescType, 2)
		y := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0))
		y.Set(ir.IdxDescSet, 1).Set(ir.IdxBinding, 1).Set(ir.IdxDescType, 2)
		h := b.Bcsel(b.Ult(id, b.Imm32(70)), b.Channel(&x.Def, 0), b.Channel(&y.Def, 0))
		return []*ir.Def{gputest.LoadWords(b, h, b.Ishl(id, b.Imm32(2)), 1)}
	}},
	{name: "global memory", words: 7, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		lo := b.Intrinsic(ir.IntrLoadPushConstant, 2, 32, b.Imm32(112)).Set(ir.IdxRange, 128).Set(ir.IdxAlignMul, 4)
		addr := b.Pack64_2x32Split(b.Iadd(b.Channel(&lo.Def, 0), b.Ishl(id, b.Imm32(4))), b.Channel(&lo.Def, 1))
		l := channels(b, &b.Intrinsic(ir.IntrLoadGlobal, 3, 32, addr).Set(ir.IdxAlignMul, 16).Def)
		b.Intrinsic(ir.IntrStoreGlobal, 0, 0, b.Vec(id, b.Inot(id)), addr).Set(ir.IdxWriteMask, 3).Set(ir.IdxAlignMul, 16)
		l = append(l, &b.Intrinsic(ir.IntrGlobalAtomic, 1, 32, addr, b.Imm32(5)).Set(ir.IdxAtomicOp, uint64(ir.AtomicIAdd)).Def)
		l = append(l, &b.Intrinsic(ir.IntrGlobalAtomicSwap, 1, 32, addr, b.Iadd(id, b.Imm32(5)), b.Imm32(1)).Set(ir.IdxAtomicOp, uint64(ir.AtomicCmpXchg)).Def)
		l = append(l, &b.Intrinsic(ir.IntrLoadGlobal, 1, 32, addr).Set(ir.IdxAlignMul, 16).Def)
		return append(l, b.U2u32(&b.Intrinsic(ir.IntrLoadGlobal, 1, 16, addr).Set(ir.IdxAlignMul, 16).Def))
	}},
	{name: "64-bit atomics", words: 20, gpus: []string{"a740", "a750"}, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		buf := gputest.StorageBuffer(b, 0, 1)
		at := b.Iadd(b.Ishl(id, b.Imm32(3)), b.Imm32(12288))
		push := b.Intrinsic(ir.IntrLoadPushConstant, 2, 32, b.Imm32(112)).Set(ir.IdxRange, 128).Set(ir.IdxAlignMul, 4)
		addr := b.Pack64_2x32Split(b.Iadd(b.Channel(&push.Def, 0), b.Ishl(id, b.Imm32(3))), b.Channel(&push.Def, 1))
		var l []*ir.Def
		keep := func(in *ir.Instr, op ir.AtomicOp) {
			old := &in.Set(ir.IdxAtomicOp, uint64(op)).Def
			l = append(l, b.Unpack64_2x32SplitX(old), b.Unpack64_2x32SplitY(old))
		}
		// Carries reach the upper half.
		v := b.Pack64_2x32Split(b.Iadd(id, b.Imm32(0xfffffff0)), b.Inot(id))
		for i, op := range []ir.AtomicOp{ir.AtomicIAdd, ir.AtomicIXor, ir.AtomicUMax, ir.AtomicUMin} {
			if i&1 == 0 {
				keep(b.Intrinsic(ir.IntrSsboAtomic, 1, 64, buf, at, v), op)
			} else {
				keep(b.Intrinsic(ir.IntrGlobalAtomic, 1, 64, addr, v), op)
			}
		}
		keep(b.Intrinsic(ir.IntrSsboAtomicSwap, 1, 64, buf, at, v, b.Pack64_2x32Split(id, id)), ir.AtomicCmpXchg)
		keep(b.Intrinsic(ir.IntrGlobalAtomicSwap, 1, 64, addr, v, b.Pack64_2x32Split(id, b.Imm32(3))), ir.AtomicCmpXchg)
		keep(b.Intrinsic(ir.IntrSsboAtomic, 1, 64, buf, at, v), ir.AtomicXchg)
		keep(b.Intrinsic(ir.IntrGlobalAtomic, 1, 64, addr, v), ir.AtomicIAdd)
		keep(b.Intrinsic(ir.IntrSsboAtomic, 1, 64, buf, at, v), ir.AtomicIOr)
		keep(b.Intrinsic(ir.IntrGlobalAtomic, 1, 64, addr, v), ir.AtomicIAnd)
		return l
	}},
	{name: "dispatch values", words: 9, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		var l []*ir.Def
		for _, i := range []ir.Intrinsic{ir.IntrLoadWorkgroupId, ir.IntrLoadNumWorkgroups} {
			l = append(l, channels(b, &b.Intrinsic(i, 3, 32).Def)...)
		}
		return append(l, &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def, b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupSize, 3, 32).Def, 0),
			&b.Intrinsic(ir.IntrLoadSubgroupSize, 1, 32).Def)
	}},
	{name: "votes", words: 8, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		li := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		one := func(i ir.Intrinsic, srcs ...*ir.Def) *ir.Def { return b.B2i32(&b.Intrinsic(i, 1, 1, srcs...).Def) }
		small := b.Ult(li, b.Imm32(5))
		l := []*ir.Def{one(ir.IntrVoteAny, small), one(ir.IntrVoteAll, small), one(ir.IntrVoteAll, b.Ult(li, b.Imm32(64))), one(ir.IntrElect)}
		l = append(l, &b.Intrinsic(ir.IntrReadFirstInvocation, 1, 32, b.Iadd(id, b.Imm32(9))).Def)
		bal := b.Intrinsic(ir.IntrBallot, 2, 32, b.Ieq(b.Iand(li, b.Imm32(5)), b.Imm32(1)))
		l = append(l, channels(b, &bal.Def)...)
		return append(l, b.U2u32(&b.Intrinsic(ir.IntrReadFirstInvocation, 1, 16, b.U2u16(b.Iadd(id, b.Imm32(9)))).Def))
	}},
	{name: "quads and shuffles", words: 5, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		v := b.Imul(id, b.Imm32(77))
		return []*ir.Def{&b.Intrinsic(ir.IntrQuadSwapHorizontal, 1, 32, v).Def, &b.Intrinsic(ir.IntrQuadSwapVertical, 1, 32, v).Def,
			&b.Intrinsic(ir.IntrQuadSwapDiagonal, 1, 32, v).Def, &b.Intrinsic(ir.IntrQuadBroadcast, 1, 32, v, b.Imm32(2)).Def,
			&b.Intrinsic(ir.IntrShuffleXor, 1, 32, v, b.Imm32(5)).Def}
	}},
}

func TestMemory(t *testing.T) {
	for _, c := range memCases {
		list := c.gpus
		if list == nil {
			list = gpus
		}
		for _, gpu := range list {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			s.Options.Robust.Storage = ir.Robust2
			id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
			for k, v := range c.build(s, b, id) {
				off := b.Iadd(b.Imul(id, b.Imm32(uint32(4*c.words))), b.Imm32(uint32(4*k)))
				gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), off, v)
			}
			if err := ir.Validate(s); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			in := make([]byte, 16384)
			for i := 0; i < len(in); i += 4 {
				binary.LittleEndian.PutUint32(in[i:], uint32(i)*2654435761)
			}
			if err := differ(s, CompileOptions{GPU: gpu}, 2, in, 16384, in[64:176]); err != nil {
				t.Errorf("%s on %s: %v", c.name, gpu, err)
			}
		}
	}
}

// A workgroup whose waves must all fit at once, because they meet at a
// barrier, gets fewer registers.
func TestBarrierLimitsRegisters(t *testing.T) {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	s.Info.WorkgroupSize = [3]uint32{1024, 1, 1}
	s.SharedSize = 4096
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	var live []*ir.Def
	for k := range 80 {
		live = append(live, b.Imul(gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Imm32(uint32(4*k)), 1), id))
	}
	barrier(b)
	sum := id
	for _, v := range live {
		sum = b.Ixor(b.Iadd(sum, v), b.Imm32(99))
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), sum)
	if err := differ(s, CompileOptions{}, 1, make([]byte, 512), 4096, nil); err != nil {
		t.Fatal(err)
	}
	bin, err := compile(s, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if bin.Meta.MaxRegs > 12 || bin.Stats.Stp == 0 {
		t.Errorf("%d vec4 registers, %d stored values: at most 12 registers let 16 waves fit", bin.Meta.MaxRegs, bin.Stats.Stp)
	}
}
