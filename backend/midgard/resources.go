package midgard

import (
	"fmt"
	"sort"

	"nirc/backend/midgard/abi"
	"nirc/ir"
)

// entryRange is the entries of one buffer binding. Count 0 is an array of unknown
// size.
type entryRange struct {
	set, binding, first, count uint32
}

// unsizedCount is how many entries an array of unknown size takes up.
const unsizedCount = 1 << 16

// resources number the buffers of a shader: a buffer handle becomes the number
// of an entry, a constant where the shader names the buffer.
type resources struct {
	s      *ir.Shader
	impl   *ir.Impl
	ranges []entryRange
	total  uint32 // entries, if all sizes are known
	sized  bool
}

// lowerHandles numbers the bindings and rewrites handles.
func lowerHandles(s *ir.Shader, impl *ir.Impl) *resources {
	r := &resources{s: s, impl: impl, sized: true}
	r.number()
	changed := false
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			changed = r.handle(in) || changed
		}
	}
	if changed {
		impl.Preserve(ir.MetaControlFlow)
	}
	return r
}

// number gives every buffer binding its entries, arrays of unknown size last.
func (r *resources) number() {
	add := func(set, binding, count uint32) {
		if e := r.find(set, binding); e != nil {
			if e.count != 0 {
				e.count = max(e.count, count)
			}
			return
		}
		r.ranges = append(r.ranges, entryRange{set: set, binding: binding, count: count})
	}
	for _, v := range r.s.Variables {
		if v.HasBinding && (v.Mode == ir.ModeUBO || v.Mode == ir.ModeSSBO) {
			add(v.Set, v.Binding, descriptors(v.Type))
		}
	}
	for b := range r.impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsIntrinsic(ir.IntrVulkanResourceIndex) {
				count := uint32(0)
				if c, ok := in.Srcs[0].Def.Const(0); ok {
					count = uint32(c) + 1
				}
				add(uint32(in.Get(ir.IdxDescSet)), uint32(in.Get(ir.IdxBinding)), count)
			}
		}
	}
	sort.SliceStable(r.ranges, func(i, j int) bool {
		a, b := &r.ranges[i], &r.ranges[j]
		if (a.count == 0) != (b.count == 0) {
			return a.count != 0
		}
		if a.set != b.set {
			return a.set < b.set
		}
		return a.binding < b.binding
	})
	for i := range r.ranges {
		e := &r.ranges[i]
		e.first = r.total
		if e.count == 0 {
			r.sized = false
			r.total += unsizedCount
		}
		r.total += e.count
	}
}

// descriptors is the number of descriptors of a variable's type, 0 unknown.
func descriptors(t *ir.Type) uint32 {
	n := uint32(1)
	for t.IsArray() {
		n *= uint32(t.Len)
		t = t.Elem
	}
	return n
}

// handle rewrites an intrinsic that makes or changes a handle.
func (r *resources) handle(in *ir.Instr) bool {
	if in.Kind != ir.KindIntrinsic {
		return false
	}
	b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
	var x *ir.Def
	switch in.Intr {
	case ir.IntrVulkanResourceIndex:
		x = in.Srcs[0].Def
		set, binding := uint32(in.Get(ir.IdxDescSet)), uint32(in.Get(ir.IdxBinding))
		e := r.find(set, binding)
		if c, ok := x.Const(0); ok {
			x = b.Imm32(uint32(c) + e.first)
		} else {
			x = b.IAddImm(x, int64(e.first))
		}
	case ir.IntrVulkanResourceReindex:
		h := b.Channel(in.Srcs[0].Def, 0)
		c, ok1 := in.Srcs[0].Def.Const(0)
		k, ok2 := in.Srcs[1].Def.Const(0)
		if ok1 && ok2 {
			x = b.Imm32(uint32(c + k))
		} else {
			x = b.Iadd(h, in.Srcs[1].Def)
		}
	case ir.IntrLoadVulkanDescriptor:
		if c, ok := in.Srcs[0].Def.Const(0); ok {
			x = b.Imm32(uint32(c))
		} else {
			x = b.Channel(in.Srcs[0].Def, 0)
		}
	default:
		return false
	}
	n := int(in.Def.NumComponents)
	if c, ok := x.Const(0); ok {
		vals := make([]uint64, n)
		vals[0] = c
		in.Def.RewriteUses(b.Const(in.Def.BitSize, vals...))
	} else {
		comps := []*ir.Def{x}
		for len(comps) < n {
			comps = append(comps, b.ImmInt(0, in.Def.BitSize))
		}
		in.Def.RewriteUses(b.Vec(comps...))
	}
	in.Remove()
	return true
}

func (r *resources) find(set, binding uint32) *entryRange {
	for i := range r.ranges {
		if r.ranges[i].set == set && r.ranges[i].binding == binding {
			return &r.ranges[i]
		}
	}
	return nil
}

// entry names the buffer of an entry.
func (r *resources) entry(n uint32) (abi.Resource, bool) {
	for i := range r.ranges {
		e := &r.ranges[i]
		if n >= e.first && (e.count == 0 || n-e.first < e.count) {
			return abi.Resource{Set: e.set, Binding: e.binding, Element: n - e.first}, true
		}
	}
	return abi.Resource{}, false
}

// tables are the buffer, system value and uniform register tables of a binary.
type tables struct {
	meta *abi.Meta
	// limit bounds the uniform registers.
	limit int
	// dyn is 1 + the first system value of the block with one for every entry.
	dyn int
}

// ubo returns the index of a buffer of the table.
func (t *tables) ubo(kind abi.UBOKind, r abi.Resource) (int, error) {
	for i := range t.meta.UBOs {
		u := &t.meta.UBOs[i]
		if u.Kind == kind && u.Set == r.Set && u.Binding == r.Binding && u.Element == r.Element {
			return i, nil
		}
	}
	if len(t.meta.UBOs) == 256 {
		return 0, fmt.Errorf("midgard: more than 256 uniform buffers are not supported")
	}
	t.meta.UBOs = append(t.meta.UBOs, abi.UBO{Kind: kind, Set: r.Set, Binding: r.Binding, Element: r.Element})
	return len(t.meta.UBOs) - 1, nil
}

// sysval returns the index of a system value.
func (t *tables) sysval(v abi.Sysval) int {
	for i := range t.meta.Sysvals {
		if t.meta.Sysvals[i] == v {
			return i
		}
	}
	t.meta.Sysvals = append(t.meta.Sysvals, v)
	return len(t.meta.Sysvals) - 1
}

// uniform returns the register that holds 16 bytes of a buffer, if there is room.
func (t *tables) uniform(ubo int, offset uint32) (reg, bool) {
	u := abi.Uniform{UBO: ubo, Offset: offset}
	for i := range t.meta.Uniforms {
		if t.meta.Uniforms[i] == u {
			return reg(abi.UniformTop - i), true
		}
	}
	if len(t.meta.Uniforms) >= t.limit {
		return 0, false
	}
	t.meta.Uniforms = append(t.meta.Uniforms, u)
	return reg(abi.UniformTop - len(t.meta.Uniforms) + 1), true
}
