package midgard

import (
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// waitForTile begins a program that reads render targets: they must be there
// (midgard.md §7.5).
func (s *isel) waitForTile() {
	for b := range s.impl.Blocks() {
		for in := range b.Instrs() {
			s.meta.ReadsTile = s.meta.ReadsTile || b.Reachable() && (in.IsIntrinsic(ir.IntrLoadOutput) || in.IsIntrinsic(ir.IntrLoadAttachment))
		}
	}
	if s.meta.ReadsTile && !faults.has(faultTileWait) {
		s.add(inst{kind: kindTileWait, dst: regNone})
		from := s.blk
		s.edge(from, s.newBlock(0))
	}
}

// loadTile reads the colour that a render target has, or the depth (midgard.md §5.8 and 9.4): framebuffer fetch, and what a blend
// program reads.
func (s *isel) loadTile(in *ir.Instr) {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	slot, comp, ok := int(sem.Location), 0, true
	if in.Intr == ir.IntrLoadOutput {
		slot, comp, ok = s.ioSlot(in, in.Srcs[0].Def)
		s.meta.PerSample = s.meta.PerSample || s.blend == nil // what blends reads the sample that it shades
	} else if k, constant := in.Srcs[0].Def.Const(0); !constant || k != 0 || s.sh.Info.UsesSampleShading || s.sh.Info.SampleInputs {
		s.fail(in, "reading another sample of a render target than the first, or by sample, is not supported: typed loads of the tile name sample 0")
		return
	}
	if !ok {
		return
	}
	if ir.Slot(slot) == ir.SlotDepth && s.blend == nil && s.gpu.TileLoads {
		s.meta.ReadsDepth = !faults.has(faultReadsDepth)
		s.narrowed(in, s.tileColor(in, isa.TargetDepth, 0))
		return
	}
	n := slot - int(ir.SlotData0)
	if s.sh.Stage != ir.StageFragment || !sem.FBFetch || n < 0 || n > 7 {
		s.fail(in, "reading back output slot %d is not supported", slot)
		return
	}
	if !s.rawTile() && !loadsFloats(in) || in.Def.BitSize > 32 {
		s.fail(in, "reading a render target as other than floats is not supported")
		return
	}
	if format := s.targetFormat(n); format != "" && s.blend == nil {
		if l, err := layoutOf(format); err != nil || abi.TileRaw(l.form) {
			s.fail(in, "reading a render target of the format %s is not supported, no load converts what the tile has: a blend program (--abi blend:%[1]s) does", format)
			return
		}
	}
	s.narrowed(in, s.tileColor(in, n, comp))
}

// targetFormat is the format of render target n by the state of the pipeline, "" if that does not say.
func (s *isel) targetFormat(n int) string {
	if s.state == nil || s.state.Shader == nil {
		return ""
	}
	for i := range s.state.Shader.Blend {
		if t := &s.state.Shader.Blend[i]; t.Attachment == n {
			return t.Format
		}
	}
	return ""
}

// rawTile reports whether the tile is read as it is: where the format is known, and
// not one that a typed load converts, or such loads are wrong.
func (s *isel) rawTile() bool { return s.blend != nil && (!s.blend.typed || s.gpu.RawTile) }

// tileColor loads what in wants of render target n, from component comp on.
func (s *isel) tileColor(in *ir.Instr, n, comp int) source {
	k := int(in.Def.NumComponents)
	first := comp
	t := inst{kind: kindLdSt}
	op, special, selector := isa.LdTileF32, isa.LdSpecialF32, abi.SpecialTileTyped
	if s.rawTile() {
		op, special, selector = isa.LdTileRaw, isa.LdSpecialU32, abi.SpecialTileRaw
		k, comp = s.blend.words(), 0
	}
	t.dst, t.mask = s.f.newNode(k), fullMask(k)
	if s.blend != nil && !s.rawTile() {
		t.mask = s.blend.has >> comp & fullMask(k) // what else the tile has there is nobody's
		if m := fullMask(k) &^ t.mask; m != 0 {
			s.move(t.dst, m, s.blend.missing().shifted(-comp))
		}
	}
	t.ld = isa.LoadStore{Op: op, Swizzle: componentsFrom(comp)} // of sample 0, which the argument names
	if faults.has(faultTileSample) {
		t.ld.Arg.Reg = isa.AddrZero
	}
	switch {
	case s.gpu.RawTile && !s.rawTile():
		s.fail(in, "reading the colour of a format that a load converts is not supported by %s: such loads of the hardware are wrong", s.gpu.Name)
		return constant(0)
	case s.gpu.TileLoads || faults.has(faultTileLoad):
		t.ld.Index = isa.AddrReg{Comp: uint8(n & 3), Reg: uint8(n >> 2)}
	case n >= s.gpu.Targets:
		s.fail(in, "more than one render target is not supported by %s", s.gpu.Name)
		return constant(0)
	default:
		t.ld.Op, t.ld.Arg, t.ld.Index = special, isa.AddrReg{Reg: isa.AddrZero}, isa.AddrReg{Reg: isa.AddrZero}
		t.ld.SetSlot(selector, 0)
	}
	s.add(t)
	o := source{reg: t.dst, swz: identity}
	if s.rawTile() {
		o = s.unpackRaw(o).shifted(-first)
	}
	return o
}
