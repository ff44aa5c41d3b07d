package exec

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"nirc"
	"nirc/backend"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/ir"
)

// mainPart is a main part in a pipeline of the software GPU: it runs only
// after LinkPipeline.
type mainPart struct {
	target, entry string
	stage         ir.Stage
	// whole makes the object of the whole program for a state.
	whole func(ctx context.Context, state *nirc.State) (*object.Object, error)
	io    emu.StageIO // only what LinkPipeline reads
	// programs keeps what it was linked to, by state.
	mu       sync.Mutex
	programs map[string]emu.Program
}

// NewPart makes a program of a main part, which runs only in a pipeline that LinkPipeline has linked.
func NewPart(main *object.Object) (emu.Program, error) {
	l, err := linkerOf(main.Target)
	if err != nil {
		return nil, err
	}
	link := func(ctx context.Context, state *nirc.State) (*object.Object, error) {
		return nirc.Link(ctx, []*object.Object{main}, state)
	}
	return &mainPart{target: main.Target, entry: main.Entry, stage: main.Stage, whole: link, io: emu.StageIO{TestsCull: uint8(l.CullDistances(main))}}, nil
}

func (m *mainPart) Stage() ir.Stage              { return m.stage }
func (m *mainPart) WaveSize() int                { return 32 }
func (m *mainPart) WorkgroupSize() [3]uint32     { return [3]uint32{} }
func (m *mainPart) SharedSize() uint32           { return 0 }
func (m *mainPart) IO() *emu.StageIO             { return &m.io }
func (m *mainPart) NewWave(*emu.Launch) emu.Wave { return m }
func (m *mainPart) Run(int) (emu.Status, error) {
	return emu.StatusDone, fmt.Errorf("the main part %s is not linked", m.entry)
}

// variants is a whole program of a target where it hangs on the stages around it: a fragment program drops what
// clip and cull distances cut off that the fixed functions do not know, a vertex program multiplies by w what is
// interpolated without perspective. In a pipeline that wants it so another is compiled, by its ABI.
type variants struct {
	emu.Program
	abi      string // of the program
	compile  func(ctx context.Context, abi string) (*object.Object, error)
	mu       sync.Mutex
	programs map[string]emu.Program
}

// of is the program of an ABI.
func (w *variants) of(ctx context.Context, abi string) (emu.Program, error) {
	if abi == "" || abi == w.abi {
		return w.Program, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.programs[abi]; p != nil {
		return p, nil
	}
	o, err := w.compile(ctx, abi)
	if err != nil {
		return nil, err
	}
	p, err := Reload(ctx, o)
	if err != nil {
		return nil, err
	}
	if w.programs == nil {
		w.programs = map[string]emu.Program{}
	}
	w.programs[abi] = p
	return p, nil
}

// runnable makes a program of an object, compiled for an ABI: a part that waits for its
// pipeline where the ABI has parts. compile compiles it for another.
func runnable(ctx context.Context, m *nirc.Module, obj *object.Object, abi string, compile func(ctx context.Context, abi string) (*object.Object, error)) (emu.Program, error) {
	if abi == nirc.SeparateABI && (obj.Stage == ir.StageVertex || obj.Stage == ir.StageFragment) {
		return NewPart(obj)
	}
	p, err := Reload(withModule(ctx, m), obj)
	if err == nil && hasVariants(obj, abi) {
		p = &variants{Program: p, abi: abi, compile: compile}
	}
	return p, err
}

// recompiled compiles a shader of a module for another ABI.
func recompiled(m *nirc.Module, o nirc.Options) func(ctx context.Context, abi string) (*object.Object, error) {
	return func(ctx context.Context, abi string) (*object.Object, error) {
		o := o
		o.ABI = abi
		return m.Compile(ctx, o)
	}
}

// hasVariants reports whether a target's programs of the stage do what its fixed functions do
// not: cull, or clip too, or interpolate without perspective.
func hasVariants(obj *object.Object, abi string) bool {
	switch {
	case obj.Stage == ir.StageVertex || obj.Stage == ir.StageTessEval || obj.Stage == ir.StageGeometry:
		return hasABI(obj.Target, backend.LinearABI)
	case obj.Stage == ir.StageFragment && !strings.HasPrefix(abi, nirc.BlendABI):
		return hasABI(obj.Target, backend.CullABI) || hasABI(obj.Target, backend.ClipABI)
	}
	return false
}

// hasABI reports whether a target knows a calling convention.
func hasABI(target, abi string) bool {
	b, err := nirc.Backend(target)
	return err == nil && backend.HasABI(b, abi)
}

// lastStage is the last stage before the rasteriser.
func lastStage(p *emu.Pipeline) *emu.Program {
	switch {
	case p.Geometry != nil:
		return &p.Geometry
	case p.TessEval != nil:
		return &p.TessEval
	}
	return &p.Vertex
}

// linkCulls puts a fragment program that drops what cull distances cull in place of one
// that does not, where the fixed functions do not know of them.
func linkCulls(ctx context.Context, target string, p *emu.Pipeline) (n int, err error) {
	io, abi := (*lastStage(p)).IO(), ""
	switch clip, cull := int(io.TestsClip), int(io.TestsCull); {
	case clip+cull == 0:
	case hasABI(target, backend.ClipABI):
		abi = fmt.Sprint(nirc.ClipABI, clip, "+", cull)
	default:
		abi = fmt.Sprint(nirc.CullABI, cull)
	}
	n = int(io.TestsCull)
	if w, ok := p.Fragment.(*variants); ok {
		p.Fragment, err = w.of(ctx, abi)
	} else if p.Fragment == nil && abi != "" && !p.Raster.Discard {
		p.Fragment, err = dropper(ctx, target, abi)
	}
	return n, err
}

// linkLinear puts a program of the last stage before the rasteriser that multiplies by w what the fragment program interpolates
// without perspective in place of one that does not, where the hardware cannot.
func linkLinear(ctx context.Context, p *emu.Pipeline) (err error) {
	last := lastStage(p)
	v, ok := (*last).(*variants)
	if !ok {
		return nil
	}
	var inputs backend.Interpolations
	if p.Fragment != nil && p.Fragment.IO().LinearTimesW {
		for _, in := range p.Fragment.IO().Inputs {
			inputs.Add(in.Slot, in.Mask, in.Interp)
		}
	}
	*last, err = v.of(ctx, inputs.Linear().ABI())
	return err
}

// dropper is the fragment program of a pipeline that has only distances.
func dropper(ctx context.Context, target, abi string) (emu.Program, error) {
	b, err := nirc.Backend(target)
	if err != nil {
		return nil, err
	}
	o, err := b.Dropper(abi, nirc.BuiltinLists(b.Name()))
	if err != nil {
		return nil, err
	}
	return Reload(ctx, o)
}

// LinkPipeline puts programs linked for the pipeline's state in place of
// main parts, and takes the state that they contain out of it.
// target makes the fragment program of a pipeline that has none, but distances to drop by.
func LinkPipeline(ctx context.Context, target string, p *emu.Pipeline) error {
	culls, err := linkCulls(ctx, target, p)
	if err != nil {
		return err
	}
	if err := linkLinear(ctx, p); err != nil {
		return err
	}
	var linker backend.Linker
	var state *nirc.State
	for _, stage := range []*emu.Program{&p.Vertex, &p.Fragment} {
		m, ok := (*stage).(*mainPart)
		if !ok {
			continue
		}
		if linker == nil {
			if linker, state, err = linkerState(m.target, p, culls); err != nil {
				return err
			}
		}
		if *stage, err = m.link(ctx, state); err != nil {
			return err
		}
		if m.Stage() == ir.StageFragment {
			linker.Strip(p)
		}
	}
	return nil
}

// linkerState is a target's linker and what it takes of a pipeline.
func linkerState(target string, p *emu.Pipeline, culls int) (backend.Linker, *nirc.State, error) {
	l, err := linkerOf(target)
	if err != nil {
		return nil, nil, err
	}
	return l, l.StateOf(p, culls), nil
}

// linkerOf is the linker of a target that has parts.
func linkerOf(target string) (backend.Linker, error) {
	b, err := nirc.Backend(target)
	if err != nil {
		return nil, err
	}
	l := b.Linker(nirc.BuiltinLists(target))
	if l == nil {
		return nil, nirc.Usagef("target %s has no parts to link", target)
	}
	return l, nil
}

func (m *mainPart) link(ctx context.Context, state *nirc.State) (emu.Program, error) {
	key, err := json.Marshal(state)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.programs[string(key)]; p != nil {
		return p, nil
	}
	o, err := m.whole(ctx, state)
	if err != nil {
		return nil, err
	}
	p, err := Reload(ctx, o)
	if err != nil {
		return nil, err
	}
	if m.programs == nil {
		m.programs = map[string]emu.Program{}
	}
	m.programs[string(key)] = p
	return p, nil
}
