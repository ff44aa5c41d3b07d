package passes

import (
	"math/bits"

	"nirc/ir"
)

var lowerMediumpIOPass = &Pass{
	Name:  "lower_mediump_io",
	Class: "B",
	Doc: "Makes inputs and outputs with RelaxedPrecision 16 bits wide: loads give 16 bits and widen, stores narrow by f2fmp and i2imp. Takes the intrinsics of lower_io; built-ins stay. " +
		"Vertex attributes and fragment results are converted where they are fetched and written; varyings only if asked for, since the stages on both sides must agree.",
	Options: []Option{
		{"modes", "shader_in, shader_out or both", ir.ModeShaderIn | ir.ModeShaderOut},
		{"varyings", "varyings too", false},
		{"int", "integers too", false},
	},
	Run:        lowerMediumpIO,
	Idempotent: true,
	Optional:   true,
}

func lowerMediumpIO(c *Context, s *ir.Shader) (bool, error) {
	modes, varyings, ints := c.Modes("modes"), c.Bool("varyings"), c.Bool("int")
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (progress bool) {
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				mode := ioMode(in)
				if mode&modes == 0 || !relaxedSlot(s.Stage, in, mode, varyings) {
					continue
				}
				progress = mediumpAccess(in, mode, ints) || progress
			}
		}
		return progress
	}), nil
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

// relaxedSlot tells whether the slots of an access have RelaxedPrecision and
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

func mediumpAccess(in *ir.Instr, mode ir.Mode, ints bool) bool {
	idx, size := ir.IdxDestType, in.Def.BitSize
	if !in.HasDef() {
		idx, size = ir.IdxSrcType, in.Srcs[0].Def.BitSize
	}
	if size != 32 || !in.Has(idx) {
		return false
	}
	class := ir.UnpackALUType(in.Get(idx)).Class
	if class != ir.ClassFloat && (!ints || class != ir.ClassInt && class != ir.ClassUint) {
		return false
	}
	narrow, widen := mediumpCasts(class)
	in.Set(idx, ir.ALUType{Class: class, Bits: 16}.Pack())
	if in.HasDef() {
		in.Def.BitSize = 16
		widenAfter(in, widen)
	} else {
		in.Srcs[0].Set(builderBefore(in).ALU(narrow, in.Srcs[0].Def))
	}
	return true
}

var recomputeIOBasesPass = &Pass{
	Name:  "recompute_io_bases",
	Class: "B",
	Doc: "Numbers the bases of inputs and outputs anew: the slots that the shader still accesses, in order, without gaps. Takes the intrinsics of lower_io. " +
		"Both sides of an interface must be numbered alike, so it is for those that nothing else looks at.",
	Options: []Option{
		{"modes", "shader_in, shader_out or both", ir.ModeShaderIn | ir.ModeShaderOut},
	},
	Run:        recomputeIOBases,
	Idempotent: true,
}

// slotSet is a set of slots: those of dual-source results are apart.
type slotSet [2][4]uint64

func (s *slotSet) add(sem ir.IOSemantics) {
	for k := range max(int(sem.NumSlots), 1) {
		n := min(int(sem.Location)+k, 255)
		s[sem.DualSourceIndex&1][n/64] |= 1 << (n % 64)
	}
}

// rank is the number of slots in front of one.
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

func recomputeIOBases(c *Context, s *ir.Shader) (bool, error) {
	modes := c.Modes("modes")
	var used [2]slotSet
	side := func(m ir.Mode) *slotSet {
		if m == ir.ModeShaderIn {
			return &used[0]
		}
		return &used[1]
	}
	each := func(impl *ir.Impl, f func(in *ir.Instr, set *slotSet, sem ir.IOSemantics)) {
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				if m := ioMode(in); m&modes != 0 {
					f(in, side(m), ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)))
				}
			}
		}
	}
	for _, f := range s.Functions {
		if f.Impl != nil {
			each(f.Impl, func(_ *ir.Instr, set *slotSet, sem ir.IOSemantics) { set.add(sem) })
		}
	}
	return eachImpl(s, ir.MetaAll, func(impl *ir.Impl) (progress bool) {
		each(impl, func(in *ir.Instr, set *slotSet, sem ir.IOSemantics) {
			if base := uint64(set.rank(sem)); in.Get(ir.IdxBase) != base {
				in.Set(ir.IdxBase, base)
				progress = true
			}
		})
		return progress
	}), nil
}
