package passes

import (
	"fmt"

	"nirc/ir"
)

var lowerSamplersPass = &Pass{
	Name: "lower_samplers", Class: "B", Run: lowerSamplers, Idempotent: true,
	Instead: "descriptors: handles become numbers in the code generators, by the pipeline layout (backend/resource); it stays for targets of one flat table",
	Doc: "Turns the derefs that texture operations name textures and samplers by into numbers, for targets with one flat table of each. Input: derefs of variables " +
		"of set 0, arrays indexed in any way, whose numbers do not overlap. Output: texture_index and sampler_index, the binding plus the constant part of the element, and texture_offset and " +
		"sampler_offset, the dynamic part limited to the array.",
}

func lowerSamplers(_ *Context, s *ir.Shader) (bool, error) {
	if err := overlappingSamplers(s); err != nil {
		return false, err
	}
	var refused error
	progress := eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (changed bool) {
		for b := range impl.Blocks() {
			for in := range b.Instrs() {
				if in.Kind != ir.KindTex || refused != nil {
					continue
				}
				t := in.TexInfo()
				did, err := lowerSampler(s, in, ir.TexSrcTextureDeref, ir.TexSrcTextureOffset, &t.TextureIndex)
				if err == nil {
					var other bool
					other, err = lowerSampler(s, in, ir.TexSrcSamplerDeref, ir.TexSrcSamplerOffset, &t.SamplerIndex)
					did = did || other
				}
				changed = changed || did
				refused = err
			}
		}
		return changed
	})
	return progress, refused
}

// overlappingSamplers finds two variables that would have the same numbers: an array takes those after its binding too, which
// in Vulkan others may have. Textures have a table of their own and samplers too; what is both has a place in each.
func overlappingSamplers(s *ir.Shader) error {
	for i, a := range s.Variables {
		first, last, kind := samplerNumbers(a)
		for _, b := range s.Variables[:i] {
			if from, to, other := samplerNumbers(b); kind&other != 0 && first <= to && from <= last {
				return fmt.Errorf("%q at binding %d and %q at binding %d overlap: an array takes a number an element", b.Name, b.Binding, a.Name, a.Binding)
			}
		}
	}
	return nil
}

// samplerNumbers are the numbers that a variable of set 0 takes, and in which tables: bit 0 is that of textures, bit 1 that of samplers.
func samplerNumbers(v *ir.Variable) (first, last uint64, tables uint8) {
	if v.Mode != ir.ModeUniform || v.Set != 0 {
		return 0, 0, 0
	}
	switch v.Type.WithoutArray().Base {
	case ir.BaseTexture:
		tables = 1
	case ir.BaseSampler:
		tables = 2
	case ir.BaseSampledImage:
		tables = 3
	}
	n := uint64(1)
	for t := v.Type; t.IsArray(); t = t.Elem {
		n *= uint64(max(t.Len, 1))
	}
	return uint64(v.Binding), uint64(v.Binding) + n - 1, tables
}

// lowerSampler lowers one of the derefs of a texture operation.
func lowerSampler(s *ir.Shader, in *ir.Instr, deref, offset ir.TexSrc, index *uint32) (bool, error) {
	src := in.TexSrc(deref)
	if src == nil {
		return false, nil
	}
	if in.TexSrc(ir.TexSrcTexture2Deref) != nil {
		return false, diag(s, in, "a second texture, of which there is no number")
	}
	d := derefOf(src.Def)
	v := (*ir.Variable)(nil)
	if d != nil {
		v = derefVar(d)
	}
	if v == nil {
		return false, diag(s, in, "a texture or sampler that is no variable")
	}
	if v.Set != 0 {
		return false, diag(s, in, fmt.Sprintf("%q is in descriptor set %d", v.Name, v.Set))
	}
	b := builderBefore(in)
	constant, dynamic, elems := int64(0), (*ir.Def)(nil), int64(1)
	for x := d; x.Deref != ir.DerefVar; x = x.Srcs[0].Def.Instr {
		n := int64(x.Srcs[0].Def.Instr.DerefInfo().Type.Len)
		if x.Deref != ir.DerefArray || n == 0 {
			return false, diag(s, in, fmt.Sprintf("%q is indexed without a bound", v.Name))
		}
		i := x.Srcs[1].Def
		if k, ok := i.Const(0); ok {
			constant += min(int64(k), n-1) * elems
		} else {
			i = b.IMulImm(b.Umin(resizeUint(b, i, 32), b.Imm32(uint32(n-1))), elems)
			if dynamic != nil {
				i = b.Iadd(dynamic, i)
			}
			dynamic = i
		}
		elems *= n
	}
	*index = v.Binding + uint32(constant)
	for i, k := range in.TexInfo().SrcKinds {
		if k == deref {
			in.RemoveSrc(i)
			break
		}
	}
	if dynamic != nil {
		s.AddTexSrc(in, offset, dynamic)
	}
	removeDeadDerefs(d)
	return true, nil
}
