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
