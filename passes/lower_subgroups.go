package passes

import (
	"math"

	"nirc/ir"
)

var lowerSubgroupsPass = &Pass{
	Name: "lower_subgroups", For: ir.HasSubgroup, Class: "A", Run: lowerSubgroups,
	Doc: "Writes subgroup operations that a target lacks by those that it has, each family by an option: vectors by component, 64-bit values in halves, booleans as words, " +
		"ballots in fewer words, what ballots are asked, masks, votes on equality, elections, relative shuffles and quad operations as shuffles, " +
		"reductions and scans as loops over the active lanes. size_one is for targets whose subgroups have one lane: all of it becomes arithmetic.",
	Options: []Option{
		{"to_scalar", "values with one component", false},
		{"split_64", "64-bit values in halves; reductions only where halves do", false},
		{"bool_to_32", "booleans as 32-bit words", false},
		{"ballot_words", "32-bit words of a ballot; 0: as it is", 0},
		{"ballot_queries", "bits, counts and searches in ballots, and the masks, by arithmetic", false},
		{"vote_eq", "votes on equality by the first lane's value", false},
		{"elect", "elections and first lanes by ballots", false},
		{"shuffle_to_index", "shuffles by distance and rotations by lane numbers", false},
		{"quad_to_shuffle", "quad operations by lane numbers", false},
		{"scans", "reductions and scans", false},
		{"size_one", "a subgroup is one lane", false},
		{"only_64", "of moves, votes, reductions and scans those of 64-bit values alone", false},
	},
}

// subgroupLowering is one run; b stands before in.
type subgroupLowering struct {
	b  *ir.Builder
	in *ir.Instr

	toScalar, split64, boolTo32, ballotQueries, voteEq, elect, shuffles, quads, scans, sizeOne, only64 bool

	words int
}

func lowerSubgroups(c *Context, s *ir.Shader) (bool, error) {
	if err := c.wantUpTo(4, "ballot_words"); err != nil {
		return false, err
	}
	l := &subgroupLowering{
		toScalar: c.Bool("to_scalar"), split64: c.Bool("split_64"), boolTo32: c.Bool("bool_to_32"), words: c.Int("ballot_words"),
		ballotQueries: c.Bool("ballot_queries"), voteEq: c.Bool("vote_eq"), elect: c.Bool("elect"), shuffles: c.Bool("shuffle_to_index"),
		quads: c.Bool("quad_to_shuffle"), scans: c.Bool("scans"), sizeOne: c.Bool("size_one"), only64: c.Bool("only_64"),
	}
	progress := false
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		// What a step writes may be another's to write; blocks change under scans.
		for again := true; again; {
			again = false
			for _, in := range subgroupInstrs(f.Impl) {
				l.b, l.in = builderBefore(in), in
				if v := l.lower(); v != nil {
					in.Def.RewriteUses(l.sized(v))
					in.Remove()
					again, progress = true, true
				}
			}
		}
		f.Impl.Preserve(ir.MetaNone)
	}
	return progress, nil
}

// sized gives a truth value the size of that which the operation makes; other
// values have it.
func (l *subgroupLowering) sized(v *ir.Def) *ir.Def {
	bits := l.in.Def.BitSize
	if v.BitSize == bits {
		return v
	}
	switch bits {
	case 1:
		return l.b.B2b1(v)
	case 8:
		return l.b.B2b8(v)
	case 16:
		return l.b.B2b16(v)
	}
	return l.b.B2b32(v)
}

// subgroupInstrs lists the operations that the pass may write.
func subgroupInstrs(impl *ir.Impl) (list []*ir.Instr) {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind == ir.KindIntrinsic && (movesLanes(in.Intr) || isScan(in.Intr) || aboutLanes(in.Intr)) {
				list = append(list, in)
			}
		}
	}
	return list
}

// movesLanes tells the operations whose result is another lane's source 0.
func movesLanes(i ir.Intrinsic) bool {
	switch i {
	case ir.IntrReadInvocation, ir.IntrReadFirstInvocation, ir.IntrShuffle, ir.IntrShuffleXor, ir.IntrShuffleUp, ir.IntrShuffleDown, ir.IntrRotate,
		ir.IntrQuadBroadcast, ir.IntrQuadSwapHorizontal, ir.IntrQuadSwapVertical, ir.IntrQuadSwapDiagonal:
		return true
	}
	return false
}

func isScan(i ir.Intrinsic) bool {
	return i == ir.IntrReduce || i == ir.IntrInclusiveScan || i == ir.IntrExclusiveScan
}

func aboutLanes(i ir.Intrinsic) bool {
	switch i {
	case ir.IntrBallot, ir.IntrBallotRelaxed, ir.IntrInverseBallot, ir.IntrBallotBitfieldExtract, ir.IntrBallotBitCountReduce,
		ir.IntrBallotBitCountInclusive, ir.IntrBallotBitCountExclusive, ir.IntrBallotFindLsb, ir.IntrBallotFindMsb,
		ir.IntrVoteAny, ir.IntrVoteAll, ir.IntrVoteFeq, ir.IntrVoteIeq, ir.IntrElect, ir.IntrFirstInvocation, ir.IntrLastInvocation,
		ir.IntrQuadVoteAny, ir.IntrQuadVoteAll,
		ir.IntrLoadSubgroupEqMask, ir.IntrLoadSubgroupGeMask, ir.IntrLoadSubgroupGtMask, ir.IntrLoadSubgroupLeMask, ir.IntrLoadSubgroupLtMask,
		ir.IntrLoadSubgroupSize, ir.IntrLoadSubgroupInvocation:
		return true
	}
	return false
}

// lower returns what replaces the instruction, nil if it stays.
func (l *subgroupLowering) lower() *ir.Def {
	if l.sizeOne {
		return l.single()
	}
	if l.only64 && (len(l.in.Srcs) == 0 || l.in.Srcs[0].Def.BitSize != 64) {
		return nil
	}
	if movesLanes(l.in.Intr) || isScan(l.in.Intr) {
		if v := l.shape(); v != nil {
			return v
		}
	}
	switch {
	case isScan(l.in.Intr):
		if l.scans && l.in.Def.NumComponents == 1 {
			return l.scan()
		}
		return nil
	case movesLanes(l.in.Intr):
		return l.shuffle()
	}
	if v := l.vote(); v != nil {
		return v
	}
	return l.ballots()
}

// again makes the same operation over another first source.
func (l *subgroupLowering) again(x *ir.Def) *ir.Def {
	srcs := []*ir.Def{x}
	for i := 1; i < len(l.in.Srcs); i++ {
		srcs = append(srcs, l.in.Srcs[i].Def)
	}
	n := l.b.Intrinsic(l.in.Intr, x.NumComponents, x.BitSize, srcs...)
	copy(n.Imm, l.in.Imm)
	return &n.Def
}

// shape makes one-component, 32-bit operations of others where asked for.
func (l *subgroupLowering) shape() *ir.Def {
	x := l.in.Srcs[0].Def
	b := l.b
	switch {
	case l.toScalar && x.NumComponents > 1:
		comps := make([]*ir.Def, x.NumComponents)
		for i := range comps {
			comps[i] = l.again(b.Channel(x, i))
		}
		return b.Vec(comps...)
	case l.split64 && x.BitSize == 64 && l.halvesDo():
		return b.Pack64_2x32Split(l.again(b.Unpack64_2x32SplitX(x)), l.again(b.Unpack64_2x32SplitY(x)))
	case l.boolTo32 && x.BitSize == 1:
		// As 0 and ~0, so that and, or and exclusive or agree.
		zero := make([]uint64, x.NumComponents)
		return b.Ine(l.again(b.Ineg(b.B2i32(x))), b.Const(32, zero...))
	}
	return nil
}

func (l *subgroupLowering) halvesDo() bool {
	if !isScan(l.in.Intr) {
		return true
	}
	switch ir.Op(l.in.Get(ir.IdxReductionOp)) {
	case ir.OpIand, ir.OpIor, ir.OpIxor:
		return true
	}
	return false
}

func (l *subgroupLowering) lane() *ir.Def { return l.b.LoadSubgroupInvocation() }

// shuffle writes moves by distance as moves by lane number.
func (l *subgroupLowering) shuffle() *ir.Def {
	b := l.b
	quad := func(x uint32) *ir.Def { return b.Ixor(l.lane(), b.Imm32(x)) }
	var from *ir.Def
	switch l.in.Intr {
	case ir.IntrShuffleXor, ir.IntrShuffleUp, ir.IntrShuffleDown, ir.IntrRotate:
		if !l.shuffles {
			return nil
		}
		from = l.distance()
	case ir.IntrQuadBroadcast, ir.IntrQuadSwapHorizontal, ir.IntrQuadSwapVertical, ir.IntrQuadSwapDiagonal:
		if !l.quads {
			return nil
		}
		switch l.in.Intr {
		case ir.IntrQuadBroadcast:
			at := b.Iand(l.in.Srcs[1].Def, b.Imm32(3))
			from = b.Ior(b.Iand(l.lane(), b.ImmInt(-4, 32)), at)
		case ir.IntrQuadSwapHorizontal:
			from = quad(1)
		case ir.IntrQuadSwapVertical:
			from = quad(2)
		default:
			from = quad(3)
		}
	default:
		return nil
	}
	x := l.in.Srcs[0].Def
	return &b.Intrinsic(ir.IntrShuffle, x.NumComponents, x.BitSize, x, from).Def
}

// distance is the lane that a relative shuffle reads.
func (l *subgroupLowering) distance() *ir.Def {
	b := l.b
	by := l.in.Srcs[1].Def
	switch l.in.Intr {
	case ir.IntrShuffleXor:
		return b.Ixor(l.lane(), by)
	case ir.IntrShuffleUp:
		return b.Isub(l.lane(), by)
	case ir.IntrShuffleDown:
		return b.Iadd(l.lane(), by)
	}
	last := b.IAddImm(subgroupSize(b), -1)
	if n := l.in.Get(ir.IdxClusterSize); n != 0 {
		last = b.Umin(last, b.Imm32(uint32(n-1)))
	}
	// Around inside the cluster.
	return b.Ior(b.Iand(l.lane(), b.Inot(last)), b.Iand(b.Iadd(l.lane(), by), last))
}

// vote writes votes on equality, votes in quads and elections.
func (l *subgroupLowering) vote() *ir.Def {
	b := l.b
	switch l.in.Intr {
	case ir.IntrVoteIeq, ir.IntrVoteFeq:
		if !l.voteEq {
			return nil
		}
		x := l.in.Srcs[0].Def
		op := ir.OpIeq
		if l.in.Intr == ir.IntrVoteFeq {
			op = ir.OpFeq
		}
		first := &b.Intrinsic(ir.IntrReadFirstInvocation, x.NumComponents, x.BitSize, x).Def
		var all *ir.Def
		for i := range int(x.NumComponents) {
			same := b.ALU(op, b.Channel(x, i), b.Channel(first, i))
			if all != nil {
				same = b.Iand(all, same)
			}
			all = same
		}
		return &b.Intrinsic(ir.IntrVoteAll, 1, 1, all).Def
	case ir.IntrQuadVoteAny, ir.IntrQuadVoteAll:
		if !l.quads {
			return nil
		}
		return l.quadVote()
	case ir.IntrElect:
		if l.elect {
			return b.Ieq(l.lane(), &b.Intrinsic(ir.IntrFirstInvocation, 1, 32).Def)
		}
	case ir.IntrFirstInvocation, ir.IntrLastInvocation:
		if !l.elect {
			return nil
		}
		find := ir.IntrBallotFindLsb
		if l.in.Intr == ir.IntrLastInvocation {
			find = ir.IntrBallotFindMsb
		}
		active := b.Intrinsic(ir.IntrBallot, l.maskWords(), 32, b.ImmBool(true))
		return &b.Intrinsic(find, 1, 32, l.fourWords(&active.Def)).Def
	}
	return nil
}

// quadVote asks the ballot for the four bits of the lane's quad.
func (l *subgroupLowering) quadVote() *ir.Def {
	b := l.b
	at := b.Iand(l.lane(), b.ImmInt(-4, 32))
	four := func(x *ir.Def) *ir.Def {
		m := l.fourWords(&b.Intrinsic(ir.IntrBallot, l.maskWords(), 32, x).Def)
		return b.Iand(b.Ushr(l.word(m, at), at), b.Imm32(15))
	}
	if l.in.Intr == ir.IntrQuadVoteAny {
		return b.Ine(four(l.in.Srcs[0].Def), b.Imm32(0))
	}
	return b.Ieq(four(b.Inot(l.in.Srcs[0].Def)), b.Imm32(0))
}

func (l *subgroupLowering) maskWords() uint8 {
	if l.words == 0 {
		return 4
	}
	return uint8(l.words)
}

// fourWords fills a ballot up with zeros to four words.
func (l *subgroupLowering) fourWords(m *ir.Def) *ir.Def {
	n := int(m.NumComponents)
	if n == 4 {
		return m
	}
	comps := make([]*ir.Def, 4)
	zero := l.b.Imm32(0)
	for i := range comps {
		comps[i] = zero
		if i < n {
			comps[i] = l.b.Channel(m, i)
		}
	}
	return l.b.Vec(comps...)
}

// word picks the word of a four-word mask that holds the bit of a lane.
func (l *subgroupLowering) word(m, at *ir.Def) *ir.Def {
	b := l.b
	i := b.Ushr(at, b.Imm32(5))
	w := b.Channel(m, 3)
	for k := 2; k >= 0; k-- {
		w = b.Bcsel(b.Ieq(i, b.Imm32(uint32(k))), b.Channel(m, k), w)
	}
	return w
}

// ballots writes ballots in fewer words, and what they are asked.
func (l *subgroupLowering) ballots() *ir.Def {
	b, in := l.b, l.in
	switch in.Intr {
	case ir.IntrBallot, ir.IntrBallotRelaxed:
		if l.words == 0 || in.Def.BitSize != 32 || in.Def.NumComponents != 4 || l.words == 4 {
			return nil
		}
		return l.fourWords(&b.Intrinsic(in.Intr, uint8(l.words), 32, in.Srcs[0].Def).Def)
	}
	if !l.ballotQueries {
		return nil
	}
	switch in.Intr {
	case ir.IntrInverseBallot:
		m := l.mask(in.Srcs[0].Def)
		return b.Ine(b.Iand(b.Ushr(l.word(m, l.lane()), l.lane()), b.Imm32(1)), b.Imm32(0))
	case ir.IntrBallotBitfieldExtract:
		m, at := l.mask(in.Srcs[0].Def), in.Srcs[1].Def
		bit := b.Iand(b.Ushr(l.word(m, at), at), b.Imm32(1))
		return resizeUint(b, b.Iand(b.Ine(bit, b.Imm32(0)), b.Ult(at, b.Imm32(128))), in.Def.BitSize)
	case ir.IntrBallotBitCountReduce:
		return l.countBits(b.Iand(l.mask(in.Srcs[0].Def), l.below(subgroupSize(b))))
	case ir.IntrBallotBitCountInclusive:
		return l.countBits(b.Iand(l.mask(in.Srcs[0].Def), l.below(b.IAddImm(l.lane(), 1))))
	case ir.IntrBallotBitCountExclusive:
		return l.countBits(b.Iand(l.mask(in.Srcs[0].Def), l.below(l.lane())))
	case ir.IntrBallotFindLsb, ir.IntrBallotFindMsb:
		return l.search(b.Iand(l.mask(in.Srcs[0].Def), l.below(subgroupSize(b))))
	}
	return l.laneMask()
}

// mask brings a ballot of words of any size to four 32-bit words.
func (l *subgroupLowering) mask(m *ir.Def) *ir.Def {
	if m.BitSize == 32 {
		return l.fourWords(m)
	}
	var comps []*ir.Def
	for i := range int(m.NumComponents) {
		c := l.b.Channel(m, i)
		comps = append(comps, l.b.Unpack64_2x32SplitX(c), l.b.Unpack64_2x32SplitY(c))
	}
	for len(comps) < 4 {
		comps = append(comps, l.b.Imm32(0))
	}
	return l.b.Vec(comps[:4]...)
}

// below is the mask of the lanes with numbers below n, which is at most 128.
func (l *subgroupLowering) below(n *ir.Def) *ir.Def {
	b := l.b
	comps := make([]*ir.Def, 4)
	for i := range comps {
		first := b.Imm32(uint32(32 * i))
		some := b.Isub(b.Ishl(b.Imm32(1), n), b.Imm32(1)) // n modulo 32 lanes
		comps[i] = b.Bcsel(b.Uge(n, b.Imm32(uint32(32*i+32))), b.ImmInt(-1, 32), b.Bcsel(b.Ult(n, first), b.Imm32(0), some))
	}
	return b.Vec(comps...)
}

func (l *subgroupLowering) countBits(m *ir.Def) *ir.Def {
	c := l.b.BitCount(m)
	sum := l.b.Channel(c, 0)
	for i := 1; i < 4; i++ {
		sum = l.b.Iadd(sum, l.b.Channel(c, i))
	}
	return sum
}

// search finds the first or last bit of a mask, -1 if it is empty.
func (l *subgroupLowering) search(m *ir.Def) *ir.Def {
	b := l.b
	r := b.ImmInt(-1, 32)
	for k := range 4 {
		i := k
		if l.in.Intr == ir.IntrBallotFindLsb {
			i = 3 - k
		}
		w := b.Channel(m, i)
		var at *ir.Def
		if l.in.Intr == ir.IntrBallotFindLsb {
			at = b.FindLsb(w)
		} else {
			at = b.UfindMsb(w)
		}
		r = b.Bcsel(b.Ine(w, b.Imm32(0)), b.IAddImm(at, int64(32*i)), r)
	}
	return r
}

// laneMask writes the masks around a lane's own number.
func (l *subgroupLowering) laneMask() *ir.Def {
	b := l.b
	all := func() *ir.Def { return l.below(subgroupSize(b)) }
	var m *ir.Def
	switch l.in.Intr {
	case ir.IntrLoadSubgroupLtMask:
		m = l.below(l.lane())
	case ir.IntrLoadSubgroupLeMask:
		m = l.below(b.IAddImm(l.lane(), 1))
	case ir.IntrLoadSubgroupEqMask:
		m = b.Ixor(l.below(b.IAddImm(l.lane(), 1)), l.below(l.lane()))
	case ir.IntrLoadSubgroupGeMask:
		m = b.Iand(all(), b.Inot(l.below(l.lane())))
	case ir.IntrLoadSubgroupGtMask:
		m = b.Iand(all(), b.Inot(l.below(b.IAddImm(l.lane(), 1))))
	default:
		return nil
	}
	n := int(l.in.Def.NumComponents)
	if l.in.Def.BitSize == 32 {
		return b.Channels(m, 0, n)
	}
	comps := make([]*ir.Def, n)
	for i := range comps {
		comps[i] = b.Pack64_2x32Split(b.Channel(m, 2*i), b.Channel(m, 2*i+1))
	}
	return b.Vec(comps...)
}

// scan goes over the lanes in order: each active one gives its value, and a
// lane takes in those of its cluster that it should have.
func (l *subgroupLowering) scan() *ir.Def {
	b, in := l.b, l.in
	op := ir.Op(in.Get(ir.IdxReductionOp))
	x := in.Srcs[0].Def
	start := reductionIdentity(b, op, x.BitSize)
	lane, size := l.lane(), subgroupSize(b)
	active := l.fourWords(&b.Intrinsic(ir.IntrBallot, l.maskWords(), 32, b.ImmBool(true)).Def)
	zero, one := b.Imm32(0), b.Imm32(1)
	pre := b.Cursor.Block
	loop := b.PushLoop()
	head := loop.Body.FirstBlock()
	s := b.Shader
	i, acc := s.NewPhi(1, 32), s.NewPhi(1, x.BitSize)
	ir.AtStart(head).Insert(acc)
	ir.AtStart(head).Insert(i)
	s.AddPhiSrc(i, pre, zero)
	s.AddPhiSrc(acc, pre, start)
	end := b.PushIf(b.Uge(&i.Def, size))
	b.Jump(ir.JumpBreak)
	b.PopIf(end)
	is := b.Ine(b.Iand(b.Ushr(l.word(active, &i.Def), &i.Def), one), zero)
	other := &b.Intrinsic(ir.IntrReadInvocation, 1, x.BitSize, x, &i.Def).Def
	next := b.Bcsel(b.Iand(is, l.takes(&i.Def, lane)), b.ALU(op, &acc.Def, other), &acc.Def)
	step := b.Iadd(&i.Def, one)
	last := b.Cursor.Block
	s.AddPhiSrc(i, last, step)
	s.AddPhiSrc(acc, last, next)
	b.PopLoop(loop)
	if op == ir.OpFadd && in.Intr == ir.IntrExclusiveScan {
		// -0 adds nothing, but what the first lane gets is +0.
		none := b.Ieq(l.countBits(b.Iand(active, l.below(lane))), zero)
		return b.Bcsel(none, b.ImmFloat(0, x.BitSize), &acc.Def)
	}
	return &acc.Def
}

// takes reports whether a lane's result has lane i's value in it.
func (l *subgroupLowering) takes(i, lane *ir.Def) *ir.Def {
	b := l.b
	switch l.in.Intr {
	case ir.IntrInclusiveScan:
		return b.Uge(lane, i)
	case ir.IntrExclusiveScan:
		return b.Ult(i, lane)
	}
	n := l.in.Get(ir.IdxClusterSize)
	if n == 0 {
		return b.ImmBool(true)
	}
	return b.Ult(b.Ixor(i, lane), b.Imm32(uint32(n)))
}

// reductionIdentity is the value that a reduction starts from.
func reductionIdentity(b *ir.Builder, op ir.Op, bits uint8) *ir.Def {
	switch op {
	case ir.OpImul:
		return b.ImmInt(1, bits)
	case ir.OpFmul:
		return b.ImmFloat(1, bits)
	case ir.OpUmin, ir.OpIand:
		return b.Const(bits, 1<<(bits-1)<<1-1)
	case ir.OpImin:
		return b.Const(bits, 1<<(bits-1)-1)
	case ir.OpImax:
		return b.Const(bits, 1<<(bits-1))
	case ir.OpFmin:
		return b.ImmFloat(math.Inf(1), bits)
	case ir.OpFmax:
		return b.ImmFloat(math.Inf(-1), bits)
	case ir.OpFadd:
		return b.ImmFloat(math.Copysign(0, -1), bits)
	}
	return b.Const(bits, 0)
}

// single is an operation in a subgroup of one lane.
func (l *subgroupLowering) single() *ir.Def {
	b, in := l.b, l.in
	bits, n := in.Def.BitSize, int(in.Def.NumComponents)
	first := func(v *ir.Def) *ir.Def { // v in word 0, the others 0
		comps := make([]*ir.Def, n)
		for i := range comps {
			comps[i] = b.ImmInt(0, bits)
		}
		comps[0] = resizeUint(b, v, bits)
		return b.Vec(comps...)
	}
	bit := func() *ir.Def {
		m := b.Channel(in.Srcs[0].Def, 0)
		return b.Ine(b.Iand(m, b.ImmInt(1, m.BitSize)), b.ImmInt(0, m.BitSize))
	}
	switch in.Intr {
	case ir.IntrExclusiveScan:
		id := reductionIdentity(b, ir.Op(in.Get(ir.IdxReductionOp)), bits)
		if ir.Op(in.Get(ir.IdxReductionOp)) == ir.OpFadd {
			id = b.ImmFloat(0, bits)
		}
		return b.Swizzle(id, make([]int, n)...)
	case ir.IntrBallot, ir.IntrBallotRelaxed:
		return first(in.Srcs[0].Def)
	case ir.IntrInverseBallot:
		return bit()
	case ir.IntrBallotBitfieldExtract:
		return resizeUint(b, b.Iand(bit(), b.Ieq(in.Srcs[1].Def, b.Imm32(0))), bits)
	case ir.IntrBallotBitCountReduce, ir.IntrBallotBitCountInclusive:
		return b.B2i32(bit())
	case ir.IntrBallotFindLsb, ir.IntrBallotFindMsb:
		return b.Bcsel(bit(), b.Imm32(0), b.ImmInt(-1, 32))
	case ir.IntrBallotBitCountExclusive, ir.IntrFirstInvocation, ir.IntrLastInvocation, ir.IntrLoadSubgroupInvocation:
		return b.ImmInt(0, bits)
	case ir.IntrVoteIeq, ir.IntrElect:
		return b.ImmBool(true)
	case ir.IntrVoteFeq: // NaN differs from itself
		x := in.Srcs[0].Def
		all := b.ImmBool(true)
		for i := range int(x.NumComponents) {
			c := b.Channel(x, i)
			all = b.Iand(all, b.Feq(c, c))
		}
		return all
	case ir.IntrLoadSubgroupSize:
		return b.ImmInt(1, bits)
	case ir.IntrLoadSubgroupEqMask, ir.IntrLoadSubgroupGeMask, ir.IntrLoadSubgroupLeMask:
		return first(b.ImmBool(true))
	case ir.IntrLoadSubgroupGtMask, ir.IntrLoadSubgroupLtMask:
		return first(b.ImmBool(false))
	case ir.IntrQuadVoteAny, ir.IntrQuadVoteAll, ir.IntrQuadBroadcast, ir.IntrQuadSwapHorizontal, ir.IntrQuadSwapVertical, ir.IntrQuadSwapDiagonal:
		return nil // quads of a fragment shader are not the subgroup's
	case ir.IntrVoteAny, ir.IntrVoteAll, ir.IntrReduce, ir.IntrInclusiveScan,
		ir.IntrReadInvocation, ir.IntrReadFirstInvocation, ir.IntrShuffle, ir.IntrShuffleXor, ir.IntrShuffleUp, ir.IntrShuffleDown, ir.IntrRotate:
		return in.Srcs[0].Def
	}
	return nil
}
