package ir3

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestPreambleUnits: where a preamble multiplies what uniform buffers hold, a load brings a vector to registers, and no move brings
// a component from the const file; a pair of components is moved. Both sides give the same.
func TestPreambleUnits(t *testing.T) {
	programs.Hold(t)
	in := make([]byte, 256)
	for k := range len(in) / 4 {
		binary.LittleEndian.PutUint32(in[4*k:], math.Float32bits(float32(k%7)+0.5))
	}
	for _, c := range []struct {
		name    string
		n       int
		gpu     string
		fetches bool
	}{{"a vector", 4, "a630", true}, {"three", 3, "a630", true}, {"a pair", 2, "a630", false}, {"shared registers", 4, "a740", true}} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
		x, y := gputest.LoadUBO(b, b.Imm32(0), uint8(c.n), 32, 16), gputest.LoadUBO(b, b.Imm32(16), uint8(c.n), 32, 16)
		// The columns of a product, and of what becomes of it the sum.
		sum := b.U2f32(id)
		for k := range c.n {
			v := b.Fmul(b.Channel(x, k), b.Channel(y, 0))
			for m := 1; m < c.n; m++ {
				v = b.Fadd(b.Fmul(v, v), b.Fmul(b.Channel(x, k), b.Channel(y, m)))
			}
			sum = b.Fadd(sum, v)
		}
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), sum)
		if err := differ(s, CompileOptions{GPU: c.gpu, scalarAlways: true}, 1, in, 256, nil); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		bin, err := execute(s, CompileOptions{GPU: c.gpu, scalarAlways: true}, &gputest.Run{Groups: 1, OutSize: 256, In: in}, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		text := disasm(bin)
		pre, _, ok := strings.Cut(text, "shpe")
		loads := strings.Count(pre, "ldc.") - strings.Count(pre, ".k.")
		if g, _ := FindGPU(c.gpu); bin.Meta.EarlyPreamble != g.EarlyPreamble || strings.Contains(pre, "ldc.u") != g.ScalarALU {
			t.Errorf("%s: early preamble %v:\n%s", c.name, bin.Meta.EarlyPreamble, text)
		}
		if !ok || loads > 0 != c.fetches || c.fetches && strings.Contains(pre, "mov.u32u32") {
			t.Errorf("%s: %d loads:\n%s", c.name, loads, text)
		}
	}
}
