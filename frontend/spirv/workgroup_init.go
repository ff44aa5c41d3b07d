package spirv

import (
	"nirc/ir"
)

const (
	ruleWorkgroupInit = "VUID-StandaloneSpirv-OpVariable-04734: a variable of storage class Workgroup has no initialiser but OpConstantNull"

	// maxWorkgroupLeaves bounds the vectors that a workgroup variable is written by, arrays counted once.
	maxWorkgroupLeaves = 1 << 10
)

// initWorkgroup writes the variables of the workgroup that start as zeros, at
// the start of the entry point: the invocations share each variable's vectors
// out among themselves, and wait for each other behind it.
func (t *translator) initWorkgroup() {
	var list []*ir.Variable
	for _, v := range t.s.Variables {
		if v.Mode == ir.ModeShared && v.Init != nil {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return
	}
	impl := t.s.Entry().Impl
	w := &workgroupInit{t: t, b: ir.NewBuilder(ir.AtStart(impl.Start()))}
	size := t.s.Info.WorkgroupSize
	w.threads = size[0] * size[1] * size[2]
	w.index = &w.b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
	for _, v := range list {
		if !isZero(v.Init) {
			t.broken(ruleWorkgroupInit, 0, "the variable %q is initialised with other values", v.Name)
		}
		v.Init = nil
		w.walk(v, v.Type, nil)
	}
	w.b.Intrinsic(ir.IntrBarrier, 0, 0).
		Set(ir.IdxExecutionScope, uint64(ir.ScopeWorkgroup)).Set(ir.IdxMemoryScope, uint64(ir.ScopeWorkgroup)).
		Set(ir.IdxMemorySemantics, uint64(ir.SemAcquire|ir.SemRelease)).Set(ir.IdxMemoryModes, uint64(ir.ModeShared))
	t.s.Info.UsesControlBarrier, t.s.Info.ZeroInitShared = true, true
}

// isZero reports whether all of a constant is zero.
func isZero(c *ir.Constant) bool {
	if c.Zero {
		return true
	}
	for _, e := range c.Elems {
		if !isZero(e) {
			return false
		}
	}
	return len(c.Elems) > 0
}

// workgroupInit writes zeros; index is the invocation's number among threads.
type workgroupInit struct {
	t       *translator
	b       *ir.Builder
	index   *ir.Def
	threads uint32
	leaves  int
}

// step is a step from a variable to a vector: a field, or an index of n.
type step struct {
	field int
	n     uint32 // 0: field
}

// walk writes all vectors below a type; path leads there from the variable.
func (w *workgroupInit) walk(v *ir.Variable, ty *ir.Type, path []step) {
	switch {
	case ty.IsStruct():
		for k := range ty.Fields {
			w.walk(v, ty.Fields[k].Type, append(path, step{field: k}))
		}
	case ty.IsArray() || ty.IsMatrix():
		w.walk(v, ty.Child(), append(path, step{n: uint32(ty.ChildCount())}))
	default:
		if w.leaves++; w.leaves > maxWorkgroupLeaves {
			w.t.fail(0, "the initialised workgroup variable %q has too many members", v.Name)
		}
		w.leaf(v, ty, path)
	}
}

// leaf writes the vectors that a path leads to by all its indices.
func (w *workgroupInit) leaf(v *ir.Variable, ty *ir.Type, path []step) {
	total := uint64(1)
	for _, s := range path {
		total *= uint64(max(s.n, 1))
	}
	if total > 1<<24 {
		w.t.fail(0, "the initialised workgroup variable %q is too large", v.Name)
	}
	b := w.b
	n := b.Imm32(uint32(total))
	if total <= uint64(w.threads) {
		i := b.PushIf(b.Ult(w.index, n))
		w.store(v, ty, path, w.index)
		b.PopIf(i)
		return
	}
	counter := b.Impl.NewLocal(ir.VectorType(ir.BaseUint, 32, 1), "")
	b.StoreVar(counter, w.index, 1)
	loop := b.PushLoop()
	at := b.LoadVar(counter)
	end := b.PushIf(b.Uge(at, n))
	b.Jump(ir.JumpBreak)
	b.PopIf(end)
	w.store(v, ty, path, at)
	b.StoreVar(counter, b.Iadd(at, b.Imm32(w.threads)), 1)
	b.PopLoop(loop)
}

// store writes vector number at of those that a path leads to.
func (w *workgroupInit) store(v *ir.Variable, ty *ir.Type, path []step, at *ir.Def) {
	b := w.b
	left := 1
	for _, s := range path {
		left *= int(max(s.n, 1))
	}
	d := b.DerefVar(v)
	for _, s := range path {
		if s.n == 0 {
			d = b.DerefStruct(d, s.field)
			continue
		}
		left /= int(s.n)
		i := at
		if left > 1 {
			i = b.Udiv(i, b.Imm32(uint32(left)))
		}
		at = b.Isub(at, b.Imul(i, b.Imm32(uint32(left))))
		d = b.DerefArray(d, i)
	}
	b.StoreDeref(d, b.Const(ty.Bits, make([]uint64, ty.Rows)...), 1<<ty.Rows-1, 0)
}
