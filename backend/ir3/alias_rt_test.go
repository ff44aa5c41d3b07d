package ir3

import (
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// TestAliasRT: components that are the same const or immediate on all ways are
// named by the preamble where the device can, and nothing else is.
func TestAliasRT(t *testing.T) {
	programs.Hold(t)
	stageEnv = func(env *emu.Env) {
		env.Push = make([]byte, 64)
		for i := range env.Push {
			env.Push[i] = byte(i + 1)
		}
	}
	defer func() { stageEnv = nil }()
	push := func(b *ir.Builder, at uint64) *ir.Def {
		return &b.Intrinsic(ir.IntrLoadPushConstant, 1, 32, b.Imm32(0)).Set(ir.IdxBase, at).Set(ir.IdxRange, 4).Set(ir.IdxAlignMul, 4).Def
	}
	one := func(b *ir.Builder) *ir.Def { return b.ImmFloat(1, 32) }
	in := func(b *ir.Builder) *ir.Def { return inputFrom(b, ir.SlotVar0, 0, 1) }
	for _, c := range []struct {
		name  string
		make  func(b *ir.Builder)
		want  []string // alias instructions
		masks []uint8  // AliasRT by output
	}{
		{"immediates", func(b *ir.Builder) {
			outputTo(b, b.Vec(in(b), b.ImmFloat(0.5, 32), in(b), one(b)), ir.SlotData0)
		}, []string{"alias.rt.f32.0 rt0.y, (0.500000)", "alias.rt.f32.0 rt0.w, (1.000000)"}, []uint8{10}},
		{"all components", func(b *ir.Builder) {
			outputTo(b, b.Vec(one(b), one(b), push(b, 8), push(b, 4)), ir.SlotData0+1)
		}, []string{"alias.rt.f32.0 rt1.x, (1.000000)", "rt1.z, c0.z", "rt1.w, c0.y"}, []uint8{15}},
		{"two targets", func(b *ir.Builder) {
			outputTo(b, b.Vec(in(b), one(b)), ir.SlotData0)
			outputTo(b, b.Vec(push(b, 0), in(b)), ir.SlotData0+2)
		}, []string{"alias.rt.f32.0 rt0.y", "alias.rt.f32.0 rt2.x"}, []uint8{2, 1}},
		{"computed by the preamble", func(b *ir.Builder) {
			x := b.Fmul(push(b, 0), push(b, 4))
			outputTo(b, b.Vec(b.U2f32(b.Iand(b.F2u32(x), b.Imm32(3))), in(b)), ir.SlotData0)
		}, []string{"(ss)alias.rt.f32.0 rt0.x, c"}, []uint8{1}},
		{"equal on both ways", func(b *ir.Builder) {
			cf := b.PushIf(b.Flt(in(b), one(b)))
			outputTo(b, b.Vec(in(b), one(b)), ir.SlotData0)
			b.PushElse(cf)
			outputTo(b, b.Vec(one(b), one(b)), ir.SlotData0)
			b.PopIf(cf)
		}, []string{"alias.rt.f32.0 rt0.y"}, []uint8{2}},
		{"stored again on one way", func(b *ir.Builder) {
			outputTo(b, one(b), ir.SlotData0)
			cf := b.PushIf(b.Flt(in(b), one(b)))
			outputTo(b, push(b, 0), ir.SlotData0)
			b.PopIf(cf)
		}, nil, []uint8{0}},
		{"not stored on one way", func(b *ir.Builder) {
			cf := b.PushIf(b.Flt(in(b), b.ImmFloat(1e30, 32)))
			outputTo(b, one(b), ir.SlotData0)
			b.PopIf(cf)
		}, nil, []uint8{0}},
		{"halves", func(b *ir.Builder) { outputTo(b, b.ImmFloat(1, 16), ir.SlotData0) }, nil, []uint8{0}},
		{"depth", func(b *ir.Builder) { outputTo(b, one(b), ir.SlotDepth) }, nil, []uint8{0}},
		{"two sources", func(b *ir.Builder) {
			for k := range uint8(2) {
				st := b.Intrinsic(ir.IntrStoreOutput, 0, 0, one(b), b.Imm32(0)).Set(ir.IdxWriteMask, 1)
				st.Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotData0, NumSlots: 1, DualSourceIndex: k}.Pack())
			}
		}, nil, []uint8{0, 0}},
	} {
		for _, gpu := range []string{"a750", "a740", "a630"} {
			s, b := newStage(ir.StageFragment)
			c.make(b)
			if err := ir.Validate(s); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if c.name != "two sources" { // the interpreter's slot of the second is another
				if err := stageDiffer(s, gpu); err != nil {
					t.Errorf("%s on %s: %v", c.name, gpu, err)
				}
			}
			bin, err := compile(s, CompileOptions{GPU: gpu})
			if err != nil {
				t.Fatalf("%s on %s: %v", c.name, gpu, err)
			}
			text := disasm(bin)
			if n := strings.Count(text, "alias.rt"); gpu != "a750" && n != 0 || gpu == "a750" && (n != 0) != (c.want != nil) {
				t.Errorf("%s on %s: %d alias.rt\n%s", c.name, gpu, n, text)
			}
			if gpu != "a750" {
				continue
			}
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("%s: no %s in\n%s", c.name, w, text)
				}
			}
			for i, o := range bin.Meta.Outputs {
				if o.AliasRT != c.masks[i] {
					t.Errorf("%s: output %d has the alias mask %#x, want %#x", c.name, i, o.AliasRT, c.masks[i])
				}
			}
		}
	}
}
