package main

import (
	"strconv"

	"nirc"
	"nirc/frontend/spirv"
	"nirc/internal/foz"
	"nirc/ir"
)

// variant is one shader that is wanted of a module: an entry point and its
// specialization.
type variant struct {
	nirc.EntryPoint
	spec []spirv.SpecValue
	next ir.Stage // that follows in the pipeline, as a database has it; none if that is not known
	// layout is the pipeline's, as a database has it; nil if that is not known.
	layout *nirc.Layout
	// state is what else the pipeline asks of the code, as a database has it.
	state foz.State
	label string // the entry point's name, with what tells it from others of the module
}

// variants lists the shaders that are wanted of a module. Of one in a
// Fossilize database these are what its pipelines use, if there are any; specialization on the command line
// comes on top.
func variants(m *nirc.Module, in *input, entry string, stage ir.Stage, spec []string) ([]variant, error) {
	var values []spirv.SpecValue
	for _, text := range spec {
		v, err := m.Spec(text)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	points, err := m.Select(entry, stage)
	if err != nil {
		return nil, err
	}
	var list []variant
	for _, p := range points {
		if p.Name == "" && len(points) > 1 {
			return nil, nirc.Diagnostics{{File: m.Name, Msg: "an entry point has no name that would tell it from the others: choose one of " + nirc.EntryList(points)}}
		}
		v := variant{EntryPoint: p, spec: values, label: p.Name}
		for _, q := range points {
			if q.Name == p.Name && q.Stage != p.Stage {
				v.label = p.Name + "." + p.Stage.String()
			}
		}
		list = v.appendUses(list, in.uses)
	}
	return list, nil
}

// appendUses appends the variant as it is used; without uses as it is.
func (v *variant) appendUses(list []variant, uses []foz.Use) []variant {
	n := 0
	for i := range uses {
		u := &uses[i]
		if u.Entry != v.Name || u.Stage.String() != v.Stage.String() {
			continue
		}
		w := *v
		w.spec = nil
		for _, s := range u.Spec {
			w.spec = append(w.spec, spirv.SpecValue{ID: s.ID, Bits: s.Bits})
		}
		w.spec = append(w.spec, v.spec...)
		if u.Next != 0 {
			w.next = ir.ParseStage(u.Next.String())
		}
		w.layout, w.state = u.Layout, u.State
		if n > 0 {
			w.label += ".spec" + strconv.Itoa(n)
		}
		n++
		list = append(list, w)
	}
	if n == 0 {
		list = append(list, *v)
	}
	return list
}

// follows is the stage after the variant: what its database says, else given.
func (v *variant) follows(given ir.Stage) ir.Stage {
	if v.next != ir.StageNone {
		return v.next
	}
	return given
}

// layoutOr is the layout of the variant's pipeline: what its database says, else given.
func (v *variant) layoutOr(given *nirc.Layout) *nirc.Layout {
	if v.layout != nil {
		return v.layout
	}
	return given
}

// asked gives options what the variant's pipeline asks of the code, as its database says, beside what they ask for.
func (v *variant) asked(o *nirc.Options) {
	s := v.state
	o.SampleShading, o.Points = o.SampleShading || s.SampleShading, o.Points || s.Points
	o.Multiview, o.DispatchBase = o.Multiview || s.Multiview, o.DispatchBase || s.DispatchBase
	o.Robust = s.RobustOr(o.Robust)
}

// entryList writes shaders' entry points as they are chosen on the command line.
func entryList(list []variant) string {
	points := make([]nirc.EntryPoint, len(list))
	for i := range list {
		points[i] = list[i].EntryPoint
	}
	return nirc.EntryList(points)
}
