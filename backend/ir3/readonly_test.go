package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestReadOnly: buffers that nobody writes are read by the texture path, word by word where isam takes one; what may be
// written is not.
func TestReadOnly(t *testing.T) {
	programs.Hold(t)
	const free = ir.AccessNonWriteable | ir.AccessCanReorder
	for _, c := range []struct {
		gpu    string
		n      uint8
		access ir.Access
		isam   int
	}{
		{"a630", 1, free, 1}, {"a630", 2, free, 2}, {"a630", 4, ir.AccessNonWriteable, 0}, {"a650", 1, free, 1}, {"a650", 3, free, 3}, {"a660", 4, free, 1}, {"a740", 1, free, 1},
		{"a740", 3, free, 1}, {"a740", 3, ir.AccessNonWriteable, 0}, {"a740", 3, free | ir.AccessCoherent, 0}, {"a740", 3, 0, 0},
	} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
		ld := b.Intrinsic(ir.IntrLoadSsbo, c.n, 32, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(4))).Set(ir.IdxAlignMul, 4).Set(ir.IdxAccess, uint64(c.access))
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(4)), &ld.Def)
		bin, err := execute(s, CompileOptions{GPU: c.gpu}, &gputest.Run{Groups: 1, In: gputest.RandomInput(3, 64*16), OutSize: 64 * 16}, nil)
		if err != nil {
			t.Fatal(err)
		}
		text := disasm(bin)
		if n := strings.Count(text, "isam"); n != c.isam || n > 0 == strings.Contains(text, "ldib") || n > 0 && strings.Contains(text, "isam.v") != (c.gpu == "a660" || c.gpu == "a740") {
			t.Errorf("%s, %d words, access %d:\n%s", c.gpu, c.n, c.access, text)
		}
	}
}

// TestUniformStorage: what all fibers load from a buffer that nobody writes is loaded by the
// preamble, and what may be written is not.
func TestUniformStorage(t *testing.T) {
	programs.Hold(t)
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
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
	sum := id
	for k := range uint32(70) { // their copy takes the first 256 consts, those that stores reach without a1.x
		sum = b.Ixor(sum, gputest.LoadUBO(b, b.Imm32(16*k), 1, 32, 16))
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

// TestNarrowLoads: components of 8 and 16 bits come out of words, by the texture path where nobody writes them, and
// those that the alignment puts into one word share its load.
func TestNarrowLoads(t *testing.T) {
	programs.Hold(t)
	const free = ir.AccessNonWriteable | ir.AccessCanReorder
	for _, c := range []struct {
		gpu        string
		n, bits    uint8
		mul, phase uint64
		access     ir.Access
		isam, ldib int
		conversion string // that must be gone
	}{
		{"a630", 1, 8, 1, 0, free, 1, 0, "cov.u32u16"}, {"a630", 4, 8, 4, 0, free, 1, 0, ""}, {"a630", 4, 8, 4, 2, free, 2, 0, ""},
		{"a630", 2, 16, 2, 0, free, 2, 0, ""}, {"a630", 2, 16, 4, 0, 0, 0, 1, ""}, {"a630", 3, 8, 2, 1, 0, 0, 2, ""}, {"a630", 3, 16, 4, 2, 0, 0, 1, ""},
		{"a740", 4, 8, 4, 3, free, 1, 0, ""}, {"a740", 1, 8, 1, 0, free, 1, 0, "cov.u32u16"}, {"a740", 2, 8, 1, 0, 0, 0, 2, ""},
		{"a740", 2, 16, 2, 0, free, 1, 0, ""}, {"a660", 1, 16, 2, 0, free, 1, 0, ""}, {"a660", 3, 16, 4, 2, free, 1, 0, ""}, {"a660", 3, 16, 4, 2, 0, 0, 1, ""},
	} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
		at := b.IAddImm(b.Imul(id, b.Imm32(uint32(c.mul))), int64(c.phase))
		ld := b.Intrinsic(ir.IntrLoadSsbo, c.n, c.bits, gputest.StorageBuffer(b, 0, 0), at)
		ld.Set(ir.IdxAlignMul, c.mul).Set(ir.IdxAlignOffset, c.phase).Set(ir.IdxAccess, uint64(c.access))
		words := make([]*ir.Def, 4)
		for k := range words {
			words[k] = b.U2u32(b.Channel(&ld.Def, k%int(c.n)))
		}
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(4)), b.Vec(words...))
		bin, err := execute(s, CompileOptions{GPU: c.gpu}, &gputest.Run{Groups: 1, In: gputest.RandomInput(4, 1024), OutSize: 64 * 16}, nil)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		text := disasm(bin)
		if strings.Count(text, "isam") != c.isam || strings.Count(text, "ldib") != c.ldib || c.conversion != "" && strings.Contains(text, c.conversion) {
			t.Errorf("%+v:\n%s", c, text)
		}
	}
}
