package passes

import (
	"context"
	"encoding/binary"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// wordsShader builds a compute shader that reads n words for its workgroup and
// stores what build makes of them.
func wordsShader(n int, build func(b *ir.Builder, in []*ir.Def) []*ir.Def) *ir.Shader {
	s := ir.NewShader(ir.StageCompute, nil)
	s.Name = "main"
	s.Info.WorkgroupSize = [3]uint32{1, 1, 1}
	f := s.NewFunction("main")
	f.IsEntry = true
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	group := b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0)
	base := b.Imul(group, b.Imm32(wordsStride))
	in := make([]*ir.Def, n)
	for i := range in {
		in[i] = &b.Intrinsic(ir.IntrLoadSsbo, 1, 32, b.Imm32(0), b.IAddImm(base, int64(i*4))).Set(ir.IdxAlignMul, 4).Def
	}
	for i, d := range build(b, in) {
		b.Intrinsic(ir.IntrStoreSsbo, 0, 0, d, b.Imm32(0), b.IAddImm(base, int64(32+i*4))).Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 4)
	}
	return s
}

// wordsStride is the bytes that a workgroup has: eight words in, eight out.
const wordsStride = 64

// runWords executes such a shader for each item of in.
func runWords(t *testing.T, s *ir.Shader, in [][]uint32) [][8]uint32 {
	t.Helper()
	if err := ir.Validate(s); err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(s))
	}
	p, err := interp.New(s, interp.Options{WaveSize: 1})
	if err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(s))
	}
	mem := emu.NewMemory()
	buf := mem.Alloc(len(in) * wordsStride)
	for i, item := range in {
		for k, w := range item {
			binary.LittleEndian.PutUint32(buf.Data[i*wordsStride+4*k:], w)
		}
	}
	var bind emu.Bindings
	bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: uint64(len(buf.Data))}})
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, emu.DispatchParams{Groups: [3]uint32{uint32(len(in)), 1, 1}}); err != nil {
		t.Fatal(err)
	}
	out := make([][8]uint32, len(in))
	for i := range out {
		for k := range out[i] {
			out[i][k] = binary.LittleEndian.Uint32(buf.Data[i*wordsStride+32+4*k:])
		}
	}
	return out
}
