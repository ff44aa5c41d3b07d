package agx

import (
	"math"
	"math/bits"
	"slices"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// samplesOf is the number of samples of a pixel.
func samplesOf(k *backend.FragmentKey) (int, error) {
	switch n := max(1, k.Samples); n {
	case 1, 2, 4:
		return n, nil
	default:
		return 0, ir.Unsupportedf("agx: %d samples a pixel are not supported", n)
	}
}

// FragmentProlog compiles the prolog, which kills the samples that the pipeline's
// sample mask leaves out, and all of culled primitives.
func (t Target) FragmentProlog(gpu string, main *abi.Meta, key *backend.FragmentKey) (*Binary, error) {
	if key.CullDistances < 0 || key.CullDistances > 8 {
		return nil, ir.Unsupportedf("agx: %d cull distances are not supported", key.CullDistances)
	}
	s, b := newPart(ir.StageFragment, "fragment_prolog")
	if key.SampleMask != nil {
		killed := b.ImmInt(int64(^*key.SampleMask&samplesAll), 16)
		b.Effect(ir.IntrSampleMaskAgx, killed, b.ImmInt(0, 16))
	}
	o := CompileOptions{GPU: gpu, Job: t.job(), Part: abi.PartProlog}
	if key.CullDistances > 0 {
		if main.EarlyFragmentTests {
			return nil, ir.Unsupportedf("agx: %s", errEarlyCull)
		}
		killed := b.Bcsel(culled(b, key.CullDistances), b.ImmInt(samplesAll, 16), b.ImmInt(0, 16))
		b.Effect(ir.IntrSampleMaskAgx, killed, b.ImmInt(0, 16))
		for _, c := range main.Coefs {
			o.FirstCoef = max(o.FirstCoef, c.CF+int(c.Count))
		}
	}
	return compilePart(s, o)
}

// epilog builds the epilog of a fragment shader.
type epilog struct {
	b     *ir.Builder
	key   *backend.FragmentKey
	main  *abi.Meta
	tile  []abi.TileTarget
	alive *ir.Def // samples that the invocation shades; nil: all
	all   int     // samples of a pixel
	// Results of the main part.
	color          [8][4]*ir.Def
	src1           [4]*ir.Def
	depth, stencil *ir.Def
	mask           *ir.Def
	// write, if not nil, has the samples whose colours are stored.
	write *ir.Def
	// translucent: something stays as older fragments left it.
	translucent bool
}

// FragmentEpilog compiles the epilog of a main part: coverage, depth and
// stencil, blending and the stores to the tile, in this order
// (agx.md §11.4).
func (t Target) FragmentEpilog(gpu string, main *abi.Meta, key *backend.FragmentKey) (*Binary, error) {
	s, b := newPart(ir.StageFragment, "fragment_epilog")
	all, err := samplesOf(key)
	if err != nil {
		return nil, err
	}
	e := &epilog{b: b, key: key, main: main, all: all}
	layout, err := e.targets()
	if err != nil {
		return nil, err
	}
	if err := e.imports(); err != nil {
		return nil, err
	}
	e.coverage()
	for i := range e.tile {
		if err := e.target(&e.tile[i]); err != nil {
			return nil, err
		}
	}
	if e.alive != nil {
		exported(b, abi.SampleMaskReg, e.alive)
	}
	o := CompileOptions{GPU: gpu, Job: t.job(), Part: abi.PartEpilog, Tile: e.tile, TileLayout: layout, Samples: e.all, Translucent: e.translucent && !faults.has(faultTranslucent)}
	for _, c := range main.Coefs {
		if c.Source == abi.CoefZ {
			o.FirstCoef = c.CF // the only one that it may want
		}
	}
	return compilePart(s, o)
}

// targets lays out the tile; targets that the shader does not write stay as they are.
func (e *epilog) targets() (*abi.TileLayout, error) {
	all, bytes, err := placeTargets(e.key.Targets)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if slices.ContainsFunc(e.main.Results, func(r abi.Result) bool { return r.Slot == t.Slot && r.Index == 0 }) {
			e.tile = append(e.tile, t)
		} else {
			e.translucent = true
		}
	}
	return tileLayout(bytes, e.all)
}

// imports reads what the main part left in registers.
func (e *epilog) imports() error {
	if e.main.PerSample {
		e.alive = imported(e.b, abi.SampleMaskReg, 16)
	}
	for i := range e.main.Results {
		r := &e.main.Results[i]
		switch r.Slot {
		case ir.SlotDepth:
			e.depth = imported(e.b, r.Reg, 32)
			continue
		case ir.SlotStencil:
			e.stencil = imported(e.b, r.Reg, 16)
			continue
		case ir.SlotSampleMask:
			e.mask = imported(e.b, r.Reg, 16)
			continue
		}
		n := int(r.Slot - ir.SlotData0)
		if r.Slot < ir.SlotData0 || n >= len(e.color) {
			return ir.Unsupportedf("agx: fragment result slot %d is not supported", r.Slot)
		}
		to := &e.color[n]
		if r.Index == 1 {
			to = &e.src1
		}
		for c := range to {
			if r.Mask>>c&1 != 0 {
				to[c] = e.component(r, n, c)
			}
		}
	}
	return nil
}

// component reads a component of a colour and widens it to 32 bits.
func (e *epilog) component(r *abi.Result, target, c int) *ir.Def {
	b := e.b
	if target == 0 && c == 3 && r.Index == 0 && e.main.AlphaOne {
		return b.Imm32(abi.One)
	}
	if r.Bits != 16 {
		return imported(b, r.Reg+2*c, 32)
	}
	x := imported(b, r.Reg+c, 16)
	f := e.format(target)
	switch {
	case f == nil || !f.IsInteger():
		return b.F2f32(x)
	case f.IsSigned():
		return b.I2i32(x)
	}
	return b.U2u32(x)
}

// format is the image format of a target, nil if it has none.
func (e *epilog) format(target int) *emu.Format {
	if target >= len(e.key.Targets) {
		return nil
	}
	return emu.FormatByName(e.key.Targets[target].Format)
}

// samplesOr is the mask of the samples that the invocation shades.
func (e *epilog) samplesOr(all uint32) *ir.Def {
	if e.alive != nil {
		return e.alive
	}
	return e.b.ImmInt(int64(all), 16)
}

// target blends and stores the colour of a target.
func (e *epilog) target(t *abi.TileTarget) error {
	n := int(t.Slot - ir.SlotData0)
	k, f := &e.key.Targets[n], e.format(n)
	mask := t.Mask & k.Blend.WriteMask
	logic := e.key.LogicEnable && !f.IsFloat() && !f.IsSrgb()
	blends := k.Blend.Enable && !e.key.LogicEnable
	if blends && f.IsInteger() {
		return ir.Unsupportedf("agx: blending into integer format %s is not supported", f.Name)
	}
	e.translucent = e.translucent || mask != t.Mask || e.write != nil
	if mask == 0 {
		return nil
	}
	c := e.color[n]
	for i := range c {
		if c[i] == nil {
			c[i] = e.b.Imm32(0)
		}
	}
	if e.key.AlphaToOne && !f.IsInteger() {
		c[3] = e.b.ImmFloat(1, 32)
		e.src1[3] = c[3]
	}
	if !blends && !logic && (mask == t.Mask || faults.has(faultMaskedStore) && !t.Format.Packed()) {
		e.store(t, f, mask, e.samplesOr(samplesAll), c)
		return nil
	}
	// Samples differ in what is stored already. What the mask keeps is stored again: stores of some components
	// made tests of the reference fail now and then (agx_nir_prolog_epilog.c of Mesa 25.0), which has none.
	if e.alive != nil {
		e.store(t, f, t.Mask, e.alive, e.merge(t, k, f, mask, e.alive, c))
		return nil
	}
	for s := range e.all {
		m := e.b.ImmInt(1<<s, 16)
		e.store(t, f, t.Mask, m, e.merge(t, k, f, mask, m, c))
	}
	return nil
}

// merge combines a colour with what one sample holds.
func (e *epilog) merge(t *abi.TileTarget, k *backend.TargetKey, f *emu.Format, mask uint8, sample *ir.Def, c [4]*ir.Def) [4]*ir.Def {
	dst := tileColor(e.b, t, f, sample)
	switch {
	case e.key.LogicEnable && !f.IsFloat() && !f.IsSrgb():
		c = e.logic(f, c, dst)
	case k.Blend.Enable && !e.key.LogicEnable:
		c = e.blend(&k.Blend, f, c, dst)
	}
	for i := range c {
		if mask>>i&1 == 0 {
			c[i] = dst[i]
		}
	}
	return c
}

// tileColor reads a sample's colour from the tile; components that there are not are 0 and alpha 1.
func tileColor(b *ir.Builder, t *abi.TileTarget, f *emu.Format, sample *ir.Def) (v [4]*ir.Def) {
	v = [4]*ir.Def{b.Imm32(0), b.Imm32(0), b.Imm32(0), b.ImmFloat(1, 32)}
	if f.IsInteger() {
		v[3] = b.Imm32(1)
	}
	n, size, format := bits.Len8(t.Mask), uint8(32), t.Format // no target lacks a component before its last
	if format == isa.FormatF16 {
		size, format = 16, isa.FormatI16 // their bits, as no compiler loads f16 (agx.md §9.3)
	}
	d := &b.Intrinsic(ir.IntrLoadLocalPixelAgx, uint8(n), size, sample).Set(ir.IdxBase, uint64(t.Offset)).Set(ir.IdxFormat, uint64(format)).Def
	for c := range n {
		if v[c] = b.Channel(d, c); size == 16 {
			v[c] = b.F2f32(v[c])
		}
		if t.Signed && t.Format != isa.FormatI32 {
			sh := b.Imm32(32 - 8*uint32(t.Format.Size()))
			v[c] = b.Ishr(b.Ishl(v[c], sh), sh)
		}
	}
	return v
}

// store writes components to samples of the tile.
func (e *epilog) store(t *abi.TileTarget, f *emu.Format, mask uint8, samples *ir.Def, c [4]*ir.Def) {
	b := e.b
	if e.write != nil {
		samples = b.Iand(samples, e.write)
	}
	for i := range c {
		if f.IsInteger() {
			c[i] = e.clampInt(f, i, c[i])
		} else {
			c[i] = e.clampFloat(f, c[i])
		}
	}
	if (t.Format == isa.FormatI8 || t.Format == isa.FormatI16) && !faults.has(faultTileWords) {
		for i := range c {
			c[i] = b.U2u16(c[i])
		}
	}
	b.Effect(ir.IntrStoreLocalPixelAgx, b.Vec(c[0], c[1], c[2], c[3]), samples, b.Const(16, 0, 0)).
		Set(ir.IdxBase, uint64(t.Offset)).Set(ir.IdxFormat, uint64(t.Format)).Set(ir.IdxWriteMask, uint64(mask))
}

// channel is the channel of a component, nil if the format has none.
func channel(f *emu.Format, comp int) *emu.Channel {
	for i := range f.Channels {
		if c := &f.Channels[i]; c.Kind != emu.KindNone && int(c.Comp) == comp {
			return c
		}
	}
	return nil
}

// clampInt limits an integer to the range of a component, which the tile's
// store would cut off.
func (e *epilog) clampInt(f *emu.Format, comp int, x *ir.Def) *ir.Def {
	c := channel(f, comp)
	if c == nil || c.Width == 32 {
		return x
	}
	if c.Kind == emu.KindSint {
		top := int64(1)<<(c.Width-1) - 1
		return e.b.Imax(e.b.Imin(x, e.b.ImmInt(top, 32)), e.b.ImmInt(-top-1, 32))
	}
	return e.b.Umin(x, e.b.Imm32(1<<c.Width-1))
}

// clampFloat limits a colour to the range of its format, if that has one.
func (e *epilog) clampFloat(f *emu.Format, x *ir.Def) *ir.Def {
	if lo, ok := lowest(f); ok {
		return e.b.Fmin(e.b.Fmax(x, e.b.ImmFloat(lo, 32)), e.b.ImmFloat(1, 32))
	}
	return x
}

// lowest is the least colour of a normalised format.
func lowest(f *emu.Format) (float64, bool) {
	if len(f.Channels) > 0 {
		switch f.Channels[0].Kind {
		case emu.KindUnorm, emu.KindSrgb:
			return 0, true
		case emu.KindSnorm:
			return -1, true
		}
	}
	return math.Inf(-1), false
}

// coverage kills samples and has those that live tested, if any part before
// left that to the epilog.
func (e *epilog) coverage() {
	if e.main.EarlyFragmentTests {
		e.maskColors()
		return
	}
	b := e.b
	kills := e.main.UsesDiscard || e.key.NeedsProlog()
	kill := func(d *ir.Def) {
		if e.alive != nil {
			d = b.Iand(d, e.alive)
		}
		b.Effect(ir.IntrSampleMaskAgx, d, b.ImmInt(0, 16))
		kills = true
	}
	all := b.ImmInt(int64(uint32(1)<<e.all-1), 16)
	if e.mask != nil {
		kill(b.Iand(b.Inot(e.mask), all))
	}
	if covered := e.alphaCoverage(); covered != nil {
		kill(b.Iand(b.Inot(covered), all))
	}
	switch {
	case e.key.DepthNever && e.main.WritesMemory && !faults.has(faultNeverDepth):
		// Hardware skips the program where no depth can pass, except for one that is no number.
		e.storeZS(e.samplesOr(samplesAll), b.ImmFloat(math.NaN(), 32))
	case e.main.KeepDepth && e.all > 1 && !faults.has(faultKeptDepth):
		for s := range e.all {
			e.storeZS(b.ImmInt(1<<s, 16), e.ownDepth(s))
		}
	case e.main.KeepDepth:
		e.storeZS(e.samplesOr(samplesAll), e.ownDepth(-1))
	case e.depth != nil || e.stencil != nil:
		e.storeZS(e.samplesOr(samplesAll), e.depth)
	case kills:
		m := e.samplesOr(samplesAll)
		b.Effect(ir.IntrSampleMaskAgx, m, b.ImmInt(samplesAll, 16))
	}
}

// storeZS tests samples with a depth, if it is not nil, and the stencil, if there is one.
func (e *epilog) storeZS(samples, z *ir.Def) {
	b, base, s := e.b, uint64(0), e.stencil
	if z != nil {
		base |= 1
	} else {
		z = b.Imm32(0)
	}
	if s != nil {
		base |= 2
	} else {
		s = b.ImmInt(0, 16)
	}
	b.Effect(ir.IntrStoreZsAgx, samples, z, s).Set(ir.IdxBase, base)
}

// ownDepth is the depth of the fragment at a sample, or at the pixel's centre (-1).
func (e *epilog) ownDepth(sample int) *ir.Def {
	b := e.b
	bary := b.Intrinsic(ir.IntrLoadBarycentricPixel, 2, 32)
	if sample >= 0 {
		bary = b.Intrinsic(ir.IntrLoadBarycentricAtSample, 2, 32, b.Imm32(uint32(sample)))
	}
	bary.Set(ir.IdxInterpMode, uint64(ir.InterpNoPerspective))
	sem := ir.IOSemantics{Location: ir.SlotPos, NumSlots: 1}
	return &b.Intrinsic(ir.IntrLoadInterpolatedInput, 1, 32, &bary.Def, b.Imm32(0)).Set(ir.IdxComponent, 2).Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxRange, 1).
		Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack()).Def
}

// alphaCoverage is the mask that alpha to coverage makes, nil without it.
func (e *epilog) alphaCoverage() *ir.Def {
	alpha, b := e.color[0][3], e.b
	if !e.key.AlphaToCoverage || alpha == nil {
		return nil
	}
	n := b.F2u32(b.Fadd(b.Fmul(b.Fsat(alpha), b.ImmFloat(float64(e.all), 32)), b.ImmFloat(0.5, 32)))
	return b.U2u16(b.Isub(b.Ishl(b.Imm32(1), n), b.Imm32(1)))
}

// maskColors is coverage after early tests: samples are tested, by the main part if it did
// something about it, and masks only keep colours from being stored.
func (e *epilog) maskColors() {
	b := e.b
	covered := e.alphaCoverage()
	if !e.main.Pass.WritesSampleMask && (covered != nil || e.key.NeedsProlog()) {
		b.Effect(ir.IntrSampleMaskAgx, e.samplesOr(samplesAll), b.ImmInt(samplesAll, 16))
	}
	for _, m := range []*ir.Def{e.mask, covered} {
		switch {
		case m == nil:
		case e.write == nil:
			e.write = m
		default:
			e.write = b.Iand(e.write, m)
		}
	}
}
