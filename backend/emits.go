package backend

import (
	"nirc/ir"
	"nirc/passes"
)

// CountEmits runs the list of the pipeline file by which a target has the emits of a geometry shader counted. IR that counts
// them before, in whatever way, is refused, and so are streams that no hardware has.
func CountEmits(target string, s *ir.Shader, lists passes.Lists, list string) error {
	e := s.Entry()
	if e == nil || e.Impl == nil {
		return nil // which is refused elsewhere
	}
	for _, in := range Intrinsics(e.Impl) {
		switch in.Intr {
		case ir.IntrEmitVertex, ir.IntrEndPrimitive:
			if n := in.Get(ir.IdxStreamId); n >= ir.NumXfbBuffers {
				return Refuse(target, s, in, "vertex stream %d is not supported", n)
			}
		case ir.IntrEmitVertexWithCounter, ir.IntrEndPrimitiveWithCounter, ir.IntrSetVertexAndPrimitiveCount:
			return Refuse(target, s, in, "the intrinsic %s is not supported by the %s backend", in.Intr, target)
		}
	}
	return lists.Run(s, list)
}
