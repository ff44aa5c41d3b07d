package ir3_test

import (
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/gputest"
	"nirc/backend/ir3"
	"nirc/ir"
	"nirc/passes"
)

// TestImageStoreComponents stores a product of vectors to images: components that the format has not are neither
// computed nor stored.
func TestImageStoreComponents(t *testing.T) {
	ir3.Programs.Hold(t)
	for _, x := range gputest.ProductStores() {
		format, n := x.Format, x.Comps
		m, err := nirc.Load([]byte(x.Text), "store.spvasm")
		if err != nil {
			t.Fatal(err)
		}
		for _, gpu := range []string{"a630", "a740"} {
			obj, err := m.Compile(t.Context(), nirc.Options{Target: "ir3", GPU: gpu, Entry: "main", Stage: ir.StageCompute, Level: passes.O2})
			if err != nil {
				t.Fatal(err)
			}
			ir3.Programs.Add(obj.Code, obj.ABI, obj.Stats, obj.Lines)
			lines, err := ir3.Target{}.Disassemble(gpu, obj.Code)
			if err != nil {
				t.Fatal(err)
			}
			code := ""
			for i := range lines {
				code += lines[i].Text + "\n"
			}
			if want := fmt.Sprintf("stib.b.typed.2d.f32.%d.", n); !strings.Contains(code, want) || products(code) != n {
				t.Errorf("%s on %s: %d products, no %s:\n%s", format, gpu, products(code), want, code)
			}
		}
	}
}

// products counts multiplications, repetitions among them.
func products(code string) (n int) {
	for line := range strings.Lines(code) {
		if at := strings.Index(line, "mul.f"); at >= 0 {
			n++
			var rpt int
			if k := strings.Index(line, "(rpt"); k >= 0 {
				fmt.Sscanf(line[k:], "(rpt%d)", &rpt)
			}
			n += rpt
		}
	}
	return n
}
