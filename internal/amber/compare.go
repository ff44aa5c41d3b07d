package amber

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"nirc/internal/emu"
)

// Precision of comparisons without TOLERANCE, as Amber has them: a float may be
// off by this part of the expected value, a colour by this much of 1.
const (
	floatEpsilon = 1e-8
	texelDefault = 0.002
)

// within reports whether a float equals the expected one except for tol. NaN
// equals NaN; infinities equal themselves only.
func within(got, want, tol float64) bool {
	switch {
	case math.IsNaN(got) || math.IsNaN(want):
		return math.IsNaN(got) && math.IsNaN(want)
	case math.IsInf(got, 0) || math.IsInf(want, 0):
		return got == want
	}
	return math.Abs(got-want) <= tol
}

// limit returns the absolute tolerance at an expected value. unit is what an
// absolute tolerance of 1 is worth.
func (t Tolerance) limit(want, unit float64) float64 {
	if t.Percent {
		return t.Value / 100 * math.Abs(want)
	}
	return t.Value * unit
}

// check evaluates the expectation on the buffer's contents; nil is true.
func (e *ExpectValues) check(data []byte) error {
	f := e.format()
	if e.Format == nil && e.Offset%uint64(f.Size) != 0 {
		return fmt.Errorf("IDX %d is not a multiple of the element size %d of %s", e.Offset, f.Size, f.Type.Name)
	}
	if e.Offset+f.span(len(e.Values)) > uint64(len(data)) {
		return fmt.Errorf("IDX %d with %d values reads beyond the %d bytes of %q", e.Offset, len(e.Values), len(data), e.Buffer.Name)
	}
	at := int(e.Offset)
	for i, want := range e.Values {
		k := i % len(f.Leaves)
		l := &f.Leaves[k]
		src := data[at+i/len(f.Leaves)*f.Size+int(l.Offset):]
		if !e.holds(l.Scalar, src, want, k) {
			return fmt.Errorf("%q at byte %d, value %d: got %s, want %s %s", e.Buffer.Name, e.Offset, i, l.Scalar.text(src), comparatorWords[e.Cmp], want.text(l.Scalar))
		}
	}
	return nil
}

// format is the layout that the values are read with.
func (e *ExpectValues) format() *Format {
	if e.Format != nil {
		return e.Format
	}
	return e.Buffer.Format
}

// span is the number of bytes that n > 0 numbers in this layout reach over; the
// padding after the last element does not count.
func (f *Format) span(n int) uint64 {
	whole, end := (n-1)/len(f.Leaves), uint64(0)
	for k := range (n-1)%len(f.Leaves) + 1 {
		end = max(end, uint64(f.Leaves[k].Offset)+uint64(f.Leaves[k].Scalar.Bits)/8)
	}
	return uint64(whole)*uint64(f.Size) + end
}

// text formats a number of a buffer.
func (s Scalar) text(src []byte) string {
	u := s.bitsOf(src)
	switch s.Kind {
	case ScalarInt:
		return fmt.Sprint(int64(u))
	case ScalarUint:
		return fmt.Sprint(u)
	}
	return fmt.Sprint(s.float(src))
}

// text formats an expected value.
func (n Number) text(s Scalar) string {
	var raw [8]byte
	if s.Kind == ScalarFloat {
		return fmt.Sprint(n.F)
	}
	s.put(raw[:], n)
	return s.text(raw[:])
}

// holds compares one value with leaf k of an element.
func (e *ExpectValues) holds(s Scalar, src []byte, want Number, k int) bool {
	if s.Kind == ScalarFloat {
		return e.holdsFloat(s, s.float(src), want, k)
	}
	var raw [8]byte
	s.put(raw[:], want)
	got, w := s.bitsOf(src), s.bitsOf(raw[:])
	if e.Tolerances != nil {
		return within(s.float(src), s.float(raw[:]), e.tolerance(k).limit(s.float(raw[:]), 1))
	}
	less := got < w
	if s.Kind == ScalarInt {
		less = int64(got) < int64(w)
	}
	return e.Cmp.ordered(less, got == w)
}

// ordered evaluates the comparator on values that are ordered.
func (c Comparator) ordered(less, equal bool) bool {
	switch c {
	case CmpEQ:
		return equal
	case CmpNE:
		return !equal
	case CmpLT:
		return less
	case CmpLE:
		return less || equal
	case CmpGT:
		return !less && !equal
	}
	return !less
}

func (e *ExpectValues) holdsFloat(s Scalar, got float64, n Number, k int) bool {
	want := n.F
	if s.Bits < 64 {
		want = float64(float32(want))
	}
	if e.Tolerances != nil {
		return within(got, want, e.tolerance(k).limit(want, 1))
	}
	equal := within(got, want, floatEpsilon*math.Abs(want))
	switch e.Cmp {
	case CmpEQ:
		return equal
	case CmpNE:
		return !equal
	}
	if math.IsNaN(got) || math.IsNaN(want) {
		return false
	}
	return e.Cmp.ordered(got < want, got == want)
}

// tolerance is that of leaf k: the only one given counts for all.
func (e *ExpectValues) tolerance(k int) Tolerance {
	switch {
	case len(e.Tolerances) == 1:
		return e.Tolerances[0]
	case k < len(e.Tolerances):
		return e.Tolerances[k]
	}
	return Tolerance{Value: floatEpsilon * 100, Percent: true}
}

// texelReader gives the components of texels as numbers: normalised ones in
// 0..1, others as they are.
type texelReader struct {
	fmt    *emu.Format
	stride int
	comps  [4]bool
	kind   emu.ChannelKind
}

// reader returns a reader of the format's texels, or an error for those that have
// no colour or depth to compare.
func (f *Format) reader() (*texelReader, error) {
	img := f.Image
	if img == nil {
		return nil, fmt.Errorf("%s has no texels", f.Type.Name)
	}
	if img.IsWide() && len(img.Channels) > 2 {
		return nil, fmt.Errorf("texels of %s cannot be compared with a colour", img.Name)
	}
	r := &texelReader{fmt: img, stride: f.Size}
	for _, c := range img.Channels {
		switch {
		case c.Comp <= emu.CompA:
			r.comps[c.Comp] = true
			r.kind = c.Kind
		case c.Comp == emu.CompD: // a fraction
			r.comps[0] = true
		}
	}
	return r, nil
}

func (r *texelReader) read(src []byte, out *[4]float64) {
	var w [4]uint32
	r.fmt.Unpack(src, &w)
	if r.fmt.IsWide() {
		for i := range 2 {
			bits := uint64(w[2*i]) | uint64(w[2*i+1])<<32
			switch r.kind {
			case emu.KindUint:
				out[i] = float64(bits)
			case emu.KindSint:
				out[i] = float64(int64(bits))
			default:
				out[i] = math.Float64frombits(bits)
			}
		}
		return
	}
	for i := range out {
		switch r.kind {
		case emu.KindUint:
			out[i] = float64(w[i])
		case emu.KindSint:
			out[i] = float64(int32(w[i]))
		default:
			out[i] = float64(math.Float32frombits(w[i]))
		}
	}
}

// looseError is an expectation that holds only as Amber counts: colours in AmberScript are 255ths of 1, but
// Amber (src/amberscript/parser.cc, src/verifier.cc) takes an absolute tolerance for one of values
// from 0 to 1, so that TOLERANCE 1 lets every colour of a normalised format pass.
type looseError struct{ err error }

func (l *looseError) Error() string {
	return "not checked: an absolute TOLERANCE of 1 is the whole range of colours in Amber; in 255ths, " + l.err.Error()
}

// check evaluates the expectation on the texels of mip level 0; nil is true, a looseError true for Amber.
// Colours are 255ths of 1 whatever the format, and so are tolerances that are
// not percentages; sRGB is compared after conversion to linear. Components
// that the format does not have are not compared.
func (e *ExpectTexels) check(data []byte, x extent) error {
	err := e.within(data, x, e.Unit)
	if err != nil && e.Unit != 1 && e.Tolerances != nil && e.within(data, x, 1) == nil {
		return &looseError{err}
	}
	return err
}

// within is check with absolute tolerances that count units.
func (e *ExpectTexels) within(data []byte, x extent, unit float64) error {
	b := e.Buffer
	r, err := b.Format.reader()
	if err != nil {
		return err
	}
	w, h := x.texels()
	if e.X+e.W > w || e.Y+e.H > h {
		return fmt.Errorf("region %d,%d of %dx%d is outside %q of %dx%d", e.X, e.Y, e.W, e.H, b.Name, w, h)
	}
	var want, tol [4]float64
	for i := range 4 {
		want[i] = e.RGBA[i]
		tol[i] = e.texelTolerance(i, want[i], unit)
	}
	n := 3
	if e.Alpha {
		n = 4
	}
	if !slices.Contains(r.comps[:n], true) {
		return fmt.Errorf("%s has no colour to compare", r.fmt.Name)
	}
	bad := 0
	var first string
	differs := func(got *[4]float64) bool {
		for i := range n {
			if r.comps[i] && !within(got[i], want[i], tol[i]) {
				return true
			}
		}
		return false
	}
	for ty := e.Y; ty < e.Y+e.H; ty++ {
		for tx := e.X; tx < e.X+e.W; tx++ {
			off := (ty*w + tx) * r.stride
			if off+r.stride > len(data) {
				return fmt.Errorf("texel %d,%d is outside the %d bytes of %q", tx, ty, len(data), b.Name)
			}
			var got [4]float64
			if r.read(data[off:], &got); !differs(&got) {
				continue
			}
			if bad == 0 {
				first = fmt.Sprintf("at %d,%d got %s, want %s", tx, ty, texelText(got[:n]), texelText(want[:n]))
			}
			bad++
		}
	}
	if bad > 0 {
		return fmt.Errorf("%q differs in %d texels, first %s (of 255)", b.Name, bad, first)
	}
	return nil
}

func (e *ExpectTexels) texelTolerance(i int, want, unit float64) float64 {
	// Values pass through 32-bit floats, so a limit is that much wider.
	const slack = 1e-6
	switch {
	case len(e.Tolerances) == 1:
		return e.Tolerances[0].limit(want, unit) + slack
	case i < len(e.Tolerances):
		return e.Tolerances[i].limit(want, unit) + slack
	}
	return texelDefault
}

func texelText(v []float64) string {
	s := ""
	for i, x := range v {
		if i > 0 {
			s += " "
		}
		s += fmt.Sprintf("%.5g", x*255)
	}
	return s
}

// check evaluates the expectation on both contents; nil is true.
func (e *ExpectBuffers) check(a, b []byte, xa, xb extent) error {
	switch {
	case !e.A.Format.Equal(e.B.Format):
		return fmt.Errorf("%q and %q have different types, %s and %s", e.A.Name, e.B.Name, e.A.Format.Type.Name, e.B.Format.Type.Name)
	case xa.w != xb.w || xa.h != xb.h || len(a) != len(b):
		return fmt.Errorf("%q and %q have different sizes: %d elements (%dx%d) and %d (%dx%d)", e.A.Name, e.B.Name, xa.elements, xa.w, xa.h, xb.elements, xb.w, xb.h)
	}
	switch e.Kind {
	case CompareRMSE:
		return e.checkRMSE(a, b)
	case CompareHistogramEMD:
		return e.checkEMD(a, b)
	}
	if bytes.Equal(a, b) {
		return nil
	}
	n, first := 0, -1
	for i := range a {
		if a[i] != b[i] {
			if first < 0 {
				first = i
			}
			n++
		}
	}
	return fmt.Errorf("%q and %q differ in %d bytes, first at byte %d: 0x%02x and 0x%02x", e.A.Name, e.B.Name, n, first, a[first], b[first])
}

// checkRMSE compares the root mean square of the differences of all numbers.
func (e *ExpectBuffers) checkRMSE(a, b []byte) error {
	f := e.A.Format
	sum, n := 0.0, 0
	for off := 0; off+f.Size <= len(a); off += f.Size {
		for i := range f.Leaves {
			l := &f.Leaves[i]
			d := l.Scalar.float(a[off+int(l.Offset):]) - l.Scalar.float(b[off+int(l.Offset):])
			sum += d * d
			n++
		}
	}
	if n == 0 {
		return fmt.Errorf("%q and %q are empty", e.A.Name, e.B.Name)
	}
	if rmse := math.Sqrt(sum / float64(n)); !(rmse <= e.Tolerance) {
		return fmt.Errorf("root mean square error of %q and %q is %g, more than %g", e.A.Name, e.B.Name, rmse, e.Tolerance)
	}
	return nil
}

// checkEMD compares the earth mover's distance of the histograms of each of
// four 8-bit components: the cost of moving one histogram into the other, a
// step to the next of 256 bins costing 1/256.
func (e *ExpectBuffers) checkEMD(a, b []byte) error {
	f := e.A.Format
	if len(f.Leaves) != 4 {
		return fmt.Errorf("histograms need four 8-bit components, %s has not", f.Type.Name)
	}
	worst := 0.0
	for i := range f.Leaves {
		if f.Leaves[i].Scalar != (Scalar{ScalarUint, 8}) {
			return fmt.Errorf("histograms need four 8-bit components, %s has not", f.Type.Name)
		}
		var diff [256]int
		n := 0
		for off := int(f.Leaves[i].Offset); off < len(a); off += f.Size {
			diff[a[off]]++
			diff[b[off]]--
			n++
		}
		moved, total := 0, 0
		for _, d := range diff {
			moved += d
			total += max(moved, -moved)
		}
		worst = max(worst, float64(total)/float64(max(1, n))/256)
	}
	if !(worst <= e.Tolerance) {
		return fmt.Errorf("histogram distance of %q and %q is %g, more than %g", e.A.Name, e.B.Name, worst, e.Tolerance)
	}
	return nil
}
