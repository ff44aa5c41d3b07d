package gputest

import (
	"errors"

	"nirc/internal/emu"
)

// RunWaves runs the waves of a workgroup, fuel instructions at a time, until all have ended. What
// does not end is an error.
func RunWaves(waves []emu.Wave, fuel int) error {
	for range 1000 {
		busy := false
		for _, w := range waves {
			st, err := runWave(w, fuel)
			if err != nil {
				return err
			}
			busy = busy || st == emu.StatusBarrier
		}
		if !busy {
			return nil
		}
	}
	return errors.New("too many barriers")
}

// runWave runs a wave to its end or to a barrier.
func runWave(w emu.Wave, fuel int) (emu.Status, error) {
	for range 1000 {
		if st, err := w.Run(fuel); err != nil || st != emu.StatusYield {
			return st, err
		}
	}
	return emu.StatusDone, emu.ErrTimeout
}
