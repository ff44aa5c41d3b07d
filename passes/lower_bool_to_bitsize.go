package passes

import (
	"sync"

	"nirc/ir"
)

var lowerBoolToBitsizePass = &Pass{
	Name: "lower_bool_to_bitsize", Class: "B", Run: lowerBoolToBitsize, Idempotent: true,
	Instead: "registers: midgard takes masks of 32 bits (lower_bool_to_int32), the others 1-bit booleans; it stays for targets with masks of 8 and 16 bits",
	Doc: "Makes 1-bit booleans masks, 0 or ~0, of the size of the operands that made them: 8, 16 or 32 bits (32 for 64-bit operands and whatever is not a comparison); " +
		"logic, selections between booleans and phis take the size of their first sized source, and b2b8, b2b16, b2b32 stand where sizes meet. Constants and undefs take the size of each use. " +
		"Conditions of ifs are masks of any size then, sources of intrinsics 32-bit ones. Runs after the rules for 1-bit booleans, like lower_bool_to_int32.",
}

// boolSizing is the pass on one function: size is the new size of each 1-bit
// value by Def.Index, 0 unknown.
type boolSizing struct {
	impl    *ir.Impl
	size    []uint8
	refused error
}

// boolForms maps the 1-bit operations to their forms of 8, 16 and 32 bits.
var boolForms = sync.OnceValue(func() map[ir.Op][3]ir.Op {
	m := map[ir.Op][3]ir.Op{}
	add := func(stem string, forms [3]string) {
		op, ok := ir.ParseOp(stem)
		if !ok {
			return
		}
		var f [3]ir.Op
		for i, n := range forms {
			wide, ok := ir.ParseOp(n)
			if !ok {
				return
			}
			f[i] = wide
		}
		m[op] = f
	}
	for _, s := range []string{"flt", "fge", "feq", "fneu", "ilt", "ige", "ieq", "ine", "ult", "uge"} {
		add(s, [3]string{s + "8", s + "16", s + "32"})
	}
	for _, how := range []string{"all_fequal", "any_fnequal", "all_iequal", "any_inequal"} {
		for _, n := range []string{"2", "3", "4", "5", "8", "16"} {
			add("b"+how+n, [3]string{"b8" + how + n, "b16" + how + n, "b32" + how + n})
		}
	}
	add("bcsel", [3]string{"b8csel", "b16csel", "b32csel"})
	return m
})

func formOf(op ir.Op, bits uint8) (ir.Op, bool) {
	f, ok := boolForms()[op]
	if !ok {
		return op, false
	}
	switch bits {
	case 8:
		return f[0], true
	case 16:
		return f[1], true
	}
	return f[2], true
}

func lowerBoolToBitsize(_ *Context, s *ir.Shader) (bool, error) {
	var refused error
	progress := unorderedALU(s)
	progress = eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		b := &boolSizing{impl: impl, size: make([]uint8, impl.NumDefs)}
		if !b.choose() {
			return false
		}
		b.rewrite()
		if refused == nil {
			refused = b.refused
		}
		return true
	}) || progress
	return widenBoolParams(s) || progress, refused
}

// maskBits is the size of the mask that operands of a size make.
func maskBits(bits uint8) uint8 {
	if bits == 8 || bits == 16 {
		return bits
	}
	return 32
}

// choose gives each 1-bit value a size; it reports whether there is any. Phis of
// loops take the size of what comes from outside, or of a later turn.
func (b *boolSizing) choose() (any bool) {
	for again := true; again; {
		again = false
		for blk := range b.impl.Blocks() {
			for in := range blk.Instrs() {
				any = any || in.IsIntrinsic(ir.IntrDeclReg) && in.Get(ir.IdxBitSize) == 1
				if in.Kind == ir.KindParallelCopy {
					any = b.copies(in) || any
				}
				if !in.HasDef() || in.Def.BitSize != 1 || b.size[in.Def.Index] != 0 {
					continue
				}
				any = true
				if n := b.sizeOf(in); n != 0 {
					b.size[in.Def.Index] = n
					again = true
				}
			}
		}
	}
	// What only constants and phis of each other make.
	for blk := range b.impl.Blocks() {
		for in := range blk.Instrs() {
			if in.HasDef() && in.Def.BitSize == 1 && b.size[in.Def.Index] == 0 && !adaptable(&in.Def) {
				b.size[in.Def.Index] = 32
			}
		}
	}
	return any
}

// copies sizes what a parallel copy makes; registers have 32 bits.
func (b *boolSizing) copies(in *ir.Instr) (any bool) {
	for i := range in.CopyInfo().Entries {
		if d := &in.CopyInfo().Entries[i].Dst; d.NumComponents != 0 && d.BitSize == 1 {
			b.size[d.Index] = 32
			any = true
		}
	}
	return any
}

// adaptable reports whether a value takes the size of each use.
func adaptable(d *ir.Def) bool { return d.IsConst() || d.IsUndef() }

func (b *boolSizing) sizeOf(in *ir.Instr) uint8 {
	switch in.Kind {
	case ir.KindLoadConst, ir.KindUndef:
		return 0
	case ir.KindPhi:
		return b.firstSized(in, 0)
	case ir.KindALU:
	default:
		return 32
	}
	first := 0
	switch {
	case in.Op == ir.OpBcsel:
		first = 1
	case in.IsVec(), in.Op == ir.OpMov, in.Op == ir.OpIand, in.Op == ir.OpIor, in.Op == ir.OpIxor, in.Op == ir.OpInot:
	case in.Srcs[0].Def.BitSize == 1: // ieq of booleans, b2b1
		if n := b.firstSized(in, 0); n != 0 || !allAdaptable(in, 0) {
			return n
		}
		return 32
	default:
		return maskBits(in.Srcs[0].Def.BitSize)
	}
	if n := b.firstSized(in, first); n != 0 || !allAdaptable(in, first) {
		return n
	}
	return 32
}

// firstSized is the size of the first source from first on that has one.
func (b *boolSizing) firstSized(in *ir.Instr, first int) uint8 {
	for i := first; i < len(in.Srcs); i++ {
		if d := in.Srcs[i].Def; b.sized(d) {
			return b.size[d.Index]
		}
	}
	return 0
}

func allAdaptable(in *ir.Instr, first int) bool {
	for i := first; i < len(in.Srcs); i++ {
		if !adaptable(in.Srcs[i].Def) {
			return false
		}
	}
	return true
}

// rewrite changes all instructions. Values have their new sizes from the start,
// so that a source's size can be read wherever it stands.
func (b *boolSizing) rewrite() {
	for blk := range b.impl.Blocks() {
		for in := range blk.Instrs() {
			if in.HasDef() && in.Def.BitSize == 1 && int(in.Def.Index) < len(b.size) && b.size[in.Def.Index] != 0 {
				b.resize(in, b.size[in.Def.Index])
			}
		}
	}
	for blk := range b.impl.Blocks() {
		for in := range blk.Instrs() {
			b.instr(in)
		}
		if i := blk.FollowingIf(); i != nil && i.Cond.Def.BitSize == 1 {
			b.want(&i.Cond, 32, ir.AtEnd(blk))
		}
	}
	b.dropAdaptables()
}

// boolCast is the conversion to a mask of a size.
func boolCast(bits uint8) ir.Op {
	switch bits {
	case 8:
		return ir.OpB2b8
	case 16:
		return ir.OpB2b16
	}
	return ir.OpB2b32
}

// resize gives an instruction its form and size; ieq and ine of booleans still
// look like those of integers then.
func (b *boolSizing) resize(in *ir.Instr, bits uint8) {
	if in.Kind == ir.KindALU {
		switch {
		case in.Op == ir.OpBcsel || in.IsVec() || in.Op == ir.OpMov || in.Op == ir.OpIand || in.Op == ir.OpIor || in.Op == ir.OpIxor || in.Op == ir.OpInot:
		case in.Op == ir.OpB2b1:
			in.Op = boolCast(bits)
		default:
			op, ok := formOf(in.Op, bits)
			if !ok && b.refused == nil {
				b.refused = diag(b.impl.Shader, in, in.Op.String()+" of booleans has no sized form")
			}
			in.Op = op
		}
	}
	in.Resize(bits)
}

// instr makes the sources of an instruction agree.
func (b *boolSizing) instr(in *ir.Instr) {
	switch in.Kind {
	case ir.KindALU:
		b.alu(in)
	case ir.KindPhi:
		if b.sized(&in.Def) {
			for i, p := range in.PhiInfo().Preds {
				b.want(&in.Srcs[i], in.Def.BitSize, ir.BeforeJump(p))
			}
		}
	case ir.KindIntrinsic:
		if in.Intr == ir.IntrDeclReg && in.Get(ir.IdxBitSize) == 1 {
			in.Set(ir.IdxBitSize, 32)
		}
		b.sources(in, 32)
	case ir.KindParallelCopy:
		for i := range in.CopyInfo().Entries {
			if d := &in.CopyInfo().Entries[i].Dst; d.NumComponents != 0 && d.BitSize == 1 {
				d.BitSize = 32
			}
		}
		b.sources(in, 32)
	default:
		b.sources(in, 32)
	}
}

// sized reports whether the pass has given d its size.
func (b *boolSizing) sized(d *ir.Def) bool {
	return int(d.Index) < len(b.size) && b.size[d.Index] != 0
}

// boolean reports whether a value is or was a 1-bit boolean.
func (b *boolSizing) boolean(d *ir.Def) bool { return d.BitSize == 1 || b.sized(d) }

func (b *boolSizing) sources(in *ir.Instr, bits uint8) {
	for i := range in.Srcs {
		if b.boolean(in.Srcs[i].Def) {
			b.want(&in.Srcs[i], bits, ir.Before(in))
		}
	}
}

func (b *boolSizing) alu(in *ir.Instr) {
	first, bits := 0, in.Def.BitSize
	switch {
	case in.Op == ir.OpBcsel:
		cond := in.Srcs[0].Def
		n := cond.BitSize
		if n == 1 {
			n = 32
		}
		b.want(&in.Srcs[0], n, ir.Before(in))
		in.Op, _ = formOf(in.Op, n)
		first = 1
	case in.Op.Info().Out.Class == ir.ClassBool || !b.sized(&in.Def):
		// Comparisons of booleans, conversions from them: one size for all sources.
		bits = b.operandSize(in)
	}
	for i := first; i < len(in.Srcs); i++ {
		if b.boolean(in.Srcs[i].Def) {
			b.want(&in.Srcs[i], bits, ir.Before(in))
		}
	}
}

// operandSize is the size that the boolean sources of a comparison or conversion take, if there are any.
func (b *boolSizing) operandSize(in *ir.Instr) uint8 {
	if n := b.firstSized(in, 0); n != 0 {
		return n
	}
	return 32
}

// want makes a source of a boolean one of the given size.
func (b *boolSizing) want(src *ir.Src, bits uint8, at ir.Cursor) {
	d := src.Def
	if d.BitSize == bits {
		return
	}
	bd := ir.NewBuilder(at)
	switch d.Instr.Kind {
	case ir.KindUndef:
		src.Set(bd.Undef(d.NumComponents, bits))
	case ir.KindLoadConst:
		vals := make([]uint64, len(d.Instr.Imm))
		for i, v := range d.Instr.Imm {
			vals[i] = -v
		}
		src.Set(bd.Const(bits, vals...))
	default:
		src.Set(bd.ALU(boolCast(bits), d))
	}
}

// dropAdaptables removes the 1-bit constants and undefs, which nothing uses now.
func (b *boolSizing) dropAdaptables() {
	for blk := range b.impl.Blocks() {
		for in := range blk.Instrs() {
			if in.HasDef() && in.Def.BitSize == 1 && adaptable(&in.Def) && in.Def.Unused() {
				in.Remove()
			}
		}
	}
}
