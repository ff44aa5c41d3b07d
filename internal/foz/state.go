package foz

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"nirc/ir"
)

// State is what a pipeline's state asks of the code of its shaders, beside its layout and the stage that follows.
type State struct {
	// SampleShading: fragment shaders run once a sample. Points: what is drawn are points. Multiview: several views are drawn.
	// DispatchBase: vkCmdDispatchBase may start it.
	SampleShading bool `json:"sample_shading,omitempty"`
	Points        bool `json:"points,omitempty"`
	Multiview     bool `json:"multiview,omitempty"`
	DispatchBase  bool `json:"dispatch_base,omitempty"`
	// Robust is by kind as Vulkan numbers it (VkPipelineRobustnessBufferBehavior, …ImageBehavior); 0 is what the device is asked for.
	Robust [4]uint8 `json:"robust,omitzero"` // storage, uniform, vertex, images
}

// compare orders states.
func (s State) compare(o State) int {
	if s == o {
		return 0
	}
	return cmp.Or(strings.Compare(s.Flags(), o.Flags()), slices.Compare(s.Robust[:], o.Robust[:]))
}

// of leaves the state that a stage's code may depend on.
func (s State) of(stage Stage) State {
	compute, fragment := stage == StageOf("compute"), stage == StageOf("fragment")
	s.SampleShading, s.Multiview = s.SampleShading && fragment, s.Multiview && fragment
	s.Points, s.DispatchBase = s.Points && !fragment && !compute, s.DispatchBase && compute
	return s
}

// Flags are those of the command line that stand for the state, each after a space.
func (s State) Flags() (text string) {
	for _, f := range []struct {
		on   bool
		flag string
	}{{s.SampleShading, " --sample-shading"}, {s.Points, " --points"}, {s.Multiview, " --multiview"}, {s.DispatchBase, " --dispatch-base"}} {
		if f.on {
			text += f.flag
		}
	}
	var kinds []string
	for i, v := range s.Robust {
		if v != 0 && int(v) <= len(robustWords[0]) {
			kinds = append(kinds, robustNames[i]+"="+robustWords[i/3][v-1])
		}
	}
	if len(kinds) > 0 {
		text += " --robust " + strings.Join(kinds, ",")
	}
	return text
}

// SetFlag turns on what a flag of the command line stands for; it reports whether there is one of that name.
func (s *State) SetFlag(flag string) bool {
	switch flag {
	case "--sample-shading":
		s.SampleShading = true
	case "--points":
		s.Points = true
	case "--multiview":
		s.Multiview = true
	case "--dispatch-base":
		s.DispatchBase = true
	default:
		return false
	}
	return true
}

// SetRobust reads what --robust has (ir.ParseRobust).
func (s *State) SetRobust(text string) error {
	if _, err := ir.ParseRobust(text); err != nil {
		return err
	}
	for _, item := range strings.Split(text, ",") {
		kind, value, one := strings.Cut(strings.TrimSpace(item), "=")
		if !one {
			kind, value = "", kind
		}
		for i := range s.Robust {
			if v := slices.Index(robustWords[i/3][:], value); v >= 0 && (kind == "" || kind == robustNames[i]) {
				s.Robust[i] = uint8(v + 1)
			}
		}
	}
	return nil
}

// robustNames are the kinds of descriptors, robustWords what is asked for, of buffers and of images, from Vulkan's number 1 on.
var (
	robustNames = [4]string{"storage", "uniform", "vertex", "images"}
	robustWords = [2][3]string{{"off", "buffer", "buffer2"}, {"off", "image", "image2"}}
)

// RobustOr is the robustness of the pipeline, that of the device where it asks for no other.
func (s State) RobustOr(device ir.Robust) ir.Robust {
	for i, p := range []*ir.Robustness{&device.Storage, &device.Uniform, &device.Vertex, &device.Images} {
		if v := s.Robust[i]; v != 0 && v <= 3 {
			*p = ir.Robustness(v - 1)
		}
	}
	return device
}

// stateJSON is what of a pipeline's state State is of.
type stateJSON struct {
	Multisample *multisampleJSON `json:"multisampleState,omitempty"`
	Assembly    *assemblyJSON    `json:"inputAssemblyState,omitempty"`
	RenderPass  string           `json:"renderPass,omitempty"`
	Subpass     uint32           `json:"subpass,omitempty"`
}

type multisampleJSON struct {
	Samples uint32  `json:"rasterizationSamples"`
	Shading uint32  `json:"sampleShadingEnable"`
	Least   float64 `json:"minSampleShading"`
}

type assemblyJSON struct {
	Topology *uint32 `json:"topology"`
}

// chainJSON is a structure of a pNext chain, as far as State asks.
type chainJSON struct {
	Type     uint32 `json:"sType"`
	ViewMask uint32 `json:"viewMask,omitempty"`
	Flags    uint64 `json:"flags,omitempty"`
	Storage  uint8  `json:"storageBuffers,omitempty"`
	Uniform  uint8  `json:"uniformBuffers,omitempty"`
	Vertex   uint8  `json:"vertexInputs,omitempty"`
	Images   uint8  `json:"images,omitempty"`
}

// The structures that chainJSON reads, by VkStructureType, and VK_PIPELINE_CREATE_DISPATCH_BASE_BIT.
const (
	chainRendering  = 1000044002 // VkPipelineRenderingCreateInfo
	chainRobustness = 1000068000 // VkPipelineRobustnessCreateInfo
	chainFlags      = 1000470005 // VkPipelineCreateFlags2CreateInfo
	dispatchBase    = 0x10
)

// state reads what a pipeline's state asks of shaders. Members that are of no use to a reader that knows less are left out.
func (p *pipelineJSON) state() (s State) {
	if m := p.Multisample; m != nil && m.Shading != 0 {
		s.SampleShading = m.Least*float64(m.Samples) > 1
	}
	s.Points = p.Assembly != nil && p.Assembly.Topology != nil && *p.Assembly.Topology == 0
	s.DispatchBase = p.Flags&dispatchBase != 0
	s.chain(p.PNext)
	return s
}

// chain adds what a pNext chain asks for.
func (s *State) chain(text json.RawMessage) {
	var chain []json.RawMessage
	if len(text) == 0 || json.Unmarshal(text, &chain) != nil {
		return
	}
	for _, text := range chain {
		var c chainJSON
		if json.Unmarshal(text, &c) != nil {
			continue // another structure, whose members of these names are of other types
		}
		switch c.Type {
		case chainRendering:
			s.Multiview = s.Multiview || c.ViewMask != 0
		case chainFlags:
			s.DispatchBase = s.DispatchBase || c.Flags&dispatchBase != 0
		case chainRobustness:
			for k, v := range []uint8{c.Storage, c.Uniform, c.Vertex, c.Images} {
				if v != 0 {
					s.Robust[k] = v
				}
			}
		}
	}
}

// writeState puts in what the uses say of the state, the way that state and chain read it.
func (p *pipelineJSON) writeState(uses []Use) error {
	var s State
	for i := range uses {
		u := uses[i].State
		s.SampleShading, s.Points = s.SampleShading || u.SampleShading, s.Points || u.Points
		s.Multiview, s.DispatchBase = s.Multiview || u.Multiview, s.DispatchBase || u.DispatchBase
		if u.Robust != [4]uint8{} {
			c := chainJSON{Type: chainRobustness, Storage: u.Robust[0], Uniform: u.Robust[1], Vertex: u.Robust[2], Images: u.Robust[3]}
			text, err := json.Marshal([]chainJSON{c})
			if err != nil {
				return err
			}
			p.Stages[i].PNext = text
		}
	}
	if s.SampleShading {
		p.Multisample = &multisampleJSON{Samples: 4, Shading: 1, Least: 1}
	}
	if s.Points {
		p.Assembly = &assemblyJSON{Topology: new(uint32)}
	}
	if s.DispatchBase {
		p.Flags |= dispatchBase
	}
	if s.Multiview {
		text, err := json.Marshal([]chainJSON{{Type: chainRendering, ViewMask: 3}})
		if err != nil {
			return err
		}
		p.PNext = text
	}
	return nil
}

// renderPassesJSON are render passes, as far as views go: of subpasses, or in the chain of the pass.
type renderPassesJSON struct {
	Passes map[string]struct {
		Subpasses []struct {
			ViewMask uint32 `json:"viewMask"`
		} `json:"subpasses"`
		PNext []struct {
			ViewMasks []uint32 `json:"viewMasks"`
		} `json:"pNext"`
	} `json:"renderPasses"`
}

// passViews are subpasses of render passes that were looked at, by name and number: whether they draw several views.
type passViews map[string]map[uint32]bool

// of reports whether a subpass of a render pass draws several views.
func (v passViews) of(d *DB, name string, subpass uint32) bool {
	if name == "" {
		return false
	}
	several, ok := v[name][subpass]
	if !ok {
		if v[name] == nil {
			v[name] = map[uint32]bool{}
		}
		several = d.views(name, subpass)
		v[name][subpass] = several
	}
	return several
}

// views reports whether a subpass of a render pass draws several views; one that is not there, or damaged, does not.
func (d *DB) views(name string, subpass uint32) bool {
	hash, err := hexDigits([]byte(name))
	if err != nil || hash == 0 {
		return false
	}
	var list renderPassesJSON
	e, err := d.describe(TagRenderPass, hash, &list)
	if err != nil {
		return false
	}
	pass, err := named(e, list.Passes)
	if err != nil {
		return false
	}
	n := uint64(subpass)
	if n < uint64(len(pass.Subpasses)) && pass.Subpasses[n].ViewMask != 0 {
		return true
	}
	for _, c := range pass.PNext {
		if n < uint64(len(c.ViewMasks)) && c.ViewMasks[n] != 0 {
			return true
		}
	}
	return false
}
