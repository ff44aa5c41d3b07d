package passes

import "nirc/ir"

// Values that a call of a shader stands between, of their definition and of a use, go through variables of the frame. So do all
// that leave their block, for the blocks come apart when the tree is cut.

// regions numbers the stretches of blocks between calls of shaders; those of blocks are the last.
type regions struct {
	of  map[*ir.Instr]int
	end map[*ir.Block]int
}

func (x *callSplit) regions() regions {
	r := regions{map[*ir.Instr]int{}, map[*ir.Block]int{}}
	n := 0
	for b := range x.impl.Blocks() {
		n++
		for in := b.First(); in != nil; in = in.Next() {
			r.of[in] = n
			if in.IsIntrinsic(ir.IntrTraceRay) || in.IsIntrinsic(ir.IntrExecuteCallable) {
				n++
			}
		}
		r.end[b] = n
	}
	return r
}

// crosses reports whether a use is in another region than its value.
func (r *regions) crosses(d *ir.Def, u *ir.Src) bool {
	if u.If != nil {
		return r.of[d.Instr] != r.end[ir.Prev(u.If).(*ir.Block)]
	}
	return r.of[d.Instr] != r.of[u.Instr]
}

// demote makes each region compute or load what it uses.
func (x *callSplit) demote() error {
	x.conditions()
	r := x.regions()
	for _, in := range x.instrs() {
		if !x.again(in) {
			continue
		}
		for _, u := range crossingUses(&r, &in.Def) {
			b := builderAtUse(u)
			u.Set(x.copyOf(b, in))
		}
	}
	r = x.regions()
	for _, in := range x.instrs() {
		uses := crossingUses(&r, &in.Def)
		if len(uses) == 0 {
			continue
		}
		if in.Kind == ir.KindDeref {
			return refusal(x.s, in, "a pointer that lives across the call of a shader is not supported")
		}
		v := x.newVar(&in.Def, "value")
		for _, u := range uses {
			u.Set(builderAtUse(u).LoadVar(v))
		}
		ir.NewBuilder(ir.After(in)).StoreVar(v, &in.Def, 0)
	}
	return nil
}

// instrs lists the instructions that have a result.
func (x *callSplit) instrs() (list []*ir.Instr) {
	for in := range x.impl.Instrs() {
		if in.HasDef() {
			list = append(list, in)
		}
	}
	return list
}

func crossingUses(r *regions, d *ir.Def) (list []*ir.Src) {
	for u := d.FirstUse(); u != nil; u = u.NextUse() {
		if r.crosses(d, u) {
			list = append(list, u)
		}
	}
	return list
}

// builderAtUse builds before a use.
func builderAtUse(u *ir.Src) *ir.Builder {
	if u.If != nil {
		return ir.NewBuilder(ir.AtEnd(ir.Prev(u.If).(*ir.Block)))
	}
	return builderBefore(u.Instr)
}

// conditions loads the conditions of ifs that hold a call from variables: a resume function asks them in its own way.
func (x *callSplit) conditions() {
	seen := map[*ir.If]bool{}
	for _, c := range x.calls {
		for n := ir.Parent(c.Block); n != nil; n = ir.Parent(n) {
			i, ok := n.(*ir.If)
			if !ok || seen[i] {
				continue
			}
			seen[i] = true
			d := i.Cond.Def
			v := x.newVar(d, "condition")
			b := ir.NewBuilder(ir.AtEnd(ir.Prev(i).(*ir.Block)))
			b.StoreVar(v, d, 0)
			i.Cond.Set(b.LoadVar(v))
		}
	}
}

// again reports whether a value is computed again where it is wanted: it is cheap, and the same throughout the shader.
func (x *callSplit) again(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindLoadConst, ir.KindUndef, ir.KindDeref:
		return true
	case ir.KindIntrinsic:
		switch in.Intr {
		case ir.IntrLoadRayLaunchId, ir.IntrLoadRayLaunchSize, ir.IntrLoadShaderRecordPtr, ir.IntrLoadAccelStruct, ir.IntrVulkanResourceIndex,
			ir.IntrLoadVulkanDescriptor:
			return true
		}
	}
	return false
}

// copyOf builds a value again, with those of its sources that may be.
func (x *callSplit) copyOf(b *ir.Builder, in *ir.Instr) *ir.Def {
	srcs := make([]*ir.Def, len(in.Srcs))
	for i := range in.Srcs {
		srcs[i] = in.Srcs[i].Def
		if from := srcs[i].Instr; x.again(from) {
			srcs[i] = x.copyOf(b, from)
		}
	}
	c := ir.NewCloner(x.impl, x.impl)
	for i := range in.Srcs {
		c.Map(in.Srcs[i].Def, srcs[i])
	}
	return &b.Insert(c.Instr(in)).Def
}
