package interp

import (
	"encoding/binary"

	"nirc/ir"
)

// space is a kind of memory as an instruction addresses it.
type space uint8

const (
	spPrivate space = iota // variables, inputs and outputs of the lane
	spShared
	spPush
	spConst // ModeConstant variables
	spData  // Shader.ConstantData
	spStageIn
	spStageOut
	spPayload // of task shaders
	spBuffer  // descriptor handle and offset
	spGlobal
	spGeneric // what the pointer says: kernels
	spOpaque  // images, textures, samplers: only named, never read
)

// pointer is what is known of a deref at translation.
type pointer struct {
	t       *ir.Type
	space   space
	lay     layout
	comp    uint32 // distance of components, if t is a vector
	step    uint32 // of ptr_as_array
	known   bool   // off is the whole address
	off     uint64
	compact bool
	vertex  bool  // the outermost array of t counts vertices
	dims    []dim // wildcards so far
	at      int32 // slot of the address
	handle  int32 // slot of the buffer's handle
}

type dim struct{ n, stride uint32 }

// run is a range of bytes that a copy moves.
type run struct{ dst, src, n uint32 }

func spaceOf(m ir.Mode) (space, bool) {
	switch {
	case m == 0:
		return 0, false
	case m&^(ir.ModeFunctionTemp|ir.ModeShaderTemp|ir.ModeShaderIn|ir.ModeShaderOut|ir.ModeSystemValue|ir.ModeShaderCall|ir.ModeHitAttrib) == 0:
		return spPrivate, true
	case m == ir.ModeShared:
		return spShared, true
	case m == ir.ModeTaskPayload:
		return spPayload, true
	case m == ir.ModePushConst:
		return spPush, true
	case m == ir.ModeConstant:
		return spConst, true
	case m&^(ir.ModeUBO|ir.ModeSSBO) == 0:
		return spBuffer, true
	case m == ir.ModeGlobal:
		return spGlobal, true
	case m&^(ir.ModeUniform|ir.ModeImage) == 0:
		return spOpaque, true
	}
	return 0, false
}

func layoutOf(m ir.Mode) layout {
	return layout(m&^(ir.ModeShaderIn|ir.ModeShaderOut) == 0)
}

// maxMemory bounds the bytes of a shader's variables.
const maxMemory = 1 << 24

// wideSize is a bound of the bytes of a type, in as many bits as it takes.
func wideSize(t *ir.Type) uint64 {
	switch {
	case t.IsArray():
		return min(uint64(t.Len)*max(wideSize(t.Elem), uint64(t.Stride)), 1<<40)
	case t.IsStruct():
		n := uint64(0)
		for i := range t.Fields {
			n = max(n, uint64(max(t.Fields[i].Offset, 0))) + wideSize(t.Fields[i].Type)
		}
		return min(n, 1<<40)
	case t.IsMatrix():
		return uint64(max(t.Cols, t.Rows)) * uint64(max(t.Stride, 32))
	}
	if t.Base == ir.BaseRayQuery {
		return querySize
	}
	return uint64(t.Rows) * uint64(t.MemBits()) / 8
}

// place gives a variable its address.
func (c *compiler) place(v *ir.Variable) {
	if v.Mode&(ir.ModeFunctionTemp|ir.ModeShaderTemp|ir.ModeSystemValue|ir.ModeShared|ir.ModeConstant|ir.ModeShaderIn|ir.ModeShaderOut|ir.ModeTaskPayload|ir.ModeShaderCall|ir.ModeHitAttrib) != 0 {
		if n := wideSize(v.Type) + uint64(c.p.private) + uint64(c.p.shared) + uint64(c.p.payload); n > maxMemory {
			c.refuse(nil, "variable %s: more than %d bytes of variables are not supported", v.Name, maxMemory)
			return
		}
	}
	size := packed.size(v.Type)
	slot := uint32(max(v.Location, 0))*16 + uint32(v.Component)*4
	switch v.Mode {
	case ir.ModeShaderIn:
		if c.vars[v] = c.p.inBase + slot; arrayed(c.s.Stage) || v.PerVertex {
			c.vars[v] = stageAddress(v)
		}
	case ir.ModeShaderOut:
		if sharesOutputs(c.s.Stage) {
			c.vars[v] = stageAddress(v)
			return
		}
		if v.Index == 1 && c.s.Stage == ir.StageFragment {
			slot = uint32(ir.SlotData0+7)*16 + uint32(v.Component)*4
		}
		c.vars[v] = c.p.outBase + slot
	case ir.ModeFunctionTemp, ir.ModeShaderTemp, ir.ModeSystemValue, ir.ModeShaderCall, ir.ModeHitAttrib:
		c.vars[v] = c.p.private
		if v.Incoming {
			c.p.incoming = span{c.p.private, size}
		}
		if v.Mode == ir.ModeHitAttrib {
			c.p.attribs = span{c.p.private, size}
		}
		c.p.private += (size + 7) &^ 7
	case ir.ModeShared:
		switch {
		case c.s.Info.SharedExplicitLayout:
			c.vars[v] = 0
			c.p.shared = max(c.p.shared, size)
		case v.ExplicitLayout:
			c.vars[v] = v.DriverLocation
			c.p.shared = max(c.p.shared, v.DriverLocation+size)
		default:
			c.vars[v] = (c.p.shared + 15) &^ 15
			c.p.shared = c.vars[v] + size
		}
	case ir.ModeTaskPayload:
		c.vars[v] = v.DriverLocation
		c.p.payload = max(c.p.payload, v.DriverLocation+size)
	case ir.ModeConstant:
		if v.ExplicitLayout && v.Init == nil { // opt_large_constants
			if c.vars[v] = v.DriverLocation; uint64(v.DriverLocation)+uint64(size) > uint64(len(c.s.ConstantData)) {
				c.failf(nil, "variable %s reaches beyond the constant data", v.Name)
			}
			return
		}
		c.vars[v] = uint32(len(c.p.constMem))
		c.p.constMem = append(c.p.constMem, make([]byte, (size+7)&^7)...)
		packed.put(c.p.constMem[c.vars[v]:], v.Type, v.Init, 0, packed.component(v.Type))
	default:
		c.vars[v] = 0
	}
}

// layoutVariables places the shader's variables and the fixed regions of
// private memory.
func (c *compiler) layoutVariables() {
	p := c.p
	p.inBase = 16 // so that no variable is at 0
	p.outBase = p.inBase
	for _, v := range c.s.Variables {
		if v.Mode == ir.ModeShaderIn && !arrayed(c.s.Stage) {
			p.outBase = p.inBase + ir.NumVaryingSlots*16
		}
	}
	switch c.s.Stage {
	case ir.StageVertex, ir.StageTessEval, ir.StageGeometry:
		p.outSlots = ir.NumVaryingSlots
	case ir.StageFragment:
		p.outSlots = ir.NumResultSlots
	}
	p.private = p.outBase + p.outSlots*16
	p.shared = c.s.SharedSize
	p.payload = c.s.Info.TaskPayloadSize
	p.constMem = append(p.constMem, c.s.ConstantData...)
	p.constMem = append(p.constMem, make([]byte, -len(p.constMem)&7)...)
	for i := range p.inputAt {
		p.inputAt[i] = [4]int16{-1, -1, -1, -1}
	}
	for _, v := range c.s.Variables {
		c.place(v)
	}
}

// finishMemory places scratch after the variables and gathers initial values.
func (c *compiler) finishMemory() {
	if c.err != nil {
		return
	}
	p := c.p
	p.scratchBase = (p.private + 15) &^ 15
	if c.s.ScratchSize > maxMemory {
		c.refuse(nil, "%d bytes of scratch memory are not supported, the most is %d", c.s.ScratchSize, maxMemory)
		return
	}
	p.private = p.scratchBase + c.s.ScratchSize
	// An odd number of cache lines, so that the lanes' copies of one variable do
	// not fall on the same few sets of the cache.
	p.private = (p.private+63)&^63 | 64
	buf := c.undefMemory()
	for _, v := range c.s.Variables {
		if v.Init == nil || v.Mode != ir.ModeShaderTemp && v.Mode != ir.ModeShaderOut {
			continue
		}
		if v.Mode == ir.ModeShaderOut { // the initialiser is a store
			c.useVariable(v)
		}
		if sp, _ := c.spaceOf(v.Mode); sp == spStageOut {
			p.stageInits = append(p.stageInits, v)
			continue
		}
		l := initLayout(v)
		l.put(buf[c.vars[v]:], v.Type, v.Init, 0, l.component(v.Type))
		p.inits = append(p.inits, span{c.vars[v], min(l.size(v.Type), uint32(len(buf))-c.vars[v])})
	}
	p.init = buf
	c.initShared()
	for i := range p.code {
		if x := p.code[i].x; x != nil && x.in != nil && (x.in.IsIntrinsic(ir.IntrLoadScratch) || x.in.IsIntrinsic(ir.IntrStoreScratch)) {
			p.code[i].imm += uint64(p.scratchBase)
		}
	}
}

// initShared gathers the initial values of workgroup memory.
func (c *compiler) initShared() {
	p := c.p
	for _, v := range c.s.Variables {
		if v.Init == nil || v.Mode != ir.ModeShared {
			continue
		}
		if p.sharedInit == nil {
			p.sharedInit = make([]byte, p.shared)
		}
		l := layoutOf(v.Mode)
		n := min(l.size(v.Type), p.shared-c.vars[v])
		l.put(p.sharedInit[c.vars[v]:][:n], v.Type, v.Init, 0, l.component(v.Type))
		p.sharedInits = append(p.sharedInits, span{c.vars[v], n})
	}
}

// undefMemory returns what private memory holds before it is stored to, where
// the wave's garbage has no say.
func (c *compiler) undefMemory() []byte {
	buf := make([]byte, c.p.private)
	if c.opts.UndefPattern == 0 {
		return buf[:c.p.scratchBase]
	}
	for i := 0; i+8 <= len(buf); i += 8 {
		binary.LittleEndian.PutUint64(buf[i:], c.opts.UndefPattern)
	}
	c.p.inits = []span{{0, c.p.private}}
	return buf
}

// parent returns what is known of a deref's parent; a pointer value that is
// no deref has only its slots.
func (c *compiler) parent(in *ir.Instr) *pointer {
	d := in.Srcs[0].Def
	if d.Instr.Kind != ir.KindDeref {
		return nil
	}
	return c.f.ptrs[d.Index]
}

// ptrOf returns what is known of the pointer that source i is.
func (c *compiler) ptrOf(in *ir.Instr, i int) *pointer {
	d := in.Srcs[i].Def
	if d.Instr == nil || d.Instr.Kind != ir.KindDeref || c.f.ptrs[d.Index] == nil {
		c.failf(in, "source %d is no deref", i)
		return &pointer{t: ir.VoidType}
	}
	return c.f.ptrs[d.Index]
}

// assignDeref works out a deref and gives it its slots.
func (c *compiler) assignDeref(in *ir.Instr) []int32 {
	info := in.DerefInfo()
	var p *pointer
	switch in.Deref {
	case ir.DerefVar:
		p = c.varPointer(in, info.Var)
	case ir.DerefCast:
		p = c.castPointer(in, info)
	default:
		up := c.parent(in)
		if up == nil {
			c.failf(in, "the parent is no deref")
			return nil
		}
		q := *up
		p = &q
		c.step(in, p, up)
	}
	if p == nil || c.err != nil {
		return nil
	}
	p.t = info.Type
	c.f.ptrs[in.Def.Index] = p
	n := int(in.Def.NumComponents)
	if p.known {
		p.at = c.constant(p.off & lowBits(in.Def.BitSize))
	} else if p.at < 0 {
		p.at = c.newSlots(1)[0]
	}
	switch {
	case p.space == spBuffer && n == 2:
		return []int32{p.handle, p.at}
	case n == 1:
		return []int32{p.at}
	}
	c.refuse(in, "pointers of %d components in mode %s are not supported", n, info.Modes)
	return nil
}

func (c *compiler) varPointer(in *ir.Instr, v *ir.Variable) *pointer {
	sp, ok := c.variableSpace(v)
	if !ok || sp == spGlobal {
		c.refuse(in, "variables of mode %s are not supported", v.Mode)
		return nil
	}
	if _, placed := c.vars[v]; !placed {
		c.failf(in, "variable %s is not in the shader", v.Name)
		return nil
	}
	l := layoutOf(v.Mode)
	p := &pointer{space: sp, lay: l, comp: l.component(v.Type), known: true, off: uint64(c.vars[v]), compact: v.Compact, vertex: perVertex(sp, v)}
	switch sp {
	case spBuffer:
		if in.Def.NumComponents != 2 {
			c.failf(in, "buffer variable %s needs a pointer of 2 components", v.Name)
			return nil
		}
		p.handle = c.newSlots(1)[0]
	case spGeneric:
		p.off |= ir.GenericTag(v.Mode)
	case spOpaque: // the address is a descriptor's handle
		p.known, p.at = false, -1
	}
	c.useVariable(v)
	return p
}

func (c *compiler) castPointer(in *ir.Instr, info *ir.DerefInfo) *pointer {
	sp, ok := c.spaceOf(info.Modes)
	if !ok {
		c.refuse(in, "pointers of mode %s are not supported", info.Modes)
		return nil
	}
	l := layoutOf(info.Modes)
	s := c.src(in, 0)
	p := &pointer{space: sp, lay: l, comp: l.component(info.Type), step: info.PtrStride, at: s[0]}
	if sp == spBuffer {
		if len(s) != 2 {
			c.refuse(in, "a buffer pointer of %d components is not supported", len(s))
			return nil
		}
		p.handle, p.at = s[0], s[1]
	}
	if up := c.parent(in); up == nil && info.Type.IsArray() && (sp == spStageIn || sp == spStageOut) {
		c.refuse(in, "a pointer to an array in mode %s as a value is not supported in stage %s", info.Modes, c.s.Stage)
	} else if up != nil { // keep what is known
		p.known, p.off, p.dims, p.compact, p.vertex = up.known, up.off, up.dims, up.compact, up.vertex
		// A column's components stay apart; those of another size lie where their type says.
		if info.Type.IsVectorOrScalar() && up.t.IsVectorOrScalar() && info.Type.MemBits() == up.t.MemBits() {
			p.comp = up.comp
		}
	}
	return p
}

// step works out a deref of a part; up is the parent.
func (c *compiler) step(in *ir.Instr, p, up *pointer) {
	var stride uint32
	switch in.Deref {
	case ir.DerefStruct:
		i := in.DerefInfo().Field
		if !up.t.IsStruct() || i < 0 || i >= len(up.t.Fields) {
			c.failf(in, "no member %d", i)
			return
		}
		off := uint64(p.lay.field(up.t, i))
		p.comp = p.lay.component(up.t.Fields[i].Type)
		c.advance(p, off)
		return
	case ir.DerefPtrAsArray:
		stride = up.elementStride()
	default:
		if up.t.Child() == nil {
			c.failf(in, "indexing of a %s", up.t)
			return
		}
		stride = p.lay.stride(up.t)
		p.vertex = false
		switch {
		case p.space == spOpaque:
			stride = handles(up.t.Child())
		case up.t.IsVector():
			stride = up.comp
		case up.t.IsMatrix():
			p.comp = p.lay.columnComponent(up.t)
		default:
			p.comp = p.lay.component(up.t.Elem)
			if up.vertex {
				stride = vertexStride
			} else if p.compact {
				stride = 4
			}
		}
		p.step = stride
	}
	if in.Deref == ir.DerefArrayWildcard {
		p.dims = append(p.dims[:len(p.dims):len(p.dims)], dim{uint32(up.t.ChildCount()), stride})
		return
	}
	if k, ok := in.Srcs[1].Def.Const(0); ok {
		if n := uint64(up.t.ChildCount()); c.opts.Strict && in.Deref == ir.DerefArray && n > 0 && k >= n {
			c.failf(in, "index %d is out of bounds", int64(k))
			return
		}
		c.advance(p, uint64(int64(k)<<(64-in.Srcs[1].Def.BitSize)>>(64-in.Srcs[1].Def.BitSize))*uint64(stride))
		return
	}
	p.known, p.at = false, -1
}

// elementStride is the distance of the elements that a pointer points into.
func (p *pointer) elementStride() uint32 {
	switch {
	case p.step != 0:
		return p.step
	case p.space == spOpaque:
		return handles(p.t)
	}
	return p.lay.size(p.t)
}

// handles is the number of descriptors that an object of opaque type takes.
func handles(t *ir.Type) uint32 {
	n := uint32(1)
	for ; t.IsArray(); t = t.Elem {
		n *= max(1, t.Len)
	}
	return n
}

// advance moves a pointer by a constant.
func (c *compiler) advance(p *pointer, off uint64) {
	p.off += off
	if !p.known && off != 0 {
		p.at = -1
	}
}

// deref emits what a deref computes at run time.
func (c *compiler) deref(in *ir.Instr) {
	p := c.f.ptrs[in.Def.Index]
	if in.Deref == ir.DerefVar && p.space == spBuffer {
		v := in.DerefInfo().Var
		c.emit(inst{op: opResource, n: 1, dst: p.handle, a: c.constant(0), imm: uint64(v.Set)<<32 | uint64(v.Binding), x: &extra{in: in}})
		return
	}
	if in.Deref == ir.DerefVar && p.space == spOpaque {
		v := in.DerefInfo().Var
		c.emit(inst{op: opResource, n: 1, dst: p.at, a: c.constant(0), imm: c.binding(v), x: &extra{in: in, space: spOpaque}})
		return
	}
	if p.known || in.Deref == ir.DerefVar || in.Deref == ir.DerefCast || p.at == c.addressOf(in) {
		return
	}
	bits := in.Def.BitSize
	var x *extra
	if p.space == spBuffer {
		x = &extra{in: in, space: spBuffer}
	}
	up := c.addressOf(in)
	switch in.Deref {
	case ir.DerefStruct:
		par := c.parent(in)
		c.emit(inst{op: opPointer, bits: bits, dst: p.at, a: up, b: -1, imm: uint64(p.lay.field(par.t, in.DerefInfo().Field)), x: x})
	case ir.DerefArray, ir.DerefPtrAsArray:
		par := c.parent(in)
		stride := p.step
		if in.Deref == ir.DerefPtrAsArray {
			stride = par.elementStride()
		}
		if k, ok := in.Srcs[1].Def.Const(0); ok {
			sh := 64 - in.Srcs[1].Def.BitSize
			c.emit(inst{op: opPointer, bits: bits, dst: p.at, a: up, b: -1, imm: uint64(int64(k)<<sh>>sh) * uint64(stride), x: x})
			return
		}
		c.bounds(in, par)
		c.emit(inst{op: opPointer, n: in.Srcs[1].Def.BitSize, bits: bits, dst: p.at, a: up, b: c.src(in, 1)[0], imm: uint64(stride), x: x})
	}
}

// bounds emits what tests the index of a strict program into an array.
func (c *compiler) bounds(in *ir.Instr, par *pointer) {
	if !c.opts.Strict || in.Deref != ir.DerefArray {
		return
	}
	i := inst{op: opBounds, n: in.Srcs[1].Def.BitSize, a: c.src(in, 1)[0], imm: uint64(par.t.ChildCount()), x: &extra{in: in}}
	if i.imm == 0 { // no size of its own
		up := in.Srcs[0].Def.Instr
		if par.space != spOpaque || up.Kind != ir.KindDeref || up.Deref != ir.DerefVar {
			return
		}
		v := up.DerefInfo().Var
		i.imm, i.x.space = c.binding(v), spOpaque
	}
	c.emit(i)
}

// addressOf is the slot of the parent's address.
func (c *compiler) addressOf(in *ir.Instr) int32 {
	if up := c.parent(in); up != nil {
		return up.at
	}
	s := c.src(in, 0)
	return s[len(s)-1]
}

// leaves returns the leaves of what a pointer points to.
func (p *pointer) leaves() []leaf {
	if !p.vertex {
		return p.leavesOf(p.t, 0, p.comp, nil)
	}
	var list []leaf
	for i := range p.t.Len {
		list = p.leavesOf(p.t.Elem, i*vertexStride, p.lay.component(p.t.Elem), list)
	}
	return list
}

// leavesOf appends the leaves of what stands at an offset: elements of a compact array are words after each other.
func (p *pointer) leavesOf(t *ir.Type, off, comp uint32, list []leaf) []leaf {
	if !p.compact || !t.IsArray() {
		return p.lay.leaves(t, off, comp, list)
	}
	for i := range t.Len {
		list = p.lay.leaves(t.Elem, off+4*i, comp, list)
	}
	return list
}

// copyDeref emits the copy of a whole object.
func (c *compiler) copyDeref(in *ir.Instr) {
	d, s := c.ptrOf(in, 0), c.ptrOf(in, 1)
	if c.err != nil {
		return
	}
	if len(d.dims) != len(s.dims) {
		c.failf(in, "the sides have %d and %d wildcards", len(d.dims), len(s.dims))
		return
	}
	dl, sl := d.leaves(), s.leaves()
	if len(dl) != len(sl) {
		c.failf(in, "the sides have %d and %d vectors", len(dl), len(sl))
		return
	}
	var runs []run
	add := func(r run) {
		if n := len(runs); n > 0 && runs[n-1].dst+runs[n-1].n == r.dst && runs[n-1].src+runs[n-1].n == r.src {
			runs[n-1].n += r.n
			return
		}
		runs = append(runs, r)
	}
	var walk func(k int, dOff, sOff uint32)
	walk = func(k int, dOff, sOff uint32) {
		if k < len(d.dims) {
			for i := range min(d.dims[k].n, s.dims[k].n) {
				walk(k+1, dOff+i*d.dims[k].stride, sOff+i*s.dims[k].stride)
			}
			return
		}
		for i := range dl {
			n := uint32(dl[i].t.MemBits() / 8)
			for k := range uint32(min(dl[i].t.Rows, sl[i].t.Rows)) {
				add(run{dOff + dl[i].off + k*dl[i].comp, sOff + sl[i].off + k*sl[i].comp, n})
			}
		}
	}
	walk(0, 0, 0)
	c.emit(inst{op: opCopyMem, x: &extra{in: in, runs: runs, space: d.space, helper: d.space >= spBuffer,
		src: [][]int32{{d.handle, d.at}, {s.handle, s.at}}, from: s.space}})
}

// memcpyDeref emits the copy of bytes.
func (c *compiler) memcpyDeref(in *ir.Instr) {
	d, s := c.ptrOf(in, 0), c.ptrOf(in, 1)
	if c.err != nil {
		return
	}
	x := &extra{in: in, space: d.space, helper: d.space >= spBuffer, src: [][]int32{{d.handle, d.at}, {s.handle, s.at}}, from: s.space}
	if n, ok := in.Srcs[2].Def.Const(0); ok && n <= maxMemory {
		x.runs = []run{{n: uint32(n)}}
	} else {
		x.src = append(x.src, c.src(in, 2))
	}
	c.emit(inst{op: opCopyMem, x: x})
}

// binding is the place of an image or sampler; an argument of a kernel has the one that lower_cl_images is to give it.
func (c *compiler) binding(v *ir.Variable) uint64 {
	set, binding := v.Set, v.Binding
	if !v.HasBinding && c.s.Info.Kernel {
		set, binding = c.s.ArgumentBinding(v, true)
	}
	return uint64(set)<<32 | uint64(binding)
}
