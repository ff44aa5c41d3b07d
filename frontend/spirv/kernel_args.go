package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/internal/lazy"
	"nirc/ir"
)

// The arguments of a kernel are one block of push constants: the parameters in their order by OpenCL's layout, pointers as their
// addresses, pointers to workgroup memory as offsets in it, and after them what only some kernels want (docs/abi.md). Images
// and samplers are variables that lower_cl_images numbers.

// hiddenArg is an argument that OpenCL's host gives without naming it.
type hiddenArg uint8

const (
	argGlobalOffset hiddenArg = iota
	argWorkDim
	argProgram
	numHiddenArgs
)

var hiddenNames = [numHiddenArgs]string{argGlobalOffset: "global_offset", argWorkDim: "work_dim", argProgram: "program"}

// hiddenFor is what a built-in takes of them.
var hiddenFor = lazy.Value[map[spv.BuiltIn]hiddenArg]{Make: func() map[spv.BuiltIn]hiddenArg {
	return map[spv.BuiltIn]hiddenArg{
		spv.BuiltInGlobalInvocationId: argGlobalOffset, spv.BuiltInGlobalOffset: argGlobalOffset, spv.BuiltInWorkDim: argWorkDim,
	}
}}

// kernelArgs is the block of arguments.
type kernelArgs struct {
	block   *ir.Variable
	field   []int // of each parameter its member, -1 of images and samplers
	hidden  [numHiddenArgs]int
	opaque  []*variable // by parameter
	formats []int       // of each parameter the member that says an image's channels, -1 of those that nobody asks
	program program     // the memory of the program's variables
}

// kernelArguments makes the block of the entry point's arguments, and the variables of those that are images and samplers.
func (t *translator) kernelArguments() {
	if !t.kernel {
		return
	}
	f := t.vals[t.index(t.entry.ID)].obj.(*function)
	if len(f.params) != len(f.typ.members) {
		t.fail(f.id, "the function has %d parameters, its type has %d", len(f.params), len(f.typ.members))
	}
	a := &t.args
	a.field, a.opaque = make([]int, len(f.params)), make([]*variable, len(f.params))
	l := argumentBlock{block: &ir.Type{Base: ir.BaseStruct, Name: "arguments", Block: true}}
	t.s.SharedSize = (t.opts.LocalMemory + 127) &^ 127
	for k, i := range f.params {
		t.kernelArgument(&l, k, int(i))
	}
	t.hiddenArguments(func(h hiddenArg) {
		switch h {
		case argGlobalOffset:
			a.hidden[h] = l.add(hiddenNames[h], ir.VectorType(ir.BaseUint, 32, 3), 12, 4)
		case argProgram:
			t.programArgument(&l)
			return
		default:
			a.hidden[h] = l.add(hiddenNames[h], ir.ScalarType(ir.BaseUint, 32), 4, 4)
		}
		x := &l.block.Fields[a.hidden[h]]
		t.s.Arguments = append(t.s.Arguments, ir.Argument{Name: hiddenNames[h], Kind: ir.ArgHidden, Offset: uint32(x.Offset), Size: uint32(x.Type.Size())})
	})
	t.formatArguments(&l)
	if l.at > maxArguments {
		t.fail(f.id, "the kernel's arguments take %d bytes, the most is %d", l.at, maxArguments)
	}
	if len(l.block.Fields) > 0 {
		a.block = t.s.NewVariable(ir.ModePushConst, l.block, "arguments")
	}
}

// argumentBlock is the block in the making.
type argumentBlock struct {
	block *ir.Type
	at    uint64 // the bytes that it has
}

// add appends a member and returns its number.
func (l *argumentBlock) add(name string, ty *ir.Type, size, align uint64) int {
	l.at = (l.at + align - 1) / align * align
	l.block.Fields = append(l.block.Fields, ir.Field{Name: name, Type: ty, Offset: int32(min(l.at, 1<<30)), Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1})
	l.at += size
	return len(l.block.Fields) - 1
}

// kernelArgument places parameter k, which the instruction i declares.
func (t *translator) kernelArgument(l *argumentBlock, k, i int) {
	a := &t.args
	in := &t.m.Insts[i]
	t.word = int(in.Offset)
	ty := t.typeOf(uint32(in.ResultType()))
	name := t.nameOf(uint32(in.Result()))
	a.field[k] = -1
	switch {
	case ty.byReference():
		a.opaque[k] = t.opaqueArgument(uint32(in.Result()), ty, name, k)
		kind := ir.ArgImage
		if ty.kind == tSampler {
			kind = ir.ArgSampler
		}
		t.s.Arguments = append(t.s.Arguments, ir.Argument{Name: name, Kind: kind})
		return
	case ty.kind == tPointer && ty.sc == spv.StorageClassFunction:
		if !t.byValue(i) {
			t.fail(uint32(in.Result()), "argument %d is a pointer to private memory", k)
		}
		ty = t.pointee(ty)
	case ty.kind == tPointer && ty.sc == spv.StorageClassGeneric:
		t.fail(uint32(in.Result()), "argument %d is a generic pointer, which kernels do not take", k)
	}
	size, align := ty.kernelLayout()
	a.field[k] = l.add(name, ty.ir, size, align)
	offset := uint32(l.block.Fields[a.field[k]].Offset)
	t.s.Arguments = append(t.s.Arguments, ir.Argument{Name: name, Kind: ty.argumentKind(), Offset: offset, Size: uint32(min(size, 1<<30))})
}

// maxArguments is the most that a kernel's arguments take (CL_DEVICE_MAX_PARAMETER_SIZE of OpenCL's full profile).
const maxArguments = 1024

// hiddenArguments calls add with those that the kernel's built-ins want.
func (t *translator) hiddenArguments(add func(hiddenArg)) {
	var wants [numHiddenArgs]bool
	for _, i := range t.globals {
		v, ok := t.vals[i].obj.(*variable)
		if ok && v.sc == spv.StorageClassCrossWorkgroup {
			wants[argProgram] = true
		}
		if ok && v.sc == spv.StorageClassInput {
			if h, ok := hiddenFor.Get()[t.inputBuiltIn(int(i))]; ok {
				wants[h] = true
			}
		}
	}
	for h, w := range wants {
		if t.args.hidden[h] = -1; w {
			add(hiddenArg(h))
		}
	}
}

// byValue reports whether a parameter that is a pointer stands for what it points to.
func (t *translator) byValue(i int) (yes bool) {
	t.eachDec(i, func(d *decoration) {
		yes = yes || d.dec == spv.DecorationFuncParamAttr && spv.FunctionParameterAttribute(d.arg(0)) == spv.FunctionParameterAttributeByVal
	})
	return yes
}

// opaqueArgument makes the variable of an image or sampler.
func (t *translator) opaqueArgument(id uint32, ty *typ, name string, k int) *variable {
	v := t.variables.New()
	v.id, v.typ, v.sc, v.mode = id, ty, spv.StorageClassUniformConstant, t.opaqueMode(ty)
	v.iv = t.s.NewVariable(v.mode, ty.ir, name)
	v.iv.Location = int32(k)
	if ty.kind == tImage {
		v.iv.ImageFormat = ir.ImageFormat(ty.image.format)
	}
	return v
}

// hidden loads one of the hidden arguments.
func (t *translator) hidden(b *ir.Builder, h hiddenArg) *ir.Def {
	return b.LoadDeref(b.DerefStruct(b.DerefVar(t.args.block), t.args.hidden[h]), 0)
}

// loadArguments defines the parameters of the entry point.
func (t *translator) loadArguments(f *function) {
	t.atStart(func(b *ir.Builder) {
		for k, i := range f.params {
			t.loadArgument(b, k, int(i))
		}
	})
}

func (t *translator) loadArgument(b *ir.Builder, k, i int) {
	in := &t.m.Insts[i]
	id, ty := uint32(in.Result()), t.typeOf(uint32(in.ResultType()))
	if v := t.args.opaque[k]; v != nil {
		t.vals[i] = value{kind: vOpaque, typ: ty, obj: t.newPointer(pointer{typ: ty, mode: v.mode, deref: b.DerefVar(v.iv), v: v})}
		return
	}
	from := func(ty *typ) *pointer {
		return t.newPointer(pointer{typ: ty, mode: ir.ModePushConst, deref: b.DerefStruct(b.DerefVar(t.args.block), t.args.field[k])})
	}
	switch {
	case ty.kind == tPointer && ty.sc == spv.StorageClassFunction:
		to := t.pointee(ty)
		src := from(to)
		local := b.Impl.NewLocal(to.ir, t.nameOf(id))
		p := t.newPointer(pointer{typ: to, mode: ir.ModeFunctionTemp, deref: b.DerefVar(local)})
		l := t.loadLeaves(src, t.leaves.Slice(t.leafCount(to))[:0])
		n := 0
		t.storeLeaves(p, l, &n)
		t.vals[i] = value{kind: vPointer, typ: ty, obj: p}
	case ty.kind == tPointer:
		addr := b.LoadDeref(from(ty).deref, 0)
		t.nameDef(id, addr)
		p := pointer{mode: t.kernelMode(ty.sc, ty.elem), addr: addr}
		if ty.sc == spv.StorageClassUniformConstant { // a buffer
			p.mode, p.access = ir.ModeGlobal, ir.AccessNonWriteable|ir.AccessCanReorder
		}
		if p.typ = t.pointee(ty); ty.sc == spv.StorageClassWorkgroup { // an offset
			p.addr = b.Ior(addr, b.Const(64, ir.GenericTag(ir.ModeShared)))
		}
		t.vals[i] = value{kind: vPointer, typ: ty, obj: t.newPointer(p)}
	default:
		l := t.loadLeaves(from(ty), t.leaves.Slice(t.leafCount(ty))[:0])
		if ty.isLeaf() {
			t.nameDef(id, l[0])
		}
		t.vals[i] = value{kind: vLeaves, typ: ty, leaves: l}
	}
}

// argumentKind is what stands in the block for an argument of the type.
func (ty *typ) argumentKind() ir.ArgumentKind {
	if ty.kind == tPointer {
		switch ty.sc {
		case spv.StorageClassCrossWorkgroup:
			return ir.ArgGlobal
		case spv.StorageClassUniformConstant:
			return ir.ArgConstant
		case spv.StorageClassWorkgroup:
			return ir.ArgLocal
		}
	}
	return ir.ArgValue
}
