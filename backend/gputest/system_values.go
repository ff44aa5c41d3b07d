package gputest

import (
	"fmt"

	"nirc/ir"
)

// valueStages are the stages that system values are read in.
var valueStages = []ir.Stage{ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry, ir.StageFragment, ir.StageCompute}

// SystemValues compiles, for each system value, stage and size, a shader that stores it, and adds what becomes of them, refusals too:
// other stages and sizes than a value has, and what passes must have lowered.
func (h *HeldPrograms) SystemValues(compile func(s *ir.Shader) error) (n int) {
	for i := range ir.Intrinsic(ir.NumIntrinsics) {
		info := i.Info()
		if !info.SysVal || !info.HasDest || len(info.Srcs) > 0 {
			continue
		}
		for _, stage := range valueStages {
			for _, bits := range []uint8{1, 16, 32, 64} {
				s := systemValueShader(i, stage, max(info.DestComps, 1), bits)
				if ir.Validate(s) != nil {
					continue // it has other sizes
				}
				n++
				if err := compile(s); err != nil {
					h.Add(nil, fmt.Sprint(stage, err), nil, nil)
				}
			}
		}
	}
	return n
}

func systemValueShader(i ir.Intrinsic, stage ir.Stage, comps, bits uint8) *ir.Shader {
	s, b := NewShader(stage, 64)
	s.Info.WorkgroupSize = [3]uint32{8, 4, 2}
	in := b.Intrinsic(i, comps, bits)
	for c := range int(comps) {
		v := b.Channel(&in.Def, c)
		at := b.Imm32(uint32(8 * c))
		switch bits {
		case 1:
			v = b.B2i32(v)
		case 16:
			v = b.U2u32(v)
		case 64:
			StoreWords(b, StorageBuffer(b, 0, 1), b.IAddImm(at, 4), b.Unpack64_2x32SplitY(v))
			v = b.Unpack64_2x32SplitX(v)
		}
		StoreWords(b, StorageBuffer(b, 0, 1), at, v)
	}
	return s
}
