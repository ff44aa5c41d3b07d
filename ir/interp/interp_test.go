package interp

import (
	"context"
	"math"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// bench is a compute shader under construction: it stores words into an
// output buffer, lane by lane.
type bench struct {
	t    *testing.T
	s    *ir.Shader
	b    *ir.Builder
	lane *ir.Def
	next int
	per  int                              // words a lane
	bind func(*emu.Bindings, *emu.Memory) // more descriptors
	// strict, texels, undef and alter are options.
	strict bool
	texels bool
	undef  uint64
	alter  func(*ir.Instr, *[4]uint64, [][]uint64, uint64) uint64
}

func newBench(t *testing.T, per int) *bench {
	s := ir.NewShader(ir.StageCompute, nil)
	f := s.NewFunction("main")
	f.IsEntry = true
	s.Info.WorkgroupSize = [3]uint32{8, 1, 1}
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	k := &bench{t: t, s: s, b: b, per: per}
	k.lane = &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
	return k
}

// out stores the components of a 32-bit value.
func (k *bench) out(d *ir.Def) {
	k.t.Helper()
	k.outAt(d, k.next)
	k.next += int(d.NumComponents)
}

func (k *bench) outAt(d *ir.Def, word int) {
	b := k.b
	h := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0)).Set(ir.IdxBinding, 0).Set(ir.IdxDescType, 2)
	off := b.IAddImm(b.IMulImm(k.lane, int64(4*k.per)), int64(4*word))
	b.Intrinsic(ir.IntrStoreSsbo, 0, 0, d, b.Channel(&h.Def, 0), off).Set(ir.IdxWriteMask, 1<<d.NumComponents-1).Set(ir.IdxAlignMul, 4)
}

type result struct {
	words []uint32
	per   int
	env   *emu.Env
	err   error
	buf   *emu.Buffer
}

func (r *result) at(lane, word int) uint32 { return r.words[lane*r.per+word] }

// run runs one workgroup in waves of the given size.
func (k *bench) run(wave int, more ...[]byte) *result {
	k.t.Helper()
	if err := ir.Validate(k.s); err != nil {
		k.t.Fatalf("invalid: %v\n%s", err, ir.Print(k.s))
	}
	p, err := New(k.s, Options{WaveSize: wave, Strict: k.strict, StrictTexels: k.texels, UndefPattern: k.undef, Alter: k.alter})
	if err != nil {
		k.t.Fatal(err)
	}
	total := int(k.s.Info.WorkgroupSize[0])
	mem := emu.NewMemory()
	out := mem.Alloc(total * k.per * 4)
	var bind emu.Bindings
	bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: uint64(len(out.Data))}})
	for i, data := range more {
		b := mem.Alloc(len(data))
		copy(b.Data, data)
		bind.Set(0, uint32(i+1), []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: b.Addr, Size: uint64(len(data))}})
	}
	if k.bind != nil {
		k.bind(&bind, mem)
	}
	env := &emu.Env{Mem: mem, Bindings: &bind, Push: []byte{1, 0, 0, 0, 2, 0, 0, 0}}
	res := &result{per: k.per, env: env, buf: out}
	res.err = runGroup(p, env, total)
	for i := 0; i < len(out.Data); i += 4 {
		res.words = append(res.words, uint32(emu.LoadBytes(out.Data[i:], 4)))
	}
	return res
}

// runGroup runs the waves of a workgroup in turn, from barrier to barrier.
func runGroup(p emu.Program, env *emu.Env, total int) error {
	shared := make([]byte, p.SharedSize())
	var waves []emu.Wave
	for at := 0; at < total; at += p.WaveSize() {
		n := min(p.WaveSize(), total-at)
		c := &emu.ComputeLaunch{NumWorkgroups: [3]uint32{1, 1, 1}, Shared: shared, SubgroupID: uint32(len(waves)), FirstLocalInvocationIndex: uint32(at)}
		for i := range n {
			c.LocalID = append(c.LocalID, [3]uint32{uint32(at + i)})
		}
		waves = append(waves, p.NewWave(&emu.Launch{Env: env, NumLanes: n, Compute: c}))
	}
	for live := len(waves); live > 0; {
		for i, w := range waves {
			if w == nil {
				continue
			}
			for {
				st, err := w.Run(1000)
				if err != nil {
					return err
				}
				if st == emu.StatusDone {
					waves[i] = nil
					live--
				}
				if st != emu.StatusYield {
					break
				}
			}
		}
	}
	return nil
}

func (k *bench) want(r *result, word int, f func(lane int) uint32) {
	k.t.Helper()
	if r.err != nil {
		k.t.Fatal(r.err)
	}
	for l := range int(k.s.Info.WorkgroupSize[0]) {
		if got, want := r.at(l, word), f(l); got != want {
			k.t.Errorf("lane %d word %d: %#x, want %#x", l, word, got, want)
		}
	}
}

func TestALU(t *testing.T) {
	k := newBench(t, 8)
	b := k.b
	f := b.U2f32(k.lane)
	v := b.Vec(f, b.Fneg(f), b.ImmFloat(2, 32))
	sum := b.Fadd(v, b.ImmFloat(0.5, 32))
	k.out(sum)                                                   // 0..2
	k.out(b.Fdot3(v, v))                                         // 3
	k.out(b.Ffma(f, f, b.ImmFloat(1, 32)))                       // 4
	k.out(b.U2u32(b.Iadd(b.U2u8(k.lane), b.ImmInt(255, 8))))     // 5: 8-bit wrap
	k.out(b.UnpackHalf2x16(b.PackHalf2x16(b.Channels(v, 0, 2)))) // 6, 7
	r := k.run(4)
	fl := func(x float64) uint32 { return math.Float32bits(float32(x)) }
	k.want(r, 0, func(l int) uint32 { return fl(float64(l) + 0.5) })
	k.want(r, 1, func(l int) uint32 { return fl(-float64(l) + 0.5) })
	k.want(r, 3, func(l int) uint32 { return fl(float64(2*l*l + 4)) })
	k.want(r, 4, func(l int) uint32 { return fl(float64(l*l + 1)) })
	k.want(r, 5, func(l int) uint32 { return uint32(uint8(l - 1)) })
	k.want(r, 7, func(l int) uint32 { return fl(-float64(l)) })
}

// TestFastAgainstTable compares the operations that have an opcode of their
// own with the table's evaluations.
func TestFastAgainstTable(t *testing.T) {
	vals := []uint64{0, 1, 2, 31, 33, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f7fffff, 0x00800001, 0x80000001, 0x4b7fffff, 0xc0490fdb}
	for op := range ir.Op(ir.NumOps) {
		f := fastOps.Get()[op]
		if f.op == 0 {
			continue
		}
		info := op.Info()
		sizes := []uint8{f.bits}
		if f.bits == 0 {
			sizes = []uint8{1, 16, 32, 64}
		}
		for _, bits := range sizes {
			w := &Wave{p: &Program{lanes: 1}, w: 1, state: &state{regs: make([]uint64, 4)}, on: []uint8{0}}
			for _, a := range vals {
				for _, b := range vals {
					for _, c := range vals[:1+len(vals)*(len(info.In)/3)-len(info.In)/3] {
						in := [4]uint64{a & lowBits(bits), b & lowBits(bits), c & lowBits(bits)}
						for k, t := range info.In {
							if t.Bits == 1 {
								in[k] &= 1
							}
						}
						copy(w.regs[1:], in[:3])
						i := &inst{op: f.op, dst: 0, a: 1, b: 2, c: 3, bits: bits, imm: lowBits(bits)}
						switch {
						case f.op >= opAnd:
							w.execBits(i)
						case f.op >= opIadd:
							w.execInt(i)
						default:
							w.execFloat(i)
						}
						want := info.Eval(w.p.mode, bits, &in)
						if w.regs[0] != want {
							t.Fatalf("%s w=%d %x: %#x, table %#x", op, bits, in, w.regs[0], want)
						}
						if w.execDense(i, 1) && w.regs[0] != want {
							t.Fatalf("dense %s w=%d %x: %#x, table %#x", op, bits, in, w.regs[0], want)
						}
					}
				}
			}
		}
	}
}

func TestDivergence(t *testing.T) {
	k := newBench(t, 3)
	b := k.b
	c := b.Ult(k.lane, b.Imm32(3))
	i := b.PushIf(c)
	x := b.Iadd(k.lane, b.Imm32(100))
	b.PushElse(i)
	y := b.Imul(k.lane, b.Imm32(2))
	b.PopIf(i)
	k.out(b.IfPhi(i, x, y))
	// for (n = 0; ; n++) { if (n == lane) break; if (n & 1) continue; acc += n }
	pre := b.Cursor.Block
	zero := b.Imm32(0)
	l := b.PushLoop()
	head := b.Cursor.Block
	n, acc := k.s.NewPhi(1, 32), k.s.NewPhi(1, 32)
	ir.AtStart(head).Insert(n)
	ir.AtStart(head).Insert(acc)
	b.Cursor = ir.AtEnd(head)
	br := b.PushIf(b.Ieq(&n.Def, k.lane))
	b.Jump(ir.JumpBreak)
	b.PopIf(br)
	n2 := b.Iadd(&n.Def, b.Imm32(1))
	odd := b.PushIf(b.Ine(b.Iand(&n.Def, b.Imm32(1)), zero))
	contBlock := b.Cursor.Block
	b.Jump(ir.JumpContinue)
	b.PopIf(odd)
	acc2 := b.Iadd(&acc.Def, &n.Def)
	end := b.Cursor.Block
	b.PopLoop(l)
	for _, p := range []struct {
		phi     *ir.Instr
		a, c, e *ir.Def
	}{{n, zero, n2, n2}, {acc, zero, &acc.Def, acc2}} {
		setPhi(k.s, p.phi, pre, p.a)
		setPhi(k.s, p.phi, contBlock, p.c)
		setPhi(k.s, p.phi, end, p.e)
	}
	k.out(&acc.Def)
	k.out(&n.Def)
	r := k.run(8)
	k.want(r, 0, func(l int) uint32 {
		if l < 3 {
			return uint32(l + 100)
		}
		return uint32(2 * l)
	})
	k.want(r, 1, func(l int) (s uint32) {
		for n := 0; n < l; n += 2 {
			s += uint32(n)
		}
		return
	})
	k.want(r, 2, func(l int) uint32 { return uint32(l) })
}

// setPhi gives a phi its source from a block, which a jump may have made.
func setPhi(s *ir.Shader, phi *ir.Instr, from *ir.Block, d *ir.Def) {
	if src := phi.PhiSrc(from); src != nil {
		src.Set(d)
		return
	}
	s.AddPhiSrc(phi, from, d)
}

// TestPhiSwap swaps two phis in each turn of a loop with a continue list.
func TestPhiSwap(t *testing.T) {
	k := newBench(t, 3)
	b := k.b
	pre := b.Cursor.Block
	one, two, zero := b.Imm32(1), b.Imm32(2), b.Imm32(0)
	l := b.PushLoop()
	l.AddContinue()
	head := b.Cursor.Block
	x, y, n := k.s.NewPhi(1, 32), k.s.NewPhi(1, 32), k.s.NewPhi(1, 32)
	for _, p := range []*ir.Instr{n, y, x} {
		ir.AtStart(head).Insert(p)
	}
	b.Cursor = ir.AtEnd(head)
	i := b.PushIf(b.Uge(&n.Def, k.lane))
	b.Jump(ir.JumpBreak)
	b.PopIf(i)
	cont := l.Continue.FirstBlock()
	b.Cursor = ir.AtEnd(cont)
	n2 := b.Iadd(&n.Def, one)
	for _, p := range [][3]*ir.Def{{&x.Def, one, &y.Def}, {&y.Def, two, &x.Def}, {&n.Def, zero, n2}} {
		setPhi(k.s, p[0].Instr, pre, p[1])
		setPhi(k.s, p[0].Instr, cont, p[2])
	}
	b.PopLoop(l)
	k.out(&x.Def)
	k.out(&y.Def)
	k.out(&n.Def)
	r := k.run(4)
	k.want(r, 0, func(l int) uint32 { return uint32(1 + l&1) })
	k.want(r, 1, func(l int) uint32 { return uint32(2 - l&1) })
	k.want(r, 2, func(l int) uint32 { return uint32(l) })
}

func TestCalls(t *testing.T) {
	k := newBench(t, 2)
	i32 := ir.ScalarType(ir.BaseInt, 32)
	g := k.s.NewFunction("g")
	g.Params = []ir.Param{{NumComponents: 1, BitSize: 32, IsReturn: true, Type: i32, Modes: ir.ModeFunctionTemp}, {NumComponents: 1, BitSize: 32}}
	gb := ir.NewBuilder(ir.AtEnd(g.Impl.Start()))
	ptr := gb.DerefCast(&gb.Intrinsic(ir.IntrLoadParam, 1, 32).Def, ir.ModeFunctionTemp, i32, 0)
	v := &gb.Intrinsic(ir.IntrLoadParam, 1, 32).Set(ir.IdxParamIdx, 1).Def
	i := gb.PushIf(gb.Ult(v, gb.Imm32(4)))
	gb.StoreDeref(ptr, gb.Imm32(7), 0, 0)
	gb.Jump(ir.JumpReturn)
	gb.PopIf(i)
	gb.StoreDeref(ptr, gb.Iadd(v, v), 0, 0)
	b := k.b
	r1, r2 := k.b.Impl.NewLocal(i32, "r1"), k.b.Impl.NewLocal(i32, "r2")
	b.Insert(k.s.NewCall(g, b.DerefVar(r1), k.lane))
	// A pointer chosen at run time.
	sel := b.Bcsel(b.Ult(k.lane, b.Imm32(2)), b.DerefVar(r1), b.DerefVar(r2))
	b.Insert(k.s.NewCall(g, sel, b.Iadd(k.lane, b.Imm32(10))))
	k.out(b.LoadVar(r1))
	k.out(b.LoadVar(r2))
	r := k.run(8)
	k.want(r, 0, func(l int) uint32 {
		switch {
		case l < 2:
			return uint32(2*l + 20)
		case l < 4:
			return 7
		}
		return uint32(2 * l)
	})
	k.want(r, 1, func(l int) uint32 {
		if l < 2 {
			return 0
		}
		return uint32(2*l + 20)
	})
}

func TestRecursionIsRefused(t *testing.T) {
	k := newBench(t, 1)
	g := k.s.NewFunction("g")
	gb := ir.NewBuilder(ir.AtEnd(g.Impl.Start()))
	gb.Insert(k.s.NewCall(g))
	k.b.Insert(k.s.NewCall(g))
	if _, err := New(k.s, Options{}); err == nil || !strings.Contains(err.Error(), "recursion") {
		t.Errorf("error %v", err)
	}
}

func TestRegisters(t *testing.T) {
	k := newBench(t, 6)
	b := k.b
	r := b.DeclReg(4, 32, 0)
	arr := b.DeclReg(1, 32, 4)
	b.StoreReg(r, b.Const(32, 1, 2, 3, 4), 0)
	v := b.Ineg(b.Swizzle(k.lane, 0, 0, 0, 0))
	i := b.PushIf(b.Ult(k.lane, b.Imm32(4)))
	b.StoreReg(r, v, 0b1010)
	b.PopIf(i)
	for e := range 4 {
		b.StoreReg(arr, b.Imm32(uint32(10*e)), 1).Set(ir.IdxBase, uint64(e))
	}
	b.Intrinsic(ir.IntrStoreRegIndirect, 0, 0, k.lane, arr, b.Iand(k.lane, b.Imm32(1))).Set(ir.IdxWriteMask, 1).Set(ir.IdxBase, 1)
	k.out(b.LoadReg(r))
	k.out(&b.Intrinsic(ir.IntrLoadRegIndirect, 1, 32, arr, b.Iand(k.lane, b.Imm32(3))).Def)
	k.out(&b.Intrinsic(ir.IntrLoadReg, 1, 32, arr).Set(ir.IdxBase, 3).Def)
	res := k.run(8)
	k.want(res, 0, func(int) uint32 { return 1 })
	k.want(res, 1, func(l int) uint32 {
		if l < 4 {
			return uint32(-l)
		}
		return 2
	})
	k.want(res, 4, func(l int) uint32 {
		e := l & 3
		if e == 1+l&1 {
			return uint32(l)
		}
		return uint32(10 * e)
	})
	k.want(res, 5, func(int) uint32 { return 30 })
}

func TestDerefs(t *testing.T) {
	k := newBench(t, 9)
	b := k.b
	f := ir.VectorType(ir.BaseFloat, 32, 2)
	st := &ir.Type{Base: ir.BaseStruct, Name: "S"}
	add := func(t *ir.Type) {
		st.Fields = append(st.Fields, ir.Field{Name: "f", Type: t, Offset: -1, Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1})
	}
	add(ir.ScalarType(ir.BaseUint, 16))
	add(ir.ArrayType(f, 3, 0))
	add(ir.MatrixType(32, 2, 2))
	add(ir.BoolType)
	arr := ir.ArrayType(st, 4, 0)
	x, y := b.Impl.NewLocal(arr, "x"), b.Impl.NewLocal(arr, "y")
	idx := b.Iand(k.lane, b.Imm32(3))
	at := func(v *ir.Variable, i *ir.Def, field int) *ir.Def {
		return b.DerefStruct(b.DerefArray(b.DerefVar(v), i), field)
	}
	b.StoreDeref(b.DerefArrayImm(at(x, idx, 1), 2), b.Vec(k.lane, b.Imm32(5)), 0, 0)
	b.StoreDeref(at(x, idx, 0), b.ImmInt(0x1234, 16), 0, 0)
	b.StoreDeref(at(x, idx, 3), b.Ieq(k.lane, b.Imm32(6)), 0, 0)
	b.StoreDeref(b.DerefArrayImm(b.DerefArray(at(x, idx, 2), b.Iand(k.lane, b.Imm32(1))), 1), b.Imm32(77), 0, 0)
	b.CopyDeref(b.DerefVar(y), b.DerefVar(x))
	// y[*].f1 = x[*].f1 again, by wildcards, after y[idx].f1[2] was cleared.
	b.StoreDeref(b.DerefArrayImm(at(y, idx, 1), 2), b.Const(32, 0, 0), 0, 0)
	b.CopyDeref(b.DerefStruct(b.DerefWildcard(b.DerefVar(y)), 1), b.DerefStruct(b.DerefWildcard(b.DerefVar(x)), 1))
	k.out(b.LoadDeref(b.DerefArrayImm(at(y, idx, 1), 2), 0))
	k.out(b.U2u32(b.LoadDeref(at(y, idx, 0), 0)))
	k.out(b.B2i32(b.LoadDeref(at(y, idx, 3), 0)))
	k.out(b.LoadDeref(b.DerefArrayImm(at(y, idx, 2), 1), 0)) // 4, 5
	k.out(b.LoadDeref(b.DerefArrayImm(at(y, b.Ixor(idx, b.Imm32(1)), 1), 2), 0))
	p := b.DerefPtrAsArray(b.DerefCast(b.DerefArrayImm(at(y, idx, 1), 0), ir.ModeFunctionTemp, f, 8), b.Imm32(2))
	k.out(b.Channel(b.LoadDeref(p, 0), 1))
	r := k.run(4)
	k.want(r, 0, func(l int) uint32 { return uint32(l) })
	k.want(r, 1, func(l int) uint32 { return 5 })
	k.want(r, 2, func(l int) uint32 { return 0x1234 })
	k.want(r, 3, func(l int) uint32 { return uint32(truth(l == 6)) })
	k.want(r, 4, func(l int) uint32 { return 0 })
	k.want(r, 5, func(l int) uint32 { return uint32(l&1) * 77 })
	k.want(r, 6, func(l int) uint32 { return 0 })
	k.want(r, 8, func(l int) uint32 { return 5 })
}

// TestBuffers goes through block pointers: a row-major matrix and an unsized array.
func TestBuffers(t *testing.T) {
	k := newBench(t, 6)
	b := k.b
	field := func(t *ir.Type, off int32) ir.Field {
		return ir.Field{Type: t, Offset: off, Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1}
	}
	st := &ir.Type{Base: ir.BaseStruct, Name: "B", Block: true, Fields: []ir.Field{
		field(&ir.Type{Base: ir.BaseFloat, Bits: 32, Rows: 3, Cols: 2, Stride: 8, RowMajor: true}, 0),
		field(ir.ArrayType(ir.ScalarType(ir.BaseUint, 32), 0, 8), 24)}}
	data := make([]byte, 24+5*8+4)
	for i := range data {
		data[i] = byte(i)
	}
	word := func(at int) uint32 { return uint32(emu.LoadBytes(data[at:], 4)) }
	h := &b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0)).Set(ir.IdxBinding, 1).Set(ir.IdxDescType, 2).Def
	h = &b.Intrinsic(ir.IntrLoadVulkanDescriptor, 2, 32, h).Set(ir.IdxDescType, 2).Def
	blk := b.DerefCast(h, ir.ModeSSBO, st, 0)
	k.out(b.LoadDeref(b.DerefArrayImm(b.DerefStruct(blk, 0), 1), 0)) // column 1
	k.out(b.LoadDeref(b.DerefArray(b.DerefStruct(blk, 1), k.lane), 0))
	k.out(&b.Intrinsic(ir.IntrDerefBufferArrayLength, 1, 32, b.DerefStruct(blk, 1)).Def)
	sum := b.Intrinsic(ir.IntrDerefAtomic, 1, 32, b.DerefArrayImm(b.DerefStruct(blk, 1), 4), b.Imm32(1)).Set(ir.IdxAtomicOp, uint64(ir.AtomicIAdd))
	k.out(&sum.Def)
	r := k.run(8, data)
	for c := range 3 {
		k.want(r, c, func(int) uint32 { return word(4 + 8*c) })
	}
	k.want(r, 3, func(l int) uint32 {
		if l > 5 { // out of bounds; element 5 is beyond the array but inside the range
			return 0
		}
		return word(24 + 8*l)
	})
	k.want(r, 4, func(int) uint32 { return 5 })
	seen := map[uint32]bool{}
	for l := range 8 {
		seen[r.at(l, 5)] = true
	}
	if len(seen) != 8 || !seen[word(24+32)+7] {
		t.Errorf("atomics returned %v", seen)
	}
}

// TestExplicitMemory goes through the intrinsics that lowering leaves.
func TestExplicitMemory(t *testing.T) {
	k := newBench(t, 14)
	b := k.b
	k.s.ScratchSize, k.s.SharedSize = 64, 64
	k.s.ConstantData = []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0}
	al := func(in *ir.Instr) *ir.Instr { return in.Set(ir.IdxAlignMul, 4).Set(ir.IdxRange, math.MaxUint32) }
	h := b.Imm32(1) // the handle of binding 1
	data := make([]byte, 24)
	for i := range data {
		data[i] = byte(i + 1)
	}
	word := func(at int) uint32 { return uint32(emu.LoadBytes(data[at:], 4)) }
	lane4 := b.IMulImm(k.lane, 4)
	k.out(&al(b.Intrinsic(ir.IntrLoadUbo, 2, 32, h, lane4)).Def)                                            // 0, 1
	k.out(&al(b.Intrinsic(ir.IntrLoadPushConstant, 1, 32, b.Imm32(0)).Set(ir.IdxBase, 4)).Def)              // 2
	k.out(&al(b.Intrinsic(ir.IntrLoadConstant, 1, 32, lane4).Set(ir.IdxBase, 0)).Def)                       // 3
	al(b.Intrinsic(ir.IntrStoreScratch, 0, 0, b.Vec(k.lane, lane4), b.Imm32(8)).Set(ir.IdxWriteMask, 0b10)) // only y
	k.out(&al(b.Intrinsic(ir.IntrLoadScratch, 2, 32, b.Imm32(8))).Def)                                      // 4, 5
	al(b.Intrinsic(ir.IntrStoreShared, 0, 0, k.lane, lane4).Set(ir.IdxWriteMask, 1).Set(ir.IdxBase, 4))
	k.out(&al(b.Intrinsic(ir.IntrLoadShared, 1, 32, lane4).Set(ir.IdxBase, 4)).Def) // 6
	old := b.Intrinsic(ir.IntrSharedAtomicSwap, 1, 32, b.Imm32(4), b.Imm32(0), b.Imm32(99)).Set(ir.IdxAtomicOp, uint64(ir.AtomicCmpXchg))
	k.out(&old.Def) // 7
	k.out(&b.Intrinsic(ir.IntrGetSsboSize, 1, 32, h).Def)
	addr := &b.Intrinsic(ir.IntrLoadSsboAddress, 1, 64, h, b.Imm32(8)).Def
	k.out(&al(b.Intrinsic(ir.IntrLoadGlobal, 1, 32, addr)).Def)                                        // 9
	k.out(&al(b.Intrinsic(ir.IntrLoadSsbo, 1, 32, b.Imm32(77), b.Imm32(0))).Def)                       // 10: no such descriptor
	k.out(b.U2u32(&b.Intrinsic(ir.IntrLoadSsbo, 1, 8, h, k.lane).Set(ir.IdxAlignMul, 1).Def))          // 11
	k.out(b.U2u32(&al(b.Intrinsic(ir.IntrLoadSsbo, 1, 64, h, b.Imm32(8))).Set(ir.IdxAlignMul, 8).Def)) // 12
	k.out(b.Undef(1, 32))
	r := k.run(8, data)
	k.want(r, 0, func(l int) uint32 {
		if l > 5 {
			return 0
		}
		return word(4 * l)
	})
	k.want(r, 1, func(l int) uint32 {
		if l > 4 {
			return 0
		}
		return word(4*l + 4)
	})
	k.want(r, 2, func(int) uint32 { return 2 })
	k.want(r, 3, func(l int) uint32 {
		if l > 1 {
			return 0 // element 2 is cut
		}
		return uint32(l + 1)
	})
	k.want(r, 4, func(int) uint32 { return 0 })
	k.want(r, 5, func(l int) uint32 { return uint32(4 * l) })
	k.want(r, 6, func(l int) uint32 { return uint32(l) })
	k.want(r, 7, func(l int) uint32 {
		if l == 0 {
			return 0
		}
		return 99
	})
	k.want(r, 8, func(int) uint32 { return 24 })
	k.want(r, 9, func(int) uint32 { return word(8) })
	k.want(r, 10, func(int) uint32 { return 0 })
	k.want(r, 11, func(l int) uint32 { return uint32(l + 1) })
	k.want(r, 12, func(int) uint32 { return word(8) })
	k.want(r, 13, func(int) uint32 { return 0 })
}

// TestStrict runs accesses that are right, that are not aligned and that are out of
// bounds: only a strict program minds.
func TestStrict(t *testing.T) {
	for _, c := range []struct {
		offset uint32
		access func(b *ir.Builder, addr *ir.Def) *ir.Def
		want   string
	}{
		{8, nil, ""},
		{9, nil, "the address of %4:32 = load_global %3 align_mul=4 is not aligned"},
		{96, nil, "is out of bounds"},
		{6, func(b *ir.Builder, addr *ir.Def) *ir.Def {
			return &b.Intrinsic(ir.IntrGlobalAtomic, 1, 32, addr, b.Imm32(1)).Set(ir.IdxAtomicOp, uint64(ir.AtomicIAdd)).Def
		}, "is not aligned"},
		{6, func(b *ir.Builder, addr *ir.Def) *ir.Def {
			b.Intrinsic(ir.IntrStoreGlobal, 0, 0, b.Imm32(1), addr).Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 4)
			return b.Imm32(0)
		}, "is not aligned"},
		{6, func(b *ir.Builder, addr *ir.Def) *ir.Def {
			return b.U2u32(&b.Intrinsic(ir.IntrLoadGlobal, 1, 16, addr).Set(ir.IdxAlignMul, 2).Def)
		}, ""},
	} {
		for _, strict := range []bool{false, true} {
			k := newBench(t, 1)
			b := k.b
			k.strict = strict
			addr := &b.Intrinsic(ir.IntrLoadSsboAddress, 1, 64, b.Imm32(1), b.Imm32(c.offset)).Def
			if c.access == nil {
				k.out(&b.Intrinsic(ir.IntrLoadGlobal, 1, 32, addr).Set(ir.IdxAlignMul, 4).Def)
			} else {
				k.out(c.access(b, addr))
			}
			err := k.run(8, make([]byte, 24)).err
			if strict && c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("offset %d: %v, want %q", c.offset, err, c.want)
				}
			} else if err != nil {
				t.Errorf("offset %d, strict %v: %v", c.offset, strict, err)
			}
		}
	}
}

// TestDispatch runs through the emulator's own dispatch.
func TestDispatch(t *testing.T) {
	k := newBench(t, 4)
	b := k.b
	k.out(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def)
	k.out(&b.Intrinsic(ir.IntrLoadNumSubgroups, 1, 32).Def)
	p, err := New(k.s, Options{WaveSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	mem := emu.NewMemory()
	out := mem.Alloc(8 * 16)
	var bind emu.Bindings
	bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 8 * 16}})
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Base: [3]uint32{2, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	for l := range 8 {
		for c, want := range []uint32{uint32(16 + l), 0, 1, 2} {
			if got := uint32(emu.LoadBytes(out.Data[l*16+c*4:], 4)); got != want {
				t.Errorf("lane %d word %d: %d, want %d", l, c, got, want)
			}
		}
	}
}

func TestVertex(t *testing.T) {
	s := ir.NewShader(ir.StageVertex, nil)
	f := s.NewFunction("main")
	f.IsEntry = true
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	vec4 := ir.VectorType(ir.BaseFloat, 32, 4)
	mat := s.NewVariable(ir.ModeShaderIn, ir.MatrixType(32, 2, 2), "m")
	mat.Location = 3
	id := s.NewVariable(ir.ModeSystemValue, ir.ScalarType(ir.BaseInt, 32), "id")
	id.BuiltIn = 42
	pos := s.NewVariable(ir.ModeShaderOut, vec4, "pos")
	pos.Location = int32(ir.SlotPos)
	arr := s.NewVariable(ir.ModeShaderOut, ir.ArrayType(ir.ScalarType(ir.BaseFloat, 32), 2, 0), "arr")
	arr.Location, arr.Component = int32(ir.SlotVar0)+1, 2
	col := b.LoadDeref(b.DerefArray(b.DerefVar(mat), b.Iand(b.LoadVar(id), b.Imm32(1))), 0)
	b.StoreVar(pos, b.Vec(b.Channel(col, 0), b.Channel(col, 1), b.I2f32(b.LoadVar(id)), b.ImmFloat(1, 32)), 0)
	b.StoreDeref(b.DerefArrayImm(b.DerefVar(arr), 1), b.ImmFloat(5, 32), 0, 0)
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	p, err := New(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, NumLanes: 2, Out: make([]emu.Slots, 2)}
	for i := range 2 {
		in := make([]emu.Vec4, 5)
		in[3], in[4] = emu.Vec4{10, 11}, emu.Vec4{20, 21}
		l.Inputs = append(l.Inputs, in)
		l.Vertex = append(l.Vertex, emu.VertexLane{VertexIndex: uint32(7 + i)})
	}
	if _, err := p.NewWave(l).Run(1000); err != nil {
		t.Fatal(err)
	}
	for i, want := range []emu.Vec4{{20, 21, math.Float32bits(7), 0x3f800000}, {10, 11, math.Float32bits(8), 0x3f800000}} {
		if l.Out[i][ir.SlotPos] != want || l.Out[i][ir.SlotVar0+2][2] != math.Float32bits(5) {
			t.Errorf("vertex %d: %v %v, want %v", i, l.Out[i][ir.SlotPos], l.Out[i][ir.SlotVar0+2], want)
		}
	}
	if io := p.IO(); len(io.Inputs) != 2 || io.Inputs[0].Slot != 3 || io.Inputs[0].Mask != 3 || len(io.Outputs) != 3 {
		t.Errorf("interface %+v", io)
	}
}
