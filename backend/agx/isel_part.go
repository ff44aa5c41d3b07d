package agx

import (
	"strconv"
	"strings"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// handover is what a part of a program takes from the part before it and
// leaves to the one after, in registers (agx.md §11.4).
type handover struct {
	imports []*ir.Instr // load_exported_agx
	uses    []mach.Value
	regs    []mach.Reg
	// fenced: the tile may be accessed.
	fenced bool
}

// partIntrinsic selects what only the parts around a shader's main part have:
// values handed over, vertex buffers, the tile and its samples. It is false if in is none.
func (s *isel) partIntrinsic(in *ir.Instr) bool {
	switch in.Intr {
	case ir.IntrLoadExportedAgx:
		return true // the start has defined it
	case ir.IntrExportAgx:
		s.export(in)
	case ir.IntrLoadVboBaseAgx:
		n := s.attribUniform(in, abi.UniformAttribAddr, 4*s.attribIndex(in))
		s.setComps(&in.Def, opnd{kind: opUniform, bits: n}, opnd{kind: opUniform, bits: n + 2})
	case ir.IntrLoadAttribClampAgx:
		n := s.attribUniform(in, abi.UniformAttribClamp, 4*len(s.slots)+2*s.attribIndex(in))
		s.setComps(&in.Def, opnd{kind: opUniform, bits: n})
	case ir.IntrLoadSysvalAgx:
		if abi.UniformKind(in.Get(ir.IdxFlags)) != abi.UniformAssembly {
			s.loadSysval(in)
			break
		}
		n := s.uni.fixed(abi.Uniform{Kind: abi.UniformAssembly}, abi.AssemblyHalf(len(s.slots)))
		s.setComps(&in.Def, opnd{kind: opUniform, bits: n}, opnd{kind: opUniform, bits: n + 2})
	case ir.IntrLoadConstantAgx, ir.IntrLoadAgx:
		s.loadFormatted(in)
	case ir.IntrStoreAgx:
		s.storeFormatted(in)
	case ir.IntrLoadBlendConstColorRgba:
		n := s.uni.fixed(abi.Uniform{Kind: abi.UniformBlendConst}, abi.BlendConstHalf)
		var c [4]opnd
		for k := range c {
			c[k] = opnd{kind: opUniform, bits: n + 2*uint32(k)}
		}
		s.setComps(&in.Def, c[:]...)
	case ir.IntrSampleMaskAgx:
		s.sampleMask(in)
	case ir.IntrStoreZsAgx:
		s.storeZS(in)
	case ir.IntrLoadLocalPixelAgx:
		s.loadTile(in)
	case ir.IntrStoreLocalPixelAgx:
		s.storeTile(in)
	default:
		return false
	}
	return true
}

// makeImports defines what arrives from the part before.
func (s *isel) makeImports() {
	var regs []mach.Reg
	var vals []mach.Value
	for _, in := range s.hand.imports {
		v := s.newReg(isHalf(&in.Def))
		s.setComps(&in.Def, s.value(v))
		vals = append(vals, v)
		regs = append(regs, mach.Reg(in.Get(ir.IdxBase)))
	}
	if len(vals) > 0 {
		fix(s.generic(opInputs, vals, nil).Defs(), regs)
	}
}

// export notes a value that the part leaves in registers from half base on.
func (s *isel) export(in *ir.Instr) {
	s.hand.uses = append(s.hand.uses, s.reg(s.comp(in.Srcs[0].Def, 0)))
	s.hand.regs = append(s.hand.regs, mach.Reg(in.Get(ir.IdxBase)))
}

// attribIndex is the number of the attribute that a prolog's intrinsic names
// by its place among the slots in use.
func (s *isel) attribIndex(in *ir.Instr) int {
	k, ok := in.Srcs[0].Def.Const(0)
	if !ok || k >= uint64(len(s.slots)) {
		s.broken(in, "%s: the attribute is not one of the part's %d", in.Intr, len(s.slots))
		return 0
	}
	return int(k)
}

func (s *isel) attribUniform(in *ir.Instr, kind abi.UniformKind, half int) uint32 {
	if s.err != nil {
		return 0
	}
	return s.uni.fixed(abi.Uniform{Kind: kind, Element: uint32(s.slots[s.attribIndex(in)])}, half)
}

// loadFormatted selects a load that converts from a memory format: of elements from
// an index on, counted in elements of the format.
func (s *isel) loadFormatted(in *ir.Instr) {
	n, f := int(in.Def.NumComponents), isa.Format(in.Get(ir.IdxFormat))
	t := isa.Instr{Format: f, Mask: 1<<n - 1, Flags: isa.Unsigned}
	v := s.load(t, s.global(in, in.Srcs[0].Def), s.comp(in.Srcs[1].Def, 0), gprClass(isHalf(&in.Def)), n)
	s.setComps(&in.Def, s.split(v, n)...)
}

// fence waits for older fragments of the pixel before the first access to its
// tile storage.
func (s *isel) fence() {
	if !s.hand.fenced && !faults.has(faultPixelFence) {
		s.hand.fenced = true
		s.add(isa.Instr{Op: isa.OpWaitPix, Imm: 12}, 0)
	}
}

func (s *isel) loadTile(in *ir.Instr) {
	s.fence()
	n := int(in.Def.NumComponents)
	t := isa.Instr{Op: isa.OpLdTile, Format: isa.Format(in.Get(ir.IdxFormat)), Mask: 1<<n - 1, Imm: uint32(in.Get(ir.IdxBase))}
	uses := s.maskSource(&t, 0, in.Srcs[0].Def, nil)
	d := s.f.NewValue(gprClass(isHalf(&in.Def)), n)
	s.add(t, d, uses...)
	s.setComps(&in.Def, s.split(d, n)...)
}

func (s *isel) storeTile(in *ir.Instr) {
	s.fence()
	mask := uint8(in.Get(ir.IdxWriteMask))
	t := isa.Instr{Op: isa.OpStTile, Format: isa.Format(in.Get(ir.IdxFormat)), Mask: mask, Imm: uint32(in.Get(ir.IdxBase))}
	var comps []opnd
	for c := range int(in.Srcs[0].Def.NumComponents) {
		if mask>>c&1 != 0 {
			comps = append(comps, s.comp(in.Srcs[0].Def, c))
		}
	}
	uses := s.register(&t, 0, s.collect(comps...), nil)
	uses = s.maskSource(&t, 1, in.Srcs[1].Def, uses)
	s.add(t, 0, uses...)
}

// partUniform is the place of a driver value among the uniforms that belong to
// the parts of a vertex shader.
func (s *isel) partUniform(kind abi.UniformKind) (half int, ok bool) {
	if s.part == abi.PartWhole || s.sh.Stage != ir.StageVertex && !s.early || s.slots == nil {
		return 0, false
	}
	switch n := 6 * len(s.slots); kind {
	case abi.UniformBaseVertex:
		return n, true
	case abi.UniformBaseInstance:
		return n + 2, true
	case abi.UniformDrawID:
		return n + 4, true
	}
	return 0, false
}

// wraps reports whether the lanes that halt must come back at the end: those of a
// main part that runs once a sample, in the linker's loop.
func (s *isel) wraps() bool {
	if s.part != abi.PartMain || s.early || s.sh.Stage != ir.StageFragment {
		return false
	}
	halts := s.lanesMatter && !faults.has(faultSampleHalt) && hasIntrinsic(s.impl, ir.IntrTerminateIf)
	for b := range s.impl.Blocks() {
		for in := range b.Instrs() {
			halts = halts || in.Kind == ir.KindJump && in.Jump == ir.JumpHalt
		}
	}
	return halts && perSampleShader(s.sh, s.impl)
}

// perSampleShader reports whether a fragment shader runs once a sample: it reads or declares what samples differ
// in, or the pipeline wants it.
func perSampleShader(s *ir.Shader, impl *ir.Impl) bool {
	if s.Info.SampleInputs || s.Options != nil && s.Options.SampleShading && !faults.has(faultSampleShading) {
		return true
	}
	for in := range impl.Instrs() {
		if in.Kind != ir.KindIntrinsic {
			continue
		}
		if perSample(in.Intr) {
			return true
		}
	}
	return false
}

// hasIntrinsic reports whether a function has an intrinsic.
func hasIntrinsic(impl *ir.Impl, i ir.Intrinsic) bool {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsIntrinsic(i) {
				return true
			}
		}
	}
	return false
}

// perSample reports whether an intrinsic makes a fragment shader run once a sample.
func perSample(i ir.Intrinsic) bool {
	switch i {
	case ir.IntrLoadBarycentricSample, ir.IntrLoadSampleId, ir.IntrLoadSamplePos:
		return true
	}
	return false
}

// attribSlots lists the attribute slots that a vertex shader reads; it is not nil.
func attribSlots(impl *ir.Impl) []ir.Slot {
	var read [ir.NumAttribSlots]bool
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind != ir.KindIntrinsic || in.Intr != ir.IntrLoadInput {
				continue
			}
			off, _ := in.Srcs[0].Def.Const(0)
			if slot := uint64(ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location) + off; slot < uint64(len(read)) {
				read[slot] = true
			}
		}
	}
	slots := []ir.Slot{}
	for slot, r := range read {
		if r {
			slots = append(slots, ir.Slot(slot))
		}
	}
	return slots
}

// convention is the part that a module's shader is under an ABI: compute shaders have no others,
// tessellation and geometry are whole. culls is the number of cull distances that the ABI names.
func convention(s *ir.Shader, name string) (part abi.Part, culls int, err error) {
	if name == "" || name == "monolithic" {
		return abi.PartWhole, 0, nil
	}
	if name == backend.SeparateABI {
		switch s.Stage {
		case ir.StageCompute, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry:
			return abi.PartWhole, 0, nil // no state of a pipeline goes into these
		}
		return abi.PartMain, 0, nil
	}
	culls, err = cullsOf(name)
	return abi.PartWhole, culls, err
}

// cullsOf is the number of cull distances that an ABI names.
func cullsOf(name string) (int, error) {
	digits, ok := strings.CutPrefix(name, backend.CullABI)
	if !ok {
		return 0, ir.Unsupportedf("agx: the %s ABI is not supported", name)
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > 8 {
		return 0, ir.Unsupportedf("agx: %q cull distances are not supported, a stage has 1 to 8", digits)
	}
	return n, nil
}
