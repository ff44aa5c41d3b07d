package ir

// Corruptions that the text form cannot express.

// ifLoop is a valid shader with an if, a phi and a loop in it.
const ifLoop = `b0: %0:1 = undef %9:32 = load_const 0x1
if %0 { b1: %1:32 = mov %9 } else { b2: } b3: %2:32 = phi b1: %1, b2: %9 %3:32 = iadd %2, %2
loop { b4: if %0 { b5: break } else { b6: } b7: } b8: %4:32 = ineg %3`

// loopPhi is a valid shader with a phi that comes before what flows into it.
const loopPhi = `b0: %0:1 = undef %9:32 = load_const 0x1
loop { b1: %1:32 = phi b0: %9, b4: %2 %2:32 = iadd %1, %9 if %0 { b2: break } else { b3: } b4: } b5:`

// nth returns the n-th instruction of the kind in the entry point.
func nth(s *Shader, k Kind, n int) *Instr {
	for b := range s.Entry().Impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == k {
				if n == 0 {
					return in
				}
				n--
			}
		}
	}
	return nil
}

func firstIf(s *Shader) *If { return s.Entry().Impl.Start().FollowingIf() }

func firstLoop(s *Shader) *Loop {
	for b := range s.Entry().Impl.Blocks() {
		if l := b.FollowingLoop(); l != nil {
			return l
		}
	}
	return nil
}

const (
	structVar = `type $0 = struct "S" { "a": f32 "b": u32 } var @1 shader_temp $0 "s" var @2 shader_temp f32[2] "v" var @3 shader_in f32 "i"`
	derefs    = `b0: %0:32 = deref_var @1 %1:32 = deref_struct %0.1 %2:32 = deref_var @2 %3:32 = load_const 0x1 %4:32 = deref_array %2[%3]`
)

var codeBreaks = []breakCase{
	{rule: "V1", msg: "does not name its instruction", body: ifLoop, corrupt: func(s *Shader) { nth(s, KindALU, 2).Def.Instr = nth(s, KindALU, 1) }},
	{rule: "V1", msg: "not unique", body: ifLoop, corrupt: func(s *Shader) { nth(s, KindALU, 2).Def.Index = nth(s, KindALU, 1).Def.Index }},
	{rule: "V1", msg: "too large", body: ifLoop, corrupt: func(s *Shader) { nth(s, KindALU, 2).Def.Index = s.Entry().Impl.NumDefs }},
	{rule: "V2", msg: "0 components", body: ifLoop, corrupt: func(s *Shader) { nth(s, KindALU, 2).Def.NumComponents = 0 }},
	{rule: "V3", msg: "use list is broken", body: ifLoop, corrupt: func(s *Shader) {
		d := &nth(s, KindPhi, 0).Def // used twice by the iadd
		d.uses.next.prev = nil
	}},
	{rule: "V3", msg: "source of no instruction", body: ifLoop, corrupt: func(s *Shader) { nth(s, KindALU, 1).Srcs[0].Instr = nth(s, KindALU, 2) }},
	{rule: "V3", msg: "source 1 belongs to another instruction", body: loopPhi, corrupt: func(s *Shader) { nth(s, KindPhi, 0).Srcs[1].Instr = nth(s, KindALU, 0) }},
	{rule: "V3", msg: "a use of another value", body: ifLoop, corrupt: func(s *Shader) { nth(s, KindALU, 2).Srcs[0].Def = &nth(s, KindPhi, 0).Def }},
	{rule: "V3", msg: "sources, but use lists have", body: ifLoop, corrupt: func(s *Shader) { nth(s, KindPhi, 0).Def.uses = nil }},
	{rule: "V3", msg: "comes from outside the function", body: ifLoop, corrupt: func(s *Shader) { nth(s, KindALU, 2).Srcs[0].Set(&s.NewUndef(1, 32).Def) }},
	{rule: "V3", msg: "condition of an if comes from outside", body: ifLoop, corrupt: func(s *Shader) { firstIf(s).Cond.Set(&s.NewUndef(1, 1).Def) }},
	{rule: "V3", msg: "condition of an if without value", body: ifLoop, corrupt: func(s *Shader) { firstIf(s).Cond.Set(nil) }},
	{rule: "V3", msg: "stray condition", body: ifLoop, corrupt: func(s *Shader) {
		nth(s, KindUndef, 0).Def.uses.If = &If{}
	}},
	{rule: "V3", msg: "source of no instruction of this function", body: ifLoop, corrupt: func(s *Shader) {
		u := s.NewALU(OpMov, 1, 32, &nth(s, KindPhi, 0).Def)
		u.Srcs[0].Swizzle = IdentitySwizzle
	}},
	{rule: "V5", msg: "source 0 is missing", body: ifLoop, corrupt: func(s *Shader) { nth(s, KindALU, 2).Srcs[0].Set(nil) }},
	{rule: "V5", msg: "wrong links", body: ifLoop, corrupt: func(s *Shader) { nth(s, KindALU, 1).Block = s.Entry().Impl.Start() }},
	{rule: "V5", msg: "wrong end", body: ifLoop, corrupt: func(s *Shader) { s.Entry().Impl.Start().last = nil }},

	{rule: "A1", msg: "no such operation", body: ifLoop, corrupt: func(s *Shader) { nth(s, KindALU, 2).Op = Op(NumOps) }},
	{rule: "A1", msg: "1 sources, the table says 2", body: ifLoop, corrupt: func(s *Shader) { nth(s, KindALU, 2).Op = OpIadd }},
	{rule: "A1", msg: "2 sources, the table says 1", body: ifLoop, corrupt: func(s *Shader) { nth(s, KindALU, 1).Op = OpIneg }},
	{rule: "A8", msg: "operation of target agx in a shader for ir3", body: "b0: %0:32 = undef %1:32 = extr_agx %0, %0, %0, %0", corrupt: func(s *Shader) { s.Options.Target = "ir3" }},
	{rule: "I1", msg: "no such intrinsic", body: "b0: %0:1 = undef demote_if %0", corrupt: func(s *Shader) { nth(s, KindIntrinsic, 0).Intr = Intrinsic(NumIntrinsics) }},
	{rule: "I1", msg: "1 sources, the table says 0", body: "b0: %0:1 = undef demote_if %0", corrupt: func(s *Shader) { nth(s, KindIntrinsic, 0).Intr = IntrDemote }},
	{rule: "I1", msg: "0 indices, the table says 3", text: `shader compute "m" { fn f0 "main" entry() { b0: %0:32 = decl_reg num_components=1 bit_size=32 %1:32 = load_reg %0 } }`, corrupt: func(s *Shader) {
		in := nth(s, KindIntrinsic, 1)
		in.Imm = in.Imm[:0]
	}},
	{rule: "I1", msg: "num_components 7", body: "b0: %0:32 = undef store_ssbo %0, %0, %0 write_mask=x align_mul=4", corrupt: func(s *Shader) { nth(s, KindIntrinsic, 0).NumComponents = 7 }},
	{rule: "I1", msg: "result missing or not wanted", body: "b0: %0:1 = elect", corrupt: func(s *Shader) { nth(s, KindIntrinsic, 0).Intr = IntrDemote }},
	{rule: "I1", msg: "fixed width", body: "b0: %0:1 = elect", corrupt: func(s *Shader) { nth(s, KindIntrinsic, 0).NumComponents = 1 }},
	{rule: "T1", msg: "2 kinds for 1 sources", body: "b0: %0:32 = undef %1:32x4 = txl coord=%0 dim=1D dest=f32", corrupt: func(s *Shader) {
		t := nth(s, KindTex, 0).TexInfo()
		t.SrcKinds = append(t.SrcKinds, TexSrcLod)
	}},
	{rule: "T1", msg: "no such kind", body: "b0: %0:32 = undef %1:32x4 = txl coord=%0 dim=1D dest=f32", corrupt: func(s *Shader) { nth(s, KindTex, 0).TexInfo().SrcKinds[0] = TexSrc(NumTexSrcs) }},
	{rule: "T1", msg: "no such dimension", body: "b0: %0:32 = undef %1:32x4 = txl coord=%0 dim=1D dest=f32", corrupt: func(s *Shader) { nth(s, KindTex, 0).TexInfo().Dim = DimSubpassMS + 1 }},

	{rule: "D1", msg: "without type", decl: structVar, body: derefs, corrupt: func(s *Shader) { nth(s, KindDeref, 0).DerefInfo().Type = nil }},
	{rule: "D1", msg: "modes or type differ", decl: structVar, body: derefs, corrupt: func(s *Shader) { s.Variables[0].Mode = ModeShared }},
	{rule: "D1", msg: "not declared", decl: structVar, body: derefs, corrupt: func(s *Shader) { s.Variables = s.Variables[1:] }},
	{rule: "D2", msg: "parent is no deref", decl: structVar, body: derefs, corrupt: func(s *Shader) { nth(s, KindDeref, 3).Srcs[0].Set(&nth(s, KindLoadConst, 0).Def) }},
	{rule: "D2", msg: "modes differ from the parent's", decl: structVar, body: derefs, corrupt: func(s *Shader) { nth(s, KindDeref, 1).DerefInfo().Modes = ModeShared }},
	{rule: "D2", msg: "2 sources, not 1", decl: structVar, body: derefs, corrupt: func(s *Shader) { nth(s, KindDeref, 3).Deref = DerefStruct }},
	{rule: "D3", msg: "no such member", decl: structVar, body: derefs, corrupt: func(s *Shader) { nth(s, KindDeref, 1).DerefInfo().Field = 2 }},
	{rule: "D3", msg: "no such member", decl: structVar, body: derefs, corrupt: func(s *Shader) { nth(s, KindDeref, 1).DerefInfo().Field = 0 }},
	{rule: "D4", msg: "type is not the element's", decl: structVar, body: derefs, corrupt: func(s *Shader) { nth(s, KindDeref, 3).DerefInfo().Type = ScalarType(BaseUint, 32) }},

	{rule: "P1", msg: "phi after another instruction", body: ifLoop, corrupt: func(s *Shader) {
		phi := nth(s, KindPhi, 0)
		add := phi.Next()
		add.MoveTo(Before(phi))
		add.Srcs[0].Set(&nth(s, KindLoadConst, 0).Def)
		add.Srcs[1].Set(&nth(s, KindLoadConst, 0).Def)
	}},
	{rule: "P2", msg: "2 sources from 1 predecessors", body: ifLoop, corrupt: func(s *Shader) {
		p := nth(s, KindPhi, 0).PhiInfo()
		p.Preds = p.Preds[:1]
	}},
	{rule: "P3", msg: "0 copies of 1 sources", body: "b0: %0:32 = undef parallel_copy (%1:32 <- %0)", corrupt: func(s *Shader) { nth(s, KindParallelCopy, 0).CopyInfo().Entries = nil }},
	{rule: "J1", msg: "not last", body: ifLoop, corrupt: func(s *Shader) {
		j := nth(s, KindJump, 0)
		j.Block.insert(s.NewUndef(1, 32), nil)
		j.Block.relink() // a block that does not end in a jump falls through
	}},
	{rule: "C1", msg: "no function of this shader", text: `shader compute "m" { fn f0 "g" () { b0: } fn f1 "main" entry() { b0: call f0() } }`, corrupt: func(s *Shader) { nth(s, KindCall, 0).CallInfo().Callee = nil }},
	{rule: "K1", msg: "unused bits", body: ifLoop, corrupt: func(s *Shader) { nth(s, KindLoadConst, 0).Imm[0] = 1 << 32 }},
	{rule: "K1", msg: "2 constants for 1 components", body: ifLoop, corrupt: func(s *Shader) { nth(s, KindLoadConst, 0).Imm = []uint64{1, 2} }},

	{rule: "B1", msg: "does not know its owner", body: ifLoop, corrupt: func(s *Shader) { firstIf(s).Then.owner = nil }},
	{rule: "B1", msg: "wrong links", body: ifLoop, corrupt: func(s *Shader) { firstIf(s).prev = nil }},
	{rule: "B1", msg: "block of another function", body: ifLoop, corrupt: func(s *Shader) { firstIf(s).Then.FirstBlock().impl = nil }},
	{rule: "B1", msg: "wrong end", body: ifLoop, corrupt: func(s *Shader) { i := firstIf(s); i.Else.tail = i.Then.head }},
	{rule: "B2", msg: "two blocks in a row", body: ifLoop, corrupt: func(s *Shader) {
		l := &firstIf(s).Then
		l.append(s.newBlock(l.impl))
	}},
	{rule: "B2", msg: "first in its list", body: ifLoop, corrupt: func(s *Shader) {
		l := &s.Entry().Impl.Body
		l.remove(l.head)
	}},
	{rule: "B3", msg: "not what its place in the tree says", body: ifLoop, corrupt: func(s *Shader) {
		b := s.Entry().Impl.Start()
		b.Succ[0], b.Succ[1] = b.Succ[1], b.Succ[0]
	}},
	{rule: "B3", msg: "lacks its predecessor", body: ifLoop, corrupt: func(s *Shader) { firstIf(s).Then.FirstBlock().Preds = nil }},
	{rule: "B3", msg: "not the inverse", body: ifLoop, corrupt: func(s *Shader) {
		b := firstIf(s).Then.FirstBlock()
		b.Preds = append(b.Preds, b)
	}},
	{rule: "B4", msg: "start block has predecessors", body: ifLoop, corrupt: func(s *Shader) {
		b := s.Entry().Impl.Start()
		b.Preds = append(b.Preds, b)
	}},
	{rule: "B4", msg: "the end block has", body: ifLoop, corrupt: func(s *Shader) {
		impl := s.Entry().Impl
		impl.End.insert(s.NewUndef(1, 32), nil)
	}},
	{rule: "B6", msg: "empty list", body: ifLoop, corrupt: func(s *Shader) { l := firstLoop(s); l.Body.head, l.Body.tail = nil, nil }},
	{rule: "B6", msg: "does not end in a block", body: ifLoop, corrupt: func(s *Shader) {
		l := &s.Entry().Impl.Body
		l.remove(l.tail)
	}},
	{rule: "R1", msg: "exactly one mode", decl: structVar, body: "b0:", corrupt: func(s *Shader) { s.Variables[1].Mode = ModeUBO | ModeSSBO }},
	{rule: "R1", msg: "without type", decl: structVar, body: "b0:", corrupt: func(s *Shader) { s.Variables[1].Type = nil }},
	{rule: "F1", msg: "do not point at each other", body: "b0:", corrupt: func(s *Shader) { s.Functions[0].Impl.Fn = nil }},
	{rule: "M1", msg: "block_index", body: ifLoop, corrupt: func(s *Shader) {
		impl := s.Entry().Impl
		impl.Require(MetaBlockIndex)
		impl.Start().Index = 3
	}},
	{rule: "M1", msg: "dominance", body: ifLoop, corrupt: func(s *Shader) {
		impl := s.Entry().Impl
		impl.Require(MetaDominance)
		firstLoop(s).After().idom = impl.Start()
	}},
	{rule: "M1", msg: "instr_index", body: ifLoop, corrupt: func(s *Shader) {
		impl := s.Entry().Impl
		impl.Require(MetaInstrIndex)
		nth(s, KindALU, 1).Index = 0
	}},
}
