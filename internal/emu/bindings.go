package emu

import (
	"sort"

	"nirc/backend/layout"
	"nirc/ir"
)

// DescriptorType is Vulkan's kind of a descriptor.
type DescriptorType uint8

// Descriptor types.
const (
	DescNone DescriptorType = iota
	DescUniformBuffer
	DescStorageBuffer
	DescUniformTexelBuffer
	DescStorageTexelBuffer
	DescSampledImage
	DescStorageImage
	DescSampler
	DescCombinedImageSampler
	DescInputAttachment
	// DescAccelStruct has the address of a top-level acceleration structure in Addr, the bytes that hold its description in Size.
	DescAccelStruct
)

// Descriptor is one array element of a binding.
type Descriptor struct {
	Type DescriptorType
	// Addr and Size give a buffer's range in bytes, dynamic offset included.
	Addr, Size uint64
	Image      *ImageView
	Sampler    *Sampler
	// Format is the texel format of a texel buffer.
	Format *Format
}

// InMemory reports whether descriptors of the type are buffers, and no texels are read by them.
func (t DescriptorType) InMemory() bool {
	return t == DescUniformBuffer || t == DescStorageBuffer || t == DescAccelStruct
}

// Robust returns what a shader was promised of accesses out of bounds of a descriptor of the type.
func (t DescriptorType) Robust(r *ir.Robust) ir.Robustness {
	switch t {
	case DescUniformBuffer, DescUniformTexelBuffer:
		return r.Uniform
	case DescStorageBuffer, DescStorageTexelBuffer:
		return r.Storage
	}
	return r.Images
}

// texel returns the bytes of element i of a texel buffer, nil outside.
func (d *Descriptor) texel(m *Memory, i uint64) []byte {
	if i >= d.NumTexels() {
		return nil
	}
	return m.Bytes(d.Addr+i*uint64(d.Format.Bytes), d.Format.Bytes)
}

// LoadTexel reads element i of a texel buffer as Format.Unpack gives it; all
// components are 0 outside the buffer.
func (d *Descriptor) LoadTexel(m *Memory, i uint64) (t [4]uint32) {
	if b := d.texel(m, i); b != nil {
		d.Format.Unpack(b, &t)
	}
	return t
}

// StoreTexel writes element i of a texel buffer; outside nothing happens.
func (d *Descriptor) StoreTexel(m *Memory, i uint64, t [4]uint32) {
	if b := d.texel(m, i); b != nil {
		d.Format.Pack(b, &t)
	}
}

// AtomicTexel replaces the raw 2-, 4- or 8-byte element i of a texel buffer by
// f(old) and returns old; nothing else runs between. Outside the buffer, and for
// elements of another size, it returns 0 and calls nothing.
func (d *Descriptor) AtomicTexel(m *Memory, i uint64, f func(old uint64) uint64) uint64 {
	if i >= d.NumTexels() {
		return 0
	}
	switch n := d.Format.Bytes; n {
	case 2, 4, 8:
		return m.Atomic(d.Addr+i*uint64(n), n, f)
	}
	return 0
}

// NumTexels returns how many elements a texel buffer has.
func (d *Descriptor) NumTexels() uint64 {
	if d.Format == nil {
		return 0
	}
	return d.Size / uint64(max(1, d.Format.Bytes))
}

// Immutable is the descriptor with the immutable sampler that a layout has for a descriptor of a
// binding, else as it is.
func (d Descriptor) Immutable(l *layout.Layout, set, binding, element uint32) Descriptor {
	if b := l.Find(set, binding); b != nil {
		if s, ok := b.Sampler(element); ok {
			d.Sampler = samplerOf(&s)
		}
	}
	return d
}

// samplerOf is the sampler of a layout.
func samplerOf(s *layout.SamplerState) *Sampler {
	x := &Sampler{Mag: Filter(s.MagFilter), Min: Filter(s.MinFilter), Mip: MipMode(s.MipmapMode), LodBias: s.MipLodBias, MinLod: s.MinLod, MaxLod: s.MaxLod,
		Anisotropy: s.MaxAnisotropy, Compare: s.Compare, CompareOp: CompareOp(s.CompareOp), Border: BorderColor(s.BorderColor), Unnormalized: s.Unnormalized}
	for i, a := range s.Address {
		x.Address[i] = AddressMode(a)
	}
	return x
}

// Bindings is the set of descriptors that a pipeline sees. A descriptor has a
// handle: a dense number in the order of (set, binding, element), so that the
// elements of one binding have consecutive handles.
type Bindings struct {
	keys  []bindingKey // sorted
	descs []Descriptor // by handle
}

type bindingKey struct {
	set, binding uint32
	first, count int // handles
}

// Set gives binding (set, binding) its array elements. Setting one binding
// moves the handles of those after it, so all are set before a launch.
func (b *Bindings) Set(set, binding uint32, elems []Descriptor) {
	i := b.search(set, binding)
	if i == len(b.keys) || b.keys[i].set != set || b.keys[i].binding != binding {
		b.keys = append(b.keys, bindingKey{})
		copy(b.keys[i+1:], b.keys[i:])
		first := len(b.descs)
		if i+1 < len(b.keys) {
			first = b.keys[i+1].first
		}
		b.keys[i] = bindingKey{set: set, binding: binding, first: first}
	}
	k := &b.keys[i]
	tail := append([]Descriptor(nil), b.descs[k.first+k.count:]...)
	b.descs = append(append(b.descs[:k.first], elems...), tail...)
	delta := len(elems) - k.count
	k.count = len(elems)
	for j := i + 1; j < len(b.keys); j++ {
		b.keys[j].first += delta
	}
}

func (b *Bindings) search(set, binding uint32) int {
	return sort.Search(len(b.keys), func(i int) bool {
		k := b.keys[i]
		return k.set > set || k.set == set && k.binding >= binding
	})
}

// Handle returns the handle of an element, or -1 if nothing is bound there.
func (b *Bindings) Handle(set, binding, element uint32) int {
	i := b.search(set, binding)
	if i == len(b.keys) || b.keys[i].set != set || b.keys[i].binding != binding || int(element) >= b.keys[i].count {
		return -1
	}
	return b.keys[i].first + int(element)
}

// Desc returns the descriptor with that handle; an unknown handle gives the
// zero Descriptor (Type DescNone), from which everything reads 0.
func (b *Bindings) Desc(handle int) *Descriptor {
	if handle < 0 || handle >= len(b.descs) {
		return &noDescriptor
	}
	return &b.descs[handle]
}

// Lookup is Desc(Handle(set, binding, element)).
func (b *Bindings) Lookup(set, binding, element uint32) *Descriptor {
	return b.Desc(b.Handle(set, binding, element))
}

var noDescriptor Descriptor
