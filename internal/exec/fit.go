package exec

import (
	"context"

	"nirc"
	"nirc/backend"
	"nirc/internal/emu"
	"nirc/ir"
)

// Programs of a pipeline may share something that is enough for each of them, but not for all: those
// that take most of it are then compiled again with less.

// misfits are the programs of a pipeline that must be compiled again, by number.
func misfits(target string, programs []emu.Program) []int {
	b, err := nirc.Backend(target)
	if err != nil {
		return nil
	}
	if f, ok := b.(backend.PipelineFitter); ok {
		return f.Misfits(programs)
	}
	return nil
}

// fit compiles those stages again that take too much.
func (x *Execution) fit(list []compiledStage, again func(i int, o nirc.Options) (compiledStage, error)) error {
	programs := make([]emu.Program, len(list))
	for i := range list {
		programs[i] = list[i].prog
	}
	for _, i := range misfits(x.Options.Target, programs) {
		o := x.drawOptions()
		o.SafeConsts = true
		s, err := again(i, o)
		if err != nil {
			return err
		}
		list[i] = s
	}
	return nil
}

// fitPipeline puts programs that take less in place of those that take too much.
func (t *ScriptTarget) fitPipeline(ctx context.Context, p *emu.Pipeline) error {
	var programs []emu.Program
	var places []*emu.Program
	for _, place := range []*emu.Program{&p.Vertex, &p.TessCtrl, &p.TessEval, &p.Geometry, &p.Fragment} {
		if *place != nil && (*place).Stage() != ir.StageNone {
			programs, places = append(programs, *place), append(places, place)
		}
	}
	for _, i := range misfits(t.Name(), programs) {
		again, ok := t.again.Load(programs[i])
		if !ok {
			continue
		}
		q, err := again.(recompile)(ctx, func(o *nirc.Options) { o.SafeConsts = true })
		if err != nil {
			return err
		}
		*places[i] = q
	}
	return t.fitPoints(ctx, p)
}

// recompile compiles a program again, with other options.
type recompile func(ctx context.Context, change func(o *nirc.Options)) (emu.Program, error)

// fitPoints puts a vertex program that stores a size in place of one that does not, where the pipeline
// draws points and the hardware has no other size for them.
func (t *ScriptTarget) fitPoints(ctx context.Context, p *emu.Pipeline) (err error) {
	again, ok := t.again.Load(p.Vertex)
	if !ok || p.Topology != emu.PointList || p.TessEval != nil || p.Geometry != nil || !t.needsPointSize() {
		return nil
	}
	p.Vertex, err = again.(recompile)(ctx, func(o *nirc.Options) { o.Points = true })
	return err
}

// needsPointSize reports whether the target's hardware draws points by the size that a program stores.
func (t *ScriptTarget) needsPointSize() bool {
	b, err := nirc.Backend(t.Name())
	if err != nil {
		return false
	}
	o, err := b.Options(t.Options.GPU, ir.StageVertex)
	return err == nil && o.NeedsPointSize
}
