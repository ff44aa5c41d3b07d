package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

func loadElement(b *ir.Builder, reg, index *ir.Def, base uint64) *ir.Def {
	d := reg.Instr
	return &b.Intrinsic(ir.IntrLoadRegIndirect, uint8(d.Get(ir.IdxNumComponents)), 32, reg, index).Set(ir.IdxBase, base).Def
}

func storeElement(b *ir.Builder, reg, index, val *ir.Def, base, mask uint64) {
	b.Intrinsic(ir.IntrStoreRegIndirect, 0, 0, val, reg, index).Set(ir.IdxBase, base).Set(ir.IdxWriteMask, mask)
}

// fillArray stores to all elements by constant indices.
func fillArray(b *ir.Builder, reg, from *ir.Def) {
	n := int(reg.Instr.Get(ir.IdxNumComponents))
	for k := range reg.Instr.Get(ir.IdxNumArrayElems) {
		parts := make([]*ir.Def, n)
		for c := range parts {
			parts[c] = b.Iadd(from, b.Imm32(uint32(k)*16+uint32(c)))
		}
		b.StoreReg(reg, b.Vec(parts...), 0).Set(ir.IdxBase, k)
	}
}

// times runs body for 0 to n-1, n different in each lane.
func times(b *ir.Builder, n *ir.Def, body func(i *ir.Def)) {
	zero, before := b.Imm32(0), b.Cursor.Block
	l := b.PushLoop()
	phi := b.Shader.NewPhi(1, 32)
	b.Insert(phi)
	b.Shader.AddPhiSrc(phi, before, zero)
	i := b.PushIf(b.Uge(&phi.Def, n))
	b.Jump(ir.JumpBreak)
	b.PopIf(i)
	body(&phi.Def)
	next := b.IAddImm(&phi.Def, 1)
	b.Shader.AddPhiSrc(phi, b.Cursor.Block, next)
	b.PopLoop(l)
}

// mixed mixes the components of a vector.
func mixed(b *ir.Builder, v *ir.Def) *ir.Def {
	s := b.Channel(v, 0)
	for c := 1; c < int(v.NumComponents); c++ {
		s = b.Ixor(b.Iadd(s, b.Ishl(s, b.Imm32(1))), b.Channel(v, c))
	}
	return s
}

// arrayCases are programs of lane id, which reads words of a buffer.
var arrayCases = []struct {
	name  string
	build func(b *ir.Builder, id *ir.Def, word func(at *ir.Def) *ir.Def) *ir.Def
}{
	{"indices that differ", func(b *ir.Builder, id *ir.Def, word func(at *ir.Def) *ir.Def) *ir.Def {
		a := b.DeclReg(1, 32, 8)
		fillArray(b, a, id)
		x := b.Iand(word(id), b.Imm32(7))
		storeElement(b, a, x, id, 0, 1)
		return b.Iadd(loadElement(b, a, b.Iand(id, b.Imm32(7)), 0), b.LoadReg(a))
	}},
	{"a histogram in a loop", func(b *ir.Builder, id *ir.Def, word func(at *ir.Def) *ir.Def) *ir.Def {
		a := b.DeclReg(1, 32, 13)
		fillArray(b, a, b.Imm32(5))
		times(b, b.Iand(word(id), b.Imm32(15)), func(i *ir.Def) {
			x := b.Umin(b.Iand(word(b.Iadd(id, i)), b.Imm32(15)), b.Imm32(12))
			storeElement(b, a, x, b.Iadd(loadElement(b, a, x, 0), b.Iadd(i, b.Imm32(1))), 0, 1)
		})
		s := id
		for k := range uint64(13) {
			s = b.Ixor(b.Ishl(s, b.Imm32(1)), &b.Intrinsic(ir.IntrLoadReg, 1, 32, a).Set(ir.IdxBase, k).Def)
		}
		return s
	}},
	{"vectors, two arrays, masks, an if", func(b *ir.Builder, id *ir.Def, word func(at *ir.Def) *ir.Def) *ir.Def {
		u, v := b.DeclReg(4, 32, 4), b.DeclReg(2, 32, 5)
		fillArray(b, u, id)
		fillArray(b, v, b.Imm32(77))
		times(b, b.Iand(word(id), b.Imm32(7)), func(i *ir.Def) {
			x := b.Iand(b.Iadd(word(b.Iadd(id, i)), i), b.Imm32(3))
			storeElement(b, u, x, b.Vec(i, x, id, i), 0, 6)
			c := b.PushIf(b.Ilt(x, b.Imm32(2)))
			two := loadElement(b, v, x, 1)
			storeElement(b, v, b.Iand(i, b.Imm32(3)), b.Swizzle(two, 1, 0), 1, 3)
			b.PopIf(c)
			storeElement(b, u, b.Iand(i, b.Imm32(3)), loadElement(b, u, x, 0), 0, 15)
		})
		x := b.Iand(id, b.Imm32(3))
		return b.Iadd(mixed(b, loadElement(b, u, x, 0)), mixed(b, loadElement(b, v, x, 0)))
	}},
	{"triples, one index for several, a vote between", func(b *ir.Builder, id *ir.Def, word func(at *ir.Def) *ir.Def) *ir.Def {
		u, v := b.DeclReg(3, 32, 4), b.DeclReg(3, 32, 4)
		fillArray(b, u, id)
		fillArray(b, v, word(id))
		x := b.Iand(word(id), b.Imm32(3))
		y := loadElement(b, u, x, 0)
		vote := &b.Intrinsic(ir.IntrVoteAny, 1, 1, b.Ine(b.Channel(y, 1), id)).Def
		storeElement(b, v, x, y, 0, 5)
		z := b.Bcsel(vote, mixed(b, loadElement(b, v, b.Iand(b.IAddImm(x, 1), b.Imm32(3)), 0)), id)
		return b.Iadd(mixed(b, loadElement(b, v, x, 0)), z)
	}},
}

func arrayShader(build func(b *ir.Builder, id *ir.Def, word func(at *ir.Def) *ir.Def) *ir.Def) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	in := gputest.StorageBuffer(b, 0, 0)
	word := func(at *ir.Def) *ir.Def { return gputest.LoadWords(b, in, b.Ishl(at, b.Imm32(2)), 1) }
	v := build(b, id, word)
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), v)
	return s
}

// Arrays are in registers that a0.x chooses among; where values need those they are in private memory.
func TestArrays(t *testing.T) {
	programs.Hold(t)
	in := gputest.RandomInput(1, 160)
	for _, c := range arrayCases {
		s := arrayShader(c.build)
		if err := ir.Validate(s); err != nil {
			t.Fatal(c.name, err)
		}
		for _, gpu := range gpus {
			for _, few := range []int{0, 4} {
				opts := CompileOptions{GPU: gpu, Registers: few}
				bin, err := execute(s, opts, &gputest.Run{Groups: 2, In: in, OutSize: 512}, nil)
				if err != nil {
					t.Errorf("%s, %s, %d registers: %v", c.name, gpu, few, err)
					continue
				}
				code := disasm(bin)
				regs, memory := strings.Contains(code, "r<a0.x"), strings.Contains(code, "ldp") || strings.Contains(code, "stp")
				room := few == 0 && (gpu == "a630" || gpu == "a740") // elsewhere some cost too many waves
				if room && !regs || few != 0 && regs || memory == regs || memory != (bin.Meta.PrivateSize > 0) {
					t.Errorf("%s, %s, %d registers: %d bytes of private memory\n%s", c.name, gpu, few, bin.Meta.PrivateSize, code)
				}
			}
		}
	}
}
