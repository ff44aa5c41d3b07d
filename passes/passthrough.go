package passes

import (
	"slices"

	"nirc/ir"
)

// passOn is a shader that takes the outputs of another and puts them out again: pairs of its inputs and outputs.
type passOn struct {
	s       *ir.Shader
	b       *ir.Builder
	in, out []*ir.Variable
}

// newPassOn makes s, a vertex or evaluation shader, the next stage: an empty main of a shader that reads, by vertex, what s put out, of which there
// are as many as inputs says, and has the same outputs, an array of them if outputs is not 0.
func newPassOn(s *ir.Shader, stage ir.Stage, inputs, outputs uint32) *passOn {
	p := &passOn{s: s}
	written := slices.DeleteFunc(slices.Clone(s.Variables), func(v *ir.Variable) bool { return v.Mode != ir.ModeShaderOut || v.Patch })
	s.Stage, s.Functions, s.Variables = stage, nil, nil
	s.ConstantData, s.ScratchSize, s.SharedSize = nil, 0, 0
	s.Info = ir.Info{FloatControls: s.Info.FloatControls, ClipDistances: s.Info.ClipDistances, CullDistances: s.Info.CullDistances, Xfb: s.Info.Xfb, XfbStrides: s.Info.XfbStrides}
	s.SetLoc(0)
	for _, v := range written {
		out, in := *v, *v
		in.ID, in.Mode, in.Type = 0, ir.ModeShaderIn, ir.ArrayType(v.Type, inputs, 0)
		in.XfbBuffer, in.XfbOffset, in.XfbStride, in.Invariant = -1, -1, 0, false
		if outputs > 0 {
			out.Type = ir.ArrayType(v.Type, outputs, 0)
			out.XfbBuffer, out.XfbOffset, out.XfbStride = -1, -1, 0
		}
		p.in, p.out = append(p.in, p.variable(in)), append(p.out, p.variable(out))
	}
	f := s.NewFunction("main")
	f.IsEntry = true
	p.b = ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	return p
}

// variable adds a variable like another.
func (p *passOn) variable(like ir.Variable) *ir.Variable {
	v := p.s.NewVariable(like.Mode, like.Type, like.Name)
	like.ID, like.Init, like.PointerInit, like.DriverLocation = v.ID, nil, nil, 0
	*v = like
	return v
}

// copy copies a vertex of the inputs to the outputs, of which index is the vertex unless nil.
func (p *passOn) copy(vertex, index *ir.Def) {
	for i := range p.in {
		to := p.b.DerefVar(p.out[i])
		if index != nil {
			to = p.b.DerefArray(to, index)
		}
		p.b.CopyDeref(to, p.b.DerefArray(p.b.DerefVar(p.in[i]), vertex))
	}
}

// passesOn reports whether a shader is one whose outputs the next stage can pass on: variables of a stage that works on vertices.
func passesOn(s *ir.Shader) bool {
	return (s.Stage == ir.StageVertex || s.Stage == ir.StageTessEval) && !s.Info.IOLowered
}
