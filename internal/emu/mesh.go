package emu

import (
	"context"
	"fmt"

	"nirc/ir"
)

// Limits of task and mesh shaders: those that Vulkan lets all devices have (VkPhysicalDeviceMeshShaderPropertiesEXT, least
// maxima), and more vertices and primitives than anybody offers.
const (
	maxMeshGroups   = 1 << 22 // of a draw, or of a task workgroup
	maxPayload      = 1 << 14 // bytes
	maxMeshElements = 1 << 16 // vertices or primitives of a workgroup
)

// MeshSlots are the outputs of a vertex, a primitive or a workgroup.
type MeshSlots struct {
	Slots
	// Written has a bit for each component that was stored. The others hold garbage.
	Written [ir.NumVaryingSlots]uint8
}

// MeshGroup is what a workgroup of a task or mesh shader gets and gives. Its waves share it.
type MeshGroup struct {
	// Task is the workgroup of the task shader that launched this one, ID its own.
	Task, ID [3]uint32
	// Payload is what a task shader writes and the mesh shaders that it launches read.
	Payload []byte
	// Groups are the mesh workgroups that a task shader launches; Launched: it did.
	Groups   [3]uint32
	Launched bool
	// NumVertices and NumPrimitives are what a mesh shader puts out; Counted: it said so.
	NumVertices, NumPrimitives uint32
	Counted                    bool
	Vertices, Primitives       []MeshSlots
	// Once are the outputs that a workgroup has once.
	Once MeshSlots
}

// Launch notes the launch of mesh workgroups, which all invocations ask for alike.
func (g *MeshGroup) Launch(groups [3]uint32) error {
	if g.Launched && g.Groups != groups {
		return fmt.Errorf("one invocation launches %v mesh workgroups, another %v", g.Groups, groups)
	}
	g.Groups, g.Launched = groups, true
	return nil
}

// Count notes how many vertices and primitives the workgroup has, for which all invocations have the same numbers.
func (g *MeshGroup) Count(vertices, primitives uint32) error {
	if g.Counted && (g.NumVertices != vertices || g.NumPrimitives != primitives) {
		return fmt.Errorf("one invocation sets %d vertices and %d primitives, another %d and %d", g.NumVertices, g.NumPrimitives, vertices, primitives)
	}
	if vertices > uint32(len(g.Vertices)) || primitives > uint32(len(g.Primitives)) {
		return fmt.Errorf("%d vertices and %d primitives are more than the shader's %d and %d", vertices, primitives, len(g.Vertices), len(g.Primitives))
	}
	g.NumVertices, g.NumPrimitives, g.Counted = vertices, primitives, true
	return nil
}

// PayloadProgram is a program of a task or mesh shader, which says how many bytes of payload it has.
type PayloadProgram interface {
	Program
	PayloadSize() uint32
}

// MeshParams says what a draw of task and mesh shaders runs.
type MeshParams struct {
	Limits
	// Groups are the workgroups of the task shader, or of the mesh shader if there is none.
	Groups [3]uint32
}

// DrawMesh runs mesh workgroups, launched by those of a task shader unless that is nil, and returns what each has put out, in the
// order of the workgroups. Nothing is rasterised.
func DrawMesh(ctx context.Context, task, mesh PayloadProgram, env *Env, params MeshParams) ([]*MeshGroup, error) {
	m := &meshDraw{ctx: ctx, task: task, mesh: mesh, env: env, params: &params}
	if err := m.check(); err != nil {
		return nil, err
	}
	if task == nil {
		return m.launch(params.Groups, [3]uint32{}, make([]byte, 0))
	}
	tasks, err := m.dispatch(task, params.Groups, 0, m.newTask)
	if err != nil {
		return nil, fmt.Errorf("task %w", err)
	}
	var list []*MeshGroup
	for _, t := range tasks {
		if err := m.checkLaunch(t); err != nil {
			return nil, err
		}
		groups, err := m.launch(t.Groups, t.ID, t.Payload)
		if err != nil {
			return nil, fmt.Errorf("of task workgroup %v: %w", t.ID, err)
		}
		list = append(list, groups...)
	}
	return list, nil
}

// meshDraw is one such draw under way.
type meshDraw struct {
	ctx        context.Context
	task, mesh PayloadProgram
	env        *Env
	params     *MeshParams
	garbage    Garbage
	drawn      uint64 // mesh workgroups so far
}

func (m *meshDraw) check() error {
	m.garbage = Poison(fork(m.params.seed(), 1))
	io := &m.mesh.IO().Mesh
	switch {
	case io.MaxVertices > maxMeshElements || io.MaxPrimitives > maxMeshElements:
		return unsupported("%d vertices or %d primitives of a mesh workgroup are not supported, the most is %d", io.MaxVertices, io.MaxPrimitives, maxMeshElements)
	case m.task == nil && m.mesh.PayloadSize() > 0:
		return fmt.Errorf("emu: the mesh shader reads a payload, and there is no task shader")
	case m.task != nil && m.task.PayloadSize() > maxPayload:
		return unsupported("a task payload of %d bytes is not supported, the most is %d", m.task.PayloadSize(), maxPayload)
	case m.task != nil && m.task.PayloadSize() < m.mesh.PayloadSize():
		return fmt.Errorf("emu: the mesh shader reads %d bytes of payload, the task shader has %d", m.mesh.PayloadSize(), m.task.PayloadSize())
	}
	return nil
}

func (m *meshDraw) newTask() *MeshGroup {
	g := &MeshGroup{Payload: make([]byte, m.task.PayloadSize())}
	m.garbage.Fill(g.Payload)
	m.garbage.fillMesh(&g.Once)
	return g
}

// checkLaunch takes what a task workgroup launched: by NV's output, if by no instruction.
func (m *meshDraw) checkLaunch(t *MeshGroup) error {
	if w := t.Once.Written[ir.SlotTaskCount]; !t.Launched && w&1 != 0 {
		t.Groups, t.Launched = [3]uint32{t.Once.Slots[ir.SlotTaskCount][0], 1, 1}, true
	}
	n := uint64(1)
	for _, x := range t.Groups {
		n *= uint64(x)
		if x > maxGroups || n > maxMeshGroups {
			return fmt.Errorf("emu: task workgroup %v launches %v mesh workgroups: a device takes %d in a dimension and %d in all", t.ID, t.Groups, maxGroups, maxMeshGroups)
		}
	}
	if n == 0 {
		t.Groups = [3]uint32{}
	}
	return nil
}

// launch runs the mesh workgroups of a task, or of the draw.
func (m *meshDraw) launch(groups, task [3]uint32, payload []byte) ([]*MeshGroup, error) {
	io := &m.mesh.IO().Mesh
	list, err := m.dispatch(m.mesh, groups, m.drawn, func() *MeshGroup {
		g := &MeshGroup{Task: task, Payload: payload, Vertices: make([]MeshSlots, io.MaxVertices), Primitives: make([]MeshSlots, io.MaxPrimitives)}
		for _, s := range [][]MeshSlots{g.Vertices, g.Primitives} {
			for i := range s {
				m.garbage.fillMesh(&s[i])
			}
		}
		m.garbage.fillMesh(&g.Once)
		return g
	})
	if err != nil {
		return nil, fmt.Errorf("mesh %w", err)
	}
	if m.drawn += uint64(len(list)); m.drawn > maxMeshGroups {
		return nil, fmt.Errorf("emu: more than %d mesh workgroups", maxMeshGroups)
	}
	for _, g := range list {
		if err := m.finish(g); err != nil {
			return nil, fmt.Errorf("mesh workgroup %v: %w", g.ID, err)
		}
	}
	return list, nil
}

// finish takes the counts of NV's outputs, if no instruction gave any, and checks the primitives' vertices.
func (m *meshDraw) finish(g *MeshGroup) error {
	if w := g.Once.Written[ir.SlotPrimitiveCount]; !g.Counted && w&1 != 0 {
		if err := g.Count(uint32(len(g.Vertices)), g.Once.Slots[ir.SlotPrimitiveCount][0]); err != nil {
			return err
		}
	}
	per := m.mesh.IO().Mesh.Primitive
	for i := range g.Primitives[:g.NumPrimitives] {
		p := &g.Primitives[i]
		for k := range per {
			switch v := p.Slots[ir.SlotPrimitiveIndices][k]; {
			case p.Written[ir.SlotPrimitiveIndices]>>k&1 == 0:
				return fmt.Errorf("nothing was stored to vertex %d of primitive %d", k, i)
			case v >= g.NumVertices:
				return fmt.Errorf("vertex %d of primitive %d is number %d, of %d", k, i, v, g.NumVertices)
			}
		}
	}
	return nil
}

// dispatch runs a program over workgroups, each with what make gives it.
func (m *meshDraw) dispatch(p Program, groups [3]uint32, part uint64, make func() *MeshGroup) ([]*MeshGroup, error) {
	limits := m.params.Limits
	limits.Seed = fork(m.params.seed(), part+3)
	d := &dispatcher{prog: p, env: m.env, params: &DispatchParams{Limits: limits, Groups: groups}, meter: newMeter(m.ctx, &limits)}
	if err := d.check(); err != nil {
		return nil, err
	}
	d.fillLocalIDs()
	list := []*MeshGroup(nil)
	for i := range d.total {
		g := make()
		g.ID = d.groupID(i)
		list = append(list, g)
	}
	d.mesh = list
	if d.total == 0 {
		return nil, nil
	}
	return list, d.once()
}

// fillMesh fills outputs that nobody has written yet.
func (g *Garbage) fillMesh(s *MeshSlots) {
	if g.On() {
		for k := range s.Slots {
			g.FillWords(s.Slots[k][:])
		}
	}
}
