package passes

import (
	"slices"

	"nirc/ir"
)

// outputStore is a store of a whole output, or of a whole vertex of one.
type outputStore struct {
	block *ir.Block
	emits int     // vertices that the block has emitted before it
	index *ir.Def // which vertex, nil of an output without them
	value *ir.Def
}

// storedOutput is an output all of whose stores are known.
type storedOutput struct {
	v      *ir.Variable
	stores []outputStore
}

// value is what every store gives, nil if they differ: what reads where nothing was stored may
// get any value, and so may what reads a store of nothing defined.
func (o *storedOutput) value() (val *ir.Def) {
	for i := range o.stores {
		d := o.stores[i].value
		switch {
		case d.IsUndef():
		case val == nil || val == d:
			val = d
		case !val.IsConst() || !d.IsConst() || !slices.Equal(val.Instr.Imm, d.Instr.Imm):
			return nil
		}
	}
	return val
}

// equals reports whether two outputs always have the same value.
func (o *storedOutput) equals(p *storedOutput) bool { return slices.Equal(o.stores, p.stores) }

// storedOutputs lists, by location and component, the scalars and vectors whose stores are known.
func storedOutputs(s *ir.Shader) (list []storedOutput) {
	f := s.Entry()
	at := variableIndex(s)
	found := make([]storedOutput, len(s.Variables))
	bad := make([]bool, len(s.Variables))
	eachIODeref(s, func(impl *ir.Impl, in *ir.Instr, v *ir.Variable) {
		bad[at[v.ID]] = bad[at[v.ID]] || impl != f.Impl || !wholeAccesses(s, in, v)
	})
	for b := range f.Impl.Blocks() {
		emits := 0
		for in := range b.Instrs() {
			switch {
			case in.IsIntrinsic(ir.IntrEmitVertex):
				emits++
			case in.IsIntrinsic(ir.IntrStoreDeref):
				d := derefOf(in.Srcs[0].Def)
				v := rootVar(d)
				if v == nil || v.Mode != ir.ModeShaderOut {
					continue
				}
				o, st := &found[at[v.ID]], outputStore{block: b, emits: emits, value: in.Srcs[1].Def}
				if d.Deref == ir.DerefArray {
					st.index = d.Srcs[1].Def
				}
				bad[at[v.ID]] = bad[at[v.ID]] || in.Get(ir.IdxWriteMask) != 1<<in.Srcs[1].Def.NumComponents-1
				o.v, o.stores = v, append(o.stores, st)
			}
		}
	}
	for i, v := range s.Variables {
		if isVarying(s, v, ir.ModeShaderOut) && !v.AlwaysActive && len(found[i].stores) > 0 && !bad[i] && vertexType(s, v).IsVectorOrScalar() {
			list = append(list, found[i])
		}
	}
	slices.SortStableFunc(list, func(a, b storedOutput) int { return compareLocation(a.v, b.v) })
	return list
}

// wholeAccesses reports whether a deref is of a variable or of a vertex of it, and is used for
// accesses of the whole. What derefs are made of it is asked of those.
func wholeAccesses(s *ir.Shader, in *ir.Instr, v *ir.Variable) bool {
	arrayed := arrayedIO(s, v)
	if in.Deref == ir.DerefArray && (!arrayed || in.Srcs[0].Def.Instr.Deref != ir.DerefVar) || in.Deref != ir.DerefVar && in.Deref != ir.DerefArray {
		return false
	}
	for u := range in.Def.Uses() {
		if u != &u.Instr.Srcs[0] {
			return false
		}
		if u.Instr.Kind != ir.KindDeref && !isInterp(u.Instr) && !u.Instr.IsIntrinsic(ir.IntrLoadDeref) && !u.Instr.IsIntrinsic(ir.IntrStoreDeref) {
			return false
		}
	}
	return true
}

// linkableInputs are the inputs whose every use is a load or interpolation of
// the whole, or of a whole vertex.
func linkableInputs(s *ir.Shader) (list []*ir.Variable) {
	u := usesOfVaryings(s)
	bad := make([]bool, len(s.Variables))
	eachIODeref(s, func(_ *ir.Impl, in *ir.Instr, v *ir.Variable) {
		bad[u.at[v.ID]] = bad[u.at[v.ID]] || !wholeAccesses(s, in, v)
	})
	for i, v := range s.Variables {
		if isVarying(s, v, ir.ModeShaderIn) && !v.AlwaysActive && u.used[i] && !bad[i] && vertexType(s, v).IsVectorOrScalar() {
			list = append(list, v)
		}
	}
	return list
}

// LinkedValues counts the components of inputs that LinkOptVaryings did something about.
type LinkedValues struct {
	Constants int `json:"constants"`
	Uniforms  int `json:"uniforms"`
	Merged    int `json:"merged"`
	Flat      int `json:"flat"`
}

// valueLinker passes on what is known of producer's outputs.
type valueLinker struct {
	producer, consumer *ir.Shader
	inputs             []*ir.Variable
	move               *uniformMover
	done               LinkedValues
}

// LinkOptVaryings lets consumer do without inputs whose
// value is known: where every store of producer gives the same constant, inputs
// are that constant, and where it is an expression of uniform values, consumer computes it if that is cheaper and visible says
// that it may read them (without consumer's own declarations deciding it). What is uniform and stays is flat, unless the
// target interpolates for less (Options.SmoothCheaper).
// Where two outputs always have one value, and are interpolated alike, consumer reads the first.
func LinkOptVaryings(producer, consumer *ir.Shader, visible func(*ir.Variable) bool) LinkedValues {
	outputs := storedOutputs(producer)
	l := &valueLinker{producer: producer, consumer: consumer, inputs: linkableInputs(consumer), move: newUniformMover(producer, consumer, visible)}
	for i := range outputs {
		if in := l.inputOf(&outputs[i]); in != nil && !l.known(&outputs[i], in) {
			l.merge(outputs[:i], &outputs[i], in)
		}
	}
	return l.done
}

// inputOf returns the input that is all of an output, or nil.
func (l *valueLinker) inputOf(o *storedOutput) *ir.Variable {
	t := vertexType(l.producer, o.v)
	for _, x := range l.inputs {
		u := vertexType(l.consumer, x)
		if x.Location == o.v.Location && x.Component == o.v.Component && x.Patch == o.v.Patch && t.Rows == u.Rows && t.Bits == u.Bits && u.Base != ir.BaseBool {
			return x
		}
	}
	return nil
}

// known replaces an input by a constant or by uniform values.
func (l *valueLinker) known(o *storedOutput, in *ir.Variable) bool {
	val, n := o.value(), int(vertexType(l.consumer, in).Rows)
	if val == nil {
		return false
	}
	if val.IsConst() {
		l.replace(in, func(b *ir.Builder, _, _ *ir.Instr) *ir.Def { return b.Const(val.BitSize, val.Instr.Imm...) })
		l.done.Constants += n
		return true
	}
	cost, uniform := l.move.cost(val)
	if !uniform {
		return false
	}
	if cost <= l.move.limit && l.move.reaches(val) {
		copied := l.move.copy(val)
		l.replace(in, func(*ir.Builder, *ir.Instr, *ir.Instr) *ir.Def { return copied })
		l.done.Uniforms += n
		return true
	}
	if l.consumer.Stage == ir.StageFragment && !l.consumer.Options.SmoothCheaper && in.Interp != ir.InterpFlat && !in.PerVertex && onlyLoaded(l.consumer, in) {
		for _, v := range [2]*ir.Variable{in, o.v} {
			v.Interp, v.Centroid, v.Sample = ir.InterpFlat, false, false
		}
		l.done.Flat += n
	}
	return false
}

// replace puts values in place of what consumer loads of an input.
func (l *valueLinker) replace(in *ir.Variable, value func(b *ir.Builder, load, deref *ir.Instr) *ir.Def) {
	inputLoads(l.consumer, in, value)
	l.inputs = slices.DeleteFunc(l.inputs, func(v *ir.Variable) bool { return v == in })
}

// onlyLoaded reports whether nothing interpolates an input by hand.
func onlyLoaded(s *ir.Shader, v *ir.Variable) bool {
	ok := true
	eachIODeref(s, func(_ *ir.Impl, in *ir.Instr, w *ir.Variable) {
		for u := range in.Def.Uses() {
			ok = ok && (v != w || !isInterp(u.Instr))
		}
	})
	return ok
}

// merge lets consumer read an earlier output that is equal.
func (l *valueLinker) merge(before []storedOutput, o *storedOutput, in *ir.Variable) {
	for k := range before {
		first := l.inputOf(&before[k])
		if first == nil || first == in || !before[k].equals(o) || !sameInterpolation(first, in) || first.Type.WithoutArray().Rows != in.Type.WithoutArray().Rows {
			continue
		}
		first.Mediump = first.Mediump && in.Mediump
		l.replace(in, func(b *ir.Builder, load, d *ir.Instr) *ir.Def {
			var srcs [2]*ir.Def
			for i := range load.Srcs {
				srcs[i] = load.Srcs[i].Def
			}
			srcs[0] = rebase(b, d, first)
			n := b.Intrinsic(load.Intr, load.Def.NumComponents, load.Def.BitSize, srcs[:len(load.Srcs)]...)
			copy(n.Imm, load.Imm)
			return &n.Def
		})
		l.done.Merged += int(vertexType(l.consumer, in).Rows)
		return
	}
}

// sameInterpolation reports whether two inputs see a value in the same way.
func sameInterpolation(a, b *ir.Variable) bool {
	return a.Interp == b.Interp && a.Centroid == b.Centroid && a.Sample == b.Sample && a.Patch == b.Patch && a.PerPrimitive == b.PerPrimitive && a.PerVertex == b.PerVertex
}
