package core

import (
	"strings"
	"testing"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// ruleCase is a bundle that is right except for one thing, of a program with some metadata, and what checking mode says of it.
type ruleCase struct {
	name   string
	meta   func() *abi.Meta
	edit   func(m *abi.Meta)
	bundle func() isa.Bundle
	change func(b *isa.Bundle)
	want   string
}

// ruleVertexMeta is that of a program whose stage has no derivatives.
func ruleVertexMeta() *abi.Meta {
	m := fragMeta()
	m.Stage, m.NeedsQuads, m.UsesDiscard = ir.StageVertex, false, false
	return m
}

// sampleBundle samples a texture in a fragment shader.
func sampleBundle() isa.Bundle {
	return isa.Bundle{Tag: isa.TagTex, Next: isa.TagBreak, Tex: isa.Texture{Op: isa.TexSample, Mode: isa.TexNormal, Helpers: isa.HelpersNormal, Dim: isa.Tex2D, CoordFull: true,
		CoordSwizzle: isa.XYZW, Full: true, Type: isa.TexTypeFloat, Mask: 15, Swizzle: isa.XYZW}}
}

func textureRules() []ruleCase {
	c := func(name, want string, change func(b *isa.Bundle)) ruleCase {
		return ruleCase{name: name, meta: fragMeta, bundle: sampleBundle, change: change, want: want}
	}
	with := func(r ruleCase, meta func() *abi.Meta, edit func(m *abi.Meta)) ruleCase {
		r.meta, r.edit = meta, edit
		return r
	}
	gpu := func(name string) func(m *abi.Meta) {
		return func(m *abi.Meta) {
			g := abi.FindGPU(name)
			m.GPU, m.Alias, m.NoUpperALU, m.BrokenLOD = name, g.Alias, g.NoUpperALU, g.BrokenLOD
			m.Outputs = m.Outputs[:1]
		}
	}
	fetch := func(b *isa.Bundle) { b.Tag, b.Tex.Op = isa.TagTexVtx, isa.TexFetch }
	derive := func(mask uint8) func(b *isa.Bundle) {
		return func(b *isa.Bundle) { b.Tex.Op, b.Tex.Mode, b.Tex.Mask = isa.TexDerivative, isa.TexMode(0), mask }
	}
	barrier := func(b *isa.Bundle) { b.Tag, b.Tex = isa.TagBarrier, isa.Texture{Op: isa.TexBarrier} }
	return []ruleCase{
		c("a sample", "", nil),
		c("a fetch", "", fetch),
		c("a fetch with the tag of samples", "needs the tag", func(b *isa.Bundle) { b.Tex.Op = isa.TexFetch }),
		c("a sample with the tag of fetches", "takes derivatives and needs the tag", func(b *isa.Bundle) { b.Tag = isa.TagTexVtx }),
		with(c("a sample of a vertex shader", "", func(b *isa.Bundle) { b.Tag, b.Tex.Op = isa.TagTexVtx, isa.TexSampleLod }), ruleVertexMeta, nil),
		with(c("with the tag of fragments", "needs the tag", func(b *isa.Bundle) { b.Tex.Op = isa.TexSampleLod }), ruleVertexMeta, nil),
		with(c("with a level of its own", "no fact says which level", func(b *isa.Bundle) { b.Tag = isa.TagTexVtx }), ruleVertexMeta, nil),
		c("helpers", "the helper field 0 is reserved", func(b *isa.Bundle) { b.Tex.Helpers = isa.HelpersReserved }),
		c("helpers of a fetch", "ends no helpers", func(b *isa.Bundle) { fetch(b); b.Tex.Helpers = isa.HelpersReserved + 1 }),
		c("a derivative of xy", "", derive(3)),
		c("a derivative of zw", "", derive(12)),
		c("a derivative of yz", "a derivative is of two components", derive(6)),
		with(c("no quads", "does not ask for quads", nil), fragMeta, func(m *abi.Meta) { m.NeedsQuads = false }),
		with(c("no quads for a fetch", "", fetch), fragMeta, func(m *abi.Meta) { m.NeedsQuads = false }),
		with(c("out of order where nothing is", "runs no bundles before a texture operation ends", func(b *isa.Bundle) { b.Tex.OutOfOrder = 2 }), fragMeta, gpu("t720")),
		with(c("a barrier", "", barrier), computeMeta, nil),
		with(c("a barrier that the metadata does not have", "whose metadata has none", barrier), computeMeta, func(m *abi.Meta) { m.UsesBarrier = false }),
		c("a sample with the tag of barriers", "in a bundle of tag", func(b *isa.Bundle) { b.Tag = isa.TagBarrier }),
	}
}

func arithmeticRules() []ruleCase {
	mov := func() isa.ALU { return move(1, 0, isa.XYZW) }
	c := func(name, want string, unit isa.Unit, a isa.ALU) ruleCase {
		return ruleCase{name: name, meta: computeMeta, want: want, bundle: func() isa.Bundle { return alu(func(b *isa.Bundle) { b.Add(unit, a) }) }}
	}
	with := func(r ruleCase, edit func(m *abi.Meta)) ruleCase {
		r.edit = edit
		return r
	}
	from := func(s isa.Source, mode isa.Mode) isa.ALU { return isa.Vector(isa.OpImov, mode, 1, 0xff).From(1, s) }
	shrunk := func(s isa.Shrink, a isa.ALU) isa.ALU {
		a.Shrink = s
		return a
	}
	alias := func(m *abi.Meta) { m.Alias = true }
	// A scalar select of what a unit of stage 1 has compared, and whatever stands beside it.
	choice := func(name, want string, first isa.Unit, beside func(b *isa.Bundle)) ruleCase {
		return ruleCase{name: name, meta: computeMeta, want: want, change: beside, bundle: func() isa.Bundle {
			return alu(func(b *isa.Bundle) {
				if first.Scalar() {
					b.Add(first, isa.Scalar(isa.OpImov, isa.RegCond, 3).From(1, isa.SReg(4, 0)))
				} else {
					b.Add(first, move(isa.RegCond, 4, isa.XYZW))
				}
				b.Add(isa.UnitSMUL, isa.Scalar(isa.OpIcsel, 2, 0).From(0, isa.SReg(4, 0)).From(1, isa.SReg(4, 1)))
			})
		}}
	}
	branch := func(c isa.Cond) func(b *isa.Bundle) {
		return func(b *isa.Bundle) {
			b.Add(isa.UnitVADD, isa.Vector(isa.OpImov, isa.Mode32, isa.RegCond, 0xc0).From(1, isa.VReg(4, isa.XYZW)))
			b.SetBranch(isa.Branch{Op: isa.BranchCond, Cond: c})
			b.SetTag(false)
			b.Extended.Offset, b.Extended.Target = -int32(b.Quads()), b.Tag
		}
	}
	return []ruleCase{
		choice("a select", "", isa.UnitSADD, nil),
		choice("a select by a vector unit", "smul: icsel takes its condition from the other unit of stage 1 than vmul", isa.UnitVMUL, nil),
		choice("a select and a branch", "more than one consumer of the condition r31", isa.UnitSADD, branch(isa.CondTrue)),
		choice("a select and a branch without condition", "", isa.UnitSADD, branch(isa.CondAlways)),
		choice("two branches", "two branches in a bundle", isa.UnitSADD, func(b *isa.Bundle) {
			branch(isa.CondAlways)(b)
			b.Units |= isa.UnitBranch.In()
			b.Compact = isa.Branch{Op: isa.BranchUncond, Call: 1}
			b.SetTag(false)
			b.Extended.Offset, b.Extended.Target = -int32(b.Quads()), b.Tag
		}),
		c("a move", "", isa.UnitVMUL, mov()),
		c("an empty mask", "the write mask is empty", isa.UnitVMUL, mov2(isa.OpImov, 0)),
		c("a reserved shrink mode", "the shrink mode 3 is reserved", isa.UnitVMUL, shrunk(isa.ShrinkReserved, mov())),
		c("the conditions", "", isa.UnitVMUL, move(isa.RegCond, 0, isa.XYZW)),
		c("the first of the work registers", "", isa.UnitVMUL, move(7, 7, isa.XYZW)),
		c("a register beyond them", "register 8 is written, but only 8 work registers", isa.UnitVMUL, move(8, 0, isa.XYZW)),
		c("a source beyond them", "neither a work register (8) nor a uniform register (1)", isa.UnitVMUL, move(1, 8, isa.XYZW)),
		c("the last uniform register", "", isa.UnitVMUL, move(1, 23, isa.XYZW)),
		c("the one before it", "neither a work register (8) nor a uniform register (1)", isa.UnitVMUL, move(1, 22, isa.XYZW)),
		c("registers of loads as a source", "neither a work register", isa.UnitVMUL, move(1, isa.RegLdSt1, isa.XYZW)),
		with(c("a texture result", "register 28 is no texture result on this GPU", isa.UnitVMUL, move(1, isa.RegTex0, isa.XYZW)), alias),
		c("expansion of 32 bits, low", "", isa.UnitVMUL, from(isa.Source{Swizzle: isa.XYZW, Expand: isa.ExpandLow}, isa.Mode32)),
		c("expansion of 32 bits, swapped", "expand mode", isa.UnitVMUL, from(isa.Source{Swizzle: isa.XYZW, Expand: isa.ExpandSwap}, isa.Mode32)),
		c("expansion of 64 bits, swapped", "expand mode", isa.UnitVMUL, from(isa.Source{Swizzle: isa.XYZW, Expand: isa.ExpandSwap}, isa.Mode64)),
		c("expansion of 16 bits, swapped", "", isa.UnitVMUL, from(isa.Source{Swizzle: isa.XYZW, Expand: isa.ExpandSwap}, isa.Mode16)),
		c("a component in the middle", "of 16 bits is no 32-bit component", isa.UnitSADD, isa.Scalar(isa.OpImov, 1, 0).From(1, isa.Source{Full: true, Comp: 3})),
		c("pipeline register 25 of a vector unit", "written by another unit than SADD", isa.UnitVADD, move(25, 0, isa.XYZW)),
		c("a sum of products in 16 bits, narrowed and widened", "widens operands and narrows the result", isa.UnitVMUL,
			shrunk(isa.ShrinkLow, isa.Vector(isa.OpFdot4, isa.Mode32, 1, 0x03).From(0, isa.Source{Expand: isa.ExpandLow}))),
	}
}

func writeoutRules() []ruleCase {
	meta := func(m *abi.Meta) { m.Outputs = []abi.Output{{Slot: ir.SlotData0, Mask: 15}} }
	c := func(name, want string, change func(b *isa.Bundle)) ruleCase {
		return ruleCase{name: name, meta: fragMeta, edit: meta, want: want, change: change,
			bundle: func() isa.Bundle {
				b := writeout(4, 0, 0, false)
				b.Next = isa.TagBreak
				return b
			}}
	}
	with := func(r ruleCase, meta func() *abi.Meta, edit func(m *abi.Meta)) ruleCase {
		r.meta, r.edit = meta, edit
		return r
	}
	again := func(b *isa.Bundle) { // the tag and the branch's target hang on the units
		b.SetTag(true)
		b.Extended.Target = b.Tag
	}
	return []ruleCase{
		c("a writeout", "", nil),
		with(c("a writeout of a vertex shader", "a writeout outside of a fragment shader", nil), ruleVertexMeta, nil),
		c("a part of r0", "does not write all of r0", func(b *isa.Bundle) { b.ALU[isa.UnitVMUL].Mask = 0x3f }),
		c("no return address", "does not write the return address r1.w", func(b *isa.Bundle) { b.ALU[isa.UnitVADD].Mask = 0x30 }),
		c("a select", "a select in a writeout bundle", func(b *isa.Bundle) {
			b.Add(isa.UnitSADD, isa.Scalar(isa.OpImov, isa.RegCond, 3).From(1, isa.SReg(4, 0)))
			b.Add(isa.UnitSMUL, isa.Scalar(isa.OpIcsel, 2, 0).From(0, isa.SReg(4, 0)).From(1, isa.SReg(4, 1)))
			again(b)
		}),
		c("a function of x", "", func(b *isa.Bundle) {
			b.Add(isa.UnitLUT, isa.Vector(isa.OpFrcp, isa.Mode32, 2, 0x03).From(0, isa.VReg(4, isa.XYZW)))
			again(b)
		}),
		c("a function of w", "must not write component w", func(b *isa.Bundle) {
			b.Add(isa.UnitLUT, isa.Vector(isa.OpFrcp, isa.Mode32, 2, 0xc0).From(0, isa.VReg(4, isa.XYZW)))
			again(b)
		}),
		with(c("the tag where there is none", "the GPU faults on the tag", nil), fragMeta, func(m *abi.Meta) { m.NoUpperALU = true }),
	}
}

func accessRules() []ruleCase {
	c := func(name, want string, list ...isa.LoadStore) ruleCase {
		return ruleCase{name: name, meta: computeMeta, want: want, bundle: func() isa.Bundle { return ldst(list...) }}
	}
	with := func(r ruleCase, meta func() *abi.Meta, edit func(m *abi.Meta)) ruleCase {
		r.meta, r.edit = meta, edit
		return r
	}
	u := func(reg, mask uint8, offset int) isa.LoadStore {
		l := ubo(isa.LdUbo128, 0, offset, mask)
		l.Reg, l.Mask = reg, mask
		return l
	}
	vary := func(op isa.LdOp, mask uint8) isa.LoadStore { return varyingLoad(op, 0, 1, mask, 0) }
	return []ruleCase{
		c("a load", "", u(1, 15, 0)),
		c("two loads", "", u(1, 3, 0), u(1, 12, 16)),
		c("two of a component", "register 1 is written twice in the bundle", u(1, 7, 0), u(1, 12, 16)),
		c("two registers", "", u(1, 15, 0), u(2, 15, 16)),
		c("no work register", "slot 0: register 9 is written, but only 8", u(9, 15, 0)),
		c("no work register in the second slot", "slot 1: register 9 is written, but only 8", u(1, 15, 0), u(9, 15, 0)),
		c("no such operation", "is not known", isa.LoadStore{Op: isa.LdOp(2)}),
		with(c("a varying", "", vary(isa.StVaryF32, 15)), ruleVertexMeta, nil),
		with(c("a part of a varying", "varyings are stored with the mask 15", vary(isa.StVaryF32, 7)), ruleVertexMeta, nil),
		with(c("two varyings", "", vary(isa.StVaryF32, 15), vary(isa.StVaryF32, 15)), ruleVertexMeta, nil),
		with(c("a varying beside a load", "beside another kind of load/store", vary(isa.StVaryF32, 15), u(1, 15, 0)), ruleVertexMeta, func(m *abi.Meta) { m.UBOs = []abi.UBO{{}} }),
	}
}

// TestBundleRules: each rule of a bundle is seen where it alone is broken, and nothing is said of what is right.
func TestBundleRules(t *testing.T) {
	for _, list := range [][]ruleCase{textureRules(), arithmeticRules(), writeoutRules(), accessRules()} {
		for _, c := range list {
			m, b := c.meta(), c.bundle()
			if c.edit != nil {
				c.edit(m)
			}
			if c.change != nil {
				c.change(&b)
			}
			prog := []isa.Bundle{b}
			if b.Has(isa.UnitBranchX) {
				prog = append(prog, b) // where a writeout waits
			}
			err := load(t, m, prog...).(*program).code[0].rules
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
		}
	}
}
