package amber

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"nirc/internal/lazy"
	"nirc/ir"
)

// What the software GPU has. What only some targets can do (64-bit floats,
// 16-bit arithmetic, float controls) counts as there: a target that cannot
// says so when it compiles a shader that needs it.

// features are the device features; absent ones make a script SKIP.
var features = []string{
	"AccelerationStructureFeaturesKHR.accelerationStructure",
	"BufferDeviceAddressFeatures.bufferDeviceAddress",
	"DepthClampZeroOneFeatures.depthClampZeroOne",
	"Float16Int8Features.shaderFloat16",
	"Float16Int8Features.shaderInt8",
	"IndexTypeUint8Features.indexTypeUint8",
	"ImageRobustnessFeatures.robustImageAccess",
	"RayQueryFeaturesKHR.rayQuery",
	"RayTracingPipelineFeaturesKHR.rayTracingPipeline",
	"Robustness2Features.robustBufferAccess2",
	"Robustness2Features.robustImageAccess2",
	"ShaderLongVectorFeaturesEXT.longVector",
	"Storage16BitFeatures.storageBuffer16BitAccess",
	"Storage16BitFeatures.storageInputOutput16",
	"Storage16BitFeatures.storagePushConstant16",
	"Storage16BitFeatures.uniformAndStorageBuffer16BitAccess",
	"Storage8BitFeatures.storageBuffer8BitAccess",
	"Storage8BitFeatures.storagePushConstant8",
	"Storage8BitFeatures.uniformAndStorageBuffer8BitAccess",
	"SubgroupSizeControl.computeFullSubgroups",
	"SubgroupSizeControl.subgroupSizeControl",
	"SubgroupSupportedOperations.arithmetic",
	"SubgroupSupportedOperations.ballot",
	"SubgroupSupportedOperations.basic",
	"SubgroupSupportedOperations.clustered",
	"SubgroupSupportedOperations.quad",
	"SubgroupSupportedOperations.shuffle",
	"SubgroupSupportedOperations.shuffleRelative",
	"SubgroupSupportedOperations.vote",
	"SubgroupSupportedStages.compute",
	"SubgroupSupportedStages.fragment",
	"SubgroupSupportedStages.geometry",
	"SubgroupSupportedStages.tessellationControl",
	"SubgroupSupportedStages.tessellationEvaluation",
	"SubgroupSupportedStages.vertex",
	"VariablePointerFeatures.variablePointers",
	"VariablePointerFeatures.variablePointersStorageBuffer",
	"VulkanMemoryModelFeatures.vulkanMemoryModel",
	"VulkanMemoryModelFeatures.vulkanMemoryModelDeviceScope",
	"ZeroInitializeWorkgroupMemoryFeatures.shaderZeroInitializeWorkgroupMemory",
	"alphaToOne",
	"depthBiasClamp",
	"depthBounds",
	"depthClamp",
	"dualSrcBlend",
	"fillModeNonSolid",
	"fragmentStoresAndAtomics",
	"fullDrawIndexUint32",
	"geometryShader",
	"imageCubeArray",
	"independentBlend",
	"largePoints",
	"logicOp",
	"multiViewport",
	"occlusionQueryPrecise",
	"robustBufferAccess",
	"sampleRateShading",
	"samplerAnisotropy",
	"shaderClipDistance",
	"shaderCullDistance",
	"shaderFloat64",
	"shaderImageGatherExtended",
	"shaderInt16",
	"shaderInt64",
	"shaderResourceMinLod",
	"shaderResourceResidency",
	"shaderSampledImageArrayDynamicIndexing",
	"shaderStorageBufferArrayDynamicIndexing",
	"shaderStorageImageArrayDynamicIndexing",
	"shaderStorageImageExtendedFormats",
	"shaderStorageImageMultisample",
	"shaderStorageImageReadWithoutFormat",
	"shaderStorageImageWriteWithoutFormat",
	"shaderTessellationAndGeometryPointSize",
	"shaderUniformBufferArrayDynamicIndexing",
	"tessellationShader",
	"vertexPipelineStoresAndAtomics",
	"wideLines",
}

// extensions are the device and instance extensions.
var extensions = []string{
	"VK_AMD_shader_early_and_late_fragment_tests",
	"VK_EXT_depth_clamp_zero_one",
	"VK_EXT_depth_range_unrestricted",
	"VK_EXT_image_robustness",
	"VK_EXT_index_type_uint8",
	"VK_EXT_pipeline_robustness",
	"VK_EXT_primitive_topology_list_restart",
	"VK_EXT_robustness2",
	"VK_EXT_scalar_block_layout",
	"VK_EXT_shader_atomic_float",
	"VK_EXT_shader_demote_to_helper_invocation",
	"VK_EXT_shader_stencil_export",
	"VK_EXT_shader_subgroup_ballot",
	"VK_EXT_shader_subgroup_vote",
	"VK_EXT_shader_viewport_index_layer",
	"VK_EXT_subgroup_size_control",
	"VK_KHR_16bit_storage",
	"VK_KHR_8bit_storage",
	"VK_KHR_acceleration_structure",
	"VK_KHR_buffer_device_address",
	"VK_KHR_deferred_host_operations",
	"VK_KHR_fragment_shader_barycentric",
	"VK_KHR_get_physical_device_properties2",
	"VK_KHR_maintenance1",
	"VK_KHR_maintenance2",
	"VK_KHR_maintenance3",
	"VK_KHR_pipeline_library",
	"VK_KHR_ray_query",
	"VK_KHR_ray_tracing_pipeline",
	"VK_KHR_ray_tracing_position_fetch",
	"VK_KHR_relaxed_block_layout",
	"VK_KHR_shader_atomic_int64",
	"VK_KHR_shader_clock",
	"VK_KHR_shader_draw_parameters",
	"VK_KHR_shader_expect_assume",
	"VK_KHR_shader_float16_int8",
	"VK_KHR_shader_float_controls",
	"VK_KHR_shader_integer_dot_product",
	"VK_KHR_shader_maximal_reconvergence",
	"VK_KHR_shader_non_semantic_info",
	"VK_KHR_shader_subgroup_extended_types",
	"VK_NV_shader_subgroup_partitioned",
	"VK_KHR_shader_subgroup_rotate",
	"VK_KHR_shader_subgroup_uniform_control_flow",
	"VK_KHR_shader_terminate_invocation",
	"VK_KHR_spirv_1_4",
	"VK_KHR_storage_buffer_storage_class",
	"VK_KHR_uniform_buffer_standard_layout",
	"VK_KHR_variable_pointers",
	"VK_KHR_vulkan_memory_model",
	"VK_KHR_workgroup_memory_explicit_layout",
	"VK_KHR_zero_initialize_workgroup_memory",
}

// propertyPrefix begins the names of the float control properties; shader, a mode's name, Float and the
// bits follow.
const propertyPrefix = "FloatControlsProperties."

// checkFloats reports whether a target has a float control property.
func (q *Requirement) checkFloats(t Target) error {
	for _, m := range ir.FloatModes {
		for _, bits := range ir.FloatSizes {
			if q.Name != fmt.Sprintf("%sshader%sFloat%d", propertyPrefix, m.Name, bits) {
				continue
			}
			if f, ok := t.(FloatTarget); ok && f.FloatControls() != nil && !f.FloatControls().HasAll(m.Properties, bits) {
				return unsupported("device property %s is not supported by %s: %s", q.Name, t.Name(), m.Lacking)
			}
			return nil
		}
	}
	return unsupported("device property %s is not supported", q.Name)
}

// robustFeatures are the features that promise something of accesses out of bounds, and what.
var robustFeatures = lazy.Value[map[string]ir.Robust]{Make: func() map[string]ir.Robust {
	return map[string]ir.Robust{
		"robustBufferAccess":                        {Storage: ir.Robust1, Uniform: ir.Robust1, Vertex: ir.Robust1},
		"Robustness2Features.robustBufferAccess2":   {Storage: ir.Robust2, Uniform: ir.Robust2, Vertex: ir.Robust2},
		"ImageRobustnessFeatures.robustImageAccess": {Images: ir.Robust1},
		"Robustness2Features.robustImageAccess2":    {Images: ir.Robust2},
	}
}}

// leavesBuffers are scripts of VK-GL-CTS whose loops store one element beyond their storage buffer, without
// requiring robustBufferAccess. They are taken as if they did.
var leavesBuffers = []string{
	"/opptrdiff/variable_pointers_vars_ssbo_diff.amber",
	"/opptrequal/variable_pointers_wg_equal.amber",
	"/opptrnotequal/variable_pointers_vars_ssbo_not_equal.amber",
	"/opptrnotequal/variable_pointers_wg_not_equal.amber",
}

// robust returns what the features that the script requires promise of accesses out of bounds.
func (s *Script) robust() (r ir.Robust) {
	for _, name := range leavesBuffers {
		if strings.HasSuffix(filepath.ToSlash(s.Name), name) {
			r = robustFeatures.Get()["robustBufferAccess"]
		}
	}
	for _, q := range s.Requirements {
		if q.Kind == RequireFeature {
			r = r.Max(robustFeatures.Get()[q.Name])
		}
	}
	return r
}

// requires reports whether the script names a feature or extension.
func (s *Script) requires(name string) bool {
	return slices.ContainsFunc(s.Requirements, func(q Requirement) bool { return q.Name == name })
}

// check reports whether the device, a target and the software GPU, has what is required.
func (q *Requirement) check(t Target) error {
	has, what := features, "device feature"
	switch q.Kind {
	case RequireProperty:
		return q.checkFloats(t)
	case RequireDeviceExtension:
		has, what = extensions, "device extension"
	case RequireInstanceExtension:
		has, what = extensions, "instance extension"
	}
	if slices.Contains(has, q.Name) {
		return nil
	}
	return unsupported("%s %s is not supported", what, q.Name)
}
