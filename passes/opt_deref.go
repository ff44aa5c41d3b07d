package passes

import "nirc/ir"

var optDerefPass = &Pass{
	Name: "opt_deref", Withstands: ChangeFacts, For: ir.HasCast | ir.HasElement, Class: "A", Run: implPass(ir.MetaControlFlow, optDeref),
	Doc: "Simplifies deref chains: useless casts, casts to what an object begins with or has so many bytes into it, accesses through casts between vectors, pointer steps, modes that are known; accesses to elements that a temporary does not have go.",
}

// optDeref simplifies deref chains: a cast to the type that is there already
// goes, as does one to the first member of a struct; pointer steps by zero go
// and those after an array deref add to its index; modes narrow to the
// variable's; deref_mode_is of a known mode is decided.
func optDeref(impl *ir.Impl) (progress bool) {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			switch {
			case in.Kind == ir.KindDeref:
				progress = simplifyDeref(in) || progress
			case in.IsIntrinsic(ir.IntrLoadDeref), in.IsIntrinsic(ir.IntrStoreDeref):
				progress = outOfBounds(in) || castAccess(in) || progress
			case in.IsIntrinsic(ir.IntrDerefModeIs):
				progress = decideMode(in) || progress
			}
		}
	}
	return progress
}

func simplifyDeref(in *ir.Instr) (progress bool) {
	p := derefParent(in)
	if p == nil {
		return false
	}
	info, parent := in.DerefInfo(), p.DerefInfo()
	if info.Modes != parent.Modes && info.Modes&parent.Modes != 0 {
		if m := info.Modes & parent.Modes; m != info.Modes {
			info.Modes = m
			progress = true
		}
	}
	switch in.Deref {
	case ir.DerefCast:
		return simplifyCast(in, p) || progress
	case ir.DerefPtrAsArray:
		return simplifyPtrAsArray(in, p) || progress
	}
	return progress
}

func replaceDeref(in *ir.Instr, by *ir.Def) bool {
	p := derefParent(in)
	in.Def.RewriteUses(by)
	in.Remove()
	removeDeadDerefs(p)
	return true
}

// usedAsPointer reports whether pointer arithmetic starts from in, so that its
// stride matters.
func usedAsPointer(in *ir.Instr) bool {
	for u := in.Def.FirstUse(); u != nil; u = u.NextUse() {
		if u.Instr.Kind == ir.KindDeref && u.Instr.Deref == ir.DerefPtrAsArray {
			return true
		}
	}
	return false
}

func simplifyCast(in, p *ir.Instr) bool {
	info, parent := in.DerefInfo(), p.DerefInfo()
	if info.AlignMul > parent.AlignMul && info.AlignMul != 0 {
		return false // it says more than what it casts
	}
	if in.Def.NumComponents != p.Def.NumComponents || in.Def.BitSize != p.Def.BitSize || info.Modes&parent.Modes == 0 {
		return false
	}
	sameStride := parent.Var == nil && info.PtrStride == parent.PtrStride || !usedAsPointer(in)
	switch {
	case info.Type.Equal(parent.Type) && sameStride:
		return replaceDeref(in, &p.Def)
	case p.Deref == ir.DerefCast && parent.AlignMul <= info.AlignMul:
		// A cast of a cast reads the inner one's pointer.
		in.Srcs[0].Set(p.Srcs[0].Def)
		info.Modes &= parent.Modes
		removeDeadDerefs(p)
		return true
	case usedAsPointer(in):
		return false
	case info.Type.Bare() == info.Type && castsToBare(in, p):
		return replaceDeref(in, &p.Def)
	}
	return castsToMember(in, p) || castsToFirst(in, p)
}

// castsToFirst makes a cast to the type of what the object begins with, its
// first member or element, or theirs, an access to that.
func castsToFirst(in, p *ir.Instr) bool {
	want, t := in.DerefInfo().Type, p.DerefInfo().Type
	var steps []*ir.Type
	for !t.Equal(want) {
		switch {
		case t.IsStruct() && len(t.Fields) > 0 && t.Fields[0].Offset <= 0:
			t = t.Fields[0].Type
		case t.IsArray() && t.ChildCount() > 0:
			t = t.Elem
		default:
			return false
		}
		steps = append(steps, t)
	}
	b := builderBefore(in)
	d := &p.Def
	for range steps {
		if pt := d.Instr.DerefInfo().Type; pt.IsStruct() {
			d = b.DerefStruct(d, 0)
		} else {
			d = b.DerefArrayImm(d, 0)
		}
	}
	return len(steps) > 0 && replaceDeref(in, d)
}

// castsToBare reports whether a cast only drops the layout of a type in a mode
// where layouts say nothing.
func castsToBare(in, p *ir.Instr) bool {
	const noLayout = ir.ModeFunctionTemp | ir.ModeShaderTemp | ir.ModeShaderIn | ir.ModeShaderOut
	return p.DerefInfo().Modes&^noLayout == 0 && in.DerefInfo().Type.Bare().Equal(p.DerefInfo().Type.Bare())
}

func simplifyPtrAsArray(in, p *ir.Instr) bool {
	idx := in.Srcs[1].Def
	if c, ok := firstConst(idx); ok && c == 0 {
		return replaceDeref(in, &p.Def)
	}
	if p.Deref != ir.DerefArray && p.Deref != ir.DerefPtrAsArray {
		return false
	}
	b := builderBefore(in)
	if b.Shader.Options.Robust.Of(in.DerefInfo().Modes) != ir.RobustOff && !sumFits(p.Srcs[1].Def, idx) {
		return false
	}
	sum := b.Iadd(p.Srcs[1].Def, idx)
	n := b.Shader.NewDeref(p.Deref, *in.DerefInfo(), in.Def.NumComponents, in.Def.BitSize, p.Srcs[0].Def, sum)
	n.DerefInfo().InBounds = false
	b.Insert(n)
	return replaceDeref(in, &n.Def)
}

// sumFits reports whether the sum of two indices is known not to wrap around, which would bring an access back into bounds.
func sumFits(x, y *ir.Def) bool {
	cx, okx := x.Const(0)
	cy, oky := y.Const(0)
	if !okx || !oky {
		return false
	}
	sh := 64 - x.BitSize
	sum := int64(cx)<<sh>>sh + int64(cy)<<sh>>sh
	return sum == sum<<sh>>sh
}

func decideMode(in *ir.Instr) bool {
	d := derefOf(in.Srcs[0].Def)
	if d == nil {
		return false
	}
	have, want := d.DerefInfo().Modes, ir.Mode(in.Get(ir.IdxMemoryModes))
	if have&want != 0 && have&^want != 0 {
		return false
	}
	c := in.Block.Impl().Shader.NewConst(1, boolBits(have&want != 0))
	ir.Before(in).Insert(c)
	in.Def.RewriteUses(&c.Def)
	in.Remove()
	return true
}

// remat rebuilds derefs in one block.
type remat struct {
	block *ir.Block
	b     *ir.Builder
	made  []rematPair // Flags of the old one is its place
}

type rematPair struct{ old, new *ir.Instr }

func (r *remat) deref(d *ir.Instr) *ir.Def {
	if d.Block == r.block {
		return &d.Def
	}
	if i := int(d.Flags); i < len(r.made) && r.made[i].old == d {
		return &r.made[i].new.Def
	}
	var n *ir.Def
	if d.Deref == ir.DerefVar {
		n = r.b.DerefVar(d.DerefInfo().Var)
	} else {
		parent := d.Srcs[0].Def
		if p := derefOf(parent); p != nil {
			parent = r.deref(p)
		}
		n = rebuildDeref(r.b, d, parent)
	}
	*n.Instr.DerefInfo() = *d.DerefInfo()
	n.Instr.Loc = d.Loc
	d.Flags = uint32(len(r.made))
	r.made = append(r.made, rematPair{d, n.Instr})
	return n
}
