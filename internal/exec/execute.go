// Package exec executes shaders on the software GPU: one by hand ([Execute]), or those of scripts
// ([ScriptTarget]). It compiles with package nirc, loads what comes out of it into the target's core
// and links parts when the pipeline's state is known, as a driver would. Nothing is compiled
// differently here than it is for an object file.
package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nirc"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/ir"
)

// Executable compiles the shader that the options choose and makes it runnable
// on its target's software core, with its interface: IRTarget runs the IR
// itself, at O0 as the frontend made it; other targets run the machine code, read back
// from an object file. With SeparateABI graphics shaders are main parts, which run only
// in an Execution or after Link.
func Executable(ctx context.Context, m *nirc.Module, o nirc.Options) (emu.Program, object.Reflection, error) {
	s, err := compileStage(ctx, m, o)
	return s.prog, s.reflect, err
}

func compileStage(ctx context.Context, m *nirc.Module, o nirc.Options) (c compiledStage, err error) {
	if o.Target != nirc.IRTarget && readsAttachments(m, &o) {
		return forState(ctx, m, o)
	}
	if o.Target != nirc.IRTarget {
		if c.obj, err = m.Compile(ctx, o); err != nil {
			return compiledStage{}, err
		}
		c.prog, err = runnable(ctx, m, c.obj, o.ABI, recompiled(m, o))
		c.reflect = c.obj.Reflect
		return c, err
	}
	s, err := nirc.Translate(ctx, m, o)
	if err != nil {
		return compiledStage{}, err
	}
	c.outputs = meshOutputs(s)
	c.prog, c.reflect, err = interpret(ctx, m, o, 0)
	return c, err
}

// Execution is a run of shaders by hand: what stands in a pipeline, what is
// bound, and a dispatch or a draw.
type Execution struct {
	// Modules hold the shaders: one compute shader, or those of a graphics
	// pipeline, a stage each. Options.Entry and Stage choose among a single
	// module's; of several, every module gives its only entry point.
	Modules []*nirc.Module
	Options nirc.Options
	// Link compiles the stages of a draw together.
	Link bool
	// Bindings are the descriptors. A run writes to their contents.
	Bindings []Binding
	// Push are the push constants, zero after their end.
	Push []byte
	// Args are the arguments of a kernel; they take the place of Push.
	Args   []Arg
	Limits emu.Limits
	// Groups is the number of workgroups of a compute shader; with Mesh, of a task shader, or of a mesh shader alone.
	Groups [3]uint32
	Mesh   bool
	// MeshGroups is what mesh workgroups have put out, MeshOutputs the variables that it is of. The run sets both.
	MeshGroups  []*emu.MeshGroup
	MeshOutputs []MeshOutput
	// Printed is what the shaders have printed by debugPrintfEXT, and kernels by printf, in the order in which it came into the buffers, stage by stage. The run sets
	// it. Nothing is printed where a pipeline layout leaves no room for the buffers, or stages are linked.
	Printed []string
	// Draw is the draw of a graphics pipeline. Its stages, environment and
	// vertex inputs that no buffer gives need not be set.
	Draw       *emu.Pipeline
	DrawParams emu.DrawParams
}

// Binding is one descriptor: bytes for a buffer, or an image.
type Binding struct {
	Set, Binding uint32
	// Element is the one of an array of descriptors.
	Element uint32
	Data    []byte
	Image   *emu.Image
	// Format is the format of a texel buffer.
	Format *emu.Format
	// Offset is the dynamic offset, in bytes, of a buffer that is dynamic in the layout.
	Offset uint32
	// As is the kind that it is of where shaders see several at the binding, as of a heap; "": the first that fits.
	As string
	// Kind is set by the run: what the shaders declare there, or "".
	Kind string
}

// String is the binding as the command line has it.
func (b *Binding) String() string {
	if b.Element != 0 {
		return fmt.Sprintf("%d.%d[%d]", b.Set, b.Binding, b.Element)
	}
	return fmt.Sprintf("%d.%d", b.Set, b.Binding)
}

// Execute compiles the shaders and runs them. Every resource that a shader
// declares must be bound, of an array an element; samplers are made, linear and clamped to the edge.
func Execute(ctx context.Context, x *Execution) error {
	mem := x.Limits.NewMemory()
	var table emu.Bindings
	x.Options.LocalMemory = max(x.Options.LocalMemory, LocalMemory(x.Args))
	for _, m := range x.Modules {
		x.Options.Layout = m.LayoutOf(&x.Options)
	}
	programs, err := x.compile(ctx)
	if err != nil {
		return err
	}
	args, err := x.arguments(mem, &programs[0].reflect)
	if err != nil {
		return err
	}
	env := &emu.Env{Mem: mem, Bindings: &table, Push: x.Push, Layout: x.Options.Layout}
	buffers, err := x.bind(mem, &table, programs)
	if err != nil {
		return err
	}
	prints := x.bindPrints(mem, &table)
	err = nirc.Guard(ctx, "run", x.Options.File, x.Options.Target, func() error { return x.run(ctx, env, programs) })
	for i, b := range args {
		if b != nil {
			copy(x.Args[i].Data, b.Data)
		}
	}
	for i, b := range buffers {
		if b != nil {
			copy(x.Bindings[i].Data, b.Data)
		}
	}
	if err == nil {
		x.Printed, err = printed(prints)
	}
	return err
}

// compiledStage is a shader of an execution.
type compiledStage struct {
	prog    emu.Program
	obj     *object.Object // nil of interpreted ones
	reflect object.Reflection
	outputs []MeshOutput
}

// stageSource is a shader that an execution compiles.
type stageSource struct {
	m     *nirc.Module
	entry nirc.EntryPoint
}

// sources lists the shaders of the modules that the run needs, one a stage.
func (x *Execution) sources() ([]stageSource, error) {
	var list []stageSource
	for _, m := range x.Modules {
		entries, err := m.Select(x.Options.Entry, x.Options.Stage)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !x.runs(e.Stage) {
				continue
			}
			for i := range list {
				if list[i].entry.Stage == e.Stage {
					return nil, nirc.Usagef("%s: there are two %s shaders; --entry and --stage choose one", m.Name, e.Stage)
				}
			}
			list = append(list, stageSource{m, e})
		}
	}
	if len(list) == 0 {
		want := "a compute shader"
		switch {
		case x.Mesh:
			want = "a mesh shader"
		case x.Draw != nil:
			want = "a vertex and a fragment shader"
		}
		return nil, nirc.Usagef("the modules do not have %s", want)
	}
	if x.Draw != nil && !slices.ContainsFunc(list, func(s stageSource) bool { return s.entry.Stage == ir.StageVertex }) {
		return nil, nirc.Usagef("the modules do not have a vertex shader, with which a draw begins")
	}
	return list, nil
}

// runs reports whether the run is of shaders of a stage.
func (x *Execution) runs(s ir.Stage) bool {
	mesh, compute := s == ir.StageTask || s == ir.StageMesh, s == ir.StageCompute || s == ir.StageKernel
	switch {
	case x.Mesh:
		return mesh
	case x.Draw != nil:
		return !compute && !mesh
	}
	return compute
}

// compile compiles the shaders. Each is told which stage follows.
func (x *Execution) compile(ctx context.Context) ([]compiledStage, error) {
	sources, err := x.sources()
	if err != nil {
		return nil, err
	}
	pass := x.passesThrough(sources)
	has := func(s ir.Stage) bool {
		return pass && s == ir.StageGeometry || slices.ContainsFunc(sources, func(o stageSource) bool { return o.entry.Stage == s })
	}
	list := make([]compiledStage, len(sources))
	one := func(i int, o nirc.Options) (compiledStage, error) {
		s := sources[i]
		o.File, o.Entry, o.Stage, o.Next = s.m.Name, s.entry.Name, s.entry.Stage, ir.NextStage(s.entry.Stage, has)
		o.Printf = x.printsTo(s.m)
		return compileStage(ctx, s.m, o)
	}
	if x.Link && x.Draw != nil {
		l := x.linked(sources)
		if pass {
			l.opts.Next = ir.StageGeometry
		}
		one = func(i int, o nirc.Options) (compiledStage, error) {
			return l.one(ctx, i, func(p *nirc.Options) { *p = o })
		}
		if list, err = l.compile(ctx); err != nil {
			return nil, err
		}
	} else {
		for i := range sources {
			if list[i], err = one(i, x.drawOptions()); err != nil {
				return nil, err
			}
		}
	}
	if err := x.fit(list, one); err != nil {
		return nil, err
	}
	if pass {
		g, err := x.passThrough(ctx, list)
		return append(list, g), err
	}
	return list, nil
}

// drawOptions are the options with what the state of a draw asks for.
func (x *Execution) drawOptions() nirc.Options {
	o := x.Options
	if x.Draw != nil {
		o.SampleShading, o.Points, o.Multiview = x.Draw.Multisample.SampleShading, x.Draw.Topology == emu.PointList, x.Draw.ViewMask != 0
	}
	return o
}

// bind makes the descriptors; the result has the memory of each buffer.
func (x *Execution) bind(mem *emu.Memory, table *emu.Bindings, stages []compiledStage) ([]*emu.Buffer, error) {
	buffers := make([]*emu.Buffer, len(x.Bindings))
	for i := range stages {
		s := &stages[i]
		for k := range s.reflect.Resources {
			r := &s.reflect.Resources[k]
			if x.isPrint(*r) {
				continue
			}
			if r.Kind == "sampler" {
				x.bindSamplers(table, stages, r)
				continue
			}
			list, err := x.elements(mem, buffers, r, kindsAt(stages, r))
			if err != nil {
				return nil, err
			}
			if len(list) == 0 {
				return nil, nirc.Usagef("the %s shader's %s %d.%d %q is not bound", s.reflect.Stage, r.Kind, r.Set, r.Binding, r.Name)
			}
			table.Set(r.Set, r.Binding, list)
		}
	}
	return buffers, nil
}

// smooth is the sampler of what the layout gives none.
var smooth = &emu.Sampler{Mag: emu.FilterLinear, Min: emu.FilterLinear, MaxLod: emu.LodNone,
	Address: [3]emu.AddressMode{emu.AddressClampToEdge, emu.AddressClampToEdge, emu.AddressClampToEdge}}

// bindSamplers makes as many samplers as the stage has that has most; of arrays without a size those that the layout has.
func (x *Execution) bindSamplers(table *emu.Bindings, stages []compiledStage, r *object.Resource) {
	n := uint32(1)
	for i := range stages {
		for _, o := range stages[i].reflect.Resources {
			if o.Set == r.Set && o.Binding == r.Binding && o.Kind == r.Kind {
				n = max(n, o.Count)
			}
		}
	}
	if b := x.Options.Layout.Find(r.Set, r.Binding); b != nil && r.Count == 0 {
		n = max(n, b.Count)
	}
	list := make([]emu.Descriptor, n)
	for i := range list {
		list[i] = emu.Descriptor{Type: emu.DescSampler, Sampler: smooth}.Immutable(x.Options.Layout, r.Set, r.Binding, uint32(i))
	}
	table.Set(r.Set, r.Binding, list)
}

// maxElements bounds the elements of an array of descriptors.
const maxElements = 1 << 20

// maxUnbound is the longest array whose end has handles where nothing is bound, so that accesses of them are told.
const maxUnbound = 1 << 12

// kindsAt are the kinds of resources that stand where r does: its own, and others where the descriptors of an array differ.
func kindsAt(stages []compiledStage, r *object.Resource) (kinds []string) {
	for i := range stages {
		for _, o := range stages[i].reflect.Resources {
			if o.Set == r.Set && o.Binding == r.Binding && !slices.Contains(kinds, o.Kind) {
				kinds = append(kinds, o.Kind)
			}
		}
	}
	return kinds
}

// kindOf is the kind among several that a binding is of: the first that is an image, a texel buffer or a buffer as it is, of buffers one
// that can be written.
func kindOf(b *Binding, kinds []string) string {
	if slices.Contains(kinds, b.As) {
		return b.As
	}
	for _, k := range kinds {
		if k == "uniform_buffer" && slices.Contains(kinds, "storage_buffer") {
			continue
		}
		if ImageKinds[k] == (b.Image != nil) && strings.HasSuffix(k, "texel_buffer") == (b.Format != nil) {
			return k
		}
	}
	return kinds[0]
}

// elements makes the descriptors of a resource, none if none is given.
func (x *Execution) elements(mem *emu.Memory, buffers []*emu.Buffer, r *object.Resource, kinds []string) (list []emu.Descriptor, err error) {
	for i := range x.Bindings {
		b := &x.Bindings[i]
		if b.Set != r.Set || b.Binding != r.Binding {
			continue
		}
		if b.Element >= maxElements || r.Count != 0 && b.Element >= r.Count {
			return nil, nirc.Usagef("%s: the %s has %d descriptors", b, r.Kind, r.Count)
		}
		d, err := x.descriptor(mem, &buffers[i], b, kindOf(b, kinds))
		if err != nil {
			return nil, err
		}
		if n := int(b.Element) + 1; n > len(list) {
			list = append(list, make([]emu.Descriptor, n-len(list))...)
		}
		list[b.Element] = d
	}
	if n := int(r.Count) - len(list); len(list) > 0 && n > 0 && r.Count <= maxUnbound {
		list = append(list, make([]emu.Descriptor, n)...)
	}
	return list, nil
}

// descriptor makes the descriptor of what is bound, and its memory if it is a buffer that has none by then.
func (x *Execution) descriptor(mem *emu.Memory, buffer **emu.Buffer, b *Binding, kind string) (d emu.Descriptor, err error) {
	b.Kind = kind
	d = emu.Descriptor{Type: DescriptorTypes[kind], Sampler: smooth, Format: b.Format}
	switch image := ImageKinds[kind]; {
	case d.Type == emu.DescNone:
		return d, nirc.Usagef("%s: a resource of kind %s is not supported", b, kind)
	case image != (b.Image != nil):
		return d, nirc.Usagef("%s is a %s: give it %s", b, kind, map[bool]string{true: "an image", false: "a buffer"}[image])
	case image:
		d.Image = &emu.ImageView{Image: b.Image}
	default:
		if *buffer == nil {
			*buffer = mem.Alloc(len(b.Data))
			copy((*buffer).Data, b.Data)
		}
		if err := x.checkOffset(b); err != nil {
			return d, err
		}
		d.Addr, d.Size = (*buffer).Addr+uint64(b.Offset), uint64(len(b.Data))-uint64(b.Offset)
	}
	return d.Immutable(x.Options.Layout, b.Set, b.Binding, b.Element), nil
}

// checkOffset finds a dynamic offset where there is none, or one that leaves nothing of the buffer.
func (x *Execution) checkOffset(b *Binding) error {
	l := x.Options.Layout
	switch {
	case b.Offset == 0:
	case l.Dynamic(b.Set, b.Binding) < 0:
		return nirc.Usagef("%s: an offset is for buffers that are dynamic in the pipeline layout", b)
	case uint64(b.Offset) > uint64(len(b.Data)):
		return nirc.Usagef("%s: offset %d lies beyond the %d bytes of the buffer", b, b.Offset, len(b.Data))
	}
	return nil
}

// DescriptorTypes are the types of descriptors by Resource.Kind, ImageKinds
// those that are images.
var DescriptorTypes = map[string]emu.DescriptorType{
	"uniform_buffer": emu.DescUniformBuffer, "storage_buffer": emu.DescStorageBuffer, "uniform_texel_buffer": emu.DescUniformTexelBuffer,
	"storage_texel_buffer": emu.DescStorageTexelBuffer, "sampled_image": emu.DescSampledImage, "storage_image": emu.DescStorageImage,
	"combined_image_sampler": emu.DescCombinedImageSampler, "input_attachment": emu.DescInputAttachment,
}

// ImageKinds are the kinds of resources that are images.
var ImageKinds = map[string]bool{"sampled_image": true, "storage_image": true, "combined_image_sampler": true, "input_attachment": true}

func (x *Execution) run(ctx context.Context, env *emu.Env, stages []compiledStage) error {
	if x.Mesh {
		return x.runMesh(ctx, env, stages)
	}
	if x.Draw == nil {
		if len(stages) > 1 {
			return nirc.Usagef("a dispatch runs one compute shader, there are %d", len(stages))
		}
		return emu.Dispatch(ctx, stages[0].prog, env, emu.DispatchParams{Limits: x.Limits, Groups: x.Groups})
	}
	p := *x.Draw
	p.Env = env
	for i := range stages {
		s := stages[i].prog
		switch s.Stage() {
		case ir.StageVertex:
			p.Vertex = s
		case ir.StageTessCtrl:
			p.TessCtrl = s
		case ir.StageTessEval:
			p.TessEval = s
		case ir.StageGeometry:
			p.Geometry = s
		case ir.StageFragment:
			p.Fragment = s
		default:
			return fmt.Errorf("shaders of stage %s are not supported in a draw", s.Stage())
		}
	}
	if err := x.linkCapture(ctx, &p); err != nil {
		return err
	}
	if err := LinkPipeline(ctx, x.Options.Target, &p); err != nil {
		return err
	}
	params := x.DrawParams
	params.Limits = x.Limits
	return emu.Draw(ctx, &p, params)
}
