package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestPreSchedule: loads are asked for before the result of an earlier one is
// used, addresses that are equal are computed once.
func TestPreSchedule(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	sum := b.Imm32(0)
	for k := range 4 {
		off := b.IAddImm(b.Ishl(id, b.Imm32(4)), int64(4*k))
		x := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), off, 1)
		sum = b.Iadd(sum, b.Ixor(b.Ishl(x, b.Imm32(1)), x))
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), sum)
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	steps := map[string]string{}
	bin, err := compile(s, CompileOptions{Run: collect(steps)})
	if err != nil {
		t.Fatal(err)
	}
	text := steps["presched"]
	if last, use := strings.LastIndex(text, "ldib.b"), strings.Index(text, "xor.b"); last < 0 || use < last {
		t.Errorf("a load comes after the use of another:\n%s", text)
	}
	if n := strings.Count(disasm(bin), "shl.b"); n > 6 {
		t.Errorf("%d shifts, those of addresses are not shared\n%s", n, disasm(bin))
	}
	if n := strings.Count(disasm(bin), "(sy)"); n != 1 {
		t.Errorf("%d waits for loads, want 1\n%s", n, disasm(bin))
	}
	in := make([]byte, 4096)
	for i := range in {
		in[i] = byte(i * 13)
	}
	if err := differ(s, CompileOptions{}, 1, in, 256, nil); err != nil {
		t.Error(err)
	}
}

// TestPreRooms: where waits are most of the time, registers that cost waves let more loads be
// under way at once.
func TestPreRooms(t *testing.T) {
	programs.Hold(t)
	const held, loads = 18, 18
	s, b := gputest.NewShader(ir.StageCompute, 128)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	load := func(k int) *ir.Def {
		off := b.IAddImm(b.Ishl(id, b.Imm32(4)), int64(2048*k))
		return gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), off, 4)
	}
	// What lives all the time takes waves already.
	var live []*ir.Def
	sum := b.Imm32(0)
	for k := range held {
		live = append(live, load(k))
		sum = b.Ixor(sum, b.Channel(live[k], 0))
	}
	for k := range loads {
		x := load(held + k)
		sum = b.Ixor(b.Iadd(sum, b.Channel(x, k%4)), b.Channel(x, (k+1)%4))
	}
	for _, x := range live {
		for c := range 4 {
			sum = b.Iadd(b.Ixor(sum, b.Channel(x, c)), sum)
		}
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), sum)
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	var systall [2]int
	for i, limit := range []int{0, 32} {
		bin, err := compile(ir.Clone(s), CompileOptions{Registers: limit})
		if err != nil {
			t.Fatal(err)
		}
		systall[i] = bin.Stats.SyStall
	}
	if systall[0] >= systall[1] {
		t.Errorf("waits of %d slots, of %d with at most 32 registers", systall[0], systall[1])
	}
	in := make([]byte, 2048*(held+loads))
	for i := range in {
		in[i] = byte(i * 13)
	}
	if err := differ(s, CompileOptions{}, 1, in, 512, nil); err != nil {
		t.Error(err)
	}
}

// TestSecondPlan: where vectors took registers that cost waves, samples are ordered again for the
// waves that are left, and the better program is kept.
func TestSecondPlan(t *testing.T) {
	programs.Hold(t)
	stageEnv = func(env *emu.Env) { texWorld(t, env) }
	defer func() { stageEnv = nil }()
	s := twoPlans(t)
	one, err := compile(ir.Clone(s), CompileOptions{GPU: "a630", onePlan: true})
	if err != nil {
		t.Fatal(err)
	}
	two := stageBinary(t, s, "a630").Stats
	if two.SyStall >= one.Stats.SyStall || two.Full <= one.Stats.Full {
		t.Errorf("two plans wait %d slots with %d registers, one %d with %d", two.SyStall, two.Full, one.Stats.SyStall, one.Stats.Full)
	}
}

// twoPlans is a shader that a630 compiles by a second plan, too.
func twoPlans(t *testing.T) *ir.Shader {
	s, b := newStage(ir.StageFragment)
	pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
	u, v := b.Fmul(b.Channel(pos, 0), b.ImmFloat(0.0625, 32)), b.Fmul(b.Channel(pos, 1), b.ImmFloat(0.2, 32))
	x := &texBuild{s: s, b: b}
	d := x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
	sum := b.Vec(u, v, u, v)
	for k := range 23 {
		uv := b.Vec(b.Fadd(u, b.ImmFloat(float64(k)/16, 32)), v)
		sum = b.Fadd(scaleVec(b, &x.op(ir.TexOpTex, 4, ir.Dim2D, false, append(at(d), texSource{ir.TexSrcCoord, uv})...).Def, 1/float64(k+2)), sum)
	}
	outputTo(b, sum, ir.SlotData0)
	if err := lowerToScalar(s); err != nil {
		t.Fatal(err)
	}
	return s
}
