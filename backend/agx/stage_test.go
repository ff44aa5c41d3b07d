package agx

import (
	"strings"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/gputest"
	"nirc/ir"
)

func ioSemantics(slot ir.Slot) uint64 { return ir.IOSemantics{Location: slot, NumSlots: 1}.Pack() }

func storeOutput(b *ir.Builder, slot ir.Slot, val *ir.Def) {
	in := b.Intrinsic(ir.IntrStoreOutput, 0, 0, val, b.Imm32(0))
	in.Set(ir.IdxWriteMask, 1<<val.NumComponents-1).Set(ir.IdxIoSemantics, ioSemantics(slot)).Set(ir.IdxRange, 1)
}

func loadInput(b *ir.Builder, slot ir.Slot, comps uint8) *ir.Def {
	in := b.Intrinsic(ir.IntrLoadInput, comps, 32, b.Imm32(0))
	in.Set(ir.IdxIoSemantics, ioSemantics(slot)).Set(ir.IdxRange, 1)
	return &in.Def
}

// A vertex shader finds its attributes in registers and stores words, the
// last one by the final store.
func TestVertex(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageVertex, 64)
	pos := loadInput(b, ir.SlotAttrib0, 4)
	color := loadInput(b, ir.SlotAttrib0+3, 3)
	storeOutput(b, ir.SlotPos, pos)
	storeOutput(b, ir.SlotVar0+2, b.Vec(b.Channel(color, 2), b.Channel(color, 0)))
	storeOutput(b, ir.SlotPointSize, b.ImmFloat(2, 32))
	bin, text := build(t, s, CompileOptions{})
	expect(t, text, "st_var 1, r8, 0", "st_var 1, r11, 3", "st_var 1, r14, 4", "st_var 1, r12, 5", "st_var_final", ", 6")
	want := []abi.Varying{{Slot: ir.SlotPos, Count: 4}, {Slot: ir.SlotVar0 + 2, Count: 2, Word: 4, User: true}, {Slot: ir.SlotPointSize, Count: 1, Word: 6}}
	if len(bin.Meta.Varyings) != len(want) {
		t.Fatalf("outputs %+v", bin.Meta.Varyings)
	}
	for i := range want {
		if bin.Meta.Varyings[i] != want[i] {
			t.Errorf("output %d is %+v, want %+v", i, bin.Meta.Varyings[i], want[i])
		}
	}
	if a := bin.Meta.Attribs; len(a) != 2 || a[1] != (abi.Attrib{Slot: ir.SlotAttrib0 + 3, Mask: 7, Reg: abi.AttribReg + 8}) {
		t.Errorf("attributes %+v", a)
	}
	if bin.Meta.Halves < abi.AttribReg+14 {
		t.Errorf("%d halves do not hold the attributes", bin.Meta.Halves)
	}
}

// The word of layer and viewport stands after the varyings and the point size, whichever of
// the two there is; the viewport is a varying too.
func TestViewportWord(t *testing.T) {
	programs.Hold(t)
	for slot, copies := range map[ir.Slot]int{ir.SlotLayer: 0, ir.SlotViewport: 1} {
		s, b := gputest.NewShader(ir.StageVertex, 64)
		storeOutput(b, ir.SlotPos, loadInput(b, ir.SlotAttrib0, 4))
		storeOutput(b, ir.SlotVar0, b.Vec(b.Imm32(1), b.Imm32(2)))
		storeOutput(b, ir.SlotPointSize, b.ImmFloat(2, 32))
		storeOutput(b, slot, b.Imm32(3))
		bin, text := build(t, s, CompileOptions{})
		if bin.Meta.LayerViewportWord != 7+copies || strings.Count(text, "st_var") != 8+copies {
			t.Errorf("slot %d at word %d, %d copies, in\n%s", slot, bin.Meta.LayerViewportWord, copies, text)
		}
	}
}

func TestVertexWithoutOutputs(t *testing.T) {
	programs.Hold(t)
	s, _ := gputest.NewShader(ir.StageVertex, 64)
	_, text := build(t, s, CompileOptions{})
	expect(t, text, "no_var", "stop")
}

// A fragment shader discards by sample_mask, leaves what helpers store to the hardware and its results in the registers of the epilog, which tests too as there are side effects.
func TestFragment(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageFragment, 64)
	bary := b.Intrinsic(ir.IntrLoadBarycentricPixel, 2, 32)
	bary.Set(ir.IdxInterpMode, uint64(ir.InterpSmooth))
	in := b.Intrinsic(ir.IntrLoadInterpolatedInput, 4, 32, &bary.Def, b.Imm32(0))
	in.Set(ir.IdxIoSemantics, ioSemantics(ir.SlotVar0))
	b.Intrinsic(ir.IntrDemoteIf, 0, 0, b.Flt(b.Channel(&in.Def, 3), b.ImmFloat(0.5, 32)))
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 0), b.Imm32(8), b.Channel(&in.Def, 0))
	storeOutput(b, ir.SlotData0+1, &in.Def)
	bin, text := build(t, s, CompileOptions{})
	expect(t, text, "iterproj r8_r9_r10_r11, cf2, cf0, center", "fcmpsel lt", "sample_mask", "device_store", "stop")
	if strings.Contains(text, "if_icmp") {
		t.Errorf("hardware drops the stores of helpers, and it is tested for in\n%s", text)
	}
	if strings.Contains(text, "sample_mask 255, 255") {
		t.Errorf("the samples are tested in\n%s", text)
	}
	m := &bin.Meta
	if len(m.Results) != 1 || !m.KeepDepth || m.Results[0] != (abi.Result{Slot: ir.SlotData0 + 1, Mask: 15, Reg: abi.ColorReg + abi.ColorRegStep, Bits: 32}) {
		t.Errorf("results %+v", m.Results)
	}
	if len(m.Coefs) != 3 || m.Coefs[0].Source != abi.CoefW || m.Coefs[1].Source != abi.CoefZ || m.Coefs[2].CF != 2 || m.Coefs[2].Count != 4 || !m.UsesDiscard || !m.WritesMemory {
		t.Errorf("meta %+v", m)
	}
}

// Stores are kept from helpers where hardware does not drop them: of samples, and where what is discarded
// stays covered; atomics always are.
func TestHelperWrites(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		name                           string
		atomic, sample, early, discard bool
		tested                         bool
	}{
		{name: "store"},
		{name: "store after a discard", discard: true},
		{name: "early store", early: true},
		{name: "early store after a discard", early: true, discard: true, tested: true},
		{name: "store of a sample", sample: true, tested: true},
		{name: "atomic", atomic: true, tested: true},
	} {
		s, b := gputest.NewShader(ir.StageFragment, 64)
		s.Info.EarlyFragmentTests = c.early
		value := b.Imm32(7)
		if c.sample {
			value = &b.Intrinsic(ir.IntrLoadSampleId, 1, 32).Def
		}
		if c.discard {
			b.Intrinsic(ir.IntrDemote, 0, 0)
		}
		buffer := gputest.StorageBuffer(b, 0, 0)
		if c.atomic {
			b.Intrinsic(ir.IntrSsboAtomic, 1, 32, buffer, b.Imm32(8), value).Set(ir.IdxAtomicOp, uint64(ir.AtomicIAdd))
		} else {
			gputest.StoreWords(b, buffer, b.Imm32(8), value)
		}
		storeOutput(b, ir.SlotData0, b.Imm32(1))
		if _, text := build(t, s, CompileOptions{}); strings.Contains(text, "if_icmp") != c.tested {
			t.Errorf("%s: tested %t, want %t, in\n%s", c.name, !c.tested, c.tested, text)
		}
	}
}

// What is the same for all invocations moves to the preamble.
func TestPreamble(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	load := func(off uint32) *ir.Def {
		x := b.Intrinsic(ir.IntrLoadPushConstant, 1, 32, b.Imm32(off))
		x.Set(ir.IdxRange, 64).Set(ir.IdxAlignMul, 4)
		return &x.Def
	}
	scale := b.Frcp(b.Ffma(load(0), load(4), load(8)))
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	off := b.Ishl(id, b.Imm32(2))
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 0), off, b.Fmul(gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), off, 1), scale))
	bin, text := build(t, s, CompileOptions{})
	if strings.Contains(text, "rcp") || !bin.Meta.HasPreamble || bin.Meta.Preamble%codeAlign != 0 {
		t.Errorf("preamble %t at %d\n%s", bin.Meta.HasPreamble, bin.Meta.Preamble, text)
	}
	if bin.Meta.UniformHalves == 0 || bin.Meta.PreambleHalves == 0 || bin.Stats.CodeBytes >= bin.Stats.Bytes {
		t.Errorf("%d uniforms, %d halves of the preamble, %s", bin.Meta.UniformHalves, bin.Meta.PreambleHalves, bin.Stats)
	}
}

// gl_SampleMaskIn is what prologs have left of the coverage, read before the shader drops samples.
func TestSampleMaskIn(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageFragment, 0)
	b.Intrinsic(ir.IntrDemoteIf, 0, 0, b.Flt(b.Channel(loadInput(b, ir.SlotVar0, 1), 0), b.ImmFloat(0, 32)))
	m := &b.Intrinsic(ir.IntrLoadSampleMaskIn, 1, 32).Def
	storeOutput(b, ir.SlotData0, b.Vec(m, m, m, m))
	_, text := build(t, s, CompileOptions{})
	expect(t, text, "sr60", "sample_mask")
	if strings.Contains(text, "sr124") {
		t.Errorf("the pipeline's mask is left out:\n%s", text)
	}
}
