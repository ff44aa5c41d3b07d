package agx_test

import (
	"strings"
	"testing"

	"nirc"
	"nirc/backend/agx"
	"nirc/backend/agx/isa"
	"nirc/backend/gputest"
	"nirc/ir"
	"nirc/passes"
)

// TestImageStoreComponents stores a product of vectors to images: components that the format has not are neither
// computed nor set.
func TestImageStoreComponents(t *testing.T) {
	agx.Programs.Hold(t)
	for _, x := range gputest.ProductStores() {
		format, n := x.Format, x.Comps
		m, err := nirc.Load([]byte(x.Text), "store.spvasm")
		if err != nil {
			t.Fatal(err)
		}
		obj, err := m.Compile(t.Context(), nirc.Options{Target: "agx", Entry: "main", Stage: ir.StageCompute, Level: passes.O2})
		if err != nil {
			t.Fatal(err)
		}
		agx.Programs.Add(obj.Code, obj.ABI, obj.Stats, obj.Lines)
		var lines []string
		products, zeros := 0, 0
		for pc := 0; pc < len(obj.Code); {
			in, size, err := isa.Unpack(obj.Code[pc:])
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, in.Text())
			switch in.Op {
			case isa.OpFmul32:
				products++
			case isa.OpMovImm32:
				zeros++
			}
			pc += size
		}
		if products != n || zeros != 1 { // that of a coordinate
			t.Errorf("%s: %d products and %d constants for %d components:\n%s", format, products, zeros, n, strings.Join(lines, "\n"))
		}
	}
}
