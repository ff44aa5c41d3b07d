package agx

import (
	"fmt"

	"nirc/backend/mach"
)

// spillSlack is what allocation needs beside the live values: holes that
// alignment leaves, and the reserved halves.
const spillSlack = 12 + gprFloor

// spill brings f below the register limit.
func (c *compiler) spill(pt *part, limit int) error {
	s := &spiller{start: alignUp(int(pt.s.ScratchSize), 4)}
	did, err := mach.Spill(pt.f, fileGPR, limit-spillSlack, s)
	if err != nil {
		return fmt.Errorf("agx: %w", err)
	}
	pt.spillStart = s.start
	if did {
		return s.err
	}
	return nil
}

func alignUp(n, a int) int { return (n + a - 1) / a * a }
