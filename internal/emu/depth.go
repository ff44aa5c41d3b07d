package emu

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// depthTarget is the depth/stencil attachment of a draw. Depth is handled in
// units of the storage: integers of a fixed-point format, or floats.
type depthTarget struct {
	surface
	bits      int     // 0 without a depth aspect
	top       float64 // largest fixed-point value, 0 for float depth
	stencilAt int     // byte of the stencil aspect, -1 for none
	lo, hi    float64 // depth bounds in storage units
	depthTest bool
	bounds    bool
	stencil   bool
	offsets   [][2]float64
}

func (t *depthTarget) init(d *drawer, layers *int) error {
	st := &d.p.Depth
	t.stencilAt = -1
	for s := range d.samples {
		x, y := SamplePosition(d.samples, s)
		t.offsets = append(t.offsets, [2]float64{float64(x), float64(y)})
	}
	v := d.p.DepthStencil.View
	if v == nil {
		return nil
	}
	f := v.TexelFormat()
	if !f.IsDepthStencil() {
		return unsupportedTarget(f, "a depth/stencil attachment")
	}
	if err := t.surface.init(v, layers); err != nil {
		return err
	}
	t.bits = f.DepthBits
	if !f.IsFloat() && f.DepthBits != 0 {
		t.top = float64(uint64(1)<<f.DepthBits - 1)
	}
	for _, c := range f.Channels {
		if c.Comp == CompS {
			t.stencilAt = int(c.Offset) / 8
		}
	}
	t.depthTest = st.Test && t.bits != 0
	t.bounds = st.BoundsTest && t.bits != 0
	t.stencil = st.StencilTest && t.stencilAt >= 0
	t.lo, t.hi = t.quantise(float64(st.MinBounds)), t.quantise(float64(st.MaxBounds))
	return nil
}

// clampDepth limits a depth to what the attachment may get (Vulkan 1.3, Depth
// Clamping and Range Adjustment).
func (t *depthTarget) clampDepth(st *RasterState, pr *prim, z float64) float64 {
	if st.DepthClamp {
		z = clampNum(z, pr.minZ, pr.maxZ)
	}
	if st.DepthUnrestricted && t.top == 0 {
		return z
	}
	return clampNum(z, 0, 1)
}

// quantise turns depth 0..1 into storage units.
func (t *depthTarget) quantise(z float64) float64 {
	if t.top != 0 {
		return math.RoundToEven(z * t.top)
	}
	return float64(float32(z))
}

func (t *depthTarget) load(b []byte) float64 {
	switch t.bits {
	case 16:
		return float64(binary.LittleEndian.Uint16(b))
	case 24:
		return float64(binary.LittleEndian.Uint32(b) & 0xffffff)
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}

func (t *depthTarget) store(b []byte, z float64) {
	switch t.bits {
	case 16:
		binary.LittleEndian.PutUint16(b, uint16(z))
	case 24:
		old := binary.LittleEndian.Uint32(b)
		binary.LittleEndian.PutUint32(b, old&0xff000000|uint32(z))
	default:
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(z)))
	}
}

// test makes the depth bounds, stencil and depth tests on the samples in mask
// of a pixel, updates the attachment and returns the samples that passed. z
// and ref, unless nil, are the depths (float bits, of sample s component s&3) and stencil
// reference that the fragment stage wrote.
func (t *depthTarget) test(d *drawer, pr *prim, x, y int, mask uint32, z *Vec4, ref *uint32) uint32 {
	if !t.depthTest && !t.stencil && !t.bounds {
		return mask
	}
	st := &d.p.Depth
	pixel := t.pixel(x, y, int(pr.Layer))
	for left := mask; left != 0; left &= left - 1 {
		s := bits.TrailingZeros32(left)
		b := pixel[s*t.bytes : (s+1)*t.bytes]
		var stored float64
		if t.bits != 0 {
			stored = t.load(b)
		}
		if t.bounds && !(stored >= t.lo && stored <= t.hi) {
			mask &^= 1 << s
			continue
		}
		if t.stencil && !stencilPass(pr.stencil, b[t.stencilAt], ref) {
			t.update(pr.stencil, pr.stencil.Fail, b, ref)
			mask &^= 1 << s
			continue
		}
		pass := true
		if t.depthTest {
			var v float64
			if z != nil {
				v = float64(math.Float32frombits(z[s&3]))
			} else {
				v = pr.depth(float64(x)+t.offsets[s][0], float64(y)+t.offsets[s][1])
			}
			v = t.quantise(t.clampDepth(&d.p.Raster, pr, v))
			if pass = compare(st.Compare, v, stored); pass && st.Write {
				t.store(b, v)
			}
		}
		op := pr.stencil.Pass
		if !pass {
			op = pr.stencil.DepthFail
			mask &^= 1 << s
		}
		if t.stencil {
			t.update(pr.stencil, op, b, ref)
		}
	}
	return mask
}

// compare reports whether v op stored holds.
func compare[T float64 | uint32](op CompareOp, v, stored T) bool {
	switch op {
	case CompareLess:
		return v < stored
	case CompareEqual:
		return v == stored
	case CompareLessOrEqual:
		return v <= stored
	case CompareGreater:
		return v > stored
	case CompareNotEqual:
		return v != stored
	case CompareGreaterOrEqual:
		return v >= stored
	case CompareAlways:
		return true
	}
	return false
}

// reference is the face's stencil reference, or the fragment's own.
func (f *StencilFace) reference(ref *uint32) uint32 {
	if ref != nil {
		return *ref & 255
	}
	return f.Reference & 255
}

func stencilPass(f *StencilFace, stored byte, ref *uint32) bool {
	return compare(f.Compare, f.reference(ref)&f.CompareMask, uint32(stored)&f.CompareMask)
}

// update applies a stencil operation to a texel.
func (t *depthTarget) update(f *StencilFace, op StencilOp, b []byte, ref *uint32) {
	old := b[t.stencilAt]
	v := old
	switch op {
	case StencilZero:
		v = 0
	case StencilReplace:
		v = byte(f.reference(ref))
	case StencilIncrementClamp:
		if v < 255 {
			v++
		}
	case StencilDecrementClamp:
		if v > 0 {
			v--
		}
	case StencilInvert:
		v = ^v
	case StencilIncrementWrap:
		v++
	case StencilDecrementWrap:
		v--
	}
	m := byte(f.WriteMask)
	b[t.stencilAt] = old&^m | v&m
}
