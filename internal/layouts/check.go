package layouts

import (
	"fmt"
	"slices"
	"strings"

	"nirc/backend/layout"
	"nirc/internal/reflection"
	"nirc/ir"
)

// Problem is what a shader uses that its pipeline layout does not have.
type Problem struct {
	Loc ir.Loc // the first use
	Msg string
}

// Check finds what a shader uses that its pipeline layout does not have: bindings that are not
// there, of another type, too small or not for the stage, and push constants beyond the
// stage's range.
func Check(s *ir.Shader, l *layout.Layout) (list []Problem) {
	if l.Open {
		return nil
	}
	seen := map[*ir.Variable]bool{}
	for _, use := range bindingUses(s) {
		if seen[use.v] {
			continue
		}
		seen[use.v] = true
		msg := ""
		if use.v.Mode == ir.ModePushConst {
			msg = pushProblem(s, l, use.v)
		} else {
			msg = bindingProblem(s, l, use.v)
		}
		if msg != "" {
			list = append(list, Problem{useLoc(s, use.in), msg})
		}
	}
	return list
}

type bindingUse struct {
	v  *ir.Variable
	in *ir.Instr
}

// bindingUses lists what names variables of the layout, in the order of the code.
func bindingUses(s *ir.Shader) (list []bindingUse) {
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for b := range f.Impl.Blocks() {
			for in := range b.Instrs() {
				if v := layoutVariable(s, in); v != nil {
					list = append(list, bindingUse{v, in})
				}
			}
		}
	}
	return list
}

// layoutVariable is the variable of the layout that an instruction names, or nil.
func layoutVariable(s *ir.Shader, in *ir.Instr) *ir.Variable {
	switch {
	case in.Kind == ir.KindDeref && in.Deref == ir.DerefVar:
		if v := in.DerefInfo().Var; v.HasBinding || v.Mode == ir.ModePushConst {
			return v
		}
	case in.IsIntrinsic(ir.IntrVulkanResourceIndex):
		return bufferVariable(s, uint32(in.Get(ir.IdxDescSet)), uint32(in.Get(ir.IdxBinding)))
	}
	return nil
}

// bufferVariable is the buffer at a binding.
func bufferVariable(s *ir.Shader, set, binding uint32) *ir.Variable {
	for _, v := range s.Variables {
		if v.HasBinding && v.Set == set && v.Binding == binding && v.Mode&(ir.ModeUBO|ir.ModeSSBO) != 0 {
			return v
		}
	}
	return nil
}

// useLoc is where an instruction comes from in the source, or what uses its result, for what
// names a variable may stand at the function's start.
func useLoc(s *ir.Shader, in *ir.Instr) ir.Loc {
	work := []*ir.Instr{in}
	for n := 0; n < len(work) && n < 64; n++ {
		in := work[n]
		if loc := s.Locs[in.Loc]; loc.Line != 0 {
			return loc
		}
		if !in.HasDef() {
			continue
		}
		for u := range in.Def.Uses() {
			if u.Instr != nil {
				work = append(work, u.Instr)
			}
		}
	}
	return s.Locs[in.Loc]
}

// bindingProblem says what is wrong with a variable's binding, "" nothing.
func bindingProblem(s *ir.Shader, l *layout.Layout, v *ir.Variable) string {
	r := reflection.Resource(v)
	at := fmt.Sprintf("set %d binding %d", v.Set, v.Binding)
	if r.Name != "" {
		at += " (" + r.Name + ")"
	}
	b := l.Find(v.Set, v.Binding)
	switch {
	case b == nil:
		return at + " is not in the pipeline layout"
	case !slices.Contains(fittingTypes(r.Kind), b.Type):
		return fmt.Sprintf("%s is a %s in the pipeline layout, a %s in the shader", at, b.Type, r.Kind)
	case b.Stages&layout.StageBit(s.Stage) == 0:
		return fmt.Sprintf("%s is not for the %s stage in the pipeline layout, but for %s", at, s.Stage, strings.Join(stageList(b.Stages), ", "))
	case b.Count == 0:
		return at + " holds no descriptors in the pipeline layout"
	case b.Type == layout.InlineUniformBlock:
		return inlineProblem(at, v, b)
	case r.Count > b.Count:
		return fmt.Sprintf("%s has %d descriptors in the pipeline layout, %d in the shader", at, b.Count, r.Count)
	}
	return ""
}

// inlineProblem says why an inline uniform block is not what a variable wants, "" if it is.
func inlineProblem(at string, v *ir.Variable, b *layout.Binding) string {
	switch size := v.Type.Size(); {
	case v.Type.IsArray():
		return at + " is one inline_uniform_block in the pipeline layout, an array in the shader, of which Vulkan has none"
	case uint64(size) > uint64(b.Count):
		return fmt.Sprintf("%s has %d bytes in the pipeline layout, %d in the shader", at, b.Count, size)
	}
	return ""
}

// fittingTypes are the types of a layout that a shader may see as a kind of resource.
func fittingTypes(kind string) []layout.Type {
	switch kind {
	case "uniform_buffer":
		return []layout.Type{layout.UniformBuffer, layout.UniformBufferDynamic, layout.InlineUniformBlock, layout.Mutable}
	case "storage_buffer":
		return []layout.Type{layout.StorageBuffer, layout.StorageBufferDynamic, layout.Mutable}
	case "sampler":
		return []layout.Type{layout.Sampler, layout.CombinedImageSampler}
	case "sampled_image":
		return []layout.Type{layout.SampledImage, layout.CombinedImageSampler, layout.SampleWeightImage, layout.BlockMatchImage, layout.Mutable}
	}
	if t, ok := layout.ParseType(kind); ok {
		switch t {
		case layout.CombinedImageSampler, layout.InputAttachment:
			return []layout.Type{t}
		}
		return []layout.Type{t, layout.Mutable}
	}
	return nil
}

// pushProblem says which member of the push constants no range of the stage holds.
func pushProblem(s *ir.Shader, l *layout.Layout, v *ir.Variable) string {
	offset, size := l.PushRange(s.Stage)
	for _, m := range reflection.PushMembers(nil, v) {
		if m.Offset >= offset && uint64(m.Offset)+uint64(m.Size) <= uint64(offset)+uint64(size) {
			continue
		}
		what := fmt.Sprintf("push constants %s at bytes %d to %d", m.Name, m.Offset, uint64(m.Offset)+uint64(m.Size))
		if size == 0 {
			return fmt.Sprintf("%s: the pipeline layout has none for the %s stage", what, s.Stage)
		}
		return fmt.Sprintf("%s: the pipeline layout has bytes %d to %d for the %s stage", what, offset, uint64(offset)+uint64(size), s.Stage)
	}
	return ""
}
