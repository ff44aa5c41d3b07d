package grids

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/ir/optab"
	"nirc/passes"
)

// floatModule computes, in each invocation of 64, z = x op y of floats of a size, under an execution mode.
// MODE, BITS, WORD (their bytes), CAPS, EXTS and OP are filled in.
const floatModule = `OpCapability Shader
OpCapability MODE
CAPSOpExtension "SPV_KHR_float_controls"
EXTS%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpExecutionMode %main MODE BITS
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %array ArrayStride WORD
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %x DescriptorSet 0
OpDecorate %x Binding 0
OpDecorate %y DescriptorSet 0
OpDecorate %y Binding 1
OpDecorate %z DescriptorSet 0
OpDecorate %z Binding 2
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%v3 = OpTypeVector %u32 3
%in3 = OpTypePointer Input %v3
%float = OpTypeFloat BITS
%array = OpTypeRuntimeArray %float
%block = OpTypeStruct %array
%pblock = OpTypePointer StorageBuffer %block
%pfloat = OpTypePointer StorageBuffer %float
%id = OpVariable %in3 Input
%x = OpVariable %pblock StorageBuffer
%y = OpVariable %pblock StorageBuffer
%z = OpVariable %pblock StorageBuffer
%c0 = OpConstant %u32 0
%main = OpFunction %void None %fn
%entry = OpLabel
%g = OpLoad %v3 %id
%i = OpCompositeExtract %u32 %g 0
%px = OpAccessChain %pfloat %x %c0 %i
%py = OpAccessChain %pfloat %y %c0 %i
%pz = OpAccessChain %pfloat %z %c0 %i
%a = OpLoad %float %px
%b = OpLoad %float %py
OP
OpStore %pz %r
OpReturn
OpFunctionEnd
`

// floatOps are the operations, which round or flush, or tell zeros apart; eval is that of package optab.
var floatOps = []struct{ code, eval string }{
	{"%r = OpFAdd %float %a %b", "fadd"},
	{"%r = OpFSub %float %a %b", "fsub"},
	{"%r = OpFMul %float %a %b", "fmul"},
	{"%r = OpExtInst %float %glsl NMin %a %b", "fmin"},
	{"%r = OpExtInst %float %glsl NMax %a %b", "fmax"},
}

// specialFloats are bits of floats of a size around which modes differ: zeros, denormals, the smallest and largest
// normal numbers, infinities, NaN, halves of units in the last place.
func specialFloats(bits uint8) (list []uint64) {
	mant := map[uint8]uint{16: 10, 32: 23, 64: 52}[bits]
	one := uint64(1)<<(bits-2) - 1<<mant // 1.0
	inf := (uint64(1)<<(bits-1) - 1) >> mant << mant
	for _, v := range []uint64{0, 1, 2, 3, 1<<mant - 1, 1 << mant, 1<<mant + 1, 2 << mant, 3<<mant | 5, one, one + 1, one + 2, one - 1, one + 1<<mant, one - 1<<mant,
		one>>1 + 7, inf - 1, inf - 1<<mant, inf, inf | 1<<(mant-1), one + 1<<(mant-1), one - 5, one + uint64(mant)<<mant, one - uint64(mant+1)<<mant, one - uint64(mant)<<mant} {
		list = append(list, v, v|1<<(bits-1))
	}
	return list
}

// TestFloatControls executes each float mode that a target honours, on its core, and wants the bits that package
// optab computes under it; a mode that it does not honour must be refused with its name and size.
func TestFloatControls(t *testing.T) {
	honoured, refused := 0, 0
	for _, bits := range ir.FloatSizes {
		for _, mode := range ir.FloatModes {
			for _, op := range floatOps {
				m, err := nirc.Load([]byte(floatText(mode.Name, bits, op.code)), "float.spvasm")
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range []nirc.Options{{Target: nirc.IRTarget}, {Target: "ir3", GPU: "a630"}, {Target: "ir3", GPU: "a740"}, {Target: "agx"}, {Target: "midgard"}} {
					o.Level = passes.O2
					name := fmt.Sprintf("%s/%s/%s/%d", o.Target, op.eval, mode.Name, bits)
					has, err := nirc.FloatControls(o.Target, o.GPU)
					if err != nil {
						t.Fatal(err)
					}
					if has != nil && !has.HasAll(mode.Properties, bits) {
						refused++
						_, err := m.Compile(context.Background(), o)
						if want := fmt.Sprintf("the execution mode %s for floats of %d bits is not supported", mode.Name, bits); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), o.Target) {
							t.Errorf("%s: %v, want %s", name, err, want)
						}
						continue
					}
					honoured++
					if err := runFloats(m, o, op.eval, mode.Properties, bits); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
			}
		}
	}
	t.Logf("%d honoured, %d refused", honoured, refused)
}

func floatText(mode string, bits uint8, op string) string {
	caps, exts := "", ""
	switch bits {
	case 16:
		caps, exts = "OpCapability Float16\nOpCapability StorageBuffer16BitAccess\n", "OpExtension \"SPV_KHR_16bit_storage\"\n"
	case 64:
		caps = "OpCapability Float64\n"
	}
	return strings.NewReplacer("MODE BITS", fmt.Sprintf("%s %d", mode, bits), "MODE", mode, "BITS", fmt.Sprint(bits), "WORD", fmt.Sprint(bits/8),
		"CAPS", caps, "EXTS", exts, "\nOP\n", "\n"+op+"\n").Replace(floatModule)
}

// runFloats runs a module on pairs of the special floats.
func runFloats(m *nirc.Module, o nirc.Options, op string, mode ir.FloatControls, bits uint8) error {
	var x, y []byte
	put := func(b []byte, v uint64) []byte { return binary.LittleEndian.AppendUint64(b, v)[:len(b)+int(bits/8)] }
	special := specialFloats(bits)
	var pairs [][2]uint64
	for _, a := range special {
		for _, b := range special {
			pairs = append(pairs, [2]uint64{a, b})
		}
	}
	for _, p := range refs.Sample(pairs, 4) {
		x, y = put(x, p[0]), put(y, p[1])
	}
	for len(x)%(64*int(bits/8)) != 0 {
		x, y = put(x, 0), put(y, 0)
	}
	z := make([]byte, len(x))
	n := len(x) / int(bits/8)
	e := &exec.Execution{Modules: []*nirc.Module{m}, Options: o, Groups: [3]uint32{uint32(n / 64), 1, 1}, Limits: emu.Limits{Check: true},
		Bindings: []exec.Binding{{Binding: 0, Data: x}, {Binding: 1, Data: y}, {Binding: 2, Data: z}}}
	if err := exec.Execute(context.Background(), e); err != nil {
		return err
	}
	// What no mode is said of may flush denormals or not.
	free := mode&(ir.FCDenormPreserve|ir.FCDenormFlush) == 0
	env := ir.ModeOf(mode * 7)
	flush := env
	flush.FlushDenorm = 7
	at := func(b []byte, i int) uint64 { return emu.LoadBytes(b[i*int(bits/8):], int(bits/8)) }
	for i := range n {
		got := at(z, i)
		if sameFloat(got, evalFloat(op, env, bits, at(x, i), at(y, i)), bits) || free && sameFloat(got, evalFloat(op, flush, bits, at(x, i), at(y, i)), bits) {
			continue
		}
		if (op == "fmin" || op == "fmax") && openMinMax(o.Target, mode, bits, at(x, i), at(y, i), got) {
			continue
		}
		// Some hardware flushes what is a denormal before it is rounded.
		if want := evalFloat(op, env, bits, at(x, i), at(y, i)); (free || env.FlushDenorm != 0) && leastNormal(want, bits) && got == want&(1<<(bits-1)) {
			continue
		}
		return fmt.Errorf("of %#x and %#x comes %#x, want %#x", at(x, i), at(y, i), got, evalFloat(op, env, bits, at(x, i), at(y, i)))
	}
	return nil
}

// openMinMax reports whether got is one of the results that a minimum or maximum of zeros, or of denormals that count as
// zeros, may have: either operand, flushed or not. Vulkan leaves open which of two zeros is the smaller one, and so does ir3
// (ir3.md §3.4); the others order them where signed zeros are to be kept.
func openMinMax(target string, mode ir.FloatControls, bits uint8, x, y, got uint64) bool {
	sign := uint64(1) << (bits - 1)
	least := map[uint8]uint64{16: 1 << 10, 32: 1 << 23, 64: 1 << 52}[bits]
	if mode.Has(ir.FCDenormPreserve, bits) {
		least = 1
	}
	switch {
	case x&^sign >= least || y&^sign >= least:
		return false
	case x&^sign == 0 && y&^sign == 0 && mode.Has(ir.FCSignedZeroPreserve, bits) && target != "ir3":
		return false
	}
	return got == x || got == y || got == x&sign || got == y&sign
}

// evalFloat computes an operation.
func evalFloat(name string, env optab.Mode, bits uint8, a, b uint64) uint64 {
	for i := range optab.Ops {
		if op := optab.Ops[i]; op.Name == name {
			return op.Eval(env, bits, &[4]uint64{a, b})
		}
	}
	panic("no operation " + name)
}

// leastNormal reports whether a float is the least normal number of a sign.
func leastNormal(v uint64, bits uint8) bool {
	return v&(1<<(bits-1)-1) == map[uint8]uint64{16: 1 << 10, 32: 1 << 23, 64: 1 << 52}[bits]
}

// sameFloat reports whether two floats are the same bits, or both NaN.
func sameFloat(a, b uint64, bits uint8) bool {
	nan := func(v uint64) bool {
		inf := map[uint8]uint64{16: 0x7c00, 32: 0x7f800000, 64: math.Float64bits(math.Inf(1))}[bits]
		return v&(1<<(bits-1)-1) > inf
	}
	return a == b || nan(a) && nan(b)
}

// TestFloatControlsTable holds the table of the documents to the targets.
func TestFloatControlsTable(t *testing.T) {
	text, err := os.ReadFile("../../../docs/abi.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range ir.FloatModes {
		row := "| " + m.Name
		for _, target := range []string{"ir3", "agx", "midgard"} {
			has, err := nirc.FloatControls(target, "")
			if err != nil {
				t.Fatal(err)
			}
			row += " |"
			for _, bits := range ir.FloatSizes {
				if has.HasAll(m.Properties, bits) {
					row += fmt.Sprintf(" %d", bits)
				}
			}
		}
		if !strings.Contains(string(text), row+" |\n") {
			t.Errorf("docs/abi.md lacks the row %s |", row)
		}
	}
}

// TestFloatProperties runs scripts that want a float control property: on a target without it they are skipped, and
// the reason names both.
func TestFloatProperties(t *testing.T) {
	for _, c := range []struct {
		target, property string
		verdict          amber.Verdict
	}{
		{"ir3", "shaderDenormPreserveFloat16", amber.Skip},
		{"agx", "shaderDenormPreserveFloat16", amber.Pass},
		{"agx", "shaderDenormPreserveFloat32", amber.Skip},
		{"midgard", "shaderDenormFlushToZeroFloat32", amber.Skip},
		{"midgard", "shaderDenormPreserveFloat32", amber.Skip},
		{"midgard", "shaderDenormPreserveFloat16", amber.Skip},
		{"midgard", "shaderRoundingModeRTEFloat32", amber.Pass},
		{"ir", "shaderRoundingModeRTZFloat16", amber.Pass},
		{"ir", "shaderRoundingModeRTNFloat16", amber.Skip},
	} {
		s, err := amber.Parse("property.amber", []byte("#!amber\nDEVICE_PROPERTY FloatControlsProperties."+c.property+"\nBUFFER b DATA_TYPE uint32 DATA 1 END\nEXPECT b IDX 0 EQ 1\n"))
		if err != nil {
			t.Fatal(err)
		}
		target, err := exec.AmberTarget(nirc.Options{Target: c.target})
		if err != nil {
			t.Fatal(err)
		}
		r := (&amber.Runner{Target: target, Limits: emu.Limits{Check: true}}).Run(t.Context(), s)
		if r.Verdict != c.verdict || r.Verdict == amber.Skip && (!strings.Contains(r.Reason, c.property)) {
			t.Errorf("%s, %s: %+v", c.target, c.property, r)
		}
	}
}
