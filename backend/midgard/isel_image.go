package midgard

import (
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// image selects image intrinsics; false if in is none.
func (s *isel) image(in *ir.Instr) bool {
	switch in.Intr {
	case ir.IntrImageDerefLoad:
		s.imageLoad(in)
	case ir.IntrImageDerefStore:
		s.imageStore(in)
	case ir.IntrImageDerefTexelAddress:
		s.texelAddress(in)
	case ir.IntrImageDerefSize, ir.IntrImageDerefSamples:
		v, index := s.variable(in.Srcs[0].Def)
		dim, array := imageShape(in)
		x := abi.Sysval{Kind: abi.SysvalImageSize, Dim: dim, Array: array}
		if in.Intr == ir.IntrImageDerefSamples {
			x = abi.Sysval{Kind: abi.SysvalTextureSamples}
		}
		if o := s.imageValue(x, v, index); s.err == nil {
			s.viewOf(in, o)
		}
	default:
		return false
	}
	return true
}

func imageShape(in *ir.Instr) (ir.Dim, bool) {
	return ir.Dim(in.Get(ir.IdxImageDim)), in.Get(ir.IdxImageArray) != 0
}

// imageAccess describes the texel of an image access in t and moves the
// coordinates to load/store input 1. They are 16-bit integers, two a word (midgard.md §5.9);
// larger ones are cut to 0xffff, which is outside of every image.
func (s *isel) imageAccess(in *ir.Instr, t *inst) bool {
	dim, array := imageShape(in)
	v, index := s.variable(in.Srcs[0].Def)
	samples := dim == ir.DimMS || dim == ir.DimSubpassMS
	if dim == ir.DimSubpass {
		s.fail(in, "images of dimension %s of this form are not supported", dim)
		return false
	}
	r, first, at := s.place(&abi.ImageTable, v, index)
	if s.err != nil {
		return false
	}
	s.meta.Images = listed(s.meta.Images, abi.Texture{Range: r, Dim: dim, Array: array})
	if first > 255 { // the field is signed and has 9 bits
		if at.reg == regNone {
			at = constant(0)
		}
		first, at = 0, s.scaled(at, 1, constant(uint32(first)))
	}
	coord := in.Srcs[1].Def
	n := dimCoords(dim)
	if array && dim != ir.DimCube {
		n++
	}
	var parts []source
	c := s.operand(coord, n, func(i int) int { return i })
	switch {
	case dim == ir.DimBuf:
		parts = append(parts, s.comp(coord, 0))
	case samples && array:
		c = s.temp(isa.OpUmin, n, c, constant(0xffff))
		y := s.sampleRow(in, v, index, c.lane(1))
		parts = append(parts, s.temp(isa.OpIor, 1, c.lane(0), s.temp(isa.OpIshl, 1, y, constant(16))))
		if n > 2 {
			parts = append(parts, c.lane(2))
		}
	case samples:
		parts = append(parts, s.texelPlace(c, n), s.sampleNumber(in))
	default:
		parts = append(parts, s.texelPlace(c, n))
		if n > 2 {
			parts = append(parts, s.temp(isa.OpUmin, 1, c.lane(2), constant(0xffff)))
		}
	}
	t.ld.Arg, t.ld.Toggle = isa.AddrReg{Reg: 1}, len(parts) > 1
	t.ld.Index = isa.AddrReg{Reg: isa.AddrZero}
	if at.reg != regNone {
		t.ld.Index = isa.AddrReg{Reg: 1, Comp: uint8(len(parts))}
		parts = append(parts, at)
	}
	t.ld.SetSlot(first, 0)
	s.gather(regLd1, parts)
	s.turn = 1
	return true
}

// texelPlace puts the first two of n coordinates in a word.
func (s *isel) texelPlace(c source, n int) source {
	limit := constant(0xffff)
	if faults.has(faultTexelCoords) {
		limit = constant(0xffffffff)
	}
	if n == 1 {
		return s.temp(isa.OpUmin, 1, c.lane(0), limit)
	}
	d := dest{reg: s.f.newNode(1), half: true, lanes: fullMask(2)}
	s.aluTo(d, isa.OpUmin, c, limit)
	return source{reg: d.reg, swz: replicate(0)}
}

// sampleNumber is the sample of an access, which has 16 bits too.
func (s *isel) sampleNumber(in *ir.Instr) source {
	d := in.Srcs[2].Def
	if c, ok := d.Const(0); ok && c <= 0xffff || faults.has(faultTexelCoords) {
		return s.comp(d, 0)
	}
	return s.temp(isa.OpUmin, 1, s.comp(d, 0), constant(0xffff))
}

// sampleRow is the row of an array of multisampled images: its samples stand
// one below the other, so that row y of sample k is y + height*k (midgard.md §10). A row or a
// sample that there is not leads outside.
func (s *isel) sampleRow(in *ir.Instr, v *ir.Variable, index, y source) source {
	dim, array := imageShape(in)
	h := s.imageValue(abi.Sysval{Kind: abi.SysvalImageSize, Dim: dim, Array: array}, v, index).lane(1)
	outside := s.temp(isa.OpUle, 1, h, y)
	sample := s.temp(isa.OpUmin, 1, s.comp(in.Srcs[2].Def, 0), constant(0xff))
	row := s.temp(isa.OpIadd, 1, y, s.temp(isa.OpImul, 1, h, sample))
	return s.temp(isa.OpUmin, 1, s.temp(isa.OpIor, 1, row, outside), constant(0xffff))
}

// imageOp is the operation of an image access by type.
func imageOp(in *ir.Instr, x ir.Index, f, u, i isa.LdOp) isa.LdOp {
	switch ir.UnpackALUType(in.Get(x)).Class {
	case ir.ClassInt:
		return i
	case ir.ClassUint:
		return u
	}
	return f
}

func (s *isel) imageLoad(in *ir.Instr) {
	if in.Def.BitSize != 32 {
		s.fail(in, "images of %d-bit components are not supported: the hardware has no such texels", in.Def.BitSize)
		return
	}
	n := int(in.Def.NumComponents)
	t := inst{kind: kindLdSt, mask: fullMask(n)}
	t.ld = isa.LoadStore{Op: imageOp(in, ir.IdxDestType, isa.LdImageF32, isa.LdImageU32, isa.LdImageS32), Swizzle: isa.XYZW}
	if !s.imageAccess(in, &t) {
		return
	}
	t.dst = s.result(&in.Def)
	s.add(t)
}

func (s *isel) imageStore(in *ir.Instr) {
	val := in.Srcs[3].Def
	if val.BitSize != 32 {
		s.fail(in, "images of %d-bit components are not supported: the hardware has no such texels", val.BitSize)
		return
	}
	t := inst{kind: kindLdSt, dst: regNone}
	t.ld = isa.LoadStore{Op: imageOp(in, ir.IdxSrcType, isa.StImageF32, isa.StImageU32, isa.StImageS32), Swizzle: isa.XYZW, Mask: 15}
	data := s.whole(val)
	if !s.imageAccess(in, &t) {
		return
	}
	s.move(regLd0, 15, data)
	s.add(t)
}

// texelAddress asks for the address of the texel that an atomic is at.
func (s *isel) texelAddress(in *ir.Instr) {
	t := inst{kind: kindLdSt, mask: 3}
	t.ld = isa.LoadStore{Op: isa.LdLeaImage, Swizzle: isa.XYZW}
	if !s.imageAccess(in, &t) {
		return
	}
	t.dst = s.f.newFirst(2)
	s.add(t)
	s.viewOf(in, source{reg: t.dst, swz: identity})
}
