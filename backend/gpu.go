package backend

import "nirc/ir"

// FindGPU returns the chip of a target's list that has a name; "" is the first. listed is what
// the target says of a chip of its own kind.
func FindGPU[G any](target string, list []G, name string, listed func(*G) GPU) (*G, error) {
	if name == "" {
		return &list[0], nil
	}
	for i := range list {
		if listed(&list[i]).Name == name {
			return &list[i], nil
		}
	}
	return nil, ir.Unsupportedf("%s: GPU %q is not supported", target, name)
}

// ListGPUs lists what a target says of its chips, in their order.
func ListGPUs[G any](list []G, listed func(*G) GPU) []GPU {
	all := make([]GPU, len(list))
	for i := range list {
		all[i] = listed(&list[i])
	}
	return all
}
