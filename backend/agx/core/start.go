package core

import (
	"errors"
	"fmt"
	"math"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// start plays the driver: uniforms, the preamble, preloaded registers.
func (w *wave) start() error {
	l, m := w.l, w.p.meta
	short := l.Env == nil
	switch m.Stage {
	case ir.StageVertex:
		short = short || len(l.Vertex) < w.n || len(l.Out) < w.n
	case ir.StageFragment:
		short = short || len(l.Fragment) < w.n || len(l.Out) < w.n
	case ir.StageCompute:
		short = short || l.Compute == nil || len(l.Compute.LocalID) < w.n
	}
	if short {
		return fmt.Errorf("the launch lacks the lanes of stage %s", m.Stage)
	}
	l.Live = emu.Mask{}
	if w.n == 0 {
		if !w.p.RunsEarly() {
			w.done = true
			return nil
		}
		w.empty, w.n, w.all = true, 1, 1
	}
	if w.check != nil && m.Stage == ir.StageCompute {
		if err := w.p.checkResident(); err != nil {
			return err
		}
	}
	w.watchRaces()
	w.clearRegs()
	w.clearUniforms()
	if m.Stage == ir.StageFragment {
		if err := w.startFragment(); err != nil {
			return err
		}
	}
	for i := range m.Uniforms {
		if err := w.fillUniform(&m.Uniforms[i]); err != nil {
			return err
		}
	}
	if m.HasPreamble {
		w.preamble, w.at, w.exec = true, w.p.preamble, 1
		return nil
	}
	w.at, w.exec = w.p.entry, w.all
	return w.startRegs()
}

// startRegs sets what the main program finds in registers.
func (w *wave) startRegs() error {
	l, m := w.l, w.p.meta
	switch m.Stage {
	case ir.StageVertex:
		w.poisonOutputs()
		w.startRecord()
		if w.grid != nil && m.Part == abi.PartLinked {
			return nil // the prolog makes them
		}
		for lane := 0; lane < w.n; lane++ {
			w.set(abi.VertexIDReg, 32, lane, l.Vertex[lane].VertexIndex)
			w.set(abi.InstanceIDReg, 32, lane, l.Vertex[lane].InstanceIndex-l.Vertex[lane].BaseInstance)
			if w.grid != nil {
				w.set(abi.GridVertexReg, 32, lane, w.grid.first+uint32(lane))
			}
		}
		for i := range m.Attribs {
			w.startAttrib(&m.Attribs[i])
		}
	case ir.StageFragment:
		if m.PerSample {
			for lane := 0; lane < w.n; lane++ {
				w.set(abi.SampleMaskReg, 16, lane, w.shaded(lane))
			}
		}
	}
	return nil
}

func (w *wave) startAttrib(a *abi.Attrib) {
	for lane := 0; lane < w.n && lane < len(w.l.Inputs); lane++ {
		slots := w.l.Inputs[lane]
		if int(a.Slot) >= len(slots) {
			continue
		}
		for k := 0; k < 4; k++ {
			if a.Mask>>k&1 != 0 {
				w.set(a.Reg+2*k, 32, lane, slots[a.Slot][k])
			}
		}
	}
}

// bufferUniform fills in what a uniform has of a bound buffer. What lies beyond its end stays garbage unless the
// program asked for robust uniform buffers.
func (w *wave) bufferUniform(u *abi.Uniform, to []uint32) {
	d := w.l.Env.Bindings.Lookup(u.Set, u.Binding, u.Element)
	switch u.Kind {
	case abi.UniformBufferAddr:
		to[0], to[1] = uint32(d.Addr), uint32(d.Addr>>32)
	case abi.UniformBufferSize:
		to[0] = uint32(min(d.Size, math.MaxUint32))
	default:
		for i := range to[:u.Size/4] {
			beyond := to[i]
			if w.p.meta.Robust.Uniform != ir.RobustOff {
				beyond = 0
			}
			to[i] = w.l.Env.Mem.LoadWithin(d.Addr, d.Size, uint64(u.Offset)+uint64(4*i), 4, beyond)
		}
	}
}

// fillUniform fills one range of uniform registers.
func (w *wave) fillUniform(u *abi.Uniform) error {
	env := w.l.Env
	to := w.unis[u.Half/2:]
	if w.driver.fill(u.Kind, to) {
		return nil
	}
	addr := func(a uint64) { to[0], to[1] = uint32(a), uint32(a>>32) }
	switch u.Kind {
	case abi.UniformWords:
		copy(to, u.Words)
	case abi.UniformPush:
		for i := range to[:u.Size/4] {
			to[i] = word32(env.Push, uint64(u.Offset)+uint64(4*i))
		}
	case abi.UniformBufferData, abi.UniformBufferAddr, abi.UniformBufferSize:
		w.bufferUniform(u, to)
	case abi.UniformTable:
		addr(abi.TableAddr)
	case abi.UniformHeap:
		addr(abi.HeapAddr)
	case abi.UniformConstData:
		addr(abi.ConstDataAddr)
	case abi.UniformPushAddr:
		addr(abi.PushAddr)
	case abi.UniformSamplerBias:
		b := samplerBias(env.Bindings.Lookup(u.Set, u.Binding, u.Element).Sampler)
		to[0], to[1] = b[0], b[1]
	case abi.UniformSamplerBiases:
		addr(abi.BiasAddr)
	case abi.UniformViewIndex:
		return w.viewIndex(to)
	case abi.UniformSamplePositions:
		w.samplePositions(to[:u.Size/4])
	case abi.UniformAttribAddr, abi.UniformAttribClamp:
		f := w.fetchOf(u.Element)
		if u.Kind == abi.UniformAttribClamp {
			to[0] = f.clamp
		} else if f.data != nil {
			addr(attribAddr(u.Element))
		}
	case abi.UniformBlendConst:
		if w.l.Draw == nil {
			return errNoDraw
		}
		for i, v := range w.l.Draw.Blend.Constants {
			to[i] = fbits(v)
		}
	case abi.UniformNumWorkgroups, abi.UniformBaseWorkgroup, abi.UniformNumSubgroups:
		return w.dispatchUniform(u.Kind, to)
	default:
		if !w.varyingUniform(u, to) {
			return w.drawUniform(u.Kind, to)
		}
	}
	return nil
}

// dispatchUniform fills a uniform that tells of the whole dispatch.
func (w *wave) dispatchUniform(k abi.UniformKind, to []uint32) error {
	c := w.l.Compute
	if c == nil {
		return fmt.Errorf("uniform %s does not exist in stage %s", k, w.p.meta.Stage)
	}
	switch k {
	case abi.UniformNumWorkgroups:
		copy(to, c.NumWorkgroups[:])
	case abi.UniformBaseWorkgroup:
		copy(to, c.BaseWorkgroupID[:])
	default:
		to[0] = c.NumSubgroups
	}
	return nil
}

// word32 reads a word of b, zero beyond its end.
func word32(b []byte, at uint64) uint32 {
	var t [4]byte
	if at < uint64(len(b)) {
		copy(t[:], b[at:])
	}
	return uint32(emu.LoadBytes(t[:], 4))
}

// drawUniform is a value that the lanes of a draw share.
func (w *wave) drawUniform(k abi.UniformKind, to []uint32) error {
	if w.p.meta.Stage != ir.StageVertex {
		return fmt.Errorf("uniform %s does not exist in stage %s", k, w.p.meta.Stage)
	}
	v := &w.l.Vertex[0]
	if w.grid != nil && w.grid.fill(k, to) {
		return nil
	}
	switch k {
	case abi.UniformBaseVertex:
		to[0] = v.BaseVertex
	case abi.UniformBaseInstance:
		to[0] = v.BaseInstance
	case abi.UniformDrawID:
		to[0] = v.DrawIndex
	}
	return nil
}

// primitive is the first that the SIMD-group shades, nil if its lanes have none.
func (w *wave) primitive() *emu.Primitive {
	for lane := range w.l.Fragment[:w.n] {
		if p := w.l.Fragment[lane].Prim; p != nil {
			return p
		}
	}
	return nil
}

func (w *wave) viewIndex(to []uint32) error {
	switch w.p.meta.Stage {
	case ir.StageVertex:
		to[0] = w.l.Vertex[0].ViewIndex
	case ir.StageFragment:
		first := w.primitive()
		if first == nil {
			return nil
		}
		to[0] = first.ViewIndex
		for lane := range w.l.Fragment[:w.n] {
			if p := w.l.Fragment[lane].Prim; p != nil && p.ViewIndex != to[0] {
				return fmt.Errorf("a SIMD-group that shades two views at once is not supported")
			}
		}
	}
	return nil
}

func (w *wave) samplePositions(to []uint32) {
	if w.p.meta.Stage != ir.StageFragment {
		return
	}
	p := w.primitive()
	for i := 0; i+1 < len(to); i += 2 {
		x, y := float32(0.5), float32(0.5)
		if p != nil && p.SamplePos != nil && i/2 < max(1, p.Samples) {
			x, y = p.SamplePos(i / 2)
		}
		to[i], to[i+1] = fbits(x), fbits(y)
	}
}

// execGetSR reads a special register.
func execGetSR(w *wave, x *inst) error {
	for lane := range w.res {
		if w.exec>>lane&1 == 0 {
			continue
		}
		v, ok := w.special(int(x.Srcs[0].Val), lane)
		if !ok {
			return fmt.Errorf("special register %d is not supported in stage %s", x.Srcs[0].Val, w.p.meta.Stage)
		}
		w.res[lane] = v
	}
	w.put(x.d, &w.res)
	return nil
}

// Special register numbers (agx.md §1.2).
const (
	srWorkgroupID    = 0
	srWorkgroupSize  = 4
	srDispatchSize   = 8
	srSamplesLog2    = 14
	srLocalID        = 48
	srLocalIndex     = 51
	srLane           = 52
	srGroup          = 53
	srQuadRank       = 56
	srQuadCount      = 57
	srRank           = 58
	srCount          = 59
	srCoverage       = 60
	srBackFacing     = 62
	srReal           = 63
	srGlobalID       = 80
	srInputCoverage  = 124
	srThirdWorkgroup = 2 // the layer in fragment shaders
)

// special is the value of a special register in a lane.
func (w *wave) special(sr, lane int) (uint32, bool) {
	quad := w.exec >> (lane &^ 3) & 15
	switch sr {
	case srLane:
		return uint32(lane), true
	case srQuadRank:
		return popcount(quad & (1<<(lane&3) - 1)), true
	case srQuadCount:
		return popcount(quad), true
	case srRank:
		return popcount(w.exec & (1<<lane - 1)), true
	case srCount:
		return popcount(w.exec), true
	}
	switch w.p.meta.Stage {
	case ir.StageVertex:
		if w.grid != nil {
			return w.grid.special(sr, lane)
		}
	case ir.StageCompute:
		return w.computeSR(sr, lane)
	case ir.StageFragment:
		return w.fragmentSR(sr, lane)
	}
	return 0, false
}

func (w *wave) computeSR(sr, lane int) (uint32, bool) {
	c, size := w.l.Compute, w.p.meta.WorkgroupSize
	switch {
	case sr >= srWorkgroupID && sr < srWorkgroupID+3:
		return c.WorkgroupID[sr-srWorkgroupID], true
	case sr >= srWorkgroupSize && sr < srWorkgroupSize+3:
		return size[sr-srWorkgroupSize], true
	case sr >= srDispatchSize && sr < srDispatchSize+3:
		return size[sr-srDispatchSize], true
	case sr >= srLocalID && sr < srLocalID+3:
		return c.LocalID[lane][sr-srLocalID], true
	case sr == srLocalIndex:
		return c.FirstLocalInvocationIndex + uint32(lane), true
	case sr == srGroup:
		return c.SubgroupID, true
	case sr >= srGlobalID && sr < srGlobalID+3:
		k := sr - srGlobalID
		return c.WorkgroupID[k]*size[k] + c.LocalID[lane][k], true
	}
	return 0, false
}

// checkForm finds what the hardware has an encoding for but does not do as asked, or not
// at all.
func (p *program) checkForm(x *inst) error {
	for i := range x.Srcs {
		// Uniform pairs start anywhere: the input assembly pointer's at half 6n+8.
		if o := &x.Srcs[i]; o.Kind == isa.Reg && o.Size == 64 && o.Val&3 != 0 && x.chk.traits&isa.TraitAsync != 0 {
			return fmt.Errorf("the 64-bit base at half %d is no aligned pair", o.Val)
		}
	}
	switch x.Op {
	case isa.OpTextureSample, isa.OpTextureLoad, isa.OpImageWrite:
		switch {
		case x.Dim == isa.Dim1D || x.Dim == isa.Dim1DArray:
			return errors.New("hardware has no mip levels of one-dimensional textures: they are two-dimensional ones of height 1")
		case (x.Dim == isa.DimCube || x.Dim == isa.DimCubeArray) && (x.Lod == isa.LodGrad || x.Lod == isa.LodGradMin):
			return errors.New("hardware takes no derivatives of cube coordinates")
		case x.takesDerivatives() && p.meta.Stage != ir.StageFragment:
			return errors.New("no fact says which level a lookup takes of itself outside of fragment shaders")
		}
		if x.Op == isa.OpTextureLoad && !p.meta.Fetches {
			return errors.New("a fetch takes sampler state 0, which the metadata does not ask for")
		}
		if err := checkTexHalves(x); err != nil {
			return err
		}
		if mode, _ := x.Field(isa.TexResidency); mode == 2 && (x.Mask != 15 || int(x.Dst.Val)+8*int(x.Dst.Size)/16 > 2*numRegs) {
			return errors.New("a residency code needs the mask xyzw, and eight registers")
		}
	case isa.OpBitop:
		if x.Table == 0xc || x.Table == 3 {
			return fmt.Errorf("hardware takes the other source for truth table %04b", x.Table)
		}
	case isa.OpIcmpBallot, isa.OpFcmpBallot, isa.OpIcmpQuadBallot, isa.OpFcmpQuadBallot:
		if x.Srcs[0].Kind == isa.Uniform || x.Srcs[1].Kind == isa.Uniform {
			return errors.New("nobody knows whether ballots read uniforms")
		}
	case isa.OpThreadgroupAtomic:
		if x.Srcs[0].Kind == isa.Uniform {
			return errors.New("nobody knows whether atomics of workgroup memory read uniforms")
		}
	case isa.OpDeviceLoad, isa.OpDeviceStore, isa.OpAtomic:
		for i := range x.Srcs {
			if o := &x.Srcs[i]; o.Kind == isa.Imm && o.Val < 0 {
				return fmt.Errorf("nobody knows whether an index is %d or %d", o.Val, uint16(o.Val))
			}
		}
	case isa.OpIadd, isa.OpImadd:
		if x.Shift > 4 {
			return fmt.Errorf("shifts of addends by %d give 0, the most is 4", x.Shift)
		}
	case isa.OpStackAdjust:
		if p.inPreamble(x.pc) && p.meta.PreambleHalves < 2*numRegs {
			return fmt.Errorf("a preamble with a stack has %d halves, the meta says %d", 2*numRegs, p.meta.PreambleHalves)
		}
	}
	return nil
}

// checkTexHalves finds operands of 16 bits of a texture instruction that nobody has in the upper half of a register, and
// levels of gathers.
func checkTexHalves(x *inst) error {
	switch {
	case x.Gather>>1 != 0 && x.Lod != isa.LodAuto:
		return errors.New("a gather takes the base level by itself: it names none")
	case x.Srcs[5].Kind == isa.Reg && x.Srcs[5].Val&1 != 0:
		return errors.New("texel offsets begin in the middle of a register")
	case x.Lod == isa.LodBiasMin && x.Srcs[4].Val&1 != 0:
		return errors.New("a bias and its bound begin in the middle of a register")
	}
	return nil
}

// RunsEarly reports whether there is a preamble: nobody knows whether hardware runs it where there are no workgroups, or where a draw shades nothing (agx.md §11.1).
func (p *program) RunsEarly() bool { return p.meta.HasPreamble }

// inPreamble reports whether the code at pc is the preamble's.
func (p *program) inPreamble(pc int) bool {
	return p.meta.HasPreamble && (p.meta.Preamble > p.meta.Entry) == (pc >= int(max(p.meta.Preamble, p.meta.Entry)))
}

// checkResident finds a workgroup that a core's registers do not hold as a whole
// (agx.md §1.3).
func (p *program) checkResident() error {
	const file, grain, most = 212992, 64, 1024 // bytes; threads
	z := p.meta.WorkgroupSize
	threads, halves := int(z[0])*int(z[1])*int(z[2]), max(p.meta.Halves, 1)
	if room := min(file/(2*halves)/grain*grain, most); threads > room {
		return fmt.Errorf("a workgroup of %d threads of %d halves is larger than a core, which holds %d", threads, halves, room)
	}
	return nil
}

// checkLimits finds registers beyond what the meta declares.
func (p *program) checkLimits(x *inst) error {
	halves := p.meta.Halves
	if p.inPreamble(x.pc) {
		halves = p.meta.PreambleHalves
	}
	for i := -1; i < len(x.Srcs); i++ {
		o := &x.Dst
		if i >= 0 {
			o = &x.Srcs[i]
		}
		end := int(o.Val) + o.Halves()
		switch {
		case o.Kind == isa.Reg && end > halves:
			return fmt.Errorf("register half %d is used, but the meta says %d halves", end-1, halves)
		case o.Kind == isa.Uniform && end > p.meta.UniformHalves:
			return fmt.Errorf("uniform half %d is read, but the meta says %d halves", end-1, p.meta.UniformHalves)
		}
	}
	return nil
}
