package ir

// Contents is a set of things that a shader may contain, for passes that look for them alone: where there is none, the
// pass has nothing to do (Shader.Contents).
type Contents uint64

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
	HasTemp                 // derefs of temporaries, function_temp or shader_temp
	HasAccess               // intrinsics that read or write through derefs
	HasStore                // of these, stores and copies
	HasCopy                 // of these, copies
	HasMemory               // loads and stores of memory and images by handle, offset or address
	HasSubgroup             // operations across the lanes of a subgroup, and questions about them
	HasDiscard              // demotes and terminates
	HasJump                 // breaks, continues, returns, halts
	HasNarrow               // values of 8 or 16 bits
	HasBool                 // values of 1 bit
	HasConst                // constants
	HasMove                 // moves, and vectors made of components
	HasCast                 // derefs that cast or step pointers, questions about their modes
	HasElement              // derefs of elements of arrays and of components
	HasObject               // derefs of all but inputs, outputs, system values, resources and temporaries
	HasWritable             // accesses to storage buffers, images and addresses
	HasShared               // accesses to memory of the workgroup
	HasHandle               // handles of resources by set and binding
	HasAmul                 // products of addresses: amul
	HasBfi                  // insertions of bits: bfi
	HasPrivate              // derefs of temporaries of the whole shader, shader_temp
	HasSystemValue          // derefs of system values
	HasWrite                // stores to memory and images by handle, offset or address
	HasOutput               // stores of outputs by slot
	HasMarks                // intrinsics with marks about their access
	HasSampleMask           // questions for the mask of covered samples
	HasOutputLoad           // loads of outputs by slot, what attachments hold among them
	HasSlots                // accesses to inputs and outputs by slot, at another than the first or one that is not known
	HasWide                 // operations on vectors, moves among them, that do more than to make one of components
	HasAwkward              // operations that lower_alu may write by others
)

// apartModes are those of which there are no derefs of HasObject.
const apartModes = ModeShaderIn | ModeShaderOut | ModeUniform | ModeImage | ModeSystemValue | ModeFunctionTemp | ModeShaderTemp

// kindContents are those of instructions of a kind, ALU instructions aside.
var kindContents = [...]Contents{KindIntrinsic: 0, KindTex: HasTex, KindDeref: HasDeref, KindLoadConst: HasConst, KindUndef: HasUndef,
	KindPhi: HasPhi, KindParallelCopy: 0, KindJump: HasJump, KindCall: HasCall}

// awkwardOps are the operations that lower_alu may write by others.
var awkwardOps = []Op{
	OpFneo, OpFequ, OpFunord, OpFord, OpBitfieldReverse, OpBitCount, OpUmulHigh, OpImulHigh, OpUmul2x32_64, OpImul2x32_64, OpFmin, OpFmax,
}

// opContents are those of ALU instructions of an operation.
var opContents = func() (t [NumOps]Contents) {
	for op := range Op(NumOps) {
		t[op] = HasALU
		for _, in := range op.Info().In {
			if in.Comps > 1 {
				t[op] |= HasVector
			}
		}
	}
	for _, op := range []Op{OpUdiv, OpUmod, OpIdiv, OpIrem, OpImod} {
		t[op] |= HasDivision
	}
	for op := range Op(NumOps) {
		if op.Info().Horizontal() && (op < OpVec2 || op > OpVec16) {
			t[op] |= HasWide
		}
	}
	for _, op := range awkwardOps {
		t[op] |= HasAwkward
	}
	t[OpMov] |= HasMove
	for op := OpVec2; op <= OpVec16; op++ {
		t[op] |= HasMove
	}
	t[OpAmul] |= HasAmul
	t[OpBfi] |= HasBfi
	t[OpFlrp] |= HasFlrp
	t[OpFrexpExp] |= HasFrexp
	t[OpFrexpSig] |= HasFrexp
	return t
}()

// sizeContents are those of values of a size in bits.
var sizeContents = [256]Contents{1: HasBool, 8: HasNarrow, 16: HasNarrow, 64: Has64}

// intrinsicContents are those of intrinsics.
var intrinsicContents = func() (t [NumIntrinsics]Contents) {
	for i := range Intrinsic(NumIntrinsics) {
		if i.Info().IndexPos(IdxAtomicOp) >= 0 {
			t[i] = HasAtomic
		}
		if i.Info().IndexPos(IdxAccess) >= 0 {
			t[i] |= HasMarks
		}
		switch m := i.Info().Mem; m.Space {
		case SpaceDeref:
			t[i] |= HasAccess
		case SpaceUbo, SpaceSsbo, SpaceGlobal, SpaceShared, SpaceScratch, SpaceUniform, SpacePush, SpaceConstant, SpaceImage:
			if m.Op == MemLoad || m.Op == MemStore {
				t[i] |= HasMemory
			}
		}
		if m := i.Info().Mem; m.Space != SpaceDeref && m.Op == MemStore || m.Op == MemCall {
			t[i] |= HasWrite
		}
		switch i.Info().Mem.Space {
		case SpaceSsbo, SpaceGlobal, SpaceImage:
			t[i] |= HasWritable
		case SpaceShared:
			t[i] |= HasShared
		}
	}
	t[IntrImageDerefStore] |= HasWrite
	t[IntrStoreOutput] |= HasOutput
	t[IntrStorePerVertexOutput] |= HasOutput
	t[IntrLoadOutput] |= HasOutputLoad
	t[IntrLoadAttachment] |= HasOutputLoad
	for _, i := range slotIntrinsics {
		t[i] |= HasSlots
	}
	t[IntrDerefModeIs] |= HasCast
	t[IntrStoreDeref] |= HasStore
	t[IntrCopyDeref] |= HasStore | HasCopy
	for _, i := range []Intrinsic{IntrDemote, IntrDemoteIf, IntrTerminate, IntrTerminateIf} {
		t[i] |= HasDiscard
	}
	for _, i := range subgroupIntrinsics {
		t[i] |= HasSubgroup
	}
	t[IntrBarrier] |= HasBarrier
	t[IntrLoadSampleMaskIn] |= HasSampleMask
	t[IntrVulkanResourceIndex] |= HasHandle
	t[IntrLoadVulkanDescriptor] |= HasHandle
	t[IntrLoadCounter] |= HasAtomic
	for _, i := range []Intrinsic{IntrLoadAccelStruct, IntrRqInitialize, IntrRqTerminate, IntrRqProceed, IntrRqGenerateIntersection, IntrRqConfirmIntersection, IntrRqLoad} {
		t[i] |= HasRayQuery
	}
	return t
}()

// slotIntrinsics read and write inputs and outputs by slot. The last source counts slots.
var slotIntrinsics = []Intrinsic{
	IntrLoadInput, IntrLoadInterpolatedInput, IntrLoadPerVertexInput, IntrLoadInputVertex,
	IntrStoreOutput, IntrLoadOutput, IntrStorePerVertexOutput, IntrLoadPerVertexOutput,
}

// subgroupIntrinsics move values between the lanes of a subgroup, or ask about them.
var subgroupIntrinsics = []Intrinsic{
	IntrReadInvocation, IntrReadFirstInvocation, IntrShuffle, IntrShuffleXor, IntrShuffleUp, IntrShuffleDown, IntrRotate,
	IntrQuadBroadcast, IntrQuadSwapHorizontal, IntrQuadSwapVertical, IntrQuadSwapDiagonal,
	IntrReduce, IntrInclusiveScan, IntrExclusiveScan,
	IntrBallot, IntrBallotRelaxed, IntrInverseBallot, IntrBallotBitfieldExtract, IntrBallotBitCountReduce,
	IntrBallotBitCountInclusive, IntrBallotBitCountExclusive, IntrBallotFindLsb, IntrBallotFindMsb,
	IntrVoteAny, IntrVoteAll, IntrVoteFeq, IntrVoteIeq, IntrElect, IntrFirstInvocation, IntrLastInvocation,
	IntrQuadVoteAny, IntrQuadVoteAll,
	IntrLoadSubgroupEqMask, IntrLoadSubgroupGeMask, IntrLoadSubgroupGtMask, IntrLoadSubgroupLeMask, IntrLoadSubgroupLtMask,
	IntrLoadSubgroupSize, IntrLoadSubgroupInvocation,
}

// contents are those of an instruction.
func (in *Instr) contents() Contents {
	c := sizeContents[in.Def.BitSize]
	if in.Kind == KindALU { // most are
		c |= opContents[in.Op]
		if in.Def.NumComponents > 1 {
			c |= HasVector
			if !in.IsVec() {
				c |= HasWide
			}
		}
		return c
	}
	c |= kindContents[in.Kind]
	switch in.Kind {
	case KindIntrinsic:
		if c |= intrinsicContents[in.Intr]; c&HasSlots != 0 && in.atFirstSlot() {
			c &^= HasSlots
		}
	case KindLoadConst:
		if in.Def.NumComponents > 1 {
			c |= HasVectorConst
		}
	case KindDeref:
		modes := in.DerefInfo().Modes
		if modes&(ModeFunctionTemp|ModeShaderTemp) != 0 {
			c |= HasTemp
		}
		if modes&ModeShaderTemp != 0 {
			c |= HasPrivate
		}
		if modes&ModeSystemValue != 0 {
			c |= HasSystemValue
		}
		if modes&^apartModes != 0 {
			c |= HasObject
		}
		switch in.Deref {
		case DerefCast, DerefPtrAsArray:
			c |= HasCast
		case DerefArray, DerefArrayWildcard:
			c |= HasElement
		}
	}
	return c
}

// atFirstSlot reports whether an access by slot is known to be at the first, as nearly all are. While one is read or removed it
// may have no sources.
func (in *Instr) atFirstSlot() bool {
	d := in.Srcs[len(in.Srcs)-1].Def
	if d == nil {
		return false
	}
	v, ok := d.Const(0)
	return ok && v == 0
}

// Contents are what the shader may contain: all that it does, and what it did since Recount. Instructions
// count when they are put into a block, ifs and loops when they are made.
func (s *Shader) Contents() Contents { return s.contents }

// Resize gives the result of an instruction that is in a block another size in bits: the contents know of it.
func (in *Instr) Resize(bits uint8) {
	s := in.Block.impl.Shader
	s.gone |= in.contents()
	in.Def.BitSize = bits
	s.contents |= in.contents()
}

// Become makes an ALU instruction that is in a block another operation: the contents know of it.
func (in *Instr) Become(op Op) {
	s := in.Block.impl.Shader
	s.gone |= in.contents()
	in.Op = op
	s.contents |= in.contents()
}

// SetModes gives a deref that is in a block other modes: the contents know of it.
func (in *Instr) SetModes(m Mode) {
	s := in.Block.impl.Shader
	s.gone |= in.contents()
	in.DerefInfo().Modes = m
	s.contents |= in.contents()
}

// goes notes that an instruction leaves its block for good.
func (in *Instr) goes() {
	if b := in.Block; b != nil {
		b.impl.Shader.gone |= in.contents()
	}
}

// treeContents are those of the control flow tree and not of instructions.
const treeContents = HasIf | HasLoop

// Recount looks what the shader contains. Only what some instruction took with it since the last time can be missing, or an if
// or loop, or what a function contained: it is looked for until all is found, mostly in the first instructions.
// Walking over all of them took a fiftieth of a small shader's compile.
func (s *Shader) Recount() {
	left := s.gone | treeContents
	if len(s.Functions) != s.counted {
		left = ^Contents(0)
	}
	left &= s.contents
	s.gone, s.counted = 0, len(s.Functions)
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for b := f.Impl.Start(); b != nil && left != 0; b = b.NextBlock() {
			left = b.without(left)
		}
	}
	s.contents &^= left
}

// without takes from a set what a block and what it stands in contain.
func (b *Block) without(left Contents) Contents {
	switch Parent(b).(type) {
	case *If:
		left &^= HasIf
	case *Loop:
		left &^= HasLoop
	}
	for in := b.first; in != nil && left&^treeContents != 0; in = in.next {
		left &^= in.contents()
	}
	return left
}
