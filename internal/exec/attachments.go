package exec

import (
	"context"

	"nirc"
	"nirc/backend"
	"nirc/backend/object"
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// readsAttachments reports whether a shader of a module is a fragment shader that reads what colour attachments hold, as tile images
// or to blend by passes, on a target whose code depends on their formats: it is compiled when the pipeline is known.
func readsAttachments(m *nirc.Module, o *nirc.Options) bool {
	if o.Stage != ir.StageFragment || !hasABI(o.Target, nirc.SeparateABI) {
		return false
	}
	if o.State != nil && o.State.Shader != nil && len(o.State.Shader.Blend) > 0 {
		return true
	}
	return m.SPIRV != nil && m.SPIRV.Declares(spv.CapabilityTileImageColorReadAccessEXT)
}

// forState makes a program that is compiled for the state of each pipeline that it comes into. What reflection says of it, the
// passes that all targets share know.
func forState(ctx context.Context, m *nirc.Module, o nirc.Options) (c compiledStage, err error) {
	shared := o
	shared.Target, shared.GPU, shared.ABI, shared.State = nirc.IRTarget, "", "", nil
	if c, err = compileStage(ctx, m, shared); err != nil {
		return compiledStage{}, err
	}
	whole := func(ctx context.Context, state *nirc.State) (*object.Object, error) {
		o := o
		o.State, o.ABI = withShader(&o, state), ""
		return m.Compile(ctx, o)
	}
	c.prog = &mainPart{target: o.Target, entry: o.Entry, stage: o.Stage, whole: whole}
	return c, nil
}

// withShader is the state of a draw with what the options' state says of the shader.
func withShader(o *nirc.Options, state *nirc.State) *nirc.State {
	s := *state
	if o.State != nil {
		s.Shader = o.State.Shader
	}
	return &s
}

// anyState is a state in which all attachments are there, for a shader that is compiled before a draw tells the right one.
func anyState(o *nirc.Options) *nirc.State {
	s := nirc.State{}
	for range 8 {
		s.Fragment.Targets = append(s.Fragment.Targets, backend.TargetKey{Format: "R8G8B8A8_UNORM"})
	}
	return withShader(o, &s)
}
