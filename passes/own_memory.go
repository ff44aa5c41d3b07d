package passes

import (
	"slices"

	"nirc/ir"
)

// binding names a variable that a descriptor stands for.
type binding struct{ set, number uint32 }

// ownMemory lists the bindings whose memory nothing else in the shader names.
//
// SPIR-V lets a compiler assume of a variable that is not decorated Aliased that what it
// reaches is reached through no other (its specification under "Aliasing": Restrict is what
// holds in the Vulkan and GLSL450 memory models where nothing is said). Variables at one
// binding are one memory: shaders view a buffer as several types that way. Pointers from
// addresses may lead anywhere.
type ownMemory []binding

// memoryOf looks at the variables of a shader.
func memoryOf(s *ir.Shader) ownMemory {
	var own, shared ownMemory
	for _, v := range s.Variables {
		if v.Mode&(ir.ModeSSBO|ir.ModeImage) == 0 || !v.HasBinding {
			continue
		}
		b := binding{v.Set, v.Binding}
		switch {
		case v.Access&ir.AccessAliased != 0:
			shared = append(shared, b)
		case !slices.Contains(own, b):
			own = append(own, b)
		}
	}
	return slices.DeleteFunc(own, func(b binding) bool { return slices.Contains(shared, b) })
}

// of returns the number of the memory that an access reaches, and -1 where
// that may be reached in other ways too.
func (o ownMemory) of(in *ir.Instr) int {
	if len(o) == 0 {
		return -1
	}
	var d *ir.Def
	if h := bufferHandle(in); h != nil {
		d = h.Def
	} else {
		return -1
	}
	b, ok := bindingOf(d)
	if !ok {
		return -1
	}
	return slices.Index(o, b)
}

// bindingOf follows a descriptor, or a deref of an image, to its variable.
func bindingOf(d *ir.Def) (binding, bool) {
	for range 16 {
		switch in := d.Instr; {
		case in.IsIntrinsic(ir.IntrVulkanResourceIndex):
			return binding{uint32(in.Get(ir.IdxDescSet)), uint32(in.Get(ir.IdxBinding))}, true
		case in.IsIntrinsic(ir.IntrLoadVulkanDescriptor), in.IsIntrinsic(ir.IntrVulkanResourceReindex), in.IsALU(ir.OpMov):
			d = in.Srcs[0].Def
		case in.Kind == ir.KindDeref:
			v := rootVar(in)
			if v == nil || !v.HasBinding {
				return binding{}, false
			}
			return binding{v.Set, v.Binding}, true
		default:
			return binding{}, false
		}
	}
	return binding{}, false
}

// touched is what a shader writes, or reads, besides its own variables.
type touched struct {
	own             ownMemory
	which           []bool // of own
	buffers, images bool   // through descriptors that cannot be told
	global          bool   // by address, which what is Restrict is not reached by
}

// restricted lists the bindings whose variables are all Restrict: no address leads there.
func restricted(s *ir.Shader) ownMemory {
	var list, others ownMemory
	for _, v := range s.Variables {
		if v.Mode&(ir.ModeSSBO|ir.ModeImage) == 0 || !v.HasBinding {
			continue
		}
		if b := (binding{v.Set, v.Binding}); v.Access&ir.AccessRestrict != 0 {
			list = append(list, b)
		} else {
			others = append(others, b)
		}
	}
	return slices.DeleteFunc(list, func(b binding) bool { return slices.Contains(others, b) })
}

// note notes an access that does what matters.
func (w *touched) note(in *ir.Instr) {
	modes := in.MemoryModes()
	if in.Memory().Space == ir.SpaceImage && in.Memory().Op == ir.MemAddress {
		w.images, w.buffers, w.global = true, true, true // by pointer
		return
	}
	if modes&(ir.ModeSSBO|ir.ModeImage) != 0 {
		if k := w.own.of(in); k >= 0 {
			w.which[k] = true
			return
		}
	}
	w.global = w.global || modes&ir.ModeGlobal != 0
	w.buffers = w.buffers || modes&ir.ModeSSBO != 0 || in.Memory().Space == ir.SpaceImage && texelBuffer(in)
	w.images = w.images || modes&ir.ModeImage != 0
}

// misses reports whether what in accesses is nothing that was noted. Of what is Restrict addresses are nothing.
func (w *touched) misses(in *ir.Instr, restrict ownMemory) bool {
	k, global := -1, w.global
	if modes := in.MemoryModes(); modes&(ir.ModeSSBO|ir.ModeImage) != 0 {
		if k = w.own.of(in); k >= 0 && slices.Contains(restrict, w.own[k]) {
			global = false
		}
	} else if modes&^ir.ModeGlobal != 0 {
		return false
	}
	buffers := w.buffers || global
	switch {
	case k >= 0 && w.which[k]:
		return false
	case in.Memory().Space == ir.SpaceImage:
		return !w.images && !(buffers && texelBuffer(in)) && (k >= 0 || !w.any())
	}
	return !buffers && (k >= 0 || !w.any())
}

// any reports whether memory was noted that a variable alone reaches.
func (w *touched) any() bool { return slices.Contains(w.which, true) }
