package exec

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"nirc"
	"nirc/passes"
)

// TestImplicitLods: the pipeline of each target makes levels of detail explicit where only fragments have their own, and a pipeline
// that does not is told so.
func TestImplicitLods(t *testing.T) {
	few, err := passes.Load(bytes.ReplaceAll(nirc.PipelineFile(), []byte("implicit_lod: true"), []byte("implicit_lod: false")), "pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range nirc.Targets() {
		for _, op := range []string{"tex texture_deref=%1 sampler_deref=%1 coord=%0", "txb texture_deref=%1 sampler_deref=%1 coord=%0 bias=%2"} {
			text := `shader vertex "main" {
  var @1 shader_out vec4f32 "o" { location=POS }
  var @2 uniform sampled2D<f32> "t" { set=0 binding=0 }
  fn f0 "main" entry() {
    b0:
      %5:32 = load_vertex_id
      %6:32 = u2f32 %5
      %0:32x2 = vec2 %6, %6
      %1:32 = deref_var @2
      %2:32 = load_const 0x3f800000
      %3:32x4 = ` + op + ` dim=2D dest=f32 coord_components=2
      %4:32 = deref_var @1
      store_deref %4, %3 write_mask=xyzw
  }
}`
			if _, err := nirc.Compile(context.Background(), []byte(text), nirc.Options{Target: b.Name}); err != nil {
				t.Errorf("%s: %v", b.Name, err)
			}
			_, err := nirc.Compile(context.Background(), []byte(text), nirc.Options{Target: b.Name, Pipelines: few})
			if want := "an implicit LOD outside of fragment shaders: lower_tex (implicit_lod, group_lod) makes it explicit"; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s without implicit_lod: %v, want %q", b.Name, err, want)
			}
		}
	}
}
