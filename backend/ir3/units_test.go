package ir3

import (
	"fmt"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestUniformUnits: components of all sizes come from the right places of their 16 bytes, whatever is known of the offset, from uniform
// buffers and constant data; with the loads that it takes.
func TestUniformUnits(t *testing.T) {
	programs.Hold(t)
	in := make([]byte, 1024)
	for i := range in {
		in[i] = byte(i*37 + i>>8)
	}
	for _, c := range []struct {
		bits        uint8
		n           uint8
		align, off  uint64
		loads, sels int
	}{
		{32, 4, 16, 0, 1, 0}, {32, 4, 16, 8, 2, 0}, {32, 3, 16, 12, 2, 0}, {32, 2, 8, 0, 1, 2}, {32, 2, 8, 4, 2, 2}, {32, 4, 8, 0, 2, 4},
		{32, 1, 4, 0, 1, 3}, {32, 3, 4, 0, 3, 9}, {16, 4, 16, 6, 4, 0}, {16, 2, 4, 0, 2, 6}, {8, 4, 4, 0, 4, 12}, {8, 3, 16, 5, 3, 0},
	} {
		for _, data := range []bool{false, true} {
			s, b := gputest.NewShader(ir.StageCompute, 32)
			id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
			off := b.IAddImm(b.Imul(id, b.Imm32(uint32(c.align))), int64(c.off))
			var x *ir.Def
			if data {
				s.ConstantData = in
				x = &b.Intrinsic(ir.IntrLoadConstant, c.n, c.bits, off).Set(ir.IdxRange, uint64(len(in))).Set(ir.IdxAlignMul, c.align).Def
			} else {
				x = gputest.LoadUBO(b, off, c.n, c.bits, c.align)
			}
			x.Instr.Set(ir.IdxAlignOffset, c.off%c.align)
			for k := range c.n {
				v := b.Channel(x, int(k))
				if c.bits < 32 {
					v = b.Iadd(b.U2u32(v), id)
				}
				gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.IAddImm(b.Ishl(id, b.Imm32(4)), 4*int64(k)), v)
			}
			for _, gpu := range []string{"a630", "a740"} {
				name := fmt.Sprintf("%s, %d x %d bits at %d of %d, data %t", gpu, c.n, c.bits, c.off, c.align, data)
				bin, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 1, In: in, OutSize: 512}, nil)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				code := disasm(bin)
				if loads, sels := strings.Count(code, "ldc.offset"), strings.Count(code, "sel.b32"); loads != c.loads || sels != c.sels {
					t.Errorf("%s: %d loads and %d selections, should be %d and %d\n%s", name, loads, sels, c.loads, c.sels, code)
				}
			}
		}
	}
}

// TestDataWithoutRoom: constant data that was to be read by words is loaded where push constants leave it no room in the const file.
func TestDataWithoutRoom(t *testing.T) {
	programs.Hold(t)
	for _, push := range []uint64{64, 3968} {
		for _, bits := range []uint8{16, 32} {
			s, b := gputest.NewShader(ir.StageCompute, 32)
			for i := range 400 {
				s.ConstantData = append(s.ConstantData, byte(i*13+i>>4))
			}
			id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
			x := &b.Intrinsic(ir.IntrLoadConstant, 1, bits, b.Imul(id, b.Imm32(4))).Set(ir.IdxBase, 4).Set(ir.IdxRange, 400).Set(ir.IdxAlignMul, 4).Def
			if bits < 32 {
				x = b.U2u32(x)
			}
			p := &b.Intrinsic(ir.IntrLoadPushConstant, 1, 32, b.Ishl(b.Iand(id, b.Imm32(7)), b.Imm32(2))).Set(ir.IdxRange, push).Set(ir.IdxAlignMul, 4).Def
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), b.Iadd(b.Imul(x, b.Imm32(3)), p))
			bin, err := execute(s, CompileOptions{GPU: "a630"}, &gputest.Run{Groups: 1, In: make([]byte, 16), OutSize: 128, Push: make([]byte, push)}, nil)
			if err != nil {
				t.Errorf("%d bits beside %d bytes: %v", bits, push, err)
				continue
			}
			if loaded := len(bin.Meta.ConstData) > 0; loaded != (push > 64) {
				t.Errorf("%d bits beside %d bytes of push constants: loaded %t\n%s", bits, push, loaded, disasm(bin))
			}
		}
	}
}
