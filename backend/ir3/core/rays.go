package core

import (
	"errors"
	"math"

	"nirc/internal/emu"
	"nirc/internal/raytrace"
	"nirc/internal/raytrace/a7xx"
)

// BuildAccel puts a scene into memory as a driver does (a7xx.Build). How wide a tree's nodes are is the driver's choice: in
// checking mode any.
func (p *program) BuildAccel(m *emu.Memory, s *raytrace.Scene) (addr, size uint64) {
	return a7xx.Build(func(n int) (uint64, []byte) {
		b := m.Alloc(n)
		return b.Addr, b.Data
	}, s, 8-m.Choose(7))
}

var errRayList = errors.New("the fourth word of a ray_intersection's destination is not 0 before")

// noNode is what is read of a node outside of memory.
var noNode [a7xx.NodeSize]byte

// execRayIntersection tests the ray of each fiber against a node (ir3.md §13.3).
func execRayIntersection(w *wave, x *inst) error {
	at := func(k int) int { return int(x.Srcs[k].Val) }
	dst := int(x.Dst.Val)
	for lane := range w.exec.Lanes() {
		float := func(k int) float32 { return math.Float32frombits(w.laneGet(at(2)+k, lane, false)) }
		node := w.l.Env.Mem.Bytes(w.address(x, 0, lane)+a7xx.NodeSize*uint64(w.laneGet(at(1), lane, false)), a7xx.NodeSize)
		if node == nil {
			node = noNode[:]
		}
		ray := raytrace.Ray{TMin: float(3), TMax: float(7)}
		for k := range ray.Origin {
			ray.Origin[k], ray.Direction[k] = float(k), float(4+k)
		}
		old := w.laneGet(dst+3, lane, false)
		if old != 0 && w.check != nil {
			return errRayList
		}
		for k, v := range a7xx.Intersect(node, &ray, w.laneGet(at(3), lane, false), old) {
			w.laneSet(dst+k, lane, false, v)
		}
	}
	return nil
}
