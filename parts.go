package nirc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"nirc/backend/agx"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/internal/jsonplace"
	"nirc/ir"
)

// SeparateABI is the value of Options.ABI for parts that are linked later.
const SeparateABI = "separate"

// BlendABI begins the value of Options.ABI for a fragment shader that becomes a blend
// program of a target that has such; the format of the render target follows.
const BlendABI = "blend:"

// CullABI begins the value of Options.ABI for a whole fragment shader of AGX behind a stage with
// cull distances; their number follows.
const CullABI = agx.CullABI

// BlendFormats lists the formats, by Vulkan's names, for which targets make blend
// programs.
func BlendFormats() (list []string) {
	for _, b := range backends {
		if x, ok := b.(interface{ BlendFormats() []string }); ok {
			list = append(list, x.BlendFormats()...)
		}
	}
	return list
}

// partsLinker is a backend whose shaders can be compiled as parts.
type partsLinker interface {
	Link(parts []*object.Object) (*object.Object, error)
	Parts(main *object.Object, s *agx.State) (prolog, epilog *object.Object, err error)
}

func linkerOf(target string) (partsLinker, error) {
	b, err := Backend(target)
	if err != nil {
		return nil, err
	}
	l, ok := b.(partsLinker)
	if !ok {
		return nil, Usagef("target %s has no parts to link", b.Name())
	}
	return l, nil
}

// Link joins objects that were compiled with SeparateABI to one that runs: a
// main part with its prolog and epilog. With a state, which stands for the
// pipeline as JSON (agx.State), the parts that are missing are made; without,
// all that the main part needs must be there.
func Link(ctx context.Context, objects []*object.Object, state []byte) (linked *object.Object, err error) {
	if len(objects) == 0 {
		return nil, Usagef("no objects to link")
	}
	l, err := linkerOf(objects[0].Target)
	if err != nil {
		return nil, err
	}
	err = guard(ctx, "link", "", objects[0].Target, func() error {
		if state != nil {
			parts, err := PartsOf(objects[0], state)
			if err != nil {
				return err
			}
			objects = append(objects[:len(objects):len(objects)], parts...)
		}
		linked, err = l.Link(objects)
		return err
	})
	return linked, err
}

// pipelineState begins what is wrong with a state.
const pipelineState = "the pipeline state: "

// PartsOf makes the prolog and the epilog that a main part takes with a pipeline
// state, those of the two that there are.
func PartsOf(main *object.Object, state []byte) ([]*object.Object, error) {
	l, err := linkerOf(main.Target)
	if err != nil {
		return nil, err
	}
	var s agx.State
	d := json.NewDecoder(bytes.NewReader(state))
	d.DisallowUnknownFields() // a word that is spelled wrong must not be a default
	if err := d.Decode(&s); err != nil {
		line, text := jsonplace.Explain(state, err)
		return nil, Diagnostics{{Line: uint32(line), Msg: pipelineState + text}}
	}
	if d.More() {
		return nil, errors.New(pipelineState + "there is more behind the object")
	}
	prolog, epilog, err := l.Parts(main, &s)
	var list []*object.Object
	for _, o := range []*object.Object{prolog, epilog} {
		if o != nil && err == nil {
			list = append(list, o)
		}
	}
	return list, err
}

// mainPart is a main part in a pipeline of the software GPU: it runs only
// behind LinkPipeline.
type mainPart struct {
	obj *object.Object
	// programs keeps what it was linked to, by state.
	mu       sync.Mutex
	programs map[string]emu.Program
}

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
		o, err := w.compile(ctx, fmt.Sprint(CullABI, n))
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
func (m *Module) runnable(ctx context.Context, obj *object.Object, o Options) (emu.Program, error) {
	if o.ABI == SeparateABI && (obj.Stage == ir.StageVertex || obj.Stage == ir.StageFragment) {
		return &mainPart{obj: obj}, nil
	}
	p, err := Reload(ctx, obj)
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
		if o, err = agxTarget.CullProgram("", n); err == nil {
			p.Fragment, err = Reload(ctx, o)
		}
	}
	return n, err
}

// linkPipeline puts programs linked for the pipeline's state in place of
// main parts, and takes the state that they contain out of it.
func linkPipeline(ctx context.Context, p *emu.Pipeline) error {
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
	o, err := Link(ctx, []*object.Object{m.obj}, state)
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
