package core

import (
	"fmt"

	"nirc/backend/ir3/isa"
)

// checkEarly looks for what a preamble must not do that runs before dispatch
// (ir3.md §4.3 and 6.9): touch registers of fibers or predicates, and read or
// write relative; on a7xx writes of a1.x carry (r).
func (p *program) checkEarly() {
	if !p.meta.EarlyPreamble {
		return
	}
	inside, any := false, false
	for pc := range p.code {
		x := &p.code[pc]
		switch x.Op {
		case isa.OpShps:
			inside, any = true, true
		case isa.OpShpe:
			inside = false
		}
		if !inside || p.static != nil {
			continue
		}
		what := ""
		for _, s := range x.chk.spans {
			switch {
			case int(s.unit) < unitShared:
				what = "registers of fibers"
			case int(s.unit) >= unitPred:
				what = "predicates"
			}
		}
		switch {
		case x.chk.usesA0 || x.Dst.Kind == isa.Reg && x.Dst.Val == isa.A0:
			what = "relative addresses"
		case p.waitsA1(true) && x.Op == isa.OpMova1 && x.Srcs[0].Flags&isa.Rpt == 0:
			what = "a1.x without (r)"
		}
		if what != "" {
			p.static = fmt.Errorf("ir3 core: pc %d: %s: an early preamble cannot use %s", pc, x.Text(p.meta.Gen), what)
		}
	}
	if !any && p.static == nil {
		p.static = fmt.Errorf("ir3 core: the meta says that there is an early preamble, but there is none")
	}
}

// waitsA1 reports whether a1.x, written in the preamble or not, is waited for
// with (ss) and not by delay slots.
func (p *program) waitsA1(preamble bool) bool {
	return preamble && p.meta.EarlyPreamble && p.meta.Gen == isa.A7xx
}
