package passes

// Registry returns all passes, family by family.
func Registry() []*Pass {
	var all []*Pass
	for _, l := range [][]*Pass{varsPasses, cfPasses, ioPasses, lowerPasses, algPasses, loopPasses, discardPasses, fragmentPasses, memoryFormPasses, accessPasses, optPasses, more2Passes, morePasses} {
		all = append(all, l...)
	}
	return all
}

// Find returns the pass of that name, or nil.
func Find(name string) *Pass {
	for _, p := range Registry() {
		if p.Name == name {
			return p
		}
	}
	return nil
}
