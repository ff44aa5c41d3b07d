package ir3

// fault is an obligation (ir3.md §11) that a compile does not meet, 0 none: tests leave out the step
// that meets one, and demand that something fails.
type fault uint8

const (
	faultShuffle           fault = 1 + iota // fibers that have their value leave the loop of a shuffle
	faultAliasCount                         // the first alias.rt says how many there are
	faultPrefetch                           // prefetches on devices that have none
	faultDistanceMasks                      // clip and cull masks of what is declared
	faultPrivateLayout                      // accesses of several components in the layout by waves
	faultDispatchOrder                      // dispatches that are not linear
	faultChainIDs                           // ids that only the next stage wants
	faultViews                              // 16-bit accesses through views of words
	faultSlots                              // slots that the stages of a pipeline agree on
	faultResinfo                            // no (ss)nop after resinfo
	faultAliasLine                          // alias.tex across lines of the instruction cache
	faultBarrierWait                        // no waits after barriers and fences
	faultLock                               // compute shaders of a7xx that end without lock and unlock
	faultFence                              // barriers without the fence before
	faultCacheInvalidate                    // acquires from other workgroups without ccinv
	faultReadOnly                           // loads of memory that the shader writes through the texture path
	faultConsts                             // consts that somebody else is expected to load
	faultStreams                            // one flag of cuts for the strips of all streams
	faultFullQuads                          // fine derivatives without whole quads
	faultLayer                              // fragments of layer 0, whatever layer they are of
	faultKillLoops                          // killed fibers that stay in loops
	faultPostDepth                          // the mask of covered samples before tests for the one after them
	faultWaits                              // no waits for results that are under way
	faultViewVarying                        // the view of a fragment in a register
	faultSlotDistances                      // of a slot of distances those that are read
	faultUnits                              // ranges of uniform buffers from any vec4 on
	faultConstMemory                        // consts where workgroup memory is
	faultResident                           // registers that leave no room for the waves of a workgroup
	faultRayList                            // ray_intersection over lists that are not empty
	faultCoherent                           // coherent loads of what the shader does not write as others
	faultResidency                          // of several accesses the residency code of the last one
	faultClockOrder                         // the clock's high word is read before the low one
	faultDelays                             // no slots between a result and its reader
	faultJoins                              // no (jp) where parked fibers go on
	faultEarlyEnd                           // (ei) at the first input, not the last
	faultFootprint                          // fewer registers in the metadata than the program has
	faultBranchStack                        // no branch stack in the metadata
	faultPrivateSize                        // no private memory in the metadata
	faultEarlyPreamble                      // preambles before dispatch whatever they use
	faultPredicateNops                      // no idle slots after predicates change
	faultTexShape                           // sizes of textures without their shape
	faultSafeConsts                         // stages of a pipeline that take all consts
	faultTessBarrier                        // bar.g in tessellation control
	faultIsamBit                            // isam with bit 18, which is isam.v's
	faultMinLod                             // lower bounds of LODs count nothing
	faultSpillStore                         // what is spilled is loaded, and nothing stores it
	faultMixedSizes                         // of two writes in different sizes only the last is waited for
	faultHeldInputs                         // preambles that take the registers of inputs
	faultRateAxes                           // shading rates as Vulkan has them
	faultRateMask                           // the shading rate without the mask of covered samples
	faultRayMark                            // metadata that keeps silent about rays
	faultTypedResinfo                       // sizes of images with the bit of typed accesses
	faultKillSense                          // kill where a predicate is not set
	faultFragOffset                         // coordinates of fragments as the hardware counts them under a map of densities
	faultLayerHalf                          // layers of arrays as they are
	faultLastHalf                           // words of buffers that end in their first half
	faultAliasWait                          // (sy) before the names of a lookup, not at the lookup
	faultImageCoords                        // two coordinates of images that are lines or buffers
	faultTexelLevel                         // levels of texel buffers
	faultRelativeRepeat                     // repetitions of what is relative to a0.x
	faultUniformNumbers                     // numbers of descriptors that differ between fibers, in a mode for those that do not
	faultHelpers                            // the metadata asks for no helpers
	faultPartiallyBound                     // the preamble reads descriptors that may be missing where no fiber comes by
	faultChosenDescriptor                   // the preamble reads descriptors by an index that an if excludes
	faultCutTexels                          // texels as halves where a shader wants them rounded to nearest
	faultBindless                           // metadata that names no table of descriptors
	faultPrefetchPlace                      // barycentrics for prefetches in r1.x
	faultAttachments                        // metadata that names no attachments which are read
	faultAttachmentLayer                    // attachments read at layer 0
	faultAttachmentSamples                  // attachments read by pixel
	faultAttachmentOrder                    // fragments that read attachments in any order
	faultSharedHalves                       // halves that are moved to shared registers as they are
	faultTornLoads                          // what loads find at one address, as if all fibers found the same
	numFaults
)

// faults is that of all compiles: none but in tests.
var faults fault

func (f fault) has(x fault) bool { return f == x }
