package passes

import (
	"testing"

	"nirc/ir"
)

// TestComponentMerges: variables in components of one slot become a vector if they are alike in all that a vector has once,
// and do not overlap.
func TestComponentMerges(t *testing.T) {
	f32 := ir.VectorType(ir.BaseFloat, 32, 1)
	s := ir.NewShader(ir.StageFragment, nil)
	variable := func(typ *ir.Type, component uint8) *ir.Variable {
		v := s.NewVariable(ir.ModeShaderIn, typ, "v")
		v.Location, v.Component = int32(ir.SlotVar0), component
		return v
	}
	for _, c := range []struct {
		name  string
		first *ir.Type
		next  *ir.Type
		set   func(v *ir.Variable)
		takes bool
	}{
		{"alike", f32, f32, nil, true},
		{"other components", f32, ir.VectorType(ir.BaseFloat, 32, 2), nil, true},
		{"arrays of one length", ir.ArrayType(f32, 3, 0), ir.ArrayType(f32, 3, 0), nil, true},
		{"arrays of arrays", ir.ArrayType(ir.ArrayType(f32, 2, 0), 3, 0), ir.ArrayType(ir.ArrayType(f32, 2, 0), 3, 0), nil, true},
		{"overlap", ir.VectorType(ir.BaseFloat, 32, 2), f32, nil, false},
		{"arrays of other lengths", ir.ArrayType(f32, 3, 0), ir.ArrayType(f32, 2, 0), nil, false},
		{"arrays of other lengths inside", ir.ArrayType(ir.ArrayType(f32, 2, 0), 3, 0), ir.ArrayType(ir.ArrayType(f32, 1, 0), 3, 0), nil, false},
		{"the first is an array", ir.ArrayType(f32, 3, 0), f32, nil, false},
		{"the next is an array", f32, ir.ArrayType(f32, 3, 0), nil, false},
		{"class", f32, ir.VectorType(ir.BaseInt, 32, 1), nil, false},
		{"bits", f32, ir.VectorType(ir.BaseFloat, 16, 1), nil, false},
		{"mode", f32, f32, func(v *ir.Variable) { v.Mode = ir.ModeShaderOut }, false},
		{"index", f32, f32, func(v *ir.Variable) { v.Index = 1 }, false},
		{"interpolation", f32, f32, func(v *ir.Variable) { v.Interp = ir.InterpFlat }, false},
		{"centroid", f32, f32, func(v *ir.Variable) { v.Centroid = true }, false},
		{"sample", f32, f32, func(v *ir.Variable) { v.Sample = true }, false},
		{"patch", f32, f32, func(v *ir.Variable) { v.Patch = true }, false},
		{"invariant", f32, f32, func(v *ir.Variable) { v.Invariant = true }, false},
		{"view", f32, f32, func(v *ir.Variable) { v.PerView = true }, false},
		{"vertex", f32, f32, func(v *ir.Variable) { v.PerVertex = true }, false},
		{"primitive", f32, f32, func(v *ir.Variable) { v.PerPrimitive = true }, false},
		{"framebuffer", f32, f32, func(v *ir.Variable) { v.FBFetch = true }, false},
		{"stream", f32, f32, func(v *ir.Variable) { v.Stream = 1 }, false},
		{"precision", f32, f32, func(v *ir.Variable) { v.Mediump = true }, false},
		{"access", f32, f32, func(v *ir.Variable) { v.Access = ir.AccessVolatile }, false},
	} {
		m := &componentMerge{vars: []*ir.Variable{variable(c.first, 0)}}
		v := variable(c.next, 1)
		if c.set != nil {
			c.set(v)
		}
		if got := m.takes(v); got != c.takes {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestMergesAcrossOthers: outputs with another between them stay apart, be it a part of something larger; inputs need not, and a gap
// is none that matters.
func TestMergesAcrossOthers(t *testing.T) {
	f32, i32 := ir.VectorType(ir.BaseFloat, 32, 1), ir.VectorType(ir.BaseInt, 32, 1)
	for _, c := range []struct {
		name            string
		mode            ir.Mode
		between         *ir.Type
		location, index int32
		component       uint8
		merges          bool
	}{
		{"nothing", ir.ModeShaderOut, nil, 1, 0, 0, true},
		{"an output", ir.ModeShaderOut, i32, 1, 0, 1, false},
		{"an output at the end", ir.ModeShaderOut, i32, 1, 0, 3, true},
		{"an output of another index", ir.ModeShaderOut, i32, 1, 1, 1, true},
		{"an output of the next location", ir.ModeShaderOut, i32, 2, 0, 1, true},
		{"an array that ends before", ir.ModeShaderOut, ir.ArrayType(i32, 1, 0), 0, 0, 1, true},
		{"an array that reaches there", ir.ModeShaderOut, ir.ArrayType(i32, 2, 0), 0, 0, 1, false},
		{"an input", ir.ModeShaderIn, i32, 1, 0, 1, true},
	} {
		s := ir.NewShader(ir.StageVertex, nil)
		variable := func(typ *ir.Type, location int32, component uint8) *ir.Variable {
			v := s.NewVariable(c.mode, typ, "v")
			v.Location, v.Component = int32(ir.SlotVar0)+location, component
			return v
		}
		first, last := variable(f32, 1, 0), variable(f32, 1, 2)
		if c.between != nil {
			variable(c.between, c.location, c.component).Index = uint32(c.index)
		}
		if got := !(&componentMerge{vars: []*ir.Variable{first}}).covers(s, last); got != c.merges {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
