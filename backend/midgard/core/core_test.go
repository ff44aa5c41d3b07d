package core

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// alu makes an ALU bundle.
func alu(f func(b *isa.Bundle)) isa.Bundle {
	var b isa.Bundle
	f(&b)
	upper := b.Has(isa.UnitBranchX) && (b.Extended.Op == isa.BranchWriteout || b.Extended.Op == isa.BranchTilebuffer)
	b.SetTag(upper)
	return b
}

func ldst(list ...isa.LoadStore) isa.Bundle {
	b := isa.Bundle{Tag: isa.TagLdSt, LdSt: [2]isa.LoadStore{isa.EmptySlot, isa.EmptySlot}}
	copy(b.LdSt[:], list)
	return b
}

// encode links the bundles whose next tag is not set.
func encode(t *testing.T, prog []isa.Bundle) []byte {
	t.Helper()
	linked := append([]isa.Bundle(nil), prog...)
	isa.Link(linked)
	for i := range prog {
		if prog[i].Next != 0 {
			linked[i].Next = prog[i].Next
		}
	}
	code, err := isa.Encode(linked)
	if err != nil {
		t.Fatal(err)
	}
	return append(code, make([]byte, isa.Padding)...)
}

// load makes a program of bundles; it fills in the first tag.
func load(t *testing.T, m *abi.Meta, prog ...isa.Bundle) emu.Program {
	t.Helper()
	code := encode(t, prog)
	m.FirstTag = prog[0].Tag
	if m.WorkRegs == 0 {
		m.WorkRegs = 8
	}
	p, err := Load(code, m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// machine is the memory that test programs see.
type machine struct {
	env *emu.Env
	buf *emu.Buffer
}

func newMachine(size int) *machine {
	mem := emu.NewMemory()
	m := &machine{env: &emu.Env{Mem: mem, Bindings: &emu.Bindings{}}, buf: mem.Alloc(size)}
	m.env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: m.buf.Addr, Size: uint64(size)}})
	return m
}

// compute runs one thread in checking mode.
func (m *machine) compute(p emu.Program) error {
	l := &emu.Launch{Env: m.env, NumLanes: 1, Check: true, Out: make([]emu.Slots, 1),
		Compute: &emu.ComputeLaunch{LocalID: [][3]uint32{{1, 2, 3}}, WorkgroupID: [3]uint32{4, 5, 6}, NumWorkgroups: [3]uint32{9, 9, 9},
			Shared: make([]byte, p.SharedSize())}}
	w := p.NewWave(l)
	st, err := w.Run(10000)
	if err == nil && st != emu.StatusDone {
		return errStatus(st)
	}
	return err
}

type errStatus emu.Status

func (e errStatus) Error() string { return "the wave did not end" }

// computeMeta: uniform register 0 is the storage buffer at (0, 0).
func computeMeta() *abi.Meta {
	return &abi.Meta{Stage: ir.StageCompute, UsesBarrier: true, WorkgroupSize: [3]uint32{8, 4, 4}, UBOs: []abi.UBO{{Kind: abi.UBOSysvals}},
		Sysvals: []abi.Sysval{{Kind: abi.SysvalSSBO}}, Uniforms: []abi.Uniform{{UBO: 0, Offset: 0}}, WorkRegs: 8}
}

// output stores register r, then ends: r to r27, the address to r26.zw.
func output(r uint8, offset int32) []isa.Bundle {
	return []isa.Bundle{
		alu(func(b *isa.Bundle) {
			b.Add(isa.UnitVMUL, isa.Vector(isa.OpImov, isa.Mode64, isa.RegConst, 0xf0).From(1, isa.VReg(23, isa.Swz(0, 1, 0, 1))))
			b.Add(isa.UnitVADD, isa.Vector(isa.OpImov, isa.Mode32, isa.RegLdSt1, 0xff).From(1, isa.VReg(r, isa.XYZW)))
		}),
		ldst(isa.LoadStore{Op: isa.St128, Reg: 1, Mask: 15, Swizzle: isa.XYZW, Arg: isa.AddrReg{Reg: isa.AddrLdSt0, Comp: 2}, Toggle: true,
			Format: isa.IndexU32, Index: isa.AddrReg{Reg: isa.AddrZero}, Offset: offset}),
	}
}

// constants loads words into register r.
func constants(r uint8, c [4]uint32) isa.Bundle {
	return alu(func(b *isa.Bundle) {
		b.SetConsts(c)
		b.Add(isa.UnitVMUL, isa.Vector(isa.OpImov, isa.Mode32, r, 0xff).From(1, isa.VReg(isa.RegConst, isa.XYZW)))
	})
}

// runALU runs one instruction on r0 and r1 and returns r2, which was 0 before
// with lanes not written.
func runALU(t *testing.T, u isa.Unit, a isa.ALU, x, y [4]uint32) ([4]uint32, error) {
	t.Helper()
	prog := []isa.Bundle{constants(0, x), constants(1, y), constants(2, [4]uint32{}),
		alu(func(b *isa.Bundle) { b.Add(u, a) })}
	m := newMachine(64)
	err := m.compute(load(t, computeMeta(), append(prog, output(2, 16)...)...))
	var out [4]uint32
	for i := range out {
		out[i] = uint32(emu.LoadBytes(m.buf.Data[16+4*i:], 4))
	}
	return out, err
}

func f(v float32) uint32 { return math.Float32bits(v) }

func h2(lo, hi uint16) uint32 { return uint32(lo) | uint32(hi)<<16 }

func TestVectorALU(t *testing.T) {
	vec := func(op isa.Op, m isa.Mode, mask uint8) isa.ALU {
		return isa.Vector(op, m, 2, mask).From(0, isa.VReg(0, isa.XYZW)).From(1, isa.VReg(1, isa.XYZW))
	}
	src := func(reg uint8, s isa.Swizzle, e isa.Expand, m isa.Mod) isa.Source {
		return isa.Source{Reg: reg, Swizzle: s, Expand: e, Mod: m}
	}
	shrunk := func(a isa.ALU, s isa.Shrink, o isa.OutMod) isa.ALU { a.Shrink, a.Out = s, o; return a }
	nan := math.Float32bits(float32(math.NaN()))
	one, two := uint16(0x3c00), uint16(0x4000)
	floats := [4]uint32{f(1), f(-2), f(0.5), f(8)}
	for _, c := range []struct {
		name       string
		unit       isa.Unit
		a          isa.ALU
		x, y, want [4]uint32
	}{
		{"fadd", isa.UnitVADD, vec(isa.OpFadd, isa.Mode32, 0xff), floats, [4]uint32{f(1), f(1), f(1), f(1)}, [4]uint32{f(2), f(-1), f(1.5), f(9)}},
		{"mask and swizzle", isa.UnitVMUL, vec(isa.OpFmul, isa.Mode32, 0x33).From(0, isa.VReg(0, isa.Swz(3, 0, 1, 0))), floats,
			[4]uint32{f(2), f(2), f(3), f(2)}, [4]uint32{f(16), 0, f(-6), 0}},
		{"abs neg", isa.UnitVADD, vec(isa.OpFadd, isa.Mode32, 0xff).From(0, src(0, isa.XYZW, 0, isa.ModAbs|isa.ModNeg)), floats,
			floats, [4]uint32{0, f(-4), 0, 0}},
		{"saturate", isa.UnitVMUL, vec(isa.OpFmul, isa.Mode32, 0xff).WithOut(isa.OutSaturate), floats, [4]uint32{f(0.5), f(1), f(nanOf()), f(1)},
			[4]uint32{f(0.5), 0, 0, f(1)}},
		{"positive", isa.UnitVMUL, vec(isa.OpFmov, isa.Mode32, 0xff).WithOut(isa.OutPositive), floats, floats, [4]uint32{f(1), 0, f(0.5), f(8)}},
		{"signed one", isa.UnitVMUL, vec(isa.OpFmov, isa.Mode32, 0xff).WithOut(isa.OutSigned1), floats, [4]uint32{f(3), f(-3), nan, f(0.5)},
			[4]uint32{f(1), f(-1), f(-1), f(0.5)}},
		{"inline half", isa.UnitVMUL, vec(isa.OpFmul, isa.Mode32, 0xff).Inline(0x4000), floats, floats, [4]uint32{f(2), f(-4), f(1), f(16)}},
		{"inline int", isa.UnitVADD, vec(isa.OpIadd, isa.Mode32, 0xff).Inline(0xffff), [4]uint32{1, 2, 3, 0}, floats, [4]uint32{0, 1, 2, math.MaxUint32}},
		{"f16 fadd", isa.UnitVADD, vec(isa.OpFadd, isa.Mode16, 0xff), [4]uint32{h2(one, two), h2(two, two), h2(one, one), h2(0, one)},
			[4]uint32{h2(one, one), h2(two, one), h2(one, 0), h2(0x8000, 0xbc00)}, [4]uint32{h2(two, 0x4200), h2(0x4400, 0x4200), h2(two, one), 0}},
		{"f16 replicate low half", isa.UnitVADD, vec(isa.OpIadd, isa.Mode16, 0xff).From(0, src(0, isa.Swz(1, 0, 2, 3), isa.ExpandRepLow, 0)).Inline(0),
			[4]uint32{h2(1, 2), h2(3, 4), h2(5, 6), h2(7, 8)}, floats, [4]uint32{h2(2, 1), h2(3, 4), h2(2, 1), h2(3, 4)}},
		{"f16 swap", isa.UnitVADD, vec(isa.OpIadd, isa.Mode16, 0x0f).From(0, src(0, isa.XYZW, isa.ExpandSwap, 0)).Inline(0),
			[4]uint32{h2(1, 2), h2(3, 4), h2(5, 6), h2(7, 8)}, floats, [4]uint32{h2(5, 6), h2(7, 8), 0, 0}},
		{"widen f16", isa.UnitVADD, vec(isa.OpFadd, isa.Mode32, 0xff).From(0, src(0, isa.XYZW, isa.ExpandHigh, isa.ModNeg)),
			[4]uint32{0, 0, h2(one, two), h2(0x7bff, 1)}, [4]uint32{}, [4]uint32{f(-1), f(-2), f(-65504), f(-float32(math.Ldexp(1, -24)))}},
		{"widen int", isa.UnitVADD, vec(isa.OpIadd, isa.Mode32, 0xff).From(0, src(0, isa.XYZW, isa.ExpandLow, isa.ModSext)).Inline(0),
			[4]uint32{h2(0xffff, 1), h2(0x8000, 2)}, floats, [4]uint32{math.MaxUint32, 1, 0xffff8000, 2}},
		{"widen unsigned", isa.UnitVADD, vec(isa.OpIadd, isa.Mode32, 0x0f).From(0, src(0, isa.XYZW, isa.ExpandLow, isa.ModZext)).Inline(0),
			[4]uint32{h2(0xffff, 0x8000)}, floats, [4]uint32{0xffff, 0x8000}},
		{"widen replicate", isa.UnitVADD, vec(isa.OpIadd, isa.Mode32, 0x0f).From(0, src(0, isa.XYZW, isa.ExpandLow, isa.ModReplicate)).Inline(0),
			[4]uint32{h2(0x1234, 7)}, floats, [4]uint32{0x12341234, 0x00070007}},
		{"widen shift", isa.UnitVADD, vec(isa.OpIadd, isa.Mode32, 0x0f).From(0, src(0, isa.XYZW, isa.ExpandLow, isa.ModShift)).Inline(0),
			[4]uint32{h2(0x1234, 7)}, floats, [4]uint32{0x12340000, 0x00070000}},
		{"narrow to f16 high", isa.UnitVADD, shrunk(vec(isa.OpFadd, isa.Mode32, 0xff), isa.ShrinkHigh, 0), [4]uint32{f(1), f(65536), f(1.0001), f(0)},
			[4]uint32{f(1), 0, 0, f(-2)}, [4]uint32{0, 0, h2(two, 0x7c00), h2(one, 0xc000)}},
		{"narrow ssat", isa.UnitVADD, shrunk(vec(isa.OpIadd, isa.Mode32, 0xff), isa.ShrinkLow, isa.OutSsat).Inline(0),
			[4]uint32{40000, uint32(0xffff0000), 5, 0xffffffff}, floats, [4]uint32{h2(0x7fff, 0x8000), h2(5, 0xffff), 0, 0}},
		{"narrow usat", isa.UnitVADD, shrunk(vec(isa.OpIadd, isa.Mode32, 0xff), isa.ShrinkLow, isa.OutUsat).Inline(0),
			[4]uint32{70000, 0xffffffff, 5, 65535}, floats, [4]uint32{h2(0xffff, 0), h2(5, 65535), 0, 0}},
		{"high multiply", isa.UnitVMUL, shrunk(vec(isa.OpImul, isa.Mode64, 0xff).From(0, src(0, isa.XYZW, isa.ExpandLow, isa.ModZext)).
			From(1, src(1, isa.XYZW, isa.ExpandLow, isa.ModZext)), isa.ShrinkLow, isa.OutKeepHigh),
			[4]uint32{0xffffffff, 0x10000}, [4]uint32{0xffffffff, 0x30000}, [4]uint32{0xfffffffe, 3, 0, 0}},
		{"64-bit add", isa.UnitVADD, vec(isa.OpIadd, isa.Mode64, 0xff), [4]uint32{0xffffffff, 0, 1, 2}, [4]uint32{1, 0, 3, 4}, [4]uint32{0, 1, 4, 6}},
		{"64-bit swizzle", isa.UnitVADD, vec(isa.OpIadd, isa.Mode64, 0x0f).From(0, isa.VReg(0, isa.Swz(2, 3, 2, 3))).Inline(0), [4]uint32{1, 2, 3, 4}, floats,
			[4]uint32{3, 4, 0, 0}},
		{"8-bit add", isa.UnitVADD, vec(isa.OpIadd, isa.Mode8, 0x03).Inline(1), [4]uint32{0x00ff7f01}, floats, [4]uint32{0x01008002}},
		{"fcmp", isa.UnitVADD, vec(isa.OpFlt, isa.Mode32, 0xff), floats, [4]uint32{f(2), f(-3), nan, f(9)}, [4]uint32{math.MaxUint32, 0, 0, math.MaxUint32}},
		{"fne nan", isa.UnitVADD, vec(isa.OpFne, isa.Mode32, 0x0f), [4]uint32{nan, f(1)}, [4]uint32{nan, f(1)}, [4]uint32{math.MaxUint32}},
		{"boolean to 16 bits", isa.UnitVADD, shrunk(vec(isa.OpIeq, isa.Mode32, 0xff), isa.ShrinkLow, isa.OutKeepLow), [4]uint32{1, 2, 3, 4}, [4]uint32{1, 0, 3, 0},
			[4]uint32{0x0000ffff, 0x0000ffff, 0, 0}},
		{"halves to bytes", isa.UnitVADD, shrunk(vec(isa.OpF2u, isa.Mode16, 0xff), isa.ShrinkLow, isa.OutKeepLow).Inline(0),
			[4]uint32{h2(one, two), h2(0x5bf8, 0), h2(two, one), 0}, floats, [4]uint32{0x00ff0201, 0x00000102, 0, 0}},
		{"fdot4", isa.UnitVMUL, vec(isa.OpFdot4, isa.Mode32, 0x0c), floats, [4]uint32{f(1), f(1), f(2), f(1)}, [4]uint32{0, f(8), 0, 0}},
		{"fdot3", isa.UnitVMUL, vec(isa.OpFdot3, isa.Mode32, 0xc0), floats, [4]uint32{f(1), f(1), f(2), f(nanOf())}, [4]uint32{0, 0, 0, f(0)}},
		{"ball", isa.UnitVADD, vec(isa.OpIballIne, isa.Mode32, 0x03), [4]uint32{1, 2, 3, 4}, [4]uint32{0, 0, 0, 0}, [4]uint32{math.MaxUint32}},
		{"ball false", isa.UnitVADD, vec(isa.OpIballIne, isa.Mode32, 0x03), [4]uint32{1, 2, 3, 4}, [4]uint32{0, 0, 3, 0}, [4]uint32{}},
		{"bany", isa.UnitVADD, vec(isa.OpFbanyEq, isa.Mode32, 0x30), floats, [4]uint32{0, 0, f(0.5), 0}, [4]uint32{0, 0, math.MaxUint32}},
		{"f2i", isa.UnitVADD, vec(isa.OpF2iRtz, isa.Mode32, 0xff), [4]uint32{f(-2.9), f(3e9), nan, f(-3e9)}, floats,
			[4]uint32{^uint32(1), 0x5a5a5a5a, 0x5a5a5a5b, 0x5a5a5a59}}, // out of range: nothing to count on
		{"f2u", isa.UnitVADD, vec(isa.OpF2uRtz, isa.Mode32, 0xff), [4]uint32{f(-2.9), f(3e9), nan, f(5e9)}, floats, [4]uint32{0x5a5a5a59, 3000000000, 0x5a5a5a5b, 0x5a5a5a5a}},
		{"f2i even", isa.UnitVADD, vec(isa.OpF2i, isa.Mode32, 0x0f), [4]uint32{f(2.5), f(-3.5)}, floats, [4]uint32{2, ^uint32(3)}},
		{"i2f", isa.UnitVADD, vec(isa.OpI2f, isa.Mode32, 0x0f).WithOut(0), [4]uint32{^uint32(0), 16777217}, floats, [4]uint32{f(-1), f(16777216)}},
		{"u2f rtp", isa.UnitVADD, vec(isa.OpU2fRtp, isa.Mode32, 0x0f).WithOut(0), [4]uint32{^uint32(0), 16777217}, floats, [4]uint32{f(4294967296), f(16777218)}},
		{"fadd rtz", isa.UnitVADD, vec(isa.OpFaddRtz, isa.Mode32, 0x0f), [4]uint32{f(1), f(-1)}, [4]uint32{f(-1e-20), f(1e-20)},
			[4]uint32{f(math.Nextafter32(1, 0)), f(math.Nextafter32(-1, 0))}},
		{"fmin nan", isa.UnitVMUL, vec(isa.OpFmin, isa.Mode32, 0x0f), [4]uint32{nan, f(1)}, [4]uint32{f(5), f(-1)}, [4]uint32{f(5), f(-1)}},
		{"fmax nan kept", isa.UnitVMUL, vec(isa.OpFmaxNan, isa.Mode32, 0x0f), [4]uint32{nan, f(1)}, [4]uint32{f(5), f(-1)}, [4]uint32{nan, f(1)}},
		{"floor", isa.UnitVADD, vec(isa.OpFfloor, isa.Mode32, 0x0f), [4]uint32{f(-1.5), f(1.5)}, floats, [4]uint32{f(-2), f(1)}},
		{"roundeven", isa.UnitVADD, vec(isa.OpFroundeven, isa.Mode32, 0x0f), [4]uint32{f(2.5), f(-3.5)}, floats, [4]uint32{f(2), f(-4)}},
		{"iaddsat", isa.UnitVADD, vec(isa.OpIaddsat, isa.Mode32, 0x0f), [4]uint32{math.MaxInt32, 0x80000000}, [4]uint32{1, 0xffffffff}, [4]uint32{math.MaxInt32, 0x80000000}},
		{"usubsat", isa.UnitVADD, vec(isa.OpUsubsat, isa.Mode32, 0x0f), [4]uint32{1, 5}, [4]uint32{2, 3}, [4]uint32{0, 2}},
		{"averages", isa.UnitVADD, vec(isa.OpIravg, isa.Mode32, 0x0f), [4]uint32{math.MaxInt32, ^uint32(0)}, [4]uint32{math.MaxInt32 - 1, 2}, [4]uint32{math.MaxInt32, 1}},
		{"ishladd", isa.UnitVMUL, vec(isa.OpIshladd, isa.Mode32, 0x0f), [4]uint32{3, 5}, [4]uint32{1, 2}, [4]uint32{7, 12}},
		{"shifts", isa.UnitVADD, vec(isa.OpIasr, isa.Mode32, 0x0f), [4]uint32{0x80000000, 64}, [4]uint32{31, 33}, [4]uint32{math.MaxUint32, 32}},
		{"clz", isa.UnitVADD, vec(isa.OpIclz, isa.Mode32, 0x0f), [4]uint32{0, 1}, floats, [4]uint32{32, 31}},
		{"clz 16", isa.UnitVADD, vec(isa.OpIclz, isa.Mode16, 0x03), [4]uint32{0x00010000}, floats, [4]uint32{h2(16, 15)}},
		{"popcnt", isa.UnitVADD, vec(isa.OpIpopcnt, isa.Mode32, 0x0f), [4]uint32{0xff, 0x80000001}, floats, [4]uint32{8, 2}},
		{"logic", isa.UnitVMUL, vec(isa.OpIornot, isa.Mode32, 0x0f), [4]uint32{1, 2}, [4]uint32{0xfffffff0, 0}, [4]uint32{15, math.MaxUint32}},
		{"absdiff", isa.UnitVADD, vec(isa.OpIabsdiff, isa.Mode32, 0x0f).Inline(0), [4]uint32{^uint32(4), 7}, floats, [4]uint32{5, 7}},
		{"f64", isa.UnitVMUL, vec(isa.OpFmul, isa.Mode64, 0x0f), words64(1.5), words64(-3), words64(-4.5)},
	} {
		got, err := runALU(t, c.unit, c.a, c.x, c.y)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
}

func nanOf() float32 { return float32(math.NaN()) }

func words64(v float64) [4]uint32 {
	b := math.Float64bits(v)
	return [4]uint32{uint32(b), uint32(b >> 32)}
}

func TestScalarALU(t *testing.T) {
	a := isa.Scalar(isa.OpFadd, 2, 3).From(0, isa.SReg(0, 2)).From(1, isa.Source{Reg: 1, Comp: 5})
	got, err := runALU(t, isa.UnitSADD, a, [4]uint32{0, 0, f(1.5), 0}, [4]uint32{0, 0, h2(0, 0x3c00), 0})
	if err != nil || got != ([4]uint32{0, 0, 0, f(2.5)}) {
		t.Errorf("fadd with a half: %#x, %v", got, err)
	}
	a = isa.Scalar(isa.OpImul, 2, 0).From(0, isa.SReg(0, 0)).From(1, isa.SReg(1, 1))
	a.DstFull, a.DstComp = false, 5
	got, err = runALU(t, isa.UnitSMUL, a, [4]uint32{70000}, [4]uint32{0, 3})
	if err != nil || got != ([4]uint32{0, 0, 210000 & 0xffff << 16, 0}) {
		t.Errorf("imul to 16 bits: %#x, %v", got, err)
	}
	a = isa.Scalar(isa.OpIadd, 2, 1).From(0, isa.Source{Reg: 0, Comp: 1, Mod: isa.ModSext}).Inline(0xfffe)
	got, err = runALU(t, isa.UnitSADD, a, [4]uint32{h2(5, 0xffff)}, [4]uint32{})
	if err != nil || got != ([4]uint32{0, ^uint32(2), 0, 0}) {
		t.Errorf("iadd of a signed half: %#x, %v", got, err)
	}
}

func TestLUT(t *testing.T) {
	for _, c := range []struct {
		op   isa.Op
		x    float32
		want float64
	}{
		{isa.OpFrcp, 3, 1.0 / 3}, {isa.OpFrcp, float32(math.Copysign(0, -1)), math.Inf(-1)}, {isa.OpFrsqrt, 2, 1 / math.Sqrt2},
		{isa.OpFrsqrt, -1, math.NaN()}, {isa.OpFsqrt, 2, math.Sqrt2}, {isa.OpFexp2, 0.5, math.Sqrt2}, {isa.OpFexp2, float32(math.Inf(-1)), 0},
		{isa.OpFlog2, 10, math.Log2(10)}, {isa.OpFlog2, 0, math.Inf(-1)}, {isa.OpFsinpi, 0.25, math.Sqrt2 / 2}, {isa.OpFsinpi, 100001.5, -1},
		{isa.OpFcospi, 1.0 / 3, math.Cos(math.Pi * float64(float32(1.0/3)))}, {isa.OpFcospi, 3, -1}, {isa.OpFcospi, float32(math.Inf(1)), math.NaN()},
	} {
		a := isa.Vector(c.op, isa.Mode32, 2, 0x30).From(0, isa.VReg(0, isa.Rep(1)))
		got, err := runALU(t, isa.UnitLUT, a, [4]uint32{0, f(c.x)}, [4]uint32{})
		if err != nil {
			t.Errorf("%s: %v", c.op, err)
			continue
		}
		v := float64(math.Float32frombits(got[2]))
		same := v == c.want || v != v && c.want != c.want
		if !same && !(math.Abs(v-c.want) <= math.Abs(c.want)*0x1p-24) {
			t.Errorf("%s(%v) = %v, want %v", c.op, c.x, v, c.want)
		}
	}
	fma := isa.Vector(isa.OpFfma, isa.Mode32, 2, 0x03).From(0, isa.VReg(0, isa.XYZW)).From(1, isa.VReg(1, isa.XYZW))
	e := float32(1 + 0x1p-12)
	got, err := runALU(t, isa.UnitLUT, fma, [4]uint32{f(e), f(e)}, [4]uint32{f(-1 - 0x1p-11)})
	if err != nil || got[0] != f(0x1p-24) {
		t.Errorf("fma: %v, %v", math.Float32frombits(got[0]), err)
	}
}

// TestForwarding: a bundle multiplies and adds through a pipeline register and
// selects by its own condition.
func TestForwarding(t *testing.T) {
	prog := []isa.Bundle{constants(0, [4]uint32{f(1), f(2), f(3), f(4)}), constants(1, [4]uint32{f(10), f(20), f(30), f(40)}),
		alu(func(b *isa.Bundle) {
			b.Add(isa.UnitVMUL, isa.Vector(isa.OpFmul, isa.Mode32, isa.RegPipe0, 0xff).From(0, isa.VReg(0, isa.XYZW)).From(1, isa.VReg(1, isa.XYZW)))
			b.Add(isa.UnitSADD, isa.Scalar(isa.OpIadd, 0, 0).From(0, isa.SReg(0, 1)).Inline(0)) // r0.x = r0.y after the reads of stage 1
			b.Add(isa.UnitVADD, isa.Vector(isa.OpFadd, isa.Mode32, 2, 0xff).From(0, isa.VReg(isa.RegPipe0, isa.XYZW)).From(1, isa.VReg(0, isa.XYZW)))
		}),
		alu(func(b *isa.Bundle) {
			b.Add(isa.UnitVMUL, isa.Vector(isa.OpFlt, isa.Mode32, isa.RegCond, 0xff).From(0, isa.VReg(0, isa.XYZW)).From(1, isa.VReg(0, isa.Rep(2))))
			b.Add(isa.UnitVADD, isa.Vector(isa.OpFcselV, isa.Mode32, 3, 0xff).From(0, isa.VReg(2, isa.XYZW)).
				From(1, isa.Source{Reg: 1, Swizzle: isa.XYZW, Mod: isa.ModNeg}))
		}),
	}
	prog = append(append(prog, output(2, 0)...), output(3, 16)...)
	m := newMachine(64)
	if err := m.compute(load(t, computeMeta(), prog...)); err != nil {
		t.Fatal(err)
	}
	want := []float32{12, 42, 93, 164, 12, 42, -30, -40}
	for i, x := range want {
		if got := math.Float32frombits(uint32(emu.LoadBytes(m.buf.Data[4*i:], 4))); got != x {
			t.Errorf("word %d: %v, want %v", i, got, x)
		}
	}
}

// TestLoop sums 1..10 with a conditional branch back, and jumps over a bundle.
func TestLoop(t *testing.T) {
	prog := []isa.Bundle{constants(0, [4]uint32{10, 0}),
		alu(func(b *isa.Bundle) {
			b.Add(isa.UnitVMUL, isa.Vector(isa.OpIadd, isa.Mode32, 0, 0x0c).From(0, isa.VReg(0, isa.Rep(1))).From(1, isa.VReg(0, isa.Rep(0))))
		}),
		alu(func(b *isa.Bundle) {
			b.Add(isa.UnitSADD, isa.Scalar(isa.OpIadd, 0, 0).From(0, isa.SReg(0, 0)).Inline(0xffff))
			b.Add(isa.UnitSMUL, isa.Scalar(isa.OpIne, isa.RegCond, 3).From(0, isa.SReg(0, 0)).Inline(0))
			b.SetBranch(isa.Branch{Op: isa.BranchCond, Cond: isa.CondTrue, Target: isa.TagALU4, Offset: -3})
		}),
		alu(func(b *isa.Bundle) {
			b.SetBranch(isa.Branch{Op: isa.BranchCond, Cond: isa.CondAlways, Target: isa.TagALU4, Offset: 2})
		}),
		constants(0, [4]uint32{7, 7, 7, 7}),
		alu(func(b *isa.Bundle) {
			b.Units |= isa.UnitBranch.In()
			b.Compact = isa.Branch{Op: isa.BranchUncond, Call: 1, Target: isa.TagALU4 + 1, Offset: 0}
		}),
	}
	if n := prog[2].Quads(); n != 2 {
		t.Fatalf("the loop bundle has %d quadwords", n)
	}
	prog = append(prog, output(0, 0)...)
	prog[5].Compact.Target = prog[6].Tag
	m := newMachine(64)
	if err := m.compute(load(t, computeMeta(), prog...)); err != nil {
		t.Fatal(err)
	}
	if got := emu.LoadBytes(m.buf.Data[4:], 4); got != 55 {
		t.Errorf("sum %d", got)
	}
}

// expectRule runs a bundle and wants checking mode to complain.
func expectRule(t *testing.T, want string, b isa.Bundle) {
	t.Helper()
	err := newMachine(64).compute(load(t, computeMeta(), constants(0, [4]uint32{}), b))
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("want an error with %q, got %v", want, err)
	}
}

func TestRules(t *testing.T) {
	mov := func(d, s uint8) isa.ALU {
		return isa.Vector(isa.OpImov, isa.Mode32, d, 0xff).From(1, isa.VReg(s, isa.XYZW))
	}
	one := func(u isa.Unit, a isa.ALU) isa.Bundle { return alu(func(b *isa.Bundle) { b.Add(u, a) }) }
	expectRule(t, "does not run on this unit", one(isa.UnitVMUL, isa.Vector(isa.OpFadd, isa.Mode32, 1, 0xff)))
	expectRule(t, "uniform register", one(isa.UnitVMUL, mov(23, 0)))
	expectRule(t, "work registers are declared", one(isa.UnitVMUL, mov(9, 0)))
	expectRule(t, "register 30 is written", one(isa.UnitVMUL, mov(30, 0)))
	for _, pipe := range []uint8{isa.RegPipe0, isa.RegPipe0 + 1} {
		expectRule(t, fmt.Sprintf("pipeline register %d is read where stage 1", pipe), one(isa.UnitVADD, mov(1, pipe)))
	}
	expectRule(t, "twice in one stage", alu(func(b *isa.Bundle) {
		b.Add(isa.UnitVMUL, mov(1, 0))
		b.Add(isa.UnitSADD, isa.Scalar(isa.OpIadd, 1, 2).From(0, isa.SReg(0, 0)))
	}))
	expectRule(t, "condition is not written", one(isa.UnitVADD, isa.Vector(isa.OpIcsel, isa.Mode32, 1, 0xff).From(0, isa.VReg(0, isa.XYZW))))
	expectRule(t, "r31.w is not written", alu(func(b *isa.Bundle) {
		b.SetBranch(isa.Branch{Op: isa.BranchCond, Cond: isa.CondTrue, Target: isa.TagBreak})
	}))
	expectRule(t, "output modifier 2", one(isa.UnitVADD, isa.Vector(isa.OpIadd, isa.Mode32, 1, 0xff).WithOut(isa.OutSsat)))
	expectRule(t, "it must be one", one(isa.UnitVMUL, isa.Vector(isa.OpFdot4, isa.Mode32, 1, 0xff)))
	expectRule(t, "cuts a lane", one(isa.UnitVMUL, mov2(isa.OpImov, 1)))
	expectRule(t, "no bundle of tag", alu(func(b *isa.Bundle) {
		b.SetBranch(isa.Branch{Op: isa.BranchCond, Cond: isa.CondAlways, Target: isa.TagTex, Offset: -1})
	}))
	expectRule(t, "expand mode", one(isa.UnitVMUL, isa.Vector(isa.OpImov, isa.Mode32, 1, 0xff).From(1, isa.Source{Expand: isa.ExpandSwap})))
	expectRule(t, "nothing wrote", one(isa.UnitVMUL, mov(1, isa.RegTex0)))
	expectRule(t, "before anything wrote it", ldst(isa.LoadStore{Op: isa.Ld32, Reg: 1, Mask: 1, Arg: isa.AddrReg{}, Toggle: true, Format: isa.IndexU32,
		Index: isa.AddrReg{Reg: isa.AddrZero}}))
	expectRule(t, "not known", one(isa.UnitVMUL, isa.Vector(isa.Op(0), isa.Mode32, 1, 0xff)))
	upper := one(isa.UnitVMUL, mov(1, 0))
	upper.Tag = isa.TagALUW4
	expectRule(t, "is for writeouts", upper)
}

func mov2(op isa.Op, mask uint8) isa.ALU { return isa.Vector(op, isa.Mode32, 1, mask) }
