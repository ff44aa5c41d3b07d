package optab

// Evaluations of operations across components.

// dot sums the first n products in order, rounding each step.
func dot(m Mode, bits uint8, a, b []uint64, n int) uint64 {
	var sum uint64
	for k := range n {
		p := mul(m, bits, fload(m, bits, a[k]), fload(m, bits, b[k]))
		if k == 0 {
			sum = p
			continue
		}
		sum = add(m, bits, fvalue(sum, bits), fvalue(p, bits))
	}
	return sum
}

// evalFdot gives the dot product in every component of the result.
func evalFdot(m Mode, bits uint8, src [][]uint64, dst []uint64) {
	d := dot(m, bits, src[0], src[1], len(src[0]))
	for i := range dst {
		dst[i] = d
	}
}

func evalFdph(m Mode, bits uint8, src [][]uint64, dst []uint64) {
	d := dot(m, bits, src[0], src[1], 3)
	dst[0] = add(m, bits, fvalue(d, bits), fload(m, bits, src[1][3]))
}

func evalFsum(m Mode, bits uint8, src [][]uint64, dst []uint64) {
	sum := fload(m, bits, src[0][0])
	for _, v := range src[0][1:] {
		sum = fvalue(add(m, bits, sum, fload(m, bits, v)), bits)
	}
	dst[0] = fstore(m, bits, sum)
}

// allFequal makes a comparison of float vectors with a boolean of a size.
func allFequal(to uint8, not bool) vecFn {
	return func(m Mode, bits uint8, src [][]uint64, dst []uint64) {
		equal := true
		for k, v := range src[0] {
			equal = equal && fload(m, bits, v) == fload(m, bits, src[1][k])
		}
		dst[0] = truth(equal != not, to)
	}
}

func allIequal(to uint8, not bool) vecFn {
	return func(_ Mode, _ uint8, src [][]uint64, dst []uint64) {
		equal := true
		for k, v := range src[0] {
			equal = equal && v == src[1][k]
		}
		dst[0] = truth(equal != not, to)
	}
}
