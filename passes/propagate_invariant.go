package passes

import "nirc/ir"

var propagateInvariantPass = &Pass{
	Name: "propagate_invariant", Class: "A", Run: propagateInvariant, Idempotent: true,
	Doc: "Makes exact every ALU operation that an invariant output depends on: by values, through variables, and by the conditions that decide what is stored. " +
		"Works on variables and on store_output alike; runs before anything that may change a rounding. Where the target fuses, sums of products become ffma here, " +
		"by what the source says and nothing else, so that the same expressions have the same values in all shaders.",
	Options: []Option{{"position", "the position is invariant even if the shader does not say so", false}},
}

// invariance goes backward from the outputs.
type invariance struct {
	seen     []bool // by Def.Index; nil before the first
	made     []bool // by Def.Index: exact by this pass alone
	sums     []*ir.Instr
	defs     uint32
	vars     map[*ir.Variable]bool
	blocks   map[*ir.Block]bool
	list     []*ir.Instr
	progress bool
}

func propagateInvariant(c *Context, s *ir.Shader) (bool, error) {
	position := c.Bool("position")
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		if !anyInvariant(s, impl, position) {
			return false
		}
		p := &invariance{defs: impl.NumDefs, vars: map[*ir.Variable]bool{}, blocks: map[*ir.Block]bool{}}
		for _, v := range s.Variables {
			if v.Mode == ir.ModeShaderOut && (v.Invariant || position && ir.Slot(v.Location) == ir.SlotPos && s.Stage != ir.StageFragment) {
				p.vars[v] = true
			}
		}
		// A variable found invariant late makes its earlier stores count.
		for again := true; again; {
			n := len(p.vars)
			for in := range impl.Instrs() {
				if in.Kind == ir.KindIntrinsic && p.stores(in, position && s.Stage != ir.StageFragment) {
					p.control(in.Block)
					for i := range in.Srcs {
						p.add(in.Srcs[i].Def)
					}
				}
			}
			p.drain()
			again = len(p.vars) != n
		}
		for _, in := range p.sums {
			p.fuse(in)
		}
		return p.progress
	}), nil
}

// anyInvariant reports whether there is an output that must be invariant: most shaders have none.
func anyInvariant(s *ir.Shader, impl *ir.Impl, position bool) bool {
	if position {
		return true
	}
	for _, v := range s.Variables {
		if v.Mode == ir.ModeShaderOut && v.Invariant {
			return true
		}
	}
	if s.Contents()&ir.HasOutput == 0 {
		return false
	}
	var none invariance
	for in := range impl.Instrs() {
		if in.Kind == ir.KindIntrinsic && none.stores(in, false) {
			return true
		}
	}
	return false
}

// stores reports whether an intrinsic writes what must be invariant.
func (p *invariance) stores(in *ir.Instr, position bool) bool {
	switch in.Intr {
	case ir.IntrStoreOutput, ir.IntrStorePerVertexOutput:
		sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
		return sem.Invariant || position && sem.Location == ir.SlotPos
	case ir.IntrStoreDeref, ir.IntrCopyDeref:
		v := rootVar(in.Srcs[0].Def.Instr)
		return v != nil && p.vars[v]
	}
	return false
}

func (p *invariance) add(d *ir.Def) {
	if p.seen == nil {
		p.seen, p.made = make([]bool, p.defs), make([]bool, p.defs)
	}
	if p.seen[d.Index] {
		return
	}
	p.seen[d.Index] = true
	p.list = append(p.list, d.Instr)
}

// control adds what decides whether a block runs: conditions of ifs around it,
// and those by which loops around it are left.
func (p *invariance) control(b *ir.Block) {
	if p.blocks[b] {
		return
	}
	p.blocks[b] = true
	for n := ir.Parent(b); n != nil; n = ir.Parent(n) {
		switch x := n.(type) {
		case *ir.If:
			p.add(x.Cond.Def)
		case *ir.Loop:
			for inner := range ir.ListBlocks(&x.Body) {
				if j := inner.Jump(); j != nil && (j.Jump == ir.JumpBreak || j.Jump == ir.JumpContinue) {
					p.control(inner)
				}
			}
		}
	}
}

// rounds reports whether an operation has to do with floats.
func rounds(in *ir.Instr) bool {
	info := in.Op.Info()
	float := info.Out.Class == ir.ClassFloat
	for _, t := range info.In {
		float = float || t.Class == ir.ClassFloat
	}
	return float
}

func (p *invariance) drain() {
	for len(p.list) > 0 {
		in := p.list[len(p.list)-1]
		p.list = p.list[:len(p.list)-1]
		switch {
		case in.Kind == ir.KindALU && !in.Exact && rounds(in):
			in.Exact, p.made[in.Def.Index] = true, true
			p.progress = true
			switch in.Op {
			case ir.OpFadd, ir.OpFsub, ir.OpFdot2, ir.OpFdot3, ir.OpFdot4:
				p.sums = append(p.sums, in)
			}
		case in.Kind == ir.KindPhi:
			for _, b := range in.PhiInfo().Preds {
				p.control(b)
			}
		case in.IsIntrinsic(ir.IntrLoadDeref):
			if v := rootVar(in.Srcs[0].Def.Instr); v != nil && v.Mode&(ir.ModeFunctionTemp|ir.ModeShaderTemp|ir.ModeShaderOut) != 0 {
				p.vars[v] = true
			}
		}
		for i := range in.Srcs {
			p.add(in.Srcs[i].Def)
		}
	}
}

// fuse makes ffmas of a dot product, or one of a sum with a product, the first if both are. Who else reads the product
// does not matter: that may differ between shaders. What was exact before stays as the source has it.
func (p *invariance) fuse(in *ir.Instr) {
	s := in.Block.Impl().Shader
	if o := s.Options; in.Def.BitSize != 32 && in.Def.BitSize != 16 || in.Def.BitSize == 32 && !o.FuseFfma32 || in.Def.BitSize == 16 && !o.FuseFfma16 {
		return
	}
	if in.Op != ir.OpFadd && in.Op != ir.OpFsub {
		fuseDot(in)
		return
	}
	for k := range 2 {
		product := in.Srcs[k].Def.Instr
		if !product.IsALU(ir.OpFmul) || !p.made[product.Def.Index] {
			continue
		}
		b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
		srcs := [3]*ir.Def{product.Srcs[0].Def, product.Srcs[1].Def, in.Srcs[1-k].Def}
		if in.Op == ir.OpFsub { // what is subtracted: the addend or the product
			negated := 2 - 2*k
			srcs[negated] = b.Fneg(srcs[negated])
		}
		fused := s.NewALU(ir.OpFfma, in.Def.NumComponents, in.Def.BitSize, srcs[:]...)
		for j := range 2 {
			fused.Srcs[j].Swizzle = in.Srcs[k].Swizzle.Compose(product.Srcs[j].Swizzle)
		}
		fused.Srcs[2].Swizzle = in.Srcs[1-k].Swizzle
		fused.Exact, fused.FastMath, fused.Loc = true, in.FastMath, in.Loc
		in.Def.RewriteUses(&b.Insert(fused).Def)
		in.Remove()
		return
	}
}

// fuseDot makes a chain of ffmas of a dot product, the last product first: a last factor of 1 leaves an addend of it.
func fuseDot(in *ir.Instr) {
	b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
	last := in.SrcComps(0) - 1
	sum := b.Fmul(lane(b, in, 0, last), lane(b, in, 1, last))
	for k := last - 1; k >= 0; k-- {
		sum = b.Ffma(lane(b, in, 0, k), lane(b, in, 1, k), sum)
	}
	in.Def.RewriteUses(sum)
	in.Remove()
}
