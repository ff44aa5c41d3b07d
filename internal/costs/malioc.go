package costs

import (
	"strconv"
	"strings"

	"nirc"
	"nirc/backend"
)

// The types of this file are the schema "performance", version 2, of Arm's Mali Offline Compiler, as its
// User Guide (101863) has it: elements of lists and values may be null, objects are always there.

// Report is the JSON of nirc cost: a report of malioc's, which scripts that were made for malioc read unchanged, and
// beside its members one of ours with what malioc's schema has no place for.
type Report struct {
	Producer maliProducer `json:"producer"`
	Schema   maliSchema   `json:"schema"`
	Shaders  []maliShader `json:"shaders"`
	Nirc     *Set         `json:"nirc"`
}

type maliProducer struct {
	Build         string `json:"build"`
	Documentation string `json:"documentation"`
	Name          string `json:"name"`
	Version       [3]int `json:"version"`
}

type maliSchema struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
}

type maliShader struct {
	Driver     string         `json:"driver"`
	Filename   string         `json:"filename"`
	Hardware   maliHardware   `json:"hardware"`
	Notes      []string       `json:"notes"`
	Properties []maliProperty `json:"properties"`
	Shader     maliType       `json:"shader"`
	Variants   []maliVariant  `json:"variants"`
	Warnings   []string       `json:"warnings"`
	Errors     []string       `json:"errors,omitempty"`
}

type maliHardware struct {
	Architecture string         `json:"architecture"`
	Core         string         `json:"core"`
	Pipelines    []maliPipeline `json:"pipelines"`
	Revision     string         `json:"revision"`
}

type maliPipeline struct {
	Description string `json:"description"`
	DisplayName string `json:"display_name"`
	Name        string `json:"name"`
}

type maliProperty struct {
	Description string `json:"description"`
	DisplayName string `json:"display_name"`
	Name        string `json:"name"`
	Value       any    `json:"value"` // a number, a truth value or null
}

type maliType struct {
	API  string `json:"api"`
	Type string `json:"type"`
}

type maliVariant struct {
	Name        string          `json:"name"`
	Performance maliPerformance `json:"performance"`
	Properties  []maliProperty  `json:"properties"`
}

type maliPerformance struct {
	Longest   maliCycles `json:"longest_path_cycles"`
	Pipelines []string   `json:"pipelines"`
	Shortest  maliCycles `json:"shortest_path_cycles"`
	Total     maliCycles `json:"total_cycles"`
}

type maliCycles struct {
	Bound []*string  `json:"bound_pipelines"`
	Count []*float64 `json:"cycle_count"`
}

const maliNote = "The figures are modelled by nirc, which is not Arm's compiler; see docs/cost.md of nirc."

// Report returns the set in malioc's form and in ours.
func (set *Set) Report() *Report {
	r := &Report{Schema: maliSchema{"performance", 2}, Shaders: []maliShader{}, Nirc: set,
		Producer: maliProducer{Name: "nirc", Documentation: "docs/cost.md", Build: nirc.Version, Version: version(nirc.Version)}}
	for _, s := range set.Shaders {
		r.Shaders = append(r.Shaders, s.malioc())
	}
	if set.Failed > 0 && set.Failed == len(set.Shaders) {
		r.Schema.Name = "error"
	}
	return r
}

// version reads the numbers of a version.
func version(text string) (v [3]int) {
	for i, part := range strings.SplitN(strings.TrimPrefix(text, "v"), ".", 3) {
		v[i], _ = strconv.Atoi(strings.TrimRight(part, "abcdefghijklmnopqrstuvwxyz-+."))
	}
	return v
}

// hardware is what others call the chip; nothing of a target that there is not, as in a file that was edited.
func (s *Shader) hardware() backend.Hardware {
	b, err := nirc.Backend(s.Target)
	if err != nil {
		return backend.Hardware{}
	}
	return b.Hardware(s.GPU)
}

func (s *Shader) malioc() maliShader {
	hardware := s.hardware()
	m := maliShader{Driver: "nirc " + nirc.Version, Filename: s.File, Notes: []string{maliNote}, Properties: []maliProperty{}, Variants: []maliVariant{},
		Warnings: append([]string{}, s.Hints...), Shader: maliType{API: "Vulkan", Type: title(s.Stage)},
		Hardware: maliHardware{Architecture: hardware.Architecture, Core: hardware.Core, Revision: "r0p0", Pipelines: []maliPipeline{}}}
	if s.Error != "" {
		m.Errors = []string{s.Error}
		return m
	}
	names := []string{}
	for _, p := range s.maliPipes() {
		m.Hardware.Pipelines = append(m.Hardware.Pipelines, p)
		names = append(names, p.Name)
	}
	m.Properties = s.shaderProperties()
	m.Variants = append(m.Variants, maliVariant{Name: "Main", Properties: s.variantProperties(), Performance: maliPerformance{
		Pipelines: names, Longest: s.maliCycles(s.Longest), Shortest: s.maliCycles(s.Shortest), Total: s.maliCycles(s.Total)}})
	return m
}

// title is malioc's word for a stage.
func title(stage string) string {
	switch stage {
	case "":
		return ""
	case "tess_ctrl":
		return "Tessellation Control"
	case "tess_eval":
		return "Tessellation Evaluation"
	}
	return strings.ToUpper(stage[:1]) + stage[1:]
}

// stalls reports whether the target's threads ever stall, so that stalls are a pipeline of the report.
func (s *Shader) stalls() bool { return s.hardware().Stalls }

func (s *Shader) maliPipes() (list []maliPipeline) {
	for _, p := range s.Pipes {
		list = append(list, maliPipeline{Name: p.Name, DisplayName: p.Title, Description: p.Doc})
	}
	if s.stalls() {
		list = append(list, maliPipeline{Name: Stalls, DisplayName: "Stalls", Description: "waits that no other wave hides"})
	}
	return list
}

// maliCycles is a path; one that is not known has null for each pipeline and for the bound.
func (s *Shader) maliCycles(c *Cycles) maliCycles {
	n := len(s.Pipes)
	if s.stalls() {
		n++
	}
	m := maliCycles{Bound: []*string{}, Count: make([]*float64, n)}
	if c == nil {
		m.Bound = append(m.Bound, nil)
		return m
	}
	for i := range c.Count {
		m.Count[i] = &c.Count[i]
	}
	if s.stalls() {
		m.Count[n-1] = &c.Unhidden
	}
	for i := range c.Bound {
		m.Bound = append(m.Bound, &c.Bound[i])
	}
	if len(c.Bound) == 0 {
		m.Bound = append(m.Bound, nil)
	}
	return m
}

func (s *Shader) shaderProperties() []maliProperty {
	p := s.Properties
	list := []maliProperty{{"computation whose result is the same for all invocations", "Has uniform computation", "has_uniform_computation", p.Preamble}}
	if s.Stage != "fragment" {
		return append(list, maliProperty{"writes memory that others can see", "Has side-effects", "has_side_effects", p.SideEffects})
	}
	return append(list,
		maliProperty{"writes memory that others can see", "Has side-effects", "has_side_effects", p.SideEffects},
		maliProperty{"may change which samples are covered", "Modifies coverage", "modifies_coverage", p.Discards},
		maliProperty{"depth and stencil are tested after the shader", "Uses late ZS test", "uses_late_zs_test", p.LateTest()},
		maliProperty{"depth and stencil are written after the shader", "Uses late ZS update", "uses_late_zs_update", p.LateUpdate()},
		maliProperty{"reads the colours of the tile", "Reads color buffer", "reads_color_buffer", p.ReadsColor})
}

func (s *Shader) variantProperties() []maliProperty {
	p, o := s.Properties, s.Occupancy
	var half any
	if s.Half != nil {
		half = *s.Half
	}
	return []maliProperty{
		{"work registers in use (" + p.RegisterUnit + ")", "Work registers", "work_registers_used", p.WorkRegisters},
		{"uniform registers in use", "Uniform registers", "uniform_registers_used", p.UniformRegisters},
		{"registers are spilled to memory", "Stack spilling", "has_stack_spilling", p.Spills+p.Fills > 0},
		{"bytes of private memory of an invocation if registers are spilled", "Stack spill bytes", "stack_spill_bytes", s.spillBytes()},
		{"percent of arithmetic in 16 bits", "16-bit arithmetic", "fp16_arithmetic", half},
		{"percent of the most threads that a core can hold", "Thread occupancy", "thread_occupancy", 100 * o.Value / max(1, o.Max)},
	}
}

func (s *Shader) spillBytes() int {
	if p := s.Properties; p.Spills+p.Fills > 0 {
		return p.SpillBytes
	}
	return 0
}
