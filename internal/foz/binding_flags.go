package foz

import (
	"encoding/json"
	"slices"

	"nirc/backend/layout"
)

// typeBindingFlags is VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO.
const typeBindingFlags = 1000161000

// flagPartiallyBound is VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT.
const flagPartiallyBound = 4

// bindingFlagsJSON has VkDescriptorSetLayoutBindingFlagsCreateInfo's fields: flags for each binding, in the order of the layout's.
type bindingFlagsJSON struct {
	Type  uint32   `json:"sType"`
	Flags []uint32 `json:"bindingFlags,omitempty"`
}

// partiallyBound reads from a set layout's chain of structures which bindings are partially bound; those that it leaves out are not.
func partiallyBound(chain []json.RawMessage) (list []bool) {
	for _, text := range chain {
		var j bindingFlagsJSON
		if err := json.Unmarshal(text, &j); err != nil || j.Type != typeBindingFlags {
			continue // no structure of ours
		}
		for _, f := range j.Flags {
			list = append(list, f&flagPartiallyBound != 0)
		}
		break
	}
	return list
}

// bindingFlags is the chain of structures of a set layout, nil if no binding is partially bound.
func bindingFlags(s *layout.Set) ([]json.RawMessage, error) {
	if !slices.ContainsFunc(s.Bindings, func(b layout.Binding) bool { return b.PartiallyBound }) {
		return nil, nil
	}
	j := bindingFlagsJSON{Type: typeBindingFlags}
	for i := range s.Bindings {
		flags := uint32(0)
		if s.Bindings[i].PartiallyBound {
			flags = flagPartiallyBound
		}
		j.Flags = append(j.Flags, flags)
	}
	text, err := json.Marshal(&j)
	return []json.RawMessage{text}, err
}
