package backend

import "nirc/ir"

// FindGPU returns the chip of a target's list that has a name; "" is the first.
func FindGPU[G any](target string, list []G, name string, nameOf func(*G) string) (*G, error) {
	if name == "" {
		return &list[0], nil
	}
	for i := range list {
		if nameOf(&list[i]) == name {
			return &list[i], nil
		}
	}
	return nil, ir.Unsupportedf("%s: GPU %q is not supported", target, name)
}
