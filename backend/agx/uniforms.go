package agx

import (
	"cmp"
	"slices"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/slab"
	"nirc/ir"
)

// uniforms collects what the driver is to put into uniform registers. While
// code is selected every piece has a number of its own in half units; layOut
// gives the pieces their registers: addresses first, for only the low half of the file
// can be a base, then ranges of buffers and push constants, then constants.
type uniforms struct {
	items   []piece
	limits  []limit
	layouts []imageLayout
	next    int // number of the next piece
	used    room
	// optional is the part of used that selection can do without, keep what it leaves to the
	// rest: what has no room among the uniforms is loaded from the descriptor table or
	// made where it is used.
	optional, keep room
	// reserved halves at the start belong to the driver.
	reserved int
	// plain: nothing but fixed uniforms may be used.
	plain    bool
	place    []int32 // by number: the half, after layOut
	promoted promotion
	// wordBases: bases are made of words, which may be odd in number. The address behind
	// them then leaves a word free, for which there is room.
	wordBases bool
}

// piece is what the driver or the preamble (Kind is then UniformNone) puts
// into some halves; Half is its number.
type piece struct {
	abi.Uniform
	halves int
	// fixed pieces have their place among the reserved halves; it is at.
	fixed bool
	at    int
	// base: the piece is a word of a 64-bit address that accesses count from, or the whole.
	base bool
}

// rank orders the pieces: what must stand low comes first.
func (p *piece) rank() int {
	if p.base {
		return 1
	}
	return uniformRank(p.Kind)
}

// fixed returns the number of a uniform whose place the ABI gives.
func (u *uniforms) fixed(k abi.Uniform, half int) uint32 {
	for i := range u.items {
		if it := &u.items[i]; it.fixed && it.at == half && it.Kind == k.Kind {
			return uint32(it.Half)
		}
	}
	u.next = (u.next + 3) &^ 3
	k.Half = u.next
	p := piece{Uniform: k, halves: k.Halves(), fixed: true, at: half}
	u.items = append(u.items, p)
	u.next += p.halves
	return uint32(k.Half)
}

// result makes a piece for a value of the preamble of 16 or 32 bits.
func (u *uniforms) result(bits int) (uint32, bool) {
	return u.appendPiece(piece{halves: bits / 16}, preambleBudget)
}

// resultRoom is how many halves result has left.
func (u *uniforms) resultRoom() int {
	return max(0, preambleBudget-(u.reserved+3)&^3-max(u.used.all, u.optional.all+u.keep.all))
}

// base makes a piece for a 64-bit address that the preamble computes.
func (u *uniforms) base() (uint32, bool) {
	return u.appendPiece(piece{halves: 4, base: true}, baseHalves)
}

// isBase reports whether two operands are the words of an address that accesses can count from:
// neighbours that the driver fills in, which it puts where bases are, or what base made.
func (u *uniforms) isBase(lo, hi opnd) bool {
	if lo.kind != opUniform || hi.kind != opUniform || lo.half || hi.half || u.plain {
		return false
	}
	x, y := u.item(lo.bits), u.item(hi.bits)
	if x == nil || y == nil || x == y {
		return x != nil && x == y && x.base && x.Half == int(lo.bits) && hi.bits == lo.bits+2
	}
	if x.Kind != y.Kind || x.Kind != abi.UniformPush && x.Kind != abi.UniformBufferData || x.Set != y.Set || x.Binding != y.Binding ||
		x.Element != y.Element || x.Size != 4 || y.Size != 4 || x.Offset+4 != y.Offset || x.fixed || y.fixed {
		return false
	}
	return u.makeBase(x) && u.makeBase(y)
}

// makeBase lets a word stand where bases are, if there is room.
func (u *uniforms) makeBase(p *piece) bool {
	if p.base {
		return true
	}
	first := (u.reserved + 3) &^ 3
	low := max(u.used.low, u.optional.low+u.keep.low)
	if first+low+8 > baseHalves { // the words of an address may count from an odd one
		return false
	}
	if !u.wordBases {
		if first+max(u.used.all, u.optional.all+u.keep.all)+2 > uniformHalves {
			return false
		}
		u.wordBases = true
		u.used.all += 2
		u.optional.all += 2
	}
	p.base = true
	u.used.low += 2
	u.optional.low += 2
	return true
}

// item is the piece of a number, nil if there is none.
func (u *uniforms) item(number uint32) *piece {
	for i := range u.items {
		if p := &u.items[i]; int(number) >= p.Half && int(number) < p.Half+p.halves {
			return p
		}
	}
	return nil
}

// limit is a bound of accesses of some bytes to a buffer of the size that a
// piece holds, counted in 1<<shift bytes; the preamble leaves it in another piece.
type limit struct{ size, bytes, shift, result uint32 }

// limit returns the number of a bound, asking the preamble for it.
func (u *uniforms) limit(size, bytes, shift uint32) (uint32, bool) {
	for _, l := range u.limits {
		if l.size == size && l.bytes == bytes && l.shift == shift {
			return l.result, true
		}
	}
	n, ok := u.result(32)
	if ok {
		u.limits = append(u.limits, limit{size, bytes, shift, n})
	}
	return n, ok
}

// Bounds of the uniform file, in halves (agx.md §1.1).
const (
	uniformHalves = 512
	baseHalves    = 256 // bases of memory accesses
	heapHalves    = 128 // base of the texture heap
	// pushBudget leaves room for constants.
	pushBudget = 400
)

// take returns the number of a piece, adding it unless it would exceed budget.
func (u *uniforms) take(k abi.Uniform, budget int) (uint32, bool) {
	for i := range u.items {
		if it := &u.items[i]; it.Kind == k.Kind && it.Set == k.Set && it.Binding == k.Binding && it.Element == k.Element && it.Offset == k.Offset && it.Kind != abi.UniformWords {
			return uint32(it.Half), true
		}
	}
	return u.append(k, budget)
}

// words gives the numbers of elements of so many bits from offset off of what k names; false if they have no room.
func (u *uniforms) words(to []uint32, k abi.Uniform, off, bits uint32) bool {
	for c := range to {
		at := off + uint32(c)*bits/8
		k.Offset, k.Size = at&^3, 4
		n, ok := u.take(k, pushBudget)
		if !ok {
			return false
		}
		to[c] = n + at&3/2
	}
	return true
}

func (u *uniforms) append(k abi.Uniform, budget int) (uint32, bool) {
	return u.appendPiece(piece{Uniform: k, halves: k.Halves()}, budget)
}

func (u *uniforms) appendPiece(k piece, budget int) (uint32, bool) {
	if u.plain {
		return 0, false
	}
	n := (k.halves + 1) &^ 1
	used := u.used
	if isOptional(k.Kind) {
		used.all = max(used.all, u.optional.all+u.keep.all)
		used.low = max(used.low, u.optional.low+u.keep.low)
	}
	first := (u.reserved + 3) &^ 3
	switch k.rank() {
	case 0:
		used.low = 0 // it comes first of all
		fallthrough
	case 1:
		if first+used.low+n > budget {
			return 0, false
		}
		budget = uniformHalves
	}
	if first+used.all+n > budget {
		return 0, false
	}
	u.next = (u.next + 3) &^ 3
	k.Half = u.next
	u.items = append(u.items, k)
	u.next += n
	u.used.add(k.rank(), n)
	if isOptional(k.Kind) {
		u.optional.add(k.rank(), n)
	}
	return uint32(k.Half), true
}

// uniformRank is the rank of a kind of pieces.
func uniformRank(k abi.UniformKind) int {
	switch k {
	case abi.UniformHeap:
		return 0
	case abi.UniformSamplerBias, abi.UniformSamplerBiases, abi.UniformTable, abi.UniformConstData, abi.UniformPushAddr, abi.UniformBufferAddr, abi.UniformRecords,
		abi.UniformPatches, abi.UniformPatchPoints, abi.UniformTessPoints, abi.UniformPrimitiveIDs, abi.UniformCounts, abi.UniformIndices,
		abi.UniformVertices, abi.UniformXfbBuffer0, abi.UniformXfbBuffer1, abi.UniformXfbBuffer2, abi.UniformXfbBuffer3:
		return 1
	case abi.UniformWords:
		return 3
	}
	return 2
}

// layOut gives the pieces their registers and returns their description.
func (u *uniforms) layOut() ([]abi.Uniform, int, error) {
	slices.SortStableFunc(u.items, func(a, b piece) int {
		if c := cmp.Compare(a.rank(), b.rank()); c != 0 {
			return c
		}
		if a.Kind == abi.UniformWords {
			return cmp.Compare(a.Half, b.Half)
		}
		return compareUniforms(&a.Uniform, &b.Uniform)
	})
	u.place = slab.Zeroed(u.place, u.next+4)
	at := (u.reserved + 1) &^ 1
	var out []abi.Uniform
	if len(u.items) > 0 {
		out = make([]abi.Uniform, 0, len(u.items))
	}
	for i := range u.items {
		it := u.items[i]
		if it.fixed {
			out = append(out, u.layFixed(&it))
			continue
		}
		if it.rank() < 2 && !it.base {
			at = (at + 3) &^ 3
		}
		n := (it.halves + 1) &^ 1
		for k := range n {
			u.place[it.Half+k] = int32(at + k)
		}
		if limit := baseLimit(it.rank()); at+n > limit {
			return nil, 0, ir.Unsupportedf("agx: more than %d halves of addresses in uniform registers are not supported", limit)
		}
		it.Half = at
		at += n
		if l := len(out); it.Kind != abi.UniformNone && (l == 0 || !merge(&out[l-1], &it.Uniform)) {
			out = append(out, it.Uniform)
		}
	}
	return out, at, nil
}

// layFixed gives a fixed piece its place and returns its description.
func (u *uniforms) layFixed(it *piece) abi.Uniform {
	for k := range it.halves {
		u.place[it.Half+k] = int32(it.at + k)
	}
	it.Half = it.at
	return it.Uniform
}

func baseLimit(rank int) int {
	switch rank {
	case 0:
		return heapHalves
	case 1:
		return baseHalves
	}
	return uniformHalves
}

func compareUniforms(a, b *abi.Uniform) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Set, b.Set), cmp.Compare(a.Binding, b.Binding),
		cmp.Compare(a.Element, b.Element), cmp.Compare(a.Offset, b.Offset))
}

// merge appends b to a if it continues it.
func merge(a, b *abi.Uniform) bool {
	if a.Kind != b.Kind || a.Set != b.Set || a.Binding != b.Binding || a.Element != b.Element || a.Half+a.Halves() != b.Half {
		return false
	}
	switch a.Kind {
	case abi.UniformPush, abi.UniformBufferData:
		if a.Offset+a.Size == b.Offset {
			a.Size += b.Size
			return true
		}
	case abi.UniformWords:
		a.Words = append(a.Words[:len(a.Words):len(a.Words)], b.Words...)
		return true
	}
	return false
}

// resolve gives an operand that is the number of a uniform the register.
func (u *uniforms) resolve(o *isa.Operand) {
	if int(o.Val) < len(u.place) {
		o.Val = u.place[o.Val]
	}
}
