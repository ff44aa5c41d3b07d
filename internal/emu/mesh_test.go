package emu

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// fakeMesh is a task or mesh shader in Go, of one wave a workgroup.
type fakeMesh struct {
	fakeProgram
	payload uint32
}

func (p *fakeMesh) PayloadSize() uint32 { return p.payload }

func meshProgram(stage ir.Stage, payload uint32, run func(l *Launch, g *MeshGroup) error) *fakeMesh {
	p := &fakeMesh{fakeProgram{stage: stage, wave: 4, size: [3]uint32{2, 1, 1}}, payload}
	p.io.Mesh = ir.MeshInfo{Primitive: 3, MaxVertices: 4, MaxPrimitives: 2}
	p.run = func(l *Launch, _ int) (Status, error) { return StatusDone, run(l, l.Compute.Mesh) }
	return p
}

// corners stores which vertices a primitive has.
func (s *MeshSlots) corners(v ...uint32) {
	for k, x := range v {
		s.Slots[ir.SlotPrimitiveIndices][k] = x
		s.Written[ir.SlotPrimitiveIndices] |= 1 << k
	}
}

// count stores what NV's outputs of counts are.
func (s *MeshSlots) count(slot ir.Slot, n uint32) {
	s.Slots[slot][0], s.Written[slot] = n, 1
}

// triangle is a mesh workgroup of one triangle.
func triangle(_ *Launch, g *MeshGroup) error {
	g.Primitives[0].corners(0, 1, 2)
	return g.Count(3, 1)
}

// TestDrawMesh: the workgroups that a task workgroup launches come in its turn and find its payload; without a task shader the draw
// launches them. The counts may come by outputs.
func TestDrawMesh(t *testing.T) {
	task := meshProgram(ir.StageTask, 4, func(_ *Launch, g *MeshGroup) error {
		g.Payload[0] = byte(10 + g.ID[0])
		return g.Launch([3]uint32{g.ID[0], 2, 1})
	})
	outputs := meshProgram(ir.StageTask, 4, func(_ *Launch, g *MeshGroup) error {
		g.Payload[0] = byte(10 + g.ID[0])
		g.Once.count(ir.SlotTaskCount, g.ID[0])
		return nil
	})
	mesh := meshProgram(ir.StageMesh, 4, triangle)
	counted := meshProgram(ir.StageMesh, 2, func(_ *Launch, g *MeshGroup) error {
		g.Once.count(ir.SlotPrimitiveCount, 2)
		g.Primitives[0].corners(0, 1, 3)
		g.Primitives[1].corners(3, 2, 1)
		return nil
	})
	alone := meshProgram(ir.StageMesh, 0, triangle)
	for _, c := range []struct {
		name       string
		task, mesh PayloadProgram
		groups     [3]uint32
		want       string
	}{
		{"tasks", task, mesh, [3]uint32{3, 1, 1}, "1:0,0=11 1:0,1=11 2:0,0=12 2:1,0=12 2:0,1=12 2:1,1=12 of 3 and 1"},
		{"tasks by an output", outputs, counted, [3]uint32{3, 1, 1}, "1:0,0=11 2:0,0=12 2:1,0=12 of 4 and 2"},
		{"none", nil, alone, [3]uint32{2, 2, 1}, "0:0,0 0:1,0 0:0,1 0:1,1 of 3 and 1"},
		{"no workgroups", nil, alone, [3]uint32{2, 0, 1}, ""},
	} {
		for seed := range uint64(3) {
			list, err := DrawMesh(context.Background(), c.task, c.mesh, &Env{Mem: NewMemory()}, MeshParams{Groups: c.groups, Limits: Limits{Check: true, Seed: seed}})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			var got []string
			for _, g := range list {
				text := fmt.Sprintf("%d:%d,%d", g.Task[0], g.ID[0], g.ID[1])
				if len(g.Payload) > 0 {
					text += fmt.Sprintf("=%d", g.Payload[0])
				}
				got = append(got, text)
			}
			if len(list) > 0 {
				got = append(got, fmt.Sprintf("of %d and %d", list[0].NumVertices, list[0].NumPrimitives))
			}
			if got := strings.Join(got, " "); got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
		}
	}
}

// TestMeshLimits: what a device does not take, and what is nobody's to say, is an error; the most is none.
func TestMeshLimits(t *testing.T) {
	launching := func(groups ...[3]uint32) *fakeMesh {
		return meshProgram(ir.StageTask, 8, func(_ *Launch, g *MeshGroup) error {
			for _, n := range groups {
				if err := g.Launch(n); err != nil {
					return err
				}
			}
			return nil
		})
	}
	payload := func(n uint32) *fakeMesh {
		p := launching([3]uint32{1, 1, 1})
		p.payload = n
		return p
	}
	mesh := func(payload uint32, run func(l *Launch, g *MeshGroup) error) *fakeMesh {
		return meshProgram(ir.StageMesh, payload, run)
	}
	sized := func(vertices, primitives uint32) *fakeMesh {
		p := mesh(0, func(*Launch, *MeshGroup) error { return nil })
		p.io.Mesh.MaxVertices, p.io.Mesh.MaxPrimitives = vertices, primitives
		return p
	}
	counts := func(v ...uint32) *fakeMesh {
		return mesh(0, func(_ *Launch, g *MeshGroup) error {
			for k := range g.Primitives {
				g.Primitives[k].corners(0, 1, 2)
			}
			for k := 0; k < len(v); k += 2 {
				if err := g.Count(v[k], v[k+1]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	corners := func(v ...uint32) *fakeMesh {
		return mesh(0, func(_ *Launch, g *MeshGroup) error {
			g.Primitives[0].corners(v...)
			return g.Count(3, 1)
		})
	}
	none := func(*Launch, *MeshGroup) error { return nil }
	for _, c := range []struct {
		name       string
		task, mesh PayloadProgram
		groups     uint32
		want       string
	}{
		{"nothing launched", launching(), mesh(8, triangle), 1, ""},
		{"most vertices", nil, sized(maxMeshElements, 1), 1, ""},
		{"too many vertices", nil, sized(maxMeshElements+1, 1), 1, "65537 vertices"},
		{"most primitives", nil, sized(1, maxMeshElements), 1, ""},
		{"too many primitives", nil, sized(1, maxMeshElements+1), 1, "65537 primitives"},
		{"nobody's payload", nil, mesh(4, none), 1, "there is no task shader"},
		{"largest payload", payload(maxPayload), mesh(8, none), 1, ""},
		{"too large a payload", payload(maxPayload + 1), mesh(8, none), 1, "a task payload of 16385 bytes"},
		{"the task's whole payload", payload(8), mesh(8, none), 1, ""},
		{"more than the task's payload", payload(8), mesh(9, none), 1, "reads 9 bytes of payload, the task shader has 8"},
		{"launches alike", launching([3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}), mesh(8, none), 1, ""},
		{"launches that differ", launching([3]uint32{1, 1, 1}, [3]uint32{1, 2, 1}), mesh(8, none), 1, "another [1 2 1]"},
		{"most workgroups in a dimension", launching([3]uint32{0, maxGroups, 1}), mesh(8, none), 1, ""},
		{"too many in a dimension", launching([3]uint32{0, 1, maxGroups + 1}), mesh(8, none), 1, "launches [0 1 65536]"},
		{"too many in all", launching([3]uint32{2048, 2049, 1}), mesh(8, none), 1, "4194304 in all"},
		{"counts alike", nil, counts(3, 2, 3, 2), 1, ""},
		{"vertices that differ", nil, counts(3, 2, 4, 2), 1, "another 4 and 2"},
		{"primitives that differ", nil, counts(3, 2, 3, 1), 1, "another 3 and 1"},
		{"all", nil, counts(4, 2), 1, ""},
		{"more vertices than there are", nil, counts(5, 1), 1, "more than the shader's 4 and 2"},
		{"more primitives than there are", nil, counts(3, 3), 1, "more than the shader's 4 and 2"},
		{"last vertex", nil, corners(0, 2, 1), 1, ""},
		{"no such vertex", nil, corners(0, 1, 3), 1, "vertex 2 of primitive 0 is number 3, of 3"},
		{"more primitives by an output", nil, mesh(0, func(_ *Launch, g *MeshGroup) error {
			g.Once.count(ir.SlotPrimitiveCount, 3)
			return nil
		}), 1, "more than the shader's 4 and 2"},
		{"a mistake after a task", launching([3]uint32{1, 1, 1}), corners(0, 1, 3), 1, "of task workgroup [0 0 0]: mesh workgroup [0 0 0]: vertex 2"},
		{"a corner of nobody", nil, corners(0, 1), 1, "nothing was stored to vertex 2 of primitive 0"},
	} {
		_, err := DrawMesh(context.Background(), c.task, c.mesh, &Env{Mem: NewMemory()}, MeshParams{Groups: [3]uint32{c.groups, 1, 1}})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestMeshGarbage: what nobody wrote is garbage, other in each workgroup, and nothing where nothing is checked.
func TestMeshGarbage(t *testing.T) {
	task := meshProgram(ir.StageTask, 16, func(_ *Launch, g *MeshGroup) error { return g.Launch([3]uint32{1, 1, 1}) })
	mesh := meshProgram(ir.StageMesh, 16, func(_ *Launch, g *MeshGroup) error { return g.Count(0, 0) })
	for _, check := range []bool{true, false} {
		list, err := DrawMesh(context.Background(), task, mesh, &Env{Mem: NewMemory()}, MeshParams{Groups: [3]uint32{2, 1, 1}, Limits: Limits{Check: check}})
		if err != nil || len(list) != 2 {
			t.Fatalf("%d, %v", len(list), err)
		}
		a, b := list[0], list[1]
		for name, same := range map[string]bool{
			"payload": string(a.Payload) == string(b.Payload), "vertices": a.Vertices[3].Slots == b.Vertices[3].Slots,
			"primitives": a.Primitives[1].Slots == b.Primitives[1].Slots, "what there is once": a.Once.Slots == b.Once.Slots, "vertices of one workgroup": a.Vertices[0].Slots == a.Vertices[1].Slots,
		} {
			if same == check {
				t.Errorf("checked %v: %s alike: %v", check, name, same)
			}
		}
	}
}
