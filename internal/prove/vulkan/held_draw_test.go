//go:build linux && amd64

package vulkan

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"

	"nirc"
	"nirc/backend/gputest"
	"nirc/internal/refs"
)

// TestHeldDraws draws random pipelines on the interpreter: fixed function leaves what the table has, or a change means to change it (go test -update).
// Whether that is right is what TestLavapipeDraws asks, of other draws.
func TestHeldDraws(t *testing.T) {
	glslang := refs.Tool(t, "glslangValidator")
	rows := map[string]string{}
	for seed := range uint64(16) {
		c := newDrawCase(1000 + seed)
		out, err := c.ours(t, nirc.IRTarget, c.modules(t, glslang))
		var refused nirc.Diagnostics
		if err != nil && !errors.As(err, &refused) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		sum := sha256.New()
		fmt.Fprint(sum, err, out.color, out.captured, out.depth, out.stencil)
		rows[fmt.Sprintf("draw %d", seed)] = fmt.Sprintf("%x", sum.Sum(nil)[:8])
	}
	gputest.HoldTable(t, "draws.tsv", rows)
}
