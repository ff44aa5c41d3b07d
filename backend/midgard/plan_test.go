package midgard

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/midgard/abi"
	"nirc/ir"
)

// Every way to code computes the same, also where bundles come first and with
// few registers.
func TestPlans(t *testing.T) {
	programs.Hold(t)
	early, pipes := 0, 0
	for _, pl := range plans {
		for seed := range int64(24) {
			opts := CompileOptions{GPU: gpus[seed%int64(len(gpus))].Name, plan: pl.name, Registers: 16 - int(seed)%3*5}
			bin := executeRandom(t, 3000+seed, 10+int(seed)%50, opts)
			if pl.name == "bundles_first" && bin.Stats.Spills == 0 {
				early++
			}
			text, err := Target{}.Disassemble(opts.GPU, bin.Code)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range text {
				pipes += strings.Count(l.Text, " TMP1.")
			}
		}
	}
	if early == 0 || pipes == 0 {
		t.Errorf("%d shaders went into bundles first, %d operands were in the second pipeline register", early, pipes)
	}
}

// What one bundle makes and reads takes no work register.
func TestPipeRegisters(t *testing.T) {
	programs.Hold(t)
	for _, pl := range plans {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
		x := gputest.LoadWords(b, in, b.Imm32(0), 4)
		gputest.StoreWords(b, out, b.Imm32(0), b.Fadd(b.Fmul(x, x), x))
		_, text := listing(t, s, CompileOptions{plan: pl.name})
		expect(t, text, "vmul.FMUL.f32 TMP0", "vadd.FADD.f32 AL0, TMP0")
	}
}

// Bundles decide, unless more than an eighth more of them leave twice the threads.
func TestBetterPlan(t *testing.T) {
	made := func(used, bundles, spills int) *attempt {
		return &attempt{used: used, size: codeSize{bundles: bundles, spills: spills}}
	}
	for _, c := range []struct{ better, worse *attempt }{
		{made(8, 15, 0), made(5, 16, 0)},
		{made(4, 18, 0), made(5, 16, 0)},
		{made(5, 16, 0), made(4, 19, 0)},
		{made(8, 9, 0), made(9, 9, 0)},
		{made(16, 20, 0), made(4, 10, 1)},
		{made(6, 10, 0), made(7, 10, 0)},
	} {
		if !c.better.better(c.worse) || c.worse.better(c.better) {
			t.Errorf("%d registers and %+v are not better than %d and %+v", c.better.used, c.better.size, c.worse.used, c.worse.size)
		}
	}
}

// Registers come first only where they can leave more threads: what is live at once says how many there must be.
func TestPointlessPlan(t *testing.T) {
	sure := &plansOf(surePlan)[0]
	for _, c := range []struct {
		used, peak int
		pointless  bool
	}{{4, 0, true}, {5, 16, false}, {5, 17, true}, {9, 17, false}, {9, 33, true}, {9, 0, false}} {
		k := &compiler{peak: c.peak}
		if got := sure.pointless(k, &attempt{used: c.used}); got != c.pointless {
			t.Errorf("%d registers where %d components are live: %v", c.used, c.peak, got)
		}
	}
	if !sure.pointless(&compiler{peak: 16, floor: 1}, &attempt{used: 5}) {
		t.Error("the floor is not counted")
	}
}

// marches is a shader that sums what it finds at n points of a line: nothing holds one up until another's is there.
func marches(n int) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 256)
	in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
	splat := func(d *ir.Def) *ir.Def { return b.Swizzle(d, 0, 0, 0, 0) }
	from, to := gputest.LoadWords(b, in, b.Imm32(0), 4), gputest.LoadWords(b, in, b.Imm32(16), 4)
	total := from
	for i := range n {
		p := b.Fadd(from, b.Fmul(to, splat(b.ImmFloat(float64(i)+0.5, 32))))
		far := b.Fsqrt(b.Fdot4(p, p))
		near := b.Frcp(b.Fadd(b.Fmul(far, far), b.ImmFloat(1, 32)))
		dense, thin := b.Fexp2(b.Fmul(far, b.ImmFloat(-0.3, 32))), b.Fexp2(b.Fmul(far, b.ImmFloat(-0.7, 32)))
		total = b.Fadd(total, b.Fadd(b.Fmul(p, splat(dense)), b.Fmul(to, splat(b.Fmul(thin, near)))))
	}
	gputest.StoreWords(b, out, b.Imm32(0), b.Fmul(total, from))
	return s
}

// Where bundles that dependences alone leave want more registers than there are, they are made again with fewer values live
// at a time: that is better than registers first.
func TestBundlesWithinRegisters(t *testing.T) {
	programs.Hold(t)
	sizes := map[string]int{}
	for _, name := range []string{"", surePlan, "bundles_first"} {
		bin, _ := listing(t, marches(12), CompileOptions{plan: name})
		if bin.Stats.Spills > 0 {
			t.Errorf("plan %q spills %d", name, bin.Stats.Spills)
		}
		sizes[name] = bin.Stats.Bundles
	}
	if sizes["bundles_first"] != sizes[surePlan] {
		t.Errorf("bundles first are %d of %d, and so fit as they are", sizes["bundles_first"], sizes[surePlan])
	}
	if got, most := sizes[""], sizes[surePlan]*9/10; got > most {
		t.Errorf("%d bundles, at most %d were to be had", got, most)
	}
}

// Threads that wait for each other or share memory must be there at once, and have fewer registers in large workgroups; others have all.
func TestRegistersOfWorkgroups(t *testing.T) {
	programs.Hold(t)
	for _, shared := range []uint32{0, 16} {
		s := marches(12)
		s.SharedSize = shared
		bin, _ := listing(t, s, CompileOptions{})
		if limit := abi.WorkLimit(s.Info.WorkgroupSize); (bin.Meta.WorkRegs > limit) != (shared == 0) {
			t.Errorf("%d work registers with %d bytes of shared memory, %d hold a whole workgroup", bin.Meta.WorkRegs, shared, limit)
		}
	}
}
