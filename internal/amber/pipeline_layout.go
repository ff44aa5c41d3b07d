package amber

import (
	"slices"

	"nirc/backend/layout"
)

// layoutTypes are the types of layouts by BindingKind.
var layoutTypes = [...]layout.Type{BindUniform: layout.UniformBuffer, BindStorage: layout.StorageBuffer,
	BindUniformDynamic: layout.UniformBufferDynamic, BindStorageDynamic: layout.StorageBufferDynamic,
	BindUniformTexel: layout.UniformTexelBuffer, BindStorageTexel: layout.StorageTexelBuffer,
	BindSampledImage: layout.SampledImage, BindStorageImage: layout.StorageImage,
	BindCombined: layout.CombinedImageSampler, BindSampler: layout.Sampler}

// pushLimit is how many bytes of push constants every stage of a script may read.
const pushLimit = 4096

// layout is the layout of what a pipeline's commands bind, as Amber makes it: each binding is for
// all stages.
func (pl *Pipeline) layout() *layout.Layout {
	l := &layout.Layout{Push: []layout.PushRange{{Stages: layout.AllStages, Size: pushLimit}}}
	for _, b := range pl.Bindings {
		if int(b.Kind) >= len(layoutTypes) {
			continue
		}
		i, ok := slices.BinarySearchFunc(l.Sets, b.Set, func(s layout.Set, n uint32) int { return int(int64(s.Set) - int64(n)) })
		if !ok {
			l.Sets = slices.Insert(l.Sets, i, layout.Set{Set: b.Set})
		}
		s := &l.Sets[i]
		k, ok := slices.BinarySearchFunc(s.Bindings, b.Binding, func(x layout.Binding, n uint32) int { return int(int64(x.Binding) - int64(n)) })
		if !ok {
			s.Bindings = slices.Insert(s.Bindings, k, layout.Binding{Binding: b.Binding, Type: layoutTypes[b.Kind], Count: uint32(len(b.Elems)), Stages: layout.AllStages})
		}
	}
	return l
}

// layoutOf is the layout that a pipeline is compiled and run with, nil if there is none.
func (r *Runner) layoutOf(pl *Pipeline) *layout.Layout {
	if r.ScriptLayouts {
		return pl.layout()
	}
	return r.Layout
}
