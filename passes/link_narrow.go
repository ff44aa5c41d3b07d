package passes

import "nirc/ir"

// NarrowVaryings gives fragment inputs with RelaxedPrecision, and the outputs that they read, 16 bits: floats that are only loaded
// and stored whole, where all that is loaded becomes 16 bits wide anyway, with half what lower_mediump computes in 16 bits too:
// elsewhere each component would cost a conversion on both sides. It counts the components.
func NarrowVaryings(producer, consumer *ir.Shader, half bool) (comps int) {
	if consumer.Stage != ir.StageFragment {
		return 0
	}
	small, smallOut := make([]bool, highestVarID(consumer)+1), make([]bool, highestVarID(producer)+1)
	pairs, _ := pairVaryings(producer, consumer)
	var outs, ins []*ir.Variable
	for i := range pairs {
		p := &pairs[i]
		if p.in.Mediump && p.t.Bits == 32 && p.t.Base == ir.BaseFloat && p.t.IsVectorOrScalar() && !p.in.PerVertex && onlyLoaded(consumer, p.in) &&
			onlyAccessed(consumer, p.in) && onlyAccessed(producer, p.out) && narrowUses(consumer, p.in, half) {
			small[p.in.ID], smallOut[p.out.ID] = true, true
			outs, ins = append(outs, p.out), append(ins, p.in)
			comps += int(p.t.Rows)
		}
	}
	if comps == 0 {
		return 0
	}
	shrinkVars(consumer, small)
	shrinkVars(producer, smallOut)
	for i := range ins {
		ins[i].Mediump, outs[i].Mediump = false, false
	}
	return comps
}

// onlyAccessed reports whether a variable is loaded and stored whole and nothing else.
func onlyAccessed(s *ir.Shader, v *ir.Variable) bool {
	ok := true
	eachIODeref(s, func(_ *ir.Impl, in *ir.Instr, w *ir.Variable) { ok = ok && (v != w || wholeAccesses(s, in, w)) })
	return ok
}

// narrowUses reports whether everything that is loaded of an input becomes 16 bits wide.
func narrowUses(s *ir.Shader, v *ir.Variable, half bool) bool {
	ok, found := true, false
	eachIODeref(s, func(_ *ir.Impl, in *ir.Instr, w *ir.Variable) {
		if v != w {
			return
		}
		for u := range in.Def.Uses() {
			if u.Instr != nil && u.Instr.IsIntrinsic(ir.IntrLoadDeref) {
				found = true
				ok = ok && becomesNarrow(&u.Instr.Def, half)
			}
		}
	})
	return ok && found
}

// becomesNarrow reports whether everything that is made of a value is 16 bits wide, by itself or in a vector.
func becomesNarrow(d *ir.Def, half bool) bool {
	for u := range d.Uses() {
		in := u.Instr
		if in == nil || in.Kind != ir.KindALU {
			return false
		}
		_, relaxed := mediumpForm(in, half, false)
		switch {
		case in.Op == ir.OpF2fmp || in.Op == ir.OpF2f16 || relaxed:
		case !in.IsVec() && in.Op != ir.OpMov || !becomesNarrow(&in.Def, half):
			return false
		}
	}
	return true
}
