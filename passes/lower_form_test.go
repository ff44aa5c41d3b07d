package passes

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// bench is a compute shader of 64 invocations a workgroup under construction.
// Binding 0 is its output, binding 1 its input; id is the invocation's number.
type bench struct {
	s    *ir.Shader
	b    *ir.Builder
	id   *ir.Def
	zero *ir.Def
	bind func(*emu.Bindings, *emu.Memory)
}

func newBench() *bench {
	k := &bench{s: ir.NewShader(ir.StageCompute, nil)}
	k.s.Name = "main"
	k.s.Info.WorkgroupSize = [3]uint32{64, 1, 1}
	f := k.s.NewFunction("main")
	f.IsEntry = true
	k.b = ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	group := k.b.Channel(&k.b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0)
	lane := &k.b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
	k.id = k.b.Iadd(k.b.Imul(group, k.b.Imm32(64)), lane)
	k.zero = k.b.Imm32(0)
	return k
}

// in loads the invocation's value of the given size from the input.
func (k *bench) in(bits uint8) *ir.Def {
	off := k.b.Imul(k.id, k.b.Imm32(uint32(bits/8)))
	return &k.b.Intrinsic(ir.IntrLoadSsbo, 1, bits, k.b.Imm32(1), off).Set(ir.IdxAlignMul, uint64(bits/8)).Def
}

// out stores word n of stride of the invocation.
func (k *bench) out(v *ir.Def, n, stride uint32) {
	off := k.b.Iadd(k.b.Imul(k.id, k.b.Imm32(4*stride)), k.b.Imm32(4*n))
	k.b.Intrinsic(ir.IntrStoreSsbo, 0, 0, v, k.zero, off).Set(ir.IdxWriteMask, 1<<v.NumComponents-1).Set(ir.IdxAlignMul, 4)
}

// run gives what the shader stores, a word for each of n invocations and stride.
func (k *bench) run(t *testing.T, s *ir.Shader, input []byte, words int) []uint32 {
	t.Helper()
	if err := ir.Validate(s); err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(s))
	}
	p, err := interp.New(s, interp.Options{WaveSize: 64})
	if err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(s))
	}
	mem := emu.NewMemory()
	n := (words + 63) / 64
	dst, src := mem.Alloc(n*64*4*4), mem.Alloc(max(len(input), 4))
	copy(src.Data, input)
	var bind emu.Bindings
	bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: dst.Addr, Size: uint64(len(dst.Data))}})
	bind.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: src.Addr, Size: uint64(len(src.Data))}})
	if k.bind != nil {
		k.bind(&bind, mem)
	}
	env := &emu.Env{Mem: mem, Bindings: &bind}
	err = emu.Dispatch(context.Background(), p, env, emu.DispatchParams{Limits: emu.Limits{Budget: 1 << 30}, Groups: [3]uint32{uint32(n), 1, 1}})
	if err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(s))
	}
	out := make([]uint32, len(dst.Data)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(dst.Data[4*i:])
	}
	return out
}

// after runs a pass on a copy of the shader.
func (k *bench) after(t *testing.T, list string) *ir.Shader {
	t.Helper()
	s := ir.Clone(k.s)
	p, err := ParsePassList(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
		t.Fatalf("%s: %v\n%s", list, err, ir.Print(s))
	}
	return s
}

func counts(s *ir.Shader, want func(*ir.Instr) bool) (n int) {
	for blk := range s.Entry().Impl.Blocks() {
		for in := range blk.Instrs() {
			if want(in) {
				n++
			}
		}
	}
	return n
}

// halfInputs are all halves, the points in the middle of two neighbours, and
// what is next to these.
func halfInputs() (v []float64) {
	for h := range uint16(0x7c00) {
		a, b := ir.Float16Value(h), ir.Float16Value(h+1)
		if h == 0x7bff {
			b = 65536
		}
		mid := (a + b) / 2
		v = append(v, a, -a, mid, -mid)
	}
	return append(v, math.Inf(1), math.Inf(-1), math.NaN(), 65520, 65519.99, 1e30, -1e30, 1e-30, -0x1p-149, math.Copysign(0, -1))
}

func sameHalf(a, b uint32) bool {
	isNaN := func(h uint32) bool { return h&0x7fff > 0x7c00 }
	return a == b || isNaN(a) && isNaN(b)
}

// TestFP16Casts compares the conversions by integers with the interpreter's.
func TestFP16Casts(t *testing.T) {
	for _, bits := range []uint8{32, 64} {
		var input []byte
		n := 0
		add := func(x float64) {
			n++
			if bits == 32 {
				input = binary.LittleEndian.AppendUint32(input, math.Float32bits(float32(x)))
			} else {
				input = binary.LittleEndian.AppendUint64(input, math.Float64bits(x))
			}
		}
		for i, x := range halfInputs() {
			add(x)
			if bits == 64 && i%3 == 0 { // between what floats tell apart
				add(math.Nextafter(x, 1e300))
				add(math.Nextafter(x, -1e300))
			} else if bits == 32 && i%3 == 0 {
				add(float64(math.Nextafter32(float32(x), 1e30)))
				add(float64(math.Nextafter32(float32(x), -1e30)))
			}
		}
		add(math.Float64frombits(0x7ff0000000000001))
		k := newBench()
		x := k.in(bits)
		for i, op := range []ir.Op{ir.OpF2f16, ir.OpF2f16Rtne, ir.OpF2f16Rtz} {
			k.out(k.b.U2u32(k.b.ALU(op, x)), uint32(i), 3)
		}
		for len(input)%(64*int(bits/8)) != 0 {
			input = append(input, 0)
		}
		low := k.after(t, "lower_fp16_casts")
		if counts(low, func(in *ir.Instr) bool { return in.Kind == ir.KindALU && in.Op >= ir.OpF2f16 && in.Op <= ir.OpF2f16Rtz }) != 0 {
			t.Fatalf("conversions are left:\n%s", ir.Print(low))
		}
		want, got := k.run(t, k.s, input, n), k.run(t, low, input, n)
		for i := range 3 * n {
			if !sameHalf(want[i], got[i]) {
				t.Fatalf("%d bits, value %d, form %d: %#x, want %#x", bits, i/3, i%3, got[i], want[i])
			}
		}
	}
}

// TestScaleFdiv: quotients stay the same, and no divisor that is not infinite
// has a reciprocal that is infinite or denormal.
func TestScaleFdiv(t *testing.T) {
	edge := []uint32{0, 1, 0x007fffff, 0x00800000, 0x00800001, 0x3f800000, 0x40400000, 0x7e800000, 0x7e7fffff, 0x7effffff, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7fc00000}
	var input []byte
	n := 0
	for _, a := range edge {
		for _, b := range edge {
			for s := range uint32(4) {
				input = binary.LittleEndian.AppendUint64(input, uint64(a|s<<31)|uint64(b|s>>1<<31)<<32)
				n++
			}
		}
	}
	for len(input)%(64*8) != 0 {
		input = append(input, 0)
	}
	k := newBench()
	v := k.in(64)
	x, y := k.b.Unpack64_2x32SplitX(v), k.b.Unpack64_2x32SplitY(v)
	div := k.b.Fdiv(x, y)
	k.out(div, 0, 2)
	k.out(k.b.Frcp(y), 1, 2)
	low := k.after(t, "scale_fdiv")
	for blk := range low.Entry().Impl.Blocks() {
		for in := range blk.Instrs() {
			if in.IsALU(ir.OpFrcp) { // of the divisor as it is now
				for other := range blk.Instrs() {
					if other.IsALU(ir.OpFdiv) {
						in.Srcs[0].Set(other.Srcs[1].Def)
						in.MoveTo(ir.After(other))
					}
				}
			}
		}
	}
	want, got := k.run(t, k.s, input, n), k.run(t, low, input, n)
	for i := range n {
		a, b := math.Float32frombits(binary.LittleEndian.Uint32(input[8*i:])), math.Float32frombits(binary.LittleEndian.Uint32(input[8*i+4:]))
		if nan := func(w uint32) bool { return w&0x7fffffff > 0x7f800000 }; want[2*i] != got[2*i] && !(nan(want[2*i]) && nan(got[2*i])) {
			t.Errorf("%g / %g = %#x, want %#x", a, b, got[2*i], want[2*i])
		}
		if e := got[2*i+1] >> 23 & 0xff; (e == 0 || e == 255) && b != 0 && !math.IsInf(float64(b), 0) && b == b {
			t.Errorf("1 / the scaled %g is %#x", b, got[2*i+1])
		}
	}
}

// TestWaterfall runs non-uniform accesses and counts the trips.
func TestWaterfall(t *testing.T) {
	k := newBench()
	b := k.b
	elem := b.Iand(k.id, b.Imm32(1))
	index := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, elem).Set(ir.IdxBinding, 2).Set(ir.IdxDescType, 2)
	h := b.Channel(&b.Intrinsic(ir.IntrLoadVulkanDescriptor, 2, 32, &index.Def).Set(ir.IdxDescType, 2).Def, 0)
	load := b.Intrinsic(ir.IntrLoadSsbo, 1, 32, h, b.Ishl(k.id, b.Imm32(2))).Set(ir.IdxAlignMul, 4).Set(ir.IdxAccess, uint64(ir.AccessNonUniform))
	k.out(&load.Def, 0, 1)
	k.bind = func(bind *emu.Bindings, mem *emu.Memory) {
		var d []emu.Descriptor
		for e := range 2 {
			r := mem.Alloc(256)
			for i := range 64 {
				binary.LittleEndian.PutUint32(r.Data[4*i:], uint32(1000*e+i))
			}
			d = append(d, emu.Descriptor{Type: emu.DescStorageBuffer, Addr: r.Addr, Size: 256})
		}
		bind.Set(0, 2, d)
	}
	low := k.after(t, "lower_non_uniform_access")
	for blk := range low.Entry().Impl.Blocks() {
		if l := blk.FollowingLoop(); l != nil {
			c := ir.NewBuilder(ir.AtStart(l.Body.FirstBlock()))
			one := c.B2i32(&c.Intrinsic(ir.IntrElect, 1, 1).Def)
			c.Intrinsic(ir.IntrSsboAtomic, 1, 32, c.Imm32(0), c.Imm32(64*4), one)
			break
		}
	}
	want, got := k.run(t, k.s, nil, 64), k.run(t, low, nil, 64)
	for i := range 64 {
		if want[i] != got[i] || want[i] != uint32(1000*(i&1)+i) {
			t.Fatalf("lane %d: %d, want %d", i, got[i], want[i])
		}
	}
	if got[64] != 2 {
		t.Errorf("%d trips, want 2", got[64])
	}
}

// picture is an image whose texels tell where they are.
func picture(t *testing.T, d emu.ImageDesc) *emu.ImageView {
	t.Helper()
	d.Format = emu.FormatByName("R32G32B32A32_SFLOAT")
	img, err := emu.NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	v := &emu.ImageView{Image: img}
	for layer := range v.NumLayers() {
		for i := range d.Width * d.Height {
			v.Store(i%d.Width, i/d.Width, layer, 0, 0, [4]uint32{math.Float32bits(float32(i)), math.Float32bits(float32(layer)), 0, math.Float32bits(1)})
		}
	}
	return v
}

// TestImagesAsTextures: fetches and queries give what the image gave.
func TestImagesAsTextures(t *testing.T) {
	k := newBench()
	b := k.b
	img := k.s.NewVariable(ir.ModeImage, &ir.Type{Base: ir.BaseImage, Dim: ir.Dim2D, Arrayed: true, Texel: ir.BaseFloat, TexelBits: 32}, "img")
	img.Binding, img.Access = 2, ir.AccessNonWriteable
	d := b.DerefVar(img)
	at := b.Vec(b.Iand(k.id, b.Imm32(7)), b.Ushr(k.id, b.Imm32(3)), b.Iand(k.id, b.Imm32(1)), k.zero)
	f32 := ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack()
	shape := func(in *ir.Instr) *ir.Instr {
		return in.Set(ir.IdxImageDim, uint64(ir.Dim2D)).Set(ir.IdxImageArray, 1)
	}
	load := shape(b.Intrinsic(ir.IntrImageDerefLoad, 4, 32, d, at, k.zero, k.zero)).Set(ir.IdxDestType, f32)
	size := shape(b.Intrinsic(ir.IntrImageDerefSize, 3, 32, d, k.zero))
	k.out(b.Channels(&load.Def, 0, 2), 0, 4)
	k.out(b.Channel(&size.Def, 0), 2, 4)
	k.out(b.Channel(&size.Def, 2), 3, 4)
	k.bind = func(bind *emu.Bindings, _ *emu.Memory) {
		bind.Set(0, 2, []emu.Descriptor{{Type: emu.DescStorageImage, Image: picture(t, emu.ImageDesc{Width: 8, Height: 8, Layers: 2})}})
	}
	low := k.after(t, "lower_readonly_images_to_tex")
	if n := counts(low, func(in *ir.Instr) bool { return in.Kind == ir.KindTex }); n != 2 {
		t.Fatalf("%d texture operations, want 2\n%s", n, ir.Print(low))
	}
	compareWords(t, k.run(t, k.s, nil, 64), k.run(t, low, nil, 64))
}

func compareWords(t *testing.T, want, got []uint32) {
	t.Helper()
	zero := true
	for i := range want {
		zero = zero && want[i] == 0
		if want[i] != got[i] {
			t.Fatalf("word %d: %#x, want %#x", i, got[i], want[i])
		}
	}
	if zero {
		t.Error("all is zero")
	}
}

// TestCubeOnUnitCube: the same texel for a direction and its point on the cube.
func TestCubeOnUnitCube(t *testing.T) {
	k := newBench()
	b := k.b
	v := k.s.NewVariable(ir.ModeUniform, &ir.Type{Base: ir.BaseSampledImage, Dim: ir.DimCube, Texel: ir.BaseFloat, TexelBits: 32}, "cube")
	v.Binding = 2
	d := b.DerefVar(v)
	part := func(shift, mul uint32) *ir.Def { // odd numbers: no ties between axes or texels
		n := b.I2f32(b.Iadd(b.Imul(b.Iand(b.Ushr(k.id, b.Imm32(shift)), b.Imm32(3)), b.Imm32(mul)), b.Imm32(^uint32(mul))))
		return n
	}
	dir := b.Vec(part(0, 3), part(2, 5), part(4, 7))
	x := k.s.NewTex(ir.TexOpTxl, 4, 32)
	i := x.TexInfo()
	i.Dim, i.CoordComponents, i.DestType = ir.DimCube, 3, ir.ALUType{Class: ir.ClassFloat, Bits: 32}
	k.s.AddTexSrc(x, ir.TexSrcTextureDeref, d)
	k.s.AddTexSrc(x, ir.TexSrcSamplerDeref, d)
	k.s.AddTexSrc(x, ir.TexSrcCoord, dir)
	k.s.AddTexSrc(x, ir.TexSrcLod, b.ImmFloat(0, 32))
	b.Insert(x)
	k.out(b.Channels(&x.Def, 0, 2), 0, 2)
	k.bind = func(bind *emu.Bindings, _ *emu.Memory) {
		bind.Set(0, 2, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: picture(t, emu.ImageDesc{Width: 4, Height: 4, Layers: 6}), Sampler: &emu.Sampler{MaxLod: 1}}})
	}
	low := k.after(t, "normalize_cubemap_coords")
	if bytes.Equal([]byte(ir.Print(k.s)), []byte(ir.Print(low))) {
		t.Fatal("nothing changed")
	}
	compareWords(t, k.run(t, k.s, nil, 64), k.run(t, low, nil, 64))
}
