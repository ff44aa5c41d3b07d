package midgard

import (
	"errors"
	"fmt"
	"strings"

	"nirc/backend"
	"nirc/backend/object"
	"nirc/ir"
)

// blendABI begins the ABI of blend programs; the format of their target follows.
const blendABI = "blend:"

// Compile generates the object of a shader that went through the pipeline.
func (t Target) Compile(s *ir.Shader, job *backend.Job) (*object.Object, error) {
	format, blend := strings.CutPrefix(job.ABI, blendABI)
	if job.ABI != "" && job.ABI != "monolithic" && !blend {
		return nil, fmt.Errorf("midgard: the %s ABI is not supported", job.ABI)
	}
	if !blend {
		format = ""
	} else if format == "" {
		return nil, errors.New("midgard: a blend program needs the format of its target, as in blend:R8G8B8A8_UNORM")
	}
	g, err := FindGPU(job.GPU)
	if err != nil {
		return nil, err
	}
	return job.Object(t.Name(), s, func(dump func(step, text string)) (*backend.Generated, error) {
		bin, err := Compile(s, CompileOptions{GPU: g.Name, Blend: format, Verify: job.Instrument.VerifyEach(), Dump: dump})
		if err != nil {
			return nil, err
		}
		m := &bin.Meta
		return &backend.Generated{GPU: g.Name, Code: bin.Code, Meta: m, Stats: bin.Stats.list(), SharedSize: m.SharedSize, ScratchSize: m.TLSSize, Lines: bin.Lines}, nil
	})
}
