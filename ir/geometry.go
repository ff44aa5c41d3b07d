package ir

// What tessellation divides (TessInfo.Domain).
const (
	DomainNone = iota
	DomainTriangles
	DomainQuads
	DomainIsolines
)

// How tessellation spaces vertices (TessInfo.Spacing).
const (
	SpacingEqual = iota
	SpacingFractionalEven
	SpacingFractionalOdd
)

// What a geometry shader emits (GeomInfo.OutPrimitive). The number is also how
// many vertices come before the one that completes a primitive.
const (
	OutPoints = iota
	OutLineStrip
	OutTriangleStrip
)

// What a geometry shader takes (GeomInfo.InPrimitive): the number of vertices.
const (
	InPoints             = 1
	InLines              = 2
	InTriangles          = 3
	InLinesAdjacency     = 4
	InTrianglesAdjacency = 6
)

// Names of the above by number, as reflection prints them; "" where there is none.
var (
	DomainNames        = [...]string{DomainTriangles: "triangles", DomainQuads: "quads", DomainIsolines: "isolines"}
	SpacingNames       = [...]string{"equal", "fractional_even", "fractional_odd"}
	OutPrimitiveNames  = [...]string{"points", "line_strip", "triangle_strip"}
	MeshPrimitiveNames = [...]string{1: "points", 2: "lines", 3: "triangles"}
	InPrimitiveNames   = [...]string{InPoints: "points", InLines: "lines", InTriangles: "triangles", InLinesAdjacency: "lines_adjacency",
		InTrianglesAdjacency: "triangles_adjacency"}
)
