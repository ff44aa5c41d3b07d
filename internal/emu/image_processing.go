package emu

import "math"

// Image processing (Vulkan 1.3, Weight Image Sampling, Block Matching, Box Filter Sampling, of VK_QCOM_image_processing):
// filters of many texels of a plane's first level.

// SampleWeights is how a view holds the weights of a filter, with the meaning of the fields of
// VkImageViewSampleWeightCreateInfoQCOM.
type SampleWeights struct {
	// Center is the texel of the filter that lies where the sample is, Size the filter's width and height in texels.
	Center, Size [2]int
	// Phases is how many places within a texel have weights of their own, along each axis: the root of numPhases.
	Phases int
	// Separable weights are those of the columns in layer 0 and of the rows in layer 1 of a view of lines; else each phase
	// has a layer of a view of planes.
	Separable bool
}

// weight is that of texel (k, l) of the filter at a phase; what is outside the view is 0.
func (v *ImageView) weight(k, l, phaseX, phaseY int) float64 {
	w := v.Weights
	at := func(x, y, layer int) float64 {
		t := v.Fetch(Tex2D, x, y, 0, layer, 0, 0)
		return float64(math.Float32frombits(t[0]))
	}
	if !w.Separable {
		return at(k, l, phaseY*w.Phases+phaseX)
	}
	packed := func(i, phase int) int { return w.Phases*4*(i/4) + phase*4 + i%4 }
	return at(packed(k, phaseX), 0, 0) * at(packed(l, phaseY), 0, 1)
}

// SampleWeighted sums the texels around a coordinate, each times its weight. Without a view, a sampler or weights the result is 0.
func (v *ImageView) SampleWeighted(s *Sampler, op *SampleOp, weights *ImageView) (t [4]uint32) {
	if weights == nil || weights.Image == nil || weights.Weights == nil {
		return t
	}
	w := weights.Weights
	return v.filterPlane(s, op, func(p *sampling, l *texLevel) (taps []texTap) {
		var first, phase [2]int
		for k := range first {
			u := p.texels(k, l)
			first[k] = texFloor(u - float64(w.Center[k]))
			phase[k] = int(clampNum(math.Floor((u-math.Floor(u))*float64(w.Phases)), 0, float64(w.Phases-1)))
		}
		for j := range w.Size[1] {
			for i := range w.Size[0] {
				taps = append(taps, texTap{p.place(l, first[0]+i, first[1]+j, 0), weights.weight(i, j, phase[0], phase[1])})
			}
		}
		return taps
	})
}

// BoxFilter sums the texels that a box around a coordinate covers, each times what is covered of it, and times scale, the
// reciprocal of the box's area. The box is in texels, and at least one wide and high.
func (v *ImageView) BoxFilter(s *Sampler, op *SampleOp, box [2]float64, scale float64) [4]uint32 {
	return v.filterPlane(s, op, func(p *sampling, l *texLevel) (taps []texTap) {
		var first [2]int
		var covered [2][]float64
		for k, size := range box {
			size = clampNum(size, 0, maxBox)
			start := p.texels(k, l) - size/2
			first[k] = texFloor(start)
			for at := math.Floor(start); at < start+size && len(covered[k]) <= maxBox; at++ {
				covered[k] = append(covered[k], min(at+1, start+size)-max(at, start))
			}
		}
		for j, h := range covered[1] {
			for i, w := range covered[0] {
				taps = append(taps, texTap{p.place(l, first[0]+i, first[1]+j, 0), w * h * scale})
			}
		}
		return taps
	})
}

// maxBox is the most texels that a filter or a block is wide and high.
const maxBox = 64

// texels is a coordinate in texels of a level.
func (p *sampling) texels(k int, l *texLevel) float64 {
	u := p.coord[k]
	if !p.s.Unnormalized {
		u *= float64([2]int{l.w, l.h}[k])
	}
	return u
}

// filterPlane makes one texel of the first level of those that a function lists.
func (v *ImageView) filterPlane(s *Sampler, op *SampleOp, list func(p *sampling, l *texLevel) []texTap) (t [4]uint32) {
	var p sampling
	if !p.init(v, s, op) || p.integer {
		return t
	}
	l, ok := v.level(0)
	if !ok {
		return t
	}
	t = p.reduce(&l, list(&p, &l))
	v.present(&t)
	v.swizzle(&t)
	return t
}

// Block is one of the two that a block match compares: its first texel.
type Block struct {
	View *ImageView
	At   [2]int
}

// MatchBlocks compares a block of texels of a view with one of a reference, component by component: it sums the
// differences without their signs, or their squares. The sampler says what is beyond the edges of the first, and in
// place of the sum the least or greatest may be asked for. Size is the width and height in texels.
func MatchBlocks(s *Sampler, target, reference Block, size [2]int, squares bool, lookup Lookup) (t [4]uint32) {
	op := SampleOp{Dim: Tex2D, Lookup: lookup}
	var p, q sampling
	if !p.init(target.View, s, &op) || !q.init(reference.View, s, &op) || p.integer || q.integer {
		return t
	}
	l, ok := target.View.level(0)
	m, has := reference.View.level(0)
	if !ok || !has {
		return t
	}
	var sum [4]float64
	first := true
	for j := range min(size[1], maxBox) {
		for i := range min(size[0], maxBox) {
			var a, b [4]uint32
			p.texel(&l, p.place(&l, target.At[0]+i, target.At[1]+j, 0), &a)
			q.texel(&m, q.place(&m, reference.At[0]+i, reference.At[1]+j, 0), &b)
			for c := range sum {
				d := math.Abs(float64(math.Float32frombits(a[c])) - float64(math.Float32frombits(b[c])))
				if squares {
					d *= d
				}
				sum[c] = s.Reduction.add(sum[c], d, first)
			}
			first = false
		}
	}
	for c := range t {
		t[c] = math.Float32bits(float32(sum[c]))
	}
	target.View.present(&t)
	target.View.swizzle(&t)
	return t
}

// add takes one more number into a sum, a least or a greatest.
func (r Reduction) add(sum, x float64, first bool) float64 {
	switch {
	case r == ReductionAverage:
		return sum + x
	case first:
		return x
	case r == ReductionMin:
		return min(sum, x)
	}
	return max(sum, x)
}
