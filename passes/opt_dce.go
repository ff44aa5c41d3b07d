package passes

import (
	"sync"

	"nirc/ir"
)

var optDCEPass = &Pass{
	Name: "opt_dce", Makes: ChangeRemoval, Withstands: ChangeFacts | ChangeMerge, Class: "A", Run: implPass(ir.MetaControlFlow|ir.MetaInstrIndex, optDCE), Idempotent: true, Optional: true,
	Doc: "Deletes instructions without effect whose results nothing needs, unused cycles through phis included.",
}

// optDCE deletes what has no effect. Backwards, one walk sees every user of a
// value before the value; only phis of loops may live on each other, and take
// mark and sweep.
func optDCE(impl *ir.Impl) bool {
	if hasLoopPhis(impl) {
		return markAndSweep(impl)
	}
	progress := false
	for b := range impl.BlocksReverse() {
		for in := range b.InstrsReverse() {
			if in.Def.Unused() && !hasSideEffects(in) {
				in.Remove()
				progress = true
			}
		}
	}
	return progress
}

func hasLoopPhis(impl *ir.Impl) bool {
	for b := range impl.Blocks() {
		if l := b.FollowingLoop(); l != nil {
			if in := l.Body.FirstBlock().First(); in != nil && in.Kind == ir.KindPhi {
				return true
			}
		}
	}
	return false
}

// States of an instruction in Instr.Flags while markAndSweep runs.
const (
	dceUnseen uint32 = iota
	dceLive          // marked, the walk is still to come by
	dceDone          // the walk has come by and it was not marked
)

// markAndSweep deletes what is not reached from an instruction with side
// effects or a condition, unused phi cycles of loops included. It walks
// backwards, so that except for what loops carry back all users have been met
// before a value; those are followed by a work list.
func markAndSweep(impl *ir.Impl) bool {
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			in.Flags = dceUnseen
		}
	}
	m := markers.Get().(*marker)
	defer m.release()
	for b := range impl.BlocksReverse() {
		if i := b.FollowingIf(); i != nil {
			m.mark(i.Cond.Def.Instr)
		}
		for in := b.Last(); in != nil; in = in.Prev() {
			switch {
			case in.Flags == dceLive:
			case hasSideEffects(in):
				in.Flags = dceLive
			default:
				in.Flags = dceDone
				m.dead++
				m.passed = append(m.passed, in)
				continue
			}
			m.sources(in)
		}
		m.follow()
	}
	if m.dead == 0 {
		return false
	}
	m.sweep()
	return true
}

// marker marks what live instructions need.
type marker struct {
	work []*ir.Instr // marked after the walk had come by
	dead int         // instructions that the walk has come by and are not marked
	// passed are those that were not marked when the walk came by.
	passed []*ir.Instr
}

// markers keeps the memory of runs that are over.
var markers = sync.Pool{New: func() any { return new(marker) }}

func (m *marker) release() {
	clear(m.work[:cap(m.work)])
	clear(m.passed)
	*m = marker{work: m.work[:0], passed: m.passed[:0]}
	markers.Put(m)
}

func (m *marker) mark(in *ir.Instr) {
	switch in.Flags {
	case dceUnseen:
		in.Flags = dceLive
	case dceDone:
		in.Flags = dceLive
		m.dead--
		m.work = append(m.work, in)
	}
}

func (m *marker) sources(in *ir.Instr) {
	for k := range in.Srcs {
		m.mark(in.Srcs[k].Def.Instr)
	}
	if in.Kind == ir.KindParallelCopy {
		for _, e := range in.CopyInfo().Entries {
			if e.DstReg != nil {
				m.mark(e.DstReg.Instr)
			}
		}
	}
}

// follow marks what the instructions of the work list need.
func (m *marker) follow() {
	for len(m.work) > 0 {
		in := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		m.sources(in)
	}
}

// sweep deletes what is not marked, without a walk over the rest. Dead code may use dead code further on in
// a loop, so all uses of a dead value are cut before it goes.
func (m *marker) sweep() {
	for _, in := range m.passed {
		if in.Flags == dceLive {
			continue
		}
		for i := range in.Srcs {
			in.Srcs[i].Set(nil)
		}
		in.Remove()
	}
}
