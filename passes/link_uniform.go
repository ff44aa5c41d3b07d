package passes

import "nirc/ir"

// uniformMover copies expressions of constants, uniform buffers and push constants from one stage to the next.
type uniformMover struct {
	producer, consumer *ir.Shader
	visible            func(*ir.Variable) bool
	limit              int // of operations
	costs              map[*ir.Instr]int
	clone              *ir.Cloner
	at                 *ir.Builder
	last               *ir.Instr // of what was copied
}

// notUniform is the cost of what cannot be moved.
const notUniform = 1 << 20

func newUniformMover(producer, consumer *ir.Shader, visible func(*ir.Variable) bool) *uniformMover {
	return &uniformMover{producer: producer, consumer: consumer, visible: visible, limit: int(consumer.Options.UniformCost), costs: map[*ir.Instr]int{}}
}

// cost is how many operations a value takes, and whether it is made of nothing but uniform values.
func (m *uniformMover) cost(d *ir.Def) (ops int, uniform bool) {
	ops = m.instrCost(d.Instr)
	return ops, ops < notUniform
}

func (m *uniformMover) instrCost(in *ir.Instr) int {
	if c, ok := m.costs[in]; ok {
		return c
	}
	m.costs[in] = notUniform
	c := 0
	switch {
	case in.Kind == ir.KindLoadConst || in.Kind == ir.KindUndef:
	case in.Kind == ir.KindALU && m.sameFloats():
		if in.Op != ir.OpMov && !in.IsVec() {
			c = 1
		}
	case in.Kind == ir.KindDeref:
		if in.DerefInfo().Modes != ir.ModeUBO && in.DerefInfo().Modes != ir.ModePushConst {
			c = notUniform
		}
	case in.Kind != ir.KindIntrinsic:
		c = notUniform
	case in.Intr == ir.IntrLoadDeref:
		if ir.Access(in.Get(ir.IdxAccess))&ir.AccessVolatile != 0 {
			c = notUniform
		}
	case in.Intr == ir.IntrVulkanResourceIndex, in.Intr == ir.IntrLoadVulkanDescriptor:
	default:
		c = notUniform
	}
	for i := range in.Srcs {
		if c < notUniform {
			c += m.instrCost(in.Srcs[i].Def.Instr)
		}
	}
	m.costs[in] = min(c, notUniform)
	return m.costs[in]
}

// sameFloats reports whether both stages compute floats by the same modes.
func (m *uniformMover) sameFloats() bool {
	return m.producer.Info.FloatControls == m.consumer.Info.FloatControls
}

// reaches reports whether consumer may read what a value is made of: it declares it itself, or visible
// knows that it may.
func (m *uniformMover) reaches(d *ir.Def) bool {
	in := d.Instr
	if v := m.resource(in); v != nil && m.twin(v) == nil && (m.visible == nil || !m.visible(v)) {
		return false
	}
	for i := range in.Srcs {
		if !m.reaches(in.Srcs[i].Def) {
			return false
		}
	}
	return true
}

// resource is the variable of producer's that an instruction names.
func (m *uniformMover) resource(in *ir.Instr) *ir.Variable {
	switch {
	case in.Kind == ir.KindDeref && in.Deref == ir.DerefVar:
		return in.DerefInfo().Var
	case in.IsIntrinsic(ir.IntrVulkanResourceIndex):
		for _, v := range m.producer.Variables {
			if v.HasBinding && v.Mode == ir.ModeUBO && uint64(v.Set) == in.Get(ir.IdxDescSet) && uint64(v.Binding) == in.Get(ir.IdxBinding) {
				return v
			}
		}
	}
	return nil
}

// twin is the variable of consumer's for the same resource: for push constants a block of the same type.
func (m *uniformMover) twin(v *ir.Variable) *ir.Variable {
	for _, w := range m.consumer.Variables {
		if w.Mode != v.Mode {
			continue
		}
		if v.Mode == ir.ModePushConst && w.Type.Equal(v.Type) || v.Mode == ir.ModeUBO && w.HasBinding && w.Set == v.Set && w.Binding == v.Binding {
			return w
		}
	}
	return nil
}

// copy makes a value at the start of consumer.
func (m *uniformMover) copy(d *ir.Def) *ir.Def {
	if m.clone == nil {
		m.clone = ir.NewCloner(m.producer.Entry().Impl, m.consumer.Entry().Impl)
		m.clone.Loc = func(uint32) uint32 { return 0 }
	}
	// What stood after the last copies may be gone with an input that they took the place of.
	at := ir.AtStart(m.consumer.Entry().Impl.Start())
	if m.last != nil {
		at = ir.After(m.last)
	}
	m.at = ir.NewBuilder(at)
	return m.copied(d)
}

func (m *uniformMover) copied(d *ir.Def) *ir.Def {
	if c := m.clone.Def(d); c != d {
		return c
	}
	in := d.Instr
	if v := m.resource(in); v != nil {
		w := m.twin(v)
		if w == nil {
			w = copyVariable(m.consumer, v, v.Type, v.Name)
		}
		m.clone.MapVar(v, w)
	}
	for i := range in.Srcs {
		m.copied(in.Srcs[i].Def)
	}
	n := m.at.Insert(m.clone.Instr(in))
	m.last = n
	if n.Kind == ir.KindDeref {
		retype(n)
	}
	return &n.Def
}

// retype gives a deref the type that follows from its variable or parent, which are of another shader now.
func retype(d *ir.Instr) {
	info := d.DerefInfo()
	p := derefParent(d)
	switch {
	case d.Deref == ir.DerefVar:
		info.Type = info.Var.Type
	case p == nil || d.Deref == ir.DerefCast:
	case d.Deref == ir.DerefStruct:
		info.Type = p.DerefInfo().Type.Fields[info.Field].Type
	default:
		info.Type = p.DerefInfo().Type.Child()
	}
}
