package irtest

import "nirc/ir"

// everythingFirst makes what stands before the entry point: a callee, a
// texture, files, locations and names.
func (g *gen) everythingFirst() {
	s := g.s
	s.Files = append(s.Files, "a.comp", "dir/\"b\".h")
	s.Funcs = append(s.Funcs, "main", "shade(vf3;")
	for i := range uint32(8) {
		s.Locs = append(s.Locs, ir.Loc{File: i % 3, Line: i + 1, Col: i * 2, ID: 100 + i, Word: 7 * i, Func: i % 3, Call: i / 2})
	}
	s.Names = append(s.Names, "x", "albedo", "a\nb")
	s.ConstantData = []byte{1, 2, 3, 0xff}
	s.Info.FloatControls = ir.FloatControls(0).With(ir.FCDenormFlush, 32)
	g.texVar = s.NewVariable(ir.ModeUniform, &ir.Type{Base: ir.BaseSampledImage, Dim: ir.Dim2D, Texel: ir.BaseFloat, TexelBits: 32}, "tex")
	g.texVar.HasBinding, g.texVar.Binding = true, 2
	f := s.NewFunction("callee")
	f.ShouldInline = g.chance(1, 2)
	u := ir.VectorType(ir.BaseUint, 32, 1)
	f.Params = []ir.Param{{NumComponents: 1, BitSize: 32, IsReturn: true, Type: u, Modes: ir.ModeFunctionTemp}, {NumComponents: 2, BitSize: 32, Name: "p"}}
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	ret := b.DerefCast(&b.Intrinsic(ir.IntrLoadParam, 1, 32).Def, ir.ModeFunctionTemp, u, 0)
	v := &b.Intrinsic(ir.IntrLoadParam, 2, 32).Set(ir.IdxParamIdx, 1).Def
	b.StoreDeref(ret, b.Iadd(b.Channel(v, 0), b.Channel(v, 1)), 0, 0)
	g.callee = f
}

func (g *gen) declareRegs() {
	for range 3 {
		n := g.comps()
		reg := g.b.DeclReg(n, 32, g.r.IntN(2)*4)
		g.b.StoreReg(reg, g.shaped(32, n), 0)
		g.regs = append(g.regs, reg)
	}
}

// oddity makes one of the things that Everything adds.
func (g *gen) oddity() {
	b := g.b
	g.left -= 2
	g.s.SetLoc(uint32(g.r.IntN(len(g.s.Locs))))
	switch g.r.IntN(8) {
	case 0:
		t := b.Impl.NewLocal(ir.VectorType(ir.BaseUint, 32, 1), "ret")
		d := b.DerefVar(t)
		b.Insert(g.s.NewCall(g.callee, d, g.shaped(32, 2)))
		g.add(b.LoadDeref(d, ir.AccessVolatile))
	case 1:
		g.tex()
	case 2:
		reg := g.regs[g.r.IntN(len(g.regs))]
		g.add(b.LoadReg(reg))
	case 3:
		reg := g.regs[g.r.IntN(len(g.regs))]
		n := uint8(reg.Instr.Get(ir.IdxNumComponents))
		b.StoreReg(reg, g.shaped(32, n), uint16(1+g.r.IntN(1<<n-1)))
	case 4:
		pc := b.Insert(g.s.NewParallelCopy(g.value(32), g.value(64), g.value(1)))
		e := pc.CopyInfo().Entries
		for i := range e {
			g.add(&e[i].Dst)
		}
	case 5:
		ptr := b.DerefCast(b.Vec(g.in, b.Imm32(0)), ir.ModeSSBO, varTypes()[0], 4)
		ptr.Instr.DerefInfo().AlignMul, ptr.Instr.DerefInfo().AlignOffset = 16, 4
		g.add(b.LoadDeref(b.DerefPtrAsArray(ptr, b.Imm32(3)), ir.AccessCoherent|ir.AccessRestrict))
	case 6:
		v, w := b.Impl.NewLocal(varTypes()[4], "w"), b.Impl.NewLocal(varTypes()[4], "w")
		b.CopyDeref(b.DerefWildcard(b.DerefVar(v)), b.DerefWildcard(b.DerefVar(w)))
	default:
		d := g.add(b.Undef(g.comps(), sizes[g.r.IntN(5)]))
		d.Name = uint32(g.r.IntN(len(g.s.Names)))
	}
}

func (g *gen) tex() {
	tex := g.s.NewTex(ir.TexOpTxl, 4, 32)
	t := tex.TexInfo()
	t.Dim, t.CoordComponents, t.DestType = ir.Dim2D, 2, ir.ALUType{Class: ir.ClassFloat, Bits: 32}
	t.CanSpeculate = g.chance(1, 2)
	d := g.b.DerefVar(g.texVar)
	g.s.AddTexSrc(tex, ir.TexSrcTextureDeref, d)
	g.s.AddTexSrc(tex, ir.TexSrcSamplerDeref, d)
	g.s.AddTexSrc(tex, ir.TexSrcCoord, g.shaped(32, 2))
	g.s.AddTexSrc(tex, ir.TexSrcLod, g.shaped(32, 1))
	g.b.Insert(tex)
	g.add(&tex.Def)
}
