package amber

import (
	"nirc/internal/emu"
	"nirc/ir"
)

// compileRays makes the programs of a ray tracing pipeline and of the libraries that it uses.
func (e *engine) compileRays(p *pipe) error {
	p.rays = map[*Attached]emu.Program{}
	if err := e.compileRayShaders(p, p.decl); err != nil {
		return err
	}
	for _, l := range p.decl.Libraries {
		if err := e.compileRayShaders(p, l); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) compileRayShaders(p *pipe, pl *Pipeline) error {
	for _, a := range pl.Shaders {
		e.line = a.Line
		prog, err := e.program(a, ir.StageNone, p.layout)
		if err != nil {
			return at(a.Line, CauseCompile, err)
		}
		p.rays[a] = prog
	}
	return nil
}

// traceRays executes the RUN of a ray tracing pipeline.
func (e *engine) traceRays(p *pipe, c *Run) error {
	var tables [len(c.Tables)][]emu.ShaderGroup
	for k, t := range c.Tables {
		if t == nil {
			continue
		}
		for _, g := range t.Groups {
			tables[k] = append(tables[k], p.shaderGroup(g))
		}
	}
	r := &emu.RayPipeline{Env: &p.env, Raygen: tables[0][0], Miss: tables[1], Hit: tables[2], Callable: tables[3], MaxRecursion: int(p.decl.MaxRecursion)}
	return emu.TraceRays(e.ctx, r, c.Groups, e.limits())
}

// shaderGroup is a group's programs.
func (p *pipe) shaderGroup(g *ShaderGroup) (s emu.ShaderGroup) {
	for _, a := range g.Shaders {
		switch prog := p.rays[a]; a.Stage {
		case StageAnyHit:
			s.AnyHit = prog
		case StageClosestHit:
			s.ClosestHit = prog
		case StageIntersection:
			s.Intersection = prog
		default:
			s.General = prog
		}
	}
	return s
}
