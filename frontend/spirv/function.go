package spirv

import (
	"slices"

	"nirc/frontend/spirv/spv"
	"nirc/internal/slab"
	"nirc/ir"
)

// function is an OpFunction.
type function struct {
	id          uint32
	def         int32 // index in Insts of the OpFunction
	first, last int32 // first instruction after the parameters; the OpFunctionEnd
	params      []int32
	typ         *typ // tFunction
	irf         *ir.Function
	control     spv.FunctionControl
	state       uint8   // reachable: 1 under way, 2 done
	calls       []int32 // definition indices of callees
	err         *Error  // the declaration is wrong
}

// fctx is the state of the translation of one function.
type fctx struct {
	frozen bool // see capSet
	fn     *function
	b      *ir.Builder
	// lastConst is the last instruction of those at the function's start, before
	// the body: constants, undefs and descriptors, made when first used.
	lastConst *ir.Instr
	consts    []int32 // definitions whose leaves are of this function
	vars      []*variable
	small     [2][64]*ir.Def // small 32 and 64-bit integers
	bools     [2]*ir.Def
	ret       *pointer // where the result goes
	cfg
}

// reset starts the translation of a function in f's memory; nil ends one.
func (f *fctx) reset(impl *ir.Impl) {
	c := &f.cfg
	clear(c.blocks)
	clear(c.phis)
	clear(f.vars)
	*f = fctx{frozen: f.frozen, consts: f.consts[:0], vars: f.vars[:0], cfg: cfg{blocks: c.blocks[:0], phis: c.phis[:0], stores: c.stores[:0]}}
	if impl != nil {
		f.b = ir.NewBuilder(ir.AtEnd(impl.Start()))
	}
}

// scratchFunction returns the body of a function of its own, to be evaluated.
func scratchFunction() *ir.Impl {
	return ir.NewShader(ir.StageCompute, nil).NewFunction("spec").Impl
}

// forgetConsts ends the function: its constants are made again in the next.
func (f *fctx) forgetConsts(t *translator) {
	for _, i := range f.consts {
		t.vals[i].leaves = nil
	}
	f.consts = f.consts[:0]
	for _, v := range f.vars {
		v.cached = nil
	}
	f.vars = f.vars[:0]
}

// atStart puts a free instruction among those at the function's start.
func (f *fctx) atStart(in *ir.Instr) *ir.Def {
	c := ir.AtStart(f.b.Impl.Start())
	if f.lastConst != nil {
		c = ir.After(f.lastConst)
	}
	c.Insert(in)
	f.lastConst = in
	return &in.Def
}

// constant returns a constant, made at the function's start.
func (f *fctx) constant(bits uint8, v ...uint64) *ir.Def {
	slot := f.smallSlot(bits, v)
	if slot != nil && *slot != nil {
		return *slot
	}
	old := f.b.Shader.SetLoc(0)
	d := f.atStart(f.b.Shader.NewConst(bits, v...))
	f.b.Shader.SetLoc(old)
	if slot != nil {
		*slot = d
	}
	return d
}

func (f *fctx) smallSlot(bits uint8, v []uint64) **ir.Def {
	if len(v) != 1 || v[0] >= 64 {
		return nil
	}
	switch bits {
	case 1:
		return &f.bools[v[0]&1]
	case 32:
		return &f.small[0][v[0]]
	case 64:
		return &f.small[1][v[0]]
	}
	return nil
}

// u32 returns a 32-bit constant.
func (f *fctx) u32(v uint32) *ir.Def { return f.constant(32, uint64(v)) }

// float returns a scalar float constant of the given size.
func (f *fctx) float(v float64, bits uint8) *ir.Def { return f.constant(bits, ir.FloatBits(v, bits)) }

// undef returns an undefined value, made at the function's start: zeros in a module that may freeze it, so that all who
// read the frozen value see the same.
func (f *fctx) undef(comps, bits uint8) *ir.Def {
	if f.frozen {
		return f.constant(bits, make([]uint64, comps)...)
	}
	old := f.b.Shader.SetLoc(0)
	d := f.atStart(f.b.Shader.NewUndef(comps, bits))
	f.b.Shader.SetLoc(old)
	return d
}

// findFunctions finds the module's functions and their extents.
func (t *translator) findFunctions() {
	var f *function
	for i := range t.m.Insts {
		in := &t.m.Insts[i]
		switch in.Op {
		case spv.OpFunction:
			t.word = int(in.Offset)
			if f != nil {
				t.fail(uint32(in.Result()), "a function begins before the one before it ends")
			}
			f = t.functions.New()
			f.id, f.def, f.first, f.control = uint32(in.Result()), int32(i), int32(i+1), spv.FunctionControl(in.Arg(0))
			f.err = t.guard(func() {
				if f.typ = t.typeOf(in.Arg(1)); f.typ.kind != tFunction {
					t.fail(f.id, "the function's type is not a function type")
				}
				if f.typ.elem != t.typeOf(uint32(in.ResultType())) {
					t.fail(f.id, "the function's result type is not that of its function type")
				}
			})
			t.vals[i] = value{kind: vFunction, obj: f}
			t.funcs = append(t.funcs, f)
		case spv.OpFunctionParameter:
			if f != nil {
				f.params = append(f.params, int32(i))
				f.first = int32(i + 1)
			}
		case spv.OpFunctionEnd:
			if f != nil {
				f.last = int32(i)
			}
			f = nil
		}
	}
	if f != nil {
		t.fail(f.id, "the function does not end")
	}
}

// reachable finds the functions that the entry point reaches, callees first,
// and the global variables that they use.
func (t *translator) reachable() {
	v := t.val(t.entry.ID)
	if v.kind != vFunction {
		t.fail(t.entry.ID, "the entry point is not a function")
	}
	used := slab.Zeroed(t.used, len(t.m.Insts))
	t.used = used
	type frame struct {
		f *function
		i int
	}
	start := v.obj.(*function)
	t.scan(start, used)
	stack := []frame{{start, 0}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.i == len(top.f.calls) {
			top.f.state = 2
			t.order = append(t.order, top.f)
			stack = stack[:len(stack)-1]
			continue
		}
		c := t.vals[top.f.calls[top.i]].obj.(*function)
		top.i++
		switch c.state {
		case 0:
			t.scan(c, used)
			stack = append(stack, frame{c, 0})
		case 1:
			t.fail(c.id, "the function calls itself, directly or not, which shaders may not")
		}
	}
	for _, id := range t.entry.Interface {
		i := t.m.DefIndex(spv.ID(id))
		if i >= 0 && t.m.Insts[i].Op == spv.OpVariable && t.m.Insts[i].NumArgs() > 1 {
			used[i] = true
		}
	}
	for i, u := range used {
		if in := &t.m.Insts[i]; u && in.Op == spv.OpVariable && in.NumArgs() > 1 {
			if to := t.m.DefIndex(spv.ID(in.Arg(1))); to >= 0 && t.m.Insts[to].Op == spv.OpVariable {
				used[to] = true
			}
		}
	}
	for i, u := range used {
		if u {
			t.globals = append(t.globals, int32(i))
		}
	}
}

// scan notes the functions that f calls and the global variables it names.
func (t *translator) scan(f *function, used []bool) {
	f.state = 1
	if f.err != nil {
		panic(bail{f.err})
	}
	for i := f.first; i < f.last; i++ {
		in := &t.m.Insts[i]
		if at, calls := calleeOf(in.Op); calls && at < in.NumArgs() {
			c := t.index(in.Arg(at))
			if t.vals[c].kind != vFunction {
				t.word = int(in.Offset)
				t.fail(in.Arg(at), "the callee is not a function")
			}
			f.calls = append(f.calls, int32(c))
		}
		t.useLocations(in, used)
		t.useIndices(in, used)
		for k, w := range in.Args() {
			d := t.m.DefIndex(spv.ID(w))
			if d >= 0 && !used[d] && int32(d) < f.first && d < int(t.funcs[0].def) && isVariable(t.m.Insts[d].Op) && t.vals[d].kind == vNone {
				used[d] = t.namesID(in, k)
			}
			if d >= 0 && t.vals[d].kind == vAddress && t.namesID(in, k) {
				if root := t.vals[d].obj.(*address).root; root != noRoot {
					used[root] = true
				}
			}
		}
	}
}

// calleeOf is the operand of an instruction that is the function which it calls.
func calleeOf(op spv.Op) (at int, calls bool) {
	switch op {
	case spv.OpFunctionCall:
		return 0, true
	case spv.OpCooperativeMatrixPerElementOpEXT:
		return 1, true
	case spv.OpCooperativeMatrixReduceEXT:
		return 2, true
	}
	return 0, false
}

// namesID reports whether the k-th argument of an instruction is an id, and not a literal that happens to be the same number: what a shader
// uses must not depend on how ids are numbered.
func (t *translator) namesID(in *spv.Instruction, k int) bool {
	operands, err := t.m.Decode(t.operands[:0], in)
	t.operands = operands
	at := uint16(len(in.Words) - in.NumArgs() + k)
	return err == nil && slices.ContainsFunc(operands, func(o spv.Operand) bool { return o.Start == at && o.Kind.IsID() })
}

// makeFunctions makes the IR functions of the reachable functions.
func (t *translator) makeFunctions() {
	for _, f := range t.order {
		name := t.nameOf(f.id)
		if f.id == t.entry.ID {
			name = t.entry.Name
		}
		f.irf = t.s.NewFunction(name)
		f.irf.IsEntry = f.id == t.entry.ID
		f.irf.ShouldInline = f.control&spv.FunctionControlInline != 0
		f.irf.DontInline = f.control&spv.FunctionControlDontInline != 0
		t.word = int(t.m.Insts[f.def].Offset)
		if f.irf.IsEntry {
			if len(f.params) > 0 && !t.kernel {
				t.fail(f.id, "the entry point has parameters")
			}
			continue
		}
		if ret := f.typ.elem; ret.kind != tVoid {
			if t.leafCount(ret) > maxParams {
				t.fail(f.id, "the function's result is too large")
			}
			f.irf.Params = append(f.irf.Params, ir.Param{NumComponents: 1, BitSize: t.s.PtrBits(ir.ModeFunctionTemp), IsReturn: true, Type: ret.temp, Modes: ir.ModeFunctionTemp, Name: "return"})
		}
		if len(f.params) != len(f.typ.members) {
			t.fail(f.id, "the function has %d parameters, its type has %d", len(f.params), len(f.typ.members))
		}
		for k, p := range f.params {
			t.makeParam(f, &t.m.Insts[p], f.typ.members[k])
		}
	}
}

// maxParams bounds the leaves of a function's parameters and result.
const maxParams = 1 << 14

func (t *translator) makeParam(f *function, in *spv.Instruction, want *typ) {
	ty := t.typeOf(uint32(in.ResultType()))
	if ty != want {
		t.fail(uint32(in.Result()), "the parameter's type is not that of the function type")
	}
	name := t.nameOf(uint32(in.Result()))
	if ty.untyped {
		c, b := ty.shape()
		f.irf.Params = append(f.irf.Params, ir.Param{NumComponents: c, BitSize: b, Type: ir.ScalarType(ir.BaseUint, 8), Modes: untypedMode(ty.sc), Name: name})
		return
	}
	if ty.kind == tPointer {
		p := t.pointee(ty)
		mode := t.modeOf(ty.sc, p)
		c, b := ty.shape()
		f.irf.Params = append(f.irf.Params, ir.Param{NumComponents: c, BitSize: b, Type: t.storageType(mode, p), Modes: mode, Name: name})
		return
	}
	if t.leafCount(ty)+len(f.irf.Params) > maxParams {
		t.fail(f.id, "the function's parameters are too large")
	}
	t.eachLeaf(ty, func(c, b uint8) {
		f.irf.Params = append(f.irf.Params, ir.Param{NumComponents: c, BitSize: b, Name: name})
	})
}

// loadParams defines the ids of the function's parameters.
func (t *translator) loadParams(f *function) {
	if f.irf.IsEntry && t.kernel {
		t.loadArguments(f)
		return
	}
	b := t.f.b
	k := 0
	load := func() *ir.Def {
		p := &f.irf.Params[k]
		in := b.Shader.NewIntrinsic(ir.IntrLoadParam, p.NumComponents, p.BitSize)
		in.Set(ir.IdxParamIdx, uint64(k))
		k++
		return t.f.atStart(in)
	}
	if len(f.irf.Params) > 0 && f.irf.Params[0].IsReturn {
		t.f.ret = t.newPointer(pointer{typ: f.typ.elem, mode: ir.ModeFunctionTemp, addr: load(), param: true})
	}
	for _, pi := range f.params {
		in := &t.m.Insts[pi]
		ty := t.typeOf(uint32(in.ResultType()))
		t.word = int(in.Offset)
		if ty.untyped {
			t.vals[pi] = value{kind: vPointer, typ: ty, obj: t.untypedAt(ty.sc, load())}
			continue
		}
		if ty.kind == tPointer {
			p := t.pointee(ty)
			t.vals[pi] = value{kind: vPointer, typ: ty, obj: t.newPointer(pointer{typ: p, mode: t.modeOf(ty.sc, p), addr: load(), stride: ty.stride, param: true})}
			continue
		}
		l := t.leaves.Slice(int(ty.leaves))
		for i := range l {
			l[i] = load()
			t.nameDef(uint32(in.Result()), l[i])
		}
		if ty.byReference() {
			p := t.newPointer(pointer{typ: ty, mode: t.opaqueMode(ty), addr: l[0], param: true})
			t.vals[pi] = value{kind: vOpaque, typ: ty, obj: p}
			continue
		}
		t.vals[pi] = value{kind: vLeaves, typ: ty, leaves: l}
	}
}

// function translates the body of a function.
func (t *translator) function(f *function) {
	t.f = &t.ctx
	t.f.frozen = t.caps.frozen
	t.f.reset(f.irf.Impl)
	t.fn = t.funcIndex(f.irf.Name)
	t.f.fn = f
	t.line = line{file: -1}
	defer func() {
		t.f.forgetConsts(t)
		t.f = nil
	}()
	t.builderModes()
	t.loadParams(f)
	if f.irf.IsEntry {
		for _, p := range t.pointerInits {
			t.storePointer(p[0], p[1])
		}
	}
	t.parents.made = false
	t.findBlocks()
	if t.unmerged() {
		t.unstructured()
	} else {
		t.checkMerges()
		t.structurize()
	}
	t.makePhis()
	t.emitBody()
	t.repair()
}
