package exec

import (
	"encoding/binary"
	"slices"
)

// memoryKernels are those about memory: workgroups, structures, generic pointers, copies, atomics.
func memoryKernels(one func(uint32) [3]uint32) []kernelCase {
	return []kernelCase{
		{name: "saxpy", groups: one(2), size: one(16), args: []Arg{data(sequence(32, func(i int) float32 { return float32(i) })...), data(sequence(32, func(i int) float32 { return float32(i * i) })...), data(float32(0.5))},
			want: func(a []Arg) map[int][]byte {
				y, x := get[float32](a[0].Data), get[float32](a[1].Data)
				for i := range y {
					y[i] += 0.5 * x[i]
				}
				return map[int][]byte{0: put(y...)}
			}},
		{name: "reduce", groups: one(3), size: one(16), args: []Arg{data(make([]uint32, 3)...), data(sequence(48, mixed)...), {Local: 64}},
			want: func(a []Arg) map[int][]byte {
				sums := make([]uint32, 3)
				for i, v := range get[uint32](a[1].Data) {
					sums[i/16] += v
				}
				return map[int][]byte{0: put(sums...)}
			}},
		{name: "matmul", groups: [3]uint32{2, 2, 1}, args: []Arg{data(make([]float32, 64)...), data(sequence(64, func(i int) float32 { return float32(i%7) - 3 })...), data(sequence(64, func(i int) float32 { return float32(i % 5) })...), data(uint32(8))},
			want: func(a []Arg) map[int][]byte {
				x, y, z := get[float32](a[1].Data), get[float32](a[2].Data), make([]float32, 64)
				for i := range z {
					for k := range 8 {
						z[i] += x[i/8*8+k] * y[k*8+i%8]
					}
				}
				return map[int][]byte{0: put(z...)}
			}},
		{name: "histogram", groups: one(2), size: one(16), args: []Arg{data(make([]uint32, 16)...), data(sequence(100, func(i int) uint8 { return uint8(mixed(i)) })...), data(uint32(100))},
			want: func(a []Arg) map[int][]byte {
				bins := make([]uint32, 16)
				for _, v := range a[1].Data {
					bins[v>>4]++
				}
				return map[int][]byte{0: put(bins...)}
			}},
		{name: "structs", groups: one(1), size: one(4), args: []Arg{data(make([]int32, 16)...), {Data: paramsBytes()}, {Data: sequence(28, func(i int) uint8 { return uint8(37 * i) })}},
			want: func(a []Arg) map[int][]byte {
				var out []int32
				for i := range 4 {
					t := a[2].Data[7*i:]
					out = append(out, []int32{100, 200, 300}[i%3]-5+250, 1+20+300+1234, int32(binary.LittleEndian.Uint32(t[1:])), int32(t[0])+int32(binary.LittleEndian.Uint16(t[5:]))+64)
				}
				return map[int][]byte{0: put(out...)}
			}},
		{name: "generic", groups: one(1), size: one(4), args: []Arg{data(make([]int32, 8)...), data[int32](5, 6, 7, 8, 9, 10), data[int32](0, 1, 2, 0)}, want: wantGeneric},
		{name: "copies", groups: one(1), size: one(4), args: []Arg{{Data: make([]byte, 24*4)}, {Data: sequence(24*4, func(i int) uint8 {
			if i%24 == 23 { // padding
				return 0
			}
			return uint8(i * 11)
		})}, {Data: make([]byte, 68)}}, want: wantCopies},
		{name: "sort", groups: one(2), size: one(16), args: []Arg{data(sequence(32, func(i int) int32 { return int32(mixed(i)) })...)},
			want: func(a []Arg) map[int][]byte {
				x := get[int32](a[0].Data)
				slices.Sort(x[:16])
				slices.Sort(x[16:])
				return map[int][]byte{0: put(x...)}
			}},
		{name: "scan", groups: one(1), size: one(16), args: []Arg{data(make([]uint32, 16)...), data(sequence(16, mixed)...)},
			want: func(a []Arg) map[int][]byte {
				sum, out := uint32(0), []uint32{}
				for _, v := range get[uint32](a[1].Data) {
					sum += v
					out = append(out, sum+11000)
				}
				return map[int][]byte{0: put(out...)}
			}},
		{name: "constants", groups: one(1), size: one(8), args: []Arg{data(make([]float32, 8)...), data[int32](9, 8, 7, 6, 5, 4, 3, 2), data[int32](5)},
			want: func(a []Arg) map[int][]byte {
				var out []float32
				for i, v := range get[int32](a[1].Data) {
					if i < 5 {
						v = int32(i * i)
					}
					out = append(out, float32(v)+[]float32{1, 20, 300}[i%3])
				}
				return map[int][]byte{0: put(out...)}
			}},
		{name: "async", groups: one(2), size: one(4), args: []Arg{data(make([]int32, 32)...), data(sequence(32, func(i int) int32 { return int32(i * 3) })...)}, want: wantAsync},
		{name: "flags", groups: one(3), size: one(4), args: []Arg{data[int32](0), data[int32](0, 0), data(make([]int32, 65)...)},
			want: func([]Arg) map[int][]byte {
				queue := make([]int32, 65)
				for i := range 12 {
					queue[i] = 1
				}
				queue[64] = 11
				return map[int][]byte{0: put[int32](0), 1: put[int32](12, 3), 2: put(queue...)}
			}},
		{name: "groups", groups: one(1), size: one(4), args: []Arg{data(make([]int32, 4)...), data[int32](10, 20, 95, 4)},
			want: func([]Arg) map[int][]byte {
				v := int32(129 + 10000 + 100000 + 4000000)
				return map[int][]byte{0: put(v, v, v, v)}
			}},
	}
}

// paramsBytes is the struct params of structs.cl.
func paramsBytes() []byte {
	b := make([]byte, 64)
	b[0] = 0xfb // -5
	binary.LittleEndian.PutUint16(b[2:], 1234)
	copy(b[16:], put[float32](1, 2, 3))
	copy(b[40:], put[int32](100, 200, 300))
	b[52] = 250
	return b
}

func wantGeneric(a []Arg) map[int][]byte {
	g := get[int32](a[1].Data)
	sum := g[0] + g[1] + g[2] + g[3]
	var out []int32
	for i, which := range get[int32](a[2].Data) {
		own := []int32{int32(i), 100 + int32(i), 200 + int32(i), 300 + int32(i)}
		r := int32(0)
		switch which {
		case 0:
			r = own[0] + own[1] + own[2] + own[3]
			own[1] = r
			r2 := own[1] + 2
			out = append(out, r, r2)
		case 1:
			out = append(out, 1000+1001+1002+1003, own[1]+1)
		case 2:
			out = append(out, sum, own[1]+4)
			g[1+i] = sum
		}
	}
	return map[int][]byte{0: put(out...), 1: put(g...)}
}

func wantCopies(a []Arg) map[int][]byte {
	from, to, b := a[1].Data, slices.Clone(a[1].Data), slices.Clone(a[2].Data)
	for i := range 4 {
		x, y := from[24*i:24*i+24], to[24*i:24*i+24]
		binary.LittleEndian.PutUint32(y[4*(i%5):], 7)
		y[21] = x[20] + x[22]
		copy(b[8*i:], x[4:12])
		own := []uint8{3, 3, 3, 3, 3, 3}
		own[i%6] = 9
		b[64+i] = own[0] + own[1] + own[5]
	}
	return map[int][]byte{0: to, 2: b} // padding is 0 in both
}

func wantAsync(a []Arg) map[int][]byte {
	x := get[int32](a[1].Data)
	out := append([]int32(nil), x...)
	for g := 0; g < 32; g += 16 {
		for l := range 4 {
			out[g+l] = 2 * x[g+15-l]
		}
	}
	return map[int][]byte{0: put(out...)}
}
