package agx

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// Products with a number that the preamble knows are subtracted by adding those with its negative, which other values that
// want it share: in the program itself nothing is subtracted.
func TestNegatedFactors(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	lane := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	push := &b.Intrinsic(ir.IntrLoadPushConstant, 2, 32, b.Imm32(0)).Set(ir.IdxRange, 8).Set(ir.IdxAlignMul, 8).Def
	f, g := b.Channel(push, 0), b.Imul(b.Channel(push, 1), b.Channel(push, 1))
	v := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(lane, b.Imm32(3)), 2)
	x, y := b.Channel(v, 0), b.Channel(v, 1)
	i := b.PushIf(b.Ult(x, f))
	inside := b.Iadd(b.Ineg(g), b.Isub(y, b.Imul(g, x)))
	b.PopIf(i)
	sum := b.Ixor(b.Isub(x, b.Imul(y, f)), b.IfPhi(i, inside, y))
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(lane, b.Imm32(2)), b.Isub(sum, b.Imul(lane, f)))
	words := []byte{0x12, 0xfd, 0xff, 0x7f, 0x21, 0x43, 0, 0x80}
	r := &gputest.Run{Groups: 1, In: gputest.RandomInput(4, 128), OutSize: 64 * 4, Push: words}
	if err := execute(t, s, CompileOptions{}, r, nil); err != nil {
		t.Fatal(err)
	}
	_, text, err := tryBuild(t, s, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "isub") || strings.Count(text, "imadd") != 3 {
		t.Errorf("differences are left:\n%s", text)
	}
	if strings.Count(text, " u5,") != 2 {
		t.Errorf("a negative is there twice:\n%s", text)
	}
}
