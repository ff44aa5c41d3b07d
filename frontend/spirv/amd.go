package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// AMD's extended sets, whose instructions are all sequences of others: what they mean say the extensions
// SPV_AMD_shader_trinary_minmax, SPV_AMD_gcn_shader, SPV_AMD_shader_ballot and SPV_AMD_shader_explicit_vertex_parameter.

// amdSet translates an instruction of one of AMD's sets and reports whether it was one.
func (t *translator) amdSet(in *inst, set spv.ExtSet) bool {
	n := t.arg(in, 1)
	x := *in
	x.args = in.args[2:]
	switch set {
	case spv.ExtSetAMDShaderTrinaryMinmax:
		return t.trinary(&x, spv.AMDShaderTrinaryMinmax(n))
	case spv.ExtSetAMDGCNShader:
		return t.gcn(&x, spv.AMDGCNShader(n))
	case spv.ExtSetAMDShaderBallot:
		return t.amdBallot(&x, spv.AMDShaderBallot(n))
	case spv.ExtSetAMDShaderExplicitVertexParameter:
		t.interpolateAtVertex(&x)
		return true
	}
	return false
}

// trinaryOps are the minimum and the maximum of floats, unsigned and signed integers, in the order of the set.
var trinaryOps = [3][2]ir.Op{{ir.OpFmin, ir.OpFmax}, {ir.OpUmin, ir.OpUmax}, {ir.OpImin, ir.OpImax}}

// trinary translates the least, the greatest and the middle one of three.
func (t *translator) trinary(in *inst, n spv.AMDShaderTrinaryMinmax) bool {
	if n < spv.AMDShaderTrinaryMinmaxFMin3AMD || n > spv.AMDShaderTrinaryMinmaxSMid3AMD {
		return false
	}
	kind, what := (n-1)%3, (n-1)/3
	var s [3]*ir.Def
	for k := range s {
		if kind == 0 {
			s[k] = t.floatLike(in, k, s[0])
		} else {
			s[k] = t.intLike(in, k, s[0])
		}
	}
	b, low, high := t.f.b, trinaryOps[kind][0], trinaryOps[kind][1]
	switch what {
	case 0:
		t.set(in, b.ALU(low, b.ALU(low, s[0], s[1]), s[2]))
	case 1:
		t.set(in, b.ALU(high, b.ALU(high, s[0], s[1]), s[2]))
	default: // the lesser of the greater two, as far as the third is not below both
		t.set(in, b.ALU(high, b.ALU(low, s[0], s[1]), b.ALU(low, b.ALU(high, s[0], s[1]), s[2])))
	}
	return true
}

// gcn translates the face and the coordinate that a cube map is sampled at, and the clock of a core.
func (t *translator) gcn(in *inst, n spv.AMDGCNShader) bool {
	b := t.f.b
	switch n {
	case spv.AMDGCNShaderCubeFaceIndexAMD:
		face, _, _, _ := t.cubeFace(t.floatVector(t.arg(in, 0), 3, 32))
		t.set(in, face)
	case spv.AMDGCNShaderCubeFaceCoordAMD:
		_, s, u, major := t.cubeFace(t.floatVector(t.arg(in, 0), 3, 32))
		half := b.ImmFloat(0.5, 32)
		place := func(x *ir.Def) *ir.Def { return b.Fadd(b.Fmul(b.Fdiv(x, major), half), half) }
		t.set(in, b.Vec(place(s), place(u)))
	case spv.AMDGCNShaderTimeAMD:
		d := &b.Intrinsic(ir.IntrShaderClock, 2, 32).Set(ir.IdxMemoryScope, uint64(ir.ScopeSubgroup)).Def
		t.set(in, b.Pack64_2x32(d))
	default:
		return false
	}
	return true
}

// cubeFace is the face of a direction, as a float, its coordinates there and the size of the major axis (Vulkan,
// Cube Map Face Selection): z goes before y, and y before x where axes are alike.
func (t *translator) cubeFace(p *ir.Def) (face, s, u, major *ir.Def) {
	b := t.f.b
	x, y, z := b.Channel(p, 0), b.Channel(p, 1), b.Channel(p, 2)
	ax, ay, az := b.Fabs(x), b.Fabs(y), b.Fabs(z)
	zero := b.ImmFloat(0, 32)
	onZ := b.Iand(b.Fge(az, ax), b.Fge(az, ay))
	onY := b.Fge(ay, ax)
	sign := func(v, below, above *ir.Def) *ir.Def { return b.Bcsel(b.Flt(v, zero), below, above) }
	number := func(n float64) *ir.Def { return b.ImmFloat(n, 32) }
	pick := func(ofZ, ofY, ofX *ir.Def) *ir.Def { return b.Bcsel(onZ, ofZ, b.Bcsel(onY, ofY, ofX)) }
	face = pick(sign(z, number(5), number(4)), sign(y, number(3), number(2)), sign(x, number(1), number(0)))
	s = pick(sign(z, b.Fneg(x), x), x, sign(x, z, b.Fneg(z)))
	u = pick(b.Fneg(y), sign(y, b.Fneg(z), z), b.Fneg(y))
	return face, s, u, pick(az, ay, ax)
}

// amdBallot translates the exchange of values between lanes, and the count of lanes below.
func (t *translator) amdBallot(in *inst, n spv.AMDShaderBallot) bool {
	b := t.f.b
	lane := func() *ir.Def { return &b.Intrinsic(ir.IntrLoadSubgroupInvocation, 1, 32).Def }
	switch n {
	case spv.AMDShaderBallotSwizzleInvocationsAMD:
		x, offset, own := t.vector(t.arg(in, 0)), t.intVector(t.arg(in, 1), 4, 32), lane()
		of := t.extract(offset, b.Iand(own, t.f.u32(3)))
		t.set(in, t.otherLane(x, b.Ior(b.Iand(own, t.f.u32(^uint32(3))), of)))
	case spv.AMDShaderBallotSwizzleInvocationsMaskedAMD:
		x, mask, own := t.vector(t.arg(in, 0)), t.intVector(t.arg(in, 1), 3, 32), lane()
		of := b.Iand(b.Iand(own, t.f.u32(31)), b.Channel(mask, 0))
		of = b.Ixor(b.Ior(of, b.Channel(mask, 1)), b.Channel(mask, 2))
		t.set(in, t.otherLane(x, b.Ior(b.Iand(own, t.f.u32(^uint32(31))), b.Iand(of, t.f.u32(31)))))
	case spv.AMDShaderBallotWriteInvocationAMD:
		x := t.vector(t.arg(in, 0))
		y := t.vector(t.arg(in, 1))
		if x.NumComponents != y.NumComponents || x.BitSize != y.BitSize {
			t.fail(in.id, "WriteInvocationAMD: the values have different types")
		}
		t.set(in, b.Bcsel(t.splat(b.Ieq(lane(), t.intVector(t.arg(in, 2), 1, 32)), x.NumComponents), y, x))
	case spv.AMDShaderBallotMbcntAMD:
		m := b.Unpack64_2x32(t.intVector(t.arg(in, 0), 1, 64))
		wide := b.Vec(b.Channel(m, 0), b.Channel(m, 1), t.f.u32(0), t.f.u32(0))
		t.set(in, &b.Intrinsic(ir.IntrBallotBitCountExclusive, 1, 32, wide).Def)
	default:
		return false
	}
	return true
}

// otherLane is a lane's value, 0 of lanes that do not run.
func (t *translator) otherLane(x, lane *ir.Def) *ir.Def {
	b := t.f.b
	runs := &b.Intrinsic(ir.IntrBallot, 4, 32, b.ImmBool(true)).Def
	there := &b.Intrinsic(ir.IntrBallotBitfieldExtract, 1, 1, runs, lane).Def
	v := &b.Intrinsic(ir.IntrShuffle, x.NumComponents, x.BitSize, x, lane).Def
	zero := t.f.constant(x.BitSize, make([]uint64, x.NumComponents)...)
	return b.Bcsel(t.splat(there, x.NumComponents), v, zero)
}

// splat is a vector of equal components.
func (t *translator) splat(x *ir.Def, n uint8) *ir.Def {
	if n == 1 {
		return x
	}
	list := make([]*ir.Def, n)
	for i := range list {
		list[i] = x
	}
	return t.f.b.Vec(list...)
}
