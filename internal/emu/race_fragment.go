package emu

// Fragments of a draw run beside each other, those of one pixel too: the order in which colours are
// stored is none of what they do to memory. What orders two of a pixel is a fence that the younger one has
// passed (PixelOrder) and that the older one had not signalled before its access.

// racyFragment is the fragment that makes an access, as it stands then.
type racyFragment struct {
	of                bool // else the access is of a dispatch
	x, y              int32
	layer             uint32
	number            uint32 // in the order of the draw
	passed, signalled uint32 // fences
	differs           bool   // a store changes something
}

// after reports whether a fragment's access comes after that of an older one of its pixel.
func (a *racyFragment) after(b *racyFragment) bool {
	return a.of && b.of && b.number < a.number && a.x == b.x && a.y == b.y && a.layer == b.layer && a.passed&^b.signalled != 0
}

// racy is what lane's fragment is to the accesses of others now.
func (w *fragmentWave) racy(lane int) racyFragment {
	l := &w.lanes[lane]
	return racyFragment{of: true, x: l.X, y: l.Y, layer: l.Prim.Layer, number: w.races.first + uint32(lane), passed: w.order.passed, signalled: w.order.signalled}
}

// watch lets the wave tell its accesses to the draw's log.
func (o *overlap) watch(w *fragmentWave) {
	o.started++
	w.group = groupRaces{log: o.races, group: o.started}
	w.races = WaveRaces{g: &w.group, first: o.fragments, wave: w}
	o.fragments += uint32(w.n)
	w.launch.Races = &w.races
}
