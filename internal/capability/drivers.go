package capability

import (
	"slices"

	"nirc/frontend/spirv/spv"
)

// Source says where the facts of Drivers come from.
const Source = "Mesa's docs/features.txt, commit 009af15ae2b2fdd60038cb1b4b0b1f595179939c"

// Driver is a driver of Mesa's for a target's GPUs.
type Driver struct {
	Name, Target string
	// all is exposed on every GPU, some on those that are named.
	all  []string
	some map[string][]string
	// without are capabilities of what it exposes that its features do not have.
	without []spv.Capability
	// withoutOn are those that a GPU does not have.
	withoutOn map[string][]spv.Capability
}

// Drivers are those for GPUs of ours. panvk begins with architecture 6, and so exposes nothing on Midgard (5 and
// before), whose driver is panfrost, of OpenGL.
func Drivers() []Driver {
	return []Driver{
		{Name: "turnip", Target: "ir3",
			all: []string{"1.0", "1.1", "1.2", "1.3", "VK_KHR_compute_shader_derivatives", "VK_KHR_shader_clock", "VK_KHR_workgroup_memory_explicit_layout",
				"VK_EXT_fragment_density_map", "VK_EXT_post_depth_coverage", "VK_EXT_shader_atomic_float", "VK_EXT_shader_replicated_composites",
				"VK_EXT_shader_stencil_export", "VK_EXT_transform_feedback"},
			some: map[string][]string{"1.4": a7xx, "VK_KHR_fragment_shading_rate": a7xx, "VK_EXT_conservative_rasterization": a7xx,
				"VK_KHR_ray_query": a740, "VK_KHR_shader_atomic_int64": a740, "VK_EXT_shader_image_atomic_int64": a740, "VK_QCOM_image_processing": a740,
				"VK_KHR_16bit_storage": a650, "VK_KHR_8bit_storage": {"a750"}},
			// tu_device.cc: shaderBufferFloat32AtomicAdd, shaderBufferFloat64AtomicAdd and fullyCoveredFragmentShaderInputVariable are false.
			without: []spv.Capability{spv.CapabilityAtomicFloat32AddEXT, spv.CapabilityAtomicFloat64AddEXT, spv.CapabilityFragmentFullyCoveredEXT},
			// geometryShader and tessellationShader are false on it, and transform feedback has one stream.
			withoutOn: map[string][]spv.Capability{"a702": {spv.CapabilityGeometry, spv.CapabilityTessellation, spv.CapabilityTessellationPointSize,
				spv.CapabilityGeometryPointSize, spv.CapabilityGeometryStreams}}},
		{Name: "honeykrisp", Target: "agx",
			all: []string{"1.0", "1.1", "1.2", "1.3", "1.4", "VK_KHR_16bit_storage", "VK_KHR_8bit_storage", "VK_KHR_shader_quad_control", "VK_KHR_workgroup_memory_explicit_layout",
				"VK_EXT_shader_replicated_composites", "VK_EXT_shader_stencil_export", "VK_EXT_shader_subgroup_ballot", "VK_EXT_shader_subgroup_vote", "VK_EXT_transform_feedback"}},
		{Name: "panvk", Target: "midgard"},
	}
}

// Exposes reports whether the driver has, on a GPU, the version or extension of Vulkan that knows a capability, and this one of it.
func (d *Driver) Exposes(r *Row, gpu string) bool {
	return (slices.Contains(d.all, r.Vulkan) || slices.Contains(d.some[r.Vulkan], gpu)) && !slices.Contains(d.without, r.Capability) &&
		!slices.Contains(d.withoutOn[gpu], r.Capability)
}
