package ir

import "nirc/ir/optab"

// rays checks rule I19: what works on a ray query has one in temporary storage, and loads what there is.
func (v *validator) rays(in *Instr) {
	switch {
	case in.Intr == IntrLoadAccelStruct:
		d := in.Srcs[0].Def.Instr.DerefInfo()
		v.check(d.Modes == ModeUniform && d.Type.Base == BaseAccelStruct, "I19", in, "no acceleration structure, but a %s in %s", d.Type, d.Modes)
	case in.IsRayQuery():
		d := in.Srcs[0].Def.Instr.DerefInfo()
		v.check(d.Modes&^(ModeShaderTemp|ModeFunctionTemp) == 0 && d.Type.Base == BaseRayQuery, "I19", in, "no ray query, but a %s in %s", d.Type, d.Modes)
		if x := in.Get(IdxRayQueryValue); in.Intr == IntrRqLoad && x < uint64(len(rayQueryValues)) {
			r := &rayQueryValues[x]
			bits := in.Def.BitSize
			v.check(in.Def.NumComponents == r.comps && (bits == r.bits || r.bits == 1 && optab.BitsBool.Has(bits)), "I19", in, "%s of %d components and %d bits", r.name, in.Def.NumComponents, bits)
			v.check(in.Get(IdxColumn) < uint64(r.columns), "I19", in, "%s has no column %d", r.name, in.Get(IdxColumn))
		}
	}
}
