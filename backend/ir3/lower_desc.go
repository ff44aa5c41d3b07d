package ir3

import (
	"math/bits"
	"slices"
	"sort"

	"nirc/backend"
	"nirc/backend/ir3/abi"
	"nirc/backend/layout"
	"nirc/backend/resource"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/optab"
)

// maxSets is the number of descriptor sets that instructions can name.
const maxSets = 8

// descriptors lowers resource handles to bindless slots. A handle becomes the
// number set<<16 | slot; accesses get the slot through bindless_resource_ir3,
// whose desc_set is the set. Where a handle may come from several sets, the access is put
// into a ladder of ifs over them, as the set is part of the instruction (the
// ir3.md §6.10).
type descriptors struct {
	s        *ir.Shader
	impl     *ir.Impl
	layout   *layout.Layout
	slots    *layout.Table
	stride   uint32 // slots between the elements of a buffer's binding
	table    []abi.Descriptor
	visiting []bool
	halves   bool // storage buffers have views of 16 bits
	err      error
}

// lowerDescriptors rewrites the entry point and returns the placement of the bindings.
func lowerDescriptors(s *ir.Shader, impl *ir.Impl, gpu *GPU, l *layout.Layout) ([]abi.Descriptor, error) {
	if err := backend.CheckTextures(TargetName, s, impl); err != nil {
		return nil, err
	}
	d := &descriptors{s: s, impl: impl, layout: l, slots: abi.Slots(gpu.Gen), stride: 1, halves: gpu.Storage16 && !faults.has(faultViews)}
	if l == nil {
		d.stride = d.slots.Unit * d.slots.Bindings
	}
	if err := d.slots.Fits(l); err != nil {
		d.fail(nil, "%v", err)
	}
	d.place()
	if d.err != nil {
		return nil, d.err
	}
	var uses []*ir.Instr
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindIntrinsic && handleSrc(in.Intr) >= 0 {
				uses = append(uses, in)
			}
		}
	}
	if len(uses) == 0 && len(d.table) == 0 {
		return nil, d.err
	}
	for _, in := range uses {
		d.access(in)
	}
	resource.LowerHandles(impl, func(set, binding uint32) (first, stride uint32) {
		e := d.find(set, binding)
		return uint32(e.Base)<<16 | e.Slot, d.stride
	})
	impl.Preserve(ir.MetaNone)
	return d.table, d.err
}

// handleSrc is the source of an intrinsic that is a buffer handle, or -1.
func handleSrc(i ir.Intrinsic) int {
	if m := i.Info().Mem; m.Space == ir.SpaceUbo || m.Space == ir.SpaceSsbo {
		return int(m.Handle)
	}
	return -1
}

// place gives every binding its slots, as the layout or the numbers of the bindings say.
func (d *descriptors) place() {
	d.addVariables()
	d.addIndices()
	sort.SliceStable(d.table, func(i, j int) bool {
		a, b := &d.table[i], &d.table[j]
		if a.Set != b.Set {
			return a.Set < b.Set
		}
		return a.Binding < b.Binding
	})
	used := [maxSets]uint32{}
	for i := range d.table {
		e := &d.table[i]
		p, err := d.slots.Place(d.layout, e.Set, e.Binding, e.Count)
		if err != nil {
			d.fail(nil, "%v", err)
			return
		}
		e.Base, e.Slot, e.Stride = uint8(p.Base), p.First, p.Stride
		if e.Count == 0 {
			e.Count = p.Count
		}
		if e.Kind == abi.Sampler && (!p.Known || p.Type == layout.CombinedImageSampler) {
			e.Slot++ // after the image
		}
		if faults.has(faultSlots) { // what this shader uses, in a row
			e.Slot, e.Stride = used[e.Base], e.SlotsPerElement()
			d.stride = 1
			used[e.Base] += e.Count * e.Stride
		}
	}
}

// addVariables lists the bindings of the shader's variables.
func (d *descriptors) addVariables() {
	for _, v := range d.s.Variables {
		e := abi.Descriptor{Set: v.Set, Binding: v.Binding}
		switch {
		case !v.HasBinding:
			continue
		case v.Mode == ir.ModeUBO || v.Mode == ir.ModeSSBO, accelStruct(v):
			e.Kind = abi.Buffer
		case v.Mode == ir.ModeUniform || v.Mode == ir.ModeImage:
			e.Kind, e.View = opaqueKind(v.Type.WithoutArray())
		default:
			continue
		}
		e.Count = resource.ArrayCount(v.Type)
		d.add(e)
		if v.Mode == ir.ModeSSBO || accelStruct(v) {
			d.storage(v.Set, v.Binding)
		}
	}
}

// accelStruct reports whether a variable is an acceleration structure, whose descriptor is that of a storage buffer over its header.
func accelStruct(v *ir.Variable) bool { return v.Type.WithoutArray().Base == ir.BaseAccelStruct }

// addIndices lists the bindings of buffers that the code names.
func (d *descriptors) addIndices() {
	for b := range d.impl.Blocks() {
		for in := range b.Instrs() {
			if !in.IsIntrinsic(ir.IntrVulkanResourceIndex) {
				continue
			}
			e := abi.Descriptor{Set: uint32(in.Get(ir.IdxDescSet)), Binding: uint32(in.Get(ir.IdxBinding)), Kind: abi.Buffer}
			if c, ok := in.Srcs[0].Def.Const(0); ok {
				e.Count = uint32(c) + 1
			}
			d.add(e)
			if t := emu.DescriptorType(in.Get(ir.IdxDescType)); t == emu.DescStorageBuffer || t == emu.DescAccelStruct {
				d.storage(e.Set, e.Binding)
			}
		}
	}
}

// add puts a binding into the table, or joins it to what is known of it. A binding whose descriptors are now buffers and now
// something else (VK_EXT_mutable_descriptor_type), or images of several shapes, has a row for each: all of them stand in the same slots.
func (d *descriptors) add(n abi.Descriptor) {
	for i := range d.table {
		if e := &d.table[i]; e.Set == n.Set && e.Binding == n.Binding && alike(e, &n) {
			if n.Count > e.Count && e.Count != 0 {
				e.Count = n.Count
			}
			d.join(e, n.Kind, n.View)
			return
		}
	}
	d.table = append(d.table, n)
}

// alike reports whether a binding has one row for both: a texture and a sampler are the halves of a combined descriptor.
func alike(a, b *abi.Descriptor) bool {
	return (a.Kind == abi.Buffer) == (b.Kind == abi.Buffer) && (a.View == b.View || a.Kind == abi.Sampler || b.Kind == abi.Sampler)
}

// storage notes that a binding is a storage buffer: where the device has 16-bit
// storage its elements are of 16 bits, in all stages alike (ir3.md §6.10).
func (d *descriptors) storage(set, binding uint32) {
	for i := range d.table {
		if e := &d.table[i]; e.Set == set && e.Binding == binding && d.halves && e.Kind == abi.Buffer {
			e.Views = []uint8{2}
		}
	}
}

// opaqueKind is the descriptor of a texture, image or sampler.
func opaqueKind(t *ir.Type) (abi.DescriptorKind, abi.View) {
	view := abi.View{Dim: t.Dim, Array: t.Arrayed, MS: t.MS}
	switch {
	case t.Base == ir.BaseSampler:
		return abi.Sampler, abi.View{}
	case t.Base == ir.BaseSampledImage && t.Dim != ir.DimBuf: // texel buffers have no sampler
		return abi.Combined, view
	}
	return abi.Texture, view
}

// join adds a second variable at the binding of e. A texture and a sampler
// there are the two halves of a combined one.
func (d *descriptors) join(e *abi.Descriptor, kind abi.DescriptorKind, view abi.View) {
	if e.Kind == abi.Sampler {
		e.View = view
	}
	switch {
	case e.Kind == kind:
	default:
		e.Kind = abi.Combined
	}
}

func (d *descriptors) fail(in *ir.Instr, format string, args ...any) {
	if d.err == nil {
		d.err = backend.Refuse(TargetName, d.s, in, format, args...)
	}
}

func (d *descriptors) broken(in *ir.Instr, format string, args ...any) {
	if d.err == nil {
		d.err = backend.Broken(TargetName, d.s, in, format, args...)
	}
}

// find is the row of a binding that a vulkan_resource_index names: all of those are in the table.
func (d *descriptors) find(set, binding uint32) *abi.Descriptor {
	return &d.table[slices.IndexFunc(d.table, func(e abi.Descriptor) bool { return e.Set == set && e.Binding == binding })]
}

// access replaces the handle of a memory access by a slot of a known set.
func (d *descriptors) access(in *ir.Instr) {
	k := handleSrc(in.Intr)
	h := in.Srcs[k].Def
	if h.Instr.IsIntrinsic(ir.IntrBindlessResourceIr3) {
		if set := h.Instr.Get(ir.IdxDescSet); set >= uint64(d.slots.Sets) {
			d.fail(in, "%s", d.slots.NoSet(uint32(set)))
		}
		return // lowered before
	}
	if n := int(d.impl.NumDefs); len(d.visiting) < n {
		d.visiting = make([]bool, n+n/2) // the function grows with every access
	}
	mask := d.sets(h, 0)
	b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
	if h.NumComponents != 1 {
		h = b.Channel(h, 0)
	}
	if mask == 0 {
		d.broken(in, "the descriptor of a %s comes from no binding", in.Intr)
		return
	}
	if bits.OnesCount8(mask) == 1 {
		in.Srcs[k].Set(d.slot(b, h, bits.TrailingZeros8(mask)))
		return
	}
	d.ladder(b, in, k, h, mask)
}

// slot marks the slot part of a handle of a set.
func (d *descriptors) slot(b *ir.Builder, h *ir.Def, set int) *ir.Def {
	index := d.index(b, h, set)
	r := b.Intrinsic(ir.IntrBindlessResourceIr3, 1, 32, index)
	r.Set(ir.IdxDescSet, uint64(set))
	return &r.Def
}

// index is the slot of a handle: followed to the resource index where that is
// direct, so that constants stay constants, else cut out of the number.
func (d *descriptors) index(b *ir.Builder, h *ir.Def, set int) *ir.Def {
	if x := d.direct(b, h, 0); x != nil {
		return x
	}
	return b.Iand(h, b.Imm32(0xffff))
}

// direct rebuilds the slot of a handle that needs no choice, or returns nil.
func (d *descriptors) direct(b *ir.Builder, h *ir.Def, comp int) *ir.Def {
	in := h.Instr
	switch {
	case in.IsIntrinsic(ir.IntrVulkanResourceIndex):
		e := d.find(uint32(in.Get(ir.IdxDescSet)), uint32(in.Get(ir.IdxBinding)))
		if c, ok := in.Srcs[0].Def.Const(0); ok {
			return b.Imm32(uint32(c)*d.stride + e.Slot)
		}
		return b.IAddImm(d.steps(b, in.Srcs[0].Def), int64(e.Slot))
	case in.IsIntrinsic(ir.IntrLoadVulkanDescriptor):
		return d.direct(b, in.Srcs[0].Def, 0)
	case in.IsALU(ir.OpMov):
		return d.direct(b, in.Srcs[0].Def, in.Srcs[0].Swizzle.Lane(comp))
	case in.IsVec():
		return d.direct(b, in.Srcs[comp].Def, in.Srcs[comp].Swizzle.Lane(0))
	}
	return nil
}

// steps is how many slots after the first an element is.
func (d *descriptors) steps(b *ir.Builder, element *ir.Def) *ir.Def {
	if d.stride == 1 {
		return element
	}
	return b.Imul(b.Channel(element, 0), b.Imm32(d.stride))
}

// sets returns the sets that component comp of a handle may come from.
func (d *descriptors) sets(h *ir.Def, comp int) uint8 {
	if d.visiting[h.Index] {
		return 0
	}
	d.visiting[h.Index] = true
	defer func() { d.visiting[h.Index] = false }()
	in := h.Instr
	switch in.Kind {
	case ir.KindIntrinsic:
		switch in.Intr {
		case ir.IntrVulkanResourceIndex:
			return 1 << d.find(uint32(in.Get(ir.IdxDescSet)), uint32(in.Get(ir.IdxBinding))).Base
		case ir.IntrLoadVulkanDescriptor:
			return d.sets(in.Srcs[0].Def, 0)
		}
	case ir.KindALU:
		switch {
		case in.Op == ir.OpMov:
			return d.sets(in.Srcs[0].Def, in.Srcs[0].Swizzle.Lane(comp))
		case in.IsVec():
			return d.sets(in.Srcs[comp].Def, in.Srcs[comp].Swizzle.Lane(0))
		case in.Op == ir.OpBcsel:
			return d.sets(in.Srcs[1].Def, in.Srcs[1].Swizzle.Lane(comp)) | d.sets(in.Srcs[2].Def, in.Srcs[2].Swizzle.Lane(comp))
		}
	case ir.KindPhi:
		m := uint8(0)
		for i := range in.Srcs {
			m |= d.sets(in.Srcs[i].Def, comp)
		}
		return m
	case ir.KindUndef:
		return 0
	}
	// Anything else: some binding of the shader.
	m := uint8(0)
	for i := range d.table {
		m |= 1 << d.table[i].Base
	}
	return m
}

// ladder replaces an access by one for each set, chosen by the handle.
func (d *descriptors) ladder(b *ir.Builder, in *ir.Instr, k int, h *ir.Def, mask uint8) {
	if res := d.rest(b, in, k, h, mask); res != nil {
		in.Def.RewriteUses(res)
	}
	in.Remove()
}

// rest builds the ladder for the sets in mask, asking for each but the last,
// and returns its result.
func (d *descriptors) rest(b *ir.Builder, in *ir.Instr, k int, h *ir.Def, mask uint8) *ir.Def {
	set := bits.TrailingZeros8(mask)
	rest := mask & (mask - 1)
	if rest == 0 {
		return d.copyAccess(b, in, k, h, set)
	}
	i := b.PushIf(b.Ieq(b.Ushr(h, b.Imm32(16)), b.Imm32(uint32(set))))
	then := d.copyAccess(b, in, k, h, set)
	b.PushElse(i)
	els := d.rest(b, in, k, h, rest)
	b.PopIf(i)
	if then == nil {
		return nil
	}
	return b.IfPhi(i, then, els)
}

func (d *descriptors) copyAccess(b *ir.Builder, in *ir.Instr, k int, h *ir.Def, set int) *ir.Def {
	srcs := make([]*ir.Def, len(in.Srcs))
	for i := range srcs {
		srcs[i] = in.Srcs[i].Def
	}
	srcs[k] = d.slot(b, h, set)
	c := b.Intrinsic(in.Intr, in.Def.NumComponents, in.Def.BitSize, srcs...).CopyIndices(in)
	c.NumComponents = in.NumComponents
	if !c.HasDef() {
		return nil
	}
	return &c.Def
}

// chosenTexture reports whether an index chooses the descriptors of a texture operation.
func chosenTexture(in *ir.Instr) bool {
	for i, k := range in.TexInfo().SrcKinds {
		if k != ir.TexSrcTextureDeref && k != ir.TexSrcSamplerDeref {
			continue
		}
		for d := in.Srcs[i].Def.Instr; d.Kind == ir.KindDeref && d.Deref == ir.DerefArray; d = d.Srcs[0].Def.Instr {
			if !d.Srcs[1].Def.IsConst() {
				return true
			}
		}
	}
	return false
}

// lowerTerminateIf lets the fibers of a terminate_if halt by the same condition
// where those that are gone, which go on as helpers, would matter: a loop
// could be kept alive (ir3.md §4.10), votes
// would count them, loads would use pointers and indices that the program never made.
func lowerTerminateIf(impl *ir.Impl) {
	matters := false
	var found []*ir.Instr
	for b := range impl.Blocks() {
		matters = matters || ir.EnclosingLoop(b) != nil
		for in := range b.Instrs() {
			if in.Kind != ir.KindIntrinsic {
				matters = matters || in.Kind == ir.KindTex && chosenTexture(in)
				continue
			}
			if in.Intr == ir.IntrTerminateIf {
				found = append(found, in)
			}
			matters = matters || in.Intr.Info().Flags&(optab.CanEliminate|optab.CanReorder) == optab.CanEliminate ||
				in.Intr == ir.IntrLoadUbo && !in.Srcs[1].Def.IsConst() || chosenByIndex(in)
		}
	}
	if !matters || faults.has(faultKillLoops) {
		return
	}
	for _, in := range found {
		b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
		b.Effect(ir.IntrTerminateIf, in.Srcs[0].Def)
		i := b.PushIf(in.Srcs[0].Def)
		b.Jump(ir.JumpHalt)
		b.PopIf(i)
		in.Remove()
	}
	if len(found) > 0 {
		impl.Preserve(ir.MetaNone)
	}
}
