//go:build !race

package main

import (
	"context"
	_ "embed"
	"encoding/binary"
	"runtime"
	"runtime/debug"
	"testing"

	"nirc"
	"nirc/frontend/spirv/spv"
	"nirc/passes"
)

//go:embed testdata/asm/empty.spvasm
var emptyText string

//go:embed testdata/asm/texture.spvasm
var textureText string

// smallShaders are a fragment shader that does nothing and one that samples a texture, with the most
// allocations of a warm compile.
var smallShaders = []struct {
	name, text string
	most       float64
}{
	{"empty", emptyText, 26},
	{"texture", textureText, 46},
}

func binaryOf(t testing.TB, text string) []byte {
	words, err := spv.Assemble(text, spv.AssembleOptions{PreserveNumericIDs: true})
	if err != nil {
		t.Fatal(err)
	}
	var data []byte
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}

func compileSmall(t testing.TB, data []byte, target string) {
	if _, err := nirc.Compile(context.Background(), data, nirc.Options{Target: target, Level: passes.O2}); err != nil {
		t.Fatal(err)
	}
}

// TestSmallAllocations bounds what a small shader allocates once the compiler is warm, and sees that nothing grows.
// The race detector empties pools at will, so it is not for this.
func TestSmallAllocations(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pools
	for _, s := range smallShaders {
		data := binaryOf(t, s.text)
		for _, target := range []string{"ir3", "agx", "midgard"} {
			n := testing.AllocsPerRun(100, func() { compileSmall(t, data, target) })
			if n > s.most {
				t.Errorf("%s for %s: %.0f allocations, not %.0f", s.name, target, n, s.most)
			}
			t.Logf("%s for %s: %.0f allocations", s.name, target, n)
		}
	}
	live := func() uint64 {
		runtime.GC()
		runtime.GC() // the second takes what pools had kept
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	targets := []string{"ir3", "agx", "midgard"}
	compile := func(rounds int) {
		for i := range rounds {
			compileSmall(t, binaryOf(t, smallShaders[i%2].text), targets[i/2%3])
		}
	}
	compile(6)
	before := live()
	const many = 10000
	compile(many)
	if after := live(); after > before+before/8 {
		t.Errorf("%d compiles left %d bytes more than six had", many, after-before)
	}
}

func BenchmarkSmall(b *testing.B) {
	for _, target := range []string{"ir3", "agx", "midgard"} {
		for _, s := range smallShaders {
			b.Run(target+"/"+s.name, func(b *testing.B) {
				data := binaryOf(b, s.text)
				b.ReportAllocs()
				for b.Loop() {
					compileSmall(b, data, target)
				}
			})
		}
	}
}
