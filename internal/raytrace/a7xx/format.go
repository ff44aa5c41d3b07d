// Package a7xx is the form that acceleration structures have in the memory of Adreno 740 and 750: what the compiler's
// traversal reads, what a driver builds, and what the instruction ray_intersection makes of a node (ir3.md §13).
//
// The facts are those of Mesa's turnip: src/freedreno/vulkan/bvh (tu_bvh.h, encode.comp), tu_nir_lower_ray_query.cc, and
// ir3's ray_intersection. What never happens here: a look at a shader. The tests of rays are those of package raytrace.
package a7xx

// A structure is a header and, of a top level, a record for each instance, RecordSize bytes each; somewhere after it are the
// nodes of its tree. Node 0 is the root. The word before the first node is the number of the root's parent, NoNode, the one
// before that the number of node 1's, and so on.
const (
	RecordSize = 128
	NodeSize   = 64
	// NoNode is the number of no node.
	NoNode = 0xffffffff
)

// Byte offsets in a header.
const (
	HeaderNodes = 24 // 64-bit address of the nodes
	HeaderFlags = 32 // AllOpaque and its like, of a bottom level
	HeaderCount = 72 // 64-bit number of instances
	HeaderSelf  = 80 // 64-bit address of the header itself
)

// Byte offsets in the record of an instance.
const (
	InstanceNodes         = 0  // 64-bit address of the nodes of its bottom level
	InstanceCustomIndex   = 8  // 24 bits
	InstanceSBTFlags      = 12 // 24 bits offset in the shader binding table, 8 bits flags
	InstanceWorldToObject = 16 // three rows of four floats
	InstanceObjectToWorld = 80 // the same
)

// Flags of a bottom level, in its header and in the leaves that stand for its instances.
const (
	AllOpaque    = 1 << 2
	AllNonOpaque = 1 << 3
	AllBoxes     = 1 << 6
)

// Bits of a node's last word.
const (
	nodeTop       = 1 << 24 // of a top level
	nodeLeaf      = 1 << 25
	nodeNonOpaque = 1 << 26
	nodeBox       = 1 << 27
)

// Byte offsets in a leaf: the number of its primitive or instance, its vertices (a box or an instance: the least and the
// greatest corner, then the flags of the bottom level and, in bits 8 to 15, the mask), and the number of the geometry,
// which is the driver's: hardware does not read it.
const (
	leafID       = 0
	LeafVertices = 4
	leafFlags    = 28
	LeafGeometry = 40
	nodeType     = 60
)

// Byte offsets in an inner node: the number of its first child, whose siblings follow it, 16 high bits of the float that
// the boxes' corners are counted from, by axis, a byte a corner and axis for up to eight children (least corner first),
// the exponent that the bytes have, by axis, and the number of children.
const (
	innerFirst     = 0
	innerBase      = 4
	innerCorners   = 10
	innerExponents = 58
	innerCount     = 61
	maxChildren    = 8
)

// Bits of ray_intersection's fourth source: which parts of a leaf are still to be looked at, the ray's flags, its cull mask,
// the flags of the instance.
const (
	FlagsParts    = 0xf
	FlagsRayShift = 4
	FlagsMask     = 16
	FlagsInstance = 24
)

// Bits of the first word of what ray_intersection gives: the parts of the leaf that are left, how many it met, the kind of node
// and of primitive. The second word is the number of what was met, or of the first child; the third is t, the fourth and
// fifth are the barycentric coordinates.
const (
	ResultParts      = 0xf
	ResultCountShift = 4 // 4 bits
	ResultTop        = 1 << 8
	ResultLeaf       = 1 << 9
	ResultNonOpaque  = 1 << 10
	ResultBox        = 1 << 11
	ResultBack       = 1 << 12
)

// Of an inner node the fourth word is the list of children that were met, nearest first, as offsets from the first child: of 3
// bits each, the last at bit 8, those before it above. Bits 0 to 4 say where the first of them is.
const (
	ChildBits  = 3
	ChildLast  = 8
	ChildShift = 0x1f
)
