package midgard

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/midgard/core"
	"nirc/ir"
)

// TestLimits: what a workgroup and a thread may have at most compiles and loads, and what is beyond is refused with the limit.
func TestLimits(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		name string
		set  func(s *ir.Shader, n uint32)
		most uint32
		want string
	}{
		{"workgroup memory", func(s *ir.Shader, n uint32) { s.SharedSize = n }, 32768, "there are up to 32768"},
		{"private memory", func(s *ir.Shader, n uint32) { s.ScratchSize = n }, 1 << 20, "there are up to 1048576"},
		{"threads", func(s *ir.Shader, n uint32) { s.Info.WorkgroupSize = [3]uint32{1, n, 1} }, 256, "a core holds 256 threads"},
	} {
		for n := c.most; n <= c.most+1; n++ {
			s, _ := gputest.NewShader(ir.StageCompute, 1)
			c.set(s, n)
			bin, err := compile(s, CompileOptions{})
			if err == nil {
				_, err = core.LoadFresh(bin.Code, &bin.Meta)
			}
			if (err == nil) != (n == c.most) || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s of %d: %v", c.name, n, err)
			}
		}
	}
}

// TestNoEntry: a shader without an entry point, or whose entry point has no body, is refused.
func TestNoEntry(t *testing.T) {
	bodiless, _ := gputest.NewShader(ir.StageCompute, 1)
	bodiless.Functions[0].Impl = nil
	for _, s := range []*ir.Shader{ir.NewShader(ir.StageVertex, nil), bodiless} {
		if _, err := held(Compile(s, CompileOptions{Job: verifying()})); err == nil || err.Error() != "midgard: the shader has no entry point" {
			t.Error(err)
		}
	}
}
