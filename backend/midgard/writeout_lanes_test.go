package midgard

import (
	"fmt"
	"strings"
	"testing"
)

// TestWriteoutLanes: a colour whose one component a unit of its own makes comes from the multiplier and that unit in the writeout's bundle, whichever
// component it is and whatever makes it; the LUT unit makes none of w, which takes a move then.
func TestWriteoutLanes(t *testing.T) {
	for _, op := range []string{"frcp", "fexp2", "fadd", "fmul"} {
		for lane, c := range "xyzw" {
			others := strings.Replace("xyzw", string(c), "", 1)
			own := fmt.Sprintf("%s r23.%c, #0x0", op, c)
			if op == "fadd" || op == "fmul" {
				own = fmt.Sprintf("%s r23.%c, r22.%c", op, c, c)
			}
			text := fmt.Sprintf("regs v0:4\nb0: -> 1\n\tv0.%s = fmul r23.%s, r22.%s\n\tv0.%c = %s\n", others, others[:3], others[:3], c, own) +
				"\twriteout 0 lanes xyzw target 0, color xyzw v0.xyzw, last -> 1\nb1: -> 1\n\twriteout 0 lanes xyzw target 0, color xyzw r0.xyzw, last, again -> 1\n"
			g, err := FindGPU("")
			if err != nil {
				t.Fatal(err)
			}
			f, _, err := readMachine(text, g)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			f.fuseWriteouts()
			lut := op == "frcp" || op == "fexp2"
			if got, want := strings.Count(f.String(), fmt.Sprintf("r0.%c = %s", c, op)), !lut || lane != 3; (got == 1) != want {
				t.Errorf("%s of %c in the writeout's bundle: %d, want %v\n%s", op, c, got, want, f.String())
			}
		}
	}
}
