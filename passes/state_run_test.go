package passes

import (
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// stateTest executes a shader before and after a pass, and says by what the shader did before what it has to do after.
type stateTest struct {
	list string
	text string
	// want changes the first run's outputs of a lane to what the second must give, and says whether the lane lives.
	want func(t *testing.T, lane int, before *stageRun) (slots map[ir.Slot][4]float32, lives bool)
}

const stateColor = `shader fragment "main" {
  fn f0 "main" entry() {
    b0:
      %900:32 = load_const 0x0
      %1:32x2 = load_barycentric_pixel interp_mode=smooth
      %2:32x4 = load_interpolated_input %1, %900 base=32 dest_type=f32 io_semantics={VAR0 1}
      store_output %2, %900 base=4 range=1 write_mask=xyzw src_type=f32 io_semantics={DATA0 1}
  }
}`

// stateProbe stores what state passes change in the parts that a test asks for.
const stateProbe = `shader fragment "main" {
  fn f0 "main" entry() {
    b0:
      %900:32 = load_const 0x0
      %1:32x2 = load_barycentric_pixel interp_mode=smooth
      %2:32x4 = load_interpolated_input %1, %900 base=32 dest_type=f32 io_semantics={VAR0 1}
      %3:32x4 = load_interpolated_input %1, %900 base=33 dest_type=f32 io_semantics={VAR1 1}
      %4:32x4 = load_frag_coord
      %5:32x2 = load_point_coord
      %6:1 = load_front_face
      %7:32 = b2f32 %6
      %11:32x4 = load_interpolated_input %1, %900 base=34 dest_type=f32 io_semantics={VAR2 1}
      %8:32 = mov %11.x
      %9:32 = ddy %8
      %10:32x4 = vec4 %5.x, %5.y, %7, %9
      store_output %2, %900 base=4 range=1 write_mask=xyzw src_type=f32 io_semantics={DATA0 1}
      store_output %3, %900 base=5 range=1 write_mask=xyzw src_type=f32 io_semantics={DATA1 1}
      store_output %4, %900 base=6 range=1 write_mask=xyzw src_type=f32 io_semantics={DATA2 1}
      store_output %10, %900 base=7 range=1 write_mask=xyzw src_type=f32 io_semantics={DATA3 1}
  }
}`

const stateVertex = `shader vertex "main" {
  fn f0 "main" entry() {
    b0:
      %900:32 = load_const 0x0
      %1:32x4 = load_input %900 base=0 range=1 dest_type=f32 io_semantics={ATTRIB0 1}
      %2:32x4 = load_input %900 base=1 range=1 dest_type=f32 io_semantics={ATTRIB1 1}
      store_output %1, %900 base=0 range=1 write_mask=xyzw src_type=f32 io_semantics={POS 1}
      store_output %2, %900 base=2 range=1 write_mask=xyzw src_type=f32 io_semantics={CLIP_DIST0 1}
      store_output %2, %900 base=32 range=1 write_mask=xyzw src_type=f32 io_semantics={VAR0 1}
  }
}`

func sat(x float32) float32 { return min(max(x, 0), 1) }

// out reads a slot of a run.
func (r *stageRun) out(lane int, s ir.Slot) (v [4]float32) {
	for i, w := range r.Out[lane][s] {
		v[i] = math.Float32frombits(w)
	}
	return v
}

// changed is a want of a test in which one slot changes, and all live.
func changed(slot ir.Slot, f func(v [4]float32, lane int, r *stageRun) [4]float32) func(*testing.T, int, *stageRun) (map[ir.Slot][4]float32, bool) {
	return func(_ *testing.T, lane int, r *stageRun) (map[ir.Slot][4]float32, bool) {
		return map[ir.Slot][4]float32{slot: f(r.out(lane, slot), lane, r)}, true
	}
}

var stateTests = []stateTest{
	{"lower_alpha_test(func=less,ref=0.5)", stateColor, func(_ *testing.T, lane int, r *stageRun) (map[ir.Slot][4]float32, bool) {
		return nil, r.out(lane, ir.SlotData0)[3] < 0.5
	}},
	{"lower_alpha_test(func=never)", stateColor, func(*testing.T, int, *stageRun) (map[ir.Slot][4]float32, bool) { return nil, false }},
	{"lower_alpha_test(func=greater_or_equal,ref=-1000,alpha_to_one=true)", stateColor, changed(ir.SlotData0, func(v [4]float32, _ int, _ *stageRun) [4]float32 {
		v[3] = 1
		return v
	})},
	{"lower_clamp_color_outputs", stateColor, changed(ir.SlotData0, func(v [4]float32, _ int, _ *stageRun) [4]float32 {
		return [4]float32{sat(v[0]), sat(v[1]), sat(v[2]), sat(v[3])}
	})},
	{"lower_fragcolor(count=3)", stateColor, func(_ *testing.T, lane int, r *stageRun) (map[ir.Slot][4]float32, bool) {
		c := r.out(lane, ir.SlotData0)
		return map[ir.Slot][4]float32{ir.SlotData0: c, ir.SlotData0 + 1: c, ir.SlotData0 + 2: c}, true
	}},
	{"lower_flatshade(locations=1)", stateColor, nil}, // filled in by the test: the provoking vertex's value
	{"lower_fragcoord_wtrans", stateProbe, changed(ir.SlotData0+2, func(v [4]float32, _ int, _ *stageRun) [4]float32 {
		v[3] = 1 / v[3]
		return v
	})},
	{"lower_pntc_ytransform", stateProbe, changed(ir.SlotData0+3, func(v [4]float32, _ int, _ *stageRun) [4]float32 {
		v[1] = 1 - v[1]
		return v
	})},
	{"lower_wpos_ytransform(height=16)", stateProbe, func(_ *testing.T, lane int, r *stageRun) (map[ir.Slot][4]float32, bool) {
		at, d := r.out(lane, ir.SlotData0+2), r.out(lane, ir.SlotData0+3)
		at[1], d[3] = 16-at[1], -d[3]
		return map[ir.Slot][4]float32{ir.SlotData0 + 2: at, ir.SlotData0 + 3: d}, true
	}},
	{"lower_wpos_ytransform(push=8,integer_center=true)", stateProbe, func(_ *testing.T, lane int, r *stageRun) (map[ir.Slot][4]float32, bool) {
		at, d := r.out(lane, ir.SlotData0+2), r.out(lane, ir.SlotData0+3)
		at[0], at[1], d[3] = at[0]-0.5, -at[1]+32-0.5, -d[3]
		return map[ir.Slot][4]float32{ir.SlotData0 + 2: at, ir.SlotData0 + 3: d}, true
	}},
	{"lower_texcoord_replace_late(coords=2,y_invert=true)", stateProbe, func(_ *testing.T, lane int, r *stageRun) (map[ir.Slot][4]float32, bool) {
		p := r.out(lane, ir.SlotData0+3)
		return map[ir.Slot][4]float32{ir.SlotData0 + 1: {p[0], 1 - p[1], 0, 1}}, true
	}},
	{"lower_two_sided_color(back=1)", stateProbe, func(_ *testing.T, lane int, r *stageRun) (map[ir.Slot][4]float32, bool) {
		c := r.out(lane, ir.SlotData0)
		if r.out(lane, ir.SlotData0+3)[2] == 0 {
			c = r.out(lane, ir.SlotData0+1)
		}
		return map[ir.Slot][4]float32{ir.SlotData0: c}, true
	}},
	{"lower_poly_line_smooth(samples=4,colors=1)", stateProbe, changed(ir.SlotData0, func(v [4]float32, lane int, _ *stageRun) [4]float32 {
		if v[3] /= 4; lane == 3 { // a helper covers nothing
			v[3] = 0
		}
		return v
	})},
	{"lower_point_smooth(colors=1)", stateProbe, nil}, // by distance
	{"lower_clip_disable(planes=6)", stateVertex, changed(ir.SlotClipDist0, func(v [4]float32, _ int, _ *stageRun) [4]float32 { return [4]float32{0, v[1], v[2], 0} })},
	{"lower_clip_halfz", stateVertex, changed(ir.SlotPos, func(v [4]float32, _ int, _ *stageRun) [4]float32 {
		v[2] = (v[2] + v[3]) / 2
		return v
	})},
	{"lower_clamp_color_outputs(locations=1)", stateVertex, changed(ir.SlotVar0, func(v [4]float32, _ int, _ *stageRun) [4]float32 {
		return [4]float32{sat(v[0]), sat(v[1]), sat(v[2]), sat(v[3])}
	})},
	{"lower_passthrough_edgeflags(from=1,to=5)", stateVertex, changed(ir.SlotVar0+5, func(_ [4]float32, lane int, r *stageRun) [4]float32 { return [4]float32{r.out(lane, ir.SlotVar0)[0]} })},
	{"lower_point_size_mov(size=4.5)", stateVertex, changed(ir.SlotPointSize, func([4]float32, int, *stageRun) [4]float32 { return [4]float32{4.5} })},
	{"lower_point_size_mov(push=12)", stateVertex, changed(ir.SlotPointSize, func([4]float32, int, *stageRun) [4]float32 { return [4]float32{32} })},
}

// statePush has the scale -1 at 8 and the bias 32 at 12.
var statePush = []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0xbf, 0, 0, 0, 0x42}

// TestStatePasses executes shaders before and after the passes that do the state of a pipeline in the shader; all that the
// state does not touch stays.
func TestStatePasses(t *testing.T) {
	for _, c := range stateTests {
		t.Run(c.list, func(t *testing.T) {
			before := parseShader(t, c.text)
			after := ir.Clone(before)
			runPasses(t, after, c.list)
			moved := 0
			for seed := int64(1); seed <= 4; seed++ {
				a, err := runStage(before, stageInputs{seed: seed, push: statePush})
				if err != nil {
					t.Fatal(err)
				}
				b, err := runStage(after, stageInputs{seed: seed, push: statePush})
				if err != nil {
					t.Fatalf("%v\n%s", err, ir.Print(after))
				}
				for lane := range a.Out {
					moved += c.lane(t, lane, a, b)
				}
			}
			if moved == 0 {
				t.Errorf("the pass changes nothing that the shader does")
			}
		})
	}
}

// lane compares a lane, and returns 1 if the pass changed what it does.
func (c *stateTest) lane(t *testing.T, lane int, a, b *stageRun) int {
	slots, lives := map[ir.Slot][4]float32{}, true
	switch {
	case c.want != nil:
		slots, lives = c.want(t, lane, a)
	case c.text == stateColor: // flat: all pixels of the primitive have the first one's colour
		slots[ir.SlotData0] = b.out(0, ir.SlotData0)
	default: // a smooth point: outside of the circle nothing is left, well inside all
		v, p := a.out(lane, ir.SlotData0), a.out(lane, ir.SlotData0+3)
		d := 2 * math.Hypot(float64(p[0])-0.5, float64(p[1])-0.5)
		got := b.out(lane, ir.SlotData0)
		switch {
		case d < 0.6: // pixels are a quarter of the point's radius wide
		case d > 1.4:
			v[3] = 0
		default:
			v[3] = got[3]
		}
		slots[ir.SlotData0] = v
	}
	if b.Live[lane] != (lives && a.Live[lane]) {
		t.Errorf("lane %d: alive %v, want %v", lane, b.Live[lane], lives)
	}
	if !lives {
		return 1
	}
	moved := 0
	for s := range a.Out[lane] {
		slot := ir.Slot(s)
		got, want := b.out(lane, slot), a.out(lane, slot)
		if got != want {
			moved = 1
		}
		if w, ok := slots[slot]; ok {
			want = w
		}
		if got != want {
			t.Errorf("lane %d slot %d: %v, want %v", lane, s, got, want)
		}
	}
	return moved
}

// TestTexcoordReplace gives the same before lower_io, on variables, as after it.
func TestTexcoordReplace(t *testing.T) {
	s := parseShader(t, `shader fragment "main" {
  var @1 shader_in vec4f32[2] "t" { location=VAR0 interp=smooth }
  var @2 shader_out vec4f32 "o" { location=DATA0 }
  fn f0 "main" entry() {
    b0:
      %901:32 = load_const 0x1
      %1:32 = deref_var @1
      %4:32 = deref_array %1[%901]
      %2:32x4 = load_deref %4
      %3:32 = deref_var @2
      store_deref %3, %2 write_mask=xyzw
  }
}`)
	late, early := ir.Clone(s), ir.Clone(s)
	runPasses(t, late, "lower_io,lower_texcoord_replace_late(coords=2)")
	runPasses(t, early, "lower_texcoord_replace(coords=2),lower_io")
	a, err := runStage(late, stageInputs{seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	b, err := runStage(early, stageInputs{seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if d := differ(a, b); d != "" {
		t.Error(d)
	}
	if c := a.out(1, ir.SlotData0); c[2] != 0 || c[3] != 1 || c[0] == 0 {
		t.Errorf("the point's place is %v", c)
	}
}

// TestInlineUniforms runs a variant for known uniforms where there are none: it needs nothing more of them.
func TestInlineUniforms(t *testing.T) {
	s := parseShader(t, inlineText)
	ubo := make([]byte, 32)
	ubo[16] = 3
	run := func(s *ir.Shader, ubo, push []byte) uint32 {
		p, err := interp.New(s, interp.Options{WaveSize: 1})
		if err != nil {
			t.Fatal(err)
		}
		mem := emu.NewMemory()
		out, in := mem.Alloc(4), mem.Alloc(32)
		copy(in.Data, ubo)
		var bind emu.Bindings
		bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 4}})
		bind.Set(0, 1, []emu.Descriptor{{Type: emu.DescUniformBuffer, Addr: in.Addr, Size: 32}})
		env := &emu.Env{Mem: mem, Bindings: &bind, Push: push}
		if err := emu.Dispatch(context.Background(), p, env, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}); err != nil {
			t.Fatalf("%v\n%s", err, ir.Print(s))
		}
		return binary.LittleEndian.Uint32(out.Data)
	}
	for _, first := range []string{"3", "4"} { // which decides the branch
		after := ir.Clone(s)
		runPasses(t, after, "inline_uniforms(values=0.1+16="+first+"|push+0=7|push+4=-2.5),opt_copy_prop,opt_constant_folding,opt_dead_cf,opt_remove_phis,opt_dce")
		ubo[16] = first[0] - '0'
		want := run(s, ubo, []byte{7, 0, 0, 0, 0, 0, 0x20, 0xc0})
		if got := run(after, make([]byte, 32), make([]byte, 8)); got != want {
			t.Errorf("%s: %#x, want %#x", first, got, want)
		}
		if text := ir.Print(after); strings.Contains(text, "load_ubo") || strings.Contains(text, "load_push") || strings.Contains(text, "if ") {
			t.Errorf("%s leaves\n%s", first, text)
		}
	}
	for _, bad := range []string{"1", "0.1=2", "0.1+2=3", "x.1+4=3", "push+4=1e99", "push+0=99999999999", "push+0=x", "0.1+0=", "push+0=-2147483649", "push+0=4294967296", "push+0=0x1p3"} {
		if _, err := ParseUniformValue(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestWordsOfUniforms: what fits 32 bits, with a sign or without one, is a word, and a float is one that has a point or an exponent.
func TestWordsOfUniforms(t *testing.T) {
	for text, want := range map[string]uint32{"-2147483648": 1 << 31, "-1": 1<<32 - 1, "0": 0, "2147483648": 1 << 31, "4294967295": 1<<32 - 1, "0x1e": 30, "0b11": 3, "1.0": 0x3f800000, "-2e0": 0xc0000000} {
		u, err := ParseUniformValue("push+8=" + text)
		if err != nil || u.Value != want || u.Offset != 8 {
			t.Errorf("%s is %#x at %d, %v; want %#x", text, u.Value, u.Offset, err, want)
		}
	}
}

// TestDecidingUniforms finds the words that decide an if and the end of a loop, and none that a buffer that is written has a part in.
func TestDecidingUniforms(t *testing.T) {
	loop := func(load, limit, step string) *ir.Shader {
		return parseShader(t, `shader compute "main" {
  info { workgroup_size=1,1,1 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32 = load_const 0x8
      %2:32x4 = `+load+`
      %3:32 = `+limit+`
      loop {
        b1:
          %4:32 = phi b0: %0, b3: %6
          %5:1 = uge %4, %3
          if %5 {
            b2:
              break
          } else {
            b9:
          }
        b3:
          %6:32 = iadd %4, `+step+`
      }
    b4:
      store_ssbo %4, %0, %0 write_mask=x align_mul=4
  }
}`)
	}
	for _, c := range []struct {
		s    *ir.Shader
		want string
	}{
		{parseShader(t, inlineText), "0.1+16"},
		{loop("load_push_constant %1 base=4 range=64 align_mul=4", "mov %2.z", "%2.x"), "push+12 push+20"},
		{loop("load_push_constant %1 base=4 range=64 align_mul=4", "mov %2.z", "%1"), "push+20"},
		{loop("load_push_constant %1 range=64 align_mul=4", "bitfield_insert %2.x, %2.y, %2.z, %2.w", "%2.x"), "push+8 push+12 push+16 push+20"},
		{loop("load_push_constant %1 range=64 align_mul=4\n      %10:32 = load_push_constant %0 range=64 align_mul=4", "bitfield_insert %2.x, %2.y, %2.z, %2.w", "%10"), ""}, // one too many
		{loop("load_ssbo %0, %1 align_mul=4", "mov %2.z", "%1"), ""},
		{loop("load_push_constant %1 base=4 range=64 align_mul=4", "mov %2.z", "%4"), "push+20"},
	} {
		var got []string
		for _, u := range DecidingUniforms(c.s) {
			got = append(got, u.Place())
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%q, want %q\n%s", text, c.want, ir.Print(c.s))
		}
	}
}

// TestDefaultBlock reads uniforms of the default block, at constant offsets and others, counted in bytes and in vectors, from buffer 0; the
// shader's own buffer moves up.
func TestDefaultBlock(t *testing.T) {
	for _, c := range []struct{ unit, base, offset string }{{"1", "32", "0x4"}, {"16", "2", "0x0"}} {
		s := parseShader(t, `shader compute "main" {
  info { workgroup_size=1,1,1 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32 = load_const `+c.offset+`
      %2:32x3 = load_workgroup_id
      %3:32 = load_const 0x4
      %4:32 = `+map[string]string{"1": "ishl %2.x, %3", "16": "mov %2.x"}[c.unit]+`
      %5:32x2 = load_uniform %1 base=`+c.base+` range=1 dest_type=u32
      %6:32 = load_uniform %4 base=0 range=4 dest_type=u32
      %7:32x2 = vulkan_resource_index %0 binding=1 desc_type=1
      %8:32x2 = load_vulkan_descriptor %7 desc_type=1
      %9:32 = mov %8.x
      %10:32 = load_ubo %9, %0 align_mul=16 range=16
      %11:32x4 = vec4 %5.x, %5.y, %6, %10
      %12:32 = ishl %2.x, %3
      store_ssbo %11, %0, %12 write_mask=xyzw align_mul=16
  }
}`)
		runPasses(t, s, "lower_uniforms_to_ubo(binding=1,shift=1,unit="+c.unit+"),opt_copy_prop")
		moved := ir.Clone(s)
		runPasses(t, moved, "lower_uniforms_to_ubo(binding=0,shift=5)") // nothing is left to lower: nothing moves
		if ir.Print(moved) != ir.Print(s) {
			t.Error("bindings move without a default block")
		}
		mem := emu.NewMemory()
		out, block, own := mem.Alloc(64), mem.Alloc(64), mem.Alloc(16)
		for i := range 16 {
			emu.StoreBytes(block.Data[4*i:], 4, uint64(100+i))
		}
		own.Data[0] = 7
		var bind emu.Bindings
		bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 64}})
		bind.Set(0, 1, []emu.Descriptor{{Type: emu.DescUniformBuffer, Addr: block.Addr, Size: 64}})
		bind.Set(0, 2, []emu.Descriptor{{Type: emu.DescUniformBuffer, Addr: own.Addr, Size: 16}})
		p, err := interp.New(s, interp.Options{WaveSize: 4})
		if err != nil {
			t.Fatal(err)
		}
		if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, emu.DispatchParams{Groups: [3]uint32{4, 1, 1}}); err != nil {
			t.Fatalf("%v\n%s", err, ir.Print(s))
		}
		first := map[string]uint32{"1": 109, "16": 108}[c.unit]
		for i := range uint32(4) {
			for k, want := range []uint32{first, first + 1, 100 + 4*i, 7} {
				if got := binary.LittleEndian.Uint32(out.Data[16*i+4*uint32(k):]); got != want {
					t.Errorf("unit %s, lane %d, component %d: %d, want %d", c.unit, i, k, got, want)
				}
			}
		}
	}
}

const inlineText = `shader compute "main" {
  info { workgroup_size=1,1,1 }
  fn f0 "main" entry() {
    b0:
      %900:32 = load_const 0x0
      %901:32 = load_const 0x3
      %902:32 = load_const 0x10
      %10:32 = load_push_constant %900 range=8 align_mul=4
      %11:32x2 = load_push_constant %900 range=8 align_mul=4
      %1:32x2 = vulkan_resource_index %900 binding=1 desc_type=1
      %2:32x2 = load_vulkan_descriptor %1 desc_type=1
      %3:32 = mov %2.x
      %4:32 = load_ubo %3, %902 align_mul=16 range=32
      %5:1 = ieq %4, %901
      if %5 {
        b1:
          %6:32 = mov %11.y
      } else {
        b2:
          %7:32 = mov %10
      }
    b3:
      %8:32 = phi b1: %6, b2: %7
      store_ssbo %8, %900, %900 write_mask=x align_mul=4
  }
}`

// TestPatchVertices asks a control shader for the size of its patch.
func TestPatchVertices(t *testing.T) {
	s := parseShader(t, `shader fragment "main" {
  fn f0 "main" entry() {
    b0:
      %900:32 = load_const 0x0
      %1:32 = load_patch_vertices_in
      %2:32 = u2f32 %1
      store_output %2, %900 base=4 range=1 write_mask=x src_type=f32 io_semantics={DATA0 1}
  }
}`) // of a stage that the test can run: before the pass nothing gives the value
	runPasses(t, s, "lower_patch_vertices(count=4)")
	run, err := runStage(s, stageInputs{seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := run.out(0, ir.SlotData0)[0]; got != 4 {
		t.Errorf("%v vertices, want 4", got)
	}
	if _, err := RunPass(s, "lower_patch_vertices", "count", "33"); err == nil {
		t.Error("33 vertices are taken")
	}
}
