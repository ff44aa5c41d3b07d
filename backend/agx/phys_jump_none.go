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
		at   *pinstr // the if or else; nil of push_exec
		cost int
	}
	var stack []open
	// ends are by an if or else the instruction where the region ends that it opens, where that is long.
	var ends map[*pinstr]*pinstr
	total := 0
	end := func(o open, in *pinstr) {
		if o.at == nil || total-o.cost < jumpThreshold {
			return
		}
		if ends == nil {
			ends = map[*pinstr]*pinstr{}
		}
		ends[o.at] = in
	}
	for _, in := range p.list {
		switch in.Op {
		case isa.OpElseIcmp, isa.OpElseFcmp:
			o := &stack[len(stack)-1]
			end(*o, in)
			o.at, o.cost = in, total
		case isa.OpPopExec:
			if in.Nest > 0 && len(stack) > 0 {
				end(stack[len(stack)-1], in)
				stack = stack[:len(stack)-1]
			}
		case isa.OpIfIcmp, isa.OpIfFcmp:
			if in.Nest > 0 {
				o := open{in, total}
				if isPush(&in.Instr) {
					o.at = nil
				}
				stack = append(stack, o)
			}
		}
		total += skipCost(in.Op)
	}
	if len(ends) == 0 {
		return
	}
	list := p.list
	out := p.rewrite(len(list) + len(ends))
	for _, in := range list {
		out = append(out, in)
		if to := ends[in]; to != nil {
			j := p.newInstr(isa.Instr{Op: isa.OpJmpExecNone}, in.loc)
			j.to = to
			out = append(out, j)
		}
	}
	p.list = out
}

// isPush reports whether an if is push_exec, which opens levels for a loop.
func isPush(in *isa.Instr) bool {
	return in.Op == isa.OpIfFcmp && in.Srcs[0] == floatZero && in.Srcs[1] == floatZero && in.Cond == isa.CondFEQ
}
