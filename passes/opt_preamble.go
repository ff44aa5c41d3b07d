package passes

import "nirc/ir"

var optPreamblePass = &Pass{
	Name: "opt_preamble", Class: "B", Run: optPreamble, Idempotent: true, Optional: true,
	Instead: "descriptors: AGX and ir3 plan their preambles by the same Preamble, after their descriptors are lowered and by room in their uniform registers and const file; AGX writes it in IR as the pass does, ir3 selects both programs from the one function; it stays for targets without either",
	Doc: "Moves computations that are the same for a whole draw or dispatch into a preamble, a function of its own that runs once before the shader: it leaves values by store_preamble, " +
		"from where load_preamble takes them. Where the storage has not room for all, what saves most for its size goes first. Arithmetic, constants, loads that nobody writes and textures, of which derivatives are 0 at a place that all invocations share; " +
		"loads that may fault only from where the shader always comes by or in ifs whose conditions move. Such an if stays one in the preamble where its sides hold those or are long; else what it chooses is a selection. Values of 16, 32 and 64 bits; a shader that has a preamble is left alone. opt_dce removes what is left behind.",
	Options: []Option{
		{"size", "storage for values, in words of 32 bits", 256},
		{"buffers", "loads from uniform buffers, and others that nobody writes", true},
		{"push_const", "push constants are worth moving; else the target has them for free", false},
		{"load_cost", "what a load from a buffer costs", 8},
		{"alu_cost", "what an ALU operation costs; divisions, roots and their like cost four times as much, 64 bits twice", 1},
		{"textures", "lookups in textures", true},
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
	t := &preambleForm{buffers: c.Bool("buffers"), push: c.Bool("push_const"), textures: c.Bool("textures"),
		load: c.Int("load_cost"), alu: c.Int("alu_cost"), tex: c.Int("tex_cost"), size: c.Int("size"), derivatives: s.Stage == ir.StageFragment || s.Info.DerivativeGroup != 0}
	p := Preamble{Room: t.size, ReadCost: c.Int("rewrite_cost"), BothSides: int32(c.Int("both_sides"))}
	p.Classify(entry.Impl, t)
	t.base = make([]int32, entry.Impl.NumDefs)
	if !p.Choose() {
		return false, nil
	}
	f := s.NewFunction(entry.Name + ".preamble")
	f.IsPreamble = true
	p.Form(f.Impl, t)
	return true, nil
}

// preambleForm is the target that the pass's options describe.
type preambleForm struct {
	buffers, push, textures bool
	derivatives             bool // the shader's lookups have them
	load, alu, tex          int
	size, at                int     // words of the storage, and how many are taken
	base                    []int32 // by index: where the value is stored, from 1
}

// Guarded: textures by their descriptors, and loads that may not be speculated.
func (t *preambleForm) Guarded(in *ir.Instr) bool {
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

// There: nobody says which descriptors are.
func (t *preambleForm) There(*ir.Instr) bool { return false }

// Free: what cannot be stored is computed again, as what costs nothing.
func (t *preambleForm) Free(p *Preamble, in *ir.Instr) bool {
	return in.Def.BitSize < 16 || in.Kind == ir.KindDeref || t.Cost(in) == 0 && p.FromFree(in)
}

// Moves lists what can move under the options.
func (t *preambleForm) Moves(_ *Preamble, in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindLoadConst, ir.KindUndef, ir.KindALU:
		return true
	case ir.KindPhi:
		return in.Def.BitSize > 1
	case ir.KindDeref:
		return t.textures && in.DerefInfo().Modes == ir.ModeUniform
	case ir.KindTex:
		return t.textures && (!in.TexOp.Info().ImplicitDerivatives || t.atOnePlace(in))
	case ir.KindIntrinsic:
	default:
		return false
	}
	switch in.Intr {
	case ir.IntrLoadPushConstant:
		return true
	case ir.IntrLoadUbo, ir.IntrLoadUboVec4, ir.IntrLoadGlobalConstant, ir.IntrLoadConstant:
		return t.buffers
	case ir.IntrLoadSsbo, ir.IntrLoadGlobal:
		return t.buffers && canReorder(in)
	case ir.IntrLoadNumWorkgroups, ir.IntrLoadWorkgroupSize, ir.IntrLoadBaseWorkgroupId, ir.IntrLoadFirstVertex, ir.IntrLoadBaseVertex,
		ir.IntrLoadBaseInstance, ir.IntrLoadDrawId, ir.IntrLoadIsIndexedDraw, ir.IntrLoadSubgroupSize, ir.IntrGetSsboSize, ir.IntrGetUboSize,
		ir.IntrVulkanResourceIndex, ir.IntrVulkanResourceReindex, ir.IntrLoadVulkanDescriptor:
		return true
	}
	return false
}

// Cost is what an instruction costs where it stands.
func (t *preambleForm) Cost(in *ir.Instr) int32 {
	switch in.Kind {
	case ir.KindPhi:
		return int32(t.alu) * int32(in.Def.NumComponents)
	case ir.KindTex:
		return int32(t.tex)
	case ir.KindALU:
		n := int32(t.alu) * int32(in.Def.NumComponents)
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
		if in.Intr == ir.IntrLoadPushConstant && !t.push {
			return 0
		}
		return int32(t.load)
	}
	return 0
}

// Size counts words.
func (t *preambleForm) Size(d *ir.Def) int { return (int(d.NumComponents)*int(d.BitSize) + 31) / 32 }

// Place puts values one behind the other, those of 64 bits at even words.
func (t *preambleForm) Place(in *ir.Instr) bool {
	base, n := t.at, t.Size(&in.Def)
	if in.Def.BitSize == 64 {
		base += base & 1
	}
	if base+n > t.size {
		return false
	}
	t.at, t.base[in.Def.Index] = base+n, int32(base)+1
	return true
}

// atOnePlace reports whether a lookup has derivatives, which are 0 where all invocations look at one place.
func (t *preambleForm) atOnePlace(in *ir.Instr) bool {
	return t.derivatives && in.TexOp == ir.TexOpTex && in.TexSrc(ir.TexSrcCoord) != nil
}

// Copied gives lookups with implicit derivatives, of which the preamble has none, those that they have.
func (t *preambleForm) Copied(b *ir.Builder, in *ir.Instr) {
	if in.Kind != ir.KindTex || in.TexOp != ir.TexOpTex {
		return
	}
	coord := in.TexSrc(ir.TexSrcCoord).Def
	n := coord.NumComponents
	if in.TexInfo().IsArray {
		n--
	}
	none := b.Const(coord.BitSize, make([]uint64, n)...)
	in.TexOp = ir.TexOpTxd
	b.Shader.AddTexSrc(in, ir.TexSrcDdx, none)
	b.Shader.AddTexSrc(in, ir.TexSrcDdy, none)
}

// Store is store_preamble.
func (t *preambleForm) Store(b *ir.Builder, in *ir.Instr, v *ir.Def) {
	b.Effect(ir.IntrStorePreamble, v).Set(ir.IdxBase, uint64(t.base[in.Def.Index]-1))
}

// Load is load_preamble.
func (t *preambleForm) Load(b *ir.Builder, in *ir.Instr) *ir.Def {
	load := b.Intrinsic(ir.IntrLoadPreamble, in.Def.NumComponents, in.Def.BitSize).Set(ir.IdxBase, uint64(t.base[in.Def.Index]-1))
	load.Loc = in.Loc
	return &load.Def
}
