package interp

import (
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// TestTruthOfSysvals: the front face and the helper are true as booleans of the width that is asked for; numbers are not.
func TestTruthOfSysvals(t *testing.T) {
	for _, bits := range []uint8{1, 16, 32} {
		for _, on := range []bool{false, true} {
			prim := &emu.Primitive{FrontFacing: on, PrimitiveID: 6}
			w := &Wave{p: &Program{shader: ir.NewShader(ir.StageFragment, nil), lanes: 4}, l: &emu.Launch{Fragment: []emu.FragmentLane{{Prim: prim}, {Prim: prim, Helper: on}}},
				w: 2, on: []uint8{1}, state: &state{regs: make([]uint64, 4)}}
			truth := map[bool]uint64{true: 1<<bits - 1}[on]
			for intr, want := range map[ir.Intrinsic]uint64{ir.IntrLoadFrontFace: truth, ir.IntrLoadHelperInvocation: truth, ir.IntrLoadPrimitiveId: 6} {
				if bits == 1 && intr == ir.IntrLoadPrimitiveId {
					want = 1
				}
				w.regs = []uint64{1000, 1001, 1002, 1003}
				w.execSysval(&inst{n: 1, bits: bits, dst: 2, x: &extra{in: &ir.Instr{Kind: ir.KindIntrinsic, Intr: intr}}})
				if w.regs[3] != want || w.regs[0] != 1000 || w.regs[1] != 1001 || w.regs[2] != 1002 {
					t.Errorf("%s of %d bits when %v: %#x, want %#x", intr, bits, on, w.regs, want)
				}
			}
		}
	}
}

// TestArrayLengths: the length of a buffer's last array is what its range has room for; nothing else has a length.
func TestArrayLengths(t *testing.T) {
	u32 := ir.ScalarType(ir.BaseUint, 32)
	block := func(last *ir.Type) *ir.Type {
		field := func(t *ir.Type, off int32) ir.Field {
			return ir.Field{Type: t, Offset: off, Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1}
		}
		return &ir.Type{Base: ir.BaseStruct, Name: "B", Block: true, Fields: []ir.Field{field(u32, 0), field(last, 8)}}
	}
	for name, c := range map[string]struct {
		last   *ir.Type
		whole  bool // asked of the block
		shared bool
		want   uint32 // 0: refused
	}{
		"an array": {ir.ArrayType(u32, 0, 8), false, false, 4}, "a block": {ir.ArrayType(u32, 0, 8), true, false, 4}, "a number": {u32, false, false, 0},
		"a block without an array": {u32, true, false, 0}, "a shared array": {ir.ArrayType(u32, 5, 4), false, true, 0},
	} {
		k := newBench(t, 1)
		b := k.b
		var d *ir.Def
		if c.shared {
			v := k.s.NewVariable(ir.ModeShared, c.last, "v")
			d = b.DerefVar(v)
		} else {
			h := &b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0)).Set(ir.IdxBinding, 1).Set(ir.IdxDescType, 2).Def
			h = &b.Intrinsic(ir.IntrLoadVulkanDescriptor, 2, 32, h).Set(ir.IdxDescType, 2).Def
			if d = b.DerefCast(h, ir.ModeSSBO, block(c.last), 0); !c.whole {
				d = b.DerefStruct(d, 1)
			}
		}
		k.out(&b.Intrinsic(ir.IntrDerefBufferArrayLength, 1, 32, d).Def)
		if c.want == 0 {
			if _, err := New(k.s, Options{WaveSize: 8}); err == nil || !strings.Contains(err.Error(), "is not known") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		k.want(k.run(8, make([]byte, 8+4*8+4)), 0, func(int) uint32 { return c.want })
	}
}

// TestPhisOfOneSource: phis at the start of both sides of a branch, whose block before is the branch's, and after a loop that is left once.
func TestPhisOfOneSource(t *testing.T) {
	k := newBench(t, 3)
	b := k.b
	phi := func(d *ir.Def, pred *ir.Block) *ir.Def {
		p := k.s.NewPhi(1, 32)
		k.s.AddPhiSrc(p, pred, d)
		return &b.Insert(p).Def
	}
	x, y := b.Iadd(k.lane, b.Imm32(10)), b.Iadd(k.lane, b.Imm32(20))
	head := b.Cursor.Block
	i := b.PushIf(b.Ult(k.lane, b.Imm32(3)))
	then := b.Iadd(phi(x, head), b.Imm32(1))
	b.PushElse(i)
	other := b.Iadd(phi(y, head), b.Imm32(2))
	b.PopIf(i)
	k.out(b.IfPhi(i, then, other))
	r := k.run(8)
	k.want(r, 0, func(l int) uint32 {
		if l < 3 {
			return uint32(l + 11)
		}
		return uint32(l + 22)
	})
}

// TestClock: the clock is a number of 64 bits that goes on between two looks, alike for all lanes.
func TestClock(t *testing.T) {
	k := newBench(t, 5)
	first := &k.b.Intrinsic(ir.IntrShaderClock, 2, 32).Def
	second := &k.b.Intrinsic(ir.IntrShaderClock, 2, 32).Def
	k.out(first)
	k.out(second)
	k.out(k.lane)
	r := k.run(4)
	if r.err != nil {
		t.Fatal(r.err)
	}
	for l := range 8 {
		if r.at(l, 2) <= r.at(l, 0) || r.at(l, 0) == 0 || r.at(l, 1) != 0 || r.at(l, 3) != 0 || r.at(l, 4) != uint32(l) {
			t.Errorf("lane %d: %#x %#x, then %#x %#x", l, r.at(l, 0), r.at(l, 1), r.at(l, 2), r.at(l, 3))
		}
	}
}
