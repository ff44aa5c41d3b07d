package exec

import (
	"math"
	"math/bits"

	"nirc/internal/emu"
)

// valueKernels are those about what OpenCL.std and conversions compute.
func valueKernels(one func(uint32) [3]uint32) []kernelCase {
	noHalf := func(f float32) float32 { return emu.HalfToFloat(emu.FloatToHalf(f)) }
	return []kernelCase{
		{name: "swap", groups: one(1), size: one(4), args: []Arg{data(sequence(4, mixed)...), data(sequence(4, func(i int) uint64 { return uint64(mixed(i))<<32 | uint64(mixed(i+9)) })...)},
			want: func(a []Arg) map[int][]byte {
				x, y := get[uint32](a[0].Data), get[uint64](a[1].Data)
				for i := range x {
					x[i] = bits.ReverseBytes32(x[i])
					y[i] = bits.RotateLeft64(y[i], 12) ^ (uint64(bits.OnesCount32(x[i])) | uint64(bits.LeadingZeros32(x[i]))<<32)
				}
				return map[int][]byte{0: put(x...), 1: put(y...)}
			}},
		{name: "fft", groups: one(1), size: one(4), near: 4e-3, args: []Arg{data(sequence(32, func(i int) float32 { return float32(i%9) - 3 })...)}, want: wantFFT},
		{name: "mandelbrot", groups: [3]uint32{2, 2, 1}, size: [3]uint32{4, 4, 1}, args: []Arg{data(make([]int32, 64)...), data[float32](-2, -1), data[float32](0.25), data[int32](50)},
			want: func([]Arg) map[int][]byte {
				out := make([]int32, 64)
				for p := range out {
					cr, ci, r, i := -2+float32(p%8)*0.25, -1+float32(p/8)*0.25, float32(0), float32(0)
					for out[p] < 50 && r*r+i*i < 4 {
						r, i = r*r-i*i+cr, 2*r*i+ci
						out[p]++
					}
				}
				return map[int][]byte{0: put(out...)}
			}},
		{name: "search", groups: one(4), size: one(8), args: []Arg{data(make([]int32, 32)...), {Data: []byte("a kernel of kernels, or kern kern")}, data[int32](32)},
			want: func([]Arg) map[int][]byte {
				out := make([]int32, 32)
				out[2], out[12] = 1, 1
				return map[int][]byte{0: put(out...)}
			}},
		{name: "integers", groups: one(1), size: one(6), args: []Arg{data(make([]int32, 120)...), data[int32](5, -7, math.MaxInt32, math.MinInt32, 123456789, -98765), data[int32](3, 1000, 100, -5, -987654321, 77), {Data: []byte{1, 254, 100, 55, 56, 3}}}, want: wantIntegers},
		{name: "floats", groups: one(1), size: one(4), near: 3e-5, coarse: 10, every: 24, args: []Arg{data(make([]float32, 96)...), data[float32](1.5, -2.5, 3.25, -0.75), data[float32](0.5, 2, -1.25, -3)}, want: wantFloats},
		{name: "halves", groups: one(1), size: one(4), args: []Arg{data(sequence(24, func(i int) uint16 { return emu.FloatToHalf(float32(i) + 0.5) })...), data(make([]float32, 4)...)},
			want: func([]Arg) map[int][]byte {
				h, f := sequence(24, func(i int) uint16 { return emu.FloatToHalf(float32(i) + 0.5) }), make([]float32, 4)
				for i := range f {
					v := float32(i) + 0.5
					f[i] = v + 3.5
					h[i+8] = emu.FloatToHalf(v * 1.5)
					q := f[i] / 3
					if h[i+16] = emu.FloatToHalf(q); noHalf(q) > q {
						h[i+16]--
					}
				}
				return map[int][]byte{0: put(h...), 1: put(f...)}
			}},
	}
}

func wantFFT(a []Arg) map[int][]byte {
	d := get[float32](a[0].Data)
	out := make([]float32, len(d))
	for i := 0; i < len(d); i += 8 {
		for k := range 4 {
			for j := range 4 {
				s, c := math.Sincos(-math.Pi / 2 * float64(j*k))
				re, im := float64(d[i+2*j]), float64(d[i+2*j+1])
				out[i+2*k] += float32(re*c - im*s)
				out[i+2*k+1] += float32(re*s + im*c)
			}
		}
	}
	return map[int][]byte{0: put(out...)}
}

func wantIntegers(a []Arg) map[int][]byte {
	xs, ys := get[int32](a[1].Data), get[int32](a[2].Data)
	var out []int32
	sat := func(v, low, high int64) int32 { return int32(min(max(v, low), high)) }
	const least, most = math.MinInt32, math.MaxInt32
	for i, x := range xs {
		y, u := ys[i], a[3].Data[i]
		wx, wy := int64(x), int64(y)
		high := int64(y)
		if y < -100 {
			high = 100
		}
		chosen := x
		if u&1 != 0 {
			chosen = y
		}
		const mask = 0x0f0f0f0f
		out = append(out, int32(max(wx, -wx)), int32(max(wx-wy, wy-wx)), sat(wx+wy, least, most), sat(wx-wy, least, most), int32((wx+wy)>>1), int32((wx+wy+1)>>1),
			int32(wx*wy>>32), sat(wx*wy+17, least, most), int32(min(max(wx, -100), high)), int32(bits.LeadingZeros32(uint32(x))), int32(bits.TrailingZeros32(uint32(x))),
			int32(bits.OnesCount32(uint32(x))), int32(bits.RotateLeft32(uint32(x), 7)), int32(min(int(u)+200, 255)), int32(int16(int32(int16(x))*int32(int16(y))>>16)),
			int32(int16(x))<<16|int32(uint16(y)), (x&0xfff)*(y&0xfff)+5, sat(wx, 0, 255), chosen, x&^mask|y&mask)
	}
	return map[int][]byte{0: put(out...)}
}

func wantFloats(a []Arg) map[int][]byte {
	xs, ys := get[float32](a[1].Data), get[float32](a[2].Data)
	var out []float32
	for i, x32 := range xs {
		y32 := ys[i]
		x, y := float64(x32), float64(y32)
		sig, exp := math.Frexp(x)
		_, part := math.Modf(x)
		s := min(max((x+4)/8, 0), 1)
		flags := 1.0
		if x < y {
			flags += 2
		}
		if x < 0 {
			flags += 4
		}
		for _, v := range []float64{math.Abs(x) + math.Floor(y), math.Round(x), math.RoundToEven(x), math.Mod(x, y), math.Copysign(x, y), max(x, y) - min(x, y), math.Exp(x * 0.1),
			math.Log(math.Abs(x) + 1), x * x * x, x * x, math.Sin(x), math.Atan2(x, y), math.Hypot(x, y), x - math.Floor(x), math.Floor(x), sig, math.Ldexp(sig, exp), part,
			float64(math.Nextafter32(x32, y32)), flags, x + (y-x)*0.25, s * s * (3 - 2*s), math.RoundToEven(x) + 100*math.Ceil(x) + 10000*math.Floor(y), x*y + 0.5 + math.Cbrt(x)} {
			out = append(out, float32(v))
		}
	}
	return map[int][]byte{0: put(out...)}
}
