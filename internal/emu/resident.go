package emu

import "slices"

// Unbound is a range of an image's bytes, [From, To), that no memory is bound to (Vulkan 1.3, Partially-Resident Images,
// as with residencyNonResidentStrict): reads give 0 and writes are lost.
type Unbound struct{ From, To int }

// Residency codes, which are the same in the IR and on all targets: that of several accesses is the or of theirs.
const (
	Resident    = 0 // all texels that were accessed have memory
	NotResident = 1
)

// unbound reports whether the texel at a place of Data has no memory.
func (m *Image) unbound(at int) bool {
	return slices.ContainsFunc(m.Unbound, func(u Unbound) bool { return u.From < at+m.Format.Bytes && at < u.To })
}

// Residency returns the residency code of a Fetch.
func (v *ImageView) Residency(dim TexDim, x, y, z, layer, lod, sample int) uint32 {
	if v == nil || v.Image == nil || len(v.Image.Unbound) == 0 {
		return Resident
	}
	at, _, ok := v.place(dim, x, y, z, layer, lod, sample)
	if ok && v.Image.unbound(at+v.Image.levelOffset(v.BaseMip+lod)) {
		return NotResident
	}
	return Resident
}

// LoadResidency returns the residency code of a Load.
func (v *ImageView) LoadResidency(x, y, z, mip, sample int) uint32 {
	if v == nil || v.Image == nil || len(v.Image.Unbound) == 0 {
		return Resident
	}
	if at := v.offset(x, y, z, mip, sample); at >= 0 && v.Image.unbound(at) {
		return NotResident
	}
	return Resident
}
