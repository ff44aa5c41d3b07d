package backend

import (
	"reflect"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/passes"
)

// State is the state of a pipeline that code depends on, as plain data; its JSON is what a driver gives (docs/state.md). Shader is what
// passes do in the shader, on every target; the rest is what prologs and epilogs have to know where a program has them.
type State struct {
	Shader     *passes.ShaderState `json:"shader,omitempty"`
	Attributes []AttribKey         `json:"attributes,omitempty"`
	// IndexBytes is the size of an index, 1, 2 or 4, of indexed draws whose vertex
	// shader runs as compute; 0 of draws without indices.
	IndexBytes int         `json:"index_bytes,omitempty"`
	Fragment   FragmentKey `json:"fragment,omitzero"`
}

// WantsParts reports whether the state says anything of parts, or nothing at all: a state of the shader alone is for whole programs.
func (s *State) WantsParts() bool {
	return s.Shader == nil || len(s.Attributes) > 0 || s.IndexBytes != 0 || !reflect.ValueOf(s.Fragment).IsZero()
}

// AttribKey is what a vertex prolog has to know of an attribute.
type AttribKey struct {
	Location uint32 `json:"location"`
	// Format is Vulkan's name without VK_FORMAT_, Stride that of the binding in bytes.
	Format string `json:"format"`
	Stride uint32 `json:"stride"`
	// Instance steps once every Divisor instances; 0 never steps.
	Instance bool   `json:"instance,omitempty"`
	Divisor  uint32 `json:"divisor,omitempty"`
}

// TargetKey is the state of a colour target; without a Format there is none.
type TargetKey struct {
	Format string `json:"format,omitempty"`
	// Blend is Vulkan's state of the attachment.
	Blend emu.AttachmentBlend `json:"blend"`
}

// FragmentKey is what the prolog and the epilog of a fragment shader have to
// know of the pipeline.
type FragmentKey struct {
	Targets []TargetKey `json:"targets,omitempty"`
	// LogicEnable applies Logic in place of blending.
	LogicEnable     bool       `json:"logic_enable,omitempty"`
	Logic           ir.LogicOp `json:"logic,omitempty"`
	AlphaToCoverage bool       `json:"alpha_to_coverage,omitempty"`
	AlphaToOne      bool       `json:"alpha_to_one,omitempty"`
	// Samples of a pixel: 1, 2 or 4; 0 counts as 1.
	Samples int `json:"samples,omitempty"`
	// SampleMask, if not nil, has the samples that may be written.
	SampleMask *uint32 `json:"sample_mask,omitempty"`
	// DepthNever says that the depth test is on and never passes.
	DepthNever bool `json:"depth_never,omitempty"`
	// CullDistances is the number of those of the stage before.
	CullDistances int `json:"cull_distances,omitempty"`
}

// NeedsProlog reports whether a fragment program takes a prolog.
func (k *FragmentKey) NeedsProlog() bool { return k.SampleMask != nil || k.CullDistances > 0 }
