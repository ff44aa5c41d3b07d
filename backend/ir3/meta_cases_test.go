package ir3

import (
	"fmt"
	"math"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// varyingShader stores twice what the input VAR3.yzw is.
func varyingShader(class ir.TypeClass, bits uint8, smooth bool) *ir.Shader {
	s, b := newStage(ir.StageFragment)
	var in *ir.Instr
	if smooth {
		ij := b.Intrinsic(ir.IntrLoadBarycentricPixel, 2, 32).Set(ir.IdxInterpMode, uint64(ir.InterpSmooth))
		in = b.Intrinsic(ir.IntrLoadInterpolatedInput, 3, bits, &ij.Def, b.Imm32(0))
	} else {
		in = b.Intrinsic(ir.IntrLoadInput, 3, bits, b.Imm32(0))
	}
	in.Set(ir.IdxIoSemantics, sem(ir.SlotVar0+3)).Set(ir.IdxComponent, 1).Set(ir.IdxDestType, ir.ALUType{Class: class, Bits: bits}.Pack())
	out := make([]*ir.Def, 3)
	for c := range out {
		switch v := b.Channel(&in.Def, c); {
		case class == ir.ClassFloat && bits == 16:
			out[c] = b.F2f32(b.Fadd(v, v))
		case class == ir.ClassFloat:
			out[c] = b.Fadd(v, v)
		case bits == 16:
			out[c] = b.U2u32(b.Iadd(v, v))
		default:
			out[c] = b.Iadd(v, v)
		}
	}
	outputTo(b, b.Vec(out...), ir.SlotData0)
	return s
}

// TestNarrowVaryings: varyings of 16 bits are words on this target, floats of 32 bits or integers whose upper half is dropped,
// interpolated and flat: an input gives what one of 32 bits gives, made narrow.
func TestNarrowVaryings(t *testing.T) {
	programs.Hold(t)
	for _, class := range []ir.TypeClass{ir.ClassFloat, ir.ClassInt, ir.ClassUint} {
		for _, smooth := range []bool{false, true} {
			if smooth && class != ir.ClassFloat {
				continue
			}
			for _, gpu := range gpus {
				var out [2][]emu.Slots
				var live emu.Mask
				for k, bits := range []uint8{32, 16} {
					p, _, err := loaded(varyingShader(class, bits, smooth), CompileOptions{GPU: gpu})
					if err != nil {
						t.Fatal(err)
					}
					l, err := runStage(p, ir.StageFragment)
					if err != nil {
						t.Fatal(err)
					}
					out[k], live = l.Out, l.Live
				}
				for lane := range stageLanes {
					for c := range 3 {
						want, got := out[0][lane][ir.SlotData0][c], out[1][lane][ir.SlotData0][c]
						if class != ir.ClassFloat {
							want &= 0xffff
						} else if d := math.Abs(float64(math.Float32frombits(got) - math.Float32frombits(want))); d < math.Abs(float64(math.Float32frombits(want)))/512 {
							continue
						}
						if live.Get(lane) && got != want {
							t.Fatalf("%s: class %d, smooth %v, lane %d: component %d is %#x, want %#x", gpu, class, smooth, lane, c, got, want)
						}
					}
				}
			}
		}
	}
}

// privateShader stores a vector of n components in private memory at an address that hangs on the fiber, and reads it; with n
// zero there is no private memory.
func privateShader(stage ir.Stage, n int) *ir.Shader {
	s, b := newStage(stage)
	if stage == ir.StageCompute {
		s, b = gputest.NewShader(stage, 64)
	}
	var id, v *ir.Def
	switch stage {
	case ir.StageCompute:
		id = b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	case ir.StageVertex:
		id = &b.Intrinsic(ir.IntrLoadVertexId, 1, 32).Def
	default:
		id = b.F2u32(b.Channel(&b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def, 0))
	}
	v = id
	if n > 0 {
		s.ScratchSize = 256
		off := b.Ishl(b.Iand(id, b.Imm32(15)), b.Imm32(4))
		list := []*ir.Def{id, b.Inot(id), b.Imm32(7), b.Imm32(8)}
		gputest.StoreTo(b, ir.IntrStoreScratch, b.Vec(list[:n]...), off, 1<<n-1, 0)
		v = &b.Intrinsic(ir.IntrLoadScratch, uint8(n), 32, off).Set(ir.IdxAlignMul, 4).Def
	}
	if stage == ir.StageCompute {
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(4)), v)
		return s
	}
	v = b.U2f32(b.Channel(v, 0))
	outputTo(b, v, map[ir.Stage]ir.Slot{ir.StageVertex: ir.SlotPos, ir.StageFragment: ir.SlotData0}[stage])
	return s
}

// TestPrivateLayout: metadata ask for private memory by fiber where an access takes several components, and in all stages but
// compute, where it is by wave otherwise; without private memory they ask for nothing.
func TestPrivateLayout(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		stage ir.Stage
		n     int
		want  bool
	}{
		{ir.StageCompute, 0, false}, {ir.StageCompute, 1, false}, {ir.StageCompute, 2, true}, {ir.StageCompute, 4, true},
		{ir.StageVertex, 0, false}, {ir.StageVertex, 1, true}, {ir.StageVertex, 3, true},
		{ir.StageFragment, 0, false}, {ir.StageFragment, 1, true}, {ir.StageFragment, 2, true},
	} {
		for _, gpu := range gpus {
			bin, err := compile(privateShader(c.stage, c.n), CompileOptions{GPU: gpu})
			if err != nil {
				t.Fatal(err)
			}
			if m := &bin.Meta; m.PrivatePerFiber != c.want || m.PrivateSize > 0 != (c.n > 0) {
				t.Errorf("%s: %s, vectors of %d: %d bytes of private memory, by fiber %v\n%s", gpu, c.stage, c.n, m.PrivateSize, m.PrivatePerFiber, disasm(bin))
			}
		}
	}
}

// TestSafeConstsOfCompute: a compute shader has the const file to itself, so the safe version is the other one.
func TestSafeConstsOfCompute(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	sum := id
	for k := range 240 {
		sum = b.Iadd(sum, gputest.LoadUBO(b, b.Imm32(uint32(16*k)), 1, 32, 16))
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), sum)
	for _, gpu := range gpus {
		var lens [2]int
		for k := range lens {
			s.Options = &ir.Options{SafeConsts: k == 1}
			bin, err := compile(s, CompileOptions{GPU: gpu})
			if err != nil {
				t.Fatal(err)
			}
			lens[k] = bin.Meta.ConstLen
		}
		if lens[0] <= abi.SafeConst || lens[1] != lens[0] {
			t.Errorf("%s: const files of %d and %d vec4", gpu, lens[0], lens[1])
		}
	}
}

// TestStorageViews: where the device has 16-bit storage, storage buffers and acceleration structures have elements of 16 bits,
// of all ways to come to them; uniform buffers have not.
func TestStorageViews(t *testing.T) {
	programs.Hold(t)
	const types = 3
	kinds := [types]emu.DescriptorType{emu.DescStorageBuffer, emu.DescAccelStruct, emu.DescUniformBuffer}
	for _, declared := range []bool{false, true} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		s.Variables = nil
		var sum *ir.Def
		for k, kind := range kinds {
			if declared {
				v := s.NewVariable(ir.ModeSSBO, ir.ScalarType(ir.BaseUint, 32), fmt.Sprint("v", k))
				switch kind {
				case emu.DescUniformBuffer:
					v.Mode = ir.ModeUBO
				case emu.DescAccelStruct:
					v.Mode, v.Type = ir.ModeUniform, ir.ArrayType(&ir.Type{Base: ir.BaseAccelStruct}, 2, 0)
				}
				v.Set, v.Binding, v.HasBinding = 1, uint32(k), true
				continue
			}
			h := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0)).Set(ir.IdxDescSet, 1).Set(ir.IdxBinding, uint64(k)).Set(ir.IdxDescType, uint64(kind))
			d := b.Intrinsic(ir.IntrLoadVulkanDescriptor, 2, 32, &h.Def).Set(ir.IdxDescType, uint64(kind))
			op := ir.IntrLoadSsbo
			if kind == emu.DescUniformBuffer {
				op = ir.IntrLoadUbo
			}
			x := b.Intrinsic(op, 1, 32, &d.Def, b.Imm32(16)).Set(ir.IdxAlignMul, 16)
			if op == ir.IntrLoadUbo {
				x.Set(ir.IdxRange, 0xffffffff)
			}
			if sum == nil {
				sum = &x.Def
			} else {
				sum = b.Iadd(sum, &x.Def)
			}
		}
		if sum != nil {
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Imm32(0), sum)
		}
		for gpu, halves := range map[string]bool{"a630": false, "a660": true, "a740": true} {
			bin, err := compile(s, CompileOptions{GPU: gpu})
			if err != nil {
				t.Fatal(err)
			}
			for k := range kinds {
				want := halves && kinds[k] != emu.DescUniformBuffer
				d := bin.Meta.Descriptors
				i := 0
				for i < len(d) && (d[i].Set != 1 || d[i].Binding != uint32(k)) {
					i++
				}
				if i == len(d) || d[i].Kind != abi.Buffer || (len(d[i].Views) > 0) != want {
					t.Errorf("%s, declared %v: descriptor type %d is in %+v", gpu, declared, kinds[k], d)
				}
			}
		}
	}
}
