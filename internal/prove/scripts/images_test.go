package scripts

import (
	"os"
	"regexp"
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/passes"
)

// TestImageScripts runs scripts on images, samplers and texel buffers from GLSL
// to the interpreter, as the frontend made them and after the passes. With
// another value in an expectation they must fail.
func TestImageScripts(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	value := regexp.MustCompile(`(?m)^(EXPECT .* EQ(?:_RGBA)? )(-?\d+)`)
	for _, name := range []string{"images.amber", "images_draw.amber"} {
		path := prove.Data(name)
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		run := func(src []byte, level passes.Level) amber.Result {
			return runScript(t, nirc.Options{Target: nirc.IRTarget, Level: level}, path, src)
		}
		for _, level := range []passes.Level{passes.O0, passes.O2} {
			if r := run(src, level); r.Verdict != amber.Pass || r.Checked < 4 {
				t.Errorf("%s at O%v: %+v", name, level, r)
			}
		}
		all := value.FindAllSubmatchIndex(src, -1)
		for _, at := range [][]int{all[0], all[len(all)-1]} {
			wrong := append(append(append([]byte(nil), src[:at[4]]...), "222"...), src[at[5]:]...)
			if r := run(wrong, passes.O0); r.Verdict != amber.Fail || r.Cause != amber.CauseExpectation {
				t.Errorf("%s with a wrong value in %q: %+v", name, src[at[0]:at[1]], r)
			}
		}
	}
}
