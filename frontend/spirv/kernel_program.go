package spirv

import (
	"encoding/binary"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Variables of a program in global memory (storage class CrossWorkgroup, outside of functions). Together they are one piece of memory,
// whose address is an argument (ir.ArgProgram) that says what it begins with. All variables of the module have their place in it,
// so that the kernels of a program share it.

// program is the memory of the program's variables.
type program struct {
	placed bool
	size   uint64
	at     map[int]uint32 // by the variable's instruction
	list   []int
}

// maxProgram is the most bytes that the variables of a program take.
const maxProgram = 1 << 24

// placeProgram gives the variables their places.
func (t *translator) placeProgram() {
	m := &t.args.program
	if m.placed {
		return
	}
	m.placed, m.at = true, map[int]uint32{}
	for i := range t.m.Insts {
		in := &t.m.Insts[i]
		if in.Op == spv.OpFunction {
			break
		}
		if in.Op != spv.OpVariable || in.NumArgs() == 0 || spv.StorageClass(in.Arg(0)) != spv.StorageClassCrossWorkgroup {
			continue
		}
		if in.NumArgs() < 2 {
			t.refuse(uint32(in.Result()), "the variable %q has no value to begin with: it is imported from another module", t.nameOf(uint32(in.Result())))
		}
		size, align := t.pointee(t.typeOf(uint32(in.ResultType()))).kernelLayout()
		if a, ok := t.decOf(i, spv.DecorationAlignment); ok && a&(a-1) == 0 {
			align = max(align, min(uint64(a), 1<<16))
		}
		m.size = (m.size + align - 1) / align * align
		m.at[i] = uint32(m.size)
		m.list = append(m.list, i)
		if m.size += size; size > maxProgram || m.size > maxProgram {
			t.refuse(uint32(in.Result()), "the program's variables take more than %d bytes", maxProgram)
		}
	}
}

// programArgument adds the argument that leads to the memory.
func (t *translator) programArgument(l *argumentBlock) {
	m := &t.args.program
	t.args.hidden[argProgram] = l.add(hiddenNames[argProgram], ir.ScalarType(ir.BaseUint, 64), 8, 8)
	a := ir.Argument{Name: hiddenNames[argProgram], Kind: ir.ArgProgram, Offset: uint32(l.block.Fields[t.args.hidden[argProgram]].Offset), Size: 8, Memory: uint32(m.size)}
	a.Init = make([]byte, m.size)
	for _, i := range m.list {
		in := &t.m.Insts[i]
		t.word = int(in.Offset)
		t.startBytes(&a, in.Arg(1), t.pointee(t.typeOf(uint32(in.ResultType()))), m.at[i])
	}
	n := len(a.Init)
	for n > 0 && a.Init[n-1] == 0 {
		n--
	}
	a.Init = a.Init[:n:n]
	t.s.Arguments = append(t.s.Arguments, a)
}

// startBytes writes a constant into the memory.
func (t *translator) startBytes(a *ir.Argument, id uint32, ty *typ, at uint32) {
	in := &t.m.Insts[t.index(id)]
	size, _ := ty.kernelLayout()
	switch {
	case !t.typeOf(uint32(in.ResultType())).sameShape(ty):
		t.fail(id, "the initialiser's type is not the variable's type %s", ty)
	case in.Op == spv.OpConstantNull || in.Op == spv.OpUndef || size == 0:
		return
	case ty.kind == tPointer:
		to := t.addressOf(id)
		if to.root == noRoot {
			binary.LittleEndian.PutUint64(a.Init[at:], uint64(to.off))
			return
		}
		base, ok := t.args.program.at[to.root]
		if !ok || int64(base)+to.off < 0 || int64(base)+to.off > int64(a.Memory) {
			t.refuse(id, "a variable that begins with the address of what is no variable of the program in global memory is not supported")
		}
		a.Links = append(a.Links, ir.ArgumentLink{At: at, To: uint32(int64(base) + to.off)})
	case in.Op == spv.OpConstantComposite || in.Op == spv.OpSpecConstantComposite:
		for k := range in.NumArgs() {
			part, off := t.partAt(id, ty, int64(k))
			t.startBytes(a, in.Arg(k), part, at+uint32(off))
		}
	default:
		k := t.constOf(id).irConstant()
		bits, n := ty.scalarType().bits, 1
		if ty.kind == tVector {
			n = int(ty.n)
		} else if !ty.numeric() {
			t.refuse(id, "a variable of type %s that begins with what an operation gives is not supported", ty)
		}
		for c := range n {
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], k.Value(c))
			copy(a.Init[int(at)+c*int(bits/8):], b[:bits/8])
		}
	}
}

// partAt is the type of part k of a type, and its place in bytes.
func (t *translator) partAt(id uint32, ty *typ, k int64) (*typ, int64) {
	switch {
	case ty.kind == tStruct && k >= 0 && k < int64(len(ty.members)):
		return ty.members[k], int64(ty.memb[k].Offset)
	case ty.kind == tArray:
		return ty.elem, k * int64(ty.stride)
	case ty.kind == tVector:
		return ty.elem, k * int64(ty.elem.bits/8)
	}
	t.fail(id, "%s has no part %d", ty, k)
	return nil, 0
}

// address is a constant address: so many bytes after the beginning of a variable, by its instruction, or a number that was made a
// pointer, whose root is noRoot.
type address struct {
	root int
	off  int64
}

const noRoot = -1

// addressOf is the address that an id stands for, a variable's or one computed from it.
func (t *translator) addressOf(id uint32) address {
	i := t.index(id)
	if t.m.Insts[i].Op == spv.OpVariable {
		return address{root: i}
	}
	switch v := t.val(id); {
	case v.kind == vAddress:
		return *v.obj.(*address)
	case v.kind == vConst && t.m.Insts[i].Op == spv.OpConstantNull:
		return address{root: noRoot}
	}
	t.fail(id, "the id is neither the address of a variable nor a constant")
	return address{}
}

// addressConst evaluates an OpSpecConstantOp that gives a pointer.
func (t *translator) addressConst(in *inst) *address {
	if len(in.args) < 2 {
		t.fail(in.id, "the operation has no operand")
	}
	from := in.args[1]
	ty := t.typeOf(uint32(t.m.Insts[t.index(from)].ResultType()))
	if ty.kind == tInt && (spv.Op(in.args[0]) == spv.OpConvertUToPtr || spv.Op(in.args[0]) == spv.OpBitcast) {
		n, ok := t.intConst(from)
		if !ok {
			t.fail(in.id, "the number that is made a pointer is no constant")
		}
		if ty.bits < 64 {
			n &= 1<<ty.bits - 1 // numbers are unsigned
		}
		return &address{root: noRoot, off: n}
	}
	a := t.addressOf(from)
	if ty.kind != tPointer {
		t.fail(in.id, "the address is computed from %s", ty)
	}
	ty = t.pointee(ty)
	rest := in.args[2:]
	number := func(id uint32) int64 {
		n, ok := t.intConst(id)
		if !ok || n < -maxProgram || n > maxProgram {
			t.fail(in.id, "an index of a constant address is no constant, or too large")
		}
		return n
	}
	switch op := spv.Op(in.args[0]); op {
	case spv.OpBitcast, spv.OpPtrCastToGeneric, spv.OpGenericCastToPtr:
		return &a
	case spv.OpPtrAccessChain, spv.OpInBoundsPtrAccessChain:
		if len(rest) == 0 {
			t.fail(in.id, "%s without an element", op)
		}
		a.off += number(rest[0]) * int64(t.kernelStride(in.id, ty))
		rest = rest[1:]
	case spv.OpAccessChain, spv.OpInBoundsAccessChain:
	default:
		t.refuse(in.id, "%s of constant addresses is not supported", op)
	}
	for _, id := range rest {
		part, off := t.partAt(in.id, ty, number(id))
		ty, a.off = part, a.off+off
	}
	return &a
}

// constantAddress is the pointer that a constant address of type ty is, in the current function.
func (t *translator) constantAddress(id uint32, ty *typ) *pointer {
	a := t.vals[t.index(id)].obj.(*address)
	if a.root == noRoot {
		return t.newPointer(pointer{typ: t.pointee(ty), mode: t.kernelMode(ty.sc, t.pointee(ty)), addr: t.f.b.ImmInt(a.off, 64)})
	}
	p := t.anyPtr(uint32(t.m.Insts[a.root].Result()))
	d := t.f.b.Iadd(t.pointerValue(p), t.f.b.ImmInt(a.off, 64))
	return t.newPointer(pointer{typ: t.pointee(ty), mode: p.mode, access: p.access, addr: d})
}

// programAddress is the address of a variable, computed where the function begins.
func (t *translator) programAddress(v *variable) *ir.Def {
	if v.cached == nil {
		t.f.vars = append(t.f.vars, v)
		at := t.args.program.at[t.index(v.id)]
		t.atStart(func(b *ir.Builder) { v.cached = b.Iadd(t.hidden(b, argProgram), b.ImmInt(int64(at), 64)) })
	}
	return v.cached
}
