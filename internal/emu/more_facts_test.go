package emu

import (
	"context"
	"math"
	"strings"
	"testing"

	"nirc/ir"
)

// TestFragmentsInOrder: a fragment's access comes after that of another if that is older, of the same pixel and layer, and had not
// signalled a fence that the younger one has passed.
func TestFragmentsInOrder(t *testing.T) {
	young := racyFragment{of: true, x: 3, y: 4, layer: 1, number: 7, passed: 5}
	old := racyFragment{of: true, x: 3, y: 4, layer: 1, number: 6, signalled: 4}
	for _, c := range []struct {
		name   string
		change func(young, old *racyFragment)
		want   bool
	}{
		{"as it is", func(young, old *racyFragment) {}, true},
		{"of a dispatch", func(young, old *racyFragment) { young.of = false }, false},
		{"after a dispatch", func(young, old *racyFragment) { old.of = false }, false},
		{"itself", func(young, old *racyFragment) { old.number = 7 }, false},
		{"older", func(young, old *racyFragment) { old.number = 8 }, false},
		{"another column", func(young, old *racyFragment) { old.x = 4 }, false},
		{"another row", func(young, old *racyFragment) { old.y = 3 }, false},
		{"another layer", func(young, old *racyFragment) { old.layer = 0 }, false},
		{"no fence", func(young, old *racyFragment) { young.passed = 0 }, false},
		{"all fences signalled before", func(young, old *racyFragment) { old.signalled = 7 }, false},
		{"other fences signalled before", func(young, old *racyFragment) { old.signalled = 2 }, true},
	} {
		a, b := young, old
		c.change(&a, &b)
		if got := a.after(&b); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestOldMemory: what a load that goes through a cache may see is each byte as it was before the first store to it.
func TestOldMemory(t *testing.T) {
	m := NewMemory()
	b := m.Alloc(16)
	m.Store(b.Addr, 8, 0x1111111111111111)
	m.remember()
	m.Store(b.Addr+2, 4, 0x22222222)
	m.Store(b.Addr+4, 4, 0x33333333)
	m.Store(b.Addr+12, 2, 0x4444)
	for _, c := range []struct {
		at, n          int
		now, remembers uint64
	}{{0, 8, 0x3333333322221111, 0x1111111111111111}, {3, 2, 0x3322, 0x1111}, {8, 8, 0x0000444400000000, 0}, {12, 1, 0x44, 0}} {
		if now, old := m.Load(b.Addr+uint64(c.at), c.n), m.LoadOld(b.Addr+uint64(c.at), c.n); now != c.now || old != c.remembers {
			t.Errorf("%d bytes at %d: %#x, and %#x before, want %#x and %#x", c.n, c.at, now, old, c.now, c.remembers)
		}
	}
	m.forget()
	if v := m.LoadOld(b.Addr, 8); v != 0x3333333322221111 {
		t.Errorf("after that: %#x", v)
	}
}

// TestLargestBudget: the largest budget is one that lets programs run.
func TestLargestBudget(t *testing.T) {
	p := &fakeProgram{stage: ir.StageCompute, wave: 64, size: [3]uint32{64, 1, 1}}
	p.run = func(_ *Launch, pc int) (Status, error) {
		if pc == 0 {
			return StatusYield, nil
		}
		return StatusDone, nil
	}
	if err := Dispatch(context.Background(), p, &Env{}, DispatchParams{Groups: [3]uint32{3, 1, 1}, Limits: Limits{Budget: math.MaxUint64}}); err != nil {
		t.Error(err)
	}
}

// TestEntryOf: an index beyond a binding table is an error, unless the pipeline has no table of the kind.
func TestEntryOf(t *testing.T) {
	one := []ShaderGroup{{}}
	for _, c := range []struct {
		table []ShaderGroup
		index uint64
		want  string
	}{{nil, 0, ""}, {nil, 9, ""}, {one, 0, ""}, {one, 1, "the binding table of miss shaders has 1 entries, and none of index 1"}, {append(one, one...), 1, ""}, {append(one, one...), 2, "has 2 entries"}} {
		_, err := entryOf(c.table, c.index, "miss")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("entry %d of %d: %v, want %q", c.index, len(c.table), err, c.want)
		}
	}
}

// TestResolveRefused: a resolve wants a target of the source's size with as many layers and one sample, and texels as large.
func TestResolveRefused(t *testing.T) {
	from := ImageDesc{Width: 4, Height: 2, Layers: 2, Samples: 4, Format: FormatByName("R8G8B8A8_UNORM")}
	to := from
	to.Samples = 1
	for _, c := range []struct {
		name   string
		change func(d *ImageDesc)
		ok     bool
	}{
		{"as it is", func(d *ImageDesc) {}, true},
		{"more layers", func(d *ImageDesc) { d.Layers = 3 }, true},
		{"fewer layers", func(d *ImageDesc) { d.Layers = 1 }, false},
		{"wider", func(d *ImageDesc) { d.Width = 5 }, false},
		{"higher", func(d *ImageDesc) { d.Height = 3 }, false},
		{"two samples", func(d *ImageDesc) { d.Samples = 2 }, false},
		{"larger texels", func(d *ImageDesc) { d.Format = FormatByName("R16G16B16A16_SFLOAT") }, false},
	} {
		d := to
		c.change(&d)
		a, err := NewImage(from)
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewImage(d)
		if err != nil {
			t.Fatal(err)
		}
		if err := (&ImageView{Image: a}).ResolveTo(&ImageView{Image: b}); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	img, err := NewImage(to)
	if err != nil {
		t.Fatal(err)
	}
	full := &ImageView{Image: img}
	for _, v := range [][2]*ImageView{{full, {}}, {{}, full}} {
		if err := v[0].ResolveTo(v[1]); err == nil || !strings.Contains(err.Error(), "without an image") {
			t.Errorf("a view of nothing: %v", err)
		}
	}
}

// TestWeights: the weights of a filter stand in a layer a phase, or those of columns and of rows in groups of four texels of each phase.
func TestWeights(t *testing.T) {
	const phases = 2
	size := [2]int{6, 5}
	weight := func(k, i, phase int) float32 { return float32(1 + i + 10*phase + 100*k) }
	format := FormatByName("R32_SFLOAT")
	lines, err := NewImage(ImageDesc{Width: 16, Height: 1, Layers: 2, Format: format})
	if err != nil {
		t.Fatal(err)
	}
	planes, err := NewImage(ImageDesc{Width: size[0], Height: size[1], Layers: phases * phases, Format: format})
	if err != nil {
		t.Fatal(err)
	}
	for k, n := range size {
		for phase := range phases {
			for i := range n {
				(&ImageView{Image: lines}).Store(i%4+4*phase+4*phases*(i/4), 0, k, 0, 0, [4]uint32{math.Float32bits(weight(k, i, phase))})
			}
		}
	}
	for y := range phases {
		for x := range phases {
			for j := range size[1] {
				for i := range size[0] {
					(&ImageView{Image: planes}).Store(i, j, x+phases*y, 0, 0, [4]uint32{math.Float32bits(weight(0, i, x) * weight(1, j, y))})
				}
			}
		}
	}
	img, err := NewImage(ImageDesc{Width: 16, Height: 16, Format: format})
	if err != nil {
		t.Fatal(err)
	}
	v := &ImageView{Image: img}
	for i := range 256 {
		v.Store(i%16, i/16, 0, 0, 0, [4]uint32{math.Float32bits(float32(i * 3 % 31))})
	}
	s := &Sampler{Unnormalized: true, Address: [3]AddressMode{AddressClampToEdge, AddressClampToEdge, AddressClampToEdge}}
	for _, at := range [][2]float32{{8.25, 7.25}, {8.75, 7.25}, {8.25, 7.75}, {9.75, 8.5}} {
		var want float64
		phase := [2]int{int((at[0] - float32(math.Floor(float64(at[0])))) * phases), int((at[1] - float32(math.Floor(float64(at[1])))) * phases)}
		for j := range size[1] {
			for i := range size[0] {
				texel := (int(at[0]) - 2 + i + 16*(int(at[1])-1+j)) * 3 % 31
				want += float64(texel) * float64(weight(0, i, phase[0])) * float64(weight(1, j, phase[1]))
			}
		}
		for _, w := range []*ImageView{
			{Image: lines, Weights: &SampleWeights{Center: [2]int{2, 1}, Size: size, Phases: phases, Separable: true}},
			{Image: planes, Weights: &SampleWeights{Center: [2]int{2, 1}, Size: size, Phases: phases}},
		} {
			got := v.SampleWeighted(s, &SampleOp{Dim: Tex2D, Coord: [3]float32{at[0], at[1]}}, w)
			if g := float64(math.Float32frombits(got[0])); !(math.Abs(g-want) <= want*1e-6) {
				t.Errorf("at %v, separable %v: %v, want %v", at, w.Weights.Separable, g, want)
			}
		}
	}
}

// TestBox: a box takes of each texel that it covers as much as it covers, wherever it begins, and is not larger than the largest.
func TestBox(t *testing.T) {
	img, err := NewImage(ImageDesc{Width: 16, Height: 16, Format: FormatByName("R32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	v := &ImageView{Image: img}
	for i := range 256 {
		v.Store(i%16, i/16, 0, 0, 0, [4]uint32{math.Float32bits(float32(i * 3 % 31))})
	}
	s := &Sampler{Unnormalized: true, Address: [3]AddressMode{AddressClampToEdge, AddressClampToEdge, AddressClampToEdge}}
	box := func(at [2]float32, size [2]float64) float64 {
		got := v.BoxFilter(s, &SampleOp{Dim: Tex2D, Coord: [3]float32{at[0], at[1]}}, size, 0.5)
		return float64(math.Float32frombits(got[0]))
	}
	for _, c := range []struct {
		at   [2]float32
		size [2]float64
	}{{[2]float32{8, 8}, [2]float64{2, 2}}, {[2]float32{8.5, 7.5}, [2]float64{1, 1}}, {[2]float32{8.25, 7.625}, [2]float64{2.5, 1.25}}, {[2]float32{3.125, 12.75}, [2]float64{1.125, 4}},
		{[2]float32{8.5, 7.25}, [2]float64{0.5, 0.25}}} {
		var want float64
		for y := range 16 {
			for x := range 16 {
				covered := func(k, i int) float64 {
					low := float64(c.at[k]) - c.size[k]/2
					return max(0, min(float64(i+1), low+c.size[k])-max(float64(i), low))
				}
				want += float64((16*y+x)*3%31) * covered(0, x) * covered(1, y) / 2
			}
		}
		if got := box(c.at, c.size); !(math.Abs(got-want) <= want*1e-6) {
			t.Errorf("%v at %v: %v, want %v", c.size, c.at, got, want)
		}
	}
	row, err := NewImage(ImageDesc{Width: 80, Height: 1, Format: FormatByName("R32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	wide := &ImageView{Image: row}
	for x := range 80 {
		wide.Store(x, 0, 0, 0, 0, [4]uint32{math.Float32bits(1)})
	}
	for _, at := range []float32{40, 40.25, 40.5} { // between texels the largest box meets one more than it is wide
		got := wide.BoxFilter(s, &SampleOp{Dim: Tex2D, Coord: [3]float32{at, 0.5}}, [2]float64{maxBox, 1}, 0.5)
		if g := math.Float32frombits(got[0]); g != maxBox/2 {
			t.Errorf("the largest box at %v: %v", at, g)
		}
	}
	if a, b := box([2]float32{8, 8}, [2]float64{1e9, 1}), box([2]float32{8, 8}, [2]float64{maxBox, 1}); a != b {
		t.Errorf("a box beyond the largest gives %v, the largest %v", a, b)
	}
}
