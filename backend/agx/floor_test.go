package agx

import (
	"strings"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/gputest"
	"nirc/ir"
)

// TestFloor: values are in r0 where nothing changes the execution mask, in r0h where nothing shuffles by a register, and in neither in
// main parts that run once a sample, in the linker's loop.
func TestFloor(t *testing.T) {
	programs.Hold(t)
	fragment := func(id bool) *ir.Shader {
		s, b := gputest.NewShader(ir.StageFragment, 0)
		x := b.Channel(loadInput(b, ir.SlotVar0, 1), 0)
		if id {
			x = b.Fadd(x, b.U2f32(&b.Intrinsic(ir.IntrLoadSampleId, 1, 32).Def))
		}
		var v [6]*ir.Def
		for k := range v {
			v[k] = b.Fmul(x, b.ImmFloat(float64(k+2), 32))
		}
		for k := range v[1:] {
			x = b.Fadd(b.Fmul(x, v[k]), v[k+1])
		}
		storeOutput(b, ir.SlotData0, b.Vec(x, v[1], v[2], v[3]))
		return s
	}
	compute := func(make func(b *ir.Builder, id *ir.Def)) *ir.Shader {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		make(b, b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0))
		return s
	}
	store := func(b *ir.Builder, id *ir.Def) {
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 0), id, b.Imul(id, id))
	}
	branch := func(b *ir.Builder, id *ir.Def) {
		half := b.U2u16(id)
		n := b.PushIf(b.Ult(id, b.Imm32(7)))
		store(b, b.U2u32(b.Imul(half, half)))
		b.PopIf(n)
	}
	shuffle := func(b *ir.Builder, id *ir.Def) {
		store(b, &b.Intrinsic(ir.IntrReadInvocation, 1, 32, id, b.Iand(b.Imm32(31), b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0))).Def)
	}
	for _, c := range []struct {
		name  string
		s     *ir.Shader
		part  abi.Part
		floor int
	}{
		{"a fragment", fragment(false), abi.PartWhole, 0},
		{"a main part", fragment(false), abi.PartMain, 0},
		{"a main part that runs once a sample", fragment(true), abi.PartMain, 2},
		{"no control flow", compute(store), abi.PartWhole, 0},
		{"a branch", compute(branch), abi.PartWhole, 1},
		{"a shuffle", compute(shuffle), abi.PartWhole, 2},
	} {
		_, text := build(t, c.s, CompileOptions{Part: c.part})
		lowest := 2
		for line := range strings.Lines(text) {
			switch {
			case strings.Contains(line, "_exec") || strings.Contains(line, " if_") || strings.Contains(line, "mov_imm r0"):
			case strings.Contains(line, " r0l") || strings.Contains(line, " r0,") || strings.Contains(line, " r0_"):
				lowest = min(lowest, 0)
			case strings.Contains(line, " r0h") && !strings.Contains(line, "shuffle") && !strings.Contains(line, " mov r0h"):
				lowest = min(lowest, 1)
			}
		}
		if lowest != c.floor {
			t.Errorf("%s: values begin at half %d\n%s", c.name, lowest, text)
		}
	}
}
