package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Kernels of OpenCL (execution model Kernel, OpenCL SPIR-V Environment Specification). A kernel becomes a compute shader:
// its arguments lie in the push constants, by OpenCL's rules of layout (kernel_args.go), all pointers are addresses of 64 bits
// (kernel_types.go), and its built-ins are values, many of 64 bits (this file).

// kernelModel checks the addressing and the memory model of a module with kernels.
func (t *translator) kernelModel(a spv.AddressingModel, m spv.MemoryModel) {
	if a != spv.AddressingModelPhysical64 {
		t.refuse(0, "the addressing model %s is not supported for kernels: addresses of the targets' memory have 64 bits (Physical64)", a)
	}
	if m != spv.MemoryModelOpenCL {
		t.fail(0, "kernels have the memory model OpenCL, not %s", m)
	}
}

// kernelSize gives the workgroup the size that the options choose, if the kernel has no size of its own.
func (t *translator) kernelSize() {
	info := &t.s.Info
	if info.WorkgroupSize == [3]uint32{} {
		info.WorkgroupSize = t.opts.WorkgroupSize
	}
	if info.WorkgroupSize == [3]uint32{} && t.opts.AnySize {
		info.WorkgroupSizeVariable = true
		return
	}
	if info.WorkgroupSize == [3]uint32{} {
		t.refuse(t.entry.ID, "the kernel %q has no workgroup size of its own (reqd_work_group_size), and the options give none (--workgroup-size X,Y,Z): a size that is known only when it runs is not supported", t.entry.Name)
	}
}

// kernelInput is the deref of a local variable that holds the built-in v, given its value where the function begins.
func (t *translator) kernelInput(v *variable) *ir.Def {
	if v.cached != nil {
		return v.cached
	}
	t.f.vars = append(t.f.vars, v)
	v.mode = ir.ModeFunctionTemp
	t.atStart(func(b *ir.Builder) {
		local := b.Impl.NewLocal(v.typ.ir, t.nameOf(v.id))
		v.cached = b.DerefVar(local)
		b.StoreDeref(v.cached, t.kernelBuiltIn(b, v), 0, 0)
	})
	return v.cached
}

// atStart builds instructions where the function begins, after those that are there.
func (t *translator) atStart(build func(b *ir.Builder)) {
	f := t.f
	old, loc := f.b.Cursor, t.s.SetLoc(0)
	f.b.Cursor = ir.AtStart(f.b.Impl.Start())
	if f.lastConst != nil {
		f.b.Cursor = ir.After(f.lastConst)
	}
	mark := t.s.NewConst(1, 0) // the last of what is built
	build(f.b)
	f.b.Insert(mark)
	f.lastConst = mark
	f.b.Cursor = old
	t.s.SetLoc(loc)
}

// kernelBuiltIn computes a built-in, in the size that its variable has.
func (t *translator) kernelBuiltIn(b *ir.Builder, v *variable) *ir.Def {
	of := func(i ir.Intrinsic, comps uint8) *ir.Def { return &b.Intrinsic(i, comps, 32).Def }
	size := t.s.Info.WorkgroupSize
	group := b.Const(32, uint64(size[0]), uint64(size[1]), uint64(size[2]))
	total := func() *ir.Def { return b.Imul(of(ir.IntrLoadNumWorkgroups, 3), group) }
	var d *ir.Def
	builtIn := t.inputBuiltIn(t.index(v.id))
	switch builtIn {
	case spv.BuiltInWorkDim:
		d = t.hidden(b, argWorkDim)
	case spv.BuiltInGlobalSize:
		d = total()
	case spv.BuiltInGlobalOffset:
		d = t.hidden(b, argGlobalOffset)
	case spv.BuiltInGlobalInvocationId:
		d = b.Iadd(of(ir.IntrLoadGlobalInvocationId, 3), t.hidden(b, argGlobalOffset))
	case spv.BuiltInGlobalLinearId: // of the id without the offset
		id, all := of(ir.IntrLoadGlobalInvocationId, 3), total()
		rows := b.Iadd(b.Channel(id, 1), b.Imul(b.Channel(id, 2), b.Channel(all, 1)))
		d = b.Iadd(b.Channel(id, 0), b.Imul(rows, b.Channel(all, 0)))
	case spv.BuiltInWorkgroupSize, spv.BuiltInEnqueuedWorkgroupSize: // groups are whole
		d = group
	case spv.BuiltInSubgroupMaxSize:
		d = of(ir.IntrLoadSubgroupSize, 1)
	default:
		row := ir.FindBuiltIn(int32(builtIn))
		if row == nil || !row.SysVal || row.Load == 0 || row.Load == ir.IntrLoadDeref || !row.Stages.Has(t.stage) || row.Comps == 0 || row.Base != ir.BaseInt {
			t.refuse(v.id, "the built-in %s of storage class Input (%s) is not supported in kernels", builtIn, capabilityWords(spv.KindBuiltIn.Capabilities(uint32(builtIn))))
		}
		d = of(row.Load, row.Comps)
	}
	ty := v.typ
	if n, bits := ty.shape(); !ty.numeric() || !ty.isInt() || n != d.NumComponents {
		t.fail(v.id, "the built-in %s is of type %s", builtIn, ty)
	} else if bits != 32 {
		d = b.ALU(intResize(bits, false), d)
	}
	return d
}

// refuseImport refuses a function that the module declares and another one has.
func (t *translator) refuseImport(id uint32) {
	for i := range t.m.Insts {
		in := &t.m.Insts[i]
		if in.Op != spv.OpDecorate || in.NumArgs() < 4 || uint32(in.IDArg(0)) != id || spv.Decoration(in.Arg(1)) != spv.DecorationLinkageAttributes {
			continue
		}
		if name, next := in.StringArg(2); next < in.NumArgs() && spv.LinkageType(in.Arg(next)) == spv.LinkageTypeImport {
			t.refuse(id, "the function %q is imported from another module: modules are not put together here (spirv-link does)", name)
		}
	}
}

// inputBuiltIn is the built-in that a variable is decorated with.
func (t *translator) inputBuiltIn(i int) spv.BuiltIn {
	b, ok := t.decOf(i, spv.DecorationBuiltIn)
	if !ok {
		return ^spv.BuiltIn(0)
	}
	return spv.BuiltIn(b)
}

// kernelVariable makes the global variables that kernels have otherwise than shaders, and reports whether v is one.
func (t *translator) kernelVariable(v *variable, in *inst, i int) bool {
	switch v.sc {
	case spv.StorageClassInput:
		if _, ok := t.decOf(i, spv.DecorationBuiltIn); !ok {
			t.fail(v.id, "an input of a kernel is no built-in")
		}
		return true
	case spv.StorageClassCrossWorkgroup:
		v.mode = ir.ModeGlobal
		t.placeProgram()
		return true
	case spv.StorageClassUniformConstant:
		if v.typ.withoutArray().opaque() {
			return false
		}
		if len(in.args) < 2 {
			t.refuse(v.id, "the constant %q has no value: it is imported from another module", t.nameOf(v.id))
		}
		v.mode = ir.ModeConstant
		v.iv = t.s.NewVariable(v.mode, v.typ.ir, t.nameOf(v.id))
		v.iv.Init = t.initialiser(in).irConstant()
		return true
	}
	return false
}
