package ir3

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/core"
	"nirc/internal/emu"
	"nirc/ir"
)

// uniformVertex is a vertex shader that adds up n vec4 of a uniform buffer.
func uniformVertex(n int) *ir.Shader {
	s, b := newStage(ir.StageVertex)
	sum := inputFrom(b, 0, 0, 1)
	for k := range n {
		sum = b.Fadd(sum, gputest.LoadUBO(b, b.Imm32(uint32(16*k)), 1, 32, 16))
	}
	outputTo(b, b.Vec(sum, sum, sum, sum), ir.SlotPos)
	return s
}

// TestUniformBuffers: what the preamble copies of several uniform buffers, of a set and of others, is kept apart.
func TestUniformBuffers(t *testing.T) {
	programs.Hold(t)
	stageEnv = func(env *emu.Env) {
		env.Bindings = &emu.Bindings{}
		for k := range uint32(4) {
			buf := env.Mem.Alloc(256)
			for i := range uint32(64) {
				binary.LittleEndian.PutUint32(buf.Data[4*i:], math.Float32bits(float32(100*k+i)))
			}
			env.Bindings.Set(k/2, k%2, []emu.Descriptor{{Type: emu.DescUniformBuffer, Addr: buf.Addr, Size: 256}})
		}
	}
	defer func() { stageEnv = nil }()
	s, b := newStage(ir.StageVertex)
	sum := inputFrom(b, 0, 0, 1)
	for k := range uint64(4) {
		buf := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0)).Set(ir.IdxDescSet, k/2).Set(ir.IdxBinding, k%2).Set(ir.IdxDescType, 1)
		x := b.Intrinsic(ir.IntrLoadUbo, 1, 32, b.Channel(&buf.Def, 0), b.Imm32(20)).Set(ir.IdxAlignMul, 4).Set(ir.IdxRange, 256)
		sum = b.Fadd(b.Fmul(sum, b.ImmFloat(3, 32)), &x.Def)
	}
	outputTo(b, sum, ir.SlotPos)
	for _, gpu := range gpus {
		if err := stageDiffer(s, gpu); err != nil {
			t.Errorf("%s: %v", gpu, err)
		}
	}
}

// TestSafeConsts: a shader of a pipeline that has too many consts for all keeps to its part, and
// gives the same.
func TestSafeConsts(t *testing.T) {
	programs.Hold(t)
	stageEnv = func(env *emu.Env) {
		buf := env.Mem.Alloc(4096)
		for i := range 1024 {
			binary.LittleEndian.PutUint32(buf.Data[4*i:], uint32(i)<<13)
		}
		env.Bindings.Set(1, 0, []emu.Descriptor{{Type: emu.DescUniformBuffer, Addr: buf.Addr, Size: 4096}})
	}
	defer func() { stageEnv = nil }()
	for _, gpu := range gpus {
		lens := map[bool]int{}
		var programs []emu.Program
		for _, safe := range []bool{false, true} {
			s := uniformVertex(240)
			s.Options = &ir.Options{SafeConsts: safe}
			if err := stageDiffer(s, gpu); err != nil {
				t.Fatalf("%s, safe %v: %v", gpu, safe, err)
			}
			bin, err := compile(s, CompileOptions{GPU: gpu})
			if err != nil {
				t.Fatal(err)
			}
			lens[safe] = bin.Meta.ConstLen
			for _, stage := range []ir.Stage{ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry} {
				m := bin.Meta
				m.Stage, m.Inputs, m.Outputs, m.Sysvals = stage, nil, nil, nil
				p, err := core.Load(bin.Code, &m)
				if err != nil {
					t.Fatal(err)
				}
				programs = append(programs, p)
			}
		}
		if lens[false] < 240 || lens[true] > abi.SafeConst {
			t.Errorf("%s: const files of %d and %d vec4", gpu, lens[false], lens[true])
		}
		if n := (Target{}).Misfits(programs[:4]); len(n) != 4 {
			t.Errorf("%s: of four stages with %d vec4 each %v are too large", gpu, lens[false], n)
		}
		if n := (Target{}).Misfits(programs[4:]); n != nil {
			t.Errorf("%s: of four stages with %d vec4 each %v are too large", gpu, lens[true], n)
		}
	}
}

// TestSafeImmediates: with more immediates than there is room for, the safe version takes the room of a stage and no more.
func TestSafeImmediates(t *testing.T) {
	programs.Hold(t)
	s, b := newStage(ir.StageVertex)
	s.Options = &ir.Options{SafeConsts: true}
	x := inputFrom(b, 0, 0, 1)
	for k := range 500 {
		x = b.Fadd(b.Fmul(x, b.ImmFloat(1.0001+float64(k)/1024, 32)), x)
	}
	outputTo(b, x, ir.SlotPos)
	for _, gpu := range gpus {
		bin, err := compile(s, CompileOptions{GPU: gpu})
		if err != nil {
			t.Fatal(err)
		}
		if n := bin.Meta.ConstLen; n > abi.SafeConst || n < abi.SafeConst && !bin.Meta.Consts.ByPreamble {
			t.Errorf("%s: a const file of %d vec4", gpu, n)
		}
	}
}

// TestVertexParameters: the command stream loads the parameters of vertex shaders on all devices, and no preamble does.
func TestVertexParameters(t *testing.T) {
	programs.Hold(t)
	s, b := newStage(ir.StageVertex)
	first, instance, draw := lane1(b, ir.IntrLoadFirstVertex, 32), lane1(b, ir.IntrLoadBaseInstance, 32), lane1(b, ir.IntrLoadDrawId, 32)
	outputTo(b, b.Vec(b.U2f32(b.Ixor(first, lane1(b, ir.IntrLoadVertexId, 32))), b.U2f32(instance), b.U2f32(draw), b.ImmFloat(1, 32)), ir.SlotPos)
	for _, gpu := range []string{"a630", "a660", "a740", "a750"} {
		if err := stageDiffer(s, gpu); err != nil {
			t.Errorf("%s: %v", gpu, err)
		}
	}
}

// TestLongPushConstants: the preamble copies push constants by 128 words, where it does.
func TestLongPushConstants(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	x := id
	for _, at := range []uint32{0, 508, 512, 1020} {
		x = b.Iadd(b.Imul(x, b.Imm32(31)), gputest.LoadPush(b, b.Imm32(at), 1, 32, 0, 1024))
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), x)
	push := make([]byte, 1024)
	for i := range push {
		push[i] = byte(i*7 + i>>8)
	}
	for _, gpu := range []string{"a630", "a740", "a750"} {
		if err := differ(s, CompileOptions{GPU: gpu}, 1, nil, 256, push); err != nil {
			t.Errorf("%s: %v", gpu, err)
		}
	}
}

// TestPreambleConsts: on a device whose command stream loads no consts, the preamble does, first of all;
// on others it copies uniform buffers alone.
func TestPreambleConsts(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	x := b.Iadd(gputest.LoadPush(b, b.Imm32(68), 1, 32, 0, 128), gputest.LoadUBO(b, b.Imm32(1040), 1, 32, 16))
	x = b.Iadd(x, b.Channel(&b.Intrinsic(ir.IntrLoadNumWorkgroups, 3, 32).Def, 1))
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), b.Ixor(id, x))
	for _, c := range []struct {
		gpu          string
		stsc, driver int
	}{{"a630", 0, 0}, {"a740", 0, 0}, {"a750", 1, 1}} {
		in, push := make([]byte, 2048), make([]byte, 128)
		for i := range in {
			in[i], push[i&127] = byte(i*31), byte(i*7)
		}
		if err := differ(s, CompileOptions{GPU: c.gpu}, 2, in, 512, push[:100]); err != nil {
			t.Errorf("%s: %v", c.gpu, err)
		}
		bin, err := compile(s, CompileOptions{GPU: c.gpu})
		if err != nil {
			t.Fatal(err)
		}
		text := disasm(bin)
		if strings.Count(text, "stsc.") != c.stsc || strings.Count(text, ".k.imm c[") != c.driver || strings.Count(text, ".k.imm.base1 c[") != 1 || bin.Meta.Consts.ByPreamble != (c.stsc > 0) {
			t.Errorf("%s: %+v\n%s", c.gpu, bin.Meta.Consts, text)
		}
	}
	far, fb := gputest.NewShader(ir.StageCompute, 64)
	gputest.StoreWords(fb, gputest.StorageBuffer(fb, 0, 1), fb.Imm32(0), gputest.LoadPush(fb, fb.Imm32(1200), 1, 32, 0, 1204))
	if _, err := compile(far, CompileOptions{GPU: "a740"}); err != nil {
		t.Error(err)
	}
	if _, err := compile(far, CompileOptions{GPU: "a750"}); err == nil || !strings.Contains(err.Error(), "push constants after byte 1024 are not supported on a750") {
		t.Errorf("error %v", err)
	}
}
