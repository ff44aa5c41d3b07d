package nirc

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"nirc/backend/object"
	"nirc/ir"
)

// Interface is the interface of a shader of a module, for people and tools.
type Interface struct {
	File  string `json:"file,omitempty"`
	Entry string `json:"entry"`
	object.Reflection
	// Modes are the execution modes that fixed function goes by.
	Modes []string `json:"modes,omitempty"`
	// Blocks are the buffers whose elements are structures.
	Blocks        []BlockLayout  `json:"blocks,omitempty"`
	SpecConstants []SpecConstant `json:"spec_constants,omitempty"`
	// Captures are the outputs that transform feedback takes, by buffer and offset.
	Captures []CapturedOutput `json:"captures,omitempty"`
	// WorkgroupVariable tells that the workgroup size is not known before
	// the launch.
	WorkgroupVariable bool `json:"workgroup_size_variable,omitempty"`
}

// BlockLayout lists the members of a uniform or storage buffer.
type BlockLayout struct {
	Set     uint32          `json:"set"`
	Binding uint32          `json:"binding"`
	Size    uint32          `json:"size"` // bytes, without a run-time array
	Members []object.Member `json:"members"`
}

// SpecConstant is a specialization constant of the module; Default is the value
// in the constant's type.
type SpecConstant struct {
	ID      uint32 `json:"id"`
	Name    string `json:"name,omitempty"`
	Type    string `json:"type"`
	Default string `json:"default"`
}

// CapturedOutput is a run of components of an output that transform feedback
// writes for each vertex. A 64-bit component counts as two.
type CapturedOutput struct {
	Buffer   uint8  `json:"buffer"`
	Offset   uint32 `json:"offset"` // bytes
	Stride   uint32 `json:"stride"` // bytes a vertex takes
	Stream   uint8  `json:"stream"`
	Location string `json:"location"`
	// First is the first component in its location, Components how many of Bits.
	First      uint8 `json:"first_component"`
	Components uint8 `json:"components"`
	Bits       uint8 `json:"bits"`
}

// capturesOf describes what transform feedback takes of a shader.
func capturesOf(s *ir.Shader) []CapturedOutput {
	var list []CapturedOutput
	for _, c := range s.Captures {
		list = append(list, CapturedOutput{Buffer: c.Buffer, Offset: c.Offset, Stride: s.Info.XfbStrides[c.Buffer], Stream: c.Stream,
			Location: slotLocation(s, ir.ModeShaderOut, c.Slot), First: c.First, Components: c.Count, Bits: c.Bits})
	}
	return list
}

// Interface describes the shader that the options choose. The workgroup size is
// that of the specialization that they give.
func (m *Module) Interface(ctx context.Context, o Options) (*Interface, error) {
	s, err := Translate(ctx, m, o)
	if err != nil {
		return nil, err
	}
	r := &Interface{File: m.Name, Entry: s.Name, Reflection: Reflect(s), Modes: modesOf(s), Captures: capturesOf(s), WorkgroupVariable: s.Info.WorkgroupSizeVariable}
	for _, v := range s.Variables {
		t := v.Type
		for t.IsArray() && t.Elem.IsStruct() {
			t = t.Elem
		}
		if v.Mode&(ir.ModeUBO|ir.ModeSSBO) != 0 && t.IsStruct() {
			b := BlockLayout{Set: v.Set, Binding: v.Binding, Members: typeMembers(nil, t)}
			for _, f := range b.Members {
				b.Size = max(b.Size, f.Offset+f.Size)
			}
			r.Blocks = append(r.Blocks, b)
		}
	}
	slices.SortStableFunc(r.Blocks, func(a, b BlockLayout) int {
		if a.Set != b.Set {
			return int(a.Set) - int(b.Set)
		}
		return int(a.Binding) - int(b.Binding)
	})
	for _, c := range m.SpecConstants() {
		r.SpecConstants = append(r.SpecConstants, SpecConstant{ID: c.ID, Name: c.Name, Type: specType(c.Class, c.Bits), Default: specText(c.Class, c.Bits, c.Default)})
	}
	return r, nil
}

// modesOf lists the execution modes of a shader.
func modesOf(s *ir.Shader) []string {
	var list []string
	add := func(on bool, format string, args ...any) {
		if on {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	name := func(names []string, i uint8) string { return names[min(int(i), len(names)-1)] }
	tess, geom := &s.Info.Tess, &s.Info.Geom
	switch s.Stage {
	case ir.StageTessCtrl:
		add(true, "output_vertices %d", tess.OutputVertices)
	case ir.StageGeometry:
		add(true, "input %s", name(ir.InPrimitiveNames[:], geom.InPrimitive))
		add(true, "output %s", name(ir.OutPrimitiveNames[:], geom.OutPrimitive))
		add(true, "max_vertices %d", geom.MaxVertices)
		add(geom.Invocations > 1, "invocations %d", geom.Invocations)
	case ir.StageFragment:
		add(s.Info.EarlyFragmentTests, "early_fragment_tests")
		add(s.Info.PostDepthCoverage, "post_depth_coverage")
		add(s.Info.DepthReplacing, "depth_replacing")
		add(s.Info.StencilReplacing, "stencil_replacing")
	}
	if s.Stage == ir.StageTessCtrl || s.Stage == ir.StageTessEval {
		add(tess.Domain != ir.DomainNone, "domain %s", name(ir.DomainNames[:], tess.Domain))
		add(tess.Domain != ir.DomainNone, "spacing %s", name(ir.SpacingNames[:], tess.Spacing))
		add(tess.Domain == ir.DomainTriangles || tess.Domain == ir.DomainQuads, "order %s", map[bool]string{true: "ccw", false: "cw"}[tess.CCW])
		add(tess.PointMode, "point_mode")
	}
	return list
}

func specType(c ir.TypeClass, bits uint8) string {
	switch c {
	case ir.ClassBool:
		return "bool"
	case ir.ClassFloat:
		return fmt.Sprintf("f%d", bits)
	case ir.ClassInt:
		return fmt.Sprintf("i%d", bits)
	}
	return fmt.Sprintf("u%d", bits)
}

// specText writes a specialization constant's value as --spec takes it.
func specText(c ir.TypeClass, bits uint8, v uint64) string {
	switch c {
	case ir.ClassBool:
		return fmt.Sprint(v != 0)
	case ir.ClassFloat:
		if bits == 64 {
			return fmt.Sprint(math.Float64frombits(v))
		}
		return fmt.Sprint(float32(ir.FloatValue(v, bits)))
	case ir.ClassInt:
		return fmt.Sprint(int64(v<<(64-bits)) >> (64 - bits))
	}
	return fmt.Sprint(v)
}

// Write writes the interface as text.
func (r *Interface) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s shader %q", r.Stage, r.Entry)
	if r.File != "" {
		fmt.Fprintf(t, " of %s", r.File)
	}
	fmt.Fprintln(t)
	if r.WorkgroupSize != nil {
		fmt.Fprintf(t, "workgroup size\t%d %d %d\n", r.WorkgroupSize[0], r.WorkgroupSize[1], r.WorkgroupSize[2])
	}
	if r.WorkgroupVariable {
		fmt.Fprintf(t, "workgroup size\tvariable\n")
	}
	if len(r.Modes) > 0 {
		fmt.Fprintf(t, "modes\t%s\n", strings.Join(r.Modes, ", "))
	}
	if r.SharedSize != 0 {
		fmt.Fprintf(t, "shared memory\t%d bytes\n", r.SharedSize)
	}
	writeSlots(t, "inputs", r.Inputs)
	writeSlots(t, "outputs", r.Outputs)
	if len(r.Resources) > 0 {
		fmt.Fprintln(t, "\nresources")
	}
	for _, x := range r.Resources {
		count := ""
		switch x.Count {
		case 0:
			count = "[]"
		case 1:
		default:
			count = fmt.Sprintf("[%d]", x.Count)
		}
		fmt.Fprintf(t, "  %d.%d%s\t%s\t%s\t%s\n", x.Set, x.Binding, count, x.Kind, firstOf(x.Name, "-"), strings.Join(strings.Fields(x.Type), " "))
		for _, b := range r.Blocks {
			if b.Set == x.Set && b.Binding == x.Binding {
				writeMembers(t, "    ", b.Members)
			}
		}
	}
	if len(r.Captures) > 0 {
		fmt.Fprintln(t, "\ntransform feedback")
	}
	for _, c := range r.Captures {
		fmt.Fprintf(t, "  buffer %d+%d of %d\tstream %d\t%s\t%d\u00d7%d bits from component %d\n", c.Buffer, c.Offset, c.Stride, c.Stream, c.Location, c.Components, c.Bits, c.First)
	}
	if len(r.PushConstants) > 0 {
		fmt.Fprintln(t, "\npush constants")
		writeMembers(t, "  ", r.PushConstants)
	}
	if len(r.SpecConstants) > 0 {
		fmt.Fprintln(t, "\nspecialization constants")
	}
	for _, c := range r.SpecConstants {
		fmt.Fprintf(t, "  %d\t%s\t%s\t%s\n", c.ID, c.Type, firstOf(c.Name, "-"), c.Default)
	}
	return t.Flush()
}

func writeSlots(w io.Writer, title string, list []object.Slot) {
	if len(list) > 0 {
		fmt.Fprintf(w, "\n%s\n", title)
	}
	for _, s := range list {
		place := s.Location
		if s.Component != 0 {
			place += fmt.Sprintf(" component %d", s.Component)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s", place, s.Type, firstOf(s.Name, "-"))
		if s.Interp != "" {
			fmt.Fprintf(w, "\t%s", s.Interp)
		}
		fmt.Fprintln(w)
	}
}

func writeMembers(w io.Writer, indent string, list []object.Member) {
	for _, m := range list {
		size := fmt.Sprintf("%d bytes", m.Size)
		if m.Size == 0 {
			size = "run-time sized"
		}
		fmt.Fprintf(w, "%s+%d\t%s\t%s\t%s\n", indent, m.Offset, size, firstOf(m.Name, "-"), m.Type)
	}
}

// firstOf is s, or what stands for an empty s.
func firstOf(s, empty string) string {
	if s == "" {
		return empty
	}
	return s
}
