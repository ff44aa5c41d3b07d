package agx

// fault is an obligation of the hardware (agx.md §16) that the compiler leaves unmet, 0 none. Tests
// set it to see that what then goes wrong is noticed; nothing else does.
type fault uint8

const (
	faultBaseInstance      fault = 1 + iota // the base is not added to the instance index
	faultWrittenImage                       // loads of images that the shader writes have the form of others
	faultImageBarrier                       // no barrier after a store to an image that is read too
	faultGuardLow                           // the low word of an address out of bounds stays
	faultSubgroupBarrier                    // memory barriers of a subgroup are no words
	faultPatchBarrier                       // barriers of tessellation control order no memory
	faultScratchSize                        // the metadata leaves out what stack_adjust takes on top
	faultTileBudget                         // targets that no tile holds are accepted
	faultPointSize                          // the point size is stored as it is
	faultSampleHalt                         // lanes that end in one sample stay away in the next
	faultSamplePlace                        // gl_FragCoord.xy is the pixel's centre
	faultHaltedIndex                        // r0h of lanes that end keeps its index
	faultQuadIndex                          // quad broadcasts join the indices of lanes that are not active
	faultPassFacts                          // a linked program has the facts of its main part alone
	faultTexelRange                         // fetches out of the levels and layers are done
	faultEarlyTests                         // early fragment tests are left to what the shader does later
	faultSideEffects                        // side effects do not force the late test
	faultVaryingOrder                       // user varyings stand in the order of their slots, however they are interpolated
	faultViewportCopy                       // the viewport index is no varying
	faultClipCopy                           // clip distances are no varyings
	faultViewportUnwritten                  // the viewport index is read where no stage writes it
	faultFirstFan                           // flat inputs come from word c in fans too
	faultInvalidPlane                       // planes are evaluated whether they are valid or not
	faultSampleDepth                        // gl_FragCoord.zw are those of the pixel's centre
	faultKeptDepth                          // side effects write the depth of the pixel's centre for all samples
	faultNeverDepth                         // side effects write their depth where the depth test never passes
	faultSampleShading                      // the pipeline's sample shading is left to the shader
	faultTestTwice                          // whole programs test the samples that a depth or a stencil tests after them
	faultWorkgroupFence                     // barriers of the workgroup order nothing of the device's memory
	faultGroupBarrier                       // barriers of the workgroup do not wait
	faultSlots                              // the descriptor table holds what this shader uses, in a row
	faultSamplerBias                        // samplers are taken to have a LOD bias of their own
	faultTileWords                          // short integers are stored to the tile from 32-bit registers
	faultLinearTexels                       // texels of images lie in rows
	faultCubeDepth                          // sizes of storage images that are arrays of cubes are left: lower_image has not run for them
	faultWaits                              // nobody waits for results
	faultPixelFence                         // the tile is accessed, and samples tested, without a wait for older pixels
	faultHelperWrites                       // helpers write memory
	faultFinalStore                         // no store of a vertex is the final one
	faultNestingStart                       // r0l is what it is at the start
	faultLayerRange                         // layers of sampled arrays are taken as they are
	faultFlatTextures                       // one-dimensional textures have their own dimension
	faultDefaultSize                        // points that no stage gives a size have none
	faultCoherent                           // accesses that others see have the form of those that they do not
	faultLayer                              // fragments are of layer 0, whatever layer they are of
	faultSampleMaskIn                       // the mask of covered samples has those that the pipeline leaves out
	faultPartialQuad                        // shuffles by a register read quads that are not whole as others
	faultInterlock                          // what fragments of a pixel do one after the other does not wait for the older ones
	faultAttributeClamp                     // attributes are fetched beyond the end of their buffers
	faultResidencyBits                      // all bits of a residency code count
	faultTexelRoom                          // a texel takes as many registers as it has components that are read
	faultResidencyWait                      // what comes after a texel is not waited for
	faultHalves                             // the metadata has fewer registers than the program
	faultTraps                              // nothing stands after the last instruction
	faultBufferRange                        // texel buffers are left to the bounds of the shape that they have
	faultQuadrants                          // sines are taken of angles beyond a turn
	faultCubeGradients                      // derivatives of cubes are left: lower_tex has not run for them
	faultSpillStore                         // what is spilled is loaded, and nothing stores it
	faultMiddleWord                         // values of a primitive's second vertex come from word c
	faultLists                              // strips and fans are drawn as such where vertices are told apart
	faultQueryDim                           // LOD queries have the dimension of a texture without layers
	faultGatherLod                          // gathers name the base level
	faultOddHalves                          // texel offsets, and a bias with a bound, begin in any half of a register
	faultFetchSampler                       // the metadata does not ask for the sampler of fetches
	faultTranslucent                        // programs that leave targets as they are count as opaque
	faultEmptyTile                          // pixels of several samples have no room in the tile where there are no targets
	faultSampleThere                        // values are interpolated at samples that the pixel does not have
	faultTileAlign                          // targets of sRGB bytes begin at any byte of the tile
	faultMaskedStore                        // colour masks leave components out of stores to the tile
	faultQuads                              // the metadata asks for no quads, whatever looks at the other pixels of one
	faultEmptyDispatch                      // the preamble reads memory where no workgroup runs
	faultEmptyDraw                          // the preamble reads by any index where nothing is shaded
	faultPartiallyBound                     // the preamble reads descriptors that may be missing where no invocation comes by
	faultSoftFaults                         // the metadata does not say that the preamble counts on soft faults
	faultEndedLanes                         // lanes that end read by the index that made them end
	faultAttachmentSamples                  // attachments of several samples read by pixel
	numFaults
)

// faults is what is left unmet.
var faults fault

// has reports whether an obligation is left unmet.
func (f fault) has(x fault) bool { return f == x }
