package agx

import "nirc/backend/agx/isa"

// emptyElse drops else instructions that nothing stands after: else 1 and
// pop 1 do what pop 1 does alone; and if, else, pop around nothing.
func (p *program) emptyElse() {
	out := p.list[:0]
	for i, in := range p.list {
		if in.Op == isa.OpElseFcmp && i+1 < len(p.list) && p.list[i+1].Op == isa.OpPopExec && p.list[i+1].Nest == 1 {
			continue
		}
		out = append(out, in)
	}
	p.list = out
}
