package exec

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
)

// programKernels are those that compute something whole: finance, digests, searches, sorts, bodies, matrices, pictures.
func programKernels(one func(uint32) [3]uint32) []kernelCase {
	prices := sequence(16, func(i int) float32 { return 20 + float32(mixed(i)%800)/10 })
	words := func(n int) []float32 {
		return sequence(n, func(i int) float32 { return float32(int32(mixed(i)%2000)-1000) / 300 })
	}
	text := sequence(500, func(i int) byte { return "abc"[mixed(i)>>7%3] })
	return []kernelCase{
		{name: "blackscholes", groups: one(1), size: one(8), near: 2e-5, want: wantOptions,
			args: []Arg{data(make([]float32, 16)...), data(prices[:8]...), data(prices[8:]...), data[float32](2.5), data[float32](0.03), data[float32](0.25)}},
		{name: "sha", groups: one(1), size: one(5), want: wantDigests,
			args: []Arg{{Data: make([]byte, 160)}, {Data: sequence(199, func(i int) byte { return byte(mixed(i)) })}, data[int32](3, 3, 80, 144, 199)}},
		{name: "machine", groups: one(2), size: one(4), want: wantMachine,
			args: []Arg{data(make([]uint32, 8)...), data(sequence(34, func(i int) uint32 {
				if i%2 == 0 {
					return []uint32{0, 1, 2, 3, 5, 100, 7, 9, ^uint32(3), 55}[i/2%10]
				}
				return mixed(i) & 0x7f7fffff
			})...), data[int32](17), data(make([]int32, 8)...)}},
		{name: "sparse", groups: one(4), size: one(8), near: 1e-5, want: wantSparse,
			args: []Arg{data(make([]float32, 4)...), data[int32](0, 3, 3, 20, 41), data(sequence(41, func(i int) int32 { return int32(mixed(i) % 16) })...), data(words(41)...), data(words(57)[41:]...), {Local: 32}}},
		{name: "convolve", groups: [3]uint32{2, 3, 1}, size: [3]uint32{8, 4, 1}, want: wantPicture,
			args: []Arg{{Data: make([]byte, 13*9*4)}, {Data: sequence(13*9*4, func(i int) byte { return byte(mixed(i)) })}, data[int32](13), data[int32](9),
				data(sequence(25, func(i int) float32 { return float32(i%7-1) / 32 })...)}},
		{name: "nbody", groups: one(2), size: one(4), near: 1e-5, want: wantBodies,
			args: []Arg{data(make([]float32, 96)...), {Data: bodies()}, data[int32](8), data[float32](0.125), {Local: 64}}},
		{name: "radix", groups: one(1), size: one(32), want: wantRadix,
			args: []Arg{data(sequence(32, func(i int) uint64 { return uint64(mixed(i))<<32 | uint64(mixed(i+99)) })...), data[uint32](0, 1<<32-1, 0, 0, 0, 99, 1, 0)}},
		{name: "find", groups: one(2), size: one(16), want: wantFound,
			args: []Arg{data(make([]uint32, 16)...), data[int32](0), {Data: text}, data[int32](500), {Data: []byte("abca")}, data[int32](4)}},
		{name: "program", groups: one(1), size: one(8), entry: "program", want: wantProgram, args: []Arg{data(make([]int32, 9)...), data(make([]int32, 8)...)}},
		{name: "program_plain", groups: one(1), size: one(8), entry: "program", want: wantProgram, args: []Arg{data(make([]int32, 9)...), data(make([]int32, 8)...)}},
		{name: "pointers", groups: one(1), size: one(4), want: wantPointers,
			args: []Arg{data(make([]int32, 13)...), {Data: make([]byte, 64)}, data(sequence(16, func(i int) float32 { return float32(i) / 2 })...)}},
		{name: "vectors", groups: one(1), size: one(4), want: wantVectors,
			args: []Arg{data(make([]float32, 64)...), data(sequence(64, func(i int) float32 { return float32(i*37%101)/8 - 5 })...), data(make([]int32, 32)...),
				{Data: sequence(64, func(i int) byte { return byte(i * 73) })}, data(make([]float32, 32)...)}},
	}
}

// wantProgram is what the variables of the program come to. The order of the items is theirs: only the sum of what the counter was is known.
func wantProgram([]Arg) map[int][]byte {
	return map[int][]byte{0: put[int32](3, 4, 1, -2, 'x'+'e', -16+9, 10, 5+4, 77)}
}

func wantOptions(a []Arg) map[int][]byte {
	normal := func(d float64) float64 { return math.Erfc(-d/math.Sqrt2) / 2 }
	s, x := get[float32](a[1].Data), get[float32](a[2].Data)
	var out []float32
	for i := range s {
		s, x, root := float64(s[i]), float64(x[i]), math.Sqrt(2.5)
		d1 := (math.Log(s/x) + (0.03+0.5*0.0625)*2.5) / (0.25 * root)
		discount := math.Exp(-0.03 * 2.5)
		call := s*normal(d1) - x*discount*normal(d1-0.25*root)
		out = append(out, float32(call), float32(call+x*discount-s))
	}
	return map[int][]byte{0: put(out...)}
}

func wantDigests(a []Arg) map[int][]byte {
	var out []byte
	from := int32(0)
	for _, to := range get[int32](a[2].Data) {
		sum := sha256.Sum256(a[1].Data[from:to])
		for k := 0; k < 32; k += 4 {
			out = binary.LittleEndian.AppendUint32(out, binary.BigEndian.Uint32(sum[k:]))
		}
		from = to
	}
	return map[int][]byte{0: out}
}

func wantMachine(a []Arg) map[int][]byte {
	prog := get[uint32](a[1].Data)
	var out []uint32
	var counts []int32
	for i := range 8 {
		acc, count := 0x01020304*uint32(i+1), int32(0)
		for k := range 17 {
			at := k * (i + 1) % 17
			op, x := int32(prog[2*at]), prog[2*at+1]
			switch op {
			case 0:
				acc += x
			case 9:
			case 1, 2, 3:
				if op == 1 {
					acc ^= x
				}
				if op < 3 {
					acc = acc&^0xff00 | (acc>>8+3)&255<<8
				}
				acc = acc&^0xffff | (acc>>16+x)&0xffff
			case 7:
				for acc <<= 1; ; acc <<= 1 {
					count--
					if acc&64 == 0 {
						break
					}
				}
			default:
				if op == 5 {
					acc = math.Float32bits(float32(acc&255) * math.Float32frombits(x))
				}
				if op == 5 || op == 100 {
					count++
				}
				count += 10
			}
		}
		out, counts = append(out, acc), append(counts, count)
	}
	return map[int][]byte{0: put(out...), 3: put(counts...)}
}

func wantSparse(a []Arg) map[int][]byte {
	rows, cols, vals, x := get[int32](a[1].Data), get[int32](a[2].Data), get[float32](a[3].Data), get[float32](a[4].Data)
	y := make([]float32, 4)
	for r := range y {
		sum := 0.0
		for k := rows[r]; k < rows[r+1]; k++ {
			sum += float64(vals[k]) * float64(x[cols[k]])
		}
		y[r] = float32(sum)
	}
	return map[int][]byte{0: put(y...)}
}

func wantPicture(a []Arg) map[int][]byte {
	const w, h = 13, 9
	weights, in, out := get[float32](a[4].Data), a[1].Data, make([]byte, len(a[0].Data))
	for i := range out {
		x, y, c := i/4%w, i/4/w, i%4
		sum := 0.5
		for k, weight := range weights {
			sx, sy := min(max(x+k%5-2, 0), w-1), min(max(y+k/5-2, 0), h-1)
			sum += float64(weight) * float64(in[4*(sy*w+sx)+c])
		}
		out[i] = byte(min(max(sum, 0), 255))
	}
	return map[int][]byte{0: out}
}

// bodies are eight of nbody.cl, nothing in the gaps.
func bodies() []byte {
	b := make([]float32, 96)
	for i := range b {
		if i%12 < 7 {
			b[i] = float32(int32(mixed(i)%2000)-1000) / 300
		}
	}
	return put(b...)
}

func wantBodies(a []Arg) map[int][]byte {
	in, out := get[float32](a[1].Data), make([]float32, 96)
	for i := range 8 {
		me, to := in[12*i:][:12], out[12*i:][:12]
		var acc [3]float64
		for k := range 8 {
			var d [3]float64
			r := 0.01
			for c := range d {
				d[c] = float64(in[12*k+c]) - float64(me[c])
				r += d[c] * d[c]
			}
			for c := range d {
				acc[c] += d[c] * float64(in[12*k+3]) / (r * math.Sqrt(r))
			}
		}
		size := 0.0
		to[3] = me[3]
		for c := range 3 {
			v := float64(me[4+c]) + acc[c]*0.125
			to[c], to[4+c] = float32(float64(me[c])+v*0.125), float32(v)
			size += v * v
		}
		to[8] = float32(math.Sqrt(size))
	}
	return map[int][]byte{0: put(out...)}
}

func wantRadix(a []Arg) map[int][]byte {
	keys := get[uint64](a[0].Data)
	slices.SortStableFunc(keys, func(x, y uint64) int { // the bits 41 to 43 do not count
		const mask = ^uint64(7 << 41)
		return bytes.Compare(binary.BigEndian.AppendUint64(nil, x&mask), binary.BigEndian.AppendUint64(nil, y&mask))
	})
	stats := []uint32{0, 1<<32 - 1, 0, 0, 0, 99 - 64, 5, 1}
	for bit := 0; bit < 64; bit++ {
		if bit > 40 && bit < 44 {
			continue
		}
		for _, k := range keys {
			stats[3] += uint32(^k >> bit & 1)
		}
	}
	for _, k := range keys {
		stats[0], stats[1], stats[2] = max(stats[0], uint32(k>>32)), min(stats[1], uint32(k>>32)), stats[2]^uint32(k)
		if k&7 == 3 {
			stats[4] = 77
		}
	}
	return map[int][]byte{0: put(keys...), 1: put(stats...)}
}

func wantFound(a []Arg) map[int][]byte {
	hits, n := make([]uint32, 16), int32(0)
	for at := range 497 {
		if string(a[2].Data[at:at+4]) == "abca" {
			hits[at/32] |= 1 << (at % 32)
			n++
		}
	}
	return map[int][]byte{0: put(hits...), 1: put(n)}
}

func wantPointers(a []Arg) map[int][]byte {
	out, g, pool := make([]int32, 13), get[float32](a[2].Data), make([]byte, 64)
	counter := int32(0)
	for i := range int32(4) {
		binary.LittleEndian.PutUint32(pool[16*i:], uint32(7*i))
		chain := (i+5)*3 + i
		out[2*i] = 7*i + chain*100
		if i&1 != 0 {
			out[2*i] = (7*i*3+i+5)*3 + i + chain*100
		}
		last, memory := int32(0), int32(4)
		switch i {
		case 0:
			memory = 2 // 0 times 2.5
		case 1:
			last, memory = 3, 1
		default:
			for k := range 4 {
				g[4*i+int32(k)] *= 2.5
			}
			last = int32(g[4*i+3])
		}
		own := int32(3)
		if i&1 != 0 {
			own += i + 1
		} else {
			out[2*i+1] = i + 1
		}
		out[2*i+1] += own*1000 + last
		out[9+i] = memory
		counter += own
	}
	out[8] = counter
	return map[int][]byte{0: put(out...), 1: pool, 2: put(g...)}
}

func wantVectors(a []Arg) map[int][]byte {
	in, raw := get[float32](a[1].Data), a[3].Data
	out, sums, ints := make([]float32, 64), make([]float32, 32), make([]int32, 32)
	weight := func(k int) float32 {
		if k < 8 {
			return float32(k + 1)
		}
		return float32(7 - k)
	}
	for i := range 4 {
		v := in[16*i:][:16]
		for k := range 8 {
			at := 2*k + 1
			odd := in[(i+1)&3*16+at] * weight(at)
			out[16*i+k] = v[k] + odd
			out[16*i+8+k] = float32(math.FMA(float64(v[8+k]), float64(odd), float64(v[k])))
			if s := float64(odd) * 1000; k == 0 {
				sums[8*i+1] += float32(uint16(math.RoundToEven(min(max(s, 0), 65535))))
			} else if k == 7 {
				sums[8*i+1] += 2 * float32(uint16(math.RoundToEven(min(max(s, 0), 65535))))
			}
		}
		shuffled := make([]byte, 16)
		for k := range shuffled {
			from := 15 - k
			if i&1 == 1 {
				from = 2*k&15 + k>>3
			}
			shuffled[k] = raw[16*i+from]
		}
		for k := range 8 {
			limit := int32(max(min(float64(float32(v[k]*1e9)), math.MaxInt32), math.MinInt32))
			w := int32(shuffled[2*k]) - limit
			if shuffled[8+k] > shuffled[k] && w > 0 {
				w = ^w
			}
			ints[8*i+k] = w
			if k > 1 {
				sums[8*i+k] = out[16*i+2*k] + 1
			}
		}
		m := v[i]
		changed := slices.Clone(v)
		changed[i*5&15] = 0.5
		same := float32(0)
		for k := range 8 {
			if changed[k] == changed[8+k] {
				same = 100
			}
		}
		sums[8*i] = m + same
		for k := range 4 {
			sums[8*i] += changed[k] * changed[12+k]
		}
	}
	return map[int][]byte{0: put(out...), 2: put(ints...), 4: put(sums...)}
}
