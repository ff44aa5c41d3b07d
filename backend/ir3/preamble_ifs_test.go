package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestPreambleIfs: ifs by what is the same for all are ifs of the preamble where their sides are long, but not on devices
// whose preamble would then no longer run early; short ones are selections.
func TestPreambleIfs(t *testing.T) {
	programs.Hold(t)
	for seed := range gputest.Seeds(10) {
		for _, ops := range []int{2, 300} {
			s := gputest.UniformChoices(seed, ops, 1+int(seed)%2*(2/ops))
			for _, gpu := range []string{"a630", "a650", "a740"} {
				bin, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 2, In: gputest.RandomInput(seed, 128), OutSize: 128 * 4}, nil)
				if err != nil {
					t.Fatalf("seed %d, %d operations on %s: %v\n%s", seed, ops, gpu, err, ir.Print(s))
				}
				pre, _, found := strings.Cut(disasm(bin), "shpe")
				if got, want := strings.Contains(pre, "br "), ops == 300 && gpu == "a630"; found && got != want {
					t.Errorf("seed %d, %d operations on %s: branches in the preamble: %v\n%s", seed, ops, gpu, got, disasm(bin))
				}
			}
		}
	}
}
