package nirc

import (
	"context"
	"fmt"
	"slices"

	"nirc/backend/object"
	"nirc/internal/reflection"
	"nirc/ir"
	"nirc/passes"
)

// Reflect describes the interface of a shader by its variables. It is to be
// asked before passes remove them.
func Reflect(s *ir.Shader) object.Reflection { return reflection.Of(s) }

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
	// Payloads are what task and ray tracing shaders hand on and get.
	Payloads []Payload `json:"payloads,omitempty"`
	// WorkgroupVariable says that the workgroup size is not known before
	// the launch.
	WorkgroupVariable bool `json:"workgroup_size_variable,omitempty"`
	// Deciding are words of uniform buffers and push constants that decide branches and ends of loops by themselves, as
	// SET.BINDING+OFFSET or push+OFFSET: what is worth being known (Options.Uniforms).
	Deciding []string `json:"deciding_uniforms,omitempty"`
}

// BlockLayout lists the members of a uniform or storage buffer.
type BlockLayout struct {
	Set     uint32          `json:"set"`
	Binding uint32          `json:"binding"`
	Size    uint32          `json:"size"` // bytes, without a run-time array
	Members []object.Member `json:"members"`
}

// Payload is what shaders hand to those that they start, a hit's attributes, or the shader record.
type Payload struct {
	Name string `json:"name,omitempty"`
	// Kind is task_payload, call_data (of rays or callables), incoming_call_data, hit_attribute or shader_record.
	Kind     string `json:"kind"`
	Location string `json:"location,omitempty"`
	// Size is in bytes, in the layout that lower_vars_to_explicit_types gives.
	Size    uint32          `json:"size"`
	Type    string          `json:"type"`
	Members []object.Member `json:"members,omitempty"`
}

// payloadsOf describes what a shader hands on and gets.
func payloadsOf(s *ir.Shader) []Payload {
	var list []Payload
	for _, v := range s.Variables {
		p := Payload{Name: v.Name}
		switch {
		case v.Mode == ir.ModeTaskPayload:
			p.Kind = "task_payload"
		case v.Mode == ir.ModeShaderCall && v.Incoming:
			p.Kind = "incoming_call_data"
		case v.Mode == ir.ModeShaderCall:
			p.Kind = "call_data"
		case v.Mode == ir.ModeHitAttrib:
			p.Kind = "hit_attribute"
		case v.Mode == ir.ModeGlobal:
			p.Kind = "shader_record"
		default:
			continue
		}
		if v.Location >= 0 {
			p.Location = fmt.Sprintf("location %d", v.Location)
		}
		t, size, _ := v.Type.Explicit()
		p.Size, p.Type = uint32(min(size, 1<<31)), t.String()
		p.Members = reflection.Members(nil, t)
		list = append(list, p)
	}
	return list
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
			Location: reflection.Location(s, ir.ModeShaderOut, c.Slot), First: c.First, Components: c.Count, Bits: c.Bits})
	}
	return list
}

// Interface describes the shader that the options choose. The workgroup size is
// that of the specialization that they give.
func (m *Module) Interface(ctx context.Context, o Options) (*Interface, error) {
	o.anySize = true
	s, err := Translate(ctx, m, o)
	if err != nil {
		return nil, err
	}
	r := &Interface{File: m.Name, Entry: s.Name, Reflection: Reflect(s), Modes: reflection.Modes(s), Captures: capturesOf(s), Payloads: payloadsOf(s), WorkgroupVariable: s.Info.WorkgroupSizeVariable}
	for _, v := range s.Variables {
		t := v.Type
		for t.IsArray() && t.Elem.IsStruct() {
			t = t.Elem
		}
		if v.Mode&(ir.ModeUBO|ir.ModeSSBO) != 0 && t.IsStruct() {
			b := BlockLayout{Set: v.Set, Binding: reflection.Binding(s, v), Members: reflection.Members(nil, t)}
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
		r.SpecConstants = append(r.SpecConstants, SpecConstant{ID: c.ID, Name: c.Name, Type: c.TypeName(), Default: c.FormatValue(c.Default)})
	}
	r.Deciding = decidingUniforms(s)
	return r, nil
}

// toUniforms are the passes after which passes.DecidingUniforms sees all that it looks for.
const toUniforms = "lower_continue_constructs,lower_returns,inline_functions,remove_non_entrypoints,split_var_copies,lower_var_copies,lower_vars_to_ssa,opt_deref," +
	"lower_explicit_io(modes=mem_ubo|mem_push_const),opt_copy_prop,opt_constant_folding,opt_dce"

// decidingUniforms says where the words are that decide branches. It changes s, and says nothing of a shader that passes refuse.
func decidingUniforms(s *ir.Shader) (places []string) {
	p, err := passes.ParsePassList(toUniforms)
	if err != nil || p.Run(s, passes.RunOptions{}) != nil {
		return nil
	}
	for _, u := range passes.DecidingUniforms(s) {
		places = append(places, u.Place())
	}
	return places
}
