package agx

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestInterlock: what fragments of a pixel do one after the other comes after the wait for the older ones (agx.md §9.3).
// The core runs the fragments of a draw in their order anyway, so that the code itself is looked at.
func TestInterlock(t *testing.T) {
	s, b := gputest.NewShader(ir.StageFragment, 0)
	b.Intrinsic(ir.IntrBeginInvocationInterlock, 0, 0)
	buf := gputest.StorageBuffer(b, 0, 0)
	x := gputest.LoadWords(b, buf, b.Imm32(0), 1)
	gputest.StoreWords(b, buf, b.Imm32(0), b.IAddImm(x, 1))
	b.Intrinsic(ir.IntrEndInvocationInterlock, 0, 0)
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	_, code, err := tryBuild(t, s, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wait, load, store := strings.Index(code, "wait_pix"), strings.Index(code, "device_load"), strings.Index(code, "device_store")
	if wait < 0 || load < wait || store < load {
		t.Errorf("want wait_pix, device_load, device_store in this order:\n%s", code)
	}
}
