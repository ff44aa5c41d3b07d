package passes

import (
	"bytes"
	"math/rand"
	"testing"

	"nirc/ir"
)

// randomAccesses builds straight code of loads and stores at few places, some
// with offsets that only running tells.
func randomAccesses(seed int64) *ir.Shader {
	r := rand.New(rand.NewSource(seed))
	s := ir.NewShader(ir.StageCompute, &ir.Options{})
	s.Info.WorkgroupSize = [3]uint32{1, 1, 1}
	s.SharedSize = 64
	f := s.NewFunction("main")
	f.IsEntry = true
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	group := b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0)
	bases := []*ir.Def{b.Ishl(group, b.Imm32(8)), b.Iadd(b.Ishl(group, b.Imm32(8)), b.Iand(group, b.Imm32(12)))}
	zero := b.Imm32(0)
	vals := []*ir.Def{group, b.Imm32(3)}
	other := b.DerefVar(f.Impl.NewLocal(ir.ScalarType(ir.BaseUint, 32), "other"))
	b.StoreDeref(other, group, 1, 0)
	for range 60 {
		n := 1 + r.Intn(2)
		at := 4 * r.Intn(13)
		shared := r.Intn(4) == 0
		off := b.IAddImm(bases[r.Intn(2)], int64(at))
		if shared {
			off = b.Imm32(uint32(at % 52))
		}
		switch r.Intn(3) {
		case 0:
			v := vals[r.Intn(len(vals))]
			w := b.Iadd(v, b.Imm32(uint32(r.Intn(9))))
			if n == 2 {
				w = b.Vec(w, v)
			}
			st := b.Intrinsic(ir.IntrStoreShared, 0, 0, w, off)
			if !shared {
				st.Remove()
				st = b.Intrinsic(ir.IntrStoreSsbo, 0, 0, w, zero, off)
			}
			st.Set(ir.IdxWriteMask, 1<<n-1).Set(ir.IdxAlignMul, 4)
		default:
			var ld *ir.Instr
			if shared {
				ld = b.Intrinsic(ir.IntrLoadShared, uint8(n), 32, off)
			} else {
				ld = b.Intrinsic(ir.IntrLoadSsbo, uint8(n), 32, zero, off)
			}
			ld.Set(ir.IdxAlignMul, 4)
			vals = append(vals, b.Channel(&ld.Def, n-1))
			if r.Intn(4) == 0 { // a load that the pass knows nothing of
				vals = append(vals, b.LoadDeref(other, 0))
			}
		}
	}
	sum := group
	for _, v := range vals {
		sum = b.Iadd(b.Imul(sum, b.Imm32(5)), v)
	}
	b.Intrinsic(ir.IntrStoreSsbo, 0, 0, sum, zero, b.IAddImm(bases[0], 128)).Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 4)
	return s
}

// TestRobustRuns: the same accesses with tests of their bounds, some of which fail.
func TestRobustRuns(t *testing.T) {
	for seed := int64(1); seed <= 20; seed++ {
		s := randomAccesses(seed)
		// Offsets beyond the buffer: what is read there is 0, what is written is lost.
		b := ir.NewBuilder(ir.AtEnd(s.Entry().Impl.Start()))
		far, zero := b.Imm32(testGroups*256-4), b.Imm32(0)
		v := &b.Intrinsic(ir.IntrLoadSsbo, 1, 32, zero, b.IAddImm(far, 4)).Set(ir.IdxAlignMul, 4).Def
		b.Intrinsic(ir.IntrStoreSsbo, 0, 0, b.Vec(v, v), zero, far).Set(ir.IdxWriteMask, 2).Set(ir.IdxAlignMul, 4)
		want, err := execute(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := RunPass(s, "lower_robust_access", "modes", "mem_ssbo|mem_shared"); err != nil {
			t.Fatal(err)
		}
		if err := ir.Validate(s); err != nil {
			t.Fatal(err)
		}
		got, err := execute(s)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("seed %d: results differ:\n%s", seed, ir.Print(s))
		}
	}
}

// TestVectorizeRuns compares the results of random accesses before and after.
func TestVectorizeRuns(t *testing.T) {
	merged := 0
	for seed := int64(1); seed <= 150; seed++ {
		s := randomAccesses(seed)
		want, err := execute(s)
		if err != nil {
			t.Fatal(err)
		}
		count := func() (n int) {
			for in := range s.Entry().Impl.Start().Instrs() {
				if _, _, ok := memOffsetSrc(in.Intr); in.Kind == ir.KindIntrinsic && ok {
					n++
				}
			}
			return n
		}
		before, text := count(), ir.Print(s)
		if _, err := RunPass(s, "opt_load_store_vectorize"); err != nil {
			t.Fatal(err)
		}
		merged += before - count()
		if err := ir.Validate(s); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		got, err := execute(s)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("seed %d: results differ:\n%s\n%s", seed, text, ir.Print(s))
		}
	}
	if merged < 500 {
		t.Errorf("only %d accesses merged away", merged)
	}
}

// TestSplitOffsetHolds: the sum that a random offset is split into gives what the offset gives, in each component, whether it has few
// terms or more than are kept, is as deep as is followed, or deeper.
func TestSplitOffsetHolds(t *testing.T) {
	few, whole := 0, 0
	for seed := range int64(400) {
		r := rand.New(rand.NewSource(seed))
		s := ir.NewShader(ir.StageCompute, nil)
		b := ir.NewBuilder(ir.AtEnd(s.NewFunction("main").Impl.Start()))
		values := map[*ir.Def][]uint64{}
		var list []*ir.Def
		bits := []uint8{32, 32, 64}[r.Intn(3)]
		mask := ^uint64(0) >> (64 - bits)
		add := func(d *ir.Def, v []uint64) {
			for i := range v {
				v[i] &= mask
			}
			values[d] = v
			list = append(list, d)
		}
		for range 1 + r.Intn(6) {
			add(b.ALU([]ir.Op{ir.OpU2u32, ir.OpU2u64}[bits/64], &b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def), []uint64{r.Uint64(), r.Uint64(), r.Uint64()})
		}
		part := func(d *ir.Def, c int) *ir.Def {
			x := b.Channel(d, c)
			values[x] = []uint64{values[d][c]}
			return x
		}
		pick := func() *ir.Def { return list[max(0, len(list)-1-r.Intn(6))] }
		for range 1 + r.Intn(14) {
			x, y := pick(), pick()
			a, c := values[x], values[y]
			k := uint64(r.Intn(9)) - 3
			swz := [3]int{r.Intn(3), r.Intn(3), r.Intn(3)}
			imm := func(bits uint8, v uint64) *ir.Def { return b.Const(bits, v, v, v) }
			switch r.Intn(12) {
			default:
				in := b.ALUInstr(ir.OpIadd, x, y)
				in.Srcs[1].Swizzle = ir.Swz(swz[0], swz[1], swz[2])
				add(&in.Def, []uint64{a[0] + c[swz[0]], a[1] + c[swz[1]], a[2] + c[swz[2]]})
			case 1:
				add(b.Iadd(imm(bits, k&mask), x), []uint64{a[0] + k, a[1] + k, a[2] + k})
			case 2:
				n := uint64(r.Intn(80))
				add(b.ALU(ir.OpIshl, x, imm(32, n)), []uint64{a[0] << (n % uint64(bits)), a[1] << (n % uint64(bits)), a[2] << (n % uint64(bits))})
			case 3:
				add(b.Imul(x, imm(bits, k&mask)), []uint64{a[0] * k, a[1] * k, a[2] * k})
			case 4:
				add(b.Imul(imm(bits, k&mask), x), []uint64{a[0] * k, a[1] * k, a[2] * k})
			case 5:
				add(b.Vec(part(x, swz[0]), part(y, swz[1]), part(x, swz[2])), []uint64{a[swz[0]], c[swz[1]], a[swz[2]]})
			case 0:
				in := b.ALUInstr(ir.OpMov, x)
				in.Srcs[0].Swizzle = ir.Swz(swz[0], swz[1], swz[2])
				add(&in.Def, []uint64{a[swz[0]], a[swz[1]], a[swz[2]]})
			}
		}
		d := part(list[len(list)-1], 0)
		acc := memAccess{}
		acc.splitOffset(d)
		sum := uint64(acc.at)
		for i := range acc.terms {
			if x := &acc.terms[i]; x.def != nil {
				if x.def.Instr.IsALU(ir.OpIadd) {
					whole++ // a sum of too many terms
				}
				sum += values[x.def][x.comp] * x.factor
			} else {
				few++
			}
		}
		if (sum^values[d][0])&mask != 0 {
			t.Fatalf("seed %d: the sum is %#x, the offset %#x: %+v\n%s", seed, sum&mask, values[d][0], acc, ir.Print(s))
		}
	}
	if few < 100 || whole < 5 {
		t.Errorf("%d terms are empty, %d are sums", few, whole)
	}
}
