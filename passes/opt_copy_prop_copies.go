package passes

import "nirc/ir"

// steadyModes are modes that the shader does not write.
const steadyModes = ir.ModeShaderIn | ir.ModeUBO | ir.ModePushConst | ir.ModeConstant | ir.ModeSystemValue

// copy notes what a copy_deref makes equal. A copy of what was copied goes back to where that came from; one onto
// itself, or of what is there, goes.
func (c *copyProp) copy(in *ir.Instr) {
	dst, src := derefOf(in.Srcs[0].Def), derefOf(in.Srcs[1].Def)
	if dst == nil || src == nil || in.Get(ir.IdxDstAccess)|in.Get(ir.IdxSrcAccess) != 0 || !c.follows(dst, trackedModes) || !c.follows(src, trackedModes|steadyModes) {
		c.kill(in)
		return
	}
	if from := c.source(src, in); from != nil && c.follows(from, trackedModes|steadyModes) {
		in.Srcs[1].Set(&from.Def) // the old derefs stay: what is known may name them
		src, c.progress = from, true
	}
	same := compareDerefs(dst, src) == derefsEqual
	for i := range c.known {
		k := &c.known[i]
		same = same || k.copied != nil && compareDerefs(k.deref, dst) == derefsEqual && compareDerefs(k.copied, src) == derefsEqual
	}
	if same && !hasWildcard(dst) {
		in.Remove()
		c.progress = true
		return
	}
	c.killDeref(dst)
	if compareDerefs(dst, src) == noAlias {
		p := newObject(dst)
		c.add(&p).copied = src
	}
}

// follows reports derefs that lead from a variable, in modes whose contents are followed.
func (c *copyProp) follows(d *ir.Instr, modes ir.Mode) bool {
	m := d.DerefInfo().Modes
	return m&^modes == 0 && derefVar(d) != nil && c.robust.Of(m) == ir.RobustOff
}

func hasWildcard(d *ir.Instr) bool {
	for ; d != nil; d = derefParent(d) {
		if d.Deref == ir.DerefArrayWildcard {
			return true
		}
	}
	return false
}

// source returns a deref of what d is a copy of, built before at, or nil.
func (c *copyProp) source(d, at *ir.Instr) *ir.Instr {
	if derefVar(d) == nil {
		return nil
	}
	for i := len(c.known) - 1; i >= 0; i-- {
		if k := &c.known[i]; k.copied != nil {
			if from := retrace(d, k.deref, k.copied, at); from != nil {
				return from
			}
		}
	}
	return nil
}

// retrace follows d as far as dst goes, whose wildcards stand for any element, and goes on from src.
func retrace(d, dst, src, at *ir.Instr) *ir.Instr {
	if derefVar(d) != derefVar(dst) {
		return nil
	}
	var own, to, from [pathLen]*ir.Instr
	path, whole, origin := derefPath(own[:0], d), derefPath(to[:0], dst), derefPath(from[:0], src)
	if len(path) < len(whole) {
		return nil
	}
	var elements []*ir.Instr
	for i := 1; i < len(whole); i++ {
		switch {
		case whole[i].Deref == ir.DerefArrayWildcard && (path[i].Deref == ir.DerefArray || path[i].Deref == ir.DerefArrayWildcard):
			elements = append(elements, path[i])
		case whole[i].Deref != path[i].Deref || compareLinks(whole[i], path[i]) != derefsEqual:
			return nil
		}
	}
	b := builderBefore(at)
	p := &origin[0].Def
	for _, l := range origin[1:] {
		if l.Deref == ir.DerefArrayWildcard {
			l, elements = elements[0], elements[1:]
		}
		p = rebuildDeref(b, l, p)
	}
	for _, l := range path[len(whole):] {
		p = rebuildDeref(b, l, p)
	}
	return p.Instr
}
