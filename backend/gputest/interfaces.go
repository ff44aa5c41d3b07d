package gputest

import (
	"fmt"
	"math/rand/v2"

	"nirc/ir"
)

// interfaceShader makes vertex and fragment shaders of a few inputs and outputs.
type interfaceShader struct {
	s    *ir.Shader
	b    *ir.Builder
	r    *rand.Rand
	have []*ir.Def // floats of 32 bits
}

// Interfaces compiles n random vertex and fragment shaders by what a target makes of shaders, and adds what becomes of them, refusals too:
// their inputs and outputs are components of slots of all kinds and sizes, which they read and write in part, twice, or on one way only.
func (h *HeldPrograms) Interfaces(n int, compile func(s *ir.Shader) error) error {
	for i := range n {
		stage := ir.StageVertex
		if i&1 != 0 {
			stage = ir.StageFragment
		}
		x := &interfaceShader{r: rand.New(rand.NewPCG(uint64(i), 23))}
		x.s, x.b = NewShader(stage, 64)
		x.inputs()
		x.outputs()
		if err := ir.Validate(x.s); err != nil {
			return fmt.Errorf("shader %d: %w\n%s", i, err, ir.Print(x.s))
		}
		if err := compile(x.s); err != nil {
			h.Add(nil, err.Error(), nil, nil)
		}
	}
	return nil
}

// place sets the slot and component of an access.
func (x *interfaceShader) place(in *ir.Instr, slot ir.Slot, comp int, typ ir.Index, class ir.TypeClass, bits uint8) *ir.Instr {
	sem := ir.IOSemantics{Location: slot, NumSlots: 1, MediumPrecision: bits == 16}
	in.Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxBase, uint64(slot)).Set(ir.IdxComponent, uint64(comp)).Set(typ, ir.ALUType{Class: class, Bits: bits}.Pack())
	if in.Intr != ir.IntrLoadInterpolatedInput {
		in.Set(ir.IdxRange, 1)
	}
	return in
}

// sizes draws components from one of a slot on, and their bits.
func (x *interfaceShader) sizes() (comp, n int, bits uint8) {
	comp, bits = x.r.IntN(4)*x.r.IntN(2), 32
	if x.r.IntN(4) == 0 {
		bits = 16
	}
	return comp, 1 + x.r.IntN(4-comp), bits
}

var interfaceClasses = []ir.TypeClass{ir.ClassFloat, ir.ClassInt, ir.ClassUint}

func (x *interfaceShader) inputs() {
	b := x.b
	for range 1 + x.r.IntN(4) {
		comp, n, bits := x.sizes()
		class := interfaceClasses[x.r.IntN(3)]
		var in *ir.Instr
		switch slot := ir.Slot(x.r.IntN(4)); {
		case x.s.Stage == ir.StageVertex:
			in = x.place(b.Intrinsic(ir.IntrLoadInput, uint8(n), bits, b.Imm32(0)), ir.SlotAttrib0+slot, comp, ir.IdxDestType, class, bits)
		case x.r.IntN(3) == 0:
			in = x.place(b.Intrinsic(ir.IntrLoadInput, uint8(n), bits, b.Imm32(0)), ir.SlotVar0+slot, comp, ir.IdxDestType, class, bits)
		default:
			class = ir.ClassFloat
			in = x.place(b.Intrinsic(ir.IntrLoadInterpolatedInput, uint8(n), bits, x.weights(bits), b.Imm32(0)), ir.SlotVar0+8+slot, comp, ir.IdxDestType, class, bits)
		}
		for c := range n {
			if x.r.IntN(4) == 0 {
				continue // nobody reads it
			}
			v := b.Channel(&in.Def, c)
			switch {
			case class == ir.ClassFloat && bits == 16:
				v = b.F2f32(v)
			case class == ir.ClassInt:
				v = b.I2f32(v)
			case class == ir.ClassUint:
				v = b.U2f32(v)
			}
			x.have = append(x.have, v)
		}
	}
	x.have = append(x.have, b.ImmFloat(0.5, 32), b.ImmFloat(1, 32))
}

// weights are those of an interpolation.
func (x *interfaceShader) weights(bits uint8) *ir.Def {
	b, mode := x.b, []ir.Interp{ir.InterpSmooth, ir.InterpSmooth, ir.InterpNoPerspective}[x.r.IntN(3)]
	var in *ir.Instr
	switch x.r.IntN(6) {
	case 0:
		in = b.Intrinsic(ir.IntrLoadBarycentricCentroid, 2, 32)
	case 1:
		in = b.Intrinsic(ir.IntrLoadBarycentricSample, 2, 32)
	case 2:
		in = b.Intrinsic(ir.IntrLoadBarycentricAtSample, 2, 32, b.Imm32(uint32(x.r.IntN(4))))
	case 3:
		in = b.Intrinsic(ir.IntrLoadBarycentricAtOffset, 2, 32, b.Const(32, ir.FloatBits(0.25, 32), ir.FloatBits(-0.125, 32)))
	default:
		in = b.Intrinsic(ir.IntrLoadBarycentricPixel, 2, 32)
	}
	return &in.Set(ir.IdxInterpMode, uint64(mode)).Def
}

// value makes n components of a class and size.
func (x *interfaceShader) value(n int, class ir.TypeClass, bits uint8) *ir.Def {
	b := x.b
	pick := func() *ir.Def { return x.have[x.r.IntN(len(x.have))] }
	var l []*ir.Def
	for range n {
		v := pick()
		if x.r.IntN(2) == 0 {
			v = b.Fadd(b.Fmul(v, pick()), b.Fneg(pick()))
		}
		switch {
		case class == ir.ClassFloat && bits == 16:
			v = b.F2f16(v)
		case class == ir.ClassInt && bits == 16:
			v = b.I2i16(b.F2i32(v))
		case class == ir.ClassInt:
			v = b.F2i32(v)
		case class == ir.ClassUint && bits == 16:
			v = b.U2u16(b.F2u32(v))
		case class == ir.ClassUint:
			v = b.F2u32(v)
		}
		l = append(l, v)
	}
	return b.Vec(l...)
}

// write stores an output, with gaps where it has several components.
func (x *interfaceShader) write(slot ir.Slot, comp, n int, class ir.TypeClass, bits uint8) {
	mask := uint64(1)<<n - 1
	if x.r.IntN(4) == 0 {
		mask &= x.r.Uint64() | 1
	}
	in := x.b.Effect(ir.IntrStoreOutput, x.value(n, class, bits), x.b.Imm32(0)).Set(ir.IdxWriteMask, mask)
	x.place(in, slot, comp, ir.IdxSrcType, class, bits)
}

func (x *interfaceShader) outputs() {
	if x.s.Stage == ir.StageVertex {
		x.write(ir.SlotPos, 0, 4, ir.ClassFloat, 32)
		for _, slot := range []ir.Slot{ir.SlotPointSize, ir.SlotLayer, ir.SlotViewport, ir.SlotClipDist0} {
			if x.r.IntN(6) == 0 {
				class := ir.ClassFloat
				if slot == ir.SlotLayer || slot == ir.SlotViewport {
					class = ir.ClassInt
				}
				x.write(slot, 0, 1, class, 32)
			}
		}
	} else if x.r.IntN(4) == 0 {
		x.write(ir.SlotDepth, 0, 1, ir.ClassFloat, 32)
		if x.r.IntN(2) == 0 {
			x.write(ir.SlotStencil, 0, 1, ir.ClassInt, 32)
		}
	}
	for slot := range ir.Slot(1 + x.r.IntN(4)) {
		comp, n, bits := x.sizes()
		class := interfaceClasses[x.r.IntN(3)]
		at := ir.SlotVar0 + 3*slot
		if x.s.Stage == ir.StageFragment {
			at, comp, n = ir.SlotData0+slot, 0, 4
		}
		switch x.r.IntN(5) {
		case 0: // on one way only
			i := x.b.PushIf(x.b.Flt(x.have[0], x.b.ImmFloat(0.25, 32)))
			x.write(at, comp, n, class, bits)
			x.b.PopIf(i)
		case 1: // twice
			x.write(at, comp, n, class, bits)
			x.write(at, comp, n, class, bits)
		default:
			x.write(at, comp, n, class, bits)
		}
	}
}
