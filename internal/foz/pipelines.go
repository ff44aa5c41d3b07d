package foz

import (
	"encoding/json"
	"fmt"
)

// Pipeline is a graphics pipeline with all of its stages.
type Pipeline struct {
	// Hash names the pipeline, 16 digits; Stages are its shaders in the order of the database.
	Hash   string
	Stages []Use
}

// libraryPipeline is VK_PIPELINE_CREATE_LIBRARY_BIT_KHR: the pipeline is a part, other stages are elsewhere.
const libraryPipeline = 0x800

// partial reports whether a pipeline is a library, or takes stages from libraries.
func (p *pipelineJSON) partial() bool {
	var chain []struct {
		Libraries []string `json:"libraries"` // VkPipelineLibraryCreateInfoKHR
	}
	if len(p.PNext) > 0 && json.Unmarshal(p.PNext, &chain) != nil {
		return true // who knows
	}
	for i := range chain {
		if len(chain[i].Libraries) > 0 {
			return true
		}
	}
	return p.Flags&libraryPipeline != 0
}

// Pipelines lists the graphics pipelines whose stages stand for themselves, in the order of the entries: not those that are parts of others,
// nor those with a module that the capture does not have. Damaged ones are reported and passed over.
func (d *DB) Pipelines() (list []Pipeline, problems []*Problem) {
	views := passViews{}
	for i := range d.Entries {
		e := &d.Entries[i]
		if e.Tag != TagGraphicsPipeline {
			continue
		}
		found, p := d.describePipelines(e)
		if p != nil {
			problems = append(problems, p)
		}
		for _, n := range sortedNames(found.Graphics) {
			g := found.Graphics[n]
			uses, whole, why := d.stages(&g, views)
			if why != "" {
				problems = append(problems, problem(e, "%s", why))
				continue
			}
			if h, err := hexDigits([]byte(n)); err == nil && whole && len(uses) > 0 && !g.partial() {
				list = append(list, Pipeline{fmt.Sprintf("%016x", h), uses})
			}
		}
	}
	for i := range list {
		problems = append(problems, d.readLayouts(list[i].Stages)...)
	}
	return list, problems
}
