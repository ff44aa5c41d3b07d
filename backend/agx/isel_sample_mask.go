package agx

import (
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// discard kills samples: their mask is 16 bits.
func (s *isel) discard(mask opnd) {
	s.meta.UsesDiscard = true
	if s.meta.PerSample {
		mask = s.intOp(bitop(tableAnd), true, mask, s.in.sampleMask)
	}
	t := isa.Instr{Op: isa.OpSampleMask}
	t.Srcs[1] = isa.I(0)
	if mask.kind == opImm {
		t.Srcs[0] = isa.I(int(mask.bits))
		s.add(t, 0)
		return
	}
	uses := s.register(&t, 0, s.reg(mask), nil)
	s.add(t, 0, uses...)
}

// test has the samples that were not discarded tested, after the last
// discard. A shader without discards leaves that to fixed function.
func (s *isel) test() {
	if !s.meta.UsesDiscard || s.part == abi.PartMain {
		return // the epilog may discard too, and tests after that
	}
	if s.meta.TestsInEpilog() && !faults.has(faultTestTwice) {
		return
	}
	s.testSamples()
}

// testSamples has all samples that the invocation shades tested.
func (s *isel) testSamples() {
	s.add(isa.Instr{Op: isa.OpWaitPix, Imm: 1}, 0)
	t := isa.Instr{Op: isa.OpSampleMask}
	t.Srcs[0], t.Srcs[1] = isa.I(samplesAll), isa.I(samplesAll)
	if s.meta.PerSample {
		uses := s.register(&t, 0, s.reg(s.in.sampleMask), nil)
		s.add(t, 0, uses...)
		return
	}
	s.add(t, 0)
}

// maxSamples is the largest number of samples of a pixel.
const maxSamples = 4

// samplePosition selects the position of the current sample among those that
// the driver gives.
func (s *isel) samplePosition(in *ir.Instr) []opnd {
	n := s.take(in, abi.Uniform{Kind: abi.UniformSamplePositions, Size: 8 * maxSamples}, uniformHalves)
	at := func(sample, k int) opnd { return opnd{kind: opUniform, bits: n + uint32(4*sample+2*k)} }
	ops := []opnd{at(0, 0), at(0, 1)}
	for sample := 1; sample < maxSamples; sample++ {
		for k := range ops {
			c := cond{op: isa.CondUEQ, a: s.in.sampleMask, b: imm16(1 << sample)}
			ops[k] = s.selectBy(c, false, at(sample, k), ops[k])
		}
	}
	return ops
}

// maskSource makes a sample mask source i of t.
func (s *isel) maskSource(t *isa.Instr, i int, d *ir.Def, uses []mach.Value) []mach.Value {
	o := s.comp(d, 0).fold()
	if o.kind == opImm && o.bits <= samplesAll {
		t.Srcs[i] = isa.I(int(o.bits))
		return uses
	}
	return s.register(t, i, s.reg(s.sized(o, true)), uses)
}

func (s *isel) sampleMask(in *ir.Instr) {
	live := s.comp(in.Srcs[1].Def, 0)
	if !live.isImm(0) {
		s.add(isa.Instr{Op: isa.OpWaitPix, Imm: 1}, 0)
	}
	t := isa.Instr{Op: isa.OpSampleMask}
	uses := s.maskSource(&t, 0, in.Srcs[0].Def, nil)
	uses = s.maskSource(&t, 1, in.Srcs[1].Def, uses)
	s.add(t, 0, uses...)
}

// sampleID is the number of the sample being shaded.
func (s *isel) sampleID(half bool) opnd {
	return s.intOp(isa.Instr{Op: isa.OpFfs}, half, s.in.sampleMask)
}
