package exec

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"nirc"
	"nirc/backend/agx"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/internal/targets"
	"nirc/ir"
)

// mainPart is a main part in a pipeline of the software GPU: it runs only
// behind LinkPipeline.
type mainPart struct {
	obj *object.Object
	// programs keeps what it was linked to, by state.
	mu       sync.Mutex
	programs map[string]emu.Program
}

// NewPart makes a program of a main part, which runs only in a pipeline that LinkPipeline has linked.
func NewPart(main *object.Object) emu.Program { return &mainPart{obj: main} }

func (m *mainPart) Stage() ir.Stage              { return m.obj.Stage }
func (m *mainPart) WaveSize() int                { return 32 }
func (m *mainPart) WorkgroupSize() [3]uint32     { return [3]uint32{} }
func (m *mainPart) SharedSize() uint32           { return 0 }
func (m *mainPart) IO() *emu.StageIO             { return &emu.StageIO{} }
func (m *mainPart) NewWave(*emu.Launch) emu.Wave { return m }
func (m *mainPart) Run(int) (emu.Status, error) {
	return emu.StatusDone, fmt.Errorf("the main part %s is not linked", m.obj.Entry)
}

// CullDistances is the number of cull distances of a main part.
func (m *mainPart) CullDistances() int {
	var meta struct {
		CullDistances int `json:"cull_distances"`
	}
	if err := json.Unmarshal(m.obj.ABI, &meta); err != nil {
		return 0
	}
	return meta.CullDistances
}

// wholeFragment is a whole fragment program of a target without cull distances: in
// a pipeline that has some another is compiled.
type wholeFragment struct {
	emu.Program
	compile  func(ctx context.Context, abi string) (*object.Object, error)
	mu       sync.Mutex
	programs [9]emu.Program
}

// culling is the program that drops what n cull distances cull.
func (w *wholeFragment) culling(ctx context.Context, n int) (emu.Program, error) {
	if n == 0 {
		return w.Program, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.programs[n] == nil {
		o, err := w.compile(ctx, fmt.Sprint(nirc.CullABI, n))
		if err != nil {
			return nil, err
		}
		if w.programs[n], err = Reload(ctx, o); err != nil {
			return nil, err
		}
	}
	return w.programs[n], nil
}

// runnable makes a program of an object, compiled with options: a part that waits for its
// pipeline where the ABI has parts.
func runnable(ctx context.Context, m *nirc.Module, obj *object.Object, o nirc.Options) (emu.Program, error) {
	if o.ABI == nirc.SeparateABI && (obj.Stage == ir.StageVertex || obj.Stage == ir.StageFragment) {
		return NewPart(obj), nil
	}
	p, err := Reload(withModule(ctx, m), obj)
	if err == nil && obj.Target == "agx" && obj.Stage == ir.StageFragment {
		p = &wholeFragment{Program: p, compile: func(ctx context.Context, abi string) (*object.Object, error) {
			o := o
			o.ABI = abi
			return m.Compile(ctx, o)
		}}
	}
	return p, err
}

// linkCulls puts a fragment program that drops what cull distances cull in place of one
// that does not, where the fixed functions do not know of them.
func linkCulls(ctx context.Context, p *emu.Pipeline) (n int, err error) {
	last := p.Vertex
	if p.TessEval != nil {
		last = p.TessEval
	}
	if p.Geometry != nil {
		last = p.Geometry
	}
	if c, ok := last.(interface{ CullDistances() int }); ok {
		n = c.CullDistances()
	}
	if w, ok := p.Fragment.(*wholeFragment); ok {
		p.Fragment, err = w.culling(ctx, n)
	} else if p.Fragment == nil && n > 0 && !p.Raster.Discard {
		var o *object.Object
		if o, err = targets.AGX.CullProgram("", n); err == nil {
			p.Fragment, err = Reload(ctx, o)
		}
	}
	return n, err
}

// LinkPipeline puts programs linked for the pipeline's state in place of
// main parts, and takes the state that they contain out of it.
func LinkPipeline(ctx context.Context, p *emu.Pipeline) error {
	culls, err := linkCulls(ctx, p)
	if err != nil {
		return err
	}
	s := agx.StateOf(p)
	s.Fragment.CullDistances = culls
	if p.TessCtrl != nil || p.Geometry != nil {
		s.IndexBytes = 4 // of those by which the core numbers the vertices of patches and primitives
	}
	state, err := json.Marshal(s)
	if err != nil {
		return err
	}
	for _, stage := range []*emu.Program{&p.Vertex, &p.Fragment} {
		m, ok := (*stage).(*mainPart)
		if !ok {
			continue
		}
		if *stage, err = m.link(ctx, state); err != nil {
			return err
		}
		if m.Stage() == ir.StageFragment {
			agx.Strip(p)
		}
	}
	return nil
}

func (m *mainPart) link(ctx context.Context, state []byte) (emu.Program, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.programs[string(state)]; p != nil {
		return p, nil
	}
	o, err := nirc.Link(ctx, []*object.Object{m.obj}, state)
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
	m.programs[string(state)] = p
	return p, nil
}
