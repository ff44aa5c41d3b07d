package midgard

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"nirc/backend/midgard/core"
	"nirc/backend/midgard/isa"
	"nirc/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// compile compiles a copy of s and checks that every bundle decodes and that the
// listing assembles to the same bytes.
func compile(s *ir.Shader, opts CompileOptions) (*Binary, error) {
	opts.Verify = true
	bin, err := Compile(ir.Clone(s), opts)
	if err != nil {
		return nil, err
	}
	lines, err := Target{}.Disassemble(opts.GPU, bin.Code)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for _, l := range lines {
		if l.Bad {
			return nil, fmt.Errorf("byte %d does not decode: %s", l.Offset, l.Text)
		}
		fmt.Fprintf(&text, "    %s\n", l.Text)
	}
	back, err := Target{}.Assemble(opts.GPU, text.String())
	if err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, text.String())
	}
	if string(back) != string(bin.Code) {
		return nil, fmt.Errorf("the listing assembles to other bytes:\n%s", text.String())
	}
	return bin, nil
}

// dispatch runs a compute program over groups workgroups with buffers at set
// 0, bindings 0 and 1, and returns what the second holds.
func dispatch(p emu.Program, groups uint32, in []byte, outSize int) ([]byte, error) {
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
	err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind, Push: in[:min(len(in), 128)]}, params)
	return append([]byte(nil), b.Data[:outSize]...), err
}

// differ runs s on the interpreter and on the core and compares what they store.
func differ(s *ir.Shader, opts CompileOptions, groups uint32, in []byte, outSize int, same func(i int, want, got uint32) bool) (*Binary, error) {
	ref, err := interp.New(s, interp.Options{WaveSize: 1})
	if err != nil {
		return nil, fmt.Errorf("interpreter: %w", err)
	}
	want, err := dispatch(ref, groups, in, outSize)
	if err != nil {
		return nil, fmt.Errorf("interpreter: %w", err)
	}
	bin, err := compile(s, opts)
	if err != nil {
		return nil, err
	}
	p, err := core.Load(bin.Code, &bin.Meta)
	if err != nil {
		return bin, fmt.Errorf("load: %w", err)
	}
	list := func() string { return isa.Disassemble(bin.Code, isa.TextOptions{Verbose: true}) }
	got, err := dispatch(p, groups, in, outSize)
	if err != nil {
		return bin, fmt.Errorf("core: %w\n%s", err, list())
	}
	for i := 0; i+4 <= outSize; i += 4 {
		w, g := binary.LittleEndian.Uint32(want[i:]), binary.LittleEndian.Uint32(got[i:])
		if w != g && (same == nil || !same(i/4, w, g)) {
			return bin, fmt.Errorf("word %d is %#x, want %#x\n%s", i/4, g, w, list())
		}
	}
	return bin, nil
}

func newShader(stage ir.Stage, threads uint32) (*ir.Shader, *ir.Builder) {
	s := ir.NewShader(stage, nil)
	s.Info.WorkgroupSize = [3]uint32{threads, 1, 1}
	f := s.NewFunction("main")
	f.IsEntry = true
	return s, ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
}

func handle(b *ir.Builder, set, binding uint32, kind emu.DescriptorType) *ir.Def {
	in := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0))
	in.Set(ir.IdxDescSet, uint64(set)).Set(ir.IdxBinding, uint64(binding)).Set(ir.IdxDescType, uint64(kind))
	d := b.Intrinsic(ir.IntrLoadVulkanDescriptor, 2, 32, &in.Def)
	d.Set(ir.IdxDescType, uint64(kind))
	return b.Channel(&d.Def, 0)
}

func loadWord(b *ir.Builder, buf, off *ir.Def, n uint8) *ir.Def {
	x := b.Intrinsic(ir.IntrLoadSsbo, n, 32, buf, off)
	x.Set(ir.IdxAlignMul, 4)
	return &x.Def
}

func storeWord(b *ir.Builder, buf, off, v *ir.Def) {
	st := b.Intrinsic(ir.IntrStoreSsbo, 0, 0, v, buf, off)
	st.Set(ir.IdxWriteMask, 1<<v.NumComponents-1).Set(ir.IdxAlignMul, 4)
}

func buffers(b *ir.Builder) (in, out *ir.Def) {
	return handle(b, 0, 0, emu.DescStorageBuffer), handle(b, 0, 1, emu.DescStorageBuffer)
}

// narrowTo brings 32-bit words to an operand of the given size and class.
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
	case 32:
		if class == ir.ClassBool {
			return b.B2b32(b.Ine(b.Iand(v, b.Imm32(1)), b.Imm32(0)))
		}
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

// opInput makes operands.
func opInput(class ir.TypeClass, r *rand.Rand) uint32 {
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

// close32: results of the LUT unit may differ in the last places.
func close32(want, got uint32) bool {
	a, b := float64(math.Float32frombits(want)), float64(math.Float32frombits(got))
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) == math.IsNaN(b)
	}
	return a == b || math.Abs(a-b) <= 2e-3*math.Max(math.Abs(a), 1)
}

// needsLowering are operations on narrow integers, which the pipeline widens.
func needsLowering(op ir.Op, bits uint8) bool {
	info := op.Info()
	if bits == 32 || bits == 1 {
		return false
	}
	for _, ty := range info.In {
		if ty.Bits == 0 && ty.Class != ir.ClassFloat {
			return true
		}
	}
	return info.Out.Bits == 0 && info.Out.Class != ir.ClassFloat
}

// TestOps runs the ALU operations that are selected, in vectors of one to four
// components, on the interpreter and on the core.
func TestOps(t *testing.T) {
	ran, refused := 0, 0
	for op := ir.Op(0); int(op) < ir.NumOps; op++ {
		info := op.Info()
		if info.Target != "" && info.Target != "midgard" || info.Horizontal() || op == ir.OpMov || info.Out.Class == ir.ClassNone {
			continue
		}
		for _, bits := range []uint8{1, 16, 32} {
			if !runsAt(op, bits) || needsLowering(op, bits) {
				continue
			}
			n := uint8(1 + ran&3)
			s, words := opShader(op, bits, n)
			if err := ir.Validate(s); err != nil {
				continue
			}
			r := rand.New(rand.NewSource(int64(op)))
			in := make([]byte, 64*4*words)
			for i := 0; i < len(in); i += 4 {
				k := i / 4 % words / 4
				v := opInput(info.In[min(k, len(info.In)-1)].Class, r)
				if op == ir.OpFsin || op == ir.OpFcos || op == ir.OpFsinMdg || op == ir.OpFcosMdg {
					v = math.Float32bits(float32(math.Mod(float64(math.Float32frombits(v)), 50)))
				}
				binary.LittleEndian.PutUint32(in[i:], v)
			}
			exact := info.Out.Class != ir.ClassFloat
			_, err := differ(s, CompileOptions{GPU: gpus[ran%len(gpus)].Name}, 1, in, 64*16, func(_ int, w, g uint32) bool { return !exact && close32(w, g) })
			if err != nil && strings.Contains(err.Error(), "not supported") {
				refused++
				continue
			}
			if err != nil {
				t.Errorf("%s of %d bits, %d components: %v", op, bits, n, err)
				continue
			}
			ran++
		}
	}
	t.Logf("%d operations ran, %d are refused", ran, refused)
	if ran < 120 {
		t.Errorf("only %d operations ran", ran)
	}
}

// runsAt tells whether the operation can have unsized operands of this size.
func runsAt(op ir.Op, bits uint8) bool {
	info := op.Info()
	switch op {
	case ir.OpImul24Relaxed, ir.OpUmul24Relaxed:
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
		case ir.OpIand, ir.OpIor, ir.OpIxor, ir.OpInot, ir.OpIeq, ir.OpIne, ir.OpBcsel, ir.OpB2f16, ir.OpB2f32, ir.OpB2i32:
			return true
		}
		return false
	}
	return true
}

// opShader applies op to vectors of n components and stores the result; words is what
// a thread reads.
func opShader(op ir.Op, bits, n uint8) (s *ir.Shader, words int) {
	s, b := newShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	in, out := buffers(b)
	info := op.Info()
	words = 4 * len(info.In)
	var srcs []*ir.Def
	for k, ty := range info.In {
		w := ty.Bits
		if w == 0 {
			w = bits
		}
		v := loadWord(b, in, b.Iadd(b.Imul(id, b.Imm32(uint32(4*words))), b.Imm32(uint32(16*k))), n)
		srcs = append(srcs, narrowTo(b, v, w, ty.Class))
	}
	res := b.ALU(op, srcs...)
	storeWord(b, out, b.Ishl(id, b.Imm32(4)), widenTo(b, res, info.Out.Class))
	return s, words
}
