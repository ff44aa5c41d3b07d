package core

import (
	"fmt"
	"strings"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// texMachine is a machine with a 4x4 image of floats (value 10y + x, layer 1
// has 100 more) as binding 2, its storage view as binding 3, a texel buffer as
// binding 4, and u20_u21 the descriptor heap.
func texMachine(t *testing.T) *machine {
	m := newMachine()
	m.edit = func(a *abi.Meta) {
		a.Uniforms = append(a.Uniforms, abi.Uniform{Kind: abi.UniformHeap, Half: 40})
		a.States = []abi.State{{Binding: 2, Index: 0}, {Binding: 2, Sampler: true, Index: 1}, {Binding: 3, Index: 1, Write: true},
			{Binding: 3, Index: 2}, {Binding: 4, Index: 3}, {Binding: 4, Index: 4, Write: true}}
		a.Heap = []abi.HeapRange{{Binding: 2, First: 0, Count: 2}, {Binding: 3, First: 4, Count: 1}}
	}
	return m
}

func (m *machine) runTex(t *testing.T, body string) (*emu.Image, error) {
	t.Helper()
	img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Layers: 2, Format: emu.FormatByName("R32G32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	v := &emu.ImageView{Image: img}
	for i := 0; i < 32; i++ {
		v.Store(i&3, i>>2&3, i>>4, 0, 0, [4]uint32{fbits(float32(10*(i>>2&3) + i&3 + 100*(i>>4))), fbits(1)})
	}
	p, err := Load(assemble(t, head+body+tail), m.meta())
	if err != nil {
		t.Fatal(err)
	}
	env := m.env()
	s := &emu.Sampler{Mag: emu.FilterLinear, Min: emu.FilterLinear, Address: [3]emu.AddressMode{emu.AddressClampToEdge, emu.AddressClampToEdge}, MaxLod: 4}
	flat := &emu.ImageView{Image: img, Layers: 1}
	env.Bindings.Set(0, 2, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: flat, Sampler: s}, {Type: emu.DescCombinedImageSampler, Image: v, Sampler: s}})
	env.Bindings.Set(0, 3, []emu.Descriptor{{Type: emu.DescStorageImage, Image: v}})
	env.Bindings.Set(0, 4, []emu.Descriptor{{Type: emu.DescStorageTexelBuffer, Format: emu.FormatByName("R16_UINT"), Addr: m.in.Addr, Size: 512}})
	c := &emu.ComputeLaunch{LocalID: make([][3]uint32, 32), Shared: make([]byte, 16)}
	_, err = p.NewWave(&emu.Launch{Env: env, NumLanes: 32, Check: m.check, Compute: c}).Run(1000)
	return img, err
}

func TestTextures(t *testing.T) {
	// r4, r5 are the texel of the lane, r6 the lane number's upper bit.
	const at = "\tand r4, r10, 3\n\tbfeil r5, 0, r10, 2, mask 0x3\n\tbfeil r6, 0, r10, 4\n"
	const fl = "\tconvert u32_to_f, r4, r4, rte\n\tconvert u32_to_f, r5, r5, rte\n\tfmadd32 r4, r4, 0.25, 0.125\n\tfmadd32 r5, r5, 0.25, 0.125\n"
	value := func(i int) float32 { return float32(10*(i>>2&3) + i&3) }
	for _, c := range []struct {
		name, body string
		want       func(i int) uint32
	}{
		{"load", at + "\ttexture_load 0, 0b1100, 0b0, none, x, 0b00, r2, None, ts0, ss0, tex_2d, r4_r5, auto_lod, 0\n\twait 0",
			func(i int) uint32 { return fbits(value(i)) }},
		{"load outside", at + "\tiadd r4, r4, 2\n\ttexture_load 0, 0b1100, 0b1, none, x, 0b00, r2, None, ts0, ss0, tex_2d, r4_r5, auto_lod, 0\n\twait 1",
			func(i int) uint32 { return pick(i&3 < 2, fbits(value(i)+2), 0) }},
		{"load a layer, bindless", at + "\tmov_imm r8, 48, 0b0\n" +
			"\ttexture_load 0, 0b1100, 0b0, none, yx, 0b00, r2_r3, u20_u21, r8, ss0, tex_2d_array, r4l_r4h_r5l_r5h_r6l, auto_lod, 0\n\twait 0\n\tmov r2, r2",
			func(i int) uint32 { return fbits(value(i) + float32(100*(i>>4))) }},
		{"sample", at + fl + "\tmov_imm r7l, 0\n\ttexture_sample 0, 0b1100, 0b0, none, xyzw, 0b00, r12_r13_r14_r15, None, ts0, ss1, tex_2d, r4_r5, lod_min, r7l\n\twait 0\n\tfadd32 r2, r12, r13",
			func(i int) uint32 { return fbits(value(i) + 1) }},
		{"sample between, to halves", at + fl + "\tfadd32 r4, r4, 0.125\n\tmov_imm r7l, 0\n" +
			"\ttexture_sample 0, 0b1100, 0b0, none, x, 0b00, r2l, None, ts0, ss1, tex_2d, r4_r5, lod_min, r7l\n\twait 0\n\tmov r2, r2l",
			func(i int) uint32 { return round16(float64(value(i)) + float64(pick(i&3 < 3, 1, 0))*0.5) }},
		{"gather", at + fl + "\ttexture_sample 0, 0b1100, 0b0, gather_r, xyzw, 0b00, r12_r13_r14_r15, None, ts0, ss1, tex_2d, r4_r5, auto_lod, 0\n\twait 0\n\tmov r2, r15",
			func(i int) uint32 { return fbits(value(i)) }},
		{"texel buffer", "\tmov r4, r10\n\tmov_imm r5, 0, 0b0\n\ttexture_load 0, 0b1100, 0b0, none, x, 0b00, r2, None, ts3, ss0, tex_2d, r4_r5, auto_lod, 0\n\twait 0", nil},
		{"heap descriptor", "\tmov_imm r4, 24, 0b0\n\tdevice_load 0, i32, xy, r2_r3, u20_u21, 24, signed\n\tdevice_load 0, i32, x, r4, u20_u21, 27, signed\n\twait 0\n" +
			"\tbfeil r2, 0, r2, 28\n\tbfeil r4, 0, r4, 14\n\tiadd r2, r2, r4, lsl 4", func(i int) uint32 { return 3 + 1<<4 }},
	} {
		m := texMachine(t)
		body := strings.Replace(c.body, "none, yx,", "none, xy,", 1)
		if _, err := m.runTex(t, body); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i := 0; i < 32; i++ {
			want := uint32(m.in.Data[2*i]) | uint32(m.in.Data[2*i+1])<<8
			if c.want != nil {
				want = c.want(i)
			}
			if got := m.word(i); got != want {
				t.Errorf("%s: lane %d has %#x (%v), want %#x (%v)", c.name, i, got, toF(got), want, toF(want))
				break
			}
		}
	}
}

func TestImageWrite(t *testing.T) {
	m := texMachine(t)
	img, err := m.runTex(t, `
	and r4, r10, 3
	bfeil r5, 0, r10, 2, mask 0x3
	bfeil r6, 0, r10, 4
	convert u32_to_f, r12, r10, rte
	fadd32 r13, r12, 1.0
	image_write r12_r13_r14_r15, r4l_r4h_r5l_r5h_r6l, 0, None, ts1, tex_2d_array, rte, 1, 0, 9, 0
	mov r4, r10
	mov_imm r5, 0, 0b0
	image_write r10_r11_r12_r13, r4_r5, 0, None, ts4, tex_2d, rte, 1, 0, 9, 0`)
	if err != nil {
		t.Fatal(err)
	}
	v := &emu.ImageView{Image: img}
	for i := 0; i < 32; i++ {
		if got := v.Load(i&3, i>>2&3, i>>4, 0, 0); got[0] != fbits(float32(i)) || got[1] != fbits(float32(i+1)) {
			t.Errorf("texel %d: %#x", i, got)
		}
		if m.in.Data[2*i] != byte(i) || m.in.Data[2*i+1] != 0 {
			t.Errorf("element %d of the texel buffer: %#x", i, m.in.Data[2*i:2*i+2])
		}
	}
	for half, want := range map[string]string{"r14": "", "r13": "reads r13l, which has lost its value"} { // the format has two components
		_, err := texMachine(t).runTex(t, "\tmov_imm r4, 0, 0b0\n\tmov_imm r5, 0, 0b0\n\tmov_imm r6, 0, 0b0\n\tmov_imm r12, 0, 0b0\n\tmov_imm r13, 0, 0b0\n\tmov_imm r14, 0, 0b0\n"+
			"\tmov r7, "+half+".discard\n\timage_write r12_r13_r14_r15, r4l_r4h_r5l_r5h_r6l, 0, None, ts1, tex_2d_array, rte, 1, 0, 9, 0")
		if want != "" {
			wantError(t, err, want)
		} else if err != nil {
			t.Errorf("a component that the format has not: %v", err)
		}
	}
	for _, c := range []struct{ body, want string }{
		{"\timage_write r12_r13_r14_r15, r4_r5, 0, None, ts0, tex_2d, rte, 1, 0, 9, 0", "other kind"},
		{"\timage_write r12_r13_r14_r15, r4_r5, 0, None, ts9, tex_2d, rte, 1, 0, 9, 0", "given by nothing"},
		{"\ttexture_sample 0, 0b1100, 0b0, none, x, 0b00, r2, None, ts0, ss5, tex_2d, r4_r5, auto_lod, 0", "ss5"},
		{"\ttexture_sample 0, 0b1100, 0b0, none, x, 0b00, r2, None, ts3, ss1, tex_2d, r4_r5, lod_min, r5l", "texel buffer"},
		{"\ttexture_load 0, 0b1100, 0b0, none, x, 0b00, r2, None, ts0, ss0, tex_2d, r4_r5, auto_lod, 0\n\twait 0\n\tmov r6, r3", "texture result"},
		{"\tmov_imm r8, 25, 0b0\n\ttexture_load 0, 0b1100, 0b0, none, x, 0b00, r2, u20_u21, r8, ss0, tex_2d, r4_r5, auto_lod, 0", "no descriptor"},
		{"\tmov_imm r8, 24, 0b0\n\ttexture_load 0, 0b1100, 0b0, none, x, 0b00, r2, u20_u21, r8, ss0, tex_2d, r4_r5, auto_lod, 0", "other kind"},
		{"\tmov_imm r8, 216, 0b0\n\ttexture_load 0, 0b1100, 0b0, none, x, 0b00, r2, u20_u21, r8, ss0, tex_2d, r4_r5, auto_lod, 0", "descriptor 9 of the heap belongs to no binding"},
	} {
		_, err := texMachine(t).runTex(t, "\tmov_imm r4, 0, 0b0\n\tmov_imm r5, 0, 0b0\n"+c.body)
		wantError(t, err, c.want)
	}
}

// TestImageAtomic finds the image's address in its write descriptor: level 0 begins 384 bytes after
// it, has two tiles of 2 by 2, and a layer every 72 pixels.
func TestImageAtomic(t *testing.T) {
	m := texMachine(t)
	m.layout = layoutOf(5, 1)
	m.edit = func(a *abi.Meta) {
		a.Uniforms = append(a.Uniforms, abi.Uniform{Kind: abi.UniformHeap, Half: 40})
	}
	p, err := Load(assemble(t, head+`
	device_load 0, i32, xy, r12_r13, u20_u21, 8, signed
	device_load 0, i32, xy, r14_r15, u20_u21, 20, signed
	mov_imm r8, 3, 0b0
	wait 0
	and r9, r10, 15
	and r11, r10, 8
	iadd r4, 0, r12, lsl 4
	and r13, r13, 15
	extr r5, r12, r13, 28
	iadd r6, 0, r14, lsl 4
	and r15, r15, 15
	extr r7, r14, r15, 28
	iadd r12, r9, r11, lsl 3
	iadd r12, r12, 96
	atomic add, 0, r2, r4_r5, r12, unsigned, r8, 1, 0, 1, 4, 2
	atomic add, 0, None, r6_r7, r9, unsigned, r8, 1, 0, 1, 4, 2
	wait 0`+tail), m.meta())
	if err != nil {
		t.Fatal(err)
	}
	img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 2, Layers: 2, Format: emu.FormatByName("R32_UINT")})
	if err != nil {
		t.Fatal(err)
	}
	v := &emu.ImageView{Image: img}
	v.Store(3, 1, 1, 0, 0, [4]uint32{100})
	clear(m.in.Data)
	env := m.env()
	env.Bindings.Set(0, 2, []emu.Descriptor{{Type: emu.DescStorageImage, Image: v}})
	env.Bindings.Set(0, 4, []emu.Descriptor{{Type: emu.DescStorageTexelBuffer, Format: emu.FormatByName("R32_UINT"), Addr: m.in.Addr, Size: 512}})
	c := &emu.ComputeLaunch{LocalID: make([][3]uint32, 32), Shared: make([]byte, 16)}
	if _, err := p.NewWave(&emu.Launch{Env: env, NumLanes: 32, Check: true, Compute: c}).Run(1000); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 16; i++ {
		base := pick(i == 15, 100, 0)
		if got := v.Load(i>>2&1<<1|i&1, i>>1&1, i>>3, 0, 0)[0]; got != base+6 || m.word(i) != base || m.word(i+16) != base+3 {
			t.Errorf("texel %d: %d, results %d and %d", i, got, m.word(i), m.word(i+16))
		}
		if m.inWord(i) != 6 {
			t.Errorf("element %d: %d", i, m.inWord(i))
		}
	}
}

// TestImplicitLod: fragments take the derivatives of their quad.
func TestImplicitLod(t *testing.T) {
	img, err := emu.NewImage(emu.ImageDesc{Width: 8, Height: 8, Mips: 4, Format: emu.FormatByName("R32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	v := &emu.ImageView{Image: img}
	for mip := 0; mip < 4; mip++ {
		for i := 0; i < 64; i++ {
			v.Store(i&7, i>>3, 0, mip, 0, [4]uint32{fbits(float32(mip))})
		}
	}
	m := fragMeta()
	m.States = []abi.State{{Index: 0}, {Sampler: true, Index: 1}}
	p := build(t, m, `
	get_sr r8, sr80
	get_sr r9, sr81
	convert u32_to_f, r8, r8, rte
	convert u32_to_f, r9, r9, rte
	fmul32 r8, r8, 0.25
	fmul32 r9, r9, 0.25
	mov_imm r10l, 16384
	mov_imm r5, 0, 0b0
	texture_sample 0, 0b1100, 0b0, none, x, 0b00, r12, None, ts0, ss1, tex_2d, r8_r9, auto_lod, 0
	texture_sample 0, 0b1100, 0b0, none, x, 0b00, r16, None, ts0, ss1, tex_2d, r8_r9, auto_lod_bias, r10l
	texture_sample 0, query_lod, 0b1100, 0b0, none, xy, 0b00, r20_r21, None, ts0, ss1, tex_2d, r8_r9, auto_lod, 0
	wait 0
	mov r4, r12
	mov r5, r16
	mov r6, r20
	mov r7, r21
	stop`)
	l := quads(1)
	b := &emu.Bindings{}
	b.Set(0, 0, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: v, Sampler: &emu.Sampler{MaxLod: 10}}})
	l.Env = &emu.Env{Mem: emu.NewMemory(), Bindings: b}
	mustFinish(t, p, l)
	for i := range l.Out {
		o := l.Out[i][ir.SlotData0]
		// A step of a quarter image a pixel is 2 texels: level 1; the bias adds 2.
		if toF(o[0]) != 1 || toF(o[1]) != 3 || toF(o[2]) != 1 || toF(o[3]) != 1 {
			t.Errorf("lane %d: levels %v %v, query %v %v", i, toF(o[0]), toF(o[1]), toF(o[2]), toF(o[3]))
		}
	}
}

// TestImplicitLodOperands: what is added to the level that the quad's derivatives give, and the least level, come from the halves
// of the operand, one after the other; explicit levels and derivatives stand for the quad's.
func TestImplicitLodOperands(t *testing.T) {
	img, err := emu.NewImage(emu.ImageDesc{Width: 64, Height: 64, Mips: 7, Format: emu.FormatByName("R32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	v := &emu.ImageView{Image: img}
	for mip := range 7 {
		for i := range 64 * 64 >> (2 * mip) {
			v.Store(i&(64>>mip-1), i>>(6-mip), 0, mip, 0, [4]uint32{fbits(float32(mip))})
		}
	}
	m := fragMeta()
	m.States = []abi.State{{Index: 0}, {Sampler: true, Index: 1}}
	b := &emu.Bindings{}
	b.Set(0, 0, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: v, Sampler: &emu.Sampler{Mip: emu.MipLinear, MaxLod: 10}}})
	for _, c := range []struct {
		lod  string
		want float32
	}{
		{"auto_lod, 0", 2}, {"auto_lod_bias, r10l", 2.5}, {"auto_lod_bias, r10h", 5.5}, {"auto_lod_bias, r11l", 1},
		{"auto_lod_bias_min, r10l_r10h", 3.5}, {"auto_lod_bias_min, r11l_r11h", 1.25},
		{"lod_min, r10l", 0.5}, {"lod_min, r10h", 3.5},
	} {
		p := build(t, m, `
	get_sr r8, sr80
	get_sr r9, sr81
	convert u32_to_f, r8, r8, rte
	convert u32_to_f, r9, r9, rte
	fmul32 r8, r8, 0.0625
	fmul32 r9, r9, 0.0625
	mov_imm r10l, 14336
	mov_imm r10h, 17152
	mov_imm r11l, 48128
	mov_imm r11h, 15616
	texture_sample 0, 0b1100, 0b0, none, x, 0b00, r4, None, ts0, ss1, tex_2d, r8_r9, `+c.lod+`
	wait 0
	mov_imm r5, 0, 0b0
	mov_imm r6, 0, 0b0
	mov_imm r7, 0, 0b0
	stop`)
		l := quads(1)
		l.Env = &emu.Env{Mem: emu.NewMemory(), Bindings: b}
		mustFinish(t, p, l)
		for i := range l.Out {
			// A step of a sixteenth of the image a pixel is 4 texels: level 2. The operands are 0.5, 3.5, -1 and 1.25.
			if got := toF(l.Out[i][ir.SlotData0][0]); got != c.want {
				t.Errorf("%s, lane %d: level %v, want %v", c.lod, i, got, c.want)
			}
		}
	}
}

// TestLevels: the level of detail comes from halves or from differences in words; what hardware samplers do not have, a bias, does nothing.
func TestLevels(t *testing.T) {
	img, err := emu.NewImage(emu.ImageDesc{Width: 8, Height: 8, Layers: 2, Mips: 4, Format: emu.FormatByName("R32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	v := &emu.ImageView{Image: img}
	for level := range 4 {
		for layer := range 2 {
			for y := range 8 >> level {
				for x := range 8 >> level {
					v.Store(x, y, layer, level, 0, [4]uint32{fbits(float32(level*1000 + layer*100 + 10*y + x))})
				}
			}
		}
	}
	regs := func(first int, list ...uint32) (text string) {
		for i, w := range list {
			text += fmt.Sprintf("\tmov_imm r%d, %d, 0b0\n", first+i, w)
		}
		return text
	}
	at := regs(4, fbits(0.3), fbits(0.7), fbits(1))
	sample := func(dim, coords, lod string) string {
		return "\ttexture_sample 0, 0b1100, 0b0, none, x, 0b00, r2, None, ts0, ss1, " + dim + ", " + coords + ", " + lod + "\n\twait 0"
	}
	fetch := func(dim, coords, lod string) string {
		return "\ttexture_load 0, 0b1100, 0b0, none, x, 0b00, r2, None, ts0, ss0, " + dim + ", " + coords + ", " + lod + "\n\twait 0"
	}
	for _, c := range []struct {
		name, body string
		want       float32
	}{
		{"level 0", at + "\tmov_imm r7l, 0\n" + sample("tex_2d", "r4_r5", "lod_min, r7l"), 52},
		{"a level", at + "\tmov_imm r7l, 16384\n" + sample("tex_2d", "r4_r5", "lod_min, r7l"), 2010},
		{"a high half", at + "\tmov_imm r7l, 16384\n\tmov_imm r7h, 15360\n" + sample("tex_2d", "r4_r5", "lod_min, r7h"), 1021},
		{"differences of two texels", at + regs(20, fbits(0.25), 0, 0, fbits(0.125)) + sample("tex_2d", "r4_r5", "lod_grad, r20_r21_r22_r23"), 1021},
		{"differences downwards", at + regs(20, 0, fbits(0.125), 0, fbits(0.5)) + sample("tex_2d", "r4_r5", "lod_grad, r20_r21_r22_r23"), 2010},
		{"differences, not below a level", at + regs(20, fbits(0.125), 0, 0, fbits(0.125), 0x4000) + sample("tex_2d", "r4_r5", "lod_grad_min, r20_r21_r22_r23_r24"), 2010},
		{"a layer", at + "\tmov_imm r6l, 1\n\tmov_imm r7l, 15360\n" + sample("tex_2d_array", "r4l_r4h_r5l_r5h_r6l", "lod_min, r7l"), 1121},
		{"a texel of a level", regs(4, 1, 3) + "\tmov_imm r7l, 1\n" + fetch("tex_2d", "r4_r5", "lod_min, r7l"), 1031},
		{"a texel beside the level", regs(4, 4, 3) + "\tmov_imm r7l, 1\n" + fetch("tex_2d", "r4_r5", "lod_min, r7l"), 0},
	} {
		m := texMachine(t)
		p, err := Load(assemble(t, head+c.body+tail), m.meta())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		env := m.env()
		for _, bias := range []float32{0, 1, -2} {
			env.Bindings.Set(0, 2, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: v, Sampler: &emu.Sampler{MaxLod: 10, LodBias: bias}}})
			l := &emu.Launch{Env: env, NumLanes: 32, Check: true, Compute: &emu.ComputeLaunch{LocalID: make([][3]uint32, 32), Shared: make([]byte, 16)}}
			if _, err := p.NewWave(l).Run(1000); err != nil || toF(m.word(7)) != c.want {
				t.Errorf("%s, with a bias of %v: %v, %v; want %v", c.name, bias, toF(m.word(7)), err, c.want)
			}
		}
	}
}

// TestBufferTexels: a texel buffer is rows of bufferWidth texels, of which the last may end early.
func TestBufferTexels(t *testing.T) {
	d := &emu.Descriptor{Type: emu.DescUniformTexelBuffer, Format: emu.FormatByName("R32_UINT"), Size: 4 * (2*bufferWidth + 5)}
	n := d.NumTexels()
	for _, c := range []struct {
		dim   isa.Dim
		x, y  int
		i     uint64
		stray bool
	}{
		{isa.Dim2D, 0, 0, 0, false}, {isa.Dim2D, bufferWidth - 1, 1, 2*bufferWidth - 1, false}, {isa.Dim2D, bufferWidth, 1, n, false}, {isa.Dim2D, -1, 1, n, false}, {isa.Dim2D, 0, -1, n, false},
		{isa.Dim2D, 4, 2, n - 1, false}, {isa.Dim2D, 5, 2, n, true}, {isa.Dim2D, bufferWidth - 1, 2, 3*bufferWidth - 1, true}, {isa.Dim2D, 0, 3, n, false}, {isa.Dim1D, 7, 9, 7, false},
	} {
		if i, stray := bufferTexel(&inst{Instr: isa.Instr{Dim: c.dim}}, d, c.x, c.y); i != c.i || stray != c.stray {
			t.Errorf("(%d, %d): %d, %v; want %d, %v", c.x, c.y, i, stray, c.i, c.stray)
		}
	}
	d.Size = 4 * bufferWidth
	if i, stray := bufferTexel(&inst{Instr: isa.Instr{Dim: isa.Dim2D}}, d, 0, 1); i != bufferWidth || stray {
		t.Errorf("a row after the last whole one: %d, %v", i, stray)
	}
}
