package exec

import (
	"context"
	"fmt"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/reflection"
	"nirc/ir"
)

// MeshOutput is an output variable of a mesh shader.
type MeshOutput struct {
	// Name is the variable's, Location what reflection calls its place.
	Name, Location string
	Slot           ir.Slot
	Component      uint8
	// Type is of a vertex, a primitive (PerPrimitive) or a workgroup (Once).
	Type               *ir.Type
	PerPrimitive, Once bool
}

// meshOutputs lists the outputs of a mesh shader, positions and locations first, as the variables stand.
func meshOutputs(s *ir.Shader) (list []MeshOutput) {
	for _, v := range s.Variables {
		if v.Mode != ir.ModeShaderOut || s.Stage != ir.StageMesh || v.Location < 0 {
			continue
		}
		o := MeshOutput{Name: v.Name, Location: reflection.Location(s, v.Mode, ir.Slot(v.Location)), Slot: ir.Slot(v.Location), Component: v.Component,
			Type: v.Type, PerPrimitive: v.PerPrimitive, Once: !v.Type.IsArray()}
		if !o.Once {
			o.Type = v.Type.Elem
		}
		list = append(list, o)
	}
	return list
}

// runMesh runs a task and a mesh shader, or the latter alone.
func (x *Execution) runMesh(ctx context.Context, env *emu.Env, stages []compiledStage) error {
	var task, mesh emu.PayloadProgram
	for i := range stages {
		p, ok := stages[i].prog.(emu.PayloadProgram)
		if !ok {
			return fmt.Errorf("the %s shader cannot run: no target but ir runs such shaders", stages[i].prog.Stage())
		}
		if p.Stage() == ir.StageTask {
			task = p
		} else {
			mesh, x.MeshOutputs = p, stages[i].outputs
		}
	}
	if mesh == nil {
		return nirc.Usagef("the modules have a task shader, but no mesh shader")
	}
	var err error
	x.MeshGroups, err = emu.DrawMesh(ctx, task, mesh, env, emu.MeshParams{Limits: x.Limits, Groups: x.Groups})
	return err
}
