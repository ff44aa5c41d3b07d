package emu

import "nirc/ir"

// Suits returns how well what is bound suits a shape in which a shader sees images: the more the better, 0 not at all. Where a binding
// is seen in several shapes, each descriptor is of the one that it suits best; hardware has the shape in the descriptor itself.
func (d *Descriptor) Suits(dim ir.Dim, array bool) int {
	v := d.Image
	if dim == ir.DimBuf || v == nil {
		if (dim == ir.DimBuf) == (d.Format != nil) {
			return 1
		}
		return 0
	}
	m, n := v.Image, v.NumLayers()
	layered := func(apart, together int) int {
		if array == (n > apart) {
			return together + 1
		}
		return together
	}
	multisampled := dim == ir.DimMS || dim == ir.DimSubpassMS
	switch {
	case multisampled != (m.Samples > 1):
		return 0
	case m.Depth > 1 || dim == ir.Dim3D:
		if m.Depth > 1 && dim == ir.Dim3D {
			return 8
		}
		return 0
	case dim == ir.DimCube && n%6 == 0 && m.Width == m.Height:
		return layered(6, 5)
	case dim == ir.DimCube:
		return 0
	case dim == ir.Dim1D && m.Height == 1:
		return layered(1, 3)
	case dim == ir.Dim1D:
		return 0
	}
	return layered(1, 1)
}
