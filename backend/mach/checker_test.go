package mach

import (
	"math/rand"
	"slices"
	"testing"
)

// disturb changes an allocated program at one place by chance, and reports whether it found one.
func disturb(f *Func, r *rand.Rand) bool {
	b := &f.Blocks[r.Intn(len(f.Blocks))]
	at := r.Intn(len(b.Instrs))
	in := b.Instrs[at]
	switch {
	case r.Intn(3) == 0: // a copy is lost
		if in.Op != OpMove && in.Op != OpSwap {
			return false
		}
		b.Instrs = slices.Delete(slices.Clone(b.Instrs), at, at+1)
		return true
	case r.Intn(3) == 0: // two stand the other way round
		if at+1 >= len(b.Instrs) || in.Op != OpMove && b.Instrs[at+1].Op != OpMove {
			return false
		}
		b.Instrs = slices.Clone(b.Instrs)
		b.Instrs[at], b.Instrs[at+1] = b.Instrs[at+1], b.Instrs[at]
		return true
	}
	if len(in.Ops) == 0 || in.Op == OpPhi {
		return false
	}
	o := &in.Ops[r.Intn(len(in.Ops))]
	class, n := f.operandShape(o)
	c := &f.classes[class]
	if o.Reg == NoReg || f.limit(class) == n {
		return false
	}
	o.Reg = Reg(r.Intn(f.limit(class)-n+1)) &^ Reg(c.Align-1)
	return true
}

// TestCheckerAccepts: what the checker lets pass stores what the program stored before allocation, whatever was changed after it.
func TestCheckerAccepts(t *testing.T) {
	accepted, refused := 0, 0
	for seed := range int64(2500) {
		r := rand.New(rand.NewSource(seed))
		f := randomFunc(seed%400, &testISA{units: 64}, 15+int(seed)%40, false)
		var want [3][]uint64
		for k := range want {
			want[k], _ = run(f, int64(k))
		}
		LowerTied(f)
		c := NewChecker(f)
		if _, err := Allocate(f, AllocOptions{RoundRobin: seed%2 == 0, MergeSets: seed%4 < 2}); err != nil {
			continue
		}
		LowerCopies(f)
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
		good := f.String()
		for tries := 0; !disturb(f, r) && tries < 50; tries++ {
		}
		if c.Check() != nil {
			refused++
			continue
		}
		accepted++
		for k := range want {
			if got, err := run(f, int64(k)); err != nil || !slices.Equal(got, want[k]) {
				t.Fatalf("seed %d: the checker accepts what stores %x, %v, not %x\n%s\n%s", seed, got, err, want[k], good, f)
			}
		}
	}
	t.Logf("%d accepted, %d refused", accepted, refused)
	if accepted < 100 || refused < 1000 {
		t.Errorf("%d accepted, %d refused", accepted, refused)
	}
}

// follow lets what comes after in read its results from where they are now, so that they are not missed there.
func follow(f *Func, in *Instr) {
	list := f.Blocks[0].Instrs
	for _, later := range list[slices.Index(list, in)+1:] {
		for k, u := range later.Uses() {
			for _, d := range in.Defs() {
				if u.Val == d.Val && d.Reg != NoReg {
					later.Uses()[k].Reg = d.Reg
				}
			}
		}
	}
}

// TestCheckerDemands: results are where they are asked to be, and share registers with no other and, early, with no source; all
// operands are where their class may be.
func TestCheckerDemands(t *testing.T) {
	const src = `func f target test
block 0
  v1:full = const {1}
  v2:full = const {2}
  v3:half = const {3}
  v4:full!fixed@8, v5:full = alu v1 {4}
  v6:full!early = alu v1, v2 {5}
  v7:full = copy v2
  v8:full!tied0 = alu v7, v2 {6}
  v9:half, _, v10:half = alu v3 {7}
  v11:full!fixed@10 = alu v1 {8}
  store v1
  store v4!fixed@8
  store v5
  store v6
  store v8
  store v9
  store v10
  v12:full = const {9}
  v13:full!early = alu v12 {10}
  v14:full, v15:full = alu v13 {11}
  store v15
  v16:full = const {12}
  v17:full = copy v16
  v18:full!early!tied0 = alu v17, v16 {13}
  store v18
  v19:full = const {14}
  v20:full = copy v19
  v21:full!early!tied1 = alu v19, v20 {15}
  store v21
  end
`
	for _, x := range []struct {
		name string
		at   int
		do   func(in *Instr) // v2 is in unit 2
	}{
		{"nothing", 0, nil},
		{"a fixed result elsewhere", 3, func(in *Instr) { in.Ops[0].Reg = 20 }},
		{"a fixed result elsewhere that nobody reads", 8, func(in *Instr) { in.Ops[0].Reg = 20 }},
		{"two results in one place", 3, func(in *Instr) { in.Ops[1].Reg = in.Ops[0].Reg }},
		{"an early result over a source", 4, func(in *Instr) { in.Ops[0].Reg = in.Ops[1].Reg }},
		{"an early result over a source that ends there", 17, func(in *Instr) { in.Ops[0].Reg = in.Ops[1].Reg }},
		{"an early result over a source that it is not tied to", 22, func(in *Instr) { in.Ops[0].Reg, in.Ops[1].Reg = in.Ops[2].Reg, in.Ops[2].Reg }},
		{"an early result over a source before the one that it is tied to", 26, func(in *Instr) { in.Ops[0].Reg, in.Ops[1].Reg = in.Ops[1].Reg, in.Ops[2].Reg }},
		{"a result that nobody reads in the place of another", 18, func(in *Instr) { in.Ops[0].Reg = in.Ops[1].Reg }},
		{"a tied result elsewhere", 6, func(in *Instr) { in.Ops[0].Reg = 20 }},
		{"a half beyond its half", 7, func(in *Instr) { in.Ops[0].Reg = 16 }},
		{"a full one across two", 3, func(in *Instr) { in.Ops[1].Reg = 21 }},
		{"a result without a register", 3, func(in *Instr) { in.Ops[1].Reg = NoReg }},
		{"another result", 3, func(in *Instr) { in.Ops[1].Val = 6 }},
		{"a result that was none", 7, func(in *Instr) { in.Ops[1].Val = 6 }},
		{"another source", 4, func(in *Instr) { in.Ops[1].Val = 2 }},
		{"another source, from where it is", 8, func(in *Instr) { in.Ops[1].Val, in.Ops[1].Reg = 2, 2 }},
	} {
		f, err := Parse(src, &testISA{units: 32})
		if err != nil {
			t.Fatal(err)
		}
		c := NewChecker(f)
		in := f.Blocks[0].Instrs[x.at]
		if _, err := Allocate(f, AllocOptions{}); err != nil {
			t.Fatal(err)
		}
		if x.do != nil {
			x.do(in)
			follow(f, in)
		}
		if err := c.Check(); (err == nil) != (x.do == nil) {
			t.Errorf("%s: %v\n%s", x.name, err, f)
		}
	}
}

// TestCheckerTerminators: what control may have left before is no place for a move, and neither for an exchange.
func TestCheckerTerminators(t *testing.T) {
	const src = `func f target test
block 0 -> 1
  v1:full = const {1}
  v2:full = const {2}
  jump
block 1 <- 0 1 -> 1 2
  v3:full = phi v1, v4
  v4:full = phi v2, v3
  store v3
  br v3
block 2 <- 1
  store v4
  end
`
	moved := 0
	for at := 0; ; at++ {
		f, err := Parse(src, &testISA{units: 16})
		if err != nil {
			t.Fatal(err)
		}
		f.SplitCriticalEdges(func(b BlockID) { f.Blocks[b].Instrs = append(f.Blocks[b].Instrs, &Instr{Op: opJump}) })
		c := NewChecker(f)
		if _, err := Allocate(f, AllocOptions{}); err != nil {
			t.Fatal(err)
		}
		LowerCopies(f)
		if err := c.Check(); err != nil {
			t.Fatalf("%v\n%s", err, f)
		}
		if at == len(f.Blocks) {
			break
		}
		b := &f.Blocks[at]
		k := f.firstTerminator(b)
		if k == 0 || k == len(b.Instrs) || b.Instrs[k-1].Op != OpMove && b.Instrs[k-1].Op != OpSwap {
			continue
		}
		moved++
		b.Instrs[k-1], b.Instrs[k] = b.Instrs[k], b.Instrs[k-1]
		if err := c.Check(); err == nil {
			t.Errorf("a move after a terminator is accepted\n%s", f)
		}
	}
	if moved == 0 {
		t.Error("nothing was moved")
	}
}
