package ir3

import (
	"nirc/backend"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// inputs is what the shader receives: system values and attributes in
// registers, varyings to be fetched, driver parameters and push constants.
type inputs struct {
	sysvals [abi.NumSysvals]mach.Value
	wanted  [abi.NumSysvals]bool
	coord   uint8 // the components of the position that somebody reads
	// parts of the vector system values.
	parts [abi.NumSysvals][]opnd
	// slots are the input slots in use, by slot.
	slots   [ir.NumVaryingSlots]inputSlot
	fetches []*ir.Instr // varying loads, all done in the first block
	fetched []fetched   // those of them that are selected; these cover the others
	shared  []sharedVector
	arrays  []*ir.Instr // loads of elements of arrays in uniform buffers
	pushLo  uint32
	pushHi  uint32
	driver  int  // scalars of driver parameters
	density bool // fragments are told their size, so that there may be a map of their density
	defs    []inputDef
	// prefetches are done before the shader starts.
	prefetches []prefetch
}

type inputSlot struct {
	mask   uint8
	interp ir.Interp
	half   bool
	inLoc  int
	val    mach.Value
	ops    []opnd
}

// inputDef ties a value that arrives in registers to its metadata.
type inputDef struct {
	val      mach.Value
	sysval   abi.SysvalKind
	slot     ir.Slot
	attrib   bool
	prefetch int // number of the prefetch, plus 1
}

// ioSlot returns slot and first component of an input or output access with
// a constant offset.
func (s *isel) ioSlot(in *ir.Instr, off *ir.Def) (slot, comp int, ok bool) {
	slot, comp, err := backend.IOSlot(in, off)
	if err != nil {
		s.fail(in, "%v", err)
	}
	return slot, comp, err == nil
}

// makeInputs defines everything that arrives in registers, at the start of
// the first block, and fetches the varyings.
func (s *isel) makeInputs() {
	if s.err != nil {
		return
	}
	s.enter(0)
	s.defineSysvals()
	s.definePrefetches()
	if s.sh.Stage == ir.StageVertex {
		for slot := range s.in.slots {
			i := &s.in.slots[slot]
			if i.mask == 0 {
				continue
			}
			n := 1
			for i.mask>>n != 0 {
				n++
			}
			i.val = s.f.NewValue(classFull, n)
			s.in.defs = append(s.in.defs, inputDef{val: i.val, slot: ir.Slot(slot), attrib: true})
		}
	}
	if len(s.in.defs) > 0 {
		vals := s.f.ValueList(len(s.in.defs))
		for k, d := range s.in.defs {
			vals[k] = d.val
		}
		in := s.generic(opInputs, vals, nil)
		s.fixChain(in)
		if len(s.in.prefetches) > 0 {
			// Prefetches take the barycentrics from r0.x and r0.y.
			for k, d := range s.in.defs {
				if d.sysval == abi.IJPerspPixel {
					in.Ops[k].Flags |= mach.Fixed
					if in.Ops[k].Reg = 0; faults.has(faultPrefetchPlace) {
						in.Ops[k].Reg = 4
					}
				}
			}
		}
	}
	for slot := range s.in.slots {
		if i := &s.in.slots[slot]; i.val != 0 {
			i.ops = s.split(i.val, s.f.Elems(i.val))
		}
	}
	s.splitSysvals()
	s.splitPrefetches()
	if s.sh.Stage == ir.StageFragment {
		s.fetchVaryings()
	}
	if s.sh.Stage == ir.StageTessCtrl && s.meta.Chain.TessLocal {
		s.add(isa.Instr{Op: isa.OpBar, Flags: isa.SS | isa.SY}, 0) // without .g (ir3.md §6.5)
	}
}

func (s *isel) defineSysvals() {
	for k := abi.SysvalKind(1); k < abi.NumSysvals; k++ {
		if !s.in.wanted[k] {
			continue
		}
		class := gprClass(k.Half())
		if k == abi.WorkgroupID {
			class = classShared
		}
		v := s.f.NewValue(class, s.sysvalMeta(k).Count())
		s.in.sysvals[k] = v
		s.in.defs = append(s.in.defs, inputDef{val: v, sysval: k})
	}
}

// sysvalMeta is how the metadata asks for a value: of the position for what is read, so that nobody interpolates depth for
// shaders that look at x and y alone.
func (s *isel) sysvalMeta(k abi.SysvalKind) abi.Sysval {
	v := abi.Sysval{Kind: k}
	if k == abi.FragCoord && s.in.coord != 15 {
		v.Mask = s.in.coord
	}
	return v
}

func (s *isel) splitSysvals() {
	for k := abi.SysvalKind(1); k < abi.NumSysvals; k++ {
		v := s.in.sysvals[k]
		if v == 0 {
			continue
		}
		ops := s.split(v, s.f.Elems(v))
		if k == abi.WorkgroupID {
			for i := range ops {
				d := s.newReg(false)
				t := isa.Instr{Op: isa.OpMov, Type: isa.U32, SrcType: isa.U32}
				uses := s.register(&t, 0, ops[i].val, 0, nil)
				s.add(t, d, uses...)
				ops[i] = s.value(d)
			}
		}
		s.in.parts[k] = ops
	}
}

// attribute gives the components of a vertex attribute, which arrives in full
// registers whatever its size.
func (s *isel) attribute(in *ir.Instr) {
	slot, comp, ok := s.ioSlot(in, in.Srcs[0].Def)
	if !ok {
		return
	}
	ops := s.in.slots[slot].ops[comp : comp+int(in.Def.NumComponents)]
	if isHalf(&in.Def) {
		halves := make([]opnd, len(ops))
		for k, o := range ops {
			if ir.UnpackALUType(in.Get(ir.IdxDestType)).Class == ir.ClassFloat {
				halves[k] = s.cov(isa.F32, isa.F16, isa.RoundEven, o)
			} else {
				halves[k] = s.narrow(o, 32)
			}
		}
		ops = halves
	}
	s.setComps(&in.Def, ops...)
}
