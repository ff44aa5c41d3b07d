package passes

import "nirc/ir"

// sharedInit stores the initial values of workgroup memory.
type sharedInit struct {
	s    *ir.Shader
	b    *ir.Builder
	impl *ir.Impl
	// index is the invocation's number in the workgroup, size the number of
	// invocations: count where the shader says it.
	index, size *ir.Def
	count       int
	// single is what one invocation stores.
	single []initialised
}

// initialised is a variable or a member of one that has an initial value.
type initialised struct {
	v      *ir.Variable
	fields []int // of the structs from outside in
	typ    *ir.Type
	value  *ir.Constant
}

// deref makes the chain to it, here: each use gets one in its block.
func (i *initialised) deref(b *ir.Builder) *ir.Def {
	d := b.DerefVar(i.v)
	for _, f := range i.fields {
		d = b.DerefStruct(d, f)
	}
	return d
}

// initShared stores the initialisers of workgroup memory at the start of the
// entry point: zeros of arrays by all invocations, an element each in turn, all else by the
// first one; then all wait until the memory holds them.
func initShared(s *ir.Shader, impl *ir.Impl) (bool, error) {
	x := &sharedInit{s: s, impl: impl, b: ir.NewBuilder(ir.AtStart(impl.Start()))}
	total := 0
	for _, v := range s.Variables {
		if v.Mode != ir.ModeShared {
			continue
		}
		if err := checkInit(v, &total); err != nil {
			return false, err
		}
		if v.Init == nil {
			continue
		}
		x.start()
		x.variable(v)
		v.Init = nil
	}
	if x.index == nil {
		return false, nil
	}
	x.firstInvocation()
	x.b.Effect(ir.IntrBarrier).Set(ir.IdxExecutionScope, uint64(ir.ScopeWorkgroup)).Set(ir.IdxMemoryScope, uint64(ir.ScopeWorkgroup)).
		Set(ir.IdxMemorySemantics, uint64(ir.SemAcquire|ir.SemRelease)).Set(ir.IdxMemoryModes, uint64(ir.ModeShared))
	return true, nil
}

// start loads the ids, once.
func (x *sharedInit) start() {
	if x.index != nil {
		return
	}
	x.index = &x.b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
	if !x.s.Info.WorkgroupSizeVariable {
		w := x.s.Info.WorkgroupSize
		x.count = int(w[0]) * int(w[1]) * int(w[2])
		x.size = x.b.Imm32(uint32(x.count))
		return
	}
	n := &x.b.Intrinsic(ir.IntrLoadWorkgroupSize, 3, 32).Def
	x.size = x.b.Imul(x.b.Channel(n, 0), x.b.Imul(x.b.Channel(n, 1), x.b.Channel(n, 2)))
}

func (x *sharedInit) variable(v *ir.Variable) {
	i := initialised{v: v, typ: v.Type, value: v.Init}
	if !allZero(v.Init) {
		x.single = append(x.single, i)
		return
	}
	i.value = zeroConstant
	x.zero(i)
}

// allZero reports whether all bits of a constant are zero.
func allZero(c *ir.Constant) bool {
	if c.Zero {
		return true
	}
	for _, e := range c.Elems {
		if !allZero(e) {
			return false
		}
	}
	for _, v := range c.Values {
		if v != 0 {
			return false
		}
	}
	return true
}

// zero stores zeros to all of i.
func (x *sharedInit) zero(i initialised) {
	switch {
	case i.typ.IsStruct():
		for k := range i.typ.Fields {
			m := i
			m.fields = append(i.fields[:len(i.fields):len(i.fields)], k)
			m.typ = i.typ.Fields[k].Type
			x.zero(m)
		}
	case i.typ.IsArray():
		x.zeroArray(i)
	default:
		x.single = append(x.single, i)
	}
}

// zeroArray shares the elements of an array, of arrays of arrays the innermost,
// among the invocations.
func (x *sharedInit) zeroArray(a initialised) {
	n, elem := 1, a.typ
	var dims []int
	for ; elem.IsArray(); elem = elem.Elem {
		dims = append(dims, elem.ChildCount())
		n *= elem.ChildCount()
	}
	x.distribute(n, func(k *ir.Def) {
		place := a.deref(x.b)
		for i, inner := 0, n; i < len(dims); i++ {
			inner /= dims[i]
			at := k
			if i+1 < len(dims) {
				at, k = x.b.Udiv(k, x.b.Imm32(uint32(inner))), x.b.Umod(k, x.b.Imm32(uint32(inner)))
			}
			place = x.b.DerefArray(place, at)
		}
		storeConstant(x.b, place, zeroConstant)
	})
}

// maxTurns is how many elements an invocation stores without a loop.
const maxTurns = 4

// distribute makes the invocations do n things, numbered from 0.
func (x *sharedInit) distribute(n int, do func(k *ir.Def)) {
	b := x.b
	if x.count == 0 || n > maxTurns*x.count {
		x.loop(n, do)
		return
	}
	for first := 0; first < n; first += x.count {
		k := b.IAddImm(x.index, int64(first))
		if first+x.count <= n {
			do(k)
			continue
		}
		i := b.PushIf(b.Ult(k, b.Imm32(uint32(n))))
		do(k)
		b.PopIf(i)
	}
}

func (x *sharedInit) loop(n int, do func(k *ir.Def)) {
	b := x.b
	counter := x.impl.NewLocal(ir.ScalarType(ir.BaseUint, 32), "init_index")
	b.StoreVar(counter, x.index, 1)
	l := b.PushLoop()
	k := b.LoadVar(counter)
	end := b.PushIf(b.Uge(k, b.Imm32(uint32(n))))
	b.Jump(ir.JumpBreak)
	b.PopIf(end)
	do(k)
	b.StoreVar(counter, b.Iadd(k, x.size), 1)
	b.PopLoop(l)
}

// firstInvocation makes one invocation store what is not shared out.
func (x *sharedInit) firstInvocation() {
	if len(x.single) == 0 {
		return
	}
	i := x.b.PushIf(x.b.Ieq(x.index, x.b.Imm32(0)))
	for k := range x.single {
		storeConstant(x.b, x.single[k].deref(x.b), x.single[k].value)
	}
	x.b.PopIf(i)
}
