package passes

import "nirc/ir"

var optRayQueriesPass = &Pass{
	Name: "opt_ray_queries", For: ir.HasRayQuery, Class: "C", Run: optRayQueries, Idempotent: true,
	Doc: "Removes ray queries of which nothing is read: neither a value, nor whether rq_proceed found anything.",
}

func optRayQueries(_ *Context, s *ir.Shader) (bool, error) {
	read := make([]bool, highestVarID(s)+1)
	known := true
	eachRayQuery(s, func(in *ir.Instr, v *ir.Variable) {
		switch {
		case v == nil: // a query that a function was given
			known = false
		case in.HasDef() && !in.Def.Unused():
			read[v.ID] = true
		}
	})
	if !known {
		return false, nil
	}
	var dead []*ir.Instr
	eachRayQuery(s, func(in *ir.Instr, v *ir.Variable) {
		if !read[v.ID] {
			dead = append(dead, in)
		}
	})
	for _, in := range dead {
		d := derefOf(in.Srcs[0].Def)
		in.Remove()
		removeDeadDerefs(d)
	}
	if len(dead) > 0 {
		eachImpl(s, ir.MetaControlFlow, func(*ir.Impl) bool { return true })
	}
	return len(dead) > 0, nil
}

// eachRayQuery calls f with what works on ray queries and the variables of those, nil where they are not known.
func eachRayQuery(s *ir.Shader, f func(in *ir.Instr, v *ir.Variable)) {
	for _, fn := range s.Functions {
		if fn.Impl == nil {
			continue
		}
		for in := range fn.Impl.Instrs() {
			if !in.IsRayQuery() {
				continue
			}
			var v *ir.Variable
			if d := derefOf(in.Srcs[0].Def); d != nil {
				v = derefVar(d)
			}
			f(in, v)
		}
	}
}
