package main

import (
	"fmt"
	"io"
	"strings"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/ir"
)

// meshGroup is what a workgroup of a mesh shader has put out, in the JSON document of nirc run.
type meshGroup struct {
	Target string `json:"target"`
	// Task is the workgroup of the task shader that launched it.
	Task       []uint32    `json:"task,omitempty"`
	Workgroup  []uint32    `json:"workgroup"`
	Vertices   [][]meshOut `json:"vertices"`
	Primitives [][]meshOut `json:"primitives"`
}

// meshOut is an output of a vertex or a primitive. Values are texts, so that none loses digits; "?" is a component that
// nothing was stored to.
type meshOut struct {
	Location string   `json:"location"`
	Name     string   `json:"name,omitempty"`
	Values   []string `json:"values"`
}

// meshGroups describes what mesh workgroups have put out.
func meshGroups(d device, x *exec.Execution) []meshGroup {
	list := []meshGroup{}
	task := hasStage(x.Modules, ir.StageTask)
	for _, g := range x.MeshGroups {
		m := meshGroup{Target: d.target, Workgroup: g.ID[:], Vertices: [][]meshOut{}, Primitives: [][]meshOut{}}
		if task {
			m.Task = g.Task[:]
		}
		for i := range g.Vertices[:g.NumVertices] {
			m.Vertices = append(m.Vertices, meshValues(x.MeshOutputs, &g.Vertices[i], false))
		}
		for i := range g.Primitives[:g.NumPrimitives] {
			m.Primitives = append(m.Primitives, meshValues(x.MeshOutputs, &g.Primitives[i], true))
		}
		list = append(list, m)
	}
	return list
}

func hasStage(modules []*nirc.Module, stage ir.Stage) bool {
	for _, m := range modules {
		for _, e := range m.EntryPoints() {
			if e.Stage == stage {
				return true
			}
		}
	}
	return false
}

// meshValues are the outputs of a vertex or a primitive that anything was stored to.
func meshValues(outputs []exec.MeshOutput, s *emu.MeshSlots, primitive bool) []meshOut {
	list := []meshOut{}
	for i := range outputs {
		o := &outputs[i]
		if o.Once || o.PerPrimitive != primitive {
			continue
		}
		v := meshOut{Location: o.Location, Name: o.Name}
		slot, comp, stored := int(o.Slot), int(o.Component), false
		v.Values = leafValues(nil, o.Type, func(t *ir.Type, k int, packed bool) string {
			at, c := slot+k/4, comp+k%4
			if packed { // elements of an array of scalars follow each other
				at, c = slot+(comp+k)/4, (comp+k)%4
			}
			if at >= ir.NumVaryingSlots || c > 3 || s.Written[at]>>c&1 == 0 {
				return "?"
			}
			stored = true
			return wordText(t, s.Slots[at][c])
		})
		if stored {
			list = append(list, v)
		}
	}
	return list
}

// leafValues appends the texts of the components of a type; word gives that of word k, counted in slots of four.
func leafValues(list []string, t *ir.Type, word func(t *ir.Type, k int, packed bool) string) []string {
	at := 0
	var walk func(t *ir.Type)
	walk = func(t *ir.Type) {
		switch {
		case t.IsArray() && t.Elem.IsScalar() && t.Len <= 8:
			for k := range int(t.Len) {
				list = append(list, word(t.Elem, at*4+k, true))
			}
			at += int(t.Len+3) / 4
		case t.IsArray(), t.IsMatrix():
			for range t.ChildCount() {
				walk(t.Child())
			}
		case t.IsStruct():
			for i := range t.Fields {
				walk(t.Fields[i].Type)
			}
		default:
			for k := range int(t.Rows) {
				list = append(list, word(t, at*4+k, false))
			}
			at += int(t.SlotCount())
		}
	}
	walk(t)
	return list
}

// wordText is a component as a number. Those of 64 bits are words.
func wordText(t *ir.Type, w uint32) string {
	kind := map[ir.Base]byte{ir.BaseFloat: 'f', ir.BaseInt: 'i'}[t.Base]
	if kind == 0 || t.Bits == 64 {
		kind = 'u'
	}
	size := 4
	if t.Bits == 16 {
		size = 2
	}
	if t.Base == ir.BaseBool {
		return fmt.Sprint(w != 0)
	}
	e := elemType{kind: kind, bytes: size}
	return e.text([]byte{byte(w), byte(w >> 8), byte(w >> 16), byte(w >> 24)})
}

// writeMesh writes what mesh workgroups have put out.
func writeMesh(w io.Writer, list []meshGroup) error {
	var b strings.Builder
	for i := range list {
		g := &list[i]
		fmt.Fprintf(&b, "workgroup %s", groupText(g.Workgroup))
		if g.Task != nil {
			fmt.Fprintf(&b, " of task %s", groupText(g.Task))
		}
		fmt.Fprintf(&b, ": %d vertices, %d primitives\n", len(g.Vertices), len(g.Primitives))
		writeElements(&b, "vertex", g.Vertices)
		writeElements(&b, "primitive", g.Primitives)
	}
	_, err := io.WriteString(w, b.String())
	return ioError(err)
}

func writeElements(b *strings.Builder, what string, list [][]meshOut) {
	for k, outs := range list {
		fmt.Fprintf(b, "  %s %d:", what, k)
		for j, o := range outs {
			sep := " "
			if j > 0 {
				sep = ", "
			}
			fmt.Fprintf(b, "%s%s %s", sep, strings.ReplaceAll(o.Location, "location ", "@"), strings.Join(o.Values, " "))
		}
		b.WriteByte('\n')
	}
}

func groupText(list []uint32) string {
	return strings.Trim(fmt.Sprint(list), "[]")
}

// meshSheet has a row a value of what mesh workgroups have put out.
func meshSheet(list []meshGroup) *sheet {
	t := &sheet{columns: []string{"target", "task", "workgroup", "element", "location", "index", "value"}}
	for i := range list {
		g := &list[i]
		add := func(what string, list [][]meshOut) {
			for k, outs := range list {
				for _, o := range outs {
					for at, v := range o.Values {
						t.add(g.Target, groupText(g.Task), groupText(g.Workgroup), fmt.Sprintf("%s %d", what, k), o.Location, at, v)
					}
				}
			}
		}
		add("vertex", g.Vertices)
		add("primitive", g.Primitives)
	}
	return t
}
