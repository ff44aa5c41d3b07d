package amber

import (
	"strings"
	"testing"

	"nirc/internal/emu"
)

// TestSamplers: the state of a sampler and where it is bound must arrive.
func TestSamplers(t *testing.T) {
	var b *emu.Bindings
	target := &fakeTarget{programs: map[string]*fakeProgram{"c": probe(func(l *emu.Launch) { b = l.Env.Bindings })}}
	r := runText(t, target, `#!amber
SHADER compute c SPIRV-HEX
`+someModule+`
BUFFER tex DATA_TYPE R8G8B8A8_UNORM WIDTH 2 HEIGHT 2 FILL 1
IMAGE solid FORMAT R32_SFLOAT DIM_3D WIDTH 4 HEIGHT 2 DEPTH 3 MIP_LEVELS 2 FILL 2.0
SAMPLER plain
SAMPLER full MAG_FILTER linear MIN_FILTER linear ADDRESS_MODE_U clamp_to_border ADDRESS_MODE_V mirrored_repeat ADDRESS_MODE_W mirror_clamp_to_edge \
  BORDER_COLOR int_opaque_white MIN_LOD 1.5 MAX_LOD 3.0 COMPARE on COMPARE_OP greater_or_equal
SAMPLER texels UNNORMALIZED_COORDS
PIPELINE compute p
  ATTACH c
  BIND BUFFER tex AS combined_image_sampler SAMPLER full DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER_ARRAY tex solid AS combined_image_sampler SAMPLER plain DESCRIPTOR_SET 0 BINDING 1 BASE_MIP_LEVEL 0
  BIND SAMPLER texels DESCRIPTOR_SET 0 BINDING 2
  BIND SAMPLER_ARRAY plain full DESCRIPTOR_SET 0 BINDING 3
  BIND BUFFER solid AS storage_image DESCRIPTOR_SET 0 BINDING 4 BASE_MIP_LEVEL 1
END
RUN p 1 1 1
`)
	if r.Verdict != Pass {
		t.Fatalf("%+v", r)
	}
	full := emu.Sampler{Mag: emu.FilterLinear, Min: emu.FilterLinear, MinLod: 1.5, MaxLod: 3, Border: emu.BorderIntOpaqueWhite, Compare: true,
		CompareOp: emu.CompareGreaterOrEqual, Address: [3]emu.AddressMode{emu.AddressClampToBorder, emu.AddressMirroredRepeat, emu.AddressMirrorClampToEdge}}
	plain := emu.Sampler{MaxLod: 1}
	for _, c := range []struct {
		binding, elem uint32
		kind          emu.DescriptorType
		want          *emu.Sampler
	}{
		{0, 0, emu.DescCombinedImageSampler, &full},
		{1, 0, emu.DescCombinedImageSampler, &plain},
		{1, 1, emu.DescCombinedImageSampler, &plain},
		{2, 0, emu.DescSampler, &emu.Sampler{Unnormalized: true}},
		{3, 0, emu.DescSampler, &plain},
		{3, 1, emu.DescSampler, &full},
	} {
		d := b.Lookup(0, c.binding, c.elem)
		if d.Type != c.kind || d.Sampler == nil || *d.Sampler != *c.want {
			t.Errorf("binding %d element %d: %+v %+v", c.binding, c.elem, d, d.Sampler)
		}
		if (d.Image == nil) != (c.kind == emu.DescSampler) {
			t.Errorf("binding %d element %d: image %v", c.binding, c.elem, d.Image)
		}
	}
	if got := b.Lookup(0, 1, 1).Image.QuerySize(emu.Tex3D, false, 1); got != [4]uint32{2, 1, 1} {
		t.Errorf("level 1 of the 3D image: %v", got)
	}
	if v := b.Lookup(0, 4, 0).Image; v.BaseMip != 1 || v.NumMips() != 1 {
		t.Errorf("storage image of a level: %+v", v)
	}
}

// TestTexelBufferRange: texel buffers have offsets and ranges too.
func TestTexelBufferRange(t *testing.T) {
	var got [2][4]uint32
	var n uint64
	target := &fakeTarget{programs: map[string]*fakeProgram{"c": probe(func(l *emu.Launch) {
		d := l.Env.Bindings.Lookup(0, 0, 0)
		got, n = [2][4]uint32{d.LoadTexel(l.Env.Mem, 0), d.LoadTexel(l.Env.Mem, 1)}, d.NumTexels()
	})}}
	r := runText(t, target, "#!amber\nSHADER compute c SPIRV-HEX\n"+someModule+`
BUFFER b DATA_TYPE R8G8_UINT DATA 1 2 3 4 5 6 7 8 END
PIPELINE compute p
  ATTACH c
  BIND BUFFER b AS storage_texel_buffer DESCRIPTOR_SET 0 BINDING 0 DESCRIPTOR_OFFSET 2 DESCRIPTOR_RANGE 3
END
RUN p 1 1 1
`)
	if r.Verdict != Pass || n != 1 || got != [2][4]uint32{{3, 4, 0, 1}, {}} {
		t.Errorf("%+v %d %v", r, n, got)
	}
}

// TestUnsupportedByGPU: what emu refuses skips a script.
func TestUnsupportedByGPU(t *testing.T) {
	const text = "#!amber\nSHADER vertex v PASSTHROUGH\nSHADER fragment f SPIRV-HEX\n" + someModule + `
BUFFER fb FORMAT E5B9G9R9_UFLOAT_PACK32
PIPELINE graphics p
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE 4 4
  BIND BUFFER fb AS color LOCATION 0
END
RUN p DRAW_RECT POS 0 0 SIZE 4 4
`
	if r := runText(t, graphicsTarget(), text); r.Verdict != Skip || !strings.Contains(r.Reason, "E5B9G9R9") {
		t.Errorf("%+v", r)
	}
}
