package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// lowerAttachments makes loads of the tile of what a fragment shader reads of colour attachments: tile images, and blending by
// passes. The tile has them in formats and at places that only the state of the pipeline tells, as of Mesa's drivers, which compile
// such shaders for the formats too (agx_state.c of 25.0, asahi_fs_shader_key). Each sample has a colour of its own: a tile image is
// read in the sample that it names, blending in the one that is shaded.
func (c *compiler) lowerAttachments() error {
	if c.s.Stage != ir.StageFragment || c.s.Contents()&ir.HasOutputLoad == 0 {
		return nil
	}
	var reads []*ir.Instr
	for in := range c.impl.Instrs() {
		if in.IsIntrinsic(ir.IntrLoadAttachment) || in.IsIntrinsic(ir.IntrLoadOutput) && ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).FBFetch {
			reads = append(reads, in)
		}
	}
	if len(reads) == 0 {
		return nil
	}
	for _, in := range reads {
		if ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location < ir.SlotData0 {
			return backend.Refuse(TargetName, c.s, in, "reading depth and stencil of the tile is not supported: they lie apart from the colours, in memory that no shader reads")
		}
	}
	state := c.opts.job().State
	if state == nil || len(state.Fragment.Targets) == 0 {
		return backend.Refuse(TargetName, c.s, reads[0], "reading what a colour attachment holds is not supported without the formats of the attachments: --state gives them (fragment.targets)")
	}
	samples, err := samplesOf(&state.Fragment)
	if err != nil {
		return err
	}
	targets, _, err := placeTargets(state.Fragment.Targets)
	if err != nil {
		return err
	}
	c.meta.OneSample = samples == 1
	a := &attachments{c: c, targets: targets, keys: state.Fragment.Targets, samples: samples}
	for _, in := range reads {
		if err := a.read(in); err != nil {
			return err
		}
	}
	c.impl.Preserve(ir.MetaControlFlow)
	return nil
}

// attachments are those of a pipeline whose colours a shader reads.
type attachments struct {
	c       *compiler
	targets []abi.TileTarget
	keys    []backend.TargetKey
	samples int
}

// read puts a load of the tile in place of a load of an attachment. One in a branch is made where the shader starts: older
// fragments are waited for once.
func (a *attachments) read(in *ir.Instr) error {
	s, slot := a.c.s, ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location
	first, n := int(in.Get(ir.IdxComponent)), int(in.Def.NumComponents)
	if in.Intr == ir.IntrLoadOutput {
		k, ok := in.Srcs[0].Def.Const(0)
		if !ok || first+n > 4 || in.Def.BitSize > 32 {
			return backend.Refuse(TargetName, s, in, "reading a colour attachment that an index chooses, or as other than four components of up to 32 bits, is not supported")
		}
		slot += ir.Slot(k)
	}
	start := a.c.impl.Start()
	b := ir.NewBuilder(ir.Before(in))
	if in.Block != start && (in.Intr == ir.IntrLoadOutput || in.Srcs[0].Def.IsConst()) {
		b = ir.NewBuilder(ir.AtStart(start))
	}
	b.AtInstr(in)
	color := a.color(b, slot, in)
	for i := range n {
		color[i] = narrowed(b, color[first+i], ir.UnpackALUType(in.Get(ir.IdxDestType)).Class, in.Def.BitSize)
	}
	in.Def.RewriteUses(b.Vec(color[:n]...))
	in.Remove()
	return nil
}

// color reads what a slot's target has in the sample that is shaded; nothing is there without a format.
func (a *attachments) color(b *ir.Builder, slot ir.Slot, in *ir.Instr) [4]*ir.Def {
	for i := range a.targets {
		t := &a.targets[i]
		if t.Slot != slot {
			continue
		}
		sample := a.sample(b, in)
		a.c.noteRead(t)
		return tileColor(b, t, emu.FormatByName(a.keys[slot-ir.SlotData0].Format), sample)
	}
	zero := b.Imm32(0)
	return [4]*ir.Def{zero, zero, zero, zero}
}

// sample is the mask of the sample that is read.
func (a *attachments) sample(b *ir.Builder, in *ir.Instr) *ir.Def {
	n := &b.Intrinsic(ir.IntrLoadSampleIdNoPerSample, 1, 32).Def
	switch {
	case a.samples == 1:
		return b.ImmInt(samplesAll, 16)
	case in.Intr == ir.IntrLoadAttachment:
		if k, ok := in.Srcs[0].Def.Const(0); ok {
			return b.ImmInt(1<<(k&15), 16)
		}
		n = in.Srcs[0].Def
	case !faults.has(faultAttachmentSamples):
		a.c.s.Info.SampleInputs = true
	}
	return b.U2u16(b.Ishl(b.Imm32(1), n))
}

// noteRead tells the linker, and a driver, what the code takes for the place and format of a target.
func (c *compiler) noteRead(t *abi.TileTarget) {
	for i := range c.meta.TileReads {
		if c.meta.TileReads[i].Slot == t.Slot {
			return
		}
	}
	c.meta.TileReads = append(c.meta.TileReads, *t)
}

// narrowed is a component of 32 bits in fewer.
func narrowed(b *ir.Builder, v *ir.Def, class ir.TypeClass, bits uint8) *ir.Def {
	switch {
	case bits == 32:
		return v
	case class == ir.ClassFloat:
		return b.F2f16(v)
	case class == ir.ClassInt:
		return b.I2i16(v)
	}
	return b.U2u16(v)
}
