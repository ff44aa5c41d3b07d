package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// decoration is one decoration of an id or of a member.
type decoration struct {
	next   int32 // index in decs + 1
	member int32 // -1: the id itself
	dec    spv.Decoration
	args   []uint32
}

// Entries of the decoration lists that are no decorations.
const (
	decGroup      spv.Decoration = 0xffffffff // args[0]: definition of the group
	decMemberName spv.Decoration = 0xfffffffe // args[0]: index of the OpMemberName
)

func (d *decoration) arg(i int) uint32 {
	if i < len(d.args) {
		return d.args[i]
	}
	return 0
}

// capSet are the capabilities that change a translation.
type capSet struct {
	explicitShared bool
	coop           bool // there may be cooperative matrices
	long           bool // there may be vectors of more than four components
	frozen         bool // values that nobody has given may be frozen
}

// collectDecorations gathers decorations, names and capabilities: what stands
// before the types and speaks of ids that come later.
func (t *translator) collectDecorations() {
	n := len(t.m.Insts)
	end := n
	for i := range t.m.Insts {
		if t.m.Insts[i].Op == spv.OpFunction {
			end = i
			break
		}
	}
	for i := end - 1; i >= 0; i-- {
		in := &t.m.Insts[i]
		switch in.Op {
		case spv.OpDecorate, spv.OpDecorateId, spv.OpDecorateString:
			t.decorate(in.Arg(0), -1, spv.Decoration(in.Arg(1)), in.Args()[2:])
		case spv.OpMemberDecorate, spv.OpMemberDecorateString, spv.OpMemberDecorateIdEXT:
			t.decorate(in.Arg(0), int32(in.Arg(1)&0x7fffffff), spv.Decoration(in.Arg(2)), in.Args()[3:])
		case spv.OpGroupDecorate:
			if g := t.m.DefIndex(in.IDArg(0)); g >= 0 {
				ref := t.ref(g)
				for _, id := range in.Args()[1:] {
					t.decorate(id, -1, decGroup, ref)
				}
			}
		case spv.OpGroupMemberDecorate:
			if g := t.m.DefIndex(in.IDArg(0)); g >= 0 {
				ref := t.ref(g)
				for k := 1; k+1 < in.NumArgs(); k += 2 {
					t.decorate(in.Arg(k), int32(in.Arg(k+1)&0x7fffffff), decGroup, ref)
				}
			}
		case spv.OpName:
			if d := t.m.DefIndex(in.IDArg(0)); d >= 0 {
				t.names[d] = int32(i + 1)
			}
		case spv.OpMemberName:
			t.decorate(in.Arg(0), int32(in.Arg(1)&0x7fffffff), decMemberName, t.ref(i))
		case spv.OpExtInstImport:
			set, _ := in.ImportSet()
			t.extSets[i] = set
			t.vals[i] = value{kind: vExtSet}
		case spv.OpString:
			t.vals[i] = value{kind: vString}
		case spv.OpCapability:
			t.word = int(in.Offset)
			t.capability(spv.Capability(in.Arg(0)))
		case spv.OpMemoryModel:
			t.memoryModel(makeInst(in))
		}
	}
	t.decLeft = 16*n + 1<<16
	t.caps.explicitShared = t.caps.explicitShared && t.sharedBlocks(end)
}

// sharedBlocks reports whether a variable of workgroup memory is a Block. Then
// all are, and alias; modules that only declare the capability for the scalar
// types it allows have variables that do not.
func (t *translator) sharedBlocks(end int) bool {
	for i := range end {
		if !isVariable(t.m.Insts[i].Op) {
			continue
		}
		in := makeInst(&t.m.Insts[i])
		if len(in.args) == 0 || spv.StorageClass(in.args[0]) != spv.StorageClassWorkgroup {
			continue
		}
		if in.op == spv.OpUntypedVariableKHR {
			return true
		}
		p := t.m.DefIndex(spv.ID(in.typ))
		if p < 0 || t.m.Insts[p].Op != spv.OpTypePointer || t.m.Insts[p].NumArgs() < 2 {
			continue
		}
		if s := t.m.DefIndex(t.m.Insts[p].IDArg(1)); s >= 0 {
			if _, ok := t.decOf(s, spv.DecorationBlock); ok {
				return true
			}
		}
	}
	return false
}

func (t *translator) capability(c spv.Capability) {
	t.noteCapability(c)
	switch c {
	case spv.CapabilityCooperativeMatrixKHR, spv.CapabilityCooperativeMatrixNV, spv.CapabilityCooperativeMatrixConversionQCOM:
		t.caps.coop = true
	case spv.CapabilityWorkgroupMemoryExplicitLayoutKHR:
		t.caps.explicitShared = true
	case spv.CapabilityLongVectorEXT, spv.CapabilityCooperativeVectorNV:
		t.caps.long = true
	case spv.CapabilityPoisonFreezeKHR:
		t.caps.frozen = true
	}
}

func (t *translator) memoryModel(in inst) {
	t.word = in.word
	a, m := spv.AddressingModel(in.args[0]), spv.MemoryModel(in.args[1])
	if t.kernel {
		t.kernelModel(a, m)
		return
	}
	if a != spv.AddressingModelLogical && a != spv.AddressingModelPhysicalStorageBuffer64 {
		t.refuse(0, "the addressing model %s (capability Addresses) is not supported", a)
	}
	if m == spv.MemoryModelOpenCL {
		t.refuse(0, "the memory model OpenCL is that of kernels (execution model Kernel); the entry point's model is %s", t.entry.Model)
	}
}

// decorate puts a decoration before those of its target.
func (t *translator) decorate(target uint32, member int32, dec spv.Decoration, args []uint32) {
	i := t.m.DefIndex(spv.ID(target))
	if i < 0 {
		return
	}
	t.decs = append(t.decs, decoration{next: t.decHead[i], member: member, dec: dec, args: args})
	t.decHead[i] = int32(len(t.decs))
}

// eachDec calls f with the decorations of a definition, those of its groups
// included.
func (t *translator) eachDec(def int, f func(d *decoration)) {
	for k := t.decHead[def]; k != 0; k = t.decs[k-1].next {
		d := &t.decs[k-1]
		t.takeDecoration()
		if d.dec != decGroup {
			f(d)
			continue
		}
		for g := t.decHead[d.args[0]]; g != 0; g = t.decs[g-1].next {
			t.takeDecoration()
			e := t.decs[g-1]
			if e.dec == decGroup {
				continue // groups of groups do not exist
			}
			e.member = d.member
			f(&e)
		}
	}
}

func (t *translator) takeDecoration() {
	if t.decLeft--; t.decLeft < 0 {
		t.fail(0, "the module's decoration groups expand to too many decorations")
	}
}

// decOf returns the first argument of a decoration of the id itself.
func (t *translator) decOf(def int, dec spv.Decoration) (arg uint32, ok bool) {
	if t.decHead[def] == 0 {
		return 0, false
	}
	t.eachDec(def, func(d *decoration) {
		if d.member < 0 && d.dec == dec && !ok {
			arg, ok = d.arg(0), true
		}
	})
	return arg, ok
}

// accessBit returns the access bit of a decoration.
func accessBit(d spv.Decoration) ir.Access {
	switch d {
	case spv.DecorationRestrict, spv.DecorationRestrictPointer:
		return ir.AccessRestrict
	case spv.DecorationAliased:
		return ir.AccessAliased
	case spv.DecorationVolatile:
		return ir.AccessVolatile
	case spv.DecorationCoherent:
		return ir.AccessCoherent
	case spv.DecorationNonWritable:
		return ir.AccessNonWriteable
	case spv.DecorationNonReadable:
		return ir.AccessNonReadable
	case spv.DecorationNonUniform:
		return ir.AccessNonUniform
	}
	return 0
}

// interfaceDecoration enters what a decoration says about an interface
// variable or member. Locations stay as SPIR-V numbers them.
func (t *translator) interfaceDecoration(id uint32, f *ir.Field, d *decoration) {
	switch d.dec {
	case spv.DecorationLocation:
		f.Location = int32(d.arg(0) & 0xffff)
	case spv.DecorationComponent:
		f.Component = uint8(d.arg(0) & 3)
	case spv.DecorationBuiltIn:
		f.BuiltIn = int32(d.arg(0))
	case spv.DecorationFlat:
		f.Interp = ir.InterpFlat
	case spv.DecorationNoPerspective:
		f.Interp = ir.InterpNoPerspective
	case spv.DecorationExplicitInterpAMD:
		f.Interp = ir.InterpExplicit
	case spv.DecorationCentroid:
		f.Centroid = true
	case spv.DecorationSample:
		f.Sample = true
	case spv.DecorationPatch:
		f.Patch = true
	case spv.DecorationInvariant:
		f.Invariant = true
	case spv.DecorationPerPrimitiveEXT:
		t.checkLacks(id, spv.KindDecoration.Capabilities(uint32(d.dec)))
		f.PerPrimitive = true
	case spv.DecorationRelaxedPrecision:
		f.RelaxedPrecis = true
	case spv.DecorationXfbBuffer:
		f.XfbBuffer = int32(d.arg(0) & 0xff)
	case spv.DecorationOffset:
		f.XfbOffset = int32(d.arg(0) & 0x7fffffff)
	default:
		f.Access |= accessBit(d.dec)
		t.checkDecoration(id, d.dec)
	}
}
