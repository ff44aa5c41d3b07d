package interp

import "nirc/ir"

// execMesh runs what a task or mesh shader says of its workgroup.
func (w *Wave) execMesh(i *inst, l int) error {
	x := i.x
	if w.p.shader.Stage == ir.StageGeometry {
		return nil // its vertices were counted as they were emitted
	}
	g := w.l.Compute.Mesh
	word := func(k, c int) uint32 { return uint32(w.regs[x.src[k][c]+int32(l)]) }
	if x.in.Intr == ir.IntrSetVertexAndPrimitiveCount {
		return g.Count(word(0, 0), word(1, 0))
	}
	groups := len(x.src) - 1
	return g.Launch([3]uint32{word(groups, 0), word(groups, 1), word(groups, 2)})
}
