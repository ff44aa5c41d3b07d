package passes

import (
	"slices"

	"nirc/ir"
	"nirc/passes/analysis"
)

var optPreamblePass = &Pass{
	Name: "opt_preamble", Class: "B", Run: optPreamble, Idempotent: true, Optional: true,
	Instead: "descriptors: ir3 and AGX choose by what their own lowering finds uniform, after descriptors are lowered, and by room in the const file or the uniform registers; which ifs move all ask alike (analysis.PreambleIfs); it stays for targets without",
	Doc: "Moves computations that are the same for a whole draw or dispatch into a preamble, a function of its own that runs once before the shader: it leaves values by store_preamble, " +
		"from where load_preamble takes them. What saves most for its size goes first, until the storage is full. Arithmetic, constants, loads that nobody writes and textures without derivatives; " +
		"loads that may fault only from where the shader always comes by or in ifs whose conditions move. Such an if stays one in the preamble where its sides hold those or are long; else what it chooses is a selection. Values of 16, 32 and 64 bits; a shader that has a preamble is left alone. opt_dce removes what is left behind.",
	Options: []Option{
		{"size", "storage for values, in words of 32 bits", 256},
		{"buffers", "loads from uniform buffers, and others that nobody writes", true},
		{"push_const", "push constants are worth moving; else the target has them for free", false},
		{"load_cost", "what a load from a buffer costs", 8},
		{"alu_cost", "what an ALU operation costs; divisions, roots and their like cost four times as much, 64 bits twice", 1},
		{"textures", "lookups in textures without derivatives", true},
		{"tex_cost", "what such a lookup costs", 20},
		{"rewrite_cost", "what reading a word of the storage costs", 0},
		{"both_sides", "what both sides of an if may cost in the preamble without a branch around them", 16},
	},
}

func optPreamble(c *Context, s *ir.Shader) (bool, error) {
	entry := s.Entry()
	if entry == nil || entry.Impl == nil || s.Preamble() != nil {
		return false, nil
	}
	p := &preambleForm{impl: entry.Impl, size: c.Int("size"), buffers: c.Bool("buffers"), push: c.Bool("push_const"),
		textures: c.Bool("textures"),
		load:     c.Int("load_cost"), alu: c.Int("alu_cost"), tex: c.Int("tex_cost"), rewrite: c.Int("rewrite_cost"), bothSides: c.Int("both_sides")}
	p.classify()
	if !p.choose() {
		return false, nil
	}
	p.form(s, entry)
	entry.Impl.Preserve(ir.MetaControlFlow)
	return true, nil
}

// preambleForm finds what moves. Slices are by Def.Index.
type preambleForm struct {
	impl                    *ir.Impl
	size                    int
	buffers, push, textures bool
	load, alu, tex, rewrite int
	bothSides               int
	ended                   bool        // the shader may have ended before what is classified now
	moves                   []*ir.Instr // what may move, in order
	can                     []bool
	need                    []bool // the preamble computes it
	ifs                     analysis.PreambleIfs
	gain                    []int32 // cost of a value with its share of what only it needs
	chosen                  []preambleValue
}

// preambleValue is a value that the preamble stores at base, in words.
type preambleValue struct {
	in    *ir.Instr
	gain  int32
	words int
	base  int
}

// classify finds what may move: forward, as all that an instruction needs must.
func (p *preambleForm) classify() {
	n := int(p.impl.NumDefs)
	p.can, p.gain = make([]bool, n), make([]int32, n)
	for b := range p.impl.Blocks() {
		for in := range b.Instrs() {
			p.ended = p.ended || endsShader(in)
			if in.HasDef() && p.movable(in) {
				p.can[in.Def.Index] = true
				p.moves = append(p.moves, in)
			}
		}
	}
}

// endsShader reports whether an instruction may end the shader, or hides what does.
func endsShader(in *ir.Instr) bool {
	return isDiscard(in) || in.Kind == ir.KindCall || in.Kind == ir.KindJump && (in.Jump == ir.JumpReturn || in.Jump == ir.JumpHalt)
}

// isGuarded reports whether in is good only where the shader comes by.
func isGuarded(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindTex:
		return true
	case ir.KindIntrinsic:
		switch in.Intr {
		case ir.IntrLoadUbo, ir.IntrLoadUboVec4, ir.IntrLoadGlobalConstant, ir.IntrLoadConstant, ir.IntrLoadSsbo, ir.IntrLoadGlobal:
			return ir.Access(in.Get(ir.IdxAccess))&ir.AccessCanSpeculate == 0
		}
	}
	return false
}

func (p *preambleForm) movable(in *ir.Instr) bool {
	for i := range in.Srcs {
		if !p.can[in.Srcs[i].Def.Index] {
			return false
		}
	}
	if isGuarded(in) && (p.ended || !analysis.UnderIfs(in.Block, p.can)) {
		return false
	}
	switch in.Kind {
	case ir.KindLoadConst, ir.KindUndef, ir.KindALU:
		return true
	case ir.KindPhi:
		x := chooser(in)
		return x != nil && p.can[x.Cond.Def.Index] && in.Def.BitSize > 1
	case ir.KindDeref:
		return p.textures && in.DerefInfo().Modes == ir.ModeUniform
	case ir.KindTex:
		return p.textures && !in.TexOp.Info().ImplicitDerivatives
	case ir.KindIntrinsic:
	default:
		return false
	}
	switch in.Intr {
	case ir.IntrLoadPushConstant:
		return true
	case ir.IntrLoadUbo, ir.IntrLoadUboVec4, ir.IntrLoadGlobalConstant, ir.IntrLoadConstant:
		return p.buffers
	case ir.IntrLoadSsbo, ir.IntrLoadGlobal:
		return p.buffers && canReorder(in)
	case ir.IntrLoadNumWorkgroups, ir.IntrLoadWorkgroupSize, ir.IntrLoadBaseWorkgroupId, ir.IntrLoadFirstVertex, ir.IntrLoadBaseVertex,
		ir.IntrLoadBaseInstance, ir.IntrLoadDrawId, ir.IntrLoadIsIndexedDraw, ir.IntrGetSsboSize, ir.IntrGetUboSize,
		ir.IntrVulkanResourceIndex, ir.IntrVulkanResourceReindex, ir.IntrLoadVulkanDescriptor:
		return true
	}
	return false
}

// chooser is the if that a phi of two sides chooses by, nil of a loop's and others.
func chooser(phi *ir.Instr) *ir.If {
	x, ok := ir.Prev(phi.Block).(*ir.If)
	if !ok || len(phi.Srcs) != 2 || phi.PhiSrc(x.Then.LastBlock()) == nil || phi.PhiSrc(x.Else.LastBlock()) == nil {
		return nil
	}
	return x
}

// cost is what an instruction costs where it stands.
func (p *preambleForm) cost(in *ir.Instr) int32 {
	switch in.Kind {
	case ir.KindPhi:
		return int32(p.alu) * int32(in.Def.NumComponents)
	case ir.KindTex:
		return int32(p.tex)
	case ir.KindALU:
		n := int32(p.alu) * int32(in.Def.NumComponents)
		switch {
		case freeALU(in.Op):
			return 0
		case expensiveALU(in.Op):
			return 4 * n
		case in.Def.BitSize == 64:
			return 2 * n
		}
		return n
	case ir.KindIntrinsic:
		if _, _, mem := memOffsetSrc(in.Intr); !mem {
			return 0
		}
		if in.Intr == ir.IntrLoadPushConstant && !p.push {
			return 0
		}
		return int32(p.load)
	}
	return 0
}

// storable reports whether a value may be stored.
func storable(d *ir.Def) bool { return d.BitSize >= 16 && d.Instr.Kind != ir.KindDeref }

// choose decides what the preamble stores. An instruction's cost goes in
// equal shares to the values that need it, backwards from the ends.
func (p *preambleForm) choose() bool {
	for _, in := range p.moves {
		total := p.cost(in)
		for i := range in.Srcs {
			d := in.Srcs[i].Def
			total += p.gain[d.Index] / uses(d)
		}
		if in.Kind == ir.KindPhi {
			d := chooser(in).Cond.Def
			total += p.gain[d.Index] / uses(d)
		}
		p.gain[in.Def.Index] = total
	}
	for _, in := range p.moves {
		if p.stays(&in.Def) && storable(&in.Def) && in.Kind != ir.KindLoadConst && in.Kind != ir.KindUndef {
			words := (int(in.Def.NumComponents)*int(in.Def.BitSize) + 31) / 32
			if g := p.gain[in.Def.Index] - int32(p.rewrite*words); g > 0 {
				p.chosen = append(p.chosen, preambleValue{in: in, gain: g, words: words})
			}
		}
	}
	slices.SortStableFunc(p.chosen, func(x, y preambleValue) int {
		return int(y.gain)*x.words - int(x.gain)*y.words
	})
	at, n := 0, 0
	for _, v := range p.chosen {
		v.base = at
		if v.in.Def.BitSize == 64 {
			v.base += at & 1
		}
		if v.base+v.words > p.size {
			continue
		}
		at = v.base + v.words
		p.chosen[n] = v
		n++
	}
	p.chosen = p.chosen[:n]
	return n > 0
}

// maxUsesCounted bounds the users among whom a cost is shared.
const maxUsesCounted = 8

func uses(d *ir.Def) int32 {
	n := int32(0)
	for range d.Uses() {
		if n++; n == maxUsesCounted {
			break
		}
	}
	return max(n, 1)
}

// stays reports whether something that does not move reads a value.
func (p *preambleForm) stays(d *ir.Def) bool {
	for u := range d.Uses() {
		if u.Instr == nil || !u.Instr.HasDef() || !p.can[u.Instr.Def.Index] || !storable(&u.Instr.Def) {
			return true
		}
	}
	return false
}

// findNeeded finds, backwards, what the stored values are computed from, and which ifs the preamble has.
func (p *preambleForm) findNeeded() {
	p.need = make([]bool, len(p.can))
	for _, v := range p.chosen {
		p.need[v.in.Def.Index] = true
	}
	p.impl.Require(ir.MetaBlockIndex)
	p.ifs.Begin(p.impl, int32(p.bothSides))
	for b := range p.impl.BlocksReverse() {
		p.ifs.Enter(b, p.can)
		if x := b.FollowingIf(); x != nil && p.ifs.Kept(x) {
			p.need[x.Cond.Def.Index] = true
		}
		for in := range b.InstrsReverse() {
			if !in.HasDef() || !p.need[in.Def.Index] {
				continue
			}
			for k := range in.Srcs {
				p.need[in.Srcs[k].Def.Index] = true
			}
			if in.Kind == ir.KindPhi {
				p.need[chooser(in).Cond.Def.Index] = true
			}
			p.ifs.Computes(in, p.cost(in), isGuarded(in))
		}
	}
}

// form makes the preamble and reads what it stores.
func (p *preambleForm) form(s *ir.Shader, entry *ir.Function) {
	p.findNeeded()
	f := s.NewFunction(entry.Name + ".preamble")
	f.IsPreamble = true
	w := preambleWriter{preambleForm: p, c: ir.NewCloner(p.impl, f.Impl), b: ir.NewBuilder(ir.AtEnd(f.Impl.Start())), base: make([]int32, len(p.can))}
	for _, v := range p.chosen {
		w.base[v.in.Def.Index] = int32(v.base) + 1
	}
	w.ifs.Walk(&p.impl.Body, &w)
	w.c.Finish()
	for _, v := range p.chosen {
		load := s.NewIntrinsic(ir.IntrLoadPreamble, v.in.Def.NumComponents, v.in.Def.BitSize)
		load.Set(ir.IdxBase, uint64(v.base))
		load.Loc = v.in.Loc
		at := ir.Before(v.in)
		if v.in.Kind == ir.KindPhi {
			at = ir.AfterPhis(v.in.Block)
		}
		at.Insert(load)
		v.in.Def.RewriteUses(&load.Def)
	}
}

// preambleWriter copies what the preamble computes, in the order of the shader.
type preambleWriter struct {
	*preambleForm
	c    *ir.Cloner
	b    *ir.Builder
	base []int32 // by index: where the value is stored, from 1
	join *ir.If  // the preamble's if that was just closed
}

// PreambleBranch copies an if as one.
func (w *preambleWriter) PreambleBranch(x *ir.If) {
	i := w.b.PushIf(w.c.Def(x.Cond.Def))
	w.ifs.Walk(&x.Then, w)
	w.b.PushElse(i)
	w.ifs.Walk(&x.Else, w)
	w.b.PopIf(i)
	w.join = i
}

// PreambleBlock copies what moves of a block, and stores what stays behind wants of it.
func (w *preambleWriter) PreambleBlock(b *ir.Block) {
	join := w.join
	w.join = nil
	for in := range b.Instrs() {
		if !in.HasDef() || !w.need[in.Def.Index] {
			continue
		}
		if in.Kind == ir.KindPhi {
			w.phi(in, join)
		} else {
			w.b.Insert(w.c.Instr(in))
		}
		if at := w.base[in.Def.Index]; at != 0 {
			w.b.Intrinsic(ir.IntrStorePreamble, 0, 0, w.c.Def(&in.Def)).Set(ir.IdxBase, uint64(at-1))
		}
	}
}

// phi makes what an if chooses: by a phi of the preamble's own if, if it has one, else by a selection.
func (w *preambleWriter) phi(in *ir.Instr, join *ir.If) {
	x := chooser(in)
	side := func(l *ir.List) *ir.Def { return w.c.Def(in.PhiSrc(l.LastBlock()).Def) }
	if join != nil {
		w.c.Map(&in.Def, w.b.IfPhi(join, side(&x.Then), side(&x.Else)))
		return
	}
	w.c.Map(&in.Def, w.b.Bcsel(w.c.Def(x.Cond.Def), side(&x.Then), side(&x.Else)))
}
