package ir

// Flags in the first byte of an instruction, above its kind.
const (
	serialLoc   = 1 << 4 // the distance to the Loc of the instruction before follows
	serialName  = 1 << 5 // a name follows
	serialFlags = 1 << 6 // wrap flags and FastMath follow
	serialExact = 1 << 7
)

// body writes a function's tree.
func (w *serialWriter) body(impl *Impl) {
	w.bool(impl.Structured)
	w.num = make([]uint32, impl.NumDefs)
	w.blocks = map[*Block]int{}
	n := uint32(0)
	for b := range impl.Blocks() {
		w.blocks[b] = len(w.blocks)
		for in := b.first; in != nil; in = in.next {
			if in.HasDef() {
				w.num[in.Def.Index] = n
				n++
			}
			if in.Kind == KindParallelCopy {
				for i := range in.CopyInfo().Entries {
					w.num[in.CopyInfo().Entries[i].Dst.Index] = n
					n++
				}
			}
		}
	}
	w.at, w.loc = 0, 0
	w.list(&impl.Body)
}

// list writes how many ifs and loops a list has, then block, node, block …
func (w *serialWriter) list(l *List) {
	n := 0
	for x := range l.Nodes() {
		if _, block := x.(*Block); !block {
			n++
		}
	}
	w.uint(uint64(n))
	for x := range l.Nodes() {
		switch x := x.(type) {
		case *Block:
			w.block(x)
		case *If:
			w.uint(uint64(x.Control) << 1)
			w.ref(x.Cond.Def)
			w.list(&x.Then)
			w.list(&x.Else)
		case *Loop:
			w.uint(1 | bit(x.PartiallyUnrolled, 1) | bit(!x.Continue.Empty(), 2) | uint64(x.Control)<<3)
			w.list(&x.Body)
			if !x.Continue.Empty() {
				w.list(&x.Continue)
			}
		}
	}
}

func (w *serialWriter) block(b *Block) {
	n := 0
	for in := b.first; in != nil; in = in.next {
		n++
	}
	w.uint(uint64(n))
	for in := b.first; in != nil; in = in.next {
		w.instr(in)
		if in.HasDef() {
			w.at++
		}
		if in.Kind == KindParallelCopy {
			w.at += uint32(len(in.CopyInfo().Entries))
		}
	}
}

// ref writes a value as its distance from the next one.
func (w *serialWriter) ref(d *Def) { w.int(int64(w.at) - int64(w.num[d.Index])) }

func (w *serialWriter) refs(in *Instr) {
	for i := range in.Srcs {
		w.ref(in.Srcs[i].Def)
	}
}

func (w *serialWriter) instr(in *Instr) {
	loc, name := in.Loc, in.Def.Name
	if w.o.StripLocs {
		loc = 0
	}
	if w.o.StripNames {
		name = 0
	}
	flags := bit(in.NoSignedWrap, 0) | bit(in.NoUnsignedWrap, 1) | uint64(in.FastMath)<<2 | bit(in.Relaxed, 34)
	head := byte(in.Kind)
	if loc != w.loc {
		head |= serialLoc
	}
	if name != 0 {
		head |= serialName
	}
	if flags != 0 {
		head |= serialFlags
	}
	if in.Exact {
		head |= serialExact
	}
	w.b = append(w.b, head)
	if loc != w.loc {
		w.int(int64(loc) - int64(w.loc))
		w.loc = loc
	}
	if name != 0 {
		w.uint(uint64(name))
	}
	if flags != 0 {
		w.uint(flags)
	}
	switch in.Kind {
	case KindJump, KindCall, KindParallelCopy:
	case KindIntrinsic:
		w.uint(uint64(in.Intr))
		if in.Intr.Info().HasDest {
			w.shape(in.Def.NumComponents, in.Def.BitSize)
		}
	default:
		w.shape(in.Def.NumComponents, in.Def.BitSize)
	}
	w.operands(in)
}

func (w *serialWriter) operands(in *Instr) {
	switch in.Kind {
	case KindALU:
		w.uint(uint64(in.Op))
		for i := range in.Srcs {
			w.aluSrc(in, i)
		}
	case KindIntrinsic:
		if in.Intr.Info().Vectorized() {
			w.uint(uint64(in.NumComponents))
		}
		w.refs(in)
		w.imms(in.Imm)
	case KindTex:
		w.tex(in)
	case KindDeref:
		w.deref(in)
	case KindLoadConst:
		for _, v := range in.Imm {
			w.uint(v)
		}
	case KindPhi:
		w.uint(uint64(len(in.Srcs)))
		for i, p := range in.PhiInfo().Preds {
			w.uint(uint64(w.blocks[p]))
			w.ref(in.Srcs[i].Def)
		}
	case KindParallelCopy:
		w.parallelCopy(in)
	case KindJump:
		w.uint(uint64(in.Jump))
	case KindCall:
		w.uint(uint64(w.fns[in.CallInfo().Callee]))
		w.uint(uint64(len(in.Srcs)))
		w.refs(in)
	}
}

// aluSrc writes the value and, in the lowest bit, whether a swizzle follows:
// four bits a lane, as many as are read.
func (w *serialWriter) aluSrc(in *Instr, i int) {
	s := &in.Srcs[i]
	n := in.SrcComps(i)
	same := s.Swizzle.Same(IdentitySwizzle, n)
	w.int((int64(w.at)-int64(w.num[s.Def.Index]))<<1 | int64(bit(!same, 0)))
	if same {
		return
	}
	for k := 0; k < n; k += 2 {
		lanes := byte(s.Swizzle >> (4 * k))
		if k+1 == n {
			lanes &= 15
		}
		w.b = append(w.b, lanes)
	}
}

// imms writes a mask of the indices that are not zero, and these.
func (w *serialWriter) imms(v []uint64) {
	var mask uint64
	for i, x := range v {
		mask |= bit(x != 0, uint(i))
	}
	w.uint(mask)
	for _, x := range v {
		if x != 0 {
			w.uint(x)
		}
	}
}

func (w *serialWriter) tex(in *Instr) {
	t := in.TexInfo()
	w.uint(uint64(in.TexOp))
	w.uint(uint64(len(in.Srcs)))
	for i, k := range t.SrcKinds {
		w.uint(uint64(k))
		w.ref(in.Srcs[i].Def)
	}
	w.uint(uint64(t.Dim))
	w.uint(t.DestType.Pack())
	w.fields(texFields(t))
	w.bool(t.HasOffsets)
	if t.HasOffsets {
		for _, o := range t.Offsets {
			w.b = append(w.b, byte(o[0]), byte(o[1]))
		}
	}
}

func (w *serialWriter) deref(in *Instr) {
	d := in.DerefInfo()
	w.uint(uint64(in.Deref) | bit(d.InBounds, 3))
	w.refs(in)
	if in.Deref == DerefVar {
		w.uint(uint64(w.vars[d.Var]))
	}
	w.uint(uint64(d.Modes))
	w.typeRef(d.Type)
	switch in.Deref {
	case DerefStruct:
		w.uint(uint64(d.Field))
	case DerefCast:
		w.uint(uint64(d.PtrStride))
		w.uint(uint64(d.AlignMul))
		w.uint(uint64(d.AlignOffset))
	}
}

func (w *serialWriter) parallelCopy(in *Instr) {
	entries := in.CopyInfo().Entries
	w.uint(uint64(len(entries)))
	for i := range entries {
		e := &entries[i]
		w.uint(bit(e.SrcIsReg, 0) | bit(e.DstReg != nil, 1))
		w.ref(in.Srcs[i].Def)
		if e.DstReg != nil {
			w.ref(e.DstReg)
		}
		w.shape(e.Dst.NumComponents, e.Dst.BitSize)
	}
}
