package gputest

import (
	"os"
	"sync"

	"nirc/ir"
	"nirc/passes"
)

// pipelines reads pipeline.yaml from the folder of a backend's package, where tests run.
var pipelines = sync.OnceValues(func() (*passes.Pipelines, error) {
	text, err := os.ReadFile("../../pipeline.yaml")
	if err != nil {
		return nil, err
	}
	return passes.Load(text, "pipeline.yaml")
})

// Lists runs a list of pipeline.yaml for a code generator, as a compile does:
// a passes.Lists.
func Lists(s *ir.Shader, list string) error {
	p, err := pipelines()
	if err != nil {
		return err
	}
	ins := passes.NewInstrument(passes.RunOptions{VerifyEach: true})
	return p.Codegen("", passes.O2, nil, ins).Run(s, list)
}
