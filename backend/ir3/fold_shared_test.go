package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// TestTakesShared: an instruction reads one shared register, and none beside constants and relative registers.
func TestTakesShared(t *testing.T) {
	shared := isa.R(isa.SharedFirst)
	for _, c := range []struct {
		op   isa.Op
		i    int
		by   isa.Operand
		want bool
	}{
		{isa.OpAddU, 0, isa.R(4), true}, {isa.OpAddU, 1, isa.R(4), true}, {isa.OpAddU, 0, isa.I(4), true}, {isa.OpAddU, 0, shared, false},
		{isa.OpAddU, 0, isa.Operand{Kind: isa.Const, Val: 4}, false}, {isa.OpAddU, 0, isa.Operand{Kind: isa.RelConst, Val: 4}, false},
		{isa.OpAddU, 0, isa.Operand{Kind: isa.RelReg, Val: 4}, false}, {isa.OpAddU, 1, isa.Operand{Kind: isa.RelReg, Val: 4}, false},
		{isa.OpMadF32, 0, isa.R(4), true}, {isa.OpMadF32, 1, isa.R(4), false}, {isa.OpBaryF, 0, isa.R(4), false},
	} {
		in := isa.Instr{Op: c.op}
		in.Srcs[1-c.i] = c.by
		if got := takesShared(&in, c.i); got != c.want {
			t.Errorf("%v, source %d beside %v: %v", c.op, c.i, c.by, got)
		}
	}
}

// TestFoldShared: the workgroup's number is read where it arrives by the
// instructions of the first block that can, and copied for others.
func TestFoldShared(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		name string
		make func(b *ir.Builder, wg, id *ir.Def) *ir.Def
		want []string
		not  string
	}{
		{"add", func(b *ir.Builder, wg, id *ir.Def) *ir.Def { return b.Iadd(wg, id) }, []string{"add.u", "r48.x"}, "mov.u32u32 r0.w, r48.x"},
		{"twice", func(b *ir.Builder, wg, id *ir.Def) *ir.Def { return b.Ixor(b.Imul(wg, wg), id) }, []string{", r48.x", "mov.u32u32"}, ""},
		{"compare and choose", func(b *ir.Builder, wg, id *ir.Def) *ir.Def { return b.Bcsel(b.Ilt(id, b.Imm32(9)), wg, id) }, []string{"sel.b32", "r48.x"}, ""},
		{"converted", func(b *ir.Builder, wg, id *ir.Def) *ir.Def { return b.F2u32(b.Fmul(b.U2f32(wg), b.U2f32(id))) }, []string{"r48.x"}, ""},
		{"in another block", func(b *ir.Builder, wg, id *ir.Def) *ir.Def {
			cf := b.PushIf(b.Ilt(id, b.Imm32(9)))
			x := b.Iadd(b.Imul(wg, wg), id)
			b.PushElse(cf)
			y := b.Isub(id, wg)
			b.PopIf(cf)
			return b.IfPhi(cf, x, y)
		}, []string{"mov.u32u32"}, ""},
	} {
		for _, gpu := range gpus {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
			wg := b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0)
			gid := b.Iadd(b.Ishl(wg, b.Imm32(6)), id)
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(gid, b.Imm32(2)), c.make(b, wg, id))
			bin, err := execute(s, CompileOptions{GPU: gpu, Run: leaveOut("predicate_branches")}, &gputest.Run{Groups: 3, In: make([]byte, 64), OutSize: 3 * 256}, nil)
			if err != nil {
				t.Errorf("%s on %s: %v", c.name, gpu, err)
				continue
			}
			text := disasm(bin)
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("%s on %s: no %q in\n%s", c.name, gpu, w, text)
				}
			}
			if c.not != "" && strings.Contains(text, c.not) {
				t.Errorf("%s on %s: %q in\n%s", c.name, gpu, c.not, text)
			}
		}
	}
}
