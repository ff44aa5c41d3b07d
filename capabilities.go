package nirc

import (
	"nirc/internal/capability"
	"nirc/internal/targets"
)

// CapabilitySource says where the facts about other drivers in CapabilityReport come from.
const CapabilitySource = capability.Source

// CapabilitySupport is what shaders for a GPU may ask for.
type CapabilitySupport struct {
	Target string `json:"target"`
	GPU    string `json:"gpu"`
	// Supported: the frontend translates what needs the capability, and the GPU has it. Why says why not.
	Supported bool   `json:"supported"`
	Why       string `json:"why,omitempty"`
}

// Capability is one of SPIR-V's capabilities.
type Capability struct {
	Name   string `json:"name"`
	Number uint32 `json:"number"`
	// Vulkan is the version or extension of Vulkan that knows it, "" if none does.
	Vulkan string `json:"vulkan,omitempty"`
	// Frontend is why no target has it, "" if the frontend translates it.
	Frontend string              `json:"frontend,omitempty"`
	GPUs     []CapabilitySupport `json:"gpus"`
}

// Capabilities lists the capabilities of SPIR-V's grammar by number, with what the GPUs of all targets have of them.
func Capabilities() []Capability {
	var list []Capability
	for _, r := range capability.Rows() {
		c := Capability{Name: r.Capability.String(), Number: uint32(r.Capability), Vulkan: r.Vulkan, Frontend: r.Frontend}
		for _, b := range targets.All {
			for _, g := range b.GPUs() {
				why := r.Why(b.Name(), g.Name)
				c.GPUs = append(c.GPUs, CapabilitySupport{b.Name(), g.Name, why == "", why})
			}
		}
		list = append(list, c)
	}
	return list
}

// CapabilityCount counts the capabilities that Vulkan knows.
type CapabilityCount struct {
	Target string `json:"target"`
	GPU    string `json:"gpu"`
	// Of are all, Supported those that shaders for the GPU may use.
	Of        int `json:"of"`
	Supported int `json:"supported"`
	// Driver is Mesa's driver of Vulkan for the GPUs, Exposed how many of them it has the version or extension of, and
	// Missing those of them that are not supported here.
	Driver  string   `json:"driver"`
	Exposed int      `json:"exposed"`
	Missing []string `json:"missing,omitempty"`
}

// CapabilityCounts counts, by GPU, the capabilities that Vulkan knows, against what Mesa's drivers expose.
func CapabilityCounts() []CapabilityCount {
	var list []CapabilityCount
	for _, b := range targets.All {
		for _, g := range b.GPUs() {
			list = append(list, countCapabilities(b.Name(), g.Name))
		}
	}
	return list
}

func countCapabilities(target, gpu string) CapabilityCount {
	n := CapabilityCount{Target: target, GPU: gpu}
	var driver *capability.Driver
	for i := range capability.Drivers {
		if capability.Drivers[i].Target == target {
			driver = &capability.Drivers[i]
			n.Driver = driver.Name
		}
	}
	for _, r := range capability.Rows() {
		if r.Vulkan == "" {
			continue
		}
		n.Of++
		supported := r.Why(target, gpu) == ""
		if supported {
			n.Supported++
		}
		if driver != nil && driver.Exposes(r.Vulkan, gpu) {
			n.Exposed++
			if !supported {
				n.Missing = append(n.Missing, r.Capability.String())
			}
		}
	}
	return n
}
