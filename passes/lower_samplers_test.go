package passes

import (
	"context"
	_ "embed"
	"encoding/binary"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// samplersShader fetches from an element of two arrays of three textures that
// each workgroup chooses, and from the last.
//
//go:embed testdata/ir/samplers_shader.nir
var samplersShader string

func TestSamplers(t *testing.T) {
	s := parseShader(t, samplersShader)
	before := runSamplers(t, s)
	runPasses(t, s, "lower_samplers")
	after := runSamplers(t, s)
	for i, v := range before {
		want := uint32(10+i%2*3+i/2) + 15 // element [i%2][i/2], and the last
		if v != want || after[i] != want {
			t.Errorf("workgroup %d: %d before, %d after, want %d", i, v, after[i], want)
		}
	}
	text := ir.Print(s)
	if strings.Contains(text, "texture_deref") || !strings.Contains(text, "texture_offset") {
		t.Errorf("left:\n%s", text)
	}
	other := parseShader(t, strings.ReplaceAll(samplersShader, "set=0", "set=1"))
	if _, err := lowerSamplers(nil, other); err == nil || !strings.Contains(err.Error(), "descriptor set 1") {
		t.Errorf("a texture of set 1: %v", err)
	}
	for decl, want := range map[string]string{
		`var @9 uniform tex2D<u32> "u" { set=0 binding=5 }`:                                                              `"u" at binding 5 and "t" at binding 0 overlap`,
		`var @9 uniform tex2D<u32> "u" { set=0 binding=6 } var @8 uniform sampler "s" { set=0 binding=3 }`:               "",
		`var @9 uniform sampler[4] "u" { set=0 binding=7 } var @8 uniform sampled2D<f32> "s" { set=0 binding=10 }`:       `"u" at binding 7 and "s" at binding 10 overlap`,
		`var @9 uniform sampler[3] "u" { set=0 binding=7 } var @8 uniform sampled2D<f32>[2][3] "s" { set=0 binding=10 }`: "",
		`var @9 uniform tex2D<u32> "u" { set=0 binding=9 } var @8 uniform sampled2D<f32>[2] "s" { set=0 binding=8 }`:     `overlap`,
		`var @9 uniform tex2D<u32> "u" { set=1 binding=5 } var @8 image image2D<u32> "i" { set=0 binding=4 }`:            "",
	} {
		s := parseShader(t, strings.Replace(samplersShader, "var @1", decl+" var @1", 1))
		if _, err := lowerSamplers(nil, s); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", decl, err, want)
		}
	}
}

// runSamplers gives the six textures the values 10 to 15.
func runSamplers(t *testing.T, s *ir.Shader) []uint32 {
	t.Helper()
	p, err := interp.New(s, interp.Options{WaveSize: 1})
	if err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(s))
	}
	mem := emu.NewMemory()
	buf := mem.Alloc(64)
	var bind emu.Bindings
	var list []emu.Descriptor
	for i := range 6 {
		img, err := emu.NewImage(emu.ImageDesc{Width: 1, Height: 1, Format: emu.FormatByName("R32_UINT")})
		if err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint32(img.Data, uint32(10+i))
		list = append(list, emu.Descriptor{Type: emu.DescSampledImage, Image: &emu.ImageView{Image: img}})
	}
	bind.Set(0, 0, list)
	bind.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: uint64(len(buf.Data))}})
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, emu.DispatchParams{Groups: [3]uint32{6, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	out := make([]uint32, 6)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(buf.Data[4*i:])
	}
	return out
}
