package exec

import (
	"context"
	"math"
	"os"
	"slices"
	"testing"

	"nirc"
	"nirc/frontend/spirv"
	"nirc/internal/emu"
	"nirc/passes"
)

// TestKernelPrintf: what a kernel prints comes out as C would write it, on all targets, in whatever order the items come.
func TestKernelPrintf(t *testing.T) {
	text, err := os.ReadFile("testdata/kernels/print.spv")
	if err != nil {
		t.Fatal(err)
	}
	m, err := nirc.Load(text, "print.spv")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"n -42 %  1.00 ext",
		"i=0 v=1.000000,2.000000,3.000000,4.000000 c=a u=250 l=123456789abcdef0",
		"i=1 v=5.000000,6.000000,7.000000,8.000000 c=b u=251 l=123456789abcdef1",
		"i=2 v=9.000000,10.000000,11.000000,12.000000 c=c u=252 l=123456789abcdef2",
		"i=3 v=-13.000000,0.500000,10000000000.000000,inf c=d u=253 l=123456789abcdef3",
		"odd 1,-1,-42,7|1,-16", "odd 3,-3,-42,7|3,-16",
		"0x1p+1 +0.000e+00 3 0", "0x1.8p+2 +1.500e+00 7 0", "0x1.4p+3 +3.000e+00 11 0x1", "0x1p-1 +4.500e+00 1e+10 0x1",
		"open",
	}
	slices.Sort(want)
	for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		for _, level := range []passes.Level{passes.O0, passes.O2} {
			x := &Execution{Modules: []*nirc.Module{m}, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}, Options: nirc.Options{Target: target, Level: level, WorkgroupSize: [3]uint32{4, 1, 1}},
				Args: []Arg{data(make([]int32, 4)...), data[float32](1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, -13, 0.5, 1e10, float32(math.Inf(1))), data[int32](-42)}}
			if err := Execute(context.Background(), x); err != nil {
				t.Errorf("%s %s: %v", target, level, err)
				continue
			}
			slices.Sort(x.Printed)
			if !slices.Equal(x.Printed, want) {
				t.Errorf("%s %s: %q, want %q", target, level, x.Printed, want)
			}
			if got := get[int32](x.Args[0].Data); !slices.Equal(got, []int32{7, 7, 7, 7}) {
				t.Errorf("%s %s: the calls gave %v, want 7 + 0", target, level, got)
			}
		}
	}
}

// TestFormatPrintf holds conversions to what C writes.
func TestFormatPrintf(t *testing.T) {
	real := func(x float64) []uint32 {
		b := math.Float64bits(x)
		return []uint32{uint32(b), uint32(b >> 32)}
	}
	double := spirv.PrintfArg{Components: 1, Float: true, Bits: 64}
	word, long := spirv.PrintfArg{Components: 1, Bits: 32}, spirv.PrintfArg{Components: 1, Bits: 64}
	signed := spirv.PrintfArg{Components: 1, Bits: 64, Signed: true}
	for _, c := range []struct {
		format string
		arg    spirv.PrintfArg
		words  []uint32
		want   string
	}{
		{"%g", double, real(0.1), "0.1"},
		{"%g", double, real(1234567), "1.23457e+06"},
		{"%g", double, real(100000), "100000"},
		{"%.3g", double, real(0.00001234), "1.23e-05"},
		{"%G", double, real(1e-10), "1E-10"},
		{"%8.2e|", double, real(-12345), "-1.23e+04|"},
		{"%a", double, real(1), "0x1p+0"},
		{"%.2a", double, real(1.999), "0x1.00p+1"},
		{"%A", double, real(-0.1), "-0X1.999999999999AP-4"},
		{"%12a|", double, real(0.5), "      0x1p-1|"},
		{"%-10a|", double, real(0.5), "0x1p-1    |"},
		{"%f", double, real(math.Inf(-1)), "-inf"},
		{"%+F", double, real(math.Inf(1)), "+INF"},
		{"%10f|", double, real(math.Inf(1)), "       inf|"},
		{"%e", double, real(math.NaN()), "nan"},
		{"%d", double, real(-2.9), "-2"},
		{"%d", word, []uint32{1<<32 - 3}, "-3"},
		{"%u", word, []uint32{1<<32 - 3}, "4294967293"},
		{"%hhd", word, []uint32{0x1ff}, "-1"},
		{"%hu", word, []uint32{0x1ffff}, "65535"},
		{"%.4d|%%", word, []uint32{7}, "0007|%"},
		{"%05i", word, []uint32{1<<32 - 7}, "-0007"},
		{"%c%%", word, []uint32{'x'}, "x%"},
		{"%lx", signed, []uint32{1<<32 - 1, 1<<32 - 1}, "ffffffffffffffff"},
		{"%ld", long, []uint32{1<<32 - 1, 1<<32 - 1}, "-1"},
		{"%#x %%", word, []uint32{0}, "0 %"},
		{"%#o %%", word, []uint32{8}, "010 %"},
		{"%p", long, []uint32{0x1000, 2}, "0x200001000"},
		{"%f", word, []uint32{3}, "3.000000"},
		{"%v16hhx|", spirv.PrintfArg{Components: 2, Bits: 32}, []uint32{255, 1}, "ff,1|"},
		{"%-6s|", spirv.PrintfArg{Text: "abc"}, nil, "abc   |"},
		{"%6.2s|", spirv.PrintfArg{Text: "abc"}, nil, "    ab|"},
		{"%", word, nil, "%"},
		{"%f", signed, []uint32{1<<32 - 3, 1<<32 - 1}, "-3.000000"},
		{"%f", long, []uint32{1, 1}, "4294967297.000000"},
		{"<%d>", long, []uint32{1}, "<>"},
		{"%v2d|", spirv.PrintfArg{Components: 2, Bits: 32}, []uint32{5}, "5|"},
		{"%-3y|", word, []uint32{5}, "%-3y|"},
		{"%5.3", word, []uint32{5}, "%5.3"},
		{"%d %d", word, []uint32{5}, "5 %d"},
	} {
		if got := formatPrintf(&spirv.PrintfCall{Format: c.format, Args: []spirv.PrintfArg{c.arg}, Kernel: true}, c.words); got != c.want {
			t.Errorf("%s of %v: %q, want %q", c.format, c.words, got, c.want)
		}
	}
}
