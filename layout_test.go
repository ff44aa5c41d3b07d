package nirc_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/layout"
	"nirc/ir"
)

const layoutText = `{
  "schema": 1,
  "sets": [
    {"set": 1, "bindings": [{"binding": 3, "type": "storage_buffer_dynamic", "count": 2}]},
    {"set": 0, "bindings": [
      {"binding": 4, "type": "combined_image_sampler", "stages": ["vertex", "fragment"],
       "immutable_samplers": [{"mag_filter": "linear", "address_mode_u": "clamp_to_edge", "compare_op": "less", "border_color": "int_opaque_white"}]},
      {"binding": 5, "type": "combined_image_sampler", "count": 2, "immutable_samplers": [{}, {"ycbcr_conversion":
        {"format": "g10x6_b10x6r10x6_2plane_420_unorm_3pack16", "model": "ycbcr_2020", "range": "itu_narrow", "components": "bgr1", "y_chroma_offset": "midpoint", "chroma_filter": "linear"}}]},
      {"binding": 0, "type": "uniform_buffer"}, {"binding": 6, "type": "acceleration_structure", "count": 2, "partially_bound": true},
      {"binding": 7, "type": "inline_uniform_block", "count": 20}
    ]}
  ],
  "push_constants": [{"stages": ["all_graphics"], "offset": 16, "size": 32}]
}
`

func TestReadLayout(t *testing.T) {
	l, err := nirc.ReadLayout("a.json", []byte(layoutText))
	if err != nil {
		t.Fatal(err)
	}
	b := l.Find(0, 4)
	if b == nil || b.Count != 1 || b.Stages != layout.StageBit(ir.StageVertex)|layout.StageBit(ir.StageFragment) || len(b.Immutable) != 1 {
		t.Fatalf("%+v", l)
	}
	if s := b.Immutable[0]; s.MagFilter != 1 || s.MinFilter != 0 || s.Address[0] != 2 || !s.Compare || s.CompareOp != 1 || s.MaxLod != 1000 || s.BorderColor != 5 {
		t.Errorf("%+v", s)
	}
	if p := l.Find(0, 5); p.Planes() != 2 || p.Descriptors() != 4 || p.Immutable[0].Conversion != nil {
		t.Errorf("%+v", p)
	}
	if c := l.Conversions(); len(c.Rows) != 1 || c.Rows[0].String() != "0.5.1/2020/10bit/2plane/narrow/420/cosited_x/linear/bgr1" {
		t.Errorf("%+v", c.Rows)
	}
	if a := l.Find(0, 6); a == nil || a.Type != layout.AccelerationStructure || a.Type.HasImage() || layout.OfVulkan(a.Type.Vulkan()) != a.Type || layout.OfVulkan(1000137999) != layout.Other || layout.OfVulkan(layout.Mutable.Vulkan()) != layout.Mutable {
		t.Errorf("%+v", a)
	}
	if b := l.Find(0, 7); b.Count != 20 || b.Descriptors() != 1 || !b.Type.IsBuffer() || layout.OfVulkan(b.Type.Vulkan()) != b.Type {
		t.Errorf("%+v", b)
	}
	if !l.PartiallyBound(0, 6) || l.PartiallyBound(0, 5) || l.PartiallyBound(3, 0) || (*layout.Layout)(nil).PartiallyBound(0, 6) {
		t.Errorf("%+v", l)
	}
	for i := range layout.Other {
		if layout.OfVulkan(i.Vulkan()) != i {
			t.Errorf("%s is VkDescriptorType %d, which is %s", i, i.Vulkan(), layout.OfVulkan(i.Vulkan()))
		}
	}
	if !layout.SampleWeightImage.HasImage() || layout.SampleWeightImage.Vulkan() != 1000440000 || layout.BlockMatchImage.IsBuffer() || layout.OfVulkan(layout.Other.Vulkan()) != layout.Other {
		t.Error("the image types of VK_QCOM_image_processing")
	}
	if l.Dynamic(1, 3) != 0 || l.Find(1, 3).Count != 2 || l.Find(1, 0) != nil || l.Find(0, 0).Stages != layout.AllStages {
		t.Errorf("%+v", l)
	}
	if at, n := l.PushRange(ir.StageGeometry); at != 16 || n != 32 {
		t.Errorf("push constants %d+%d", at, n)
	}
	if _, n := l.PushRange(ir.StageCompute); n != 0 {
		t.Errorf("push constants of a compute shader: %d", n)
	}
	// The form that is written is read, and is the same for what means the same.
	text := nirc.LayoutJSON(l)
	again, err := nirc.ReadLayout("b.json", text)
	if err != nil || !bytes.Equal(nirc.LayoutJSON(again), text) {
		t.Errorf("%v\n%s\n%s", err, text, nirc.LayoutJSON(again))
	}
}

// TestBadLayouts: each change is refused at its line.
func TestBadLayouts(t *testing.T) {
	for _, c := range []struct {
		old, new string
		line     uint32
		want     string
	}{
		{`"schema": 1`, `"schema": 2`, 2, "schema: want 1, have 2"},
		{`  "schema": 1,` + "\n", "", 1, "schema: want 1, have 0"},
		{`"sets"`, `"set_s"`, 3, `unknown field "set_s" (did you mean sets?)`},
		{`"uniform_buffer"`, `"uniform_bufer"`, 10, `type: no "uniform_bufer" (did you mean uniform_buffer?)`},
		{`, "type": "uniform_buffer"`, ``, 10, "the binding has no type"},
		{`"vertex"`, `"vertx"`, 6, `no stage "vertx" (did you mean vertex?)`},
		{`"linear"`, `"cubic"`, 7, `mag_filter: no "cubic" (have nearest, linear)`},
		{`{"binding": 0,`, `{"binding": 4,`, 10, "set 0 binding 4 is given twice"},
		{`"set": 1`, `"set": 0`, 5, "set 0 is given twice"},
		{`"set": 1`, `"set": 99`, 4, "set 99: the most is 31"},
		{`"count": 2`, `"count": 4294967295`, 4, "at most 1048576 descriptors"},
		{`"count": 2`, `"count": -1`, 4, "want a number from 0 on"},
		{`"count": 2`, `"count": 2, "immutable_samplers": [{}]`, 4, "has no immutable samplers"},
		{`"g10x6_b10x6r10x6_2plane_420_unorm_3pack16"`, `"g8_b8r8_3plane_420_unorm"`, 9, `format: no "g8_b8r8_3plane_420_unorm" (did you mean`},
		{`"format": "g10x6_b10x6r10x6_2plane_420_unorm_3pack16", `, "", 9, "the conversion has no format"},
		{`"ycbcr_2020"`, `"ycbcr_2021"`, 9, `model: no "ycbcr_2021" (did you mean ycbcr_2020?)`},
		{`"bgr1"`, `"bgrx"`, 8, `maps components to "bgrx": want four of rgba01`},
		{`"combined_image_sampler", "count": 2`, `"sampler", "count": 2`, 8, "a sampler has no conversion from YCbCr"},
		{`"count": 20`, `"count": 18`, 11, "set 0 binding 7: the count of an inline_uniform_block is its bytes, a multiple of 4 up to 65536"},
		{`"count": 20`, `"count": 65540`, 11, "a multiple of 4 up to 65536"},
		{`, "count": 20`, ``, 11, "a multiple of 4 up to 65536"},
		{`"offset": 16`, `"offset": 3`, 14, "must be multiples of 4"},
		{`"size": 32}]`, `"size": 32}, {"size": 4}]`, 14, "a stage has two ranges"},
		{"\n}\n", "\n}\n7", 16, "there is more after the object"},
	} {
		text := strings.Replace(layoutText, c.old, c.new, 1)
		if text == layoutText {
			t.Fatalf("%s is not in the text", c.old)
		}
		_, err := nirc.ReadLayout("a.json", []byte(text))
		var list nirc.Diagnostics
		if !errors.As(err, &list) || list[0].File != "a.json" || list[0].Line != c.line || !strings.Contains(list[0].Msg, c.want) {
			t.Errorf("%s: %v, want line %d: %s", c.new, err, c.line, c.want)
		}
	}
}

// TestMangledLayouts: texts that are cut, doubled and changed at places are read or refused.
func TestMangledLayouts(t *testing.T) {
	taken := 0
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		b := []byte(layoutText)
		for range 1 + r.IntN(3) {
			i := r.IntN(len(b))
			switch r.IntN(4) {
			case 0:
				b = b[:i+1]
			case 1:
				b[i] = "0123456789{}[]\",:-e."[r.IntN(20)]
			case 2:
				k := i + r.IntN(len(b)-i)
				b = append(b[:k:k], b[i:]...)
			default:
				b = bytes.Replace(b, []byte(fmt.Sprint(r.IntN(5))), []byte("4294967295"), 1)
			}
		}
		l, err := nirc.ReadLayout("a.json", b)
		if err != nil {
			continue
		}
		taken++
		if p := l.Check(); p != nil {
			t.Errorf("%s\nis taken: %v", b, p)
		}
	}
	if taken == 0 {
		t.Error("every text is refused")
	}
}

// usesText has a buffer, an array of textures, a sampler and push constants.
const usesText = `shader fragment "main" {
  type $0 = struct "B" block {
    "x": vec4f32 offset=0
  }
  type $1 = struct "P" block {
    "a": vec4f32 offset=0
    "b": u32 offset=64
  }
  var @1 mem_ssbo $0 "buf" { set=1 binding=3 }
  var @2 uniform tex2D<f32>[4] "t" { set=0 binding=4 }
  var @3 uniform sampler "s" { set=0 binding=5 }
  var @4 mem_push_const $1 "p"
  var @5 mem_ubo $0 "unused" { set=7 binding=7 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %9:32x2 = vulkan_resource_index %0 desc_set=1 binding=3 desc_type=2
      %2:32 = deref_var @2
      %3:32 = deref_var @3
      %4:32 = deref_var @4
  }
}
`

// TestInlineBlockDiagnostics: an inline uniform block is one block, and as large as the shader's.
func TestInlineBlockDiagnostics(t *testing.T) {
	for _, c := range []struct{ decl, want string }{
		{"$0", ""},
		{"$1", "set 0 binding 2 (u) has 16 bytes in the pipeline layout, 20 in the shader"},
		{"$0[2]", "set 0 binding 2 (u) is one inline_uniform_block in the pipeline layout, an array in the shader"},
	} {
		m, err := nirc.Load([]byte(`shader compute "main" {
  info { workgroup_size=1,1,1 }
  type $0 = struct "A" block { "a": vec4u32 offset=0 }
  type $1 = struct "B" block { "a": vec4u32 offset=0 "b": u32 offset=16 }
  var @1 mem_ubo `+c.decl+` "u" { set=0 binding=2 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32x2 = vulkan_resource_index %0 desc_set=0 binding=2 desc_type=1
  }
}
`), "a.nir")
		if err != nil {
			t.Fatal(err)
		}
		l := &nirc.Layout{Sets: []layout.Set{{Bindings: []layout.Binding{{Binding: 2, Type: layout.InlineUniformBlock, Count: 16, Stages: layout.AllStages}}}}}
		_, err = nirc.Translate(t.Context(), m, nirc.Options{Target: nirc.IRTarget, Layout: l})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.decl, err, c.want)
		}
	}
}

// TestLayoutDiagnostics: what a shader uses and the layout does not have is named.
func TestLayoutDiagnostics(t *testing.T) {
	m, err := nirc.Load([]byte(usesText), "a.nir")
	if err != nil {
		t.Fatal(err)
	}
	good := func() *nirc.Layout {
		return &nirc.Layout{Sets: []layout.Set{
			{Set: 0, Bindings: []layout.Binding{{Binding: 4, Type: layout.SampledImage, Count: 4, Stages: layout.AllStages}, {Binding: 5, Type: layout.CombinedImageSampler, Count: 1, Stages: layout.AllStages}}},
			{Set: 1, Bindings: []layout.Binding{{Binding: 3, Type: layout.StorageBufferDynamic, Count: 1, Stages: layout.AllGraphics}}},
		}, Push: []layout.PushRange{{Stages: layout.AllStages, Size: 68}}}
	}
	if _, err := nirc.New(nirc.Options{Layout: &nirc.Layout{Sets: []layout.Set{{Set: 1}, {Set: 1}}}}); err == nil || !strings.Contains(err.Error(), "set 1 is given twice") {
		t.Errorf("error %v", err)
	}
	for want, edit := range map[string]func(l *nirc.Layout){
		"": func(*nirc.Layout) {},
		"set 1 binding 3 (buf) is not in the pipeline layout":                                              func(l *nirc.Layout) { l.Sets = l.Sets[:1] },
		"set 1 binding 3 (buf) is a uniform_buffer in the pipeline layout, a storage_buffer in the shader": func(l *nirc.Layout) { l.Sets[1].Bindings[0].Type = layout.UniformBuffer },
		"set 0 binding 4 (t) has 3 descriptors in the pipeline layout, 4 in the shader":                    func(l *nirc.Layout) { l.Sets[0].Bindings[0].Count = 3 },
		" ": func(l *nirc.Layout) { l.Sets[0].Bindings[0].Type = layout.SampleWeightImage },
		"set 0 binding 5 (s) is not for the fragment stage in the pipeline layout, but for compute":           func(l *nirc.Layout) { l.Sets[0].Bindings[1].Stages = layout.StageBit(ir.StageCompute) },
		"set 0 binding 5 (s) holds no descriptors in the pipeline layout":                                     func(l *nirc.Layout) { l.Sets[0].Bindings[1].Count = 0 },
		"push constants b at bytes 64 to 68: the pipeline layout has bytes 0 to 64 for the fragment stage":    func(l *nirc.Layout) { l.Push[0].Size = 64 },
		"push constants a at bytes 0 to 16: the pipeline layout has none for the fragment stage":              func(l *nirc.Layout) { l.Push = nil },
		"set 0 binding 4 (t) is a uniform_texel_buffer in the pipeline layout, a sampled_image in the shader": func(l *nirc.Layout) { l.Sets[0].Bindings[0].Type = layout.UniformTexelBuffer },
	} {
		l := good()
		edit(l)
		_, err := nirc.Translate(t.Context(), m, nirc.Options{Target: nirc.IRTarget, Layout: l})
		if want = strings.TrimSpace(want); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
