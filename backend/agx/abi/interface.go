package abi

import (
	"nirc/backend/agx/isa"
	"nirc/ir"
)

// Attrib is a vertex attribute: component k arrives as a 32-bit register at
// half Reg + 2k. 64-bit attributes take two registers a component.
type Attrib struct {
	Slot ir.Slot `json:"slot"`
	Mask uint8   `json:"mask"`
	Reg  int     `json:"reg"`
}

// NoWord is the word number of something absent.
const NoWord = -1

// Varying is a run of output words: component First + i of the slot is word
// Word + i. A slot that holds several outputs, which a fragment program may interpolate in
// different ways, has a run for each.
type Varying struct {
	Slot  ir.Slot `json:"slot"`
	First uint8   `json:"first,omitempty"`
	Count uint8   `json:"count"`
	// Word is NoWord where the shader takes the first word from UniformVaryingWord.
	Word int `json:"word"`
	// User marks those that fragment programs read, the others are read by fixed functions. Clip
	// distances are both: they are stored twice.
	User bool `json:"user,omitempty"`
}

// CoefSource is where a coefficient register comes from.
type CoefSource uint8

// Coefficient sources.
const (
	CoefVarying     CoefSource = iota // components of Slot
	CoefW                             // position w: interpolates to 1/w
	CoefZ                             // window depth
	CoefPointCoord                    // x and y of the point coordinate
	CoefPrimitiveID                   // an integer, the same in all three words
	CoefBary                          // the weights of the primitive's vertices 1 and 2
)

// Coef is a run of coefficient registers: register CF + i holds component
// First + i. Flat ones have the value of the provoking vertex in word c, or in word b with
// UniformFirstFan; the other words hold nothing.
type Coef struct {
	Source CoefSource `json:"source,omitempty"`
	CF     int        `json:"cf"`
	Slot   ir.Slot    `json:"slot,omitempty"`
	First  uint8      `json:"first,omitempty"`
	Count  uint8      `json:"count"`
	// Interp is flat, smooth (a coefficient of v/w, read by iterproj with W) or
	// noperspective.
	Interp ir.Interp `json:"interp,omitempty"`
	// Vertex is 1, 2 or 3 of flat ones that have the value of that vertex of the primitive,
	// from 1 on, instead of the provoking one's. Vertex 2's stands in word b with UniformMiddleWord.
	Vertex uint8 `json:"vertex,omitempty"`
}

// Result is a fragment result that stands in registers at the end: component
// k of colours at half Reg + 2k (Bits 32) or Reg + k (Bits 16); depth is one
// 32-bit, stencil and sample mask are one 16-bit register.
type Result struct {
	Slot ir.Slot `json:"slot"`
	Mask uint8   `json:"mask"`
	Reg  int     `json:"reg"`
	Bits uint8   `json:"bits"`
	// Index is 1 for the second source of dual-source blending.
	Index uint8 `json:"index,omitempty"`
}

// TileLayout is what the driver has to reserve for pixels that are shaded: bytes a sample,
// and the pixels of a tile.
type TileLayout struct {
	Stride uint32 `json:"stride"`
	Width  uint32 `json:"width"`
	Height uint32 `json:"height"`
}

// MaxTileBytes is the memory of a tile (agx.md §9.3).
const MaxTileBytes = 32767

// Bytes is the memory of a tile of pixels of some samples.
func (t *TileLayout) Bytes(samples int) uint64 {
	return uint64(t.Stride) * uint64(max(1, samples)) * uint64(t.Width) * uint64(t.Height)
}

// TileTarget is a colour in tile memory, which st_tile writes: component k of
// the slot is element k of Format at byte Offset.
type TileTarget struct {
	Slot   ir.Slot    `json:"slot"`
	Mask   uint8      `json:"mask"`
	Offset uint32     `json:"offset"`
	Format isa.Format `json:"format"`
	// Signed says that i8 and i16 elements are signed.
	Signed bool `json:"signed,omitempty"`
}
