package agx

import (
	"nirc/backend"
	"nirc/backend/object"
	"nirc/ir"
)

// Compile generates the object of a shader that went through the pipeline.
func (t Target) Compile(s *ir.Shader, job *backend.Job) (*object.Object, error) {
	part, culls, err := convention(s, job.ABI)
	if err != nil {
		return nil, err
	}
	g, err := FindGPU(job.GPU)
	if err != nil {
		return nil, err
	}
	return job.Object(t.Name(), s, func(dump func(step, text string)) (*backend.Generated, error) {
		o := CompileOptions{GPU: g.Name, Part: part, CullDistances: culls, Verify: job.Instrument.VerifyEach(), Dump: dump}
		if runsAsCompute(s.Stage, job.Next) {
			o.Next = job.Next
		}
		bin, err := Compile(s, o)
		if err != nil {
			return nil, err
		}
		m := &bin.Meta
		return &backend.Generated{GPU: g.Name, Code: bin.Code, Meta: m, Stats: bin.Stats.list(), SharedSize: m.SharedSize, ScratchSize: m.ScratchSize, Lines: bin.Lines}, nil
	})
}
