package abi

// Part is a part of a program of the separate ABI
// (agx.md §11.4). The linker puts prolog, main part and epilog one after another; they
// hand values on in registers, and have places of their own among the first uniforms.
type Part string

// Parts.
const (
	PartWhole  Part = ""
	PartProlog Part = "prolog"
	PartMain   Part = "main"
	PartEpilog Part = "epilog"
	PartLinked Part = "linked"
)

// Uniforms of the separate ABI. A vertex shader of n attributes has the
// address of attribute i at half 4i, its clamp at 4n + 2i, base vertex, base
// instance and draw index at 6n, 6n + 2 and 6n + 4, and what is its own from 6n + 5
// on. A fragment shader has the address of the heap of render targets at half 0, the
// blend constant at 4, the root descriptor at 12, and its own from 16 on.
const (
	BlendConstHalf = 4
	FragmentHalves = 16
)

// One is 1 as a 32-bit float.
const One = 0x3f800000

// VertexHalves is the number of uniform halves that belong to the parts of a
// vertex shader with n attributes, GridHalves that of one that runs as compute: after
// three halves of padding it has the address of the input assembly block.
func VertexHalves(n int) int { return 6*n + 5 }

// GridHalves: see VertexHalves.
func GridHalves(n int) int { return AssemblyHalf(n) + 4 }

// AssemblyHalf is where UniformAssembly stands with n attributes.
func AssemblyHalf(n int) int { return 6*n + 8 }

// The input assembly block is what the prolog of a vertex shader that runs as compute
// knows of an indexed draw: the address of the draw's first index, and the number of
// indices from there on that are in the index buffer. Those beyond are 0.
const (
	AssemblyIndices = 0 // 64 bits
	AssemblyRange   = 8 // 32 bits
	AssemblySize    = 16
)
