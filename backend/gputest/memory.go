package gputest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"nirc/ir"
)

// MemoryCase builds a shader that stores words of each lane to binding 1: what it makes of loads, stores and atomics of
// all memories at offsets of all kinds, and of values that go from lane to lane.
type MemoryCase struct {
	Name  string
	words int
	build func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def
}

var memoryCases = []MemoryCase{
	{Name: "ubo constant", words: 7, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		return append(Words(b, LoadUBO(b, b.Imm32(24), 4, 32, 8)), Words(b, LoadUBO(b, b.Imm32(4), 3, 32, 4))...)
	}},
	{Name: "ubo dynamic vec4", words: 6, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		return append(Words(b, LoadUBO(b, b.Ishl(id, b.Imm32(4)), 4, 32, 16)), Words(b, LoadUBO(b, b.Imm32(8200), 2, 32, 8))...)
	}},
	{Name: "ubo dynamic word", words: 2, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		return Words(b, LoadUBO(b, b.Iadd(b.Ishl(id, b.Imm32(2)), b.Imm32(12)), 2, 32, 4))
	}},
	{Name: "ubo 16 and 8 bits", words: 5, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		return append(Words(b, LoadUBO(b, b.Ishl(id, b.Imm32(1)), 2, 16, 2)), append(Words(b, LoadUBO(b, id, 2, 8, 1)), Words(b, LoadUBO(b, b.Imm32(6), 1, 16, 2))...)...)
	}},
	{Name: "push constants", words: 6, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		l := Words(b, LoadPush(b, b.Imm32(8), 3, 32, 4, 12))
		l = append(l, Words(b, LoadPush(b, b.Iand(b.Ishl(id, b.Imm32(2)), b.Imm32(28)), 2, 32, 0, 64))...)
		return append(l, b.U2u32(LoadPush(b, b.Iand(b.Ishl(id, b.Imm32(1)), b.Imm32(14)), 1, 16, 8, 16)))
	}},
	{Name: "shared memory", words: 5, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		s.SharedSize = 4096
		li := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		off := b.Ishl(li, b.Imm32(4))
		StoreTo(b, ir.IntrStoreShared, b.Vec(id, b.Imul(id, id), b.Inot(id)), off, 5, 16)
		StoreTo(b, ir.IntrStoreShared, b.U2u16(id), b.Iadd(off, b.Imm32(4)), 1, 16)
		for _, base := range []uint64{2052, 3000} {
			StoreTo(b, ir.IntrStoreShared, b.Iand(li, b.Imm32(1)), b.Ishl(li, b.Imm32(2)), 1, base)
		}
		Barrier(b)
		back := b.Ishl(b.Isub(b.Imm32(63), li), b.Imm32(4))
		l := []*ir.Def{LoadShared(b, back, 1, 32, 16), LoadShared(b, b.Iadd(back, b.Imm32(8)), 1, 32, 16), b.U2u32(LoadShared(b, back, 1, 16, 20))}
		old := b.Intrinsic(ir.IntrSharedAtomic, 1, 32, b.Imm32(2048), b.Imm32(3)).Set(ir.IdxAtomicOp, uint64(ir.AtomicIAdd)).Set(ir.IdxBase, 4)
		swap := b.Intrinsic(ir.IntrSharedAtomicSwap, 1, 32, b.Ishl(li, b.Imm32(2)), b.Imm32(0), id).Set(ir.IdxAtomicOp, uint64(ir.AtomicCmpXchg)).Set(ir.IdxBase, 3000)
		_ = old
		Barrier(b)
		return append(l, &swap.Def, LoadShared(b, b.Imm32(2052), 1, 32, 0))
	}},
	{Name: "scratch", words: 4, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		s.ScratchSize = 128
		off := b.Iand(b.Ishl(id, b.Imm32(2)), b.Imm32(60))
		StoreTo(b, ir.IntrStoreScratch, b.Vec(id, b.Inot(id), b.Imm32(7)), off, 7, 0)
		StoreTo(b, ir.IntrStoreScratch, b.U2u16(id), b.Imm32(96), 1, 0)
		x := b.Intrinsic(ir.IntrLoadScratch, 3, 32, off).Set(ir.IdxAlignMul, 4)
		y := b.Intrinsic(ir.IntrLoadScratch, 1, 16, b.Imm32(96)).Set(ir.IdxAlignMul, 2)
		return append(Words(b, &x.Def), b.U2u32(&y.Def))
	}},
	{Name: "ssbo atomics", words: 4, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		buf := StorageBuffer(b, 0, 1)
		at := b.Iadd(b.Ishl(id, b.Imm32(2)), b.Imm32(8192))
		atomic := func(op ir.AtomicOp, v *ir.Def) *ir.Def {
			return &b.Intrinsic(ir.IntrSsboAtomic, 1, 32, buf, at, v).Set(ir.IdxAtomicOp, uint64(op)).Def
		}
		l := []*ir.Def{atomic(ir.AtomicIAdd, id), atomic(ir.AtomicIMax, b.Imm32(20)), atomic(ir.AtomicXchg, b.Inot(id))}
		sw := b.Intrinsic(ir.IntrSsboAtomicSwap, 1, 32, buf, at, b.Inot(id), b.Imm32(99)).Set(ir.IdxAtomicOp, uint64(ir.AtomicCmpXchg))
		return append(l, &sw.Def)
	}},
	{Name: "ssbo sizes and narrow loads", words: 4, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		n := b.Intrinsic(ir.IntrGetSsboSize, 1, 32, StorageBuffer(b, 0, 0))
		h := b.Intrinsic(ir.IntrLoadSsbo, 2, 16, StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(1))).Set(ir.IdxAlignMul, 2)
		c := b.Intrinsic(ir.IntrLoadSsbo, 1, 8, StorageBuffer(b, 0, 0), id).Set(ir.IdxAlignMul, 1)
		return append([]*ir.Def{&n.Def, b.U2u32(&c.Def)}, Words(b, &h.Def)...)
	}},
	{Name: "read-only buffer", words: 12, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		at := b.Ishl(id, b.Imm32(4))
		var l []*ir.Def
		for n, off := range []*ir.Def{nil, b.Iadd(at, b.Imm32(20)), b.Iadd(at, b.Imm32(4096)), b.Imm32(8), b.Iadd(at, b.Imm32(1600)), b.Ishl(id, b.Imm32(20))} {
			n := uint8(max(n, 1))
			if off == nil {
				off = at
			}
			ld := b.Intrinsic(ir.IntrLoadSsbo, min(n, 3), 32, StorageBuffer(b, 0, 0), off).Set(ir.IdxAlignMul, 4)
			l = append(l, Words(b, &ld.Set(ir.IdxAccess, uint64(ir.AccessNonWriteable|ir.AccessCanReorder)).Def)...)
		}
		return l[:12]
	}},
	{Name: "8-bit stores", words: 2, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		off := b.Iadd(b.Ishl(id, b.Imm32(2)), b.Imm32(8192))
		v := b.Vec(b.U2u8(id), b.U2u8(b.Inot(id)), b.U2u8(b.Imm32(7)))
		b.Effect(ir.IntrStoreSsbo, v, StorageBuffer(b, 0, 1), b.Iadd(off, b.Imm32(1))).Set(ir.IdxWriteMask, 5).Set(ir.IdxAlignMul, 1)
		return []*ir.Def{LoadWords(b, StorageBuffer(b, 0, 1), off, 1), id}
	}},
	{Name: "16-bit stores", words: 2, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		off := b.Iadd(b.Ishl(id, b.Imm32(2)), b.Imm32(8192))
		b.Effect(ir.IntrStoreSsbo, b.Vec(b.U2u16(id), b.U2u16(b.Inot(id))), StorageBuffer(b, 0, 1), off).Set(ir.IdxWriteMask, 3).Set(ir.IdxAlignMul, 4)
		return []*ir.Def{LoadWords(b, StorageBuffer(b, 0, 1), off, 1), id}
	}},
	{Name: "sets chosen at run time", words: 1, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		x := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0))
		x.Set(ir.IdxDescSet, 0).Set(ir.IdxBinding, 0).Set(ir.IdxDescType, 2)
		y := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0))
		y.Set(ir.IdxDescSet, 1).Set(ir.IdxBinding, 1).Set(ir.IdxDescType, 2)
		h := b.Bcsel(b.Ult(id, b.Imm32(70)), b.Channel(&x.Def, 0), b.Channel(&y.Def, 0))
		return []*ir.Def{LoadWords(b, h, b.Ishl(id, b.Imm32(2)), 1)}
	}},
	{Name: "global memory", words: 7, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		lo := b.Intrinsic(ir.IntrLoadPushConstant, 2, 32, b.Imm32(112)).Set(ir.IdxRange, 128).Set(ir.IdxAlignMul, 4)
		addr := b.Pack64_2x32Split(b.Iadd(b.Channel(&lo.Def, 0), b.Ishl(id, b.Imm32(4))), b.Channel(&lo.Def, 1))
		l := Words(b, &b.Intrinsic(ir.IntrLoadGlobal, 3, 32, addr).Set(ir.IdxAlignMul, 16).Def)
		b.Effect(ir.IntrStoreGlobal, b.Vec(id, b.Inot(id)), addr).Set(ir.IdxWriteMask, 3).Set(ir.IdxAlignMul, 16)
		l = append(l, &b.Intrinsic(ir.IntrGlobalAtomic, 1, 32, addr, b.Imm32(5)).Set(ir.IdxAtomicOp, uint64(ir.AtomicIAdd)).Def)
		l = append(l, &b.Intrinsic(ir.IntrGlobalAtomicSwap, 1, 32, addr, b.Iadd(id, b.Imm32(5)), b.Imm32(1)).Set(ir.IdxAtomicOp, uint64(ir.AtomicCmpXchg)).Def)
		l = append(l, &b.Intrinsic(ir.IntrLoadGlobal, 1, 32, addr).Set(ir.IdxAlignMul, 16).Def)
		return append(l, b.U2u32(&b.Intrinsic(ir.IntrLoadGlobal, 1, 16, addr).Set(ir.IdxAlignMul, 16).Def))
	}},
	{Name: "64-bit atomics", words: 14, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		w := newLongAtomics(b, id)
		// Carries reach the upper half.
		v := b.Pack64_2x32Split(b.Iadd(id, b.Imm32(0xfffffff0)), b.Inot(id))
		for i, op := range []ir.AtomicOp{ir.AtomicIAdd, ir.AtomicIXor, ir.AtomicUMax, ir.AtomicUMin} {
			if i&1 == 0 {
				w.keep(b.Intrinsic(ir.IntrSsboAtomic, 1, 64, w.buf, w.at, v), op)
			} else {
				w.keep(b.Intrinsic(ir.IntrGlobalAtomic, 1, 64, w.addr, v), op)
			}
		}
		w.keep(b.Intrinsic(ir.IntrGlobalAtomic, 1, 64, w.addr, v), ir.AtomicIAdd)
		w.keep(b.Intrinsic(ir.IntrSsboAtomic, 1, 64, w.buf, w.at, v), ir.AtomicIOr)
		w.keep(b.Intrinsic(ir.IntrGlobalAtomic, 1, 64, w.addr, v), ir.AtomicIAnd)
		return w.old
	}},
	{Name: "64-bit exchanges", words: 8, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		w := newLongAtomics(b, id)
		v := b.Pack64_2x32Split(b.Iadd(id, b.Imm32(0xfffffff0)), b.Inot(id))
		w.keep(b.Intrinsic(ir.IntrSsboAtomic, 1, 64, w.buf, w.at, v), ir.AtomicXchg)
		w.keep(b.Intrinsic(ir.IntrSsboAtomicSwap, 1, 64, w.buf, w.at, v, b.Pack64_2x32Split(id, id)), ir.AtomicCmpXchg)
		w.keep(b.Intrinsic(ir.IntrGlobalAtomic, 1, 64, w.addr, v), ir.AtomicXchg)
		w.keep(b.Intrinsic(ir.IntrGlobalAtomicSwap, 1, 64, w.addr, v, b.Pack64_2x32Split(id, b.Imm32(3))), ir.AtomicCmpXchg)
		return w.old
	}},
	{Name: "dispatch values", words: 9, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		var l []*ir.Def
		for _, i := range []ir.Intrinsic{ir.IntrLoadWorkgroupId, ir.IntrLoadNumWorkgroups} {
			l = append(l, Words(b, &b.Intrinsic(i, 3, 32).Def)...)
		}
		return append(l, &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def, b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupSize, 3, 32).Def, 0),
			&b.Intrinsic(ir.IntrLoadSubgroupSize, 1, 32).Def)
	}},
	{Name: "votes", words: 8, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		li := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		one := func(i ir.Intrinsic, srcs ...*ir.Def) *ir.Def { return b.B2i32(&b.Intrinsic(i, 1, 1, srcs...).Def) }
		small := b.Ult(li, b.Imm32(5))
		l := []*ir.Def{one(ir.IntrVoteAny, small), one(ir.IntrVoteAll, small), one(ir.IntrVoteAll, b.Ult(li, b.Imm32(64))), one(ir.IntrElect)}
		l = append(l, &b.Intrinsic(ir.IntrReadFirstInvocation, 1, 32, b.Iadd(id, b.Imm32(9))).Def)
		bal := b.Intrinsic(ir.IntrBallot, 2, 32, b.Ieq(b.Iand(li, b.Imm32(5)), b.Imm32(1)))
		l = append(l, Words(b, &bal.Def)...)
		return append(l, b.U2u32(&b.Intrinsic(ir.IntrReadFirstInvocation, 1, 16, b.U2u16(b.Iadd(id, b.Imm32(9)))).Def))
	}},
	{Name: "votes of equal values", words: 8, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) (l []*ir.Def) {
		for _, v := range []*ir.Def{b.Iadd(b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0), b.Imm32(7)), b.Iand(id, b.Imm32(1))} {
			for _, x := range []*ir.Def{v, b.U2u16(v)} {
				l = append(l, b.B2i32(&b.Intrinsic(ir.IntrVoteIeq, 1, 1, x).Def))
			}
			for _, x := range []*ir.Def{b.U2f32(v), b.F2f16(b.U2f32(v))} {
				l = append(l, b.B2i32(&b.Intrinsic(ir.IntrVoteFeq, 1, 1, x).Def))
			}
		}
		return l
	}},
	{Name: "votes of equal long values", words: 4, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) (l []*ir.Def) {
		same, other := b.Iadd(b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0), b.Imm32(7)), b.Iand(id, b.Imm32(1))
		for _, v := range [][2]*ir.Def{{same, same}, {same, other}, {other, same}, {other, other}} {
			l = append(l, b.B2i32(&b.Intrinsic(ir.IntrVoteIeq, 1, 1, b.Pack64_2x32Split(v[0], v[1])).Def))
		}
		return l
	}},
	{Name: "quads and shuffles", words: 5, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		v := b.Imul(id, b.Imm32(77))
		return []*ir.Def{&b.Intrinsic(ir.IntrQuadSwapHorizontal, 1, 32, v).Def, &b.Intrinsic(ir.IntrQuadSwapVertical, 1, 32, v).Def,
			&b.Intrinsic(ir.IntrQuadSwapDiagonal, 1, 32, v).Def, &b.Intrinsic(ir.IntrQuadBroadcast, 1, 32, v, b.Imm32(2)).Def,
			&b.Intrinsic(ir.IntrShuffleXor, 1, 32, v, b.Imm32(5)).Def}
	}},
	{Name: "a table of constants", words: 13, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		for i := range 256 {
			s.ConstantData = append(s.ConstantData, byte(i*11+i>>3))
		}
		load := func(off *ir.Def, n, bits uint8, base, align uint64) []*ir.Def {
			return Words(b, &b.Intrinsic(ir.IntrLoadConstant, n, bits, off).Set(ir.IdxBase, base).Set(ir.IdxRange, 256-base).Set(ir.IdxAlignMul, align).Def)
		}
		at := b.Iand(b.Ishl(id, b.Imm32(2)), b.Imm32(60))
		l := append(load(at, 2, 32, 0, 4), load(at, 2, 32, 36, 4)...)
		l = append(append(l, load(b.Imm32(24), 3, 32, 8, 4)...), load(b.Iadd(b.Ishl(b.Iand(id, b.Imm32(7)), b.Imm32(4)), b.Imm32(8)), 2, 32, 0, 8)...)
		l = append(append(l, load(b.Iand(id, b.Imm32(31)), 1, 8, 77, 1)...), load(b.Imm32(3), 1, 8, 0, 1)...)
		return append(append(l, load(b.Ishl(b.Iand(id, b.Imm32(31)), b.Imm32(1)), 1, 16, 6, 2)...), load(b.Iand(b.Imul(id, b.Imm32(4)), b.Imm32(28)), 1, 32, 4, 4)...)
	}},
	{Name: "some components", words: 10, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		s.ScratchSize, s.SharedSize = 64, 4096
		buf, at, mine := StorageBuffer(b, 1, 1), b.Ishl(id, b.Imm32(4)), b.Ishl(b.Iand(id, b.Imm32(63)), b.Imm32(4))
		v := b.Vec(id, b.Inot(id), b.Imul(id, id), b.Imm32(9))
		w := b.Vec(b.U2u16(id), b.U2u16(b.Inot(id)), b.U2u16(b.Imul(id, id)), b.U2u16(b.Imm32(77)))
		zero := b.Vec(b.Imm32(0), b.Imm32(0), b.Imm32(0), b.Imm32(0))
		store := func(v *ir.Def, mask, align uint64) {
			b.Effect(ir.IntrStoreSsbo, v, buf, at).Set(ir.IdxWriteMask, mask).Set(ir.IdxAlignMul, align)
		}
		store(zero, 15, 16)
		store(v, 0b1010, 16)
		store(w, 0b0010, 16)
		StoreTo(b, ir.IntrStoreScratch, zero, b.Imm32(16), 15, 0)
		StoreTo(b, ir.IntrStoreScratch, v, b.Imm32(16), 0b1010, 0)
		StoreTo(b, ir.IntrStoreScratch, w, b.Imm32(16), 0b0010, 0)
		StoreTo(b, ir.IntrStoreShared, zero, mine, 15, 8)
		StoreTo(b, ir.IntrStoreShared, v, mine, 0b0110, 8)
		StoreTo(b, ir.IntrStoreShared, w, mine, 0b0010, 8)
		l := append(Words(b, LoadWords(b, buf, at, 4)), Words(b, LoadShared(b, mine, 3, 32, 8))...)
		return append(l, Words(b, &b.Intrinsic(ir.IntrLoadScratch, 3, 32, b.Imm32(20)).Set(ir.IdxAlignMul, 4).Def)...)
	}},
	{Name: "some components of global memory", words: 4, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		lo := LoadPush(b, b.Imm32(112), 2, 32, 0, 128)
		addr := b.Pack64_2x32Split(b.Iadd(b.Channel(lo, 0), b.Ishl(id, b.Imm32(4))), b.Channel(lo, 1))
		v := b.Vec(id, b.Inot(id), b.Imul(id, id), b.Imm32(9))
		b.Effect(ir.IntrStoreGlobal, v, addr).Set(ir.IdxWriteMask, 0b1010).Set(ir.IdxAlignMul, 16)
		b.Effect(ir.IntrStoreGlobal, b.Vec(b.U2u16(id), b.U2u16(b.Imm32(21))), addr).Set(ir.IdxWriteMask, 2).Set(ir.IdxAlignMul, 16)
		return Words(b, &b.Intrinsic(ir.IntrLoadGlobal, 4, 32, addr).Set(ir.IdxAlignMul, 16).Def)
	}},
	{Name: "offsets that are the same for all", words: 9, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		s.ScratchSize, s.SharedSize = 256, 32768
		u := b.Iand(LoadPush(b, b.Imm32(8), 1, 32, 0, 64), b.Imm32(60))
		last := b.Ieq(b.Iand(id, b.Imm32(63)), b.Imm32(63))
		i := b.PushIf(last)
		for k, base := range []uint64{0, 64, 30001 &^ 1, 32700} {
			StoreTo(b, ir.IntrStoreShared, b.Imm32(uint32(77*k+5)), u, 1, base)
		}
		StoreTo(b, ir.IntrStoreShared, b.U2u8(b.Imm32(200)), u, 1, 32701)
		b.PopIf(i)
		StoreTo(b, ir.IntrStoreScratch, id, u, 1, 0)
		StoreTo(b, ir.IntrStoreScratch, b.Inot(id), b.Iadd(u, b.Imm32(64)), 1, 0)
		Barrier(b)
		l := []*ir.Def{LoadShared(b, u, 1, 32, 0), LoadShared(b, u, 1, 32, 64), LoadShared(b, u, 1, 32, 30000), LoadShared(b, u, 1, 32, 32700)}
		x := b.Intrinsic(ir.IntrLoadScratch, 1, 32, u).Set(ir.IdxAlignMul, 4)
		y := b.Intrinsic(ir.IntrLoadScratch, 1, 32, b.Iadd(u, b.Imm32(64))).Set(ir.IdxAlignMul, 4)
		l = append(l, &x.Def, &y.Def, LoadWords(b, StorageBuffer(b, 0, 0), u, 1))
		return append(l, Words(b, LoadUBO(b, u, 2, 32, 4))...)
	}},
	{Name: "offsets of other shapes", words: 8, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		buf := StorageBuffer(b, 0, 0)
		local := &b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def
		two := b.Vec(b.Imul(id, b.Imm32(3)), b.Imul(id, b.Imm32(8)))
		swizzled := func(d *ir.Def, lane uint8) *ir.Def { // no move of a channel between
			in := b.Iadd(id, b.Imm32(12)).Instr
			in.Srcs[0].Set(d)
			in.Srcs[0].Swizzle = ir.Swizzle(lane)
			return &in.Def
		}
		load := func(off *ir.Def) *ir.Def { return LoadWords(b, buf, off, 1) }
		return []*ir.Def{load(b.Ishl(id, b.Iadd(b.Iand(id, b.Imm32(3)), b.Imm32(2)))), load(swizzled(two, 1)), load(b.Ishl(swizzled(local, 0), b.Imm32(2))),
			load(b.Ishl(b.Iand(id, b.Imm32(3)), b.Imm32(34))), load(b.Iadd(b.Ishl(id, b.Imm32(3)), b.Imm32(0xfffffff0))), load(b.Imul(id, b.Imm32(12))),
			load(b.Iadd(b.Imul(id, b.Imm32(4)), b.Ishl(id, b.Imm32(4)))), load(b.Isub(b.Imm32(512), b.Ishl(id, b.Imm32(2))))}
	}},
	{Name: "beyond the end", words: 7, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		in := StorageBuffer(b, 0, 0)
		for _, off := range []uint32{16384, 0x7ffffffc, 0xfffffffc} {
			StoreWords(b, in, b.Imm32(off), id)
		}
		l := []*ir.Def{LoadWords(b, in, b.Imm32(16384), 1), LoadWords(b, in, b.Imm32(0x80000000), 1), LoadWords(b, in, b.Imm32(0xfffffffc), 1), LoadWords(b, in, b.Imm32(16380), 1)}
		return append(l, Words(b, LoadWords(b, in, b.Ishl(id, b.Imm32(8)), 3))...)
	}},
	{Name: "numbers that selection knows", words: 9, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		n := b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupSize, 3, 32).Def, 0)
		h := b.U2u16(b.Iadd(b.Imul(n, b.Imm32(1023)), b.Imm32(5)))
		known := b.U2u16(n)
		return []*ir.Def{b.Bcsel(b.Undef(1, 1), id, id), b.BitCount(n), b.I2i32(known), b.U2u32(known), b.Pack32_2x16Split(known, known), b.Pack32_2x16Split(h, known),
			b.BitCount(b.U2u32(known)), b.Bcsel(b.Ieq(n, b.Imm32(64)), id, n), b.I2i32(b.I2i8(b.Imul(n, b.Imm32(3))))}
	}},
	{Name: "sets by the way taken", words: 3, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		at := b.Ishl(id, b.Imm32(2))
		StoreWords(b, StorageBuffer(b, 1, 1), at, b.Inot(id))
		i := b.PushIf(b.Ult(id, b.Imm32(70)))
		x := StorageBuffer(b, 0, 0)
		b.PushElse(i)
		y := StorageBuffer(b, 1, 1)
		b.PopIf(i)
		h := b.IfPhi(i, x, y)
		v := LoadWords(b, h, at, 1)
		StoreWords(b, h, b.Iadd(at, b.Imm32(4096)), b.Imul(id, b.Imm32(5)))
		return []*ir.Def{v, LoadWords(b, StorageBuffer(b, 0, 0), b.Iadd(at, b.Imm32(4096)), 1), LoadWords(b, StorageBuffer(b, 1, 1), b.Iadd(at, b.Imm32(4096)), 1)}
	}},
	{Name: "narrow vectors", words: 16, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) []*ir.Def {
		s.ScratchSize, s.SharedSize = 64, 1024
		buf, mine := StorageBuffer(b, 0, 0), b.Ishl(b.Iand(id, b.Imm32(63)), b.Imm32(3))
		from := func(i ir.Intrinsic, n, bits uint8, srcs ...*ir.Def) []*ir.Def {
			return Words(b, &b.Intrinsic(i, n, bits, srcs...).Set(ir.IdxAlignMul, uint64(bits/8)).Def)
		}
		h, c := b.U2u16(b.Imul(id, b.Imm32(7))), b.U2u8(b.Imul(id, b.Imm32(5)))
		StoreTo(b, ir.IntrStoreShared, b.Vec(h, b.U2u16(id), h), mine, 0b101, 0)
		StoreTo(b, ir.IntrStoreShared, b.Vec(c, b.U2u8(id)), mine, 0b11, 2)
		StoreTo(b, ir.IntrStoreScratch, b.Vec(h, b.U2u16(id), h, h), b.Imm32(8), 0b1111, 0)
		StoreTo(b, ir.IntrStoreScratch, b.Vec(c, b.U2u8(id), c), b.Imm32(9), 0b101, 0)
		l := append(from(ir.IntrLoadSsbo, 3, 16, buf, b.Ishl(id, b.Imm32(1))), from(ir.IntrLoadSsbo, 4, 8, buf, b.Imul(id, b.Imm32(3)))...)
		l = append(append(l, from(ir.IntrLoadShared, 3, 16, mine)...), from(ir.IntrLoadShared, 2, 8, b.Iadd(mine, b.Imm32(1)))...)
		return append(append(l, from(ir.IntrLoadScratch, 2, 16, b.Imm32(10))...), from(ir.IntrLoadScratch, 2, 8, b.Imm32(9))...)
	}},
}

// offsetCases load elements of each size at offsets that are sums, shifts and products of all shapes, in terms of which targets count
// elements instead of bytes.
func offsetCases() (list []MemoryCase) {
	for log := range uint32(3) {
		bits := uint8(8 << log)
		for _, constants := range []bool{false, true} {
			name := fmt.Sprintf("offsets of %d bits of a buffer", bits)
			if constants {
				name = fmt.Sprintf("offsets of %d bits of constant data", bits)
			}
			list = append(list, MemoryCase{Name: name, words: 14, build: func(s *ir.Shader, b *ir.Builder, id *ir.Def) (l []*ir.Def) {
				for i := range 256 {
					s.ConstantData = append(s.ConstantData, byte(i*i+13*i))
				}
				i, j := b.Iand(id, b.Imm32(7)), b.Iand(b.Ushr(id, b.Imm32(3)), b.Imm32(3))
				bytes := func(elements uint32) *ir.Def { return b.Imm32(elements << log) }
				shift := func(d *ir.Def, by uint32) *ir.Def { return b.Ishl(d, b.Imm32(log+by)) }
				times := func(d *ir.Def, by uint32) *ir.Def { return b.Imul(d, bytes(by)) }
				for _, off := range []*ir.Def{shift(i, 0), shift(i, 2), times(i, 3), b.Iadd(shift(i, 0), bytes(1)), b.Iadd(bytes(1), shift(i, 1)), b.Iadd(shift(i, 1), bytes(0)),
					b.Iadd(times(i, 3), bytes(2)), b.Iadd(shift(i, 2), shift(j, 0)), b.Iadd(shift(j, 1), times(i, 5)), b.Iadd(b.Iadd(shift(i, 0), shift(j, 3)), bytes(1)),
					b.Iadd(b.Iadd(shift(i, 1), bytes(3)), shift(j, 1)), b.Iadd(shift(b.Iadd(i, b.Imm32(2)), 2), b.Imm32(^(1<<log - 1))), b.Isub(bytes(32), shift(i, 1)), b.Amul(i, bytes(4))} {
					if constants {
						l = append(l, Words(b, &b.Intrinsic(ir.IntrLoadConstant, 1, bits, off).Set(ir.IdxRange, 256).Set(ir.IdxAlignMul, uint64(bits/8)).Def)...)
						continue
					}
					l = append(l, Words(b, &b.Intrinsic(ir.IntrLoadSsbo, 1, bits, StorageBuffer(b, 0, 0), off).Set(ir.IdxAlignMul, uint64(bits/8)).Def)...)
				}
				return l
			}})
		}
	}
	return list
}

// MemoryWave is the wave that cases on values of other lanes are made for.
const MemoryWave = 64

// longAtomics are places of 64 bits of their own for each lane, in a buffer and by address, and what atomics found in them.
type longAtomics struct {
	b             *ir.Builder
	buf, at, addr *ir.Def
	old           []*ir.Def
}

func newLongAtomics(b *ir.Builder, id *ir.Def) *longAtomics {
	at := b.Iadd(b.Ishl(id, b.Imm32(3)), b.Imm32(12288))
	push := b.Intrinsic(ir.IntrLoadPushConstant, 2, 32, b.Imm32(112)).Set(ir.IdxRange, 128).Set(ir.IdxAlignMul, 4)
	addr := b.Pack64_2x32Split(b.Iadd(b.Channel(&push.Def, 0), b.Ishl(id, b.Imm32(3))), b.Channel(&push.Def, 1))
	return &longAtomics{b: b, buf: StorageBuffer(b, 0, 1), at: at, addr: addr}
}

func (w *longAtomics) keep(in *ir.Instr, op ir.AtomicOp) {
	old := &in.Set(ir.IdxAtomicOp, uint64(op)).Def
	w.old = append(w.old, w.b.Unpack64_2x32SplitX(old), w.b.Unpack64_2x32SplitY(old))
}

// TestMemory runs the cases: run compiles a shader of the case of a name and compares it with what Differ says, once or
// for several devices. Cases that are refused are those of the names alone.
func TestMemory(t *testing.T, run func(name string, s *ir.Shader, r *Run) error, refused ...string) {
	for _, c := range append(offsetCases(), memoryCases...) {
		s, b := NewShader(ir.StageCompute, MemoryWave)
		s.Options.Robust.Storage = ir.Robust2
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		for k, v := range c.build(s, b, id) {
			off := b.Iadd(b.Imul(id, b.Imm32(uint32(4*c.words))), b.Imm32(uint32(4*k)))
			StoreWords(b, StorageBuffer(b, 0, 1), off, v)
		}
		if err := ir.Validate(s); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		in := make([]byte, 16384)
		for i := 0; i < len(in); i += 4 {
			binary.LittleEndian.PutUint32(in[i:], uint32(i)*2654435761)
		}
		err := run(c.Name, s, &Run{Groups: 2, In: in, OutSize: 16384, Push: in[64:176]})
		if no := errors.Is(err, errors.ErrUnsupported); no != slices.Contains(refused, c.Name) || err != nil && !no {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// LoadUBO loads n components of the uniform buffer.
func LoadUBO(b *ir.Builder, off *ir.Def, n, bits uint8, alignMul uint64) *ir.Def {
	in := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0))
	in.Set(ir.IdxDescSet, 1).Set(ir.IdxBinding, 0).Set(ir.IdxDescType, 1)
	x := b.Intrinsic(ir.IntrLoadUbo, n, bits, b.Channel(&in.Def, 0), off)
	x.Set(ir.IdxAlignMul, alignMul).Set(ir.IdxRange, 1<<16)
	return &x.Def
}

// Words are the components of d, as words.
func Words(b *ir.Builder, d *ir.Def) []*ir.Def {
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

// LoadPush loads n components of push constants.
func LoadPush(b *ir.Builder, off *ir.Def, n, bits uint8, base, size uint64) *ir.Def {
	x := b.Intrinsic(ir.IntrLoadPushConstant, n, bits, off)
	x.Set(ir.IdxBase, base).Set(ir.IdxRange, size).Set(ir.IdxAlignMul, 4)
	return &x.Def
}

// LoadShared loads n components of workgroup memory.
func LoadShared(b *ir.Builder, off *ir.Def, n, bits uint8, base uint64) *ir.Def {
	return &b.Intrinsic(ir.IntrLoadShared, n, bits, off).Set(ir.IdxBase, base).Set(ir.IdxAlignMul, 4).Def
}

// StoreTo stores the components of v in a mask to workgroup or private memory.
func StoreTo(b *ir.Builder, i ir.Intrinsic, v, off *ir.Def, mask, base uint64) {
	b.Effect(i, v, off).Set(ir.IdxWriteMask, mask).Set(ir.IdxBase, base).Set(ir.IdxAlignMul, 4)
}

// Barrier makes the workgroup wait for its workgroup memory.
func Barrier(b *ir.Builder) {
	b.Effect(ir.IntrBarrier).Set(ir.IdxExecutionScope, uint64(ir.ScopeWorkgroup)).Set(ir.IdxMemoryScope, uint64(ir.ScopeWorkgroup)).
		Set(ir.IdxMemorySemantics, uint64(ir.SemAcquire|ir.SemRelease)).Set(ir.IdxMemoryModes, uint64(ir.ModeShared))
}
