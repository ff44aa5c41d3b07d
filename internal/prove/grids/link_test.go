package grids

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"nirc"
	"nirc/backend"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/ir"
	"nirc/passes"
)

// A vertex shader that hands position and colour on.
//
//go:embed testdata/asm/parts_vertex.spvasm
var partsVertex string

// A fragment shader with a second source for blending.
//
//go:embed testdata/asm/parts_fragment.spvasm
var partsFragment string

// A fragment shader that runs once a sample, kills sample 1 and gives every
// other its number.
//
//go:embed testdata/asm/parts_samples.spvasm
var partsSamples string

// partOrWhole loads an object of an ABI: of "" as it is, else as a main part.
func partOrWhole(o *object.Object, abi string) (emu.Program, error) {
	if abi == "" {
		return exec.Reload(context.Background(), o)
	}
	return exec.NewPart(o)
}

// partsPrograms compiles a vertex and a fragment shader under an ABI.
func partsPrograms(t *testing.T, abi string, sources ...string) (list [2]emu.Program) {
	t.Helper()
	for i, src := range sources {
		o := nirc.Options{Target: "agx", Level: passes.O2, ABI: abi}
		obj, err := nirc.Compile(context.Background(), []byte(src), o)
		if err != nil {
			t.Fatal(err)
		}
		if list[i], err = partOrWhole(obj, abi); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// partsDraw draws with programs of a kind and returns what the target holds.
func partsDraw(t *testing.T, p emu.Pipeline, programs [2]emu.Program, format string, samples int) *emu.Image {
	t.Helper()
	img, err := emu.NewImage(emu.ImageDesc{Width: 8, Height: 8, Samples: samples, Format: emu.FormatByName(format)})
	if err != nil {
		t.Fatal(err)
	}
	p.Color = []emu.Attachment{{View: &emu.ImageView{Image: img}}}
	if err := p.Color[0].View.Clear([4]uint32{math.Float32bits(0.25), math.Float32bits(0.5), math.Float32bits(0.75), math.Float32bits(0.5)}); err != nil {
		t.Fatal(err)
	}
	p.Vertex, p.Fragment = programs[0], programs[1]
	p.Env = &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
	if err := exec.LinkPipeline(context.Background(), "agx", &p); err != nil {
		t.Fatal(err)
	}
	params := emu.DrawParams{VertexCount: 6, InstanceCount: 3, FirstInstance: 1, Limits: emu.Limits{Check: true}}
	if err := emu.Draw(emu.Once(context.Background()), &p, params); err != nil {
		t.Fatal(err)
	}
	return img
}

// partsPipeline has two triangles that overlap and colours of a random format.
func partsPipeline(r *rand.Rand) emu.Pipeline {
	var pos []byte
	for _, v := range [6][2]float32{{-1, -1}, {1, -1}, {-1, 1}, {-1, -1}, {1, 0.5}, {-1, 0.9}} {
		pos = binary.LittleEndian.AppendUint32(pos, math.Float32bits(v[0]))
		pos = binary.LittleEndian.AppendUint32(pos, math.Float32bits(v[1]))
	}
	formats := []string{"R8G8B8A8_UNORM", "B8G8R8A8_SNORM", "R16G16B16_SFLOAT", "R16G16_UNORM", "A2B10G10R10_UNORM_PACK32", "A2R10G10B10_SNORM_PACK32",
		"R5G6B5_UNORM_PACK16", "B10G11R11_UFLOAT_PACK32", "R8G8B8_USCALED", "R32G32B32A32_SFLOAT", "R8_SSCALED", "R16G16B16A16_SNORM"}
	f := emu.FormatByName(formats[r.IntN(len(formats))])
	// One element fewer than the draw reads: the last ones are out of bounds.
	col := make([]byte, f.Bytes*5)
	for i := 0; i < 5; i++ {
		c := [4]uint32{}
		for k := range c {
			c[k] = math.Float32bits(r.Float32())
		}
		f.Pack(col[i*f.Bytes:], &c)
	}
	b := emu.VertexBinding{Binding: 1, Data: col, Stride: uint32(f.Bytes)}
	if b.Instance = r.IntN(2) == 0; b.Instance {
		b.Divisor, b.DivisorSet = uint32(r.IntN(4)), true
	}
	return emu.Pipeline{
		Topology: emu.TriangleList, Area: emu.Rect{Width: 8, Height: 8},
		Viewports:  []emu.Viewport{{Width: 8, Height: 8, MaxDepth: 1}},
		Bindings:   []emu.VertexBinding{{Binding: 0, Data: pos, Stride: 8}, b},
		Attributes: []emu.VertexAttribute{{Location: 0, Binding: 0, Format: emu.FormatByName("R32G32_SFLOAT")}, {Location: 1, Binding: 1, Format: f}},
	}
}

// TestPartsBlend draws with random states once with the fixed-function stages
// of the software GPU and once with linked prologs and epilogs.
func TestPartsBlend(t *testing.T) {
	whole, parts := partsPrograms(t, "", partsVertex, partsFragment), partsPrograms(t, nirc.SeparateABI, partsVertex, partsFragment)
	formats := []string{"R8G8B8A8_UNORM", "B8G8R8A8_SRGB", "R5G6B5_UNORM_PACK16", "A2B10G10R10_UNORM_PACK32", "R16G16B16A16_SFLOAT",
		"R32G32B32A32_SFLOAT", "R8G8_SNORM", "R16_UNORM", "B10G11R11_UFLOAT_PACK32"}
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 120 {
		p := partsPipeline(r)
		factor := func() ir.BlendFactor { return ir.BlendFactor(r.IntN(int(ir.BlendOneMinusSrc1Alpha) + 1)) }
		op := func() ir.BlendOp { return ir.BlendOp(r.IntN(5)) }
		p.Blend.Constants = [4]float32{0.2, 0.4, 0.6, 0.8}
		p.Blend.Attachments = []emu.AttachmentBlend{{Enable: n%4 != 0, SrcColor: factor(), DstColor: factor(), ColorOp: op(), SrcAlpha: factor(),
			DstAlpha: factor(), AlphaOp: op(), WriteMask: uint8(r.IntN(16))}}
		format, samples := formats[n%len(formats)], []int{1, 4}[n&1]
		if f := emu.FormatByName(format); n%7 == 0 && !f.IsFloat() {
			p.Blend.LogicEnable, p.Blend.Logic = true, ir.LogicOp(r.IntN(16))
		}
		if n%5 == 0 {
			m := uint32(r.IntN(16))
			p.Multisample.Mask = &m
		}
		a, b := partsDraw(t, p, whole, format, samples), partsDraw(t, p, parts, format, samples)
		if err := sameImage(a, b); err != nil {
			t.Fatalf("%d: %s, %d samples, %+v, mask %v: %v", n, format, samples, p.Blend, p.Multisample.Mask, err)
		}
	}
}

// sameImage compares images up to one step of their format.
func sameImage(a, b *emu.Image) error {
	f := a.Format
	for i := 0; i < len(a.Data); i += f.Bytes {
		var u, v [4]uint32
		f.Unpack(a.Data[i:], &u)
		f.Unpack(b.Data[i:], &v)
		for c := range u {
			x, y := float64(math.Float32frombits(u[c])), float64(math.Float32frombits(v[c]))
			step := math.Max(math.Abs(x), 1) / 64
			if !f.IsFloat() {
				step = 1.01 / float64(uint64(1)<<(f.Channels[min(c, len(f.Channels)-1)].Width-1)-1)
			} else if f.Bytes == 16 {
				step = math.Max(math.Abs(x), 1) * 1e-5
			}
			if d := math.Abs(x - y); d > step && !(x != x && y != y) {
				return fmt.Errorf("texel %d, component %d: %v and %v", i/f.Bytes, c, x, y)
			}
		}
	}
	return nil
}

// TestPartsSamples runs a shader in the linker's loop over the samples.
func TestPartsSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, samples := range []int{1, 2, 4} {
		p := partsPipeline(r)
		p.Attributes = append(p.Attributes[:1:1], emu.VertexAttribute{Location: 1, Format: emu.FormatByName("R32G32_SFLOAT")})
		a := partsDraw(t, p, partsPrograms(t, "", partsVertex, partsSamples), "R32_SFLOAT", samples)
		b := partsDraw(t, p, partsPrograms(t, nirc.SeparateABI, partsVertex, partsSamples), "R32_SFLOAT", samples)
		if err := sameImage(a, b); err != nil {
			t.Errorf("%d samples: %v", samples, err)
		}
	}
}

func TestLink(t *testing.T) {
	ctx := context.Background()
	compile := func(src, abi string) *object.Object {
		o, err := nirc.Compile(ctx, []byte(src), nirc.Options{Target: "agx", ABI: abi})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	main := compile(partsVertex, nirc.SeparateABI)
	parts, err := nirc.PartsOf(main, &nirc.State{Attributes: []backend.AttribKey{{Location: 0, Format: "R32G32_SFLOAT", Stride: 8}}})
	if err != nil || len(parts) != 1 {
		t.Fatalf("%d parts: %v", len(parts), err)
	}
	for _, c := range []struct {
		objects []*object.Object
		state   string
	}{
		{nil, ""},
		{[]*object.Object{main}, ""},                                     // the prolog is missing
		{[]*object.Object{parts[0]}, ""},                                 // the main part is
		{[]*object.Object{main, main}, ""},                               // two main parts
		{[]*object.Object{compile(partsVertex, "")}, ""},                 // no part
		{[]*object.Object{compile(partsFragment, nirc.SeparateABI)}, ""}, // no epilog
		{[]*object.Object{main}, `{"attributes": [{"location": 0, "format": "D16_UNORM"}]}`},
		{[]*object.Object{compile(partsFragment, nirc.SeparateABI)}, `{"fragment": {"samples": 8}}`},
	} {
		var st *nirc.State
		if c.state != "" {
			if st, err = nirc.ReadState("", []byte(c.state)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := nirc.Link(ctx, c.objects, st); err == nil {
			t.Errorf("%d objects with state %q link", len(c.objects), c.state)
		}
	}
	for _, list := range [][]*object.Object{{main, parts[0]}, {parts[0], main}} {
		o, err := nirc.Link(ctx, list, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := exec.Reload(ctx, o); err != nil {
			t.Error(err)
		}
	}
	if _, err := exec.Reload(ctx, main); err == nil {
		t.Error("a main part runs by itself")
	}
}

// halfModule is a stage that adds its 16-bit input to itself: a float one and a
// flat integer one.
func halfModule(stage, in0, in1, extra string) string {
	return `
OpCapability Shader
OpCapability Float16
OpCapability Int16
OpCapability StorageInputOutput16
OpExtension "SPV_KHR_16bit_storage"
OpMemoryModel Logical GLSL450
OpEntryPoint ` + stage + ` %main "main" %a %i %x %y %p
` + extra + `
OpDecorate %a Location ` + in0 + `
OpDecorate %i Location ` + in1 + `
OpDecorate %x Location 0
OpDecorate %y Location 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%half = OpTypeFloat 16
%short = OpTypeInt 16 1
%float = OpTypeFloat 32
%v4 = OpTypeVector %half 4
%s4 = OpTypeVector %short 4
%f4 = OpTypeVector %float 4
%inF = OpTypePointer Input %v4
%inI = OpTypePointer Input %s4
%outF = OpTypePointer Output %v4
%outI = OpTypePointer Output %s4
%out4 = OpTypePointer Output %f4
%a = OpVariable %inF Input
%i = OpVariable %inI Input
%x = OpVariable %outF Output
%y = OpVariable %outI Output
%p = OpVariable %out4 Output
%main = OpFunction %void None %fn
%l = OpLabel
%u = OpLoad %v4 %a
%w = OpFConvert %f4 %u
OpStore %p %w
%s = OpFAdd %v4 %u %u
OpStore %x %s
%v = OpLoad %s4 %i
%t = OpIAdd %s4 %v %v
OpStore %y %t
OpReturn
OpFunctionEnd
`
}

// TestHalfInterface draws with 16-bit inputs and outputs of both stages.
func TestHalfInterface(t *testing.T) {
	vertex := halfModule("Vertex", "0", "1", "OpDecorate %p BuiltIn Position\nOpDecorate %y Flat")
	fragment := halfModule("Fragment", "0", "1", "OpExecutionMode %main OriginUpperLeft\nOpDecorate %i Flat\nOpDecorate %p Location 2")
	var pos []byte
	for _, v := range [3][4]float32{{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}} {
		for _, x := range v {
			pos = binary.LittleEndian.AppendUint16(pos, emu.FloatToHalf(x))
		}
		for k := range 4 {
			pos = binary.LittleEndian.AppendUint16(pos, uint16(k-2))
		}
	}
	draw := func(abi, target string) [3]*emu.Image {
		var programs [2]emu.Program
		for i, src := range []string{vertex, fragment} {
			m, err := nirc.Load([]byte(src), "")
			if err != nil {
				t.Fatal(err)
			}
			if target == nirc.IRTarget {
				programs[i], err = exec.Interpret(context.Background(), m, nirc.Options{Target: target, Level: passes.O2}, 0)
			} else {
				var o *object.Object
				if o, err = m.Compile(context.Background(), nirc.Options{Target: target, Level: passes.O2, ABI: abi}); err == nil {
					programs[i], err = partOrWhole(o, abi)
				}
			}
			if err != nil {
				t.Fatal(target, err)
			}
		}
		var images [3]*emu.Image
		p := emu.Pipeline{Vertex: programs[0], Fragment: programs[1], Topology: emu.TriangleList, Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}},
			Viewports: []emu.Viewport{{Width: 4, Height: 4, MaxDepth: 1}}, Bindings: []emu.VertexBinding{{Data: pos, Stride: 16}},
			Attributes: []emu.VertexAttribute{{Format: emu.FormatByName("R16G16B16A16_SFLOAT")}, {Location: 1, Offset: 8, Format: emu.FormatByName("R16G16B16A16_SINT")}}}
		for i, f := range []string{"R32G32B32A32_SFLOAT", "R16G16B16A16_SINT", "R16G16B16A16_SFLOAT"} {
			var err error
			if images[i], err = emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Format: emu.FormatByName(f)}); err != nil {
				t.Fatal(err)
			}
			p.Color = append(p.Color, emu.Attachment{View: &emu.ImageView{Image: images[i]}})
		}
		if err := exec.LinkPipeline(context.Background(), target, &p); err != nil {
			t.Fatal(err)
		}
		if err := emu.Draw(emu.Once(context.Background()), &p, emu.DrawParams{VertexCount: 3, InstanceCount: 1}); err != nil {
			t.Fatal(err)
		}
		return images
	}
	want := draw("", nirc.IRTarget)
	for _, abi := range []string{"", nirc.SeparateABI} {
		got := draw(abi, "agx")
		for i := range want {
			if err := sameImage(want[i], got[i]); err != nil {
				t.Errorf("ABI %q, target %d: %v", abi, i, err)
			}
		}
		if v := got[1].Data[:8]; binary.LittleEndian.Uint64(v) != 0x0004_0000_fffc_fff8 {
			t.Errorf("ABI %q: integers %x", abi, v)
		}
	}
}
