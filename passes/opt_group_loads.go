package passes

import (
	"sync"

	"nirc/internal/slab"
	"nirc/ir"
)

var optGroupLoadsPass = &Pass{
	Name: "opt_group_loads", For: ir.HasTex | ir.HasMemory, Class: "B", Run: optGroupLoads, Optional: true,
	Doc: "Moves loads and texture operations of a block that do not wait for each other together, up to the first of them, with the arithmetic of their addresses, so that they wait at the same time. " +
		"Loads at the same depth of indirection make a group. Nothing moves across what it depends on; loads that may see other values move past no store or barrier.",
	Options: []Option{
		{"max_group", "most loads of a group", 16},
		{"max_distance", "most instructions that a load moves across", 200},
		{"textures", "texture operations", true},
		{"buffers", "loads from buffers", true},
	},
}

func optGroupLoads(c *Context, s *ir.Shader) (bool, error) {
	g := loadGroupsPool.Get().(*loadGroups)
	defer g.release()
	g.maxGroup, g.maxDistance, g.textures, g.buffers = c.Int("max_group"), uint32(c.Int("max_distance")), c.Bool("textures"), c.Bool("buffers")
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		g.level = slab.Zeroed(g.level, int(impl.NumDefs))
		progress := false
		for blk := range impl.Blocks() {
			progress = g.block(blk) || progress
		}
		return progress
	}), nil
}

type loadGroups struct {
	maxGroup          int
	maxDistance       uint32
	textures, buffers bool
	level             []uint16 // by Def.Index: loads on the way to a value, in its block
	open              []loadGroup
	chain             []*ir.Instr
}

// loadGroupsPool keeps the memory of runs that are over.
var loadGroupsPool = sync.Pool{New: func() any { return new(loadGroups) }}

// release gives the memory to the next run.
func (g *loadGroups) release() {
	clear(g.open[:cap(g.open)])
	clear(g.chain[:cap(g.chain)])
	loadGroupsPool.Put(g)
}

// loadGroup is the group that loads of one depth join at present: last is its
// last load, epoch counts the writes before its first.
type loadGroup struct {
	last  *ir.Instr
	pos   uint32
	n     int
	epoch uint32
	tex   bool
}

func (g *loadGroups) block(blk *ir.Block) (progress bool) {
	g.open = g.open[:0]
	epoch := uint32(0)
	pos := uint32(0)
	for in := range blk.Instrs() {
		pos++
		in.Flags = pos
		depth := uint16(0)
		for i := range in.Srcs {
			if d := in.Srcs[i].Def; in.Kind != ir.KindPhi && d.Instr.Block == blk {
				depth = max(depth, g.level[d.Index])
			}
		}
		if in.Kind == ir.KindIntrinsic && hasSideEffects(in) || in.Kind == ir.KindCall {
			epoch++
		}
		if in.HasDef() {
			g.level[in.Def.Index] = depth
		}
		if !g.isLoad(in) {
			continue
		}
		g.level[in.Def.Index] = depth + 1
		progress = g.join(in, depth, pos, epoch) || progress
	}
	return progress
}

func (g *loadGroups) isLoad(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindTex:
		return g.textures
	case ir.KindIntrinsic:
		_, store, mem := memOffsetSrc(in.Intr)
		return g.buffers && mem && !store && in.Intr != ir.IntrLoadPushConstant && ir.Access(in.Get(ir.IdxAccess))&ir.AccessVolatile == 0
	}
	return false
}

// join moves a load after the last of its group, or makes it the first of one.
func (g *loadGroups) join(in *ir.Instr, depth uint16, pos, epoch uint32) bool {
	var o *loadGroup
	for len(g.open) <= 2*int(depth)+1 {
		g.open = append(g.open, loadGroup{})
	}
	tex := in.Kind == ir.KindTex
	o = &g.open[2*depth]
	if tex {
		o = &g.open[2*depth+1]
	}
	moves := tex && !in.TexInfo().Aliased || !tex && canReorder(in)
	if o.last == nil || o.n >= g.maxGroup || pos-o.pos > g.maxDistance || !moves && epoch != o.epoch || needsNeighbours(in) && epoch != o.epoch {
		*o = loadGroup{last: in, pos: pos, n: 1, epoch: epoch, tex: tex}
		return false
	}
	moved := in.Prev() != o.last && g.bring(in, o.last)
	if moved || in.Prev() == o.last {
		o.last = in
		o.n++
		return moved
	}
	*o = loadGroup{last: in, pos: pos, n: 1, epoch: epoch, tex: tex}
	return false
}

// bring moves a load, and what it needs that stands after another, after that.
func (g *loadGroups) bring(in, after *ir.Instr) bool {
	g.chain = append(g.chain[:0], in)
	for i := 0; i < len(g.chain); i++ {
		x := g.chain[i]
		for k := range x.Srcs {
			d := x.Srcs[k].Def.Instr
			if d.Block != in.Block || d == after || d.Flags <= after.Flags || d.Kind == ir.KindPhi {
				continue
			}
			if mobilityOf(d) != speculated && d.Kind != ir.KindDeref || len(g.chain) == maxChain {
				return false
			}
			g.chain = append(g.chain, d)
		}
	}
	// What is needed most goes first; an instruction met twice moves to its first place.
	at := ir.After(after)
	for i := len(g.chain) - 1; i >= 0; i-- {
		if x := g.chain[i]; x.Flags > after.Flags {
			x.MoveTo(at)
			x.Flags = after.Flags
			at = ir.After(x)
		}
	}
	return true
}

// maxChain bounds what moves with a load.
const maxChain = 24
