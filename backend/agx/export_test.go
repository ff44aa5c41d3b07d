package agx

// Faults are the obligations by the names that tests call them.
var Faults = map[string]fault{
	"base instance": faultBaseInstance, "written image": faultWrittenImage, "image barrier": faultImageBarrier, "guard": faultGuardLow,
	"subgroup barrier": faultSubgroupBarrier, "patch barrier": faultPatchBarrier, "scratch size": faultScratchSize,
	"sample halt": faultSampleHalt, "sample place": faultSamplePlace, "halted index": faultHaltedIndex,
	"quad index": faultQuadIndex, "partial quad": faultPartialQuad, "pass facts": faultPassFacts, "texel range": faultTexelRange, "early tests": faultEarlyTests, "side effects": faultSideEffects, "tile budget": faultTileBudget, "point size": faultPointSize,
	"varying order": faultVaryingOrder, "viewport copy": faultViewportCopy, "clip copy": faultClipCopy, "viewport unwritten": faultViewportUnwritten,
	"first fan": faultFirstFan, "invalid plane": faultInvalidPlane,
	"sample depth": faultSampleDepth, "sample mask in": faultSampleMaskIn, "kept depth": faultKeptDepth, "never depth": faultNeverDepth, "sample shading": faultSampleShading, "test twice": faultTestTwice, "sampler bias": faultSamplerBias, "tile words": faultTileWords,
	"linear texels": faultLinearTexels, "waits": faultWaits, "pixel fence": faultPixelFence, "helper writes": faultHelperWrites,
	"final store": faultFinalStore, "nesting start": faultNestingStart, "layer range": faultLayerRange, "flat textures": faultFlatTextures, "cube depth": faultCubeDepth,
	"workgroup fence": faultWorkgroupFence, "group barrier": faultGroupBarrier,
	"slots": faultSlots, "layer": faultLayer, "coherent": faultCoherent, "default size": faultDefaultSize,
}

// NumFaults is the number of switches that there are.
const NumFaults = numFaults

// Break leaves obligations unmet until the function that it returns is called.
func Break(f fault) (mend func()) {
	faults = f
	return func() { faults = 0 }
}
