package ir3

import (
	"strings"
	"testing"

	"nirc/ir"
)

// branchedLookups looks textures up at coordinates of n components in both sides of some branches, and once more after them; the components are read too, and
// the coordinates are loaded where they are read, or once before, from a component of the input on.
func branchedLookups(once bool, first, n uint8) *ir.Shader {
	s, b := newStage(ir.StageFragment)
	x := &texBuild{s: s, b: b}
	textures := [3]*ir.Def{}
	dim := [...]ir.Dim{ir.Dim2D, ir.Dim3D}[n-2]
	for k := range textures {
		textures[k] = x.variable(0, uint32(k), ir.BaseSampledImage, dim, false, false, 0)
	}
	cond := inputFrom(b, ir.SlotVar0+3, 0, 1)
	load := func() *ir.Def {
		return interpolated(b, ir.IntrLoadBarycentricPixel, ir.InterpSmooth, ir.SlotVar0, first, n)
	}
	var shared *ir.Def
	if once {
		shared = load()
	}
	look := func(k int) (*ir.Def, *ir.Def) {
		uv := shared
		if uv == nil {
			uv = load()
		}
		srcs := append(at(textures[k]), texSource{ir.TexSrcCoord, uv}, texSource{ir.TexSrcLod, b.ImmFloat(0, 32)})
		return b.Channel(&x.op(ir.TexOpTxl, 4, dim, false, srcs...).Def, 0), uv
	}
	sum := b.Imm32(0)
	for range 3 {
		i := b.PushIf(b.Flt(sum, cond))
		p, uv := look(0)
		p = b.Fmul(p, b.Channel(uv, 0))
		b.PushElse(i)
		q, _ := look(1)
		b.PopIf(i)
		sum = b.Fadd(sum, b.IfPhi(i, p, q))
	}
	w, uv := look(2)
	sum = b.Fadd(b.Fadd(sum, w), b.Fmul(b.Channel(uv, 0), b.Channel(uv, int(n)-1)))
	outputTo(b, sum, ir.SlotData0)
	return s
}

// TestLoadsOfBranches: an input that several branches load is fetched once, and the program has no move more than one that loads it
// before them.
func TestLoadsOfBranches(t *testing.T) {
	programs.Hold(t)
	for _, of := range [][2]uint8{{0, 2}, {1, 2}, {2, 2}, {0, 3}, {1, 3}} {
		for _, gpu := range []string{"a610", "a630", "a660"} {
			count := func(once bool) (moves, fetches int) {
				text := disasm(stageBinary(t, branchedLookups(once, of[0], of[1]), gpu))
				return strings.Count(text, "mov."), strings.Count(text, "bary.f")
			}
			moves, fetches := count(false)
			if few, one := count(true); moves > few || fetches > one {
				t.Errorf("%s, first component and how many %v: %d moves and %d fetches, want at most %d and %d", gpu, of, moves, fetches, few, one)
			}
		}
	}
}
