package agx

import (
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/internal/slab"
)

// A load destroys all its registers until it has been waited for. The last ones may be such that nobody reads: what comes next would take
// those, and wait. Loads leave them out, once blocks have their order, which counts on the vectors as they are in the shader.

// loadShrinker is the state of the step, by value.
type loadShrinker struct {
	uses  []int32
	loads []*mach.Instr // the load that makes a vector
}

// shrinkLoads leaves out what nobody reads of the end of vectors that are loaded.
func shrinkLoads(f *mach.Func) {
	c := templates(f)
	s := &c.shrink
	s.uses, s.loads = slab.Zeroed(s.uses, f.NumValues()), slab.Zeroed(s.loads, f.NumValues())
	found := false
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			for i := range in.Uses() {
				s.uses[in.Uses()[i].Val]++
			}
			if in.Op == machOp(isa.OpDeviceLoad) && f.Elems(in.Ops[0].Val) > 1 {
				s.loads[in.Ops[0].Val], found = in, true
			}
		}
	}
	if !found {
		return
	}
	for b := range f.Blocks {
		l := f.Blocks[b].Instrs
		n := 0
		for _, in := range l {
			if in.Op != mach.OpSplit || !s.shrink(f, c, in) {
				l[n] = in
				n++
			}
		}
		f.Blocks[b].Instrs = l[:n]
	}
}

// shrink makes the load of a vector shorter if nobody reads its last pieces, and reports whether one is left: then there is nothing to split.
func (s *loadShrinker) shrink(f *mach.Func, c *code, split *mach.Instr) bool {
	v := split.Uses()[0].Val
	load := s.loads[v]
	pieces := split.Defs()
	if load == nil || s.uses[v] != 1 || len(pieces) != f.Elems(v) {
		return false
	}
	n := len(pieces)
	for n > 1 && s.uses[pieces[n-1].Val] == 0 {
		n--
	}
	t := &c.tmpl[load.Ext]
	if n == len(pieces) || t.Mask != 1<<len(pieces)-1 {
		return false
	}
	t.Mask, t.Dst.Count = 1<<n-1, uint8(n)
	if n == 1 {
		load.Ops[0].Val = pieces[0].Val
		return true
	}
	f.Shrink(v, n)
	split.TruncateDefs(n)
	return false
}
