package emu

// Invocations of tessellation control share the outputs of their patch: each writes its own vertex's and any of the patch's, and reads
// them all; a barrier orders what was before it, without a fence (SPIR-V, OpControlBarrier). Those of a mesh shader share all outputs.
// Of patches that run together each has its own.

// startPatches begins n patches, of that many invocations each, that share waves and barriers; before is how many came before them.
func (g *groupRaces) startPatches(before uint64, n, verts, waves, size int) {
	g.start(g.log, before, waves, size)
	g.verts = uint32(verts)
}

// Output tells an access of a lane to n bytes of outputs that invocations share, at an address of which cores choose the meaning, below 2^32.
func (w *WaveRaces) Output(lane int, at uint64, n int, kind AccessKind, place uint32) {
	if w == nil || w.o.Where == nil {
		return
	}
	log := w.g.log
	log.mu.Lock()
	defer log.mu.Unlock()
	patch := uint64(0)
	if v := w.g.verts; v > 0 {
		patch = uint64((w.first + uint32(lane)) / v)
	}
	for i := range words(at, n) {
		if log.full() {
			return
		}
		k := at>>2 + i
		c := w.g.outputs[patch<<32|k]
		if c == nil {
			if w.g.outputs == nil {
				w.g.outputs = map[uint64]*raceCell{}
			}
			c = new(raceCell)
			w.g.outputs[patch<<32|k] = c
		}
		w.note(c, raceOutputs, k<<2, lane, byteMask(k, at, n), kind, place)
	}
}
