// Package gputest is what the tests of the code generators share: small
// shaders built by hand, operands for every ALU operation, and the comparison
// of what a target's core stores with what the interpreter stores. Only tests
// import it.
package gputest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// NewShader returns a shader with an empty entry point of the given threads a
// workgroup, and a builder at its end.
func NewShader(stage ir.Stage, threads uint32) (*ir.Shader, *ir.Builder) {
	s := ir.NewShader(stage, nil)
	s.Info.WorkgroupSize = [3]uint32{threads, 1, 1}
	f := s.NewFunction("main")
	f.IsEntry = true
	return s, ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
}

// Handle is the handle of a buffer.
func Handle(b *ir.Builder, set, binding uint32, kind emu.DescriptorType) *ir.Def {
	in := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0))
	in.Set(ir.IdxDescSet, uint64(set)).Set(ir.IdxBinding, uint64(binding)).Set(ir.IdxDescType, uint64(kind))
	d := b.Intrinsic(ir.IntrLoadVulkanDescriptor, 2, 32, &in.Def)
	d.Set(ir.IdxDescType, uint64(kind))
	return b.Channel(&d.Def, 0)
}

// StorageBuffer is the handle of a storage buffer.
func StorageBuffer(b *ir.Builder, set, binding uint32) *ir.Def {
	return Handle(b, set, binding, emu.DescStorageBuffer)
}

// Times repeats body n times, with the number of the time from 0 on.
func Times(b *ir.Builder, n uint32, body func(k *ir.Def)) {
	zero, before := b.Imm32(0), b.Cursor.Block
	l := b.PushLoop()
	s := before.Impl().Shader
	k := s.NewPhi(1, 32)
	b.Insert(k)
	i := b.PushIf(b.Uge(&k.Def, b.Imm32(n)))
	b.Jump(ir.JumpBreak)
	b.PopIf(i)
	body(&k.Def)
	s.AddPhiSrc(k, before, zero)
	s.AddPhiSrc(k, b.Cursor.Block, b.IAddImm(&k.Def, 1))
	b.PopLoop(l)
}

// LoadWords loads n 32-bit words of a storage buffer at a byte offset.
func LoadWords(b *ir.Builder, buf, off *ir.Def, n uint8) *ir.Def {
	x := b.Intrinsic(ir.IntrLoadSsbo, n, 32, buf, off)
	x.Set(ir.IdxAlignMul, 4)
	return &x.Def
}

// StoreWords stores the components of v, 32 bits each.
func StoreWords(b *ir.Builder, buf, off, v *ir.Def) {
	st := b.Effect(ir.IntrStoreSsbo, v, buf, off)
	st.Set(ir.IdxWriteMask, 1<<v.NumComponents-1).Set(ir.IdxAlignMul, 4)
}

// Run is a dispatch: In is the storage buffer at set 0, binding 0, and the
// uniform buffer at set 1, binding 0; the storage buffer at set 0, binding 1
// has OutSize bytes, which are the result, that at set 1, binding 1 has 8192.
type Run struct {
	Groups  uint32
	In      []byte
	OutSize int
	// Push are the push constants. From byte 112 on stands the address of 4096
	// bytes of memory, if they reach that far.
	Push []byte
	// Wave is the interpreter's wave size.
	Wave int
}

func (r *Run) dispatch(p emu.Program) ([]byte, error) {
	mem := emu.NewMemory()
	in, out, more := mem.Alloc(len(r.In)), mem.Alloc(r.OutSize), mem.Alloc(8192)
	copy(in.Data, r.In)
	var bind emu.Bindings
	bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: in.Addr, Size: uint64(len(in.Data))}})
	bind.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: uint64(r.OutSize)}})
	bind.Set(1, 0, []emu.Descriptor{{Type: emu.DescUniformBuffer, Addr: in.Addr, Size: uint64(len(in.Data))}})
	bind.Set(1, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: more.Addr, Size: 8192}})
	push := r.Push
	if len(push) >= 112 {
		g := mem.Alloc(4096)
		for i := range g.Data {
			g.Data[i] = byte(i * 7)
		}
		push = binary.LittleEndian.AppendUint64(append([]byte(nil), push[:112]...), g.Addr)
	}
	params := emu.DispatchParams{Groups: [3]uint32{r.Groups, 1, 1}}
	params.Check, params.Exact = true, true // results are compared
	params.Budget = 1 << 26
	err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind, Push: push}, params)
	return out.Data, err
}

// Differ runs s on the interpreter and the program p on its core in checking
// mode and compares the words that they store. same, if not nil, allows for
// differences. The error has the listing.
func (r *Run) Differ(s *ir.Shader, p emu.Program, listing func() string, same func(i int, want, got uint32) bool) error {
	ref, err := interp.New(s, interp.Options{WaveSize: r.Wave})
	if err != nil {
		return fmt.Errorf("interpreter: %w", err)
	}
	want, err := r.dispatch(ref)
	if err != nil {
		return fmt.Errorf("interpreter: %w", err)
	}
	got, err := r.dispatch(p)
	if err != nil {
		return fmt.Errorf("core: %w\n%s", err, listing())
	}
	for i := 0; i+4 <= r.OutSize; i += 4 {
		w, g := binary.LittleEndian.Uint32(want[i:]), binary.LittleEndian.Uint32(got[i:])
		if w != g && (same == nil || !same(i/4, w, g)) {
			return fmt.Errorf("word %d is %#x, want %#x\n%s", i/4, g, w, listing())
		}
	}
	return nil
}

// Close32 reports whether two floats differ in the last places only, as results
// of special function units and of fused operations may.
func Close32(want, got uint32) bool {
	a, b := float64(math.Float32frombits(want)), float64(math.Float32frombits(got))
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) == math.IsNaN(b)
	}
	if math.IsInf(a, 0) || math.IsInf(b, 0) { // any part of an infinite number is as large
		return a == b
	}
	return math.Abs(a-b) <= 2e-3*math.Max(math.Abs(a), 1)
}

// Input makes an operand of 32 bits: edge values and random ones.
func Input(class ir.TypeClass, r *rand.Rand) uint32 {
	if class == ir.ClassFloat {
		if r.Intn(2) == 0 {
			v := [...]float32{0, 1, -1, 0.5, -0.5, 2, 3.25, -3.75, 100.5, -100.5, 0.001, 1e6, -1e6, 7, 0.3333, 1.5, 2.5, -2.5}
			return math.Float32bits(v[r.Intn(len(v))])
		}
		return math.Float32bits(float32(r.NormFloat64() * 8))
	}
	switch r.Intn(4) {
	case 0:
		return [...]uint32{0, 1, 2, 0xffffffff, 0x80000000, 0x7fffffff, 31, 32, 0x8000, 0xffff, 0x7fff, 0xff, 0x80}[r.Intn(13)]
	case 1:
		return uint32(r.Intn(40))
	}
	return r.Uint32()
}

// Narrow brings 32-bit words to an operand of the given size and class.
func Narrow(b *ir.Builder, v *ir.Def, bits uint8, class ir.TypeClass) *ir.Def {
	switch bits {
	case 1:
		return b.Ine(b.Iand(v, b.Imm32(1)), b.Imm32(0))
	case 8:
		return b.U2u8(v)
	case 16:
		if class == ir.ClassFloat {
			return b.F2f16Rtz(v)
		}
		return b.U2u16(v)
	case 32:
		if class == ir.ClassBool {
			return b.B2b32(b.Ine(b.Iand(v, b.Imm32(1)), b.Imm32(0)))
		}
	}
	return v
}

// Widen is the inverse of Narrow.
func Widen(b *ir.Builder, v *ir.Def, class ir.TypeClass) *ir.Def {
	switch v.BitSize {
	case 1:
		return b.B2i32(v)
	case 8, 16:
		if class == ir.ClassFloat {
			return b.F2f32(v)
		}
		return b.U2u32(v)
	}
	return v
}

// RunsAt reports whether the unsized operands of an operation can have this size
// and words of 32 bits stand for all its operands.
func RunsAt(op ir.Op, bits uint8) bool {
	info := op.Info()
	switch op {
	case ir.OpImul24Relaxed, ir.OpUmul24Relaxed, ir.OpUmad24Relaxed:
		return false // only for operands that fit 24 bits
	case ir.OpUfindMsb, ir.OpUfindMsbRev:
		return bits == 32
	}
	sized, float := true, false
	for _, ty := range append(info.In[:len(info.In):len(info.In)], info.Out) {
		if ty.Bits == 64 {
			return false
		}
		if ty.Bits == 0 {
			sized = false
			float = float || ty.Class == ir.ClassFloat
			if ty.Class == ir.ClassBool && bits != 1 {
				return false
			}
		}
	}
	switch {
	case sized:
		return bits == 32
	case float:
		return bits >= 16
	case bits == 1:
		switch op {
		case ir.OpIand, ir.OpIor, ir.OpIxor, ir.OpInot, ir.OpIeq, ir.OpIne, ir.OpBcsel, ir.OpB2f16, ir.OpB2f32, ir.OpB2i1, ir.OpB2i8, ir.OpB2i16, ir.OpB2i32:
			return true
		}
		return false
	}
	return true
}
