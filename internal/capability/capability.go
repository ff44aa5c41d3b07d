// Package capability has the table of SPIR-V's capabilities: which of them the frontend translates and the targets' GPUs have,
// or why not. The diagnostics of what a GPU lacks, nirc targets --capabilities and the pages of targets read it.
//
// Rows are in table.go, the drivers that the counts are held against in drivers.go. What never happens here: a look at a module,
// for a capability that is declared is not yet used.
package capability

import (
	"slices"
	"sync"

	"nirc/frontend/spirv/spv"
)

// Lack says why a target does not have a capability.
type Lack struct {
	Target string // of whose GPUs it is said
	// Why is a clause that stands after a colon.
	Why string
	// Has are the GPUs of the target that have it all the same.
	Has []string
	// Of are the only GPUs that lack it, nil if all do that Has leaves out.
	Of []string
	// Part is what of the capability is lacking, where the rest is there, else "".
	Part string
}

// Row is what is known of a capability.
type Row struct {
	Capability spv.Capability
	// Vulkan is the version, as in 1.1, or the extension of Vulkan that knows the capability, "" if none does.
	Vulkan string
	// Frontend is why the frontend does not translate it, "" if it does.
	Frontend string
	// Lacks has one for each target that does not have the capability on all GPUs.
	Lacks []Lack
}

// Rows are all capabilities of the grammar, by number.
func Rows() []Row {
	var list []Row
	for i := range groups {
		for _, c := range groups[i].list {
			list = append(list, Row{c, groups[i].vulkan, groups[i].frontend, groups[i].lacks})
		}
	}
	slices.SortFunc(list, func(a, b Row) int { return int(a.Capability) - int(b.Capability) })
	return list
}

// byNumber finds the group of a capability.
var byNumber = sync.OnceValue(func() map[spv.Capability]*group {
	m := map[spv.Capability]*group{}
	for i := range groups {
		for _, c := range groups[i].list {
			m[c] = &groups[i]
		}
	}
	return m
})

// Why is why a GPU does not have a capability, a clause, "" if it has, be it in part: a backend refuses what it lacks of one.
func Why(c spv.Capability, target, gpu string) string {
	if g := byNumber()[c]; g != nil && lackOf(g.lacks, target).Part == "" {
		return g.why(target, gpu)
	}
	return ""
}

// Frontend is why the frontend does not translate a capability, a clause, "" if it does or if nobody has said it.
func Frontend(c spv.Capability) string {
	if g := byNumber()[c]; g != nil {
		return g.frontend
	}
	return ""
}

// lackOf is what a target lacks, nothing if it has all.
func lackOf(list []Lack, target string) Lack {
	for _, l := range list {
		if l.Target == target {
			return l
		}
	}
	return Lack{}
}

func (g *group) why(target, gpu string) string {
	l := lackOf(g.lacks, target)
	if l.Target == "" || slices.Contains(l.Has, gpu) || len(l.Of) > 0 && !slices.Contains(l.Of, gpu) {
		return ""
	}
	why := l.Why
	if l.Part != "" {
		why = l.Part + ": " + why
	}
	if len(l.Has) > 0 {
		why += ", needs " + l.Has[0]
	}
	return why
}

// Part reports whether a GPU has the row's capability in part: Why is about the rest.
func (r *Row) Part(target, gpu string) bool {
	return r.Frontend == "" && lackOf(r.Lacks, target).Part != "" && r.Why(target, gpu) != ""
}

// Why is why a GPU does not have the row's capability, or the frontend does not translate it, "" if shaders may use it.
func (r *Row) Why(target, gpu string) string {
	g := group{lacks: r.Lacks}
	if why := g.why(target, gpu); why != "" {
		return why
	}
	return r.Frontend
}
