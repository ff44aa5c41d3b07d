package midgard

import (
	_ "embed"
	"regexp"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

//go:embed testdata/ir/textures.nir
var texturesText string

// Texture operations stand where their results are first read, in their order, but none moves over what may end
// the threads that derivatives need, nor where its result takes less than its coordinates.
func TestSinkTextures(t *testing.T) {
	s, err := ir.Parse(texturesText)
	if err != nil {
		t.Fatal(err)
	}
	sinkTextures(s.Entry().Impl)
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	var ops []string
	for _, m := range regexp.MustCompile(`= (tex|fadd|fmul|txl)\b|(demote)\b`).FindAllStringSubmatch(ir.Print(s), -1) {
		ops = append(ops, m[1]+m[2])
	}
	const want = "tex demote txl tex tex fadd tex fadd fmul fadd fadd"
	if got := strings.Join(ops, " "); got != want {
		t.Errorf("%s, want %s\n%s", got, want, ir.Print(s))
	}
}

//go:embed testdata/ir/texture_lanes.nir
var textureLanesText string

// Results share a register where only some of their components are read, coordinates of one register an input, and what that holds is
// not moved there again.
func TestTextureLanes(t *testing.T) {
	programs.Hold(t)
	s, err := ir.Parse(textureLanesText)
	if err != nil {
		t.Fatal(err)
	}
	_, text := listing(t, s, CompileOptions{})
	expect(t, text, "LD_VARY.f32 AT0.xyzw", "TEX.2d.skip TA1.x.f32", "AT0.xyxx", "TEX.2d.kill TA1.y.f32", "AT0.zwzz", "TEX_GRAD.2d TA1.zw.f32", "AT0.xyxx")
}

// A select of 0 is a bit operation.
func TestSelectZero(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		zero int
		op   string
	}{{1, "ANDNOT.i32"}, {2, "AND.i32"}} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
		x := gputest.LoadWords(b, in, b.Imm32(0), 4)
		args := [3]*ir.Def{b.Flt32(b.Channel(x, 0), b.Channel(x, 1)), b.Channels(x, 2, 2), b.Channels(x, 2, 2)}
		args[c.zero] = b.Const(32, 0, 0)
		gputest.StoreWords(b, out, b.Imm32(0), b.B32csel(b.Swizzle(args[0], 0, 0), args[1], args[2]))
		_, text := listing(t, s, CompileOptions{})
		expect(t, text, "FCMP.lt", c.op)
		if strings.Contains(text, "CSEL") {
			t.Error(text)
		}
	}
}

// TestIndexedSampler: an element of a table of combined textures and samplers is numbered once for both, one of tables apart for each.
func TestIndexedSampler(t *testing.T) {
	programs.Hold(t)
	const text = `shader fragment "main" {
  var @1 uniform sampled2D<f32>[4] "textures" { set=0 binding=1 }
  var @2 uniform sampler[4] "samplers" { set=0 binding=2 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32 = load_input %0 base=33 range=1 dest_type=i32 io_semantics={VAR1 1}
      %2:32 = deref_var @1
      %3:32 = deref_array %2[%1]
      %4:32 = deref_var @2
      %5:32 = deref_array %4[%1]
      %6:32x2 = vec2 %0, %0
      %7:32x4 = tex texture_deref=%3 sampler_deref=SAMPLER coord=%6 dim=2D dest=f32 coord_components=2
      store_output %7, %0 base=4 range=1 write_mask=xyzw src_type=f32 io_semantics={DATA0 1}
  }
}`
	for _, c := range [][2]string{{"%3", "texture[AT1.x.32], fsampler[AT1.x.32]"}, {"%5", "texture[AT1.x.32], fsampler[AT1.y.32]"}} {
		s, err := ir.Parse(strings.Replace(text, "SAMPLER", c[0], 1))
		if err != nil {
			t.Fatal(err)
		}
		_, list := listing(t, s, CompileOptions{})
		expect(t, list, c[1])
	}
}
