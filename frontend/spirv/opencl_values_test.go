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

// openclCase is an instruction of OpenCL.std on floats, and the function that it is. Its error is in units of the last place of the result.
type openclCase struct {
	name string
	want func(x, y float64) float64
	ulps float64
	// least bounds the size of results whose last place counts: of smaller ones the error is absolute.
	least float64
	// xs are the arguments of one operand, or of the first.
	xs []float64
}

// openclFloats are arguments of all sizes, those near the places where series begin and end among them.
var (
	openclFloats = []float64{0, 1e-6, -1e-6, 0.01, -0.01, 0.1, -0.1, 0.2, -0.2, 0.249, -0.249, 0.251, -0.251, 0.4, -0.4, 0.499, -0.499, 0.501, -0.501, 0.75, -0.75, 0.999, 1, -1, 1.5, -1.5, 2.5,
		-2.5, 3.3, -3.3, 7, -7, 19, -19, 21, -21, 40, -40}
	openclUnit     = []float64{0, 1e-4, -1e-4, 0.1, -0.1, 0.3, -0.3, 0.49, -0.49, 0.51, -0.51, 0.7, -0.7, 0.95, -0.95, 1, -1}
	openclPositive = []float64{1e-4, 0.1, 0.3, 0.5, 0.9, 1, 1.1, 2, 3, 10, 1e4, 1e10}
	openclEdges    = append([]float64{math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}, openclFloats...)
)

// one makes a function of two numbers of one of one.
func one(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

// inside are the numbers strictly between -1 and 1.
func inside(list []float64) (in []float64) {
	for _, x := range list {
		if math.Abs(x) < 1 {
			in = append(in, x)
		}
	}
	return in
}

// from are the numbers from least on.
func from(least float64, list []float64) (in []float64) {
	for _, x := range list {
		if x >= least {
			in = append(in, x)
		}
	}
	return in
}

func pi(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) / math.Pi }
}

// openclCases are the functions of one float, or of two of which the second goes through openclSeconds.
func openclCases() []openclCase {
	list := []openclCase{
		{"expm1", one(math.Expm1), 16, 1e-30, openclFloats}, {"log1p", one(math.Log1p), 4, 1e-30, from(-0.999, openclFloats)},
		{"exp10", one(func(x float64) float64 { return math.Pow(10, x) }), 4, 1e-30, from(-20, inside(openclFloats))},
		{"log10", one(math.Log10), 2, 0.01, openclPositive},
		{"cbrt", one(math.Cbrt), 2, 1e-30, openclFloats},
		{"erf", one(math.Erf), 4, 1e-30, openclFloats}, {"erfc", one(math.Erfc), 50, 0.05, openclFloats},
		{"tan", one(math.Tan), 2, 1e-30, openclUnit}, {"sinpi", one(func(x float64) float64 { return math.Sin(math.Pi * x) }), 2, 1, openclUnit},
		{"cospi", one(func(x float64) float64 { return math.Cos(math.Pi * x) }), 2, 1, openclUnit},
		{"tanpi", one(func(x float64) float64 { return math.Tan(math.Pi * x) }), 3, 0.1, openclUnit[:9]},
		{"asinpi", pi(math.Asin), 3, 0.01, openclUnit}, {"acospi", pi(math.Acos), 5, 0.1, openclUnit}, {"atanpi", pi(math.Atan), 5, 0.01, openclFloats},
		{"sinh", one(math.Sinh), 16, 1e-30, openclFloats}, {"cosh", one(math.Cosh), 16, 1e-30, openclFloats}, {"tanh", one(math.Tanh), 30, 1e-2, openclFloats},
		{"asinh", one(math.Asinh), 4, 1e-30, openclFloats}, {"acosh", one(math.Acosh), 2, 0.1, from(1, openclFloats)}, {"atanh", one(math.Atanh), 3, 1e-30, inside(openclFloats)},
		{"degrees", one(func(x float64) float64 { return x * 180 / math.Pi }), 1, 1e-30, openclFloats},
		{"radians", one(func(x float64) float64 { return x * math.Pi / 180 }), 1, 1e-30, openclFloats},
		{"round", one(math.Round), 0, 1, append([]float64{0.5, -0.5, 8388607.5, -8388607.5, 1e10}, openclEdges...)},
		{"logb", one(math.Logb), 0, 1, openclEdges},
		{"step", func(edge, x float64) float64 { return map[bool]float64{true: 0, false: 1}[x < edge] }, 0, 1, openclEdges},
		{"fdim", func(x, y float64) float64 { return math.Max(x-y, 0) }, 1, 1e-30, openclFloats},
		{"hypot", math.Hypot, 3, 1e-30, append([]float64{3e30, -3e30, math.Inf(-1)}, openclFloats...)},
		{"copysign", math.Copysign, 0, 1, openclEdges},
		{"nextafter", func(x, y float64) float64 { return float64(math.Nextafter32(float32(x), float32(y))) }, 0, 1, append([]float64{1e30, 1e-44, -1e-44}, openclEdges...)},
		{"maxmag", magnitude(func(x, y float64) bool { return x > y }, math.Max), 0, 1, openclFloats},
		{"minmag", magnitude(func(x, y float64) bool { return x < y }, math.Min), 0, 1, openclFloats},
		{"atan2", math.Atan2, 4, 0.01, openclFloats},
		{"atan2pi", func(y, x float64) float64 { return math.Atan2(y, x) / math.Pi }, 6, 0.01, openclFloats},
		{"pow", math.Pow, 4, 1e-30, openclUnit},
		{"powr", math.Pow, 4, 1e-30, openclPositive[:9]},
	}
	for i := range list {
		switch name := list[i].name; name {
		case "exp10", "log10", "tan":
			for _, kind := range []string{"half_", "native_"} {
				c := list[i]
				c.name = kind + name
				list = append(list, c)
			}
		}
	}
	return list
}

// magnitude chooses by size, of equal ones by f.
func magnitude(before func(x, y float64) bool, f func(x, y float64) float64) func(x, y float64) float64 {
	return func(x, y float64) float64 {
		switch {
		case before(math.Abs(x), math.Abs(y)):
			return x
		case before(math.Abs(y), math.Abs(x)):
			return y
		}
		return f(x, y)
	}
}

// openclSeconds are second operands; each of the first meets each of them.
var openclSeconds = []float64{1, -1, 2, -3, 0.5, -2.5, 0.001}

// openclText is a kernel that stores what an instruction gives for the pair of floats of each item.
func openclText(name string) string {
	operands := "%x %y"
	switch name {
	case "step", "fdim", "hypot", "copysign", "nextafter", "maxmag", "minmag", "atan2", "atan2pi", "pow", "powr":
	default:
		operands = "%x"
	}
	return `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
%cl = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main" %index
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %index BuiltIn GlobalInvocationId
%void = OpTypeVoid
%float = OpTypeFloat 32
%ulong = OpTypeInt 64 0
%lvec3 = OpTypeVector %ulong 3
%one = OpConstant %ulong 1
%three = OpConstant %ulong 3
%word = OpTypePointer CrossWorkgroup %float
%pin = OpTypePointer Input %lvec3
%index = OpVariable %pin Input
%fn = OpTypeFunction %void %word
%main = OpFunction %void None %fn
%buf = OpFunctionParameter %word
%e = OpLabel
%ids = OpLoad %lvec3 %index
%id = OpCompositeExtract %ulong %ids 0
%i = OpIMul %ulong %id %three
%j = OpIAdd %ulong %i %one
%k = OpIAdd %ulong %j %one
%px = OpInBoundsPtrAccessChain %word %buf %i
%py = OpInBoundsPtrAccessChain %word %buf %j
%pr = OpInBoundsPtrAccessChain %word %buf %k
%x = OpLoad %float %px Aligned 4
%y = OpLoad %float %py Aligned 4
%r = OpExtInst %float %cl ` + name + " " + operands + `
OpStore %pr %r Aligned 4
OpReturn
OpFunctionEnd
`
}

// TestOpenCLValues runs the functions of OpenCL.std that the frontend makes of others, and compares them with package math.
func TestOpenCLValues(t *testing.T) {
	for _, c := range openclCases() {
		text := openclText(c.name)
		seconds := openclSeconds
		if !strings.Contains(text, "%x %y\n") {
			seconds = seconds[:1]
		}
		var pairs [][2]float32
		for _, x := range c.xs {
			for _, y := range seconds {
				pairs = append(pairs, [2]float32{float32(x), float32(y)})
			}
		}
		worst := 0.0
		for i, got := range runOpenCL(t, text, pairs) {
			x, y := float64(pairs[i][0]), float64(pairs[i][1])
			want := c.want(x, y)
			off := lastPlaces(float64(got), want, c.least)
			worst = max(worst, off)
			if !(off <= c.ulps) {
				t.Errorf("%s of %g, %g is %g, want %g: %g units of the last place off, want %g at most", c.name, x, y, got, want, off, c.ulps)
			}
		}
		t.Logf("%s: %.3g of %g units of the last place", c.name, worst, c.ulps)
	}
}

// lastPlaces is by how many units of the last place of a float one differs from what is wanted, or from least where that is larger.
func lastPlaces(got, want, least float64) float64 {
	switch {
	case math.IsNaN(want):
		if math.IsNaN(got) {
			return 0
		}
		return math.Inf(1)
	case got == want:
		if want == 0 && math.Signbit(got) != math.Signbit(want) && least == 1 {
			return math.Inf(1)
		}
		return 0
	case math.Abs(want) > math.MaxFloat32 && math.IsInf(got, 0):
		return 0
	}
	_, e := math.Frexp(max(math.Abs(want), least))
	return math.Abs(got-want) / math.Ldexp(1, e-24)
}

// runOpenCL runs a kernel of openclText.
func runOpenCL(t *testing.T, text string, pairs [][2]float32) []float32 {
	t.Helper()
	s, err := Translate(assemble(t, text), Options{panics: true})
	if err == nil {
		err = ir.Validate(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := interp.New(s, interp.Options{WaveSize: 8})
	if err != nil {
		t.Fatal(err)
	}
	groups := (len(pairs) + 7) / 8
	mem := emu.NewMemory()
	out := mem.Alloc(groups * 8 * 12)
	for i, x := range pairs {
		binary.LittleEndian.PutUint32(out.Data[12*i:], math.Float32bits(x[0]))
		binary.LittleEndian.PutUint32(out.Data[12*i+4:], math.Float32bits(x[1]))
	}
	env := &emu.Env{Mem: mem, Bindings: &emu.Bindings{}, Push: append(binary.LittleEndian.AppendUint64(nil, out.Addr), make([]byte, 16)...)}
	params := emu.DispatchParams{Groups: [3]uint32{uint32(groups), 1, 1}, Limits: emu.Limits{Exact: true}}
	if err := emu.Dispatch(context.Background(), p, env, params); err != nil {
		t.Fatal(err)
	}
	list := make([]float32, len(pairs))
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32(out.Data[12*i+8:]))
	}
	return list
}

// TestOpenCLWholes: powers and roots of whole exponents, of either sign.
func TestOpenCLWholes(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int32
		want func(x float64) float64
	}{
		{"pown", 0, func(float64) float64 { return 1 }}, {"pown", 3, func(x float64) float64 { return x * x * x }}, {"pown", -2, func(x float64) float64 { return 1 / (x * x) }},
		{"pown", -1, func(x float64) float64 { return 1 / x }},
		{"rootn", 3, math.Cbrt}, {"rootn", 2, math.Sqrt}, {"rootn", -2, func(x float64) float64 { return 1 / math.Sqrt(x) }}, {"rootn", 0, func(float64) float64 { return math.NaN() }},
		{"rootn", -3, func(x float64) float64 { return 1 / math.Cbrt(x) }},
		{"ldexp", 5, func(x float64) float64 { return x * 32 }}, {"ldexp", -5, func(x float64) float64 { return x / 32 }},
	} {
		text := strings.NewReplacer("%void = ", "%uint = OpTypeInt 32 0\n%n = OpConstant %uint "+fmt.Sprint(uint32(c.n))+"\n%void = ", c.name+" %x\n", c.name+" %x %n\n").Replace(openclText(c.name))
		var pairs [][2]float32
		for _, x := range []float64{1, -1, 2, -2, 0.3, -0.3, 17, -17} {
			pairs = append(pairs, [2]float32{float32(x)})
		}
		for i, got := range runOpenCL(t, text, pairs) {
			x := float64(pairs[i][0])
			if off := lastPlaces(float64(got), c.want(x), 1e-30); !(off <= 16) {
				t.Errorf("%s of %g and %d is %g, want %g: %g units of the last place off", c.name, x, c.n, got, c.want(x), off)
			}
		}
	}
}
