package ir3

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"nirc/backend/ir3/core"
	"nirc/backend/ir3/isa"
	"nirc/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// compile compiles a copy of s and checks that every word decodes.
func compile(s *ir.Shader, opts CompileOptions) (*Binary, error) {
	opts.Verify = true
	bin, err := Compile(ir.Clone(s), opts)
	if err != nil {
		return nil, err
	}
	for i, l := range isa.Disassemble(bin.Meta.Gen, bin.Code) {
		if l.Err != nil {
			return nil, fmt.Errorf("word %d: %w", i, l.Err)
		}
	}
	return bin, nil
}

// dispatch runs a compute program over groups workgroups with buffers at set
// 0, bindings 0 and 1, and push constants, and returns what the second holds.
func dispatch(p emu.Program, groups uint32, in []byte, outSize int, push []byte) ([]byte, error) {
	mem := emu.NewMemory()
	a, b := mem.Alloc(len(in)), mem.Alloc(outSize)
	copy(a.Data, in)
	var bind emu.Bindings
	bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: a.Addr, Size: uint64(len(in))}})
	bind.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: b.Addr, Size: uint64(outSize)}})
	bind.Set(1, 0, []emu.Descriptor{{Type: emu.DescUniformBuffer, Addr: a.Addr, Size: uint64(len(in))}})
	params := emu.DispatchParams{Groups: [3]uint32{groups, 1, 1}}
	params.Check = true
	params.Budget = 1 << 26
	// The last two words of the push constants are the address of some memory.
	if len(push) >= 112 {
		g := mem.Alloc(4096)
		for i := range g.Data {
			g.Data[i] = byte(i * 7)
		}
		push = binary.LittleEndian.AppendUint64(append([]byte(nil), push[:112]...), g.Addr)
	}
	err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind, Push: push}, params)
	return append([]byte(nil), b.Data[:outSize]...), err
}

// differ runs s on the interpreter and on the core and compares what they store.
func differ(s *ir.Shader, opts CompileOptions, groups uint32, in []byte, outSize int, push []byte, same func(i int, want, got uint32) bool) error {
	ref, err := interp.New(s, interp.Options{WaveSize: 64})
	if err != nil {
		return fmt.Errorf("interpreter: %w", err)
	}
	want, err := dispatch(ref, groups, in, outSize, push)
	if err != nil {
		return fmt.Errorf("interpreter: %w", err)
	}
	bin, err := compile(s, opts)
	if err != nil {
		return err
	}
	p, err := core.Load(bin.Code, &bin.Meta)
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	got, err := dispatch(p, groups, in, outSize, push)
	if err != nil {
		return fmt.Errorf("core: %w\n%s", err, disasm(bin))
	}
	for i := 0; i+4 <= outSize; i += 4 {
		w, g := binary.LittleEndian.Uint32(want[i:]), binary.LittleEndian.Uint32(got[i:])
		if w != g && (same == nil || !same(i/4, w, g)) {
			return fmt.Errorf("word %d is %#x, want %#x\n%s", i/4, g, w, disasm(bin))
		}
	}
	return nil
}

func disasm(bin *Binary) string {
	return isa.Listing(bin.Meta.Gen, isa.Disassemble(bin.Meta.Gen, bin.Code), true)
}

func loadWord(b *ir.Builder, buf *ir.Def, off *ir.Def, n uint8) *ir.Def {
	x := b.Intrinsic(ir.IntrLoadSsbo, n, 32, buf, off)
	x.Set(ir.IdxAlignMul, 4)
	return &x.Def
}

func storeWord(b *ir.Builder, buf, off, v *ir.Def) {
	st := b.Intrinsic(ir.IntrStoreSsbo, 0, 0, v, buf, off)
	st.Set(ir.IdxWriteMask, 1<<v.NumComponents-1).Set(ir.IdxAlignMul, 4)
}

// narrowTo brings a 32-bit word to an operand of the given size and class.
func narrowTo(b *ir.Builder, v *ir.Def, bits uint8, class ir.TypeClass) *ir.Def {
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
	}
	return v
}

func widenTo(b *ir.Builder, v *ir.Def, class ir.TypeClass) *ir.Def {
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

var floatValues = []float32{0, 1, -1, 0.5, -0.5, 2, 3.25, -3.75, 100.5, -100.5, 0.001, 1e6, -1e6, 7, 0.3333, 1.5, 2.5, -2.5}

// opInput fills the operands of lane i.
func opInput(class ir.TypeClass, r *rand.Rand, i int) uint32 {
	if class == ir.ClassFloat {
		if i < len(floatValues) {
			return math.Float32bits(floatValues[r.Intn(len(floatValues))])
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

// Results of the special function unit and of fused operations may differ in the last places.
func close32(want, got uint32) bool {
	a, b := float64(math.Float32frombits(want)), float64(math.Float32frombits(got))
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) == math.IsNaN(b)
	}
	return a == b || math.Abs(a-b) <= 2e-3*math.Max(math.Abs(a), 1)
}

// TestOps runs every scalar ALU operation on the interpreter and on the core.
func TestOps(t *testing.T) {
	ran, refused := 0, []string{}
	for op := ir.Op(0); int(op) < ir.NumOps; op++ {
		info := op.Info()
		if info.Target != "" && info.Target != "ir3" || info.Horizontal() || op == ir.OpMov || info.Out.Class == ir.ClassNone {
			continue
		}
		for _, bits := range []uint8{1, 8, 16, 32} {
			if !runsAt(op, bits) {
				continue
			}
			for gi, gpu := range []string{"a630", "a740"} {
				s := opShader(t, op, bits)
				r := rand.New(rand.NewSource(int64(op)))
				in := make([]byte, 64*4*4)
				for i := range 64 {
					for k, ty := range info.In {
						class := ty.Class
						v := opInput(class, r, i)
						if op == ir.OpFsin || op == ir.OpFcos {
							v = math.Float32bits(float32(math.Mod(float64(math.Float32frombits(v)), 50)))
						}
						binary.LittleEndian.PutUint32(in[4*(4*i+k):], v)
					}
				}
				exact := info.Out.Class != ir.ClassFloat
				err := differ(s, CompileOptions{GPU: gpu}, 1, in, 64*4, nil, func(i int, w, g uint32) bool { return !exact && close32(w, g) })
				if err != nil && strings.Contains(err.Error(), "not supported") {
					if gi == 0 {
						refused = append(refused, fmt.Sprintf("%s/%d", op, bits))
					}
					continue
				}
				if err != nil {
					t.Errorf("%s of %d bits on %s: %v", op, bits, gpu, err)
					continue
				}
				ran++
			}
		}
	}
	t.Logf("%d operations ran; refused on a630: %s", ran, strings.Join(refused, " "))
	if ran < 250 {
		t.Errorf("only %d operations ran", ran)
	}
}

// runsAt tells whether the operation can have unsized operands of this size.
func runsAt(op ir.Op, bits uint8) bool {
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
	if sized {
		return bits == 32
	}
	if float {
		return bits >= 16
	}
	if bits == 1 {
		switch op {
		case ir.OpIand, ir.OpIor, ir.OpIxor, ir.OpInot, ir.OpIeq, ir.OpIne, ir.OpBcsel, ir.OpB2f16, ir.OpB2f32, ir.OpB2i1, ir.OpB2i8, ir.OpB2i16, ir.OpB2i32:
			return true
		}
		return false
	}
	return true
}

// opShader applies op to four words of each lane and stores the result.
func opShader(t *testing.T, op ir.Op, bits uint8) *ir.Shader {
	s, b := newCompute(t)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	in, out := buffer(b, 0, 0), buffer(b, 0, 1)
	words := loadWord(b, in, b.Ishl(id, b.Imm32(4)), 4)
	info := op.Info()
	var srcs []*ir.Def
	for k, ty := range info.In {
		w := ty.Bits
		if w == 0 {
			w = bits
		}
		srcs = append(srcs, narrowTo(b, b.Channel(words, k), w, ty.Class))
	}
	res := b.ALU(op, srcs...)
	storeWord(b, out, b.Ishl(id, b.Imm32(2)), widenTo(b, res, info.Out.Class))
	return s
}
