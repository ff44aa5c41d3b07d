package midgard

// fault is an obligation of the hardware (midgard.md §17) that the compiler leaves
// unmet, 0 none. Tests set it to see that what then goes wrong is noticed; nothing else
// does.
type fault uint8

const (
	faultViewport       fault = 1 + iota // the position leaves as clip coordinates
	faultSecondColor                     // nothing keeps the second colour in r2
	faultLoadOrder                       // loads do not wait for memory barriers
	faultTileSample                      // tile reads name sample 28
	faultDemote                          // demote ends the thread where derivatives follow
	faultBounds                          // accesses out of bounds go where they go
	faultUniformBuffer                   // bound uniform buffers are read as uniform registers
	faultWorkgroup                       // large workgroups use all registers
	faultBaseVertex                      // gl_BaseVertex is the offset of the raw vertex id
	faultFetchSampler                    // fetches do not ask for a sampler
	faultHelperWrites                    // helper threads write memory: the pass lower_helper_writes has not run
	faultPointSize                       // the point size is stored as it is
	faultClip                            // nothing drops what clip and cull distances cut off
	faultHelperFlag                      // a demoted thread does not say that it is a helper
	faultAttributeType                   // vertex inputs are loaded as integers, whatever they are
	faultVaryingAuto                     // varyings are loaded by the type of their descriptor
	faultBranchStage                     // stage 1 makes the condition of branches
	faultPerspective                     // inputs without perspective are loaded with the bit cleared
	faultLinear                          // the vertex program stores them as they are
	faultUBOOffset                       // immediate offsets of uniform buffers go up to 64 KiB
	faultSlots                           // uniform buffers stand in a row, as this shader uses them
	faultTexelRange                      // atomics go to texels that are none of the image
	faultLayer                           // fragments are of layer 0, whatever layer is drawn
	faultLodClamp                        // clamps of explicit LODs are taken without the sampler's bias
	faultBarrier                         // threads of a workgroup do not wait for each other
	faultLongPair                        // 64-bit addresses begin anywhere
	faultAlignment                       // accesses are as the shader has them: lower_mem_access_bit_sizes has not run
	faultTileLoad                        // every chip reads the tile by LD_TILEBUFFER
	faultFeedback                        // the program of transform feedback is the draw's
	faultUnfed                           // varyings that nothing feeds are read
	faultBlendTexture                    // blend programs sample on chips where the result lands on the colour
	faultTileWait                        // the tile is read without a wait for older fragments
	faultWorkRegs                        // fewer work registers in the metadata than the program has
	faultQuads                           // the metadata does not ask for quads
	faultVaryPairs                       // varyings are stored beside other loads and stores
	faultUpperTags                       // writeouts have tags of their own on every chip
	faultBrokenLOD                       // explicit LODs are left to samplers that ignore them
	faultTexelCoords                     // coordinates of texels keep their low 16 bits
	faultUniformBounds                   // robust uniform buffers are left to the bounds of LD_UBO
	faultUBOCount                        // more uniform buffers than the count of the table holds
	faultMissingUBO                      // the table lacks the bound buffers that are read
	faultStagePairs                      // results that nothing reads land where others do
	faultDenormals                       // modules may demand that denormals are kept or flushed
	faultSpillStore                      // spilled registers are loaded, and nothing stores them
	faultBitCount                        // IPOPCNT is taken to count the bits of a word
	faultSelectUnit                      // any unit of stage 1 makes the condition of a scalar select
	faultPipeOrder                       // SADD takes the first pipeline register
	faultWidenedSum                      // reductions of 16-bit operands write 16 bits
	faultBarrierFlag                     // the metadata has no barriers
	faultSampleThere                     // positions are read of samples that the pixel does not have
	faultGatherOrder                     // gathers are taken to give the texels in the order of the API
	faultTileForm                        // pixels are in the tile as they are in memory
	faultBlendUniforms                   // blend programs have buffers of their own
	faultExchangeFormat                  // the comparand of a compare and exchange has the format of an index
	faultStaleInput                      // a store is taken to read the components that the bits of its mask name
	faultHelpers                         // derivatives say that helper threads end after them
	faultSkippedResults                  // lookups say that helper threads need no results of theirs
	faultOutOfOrder                      // a bundle runs before a texture operation ends that it may not run beside
	faultReadsDepth                      // metadata that does not tell that the depth is read
	numFaults
)

// faults is what is left unmet.
var faults fault

// has reports whether an obligation is left unmet.
func (f fault) has(x fault) bool { return f == x }
