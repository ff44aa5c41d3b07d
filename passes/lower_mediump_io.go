package passes

import (
	"math/bits"

	"nirc/ir"
)

var lowerMediumpIOPass = &Pass{
	Name: "lower_mediump_io", Class: "B", Run: lowerMediumpIO, Idempotent: true, Optional: true,
	Doc: "Makes inputs and outputs with RelaxedPrecision 16 bits wide: loads give 16 bits and widen, stores narrow by f2fmp and i2imp. Takes the intrinsics of lower_io; built-ins stay. " +
		"Vertex attributes and fragment results are converted where they are fetched and written; varyings only if asked for, since the stages on both sides must agree. A slot is narrowed whole: where an access to it has full precision or stays wide, all of them do.",
	Options: []Option{
		{"modes", "shader_in, shader_out or both", ir.ModeShaderIn | ir.ModeShaderOut},
		{"varyings", "varyings too", false},
		{"int", "integers too", false},
	},
}

func lowerMediumpIO(c *Context, s *ir.Shader) (bool, error) {
	modes, varyings, ints := c.Modes("modes"), c.Bool("varyings"), c.Bool("int")
	narrow := func(in *ir.Instr, mode ir.Mode) bool {
		return mode&modes != 0 && relaxedSlot(s.Stage, in, mode, varyings) && canNarrow(in, ints)
	}
	var wide [2]slotSet // slots of inputs and outputs that keep their size
	eachIO(s, func(in *ir.Instr, mode ir.Mode) {
		if _, bits := ioType(in); bits != 16 && !narrow(in, mode) {
			wide[ioSide(mode)].add(ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)))
		}
	})
	for again := true; again; {
		// An access of several slots takes its own with it.
		again = false
		eachIO(s, func(in *ir.Instr, mode ir.Mode) {
			sem, set := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)), &wide[ioSide(mode)]
			if narrow(in, mode) && set.meets(sem) && !set.has(sem) {
				set.add(sem)
				again = true
			}
		})
	}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (progress bool) {
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				mode := ioMode(in)
				if mode != 0 && narrow(in, mode) && !wide[ioSide(mode)].meets(ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))) {
					mediumpAccess(in)
					progress = true
				}
			}
		}
		return progress
	}), nil
}

// eachIO visits the accesses to inputs and outputs of all functions.
func eachIO(s *ir.Shader, f func(in *ir.Instr, mode ir.Mode)) {
	for _, fn := range s.Functions {
		if fn.Impl == nil {
			continue
		}
		for blk := range fn.Impl.Blocks() {
			for in := range blk.Instrs() {
				if m := ioMode(in); m != 0 {
					f(in, m)
				}
			}
		}
	}
}

// ioSide numbers the two modes of an interface.
func ioSide(m ir.Mode) int {
	if m == ir.ModeShaderIn {
		return 0
	}
	return 1
}

// ioMode tells what an intrinsic accesses: shader_in, shader_out or neither.
func ioMode(in *ir.Instr) ir.Mode {
	if in.Kind != ir.KindIntrinsic {
		return 0
	}
	switch in.Intr {
	case ir.IntrLoadInput, ir.IntrLoadInterpolatedInput, ir.IntrLoadPerVertexInput, ir.IntrLoadInputVertex:
		return ir.ModeShaderIn
	case ir.IntrStoreOutput, ir.IntrLoadOutput, ir.IntrStorePerVertexOutput, ir.IntrLoadPerVertexOutput:
		return ir.ModeShaderOut
	}
	return 0
}

// relaxedSlot reports whether the slots of an access have RelaxedPrecision and
// are no built-ins.
func relaxedSlot(stage ir.Stage, in *ir.Instr, mode ir.Mode, varyings bool) bool {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	switch {
	case !sem.MediumPrecision || sem.NoVarying:
		return false
	case stage == ir.StageVertex && mode == ir.ModeShaderIn:
		return true
	case stage == ir.StageFragment && mode == ir.ModeShaderOut:
		return sem.Location >= ir.SlotData0
	}
	return varyings && sem.Location >= ir.SlotVar0
}

// ioType is the type index of an access and the size of the values it moves.
func ioType(in *ir.Instr) (idx ir.Index, bits uint8) {
	if in.HasDef() {
		return ir.IdxDestType, in.Def.BitSize
	}
	return ir.IdxSrcType, in.Srcs[0].Def.BitSize
}

// canNarrow reports whether an access moves 32-bit floats, or integers if those
// are asked for.
func canNarrow(in *ir.Instr, ints bool) bool {
	idx, size := ioType(in)
	if size != 32 || !in.Has(idx) {
		return false
	}
	class := ir.UnpackALUType(in.Get(idx)).Class
	return class == ir.ClassFloat || ints && (class == ir.ClassInt || class == ir.ClassUint)
}

func mediumpAccess(in *ir.Instr) {
	idx, _ := ioType(in)
	class := ir.UnpackALUType(in.Get(idx)).Class
	narrow, widen := mediumpCasts(class)
	in.Set(idx, ir.ALUType{Class: class, Bits: 16}.Pack())
	if in.HasDef() {
		in.Resize(16)
		widenAfter(in, widen)
	} else {
		in.Srcs[0].Set(builderBefore(in).ALU(narrow, in.Srcs[0].Def))
	}
}

// slotSet is a set of slots: those of dual-source results are apart.
type slotSet [2][4]uint64

func (s *slotSet) add(sem ir.IOSemantics) {
	for k := range max(int(sem.NumSlots), 1) {
		n := min(int(sem.Location)+k, 255)
		s[sem.DualSourceIndex&1][n/64] |= 1 << (n % 64)
	}
}

// has reports whether all slots of an access are in the set, meets whether any is.
func (s *slotSet) has(sem ir.IOSemantics) bool { return s.count(sem) == max(int(sem.NumSlots), 1) }

func (s *slotSet) meets(sem ir.IOSemantics) bool { return s.count(sem) > 0 }

func (s *slotSet) count(sem ir.IOSemantics) (n int) {
	for k := range max(int(sem.NumSlots), 1) {
		at := min(int(sem.Location)+k, 255)
		n += int(s[sem.DualSourceIndex&1][at/64] >> (at % 64) & 1)
	}
	return n
}

// rank is the number of slots before one.
func (s *slotSet) rank(sem ir.IOSemantics) (n int) {
	at := int(sem.Location)
	for side := range int(sem.DualSourceIndex&1) + 1 {
		for w, m := range s[side] {
			if side == int(sem.DualSourceIndex&1) {
				if w > at/64 {
					break
				}
				if w == at/64 {
					m &= 1<<(at%64) - 1
				}
			}
			n += bits.OnesCount64(m)
		}
	}
	return n
}
