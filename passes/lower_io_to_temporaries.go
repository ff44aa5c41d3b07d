package passes

import (
	"math"
	"slices"

	"nirc/ir"
)

var lowerIOToTemporariesPass = &Pass{
	Name: "lower_io_to_temporaries", Class: "A", Run: lowerIOToTemporaries, ForOptions: forIOToTemporaries,
	Doc: "Gives inputs and outputs temporaries: inputs are copied in at the start, outputs are copied out at the end (before each emit_vertex of a geometry shader), " +
		"so that outputs are written once and nothing is indexed indirectly. Input: one entry point, everything inlined, single exit. Inputs are only copied when " +
		"they are loaded by a dynamic index; interpolation functions of those and loads at a vertex keep the input, and choose the element by ifs.",
	Options: []Option{
		{Name: "modes", Doc: "shader_in, shader_out or both", Default: ir.ModeShaderOut},
	},
}

// forIOToTemporaries: inputs get temporaries for what is indexed.
func forIOToTemporaries(c *Context) ir.Contents {
	if c.Modes("modes") == ir.ModeShaderIn {
		return ir.HasElement
	}
	return 0
}

func lowerIOToTemporaries(c *Context, s *ir.Shader) (bool, error) {
	f := s.Entry()
	if f == nil || f.Impl == nil || s.Stage == ir.StageTessCtrl || s.Stage == ir.StageMesh {
		return false, nil
	}
	modes := c.Modes("modes")
	kept := ir.MetaControlFlow
	if modes&ir.ModeShaderIn != 0 && lowerIndirectInterp(f.Impl) {
		kept = ir.MetaNone
	}
	var few [8]*ir.Variable
	moved := wantTemporaries(few[:0], s, f.Impl, modes)
	if len(moved) == 0 {
		f.Impl.Preserve(kept)
		return kept == ir.MetaNone, nil
	}
	f.Impl.Locals = slices.Grow(f.Impl.Locals, len(moved))
	temp := make(varTable[*ir.Variable], maxVarID(s.Variables)+1)
	for _, v := range moved {
		t := f.Impl.NewLocal(v.Type.Bare(), v.Name)
		t.Init, v.Init = v.Init, nil
		temp[v.ID] = t
	}
	stored := lastStores(f.Impl)
	interps := interpolated(f.Impl, temp)
	for in := range f.Impl.Instrs() {
		if in.Kind == ir.KindDeref {
			redirect(in, temp)
		}
	}
	for _, x := range interps {
		rebaseInterp(x)
	}
	b := ir.NewBuilder(ir.AtStart(f.Impl.Start()))
	for _, v := range moved {
		v.Temporary = true
		if v.Mode == ir.ModeShaderIn {
			b.CopyDeref(b.DerefVar(temp[v.ID]), b.DerefVar(v))
		}
	}
	eachOutput(s, f.Impl, func(at ir.Cursor) {
		b.At(at)
		for _, v := range moved {
			if v.Mode == ir.ModeShaderOut {
				s.SetLoc(stored.of(v))
				b.CopyDeref(b.DerefVar(v), b.DerefVar(temp[v.ID]))
			}
		}
	})
	f.Impl.Preserve(kept)
	return true, nil
}

// wantTemporaries appends the variables of the modes to replace: outputs, and
// inputs that are read by an index that is not constant.
func wantTemporaries(list []*ir.Variable, s *ir.Shader, impl *ir.Impl, modes ir.Mode) []*ir.Variable {
	indirect := indirectInputs(impl)
	for _, v := range s.Variables {
		if v.Mode&modes == 0 || v.Temporary || v.FBFetch {
			continue
		}
		if v.Mode == ir.ModeShaderIn && (!indirect[v] || arrayedIO(s, v)) {
			continue
		}
		list = append(list, v)
	}
	return list
}

// eachOutput calls f with each place where the outputs leave the shader:
// before a geometry shader emits a vertex, else where it returns.
func eachOutput(s *ir.Shader, impl *ir.Impl, f func(at ir.Cursor)) {
	if s.Stage == ir.StageGeometry {
		for in := range impl.Instrs() {
			if in.IsIntrinsic(ir.IntrEmitVertex) || in.IsIntrinsic(ir.IntrEmitVertexWithCounter) {
				f(ir.Before(in))
			}
		}
		return
	}
	var few [4]*ir.Block
	for _, p := range append(few[:0], impl.End.Preds...) {
		if j := p.Jump(); j == nil || j.Jump == ir.JumpReturn {
			f(ir.BeforeJump(p))
		}
	}
}

// varTable holds something by the IDs of a shader's variables; of those beyond and of nil it has none.
type varTable[T any] []T

func (t varTable[T]) of(v *ir.Variable) (x T) {
	if v != nil && int(v.ID) < len(t) {
		return t[v.ID]
	}
	return x
}

// lastStores finds the place of the last store to each variable, in the order of the text.
// Most shaders are compiled without places.
func lastStores(impl *ir.Impl) varTable[uint32] {
	if len(impl.Shader.Locs) <= 1 {
		return nil
	}
	places := make(varTable[uint32], maxVarID(impl.Shader.Variables)+1)
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsIntrinsic(ir.IntrStoreDeref) || in.IsIntrinsic(ir.IntrCopyDeref) {
				if v := rootVar(derefOf(in.Srcs[0].Def)); v != nil && int(v.ID) < len(places) {
					places[v.ID] = in.Loc
				}
			}
		}
	}
	return places
}

// lowerIndirectInterp gives interpolation functions of inputs, and loads at a vertex,
// constant indices: what they read depends on more than the input.
func lowerIndirectInterp(impl *ir.Impl) (progress bool) {
	l := &indirects{modes: ir.ModeShaderIn, max: math.MaxUint32}
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if (isInterp(in) || loadsAtVertex(in)) && l.access(in) {
				progress = true
				break // the rest of the block is a block of its own now
			}
		}
	}
	return progress
}

func isInterp(in *ir.Instr) bool {
	switch in.Intr {
	case ir.IntrInterpDerefAtCentroid, ir.IntrInterpDerefAtSample, ir.IntrInterpDerefAtOffset, ir.IntrInterpDerefAtVertex:
		return in.Kind == ir.KindIntrinsic
	}
	return false
}

// loadsAtVertex reports whether in loads from a per-vertex input.
func loadsAtVertex(in *ir.Instr) bool {
	if !in.IsIntrinsic(ir.IntrLoadDeref) {
		return false
	}
	v := rootVar(derefOf(in.Srcs[0].Def))
	return v != nil && v.PerVertex
}

// atInput is an interpolation function of an input.
type atInput struct {
	in *ir.Instr
	v  *ir.Variable
}

// interpolated lists the interpolation functions of the variables with temporaries.
func interpolated(impl *ir.Impl, temp varTable[*ir.Variable]) (list []atInput) {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if !isInterp(in) {
				continue
			}
			if v := rootVar(derefOf(in.Srcs[0].Def)); temp.of(v) != nil {
				list = append(list, atInput{in, v})
			}
		}
	}
	return list
}

// rebaseInterp lets an interpolation function read its input again: a copy has
// the value at the pixel only.
func rebaseInterp(x atInput) {
	d := derefOf(x.in.Srcs[0].Def)
	var buf [pathLen]*ir.Instr
	b := builderBefore(x.in)
	ptr := b.DerefVar(x.v)
	for _, p := range derefPath(buf[:0], d)[1:] {
		ptr = rebuildDeref(b, p, ptr)
	}
	x.in.Srcs[0].Set(ptr)
	removeDeadDerefs(d)
}

// redirect makes a deref of a variable with a temporary one of the temporary,
// and derefs below it follow.
func redirect(in *ir.Instr, temp varTable[*ir.Variable]) {
	d := in.DerefInfo()
	if in.Deref == ir.DerefVar {
		if t := temp.of(d.Var); t != nil {
			d.Var, d.Type = t, t.Type
			in.SetModes(t.Mode)
		}
		return
	}
	parent := in.Srcs[0].Def.Instr
	if parent.Kind != ir.KindDeref || d.Modes&(ir.ModeShaderIn|ir.ModeShaderOut) == 0 {
		return
	}
	p := parent.DerefInfo()
	in.SetModes(p.Modes)
	switch in.Deref {
	case ir.DerefStruct:
		d.Type = p.Type.Fields[d.Field].Type
	case ir.DerefArray, ir.DerefArrayWildcard:
		d.Type = p.Type.Child()
	}
}

// indirectInputs are the input variables that a dynamic index reaches into.
func indirectInputs(impl *ir.Impl) map[*ir.Variable]bool {
	var found map[*ir.Variable]bool // most shaders have none
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind != ir.KindDeref || in.Deref != ir.DerefArray || in.DerefInfo().Modes != ir.ModeShaderIn || in.Srcs[1].Def.IsConst() {
				continue
			}
			d := in
			for d.Kind == ir.KindDeref && d.Deref != ir.DerefVar {
				d = d.Srcs[0].Def.Instr
			}
			if d.Kind == ir.KindDeref {
				if found == nil {
					found = map[*ir.Variable]bool{}
				}
				found[d.DerefInfo().Var] = true
			}
		}
	}
	return found
}
