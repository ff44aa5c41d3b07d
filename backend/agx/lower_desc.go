package agx

import (
	"fmt"
	"sort"

	"nirc/backend/agx/abi"
	"nirc/ir"
)

// unsizedCount is the number of entries that an array of unknown size gets
// when others follow it.
const unsizedCount = 4096

// resources are the bindings of a shader. A buffer handle becomes the number
// of an entry of the descriptor table: a constant where the shader names the buffer, whose
// address is then in uniform registers.
type resources struct {
	s     *ir.Shader
	impl  *ir.Impl
	table []abi.TableRange
	heap  []abi.HeapRange
	// samplers and textures in state registers, in order of their numbers.
	samplers []abi.State
	textures []abi.State
	err      error
}

// lowerDescriptors places the bindings and rewrites handles.
func lowerDescriptors(s *ir.Shader, impl *ir.Impl) (*resources, error) {
	r := &resources{s: s, impl: impl}
	r.placeBuffers()
	changed := false
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			changed = r.handle(in) || changed
		}
	}
	if changed {
		impl.Preserve(ir.MetaControlFlow)
	}
	r.placeImages()
	return r, r.err
}

func (r *resources) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("agx: "+format, args...)
	}
}

// placeBuffers gives every buffer binding its entries, arrays of unknown size last.
func (r *resources) placeBuffers() {
	add := func(set, binding, count uint32) {
		for i := range r.table {
			if t := &r.table[i]; t.Set == set && t.Binding == binding {
				if count > t.Count && t.Count != 0 {
					t.Count = count
				}
				return
			}
		}
		r.table = append(r.table, abi.TableRange{Set: set, Binding: binding, Count: count})
	}
	for _, v := range r.s.Variables {
		if v.HasBinding && (v.Mode == ir.ModeUBO || v.Mode == ir.ModeSSBO) {
			add(v.Set, v.Binding, arrayCount(v.Type))
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
	sort.SliceStable(r.table, func(i, j int) bool {
		a, b := &r.table[i], &r.table[j]
		if (a.Count == 0) != (b.Count == 0) {
			return a.Count != 0
		}
		if a.Set != b.Set {
			return a.Set < b.Set
		}
		return a.Binding < b.Binding
	})
	at := uint32(0)
	for i := range r.table {
		t := &r.table[i]
		t.First = at
		n := t.Count
		if n == 0 {
			n = unsizedCount
			if i+1 < len(r.table) {
				t.Count = n
			}
		}
		at += n
	}
}

// arrayCount is the number of descriptors of a variable's type, 0 unknown.
func arrayCount(t *ir.Type) uint32 {
	n := uint32(1)
	for t.IsArray() {
		n *= uint32(t.Len)
		t = t.Elem
	}
	return n
}

// handle lowers an intrinsic that makes or changes a handle.
func (r *resources) handle(in *ir.Instr) bool {
	if in.Kind != ir.KindIntrinsic {
		return false
	}
	b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
	var x *ir.Def
	switch in.Intr {
	case ir.IntrVulkanResourceIndex:
		x = in.Srcs[0].Def
		if t := r.find(uint32(in.Get(ir.IdxDescSet)), uint32(in.Get(ir.IdxBinding))); t == nil {
			r.fail("binding %d of set %d is not known", in.Get(ir.IdxBinding), in.Get(ir.IdxDescSet))
		} else if c, ok := x.Const(0); ok {
			x = b.Imm32(uint32(c) + t.First)
		} else {
			x = b.IAddImm(x, int64(t.First))
		}
	case ir.IntrVulkanResourceReindex:
		x = b.Iadd(b.Channel(in.Srcs[0].Def, 0), in.Srcs[1].Def)
	case ir.IntrLoadVulkanDescriptor:
		x = b.Channel(in.Srcs[0].Def, 0)
	default:
		return false
	}
	comps := []*ir.Def{x}
	for len(comps) < int(in.Def.NumComponents) {
		comps = append(comps, b.ImmInt(0, in.Def.BitSize))
	}
	in.Def.RewriteUses(b.Vec(comps...))
	in.Remove()
	return true
}

func (r *resources) find(set, binding uint32) *abi.TableRange {
	for i := range r.table {
		if r.table[i].Set == set && r.table[i].Binding == binding {
			return &r.table[i]
		}
	}
	return nil
}

// entry names the buffer of a table entry.
func (r *resources) entry(n uint32) (set, binding, element uint32, ok bool) {
	for i := range r.table {
		t := &r.table[i]
		if n >= t.First && (t.Count == 0 || n-t.First < t.Count) {
			return t.Set, t.Binding, n - t.First, true
		}
	}
	return 0, 0, 0, false
}
