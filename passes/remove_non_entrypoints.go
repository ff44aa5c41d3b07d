package passes

import "nirc/ir"

var removeNonEntrypointsPass = &Pass{
	Name: "remove_non_entrypoints", Class: "A", Run: removeNonEntrypoints, Idempotent: true,
	Doc: "Deletes all functions but the entry point, the preamble and those that go on after calls of shaders (rt_resume).",
}

// resumes reports whether a function goes on after the call of a shader.
func resumes(f *ir.Function) bool {
	return f.Impl != nil && len(collect(f.Impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrRtResume })) > 0
}

// removeNonEntrypoints deletes all functions but the entry point and the preamble.
func removeNonEntrypoints(_ *Context, s *ir.Shader) (bool, error) {
	keep := s.Functions[:0]
	n := len(s.Functions)
	for _, f := range s.Functions {
		if f.IsEntry || f.IsPreamble || resumes(f) {
			keep = append(keep, f)
		}
	}
	for i := len(keep); i < n; i++ {
		s.Functions[i] = nil
	}
	s.Functions = keep
	return len(keep) != n, nil
}
