package gputest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"

	"nirc/ir"
)

// sinePrecision is the absolute error that Vulkan allows sines and cosines of 32 bits between -pi and pi.
const sinePrecision = 0x1p-11

// Angles is a shader that stores the sine and the cosine of each word of its input times a factor; a factor of 1 is no product.
func Angles(factor float64) *ir.Shader {
	s, b := NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	x := LoadWords(b, StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(2)), 1)
	if factor != 1 {
		x = b.Fmul(x, b.ImmFloat(factor, 32))
	}
	StoreWords(b, StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(3)), b.Vec(b.Fsin(x), b.Fcos(x)))
	return s
}

// DifferAngles gives a program of Angles arguments whose products lie between -pi and pi, and holds what it stores to Vulkan's precision.
func DifferAngles(factor float64, execute func(s *ir.Shader, r *Run, same func(i int, want, got uint32) bool) error) error {
	const threads = 256
	rnd := rand.New(rand.NewSource(1))
	in := make([]byte, 4*threads)
	angles := make([]float64, threads)
	for i := range angles {
		x := float32((2*rnd.Float64() - 1) * math.Pi / factor)
		binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(x))
		angles[i] = float64(x) * float64(float32(factor))
	}
	var wrong error
	err := execute(Angles(factor), &Run{Groups: threads / 64, In: in, OutSize: 8 * threads}, func(i int, _, got uint32) bool {
		want := math.Sin(angles[i/2])
		if i%2 == 1 {
			want = math.Cos(angles[i/2])
		}
		if e := math.Abs(float64(math.Float32frombits(got)) - want); !(e <= sinePrecision) {
			wrong = fmt.Errorf("factor %g, angle %g: off by %g", factor, angles[i/2], e)
		}
		return wrong == nil
	})
	if wrong != nil {
		return wrong
	}
	return err
}
