package passes

import "nirc/ir"

var moveVecSrcUsesToDestPass = &Pass{
	Name: "move_vec_src_uses_to_dest", Class: "B", Idempotent: true, Optional: true,
	Instead: "registers: midgard's coalesce joins vectors with what reads them; it stays for targets that take the IR's registers",
	Doc: "Makes ALU operations that read the sources of a vecN read the vecN itself, wherever it dominates them and holds all the components that they read: " +
		"the sources then end at the vector, which helps coalescing on targets with vector registers. Needs SSA; copy propagation would undo it.",
	Options: []Option{
		{"skip_const", "leave uses of constants alone", true},
	},
	Run: func(c *Context, s *ir.Shader) (bool, error) {
		skip := c.Bool("skip_const")
		return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool { return moveVecSrcUses(impl, skip) }), nil
	},
}

func moveVecSrcUses(impl *ir.Impl, skipConst bool) (progress bool) {
	impl.Require(ir.MetaDominance | ir.MetaInstrIndex)
	for blk := range impl.Blocks() {
		if !blk.Reachable() {
			continue
		}
		for in := range blk.Instrs() {
			if in.IsVec() {
				progress = moveUsesTo(in, skipConst) || progress
			}
		}
	}
	return progress
}

// moveUsesTo moves the uses of one vector's sources.
func moveUsesTo(vec *ir.Instr, skipConst bool) (progress bool) {
	for i := range vec.Srcs {
		d := vec.Srcs[i].Def
		if seenBefore(vec, i) || skipConst && (d.IsConst() || d.IsUndef()) {
			continue
		}
		// lanes[c] is the vector's component that holds component c of d, + 1.
		var lanes [16]uint8
		for k := range vec.Srcs {
			if c := vec.Srcs[k].Swizzle.Lane(0); vec.Srcs[k].Def == d && lanes[c] == 0 {
				lanes[c] = uint8(k + 1)
			}
		}
		for u := range d.Uses() {
			if u.Instr == nil || u.Instr == vec || u.Instr.Kind != ir.KindALU || u.Instr.IsVec() || !vec.Def.Dominates(u.Instr) {
				continue
			}
			if swz, ok := throughLanes(u, &lanes); ok {
				u.Set(&vec.Def)
				u.Swizzle = swz
				progress = true
			}
		}
	}
	return progress
}

// seenBefore reports whether an earlier source of the vector is of the same value.
func seenBefore(vec *ir.Instr, i int) bool {
	for k := range i {
		if vec.Srcs[k].Def == vec.Srcs[i].Def {
			return true
		}
	}
	return false
}

// throughLanes maps the components that u reads to those of the vector.
func throughLanes(u *ir.Src, lanes *[16]uint8) (swz ir.Swizzle, ok bool) {
	in := u.Instr
	n := 0
	for k := range in.Srcs {
		if &in.Srcs[k] == u {
			n = in.SrcComps(k)
		}
	}
	swz = ir.IdentitySwizzle
	for k := range n {
		l := lanes[u.Swizzle.Lane(k)]
		if l == 0 {
			return 0, false
		}
		swz = swz.With(k, int(l-1))
	}
	return swz, true
}
