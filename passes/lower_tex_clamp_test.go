package passes

import (
	"strings"
	"testing"

	"nirc/ir"
)

// TestClampedLevels: a level that takes the place of an implicit one has the size of the bound beside it, which stays.
func TestClampedLevels(t *testing.T) {
	const text = `
shader fragment "main" {
  var @1 shader_out vec4f32 "o" { location=DATA0 }
  var @2 uniform sampled2D<f32> "t" { set=0 binding=0 }
  var @3 shader_in vec4f32 "c" { location=VAR0 }
  fn f0 "main" entry() {
    b0:
      %0:16 = load_const 0x4000
      %1:32 = deref_var @1
      %2:32 = deref_var @2
      %3:32 = deref_var @3
      %4:32x4 = load_deref %3
      %5:32x2 = mov %4.xy
      %6:32x4 = tex texture_deref=%2 sampler_deref=%2 coord=%5 min_lod=%0 dim=2D dest=f32 coord_components=2
      store_deref %1, %6 write_mask=xyzw
  }
}
`
	for _, wide := range []bool{false, true} {
		source := text
		if wide {
			source = strings.Replace(text, "%0:16 = load_const 0x4000", "%0:32 = load_const 0x40000000", 1)
		}
		s, err := ir.Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		p, err := ParsePassList("lower_tex(lod_ddx=true)")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
			t.Fatal(err)
		}
		for in := range s.Entry().Impl.Instrs() {
			if in.Kind != ir.KindTex || in.TexOp.Info().Query {
				continue
			}
			lod, least := in.TexSrc(ir.TexSrcLod), in.TexSrc(ir.TexSrcMinLod)
			if in.TexOp != ir.TexOpTxl || lod == nil || least == nil || lod.Def.BitSize != 32 || least.Def.BitSize != 32 {
				t.Errorf("a bound of 32 bits %v\n%s", wide, ir.Print(s))
			}
		}
	}
}
