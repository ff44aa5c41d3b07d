package exec

import (
	"context"
	"fmt"

	"nirc"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/ir"
)

// passesThrough reports whether the pipeline needs a geometry stage that hands vertices on: where
// that stage alone writes transform feedback.
func (x *Execution) passesThrough(sources []stageSource) bool {
	if x.Draw == nil || x.DrawParams.Feedback == nil || x.Options.Target == nirc.IRTarget {
		return false
	}
	if b, err := nirc.Backend(x.Options.Target); err != nil || b.FeedbackStage(nil) == nil {
		return false // compiling says what is wrong with the target
	}
	if x.ownProgram() {
		return false
	}
	for _, s := range sources {
		if s.entry.Stage == ir.StageGeometry {
			return false
		}
	}
	return true
}

// ownProgram reports whether a vertex program of its own writes the transform feedback: of lists, whose vertices follow each other.
func (x *Execution) ownProgram() bool {
	switch x.Draw.Topology {
	case emu.PointList, emu.LineList, emu.TriangleList:
		return hasABI(x.Options.Target, nirc.FeedbackABI) && x.DrawParams.Index == nil
	}
	return false
}

// passThrough makes that stage for the others.
func (x *Execution) passThrough(ctx context.Context, stages []compiledStage) (g compiledStage, err error) {
	var last *compiledStage
	var tess [2]emu.TessIO
	for i := range stages {
		switch s := &stages[i]; s.prog.Stage() {
		case ir.StageVertex:
			if last == nil {
				last = s
			}
		case ir.StageTessCtrl:
			tess[0] = s.prog.IO().Tess
		case ir.StageTessEval:
			last, tess[1] = s, s.prog.IO().Tess
		}
	}
	if last == nil {
		return g, nirc.Usagef("the modules do not have a vertex shader")
	}
	size := primitiveVertices(x.Draw.Topology, tess)
	b, err := nirc.Backend(x.Options.Target)
	if err != nil {
		return g, err
	}
	stage, obj := b.FeedbackStage(nirc.BuiltinLists(b.Name())), last.obj
	if g.obj, err = stage(obj, size, ""); err != nil {
		return g, fmt.Errorf("transform feedback: %w", err)
	}
	if g.prog, err = Reload(ctx, g.obj); err == nil && hasVariants(g.obj, "") {
		g.prog = &variants{Program: g.prog, compile: func(_ context.Context, abi string) (*object.Object, error) { return stage(obj, size, abi) }}
	}
	g.reflect = g.obj.Reflect
	return g, err
}

// primitiveVertices is the number of vertices that primitives have after the vertex stage, or
// after tessellation with the modes of its stages.
func primitiveVertices(t emu.Topology, tess [2]emu.TessIO) int {
	switch t {
	case emu.PointList:
		return 1
	case emu.LineList, emu.LineStrip:
		return 2
	case emu.LineListAdjacency, emu.LineStripAdjacency:
		return 4
	case emu.TriangleListAdjacency, emu.TriangleStripAdjacency:
		return 6
	case emu.PatchList:
		switch domain := max(tess[0].Domain, tess[1].Domain); {
		case tess[0].PointMode || tess[1].PointMode:
			return 1
		case domain == ir.DomainIsolines:
			return 2
		}
	}
	return 3
}

// linkCapture gives a pipeline with transform feedback the program that writes it, where vertex shaders
// have one of their own for that.
func (x *Execution) linkCapture(ctx context.Context, p *emu.Pipeline) (err error) {
	if v, ok := p.Vertex.(*variants); ok && x.DrawParams.Feedback != nil && p.Geometry == nil && hasABI(x.Options.Target, nirc.FeedbackABI) {
		p.Capture, err = v.of(ctx, nirc.FeedbackABI)
	}
	return err
}
