package ir

// Metadata is a set of facts about a function that are computed on demand and
// stay valid until a pass changes what they depend on.
type Metadata uint32

// Metadata kinds. Those from MetaLiveness on are computed by package
// passes/analysis and only kept here.
const (
	MetaBlockIndex Metadata = 1 << iota
	MetaDominance
	MetaInstrIndex
	MetaLiveness
	MetaLoops
	MetaDivergence
	MetaUseDominance
	MetaPostDominance
	MetaRange
	metaEnd

	metaCount = 9

	MetaNone Metadata = 0
	// MetaControlFlow is what a pass keeps that leaves the tree alone.
	MetaControlFlow = MetaBlockIndex | MetaDominance | MetaPostDominance
	// MetaAll is what a pass keeps that changed nothing.
	MetaAll = metaEnd - 1
)

var metaNames = [...]string{"block_index", "dominance", "instr_index", "live_defs", "loop_analysis", "divergence", "use_dominance", "post_dominance", "range"}

// String joins the names of the set.
func (m Metadata) String() string {
	s := ""
	for i, n := range metaNames {
		if m&(1<<i) != 0 {
			if s != "" {
				s += " "
			}
			s += n
		}
	}
	return s
}

// Valid returns what is valid now.
func (impl *Impl) Valid() Metadata { return impl.valid }

// Preserve invalidates everything but m. A pass calls it once on each function
// that it changed.
func (impl *Impl) Preserve(m Metadata) { impl.valid &= m }

// Require makes the core metadata (block index, dominance, instruction index)
// in m valid. Analyses of other packages have their own Require functions.
func (impl *Impl) Require(m Metadata) {
	if m&MetaDominance != 0 {
		m |= MetaBlockIndex
	}
	need := m &^ impl.valid
	if need&MetaBlockIndex != 0 {
		impl.indexBlocks()
	}
	if need&MetaDominance != 0 {
		impl.computeDominance()
	}
	if need&MetaInstrIndex != 0 {
		impl.indexInstrs()
	}
	impl.valid |= need & (MetaBlockIndex | MetaDominance | MetaInstrIndex)
}

// SetAnalysis stores the result of an analysis under its (single) bit and
// marks it valid.
func (impl *Impl) SetAnalysis(m Metadata, v any) {
	impl.cache[metaIndex(m)] = v
	impl.valid |= m
}

// Analysis returns what SetAnalysis stored, or nil if it is not valid any more.
func (impl *Impl) Analysis(m Metadata) any {
	if impl.valid&m == 0 {
		return nil
	}
	return impl.cache[metaIndex(m)]
}

// StaleAnalysis returns the last result stored under the bit, valid or not,
// so that an analysis can reuse its memory.
func (impl *Impl) StaleAnalysis(m Metadata) any { return impl.cache[metaIndex(m)] }

func metaIndex(m Metadata) int {
	i := 0
	for m > 1 {
		m >>= 1
		i++
	}
	return i
}

func (impl *Impl) indexBlocks() {
	n := uint32(0)
	for b := range impl.Blocks() {
		b.Index = n
		n++
	}
	impl.End.Index = n
	impl.NumBlocks = n + 1
}

func (impl *Impl) indexInstrs() {
	n := uint32(0)
	for b := range impl.Blocks() {
		b.StartIP = n
		n++
		for in := b.first; in != nil; in = in.next {
			in.Index = n
			n++
		}
		b.EndIP = n
		n++
	}
	impl.End.StartIP, impl.End.EndIP = n, n+1
}
