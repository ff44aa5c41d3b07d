// Package targets lists the targets that nirc generates code for: what reads -t, completes it, lists
// it or documents it begins here. A target is a package below backend; none registers itself.
package targets

import (
	"nirc/backend"
	"nirc/backend/agx"
	"nirc/backend/ir3"
	"nirc/backend/midgard"
)

// Default is the name of the first of All.
const Default = ir3.TargetName

// All are the targets, the default first. Only tests change it.
var All = []backend.Backend{
	ir3.Target{},
	agx.Target{},
	midgard.Target{},
}
