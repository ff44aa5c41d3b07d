package agx

import (
	"slices"

	"nirc/backend/agx/isa"
)

// jumpThreshold is the cost from which it pays to jump over code that no
// lane runs (agx.md §6.2).
const jumpThreshold = 38

// skipCost estimates what it takes to run an instruction with no lane active.
func skipCost(op isa.Op) int {
	switch op {
	case isa.OpDeviceLoad, isa.OpStackLoad, isa.OpAtomic:
		return 10
	case isa.OpTextureSample, isa.OpTextureLoad:
		return 50
	}
	return 1
}

// jumpNone puts jmp_exec_none after ifs and elses whose code is long.
func (p *program) jumpNone() {
	if !slices.ContainsFunc(p.list, func(in *pinstr) bool { return in.Op == isa.OpIfIcmp || in.Op == isa.OpIfFcmp }) {
		return
	}
	type open struct {
		at   int // of the if or else in out
		cost int
	}
	var stack []open
	out := make([]*pinstr, 0, len(p.list)+4)
	// ends[i]: the instruction where the region that out[i] opens ends.
	ends := map[*pinstr]*pinstr{}
	total := 0
	for _, in := range p.list {
		switch in.Op {
		case isa.OpElseIcmp, isa.OpElseFcmp:
			o := &stack[len(stack)-1]
			if total-o.cost >= jumpThreshold {
				ends[out[o.at]] = in
			}
			o.at, o.cost = len(out), total
		case isa.OpPopExec:
			if in.Nest == 0 || len(stack) == 0 {
				break
			}
			o := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if o.at >= 0 && total-o.cost >= jumpThreshold {
				ends[out[o.at]] = in
			}
		}
		out = append(out, in)
		switch in.Op {
		case isa.OpIfIcmp, isa.OpIfFcmp:
			if in.Nest > 0 {
				o := open{len(out) - 1, total}
				if isPush(&in.Instr) {
					o.at = -1
				}
				stack = append(stack, o)
			}
		case isa.OpWhileIcmp, isa.OpWhileFcmp:
		}
		total += skipCost(in.Op)
	}
	if len(ends) == 0 {
		return
	}
	p.list = make([]*pinstr, 0, len(out)+len(ends))
	for _, in := range out {
		p.list = append(p.list, in)
		if to := ends[in]; to != nil {
			j := p.newInstr(isa.Instr{Op: isa.OpJmpExecNone}, in.loc)
			j.to = to
			p.list = append(p.list, j)
		}
	}
}

// isPush reports whether an if is push_exec, which opens levels for a loop.
func isPush(in *isa.Instr) bool {
	return in.Op == isa.OpIfFcmp && in.Srcs[0] == floatZero && in.Srcs[1] == floatZero && in.Cond == isa.CondFEQ
}
