package midgard_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/midgard"
	"nirc/passes"
)

// The bytes of a word are shifted out by one instruction with a constant for each, also where they are some way apart.
func TestBytesAreVectors(t *testing.T) {
	midgard.Programs.Hold(t)
	text := largeModule(24, func(w *strings.Builder) {
		w.WriteString("%p = OpAccessChain %pu %v %c0 %c0\n%x = OpLoad %u %p\n%q = OpAccessChain %pu %v %c0 %c1\n")
		for i := range 3 {
			fmt.Fprintf(w, "%%l%d = OpShiftLeftLogical %%u %%x %%c%d\n%%s%d = OpShiftRightArithmetic %%u %%l%d %%c24\n%%m%d = OpIMul %%u %%s%d %%s%d\n", i, 24-8*i, i, i, i, i, i)
		}
		w.WriteString("%y = OpIAdd %u %m0 %m1\n%z = OpIAdd %u %y %m2\nOpStore %q %z\n")
	})
	o, err := nirc.Compile(context.Background(), []byte(text), nirc.Options{File: "bytes.spvasm", Target: "midgard", GPU: "t860", Level: passes.O2})
	if err != nil {
		t.Fatal(err)
	}
	midgard.Programs.Add(o.Code, o.ABI, o.Stats, o.Lines)
	lines, err := midgard.Target{}.Disassemble("t860", o.Code)
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	for _, l := range lines {
		fmt.Fprintln(&list, l.Text)
	}
	for _, want := range []string{"SHL.i32 R0.xyz", "ASR.i32 R0.xyz", "MUL.i32 R0.xyz"} {
		if strings.Count(list.String(), want) != 1 {
			t.Errorf("there is no one %q in\n%s", want, list.String())
		}
	}
}
