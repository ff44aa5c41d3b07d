package nirc

import (
	"slices"
	"strings"

	"nirc/backend"
	"nirc/internal/capability"
	"nirc/internal/targets"
	"nirc/ir"
	"nirc/passes"
)

// DefaultTarget is the target that an empty Options.Target stands for.
const DefaultTarget = targets.Default

// IRTarget is the name of the target without code: the passes that all
// targets share, for looking at the IR and for the interpreter.
const IRTarget = "ir"

// commonPipeline is, where nothing is asked for at hooks, IRTarget's list in pipeline.yaml.
const commonPipeline = "common"

// BuiltinLists runs the built-in pipeline file's lists of key codegen for a target: what parts of
// pipelines are made with that no compile asks for, whatever the shaders were compiled with.
func BuiltinLists(target string) passes.Lists {
	return func(s *ir.Shader, list string) error {
		p, err := DefaultPipelines()
		if err != nil {
			return &InternalError{Value: err}
		}
		return p.Codegen(target, passes.O2, nil, nil).Run(s, list)
	}
}

// Target describes a target that generates code.
type Target struct {
	Name string        `json:"name"`
	GPUs []backend.GPU `json:"gpus"`
	// Steps are the machine steps of the default GPU's code generator, in order.
	Steps []backend.StepInfo `json:"steps,omitempty"`
}

// Targets lists the targets that generate code, the default first.
func Targets() []Target {
	list := make([]Target, len(targets.All))
	for i, b := range targets.All {
		list[i] = Target{b.Name(), slices.Clone(b.GPUs()), b.Steps(b.GPUs()[0].Name)}
	}
	return list
}

// Backend returns the backend of a target; "" is DefaultTarget. The error is
// a UsageError.
func Backend(name string) (backend.Backend, error) {
	if name == "" {
		name = DefaultTarget
	}
	var have []string
	for _, b := range targets.All {
		if b.Name() == name {
			return b, nil
		}
		if slices.ContainsFunc(b.GPUs(), func(g backend.GPU) bool { return g.Name == name }) {
			return nil, Usagef("%q is a GPU of the target %s: -t %s --gpu %s", name, b.Name(), b.Name(), name)
		}
		have = append(have, b.Name())
	}
	return nil, Usagef("no target %q%s (have %s; %s for the IR alone)", name, passes.Suggest(name, append(have, IRTarget)), strings.Join(have, ", "), IRTarget)
}

// FloatControls returns the modes of floats that a target honours, nil if it honours all: IRTarget.
func FloatControls(target, gpu string) (*ir.FloatControls, error) {
	if target == IRTarget {
		return nil, nil
	}
	b, err := Backend(target)
	if err != nil {
		return nil, err
	}
	return floatControls(b, gpu)
}

func floatControls(b backend.Backend, gpu string) (*ir.FloatControls, error) {
	o, err := b.Options(gpu, ir.StageCompute) // the same in all stages
	if err != nil {
		return nil, err
	}
	return &o.FloatControls, nil
}

// CheckGPU refuses a GPU that the target does not have, with a UsageError. The
// target itself may know more spellings than it lists, and has the last word.
func CheckGPU(target, gpu string) error {
	b, err := Backend(target)
	if err != nil {
		return err
	}
	return checkGPU(b, gpu)
}

func checkGPU(b backend.Backend, gpu string) error {
	if gpu == "" {
		return nil
	}
	if slices.ContainsFunc(b.GPUs(), func(g backend.GPU) bool { return g.Name == gpu }) {
		return nil
	}
	if _, err := b.Options(gpu, ir.StageCompute); err == nil {
		return nil
	}
	if why := targets.Lacks(gpu); why != "" {
		return Usagef("the GPU %q is not supported: %s", gpu, why)
	}
	var have []string
	for _, g := range b.GPUs() {
		have = append(have, g.Name)
	}
	return Usagef("target %s has no GPU %q%s (has %s)", b.Name(), gpu, passes.Suggest(gpu, have), strings.Join(have, ", "))
}

// DefaultGPU is the GPU that an empty Options.GPU stands for, "" of a target
// that there is not.
func DefaultGPU(target string) string {
	b, err := Backend(target)
	if err != nil {
		return ""
	}
	return b.GPUs()[0].Name
}

// CapabilitySource says where the facts about other drivers in CapabilityReport come from.
const CapabilitySource = capability.Source

// CapabilitySupport is what shaders for a GPU may ask for.
type CapabilitySupport struct {
	Target string `json:"target"`
	GPU    string `json:"gpu"`
	// Supported: the frontend translates what needs the capability, and the GPU has it. Why says why not.
	Supported bool   `json:"supported"`
	Why       string `json:"why,omitempty"`
	// Part: a part of it is there, and Why is about the rest. It does not count as supported.
	Part bool `json:"part,omitempty"`
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
				c.GPUs = append(c.GPUs, CapabilitySupport{b.Name(), g.Name, why == "", why, r.Part(b.Name(), g.Name)})
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
	for _, d := range capability.Drivers() {
		if d.Target == target {
			driver, n.Driver = &d, d.Name
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
		if driver != nil && driver.Exposes(&r, gpu) {
			n.Exposed++
			if !supported {
				n.Missing = append(n.Missing, r.Capability.String())
			}
		}
	}
	return n
}
