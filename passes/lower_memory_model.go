package passes

import "nirc/ir"

var lowerMemoryModelPass = &Pass{
	Name: "lower_memory_model", Class: "A", Run: lowerMemoryModel, Idempotent: true, For: ir.HasBarrier,
	Doc: "Turns the make_available and make_visible bits of barriers, which ask for flushes that a target without such instructions does not have, into coherent " +
		"accesses: the stores that may come before a make_available and the loads that may come after a make_visible, of the barrier's modes. Output: no barrier " +
		"has these bits. Functions that are not inlined count as reached from everywhere.",
}

// memoryModel finds for each block what barriers come before it and after it.
type memoryModel struct {
	work ir.BlockWorklist
	// modes made visible before a block's start, or available after its end; by
	// Block.Index.
	at []ir.Mode
	// always are modes of which every access counts.
	always ir.Mode
}

const memorySemantics = uint64(ir.SemMakeAvailable | ir.SemMakeVisible)

func lowerMemoryModel(_ *Context, s *ir.Shader) (bool, error) {
	var m memoryModel
	calls, found := false, false
	var modes ir.Mode
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for b := range f.Impl.Blocks() {
			for in := b.First(); in != nil; in = in.Next() {
				calls = calls || in.Kind == ir.KindCall
				if in.IsIntrinsic(ir.IntrBarrier) && in.Get(ir.IdxMemorySemantics)&memorySemantics != 0 {
					found = true
					modes |= ir.Mode(in.Get(ir.IdxMemoryModes))
				}
			}
		}
	}
	if !found {
		return false, nil
	}
	if calls {
		m.always = modes
	}
	return eachImpl(s, ir.MetaAll, m.impl), nil
}

// impl marks the accesses of a function and takes the bits off its barriers.
func (m *memoryModel) impl(impl *ir.Impl) (changed bool) {
	m.flow(impl, ir.SemMakeVisible, true)
	for b := range impl.Blocks() {
		modes := m.at[b.Index] | m.always
		for in := b.First(); in != nil; in = in.Next() {
			modes |= barrierModes(in, ir.SemMakeVisible)
			changed = makeCoherent(in, modes, true) || changed
		}
	}
	m.flow(impl, ir.SemMakeAvailable, false)
	for b := range impl.Blocks() {
		modes := m.at[b.Index] | m.always
		for in := b.Last(); in != nil; in = in.Prev() {
			modes |= barrierModes(in, ir.SemMakeAvailable)
			changed = makeCoherent(in, modes, false) || changed
		}
	}
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if in.IsIntrinsic(ir.IntrBarrier) && in.Get(ir.IdxMemorySemantics)&memorySemantics != 0 {
				in.Set(ir.IdxMemorySemantics, in.Get(ir.IdxMemorySemantics)&^memorySemantics)
				changed = true
			}
		}
	}
	return changed
}

// flow spreads the modes of barriers with the given bit along the edges.
func (m *memoryModel) flow(impl *ir.Impl, bit ir.Semantics, forward bool) {
	m.work.Init(impl)
	m.at = append(m.at[:0], make([]ir.Mode, impl.NumBlocks)...)
	m.work.AddAll()
	next := m.work.PopFirst
	if !forward {
		next = m.work.PopLast
	}
	for b := next(); b != nil; b = next() {
		modes := m.at[b.Index]
		for in := b.First(); in != nil; in = in.Next() {
			modes |= barrierModes(in, bit)
		}
		to := b.Preds
		if forward {
			to = b.Succ[:]
		}
		for _, x := range to {
			if x != nil && x != impl.End && m.at[x.Index]|modes != m.at[x.Index] {
				m.at[x.Index] |= modes
				m.work.Push(x)
			}
		}
	}
}

// barrierModes returns the modes of a barrier with that bit.
func barrierModes(in *ir.Instr, bit ir.Semantics) ir.Mode {
	if in.IsIntrinsic(ir.IntrBarrier) && ir.Semantics(in.Get(ir.IdxMemorySemantics))&bit != 0 {
		return ir.Mode(in.Get(ir.IdxMemoryModes))
	}
	return 0
}

// makeCoherent marks an access that loads (or one that stores) from memory of
// the modes; atomics are coherent anyhow.
func makeCoherent(in *ir.Instr, modes ir.Mode, loads bool) bool {
	if modes == 0 || in.Kind != ir.KindIntrinsic || !in.Has(ir.IdxAccess) {
		return false
	}
	m, mode := in.Memory(), in.MemoryModes()&visibleModes
	load := m.Op == ir.MemLoad
	if !load && m.Op != ir.MemStore {
		return false
	}
	if mode&modes == 0 || load != loads || ir.Access(in.Get(ir.IdxAccess))&ir.AccessCoherent != 0 {
		return false
	}
	in.Set(ir.IdxAccess, in.Get(ir.IdxAccess)|uint64(ir.AccessCoherent))
	return true
}
