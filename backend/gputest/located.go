package gputest

import "nirc/ir"

// Located is a copy of a shader whose instructions have a place in the source each, where they had none: what code generators make of an
// instruction has its place too.
func Located(s *ir.Shader) *ir.Shader {
	s = ir.Clone(s)
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for in := range f.Impl.Instrs() {
			if in.Loc == 0 {
				in.Loc = uint32(len(s.Locs))
				s.Locs = append(s.Locs, ir.Loc{Line: in.Loc, Col: 1})
			}
		}
	}
	return s
}
