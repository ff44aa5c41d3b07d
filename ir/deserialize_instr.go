package ir

// body reads a function's tree. Phis get their place when the tree stands:
// edits of it would give them sources.
func (r *serialReader) body(impl *Impl) {
	r.impl = impl
	impl.Structured = r.bool()
	r.vals, r.blocks, r.uses, r.phis, r.loc = r.vals[:0], r.blocks[:0], r.uses[:0], r.phis[:0], 0
	r.list(impl.Start())
	for _, u := range r.uses {
		if u.reg != nil {
			*u.reg = r.val(u.num)
			continue
		}
		u.src.Set(r.val(u.num))
	}
	for i := len(r.phis) - 1; i >= 0; i-- {
		q := &r.phis[i]
		q.block.insert(q.in, q.block.first)
		for k, n := range q.preds {
			if int(n) >= len(r.blocks) {
				r.fail("no block %d", n)
			}
			r.s.AddPhiSrc(q.in, r.blocks[n], r.val(q.vals[k]))
		}
	}
}

func (r *serialReader) val(n int64) *Def {
	if n < 0 || n >= int64(len(r.vals)) {
		r.fail("no value %d", n)
	}
	return r.vals[n]
}

// list reads into the list whose only block is b.
func (r *serialReader) list(b *Block) {
	r.enter()
	defer func() { r.level-- }()
	n := r.count()
	r.block(b)
	for range n {
		v := r.uint()
		if v&1 == 0 {
			i := InsertIf(AtEnd(b), nil)
			i.Control = IfControl(v >> 1)
			if v>>1 > uint64(IfDivergentAlwaysTaken) {
				r.fail("no such control hint")
			}
			r.use(&i.Cond, r.distance())
			r.list(i.Then.FirstBlock())
			r.list(i.Else.FirstBlock())
			b = i.After()
		} else {
			l := InsertLoop(AtEnd(b))
			l.PartiallyUnrolled, l.Control = v>>1&1 != 0, LoopControl(v>>3)
			if v>>3 > uint64(LoopDontUnroll) {
				r.fail("no such control hint")
			}
			r.list(l.Body.FirstBlock())
			if v>>2&1 != 0 {
				r.list(l.AddContinue())
			}
			b = l.After()
		}
		r.block(b)
	}
}

func (r *serialReader) block(b *Block) {
	r.blocks = append(r.blocks, b)
	phis := true
	for range r.count() {
		if b.Jump() != nil {
			r.fail("instruction after a jump")
		}
		head := r.byte()
		phis = phis && Kind(head&15) == KindPhi
		in := r.instr(head, b)
		if Kind(head&15) == KindPhi && !phis {
			r.fail("phi after another instruction")
		}
		if in.HasDef() {
			r.vals = append(r.vals, &in.Def)
		}
		if in.Kind == KindParallelCopy {
			for i := range in.CopyInfo().Entries {
				r.vals = append(r.vals, &in.CopyInfo().Entries[i].Dst)
			}
		}
	}
}

// distance reads a reference and returns the value's number.
func (r *serialReader) distance() int64 { return int64(len(r.vals)) - r.int() }

func (r *serialReader) use(s *Src, num int64) {
	r.uses = append(r.uses, serialUse{src: s, num: num})
}

// sources makes n sources, which the caller fills.
func (r *serialReader) sources(in *Instr, n int) {
	in.Srcs = r.s.srcs.Slice(n)
	for i := range in.Srcs {
		in.Srcs[i] = Src{Instr: in, Swizzle: IdentitySwizzle}
	}
}

func (r *serialReader) refs(in *Instr, n int) {
	r.sources(in, n)
	for i := range in.Srcs {
		r.use(&in.Srcs[i], r.distance())
	}
}

func (r *serialReader) instr(head byte, b *Block) *Instr {
	kind := Kind(head & 15)
	if kind > KindCall {
		r.fail("no such kind of instruction")
	}
	if head&serialLoc != 0 {
		r.loc += uint32(r.int())
		if int(r.loc) >= len(r.s.Locs) {
			r.fail("no location %d", r.loc)
		}
	}
	var name uint32
	if head&serialName != 0 {
		name = uint32(r.below(uint64(len(r.s.Names)), "name"))
	}
	var flags uint64
	if head&serialFlags != 0 {
		flags = r.below(1<<35, "flags")
	}
	if kind == KindJump {
		j := b.InsertJump(JumpKind(r.below(uint64(len(jumpNames)), "jump")))
		j.Loc = r.loc
		return j
	}
	in := r.s.newInstr(kind)
	in.Def.Instr = in
	in.Exact, in.NoSignedWrap, in.NoUnsignedWrap = head&serialExact != 0, flags&1 != 0, flags&2 != 0
	in.FastMath, in.Relaxed = FloatControls(flags>>2), flags>>34 != 0
	if kind == KindIntrinsic {
		in.Intr = Intrinsic(r.below(uint64(NumIntrinsics), "intrinsic"))
	}
	if kind != KindCall && kind != KindParallelCopy && (kind != KindIntrinsic || in.Intr.Info().HasDest) {
		in.Def.NumComponents, in.Def.BitSize = r.shape()
	}
	in.Loc, in.Def.Name = r.loc, name
	r.operands(in, b)
	if kind == KindPhi {
		// Its number is that of its place.
		in.Def.Index = r.impl.NumDefs
		r.impl.NumDefs++
	} else {
		b.insert(in, nil)
	}
	return in
}

func (r *serialReader) operands(in *Instr, b *Block) {
	switch in.Kind {
	case KindALU:
		in.Op = Op(r.below(uint64(NumOps), "operation"))
		r.sources(in, len(in.Op.Info().In))
		for i := range in.Srcs {
			r.aluSrc(in, i)
		}
	case KindIntrinsic:
		info := in.Intr.Info()
		if info.Vectorized() {
			in.NumComponents = uint8(r.below(1<<8, "num_components"))
		}
		r.refs(in, len(info.Srcs))
		in.Imm = r.s.imms.Slice(len(info.Indices))
		mask := r.below(1<<len(in.Imm), "index mask")
		for i := range in.Imm {
			if mask>>i&1 != 0 {
				in.Imm[i] = r.uint()
			}
		}
	case KindTex:
		r.tex(in)
	case KindDeref:
		r.deref(in)
	case KindLoadConst:
		in.Imm = r.s.imms.Slice(int(in.Def.NumComponents))
		for i := range in.Imm {
			in.Imm[i] = r.uint()
		}
	case KindPhi:
		in.ext = r.s.phis.New()
		q := serialPhi{in: in, block: b}
		for range r.count() {
			q.preds = append(q.preds, r.u32())
			q.vals = append(q.vals, r.distance())
		}
		r.phis = append(r.phis, q)
	case KindParallelCopy:
		r.parallelCopy(in)
	case KindCall:
		in.ext = &CallInfo{Callee: r.s.Functions[r.below(uint64(len(r.s.Functions)), "function")]}
		r.refs(in, r.count())
	}
}

func (r *serialReader) aluSrc(in *Instr, i int) {
	v := r.int()
	s := &in.Srcs[i]
	r.use(s, int64(len(r.vals))-v>>1)
	if v&1 == 0 {
		return
	}
	n := in.SrcComps(i)
	for k := 0; k < n; k += 2 {
		b := r.byte()
		s.Swizzle = s.Swizzle.With(k, int(b&15))
		if k+1 < n {
			s.Swizzle = s.Swizzle.With(k+1, int(b>>4))
		}
	}
}

func (r *serialReader) tex(in *Instr) {
	t := r.s.texs.New()
	in.ext = t
	in.TexOp = TexOp(r.below(uint64(NumTexOps), "texture operation"))
	n := int(r.below(uint64(NumTexSrcs)+1, "count"))
	r.sources(in, n)
	for i := range in.Srcs {
		t.SrcKinds = append(t.SrcKinds, TexSrc(r.below(uint64(NumTexSrcs), "source kind")))
		r.use(&in.Srcs[i], r.distance())
	}
	t.Dim = Dim(r.below(uint64(len(dimNames)), "dimension"))
	t.DestType = UnpackALUType(r.below((uint64(ClassBool)+1)<<8, "type"))
	r.fields(texFields(t))
	if t.HasOffsets = r.bool(); t.HasOffsets {
		for i := range t.Offsets {
			t.Offsets[i] = [2]int8{int8(r.byte()), int8(r.byte())}
		}
	}
}

func (r *serialReader) deref(in *Instr) {
	d := r.s.derefs.New()
	in.ext = d
	v := r.below(16, "deref kind")
	in.Deref, d.InBounds = DerefKind(v&7), v>>3 != 0
	if in.Deref > DerefCast {
		r.fail("no such kind of deref")
	}
	r.refs(in, derefSrcs[in.Deref])
	if in.Deref == DerefVar {
		d.Var = r.vars[r.below(uint64(len(r.vars)), "variable")]
	}
	d.Modes = Mode(r.below(uint64(modeEnd), "modes"))
	if d.Type = r.typeRef(); d.Type == nil {
		r.fail("deref without type")
	}
	switch in.Deref {
	case DerefStruct:
		d.Field = int(r.below(1<<31, "member"))
	case DerefCast:
		d.PtrStride, d.AlignMul, d.AlignOffset = r.u32(), r.u32(), r.u32()
	}
}

func (r *serialReader) parallelCopy(in *Instr) {
	info := &CopyInfo{Entries: make([]CopyEntry, r.count())}
	in.ext = info
	r.sources(in, len(info.Entries))
	for i := range info.Entries {
		e := &info.Entries[i]
		k := r.below(4, "copy flags")
		e.SrcIsReg = k&1 != 0
		r.use(&in.Srcs[i], r.distance())
		if k&2 != 0 {
			r.uses = append(r.uses, serialUse{reg: &e.DstReg, num: r.distance()})
		}
		e.Dst = Def{Instr: in, Index: noIndex}
		e.Dst.NumComponents, e.Dst.BitSize = r.shape()
	}
}
