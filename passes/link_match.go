package passes

import (
	"fmt"

	"nirc/ir"
)

// Mismatch is an input of a stage that the outputs of the stage before it do not fit.
type Mismatch struct {
	Loc ir.Loc // the first use of the input
	Msg string
	// Missing: the outputs lack some of the input, which is undefined there; else the types differ.
	Missing bool
}

// outputComponent is what producer has in a component of a slot.
type outputComponent struct {
	v    *ir.Variable
	leaf *ir.Type
}

// MatchInterface holds the inputs that consumer uses to the outputs that producer declares, as Vulkan's interface matching has it: by
// location and component, of the same numeric type and width; arrays, matrices and structures member by
// member, vectors may have more components than are read. Interpolation may differ. The shaders are as the frontend made them.
func MatchInterface(producer, consumer *ir.Shader) (list []Mismatch) {
	var out [ir.NumVaryingSlots * 4]outputComponent
	for _, v := range producer.Variables {
		if v.Mode == ir.ModeShaderOut && v.Location >= int32(ir.SlotVar0) && v.Stream == 0 {
			eachComponent(producer, v, func(at int, leaf *ir.Type) { out[at] = outputComponent{v, leaf} })
		}
	}
	uses := usesOfVaryings(consumer)
	for i, v := range consumer.Variables {
		if !isVarying(consumer, v, ir.ModeShaderIn) || !uses.used[i] {
			continue
		}
		var m *Mismatch
		eachComponent(consumer, v, func(at int, leaf *ir.Type) {
			o := &out[at]
			switch {
			case m != nil && !m.Missing:
			case o.v == nil && m == nil:
				m = &Mismatch{Missing: true, Msg: fmt.Sprintf("the %s shader reads %s, which the %s shader does not write: it is undefined", consumer.Stage, varyingName(consumer, v, at), producer.Stage)}
			case o.v != nil && (o.leaf.Base != leaf.Base || o.leaf.Bits != leaf.Bits):
				m = &Mismatch{Msg: fmt.Sprintf("the %s shader reads %s as %s, the %s shader writes %q as %s", consumer.Stage, varyingName(consumer, v, at), leaf.ScalarOf(), producer.Stage, o.v.Name, o.leaf.ScalarOf())}
			}
		})
		if m != nil {
			m.Loc = firstUse(consumer, v)
			list = append(list, *m)
		}
	}
	return list
}

// varyingName names a variable and a component of it.
func varyingName(s *ir.Shader, v *ir.Variable, at int) string {
	what, loc := "location", at/4-int(ir.SlotVar0)
	if at/4 >= int(ir.SlotPatch0) {
		what, loc = "patch location", at/4-int(ir.SlotPatch0)
	}
	return fmt.Sprintf("%q (%s %d component %d)", v.Name, what, loc, at%4)
}

// eachComponent calls f for each component of a slot that a variable takes.
func eachComponent(s *ir.Shader, v *ir.Variable, f func(at int, leaf *ir.Type)) {
	w := componentWalk{at: int(v.Location) * 4, first: int(v.Component), f: f}
	w.walk(vertexType(s, v))
}

type componentWalk struct {
	at, first int
	f         func(at int, leaf *ir.Type)
}

func (w *componentWalk) walk(t *ir.Type) {
	switch {
	case t.IsArray():
		for range t.Len {
			if w.at >= ir.NumVaryingSlots*4 {
				return
			}
			w.walk(t.Elem)
		}
	case t.IsStruct():
		for i := range t.Fields {
			w.walk(t.Fields[i].Type)
		}
	case t.IsMatrix():
		for range t.Cols {
			w.walk(t.Column())
		}
	case t.IsNumeric():
		n := int(t.Rows) * max(int(t.Bits), 32) / 32
		for c := w.first; c < w.first+n; c++ {
			if at := w.at + c; at >= 0 && at < ir.NumVaryingSlots*4 {
				w.f(at, t)
			}
		}
		w.at += (w.first + n + 3) &^ 3
	}
}

// firstUse is the first place in the source that uses a variable.
func firstUse(s *ir.Shader, v *ir.Variable) (loc ir.Loc) {
	eachIODeref(s, func(_ *ir.Impl, in *ir.Instr, w *ir.Variable) {
		if v != w || loc != (ir.Loc{}) {
			return
		}
		loc = s.Locs[in.Loc]
		for u := range in.Def.Uses() {
			if loc == (ir.Loc{}) && u.Instr != nil {
				loc = s.Locs[u.Instr.Loc]
			}
		}
	})
	return loc
}
