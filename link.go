package nirc

import (
	"cmp"
	"context"
	"slices"

	"nirc/backend"
	"nirc/backend/layout"
	"nirc/backend/object"
	"nirc/frontend/spirv"
	"nirc/ir"
	"nirc/passes"
)

func linkerOf(target string) (backend.Linker, error) {
	b, err := Backend(target)
	if err != nil {
		return nil, err
	}
	return linker(b)
}

func linker(b backend.Backend) (backend.Linker, error) {
	l := b.Linker(BuiltinLists(b.Name()))
	if l == nil {
		return nil, Usagef("target %s has no parts to link", b.Name())
	}
	return l, nil
}

// Link joins objects that were compiled with SeparateABI to one that runs: a
// main part with its prolog and epilog. With a state the parts that are missing are made; without,
// all that the main part needs must be there. What State.Shader says is done when a main part is compiled.
func Link(ctx context.Context, objects []*object.Object, state *State) (linked *object.Object, err error) {
	if len(objects) == 0 {
		return nil, Usagef("no objects to link")
	}
	b, err := Backend(objects[0].Target)
	if err != nil {
		return nil, err
	}
	return link(ctx, b, objects, state)
}

func link(ctx context.Context, b backend.Backend, objects []*object.Object, state *State) (linked *object.Object, err error) {
	l, err := linker(b)
	if err != nil {
		return nil, err
	}
	err = Guard(ctx, "link", "", objects[0].Target, func() error {
		if state != nil {
			parts, err := l.Parts(objects[0], state)
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

// PartsOf makes the prolog and the epilog that a main part takes with a pipeline
// state, those of the two that there are.
func PartsOf(main *object.Object, state *State) ([]*object.Object, error) {
	l, err := linkerOf(main.Target)
	if err != nil {
		return nil, err
	}
	return l.Parts(main, state)
}

// PipelineStage is one shader of a graphics pipeline for CompilePipeline.
type PipelineStage struct {
	Module *Module
	// Entry, Stage and Spec choose the shader as those of Options do.
	Entry string
	Stage ir.Stage
	Spec  []spirv.SpecValue
	// ABI takes the place of Options.ABI for this stage, unless it is "".
	ABI string
	// State takes the place of Options.State for this stage, unless it is nil.
	State *State
}

// StageLink is what linking did between two stages of a pipeline, in components of varyings.
type StageLink struct {
	From, To ir.Stage
	passes.LinkCounts
}

// Pipeline is the stages of a graphics pipeline that were compiled together.
type Pipeline struct {
	// Objects are those of the stages, and ABIs their calling conventions, in the order in which the stages were given.
	Objects []*object.Object
	ABIs    []string
	// Links are in the order of the pipeline.
	Links []StageLink
	// Warnings are inputs that the stage before does not write.
	Warnings Diagnostics
}

// CompilePipeline compiles the stages of one graphics pipeline together, in any order: varyings that nobody reads go, constants
// and uniform values move to where they are read, and what is left is packed for the pair (docs/abi.md). Options.Next
// follows from the stages, but StageGeometry says that a geometry stage which is none of them comes before the rasteriser, as one
// that hands vertices on to capture them. The objects are for each other: none runs with a shader that was compiled without them.
func CompilePipeline(ctx context.Context, stages []PipelineStage, o Options) (*Pipeline, error) {
	p, err := compilePipeline(ctx, stages, o)
	if err != nil && !o.Debug {
		err = relocate(err, func() error {
			o.Debug, o.Run = true, passes.RunOptions{}
			_, again := compilePipeline(ctx, stages, o)
			return again
		})
	}
	return p, err
}

func compilePipeline(ctx context.Context, stages []PipelineStage, o Options) (p *Pipeline, err error) {
	units := make([]*Unit, len(stages))
	defer func() {
		for _, u := range units {
			if u != nil {
				u.Done(err)
			}
		}
	}()
	for i := range stages {
		s, own := &stages[i], o
		own.File, own.Entry, own.Stage, own.Spec, own.ABI = s.Module.Name, s.Entry, s.Stage, s.Spec, cmp.Or(s.ABI, o.ABI)
		own.State = cmp.Or(s.State, o.State)
		if units[i], err = New(own); err != nil {
			return nil, err
		}
		if err = units[i].Translate(ctx, s.Module); err != nil {
			return nil, err
		}
	}
	p = &Pipeline{}
	if p.Links, p.Warnings, err = LinkUnits(ctx, units); err != nil {
		return nil, err
	}
	for _, u := range units {
		if err = u.Optimize(ctx); err != nil {
			return nil, err
		}
		obj, err := u.Generate(ctx)
		if err != nil {
			return nil, err
		}
		p.Objects, p.ABIs = append(p.Objects, obj), append(p.ABIs, u.opts.ABI)
	}
	return p, nil
}

// LinkUnits links the shaders of units, which are translated and not yet optimised: the stages of one graphics
// pipeline, in any order, with the same options. At O0 it looks only whether they fit.
func LinkUnits(ctx context.Context, units []*Unit) (links []StageLink, warnings Diagnostics, err error) {
	chain, err := chainOf(units)
	if err != nil {
		return nil, nil, err
	}
	for i, u := range chain[:len(chain)-1] {
		found, err := u.match(ctx, chain[i+1])
		if err != nil {
			return nil, nil, err
		}
		warnings = append(warnings, found...)
		links = append(links, StageLink{From: u.Shader.Stage, To: chain[i+1].Shader.Stage})
	}
	for i, u := range chain {
		given := u.opts.Next
		u.opts.Next = ir.NextStage(u.Shader.Stage, func(s ir.Stage) bool {
			return s == ir.StageGeometry && s == given || slices.ContainsFunc(chain[i+1:], func(v *Unit) bool { return v.Shader.Stage == s })
		})
		u.joinDistances(u.Shader)
	}
	if chain[0].opts.Level != passes.O0 {
		counts, err := linkShaders(ctx, chain)
		if err != nil {
			return nil, nil, err
		}
		for i := range counts {
			links[i].LinkCounts = counts[i]
		}
		if n := len(chain); n > 1 {
			chain[n-2].interpolateFor(chain[n-1])
		}
	}
	for i, u := range chain {
		u.links = links[max(0, i-1):min(i+1, len(links))]
	}
	return links, warnings, nil
}

// shaderName is the file of a unit and, where it is not what all are called, the entry point.
func (u *Unit) shaderName() string {
	if u.Shader.Name == "main" || u.Shader.Name == "" {
		return u.opts.File
	}
	return u.opts.File + " (" + u.Shader.Name + ")"
}

// chainOf sorts the units of a pipeline, and refuses what is none.
func chainOf(units []*Unit) ([]*Unit, error) {
	chain := slices.Clone(units)
	slices.SortStableFunc(chain, func(a, b *Unit) int { return int(a.Shader.Stage) - int(b.Shader.Stage) })
	has := map[ir.Stage]*Unit{}
	for _, u := range chain {
		switch s := u.Shader.Stage; {
		case s < ir.StageVertex || s > ir.StageFragment:
			return nil, Usagef("%s: %s shaders are not linked: no other stage reads their outputs", u.opts.File, s)
		case has[s] != nil:
			return nil, Usagef("%s and %s: a pipeline has one %s shader", has[s].shaderName(), u.shaderName(), s)
		default:
			has[s] = u
		}
	}
	switch {
	case has[ir.StageVertex] == nil:
		return nil, Usagef("a pipeline begins with a vertex shader, and there is none to link")
	case (has[ir.StageTessCtrl] == nil) != (has[ir.StageTessEval] == nil):
		return nil, Usagef("a pipeline has both tessellation stages or none, and there is one to link")
	}
	return chain, nil
}

// linkShaders runs the linking passes.
func linkShaders(ctx context.Context, chain []*Unit) (counts []passes.LinkCounts, err error) {
	shaders := make([]*ir.Shader, len(chain))
	list := map[*ir.Shader]passes.Lists{}
	for i, u := range chain {
		shaders[i] = u.Shader
		if list[u.Shader], err = u.codegenLists(); err != nil {
			return nil, err
		}
	}
	run := func(s *ir.Shader, name string) error { return list[s].Run(s, name) }
	l := passes.Linking{Stages: shaders, Visible: chain[0].visible, Lists: run}
	if st := chain[0].opts.State; st != nil && st.Shader != nil {
		l.Kept, l.Half = st.Shader.Locations(), st.Shader.HalfPrecision
	}
	err = chain[0].stage(ctx, "link", func() error {
		counts, err = l.Run()
		return chain[0].verifyError(err)
	})
	for _, u := range chain {
		u.relinked()
	}
	return counts, err
}

// visible reports whether the pipeline's layout lets a stage read a resource.
func (u *Unit) visible(stage ir.Stage, v *ir.Variable) bool {
	l := u.opts.Layout
	switch {
	case l == nil:
		return false
	case v.Mode == ir.ModePushConst:
		offset, size := l.PushRange(stage)
		return offset == 0 && v.Type.Size() <= uint64(size)
	}
	b := l.Find(v.Set, v.Binding)
	return b != nil && b.Stages&layout.StageBit(stage) != 0
}

// relinked describes the interface that linking left; resources stay those of the whole shader.
func (u *Unit) relinked() {
	now := Reflect(u.Shader)
	u.Reflection.Inputs, u.Reflection.Outputs = now.Inputs, now.Outputs
	for _, r := range now.Resources {
		if !slices.ContainsFunc(u.Reflection.Resources, func(o object.Resource) bool { return o.Set == r.Set && o.Binding == r.Binding }) {
			u.Reflection.Resources = append(u.Reflection.Resources, r)
		}
	}
	slices.SortStableFunc(u.Reflection.Resources, func(a, b object.Resource) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Binding, b.Binding))
	})
	if len(u.Reflection.PushConstants) == 0 {
		u.Reflection.PushConstants = now.PushConstants
	}
}

// interpolateFor chooses the calling convention of the last stage before the rasteriser by what the fragment shader after it interpolates without
// perspective, where the target asks for that.
func (u *Unit) interpolateFor(last *Unit) {
	if u.back == nil || u.opts.ABI != "" || !backend.HasABI(u.back, LinearABI) || last.Shader.Stage != ir.StageFragment {
		return
	}
	var inputs backend.Interpolations
	for _, v := range last.Shader.Variables {
		if v.Mode == ir.ModeShaderIn && v.Location >= int32(ir.SlotVar0) {
			for k := range v.Type.SlotCount() {
				inputs.Add(ir.Slot(v.Location)+ir.Slot(k), slotComponents(v), v.Interp)
			}
		}
	}
	u.opts.ABI = inputs.Linear().ABI()
}

// slotComponents are the components that a variable takes of each of its locations: all of them where they differ.
func slotComponents(v *ir.Variable) uint8 {
	t := v.Type
	for t.IsArray() {
		t = t.Elem
	}
	if !t.IsNumeric() || t.Bits == 64 {
		return 15
	}
	return uint8(1<<t.Rows-1) << v.Component
}

// match holds a stage's inputs to the outputs of the one before it. Inputs that are not there are warnings.
func (u *Unit) match(ctx context.Context, next *Unit) (warnings Diagnostics, err error) {
	list := passes.MatchInterface(u.Shader, next.Shader)
	if len(list) > 0 && !next.opts.Debug && next.module.SPIRV != nil {
		// Again with the places.
		o := next.opts
		o.Debug, o.Run = true, passes.RunOptions{}
		if again, err := Translate(ctx, next.module, o); err == nil {
			list = passes.MatchInterface(u.Shader, again)
			next = &Unit{Shader: again, opts: o}
		}
	}
	var wrong Diagnostics
	for _, m := range list {
		d := placed(next.Shader, next.opts.File, m.Loc, m.Msg)
		if m.Missing {
			d.Severity = SeverityWarning
			warnings = append(warnings, d)
		} else {
			wrong = append(wrong, d)
		}
	}
	if wrong != nil {
		return nil, wrong
	}
	return warnings, nil
}
