package ir

// Contents is a set of things that a shader may contain, for passes that look for them alone: where there is none, the
// pass has nothing to do (Shader.Contents).
type Contents uint32

// What a shader may contain.
const (
	HasDeref       Contents = 1 << iota
	HasTex                  // texture instructions
	HasPhi                  //
	HasUndef                //
	HasCall                 //
	HasIf                   //
	HasLoop                 //
	HasVector               // operations that make or read several components
	HasVectorConst          // constants of several components
	Has64                   // values of 64 bits
	HasDivision             // divisions and remainders of integers
	HasFlrp                 //
	HasFrexp                // parts of floats: frexp_exp, frexp_sig
	HasBarrier              //
	HasAtomic               // atomic operations
	HasALU                  // ALU instructions
	HasRayQuery             // ray queries, acceleration structures
)

// kindContents are those of instructions of a kind.
var kindContents = [...]Contents{KindALU: HasALU, KindIntrinsic: 0, KindTex: HasTex, KindDeref: HasDeref, KindLoadConst: 0, KindUndef: HasUndef,
	KindPhi: HasPhi, KindParallelCopy: 0, KindJump: 0, KindCall: HasCall}

// opContents are those of ALU instructions of an operation.
var opContents = func() (t [NumOps]Contents) {
	for op := range Op(NumOps) {
		for _, in := range op.Info().In {
			if in.Comps > 1 {
				t[op] = HasVector
			}
		}
	}
	for _, op := range []Op{OpUdiv, OpUmod, OpIdiv, OpIrem, OpImod} {
		t[op] |= HasDivision
	}
	t[OpFlrp] |= HasFlrp
	t[OpFrexpExp] |= HasFrexp
	t[OpFrexpSig] |= HasFrexp
	return t
}()

// intrinsicContents are those of intrinsics.
var intrinsicContents = func() (t [NumIntrinsics]Contents) {
	for i := range Intrinsic(NumIntrinsics) {
		if i.Info().IndexPos(IdxAtomicOp) >= 0 {
			t[i] = HasAtomic
		}
	}
	t[IntrBarrier] |= HasBarrier
	for _, i := range []Intrinsic{IntrLoadAccelStruct, IntrRqInitialize, IntrRqTerminate, IntrRqProceed, IntrRqGenerateIntersection, IntrRqConfirmIntersection, IntrRqLoad} {
		t[i] |= HasRayQuery
	}
	return t
}()

// contents are those of an instruction.
func (in *Instr) contents() Contents {
	c := kindContents[in.Kind]
	switch in.Kind {
	case KindALU:
		c |= opContents[in.Op]
		if in.Def.NumComponents > 1 {
			c |= HasVector
		}
	case KindIntrinsic:
		c |= intrinsicContents[in.Intr]
	case KindLoadConst:
		if in.Def.NumComponents > 1 {
			c |= HasVectorConst
		}
	}
	if in.Def.BitSize == 64 {
		c |= Has64
	}
	return c
}

// Contents are what the shader may contain: all that it does, and what it did since Recount. Instructions
// count when they are put into a block, ifs and loops when they are made.
func (s *Shader) Contents() Contents { return s.contents }

// Recount looks what the shader contains.
func (s *Shader) Recount() {
	s.contents = 0
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for b := range f.Impl.Blocks() {
			for in := b.first; in != nil; in = in.next {
				s.contents |= in.contents()
			}
			switch Parent(b).(type) {
			case *If:
				s.contents |= HasIf
			case *Loop:
				s.contents |= HasLoop
			}
		}
	}
}
