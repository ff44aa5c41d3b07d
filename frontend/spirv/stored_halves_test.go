package spirv

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// storedHalfText is a kernel in which lane n stores the n-th float of a buffer as a half by an instruction.
const storedHalfText = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Float16
%std = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn LocalInvocationId
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%v3ulong = OpTypeVector %ulong 3
%float = OpTypeFloat 32
%v3 = OpTypeVector %float 3
%half = OpTypeFloat 16
%one = OpConstant %float 1
%pin = OpTypePointer Input %v3ulong
%pf = OpTypePointer CrossWorkgroup %float
%ph = OpTypePointer CrossWorkgroup %half
%id = OpVariable %pin Input
%fn = OpTypeFunction %void %pf %ph
%main = OpFunction %void None %fn
%in = OpFunctionParameter %pf
%out = OpFunctionParameter %ph
%e = OpLabel
%v = OpLoad %v3ulong %id
%n = OpCompositeExtract %ulong %v 0
%at = OpInBoundsPtrAccessChain %pf %in %n
%x = OpLoad %float %at Aligned 4
%xyz = OpCompositeConstruct %v3 %x %one %x
%s = OpExtInst %void %std INSTRUCTION
OpReturn
OpFunctionEnd
`

// halfFloats are floats that round to halves in all ways: between two of them, in the middle, beyond the largest, below the smallest.
func halfFloats() []float32 {
	list := []float32{0, 1, 1 + 1.0/1024, 1 + 1.0/2048, 1 + 3.0/2048, 1 + 1.0/4096, 1 + 3.0/4096, 65504, 65519, 65520, 65535, 65536, 1e30, float32(math.Inf(1)), 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1.8p-24, 0x1p-26, 1e-30,
		0x1p-14, 0x1.ffcp-15, 0x1.ffep-15, 2047, 2049, 2050.5, 1.0 / 3, 1e-5}
	for _, x := range list {
		list = append(list, -x)
	}
	return append(list, float32(math.Copysign(0, -1)), float32(math.NaN()))
}

// wantHalf is a number as a half: the nearest with ties to even, or the nearest that is not larger, not smaller, or not farther from 0.
func wantHalf(x float64, mode string) uint16 {
	below, above := uint16(0xfc00), uint16(0x7c00)
	least, most := math.Inf(-1), math.Inf(1)
	sign := uint16(0)
	if math.Signbit(x) {
		sign = 0x8000
	}
	for h := range uint16(0x7c00) { // by size
		v := ir.FloatValue(uint64(h), 16)
		for _, c := range []struct {
			v    float64
			bits uint16
		}{{v, h}, {-v, h | 0x8000}} {
			if c.v <= x && c.v > least {
				least, below = c.v, c.bits
			}
			if c.v >= x && c.v < most {
				most, above = c.v, c.bits
			}
		}
	}
	if math.IsInf(x, 0) {
		return 0x7c00 | sign
	}
	zero := func(h uint16) uint16 { // of the sign of x
		if h&0x7fff == 0 {
			return sign
		}
		return h
	}
	switch mode {
	case "RTP":
		return zero(above)
	case "RTN":
		return zero(below)
	case "RTZ":
		if x < 0 {
			return zero(above)
		}
		return zero(below)
	}
	if math.IsInf(most, 0) {
		most = 65536
	}
	if math.IsInf(least, 0) {
		least = -65536
	}
	switch d := (most - x) - (x - least); {
	case d < 0, d == 0 && above&1 == 0:
		return zero(above)
	}
	return zero(below)
}

// TestStoredHalves runs the stores of floats as halves that say how they round, of scalars and of vectors, which lie 3 or 4 halves apart.
func TestStoredHalves(t *testing.T) {
	xs := halfFloats()
	for _, f := range []struct {
		text  string
		pitch int // of what a lane stores, in halves
		place int // of x there
	}{{"vstore_half_r %x %n %out MODE", 1, 0}, {"vstore_halfn_r %xyz %n %out MODE", 3, 2}, {"vstorea_halfn_r %xyz %n %out MODE", 4, 2}} {
		for _, mode := range []string{"RTE", "RTZ", "RTP", "RTN"} {
			inst := strings.ReplaceAll(f.text, "MODE", mode)
			s, err := Translate(assemble(t, strings.ReplaceAll(storedHalfText, "INSTRUCTION", inst)), Options{panics: true})
			if err == nil {
				err = ir.Validate(s)
			}
			if err != nil {
				t.Fatal(err)
			}
			p, err := interp.New(s, interp.Options{WaveSize: 64})
			if err != nil {
				t.Fatal(err)
			}
			mem := emu.NewMemory()
			in, out := mem.Alloc(4*64), mem.Alloc(2*64*4)
			for i, x := range xs {
				binary.LittleEndian.PutUint32(in.Data[4*i:], math.Float32bits(x))
			}
			push := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, in.Addr), out.Addr)
			env := &emu.Env{Mem: mem, Bindings: &emu.Bindings{}, Push: append(push, make([]byte, 16)...)}
			if err := emu.Dispatch(context.Background(), p, env, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}}); err != nil {
				t.Fatal(err)
			}
			for i, x := range xs {
				got, want := binary.LittleEndian.Uint16(out.Data[2*(i*f.pitch+f.place):]), wantHalf(float64(x), mode)
				if x != x && got&0x7fff > 0x7c00 {
					continue
				}
				if got != want || x != x {
					t.Errorf("%s of %g: %#04x, want %#04x", inst, x, got, want)
				}
				if f.pitch > 1 && binary.LittleEndian.Uint16(out.Data[2*(i*f.pitch+1):]) != 0x3c00 {
					t.Errorf("%s, lane %d: the second component is not where it should be", inst, i)
				}
			}
		}
	}
}

// TestArgumentNames: the arguments of a kernel have the names of the module: pointers, numbers and vectors.
func TestArgumentNames(t *testing.T) {
	text := strings.NewReplacer("%fn = OpTypeFunction %void %global %float", "%fn = OpTypeFunction %void %global %float %v3float", "%l = OpLabel\n", "%b = OpFunctionParameter %v3float\n%l = OpLabel\n",
		`OpName %a "a"`, "OpName %a \"a\"\nOpName %b \"some\"").Replace(kernelText)
	s, err := Translate(assemble(t, text), Options{Debug: true, panics: true})
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]uint8{}
	for b := range s.Entry().Impl.Blocks() {
		for in := range b.Instrs() {
			if in.HasDef() && in.Def.Name != 0 {
				named[s.Names[in.Def.Name]] = in.Def.NumComponents
			}
		}
	}
	if got, want := fmt.Sprint(named), "map[a:1 some:3 y:1]"; got != want {
		t.Errorf("named are %s, want %s", got, want)
	}
}
