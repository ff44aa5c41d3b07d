package ir

import "math"

// Builder makes instructions and puts them at its cursor. Each method returns
// the value made. Values are vectors: an operation is as wide as its widest
// per-component source, and a scalar source is broadcast.
type Builder struct {
	Shader *Shader
	Impl   *Impl
	Cursor Cursor
	// Exact and FastMath are given to every ALU instruction made.
	Exact    bool
	FastMath FloatControls
}

// NewBuilder returns a builder at c.
func NewBuilder(c Cursor) *Builder {
	s := c.Block.impl.Shader
	b := s.builders.New()
	*b = Builder{Shader: s, Impl: c.Block.impl, Cursor: c}
	return b
}

// Builder returns the function's own builder, moved to c. There is one, so that a walk over the
// instructions that has nothing to do makes none: whoever builds while another walk does takes NewBuilder.
func (impl *Impl) Builder(c Cursor) *Builder {
	impl.builder = Builder{Shader: impl.Shader, Impl: impl, Cursor: c}
	return &impl.builder
}

// At moves the cursor and returns b.
func (b *Builder) At(c Cursor) *Builder { b.Cursor = c; return b }

// AtInstr moves the cursor before in and takes over in's source location and
// float properties.
func (b *Builder) AtInstr(in *Instr) *Builder {
	b.Cursor = Before(in)
	b.Shader.curLoc = in.Loc
	b.Exact, b.FastMath = in.Exact, in.FastMath
	return b
}

// Insert puts a free instruction at the cursor.
func (b *Builder) Insert(in *Instr) *Instr { return b.Cursor.Insert(in) }

// ALU builds op over the sources.
func (b *Builder) ALU(op Op, srcs ...*Def) *Def { return &b.ALUInstr(op, srcs...).Def }

// ALUInstr is ALU, returning the instruction so that flags and swizzles can be set.
func (b *Builder) ALUInstr(op Op, srcs ...*Def) *Instr {
	info := op.Info()
	comps, bits := info.Out.Comps, info.Out.Bits
	wide := uint8(1)
	for i, t := range info.In {
		if t.Comps == 0 {
			wide = max(wide, srcs[i].NumComponents)
		}
		if t.Bits == 0 && bits == 0 {
			bits = srcs[i].BitSize
		}
	}
	if comps == 0 {
		comps = wide
	}
	in := b.Shader.NewALU(op, comps, bits, srcs...)
	for i, t := range info.In {
		if t.Comps == 0 && srcs[i].NumComponents < comps {
			in.Srcs[i].Swizzle = Broadcast(0)
		}
	}
	in.Exact, in.FastMath = b.Exact, b.FastMath
	b.Insert(in)
	return in
}

// Intrinsic builds an intrinsic with all constant indices 0.
func (b *Builder) Intrinsic(i Intrinsic, comps, bits uint8, srcs ...*Def) *Instr {
	return b.Insert(b.Shader.NewIntrinsic(i, comps, bits, srcs...))
}

// Effect builds an intrinsic that has no result.
func (b *Builder) Effect(i Intrinsic, srcs ...*Def) *Instr { return b.Intrinsic(i, 0, 0, srcs...) }

// Const builds a load_const of raw bits, one value a component.
func (b *Builder) Const(bits uint8, vals ...uint64) *Def {
	return &b.Insert(b.Shader.NewConst(bits, vals...)).Def
}

// Imm32 builds a 32-bit scalar constant.
func (b *Builder) Imm32(v uint32) *Def { return b.Const(32, uint64(v)) }

// ImmInt builds a scalar integer constant of the given size.
func (b *Builder) ImmInt(v int64, bits uint8) *Def { return b.Const(bits, uint64(v)) }

// ImmFloat builds a scalar float constant of the given size.
func (b *Builder) ImmFloat(v float64, bits uint8) *Def { return b.Const(bits, FloatBits(v, bits)) }

// ImmBool builds a 1-bit constant.
func (b *Builder) ImmBool(v bool) *Def { return b.Const(1, bit(v, 0)) }

// Undef builds an undef.
func (b *Builder) Undef(comps, bits uint8) *Def { return &b.Insert(b.Shader.NewUndef(comps, bits)).Def }

// FloatBits returns the bits of v rounded to a float of the given size.
func FloatBits(v float64, bits uint8) uint64 {
	switch bits {
	case 16:
		return uint64(Float16Bits(v))
	case 32:
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// FloatValue returns the value of a float's bits.
func FloatValue(v uint64, bits uint8) float64 {
	switch bits {
	case 16:
		return Float16Value(uint16(v))
	case 32:
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// Swizzle returns the given components of d: d itself if that changes nothing,
// else a mov.
func (b *Builder) Swizzle(d *Def, comps ...int) *Def {
	s := Swz(comps...)
	if len(comps) == int(d.NumComponents) && s.Same(IdentitySwizzle, len(comps)) {
		return d
	}
	in := b.Shader.NewALU(OpMov, uint8(len(comps)), d.BitSize, d)
	in.Srcs[0].Swizzle = s
	in.Exact = b.Exact
	b.Insert(in)
	return &in.Def
}

// Channel returns component c of d.
func (b *Builder) Channel(d *Def, c int) *Def { return b.Swizzle(d, c) }

// Channels returns components [0, n) of d.
func (b *Builder) Channels(d *Def, first, n int) *Def {
	sel := make([]int, n)
	for i := range sel {
		sel[i] = first + i
	}
	return b.Swizzle(d, sel...)
}

var vecOps = [...]Op{2: OpVec2, 3: OpVec3, 4: OpVec4, 5: OpVec5, 8: OpVec8, 16: OpVec16}

// VecOp returns the vecN operation; n is a legal component count above 1.
func VecOp(n int) Op { return vecOps[n] }

// IsVec reports whether the instruction is a vecN.
func (in *Instr) IsVec() bool {
	return in.Kind == KindALU && in.Op >= OpVec2 && in.Op <= OpVec16
}

// Vec builds a vector of scalars; one scalar is returned as it is.
func (b *Builder) Vec(comps ...*Def) *Def {
	if len(comps) == 1 {
		return comps[0]
	}
	return b.ALU(vecOps[len(comps)], comps...)
}

// IAddImm builds x + c; c = 0 gives x.
func (b *Builder) IAddImm(x *Def, c int64) *Def {
	if c == 0 {
		return x
	}
	return b.Iadd(x, b.ImmInt(c, x.BitSize))
}

// IMulImm builds x * c, for c = 1 x itself, for a power of two a shift.
func (b *Builder) IMulImm(x *Def, c int64) *Def {
	switch {
	case c == 1:
		return x
	case c > 0 && c&(c-1) == 0:
		n := 0
		for c>>n != 1 {
			n++
		}
		return b.Ishl(x, b.Imm32(uint32(n)))
	}
	return b.Imul(x, b.ImmInt(c, x.BitSize))
}

// IfPhi builds a phi of two values that come from the sides of the if right
// before the cursor's block.
func (b *Builder) IfPhi(i *If, then, els *Def) *Def {
	after := i.After()
	phi := b.Shader.NewPhi(then.NumComponents, then.BitSize)
	AtStart(after).Insert(phi)
	b.Shader.AddPhiSrc(phi, i.Then.LastBlock(), then)
	b.Shader.AddPhiSrc(phi, i.Else.LastBlock(), els)
	return &phi.Def
}

// PushIf puts an if at the cursor and moves the cursor into its then side.
func (b *Builder) PushIf(cond *Def) *If {
	i := InsertIf(b.Cursor, cond)
	b.Cursor = AtEnd(i.Then.FirstBlock())
	return i
}

// PushElse moves the cursor to the end of i's else side.
func (b *Builder) PushElse(i *If) { b.Cursor = AtEnd(i.Else.LastBlock()) }

// PopIf moves the cursor after i and its phis.
func (b *Builder) PopIf(i *If) { b.Cursor = AfterPhis(i.After()) }

// PushLoop puts a loop at the cursor and moves the cursor into its body.
func (b *Builder) PushLoop() *Loop {
	l := InsertLoop(b.Cursor)
	b.Cursor = AtEnd(l.Body.FirstBlock())
	return l
}

// PopLoop moves the cursor after l and its phis.
func (b *Builder) PopLoop(l *Loop) { b.Cursor = AfterPhis(l.After()) }

// Jump ends the cursor's block in a jump; the cursor must be at a block's end.
func (b *Builder) Jump(kind JumpKind) *Instr {
	j := b.Cursor.Block.InsertJump(kind)
	b.Cursor = Before(j)
	return j
}

// LogicalPtrBits is the size of derefs in logical modes.
const LogicalPtrBits = 32

// PtrBits is the size of a deref of a variable of mode m.
func (s *Shader) PtrBits(m Mode) uint8 {
	if s.Info.Kernel && m&GenericModes != 0 {
		return 64
	}
	return LogicalPtrBits
}

// DerefVar builds the deref of a variable (a pointer of 1x32).
func (b *Builder) DerefVar(v *Variable) *Def {
	return &b.Insert(b.Shader.NewDeref(DerefVar, DerefInfo{Modes: v.Mode, Type: v.Type, Var: v}, 1, b.Shader.PtrBits(v.Mode))).Def
}

// DerefArray builds parent[index]. The pointer has the parent's shape.
func (b *Builder) DerefArray(parent, index *Def) *Def {
	p := parent.Instr.DerefInfo()
	index = b.indexFor(parent, index)
	return &b.Insert(b.Shader.NewDeref(DerefArray, DerefInfo{Modes: p.Modes, Type: p.Type.Child()}, parent.NumComponents, parent.BitSize, parent, index)).Def
}

// indexFor is a signed index in the size of the pointer that it indexes.
func (b *Builder) indexFor(parent, index *Def) *Def {
	switch {
	case index.BitSize == parent.BitSize:
		return index
	case index.Instr.Kind == KindLoadConst:
		sh := 64 - index.BitSize
		v, _ := index.Const(0)
		return b.ImmInt(int64(v)<<sh>>sh, parent.BitSize)
	case parent.BitSize == 64:
		return b.I2i64(index)
	}
	return b.I2i32(index)
}

// DerefArrayImm builds parent[i] with a constant index.
func (b *Builder) DerefArrayImm(parent *Def, i int) *Def {
	bits := parent.BitSize
	return b.DerefArray(parent, b.ImmInt(int64(i), bits))
}

// DerefWildcard builds parent[*].
func (b *Builder) DerefWildcard(parent *Def) *Def {
	p := parent.Instr.DerefInfo()
	return &b.Insert(b.Shader.NewDeref(DerefArrayWildcard, DerefInfo{Modes: p.Modes, Type: p.Type.Child()}, parent.NumComponents, parent.BitSize, parent)).Def
}

// DerefStruct builds parent.field.
func (b *Builder) DerefStruct(parent *Def, field int) *Def {
	p := parent.Instr.DerefInfo()
	return &b.Insert(b.Shader.NewDeref(DerefStruct, DerefInfo{Modes: p.Modes, Type: p.Type.Fields[field].Type, Field: field}, parent.NumComponents, parent.BitSize, parent)).Def
}

// DerefCast builds a deref of type t from any pointer value.
func (b *Builder) DerefCast(ptr *Def, modes Mode, t *Type, stride uint32) *Def {
	return &b.Insert(b.Shader.NewDeref(DerefCast, DerefInfo{Modes: modes, Type: t, PtrStride: stride}, ptr.NumComponents, ptr.BitSize, ptr)).Def
}

// DerefPtrAsArray builds pointer arithmetic: parent + index elements.
func (b *Builder) DerefPtrAsArray(parent, index *Def) *Def {
	p := parent.Instr.DerefInfo()
	index = b.indexFor(parent, index)
	return &b.Insert(b.Shader.NewDeref(DerefPtrAsArray, DerefInfo{Modes: p.Modes, Type: p.Type}, parent.NumComponents, parent.BitSize, parent, index)).Def
}

// LoadDeref builds a load of the scalar or vector that ptr points to; a
// boolean loads as 1 bit.
func (b *Builder) LoadDeref(ptr *Def, access Access) *Def {
	t := ptr.Instr.DerefInfo().Type
	return &b.Intrinsic(IntrLoadDeref, t.Rows, t.Bits, ptr).Set(IdxAccess, uint64(access)).Def
}

// StoreDeref builds a store of the components in mask (0: all).
func (b *Builder) StoreDeref(ptr, val *Def, mask uint16, access Access) *Instr {
	if mask == 0 {
		mask = 1<<val.NumComponents - 1
	}
	return b.Effect(IntrStoreDeref, ptr, val).Set(IdxWriteMask, uint64(mask)).Set(IdxAccess, uint64(access))
}

// LoadVar and StoreVar access a whole scalar or vector variable.
func (b *Builder) LoadVar(v *Variable) *Def { return b.LoadDeref(b.DerefVar(v), 0) }

// StoreVar stores the components in mask (0: all) to a variable.
func (b *Builder) StoreVar(v *Variable, val *Def, mask uint16) {
	b.StoreDeref(b.DerefVar(v), val, mask, 0)
}

// CopyDeref builds a copy of a whole object.
func (b *Builder) CopyDeref(dst, src *Def) *Instr { return b.Effect(IntrCopyDeref, dst, src) }

// DeclReg builds a register in the start block and returns its handle.
func (b *Builder) DeclReg(comps, bits uint8, elems int) *Def {
	in := b.Shader.NewIntrinsic(IntrDeclReg, 1, 32)
	in.Set(IdxNumComponents, uint64(comps)).Set(IdxBitSize, uint64(bits)).Set(IdxNumArrayElems, uint64(elems))
	AtStart(b.Impl.Start()).Insert(in)
	return &in.Def
}

// LoadReg builds a load of a register.
func (b *Builder) LoadReg(reg *Def) *Def {
	d := reg.Instr
	return &b.Intrinsic(IntrLoadReg, uint8(d.Get(IdxNumComponents)), uint8(d.Get(IdxBitSize)), reg).Def
}

// StoreReg builds a store of the components in mask (0: all); val is as wide
// as the register.
func (b *Builder) StoreReg(reg, val *Def, mask uint16) *Instr {
	if mask == 0 {
		mask = 1<<val.NumComponents - 1
	}
	return b.Effect(IntrStoreReg, val, reg).Set(IdxWriteMask, uint64(mask))
}
