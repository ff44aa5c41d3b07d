package profile_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/profile"
	"nirc/passes"

	pprof "github.com/google/pprof/profile"
)

// counted runs the Mandelbrot set of testdata over 16x16 pixels.
func counted(t *testing.T, target string, parallel bool) *exec.Counts {
	t.Helper()
	m, err := nirc.LoadFile(context.Background(), "../../testdata/mandel.comp.spv", nirc.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	push := []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x40, 16, 0, 0, 0, 50, 0, 0, 0} // centre 0, scale 3, 16 wide, 50 times
	x := &exec.Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target, Level: passes.O2, Debug: true}, Push: push, Groups: [3]uint32{2, 2, 1},
		Bindings: []exec.Binding{{Data: make([]byte, 1024)}}, Limits: emu.Limits{Check: !parallel}}
	c := &exec.Counts{}
	if err := exec.Execute(exec.WithCounts(context.Background(), c), x); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWrite(t *testing.T) {
	for _, target := range []string{"ir3", "agx", "midgard"} {
		var first, second bytes.Buffer
		if err := profile.Write(context.Background(), &first, counted(t, target, false)); err != nil {
			t.Fatal(err)
		}
		if err := profile.Write(context.Background(), &second, counted(t, target, true)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: two runs give different bytes", target)
		}
		p, err := pprof.ParseData(first.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		sum, byLine := map[string]int64{}, map[int64]int64{}
		for _, s := range p.Sample {
			for i, v := range s.Value {
				sum[p.SampleType[i].Type] += v
			}
			byLine[s.Location[0].Line[0].Line] += s.Value[1]
			if s.Label["target"][0][:3] != target[:3] || s.Label["stage"][0] != "compute" || s.Label["entry"][0] != "main" || s.Label["pipe"][0] == "" {
				t.Errorf("%s: labels %v", target, s.Label)
			}
			if f := s.Location[0].Line[0].Function; f.Name != "main" && !strings.HasPrefix(f.Name, "main(") || !strings.Contains(f.Filename, "mandel.comp") {
				t.Errorf("%s: function %+v", target, f)
			}
		}
		// 256 invocations store four bytes each. The loop's body is left 3126 times in all, which line 14 counts:
		// the pictures of the three cores are the same.
		if target == "agx" && sum["waits"] != 0 { // it stores, and loads nothing
			t.Errorf("%s: waits %d", target, sum["waits"])
		}
		if sum["memory"] != 1024 || sum["cycles"] == 0 || sum["texture"] != 0 {
			t.Errorf("%s: %v", target, sum)
		}
		if n := byLine[14]; target != "midgard" && n != 3126 {
			t.Errorf("%s: line 14 ran on %d lanes", target, n)
		}
		if target == "midgard" != (sum["instructions"] == sum["lane_instructions"]) {
			t.Errorf("%s: %d instructions, %d of lanes: only Midgard's waves have one", target, sum["instructions"], sum["lane_instructions"])
		}
	}
}

func TestWriteCounts(t *testing.T) {
	var b strings.Builder
	if err := profile.WriteCounts(context.Background(), &b, counted(t, "agx", false)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"compute agx g13g: ", " of waits, 1024 bytes, 0 texture operations\n", "mandel.comp:14\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
