package ir3

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// BenchmarkCompile compiles a shader of a few thousand instructions.
func BenchmarkCompile(b *testing.B) {
	s := randomShader(7, 3000)
	n := 0
	for blk := range s.Entry().Impl.Blocks() {
		for range blk.Instrs() {
			n++
		}
	}
	b.ReportMetric(float64(n), "ir-instrs")
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		c := ir.Clone(s)
		b.StartTimer()
		if _, err := Compile(c, CompileOptions{Lists: gputest.Lists}); err != nil {
			b.Fatal(err)
		}
	}
}
