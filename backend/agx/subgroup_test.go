package agx

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// Reductions and scans of 8, 16 and 32 bits by every integer operation leave what the
// interpreter leaves, where no lane is before a lane as well, and in divergent code.
func TestScans(t *testing.T) {
	programs.Hold(t)
	for _, op := range []ir.Op{ir.OpIadd, ir.OpImul, ir.OpImin, ir.OpImax, ir.OpUmin, ir.OpUmax, ir.OpIand, ir.OpIor, ir.OpIxor} {
		for _, bits := range []uint8{8, 16, 32} {
			for _, kind := range []ir.Intrinsic{ir.IntrReduce, ir.IntrInclusiveScan, ir.IntrExclusiveScan} {
				r := &gputest.Run{Groups: 1, In: gputest.RandomInput(int64(op), 128), OutSize: 8 * 64}
				if err := execute(t, scanShader(kind, op, bits), CompileOptions{}, r, nil); err != nil {
					t.Errorf("%s of %d bits by %s: %v", kind, bits, op, err)
				}
			}
		}
	}
}

// scanShader stores an operation of all lanes, then of the odd ones.
func scanShader(kind ir.Intrinsic, op ir.Op, bits uint8) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	lane := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	off := b.Ishl(lane, b.Imm32(2))
	x := gputest.Narrow(b, gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), off, 1), bits, ir.ClassInt)
	store := func(at uint32) {
		v := &b.Intrinsic(kind, 1, bits, x).Set(ir.IdxReductionOp, uint64(op)).Def
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Iadd(off, b.Imm32(at)), gputest.Widen(b, v, ir.ClassInt))
	}
	store(0)
	odd := b.PushIf(b.Ine(b.Iand(lane, b.Imm32(1)), b.Imm32(0)))
	store(256)
	b.PopIf(odd)
	return s
}

// Sums and scans of what all lanes have are made of the number of lanes that run, here in divergent code too.
func TestSumsOfSame(t *testing.T) {
	programs.Hold(t)
	for _, bits := range []uint8{8, 16, 32} {
		for _, kind := range []ir.Intrinsic{ir.IntrReduce, ir.IntrInclusiveScan, ir.IntrExclusiveScan} {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			lane := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
			off := b.Ishl(lane, b.Imm32(2))
			push := &b.Intrinsic(ir.IntrLoadPushConstant, 1, 32, b.Imm32(0)).Set(ir.IdxRange, 4).Set(ir.IdxAlignMul, 4).Def
			at := uint32(0)
			store := func(x *ir.Def) {
				v := &b.Intrinsic(kind, 1, bits, x).Set(ir.IdxReductionOp, uint64(ir.OpIadd)).Def
				gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Iadd(off, b.Imm32(at)), gputest.Widen(b, v, ir.ClassInt))
				at += 256
			}
			store(b.ImmInt(1, bits))
			store(gputest.Narrow(b, push, bits, ir.ClassInt))
			i := b.PushIf(b.Ult(b.Imm32(2), b.Iand(b.Imul(lane, b.Imm32(37)), b.Imm32(7))))
			store(b.ImmInt(1, bits))
			store(b.ImmInt(-7, bits))
			b.PopIf(i)
			r := &gputest.Run{Groups: 1, In: gputest.RandomInput(1, 64), OutSize: 16 * 64, Push: []byte{0x1d, 0xf2, 3, 0}}
			if err := execute(t, s, CompileOptions{}, r, nil); err != nil {
				t.Errorf("%s of %d bits: %v", kind, bits, err)
			}
			if _, text, err := tryBuild(t, s, CompileOptions{}); err != nil || strings.Contains(text, "simd_") {
				t.Errorf("%s of %d bits: %v\n%s", kind, bits, err, text)
			}
		}
	}
}

// What is made of ballots, and the masks of lanes beside one, leave what the interpreter leaves, in divergent code too.
func TestBallots(t *testing.T) {
	programs.Hold(t)
	one := func(b *ir.Builder, i ir.Intrinsic, bits uint8, srcs ...*ir.Def) *ir.Def {
		return &b.Intrinsic(i, 1, bits, srcs...).Def
	}
	for name, build := range map[string]func(b *ir.Builder, v *ir.Def) []*ir.Def{
		"ballots": func(b *ir.Builder, v *ir.Def) []*ir.Def {
			m := &b.Intrinsic(ir.IntrBallot, 4, 32, b.Ine(b.Iand(v, b.Imm32(4)), b.Imm32(0))).Def
			inverse := b.Intrinsic(ir.IntrInverseBallot, 1, 1, m)
			inverse.NumComponents = 4
			return append(gputest.Words(b, m), one(b, ir.IntrBallotBitCountReduce, 32, m), one(b, ir.IntrBallotBitCountInclusive, 32, m),
				one(b, ir.IntrBallotBitCountExclusive, 32, m), one(b, ir.IntrBallotFindLsb, 32, m), one(b, ir.IntrBallotFindMsb, 32, m),
				b.B2i32(&inverse.Def), b.B2i32(one(b, ir.IntrBallotBitfieldExtract, 1, m, b.Iand(v, b.Imm32(31)))),
				one(b, ir.IntrFirstInvocation, 32), one(b, ir.IntrLastInvocation, 32))
		},
		"masks": func(b *ir.Builder, v *ir.Def) (l []*ir.Def) {
			for _, i := range []ir.Intrinsic{ir.IntrLoadSubgroupEqMask, ir.IntrLoadSubgroupGeMask, ir.IntrLoadSubgroupGtMask, ir.IntrLoadSubgroupLeMask, ir.IntrLoadSubgroupLtMask} {
				l = append(l, gputest.Words(b, &b.Intrinsic(i, 4, 32).Def)...)
			}
			return l
		},
	} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		v := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(2)), 1)
		at := uint32(0)
		store := func() {
			for _, x := range build(b, v) {
				gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.IAddImm(b.Ishl(id, b.Imm32(2)), int64(at)), x)
				at += 256
			}
		}
		store()
		some := b.PushIf(b.Ult(b.Imm32(2), b.Iand(b.Imul(id, b.Imm32(37)), b.Imm32(7))))
		store()
		b.PopIf(some)
		r := &gputest.Run{Groups: 1, In: gputest.RandomInput(3, 256), OutSize: int(at)}
		if err := execute(t, s, CompileOptions{}, r, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBooleanScans: operations of all lanes on truths.
func TestBooleanScans(t *testing.T) {
	programs.Hold(t)
	for _, op := range []ir.Op{ir.OpIand, ir.OpIor, ir.OpIxor} {
		for _, kind := range []ir.Intrinsic{ir.IntrReduce, ir.IntrInclusiveScan, ir.IntrExclusiveScan} {
			for _, rare := range []uint32{0, 1, 31} { // bits that must be unlike the lane's number
				s, b := gputest.NewShader(ir.StageCompute, 64)
				lane := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
				x := b.Ine(b.Iand(b.Ixor(lane, b.Imm32(7)), b.Imm32(rare)), b.Imm32(0))
				v := &b.Intrinsic(kind, 1, 1, x).Set(ir.IdxReductionOp, uint64(op)).Def
				gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(lane, b.Imm32(2)), b.B2i32(v))
				if err := execute(t, s, CompileOptions{}, &gputest.Run{Groups: 1, OutSize: 4 * 64}, nil); err != nil {
					t.Errorf("%s by %s of bits %#x: %v", kind, op, rare, err)
				}
			}
		}
	}
}

// TestLanes: what moves values between lanes gives what the interpreter gives, in all sizes, by numbers that are the same for all lanes
// and such that are not; rotations by clusters of all sizes.
func TestLanes(t *testing.T) {
	programs.Hold(t)
	for _, kind := range []ir.Intrinsic{ir.IntrShuffle, ir.IntrShuffleXor, ir.IntrShuffleUp, ir.IntrShuffleDown, ir.IntrRotate} {
		clusters := []uint64{0}
		if kind == ir.IntrRotate {
			clusters = []uint64{0, 1, 2, 4, 8, 16, 32}
		}
		for _, bits := range []uint8{1, 8, 16, 32} {
			for _, size := range clusters {
				s, b := gputest.NewShader(ir.StageCompute, 64)
				lane := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
				word := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(lane, b.Imm32(2)), 1)
				x := b.Ine(b.Iand(word, b.Imm32(1)), b.Imm32(0))
				if bits > 1 {
					x = gputest.Narrow(b, word, bits, ir.ClassInt)
				}
				by := []*ir.Def{b.Imm32(3), b.Imm32(0)}
				if kind == ir.IntrShuffle || kind == ir.IntrShuffleXor {
					by = append(by, b.Iand(b.Ushr(word, b.Imm32(3)), b.Imm32(31)))
				}
				for k, n := range by {
					// Lanes that do not exist have nothing that is known.
					v := b.Intrinsic(kind, 1, bits, x, n)
					if kind == ir.IntrRotate {
						v.Set(ir.IdxClusterSize, size)
					}
					word := &v.Def
					if bits == 1 {
						word = b.B2i32(word)
					} else {
						word = gputest.Widen(b, word, ir.ClassInt)
					}
					sub := b.Iand(lane, b.Imm32(31))
					known := b.Ilt(b.Imm32(2), sub)
					if kind == ir.IntrShuffleDown {
						known = b.Ilt(sub, b.Imm32(29))
					}
					if kind == ir.IntrShuffleUp || kind == ir.IntrShuffleDown {
						word = b.Bcsel(known, word, b.Imm32(0))
					}
					gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Iadd(b.Ishl(lane, b.Imm32(2)), b.Imm32(uint32(256*k))), word)
				}
				r := &gputest.Run{Groups: 1, In: gputest.RandomInput(int64(bits), 64), OutSize: 4 * 64 * 3}
				if err := execute(t, s, CompileOptions{}, r, nil); err != nil {
					t.Errorf("%s of %d bits, clusters of %d: %v", kind, bits, size, err)
				}
			}
		}
	}
}
