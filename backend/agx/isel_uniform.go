package agx

import (
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
)

func (s *isel) uniform(t *isa.Instr, i int, o opnd, allow isa.Allow, uses []mach.Value) []mach.Value {
	want, size := isa.AllowUniform32, uint8(32)
	if o.half {
		want, size = isa.AllowUniform16, 16
	}
	if allow&want == 0 || noUniforms(t.Op) {
		return s.register(t, i, s.reg(o), uses)
	}
	t.Srcs[i] = isa.Operand{Kind: isa.Uniform, Size: size, Count: 1, Val: int32(o.bits), Flags: o.mods}
	return uses
}

// noUniforms lists instructions whose encoding has uniforms that compilers
// never use there (agx.md §12.1).
func noUniforms(op isa.Op) bool {
	switch op {
	case isa.OpIcmpBallot, isa.OpFcmpBallot, isa.OpIcmpQuadBallot, isa.OpFcmpQuadBallot:
		return true
	}
	return false
}
