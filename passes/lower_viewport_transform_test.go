package passes

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"nirc/ir"
)

// TestOverW: what leaves of a position is it over its w, and 1/w, which is bounded, to the last bit as if each were computed by itself.
func TestOverW(t *testing.T) {
	s := parseShader(t, `shader vertex "main" {
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32x4 = load_push_constant %0 range=16 align_mul=16
      store_output %1, %0 base=0 range=1 write_mask=xyzw src_type=f32 io_semantics={POS 1}
  }
}`)
	runPasses(t, s, "lower_viewport_transform")
	text := ir.Print(s)
	for intrinsic, value := range map[string]string{"load_viewport_scale": "0x3f800000", "load_viewport_offset": "0x0"} {
		text = strings.Replace(text, intrinsic, "load_const ("+value+", "+value+", "+value+")", 1)
	}
	xyz := [3]float32{3, -0.7, 1e-3}
	inf := float32(math.Inf(1))
	for _, w := range []float32{1, 3, -7, 1e-3, 1e-5, -1e-5, 3e-5, 1e-30, 0, float32(math.Copysign(0, -1)), 1e9, -1e30, inf, -inf, float32(math.NaN())} {
		push := make([]byte, 16)
		for i, v := range [4]float32{xyz[0], xyz[1], xyz[2], w} {
			binary.LittleEndian.PutUint32(push[4*i:], math.Float32bits(v))
		}
		run, err := runStage(parseShader(t, text), stageInputs{push: push})
		if err != nil {
			t.Fatal(err)
		}
		over := float32(-maxOverW)
		if !math.IsNaN(float64(w)) {
			over = max(-maxOverW, min(1/w, maxOverW))
		}
		got := run.Out[0][ir.SlotPos]
		for i, want := range [4]float32{xyz[0] * over, xyz[1] * over, xyz[2] * over, over} {
			if v := math.Float32frombits(got[i]); v != want {
				t.Errorf("w = %g: component %d is %g, want %g", w, i, v, want)
			}
		}
	}
}
