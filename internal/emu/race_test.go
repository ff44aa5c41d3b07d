package emu

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// raceStep is what a wave of the test does: an access, a fence or a barrier.
type raceStep struct {
	wave    int // of the workgroup, -1 all
	lane    int
	shared  bool
	at      uint64
	n       int
	kind    AccessKind
	barrier bool
	fence   bool
	sub     bool
}

// TestRaces looks at which accesses of two waves of four lanes count as races.
func TestRaces(t *testing.T) {
	barrier, fence, sub := raceStep{wave: -1, barrier: true}, raceStep{wave: -1, fence: true}, raceStep{wave: -1, sub: true}
	local := func(wave, lane int, at uint64, n int, kind AccessKind) raceStep {
		return raceStep{wave: wave, lane: lane, shared: true, at: at, n: n, kind: kind}
	}
	device := func(wave, lane int, kind AccessKind) raceStep {
		return raceStep{wave: wave, lane: lane, at: 1 << 33, n: 4, kind: kind}
	}
	word := func(wave, lane int, k uint64, n int, kind AccessKind) raceStep {
		return raceStep{wave: wave, lane: lane, at: 1<<33 + 4*k, n: n, kind: kind}
	}
	part := func(wave int, k uint64, kind AccessKind) raceStep {
		return raceStep{wave: wave, at: 1<<33 + k, n: 1, kind: kind}
	}
	for _, c := range []struct {
		name   string
		groups uint32
		steps  []raceStep
		race   bool
	}{
		{"stores to the words beside, and a load", 1, []raceStep{word(0, 0, 1, 4, AccessWrite), word(0, 1, 0, 4, AccessWrite), word(0, 2, 2, 8, AccessWrite), barrier, word(1, 0, 1, 4, AccessRead)}, true},
		{"a load of one word and a store to the next", 1, []raceStep{word(0, 0, 1, 4, AccessRead), barrier, word(1, 0, 0, 4, AccessWrite), word(1, 0, 2, 4, AccessWrite)}, false},
		{"the last word of a long store", 1, []raceStep{word(0, 0, 1, 16, AccessWrite), barrier, word(1, 0, 4, 4, AccessRead)}, true},
		{"the word after a long store", 1, []raceStep{word(0, 0, 1, 16, AccessWrite), barrier, word(1, 0, 5, 4, AccessRead)}, false},
		{"store and load", 1, []raceStep{local(0, 0, 0, 4, AccessWrite), local(1, 0, 0, 4, AccessRead)}, true},
		{"load and store", 1, []raceStep{local(0, 0, 0, 4, AccessRead), local(1, 0, 0, 4, AccessWrite)}, true},
		{"second reader and store", 1, []raceStep{local(0, 0, 0, 4, AccessRead), local(1, 1, 0, 4, AccessRead), local(0, 0, 0, 4, AccessWrite)}, true},
		{"two stores", 1, []raceStep{local(0, 0, 0, 4, AccessWrite), local(1, 0, 0, 4, AccessWrite)}, true},
		{"two stores beyond all memory", 1, []raceStep{local(0, 0, maxShared, 4, AccessWrite), local(1, 0, maxShared, 4, AccessWrite)}, false},
		{"two loads", 1, []raceStep{local(0, 0, 0, 4, AccessRead), local(1, 0, 0, 4, AccessRead)}, false},
		{"two atomics", 1, []raceStep{local(0, 0, 0, 4, AccessAtomic), local(1, 0, 0, 4, AccessAtomic)}, false},
		{"atomic and load", 1, []raceStep{local(0, 0, 0, 4, AccessAtomic), local(1, 0, 0, 4, AccessRead)}, true},
		{"an atomic that may be a store, and a load and a store", 1, []raceStep{local(0, 0, 0, 4, AccessOrder), local(1, 0, 0, 4, AccessRead), local(0, 0, 0, 4, AccessOrder), local(1, 0, 0, 4, AccessWrite)}, false},
		{"ordered by atomics that may be stores", 1, []raceStep{local(0, 0, 0, 4, AccessWrite), local(0, 0, 4, 4, AccessOrder), barrier, local(1, 0, 4, 4, AccessOrder), local(1, 0, 0, 4, AccessRead)}, false},
		{"other bytes", 1, []raceStep{local(0, 0, 0, 2, AccessWrite), local(1, 0, 2, 2, AccessWrite)}, false},
		{"a byte stored before two others, and a load", 1, []raceStep{local(0, 0, 0, 1, AccessWrite), local(0, 1, 1, 1, AccessWrite), local(0, 2, 3, 1, AccessWrite), local(1, 0, 0, 1, AccessRead)}, true},
		{"a byte that a word was stored over, and its own load", 1, []raceStep{local(0, 0, 0, 1, AccessWrite), sub, local(0, 1, 0, 4, AccessWrite), local(0, 1, 0, 1, AccessRead)}, false},
		{"a byte loaded before another was stored, and a store", 1, []raceStep{local(0, 0, 2, 1, AccessRead), local(0, 1, 1, 1, AccessWrite), local(1, 0, 2, 1, AccessWrite)}, true},
		{"bytes loaded one by one, and a store to the first", 1, []raceStep{local(0, 0, 0, 2, AccessRead), local(0, 0, 2, 2, AccessRead), local(1, 0, 0, 1, AccessWrite)}, true},
		{"bytes loaded one by one by the second reader, and a store to the first", 1, []raceStep{local(0, 1, 0, 4, AccessRead), barrier, local(1, 0, 0, 2, AccessRead), local(1, 0, 2, 2, AccessRead), local(0, 1, 1, 1, AccessWrite)}, true},
		{"a byte loaded before a barrier and another after it, and a store to the first", 1, []raceStep{local(0, 0, 0, 1, AccessRead), barrier, local(0, 0, 1, 1, AccessRead), local(1, 0, 0, 1, AccessWrite)}, false},
		{"the same of a barrier of the subgroup", 1, []raceStep{local(0, 0, 0, 1, AccessRead), sub, local(0, 0, 1, 1, AccessRead), local(0, 1, 0, 1, AccessWrite)}, false},
		{"bytes loaded before and after an atomic that is seen, and a store to the second", 1, []raceStep{part(0, 0, AccessRead), word(0, 0, 4, 4, AccessAtomic), part(0, 1, AccessRead), barrier, word(1, 0, 4, 4, AccessAtomic), part(1, 1, AccessWrite)}, true},
		{"the same, and a store to the first", 1, []raceStep{part(0, 0, AccessRead), word(0, 0, 4, 4, AccessAtomic), part(0, 1, AccessRead), barrier, word(1, 0, 4, 4, AccessAtomic), part(1, 0, AccessWrite)}, false},
		{"ordered by an atomic, in the device's memory", 1, []raceStep{word(0, 0, 0, 4, AccessWrite), word(0, 0, 4, 4, AccessAtomic), barrier, word(1, 0, 4, 4, AccessAtomic), word(1, 0, 0, 4, AccessRead)}, false},
		{"atomics of other words", 1, []raceStep{word(0, 0, 0, 4, AccessWrite), word(0, 0, 4, 4, AccessAtomic), barrier, word(1, 0, 5, 4, AccessAtomic), word(1, 0, 0, 4, AccessRead)}, true},
		{"bytes of one invocation each", 1, []raceStep{local(0, 0, 0, 1, AccessWrite), local(0, 1, 1, 1, AccessWrite), local(1, 0, 2, 1, AccessWrite), local(1, 1, 3, 1, AccessWrite), local(0, 0, 0, 1, AccessRead), local(0, 1, 1, 1, AccessRead)}, false},
		{"across words", 1, []raceStep{local(0, 0, 0, 8, AccessWrite), local(1, 0, 6, 2, AccessRead)}, true},
		{"one invocation", 1, []raceStep{local(0, 0, 0, 4, AccessWrite), local(0, 0, 0, 4, AccessRead)}, false},
		{"lanes of a wave", 1, []raceStep{local(0, 0, 0, 4, AccessWrite), local(0, 1, 0, 4, AccessRead)}, true},
		{"barrier of the subgroup", 1, []raceStep{local(0, 0, 0, 4, AccessWrite), sub, local(0, 1, 0, 4, AccessRead)}, false},
		{"barrier of the subgroup, other wave", 1, []raceStep{local(0, 0, 0, 4, AccessWrite), sub, local(1, 1, 0, 4, AccessRead)}, true},
		{"barrier", 1, []raceStep{local(0, 0, 0, 4, AccessWrite), barrier, local(1, 0, 0, 4, AccessRead)}, false},
		{"barrier without a fence", 1, []raceStep{device(0, 0, AccessWrite), barrier, device(1, 0, AccessRead)}, true},
		{"fence and barrier", 1, []raceStep{device(0, 0, AccessWrite), fence, barrier, device(1, 0, AccessRead)}, false},
		{"fence alone", 1, []raceStep{device(0, 0, AccessWrite), fence, device(1, 0, AccessRead)}, true},
		{"ordered by an atomic", 1, []raceStep{local(0, 0, 0, 4, AccessWrite), local(0, 0, 4, 4, AccessAtomic), barrier, local(1, 0, 4, 4, AccessAtomic), local(1, 0, 0, 4, AccessRead)}, false},
		{"workgroups store by one instruction", 2, []raceStep{device(0, 0, AccessWrite)}, false},
		{"workgroups store", 2, []raceStep{device(0, 0, AccessWrite), device(0, 0, AccessWrite)}, true},
		{"workgroups add", 2, []raceStep{device(0, 0, AccessAtomic)}, false},
		{"workgroups have their own memory", 2, []raceStep{local(0, 0, 0, 4, AccessWrite)}, false},
	} {
		p := &fakeProgram{stage: ir.StageCompute, size: [3]uint32{8, 1, 1}, wave: 4, share: 64}
		p.run = func(l *Launch, pc int) (Status, error) {
			if pc >= len(c.steps) {
				return StatusDone, nil
			}
			s := c.steps[pc]
			l.Races.Watch(RaceOptions{Where: func(place uint32) string { return "step" }, Lanes: true, Fences: true})
			mine := s.wave == int(l.Compute.SubgroupID)
			switch {
			case s.barrier:
				return StatusBarrier, nil
			case s.fence:
				l.Races.Fence()
			case s.sub:
				l.Races.SubgroupBarrier()
			case mine && s.shared:
				l.Races.Shared(s.lane, s.at, s.n, s.kind, uint32(pc))
			case mine:
				l.Races.Global(s.lane, s.at, s.n, s.kind, uint32(pc))
			}
			return StatusYield, nil
		}
		for seed := range uint64(5) {
			err := Dispatch(context.Background(), p, &Env{Mem: NewMemory()}, DispatchParams{Groups: [3]uint32{c.groups, 1, 1}, Limits: Limits{Check: true, Seed: seed + 1}})
			if (err != nil) != c.race || err != nil && !strings.Contains(err.Error(), "race on") {
				t.Errorf("%s, seed %d: %v", c.name, seed, err)
			}
			if err := Dispatch(context.Background(), p, &Env{Mem: NewMemory()}, DispatchParams{Groups: [3]uint32{c.groups, 1, 1}}); err != nil {
				t.Errorf("%s, lenient: %v", c.name, err)
			}
		}
	}
}

// TestRacePlaces: a race names the memory, the address of its word, and both accesses with their invocations and places.
func TestRacePlaces(t *testing.T) {
	for _, c := range []struct {
		shared bool
		at     uint64
		want   string
	}{
		{true, 12, "race on workgroup memory at byte 0xc: store of invocation 1 of workgroup 0 (place 7) and load of invocation 2 of workgroup 0 (place 8)"},
		{true, 34, "race on workgroup memory at byte 0x20: "},
		{false, 1<<33 + 20, "race on the device's memory at address 0x200000014: store of invocation 1 of workgroup 0 (place 7) and load of invocation 6 of workgroup 0 (place 8)"},
	} {
		p := &fakeProgram{stage: ir.StageCompute, size: [3]uint32{8, 1, 1}, wave: 4, share: 64}
		p.run = func(l *Launch, pc int) (Status, error) {
			l.Races.Watch(RaceOptions{Where: func(place uint32) string { return fmt.Sprint("place ", place) }, Lanes: true, Fences: true})
			access := l.Races.Global
			if c.shared {
				access = l.Races.Shared
			}
			switch wave := l.Compute.SubgroupID; {
			case pc == 0 && wave == 0:
				access(1, c.at, 2, AccessWrite, 7)
			case pc == 1 && !c.shared: // which says nothing of the device's memory
				return StatusBarrier, nil
			case pc == 2 && wave == 0 && c.shared:
				access(2, c.at, 2, AccessRead, 8)
			case pc == 2 && wave == 1 && !c.shared:
				access(2, c.at, 2, AccessRead, 8)
			case pc == 3:
				return StatusDone, nil
			}
			return StatusYield, nil
		}
		err := Dispatch(context.Background(), p, &Env{Mem: NewMemory()}, DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: Limits{Check: true, Seed: 1}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%#x: %v, want %q", c.at, err, c.want)
		}
	}
}

// Machines load words at once: beside an atomic that is a race for Vulkan alone. A store is one for both.
func TestWordLoads(t *testing.T) {
	for _, words := range []bool{false, true} {
		for _, kinds := range [][2]AccessKind{{AccessAtomic, AccessRead}, {AccessRead, AccessAtomic}, {AccessWrite, AccessRead}, {AccessAtomic, AccessWrite}} {
			p := &fakeProgram{stage: ir.StageCompute, size: [3]uint32{2, 1, 1}, wave: 1, share: 64}
			p.run = func(l *Launch, _ int) (Status, error) {
				l.Races.Watch(RaceOptions{Where: func(uint32) string { return "" }, Words: words})
				l.Races.Shared(0, 4, 4, kinds[l.Compute.SubgroupID], l.Compute.SubgroupID)
				return StatusDone, nil
			}
			err := Dispatch(context.Background(), p, &Env{Mem: NewMemory()}, DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: Limits{Check: true}})
			loads := kinds[0]+kinds[1] == AccessAtomic+AccessRead
			if (err == nil) != (words && loads) {
				t.Errorf("words %t, %v: %v", words, kinds, err)
			}
		}
	}
}

// TestTexelsOfBuffers: what a race log knows of a texel in a buffer: its bytes and its address, nothing outside.
func TestTexelsOfBuffers(t *testing.T) {
	m := NewMemory()
	b := m.Alloc(16)
	for i := range b.Data {
		b.Data[i] = byte(i)
	}
	d := &Descriptor{Type: DescStorageTexelBuffer, Addr: b.Addr, Size: 14, Format: FormatByName("R8G8B8A8_UINT")}
	for x := -1; x < 5; x++ {
		got, f, at := (&Texel{D: d, InBuffer: true, X: x}).bytes(nil, m)
		if x < 0 || x > 2 {
			if got != nil {
				t.Errorf("texel %d is %x", x, got)
			}
			continue
		}
		if len(got) != 4 || int(got[0]) != 4*x || f != d.Format || at != b.Addr+uint64(4*x) {
			t.Errorf("texel %d is %x at %#x", x, got, at)
		}
	}
	if got, _, _ := (&Texel{D: &Descriptor{Type: DescStorageTexelBuffer, Addr: b.Addr, Size: 14}, InBuffer: true}).bytes(nil, m); got != nil {
		t.Errorf("without a format there is %x", got)
	}
	if got, _, _ := (&Texel{D: &Descriptor{}}).bytes(nil, m); got != nil {
		t.Errorf("without an image there is %x", got)
	}
}

// TestTexelRaces: which accesses of two waves to texels of an image are a race: those to one texel of a storage image, whatever view
// and whether by a sampler or not, unless a barrier with a fence of images is between them or the store changes nothing.
func TestTexelRaces(t *testing.T) {
	const (
		store = iota
		same  // a store of what is there
		load
		add
		fetch // as a sampled image
		gather
	)
	type access struct{ what, x, y, layer, mip int }
	for _, c := range []struct {
		name     string
		a, b     access
		barriers bool // with a fence of images: it orders the second after the first
		fenced   bool
		unlike   bool // the second takes place in another image
		race     bool
	}{
		{"store and load", access{store, 1, 1, 0, 0}, access{load, 1, 1, 0, 0}, false, false, false, true},
		{"store and store", access{store, 1, 1, 0, 0}, access{store, 1, 1, 0, 0}, false, false, false, true},
		{"load and load", access{load, 1, 1, 0, 0}, access{load, 1, 1, 0, 0}, false, false, false, false},
		{"atomics", access{add, 1, 1, 0, 0}, access{add, 1, 1, 0, 0}, false, false, false, false},
		{"atomic and load", access{add, 1, 1, 0, 0}, access{load, 1, 1, 0, 0}, false, false, false, true},
		{"a store that changes nothing", access{same, 1, 1, 0, 0}, access{load, 1, 1, 0, 0}, false, false, false, false},
		{"another column", access{store, 1, 1, 0, 0}, access{load, 2, 1, 0, 0}, false, false, false, false},
		{"another row", access{store, 1, 1, 0, 0}, access{load, 1, 2, 0, 0}, false, false, false, false},
		{"another layer", access{store, 1, 1, 0, 0}, access{load, 1, 1, 1, 0}, false, false, false, false},
		{"another level", access{store, 1, 1, 0, 0}, access{fetch, 1, 1, 0, 1}, false, false, false, false},
		{"one level of several", access{store, 1, 1, 1, 1}, access{fetch, 1, 1, 1, 1}, false, false, false, true},
		{"outside of the image", access{store, 4, 1, 0, 0}, access{load, 4, 1, 0, 0}, false, false, false, false},
		{"another image", access{store, 1, 1, 0, 0}, access{load, 1, 1, 0, 0}, false, false, true, false},
		{"store and fetch", access{store, 3, 2, 1, 0}, access{fetch, 3, 2, 1, 0}, false, false, false, true},
		{"store and gather", access{store, 1, 1, 0, 0}, access{gather, 0, 0, 0, 0}, false, false, false, true},
		{"store beside a gather", access{store, 3, 3, 0, 0}, access{gather, 0, 0, 0, 0}, false, false, false, false},
		{"barrier", access{store, 1, 1, 0, 0}, access{load, 1, 1, 0, 0}, true, false, false, true},
		{"barrier and fence", access{store, 1, 1, 0, 0}, access{load, 1, 1, 0, 0}, true, true, false, false},
		{"fence alone", access{store, 1, 1, 0, 0}, access{load, 1, 1, 0, 0}, false, true, false, true},
	} {
		for _, lenient := range []bool{false, true} {
			var bind Bindings
			var images [2]*ImageView
			for k := range images {
				images[k] = mustImage(t, ImageDesc{Width: 4, Height: 4, Layers: 2, Mips: 2, Format: FormatByName("R32_UINT")})
				bind.Set(0, uint32(k), []Descriptor{{Type: DescStorageImage, Image: images[k]}})
			}
			do := func(l *Launch, x access, image int, place uint32) {
				v := images[image]
				d := &Descriptor{Type: DescStorageImage, Image: v}
				texel := &Texel{D: d, X: x.x, Y: x.y, Z: x.layer, Mip: x.mip}
				up := Lookup{Races: l.Races, Place: place}
				switch x.what {
				case store:
					l.Races.Texel(l.Env.Mem, 0, texel, AccessWrite, &[4]uint32{7}, place)
				case same:
					l.Races.Texel(l.Env.Mem, 0, texel, AccessWrite, &[4]uint32{}, place)
				case load:
					l.Races.Texel(l.Env.Mem, 0, texel, AccessRead, nil, place)
				case add:
					l.Races.Texel(l.Env.Mem, 0, texel, AccessAtomic, nil, place)
				case fetch:
					up.Fetch(v, Tex2D, x.x, x.y, 0, x.layer, x.mip, 0)
				case gather:
					v.Gather(&Sampler{}, &SampleOp{Dim: Tex2D, Array: true, Coord: [3]float32{float32(x.x+1) / 4, float32(x.y+1) / 4}, Layer: float32(x.layer), Lookup: up}, 0, nil)
				}
			}
			p := &fakeProgram{stage: ir.StageCompute, size: [3]uint32{8, 1, 1}, wave: 4}
			p.run = func(l *Launch, pc int) (Status, error) {
				l.Races.Watch(RaceOptions{Where: func(uint32) string { return "" }, Lanes: true, Fences: true})
				switch wave := l.Compute.SubgroupID; {
				case pc == 0 && wave == 0:
					do(l, c.a, 0, 1)
				case pc == 1 && c.fenced:
					l.Races.FenceImages()
				case pc == 2 && c.barriers:
					return StatusBarrier, nil
				case pc == 3 && wave == 1:
					image := 0
					if c.unlike {
						image = 1
					}
					do(l, c.b, image, 2)
				case pc == 4:
					return StatusDone, nil
				}
				return StatusYield, nil
			}
			err := Dispatch(context.Background(), p, &Env{Mem: NewMemory(), Bindings: &bind}, DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: Limits{Check: !lenient, Seed: 1}})
			if (err != nil) != (c.race && !lenient) || err != nil && !strings.Contains(err.Error(), "race on") {
				t.Errorf("%s, lenient %v: %v", c.name, lenient, err)
			}
		}
	}
}

// TestSampledAlone: of images that no shader can store to nothing is noted.
func TestSampledAlone(t *testing.T) {
	v := mustImage(t, ImageDesc{Width: 4, Height: 4, Format: FormatByName("R32_UINT")})
	stored := mustImage(t, ImageDesc{Width: 4, Height: 4, Format: FormatByName("R32_UINT")})
	var bind Bindings
	bind.Set(0, 0, []Descriptor{{Type: DescSampledImage, Image: v}, {Type: DescStorageImage, Image: stored}, {Type: DescStorageImage}})
	list := storedImages(&Env{Bindings: &bind})
	if len(list) != 1 || !list[stored.Image] {
		t.Errorf("stored to are %v", list)
	}
	if len(storedImages(nil))+len(storedImages(&Env{})) != 0 {
		t.Error("without bindings something is stored to")
	}
}

// TestByteMask: of the words that an access touches each has its own bytes of it, and no others.
func TestByteMask(t *testing.T) {
	for at := range uint64(8) {
		for n := 1; n <= 16; n++ {
			left := n
			for i := range words(at, n) {
				m := byteMask(at>>2+i, at, n)
				for b := range uint64(8) {
					in := b < 4 && at <= (at>>2+i)<<2+b && (at>>2+i)<<2+b < at+uint64(n)
					if has := m>>b&1 != 0; has != in {
						t.Fatalf("%d bytes at %d: byte %d of word %d is touched: %t", n, at, b, i, has)
					}
					left -= int(m >> b & 1)
				}
			}
			if left != 0 {
				t.Errorf("%d bytes at %d: %d are in no word", n, at, left)
			}
		}
	}
}

// TestFragmentRaces: fragments of a draw race wherever nothing orders them, whichever waves they are of and whatever those wait for
// among their own lanes.
func TestFragmentRaces(t *testing.T) {
	for _, c := range []struct {
		name    string
		place   func(f *FragmentLane) uint64
		kind    AccessKind
		barrier bool // of the lanes of each wave
		race    bool
	}{
		{"a word each", func(f *FragmentLane) uint64 { return uint64(f.X + 4*f.Y) }, AccessWrite, false, false},
		{"one word", func(*FragmentLane) uint64 { return 0 }, AccessWrite, false, true},
		{"one word after lanes have waited", func(*FragmentLane) uint64 { return 0 }, AccessWrite, true, true},
		{"a word for each quad after lanes have waited", func(f *FragmentLane) uint64 { return uint64(f.X>>1 + 4*(f.Y>>1)) }, AccessWrite, true, true},
		{"one word of two fragments that are far apart", func(f *FragmentLane) uint64 {
			if f.X+f.Y == 0 || f.X+f.Y == 6 {
				return 0
			}
			return uint64(f.X + 4*f.Y)
		}, AccessWrite, true, true},
		{"loads", func(*FragmentLane) uint64 { return 0 }, AccessRead, true, false},
		{"atomics", func(*FragmentLane) uint64 { return 0 }, AccessAtomic, true, false},
	} {
		p := &fakeProgram{stage: ir.StageFragment, wave: 4, io: StageIO{WritesMemory: true}}
		p.run = func(l *Launch, _ int) (Status, error) {
			l.Races.Watch(RaceOptions{Where: func(uint32) string { return "it" }, Lanes: true, Fences: true})
			if c.barrier { // of some waves more than of others
				for range l.Fragment[0].X + l.Fragment[0].Y {
					l.Races.SubgroupBarrier()
				}
			}
			for i := range l.NumLanes {
				l.Races.Global(i, 1<<33+4*c.place(&l.Fragment[i]), 4, c.kind, uint32(i))
				l.Live.Set(i)
			}
			return StatusDone, nil
		}
		pipe := testPipeline(t, 4, 4, 1, "R32_UINT", 1, []float32{-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1}, p) // no helper lanes
		for seed := range uint64(3) {
			err := Draw(context.Background(), pipe, DrawParams{VertexCount: 3, InstanceCount: 1, Limits: Limits{Check: true, Seed: seed + 1}})
			if (err != nil) != c.race || err != nil && !strings.Contains(err.Error(), "race on") {
				t.Errorf("%s, seed %d: %v", c.name, seed, err)
			}
		}
	}
}
