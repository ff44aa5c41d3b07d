package passes

import "nirc/ir"

var removeNonEntrypointsPass = &Pass{
	Name: "remove_non_entrypoints", Class: "A", Run: removeNonEntrypoints, Idempotent: true,
	Doc: "Deletes all functions but the entry point and the preamble.",
}

// removeNonEntrypoints deletes all functions but the entry point and the preamble.
func removeNonEntrypoints(_ *Context, s *ir.Shader) (bool, error) {
	keep := s.Functions[:0]
	n := len(s.Functions)
	for _, f := range s.Functions {
		if f.IsEntry || f.IsPreamble {
			keep = append(keep, f)
		}
	}
	for i := len(keep); i < n; i++ {
		s.Functions[i] = nil
	}
	s.Functions = keep
	return len(keep) != n, nil
}
