package passes

import (
	"maps"
	"strings"
	"testing"

	"nirc/ir"
)

// storeCaptures runs a list on a shader that captures four components of VAR1 in two runs, one before the other.
func storeCaptures(t *testing.T, list, offset string) (*ir.Shader, error) {
	t.Helper()
	s := parseShader(t, `shader vertex "main" {
  capture VAR1 { first=0 count=1 bits=32 buffer=1 stream=0 offset=12 }
  capture VAR1 { first=1 count=3 bits=32 buffer=1 stream=0 offset=0 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32x4 = load_const (0x1, 0x2, 0x3, 0x4)
      %2:32 = load_vertex_id
      store_output %1, `+offset+` base=33 range=2 write_mask=xyzw src_type=f32 io_semantics={VAR1 2}
  }
}`)
	p, err := ParsePassList(list)
	if err != nil {
		t.Fatal(err)
	}
	return s, p.Run(s, RunOptions{VerifyEach: true})
}

// TestStoreCaptures: the stores of a shader capture what the shader does, before and after they are split.
func TestStoreCaptures(t *testing.T) {
	for _, list := range []string{"io_add_intrinsic_xfb_info", "lower_io_to_scalar(modes=shader_out),io_add_intrinsic_xfb_info", "io_add_intrinsic_xfb_info,lower_io_to_scalar(modes=shader_out)"} {
		s, err := storeCaptures(t, list, "%0")
		if err != nil {
			t.Fatal(err)
		}
		got := map[uint8]uint32{} // offsets in buffer 1 by component
		for blk := range s.Functions[0].Impl.Blocks() {
			for in := range blk.Instrs() {
				if !in.IsIntrinsic(ir.IntrStoreOutput) {
					continue
				}
				written := in.Get(ir.IdxWriteMask) << in.Get(ir.IdxComponent)
				for _, c := range in.StoreCaptures() {
					for k := range c.Count {
						if c.Slot != ir.SlotVar0+1 || c.Buffer != 1 || c.Bits != 32 {
							t.Errorf("%s: %+v", list, c)
						}
						if written>>(c.First+k)&1 != 0 {
							got[c.First+k] = c.Offset + 4*uint32(k)
						}
					}
				}
			}
		}
		if want := map[uint8]uint32{0: 12, 1: 0, 2: 4, 3: 8}; !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", list, got, want)
		}
	}
	if _, err := storeCaptures(t, "io_add_intrinsic_xfb_info", "%2"); err == nil || !strings.Contains(err.Error(), "transform feedback of an output that is stored at an offset is not supported") {
		t.Error(err)
	}
}
