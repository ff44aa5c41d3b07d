// Package grids proves forms of a thing all over: the forms of texture operations, the prologs and
// epilogs of separate parts, tessellation, geometry shaders, culling and transform feedback. The
// interpreter says what is right.
package grids

import (
	_ "embed"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// texShape is a kind of texture: its binding is its place in texShapes, the
// one for comparisons len(texShapes) after that.
type texShape struct {
	dim    ir.Dim
	array  bool
	coords int // without the layer
	image  emu.ImageDesc
}

var texShapes = []texShape{
	{ir.Dim1D, false, 1, emu.ImageDesc{Width: 32, Height: 1, Mips: 4}},
	{ir.Dim1D, true, 1, emu.ImageDesc{Width: 32, Height: 1, Mips: 4, Layers: 3}},
	{ir.Dim2D, false, 2, emu.ImageDesc{Width: 32, Height: 16, Mips: 4}},
	{ir.Dim2D, true, 2, emu.ImageDesc{Width: 32, Height: 16, Mips: 3, Layers: 3}},
	{ir.Dim3D, false, 3, emu.ImageDesc{Width: 16, Height: 8, Depth: 8, Mips: 3}},
	{ir.DimCube, false, 3, emu.ImageDesc{Width: 16, Height: 16, Layers: 6, Mips: 3}},
	{ir.DimCube, true, 3, emu.ImageDesc{Width: 16, Height: 16, Layers: 12, Mips: 3}},
	{ir.DimMS, false, 2, emu.ImageDesc{Width: 8, Height: 8, Samples: 4}},
	{ir.DimMS, true, 2, emu.ImageDesc{Width: 8, Height: 8, Samples: 4, Layers: 3}},
	{ir.DimBuf, false, 1, emu.ImageDesc{Width: 64, Height: 1}},
}

// texForm is one texture operation on a shape.
type texForm struct {
	shape                            int
	op                               ir.TexOp
	offset, shadow, minLod, projects bool
}

func (f texForm) String() string {
	s := &texShapes[f.shape]
	return fmt.Sprintf("%s of dimension %d (array %v), offset %v, compare %v, min_lod %v, projector %v", f.op, s.dim, s.array, f.offset, f.shadow, f.minLod, f.projects)
}

// valid reports whether Vulkan has the operation in this form.
func (f texForm) valid() bool {
	s := &texShapes[f.shape]
	cube, filtered := s.dim == ir.DimCube, s.dim != ir.DimMS && s.dim != ir.DimBuf
	switch f.op {
	case ir.TexOpTex, ir.TexOpTxb, ir.TexOpTxl, ir.TexOpTxd:
		return filtered && !(f.offset && cube) && !(f.shadow && s.dim == ir.Dim3D) && !(f.minLod && f.op == ir.TexOpTxl) &&
			!(f.projects && (cube || s.array))
	case ir.TexOpTg4:
		return (s.dim == ir.Dim2D || cube) && !(f.offset && cube) && !f.minLod && !f.projects
	case ir.TexOpLod:
		return filtered && !f.offset && !f.shadow && !f.minLod && !f.projects
	}
	plain := !f.shadow && !f.minLod && !f.projects
	switch f.op {
	case ir.TexOpTxf:
		return s.dim != ir.DimMS && !cube && plain && !(f.offset && s.dim == ir.DimBuf)
	case ir.TexOpTxfMs:
		return s.dim == ir.DimMS && plain && !f.offset
	case ir.TexOpTxs:
		return plain && !f.offset
	case ir.TexOpQueryLevels:
		return filtered && plain && !f.offset
	case ir.TexOpTextureSamples:
		return s.dim == ir.DimMS && plain && !f.offset
	}
	return false
}

func texForms() (list []texForm) {
	for shape := range texShapes {
		for _, op := range []ir.TexOp{ir.TexOpTex, ir.TexOpTxb, ir.TexOpTxl, ir.TexOpTxd, ir.TexOpTg4, ir.TexOpLod, ir.TexOpTxf, ir.TexOpTxfMs, ir.TexOpTxs, ir.TexOpQueryLevels, ir.TexOpTextureSamples} {
			for bits := range 16 {
				if f := (texForm{shape, op, bits&1 != 0, bits&2 != 0, bits&4 != 0, bits&8 != 0}); f.valid() {
					list = append(list, f)
				}
			}
		}
	}
	return list
}

// texGrid fills an environment with an array of two textures of each shape.
func texGrid(t *testing.T, mem *emu.Memory) *emu.Env {
	var bind emu.Bindings
	linear := &emu.Sampler{Mag: emu.FilterLinear, Min: emu.FilterLinear, Mip: emu.MipLinear, LodBias: 1, MaxLod: emu.LodNone, Address: [3]emu.AddressMode{emu.AddressClampToEdge, emu.AddressMirroredRepeat, emu.AddressRepeat}}
	shadow := *linear
	shadow.CompareOp = emu.CompareLess
	for i, s := range texShapes {
		if s.dim == ir.DimBuf {
			var list []emu.Descriptor
			for e := range 2 {
				buf := mem.Alloc(4 * s.image.Width)
				for k := range buf.Data {
					buf.Data[k] = byte(k * (37 + e))
				}
				list = append(list, emu.Descriptor{Type: emu.DescUniformTexelBuffer, Addr: buf.Addr, Size: uint64(len(buf.Data)), Format: emu.FormatByName("R8G8B8A8_UNORM")})
			}
			bind.Set(0, uint32(i), list)
			continue
		}
		for k, format := range []string{"R32G32B32A32_SFLOAT", "D32_SFLOAT"} {
			m := linear
			if k > 0 {
				m = &shadow
			}
			var list []emu.Descriptor
			for e := range 2 {
				d := s.image
				if d.Format = emu.FormatByName(format); e > 0 && s.dim != ir.DimMS {
					d.Mips = max(1, d.Mips-1)
				}
				img, err := emu.NewImage(d)
				if err != nil {
					t.Fatal(err)
				}
				v := &emu.ImageView{Image: img}
				texels(v, k > 0, float32(e)/2)
				list = append(list, emu.Descriptor{Type: emu.DescCombinedImageSampler, Image: v, Sampler: m})
			}
			bind.Set(0, uint32(i+k*len(texShapes)), list)
		}
	}
	return &emu.Env{Mem: mem, Bindings: &bind}
}

// texels differ by level, layer, place and sample; depths are multiples of 1/4.
func texels(v *emu.ImageView, depth bool, add float32) {
	for mip := range v.NumMips() {
		w, h, slices := v.Size(mip)
		for z := range max(slices, v.NumLayers()) {
			for i := range w * h * v.Image.Samples {
				x, y, k := i/v.Image.Samples%w, i/v.Image.Samples/w, i%v.Image.Samples
				if depth {
					v.Store(x, y, z, mip, k, [4]uint32{math.Float32bits((float32((x+2*y+z+mip)%5) + 2*add) / 4)})
					continue
				}
				fx, fy := float32(x)/float32(w), float32(y)/float32(h)
				var texel [4]uint32
				for c, n := range [4]float32{fx + float32(mip) + add, fy + float32(z), fx*fy + 4*float32(mip) + float32(k), 1 - fx + float32(z)/2 - add} {
					texel[c] = math.Float32bits(n)
				}
				v.Store(x, y, z, mip, k, texel)
			}
		}
	}
}

// texShader builds a fragment shader of texture operations on one shape, whose
// coordinates are the same values.
type texShader struct {
	b     *ir.Builder
	shape *texShape
	vars  [2]*ir.Variable // as they are, and for comparisons
	at    *ir.Def         // the coordinates of pixels, texels of fetches
	float *ir.Def
	ints  *ir.Def
	index *ir.Def // into arrays of two, if not nil
	rand  *rand.Rand
}

func (x *texShader) f(v float64) *ir.Def { return x.b.ImmFloat(v, 32) }

// coordinates makes them of what the rasteriser interpolates.
func (x *texShader) coordinates(uv *ir.Def) {
	b := x.b
	x.at = uv
	var fs, is []*ir.Def
	major := x.rand.IntN(3)
	for k := range x.shape.coords {
		c := b.Channel(uv, k)
		is = append(is, b.F2i32(b.Fmul(c, x.f([]float64{7, 3, 3}[k]))))
		if x.shape.dim == ir.DimCube { // of one face: across edges targets differ
			if k == major {
				c = b.Fadd(b.Fmul(c, x.f(0.25)), x.f(1))
			} else {
				c = b.Fsub(c, x.f(0.4))
			}
			if x.rand.IntN(2) == 0 {
				c = b.Fneg(c)
			}
		}
		fs = append(fs, c)
	}
	if x.shape.array {
		left := b.Flt(b.Channel(uv, 0), x.f(0.5))
		fs = append(fs, b.Bcsel(left, x.f(0.25), x.f(1.75)))
		is = append(is, b.Bcsel(left, b.Imm32(1), b.Imm32(2)))
	}
	x.float, x.ints = b.Vec(fs...), b.Vec(is...)
}

func (x *texShader) emit(f texForm) *ir.Def {
	b := x.b
	comps := uint8(4)
	result := ir.ALUType{Class: ir.ClassFloat, Bits: 32}
	switch f.op {
	case ir.TexOpTxs:
		comps = uint8(x.shape.coords)
		if x.shape.dim == ir.DimCube {
			comps = 2
		}
		if x.shape.array {
			comps++
		}
		result.Class = ir.ClassInt
	case ir.TexOpQueryLevels, ir.TexOpTextureSamples:
		comps, result.Class = 1, ir.ClassInt
	case ir.TexOpLod:
		comps = 2
	}
	if f.shadow && f.op != ir.TexOpTg4 {
		comps = 1
	}
	in := b.Shader.NewTex(f.op, comps, 32)
	i := in.TexInfo()
	i.Dim, i.IsArray, i.DestType = x.shape.dim, x.shape.array, result
	i.IsShadow, i.NewStyleShadow = f.shadow, f.shadow && comps == 1
	add := func(k ir.TexSrc, d *ir.Def) { b.Shader.AddTexSrc(in, k, d) }
	v := x.vars[0]
	if f.shadow {
		v = x.vars[1]
	}
	add(ir.TexSrcTextureDeref, x.texture(v))
	i.TextureNonUniform, i.SamplerNonUniform = x.index != nil, x.index != nil
	x.sources(f, i, add)
	b.Insert(in)
	d := &in.Def
	if result.Class == ir.ClassInt {
		d = b.I2f32(d)
	}
	list := make([]*ir.Def, 4)
	for k := range list {
		list[k] = b.Channel(d, min(k, int(comps)-1))
	}
	return b.Vec(list...)
}

// texture is the variable, or an element of its array.
func (x *texShader) texture(v *ir.Variable) *ir.Def {
	if x.index == nil {
		return x.b.DerefVar(v)
	}
	return x.b.DerefArray(x.b.DerefVar(v), x.index)
}

// sources adds all but the texture.
func (x *texShader) sources(f texForm, i *ir.TexInfo, add func(ir.TexSrc, *ir.Def)) {
	b := x.b
	pick := func(list ...*ir.Def) *ir.Def { return list[x.rand.IntN(len(list))] }
	u := b.Channel(x.at, 0)
	switch f.op {
	case ir.TexOpTxs:
		if x.shape.dim != ir.DimBuf && x.shape.dim != ir.DimMS {
			add(ir.TexSrcLod, pick(b.Imm32(0), b.Imm32(1), b.F2i32(b.Fmul(u, x.f(1.9)))))
		}
		return
	case ir.TexOpQueryLevels, ir.TexOpTextureSamples:
		return
	case ir.TexOpTxf, ir.TexOpTxfMs:
		add(ir.TexSrcCoord, x.ints)
		i.CoordComponents = x.ints.NumComponents
		switch {
		case f.op == ir.TexOpTxfMs:
			add(ir.TexSrcMsIndex, pick(b.Imm32(2), b.F2i32(b.Fmul(u, x.f(3.9)))))
		case x.shape.dim != ir.DimBuf:
			add(ir.TexSrcLod, pick(b.Imm32(0), b.Imm32(1), b.F2i32(b.Fmul(u, x.f(1.9)))))
		}
	default:
		add(ir.TexSrcSamplerDeref, x.texture(x.vars[map[bool]int{true: 1}[f.shadow]]))
		coord := x.float
		if f.op == ir.TexOpLod {
			coord = b.Channels(coord, 0, x.shape.coords)
		}
		add(ir.TexSrcCoord, coord)
		i.CoordComponents = coord.NumComponents
	}
	x.lod(f, add, pick)
	if f.offset {
		list := []*ir.Def{b.Imm32(1), b.ImmInt(-2, 32), b.Imm32(3)}
		add(ir.TexSrcOffset, b.Vec(list[:x.shape.coords]...))
	}
	if f.shadow {
		add(ir.TexSrcComparator, pick(x.f(0.375), b.Bcsel(b.Flt(u, x.f(0.5)), x.f(0.125), x.f(0.625))))
	}
	if f.projects {
		add(ir.TexSrcProjector, pick(x.f(2), b.Fadd(b.Fmul(u, x.f(0.125)), x.f(0.75))))
	}
	if f.op == ir.TexOpTg4 && !f.shadow {
		i.Component = uint8(x.rand.IntN(4))
	}
}

func (x *texShader) lod(f texForm, add func(ir.TexSrc, *ir.Def), pick func(...*ir.Def) *ir.Def) {
	b := x.b
	u := b.Channel(x.at, 0)
	switch f.op {
	case ir.TexOpTxb:
		add(ir.TexSrcBias, pick(x.f(0.75), x.f(-1), u))
	case ir.TexOpTxl:
		add(ir.TexSrcLod, pick(x.f(0), x.f(1.5), b.Fmul(u, x.f(2))))
	case ir.TexOpTxd:
		var ddx, ddy []*ir.Def
		for k := range x.shape.coords {
			ddx = append(ddx, pick(x.f(0.125), b.Fmul(u, x.f(0.25)), x.f(0)))
			ddy = append(ddy, pick(x.f(0.0625), x.f(0.03125*float64(k+1))))
		}
		add(ir.TexSrcDdx, b.Vec(ddx...))
		add(ir.TexSrcDdy, b.Vec(ddy...))
	}
	if f.minLod {
		add(ir.TexSrcMinLod, pick(x.f(1), b.Fadd(u, x.f(0.5))))
	}
}

// texModule makes a module of operations on one shape, indexed in an array at times.
func texModule(t *testing.T, forms []texForm, seed uint64) *nirc.Module {
	t.Helper()
	s := ir.NewShader(ir.StageFragment, nil)
	s.Name = "main"
	fn := s.NewFunction("main")
	fn.IsEntry = true
	b := ir.NewBuilder(ir.AtEnd(fn.Impl.Start()))
	n := forms[0].shape
	x := &texShader{b: b, shape: &texShapes[n], rand: rand.New(rand.NewPCG(seed, 1))}
	for k := range x.vars {
		ty := &ir.Type{Base: ir.BaseSampledImage, Dim: x.shape.dim, Arrayed: x.shape.array, MS: x.shape.dim == ir.DimMS, Texel: ir.BaseFloat, TexelBits: 32}
		if x.shape.dim == ir.DimBuf {
			ty.Base = ir.BaseTexture
		}
		if seed%4 == 1 {
			ty = ir.ArrayType(ty, 2, 0)
		}
		v := s.NewVariable(ir.ModeUniform, ty, "t")
		v.Set, v.Binding, v.HasBinding = 0, uint32(n+k*len(texShapes)), true
		x.vars[k] = v
	}
	in := s.NewVariable(ir.ModeShaderIn, ir.VectorType(ir.BaseFloat, 32, 4), "uv")
	in.Location, in.Interp = int32(ir.SlotVar0), ir.InterpSmooth
	out := s.NewVariable(ir.ModeShaderOut, ir.VectorType(ir.BaseFloat, 32, 4), "color")
	out.Location = int32(ir.SlotData0)
	x.coordinates(b.LoadVar(in))
	if seed%4 == 1 {
		x.index = b.F2u32(b.Fmul(b.Channel(x.at, 1), b.ImmFloat(1.9, 32)))
	}
	var sum *ir.Def
	for _, f := range forms {
		d := x.emit(f)
		if sum != nil {
			d = b.Fadd(b.Fmul(sum, b.ImmFloat(0.5, 32)), d)
		}
		sum = d
	}
	b.StoreVar(out, sum, 15)
	return textModule(t, ir.Print(s))
}

func textModule(t *testing.T, text string) *nirc.Module {
	t.Helper()
	m, err := nirc.Load([]byte(text), "grid.nir")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

//go:embed testdata/ir/tex_vertex.nir
var texVertex string

const texPixels = 16

// texDraw covers a small render target by the fragment program and returns
// its floats.
func texDraw(t *testing.T, vertex, fragment emu.Program) ([]byte, error) {
	mem := emu.NewMemory()
	img, err := emu.NewImage(emu.ImageDesc{Width: texPixels, Height: texPixels / 2, Format: emu.FormatByName("R32G32B32A32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	var data []byte
	for _, v := range [][8]float32{{-1, -1, 0, 1, 0.0117, 0.0231, 0.913, 0.1}, {3, -1, 0, 1, 1.9371, 0.1293, 0.3079, 0.4}, {-1, 3, 0, 1, 0.2357, 1.8923, 0.5191, 0.9}} {
		for _, f := range v {
			data = append(data, 0, 0, 0, 0)
			emu.StoreBytes(data[len(data)-4:], 4, uint64(math.Float32bits(f)))
		}
	}
	vec4 := emu.FormatByName("R32G32B32A32_SFLOAT")
	p := &emu.Pipeline{Vertex: vertex, Fragment: fragment, Env: texGrid(t, mem), Topology: emu.TriangleList,
		Bindings:   []emu.VertexBinding{{Data: data, Stride: 32}},
		Attributes: []emu.VertexAttribute{{Location: 0, Format: vec4}, {Location: 1, Format: vec4, Offset: 16}},
		Color:      []emu.Attachment{{View: &emu.ImageView{Image: img}}},
	}
	params := emu.DrawParams{VertexCount: 3, InstanceCount: 1}
	params.Check, params.Budget = true, 1<<24
	err = emu.Draw(emu.Once(t.Context()), p, params)
	return img.Data, err
}

// TestTextureGrid runs every texture operation in every form on every shape of
// texture on the targets' cores and compares with the interpreter. Further operations
// on the same coordinates stand after the one that is tried.
func TestTextureGrid(t *testing.T) {
	vertex, _, err := exec.Executable(t.Context(), textModule(t, texVertex), nirc.Options{Target: nirc.IRTarget})
	if err != nil {
		t.Fatal(err)
	}
	forms := texForms()
	byShape := make([][]texForm, len(texShapes))
	for _, f := range forms {
		byShape[f.shape] = append(byShape[f.shape], f)
	}
	verify := passes.RunOptions{VerifyEach: true}
	targets := []nirc.Options{{Target: "ir3", GPU: "a630", Run: verify}, {Target: "agx", Run: verify}, {Target: "midgard", Run: verify}}
	r := rand.New(rand.NewPCG(7, 7))
	ran := map[string]int{}
	for n, f := range refs.Sample(forms, 4) {
		list := []texForm{f}
		for range n % 3 {
			peers := byShape[f.shape]
			list = append(list, peers[r.IntN(len(peers))])
		}
		m := texModule(t, list, uint64(n))
		ref, _, err := exec.Executable(t.Context(), m, nirc.Options{Target: nirc.IRTarget})
		if err != nil {
			t.Fatalf("%v: %v", list, err)
		}
		want, err := texDraw(t, vertex, ref)
		if err != nil {
			t.Fatalf("%v: interpreter: %v", list, err)
		}
		for _, o := range targets {
			o.Level = passes.O2
			p, _, err := exec.Executable(t.Context(), m, o)
			if err != nil {
				t.Errorf("%v: %v", list, err)
				continue
			}
			got, err := texDraw(t, vertex, p)
			if err == nil {
				err = texDiffer(want, got, texPrecision(o.Target, list))
			}
			if err != nil {
				t.Errorf("%s: %v: %v", o.Target, list, err)
			}
			ran[o.Target]++
		}
	}
	t.Logf("%d forms; run: %v", len(forms), ran)
}

// texPrecision is how far off a component may be: LODs are of few bits, and
// Midgard takes those of cubes from the coordinates on the face.
func texPrecision(target string, list []texForm) float64 {
	if target == "midgard" && texShapes[list[0].shape].dim == ir.DimCube {
		return 0.12
	}
	return 0.05
}

// texDiffer compares what was drawn.
func texDiffer(want, got []byte, precision float64) error {
	for i := 0; i+4 <= len(want); i += 4 {
		w, g := math.Float32frombits(uint32(emu.LoadBytes(want[i:], 4))), math.Float32frombits(uint32(emu.LoadBytes(got[i:], 4)))
		if !prove.Near(float64(g), float64(w), precision) {
			n := i / 16
			return fmt.Errorf("pixel %d %d: component %d is %g, want %g", n%texPixels, n/texPixels, i/4%4, g, w)
		}
	}
	if strings.Trim(string(want), "\x00") == "" {
		return fmt.Errorf("nothing is drawn")
	}
	return nil
}
