package passes

import (
	"fmt"

	"nirc/ir"
)

// What the passes have in common that do in a shader what the state of a pipeline asks for: they find accesses to
// inputs and outputs after lower_io, by the locations that the state names.

// maxLocations is the number of locations that a mask of them has room for.
const maxLocations = 32

// locationMask picks slots: bit i is slot first+i.
type locationMask struct {
	first ir.Slot
	bits  uint32
}

// has reports whether an access to an input or output is to one of the slots. It is an error where a value chooses between
// slots of which some are picked.
func (m locationMask) has(s *ir.Shader, in *ir.Instr) (bool, error) {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	off, known := in.Srcs[len(in.Srcs)-1].Def.Const(0)
	if known {
		return m.slot(uint64(sem.Location) + off), nil
	}
	for i := range uint64(sem.NumSlots) {
		if m.slot(uint64(sem.Location) + i) {
			return false, refusal(s, in, fmt.Sprintf("a dynamic index into inputs or outputs, of which that at location %d is the state's", uint64(sem.Location)+i-uint64(m.first)))
		}
	}
	return false, nil
}

func (m locationMask) slot(n uint64) bool {
	return n >= uint64(m.first) && n < uint64(m.first)+maxLocations && m.bits>>(n-uint64(m.first))&1 != 0
}

// varyingsAt picks varyings by their locations.
func varyingsAt(bits int) locationMask { return locationMask{ir.SlotVar0, uint32(bits)} }

// colorsAt picks colour attachments.
func colorsAt(bits int) locationMask { return locationMask{ir.SlotData0, uint32(bits)} }

// eachSlot calls f for the intrinsics of kinds that access picked slots, with a builder before each.
func eachSlot(s *ir.Shader, m locationMask, kinds []ir.Intrinsic, f func(b *ir.Builder, in *ir.Instr) (bool, error)) (progress bool, err error) {
	progress = eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (changed bool) {
		for _, in := range collect(impl, func(in *ir.Instr) bool { return isOneOf(in.Intr, kinds) }) {
			if err != nil {
				return changed
			}
			ok, why := m.has(s, in)
			if err = why; !ok {
				continue
			}
			var did bool
			did, err = f(builderBefore(in), in)
			changed = changed || did
		}
		return changed
	})
	return progress, err
}

func isOneOf(i ir.Intrinsic, kinds []ir.Intrinsic) bool {
	for _, k := range kinds {
		if i == k {
			return true
		}
	}
	return false
}

// Kinds of accesses.
var (
	slotLoads  = []ir.Intrinsic{ir.IntrLoadInput, ir.IntrLoadInterpolatedInput}
	slotStores = []ir.Intrinsic{ir.IntrStoreOutput}
)

// replaceLoad puts another value in place of a load, which goes: the load's components of a vector of four.
func replaceLoad(b *ir.Builder, in *ir.Instr, v *ir.Def) {
	v = b.Channels(v, int(in.Get(ir.IdxComponent)), int(in.Def.NumComponents))
	if in.Def.BitSize == 16 {
		v = b.F2f16(v)
	}
	in.Def.RewriteUses(v)
	in.Remove()
}

// storedColor reports whether a store is of a float colour of a fragment shader's first source.
func storedColor(in *ir.Instr) bool {
	return ir.UnpackALUType(in.Get(ir.IdxSrcType)).Class == ir.ClassFloat && ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).DualSourceIndex == 0
}

// alphaOf returns which component of a store's value is alpha; false if it stores none.
func alphaOf(in *ir.Instr) (int, bool) {
	i := 3 - int(in.Get(ir.IdxComponent))
	return i, i < int(in.Srcs[0].Def.NumComponents) && in.Get(ir.IdxWriteMask)>>i&1 != 0
}

// withChannel is v with another component i.
func withChannel(b *ir.Builder, v *ir.Def, i int, x *ir.Def) *ir.Def {
	var c [16]*ir.Def
	for k := range int(v.NumComponents) {
		if c[k] = x; k != i {
			c[k] = b.Channel(v, k)
		}
	}
	return b.Vec(c[:v.NumComponents]...)
}

// scaleAlpha multiplies the alpha of float colours by what coverage builds before each store.
func scaleAlpha(s *ir.Shader, colors int, coverage func(b *ir.Builder) *ir.Def) (bool, error) {
	if s.Stage != ir.StageFragment {
		return false, nil
	}
	return eachSlot(s, colorsAt(colors), slotStores, func(b *ir.Builder, in *ir.Instr) (bool, error) {
		i, ok := alphaOf(in)
		if !ok || !storedColor(in) {
			return false, nil
		}
		v := in.Srcs[0].Def
		c := coverage(b)
		if v.BitSize == 16 {
			c = b.F2f16(c)
		}
		in.Srcs[0].Set(withChannel(b, v, i, b.Fmul(b.Channel(v, i), c)))
		return true, nil
	})
}

var colorsOption = Option{Name: "colors", Doc: "bit i: colour attachment i", Default: 0xff}

// storeSlot stores a float value whole to an output.
func storeSlot(b *ir.Builder, slot ir.Slot, v *ir.Def) {
	st := b.Effect(ir.IntrStoreOutput, v, b.Imm32(0))
	st.Set(ir.IdxBase, uint64(slot)).Set(ir.IdxRange, 1).Set(ir.IdxWriteMask, 1<<v.NumComponents-1).Set(ir.IdxSrcType, floatType.Pack())
	st.Set(ir.IdxIoSemantics, ir.IOSemantics{Location: slot, NumSlots: 1}.Pack())
}

var floatType = ir.ALUType{Class: ir.ClassFloat, Bits: 32}

// pushFloats loads floats from the push constants, which the state's block of them starts at an offset of.
func pushFloats(b *ir.Builder, offset, comps int) *ir.Def {
	l := b.Intrinsic(ir.IntrLoadPushConstant, uint8(comps), 32, b.Imm32(uint32(offset)))
	return &l.Set(ir.IdxRange, uint64(offset+4*comps)).Set(ir.IdxAlignMul, 16).Set(ir.IdxAlignOffset, uint64(offset%16)).Def
}

// checkLocations refuses locations that there are not.
func checkLocations(names []string, locations ...int) error {
	for i, l := range locations {
		if l < 0 || l >= maxLocations {
			return fmt.Errorf("%s=%d is no location", names[i], l)
		}
	}
	return nil
}

// checkPush refuses offsets into push constants that are none.
func checkPush(offset int) error {
	if offset != -1 && (offset < 0 || offset%4 != 0 || offset > 1<<12) {
		return fmt.Errorf("push=%d is no offset of floats", offset)
	}
	return nil
}

// atExits calls f with a builder at the end of the entry point of a vertex or evaluation shader, or before each vertex that
// a geometry shader emits: where all that a vertex has is stored.
func atExits(s *ir.Shader, f func(b *ir.Builder)) bool {
	if s.Stage == ir.StageGeometry {
		return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
			list := collect(impl, func(in *ir.Instr) bool {
				return in.Intr == ir.IntrEmitVertex || in.Intr == ir.IntrEmitVertexWithCounter
			})
			for _, in := range list {
				f(builderBefore(in))
			}
			return len(list) > 0
		})
	}
	e := s.Entry()
	if e == nil || e.Impl == nil || s.Stage != ir.StageVertex && s.Stage != ir.StageTessEval {
		return false
	}
	f(ir.NewBuilder(ir.BeforeJump(e.Impl.Body.LastBlock())))
	e.Impl.Preserve(ir.MetaControlFlow)
	return true
}

// stores reports whether a shader stores an output.
func stores(s *ir.Shader, slot ir.Slot) bool {
	for _, f := range s.Functions {
		if f.Impl != nil && len(storesOf(f.Impl, slot)) > 0 {
			return true
		}
	}
	return false
}
