package midgard

import (
	"fmt"
	"slices"

	"nirc/backend"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
)

// form makes the words of a bundle.
func (b *bundle) form(gpu *GPU) {
	e := &b.enc
	*e = isa.Bundle{}
	switch {
	case b.tex != nil:
		e.Tag, e.Tex = isa.TagTex, b.tex.tex
		switch t := &b.tex.tex; {
		case t.Op == isa.TexBarrier:
			e.Tag = isa.TagBarrier
		case t.Op == isa.TexFetch || b.tex.inv:
			e.Tag = isa.TagTexVtx
		}
		if b.tex.tex.Op != isa.TexBarrier {
			e.Tex.Mask = b.tex.mask
		}
		return
	case b.ldst[0] != nil:
		e.Tag = isa.TagLdSt
		e.LdSt = [2]isa.LoadStore{isa.EmptySlot, isa.EmptySlot}
		for i, in := range b.ldst {
			if in != nil {
				e.LdSt[i] = in.ld
				if in.ld.Op.Load() {
					e.LdSt[i].Reg, e.LdSt[i].Mask = uint8(in.dst), in.mask
				}
			}
		}
		return
	}
	for u := range isa.NumALUUnits {
		if in := b.units[u]; in != nil {
			e.Add(u, b.word(u, in))
		}
		if in := b.cond[u]; in != nil {
			e.Add(u, b.word(u, in.conditionMove()))
		}
	}
	upper := false
	if in := b.branch; in != nil {
		upper = b.formBranch(in)
	}
	if b.nconst > 0 {
		e.SetConsts(b.consts)
	}
	e.SetTag(upper && (!gpu.NoUpperALU || faults.has(faultUpperTags)))
}

// formBranch makes the branch of a bundle; true if it is one of the output.
func (b *bundle) formBranch(in *inst) bool {
	br := isa.Branch{Op: isa.BranchCond, Cond: isa.CondAlways}
	if in.hasCond {
		br.Cond = isa.CondTrue
		if in.inv {
			br.Cond = isa.CondFalse
		}
	}
	switch in.kind {
	case kindDiscard:
		br.Op = isa.BranchDiscard
	case kindTileWait:
		br.Op = isa.BranchTilebuffer
	case kindWriteout:
		br.Op = isa.BranchWriteout
		b.writeoutValues(in.wo)
	}
	b.enc.SetBranch(br)
	return in.kind == kindTileWait || in.kind == kindWriteout
}

// writeoutValues adds what leaves in a writeout bundle (rule 7 of midgard.md §8.1).
func (b *bundle) writeoutValues(w *writeout) {
	mov := func(dst reg, mask uint8, o source) *inst {
		in := &inst{op: isa.OpImov, dst: dst, mask: mask, out: isa.OutKeepLow}
		in.src = [2]source{{reg: regNone}, o}
		return in
	}
	imm := func(dst reg, mask uint8, v uint16) *inst {
		in := mov(dst, mask, constant(uint32(v)))
		in.imm, in.con = true, v
		return in
	}
	e := &b.enc
	color := mov(0, w.rest, w.color)
	var pool constPool
	pool.from(b)
	if w.color.reg == regConst {
		if c, ok := inlineConstant(color.op, w.color, w.rest); ok {
			color.imm, color.con = true, c
		}
		pool.all(color)
	}
	for _, in := range w.make {
		if in != nil {
			pool.all(in)
		}
	}
	pool.to(b)
	if w.rest != 0 {
		e.Add(isa.UnitVMUL, b.word(isa.UnitVMUL, color))
	}
	for u, in := range w.make {
		if in != nil {
			e.Add(isa.Unit(u), b.word(isa.Unit(u), in))
		}
	}
	switch {
	case w.target == abi.TargetNone:
		e.Add(isa.UnitSADD, b.word(isa.UnitSADD, imm(1, 4, abi.TargetNone)))
	case w.target != 0 || w.blend:
		e.Add(isa.UnitSADD, b.word(isa.UnitSADD, imm(1, 4, uint16(w.target<<abi.TargetShift))))
	}
	back := &inst{op: isa.OpIadd, dst: 1, mask: 8, out: isa.OutKeepLow, imm: true}
	back.src[0] = source{reg: regPC}
	if w.blend {
		back = mov(blendReturn, 8, source{reg: blendReturn, swz: replicate(3)})
	}
	e.Add(isa.UnitVADD, b.word(isa.UnitVADD, back))
	if w.depth.reg != regNone {
		e.Add(isa.UnitSMUL, b.word(isa.UnitSMUL, mov(1, 1, w.depth)))
	}
	if w.stencil.reg != regNone {
		e.Add(isa.UnitLUT, b.word(isa.UnitLUT, mov(1, 2, w.stencil)))
	}
}

// encode appends the bytes of the program to the binary.
func (p *program) encode(out *Binary) error {
	if n := len(p.list); n > 0 {
		last := p.list[n-1]
		out.Code = slices.Grow(out.Code, (last.at+last.enc.Quads())*isa.Quad+isa.Padding)
	}
	for _, b := range p.list {
		loc := b.loc()
		if n := len(out.Lines); n == 0 || out.Lines[n-1].Loc != loc {
			out.Lines = append(out.Lines, backend.CodeLine{Offset: len(out.Code), Loc: loc})
		}
		var err error
		if out.Code, err = isa.AppendEncode(out.Code, &b.enc); err != nil {
			return fmt.Errorf("%w in %s", err, b.enc)
		}
	}
	out.Code = append(out.Code, make([]byte, isa.Padding)...)
	return nil
}
