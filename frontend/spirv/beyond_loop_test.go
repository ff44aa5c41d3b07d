package spirv

import (
	"encoding/binary"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// beyondLoop leaves a loop from a case of a switch inside it, which is left in the middle too: what the case made, a value, a condition
// and pointers, is used after the loop.
const beyondLoop = `OpStore %x %c0
OpBranch %head
%head = OpLabel
%i = OpLoad %uint %x
OpLoopMerge %merge %cont None
OpBranch %body
%body = OpLabel
OpSelectionMerge %after None
OpSwitch %i %rest 3 %three
%three = OpLabel
%member = OpAccessChain %psr %buf %c4
%p = OpAccessChain %psu %member %i
%twice = OpIMul %uint %i %c9
%small = OpULessThan %bool %i %c4
OpSelectionMerge %on None
OpBranchConditional %small %merge %on
%on = OpLabel
OpSelectionMerge %late None
OpBranchConditional %lt %after %late
%late = OpLabel
OpBranch %after
%rest = OpLabel
OpBranch %after
%after = OpLabel
OpBranch %cont
%cont = OpLabel
%next = OpIAdd %uint %i %c1
OpStore %x %next
OpBranch %head
%merge = OpLabel
%old = OpLoad %uint %p
%sum = OpIAdd %uint %old %twice
%q = OpAccessChain %psu %member %c5
OpStore %q %sum
%same = OpSelect %uint %small %c6 %c0
OpStore %p %same
OpReturn
OpFunctionEnd
`

// TestBeyondLoop runs it: what was made in the loop is what it was.
func TestBeyondLoop(t *testing.T) {
	s, err := Translate(assemble(t, operandHead+beyondLoop), Options{panics: true})
	if err == nil {
		err = ir.Validate(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := interp.New(s, interp.Options{WaveSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	mem := emu.NewMemory()
	out := mem.Alloc(96 + 4*8)
	binary.LittleEndian.PutUint32(out.Data[96+4*3:], 1000)
	var b emu.Bindings
	b.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: uint64(len(out.Data))}})
	l := &emu.Launch{Env: &emu.Env{Mem: mem, Bindings: &b}, NumLanes: 1, Check: true, Compute: &emu.ComputeLaunch{LocalID: make([][3]uint32, 1), NumWorkgroups: [3]uint32{1, 1, 1}}}
	if st, err := p.NewWave(l).Run(1000); err != nil || st != emu.StatusDone {
		t.Fatalf("status %d, %v", st, err)
	}
	for i := range 8 {
		want := [8]uint32{3: 6, 5: 1000 + 27}[i]
		if got := binary.LittleEndian.Uint32(out.Data[96+4*i:]); got != want {
			t.Errorf("word %d is %d, want %d", i, got, want)
		}
	}
}
