package ir3

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// scanned are reductions and scans of a value that each fiber has, brought to words.
func scanned(b *ir.Builder, v *ir.Def) (words []*ir.Def) {
	add := func(x *ir.Def) {
		switch x.BitSize {
		case 1:
			x = b.B2i32(x)
		case 8, 16:
			x = b.U2u32(x)
		}
		words = append(words, x)
	}
	for _, i := range []ir.Intrinsic{ir.IntrInclusiveScan, ir.IntrExclusiveScan} {
		add(reduceWith(b, i, ir.OpIadd, v, 0))
		add(reduceWith(b, i, ir.OpUmax, b.U2u16(v), 0))
		add(reduceWith(b, i, ir.OpImin, b.U2u8(v), 0))
		add(reduceWith(b, i, ir.OpIor, b.Ieq(b.Iand(v, b.Imm32(0xf000)), b.Imm32(0)), 0))
		add(reduceWith(b, i, ir.OpFadd, b.U2f32(b.Iand(v, b.Imm32(0xff))), 0)) // exact
	}
	for _, n := range []uint64{0, 2, 4, 8, 16, 32, 64} {
		add(reduceWith(b, ir.IntrReduce, ir.OpIadd, v, n))
		add(reduceWith(b, ir.IntrReduce, ir.OpFmin, b.U2f32(v), n))
		add(reduceWith(b, ir.IntrReduce, ir.OpImax, b.U2u16(v), n))
		add(reduceWith(b, ir.IntrReduce, ir.OpIand, b.U2u8(b.Ior(v, b.Imm32(3))), n))
		add(reduceWith(b, ir.IntrReduce, ir.OpIand, b.Ine(b.Iand(v, b.Imm32(0x3000)), b.Imm32(0)), n))
	}
	return words
}

// TestScansTogether: reductions and scans in subgroups and clusters of which all fibers are there, of which those are missing that the workgroup
// does not have, and of which some have gone another way. Where all are there, and in small clusters, fibers take no turns.
func TestScansTogether(t *testing.T) {
	programs.Hold(t)
	in := make([]byte, 4096)
	for i := 0; i < len(in); i += 4 {
		binary.LittleEndian.PutUint32(in[i:], uint32(i)*2654435761>>3)
	}
	waves := map[int]bool{}
	for _, c := range []struct {
		gpu   string
		least uint32 // fibers of a subgroup
		sizes []uint32
	}{{"a630", 64, []uint32{64, 48, 192, 256}}, {"a740", 64, []uint32{5, 64, 96, 128, 200}}, {"a702", 16, []uint32{16, 24, 32, 48, 64}}} {
		for _, size := range c.sizes {
			for _, apart := range []bool{false, true} {
				name := fmt.Sprintf("%s, workgroups of %d, apart %t", c.gpu, size, apart)
				p, bin, err := loaded(scans(size, apart), CompileOptions{GPU: c.gpu})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				waves[p.WaveSize()] = true
				r := gputest.Run{Groups: 1, In: in, OutSize: int(size) * 4 * scannedWords, Wave: p.WaveSize()}
				if err := r.Differ(scans(size, apart), p, func() string { return disasm(bin) }, nil); err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				whole := !apart && (size%(2*c.least) == 0 || size < 2*c.least && size&(size-1) == 0)
				if turns := strings.Contains(disasm(bin), "getone"); whole && turns {
					t.Errorf("%s: fibers take turns:\n%s", name, disasm(bin))
				}
			}
		}
	}
	for _, n := range []int{16, 32, 64, 128} {
		if !waves[n] {
			t.Errorf("nothing ran in subgroups of %d", n)
		}
	}
}

// scannedWords is the number of words of scanned.
const scannedWords = 45

// scans stores what scanned makes, of all fibers of a workgroup or of those that have gone one of two ways.
func scans(size uint32, apart bool) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, size)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	v := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(2)), 1)
	var i *ir.If
	if apart {
		i = b.PushIf(b.Ine(b.Iand(id, b.Imm32(5)), b.Imm32(4)))
	}
	for k, x := range scanned(b, v) {
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.IAddImm(b.Imul(id, b.Imm32(4*scannedWords)), int64(4*k)), x)
	}
	if apart {
		b.PopIf(i)
	}
	return s
}

// TestSmallClustersApart: fibers of small clusters that have gone different ways read each other, and all have one result.
func TestSmallClustersApart(t *testing.T) {
	programs.Hold(t)
	for _, n := range []uint64{2, 4, 8, 16, 32} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		i := b.PushIf(b.Ult(b.Iand(b.Imul(id, b.Imm32(11)), b.Imm32(15)), b.Imm32(9)))
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), reduceWith(b, ir.IntrReduce, ir.OpIadd, id, n))
		b.PopIf(i)
		bin, err := execute(s, CompileOptions{GPU: "a740"}, &gputest.Run{Groups: 1, In: make([]byte, 4), OutSize: 256, Wave: 64}, nil)
		if err != nil {
			t.Errorf("clusters of %d: %v", n, err)
			continue
		}
		if strings.Contains(disasm(bin), "getone") == (n <= mostPartners) {
			t.Errorf("clusters of %d:\n%s", n, disasm(bin))
		}
	}
}
