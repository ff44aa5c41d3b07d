package agx

import (
	"fmt"

	"nirc/backend/agx/isa"
	"nirc/backend/mach"
)

// validate checks a machine function between selection and allocation: that
// values are defined once and before they are used, phis have a source for each
// predecessor, and templates fit their operands and what the instruction can encode.
func validate(f *mach.Func, step string) error {
	v := &validator{f: f, code: templates(f), block: make([]mach.BlockID, f.NumValues()), place: make([]int32, f.NumValues())}
	v.dominators()
	v.definitions()
	for b := range f.Blocks {
		for i, in := range f.Blocks[b].Instrs {
			if v.err != nil {
				return fmt.Errorf("agx: after %s: %w", step, v.err)
			}
			v.uses(mach.BlockID(b), int32(i), in)
			v.template(in)
		}
	}
	if v.err != nil {
		return fmt.Errorf("agx: after %s: %w", step, v.err)
	}
	return nil
}

type validator struct {
	f    *mach.Func
	code *code
	// block and place say where a value is defined: position in the block plus 1.
	block []mach.BlockID
	place []int32
	idom  []mach.BlockID // -1: not reachable
	err   error
}

func (v *validator) fail(in *mach.Instr, format string, args ...any) {
	if v.err == nil {
		name := v.f.ISA.OpName(in.Op)
		if in.Op < mach.FirstTargetOp {
			name = "a generic operation"
		} else if hasTemplate(in.Op) {
			name = v.code.tmpl[in.Ext].Text()
		}
		v.err = fmt.Errorf("%s: %s", name, fmt.Sprintf(format, args...))
	}
}

// dominators finds the immediate dominators; blocks stand after theirs.
func (v *validator) dominators() {
	n := len(v.f.Blocks)
	v.idom = make([]mach.BlockID, n)
	for b := 1; b < n; b++ {
		v.idom[b] = -1
	}
	for changed := true; changed; {
		changed = false
		for b := 1; b < n; b++ {
			d := mach.BlockID(-1)
			for _, p := range v.f.Blocks[b].Preds {
				switch {
				case p != 0 && v.idom[p] < 0:
				case d < 0:
					d = p
				default:
					d = v.common(d, p)
				}
			}
			if d != v.idom[b] {
				v.idom[b], changed = d, true
			}
		}
	}
}

func (v *validator) common(a, b mach.BlockID) mach.BlockID {
	for a != b {
		if a > b {
			a = v.idom[a]
		} else {
			b = v.idom[b]
		}
	}
	return a
}

func (v *validator) dominates(a, b mach.BlockID) bool {
	for b > a {
		b = v.idom[b]
	}
	return a == b
}

func (v *validator) definitions() {
	for b := range v.f.Blocks {
		for i, in := range v.f.Blocks[b].Instrs {
			for _, d := range in.Defs() {
				if v.place[d.Val] != 0 {
					v.fail(in, "value %d is defined twice", d.Val)
				}
				v.block[d.Val], v.place[d.Val] = mach.BlockID(b), int32(i)+1
			}
		}
	}
}

// uses checks that what an instruction reads has been defined on every way to it.
func (v *validator) uses(b mach.BlockID, i int32, in *mach.Instr) {
	blk := &v.f.Blocks[b]
	if b != 0 && v.idom[b] < 0 {
		return // no way leads here
	}
	if in.Op == mach.OpPhi && len(in.Uses()) != len(blk.Preds) {
		v.fail(in, "a phi of %d sources in a block of %d predecessors", len(in.Uses()), len(blk.Preds))
		return
	}
	for k, u := range in.Uses() {
		at, before := b, i+1
		if in.Op == mach.OpPhi {
			at, before = blk.Preds[k], int32(len(v.f.Blocks[blk.Preds[k]].Instrs))+1
			if at != 0 && v.idom[at] < 0 {
				continue
			}
		}
		switch {
		case u.Val == 0 && in.Op != mach.OpPhi, u.Val != 0 && v.place[u.Val] == 0:
			v.fail(in, "use %d has no definition", k)
		case u.Val == 0:
		case v.block[u.Val] == at:
			if v.place[u.Val] >= before {
				v.fail(in, "value %d is used before it is defined", u.Val)
			}
		case !v.dominates(v.block[u.Val], at):
			v.fail(in, "the definition of value %d does not dominate its use", u.Val)
		}
	}
}

// resultHalves is how many halves an instruction overwrites: a texture operation all of four registers, whatever its mask
// names, and the residency code stands in the second four (agx.md §8.3).
func resultHalves(t *isa.Instr) int {
	if t.Op != isa.OpTextureSample && t.Op != isa.OpTextureLoad {
		return t.Dst.Halves()
	}
	n := 4
	if mode, ok := t.Field(isa.TexResidency); ok && mode != 0 {
		n = 8
	}
	return n * int(t.Dst.Size) / 16
}

// template checks an instruction's template against its operands.
func (v *validator) template(in *mach.Instr) {
	if in.Op < mach.FirstTargetOp || !hasTemplate(in.Op) {
		return
	}
	t := &v.code.tmpl[in.Ext]
	if n := resultHalves(t); in.NDefs == 1 && n != v.f.Size(in.Ops[0].Val) {
		v.fail(in, "the result has %d halves, its value %d", n, v.f.Size(in.Ops[0].Val))
	}
	uses := in.Uses()
	k := 0
	for i := range t.Srcs {
		o := &t.Srcs[i]
		if !allowed(t.Op.SrcAllow(i), o) {
			v.fail(in, "source %d cannot be that", i)
		}
		// The template of a halt names r0l, which no value has.
		if o.Kind != isa.Reg || k >= len(uses) {
			continue
		}
		if n := v.f.Size(uses[k].Val); o.Halves() > n {
			v.fail(in, "source %d has %d halves, its value %d", i, o.Halves(), n)
		}
		k++
	}
}

// allowed reports whether a source can be an operand of that kind.
func allowed(a isa.Allow, o *isa.Operand) bool {
	switch o.Kind {
	case isa.Uniform:
		switch o.Size {
		case 16:
			return a&isa.AllowUniform16 != 0
		case 32:
			return a&isa.AllowUniform32 != 0
		}
		return a&isa.AllowUniform64 != 0
	case isa.Imm:
		return a&isa.AllowImm != 0
	case isa.FImm:
		return a&isa.AllowFloatImm != 0
	case isa.Reg:
		return a&(isa.AllowReg16|isa.AllowReg32|isa.AllowReg64) != 0
	}
	return true
}
