package passes

import "nirc/ir"

var lowerIndirectDerefsPass = &Pass{
	Name: "lower_indirect_derefs", For: ir.HasElement, Class: "A", Run: lowerIndirectDerefs, Idempotent: true,
	Options: []Option{
		{"modes", "modes whose arrays are handled, besides what the target asks for", ir.ModeNone},
		{"max_length", "longest array that is handled", 1 << 16},
		{"compact", "handle compact inputs and outputs too", true},
	},
	Doc: "Turns accesses of arrays with indices that are not constant into ifs over constant indices.",
}

// lowerIndirectDerefs turns accesses with indices that are not constant into
// a binary search of ifs over accesses with constant ones, for arrays of the
// given modes of at most max_length elements. Out of bounds indices reach the
// last element.
func lowerIndirectDerefs(c *Context, s *ir.Shader) (bool, error) {
	l := &indirects{modes: c.Modes("modes") | s.Options.LowerIndirect&ir.ModeFunctionTemp, max: uint32(c.Int("max_length"))}
	if c.Bool("compact") {
		l.compact = ir.ModeShaderIn | ir.ModeShaderOut
	}
	return eachImpl(s, ir.MetaNone, func(impl *ir.Impl) (progress bool) {
		for b := range impl.Blocks() {
			for in := b.First(); in != nil; {
				next := in.Next()
				if l.access(in) {
					progress = true
					break // the rest of the block is a block of its own now
				}
				in = next
			}
		}
		return progress
	}), nil
}

type indirects struct {
	modes, compact ir.Mode
	max            uint32
}

// access lowers one load, store or interpolation.
func (l *indirects) access(in *ir.Instr) bool {
	if in.Kind != ir.KindIntrinsic {
		return false
	}
	switch in.Intr {
	case ir.IntrLoadDeref, ir.IntrStoreDeref, ir.IntrInterpDerefAtCentroid, ir.IntrInterpDerefAtSample, ir.IntrInterpDerefAtOffset, ir.IntrInterpDerefAtVertex:
	default:
		return false
	}
	d := derefOf(in.Srcs[0].Def)
	if d == nil || !l.applies(d) {
		return false
	}
	var buf [pathLen]*ir.Instr
	path := derefPath(buf[:0], d)
	e := &ladder{b: builderBefore(in), in: in, path: path}
	v := e.link(&path[0].Def, 1)
	if in.HasDef() {
		in.Def.RewriteUses(v)
	}
	in.Remove()
	removeDeadDerefs(d)
	return true
}

// applies reports whether a chain has an index to lower and none that cannot be.
func (l *indirects) applies(d *ir.Instr) bool {
	v := derefVar(d)
	if v == nil || v.Mode&l.modes == 0 && !(v.Compact && v.Mode&l.compact != 0) {
		return false
	}
	any := false
	for ; d != nil && d.Deref != ir.DerefVar; d = derefParent(d) {
		switch d.Deref {
		case ir.DerefArray:
			if d.Srcs[1].Def.IsConst() || picksVertex(d) {
				continue
			}
			n := derefParent(d).DerefInfo().Type.ChildCount()
			if n == 0 || uint32(n) > l.max {
				return false
			}
			any = true
		case ir.DerefStruct:
		default:
			return false
		}
	}
	return any
}

// picksVertex reports whether an array deref chooses the vertex of a fragment shader's
// per-vertex input. Every vertex is in reach, whatever its number comes from.
func picksVertex(d *ir.Instr) bool {
	p := derefParent(d)
	return p.Deref == ir.DerefVar && p.DerefInfo().Var.PerVertex
}

// ladder builds the accesses of one instruction.
type ladder struct {
	b    *ir.Builder
	in   *ir.Instr
	path []*ir.Instr
}

// link rebuilds the chain from link i on after parent and returns what the
// access gives there (nil of a store).
func (e *ladder) link(parent *ir.Def, i int) *ir.Def {
	for ; i < len(e.path); i++ {
		p := e.path[i]
		if p.Deref == ir.DerefArray && !p.Srcs[1].Def.IsConst() && !picksVertex(p) {
			return e.search(parent, i, 0, parent.Instr.DerefInfo().Type.ChildCount())
		}
		parent = rebuildDeref(e.b, p, parent)
	}
	n := e.b.Shader.NewIntrinsic(e.in.Intr, e.in.Def.NumComponents, e.in.Def.BitSize, e.srcs(parent)...)
	copy(n.Imm, e.in.Imm)
	e.b.Insert(n)
	if !n.HasDef() {
		return nil
	}
	return &n.Def
}

func (e *ladder) srcs(ptr *ir.Def) []*ir.Def {
	out := []*ir.Def{ptr}
	for i := 1; i < len(e.in.Srcs); i++ {
		out = append(out, e.in.Srcs[i].Def)
	}
	return out
}

// search builds the accesses of elements [from, to) under a binary search.
func (e *ladder) search(parent *ir.Def, i, from, to int) *ir.Def {
	if to-from == 1 {
		return e.link(e.b.DerefArrayImm(parent, from), i+1)
	}
	mid := (from + to) / 2
	idx := e.path[i].Srcs[1].Def
	x := e.b.PushIf(e.b.Ilt(idx, e.b.ImmInt(int64(mid), idx.BitSize)))
	lo := e.search(parent, i, from, mid)
	e.b.PushElse(x)
	hi := e.search(parent, i, mid, to)
	e.b.PopIf(x)
	if lo == nil {
		return nil
	}
	phi := e.b.IfPhi(x, lo, hi)
	e.b.PopIf(x)
	return phi
}
