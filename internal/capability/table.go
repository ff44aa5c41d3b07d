package capability

import "nirc/frontend/spirv/spv"

// group are capabilities of which the same is so.
type group struct {
	list             []spv.Capability
	vulkan, frontend string
	lacks            []Lack
}

// GPUs of ir3 from a class on, and the one class without stages between vertex and fragment shaders (ir3.md §1.8).
var (
	a702 = []string{"a702"}
	a740 = []string{"a740", "a735", "a32", "x1-45", "x1-85", "a750"}
	a7xx = []string{"a730", "a725", "a740", "a735", "a32", "x1-45", "x1-85", "a750"}
	a650 = []string{"a650", "a621", "a623", "a635", "a643", "a644", "a660", "a662", "a663", "a690", "a730", "a725", "a740", "a735", "a32", "x1-45", "x1-85", "a750"}
)

// oldTile are GPUs of Midgard whose loads of the tile name no target (midgard.md §5.8).
var oldTile = []string{"t720", "t620"}

// groups has each capability of the grammar once. Maps and lists that are put together would be made whenever a program starts:
// they took 30 page faults and a millisecond.
var groups = [...]group{
	{list: []spv.Capability{
		spv.CapabilityMatrix, spv.CapabilityShader, spv.CapabilityFloat64, spv.CapabilityInt64, spv.CapabilityInt16, spv.CapabilityImageGatherExtended,
		spv.CapabilityStorageImageMultisample, spv.CapabilityUniformBufferArrayDynamicIndexing, spv.CapabilitySampledImageArrayDynamicIndexing,
		spv.CapabilityStorageBufferArrayDynamicIndexing, spv.CapabilityStorageImageArrayDynamicIndexing, spv.CapabilityClipDistance,
		spv.CapabilityCullDistance, spv.CapabilityImageCubeArray, spv.CapabilitySampleRateShading, spv.CapabilityInputAttachment, spv.CapabilityMinLod,
		spv.CapabilitySampled1D, spv.CapabilityImage1D, spv.CapabilitySampledCubeArray, spv.CapabilitySampledBuffer, spv.CapabilityImageBuffer,
		spv.CapabilityImageMSArray, spv.CapabilityStorageImageExtendedFormats, spv.CapabilityImageQuery,
		spv.CapabilityInterpolationFunction, spv.CapabilityStorageImageReadWithoutFormat, spv.CapabilityStorageImageWriteWithoutFormat,
	}, vulkan: "1.0"},
	{list: []spv.Capability{spv.CapabilityDerivativeControl}, vulkan: "1.0", lacks: []Lack{
		{Target: "midgard", Why: "the texture pipe has one kind of derivative, and no fact says that it tells the rows and columns of a quad apart"}}},
	{list: []spv.Capability{
		spv.CapabilityGeometry, spv.CapabilityTessellation, spv.CapabilityTessellationPointSize, spv.CapabilityGeometryPointSize,
	}, vulkan: "1.0", lacks: []Lack{{Target: "ir3", Why: "the hardware has no such stage", Of: a702}}},
	{list: []spv.Capability{
		spv.CapabilityMultiViewport,
	}, vulkan: "1.0", lacks: []Lack{{Target: "midgard", Why: "the hardware draws to one viewport"}}},
	{list: []spv.Capability{
		spv.CapabilitySparseResidency,
	}, vulkan: "1.0", lacks: []Lack{{Target: "midgard", Why: "the hardware has no sparse images"}}},
	{list: []spv.Capability{
		spv.CapabilityTransformFeedback,
	}, vulkan: "VK_EXT_transform_feedback"},
	{list: []spv.Capability{
		spv.CapabilityGeometryStreams,
	}, vulkan: "VK_EXT_transform_feedback", lacks: []Lack{{Target: "ir3", Why: "the hardware has no such stage", Of: a702}}},
	{list: []spv.Capability{
		spv.CapabilityGroupNonUniform, spv.CapabilityGroupNonUniformVote, spv.CapabilityGroupNonUniformArithmetic, spv.CapabilityGroupNonUniformBallot,
		spv.CapabilityGroupNonUniformShuffle, spv.CapabilityGroupNonUniformShuffleRelative, spv.CapabilityGroupNonUniformClustered,
		spv.CapabilityDrawParameters, spv.CapabilityDeviceGroup, spv.CapabilityMultiView, spv.CapabilityVariablePointersStorageBuffer,
		spv.CapabilityVariablePointers,
	}, vulkan: "1.1"},
	{list: []spv.Capability{
		spv.CapabilityGroupNonUniformQuad,
	}, vulkan: "1.1", lacks: []Lack{{Target: "midgard", Why: "the threads of a quad share derivatives only"}}},
	{list: []spv.Capability{
		spv.CapabilityStorageBuffer16BitAccess, spv.CapabilityUniformAndStorageBuffer16BitAccess, spv.CapabilityStoragePushConstant16,
		spv.CapabilityStorageInputOutput16,
	}, vulkan: "VK_KHR_16bit_storage"},
	{list: []spv.Capability{
		spv.CapabilityStorageBuffer8BitAccess, spv.CapabilityUniformAndStorageBuffer8BitAccess, spv.CapabilityStoragePushConstant8,
	}, vulkan: "VK_KHR_8bit_storage"},
	// Of the modes of floats a target honours those that its floats have; the others are refused by ir.FloatControls.
	{list: []spv.Capability{
		spv.CapabilityFloat16, spv.CapabilityInt8, spv.CapabilityRoundingModeRTE, spv.CapabilityDenormFlushToZero, spv.CapabilitySignedZeroInfNanPreserve,
		spv.CapabilityShaderNonUniform, spv.CapabilityRuntimeDescriptorArray, spv.CapabilityInputAttachmentArrayDynamicIndexing,
		spv.CapabilityUniformTexelBufferArrayDynamicIndexing, spv.CapabilityStorageTexelBufferArrayDynamicIndexing,
		spv.CapabilityUniformBufferArrayNonUniformIndexing, spv.CapabilitySampledImageArrayNonUniformIndexing,
		spv.CapabilityStorageBufferArrayNonUniformIndexing, spv.CapabilityStorageImageArrayNonUniformIndexing,
		spv.CapabilityInputAttachmentArrayNonUniformIndexing, spv.CapabilityUniformTexelBufferArrayNonUniformIndexing,
		spv.CapabilityStorageTexelBufferArrayNonUniformIndexing, spv.CapabilityVulkanMemoryModel, spv.CapabilityVulkanMemoryModelDeviceScope,
		spv.CapabilityPhysicalStorageBufferAddresses,
	}, vulkan: "1.2"},
	// On ir3 and Midgard of 64 bits only: ir.FloatControls.
	{list: []spv.Capability{
		spv.CapabilityDenormPreserve,
	}, vulkan: "1.2"},
	// Of 64 bits only: ir.FloatControls.
	{list: []spv.Capability{
		spv.CapabilityRoundingModeRTZ,
	}, vulkan: "1.2"},
	{list: []spv.Capability{
		spv.CapabilityShaderLayer, spv.CapabilityShaderViewportIndex, spv.CapabilityShaderViewportIndexLayerEXT,
	}, vulkan: "1.2", lacks: []Lack{{Target: "midgard", Why: "the hardware takes none from a vertex shader"}}},
	{list: []spv.Capability{
		spv.CapabilityInt64Atomics,
	}, vulkan: "VK_KHR_shader_atomic_int64", lacks: []Lack{{Target: "ir3", Why: "the hardware has no 64-bit atomics", Has: a740}, {Target: "agx", Why: "the hardware has no 64-bit atomics but a minimum and a maximum without result"}}},
	{list: []spv.Capability{
		spv.CapabilityDemoteToHelperInvocation, spv.CapabilityDotProductInputAll, spv.CapabilityDotProductInput4x8Bit,
		spv.CapabilityDotProductInput4x8BitPacked, spv.CapabilityDotProduct,
	}, vulkan: "1.3"},
	{list: []spv.Capability{
		spv.CapabilityExpectAssumeKHR, spv.CapabilityGroupNonUniformRotateKHR, spv.CapabilityFloatControls2,
	}, vulkan: "1.4"},
	{list: []spv.Capability{
		spv.CapabilitySubgroupBallotKHR,
	}, vulkan: "VK_EXT_shader_subgroup_ballot"},
	{list: []spv.Capability{
		spv.CapabilitySubgroupVoteKHR,
	}, vulkan: "VK_EXT_shader_subgroup_vote"},
	{list: []spv.Capability{
		spv.CapabilityWorkgroupMemoryExplicitLayoutKHR, spv.CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR,
		spv.CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR,
	}, vulkan: "VK_KHR_workgroup_memory_explicit_layout"},
	{list: []spv.Capability{
		spv.CapabilityStencilExportEXT,
	}, vulkan: "VK_EXT_shader_stencil_export"},
	{list: []spv.Capability{
		spv.CapabilityIntegerFunctions2INTEL,
	}, vulkan: "VK_INTEL_shader_integer_functions2"},
	{list: []spv.Capability{
		spv.CapabilityReplicatedCompositesEXT,
	}, vulkan: "VK_EXT_shader_replicated_composites"},
	{list: []spv.Capability{
		spv.CapabilityGroupNonUniformPartitionedEXT,
	}, vulkan: "VK_NV_shader_subgroup_partitioned"},
	{list: []spv.Capability{
		spv.CapabilityAtomicFloat32AddEXT,
	}, vulkan: "VK_EXT_shader_atomic_float"},
	{list: []spv.Capability{
		spv.CapabilityAtomicFloat64AddEXT,
	}, vulkan: "VK_EXT_shader_atomic_float", lacks: []Lack{{Target: "ir3", Why: "the hardware has no 64-bit atomics to make it of", Has: a740}, {Target: "agx", Why: "the hardware has no 64-bit atomics to make it of"}}},
	{list: []spv.Capability{
		spv.CapabilityAtomicFloat32MinMaxEXT,
	}, vulkan: "VK_EXT_shader_atomic_float2"},
	{list: []spv.Capability{
		spv.CapabilityAtomicFloat64MinMaxEXT,
	}, vulkan: "VK_EXT_shader_atomic_float2", lacks: []Lack{{Target: "ir3", Why: "the hardware has no 64-bit atomics to make it of", Has: a740}, {Target: "agx", Why: "the hardware has no 64-bit atomics to make it of"}}},
	{list: []spv.Capability{
		spv.CapabilityAtomicFloat16MinMaxEXT, spv.CapabilityAtomicFloat16AddEXT,
	}, vulkan: "VK_EXT_shader_atomic_float2", lacks: []Lack{{Target: "ir3", Why: "the hardware has no atomics of that size"}, {Target: "agx", Why: "the hardware has no atomics of that size"}, {Target: "midgard", Why: "the hardware has no atomics of that size"}}},
	{list: []spv.Capability{
		spv.CapabilityInt64ImageEXT,
	}, vulkan: "VK_EXT_shader_image_atomic_int64", lacks: []Lack{{Target: "ir3", Why: "the hardware has no 64-bit atomics", Has: a740}, {Target: "agx", Why: "the hardware has no 64-bit texels"}, {Target: "midgard", Why: "the hardware has no 64-bit texels"}}},
	{list: []spv.Capability{
		spv.CapabilityQuadControlKHR,
	}, vulkan: "VK_KHR_shader_quad_control", lacks: []Lack{{Target: "midgard", Why: "the threads of a quad share derivatives only"}}},
	{list: []spv.Capability{
		spv.CapabilityComputeDerivativeGroupQuadsKHR, spv.CapabilityComputeDerivativeGroupLinearKHR,
	}, vulkan: "VK_KHR_compute_shader_derivatives", lacks: []Lack{{Target: "midgard", Why: "only the threads of fragments stand in quads"}}},
	// turnip has not got the extension (tu_device.cc), so that nothing public shows how an Adreno would read the other vertices.
	{list: []spv.Capability{
		spv.CapabilityFragmentBarycentricKHR,
	}, vulkan: "VK_KHR_fragment_shader_barycentric", lacks: []Lack{
		{Target: "ir3", Part: "inputs per vertex", Why: "the hardware gives what it interpolates, and the value of the provoking vertex alone"},
		{Target: "midgard", Why: "interpolation keeps the barycentrics to itself"}}},
	{list: []spv.Capability{
		spv.CapabilityFragmentShadingRateKHR,
	}, vulkan: "VK_KHR_fragment_shading_rate", lacks: []Lack{{Target: "ir3", Why: "the hardware tells shaders no rate", Has: a7xx}, {Target: "agx", Why: "the hardware shades each pixel"}, {Target: "midgard", Why: "the hardware shades each pixel"}}},
	{list: []spv.Capability{
		spv.CapabilitySampleMaskPostDepthCoverage,
	}, vulkan: "VK_EXT_post_depth_coverage", lacks: []Lack{{Target: "agx", Why: "the hardware tests after the shader has asked"}, {Target: "midgard", Why: "the hardware tests after the shader has asked"}}},
	{list: []spv.Capability{
		spv.CapabilityShaderClockKHR,
	}, vulkan: "VK_KHR_shader_clock", lacks: []Lack{{Target: "agx", Why: "the hardware has no counter that shaders can read"}, {Target: "midgard", Why: "the hardware has no counter that shaders can read"}}},
	{list: []spv.Capability{
		spv.CapabilityGroups,
	}, vulkan: "VK_AMD_shader_ballot"},
	{list: []spv.Capability{
		spv.CapabilityGroupUniformArithmeticKHR,
	}, vulkan: "VK_KHR_shader_uniform_group_instructions"},
	{list: []spv.Capability{
		spv.CapabilityFragmentMaskAMD,
	}, vulkan: "VK_AMD_shader_fragment_mask"},
	{list: []spv.Capability{
		spv.CapabilityFloat16ImageAMD,
	}, vulkan: "VK_AMD_gpu_shader_half_float_fetch"},
	{list: []spv.Capability{
		spv.CapabilityFragmentShaderSampleInterlockEXT, spv.CapabilityFragmentShaderPixelInterlockEXT, spv.CapabilityFragmentShaderShadingRateInterlockEXT,
	}, vulkan: "VK_EXT_fragment_shader_interlock", lacks: []Lack{{Target: "ir3", Why: "the hardware has no wait for the older fragments of a pixel"}, {Target: "midgard", Why: "the hardware has no wait for the older fragments of a pixel but that of the tile buffer"}}},
	{list: []spv.Capability{
		spv.CapabilityFragmentDensityEXT,
	}, vulkan: "VK_EXT_fragment_density_map", lacks: []Lack{{Target: "agx", Why: "the hardware shades each pixel"}, {Target: "midgard", Why: "the hardware shades each pixel"}}},
	{list: []spv.Capability{
		spv.CapabilityFragmentFullyCoveredEXT,
	}, vulkan: "VK_EXT_conservative_rasterization", lacks: []Lack{{Target: "midgard", Why: "interpolation keeps the barycentrics to itself, and the hardware has no conservative rasterisation"}}},
	{list: []spv.Capability{
		spv.CapabilityRayQueryKHR, spv.CapabilityRayTraversalPrimitiveCullingKHR, spv.CapabilityRayQueryProvisionalKHR,
	}, vulkan: "VK_KHR_ray_query", lacks: []Lack{{Target: "ir3", Why: "the hardware has no test of rays against boxes and triangles", Has: a740}, {Target: "agx", Why: "the hardware has no test of rays that a compiler can reach"}, {Target: "midgard", Why: "the hardware has no test of rays"}}},
	{list: []spv.Capability{
		spv.CapabilityRayTracingKHR, spv.CapabilityRayTracingProvisionalKHR, spv.CapabilityRayTracingNV, spv.CapabilityRayCullMaskKHR,
	}, vulkan: "VK_KHR_ray_tracing_pipeline", lacks: []Lack{{Target: "ir3", Why: "the hardware starts no shaders from shaders"}, {Target: "agx", Why: "the hardware starts no shaders from shaders"}, {Target: "midgard", Why: "the hardware starts no shaders from shaders"}}},
	{list: []spv.Capability{
		spv.CapabilityRayQueryPositionFetchKHR,
	}, vulkan: "VK_KHR_ray_tracing_position_fetch", lacks: []Lack{{Target: "ir3", Why: "the hardware has no test of rays against boxes and triangles", Has: a740}, {Target: "agx", Why: "the hardware has no test of rays that a compiler can reach"}, {Target: "midgard", Why: "the hardware has no test of rays"}}},
	{list: []spv.Capability{
		spv.CapabilityRayTracingPositionFetchKHR,
	}, vulkan: "VK_KHR_ray_tracing_position_fetch", lacks: []Lack{{Target: "ir3", Why: "the hardware starts no shaders from shaders"}, {Target: "agx", Why: "the hardware starts no shaders from shaders"}, {Target: "midgard", Why: "the hardware starts no shaders from shaders"}}},
	{list: []spv.Capability{
		spv.CapabilityMeshShadingEXT, spv.CapabilityMeshShadingNV,
	}, vulkan: "VK_EXT_mesh_shader", lacks: []Lack{{Target: "ir3", Why: "the hardware has no mesh stage"}, {Target: "agx", Why: "the hardware of G13 and G14 has no mesh stage"}, {Target: "midgard", Why: "the hardware has no mesh stage"}}},
	{list: []spv.Capability{
		spv.CapabilityFMAKHR,
	}, vulkan: "VK_KHR_shader_fma"},
	{list: []spv.Capability{
		spv.CapabilityUntypedPointersKHR,
	}, vulkan: "VK_KHR_shader_untyped_pointers"},
	{list: []spv.Capability{
		spv.CapabilityRawAccessChainsNV,
	}, vulkan: "VK_NV_raw_access_chains"},
	{list: []spv.Capability{
		spv.CapabilityBFloat16TypeKHR, spv.CapabilityBFloat16DotProductKHR,
	}, vulkan: "VK_KHR_shader_bfloat16"},
	{list: []spv.Capability{
		spv.CapabilityCooperativeMatrixKHR, spv.CapabilityBFloat16CooperativeMatrixKHR,
	}, vulkan: "VK_KHR_cooperative_matrix"},
	{list: []spv.Capability{
		spv.CapabilityCooperativeMatrixNV,
	}, vulkan: "VK_NV_cooperative_matrix"},
	{list: []spv.Capability{
		spv.CapabilityCoreBuiltinsARM,
	}, vulkan: "VK_ARM_shader_core_builtins", frontend: "the numbers of cores and warps are in registers of later Malis alone"},
	{list: []spv.Capability{
		spv.CapabilityShaderSMBuiltinsNV,
	}, vulkan: "VK_NV_shader_sm_builtins", frontend: "the numbers of multiprocessors and warps are in registers of NVIDIA's GPUs alone"},
	{list: []spv.Capability{
		spv.CapabilityPerViewAttributesNV, spv.CapabilityShaderStereoViewNV,
	}, vulkan: "VK_NVX_multiview_per_view_attributes", frontend: "only NVIDIA's GPUs run a shader once for all views"},
	{list: []spv.Capability{
		spv.CapabilityShaderViewportMaskNV,
	}, vulkan: "VK_NV_viewport_array2", frontend: "only NVIDIA's GPUs draw a primitive to several viewports"},
	{list: []spv.Capability{
		spv.CapabilityTensorsARM, spv.CapabilityStorageTensorArrayDynamicIndexingARM, spv.CapabilityStorageTensorArrayNonUniformIndexingARM, spv.CapabilityGraphARM,
	}, vulkan: "VK_ARM_tensors", frontend: "no GPU of the targets has descriptors of tensors"},
	{list: []spv.Capability{
		spv.CapabilityShaderInvocationReorderNV, spv.CapabilityShaderInvocationReorderEXT,
	}, vulkan: "VK_EXT_ray_tracing_invocation_reorder", frontend: "shaders that start others exist on no GPU of the targets"},
	{list: []spv.Capability{
		spv.CapabilityDescriptorHeapEXT,
	}, vulkan: "VK_EXT_descriptor_heap", lacks: []Lack{{Target: "agx", Why: "the hardware finds samplers by numbers in a table of the driver's, not in memory that applications write"}, {Target: "midgard", Why: "the hardware finds textures and samplers by numbers in tables of the driver's, not in memory that applications write"}}},
	// Of OpenGL.
	{list: []spv.Capability{
		spv.CapabilityImageRect, spv.CapabilitySampledRect, spv.CapabilityAtomicStorage, spv.CapabilityAtomicStorageOps,
	}},
	// Of kernels of OpenCL.
	{list: []spv.Capability{
		spv.CapabilityKernel, spv.CapabilityAddresses, spv.CapabilityLinkage, spv.CapabilityFloat16Buffer, spv.CapabilityVector16, spv.CapabilityGenericPointer,
		spv.CapabilityImageBasic, spv.CapabilityImageReadWrite, spv.CapabilityLiteralSampler, spv.CapabilityImageMipmap,
		spv.CapabilityUniformDecoration, spv.CapabilityBitInstructions,
	}},
	{list: []spv.Capability{
		spv.CapabilityPipes, spv.CapabilityPipeStorage,
	}, frontend: "pipes are memory that an OpenCL runtime lays out, of which drivers of the targets' GPUs say nothing"},
	{list: []spv.Capability{
		spv.CapabilityDeviceEnqueue, spv.CapabilitySubgroupDispatch,
	}, frontend: "the hardware of the targets starts no kernels from kernels"},
	{list: []spv.Capability{
		spv.CapabilityNamedBarrier, spv.CapabilityInt4TypeINTEL,
		spv.CapabilityInt4CooperativeMatrixINTEL, spv.CapabilitySubgroupShuffleINTEL, spv.CapabilitySubgroupBufferBlockIOINTEL,
		spv.CapabilitySubgroupImageBlockIOINTEL, spv.CapabilitySubgroupImageMediaBlockIOINTEL, spv.CapabilityRoundToInfinityINTEL,
		spv.CapabilityFloatingPointModeINTEL, spv.CapabilityFunctionPointersINTEL,
		spv.CapabilityIndirectReferencesINTEL, spv.CapabilityAsmINTEL, spv.CapabilityVectorComputeINTEL, spv.CapabilityVectorAnyINTEL,
		spv.CapabilitySubgroupAvcMotionEstimationINTEL, spv.CapabilitySubgroupAvcMotionEstimationIntraINTEL,
		spv.CapabilitySubgroupAvcMotionEstimationChromaINTEL, spv.CapabilityVariableLengthArrayINTEL, spv.CapabilityFunctionFloatControlINTEL,
		spv.CapabilityFPGAMemoryAttributesALTERA, spv.CapabilityFPFastMathModeINTEL, spv.CapabilityArbitraryPrecisionIntegersALTERA,
		spv.CapabilityArbitraryPrecisionFloatingPointALTERA, spv.CapabilityUnstructuredLoopControlsINTEL, spv.CapabilityFPGALoopControlsALTERA,
		spv.CapabilityKernelAttributesINTEL, spv.CapabilityFPGAKernelAttributesINTEL, spv.CapabilityFPGAMemoryAccessesALTERA,
		spv.CapabilityFPGAClusterAttributesALTERA, spv.CapabilityLoopFuseALTERA, spv.CapabilityFPGADSPControlALTERA,
		spv.CapabilityMemoryAccessAliasingINTEL, spv.CapabilityFPGAInvocationPipeliningAttributesALTERA, spv.CapabilityFPGABufferLocationALTERA,
		spv.CapabilityArbitraryPrecisionFixedPointALTERA, spv.CapabilityUSMStorageClassesALTERA, spv.CapabilityRuntimeAlignedAttributeALTERA,
		spv.CapabilityIOPipesALTERA, spv.CapabilityBlockingPipesALTERA, spv.CapabilityFPGARegALTERA, spv.CapabilityLongCompositesINTEL,
		spv.CapabilityDebugInfoModuleINTEL, spv.CapabilityBFloat16ConversionINTEL, spv.CapabilityFPGAClusterAttributesV2ALTERA,
		spv.CapabilityFPGAKernelAttributesv2INTEL, spv.CapabilityTaskSequenceALTERA, spv.CapabilityFPMaxErrorINTEL, spv.CapabilityFPGALatencyControlALTERA,
		spv.CapabilityFPGAArgumentInterfacesALTERA, spv.CapabilityGlobalVariableHostAccessINTEL, spv.CapabilityGlobalVariableFPGADecorationsALTERA,
		spv.CapabilitySubgroupBufferPrefetchINTEL, spv.CapabilitySubgroup2DBlockIOINTEL, spv.CapabilitySubgroup2DBlockTransformINTEL,
		spv.CapabilitySubgroup2DBlockTransposeINTEL, spv.CapabilitySubgroupMatrixMultiplyAccumulateINTEL, spv.CapabilityTernaryBitwiseFunctionINTEL,
		spv.CapabilityUntypedVariableLengthArrayINTEL, spv.CapabilitySpecConditionalINTEL, spv.CapabilityFunctionVariantsINTEL,
		spv.CapabilityPredicatedIOINTEL, spv.CapabilityRoundedDivideSqrtINTEL, spv.CapabilityTensorFloat32RoundingINTEL,
		spv.CapabilityMaskedGatherScatterINTEL, spv.CapabilityCacheControlsINTEL, spv.CapabilityRegisterLimitsINTEL, spv.CapabilityBindlessImagesINTEL,
	}, frontend: "extensions of OpenCL that only FPGAs and other vendors' GPUs have are not translated"},
	{list: []spv.Capability{
		spv.CapabilityDotProductFloat16AccFloat32VALVE, spv.CapabilityDotProductFloat16AccFloat16VALVE, spv.CapabilityDotProductBFloat16AccVALVE,
	}, vulkan: "VK_VALVE_shader_mixed_float_dot_product"},
	{list: []spv.Capability{
		spv.CapabilityBFloat16MulAddQCOM,
	}, vulkan: "VK_QCOM_shader_bfloat16_muladd"},
	{list: []spv.Capability{
		spv.CapabilityCooperativeMatrixGetCoordinateEXT,
	}, vulkan: "VK_EXT_cooperative_matrix_maintenance1"},
	// Of compilers of kernels: what is not optimised, what is not put together, what barriers are made of.
	{list: []spv.Capability{
		spv.CapabilityOptNoneEXT, spv.CapabilityArithmeticFenceEXT, spv.CapabilitySplitBarrierEXT,
	}},
	{list: []spv.Capability{
		spv.CapabilityTileImageColorReadAccessEXT,
	}, vulkan: "VK_EXT_shader_tile_image"},
	{list: []spv.Capability{
		spv.CapabilityTileImageDepthReadAccessEXT,
	}, vulkan: "VK_EXT_shader_tile_image", lacks: []Lack{{Target: "agx", Why: "the hardware keeps depth and stencil apart from the tile memory that shaders read"}, {Target: "midgard", Why: "the hardware's loads of the tile name no depth", Of: oldTile}}},
	{list: []spv.Capability{
		spv.CapabilityTileImageStencilReadAccessEXT,
	}, vulkan: "VK_EXT_shader_tile_image", lacks: []Lack{{Target: "agx", Why: "the hardware keeps depth and stencil apart from the tile memory that shaders read"}, {Target: "midgard", Why: "what the hardware's load of the stencil gives no public source tells"}}},
	{list: []spv.Capability{
		spv.CapabilityFloat8EXT, spv.CapabilityFloat8CooperativeMatrixEXT, spv.CapabilityDotProductFloat8AccFloat32VALVE,
	}, vulkan: "VK_EXT_shader_float8"},
	{list: []spv.Capability{
		spv.CapabilityFloat6EXT, spv.CapabilityFloat4EXT, spv.CapabilityFloat8UnsignedE8M0EXT, spv.CapabilityMXInt8EXT,
		spv.CapabilityBitcastExtractEXT,
	}, vulkan: "VK_EXT_shader_ocp_microscaling_types", frontend: "no GPU of the targets has numbers of 4 and 6 bits, or scales of 8, and no driver for them has the extension"},
	{list: []spv.Capability{
		spv.CapabilityTextureSampleWeightedQCOM, spv.CapabilityTextureBoxFilterQCOM, spv.CapabilityTextureBlockMatchQCOM,
	}, vulkan: "VK_QCOM_image_processing", lacks: []Lack{{Target: "ir3", Why: "the texture unit filters no more than two texels a side", Has: a740}, {Target: "agx", Why: "textures have no filters of weights and boxes, and no block matches"}, {Target: "midgard", Why: "textures have no filters of weights and boxes, and no block matches"}}},
	{list: []spv.Capability{
		spv.CapabilityTextureBlockMatch2QCOM,
	}, vulkan: "VK_QCOM_image_processing2", lacks: []Lack{{Target: "ir3", Why: "searches in a window take it from the sampler, in whose descriptor no public source shows it"}, {Target: "agx", Why: "textures have no block matches"}, {Target: "midgard", Why: "textures have no block matches"}}},
	{list: []spv.Capability{
		spv.CapabilityImageGatherLinearQCOM, spv.CapabilityImageGatherExtendedModesQCOM,
	}, vulkan: "VK_QCOM_image_processing3", lacks: []Lack{{Target: "ir3", Why: "no public source has encodings of such gathers"}, {Target: "agx", Why: "gathers take four texels of a square"}, {Target: "midgard", Why: "gathers take four texels of a square"}}},
	{list: []spv.Capability{
		spv.CapabilityTileShadingQCOM,
	}, vulkan: "VK_QCOM_tile_shading", lacks: []Lack{{Target: "ir3", Why: "no public source says how shaders reach the tile memory"}, {Target: "agx", Why: "no compute shader runs between the tiles of a Vulkan render pass"}, {Target: "midgard", Why: "the tile memory is for fragments alone"}}},
	{list: []spv.Capability{
		spv.CapabilityCooperativeMatrixConversionQCOM,
	}, vulkan: "VK_QCOM_cooperative_matrix_conversion"},
	{list: []spv.Capability{
		spv.CapabilitySubgroupSizeQCOM, spv.CapabilityMultipleWaitQueuesQCOM,
	}, frontend: "Qualcomm's OpenCL compiler alone chooses waves and queues so: of turnip nothing like it is known"},
	{list: []spv.Capability{
		spv.CapabilityImageGatherBiasLodAMD,
	}, vulkan: "VK_AMD_texture_gather_bias_lod", frontend: "gathers are of the first level"},
	{list: []spv.Capability{
		spv.CapabilityImageReadWriteLodAMD,
	}, vulkan: "VK_AMD_shader_image_load_store_lod", lacks: []Lack{{Target: "ir3", Why: "descriptors of storage images have one level"}, {Target: "agx", Why: "descriptors of images that are written have one level"}, {Target: "midgard", Why: "storage images are vertex attributes, which have no levels"}}},
	{list: []spv.Capability{
		spv.CapabilityShaderEnqueueAMDX,
	}, vulkan: "VK_AMDX_shader_enqueue", lacks: []Lack{{Target: "ir3", Why: "the hardware starts no shaders from shaders"}, {Target: "agx", Why: "the hardware starts no shaders from shaders"}, {Target: "midgard", Why: "the hardware starts no shaders from shaders"}}},
	{list: []spv.Capability{
		spv.CapabilityAbortKHR,
	}, vulkan: "VK_KHR_shader_abort", lacks: []Lack{{Target: "ir3", Why: "no instruction ends a queue with a message"}, {Target: "agx", Why: "no instruction ends a queue with a message"}, {Target: "midgard", Why: "no instruction ends a queue with a message"}}},
	{list: []spv.Capability{
		spv.CapabilityConstantDataKHR,
	}, vulkan: "VK_KHR_shader_constant_data"},
	// What a value is that nobody has given, and of several functions of a name which one is taken: here there is one module.
	{list: []spv.Capability{
		spv.CapabilityPoisonFreezeKHR, spv.CapabilityWeakLinkageAMD,
	}},
	{list: []spv.Capability{
		spv.CapabilityCooperativeMatrixLayoutsARM,
	}, vulkan: "VK_ARM_cooperative_matrix_layouts"},
	{list: []spv.Capability{
		spv.CapabilityCooperativeMatrixConversionsEXT, spv.CapabilityCooperativeMatrixReductionsEXT,
		spv.CapabilityCooperativeMatrixPerElementOperationsEXT,
	}, vulkan: "VK_EXT_cooperative_matrix_maintenance1"},
	{list: []spv.Capability{
		spv.CapabilityCooperativeMatrixConversionsNV,
	}, vulkan: "VK_NV_cooperative_matrix2"},
	{list: []spv.Capability{
		spv.CapabilityCooperativeMatrixTensorAddressingNV,
		spv.CapabilityCooperativeMatrixBlockLoadsNV, spv.CapabilityTensorAddressingNV, spv.CapabilityCooperativeMatrixDecodeVectorNV,
	}, vulkan: "VK_NV_cooperative_matrix2", frontend: "no GPU of the targets loads matrices by tensors, and no driver for them has the extension"},
	{list: []spv.Capability{
		spv.CapabilityCooperativeVectorNV, spv.CapabilityCooperativeVectorTrainingNV,
	}, vulkan: "VK_NV_cooperative_vector", frontend: "no GPU of the targets multiplies matrices in hardware, and no driver for them has the extension"},
	{list: []spv.Capability{
		spv.CapabilityLongVectorEXT,
	}, vulkan: "VK_EXT_shader_long_vector"},
	{list: []spv.Capability{
		spv.CapabilityShader64BitIndexingEXT,
	}, vulkan: "VK_EXT_shader_64bit_indexing", frontend: "descriptors of buffers have sizes of 32 bits on all targets; pointers reach more"},
	{list: []spv.Capability{
		spv.CapabilitySampleMaskOverrideCoverageNV,
	}, vulkan: "VK_NV_sample_mask_override_coverage", frontend: "the mask that a shader writes takes samples away and adds none"},
	{list: []spv.Capability{
		spv.CapabilityGeometryShaderPassthroughNV,
	}, vulkan: "VK_NV_geometry_shader_passthrough", frontend: "only NVIDIA's GPUs pass vertices by a geometry shader"},
	{list: []spv.Capability{
		spv.CapabilityImageFootprintNV,
	}, vulkan: "VK_NV_shader_image_footprint", frontend: "only NVIDIA's textures tell which texels they read"},
	{list: []spv.Capability{
		spv.CapabilityBindlessTextureNV,
	}, frontend: "OpenGL's bindless textures: Vulkan has none"},
	{list: []spv.Capability{
		spv.CapabilityAtomicFloat16VectorNV,
	}, vulkan: "VK_NV_shader_atomic_float16_vector", lacks: []Lack{{Target: "ir3", Why: "the hardware has no atomics of that size"}, {Target: "agx", Why: "the hardware has no atomics of that size"}, {Target: "midgard", Why: "the hardware has no atomics of that size"}}},
	{list: []spv.Capability{
		spv.CapabilityPushConstantBanksNV,
	}, vulkan: "VK_NV_push_constant_bank", frontend: "only NVIDIA's GPUs have several banks of push constants"},
	{list: []spv.Capability{
		spv.CapabilityRayTracingMotionBlurNV,
	}, vulkan: "VK_NV_ray_tracing_motion_blur", frontend: "no GPU of the targets has acceleration structures that move"},
	{list: []spv.Capability{
		spv.CapabilityDisplacementMicromapNV, spv.CapabilityRayTracingDisplacementMicromapNV,
	}, vulkan: "VK_NV_displacement_micromap", frontend: "no GPU of the targets has displacement in acceleration structures"},
	{list: []spv.Capability{
		spv.CapabilityRayTracingOpacityMicromapKHR, spv.CapabilityRayTracingOpacityMicromapExecutionModeKHR,
	}, vulkan: "VK_EXT_opacity_micromap", frontend: "no GPU of the targets has opacity micromaps in acceleration structures"},
	{list: []spv.Capability{
		spv.CapabilityRayTracingSpheresGeometryNV, spv.CapabilityRayTracingLinearSweptSpheresGeometryNV,
	}, vulkan: "VK_NV_ray_tracing_linear_swept_spheres", frontend: "no GPU of the targets has spheres in acceleration structures"},
	{list: []spv.Capability{
		spv.CapabilityRayTracingClusterAccelerationStructureNV,
	}, vulkan: "VK_NV_cluster_acceleration_structure", frontend: "no GPU of the targets has clusters in acceleration structures"},
	{list: []spv.Capability{
		spv.CapabilityIntrinsicSAMSUNG,
	}, frontend: "instructions of Samsung's GPUs alone"},
}
