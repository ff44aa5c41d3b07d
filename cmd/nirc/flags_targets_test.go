package main

import (
	"slices"
	"strings"
	"testing"

	"nirc"
)

// TestChooseTargets: each GPU goes to the targets that have it, and the others take their default; the IR, which is of any, has none.
// A GPU that no target has is refused where the command line names it, and left aside where settings do.
func TestChooseTargets(t *testing.T) {
	all := []string{nirc.IRTarget}
	for _, x := range nirc.Targets() {
		all = append(all, x.Name)
	}
	for _, has := range nirc.Targets() {
		for _, gpu := range has.GPUs {
			for _, first := range all {
				for _, second := range all {
					s := &shared{target: first + "," + second, gpu: gpu.Name}
					err := s.chooseTargets(&app{})
					var want []device
					fits := false
					for _, target := range slices.Compact([]string{first, second}) {
						d := device{target: target}
						if target == has.Name {
							d.gpu = gpu.Name
						}
						want, fits = append(want, d), fits || target == has.Name || target == nirc.IRTarget
					}
					if got := s.devices(); (err == nil) != fits || !slices.Equal(got, want) {
						t.Errorf("--target %s --gpu %s: %v, %v; want %v", s.target, gpu.Name, got, err, want)
					}
					if err != nil && !strings.Contains(err.Error(), gpu.Name) {
						t.Errorf("--target %s --gpu %s: %v", s.target, gpu.Name, err)
					}
					if err := s.chooseTargets(&app{preset: map[string]bool{"gpu": true}}); err != nil {
						t.Errorf("--target %s and the GPU %s of the settings: %v", s.target, gpu.Name, err)
					}
				}
			}
		}
	}
}
