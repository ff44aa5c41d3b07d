package spirv

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// gridWords are integers with runs, edges and none of them.
var gridWords = []uint64{0, 1, ^uint64(0), 0x8000000000000000, 0x7fffffffffffffff, 0x123456789abcdef0, 0xfedcba98765432ef, 0x80ff7f0181c3a55a}

// TestBitFields: bit fields of each width, that fit it, are taken and put, and extended by their sign or not, whatever the width of
// their offset and count; a field without bits is 0, and changes nothing.
func TestBitFields(t *testing.T) {
	for _, bits := range []int{8, 16, 32, 64} {
		var rows [][]uint64
		for i, x := range gridWords {
			for off := 0; off <= bits; off++ {
				for _, n := range []int{0, 1, 2, 7, bits / 2, bits - off - 1, bits - off} {
					if off+n <= bits && n >= 0 && (bits < 64 || off%7 == i%7) {
						rows = append(rows, []uint64{x, gridWords[(i+3)%len(gridWords)], uint64(off), uint64(n)})
					}
				}
			}
		}
		for _, size := range []int{8, 16, 32, 64} {
			head := fmt.Sprintf("%%a = OpUConvert %%t%d %%x0\n%%b = OpUConvert %%t%d %%x1\n%%off = OpUConvert %%t%d %%x2\n%%n = OpUConvert %%t%d %%x3\n", bits, bits, size, size)
			if bits == 64 {
				head = strings.NewReplacer("%a = OpUConvert", "%a = OpCopyObject", "%b = OpUConvert", "%b = OpCopyObject").Replace(head)
			}
			if size == 64 {
				head = strings.NewReplacer("%off = OpUConvert", "%off = OpCopyObject", "%n = OpUConvert", "%n = OpCopyObject").Replace(head)
			}
			widen := fmt.Sprintf("\n%%r0 = OpUConvert %%t64 %%r\n")
			if bits == 64 {
				widen = "\n%r0 = OpCopyObject %t64 %r\n"
			}
			for op, want := range map[string]func(row []uint64) uint64{
				"BitFieldInsert TYPE %a %b %off %n": func(row []uint64) uint64 {
					return row[0]&^(lowest(^uint64(0), 64)>>(64-row[3])<<row[2]) | row[1]<<(64-row[3])>>(64-row[3])<<row[2]
				},
				"BitFieldUExtract TYPE %a %off %n": func(row []uint64) uint64 { return row[0] >> row[2] << (64 - row[3]) >> (64 - row[3]) },
				"BitFieldSExtract TYPE %a %off %n": func(row []uint64) uint64 {
					return uint64(int64(row[0]>>row[2]<<(64-row[3])) >> (64 - row[3]))
				},
			} {
				g := valueGrid{
					name: fmt.Sprintf("%s of %d bits, places of %d", op, bits, size), body: head + "%r = Op" + strings.Replace(op, "TYPE", fmt.Sprintf("%%t%d", bits), 1) + widen,
					rows: rows,
					want: func(row []uint64) []uint64 {
						row = []uint64{lowest(row[0], bits), lowest(row[1], bits), row[2], row[3]}
						if row[3] == 0 {
							if strings.HasPrefix(op, "BitFieldInsert") {
								return row[:1]
							}
							return []uint64{0}
						}
						return []uint64{lowest(want(row), bits)}
					},
				}
				g.run(t)
			}
		}
	}
}

// dotShape is what an integer dot product takes and gives: components, their bits, bits of the result.
type dotShape struct {
	n, bits, result int
	packed          bool
}

// TestDotProducts: integer dot products of vectors and of packed bytes are the sums that integers of any size give, cut to the result, or
// held to its limits where they are accumulated.
func TestDotProducts(t *testing.T) {
	shapes := []dotShape{{4, 8, 32, true}, {4, 8, 64, true}, {4, 8, 16, true}, {4, 8, 8, true}}
	for _, n := range []int{2, 3, 4} {
		for _, bits := range []int{8, 16, 32} {
			for result := bits; result <= 64; result *= 2 {
				shapes = append(shapes, dotShape{n, bits, result, false})
			}
		}
	}
	for _, s := range shapes {
		for _, op := range []string{"SDot", "UDot", "SUDot", "SDotAccSat", "UDotAccSat", "SUDotAccSat"} {
			s.test(t, op)
		}
	}
}

// test runs an operation; the words of a row are the components of both vectors and the accumulator.
func (s *dotShape) test(t *testing.T, op string) {
	var body strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&body, format+"\n", args...) }
	saturates := strings.HasSuffix(op, "AccSat")
	operands, decl := "", ""
	for v := range 2 {
		parts := ""
		for k := range s.n {
			p("%%c%d_%d = OpUConvert %%t%d %%x%d", v, k, s.bits, v*s.n+k)
			parts += fmt.Sprintf(" %%c%d_%d", v, k)
		}
		p("%%v%d = OpCompositeConstruct %%vec%s", v, parts)
		if operands += fmt.Sprintf(" %%v%d", v); s.packed {
			p("%%w%d = OpBitcast %%t32 %%v%d", v, v)
			operands = strings.Replace(operands, "%v", "%w", 1)
		}
	}
	convert := func(to, from string, bits int) {
		if op := "OpUConvert"; bits == 64 {
			p("%s = OpCopyObject %%t%d %s", to, bits, from)
		} else {
			p("%s = %s %%t%d %s", to, op, bits, from)
		}
	}
	if saturates {
		convert("%acc", fmt.Sprintf("%%x%d", 2*s.n), s.result)
		operands += " %acc"
	}
	if s.packed {
		operands += " PackedVectorFormat4x8Bit"
	}
	p("%%r = Op%s %%t%d%s", op, s.result, operands)
	if s.result == 64 {
		p("%%r0 = OpCopyObject %%t64 %%r")
	} else {
		p("%%r0 = OpUConvert %%t64 %%r")
	}
	decl = fmt.Sprintf("%%vec = OpTypeVector %%t%d %d\n", s.bits, s.n)
	g := valueGrid{name: fmt.Sprintf("%s %+v", op, *s), decl: decl, body: body.String()}
	r := rand.New(rand.NewPCG(uint64(s.bits), uint64(s.n)))
	for len(g.rows) < 120 {
		row := make([]uint64, 2*s.n+1)
		for k := range row {
			row[k] = r.Uint64() >> r.IntN(64)
			if r.IntN(4) == 0 {
				row[k] = []uint64{0, ^uint64(0), 1 << (s.bits - 1), 1<<(s.bits-1) - 1, 1 << (s.result - 1), 1<<(s.result-1) - 1}[r.IntN(6)]
			}
		}
		if _, ok := s.sum(op, row); ok || !saturates {
			g.rows = append(g.rows, row)
		}
	}
	g.want = func(row []uint64) []uint64 {
		sum, _ := s.sum(op, row)
		if saturates {
			sum.Add(sum, extended(row[2*s.n], s.result, op[0] == 'S'))
			least, most := limits(s.result, op[0] == 'S')
			switch {
			case sum.Cmp(least) < 0:
				sum = least
			case sum.Cmp(most) > 0:
				sum = most
			}
		}
		mod := new(big.Int).Lsh(big.NewInt(1), uint(s.result))
		return []uint64{new(big.Int).Mod(sum, mod).Uint64()}
	}
	g.run(t)
}

// sum is the sum of the products, and whether all that is added up on the way fits the result, without which what saturates is undefined.
func (s *dotShape) sum(op string, row []uint64) (sum *big.Int, ok bool) {
	sum, ok = new(big.Int), true
	least, most := limits(s.result, op[0] == 'S')
	fits := func(x *big.Int) bool { return x.Cmp(least) >= 0 && x.Cmp(most) <= 0 }
	for k := range s.n {
		x := extended(row[k], s.bits, op[0] == 'S')
		y := extended(row[s.n+k], s.bits, strings.HasPrefix(op, "SD"))
		x.Mul(x, y)
		sum.Add(sum, x)
		ok = ok && fits(x) && fits(sum)
	}
	return sum, ok
}

// extended is the number that a word's lowest bits are.
func extended(x uint64, bits int, sign bool) *big.Int {
	if sign {
		return big.NewInt(signed(x, bits))
	}
	return new(big.Int).SetUint64(lowest(x, bits))
}

// limits are the least and the largest integer of a type.
func limits(bits int, sign bool) (least, most *big.Int) {
	one := big.NewInt(1)
	if sign {
		most = new(big.Int).Lsh(one, uint(bits-1))
		return new(big.Int).Neg(most), most.Sub(most, one)
	}
	most = new(big.Int).Lsh(one, uint(bits))
	return new(big.Int), most.Sub(most, one)
}
