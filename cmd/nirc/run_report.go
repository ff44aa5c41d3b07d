package main

import (
	"strconv"

	"nirc"
	"nirc/internal/exec"
)

// runReport is the JSON document of nirc run: what the shaders left in buffers.
type runReport struct {
	head
	Buffers []runBuffer `json:"buffers"`
	// Mesh is what mesh workgroups have put out.
	Mesh []meshGroup `json:"mesh,omitempty"`
	// Printed is what shaders have printed, device by device.
	Printed []string `json:"printed,omitempty"`
}

// runBuffer is a buffer after the run on a device. Values are texts, so that none loses digits.
type runBuffer struct {
	Target  string `json:"target"`
	GPU     string `json:"gpu,omitempty"`
	Set     uint32 `json:"set"`
	Binding uint32 `json:"binding"`
	// Element is the one of an array of buffers.
	Element uint32 `json:"element,omitempty"`
	// Argument is the number of a kernel's argument; set and binding say nothing then.
	Argument *int     `json:"argument,omitempty"`
	Type     string   `json:"type"`
	Values   []string `json:"values"`
}

// add notes a buffer as values of a type; bytes after the last whole one are left out.
func (r *runReport) add(d device, b *exec.Binding, t *elemType) {
	if d.gpu == "" {
		d.gpu = nirc.DefaultGPU(d.target)
	}
	n := runBuffer{Target: d.target, GPU: d.gpu, Set: b.Set, Binding: b.Binding, Element: b.Element, Type: t.name, Values: []string{}}
	for at := 0; at+t.bytes <= len(b.Data); at += t.bytes {
		n.Values = append(n.Values, t.text(b.Data[at:]))
	}
	r.Buffers = append(r.Buffers, n)
}

// sheet has a row a value: of what mesh workgroups have put out, if there are any, else of buffers.
func (r *runReport) sheet() *sheet {
	if r.Mesh != nil {
		return meshSheet(r.Mesh)
	}
	t := &sheet{columns: []string{"target", "gpu", "set", "binding", "type", "index", "value"}}
	for i := range r.Buffers {
		b := &r.Buffers[i]
		binding := strconv.Itoa(int(b.Binding))
		if b.Element != 0 {
			binding += "[" + strconv.Itoa(int(b.Element)) + "]"
		}
		for at, v := range b.Values {
			t.add(b.Target, b.GPU, b.Set, binding, b.Type, at, v)
		}
	}
	return t
}
