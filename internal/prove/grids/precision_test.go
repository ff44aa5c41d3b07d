package grids

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/passes"
)

// An operation of TestPrecision: z = code of %a and %b, its domain, its value and what Vulkan's "Precision and
// Operation of SPIR-V Instructions" allows.
type precise struct {
	name, code string
	x, y       func(r *rand.Rand) float64
	value      func(x, y float64) float64
	limit      func(p *place) float64
}

// place is where a result is looked at: z is the exact one, of a format of so many bits.
type place struct {
	x, y, z float64
	bits    int
}

// ulp is the distance of numbers around v.
func (p *place) ulp(v float64) float64 {
	digits, least := 24, -149
	if p.bits == 16 {
		digits, least = 11, -24
	}
	_, e := math.Frexp(v)
	return math.Ldexp(1, max(e-digits, least))
}

// of picks the limit of a size.
func (p *place) of(single, half float64) float64 {
	if p.bits == 16 {
		return half
	}
	return single
}

// The limits of operations that others inherit from.
func divLimit(p *place) float64  { return 2.5 * p.ulp(p.z) }
func sineLimit(p *place) float64 { return p.of(0x1p-11, 0x1p-7) }
func expLimit(p *place) float64  { return p.expOf(p.x, p.z) }
func logLimit(p *place) float64  { return p.logOf(p.x, p.z) }
func rsqLimit(p *place) float64  { return 2 * p.ulp(p.z) }
func atanLimit(p *place) float64 { return p.of(4096, 5) * p.ulp(p.z) }

func (p *place) expOf(x, z float64) float64 {
	return (p.of(3, 1) + 2*math.Abs(x)) * p.ulp(z)
}

func (p *place) logOf(x, z float64) float64 {
	if x >= 0.5 && x <= 2 {
		return p.of(0x1p-21, 0x1p-7)
	}
	return 3 * p.ulp(z)
}

// sqrtLimit is that of 1/inversesqrt.
func sqrtLimit(p *place) float64 {
	r := 1 / p.z
	return p.z*p.z*2*p.ulp(r) + 2.5*p.ulp(p.z)
}

// powLimit is that of exp2(y * log2(x)).
func powLimit(p *place) float64 {
	l := math.Log2(p.x)
	e := p.y * l
	off := math.Abs(p.y)*p.logOf(p.x, l) + p.ulp(e)/2
	return p.z*(math.Exp2(off)-1) + p.expOf(math.Abs(e)+off, p.z*math.Exp2(off))
}

// tanLimit is that of sin/cos.
func tanLimit(p *place) float64 {
	s, c, d := math.Abs(math.Sin(p.x)), math.Abs(math.Cos(p.x)), sineLimit(p)
	if c <= 2*d {
		return math.Inf(1)
	}
	return (s+d)/(c-d) - s/c + 2.5*p.ulp((s+d)/(c-d))
}

// hyperbolic is the limit of half a sum or difference of e^x and e^-x.
func hyperbolic(p *place) float64 {
	a, b := math.Exp(p.x), math.Exp(-p.x)
	return p.expOf(p.x, a) + p.expOf(p.x, b) + p.ulp(a+b)
}

// tanhLimit is that of sinh/cosh.
func tanhLimit(p *place) float64 {
	return 2*hyperbolic(p)/math.Cosh(p.x) + 2.5*p.ulp(p.z)
}

// logOfSum is the limit of log(x + sqrt(x*x +- 1)).
func logOfSum(p *place) float64 {
	x := math.Abs(p.x)
	root := math.Sqrt(x*x + math.Copysign(1, p.y))
	off := 8*p.ulp(x+root) + 3*p.ulp(x*x+1)/max(root, math.Sqrt(p.ulp(x*x)))
	return off/(x+root) + p.logOf(x+root, p.z)
}

// atanhLimit is that of log((1+x)/(1-x)) / 2.
func atanhLimit(p *place) float64 {
	q := (1 + p.x) / (1 - p.x)
	off := 2.5*p.ulp(q)/q + p.ulp(1+p.x)/(1+p.x) + p.ulp(1-p.x)/(1-p.x)
	return off + p.logOf(q, 2*p.z) + p.ulp(p.z)
}

// Domains.
func between(lo, hi float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return lo + (hi-lo)*r.Float64() }
}

func magnitudes(lo, hi float64, signs bool) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		v := math.Exp2(lo + (hi-lo)*r.Float64())
		if r.IntN(16) == 0 {
			v = math.Exp2(math.Round(math.Log2(v)))
		}
		if signs && r.IntN(2) == 0 {
			return -v
		}
		return v
	}
}

func one(f func(float64) float64) func(x, _ float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

func gl(name string, args string) string { return "%r = OpExtInst %float %gl " + name + " " + args }

// preciseOps are the operations. Sizes of operands are for both formats, where they fit into halves.
func preciseOps(bits int) []precise {
	top := 13.0 // largest exponent of operands
	if bits == 32 {
		top = 125
	}
	near1 := func(r *rand.Rand) float64 { return 1 + (r.Float64()-0.5)/8 }
	positive := magnitudes(-top, top, false)
	few := between(-8, 8)
	return []precise{
		{"division", "%r = OpFDiv %float %a %b", magnitudes(-top/2, top/2, true), magnitudes(-top/2, top/2, true), func(x, y float64) float64 { return x / y }, divLimit},
		{"division by large and small numbers", "%r = OpFDiv %float %a %b", magnitudes(-1, 1, true), magnitudes(-top, top, true), func(x, y float64) float64 { return x / y }, divLimit},
		{"reciprocal", "%r = OpFDiv %float %one %a", positive, near1, func(x, _ float64) float64 { return 1 / x }, divLimit},
		{"inversesqrt", gl("InverseSqrt", "%a"), positive, near1, one(func(x float64) float64 { return 1 / math.Sqrt(x) }), rsqLimit},
		{"sqrt", gl("Sqrt", "%a"), positive, near1, one(math.Sqrt), sqrtLimit},
		{"sin", gl("Sin", "%a"), between(-math.Pi, math.Pi), near1, one(math.Sin), sineLimit},
		{"cos", gl("Cos", "%a"), between(-math.Pi, math.Pi), near1, one(math.Cos), sineLimit},
		{"tan", gl("Tan", "%a"), between(-1.5, 1.5), near1, one(math.Tan), tanLimit},
		{"exp2", gl("Exp2", "%a"), between(-top, top), near1, one(math.Exp2), expLimit},
		{"exp", gl("Exp", "%a"), between(-top*0.69, top*0.69), near1, one(math.Exp), expLimit},
		{"exp of small numbers", gl("Exp", "%a"), between(-1, 1), near1, one(math.Exp), expLimit},
		{"log2", gl("Log2", "%a"), positive, near1, one(emu.Log2), logLimit},
		{"log2 around 1", gl("Log2", "%a"), between(0.4, 2.2), near1, one(emu.Log2), logLimit},
		{"log", gl("Log", "%a"), positive, near1, one(math.Log), logLimit},
		{"log around 1", gl("Log", "%a"), between(0.4, 2.2), near1, one(math.Log), logLimit},
		{"pow", gl("Pow", "%a %b"), magnitudes(-3, 3, false), between(-4, 4), math.Pow, powLimit},
		{"asin", gl("Asin", "%a"), between(-1, 1), near1, one(math.Asin), atanLimit},
		{"acos", gl("Acos", "%a"), between(-1, 0.9), near1, one(math.Acos), atanLimit},
		{"atan", gl("Atan", "%a"), magnitudes(-10, 10, true), near1, one(math.Atan), atanLimit},
		{"atan2", gl("Atan2", "%a %b"), magnitudes(-6, 6, true), magnitudes(-6, 6, true), math.Atan2, atanLimit},
		{"sinh", gl("Sinh", "%a"), few, near1, one(math.Sinh), hyperbolic},
		{"cosh", gl("Cosh", "%a"), few, near1, one(math.Cosh), hyperbolic},
		{"tanh", gl("Tanh", "%a"), few, near1, one(math.Tanh), tanhLimit},
		{"asinh", gl("Asinh", "%a"), magnitudes(-2, 6, true), func(*rand.Rand) float64 { return 1 }, one(math.Asinh), logOfSum},
		{"acosh", gl("Acosh", "%a"), magnitudes(0.1, 6, false), func(*rand.Rand) float64 { return -1 }, one(math.Acosh), logOfSum},
		{"atanh", gl("Atanh", "%a"), between(-0.95, 0.95), near1, one(math.Atanh), atanhLimit},
		{"fma", gl("Fma", "%a %b %a"), magnitudes(-5, 5, true), magnitudes(-5, 5, true), func(x, y float64) float64 { return x*y + x }, func(p *place) float64 { return p.ulp(p.x*p.y)/2 + p.ulp(p.z)/2 }},
		{"ldexp", gl("Ldexp", "%a %three"), magnitudes(-5, 5, true), near1, one(func(x float64) float64 { return 8 * x }), func(*place) float64 { return 0 }},
		{"radians", gl("Radians", "%a"), between(-360, 360), near1, one(func(x float64) float64 { return x * math.Pi / 180 }), func(p *place) float64 { return 1.5 * p.ulp(p.z) }},
	}
}

// preciseText is a module that computes the operations, each in so many invocations on operands of its own, in
// workgroups of 64: invocation i is operation i/n.
func preciseText(ops []precise, bits, n int) string {
	var cases, blocks strings.Builder
	for i, op := range ops {
		fmt.Fprintf(&cases, " %d %%case%d", i, i)
		code := strings.ReplaceAll(op.code, "%r", fmt.Sprintf("%%r%d", i))
		fmt.Fprintf(&blocks, "%%case%d = OpLabel\n%s\nOpStore %%pz %%r%d\nOpBranch %%end\n", i, code, i)
	}
	switchText := fmt.Sprintf("%%k = OpUDiv %%u32 %%i %%n\nOpSelectionMerge %%end None\nOpSwitch %%k %%end%s\n%s%%end = OpLabel", cases.String(), blocks.String())
	text := floatText("DenormFlushToZero", uint8(bits), "OP")
	text = strings.Replace(text, "OpCapability DenormFlushToZero\n", "", 1)
	text = strings.Replace(text, fmt.Sprintf("OpExecutionMode %%main DenormFlushToZero %d\n", bits), "", 1)
	text = strings.Replace(text, "OpMemoryModel", "%gl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel", 1)
	consts := fmt.Sprintf("%%c0 = OpConstant %%u32 0\n%%n = OpConstant %%u32 %d\n%%s32 = OpTypeInt 32 1\n%%three = OpConstant %%s32 3\n%%one = OpConstant %%float 1\n", n)
	text = strings.Replace(text, "%c0 = OpConstant %u32 0\n", consts, 1)
	return strings.Replace(text, "\nOP\nOpStore %pz %r\n", "\n"+switchText+"\n", 1)
}

// TestPrecision holds results to Vulkan's limits while the operations that hardware approximates are off by the worst
// that each core's table allows: all results too large, all too small, and either way.
func TestPrecision(t *testing.T) {
	const n = 64
	checked := 0
	for _, bits := range []int{32, 16} {
		ops := preciseOps(bits)
		m, err := nirc.Load([]byte(preciseText(ops, bits, n)), "precision.spvasm")
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []nirc.Options{{Target: nirc.IRTarget}, {Target: "ir3"}, {Target: "agx"}, {Target: "midgard"}} {
			o.Level = passes.O2
			for seed := range uint64(3) {
				if o.Target == nirc.IRTarget && seed > 0 {
					continue
				}
				x, y, z, err := runPrecise(m, o, ops, bits, n, seed+1)
				if err != nil {
					t.Errorf("%s%s, %d bits: %v", o.Target, o.GPU, bits, err)
					break
				}
				for i, op := range ops {
					checked += n
					if worst := worstOf(op, bits, x[i*n:][:n], y[i*n:][:n], z[i*n:][:n]); worst != "" {
						t.Errorf("%s%s, seed %d, %d bits: %s %s", o.Target, o.GPU, seed+1, bits, op.name, worst)
					}
				}
			}
		}
	}
	t.Logf("%d results", checked)
}

// runPrecise runs the operations on operands of a seed.
func runPrecise(m *nirc.Module, o nirc.Options, ops []precise, bits, n int, seed uint64) (x, y, z []float64, err error) {
	r := rand.New(rand.NewPCG(seed, uint64(bits)))
	size := bits / 8
	bx, by := make([]byte, 0, len(ops)*n*size), make([]byte, 0, len(ops)*n*size)
	for _, op := range ops {
		for range n {
			var a, b float64
			bx, a = putFloat(bx, op.x(r), bits)
			by, b = putFloat(by, op.y(r), bits)
			x, y = append(x, a), append(y, b)
		}
	}
	bz := make([]byte, len(bx))
	e := &exec.Execution{Modules: []*nirc.Module{m}, Options: o, Groups: [3]uint32{uint32(len(ops) * n / 64), 1, 1}, Limits: emu.Limits{Check: true, Seed: seed},
		Bindings: []exec.Binding{{Binding: 0, Data: bx}, {Binding: 1, Data: by}, {Binding: 2, Data: bz}}}
	if err := exec.Execute(context.Background(), e); err != nil {
		return nil, nil, nil, err
	}
	for i := range x {
		z = append(z, getFloat(bz[i*size:], bits))
	}
	return x, y, z, nil
}

func putFloat(b []byte, v float64, bits int) ([]byte, float64) {
	if bits == 16 {
		h := emu.FloatToHalf(float32(v))
		return binary.LittleEndian.AppendUint16(b, h), float64(emu.HalfToFloat(h))
	}
	f := float32(v)
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(f)), float64(f)
}

func getFloat(b []byte, bits int) float64 {
	if bits == 16 {
		return float64(emu.HalfToFloat(binary.LittleEndian.Uint16(b)))
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}

// worstOf says how the result that is farthest off for its limit is wrong, "" if none is.
func worstOf(op precise, bits int, x, y, z []float64) string {
	worst, text := 1.0, ""
	for i := range x {
		p := place{x: x[i], y: y[i], z: op.value(x[i], y[i]), bits: bits}
		least, most := 0x1p-126, float64(math.MaxFloat32)
		if bits == 16 {
			least, most = 0x1p-14, 65504
		}
		limit := max(op.limit(&p), p.ulp(p.z)/2)
		off := math.Abs(z[i] - p.z)
		switch {
		case math.Abs(p.z) < least && z[i] == 0, math.Abs(p.z)+limit > most: // flushed; overflow
			continue
		case off != off || off/limit > worst:
			worst = off / limit
			text = fmt.Sprintf("of %g and %g is %g, not %g: off by %g, %g are allowed (%g ulp)", x[i], y[i], z[i], p.z, off, limit, limit/p.ulp(p.z))
		}
	}
	return text
}

// integerText computes z = a op b of integers of a size.
func integerText(op string, bits int) string {
	text := floatText("X", 32, op)
	text = strings.Replace(text, "OpCapability X\n", "", 1)
	text = strings.Replace(text, "OpExecutionMode %main X 32\n", "", 1)
	caps := map[int]string{8: "OpCapability Int8\nOpCapability StorageBuffer8BitAccess\nOpExtension \"SPV_KHR_8bit_storage\"\n", 16: "OpCapability Int16\nOpCapability StorageBuffer16BitAccess\n", 64: "OpCapability Int64\n"}
	text = strings.Replace(text, "OpMemoryModel", caps[bits]+"OpMemoryModel", 1)
	text = strings.Replace(text, "ArrayStride 4", fmt.Sprintf("ArrayStride %d", bits/8), 1)
	if bits == 32 {
		return strings.NewReplacer("%float = OpTypeFloat 32\n", "", "%float", "%u32").Replace(text)
	}
	return strings.Replace(text, "%float = OpTypeFloat 32", fmt.Sprintf("%%float = OpTypeInt %d 0", bits), 1)
}

// TestDivisions divides integers, which targets without an instruction for it do by reciprocals that are off: quotients and
// remainders have to be exact all the same.
func TestDivisions(t *testing.T) {
	signed := func(v uint64, bits int) int64 { return int64(v<<(64-bits)) >> (64 - bits) }
	for _, op := range []struct {
		name string
		f    func(a, b uint64, bits int) uint64
	}{
		{"OpUDiv", func(a, b uint64, _ int) uint64 { return a / b }},
		{"OpSDiv", func(a, b uint64, n int) uint64 { return uint64(signed(a, n) / signed(b, n)) }},
		{"OpSMod", func(a, b uint64, n int) uint64 {
			m := signed(a, n) % signed(b, n)
			if m != 0 && (m < 0) != (signed(b, n) < 0) {
				m += signed(b, n)
			}
			return uint64(m)
		}},
	} {
		for _, bits := range []int{8, 16, 32, 64} {
			m, err := nirc.Load([]byte(integerText("%r = "+op.name+" %float %a %b", bits)), "division.spvasm")
			if err != nil {
				t.Fatal(err)
			}
			x, y := dividends(bits, strings.HasPrefix(op.name, "OpS"))
			for _, target := range []string{"ir3", "agx", "midgard"} {
				for seed := range uint64(2) {
					got, err := runIntegers(m, nirc.Options{Target: target, Level: passes.O2}, bits, x, y, seed+1)
					if err != nil {
						t.Errorf("%s: %s of %d bits: %v", target, op.name, bits, err)
						break
					}
					for i := range x {
						if want := op.f(x[i], y[i], bits) << (64 - bits) >> (64 - bits); got[i] != want {
							t.Errorf("%s, seed %d: %s of %d bits: of %#x and %#x is %#x, want %#x", target, seed+1, op.name, bits, x[i], y[i], got[i], want)
							break
						}
					}
				}
			}
		}
	}
}

// dividends are pairs around the places where a quotient that is estimated too large or small shows: multiples of the
// divisor and their neighbours.
func dividends(bits int, signed bool) (x, y []uint64) {
	r := rand.New(rand.NewPCG(uint64(bits), 7))
	mask := ^uint64(0) >> (64 - bits)
	for len(x) < 256 {
		d := r.Uint64() & mask >> r.IntN(bits)
		if d == 0 {
			continue
		}
		q := r.Uint64() & mask >> r.IntN(bits)
		n := (q*d + uint64(r.IntN(3)) - 1) & mask
		if r.IntN(4) == 0 {
			n = mask - uint64(r.IntN(3))
		}
		if signed && n == (mask>>1)+1 && d == mask {
			continue // overflows
		}
		x, y = append(x, n), append(y, d)
	}
	return x, y
}

func runIntegers(m *nirc.Module, o nirc.Options, bits int, x, y []uint64, seed uint64) ([]uint64, error) {
	size := bits / 8
	data := [3][]byte{}
	for i := range x {
		data[0] = binary.LittleEndian.AppendUint64(data[0], x[i])[:(i+1)*size]
		data[1] = binary.LittleEndian.AppendUint64(data[1], y[i])[:(i+1)*size]
	}
	data[2] = make([]byte, len(data[0]))
	e := &exec.Execution{Modules: []*nirc.Module{m}, Options: o, Groups: [3]uint32{uint32(len(x) / 64), 1, 1}, Limits: emu.Limits{Check: true, Seed: seed},
		Bindings: []exec.Binding{{Binding: 0, Data: data[0]}, {Binding: 1, Data: data[1]}, {Binding: 2, Data: data[2]}}}
	if err := exec.Execute(context.Background(), e); err != nil {
		return nil, err
	}
	z := make([]uint64, len(x))
	for i := range z {
		z[i] = emu.LoadBytes(data[2][i*size:], size)
	}
	return z, nil
}

// TestExceptions holds minima, maxima and conversions of NaN, zeros, infinities and numbers out of range to what SPIR-V and
// GLSL.std.450 leave: N forms return the other operand of a NaN; the others either; either zero is the smaller.
func TestExceptions(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	special := []float64{0, math.Copysign(0, -1), 1, -2.5, inf, -inf, nan, 1024}
	pick := func(k int) func(*rand.Rand) float64 {
		i := 0
		return func(*rand.Rand) float64 {
			i++
			return special[(i-1)/k%len(special)]
		}
	}
	min2, max2 := func(x, y float64) float64 { return min(x, y) }, func(x, y float64) float64 { return max(x, y) }
	clamp := func(x, y float64) float64 { return min(max(x, min(y, 1)), 1) }
	for _, bits := range []int{32, 16} {
		var ops []precise
		for _, op := range []struct {
			name, code string
			f          func(x, y float64) float64
		}{
			{"FMin", gl("FMin", "%a %b"), min2}, {"FMax", gl("FMax", "%a %b"), max2}, {"NMin", gl("NMin", "%a %b"), min2}, {"NMax", gl("NMax", "%a %b"), max2},
			{"NClamp", "%lo = " + gl("NMin", "%b %one")[5:] + "\n" + gl("NClamp", "%a %lo %one"), clamp},
		} {
			ops = append(ops, precise{name: op.name, code: op.code, x: pick(len(special)), y: pick(1), value: op.f})
		}
		m, err := nirc.Load([]byte(preciseText(ops, bits, 64)), "exceptions.spvasm")
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
			for k := range ops {
				ops[k].x, ops[k].y = pick(len(special)), pick(1)
			}
			x, y, z, err := runPrecise(m, nirc.Options{Target: target, Level: passes.O2}, ops, bits, 64, 1)
			if err != nil {
				t.Errorf("%s, %d bits: %v", target, bits, err)
				continue
			}
			for i := range z {
				op := &ops[i/64]
				if !exceptional(op.name, x[i], y[i], z[i], op.value(x[i], y[i])) {
					t.Errorf("%s, %d bits: %s of %g and %g is %g", target, bits, op.name, x[i], y[i], z[i])
				}
			}
		}
	}
}

// exceptional reports whether z may come of x and y, of numbers want.
func exceptional(name string, x, y, z, want float64) bool {
	nanX, nanY := x != x, y != y
	same := func(a, b float64) bool { return a == b || a != a && b != b }
	switch {
	case name == "NClamp" && nanX: // of NaN and its bounds, the lower of which is a minimum too
		return nanY && z == 1 || z == min(y, 1)
	case name == "NClamp" && nanY:
		return z == 1 // both bounds are
	case nanX && nanY:
		return z != z
	case !nanX && !nanY:
		return z == want
	case name[0] == 'F':
		return same(z, x) || same(z, y)
	case nanX:
		return z == y
	}
	return z == x
}

// TestDoubles computes quotients and roots of 64 bits, which all targets make of 32-bit reciprocals that are off: they
// have to be within a unit in the last place all the same.
func TestDoubles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var x, y []uint64
	for range 256 {
		x = append(x, math.Float64bits(math.Exp2(r.Float64()*200-100)))
		y = append(y, math.Float64bits(math.Exp2(r.Float64()*200-100)))
	}
	for _, op := range []struct {
		code string
		f    func(a, b float64) float64
	}{
		{"%r = OpFDiv %float %a %b", func(a, b float64) float64 { return a / b }},
		{gl("Sqrt", "%a"), one(math.Sqrt)},
		{gl("InverseSqrt", "%a"), one(func(a float64) float64 { return 1 / math.Sqrt(a) })},
	} {
		text := strings.NewReplacer("OpCapability X\n", "", "OpExecutionMode %main X 64\n", "", "OpMemoryModel", "%gl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel").
			Replace(floatText("X", 64, op.code))
		m, err := nirc.Load([]byte(text), "doubles.spvasm")
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range []string{"ir3", "agx", "midgard"} {
			for seed := range uint64(2) {
				z, err := runIntegers(m, nirc.Options{Target: target, Level: passes.O2}, 64, x, y, seed+1)
				if err != nil {
					t.Errorf("%s: %s: %v", target, op.code, err)
					break
				}
				for i := range z {
					a, b := math.Float64frombits(x[i]), math.Float64frombits(y[i])
					if d := int64(z[i] - math.Float64bits(op.f(a, b))); d < -1 || d > 1 {
						t.Errorf("%s, seed %d: %s of %g and %g is off by %d ulp", target, seed+1, op.code, a, b, d)
						break
					}
				}
			}
		}
	}
}
