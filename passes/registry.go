package passes

import "sync"

// Registry returns all passes, family by family.
func Registry() []*Pass {
	var all []*Pass
	for _, l := range [][]*Pass{varsPasses, cfPasses, ioPasses, lowerPasses, algPasses, loopPasses, discardPasses, fragmentPasses, memoryFormPasses, accessPasses, optPasses, formPasses, stagePasses} {
		all = append(all, l...)
	}
	return all
}

// Find returns the pass of that name, or nil.
func Find(name string) *Pass { return byName()[name] }

var byName = sync.OnceValue(func() map[string]*Pass {
	m := make(map[string]*Pass)
	for _, p := range Registry() {
		m[p.Name] = p
	}
	return m
})
