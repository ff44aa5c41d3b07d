package isa

// TexSources returns the number of registers of the three source vectors of a
// category 5 instruction (ir3.md §3.7): coordinates
// with what follows them, offsets, LOD or bias and the bound of the LOD, descriptor indices.
func (in *Instr) TexSources() (n1, n2, n3 int) {
	switch in.Op {
	case OpGetbuf, OpGetinfo, OpTcinv, OpRgetinfo:
	case OpGetsize, OpGetpos, OpRgetpos:
		n1 = 1
	case OpIsam, OpIsaml, OpIsamm, OpSam, OpSamb, OpSaml, OpSamgq, OpGetlod, OpGather4r, OpGather4g, OpGather4b, OpGather4a,
		OpSamgp0, OpSamgp1, OpSamgp2, OpSamgp3:
		n1, n2 = in.texVectors()
	case OpImgHof, OpImgPcmn, OpImgSad, OpImgSsd:
		if n1 = 2; in.Op != OpImgHof {
			n2 = 2
		}
	default:
		for n := in.WrMask; n != 0; n >>= 1 {
			n1++
		}
		n1 = max(n1, 1)
		if in.Op == OpQuadBrcst {
			n2 = 1
		}
		return n1, n2, 0
	}
	if in.Srcs[2].Kind == Reg {
		n3 = 2
		if in.Op.TwoTextures() {
			n3 = 3
		}
		if in.Op == OpGetsize || in.Op == OpGetbuf || in.Op == OpGetinfo {
			n3 = 1
		}
	}
	return n1, n2, n3
}

// TwoTextures reports whether an operation reads a second texture: weights, or the reference of a block match. a1.x names
// it as well as the sampler (ir3.md §2.8).
func (op Op) TwoTextures() bool { return op == OpImgHof || op == OpImgSad || op == OpImgSsd }

func (in *Instr) texVectors() (n1, n2 int) {
	dims := 2
	if in.Flags&Tex3D != 0 {
		dims = 3
	}
	n1 = dims
	if in.Op == OpIsam && in.Flags&TexS != 0 { // isam.v: the number of an element
		n1 = 1
	}
	if in.Flags&TexS != 0 && in.Op != OpIsam {
		n1++
	}
	if in.Flags&TexA != 0 {
		n1++
	}
	if in.Flags&TexP != 0 && in.Op != OpIsam {
		n1++
	}
	switch in.Op {
	case OpIsamm:
		n1++
	case OpSamgq, OpSamgp0, OpSamgp1, OpSamgp2, OpSamgp3:
		n1 = max(n1, 4) + 2*dims
	}
	if in.Flags&TexO != 0 {
		n2 = dims
	}
	switch in.Op {
	case OpIsaml, OpSamb, OpSaml:
		n2++
	}
	if in.Flags&TexClp != 0 {
		n2++
	}
	return n1, n2
}
