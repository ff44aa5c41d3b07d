package core

import (
	"errors"
	"fmt"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/layout"
	"nirc/internal/emu"
	"nirc/ir"
)

// descriptor finds what stands at an index of a bindless set: the binding and
// the element of it; sampler wants that of a sampler. Unbound elements are of type emu.DescNone.
func (w *wave) descriptor(base int, index uint32, sampler bool) (*abi.Descriptor, *emu.Descriptor, error) {
	if base < 0 || base > 7 {
		return nil, nil, errors.New("the classic binding table is not supported, only bindless descriptors are")
	}
	d, e, err := w.entry(base, index)
	if err != nil {
		return nil, nil, err
	}
	if w.holdsSampler(&e) != sampler && w.check != nil {
		return nil, nil, fmt.Errorf("slot %d of descriptor set %d is not the half of binding %d that is wanted", index, base, e.Binding)
	}
	return d, w.l.Env.Bindings.Lookup(e.Set, e.Binding, e.Element), nil
}

// holdsSampler reports whether a slot is one for samplers.
func (w *wave) holdsSampler(e *layout.Entry) bool {
	if b := w.l.Env.Layout.Find(e.Set, e.Binding); b != nil && b.Type == layout.Sampler {
		return true
	}
	return e.Part == 1
}

// texNumbers gives the texture and the sampler of a category 5 instruction in
// a lane as sets and indices.
func (w *wave) texNumbers(x *inst, lane int) (base int, tex uint32, sbase int, smp uint32) {
	base = int(x.Set) - 1
	sbase, tex, smp = base, uint32(x.Tex), uint32(x.Samp)
	switch x.Mode {
	case isa.TexBindlessImm:
		return
	case isa.TexBindlessA1Imm:
		sbase = int(w.a1 & 7)
		if w.p.meta.Gen == isa.A6xx {
			tex, smp = w.a1>>3, tex
		} else {
			smp = w.a1 >> 3
		}
		if x.Op.TwoTextures() {
			smp &= 15
		}
		return
	case isa.TexDirect, isa.TexUniform, isa.TexNonuniform:
		return -1, 0, -1, 0
	case isa.TexBindlessA1, isa.TexBindlessA1Nonu:
		sbase = int(w.a1 & 7)
	}
	lane = w.numbersFrom(x, lane)
	reg := int(x.Srcs[2].Val)
	tex = w.texGet(x, reg, lane, false)
	if _, _, n := x.TexSources(); n > 1 {
		smp = w.texGet(x, reg+1, lane, false)
	}
	return
}

// numbersFrom is the lane whose registers have the numbers of descriptors for a lane: a uniform mode takes those of the first active
// one for all.
func (w *wave) numbersFrom(x *inst, lane int) int {
	if x.Mode.OneDescriptor() {
		for first := range w.exec.Lanes() {
			return first
		}
	}
	return lane
}

// uniformNumbers reports an error where the active fibers have different numbers of descriptors for a texture instruction of a
// uniform mode.
func (w *wave) uniformNumbers(x *inst) error {
	_, _, n := x.TexSources()
	for k := range n {
		reg := int(x.Srcs[2].Val) + k
		for lane := range w.exec.Lanes() {
			if w.texGet(x, reg, lane, false) != w.texGet(x, reg, w.numbersFrom(x, lane), false) {
				return fmt.Errorf("the numbers of descriptors in r%d.%c differ between fibers, and the mode is uniform", reg>>2, "xyzw"[reg&3])
			}
		}
	}
	return nil
}

// texture is the texture of an instruction in a lane.
func (w *wave) texture(x *inst, lane int) (*abi.Descriptor, *emu.Descriptor, error) {
	if x.Mode == isa.TexDirect && x.Op == isa.OpIsamm {
		return w.attachment(x)
	}
	base, tex, _, _ := w.texNumbers(x, lane)
	return w.descriptor(base, tex, false)
}

// reachesTexture notes an access of a lane to its texture if that is missing.
func (w *wave) reachesTexture(x *inst, lane int, res *emu.Descriptor) {
	if res.Type == emu.DescNone {
		base, tex, _, _ := w.texNumbers(x, lane)
		w.reaches(lane, base, tex, res)
	}
}

// secondTexture is the second texture of an instruction in a lane: its set is in a1.x, its number there or the third of the
// vector.
func (w *wave) secondTexture(x *inst, lane int) (*emu.Descriptor, error) {
	index := w.a1 >> 7 & 63
	switch x.Mode {
	case isa.TexBindlessA1Imm:
	case isa.TexBindlessA1, isa.TexBindlessA1Nonu:
		index = w.texGet(x, int(x.Srcs[2].Val)+2, w.numbersFrom(x, lane), false)
	default:
		return nil, errors.New("a second texture without a1.x is not supported by this core")
	}
	_, d, err := w.descriptor(int(w.a1>>13&7), index, false)
	return d, err
}

// sampler is the sampler of an instruction in a lane.
func (w *wave) sampler(x *inst, lane int) (*emu.Sampler, error) {
	_, _, base, smp := w.texNumbers(x, lane)
	_, d, err := w.descriptor(base, smp, true)
	if err != nil {
		return nil, err
	}
	return d.Sampler, nil
}

// texDim is the shape of a texture as an instruction sees it.
func texDim(v abi.View, threeD bool) emu.TexDim {
	switch {
	case threeD && v.Dim == ir.DimCube:
		return emu.TexCube
	case threeD:
		return emu.Tex3D
	case v.Dim == ir.Dim1D:
		return emu.Tex1D
	}
	return emu.Tex2D
}

// eachTexel gives each active fiber what f finds for it. All read before one writes: the numbers of descriptors of a uniform
// mode are the first one's, and the result may take their registers.
func (w *wave) eachTexel(x *inst, f func(lane int) ([4]uint32, error)) error {
	var texels [128][4]uint32
	for lane := range w.exec.Lanes() {
		t, err := f(lane)
		if err != nil {
			return err
		}
		texels[lane] = t
	}
	for lane := range w.exec.Lanes() {
		w.putWords(x, lane, texels[lane])
	}
	return nil
}

// putTexel writes the components of a texel in the mask to a lane.
func (w *wave) putTexel(x *inst, lane int, t [4]uint32) { w.putWords(x, lane, w.typed(x, t)) }

// typed is a texel in the type of the instruction.
func (w *wave) typed(x *inst, t [4]uint32) [4]uint32 {
	if x.Type == isa.F16 {
		for k := range t {
			t[k] = w.texelHalf(t[k])
		}
	}
	return t
}

// putWords writes those of four words that are in the mask to a lane.
func (w *wave) putWords(x *inst, lane int, t [4]uint32) {
	for k, v := range t {
		if x.WrMask>>k&1 != 0 {
			w.laneSet(int(x.Dst.Val)+k, lane, x.dst.half, v)
		}
	}
}

// texelHalf is a component of a texel as a half: cut (ir3.md §3.7), or to nearest where results are exact, to be compared
// with those of a core that rounds.
func (w *wave) texelHalf(v uint32) uint32 {
	mode := isa.RoundZero
	if w.l.Approx == 0 {
		mode = isa.RoundEven
	}
	return f2h(float64(floatOf(v)), mode)
}
