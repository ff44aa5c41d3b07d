package ir3

import (
	"fmt"
	"math"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// slotPlace is an element of a binding.
type slotPlace struct{ set, binding, element uint32 }

// The slots of textures and of samplers on both sides of what instructions hold of them, 16 and 256, in several sets.
var (
	slotTextures = []slotPlace{{0, 0, 0}, {0, 7, 0}, {0, 8, 0}, {0, 63, 1}, {0, 0, 2}, {1, 2, 0}, {2, 8, 0}, {4, 63, 1}, {3, 0, 2}}
	slotSamplers = []slotPlace{{0, 6, 0}, {0, 9, 0}, {0, 62, 1}, {0, 1, 2}, {2, 6, 0}, {1, 62, 1}, {4, 9, 0}, {3, 1, 2}}
)

// slotWorld binds the textures and samplers, and others beside them. A texture's texels say which it is and which level was
// read, a sampler reads a level of its own.
func slotWorld(env *emu.Env) {
	const levels = 9
	texture := func(n int) *emu.ImageView {
		img, err := emu.NewImage(emu.ImageDesc{Width: 1 << (levels - 1), Height: 1, Mips: levels, Format: emu.FormatByName("R32G32B32A32_SFLOAT")})
		if err != nil {
			panic(err)
		}
		v := &emu.ImageView{Image: img}
		for mip := range levels {
			for x := range 1 << (levels - 1 - mip) {
				texel := math.Float32bits(float32(n*16 + mip))
				v.Store(x, 0, 0, mip, 0, [4]uint32{texel, texel, texel, texel})
			}
		}
		return v
	}
	var bind emu.Bindings
	others := texture(100)
	for n, p := range slotTextures {
		list := make([]emu.Descriptor, 3)
		for i := range list {
			list[i] = emu.Descriptor{Type: emu.DescSampledImage, Image: others}
		}
		list[p.element].Image = texture(n)
		bind.Set(p.set, p.binding, list)
	}
	for n, p := range slotSamplers {
		list := make([]emu.Descriptor, 3)
		for i := range list {
			list[i] = emu.Descriptor{Type: emu.DescSampler, Sampler: &emu.Sampler{MinLod: levels - 1, MaxLod: levels - 1}}
		}
		list[p.element].Sampler = &emu.Sampler{MinLod: float32(n), MaxLod: float32(n)}
		bind.Set(p.set, p.binding, list)
	}
	env.Bindings = &bind
}

// at is the deref of a place, by an index that the compiler knows or does not.
func (p slotPlace) at(x *texBuild, base ir.Base, known bool) *ir.Def {
	index := x.b.Imm32(p.element)
	if !known {
		index = x.b.Iadd(index, x.b.Iand(x.id, x.b.Imm32(0x10000))) // no lane has that bit
	}
	return x.b.DerefArray(x.variable(p.set, p.binding, base, ir.Dim2D, false, false, 3), index)
}

// look samples with one sampler after the other, in a block of its own each second time, and once more with the first: a
// lookup must find its own numbers, whatever those before it left.
func (p slotPlace) look(x *texBuild, samplers []slotPlace, known bool) *ir.Def {
	b := x.b
	texture := p.at(x, ir.BaseTexture, known)
	sample := func(s slotPlace) *ir.Def {
		in := x.op(ir.TexOpTxl, 4, ir.Dim2D, false, texSource{ir.TexSrcTextureDeref, texture}, texSource{ir.TexSrcSamplerDeref, s.at(x, ir.BaseSampler, known)},
			texSource{ir.TexSrcCoord, x.uv}, texSource{ir.TexSrcLod, b.Fmul(b.Channel(x.uv, 0), b.ImmFloat(0, 32))})
		in.TexInfo().TextureNonUniform, in.TexInfo().SamplerNonUniform = !known, !known
		return b.Channel(&in.Def, 0)
	}
	var sums []*ir.Def
	for k, s := range samplers {
		v := sample(s)
		if k%2 == 1 {
			i := b.PushIf(b.Ieq(b.Iand(x.id, b.Imm32(1)), b.Imm32(1)))
			in := b.Fadd(v, b.Fmul(sample(s), b.ImmFloat(256, 32)))
			b.PopIf(i)
			v = b.IfPhi(i, in, v)
		}
		sums = append(sums, b.Fadd(v, b.Fmul(sample(samplers[0]), b.ImmFloat(65536, 32))))
	}
	fetch := x.op(ir.TexOpTxf, 4, ir.Dim2D, false, texSource{ir.TexSrcTextureDeref, texture}, texSource{ir.TexSrcCoord, b.Vec(x.id, b.Imm32(0))}, texSource{ir.TexSrcLod, b.Imm32(0)})
	size := x.op(ir.TexOpTxs, 2, ir.Dim2D, false, texSource{ir.TexSrcTextureDeref, texture}, texSource{ir.TexSrcLod, b.Imm32(0)})
	fetch.TexInfo().TextureNonUniform, size.TexInfo().TextureNonUniform = !known, !known
	sums[0] = b.Fadd(sums[0], b.Fadd(b.Channel(&fetch.Def, 0), b.U2f32(b.Channel(&size.Def, 0))))
	return b.Vec(sums...)
}

// TestSlots: lookups reach textures and samplers of all slots and sets, by numbers in the instruction, in a1.x and in registers.
func TestSlots(t *testing.T) {
	programs.Hold(t)
	stageEnv = slotWorld
	defer func() { stageEnv = nil }()
	for _, gpu := range gpus {
		for _, known := range []bool{true, false} {
			for n, p := range slotTextures {
				for k := 0; k < len(slotSamplers); k += 4 {
					s, b := newStage(ir.StageFragment)
					pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
					fx, fy := b.Channel(pos, 0), b.Channel(pos, 1)
					x := &texBuild{s: s, b: b, uv: b.Vec(b.Fmul(fx, b.ImmFloat(0.0625, 32)), b.Fmul(fy, b.ImmFloat(0.2, 32)))}
					x.id = b.Iadd(b.F2u32(fx), b.IMulImm(b.F2u32(fy), 16))
					outputTo(b, p.look(x, slotSamplers[k:k+4], known), ir.SlotData0)
					if err := lowerToScalar(s); err != nil {
						t.Fatal(err)
					}
					if err := stageDiffer(s, gpu); err != nil {
						t.Fatal(fmt.Errorf("%s, texture %d, samplers from %d, known %v: %w", gpu, n, k, known, err))
					}
				}
			}
		}
	}
}

// TestSlotsApart: fibers of a wave that part for lookups of different slots each have their own, though those that go first may
// not have read a1.x yet when the others write it: control drops to them along edges that no fiber goes.
func TestSlotsApart(t *testing.T) {
	programs.Hold(t)
	stageEnv = slotWorld
	defer func() { stageEnv = nil }()
	for _, gpu := range gpus {
		for ways := 2; ways <= 5; ways++ {
			s, b := newStage(ir.StageFragment)
			pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
			fx, fy := b.Channel(pos, 0), b.Channel(pos, 1)
			x := &texBuild{s: s, b: b, uv: b.Vec(b.Fmul(fx, b.ImmFloat(0.0625, 32)), b.Fmul(fy, b.ImmFloat(0.2, 32)))}
			x.id = b.Iadd(b.F2u32(fx), b.IMulImm(b.F2u32(fy), 16))
			// The numbers of both slots are too large for an instruction.
			lookup := func(k int) *ir.Def {
				in := x.op(ir.TexOpTxl, 4, ir.Dim2D, false, texSource{ir.TexSrcTextureDeref, slotTextures[3].at(x, ir.BaseTexture, true)},
					texSource{ir.TexSrcSamplerDeref, slotSamplers[k].at(x, ir.BaseSampler, true)}, texSource{ir.TexSrcCoord, x.uv}, texSource{ir.TexSrcLod, b.ImmFloat(0, 32)})
				return b.Channel(&in.Def, 0)
			}
			var way func(k int) *ir.Def
			way = func(k int) *ir.Def {
				if k == ways-1 {
					return lookup(k)
				}
				i := b.PushIf(b.Ieq(b.Iand(x.id, b.Imm32(7)), b.Imm32(uint32(k))))
				one := lookup(k)
				b.PushElse(i)
				others := way(k + 1)
				b.PopIf(i)
				return b.IfPhi(i, one, others)
			}
			v := way(0)
			outputTo(b, b.Vec(v, v, v, v), ir.SlotData0)
			if err := lowerToScalar(s); err != nil {
				t.Fatal(err)
			}
			if err := stageDiffer(s, gpu); err != nil {
				t.Errorf("%s, %d ways: %v", gpu, ways, err)
			}
		}
	}
}
