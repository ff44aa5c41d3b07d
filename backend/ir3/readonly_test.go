package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestReadOnly: buffers that nobody writes are read by the texture path where
// the GPU's descriptors and isam allow it; what may be written is not.
func TestReadOnly(t *testing.T) {
	const free = ir.AccessNonWriteable | ir.AccessCanReorder
	for _, c := range []struct {
		gpu    string
		n      uint8
		access ir.Access
		isam   bool
	}{
		{"a630", 1, free, true}, {"a630", 2, free, false}, {"a650", 1, free, true}, {"a650", 2, free, false}, {"a660", 4, free, true}, {"a740", 1, free, true},
		{"a740", 3, free, true}, {"a740", 3, ir.AccessNonWriteable, false}, {"a740", 3, free | ir.AccessCoherent, false}, {"a740", 3, 0, false},
	} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
		ld := b.Intrinsic(ir.IntrLoadSsbo, c.n, 32, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(4))).Set(ir.IdxAlignMul, 4).Set(ir.IdxAccess, uint64(c.access))
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(4)), &ld.Def)
		bin, err := compile(s, CompileOptions{GPU: c.gpu})
		if err != nil {
			t.Fatal(err)
		}
		text := disasm(bin)
		if got := strings.Contains(text, "isam"); got != c.isam || got == strings.Contains(text, "ldib") || got && strings.Contains(text, "isam.v") != (c.n > 1 || c.gpu == "a740") {
			t.Errorf("%s, %d words, access %d:\n%s", c.gpu, c.n, c.access, text)
		}
	}
}

// TestUniformStorage: what all fibers load from a buffer that nobody writes is loaded by the
// preamble, and what may be written is not.
func TestUniformStorage(t *testing.T) {
	const free = ir.AccessNonWriteable | ir.AccessCanReorder
	for _, gpu := range []string{"a630", "a740"} {
		for _, c := range []struct {
			access   ir.Access
			preamble bool
		}{{free, true}, {ir.AccessNonWriteable, false}, {free | ir.AccessCoherent, false}, {free | ir.AccessVolatile, false}} {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
			var sum *ir.Def
			for k := range 3 {
				ld := &b.Intrinsic(ir.IntrLoadSsbo, 2, 32, gputest.StorageBuffer(b, 0, 0), b.Imm32(uint32(24*k+8))).Set(ir.IdxAlignMul, 8).Set(ir.IdxAccess, uint64(c.access)).Def
				x := b.Iadd(b.Channel(ld, 0), b.Ixor(id, b.Channel(ld, 1)))
				if sum != nil {
					x = b.Ixor(x, sum)
				}
				sum = x
			}
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), sum)
			bin, err := compile(ir.Clone(s), CompileOptions{GPU: gpu})
			if err != nil {
				t.Fatal(err)
			}
			before, main, found := strings.Cut(disasm(bin), "shpe")
			loads := func(text string) int { return strings.Count(text, "ldib") + strings.Count(text, "isam") }
			if found != c.preamble || c.preamble && (loads(before) == 0 || loads(main) > 0) {
				t.Errorf("%s, access %d:\n%s", gpu, c.access, disasm(bin))
			}
			if err := differ(s, CompileOptions{GPU: gpu}, 1, gputest.RandomInput(1, 128), 256, nil); err != nil {
				t.Errorf("%s, access %d: %v", gpu, c.access, err)
			}
		}
	}
}

// TestPreambleLookups: lookups of the preamble find their descriptor in a1.x, which copies of uniform
// buffers before them and stores of results between them write too.
func TestPreambleLookups(t *testing.T) {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
	sum := id
	for k := range uint32(70) { // their copy takes the first 256 consts, those that stores reach without a1.x
		sum = b.Ixor(sum, ubo(b, b.Imm32(16*k), 1, 32, 16))
	}
	for k := range uint32(2*maxQueuedRoots + 1) {
		ld := b.Intrinsic(ir.IntrLoadSsbo, 1, 32, gputest.StorageBuffer(b, 0, 20), b.Imm32(4*k)).Set(ir.IdxAlignMul, 4)
		sum = b.Imul(sum, &ld.Set(ir.IdxAccess, uint64(ir.AccessNonWriteable|ir.AccessCanReorder)).Def)
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), sum)
	for _, gpu := range []string{"a630", "a650"} {
		bin, err := compile(ir.Clone(s), CompileOptions{GPU: gpu})
		if err != nil {
			t.Fatal(err)
		}
		pre, _, _ := strings.Cut(disasm(bin), "shpe")
		has, lookups, writes := "", 0, map[string]bool{}
		for line := range strings.Lines(pre) {
			if _, v, ok := strings.Cut(line, "mova1 a1.x, "); ok {
				has = strings.TrimSpace(v)
				writes[has] = true
			}
			if strings.Contains(line, "isam") && strings.Contains(line, "a1.x") {
				if lookups++; has != "320" { // slot 40, above the sampler's set
					t.Fatalf("%s: a1.x is %s for lookup %d:\n%s", gpu, has, lookups, pre)
				}
			}
		}
		if lookups <= maxQueuedRoots || !writes["256"] || len(writes) < 3 {
			t.Errorf("%s: %d lookups, a1.x gets %v:\n%s", gpu, lookups, writes, pre)
		}
	}
}
