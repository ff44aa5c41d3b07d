package ir3

import (
	"testing"

	"nirc/ir"
)

// TestMovedLookups: which lookups a preamble may do: none that tells of residency, none of texels that a store to another image
// may change, and none at a level of detail that derivatives of a cube choose.
func TestMovedLookups(t *testing.T) {
	s, b := newStage(ir.StageFragment)
	x := &texBuild{s: s, b: b}
	for _, c := range []struct {
		op      ir.TexOp
		dim     ir.Dim
		moves   bool
		aliased bool // what stores may change moves too
	}{
		{ir.TexOpTxs, ir.Dim2D, true, true}, {ir.TexOpQueryLevels, ir.DimCube, true, true}, {ir.TexOpTextureSamples, ir.DimMS, true, true},
		{ir.TexOpTex, ir.Dim2D, true, false}, {ir.TexOpTex, ir.DimCube, false, false}, {ir.TexOpTxl, ir.DimCube, true, false}, {ir.TexOpTxf, ir.Dim3D, true, false},
		{ir.TexOpTxfMs, ir.DimMS, true, false}, {ir.TexOpTg4, ir.Dim2D, false, false}, {ir.TexOpTxd, ir.Dim2D, false, false}, {ir.TexOpLod, ir.Dim2D, false, false},
	} {
		for _, sparse := range []bool{false, true} {
			for _, aliased := range []bool{false, true} {
				d := x.variable(0, 0, ir.BaseSampledImage, c.dim, false, false, 0)
				in := x.op(c.op, 4, c.dim, false, texSource{ir.TexSrcTextureDeref, d})
				in.TexInfo().IsSparse, in.TexInfo().Aliased = sparse, aliased
				if got := movesTexture(in); got != (c.moves && !sparse && (!aliased || c.aliased)) {
					t.Errorf("%s of dimension %s, sparse %t, aliased %t: moves %t", c.op, c.dim, sparse, aliased, got)
				}
			}
		}
	}
}
