package passes

import (
	"context"
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"math/rand"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// doubleOps are the operations that lower_doubles writes, by the size of the
// first source; others are of the size that the table says, or 64.
var doubleOps = []struct {
	op   ir.Op
	bits uint8
}{
	{ir.OpFadd, 64}, {ir.OpFsub, 64}, {ir.OpFmul, 64}, {ir.OpFfma, 64}, {ir.OpFdiv, 64}, {ir.OpFrcp, 64}, {ir.OpFsqrt, 64}, {ir.OpFrsq, 64},
	{ir.OpFneg, 64}, {ir.OpFabs, 64}, {ir.OpFsat, 64}, {ir.OpFsatSigned, 64}, {ir.OpFclampPos, 64}, {ir.OpFsign, 64}, {ir.OpFmin, 64}, {ir.OpFmax, 64},
	{ir.OpFfloor, 64}, {ir.OpFceil, 64}, {ir.OpFtrunc, 64}, {ir.OpFroundEven, 64}, {ir.OpFfract, 64}, {ir.OpFmod, 64}, {ir.OpFrem, 64}, {ir.OpFlrp, 64},
	{ir.OpLdexp, 64}, {ir.OpFrexpSig, 64}, {ir.OpFrexpExp, 64}, {ir.OpFquantize2f16, 64}, {ir.OpFisnormal, 64}, {ir.OpFisfinite, 64},
	{ir.OpFlt, 64}, {ir.OpFge, 64}, {ir.OpFeq, 64}, {ir.OpFneu, 64}, {ir.OpFltu, 64}, {ir.OpFgeu, 64}, {ir.OpFequ, 64}, {ir.OpFneo, 64}, {ir.OpFunord, 64}, {ir.OpFord, 64},
	{ir.OpSlt, 64}, {ir.OpSge, 64}, {ir.OpSeq, 64}, {ir.OpSne, 64},
	{ir.OpF2f16, 64}, {ir.OpF2f16Rtne, 64}, {ir.OpF2f16Rtz, 64}, {ir.OpF2f32, 64}, {ir.OpF2f64, 16}, {ir.OpF2f64, 32}, {ir.OpF2f64, 64},
	{ir.OpI2f64, 1}, {ir.OpI2f64, 8}, {ir.OpI2f64, 16}, {ir.OpI2f64, 32}, {ir.OpI2f64, 64}, {ir.OpU2f64, 1}, {ir.OpU2f64, 8}, {ir.OpU2f64, 16}, {ir.OpU2f64, 32}, {ir.OpU2f64, 64},
	{ir.OpB2f64, 1}, {ir.OpB2f64, 8}, {ir.OpB2f64, 32},
	{ir.OpF2i1, 64}, {ir.OpF2i8, 64}, {ir.OpF2i16, 64}, {ir.OpF2i32, 64}, {ir.OpF2i64, 64}, {ir.OpF2u1, 64}, {ir.OpF2u8, 64}, {ir.OpF2u16, 64}, {ir.OpF2u32, 64}, {ir.OpF2u64, 64},
	{ir.OpFdot2, 64}, {ir.OpFdot3Replicated, 64}, {ir.OpFdph, 64}, {ir.OpFsum3, 64}, {ir.OpBallFequal2, 64}, {ir.OpBanyFnequal3, 64},
}

// doubleEdges are values at which operations on doubles change.
var doubleEdges = func() []uint64 {
	var l []uint64
	for _, v := range []float64{0, math.SmallestNonzeroFloat64, 0x1p-1073, 0x0.fffffffffffffp-1022, 0x1p-1022, 0x1.0000000000001p-1022, 0x1p-538, 0x1p-537, 0x1p-512, 0x1p-511,
		0x1p-150, 0x1.8p-150, 0x1p-149, 0x1.fffffep-127, 0x1p-126, 0x1p-25, 0x1.8p-25, 0x1p-24, 0x1p-15, 0x1.ffcp-15, 0x1p-14, 0x1p-53, 0x1p-52, 0.25, 0x1.fffffffffffffp-2, 0.5,
		0x1.0000000000001p-1, 0.75, 0x1.fffffffffffffp-1, 1, 0x1.0000000000001p0, 1.5, 0x1.fffffffffffffp0, 2, 2.5, 3, 3.5, 7, 10, 127, 127.5, 128, 255, 255.5, 256, 32767.5, 32768, 65504,
		65519.99, 65520, 65535.5, 65536, 0x1p24 + 1, 0x1.000001p0, 0x1.0000010000001p0, 0x1.000003p0, 0x1p31 - 0.5, 0x1p31, 0x1p32 - 0.5, 0x1p32, 0x1p51 + 0.5, 0x1p52 - 0.5, 0x1p52, 0x1p53 - 1, 0x1p53,
		0x1p63, 0x1.fffffffffffffp62, 0x1p64, 0x1.fffffffffffffp63, 0x1.fffffefp127, 0x1.ffffffp127, 0x1p128, 0x1p511, 0x1p512, 0x1p1023, math.MaxFloat64, math.Inf(1), math.Pi, 1.0 / 3} {
		l = append(l, math.Float64bits(v), math.Float64bits(-v))
	}
	return append(l, 0x7ff8000000000000, 0x7ff0000000000001, 0xfff8000000000000, 0x7ff0000100000000, 0xfff0000000000001)
}()

// randomDouble returns bits of a value of any kind, related to the one before.
func randomDouble(r *rand.Rand, before uint64) uint64 {
	v := r.Uint64()
	switch r.Intn(8) {
	case 0:
		return doubleEdges[r.Intn(len(doubleEdges))]
	case 1: // near the other in size
		e := before>>52&0x7ff + uint64(r.Intn(7)) - 3
		return v&^(0x7ff<<52) | e&0x7ff<<52
	case 2: // nearly the other
		return (before + uint64(r.Intn(5)) - 2) ^ v&(1<<63)
	case 3: // few bits
		return v &^ (1<<r.Intn(53) - 1)
	case 4: // a long run of ones or zeros
		n := r.Intn(52)
		return v&^(1<<52-1) | uint64(1)<<n - uint64(r.Intn(2))
	case 5: // moderate
		return v&^(0x7ff<<52) | uint64(1023-70+r.Intn(140))<<52
	case 6: // denormal
		return v & (1<<63 | (1<<52-1)>>r.Intn(52))
	}
	return v
}

// doubleCases are operands of an operation: edges, for operations on two or
// three some pairs of them, and random ones.
func doubleCases(r *rand.Rand, op ir.Op, bits uint8, few bool) [][3]uint64 {
	var l [][3]uint64
	n, part, random := len(op.Info().In), 3, 2000
	if few {
		part, random = 1, 500
	}
	for _, x := range doubleEdges {
		for k, y := range doubleEdges {
			if k == 0 || n > 1 && r.Intn(16) < part {
				l = append(l, [3]uint64{x, y, doubleEdges[r.Intn(len(doubleEdges))]})
			}
		}
	}
	for range random {
		var c [3]uint64
		c[0] = randomDouble(r, math.Float64bits(1))
		c[1] = randomDouble(r, c[0])
		c[2] = randomDouble(r, c[r.Intn(2)])
		if op == ir.OpFfma && r.Intn(2) == 0 { // the addend near the product
			p := math.Float64frombits(c[0]) * math.Float64frombits(c[1])
			c[2] = math.Float64bits(-p) + uint64(r.Intn(3)) - 1
		}
		l = append(l, c)
	}
	for i := range l {
		c := &l[i]
		switch {
		case op == ir.OpLdexp:
			c[1] = uint64(int64(r.Intn(4400)-2200)) & math.MaxUint32
			switch i % 16 {
			case 0:
				c[1] = uint64(r.Uint32())
			case 1: // into the denormals
				c[1] = uint64(-int64(c[0]>>52&0x7ff)-int64(r.Intn(60))+4) & math.MaxUint32
			}
		case op == ir.OpB2f64:
			c[0] = uint64(-int64(c[0]&1)) & (1<<(bits-1)<<1 - 1)
		case bits == 32 && op == ir.OpF2f64:
			c[0] = c[0]>>32&0xff800000 | c[0]&0x7fffff>>(c[1]&31)
		case bits == 16:
			c[0] = c[0] & 0xffff
		case bits < 64:
			c[0] &= 1<<bits - 1
		case op == ir.OpI2f64 || op == ir.OpU2f64:
			c[0] = randomBits(r, 64)
		}
	}
	return l
}

// doubleShader computes an exact operation on the three words at each invocation's
// place in a buffer and stores the result after them.
func doubleShader(op ir.Op, bits uint8, fc ir.FloatControls, opts *ir.Options) *ir.Shader {
	s := ir.NewShader(ir.StageCompute, opts)
	s.Info.WorkgroupSize = [3]uint32{64, 1, 1}
	s.Info.FloatControls = fc
	f := s.NewFunction("main")
	f.IsEntry = true
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	group := b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0)
	local := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
	at := b.Imul(b.Iadd(b.Imul(group, b.Imm32(64)), local), b.Imm32(32))
	handle := b.Imm32(0)
	v := b.Intrinsic(ir.IntrLoadSsbo, 4, 64, handle, at).Set(ir.IdxAlignMul, 8)
	var srcs []*ir.Def
	for k, t := range op.Info().In {
		x := b.Channel(&v.Def, k)
		if t.Comps > 1 { // horizontal
			x = b.Swizzle(&v.Def, []int{0, 1, 2, 0, 2, 1, 1}[k:][:t.Comps]...)
		}
		w := bits
		if k > 0 {
			w = max(t.Bits, bits)
			if t.Bits != 0 {
				w = t.Bits
			}
		}
		srcs = append(srcs, narrowTo(b, x, w))
	}
	b.Exact = true
	r := b.ALU(op, srcs...)
	b.Exact = false
	switch {
	case op.Info().Out.Class == ir.ClassBool:
		r = b.B2i64(r)
	case r.BitSize < 64:
		r = b.U2u64(r)
	}
	b.Intrinsic(ir.IntrStoreSsbo, 0, 0, b.Channel(r, int(r.NumComponents)-1), handle, b.Iadd(at, b.Imm32(24))).Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 8)
	return s
}

func narrowTo(b *ir.Builder, x *ir.Def, bits uint8) *ir.Def {
	switch bits {
	case 1:
		return b.Ine(x, b.ImmInt(0, 64))
	case 8:
		return b.U2u8(x)
	case 16:
		return b.U2u16(x)
	case 32:
		return b.U2u32(x)
	}
	return x
}

// runDoubles returns the results of a doubleShader.
func runDoubles(t *testing.T, s *ir.Shader, cases [][3]uint64) []uint64 {
	t.Helper()
	p, err := interp.New(s, interp.Options{WaveSize: 64})
	if err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(s))
	}
	groups := (len(cases) + 63) / 64
	mem := emu.NewMemory()
	buf := mem.Alloc(groups * 64 * 32)
	for i, c := range cases {
		for k, v := range c {
			binary.LittleEndian.PutUint64(buf.Data[32*i+8*k:], v)
		}
	}
	var bind emu.Bindings
	bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: uint64(len(buf.Data))}})
	env := &emu.Env{Mem: mem, Bindings: &bind}
	err = emu.Dispatch(context.Background(), p, env, emu.DispatchParams{Groups: [3]uint32{uint32(groups), 1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]uint64, len(cases))
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(buf.Data[32*i+24:])
	}
	return out
}

func isNaN64(v uint64) bool { return v<<1 > 0x7ff<<53 }

// doubleModes are float environments; the full set of cases runs in the first.
var doubleModes = []struct {
	name string
	fc   ir.FloatControls
}{
	{"nearest", 0},
	{"zero", ir.FloatControls(0).With(ir.FCRoundRTZ, 16).With(ir.FCRoundRTZ, 32).With(ir.FCRoundRTZ, 64)},
	{"flush", ir.FloatControls(0).With(ir.FCDenormFlush, 16).With(ir.FCDenormFlush, 32).With(ir.FCDenormFlush, 64)},
}

// TestLowerDoubles compares what each operation gives on the interpreter with
// what it gives when it is written in integers.
func TestLowerDoubles(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, o := range doubleOps {
		for i, m := range doubleModes {
			cases := doubleCases(r, o.op, o.bits, i > 0)
			want := runDoubles(t, doubleShader(o.op, o.bits, m.fc, &ir.Options{}), cases)
			for _, high := range []bool{false, true} {
				s := doubleShader(o.op, o.bits, m.fc, &ir.Options{LowerDouble: true, LowerMulHigh: high, LowerMul2x32_64: high})
				if _, err := RunPass(s, "lower_doubles"); err != nil {
					t.Fatal(err)
				}
				if err := ir.Validate(s); err != nil {
					t.Fatal(err)
				}
				for in := range s.Entry().Impl.Start().Instrs() {
					if in.Kind == ir.KindALU && doubleGroups.Get()[in.Op] != 0 && is64(in) {
						t.Fatalf("%s of %d bits leaves %s", o.op, o.bits, in.Op)
					}
				}
				got := runDoubles(t, s, cases)
				float := o.op.Info().Out.Class == ir.ClassFloat
				for k := range got {
					v, w := got[k], want[k]
					if v != w && !(float && isFloatNaN(v, o.op) && isFloatNaN(w, o.op)) {
						t.Errorf("%s of %d bits, %s, mul_high %v: %#x = %#x, want %#x", o.op, o.bits, m.name, !high, cases[k], v, w)
						break
					}
				}
			}
		}
	}
}

// TestLowerDoubleVote compares votes on equality among the 64 lanes of a group.
func TestLowerDoubleVote(t *testing.T) {
	nan, tiny := math.Float64bits(math.NaN()), uint64(1)
	for _, v := range [][2]uint64{{0, 0}, {0, 1 << 63}, {0, tiny}, {tiny, tiny}, {tiny, tiny << 40}, {1 << 32, 2 << 32}, {nan, nan}, {nan, 0}} {
		cases := make([][3]uint64, 64)
		for i := range cases {
			cases[i][0] = v[i/40]
		}
		for _, m := range doubleModes {
			s := doubleShader(ir.OpFneg, 64, m.fc, &ir.Options{LowerDouble: true})
			var neg, store *ir.Instr
			for in := range s.Entry().Impl.Start().Instrs() {
				switch {
				case in.IsALU(ir.OpFneg):
					neg = in
				case in.IsIntrinsic(ir.IntrStoreSsbo):
					store = in
				}
			}
			b := ir.NewBuilder(ir.Before(store))
			vote := b.Intrinsic(ir.IntrVoteFeq, 1, 1, &neg.Def)
			store.Srcs[0].Set(b.B2i64(&vote.Def))
			want := runDoubles(t, s, cases)
			if progress, err := RunPass(s, "lower_doubles"); err != nil || !progress || vote.Block != nil {
				t.Fatalf("progress %v, %v", progress, err)
			}
			if got := runDoubles(t, s, cases); got[0] != want[0] {
				t.Errorf("%#x, %s: %d, want %d", v, m.name, got[0], want[0])
			}
		}
	}
}

// isFloatNaN reports whether the result of an operation is a NaN.
func isFloatNaN(v uint64, op ir.Op) bool {
	switch op.Info().Out.Bits {
	case 16:
		return v&0x7fff > 0x7c00
	case 32:
		return v&0x7fffffff > 0x7f800000
	}
	return isNaN64(v)
}

// estimator computes as the digits of lower_doubles do, with a reciprocal that
// is up to 2 ulp off and either rounding of single precision.
type estimator struct {
	rtz bool
	off int32
}

func (e estimator) round(v float64) float32 {
	f := float32(v)
	if e.rtz && float64(f) > v {
		f = math.Nextafter32(f, 0)
	}
	return f
}

func (e estimator) float(x uint64) float32 {
	return e.round(float64(e.round(float64(x>>32))*0x1p32) + float64(e.round(float64(uint32(x)))))
}

// scaled is an estimate v of a reciprocal with its error and bias.
func (e estimator) scaled(v float64) float32 {
	f := math.Float32frombits(math.Float32bits(e.round(v)) + uint32(e.off))
	return e.round(float64(f) * float64(float32(digitBias)))
}

func (e estimator) digit(x uint64, scaled float32) uint64 {
	return uint64(uint32(e.round(float64(e.float(x)) * float64(scaled))))
}

// significand is one of 53 bits, often near an end.
func significand(r *rand.Rand) uint64 {
	v := uint64(1)<<52 | randomDouble(r, 0)&(1<<52-1)
	switch r.Intn(4) {
	case 0:
		v = 1<<52 | v&0xff
	case 1:
		v |= 1<<53 - 1<<8
	}
	return v
}

// TestDoubleDigits tests that the digits of quotients and roots need one
// correction at most.
func TestDoubleDigits(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 100_000 {
		e := estimator{r.Intn(2) == 0, int32(r.Intn(5)) - 2}
		a, b := significand(r), significand(r)
		scaled := e.scaled(1/float64(e.float(b))) * 0x1p18
		q, rest := uint64(0), a
		for range 3 {
			n := e.digit(rest, scaled)
			q, rest = q<<18+n, rest<<18-n*b
		}
		if want, _ := bits.Div64(a>>10, a<<54, b); q > want || want-q > 1 {
			t.Fatalf("%#x / %#x, %+v: %#x before the correction, want %#x or one less", a, b, e, q, want)
		}

		m := a << r.Intn(2)
		inv := e.scaled(1 / math.Sqrt(float64(e.float(m))))
		d1 := e.digit(m, inv*0x1p-7)
		rest = m - d1*d1<<14
		d2 := e.digit(rest, inv*0x1p9)
		rest = rest<<20 - d2*(d1<<18+d2)
		d3 := e.digit(rest, inv*0x1p6)
		root := d1<<34 + d2<<17 + d3
		if max(d1, d2, d3) >= 1<<20 {
			t.Fatalf("root of %#x, %+v: digits %#x, %#x, %#x are too large", m, e, d1, d2, d3)
		}
		x := new(big.Int).SetUint64(m)
		want := x.Sqrt(x.Lsh(x, 54)).Uint64()
		if root > want || want-root > 1 {
			t.Fatalf("root of %#x, %+v: %#x before the correction, want %#x or one less", m, e, root, want)
		}
	}
}
