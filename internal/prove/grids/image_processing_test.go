package grids

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/passes"
)

//go:embed testdata/asm/image_processing.spvasm
var imageProcessing string

// plainImage is an image of floats as the formulas of Vulkan see it: rows of texels, and what is beyond them.
type plainImage struct {
	w, h   int
	layers [][][4]float64
	border bool // zeros beyond the edges, else the nearest texel
}

func (m *plainImage) at(x, y, layer int) [4]float64 {
	if x < 0 || y < 0 || x >= m.w || y >= m.h {
		if m.border {
			return [4]float64{}
		}
		x, y = min(max(x, 0), m.w-1), min(max(y, 0), m.h-1)
	}
	return m.layers[layer][y*m.w+x]
}

// view makes an image of the emulator's with the same texels.
func (m *plainImage) view(t *testing.T) *emu.ImageView {
	t.Helper()
	img, err := emu.NewImage(emu.ImageDesc{Width: m.w, Height: m.h, Layers: len(m.layers), Format: emu.FormatByName("R32G32B32A32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	v := &emu.ImageView{Image: img}
	for z, l := range m.layers {
		for i, texel := range l {
			var bits [4]uint32
			for c, x := range texel {
				bits[c] = math.Float32bits(float32(x))
			}
			v.Store(i%m.w, i/m.w, z, 0, 0, bits)
		}
	}
	return v
}

// randomImage has multiples of 1/64, whose sums of products are exact.
func randomImage(r *rand.Rand, w, h, layers int) *plainImage {
	m := &plainImage{w: w, h: h}
	for range layers {
		l := make([][4]float64, w*h)
		for i := range l {
			for c := range l[i] {
				l[i][c] = float64(r.IntN(129)-64) / 64
			}
		}
		m.layers = append(m.layers, l)
	}
	return m
}

// imageCase is a state of samplers and views.
type imageCase struct {
	unnormalized, border, separable, far, dynamic, placed bool
	reduction                                             emu.Reduction
	phases                                                int
	size, center                                          [2]int
}

func (c imageCase) String() string {
	return fmt.Sprintf("unnormalized %v, border %v, separable %v, other sets %v, index %v, layout %v, reduction %d, %d phases, filter %v about %v", c.unnormalized, c.border, c.separable, c.far, c.dynamic, c.placed, c.reduction, c.phases, c.size, c.center)
}

// combine is one step of a reduction over the components of a texel.
func (c imageCase) combine(sum *[4]float64, x [4]float64, first bool) {
	for k := range sum {
		switch {
		case c.reduction == emu.ReductionAverage:
			sum[k] += x[k]
		case first:
			sum[k] = x[k]
		case c.reduction == emu.ReductionMin:
			sum[k] = math.Min(sum[k], x[k])
		default:
			sum[k] = math.Max(sum[k], x[k])
		}
	}
}

// weighted is Vulkan's Weight Sampling Operation.
func (c imageCase) weighted(src, kernel *plainImage, u, v float64) (sum [4]float64) {
	i0, j0 := int(math.Floor(u-float64(c.center[0]))), int(math.Floor(v-float64(c.center[1])))
	n := float64(c.phases)
	hp, vp := int(math.Floor((u-math.Floor(u))*n)), int(math.Floor((v-math.Floor(v))*n))
	first := true
	for l := range c.size[1] {
		for k := range c.size[0] {
			w := 0.0
			if c.separable {
				w = kernel.layers[0][c.phases*4*(k/4)+hp*4+k%4][0] * kernel.layers[1][c.phases*4*(l/4)+vp*4+l%4][0]
			} else {
				w = kernel.layers[vp*c.phases+hp][l*kernel.w+k][0]
			}
			texel := src.at(i0+k, j0+l, 0)
			if c.reduction == emu.ReductionAverage {
				for x := range texel {
					texel[x] *= w
				}
			} else if w == 0 {
				continue
			}
			c.combine(&sum, texel, first)
			first = false
		}
	}
	return sum
}

// box is Vulkan's Box Filter Operation.
func (c imageCase) box(src *plainImage, u, v, w, h float64) (sum [4]float64) {
	frac := func(x float64) float64 { return x - math.Floor(x) }
	i0, j0 := int(math.Floor(u-w/2)), int(math.Floor(v-h/2))
	startU, startV := frac(u-w/2), frac(v-h/2)
	endU, endV := frac(startU+w), frac(startV+h)
	nw, nh := int(math.Ceil(startU+w)), int(math.Ceil(startV+h))
	weight := func(i, n int, start, end float64) float64 {
		switch {
		case i == 0:
			return 1 - start
		case i == n-1 && end != 0:
			return end
		}
		return 1
	}
	first := true
	for j := range nh {
		for i := range nw {
			texel := src.at(i0+i, j0+j, 0)
			if c.reduction == emu.ReductionAverage {
				for x := range texel {
					texel[x] *= weight(i, nw, startU, endU) * weight(j, nh, startV, endV) / (w * h)
				}
			}
			c.combine(&sum, texel, first)
			first = false
		}
	}
	return sum
}

// match is Vulkan's Block Matching Operation.
func (c imageCase) match(target, reference *plainImage, p [6]int, square bool) (sum [4]float64) {
	first := true
	for j := range p[5] {
		for i := range p[4] {
			a, b := target.at(p[0]+i, p[1]+j, 0), reference.at(p[2]+i, p[3]+j, 0)
			for k := range a {
				a[k] = math.Abs(b[k] - a[k])
				if square {
					a[k] *= a[k]
				}
			}
			c.combine(&sum, a, first)
			first = false
		}
	}
	return sum
}

// imageOperands are those of an invocation: the place and the box, target, reference and size of the blocks.
type imageOperands struct {
	u, v, w, h float64
	blocks     [6]int
}

func randomOperands(r *rand.Rand, n int, target, reference *plainImage) imageOperands {
	q := func(limit int) float64 { return float64(r.IntN(limit*16)) / 16 }
	p := imageOperands{u: q(target.w+4) - 2, v: q(target.h+4) - 2, w: 1 + q(6), h: 1 + q(6)}
	if n%8 == 0 { // whole texels, and the largest
		p.u, p.v, p.w, p.h = math.Floor(p.u), math.Floor(p.v), 2, []float64{1, 64}[n/8%2]
	}
	bw, bh := 1+r.IntN(reference.w-1), 1+r.IntN(reference.h-1)
	p.blocks = [6]int{r.IntN(target.w), r.IntN(target.h), r.IntN(reference.w - bw + 1), r.IntN(reference.h - bh + 1), bw, bh}
	return p
}

// imageCases go through the states; weights that are 0 or 1 go with reductions.
func imageCases() (list []imageCase) {
	sizes := [][4]int{{1, 1, 0, 0}, {3, 3, 1, 1}, {4, 3, 1, 1}, {9, 5, 0, 4}, {2, 8, 1, 7}}
	for n := range 64 {
		s := sizes[n%len(sizes)]
		list = append(list, imageCase{unnormalized: n&1 != 0, border: n&2 != 0, separable: n&4 != 0, far: n&8 != 0, dynamic: n&16 != 0, placed: n&32 != 0,
			reduction: emu.Reduction(n % 3), phases: []int{1, 2, 4}[n/3%3], size: [2]int{s[0], s[1]}, center: [2]int{s[2], s[3]}})
	}
	return list
}

// kernelImage has the weights of a case.
func (c imageCase) kernelImage(r *rand.Rand) *plainImage {
	var m *plainImage
	if c.separable {
		m = randomImage(r, (max(c.size[0], c.size[1])+3)/4*4*c.phases, 1, 2)
	} else {
		m = randomImage(r, c.size[0]+1, c.size[1]+2, c.phases*c.phases)
	}
	if c.reduction != emu.ReductionAverage {
		for _, l := range m.layers {
			for i := range l {
				l[i][0] = float64(r.IntN(4)/3 ^ 1)
			}
		}
	}
	return m
}

// layout is that of a pipeline, by which slots have small numbers that stand in instructions, or nil.
func (c imageCase) layout(t *testing.T) *nirc.Layout {
	t.Helper()
	if !c.placed {
		return nil
	}
	images := `{"binding": 3, "type": "combined_image_sampler", "count": 2}, {"binding": 5, "type": "combined_image_sampler", "count": 2}]`
	if c.far {
		images = `{"binding": 9, "type": "sampler"}]}, {"set": 3, "bindings": [{"binding": 40, "type": "combined_image_sampler", "count": 2}, {"binding": 60, "type": "combined_image_sampler", "count": 2}]`
	}
	l, err := nirc.ReadLayout("layout.json", []byte(`{"schema": 1, "sets": [{"set": 0, "bindings": [{"binding": 0, "type": "storage_buffer"}, {"binding": 1, "type": "storage_buffer"},
		{"binding": 2, "type": "combined_image_sampler"}, {"binding": 4, "type": "combined_image_sampler"}, `+images+`}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// module is the shader with the places of a case's bindings.
func (c imageCase) module(t *testing.T) *nirc.Module {
	t.Helper()
	set, wbinding, rbinding, index := "0", "3", "5", "%c1"
	if c.far {
		set, wbinding, rbinding = "3", "40", "60"
	}
	if c.dynamic {
		index = "%chosen"
	}
	m, err := nirc.Load([]byte(strings.NewReplacer("WSET", set, "WBINDING", wbinding, "RSET", set, "RBINDING", rbinding, "INDEX", index).Replace(imageProcessing)), "image.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// imageRun dispatches the shader of a case.
type imageRun struct {
	c                               imageCase
	source, target, reference, kern *plainImage
	operands                        []imageOperands
}

// newImageRun has sides of powers of two, whose quotients are exact: the least of a box hangs on its edges.
func newImageRun(c imageCase, seed uint64) *imageRun {
	r := rand.New(rand.NewPCG(seed, 9))
	x := &imageRun{c: c, source: randomImage(r, 16, 8, 1), target: randomImage(r, 12, 10, 1), reference: randomImage(r, 11, 7, 1), kern: c.kernelImage(r)}
	x.source.border, x.target.border = c.border, c.border
	for n := range 32 {
		x.operands = append(x.operands, randomOperands(r, n, x.target, x.reference))
	}
	return x
}

// want is what the formulas give for an invocation.
func (x *imageRun) want(p *imageOperands) [4][4]float64 {
	return [4][4]float64{x.c.weighted(x.source, x.kern, p.u, p.v), x.c.box(x.source, p.u, p.v, p.w, p.h), x.c.match(x.target, x.reference, p.blocks, false), x.c.match(x.target, x.reference, p.blocks, true)}
}

func (x *imageRun) run(t *testing.T, p emu.Program, l *nirc.Layout) []float64 {
	t.Helper()
	mem, table := emu.NewMemory(), &emu.Bindings{}
	in, out := mem.Alloc(48*len(x.operands)), mem.Alloc(64*len(x.operands))
	for n, o := range x.operands {
		u, v := o.u, o.v
		if !x.c.unnormalized {
			u, v = u/float64(x.source.w), v/float64(x.source.h)
		}
		for k, f := range []float64{u, v, o.w, o.h, float64(o.blocks[0]), float64(o.blocks[1]), float64(o.blocks[2]), float64(o.blocks[3]), float64(o.blocks[4]), float64(o.blocks[5]), 1, 0} {
			binary.LittleEndian.PutUint32(in.Data[48*n+4*k:], math.Float32bits(float32(f)))
		}
	}
	mode := emu.AddressClampToEdge
	if x.c.border {
		mode = emu.AddressClampToBorder
	}
	s := &emu.Sampler{Address: [3]emu.AddressMode{mode, mode, mode}, Unnormalized: x.c.unnormalized, Reduction: x.c.reduction}
	texels := *s
	texels.Unnormalized = true
	set := uint32(0)
	wbinding, rbinding := uint32(3), uint32(5)
	if x.c.far {
		set, wbinding, rbinding = 3, 40, 60
	}
	image := func(v *emu.ImageView, s *emu.Sampler) emu.Descriptor {
		return emu.Descriptor{Type: emu.DescCombinedImageSampler, Image: v, Sampler: s}
	}
	weights := x.kern.view(t)
	weights.Weights = &emu.SampleWeights{Center: x.c.center, Size: x.c.size, Phases: x.c.phases, Separable: x.c.separable}
	table.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: in.Addr, Size: uint64(len(in.Data))}})
	table.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: uint64(len(out.Data))}})
	table.Set(0, 2, []emu.Descriptor{image(x.source.view(t), s)})
	table.Set(0, 4, []emu.Descriptor{image(x.target.view(t), &texels)})
	table.Set(set, wbinding, []emu.Descriptor{image(x.source.view(t), s), image(weights, s)})
	table.Set(set, rbinding, []emu.Descriptor{image(x.source.view(t), s), image(x.reference.view(t), &texels)})
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: table, Layout: l}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}}); err != nil {
		t.Fatal(err)
	}
	got := make([]float64, 16*len(x.operands))
	for i := range got {
		got[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(out.Data[4*i:])))
	}
	return got
}

// TestImageProcessing: weighted samples, box filters and block matches of SPV_QCOM_image_processing give what Vulkan's formulas
// do, on the interpreter and on the GPUs that have them, whose boxes have the reciprocal of their area as a half.
func TestImageProcessing(t *testing.T) {
	names := [4]string{"weighted sample", "box filter", "sum of absolute differences", "sum of squared differences"}
	for n, c := range imageCases() {
		x, m, l := newImageRun(c, uint64(n)), c.module(t), c.layout(t)
		for _, o := range []nirc.Options{{Target: nirc.IRTarget}, {Target: "ir3", GPU: "a740"}, {Target: "ir3", GPU: "a750"}} {
			o.Level, o.Run, o.Layout = passes.Level(n%3), passes.RunOptions{VerifyEach: true}, l
			p, _, err := exec.Executable(t.Context(), m, o)
			if err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			got := x.run(t, p, l)
			for i := range x.operands {
				for op, texel := range x.want(&x.operands[i]) {
					for k, want := range texel {
						limit := 1e-5 * (1 + math.Abs(want))
						if o.Target == "ir3" && op == 1 {
							limit += math.Abs(want) * 0x1p-10
						}
						if g := got[16*i+4*op+k]; !(math.Abs(g-want) <= limit) {
							t.Fatalf("%s %s: %v: %s of %+v, component %d: %v, want %v", o.Target, o.GPU, c, names[op], x.operands[i], k, g, want)
						}
					}
				}
			}
		}
	}
}
