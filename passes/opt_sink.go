package passes

import "nirc/ir"

var optSinkPass = &Pass{
	Name: "opt_sink", For: ir.HasIf | ir.HasLoop, Class: "B", Run: optSink, Idempotent: true, Optional: true,
	Doc: "Moves instructions of chosen kinds down to the last block that all uses share, never into a loop: values live shorter, and branches that do not need them skip them.",
	Options: []Option{
		{"const_undef", "constants and undefs", true},
		{"inputs", "inputs and system values", false},
		{"buffers", "loads from buffers that nobody writes", false},
		{"compares", "comparisons", false},
		{"copies", "moves and vectors", false},
		{"alu", "ALU operations with at most one source that is not constant", false},
	},
}

func optSink(c *Context, s *ir.Shader) (bool, error) {
	k := sinkKinds(c)
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		var p placement
		p.init(impl)
		return sink(impl, &p, k.has)
	}), nil
}
