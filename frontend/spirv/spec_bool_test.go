package spirv

import (
	"strings"
	"testing"

	"nirc/ir"
)

// TestSpecBooleans: a boolean that is specialized is true by any value but 0, whatever it was.
func TestSpecBooleans(t *testing.T) {
	text := strings.NewReplacer("DECL", "%r = OpSpecConstantOp %uint Select %t %k7 %k1\n%r2 = OpSpecConstantOp %uint Select %f %k7 %k1", "OpStore %p %r\n", "OpStore %p %r\nOpStore %p %r2\n").Replace(pieceHeads["spec"])
	for _, c := range []struct {
		values map[uint32]uint64 // by the id of specialization
		want   [2]uint64
	}{
		{nil, [2]uint64{7, 1}}, {map[uint32]uint64{1: 0}, [2]uint64{1, 1}}, {map[uint32]uint64{2: 1}, [2]uint64{7, 7}}, {map[uint32]uint64{1: 0, 2: 5}, [2]uint64{1, 7}}, {map[uint32]uint64{1: 1 << 31}, [2]uint64{7, 1}},
	} {
		var spec []SpecValue
		for id, bits := range c.values {
			spec = append(spec, SpecValue{ID: id, Bits: bits})
		}
		s, err := Translate(assemble(t, text), Options{Spec: spec, panics: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for in := range s.Entry().Impl.Instrs() {
			if in.IsIntrinsic(ir.IntrStoreDeref) {
				v, _ := in.Srcs[1].Const(0)
				got = append(got, v)
			}
		}
		if len(got) != 2 || [2]uint64(got) != c.want {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
	}
}
