package passes

import "nirc/ir"

// widen makes sources and the result of 16 bits ones of 32, with the conversions around the operation.
func (l *texLowering) widen() (did bool) {
	for i, k := range l.t.SrcKinds {
		d := l.in.Srcs[i].Def
		switch {
		case d.BitSize != 16:
			continue
		case isFloatSource(l.in, k):
			l.in.Srcs[i].Set(l.b.F2f32(d))
		default:
			l.in.Srcs[i].Set(l.b.I2i32(d))
		}
		did = true
	}
	r := &l.in.Def
	if r.BitSize != 16 || l.t.IsSparse {
		return did
	}
	r.BitSize = 32
	l.t.DestType.Bits = 32
	after := ir.NewBuilder(ir.After(l.in))
	narrow := ir.OpI2i16
	if l.t.DestType.Class == ir.ClassFloat {
		narrow = ir.OpF2f16
	}
	v := after.ALU(narrow, r)
	r.RewriteUsesAfter(v, v.Instr)
	return true
}
