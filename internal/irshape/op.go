package irshape

// opcode names what an instruction does.
type opcode uint8

const (
	opMov opcode = iota
	opConst
	opNeg
	opAbs
	opAdd
	opMul
	opMin
	opMax
	opFma
	opLt
	opLoad
	opStore
	opPhi
	opBranch
	numOps
)

// opInfo is what the passes and the printer need to know of an opcode.
type opInfo struct {
	name  string
	nsrc  uint8
	alu   bool // sources carry swizzles, result is per component
	cse   bool // the value depends on opcode, type, immediate and sources alone
	root  bool // has an effect: DCE starts here
	noDef bool // produces no value
}

var ops = [numOps]opInfo{
	opMov:    {name: "mov", nsrc: 1, alu: true, cse: true},
	opConst:  {name: "const", cse: true},
	opNeg:    {name: "neg", nsrc: 1, alu: true, cse: true},
	opAbs:    {name: "abs", nsrc: 1, alu: true, cse: true},
	opAdd:    {name: "add", nsrc: 2, alu: true, cse: true},
	opMul:    {name: "mul", nsrc: 2, alu: true, cse: true},
	opMin:    {name: "min", nsrc: 2, alu: true, cse: true},
	opMax:    {name: "max", nsrc: 2, alu: true, cse: true},
	opFma:    {name: "fma", nsrc: 3, alu: true, cse: true},
	opLt:     {name: "lt", nsrc: 2, alu: true, cse: true},
	opLoad:   {name: "load", nsrc: 1},
	opStore:  {name: "store", nsrc: 2, root: true, noDef: true},
	opPhi:    {name: "phi", nsrc: 2},
	opBranch: {name: "branch", nsrc: 1, root: true, noDef: true},
}

// identity selects component k for component k, 4 bits a selector, 16 selectors.
const identity = 0xfedcba9876543210

// identityFor is the identity of n components; selectors past the last are zero, so equal swizzles are equal words.
func identityFor(n uint8) uint64 {
	if n >= 16 {
		return identity
	}
	return identity & (1<<(4*n) - 1)
}

// compose returns the swizzle that reads through inner what outer reads of its result, for n components.
func compose(inner, outer uint64, n uint8) uint64 {
	var r uint64
	for k := uint8(0); k < n; k++ {
		sel := outer >> (4 * k) & 15
		r |= (inner >> (4 * sel) & 15) << (4 * k)
	}
	return r
}

// mix folds x into the hash h (a multiply and a xor-shift, so that low bits see high bits).
func mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

// hashHead starts the hash of an instruction with all that is not a source.
func hashHead(op opcode, bits, comps uint8, imm uint64) uint64 {
	return mix(uint64(op)|uint64(bits)<<8|uint64(comps)<<16, imm)
}
