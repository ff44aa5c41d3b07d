package ir3

import (
	"strings"
	"testing"

	"nirc/backend"
	"nirc/backend/gputest"
	"nirc/backend/layout"
	"nirc/ir"
	"nirc/passes"
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

// fetchOfFew fetches a texel in those fibers whose word is not 0, from a binding that is partially bound or not.
func fetchOfFew(partially bool) (*ir.Shader, CompileOptions) {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	x := &texBuild{s: s, b: b}
	at := b.Ishl(b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0), b.Imm32(2))
	d := x.variable(0, 2, ir.BaseTexture, ir.Dim2D, false, false, 0)
	i := b.PushIf(b.Ine(gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), at, 1), b.Imm32(0)))
	zero := b.Imm32(0)
	texel := x.op(ir.TexOpTxf, 4, ir.Dim2D, false, texSource{ir.TexSrcTextureDeref, d}, texSource{ir.TexSrcCoord, b.Vec(zero, zero)}, texSource{ir.TexSrcLod, zero})
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), at, b.Channel(&texel.Def, 0))
	b.PopIf(i)
	all := layout.AllStages
	l := &layout.Layout{Sets: []layout.Set{{Bindings: []layout.Binding{{Binding: 0, Type: layout.StorageBuffer, Count: 1, Stages: all},
		{Binding: 1, Type: layout.StorageBuffer, Count: 1, Stages: all}, {Binding: 2, Type: layout.SampledImage, Count: 1, Stages: all, PartiallyBound: partially}}}}}
	return s, CompileOptions{GPU: "a740", job: &backend.Job{Instrument: passes.NewInstrument(passes.RunOptions{}), Layout: l}}
}

// texelOfFew runs it where nothing is bound and no fiber fetches.
func texelOfFew(partially bool) error {
	s, o := fetchOfFew(partially)
	return differ(s, o, 1, make([]byte, 256), 256, nil)
}

// TestPartiallyBound: the preamble fetches what few fibers come by, where the descriptor must be good as the shader names it; not where it need be good
// only if one comes by.
func TestPartiallyBound(t *testing.T) {
	programs.Hold(t)
	for _, partially := range []bool{false, true} {
		s, o := fetchOfFew(partially)
		bin, err := compile(s, o)
		if err != nil {
			t.Fatal(err)
		}
		pre, _, ok := strings.Cut(disasm(bin), "shpe")
		if early := ok && strings.Contains(pre, "isam"); early == partially {
			t.Errorf("partially bound %t:\n%s", partially, disasm(bin))
		}
	}
	if err := texelOfFew(false); err == nil {
		t.Error("what is bound nowhere is read early, and the core does not say so")
	}
}
