package ir3

import (
	"testing"

	"nirc/backend/ir3/isa"
	"nirc/ir"
)

var gpus = []string{"a630", "a650", "a660", "a740"}

func newCompute(t *testing.T) (*ir.Shader, *ir.Builder) {
	t.Helper()
	s := ir.NewShader(ir.StageCompute, nil)
	s.Info.WorkgroupSize = [3]uint32{64, 1, 1}
	f := s.NewFunction("main")
	f.IsEntry = true
	return s, ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
}

func buffer(b *ir.Builder, set, binding uint32) *ir.Def {
	in := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0))
	in.Set(ir.IdxDescSet, uint64(set)).Set(ir.IdxBinding, uint64(binding)).Set(ir.IdxDescType, 2)
	d := b.Intrinsic(ir.IntrLoadVulkanDescriptor, 2, 32, &in.Def)
	d.Set(ir.IdxDescType, 2)
	return b.Channel(&d.Def, 0)
}

func TestStraightLine(t *testing.T) {
	for _, gpu := range gpus {
		s, b := newCompute(t)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		off := b.Ishl(id, b.Imm32(2))
		x := b.Intrinsic(ir.IntrLoadSsbo, 1, 32, buffer(b, 0, 0), off)
		x.Set(ir.IdxAlignMul, 4)
		y := b.Iadd(b.Imul(&x.Def, b.Imm32(100003)), id)
		st := b.Intrinsic(ir.IntrStoreSsbo, 0, 0, y, buffer(b, 0, 1), off)
		st.Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 4)
		bin, err := Compile(s, CompileOptions{GPU: gpu, Verify: true, Dump: func(step, text string) { t.Logf("%s:\n%s", step, text) }})
		if err != nil {
			t.Fatalf("%s: %v", gpu, err)
		}
		for i, l := range isa.Disassemble(bin.Meta.Gen, bin.Code) {
			if l.Err != nil {
				t.Errorf("%s: word %d: %v", gpu, i, l.Err)
			}
		}
		t.Log(bin.Stats)
	}
}
