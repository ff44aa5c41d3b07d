package ir3

import "nirc/backend"

// Steps lists the machine steps, in order.
func (Target) Steps(gpu string) []backend.StepInfo {
	return []backend.StepInfo{
		{Name: repeatStep, Optional: true, Doc: "make repeat groups of equal operations on consecutive registers"},
		{Name: scalarStep, Optional: true, Doc: "put the preamble into shared registers"},
		{Name: uniformStep, Optional: true, Doc: "put uniform values of the program into shared registers"},
		{Name: lastStep, Optional: true, Doc: "mark the last reads of registers"},
		{Name: predicateStep, Optional: true, Doc: "mask short sides of ifs instead of branching around them"},
	}
}
