// Package targets lists the targets that nirc generates code for: what reads -t, completes it, lists
// it or documents it begins here. A target is a package below backend; none registers itself.
package targets

import (
	"nirc/backend"
	"nirc/backend/agx"
	"nirc/backend/ir3"
	"nirc/backend/midgard"
	"nirc/ir"
)

// Default is the name of the first of All.
const Default = ir3.TargetName

// All are the targets, the default first. Only tests change it.
var All = []backend.Backend{
	ir3.Target{},
	// It makes parts of pipelines with the built-in lists, whatever the shaders were compiled with.
	agx.Target{Lists: func(s *ir.Shader, list string) error { return Lists(agx.TargetName, s, list) }},
	midgard.Target{},
}

// Lists runs a list of the built-in pipeline file's codegen section for a target. Package nirc, which
// holds the file, sets it.
var Lists func(target string, s *ir.Shader, list string) error
