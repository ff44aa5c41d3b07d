package agx

import (
	"encoding/binary"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestConstantData: elements of the shader's constants are those that base and index name, whatever sizes they have, and a base that
// takes at most one addition more than none where elements are single.
func TestConstantData(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct{ bits, comps uint8 }{{32, 1}, {32, 2}, {32, 4}, {16, 1}, {16, 2}, {8, 1}} {
		plain := 0
		for _, base := range []uint64{0, 4, 8, 12, 16, 20} {
			s, b := gputest.NewShader(ir.StageCompute, 32)
			for k := range uint32(300) {
				s.ConstantData = binary.LittleEndian.AppendUint32(s.ConstantData, k*0x01030507)
			}
			id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
			x := &b.Intrinsic(ir.IntrLoadConstant, c.comps, c.bits, b.Ishl(id, b.Imm32(4))).Set(ir.IdxBase, base).Set(ir.IdxRange, 32*16).Set(ir.IdxAlignMul, 4).Def
			at := b.Ishl(id, b.Imm32(4))
			for k := range int(c.comps) {
				d := b.Channel(x, k)
				if c.bits < 32 {
					d = b.U2u32(d)
				}
				gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.IAddImm(at, int64(4*k)), d)
			}
			if err := ir.Validate(s); err != nil {
				t.Fatal(err)
			}
			if err := execute(t, s, CompileOptions{}, &gputest.Run{Groups: 1, OutSize: 32 * 16}, nil); err != nil {
				t.Errorf("%d components of %d bits from byte %d on: %v", c.comps, c.bits, base, err)
				continue
			}
			bin, _ := build(t, s, CompileOptions{})
			n := len(bin.Code)
			if base == 0 {
				plain = n
			}
			if c.comps == 1 && n > plain+8 {
				t.Errorf("%d bits from byte %d on take %d bytes of code more than from 0", c.bits, base, n-plain)
			}
		}
	}
}
