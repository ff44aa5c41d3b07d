package passes

import "nirc/ir"

var lowerMemcpyPass = &Pass{
	Name: "lower_memcpy", For: ir.HasDeref, Class: "C", Run: implPass(ir.MetaNone, lowerMemcpy), Idempotent: true,
	Doc: "Writes memcpy_deref as loads and stores through casts: 16, 8, 4, 2 and 1 bytes at a time where the size is constant, else byte by byte in a loop. Input: memory whose bytes have places " +
		"(lower_vars_to_explicit_types comes before lower_explicit_io, which takes the casts). opt_memcpy comes before: whole objects are better copied as such.",
}

// chunkTypes are what is copied at a time, the largest first.
var chunkTypes = []struct {
	bytes uint64
	t     *ir.Type
}{
	{16, ir.VectorType(ir.BaseUint, 32, 4)}, {8, ir.VectorType(ir.BaseUint, 32, 2)}, {4, ir.ScalarType(ir.BaseUint, 32)},
	{2, ir.ScalarType(ir.BaseUint, 16)}, {1, ir.ScalarType(ir.BaseUint, 8)},
}

func lowerMemcpy(impl *ir.Impl) bool {
	list := collect(impl, func(in *ir.Instr) bool { return in.IsIntrinsic(ir.IntrMemcpyDeref) })
	for _, in := range list {
		m := &memcpy{b: builderBefore(in), in: in}
		if n, ok := in.Srcs[2].Def.Const(0); ok {
			m.chunks(n)
		} else {
			m.bytes(in.Srcs[2].Def)
		}
		dst, src := derefOf(in.Srcs[0].Def), derefOf(in.Srcs[1].Def)
		in.Remove()
		removeDeadDerefs(dst)
		if src != dst {
			removeDeadDerefs(src)
		}
	}
	return len(list) > 0
}

// memcpy is one copy; b stands where it is written.
type memcpy struct {
	b  *ir.Builder
	in *ir.Instr
}

// chunks copies n bytes, which are known.
func (m *memcpy) chunks(n uint64) {
	at := uint64(0)
	for _, c := range chunkTypes {
		for ; n-at >= c.bytes; at += c.bytes {
			// What is left before a chunk of this size is a multiple of it: larger ones went first.
			m.move(c.t, c.bytes, m.b.ImmInt(int64(at/c.bytes), 32))
		}
	}
}

// bytes copies as many bytes as size says.
func (m *memcpy) bytes(size *ir.Def) {
	b := m.b
	zero := b.ImmInt(0, size.BitSize)
	pre := b.Cursor.Block
	loop := b.PushLoop()
	phi := b.Shader.NewPhi(1, size.BitSize)
	b.Insert(phi)
	b.Shader.AddPhiSrc(phi, pre, zero)
	done := b.PushIf(b.Uge(&phi.Def, size))
	b.Jump(ir.JumpBreak)
	b.PopIf(done)
	m.move(chunkTypes[len(chunkTypes)-1].t, 1, &phi.Def)
	next := b.IAddImm(&phi.Def, 1)
	b.Shader.AddPhiSrc(phi, b.Cursor.Block, next)
	b.PopLoop(loop)
}

// move copies element i of both sides, seen as arrays of t.
func (m *memcpy) move(t *ir.Type, bytes uint64, i *ir.Def) {
	v := m.b.LoadDeref(m.element(1, t, bytes, i), ir.Access(m.in.Get(ir.IdxSrcAccess)))
	m.b.StoreDeref(m.element(0, t, bytes, i), v, 0, ir.Access(m.in.Get(ir.IdxDstAccess)))
}

// element is element i of a side as an array of t. It is aligned as what the side points to is, which may be less than t asks for.
func (m *memcpy) element(side int, t *ir.Type, bytes uint64, i *ir.Def) *ir.Def {
	ptr := m.in.Srcs[side].Def
	info := ptr.Instr.DerefInfo()
	d := m.b.DerefCast(ptr, info.Modes, t, uint32(bytes))
	_, _, align := info.Type.Explicit()
	d.Instr.DerefInfo().AlignMul = uint32(max(align, 1))
	if info.AlignMul != 0 {
		d.Instr.DerefInfo().AlignMul, d.Instr.DerefInfo().AlignOffset = info.AlignMul, info.AlignOffset
	}
	return m.b.DerefPtrAsArray(d, i)
}
