package passes

import (
	"sync"

	"nirc/ir"
	"nirc/ir/optab"
)

var optCombineStoresPass = &Pass{
	Name: "opt_combine_stores", For: ir.HasStore, Idle: storesOnce, Class: "B", Run: optCombineStores, Idempotent: true, Optional: true,
	Doc: "Makes one of stores to parts of the same vector, through equal derefs of a block between which nothing reads or writes the vector; it stands where the last was. " +
		"Volatile and coherent stores stay.",
	Options: []Option{{"modes", "variables whose stores are combined", ir.ModeFunctionTemp | ir.ModeShaderTemp | ir.ModeShaderOut | ir.ModeShared | ir.ModeSSBO | ir.ModeGlobal}},
}

// maxOpenStores bounds the stores that a new one is compared with.
const maxOpenStores = 16

func optCombineStores(c *Context, s *ir.Shader) (bool, error) {
	cs := storeCombiners.Get().(*combineStores)
	defer storeCombiners.Put(cs)
	cs.modes, cs.open = c.Modes("modes"), cs.few[:0]
	defer clear(cs.few[:])
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		progress := false
		for blk := range impl.Blocks() {
			cs.open = cs.open[:0]
			for in := range blk.Instrs() {
				progress = cs.instr(in) || progress
			}
		}
		return progress
	}), nil
}

// combineStores holds the stores of a block that a later one may absorb.
type combineStores struct {
	modes ir.Mode
	open  []*ir.Instr
	few   [maxOpenStores]*ir.Instr // its memory
}

// storeCombiners keeps the memory of runs that are over.
var storeCombiners = sync.Pool{New: func() any { return new(combineStores) }}

func (cs *combineStores) instr(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindCall:
		cs.open = cs.open[:0]
		return false
	case ir.KindIntrinsic:
	default:
		return false
	}
	if in.Intr == ir.IntrStoreDeref {
		return cs.store(in)
	}
	seen := false
	for i := range in.Srcs {
		if d := derefOf(in.Srcs[i].Def); d != nil {
			cs.close(d)
			seen = true
		}
	}
	if info := in.Intr.Info(); !seen && info.Flags&optab.CanReorder == 0 && !info.SysVal {
		cs.open = cs.open[:0]
	}
	return false
}

// close forgets the stores whose memory a deref may name.
func (cs *combineStores) close(d *ir.Instr) {
	n := 0
	for _, o := range cs.open {
		if compareDerefs(o.Srcs[0].Def.Instr, d) == noAlias {
			cs.open[n] = o
			n++
		}
	}
	cs.open = cs.open[:n]
}

func (cs *combineStores) store(in *ir.Instr) (progress bool) {
	d := in.Srcs[0].Def.Instr
	joins := d.DerefInfo().Modes&^cs.modes == 0 && isLeafType(d.DerefInfo().Type) && in.Srcs[1].Def.NumComponents > 1 &&
		ir.Access(in.Get(ir.IdxAccess))&(ir.AccessVolatile|ir.AccessCoherent) == 0
	if joins {
		for i, o := range cs.open {
			if compareDerefs(o.Srcs[0].Def.Instr, d) == derefsEqual && o.Get(ir.IdxAccess) == in.Get(ir.IdxAccess) && o.Srcs[1].Def.BitSize == in.Srcs[1].Def.BitSize {
				absorb(o, in)
				cs.open = append(cs.open[:i], cs.open[i+1:]...)
				progress = true
				break
			}
		}
	}
	cs.close(d)
	if joins {
		if len(cs.open) == maxOpenStores {
			cs.open = append(cs.open[:0], cs.open[1:]...)
		}
		cs.open = append(cs.open, in)
	}
	return progress
}

// absorb makes the later of two stores do what both did.
func absorb(first, later *ir.Instr) {
	mask := later.Get(ir.IdxWriteMask)
	later.Srcs[1].Set(blend(builderBefore(later), first.Srcs[1].Def, later.Srcs[1].Def, mask))
	later.Set(ir.IdxWriteMask, mask|first.Get(ir.IdxWriteMask))
	first.Remove()
}
