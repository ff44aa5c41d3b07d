package irshape

import (
	"runtime"
	"testing"
	"time"
)

// retained is how many shaders the benchmarks of the garbage collector keep alive.
const retained = 64

// BenchmarkBuild builds the shader in new memory and runs the passes: the first compile of a process. H-presized is
// H told the size of its input beforehand.
func BenchmarkBuild(b *testing.B) {
	p, px, hx := measured(), &pScratch{}, &hScratch{}
	b.Run("P", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s := newP()
			s.build(p, px)
			s.passes(px)
		}
	})
	h := func(make func() *hShader) func(*testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s := make()
				s.build(p, hx)
				s.passes(hx)
			}
		}
	}
	b.Run("H", h(newH))
	b.Run("H-presized", h(func() *hShader { return newSizedH(p) }))
}

// BenchmarkReuse is BenchmarkBuild in memory kept from the compile before.
func BenchmarkReuse(b *testing.B) {
	p := measured()
	b.Run("P", func(b *testing.B) {
		b.ReportAllocs()
		s, x := newP(), &pScratch{}
		for b.Loop() {
			s.reset()
			s.build(p, x)
			s.passes(x)
		}
	})
	b.Run("H", func(b *testing.B) {
		b.ReportAllocs()
		s, x := newH(), &hScratch{}
		for b.Loop() {
			s.reset()
			s.build(p, x)
			s.passes(x)
		}
	})
}

// BenchmarkPasses times the three passes alone, in kept memory. The clock is read by hand: stopping the benchmark's
// timer stops the world, which disturbs what it measures.
func BenchmarkPasses(b *testing.B) {
	p := measured()
	b.Run("P", func(b *testing.B) {
		b.ReportAllocs()
		s, x := newP(), &pScratch{}
		passesOnly(b, func() { s.reset(); s.build(p, x) }, func() { s.passes(x) })
	})
	b.Run("H", func(b *testing.B) {
		b.ReportAllocs()
		s, x := newH(), &hScratch{}
		passesOnly(b, func() { s.reset(); s.build(p, x) }, func() { s.passes(x) })
	})
}

func passesOnly(b *testing.B, prepare, run func()) {
	var spent time.Duration
	for b.Loop() {
		prepare()
		start := time.Now()
		run()
		spent += time.Since(start)
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "ns/op")
}

// BenchmarkWithLiveHeap compiles into new memory while the last 64 shaders stay alive, and reports how often the
// garbage collector ran (gc/op) and what the live heap holds (live-B).
func BenchmarkWithLiveHeap(b *testing.B) {
	p, px, hx := measured(), &pScratch{}, &hScratch{}
	b.Run("P", func(b *testing.B) {
		withLiveHeap(b, func() *pShader { s := newP(); s.build(p, px); s.passes(px); return s })
	})
	b.Run("H", func(b *testing.B) {
		withLiveHeap(b, func() *hShader { s := newH(); s.build(p, hx); s.passes(hx); return s })
	})
	b.Run("H-presized", func(b *testing.B) {
		withLiveHeap(b, func() *hShader { s := newSizedH(p); s.build(p, hx); s.passes(hx); return s })
	})
}

func withLiveHeap[S any](b *testing.B, compile func() *S) {
	b.ReportAllocs()
	ring, live := retain(compile)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	i := 0
	for b.Loop() {
		ring[i%retained] = compile()
		i++
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.NumGC-before.NumGC)/float64(b.N), "gc/op")
	b.ReportMetric(live, "live-B")
	runtime.KeepAlive(ring)
}

// retain compiles the retained shaders and returns them with the bytes they hold.
func retain[S any](compile func() *S) (ring [retained]*S, bytes float64) {
	var before, after runtime.MemStats
	compile() // grows the scratch, which is not to be counted
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range ring {
		ring[i] = compile()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	return ring, float64(after.HeapAlloc) - float64(before.HeapAlloc)
}

// BenchmarkCollect times one full collection while 64 shaders are alive.
func BenchmarkCollect(b *testing.B) {
	p, px, hx := measured(), &pScratch{}, &hScratch{}
	b.Run("P", func(b *testing.B) {
		collect(b, func() *pShader { s := newP(); s.build(p, px); s.passes(px); return s })
	})
	b.Run("H", func(b *testing.B) {
		collect(b, func() *hShader { s := newH(); s.build(p, hx); s.passes(hx); return s })
	})
}

func collect[S any](b *testing.B, compile func() *S) {
	b.ReportAllocs()
	ring, _ := retain(compile)
	for b.Loop() {
		runtime.GC()
	}
	runtime.KeepAlive(ring)
}
