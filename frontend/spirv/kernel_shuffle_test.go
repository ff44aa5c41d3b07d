package spirv

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// shuffleText is a kernel that shuffles vectors of n words, which stand at the begin of a buffer, the one after the other, by a mask of
// as many words as list has: those in the buffer after the vectors, or constants. It stores the result after them.
func shuffleText(name string, n int, list []uint32, constant bool) string {
	var b strings.Builder
	b.WriteString(`OpCapability Addresses
OpCapability Kernel
OpCapability Vector16
OpCapability Int64
%cl = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%word = OpTypePointer CrossWorkgroup %uint
`)
	for _, n := range []int{2, 4, 8, 16} {
		fmt.Fprintf(&b, "%%v%d = OpTypeVector %%uint %d\n%%p%[1]d = OpTypePointer CrossWorkgroup %%v%[1]d\n", n, n)
	}
	for k := range 4 {
		fmt.Fprintf(&b, "%%at%d = OpConstant %%ulong %d\n", k, 16*k)
	}
	parts := ""
	for k, v := range list {
		fmt.Fprintf(&b, "%%c%d = OpConstant %%uint %d\n", k, v)
		parts += fmt.Sprintf(" %%c%d", k)
	}
	fmt.Fprintf(&b, "%%fixed = OpConstantComposite %%v%d%s\n", len(list), parts)
	b.WriteString(`%fn = OpTypeFunction %void %word
%main = OpFunction %void None %fn
%buf = OpFunctionParameter %word
%e = OpLabel
`)
	for k, size := range []int{n, n, len(list), len(list)} {
		fmt.Fprintf(&b, "%%w%d = OpInBoundsPtrAccessChain %%word %%buf %%at%d\n%%q%d = OpBitcast %%p%d %%w%d\n", k, k, k, size, k)
	}
	fmt.Fprintf(&b, "%%x = OpLoad %%v%d %%q0 Aligned 4\n%%y = OpLoad %%v%d %%q1 Aligned 4\n%%loaded = OpLoad %%v%d %%q2 Aligned 4\n", n, n, len(list))
	vectors, mask := "%x", "%loaded"
	if name == "shuffle2" {
		vectors = "%x %y"
	}
	if constant {
		mask = "%fixed"
	}
	fmt.Fprintf(&b, "%%r = OpExtInst %%v%d %%cl %s %s %s\nOpStore %%q3 %%r Aligned 4\nOpReturn\nOpFunctionEnd\n", len(list), name, vectors, mask)
	return b.String()
}

// TestShuffles: each component is the one that the lower bits of its mask name, of one vector or of two, whether the mask is known or not.
func TestShuffles(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, name := range []string{"shuffle", "shuffle2"} {
		for _, n := range []int{2, 4, 8, 16} {
			for _, m := range []int{2, 4, 8, 16} {
				list := make([]uint32, m)
				for k := range list {
					list[k] = r.Uint32N(70)
				}
				for _, constant := range []bool{false, true} {
					got := runShuffle(t, shuffleText(name, n, list, constant), list)
					for k, v := range list {
						want := 1000 + v&uint32(n-1)
						if name == "shuffle2" && v&uint32(n) != 0 {
							want += 1000
						}
						if got[k] != want {
							t.Errorf("%s of vectors of %d, constant %t: component %d by %d is %d, want %d", name, n, constant, k, v, got[k], want)
						}
					}
				}
			}
		}
	}
}

// runShuffle runs a kernel of shuffleText on vectors of 1000, 1001 and so on, and 2000, 2001 and so on.
func runShuffle(t *testing.T, text string, mask []uint32) (got []uint32) {
	t.Helper()
	s, err := Translate(assemble(t, text), Options{panics: true})
	if err == nil {
		err = ir.Validate(s)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := interp.New(s, interp.Options{WaveSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	mem := emu.NewMemory()
	out := mem.Alloc(4 * 64)
	for k := range 16 {
		binary.LittleEndian.PutUint32(out.Data[4*k:], uint32(1000+k))
		binary.LittleEndian.PutUint32(out.Data[4*(16+k):], uint32(2000+k))
	}
	for k, v := range mask {
		binary.LittleEndian.PutUint32(out.Data[4*(32+k):], v)
	}
	env := &emu.Env{Mem: mem, Bindings: &emu.Bindings{}, Push: append(binary.LittleEndian.AppendUint64(nil, out.Addr), make([]byte, 16)...)}
	if err := emu.Dispatch(context.Background(), p, env, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	for k := range mask {
		got = append(got, binary.LittleEndian.Uint32(out.Data[4*(48+k):]))
	}
	return got
}
