package gputest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"nirc/ir"
)

// form makes a word of a word by one operation, or by the few that code generators know as one, with a constant where it takes one.
type form struct {
	name string
	make func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def
}

// wordForms are operations on integers.
var wordForms = []form{
	{"add", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Iadd(x, b.Imm32(k)) }},
	{"subtract from", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Isub(b.Imm32(k), x) }},
	{"negate", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Ineg(x) }},
	{"absolute", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Iabs(x) }},
	{"double", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Iadd(x, x) }},
	{"shift left", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Ishl(x, b.Imm32(k)) }},
	{"shift right", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Ushr(x, b.Imm32(k)) }},
	{"shift right signed", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Ishr(x, b.Imm32(k)) }},
	{"shift a constant", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Ishl(b.Imm32(k), b.Iand(x, b.Imm32(31))) }},
	{"and", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Iand(x, b.Imm32(k)) }},
	{"low bits", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Iand(x, b.Imm32(1<<(k&31)-1)) }},
	{"or", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Ior(x, b.Imm32(k)) }},
	{"xor", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Ixor(x, b.Imm32(k)) }},
	{"not", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Inot(x) }},
	{"multiply", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Imul(x, b.Imm32(k)) }},
	{"square", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Imul(x, x) }},
	{"upper word of a product", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.UmulHigh(x, b.Imm32(k<<24|3)) }},
	{"lesser", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Umin(x, b.Imm32(k)) }},
	{"greater signed", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Imax(x, b.Imm32(-k)) }},
	{"select by less", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def {
		return b.Bcsel(b.Ult(x, b.Imm32(k<<20)), x, b.Imm32(k))
	}},
	{"select by not equal", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Bcsel(b.Ine(x, b.Imm32(0)), b.Imm32(k), x) }},
	{"select by both", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def {
		return b.Bcsel(b.Iand(b.Ige(x, b.Imm32(0)), b.Inot(b.Ieq(x, b.Imm32(k)))), b.Imm32(k), b.Ineg(x))
	}},
	{"truth of less", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.B2i32(b.Ilt(x, b.Imm32(k))) }},
	{"truth of equal", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Ineg(b.B2i32(b.Ieq(x, b.Imm32(k)))) }},
	{"low half", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.U2u32(b.U2u16(x)) }},
	{"low half signed", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.I2i32(b.I2i16(x)) }},
	{"high half", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.U2u32(b.Unpack32_2x16SplitY(x)) }},
	{"swapped halves", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def {
		return b.Pack32_2x16Split(b.Unpack32_2x16SplitY(x), b.Unpack32_2x16SplitX(x))
	}},
	{"a half beside a constant", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def {
		return b.Pack32_2x16Split(b.U2u16(x), b.ImmInt(int64(k), 16))
	}},
	{"sum of halves", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def {
		return b.U2u32(b.Iadd(b.Unpack32_2x16SplitX(x), b.Unpack32_2x16SplitY(x)))
	}},
	{"shifted half", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.U2u32(b.Ushr(b.U2u16(x), b.Imm32(k&15))) }},
	{"product of halves", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def {
		return b.I2i32(b.Imul(b.U2u16(x), b.ImmInt(int64(k), 16)))
	}},
	{"reversed bits", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.BitfieldReverse(x) }},
	{"number of bits", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.BitCount(x) }},
}

// byteForms are operations on bytes of a word.
var byteForms = []form{
	{"low byte", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.U2u32(b.U2u8(x)) }},
	{"low byte signed", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.I2i32(b.I2i8(x)) }},
	{"byte of a half", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.U2u32(b.U2u16(b.U2u8(x))) }},
	{"byte in steps", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.I2i32(b.I2i16(b.U2u8(x))) }},
	{"some byte", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.U2u32(b.U2u8(b.Ushr(x, b.Imm32(8*(k&3))))) }},
}

// floatForms are operations on floats that lose no bits of small multiples of a quarter.
var floatForms = []form{
	{"add", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Fadd(x, constantOf(b, k)) }},
	{"subtract from", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Fadd(constantOf(b, k), b.Fneg(x)) }},
	{"multiply", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Fmul(x, constantOf(b, k)) }},
	{"half of", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Fmul(x, b.ImmFloat(0.5, 32)) }},
	{"fused", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def {
		return b.Ffma(x, constantOf(b, k), constantOf(b, k+1))
	}},
	{"fused with itself", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def {
		return b.Ffma(constantOf(b, k), b.Fabs(x), b.Fneg(x))
	}},
	{"negate", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Fneg(x) }},
	{"absolute", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Fabs(x) }},
	{"negative of absolute", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Fneg(b.Fabs(x)) }},
	{"saturate", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Fsat(x) }},
	{"lesser", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Fmin(x, constantOf(b, k)) }},
	{"greater", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Fmax(constantOf(b, k), x) }},
	{"floor", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Ffloor(x) }},
	{"truncate", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.Ftrunc(x) }},
	{"through 16 bits", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.F2f32(b.F2f16(x)) }},
	{"negate in 16 bits", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.F2f32(b.Fneg(b.F2f16(x))) }},
	{"add in 16 bits", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def {
		return b.F2f32(b.Fadd(b.F2f16(x), b.ImmFloat(float64(k&7), 16)))
	}},
	{"saturate in 16 bits", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.F2f32(b.Fsat(b.F2f16(x))) }},
	{"to an integer and back", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.I2f32(b.F2i32(x)) }},
	{"to a natural number and back", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.U2f32(b.F2u32(b.Fabs(x))) }},
	{"select by less", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def {
		return b.Bcsel(b.Flt(x, constantOf(b, k)), x, b.ImmFloat(1, 32))
	}},
	{"select by at least", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def {
		return b.Bcsel(b.Fge(constantOf(b, k), b.Fneg(x)), b.ImmFloat(2, 32), x)
	}},
	{"select by not equal", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def {
		return b.Bcsel(b.Inot(b.Feq(b.Fabs(x), constantOf(b, k))), x, b.Fneg(x))
	}},
	{"truth", func(b *ir.Builder, x *ir.Def, k uint32) *ir.Def { return b.B2f32(b.Fneu(x, b.ImmFloat(0, 32))) }},
}

// constantOf is a small float.
func constantOf(b *ir.Builder, k uint32) *ir.Def { return b.ImmFloat(float64(k&7)-2, 32) }

// pairConstants are what forms take: sizes of fields, ends of ranges, masks.
var pairConstants = []uint32{1, 2, 3, 4, 5, 7, 8, 11, 12, 15, 16, 17, 20, 23, 24, 28, 31, 255, 256, 0xffff, 0x10000, 0xffffff00}

// maxPairs is how many pairs a shader has.
const maxPairs = 40

// Pairs applies each form to what each other makes, of values of lanes and of push constants: a code generator that takes the two for one
// instruction, or moves the first into an operand of the second, must mean the same.
type Pairs struct {
	// Run compiles a shader and compares it with what the interpreter leaves.
	Run func(s *ir.Shader, r *Run) error
	// Lower, if there is one, is called for each shader first.
	Lower func(s *ir.Shader) error
	// Refused are the forms that the target has others for.
	Refused []string
}

// Test runs all pairs of the same kind.
func (p *Pairs) Test(t *testing.T) {
	p.grid(t, "words", slices.Concat(wordForms, byteForms), func(b *ir.Builder, x *ir.Def) *ir.Def { return x })
	p.grid(t, "floats", floatForms, func(b *ir.Builder, x *ir.Def) *ir.Def {
		return b.Fmul(b.I2f32(b.Iadd(b.Iand(x, b.Imm32(31)), b.Imm32(0xfffffff4))), b.ImmFloat(0.25, 32))
	})
}

func (p *Pairs) grid(t *testing.T, kind string, forms []form, from func(b *ir.Builder, x *ir.Def) *ir.Def) {
	var list []form
	for _, f := range forms {
		name := kind + ": " + f.name
		no := errors.Is(p.one([]form{f}, f, 0, from), errors.ErrUnsupported)
		if no != slices.Contains(p.Refused, name) {
			t.Errorf("%s: refused is %t", name, no)
		}
		if !no {
			list = append(list, f)
		}
	}
	for k, outer := range list {
		if err := p.one(list, outer, k, from); err != nil {
			t.Errorf("%s: %s of others: %v", kind, outer.name, err)
		}
	}
}

// one runs a form of what each of a list makes, the k-th such shader.
func (p *Pairs) one(inner []form, outer form, k int, from func(b *ir.Builder, x *ir.Def) *ir.Def) error {
	if len(inner) > maxPairs {
		return fmt.Errorf("%d forms are more than a shader's room", len(inner))
	}
	s, b := NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	x := from(b, LoadWords(b, StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(2)), 1))
	push := from(b, &b.Intrinsic(ir.IntrLoadPushConstant, 1, 32, b.Imm32(4)).Set(ir.IdxRange, 64).Set(ir.IdxAlignMul, 4).Def)
	at := b.Imul(id, b.Imm32(4*maxPairs))
	for i, f := range inner {
		v := x
		if (i+k)%5 == 0 {
			v = push
		}
		constant := func(n int) uint32 { return pairConstants[n%len(pairConstants)] }
		v = outer.make(b, f.make(b, v, constant(3*k+7*i)), constant(5*k+11*i+2))
		StoreWords(b, StorageBuffer(b, 0, 1), b.Iadd(at, b.Imm32(uint32(4*i))), v)
	}
	if err := ir.Validate(s); err != nil {
		return err
	}
	if p.Lower != nil {
		if err := p.Lower(s); err != nil {
			return err
		}
	}
	in := make([]byte, 64*4)
	for i := range 64 {
		w := uint32(i) * 2654435761 >> (i % 25)
		if i < len(pairConstants) {
			w = pairConstants[i]
		}
		binary.LittleEndian.PutUint32(in[4*i:], w)
	}
	push64 := make([]byte, 64)
	binary.LittleEndian.PutUint32(push64[4:], math.MaxUint32-0x8180)
	return p.Run(s, &Run{Groups: 1, In: in, OutSize: 64 * 4 * maxPairs, Push: push64})
}
