package passes

import (
	"math"

	"nirc/ir"
)

var lowerViewportTransformPass = &Pass{
	Name: "lower_viewport_transform", Class: "A", Run: lowerViewportTransform,
	Doc: "Divides the position by its w, scales and moves it to the viewport, and leaves 1/w as w. Runs once, on a shader that reads no outputs. What is stored in parts becomes one store of all: " +
		"where the last of them stands if they are in one block, else where the shader ends, of a variable that is left for lower_vars_to_ssa.",
}

// maxOverW bounds 1/w, so that it is finite and keeps its sign. It leaves 10^-5, by which Vulkan's floats may be wrong, apart
// from 0, with some room (nir_lower_viewport_transform of Mesa 25.0).
const maxOverW = 1 << 15

func lowerViewportTransform(c *Context, s *ir.Shader) (bool, error) {
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		list := storesOf(impl, ir.SlotPos)
		if len(list) == 0 {
			return false
		}
		p := position{stores: list}
		if p.inOneBlock() {
			p.join()
		} else {
			p.throughVariable(impl)
		}
		return true
	}), nil
}

// position is what a function stores of a position.
type position struct {
	stores []*ir.Instr
	// overW is 1/w as it leaves, if w is known.
	overW float64
	known bool
}

// storedComponent is a component of a stored value, nil if the store leaves it alone.
func storedComponent(in *ir.Instr, comp int) (d *ir.Def, k int) {
	d, k = in.Srcs[0].Def, comp-int(in.Get(ir.IdxComponent))
	if k < 0 || k >= int(d.NumComponents) || in.Get(ir.IdxWriteMask)>>k&1 == 0 {
		return nil, 0
	}
	for d.Instr.IsVec() || d.Instr.IsALU(ir.OpMov) {
		src := &d.Instr.Srcs[0]
		if d.Instr.IsVec() {
			src, k = &d.Instr.Srcs[k], 0
		}
		d, k = src.Def, src.Swizzle.Lane(k)
	}
	return d, k
}

// findOverW looks for a w that is the same constant in all stores of a list that store one. A w that is never stored is
// undefined, and as good as 1.
func (p *position) findOverW(stores []*ir.Instr) {
	w, found := 1.0, false
	for _, in := range stores {
		d, k := storedComponent(in, 3)
		if d == nil {
			continue
		}
		bits, ok := d.Const(k)
		v := ir.FloatValue(bits, d.BitSize)
		if !ok || found && v != w {
			return
		}
		w, found = v, true
	}
	p.overW, p.known = math.Max(-maxOverW, math.Min(1/w, maxOverW)), !math.IsNaN(w)
}

func (p *position) inOneBlock() bool {
	for _, in := range p.stores {
		if in.Block != p.stores[0].Block {
			return false
		}
	}
	return true
}

// join makes the last store one of all components.
func (p *position) join() {
	k := len(p.stores) - 1
	last := p.stores[k]
	for k > 0 {
		if d, _ := storedComponent(p.stores[k], 3); d != nil {
			break
		}
		k--
	}
	p.findOverW(p.stores[k : k+1])
	b := builderBefore(last)
	v := last.Srcs[0].Def
	if last.Get(ir.IdxWriteMask) != 15 || v.NumComponents != 4 || v.BitSize != 32 {
		var comps [4]*ir.Def
		for _, in := range p.stores {
			for c := range comps {
				if d, k := storedComponent(in, c); d != nil {
					comps[c] = full(b, b.Channel(d, k))
				}
			}
		}
		v = whole(b, comps)
	}
	p.store(b, v)
	p.remove()
}

// throughVariable keeps the position in a variable, and stores it where the function ends.
func (p *position) throughVariable(impl *ir.Impl) {
	p.findOverW(p.stores)
	v := impl.NewLocal(ir.VectorType(ir.BaseFloat, 32, 4), "position")
	for _, in := range p.stores {
		b := builderBefore(in)
		var comps [4]*ir.Def
		mask := uint16(0)
		for c := range comps {
			if d, k := storedComponent(in, c); d != nil {
				comps[c] = full(b, b.Channel(d, k))
				mask |= 1 << c
			}
		}
		b.StoreVar(v, whole(b, comps), mask)
	}
	for blk := range impl.Blocks() {
		j := blk.Jump()
		at := ir.AtEnd(blk)
		switch {
		case j != nil && (j.Jump == ir.JumpReturn || j.Jump == ir.JumpHalt):
			at = ir.Before(j)
		case j != nil || blk != impl.Body.LastBlock():
			continue
		}
		b := ir.NewBuilder(at)
		b.Shader.SetLoc(p.stores[0].Loc)
		p.store(b, b.LoadVar(v))
	}
	p.remove()
}

// whole is the vector of some components.
func whole(b *ir.Builder, comps [4]*ir.Def) *ir.Def {
	for c := range comps {
		if comps[c] == nil {
			comps[c] = b.Undef(1, 32)
		}
	}
	return b.Vec(comps[:]...)
}

// full is a 32-bit float.
func full(b *ir.Builder, d *ir.Def) *ir.Def {
	if d.BitSize == 16 {
		return b.F2f32(d)
	}
	return d
}

// store stores what position v in clip coordinates is for the hardware.
func (p *position) store(b *ir.Builder, v *ir.Def) {
	xyz, inv := p.divide(b, v)
	scale := &b.Intrinsic(ir.IntrLoadViewportScale, 3, 32).Def
	move := &b.Intrinsic(ir.IntrLoadViewportOffset, 3, 32).Def
	xyz = b.Fadd(three(b, ir.OpFmul, xyz, scale), move)
	out := b.Vec(xyz, xyz, xyz, inv)
	for k := range 3 {
		out.Instr.Srcs[k].Swizzle = ir.Broadcast(k)
	}
	sem := ir.IOSemantics{Location: ir.SlotPos, NumSlots: 1}
	b.Effect(ir.IntrStoreOutput, out, b.Imm32(0)).Set(ir.IdxRange, 1).Set(ir.IdxWriteMask, 15).
		Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack()).Set(ir.IdxIoSemantics, sem.Pack())
}

// divide is the position v over its w, and 1/w. Where w is not known 1/w is bounded as a fraction of its bound, for which a product's clamp
// does; that and the bound, by which x, y and z are multiplied before, are powers of 2 and round nothing.
func (p *position) divide(b *ir.Builder, v *ir.Def) (xyz, inv *ir.Def) {
	by := func(d, factor *ir.Def) *ir.Def {
		d = three(b, ir.OpFmul, d, factor)
		d.Instr.Srcs[1].Swizzle = ir.Broadcast(0)
		return d
	}
	if p.known {
		if inv = b.ImmFloat(p.overW, 32); p.overW == 1 {
			return v, inv
		}
		return by(v, inv), inv
	}
	rcp := b.Insert(b.Shader.NewALU(ir.OpFrcp, 1, 32, v))
	rcp.Srcs[0].Swizzle = ir.Broadcast(3)
	part, bound := b.FsatSigned(b.Fmul(&rcp.Def, b.ImmFloat(1./maxOverW, 32))), b.ImmFloat(maxOverW, 32)
	return by(by(v, bound), part), b.Fmul(part, bound)
}

// three is an operation on the first three components of vectors.
func three(b *ir.Builder, op ir.Op, x, y *ir.Def) *ir.Def {
	return &b.Insert(b.Shader.NewALU(op, 3, 32, x, y)).Def
}

func (p *position) remove() {
	for _, in := range p.stores {
		in.Remove()
	}
}
