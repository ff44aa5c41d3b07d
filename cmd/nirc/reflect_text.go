package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"nirc"
	"nirc/backend/object"
)

// writeInterface writes a shader's interface as text.
func writeInterface(w io.Writer, r *nirc.Interface) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	writeStage(t, r)
	writeSlots(t, "inputs", r.Inputs)
	writeSlots(t, "outputs", r.Outputs)
	writeResources(t, r)
	if len(r.Captures) > 0 {
		fmt.Fprintln(t, "\ntransform feedback")
	}
	for _, c := range r.Captures {
		fmt.Fprintf(t, "  buffer %d+%d of %d\tstream %d\t%s\t%d\u00d7%d bits from component %d\n", c.Buffer, c.Offset, c.Stride, c.Stream, c.Location, c.Components, c.Bits, c.First)
	}
	if len(r.Payloads) > 0 {
		fmt.Fprintln(t, "\npayloads")
	}
	for _, x := range r.Payloads {
		kind := strings.TrimSpace(strings.ReplaceAll(x.Kind, "_", " ") + " " + x.Location)
		fmt.Fprintf(t, "  %s\t%d bytes\t%s\t%s\n", kind, x.Size, firstOf(x.Name, "-"), oneLine(x.Type))
		writeMembers(t, "    ", x.Members)
	}
	if len(r.PushConstants) > 0 {
		fmt.Fprintln(t, "\npush constants")
		writeMembers(t, "  ", r.PushConstants)
	}
	writeArguments(t, r.Arguments)
	if len(r.SpecConstants) > 0 {
		fmt.Fprintln(t, "\nspecialization constants")
	}
	for _, c := range r.SpecConstants {
		fmt.Fprintf(t, "  %d\t%s\t%s\t%s\n", c.ID, c.Type, firstOf(c.Name, "-"), c.Default)
	}
	if len(r.Deciding) > 0 {
		fmt.Fprintf(t, "\nworth knowing (--inline-uniform)\n  %s\n", strings.Join(r.Deciding, "\n  "))
	}
	return t.Flush()
}

// writeStage writes what holds for the shader as a whole.
func writeStage(w io.Writer, r *nirc.Interface) {
	fmt.Fprintf(w, "%s shader %q", r.Stage, r.Entry)
	if r.File != "" {
		fmt.Fprintf(w, " of %s", r.File)
	}
	fmt.Fprintln(w)
	if r.WorkgroupSize != nil {
		fmt.Fprintf(w, "workgroup size\t%d %d %d\n", r.WorkgroupSize[0], r.WorkgroupSize[1], r.WorkgroupSize[2])
	}
	if r.WorkgroupVariable {
		fmt.Fprintf(w, "workgroup size\tvariable\n")
	}
	if len(r.Modes) > 0 {
		fmt.Fprintf(w, "modes\t%s\n", strings.Join(r.Modes, ", "))
	}
	if r.SharedSize != 0 {
		fmt.Fprintf(w, "shared memory\t%d bytes\n", r.SharedSize)
	}
}

// writeResources writes each descriptor, with the members of its block.
func writeResources(w io.Writer, r *nirc.Interface) {
	if len(r.Resources) > 0 {
		fmt.Fprintln(w, "\nresources")
	}
	for _, x := range r.Resources {
		count := ""
		switch x.Count {
		case 0:
			count = "[]"
		case 1:
		default:
			count = fmt.Sprintf("[%d]", x.Count)
		}
		fmt.Fprintf(w, "  %d.%d%s\t%s\t%s\t%s\n", x.Set, x.Binding, count, x.Kind, firstOf(x.Name, "-"), oneLine(x.Type))
		for _, b := range r.Blocks {
			if b.Set == x.Set && b.Binding == x.Binding {
				writeMembers(w, "    ", b.Members)
			}
		}
	}
}

// writeArguments writes the arguments of a kernel.
func writeArguments(w io.Writer, list []object.Argument) {
	if len(list) > 0 {
		fmt.Fprintln(w, "\narguments")
	}
	for i, a := range list {
		place := fmt.Sprintf("+%d\t%d bytes", a.Offset, a.Size)
		if a.Size == 0 {
			place = fmt.Sprintf("%d.%d\t", a.Set, a.Binding)
		}
		fmt.Fprintf(w, "  %d\t%s\t%s\t%s\n", i, a.Kind, place, firstOf(a.Name, "-"))
	}
}

// oneLine is a type's text with single spaces for its line breaks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func writeSlots(w io.Writer, title string, list []object.Slot) {
	if len(list) > 0 {
		fmt.Fprintf(w, "\n%s\n", title)
	}
	for _, s := range list {
		place := s.Location
		if s.Component != 0 {
			place += fmt.Sprintf(" component %d", s.Component)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s", place, s.Type, firstOf(s.Name, "-"))
		if d := slotDetail(s); d != "" {
			fmt.Fprintf(w, "\t%s", d)
		}
		fmt.Fprintln(w)
	}
}

// slotDetail says how an input is interpolated, or that there is one for each primitive.
func slotDetail(s object.Slot) string {
	if s.PerPrimitive {
		return strings.TrimSpace(s.Interp + " per primitive")
	}
	return s.Interp
}

func writeMembers(w io.Writer, indent string, list []object.Member) {
	for _, m := range list {
		size := fmt.Sprintf("%d bytes", m.Size)
		if m.Size == 0 {
			size = "run-time sized"
		}
		fmt.Fprintf(w, "%s+%d\t%s\t%s\t%s\n", indent, m.Offset, size, firstOf(m.Name, "-"), m.Type)
	}
}

// firstOf is s, or what stands for an empty s.
func firstOf(s, empty string) string {
	if s == "" {
		return empty
	}
	return s
}

// interfaceSheet has a row an input, an output, a resource, a member and a constant.
func interfaceSheet(list []*nirc.Interface) *sheet {
	t := &sheet{columns: []string{"file", "entry", "stage", "what", "place", "name", "type", "detail"}}
	for _, r := range list {
		add := func(what, place, name, kind, detail string) {
			t.add(r.File, r.Entry, r.Stage, what, place, name, strings.Join(strings.Fields(kind), " "), detail)
		}
		slots := func(what string, list []object.Slot) {
			for _, s := range list {
				place := s.Location
				if s.Component != 0 {
					place += fmt.Sprintf(" component %d", s.Component)
				}
				add(what, place, s.Name, s.Type, slotDetail(s))
			}
		}
		slots("input", r.Inputs)
		slots("output", r.Outputs)
		for _, x := range r.Resources {
			add(x.Kind, fmt.Sprintf("%d.%d", x.Set, x.Binding), x.Name, x.Type, fmt.Sprintf("count %d", x.Count))
		}
		for _, b := range r.Blocks {
			for _, m := range b.Members {
				add("member", fmt.Sprintf("%d.%d+%d", b.Set, b.Binding, m.Offset), m.Name, m.Type, fmt.Sprintf("%d bytes", m.Size))
			}
		}
		for _, x := range r.Payloads {
			add("payload", x.Location, x.Name, x.Type, fmt.Sprintf("%s, %d bytes", x.Kind, x.Size))
		}
		for _, place := range r.Deciding {
			add("worth knowing", place, "", "", "")
		}
		for _, m := range r.PushConstants {
			add("push constant", fmt.Sprintf("+%d", m.Offset), m.Name, m.Type, fmt.Sprintf("%d bytes", m.Size))
		}
		for i, a := range r.Arguments {
			place := fmt.Sprintf("+%d", a.Offset)
			if a.Size == 0 {
				place = fmt.Sprintf("%d.%d", a.Set, a.Binding)
			}
			add("argument", place, a.Name, a.Kind, fmt.Sprintf("number %d, %d bytes", i, a.Size))
		}
		for _, c := range r.SpecConstants {
			add("specialization constant", fmt.Sprint(c.ID), c.Name, c.Type, c.Default)
		}
		if len(r.WorkgroupSize) == 3 {
			add("workgroup size", "", "", "", fmt.Sprintf("%d %d %d", r.WorkgroupSize[0], r.WorkgroupSize[1], r.WorkgroupSize[2]))
		}
	}
	return t
}
