package trips

import (
	"slices"

	"nirc/backend/cost"
	"nirc/backend/object"
	"nirc/ir"
)

// Note pairs the loops of a shader with those of its code, p, and notes them in the object.
func Note(p *cost.Program, o *object.Object, loops []Loop) {
	Pair(p, loops)
	for i := range loops {
		l := &loops[i]
		n := object.Loop{Depth: l.Depth, Trips: l.Trips, Most: l.Most, Header: -1, File: l.Loc.File, Line: l.Loc.Line, Word: l.Loc.Word, Why: l.Reason}
		if l.Instrs != nil {
			n.Header = int32(p.Instrs[l.Header].Offset)
		}
		o.Loops = append(o.Loops, n)
	}
}

// Noted gives the model the loops of an object. A header where the code has no loop is of an object
// that was changed: nothing is known of that one.
func Noted(p *cost.Program, o *object.Object) (loops []Loop) {
	found, _ := p.Loops()
	p.Trips, p.Most = map[int32]uint32{}, map[int32]uint32{}
	for i := range o.Loops {
		n := &o.Loops[i]
		l := Loop{Depth: n.Depth, Loc: ir.Loc{File: n.File, Line: n.Line, Word: n.Word}, Reason: n.Why}
		k := slices.IndexFunc(found, func(m cost.Loop) bool {
			return m.Depth == n.Depth && n.Header == int32(p.Instrs[m.Header].Offset)
		})
		if k >= 0 {
			l.Trips, l.Most, l.Header, l.Instrs = n.Trips, n.Most, found[k].Header, found[k].Instrs
			l.tell(p)
		}
		loops = append(loops, l)
	}
	return loops
}
