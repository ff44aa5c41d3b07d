package passes

import (
	"strings"

	"nirc/ir"
)

var lowerRobustAccessPass = &Pass{
	Name: "lower_robust_access", Class: "A", Run: lowerRobustAccess,
	Doc: "Puts a test of the bounds around accesses to storage, uniform and shared memory, to texels of images, and to global memory whose bound is a source: " +
		"loads beyond the end give 0, stores and atomics do nothing. An access counts as beyond if any byte of it is, or a coordinate, the layer or the sample.",
	Options: []Option{
		{"modes", "memory that is tested: mem_ssbo, mem_ubo, mem_shared, image, mem_global", ir.ModeSSBO | ir.ModeUBO},
		{"addresses", "of images the addresses of texels are tested, and no accesses, if the shader's options ask for it: that of memory which nobody reads stands for texels that there are not", false},
	},
}

func lowerRobustAccess(c *Context, s *ir.Shader) (bool, error) {
	modes, addresses := c.Modes("modes"), c.Bool("addresses")
	return eachImpl(s, ir.MetaNone, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool {
			class, _, _ := boundedAccess(in)
			image := !addresses && imageAccess(in) || addresses && asksForTexel(s, in)
			return class&modes != 0 || modes&ir.ModeImage != 0 && image || modes&ir.ModeGlobal != 0 && in.Intr == ir.IntrLoadGlobalConstantBounded
		})
		for _, in := range list {
			b := builderBefore(in)
			switch class, off, bytes := boundedAccess(in); {
			case in.Intr == ir.IntrLoadGlobalConstantBounded:
				guardBounded(b, in)
			case addresses && in.Memory().Op == ir.MemAddress:
				divert(b, in, texelFits(b, in))
			case class == 0:
				guard(b, in, texelFits(b, in))
			default:
				at := in.Srcs[off].Def
				if in.Has(ir.IdxBase) {
					at = b.IAddImm(at, int64(in.Get(ir.IdxBase)))
				}
				guard(b, in, bytesFit(b, at, bufferEnd(b, s, in, class), bytes))
			}
		}
		return len(list) > 0
	}), nil
}

// boundedAccess describes an access by offset: its memory, which source is
// the offset, and how many bytes it touches.
func boundedAccess(in *ir.Instr) (class ir.Mode, off int, bytes uint32) {
	m := in.Memory()
	if !m.Accesses() || !m.Plain() {
		return 0, 0, 0
	}
	switch m.Space {
	case ir.SpaceSsbo, ir.SpaceUbo, ir.SpaceShared:
		return in.MemoryModes(), int(m.Addr), accessBytes(in)
	}
	return 0, 0, 0
}

// bufferEnd is the size of what in reaches.
func bufferEnd(b *ir.Builder, s *ir.Shader, in *ir.Instr, class ir.Mode) *ir.Def {
	switch class {
	case ir.ModeSSBO:
		return &b.Intrinsic(ir.IntrGetSsboSize, 1, 32, bufferHandle(in).Def).Def
	case ir.ModeUBO:
		return &b.Intrinsic(ir.IntrGetUboSize, 1, 32, bufferHandle(in).Def).Def
	}
	return b.Imm32(s.SharedSize)
}

// bytesFit tests, without wrapping around, that at < end and the bytes fit after it.
func bytesFit(b *ir.Builder, at, end *ir.Def, bytes uint32) *ir.Def {
	return b.Iand(b.Ult(at, end), b.Uge(b.Isub(end, at), b.Imm32(bytes)))
}

// guard lets in run only where fits holds; elsewhere it gives zeros.
func guard(b *ir.Builder, in *ir.Instr, fits *ir.Def) {
	i := b.PushIf(fits)
	in.MoveTo(ir.AtEnd(b.Cursor.Block))
	b.PushElse(i)
	if !in.HasDef() {
		b.PopIf(i)
		return
	}
	zero := b.Const(in.Def.BitSize, make([]uint64, in.Def.NumComponents)...)
	var uses []*ir.Src
	for u := range in.Def.Uses() {
		uses = append(uses, u)
	}
	b.PopIf(i)
	phi := b.IfPhi(i, &in.Def, zero)
	for _, u := range uses {
		u.Set(phi)
	}
}

// guardBounded makes a load with a bound one without that runs where its bytes fit.
func guardBounded(b *ir.Builder, in *ir.Instr) {
	l := b.Intrinsic(ir.IntrLoadGlobalConstantOffset, in.Def.NumComponents, in.Def.BitSize, in.Srcs[0].Def, in.Srcs[1].Def)
	l.CopyIndices(in)
	in.Def.RewriteUses(&l.Def)
	fits := bytesFit(builderBefore(l), in.Srcs[1].Def, in.Srcs[2].Def, accessBytes(in))
	in.Remove()
	guard(builderBefore(l), l, fits)
}

// divert puts the address of memory that nobody reads in place of that of in unless there is a texel.
func divert(b *ir.Builder, in *ir.Instr, fits *ir.Def) {
	b.Cursor = ir.After(in)
	sink := &b.Intrinsic(ir.IntrLoadSinkAddressPan, 1, in.Def.BitSize).Def
	var uses []*ir.Src
	for u := range in.Def.Uses() {
		uses = append(uses, u)
	}
	at := b.Bcsel(fits, &in.Def, sink)
	for _, u := range uses {
		u.Set(at)
	}
}

// imageAccess reports whether in reads or writes texels of an image.
func imageAccess(in *ir.Instr) bool {
	m := in.Memory()
	return m.Space == ir.SpaceImage && m.Accesses() && m.Addr >= 0 && in.Intr.Info().Srcs[m.Addr] == 4 && len(in.Srcs) > 2
}

// asksForTexel reports whether in is the address of a texel that there may not be. Texel buffers are as robust as buffers.
func asksForTexel(s *ir.Shader, in *ir.Instr) bool {
	if m := in.Memory(); m.Space != ir.SpaceImage || m.Op != ir.MemAddress {
		return false
	}
	if ir.Dim(in.Get(ir.IdxImageDim)) == ir.DimBuf {
		return s.Options.Robust.Storage != ir.RobustOff
	}
	return s.Options.Robust.Images != ir.RobustOff
}

// imageQuestions are the questions about size and samples of an image by deref, number and handle.
var imageQuestions = [3][2]ir.Intrinsic{
	{ir.IntrImageDerefSize, ir.IntrImageDerefSamples}, {ir.IntrImageSize, ir.IntrImageSamples}, {ir.IntrBindlessImageSize, ir.IntrBindlessImageSamples},
}

// texelFits tests the coordinates, the layer and the sample of an access to an image.
func texelFits(b *ir.Builder, in *ir.Instr) *ir.Def {
	form := 1
	if in.Intr.Info().Derefs > 0 {
		form = 0
	} else if strings.HasPrefix(in.Intr.Info().Name, "bindless") {
		form = 2
	}
	ask := func(k int, comps uint8, srcs ...*ir.Def) *ir.Def {
		q := b.Intrinsic(imageQuestions[form][k], comps, 32, srcs...)
		for _, i := range []ir.Index{ir.IdxImageDim, ir.IdxImageArray, ir.IdxFormat, ir.IdxAccess} {
			q.Set(i, in.Get(i))
		}
		return &q.Def
	}
	dim, array := ir.Dim(in.Get(ir.IdxImageDim)), in.Get(ir.IdxImageArray) != 0
	coords := map[ir.Dim]int{ir.Dim1D: 1, ir.DimBuf: 1, ir.Dim3D: 3}[dim]
	if coords == 0 {
		coords = 2
	}
	n := coords
	if array {
		n++
	}
	at := resizeInt(b, in.Srcs[1].Def, 32)
	size := ask(0, uint8(n), in.Srcs[0].Def, b.Imm32(0))
	flat := coords
	if array && dim != ir.DimCube {
		flat++
	}
	below := b.Ult(b.Channels(at, 0, flat), b.Channels(size, 0, flat))
	fits := b.Channel(below, 0)
	and := func(c *ir.Def) { fits = b.Iand(fits, c) }
	for i := 1; i < flat; i++ {
		and(b.Channel(below, i))
	}
	switch {
	case dim == ir.DimCube && array:
		and(b.Ult(b.Channel(at, 2), b.Imul(b.Channel(size, 2), b.Imm32(6))))
	case dim == ir.DimCube:
		and(b.Ult(b.Channel(at, 2), b.Imm32(6)))
	}
	if dim == ir.DimMS {
		and(b.Ult(resizeInt(b, in.Srcs[2].Def, 32), ask(1, 1, in.Srcs[0].Def)))
	}
	return fits
}
