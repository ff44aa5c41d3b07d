package ir

// Descriptor heaps (SPV_EXT_descriptor_heap) are to the IR one binding each, number 0 of a set of its own: an array without a size,
// seen as descriptors of one type or another by variables that share the binding. Sets 0 and 1 stay an application's.
const (
	ResourceHeapSet = 2
	SamplerHeapSet  = 3
)

// DescriptorSize is how many bytes of a heap a descriptor takes, of whatever type, on all targets: what a Vulkan driver reports as
// samplerDescriptorSize, imageDescriptorSize and bufferDescriptorSize, and as their alignments. It is a slot of ir3's bindless tables
// (ir3.md §6.10).
const DescriptorSize = 64
