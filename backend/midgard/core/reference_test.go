package core

import (
	"bufio"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// reference is a program of the reference compiler.
type reference struct {
	name string
	code []byte
	meta abi.Meta
}

// references reads the programs among the vectors.
func references(t *testing.T) (list []reference) {
	file, err := os.Open(filepath.Join("..", "isa", "testdata", "vectors.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s := bufio.NewScanner(file)
	s.Buffer(nil, 1<<20)
	whole, name := false, ""
	m := abi.Meta{WorkRegs: 16, UBOs: []abi.UBO{{Kind: abi.UBOPush}}, Uniforms: make([]abi.Uniform, 8), NeedsQuads: true, UsesBarrier: true}
	for s.Scan() {
		l := s.Text()
		switch {
		case strings.HasPrefix(l, "## "):
			whole = strings.Contains(l, "compile") || strings.Contains(l, "blend programs")
		case strings.HasPrefix(l, "#@"):
			m.NoUpperALU = strings.Contains(l, "gpu=7")
			m.Alias = strings.Contains(l, "gpu=720") || strings.Contains(l, "gpu=83")
		case strings.HasPrefix(l, "# "):
			if before, _, ok := strings.Cut(l, ":"); ok {
				name = before[2:]
				m.Stage = ir.StageFragment
				switch {
				case strings.Contains(name, ".vert"):
					m.Stage = ir.StageVertex
				case strings.Contains(name, ".comp"):
					m.Stage = ir.StageCompute
				}
			}
		case whole:
			hexes, _, _ := strings.Cut(l, "\t")
			code, err := hex.DecodeString(hexes)
			if err != nil || len(code) == 0 {
				continue
			}
			m.FirstTag = isa.Tag(code[0] & 15)
			list = append(list, reference{name, code, m})
		}
	}
	return list
}

// TestReferenceRules: the rules of checking mode accept what the reference
// compiler emits.
func TestReferenceRules(t *testing.T) {
	list := references(t)
	for i := range list {
		r := &list[i]
		p, err := Load(r.code, &r.meta)
		if err != nil {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		for _, b := range p.(*program).code {
			if b.decode == nil && b.rules != nil {
				t.Errorf("%s\nbyte %#x:\n%s\n%v", r.name, b.addr, b.Bundle, b.rules)
			}
		}
	}
	if len(list) < 60 {
		t.Errorf("only %d programs", len(list))
	}
	t.Logf("%d programs", len(list))
}

// find returns the first program of a name, with the buffers of set 0: the
// uniform buffers after the unused UBO 0, the system values last and pushed.
func find(t *testing.T, list []reference, name string, ubos int, sysvals ...abi.Sysval) *reference {
	t.Helper()
	for i := range list {
		if list[i].name != name || list[i].meta.Alias || list[i].meta.NoUpperALU {
			continue
		}
		r := list[i]
		r.meta.UBOs = make([]abi.UBO, 1)
		for k := range ubos {
			r.meta.UBOs = append(r.meta.UBOs, abi.UBO{Kind: abi.UBOBinding, Binding: uint32(len(sysvals) + k)})
		}
		r.meta.UBOs = append(r.meta.UBOs, abi.UBO{Kind: abi.UBOSysvals})
		r.meta.Sysvals, r.meta.Uniforms = sysvals, nil
		for k := range sysvals {
			r.meta.Uniforms = append(r.meta.Uniforms, abi.Uniform{UBO: ubos + 1, Offset: uint32(16 * k)})
		}
		r.meta.WorkRegs, r.meta.FetchSampler = 16, true
		return &r
	}
	t.Fatalf("the vectors have no %s", name)
	return nil
}

func putF(b []byte, v ...float32) {
	for i, x := range v {
		emu.StoreBytes(b[4*i:], 4, uint64(f(x)))
	}
}

func getF(b []byte, i int) float32 {
	return math.Float32frombits(uint32(emu.LoadBytes(b[4*i:], 4)))
}

// bind binds buffers of the given sizes to set 0.
func bind(env *emu.Env, kind emu.DescriptorType, first uint32, sizes ...int) (list []*emu.Buffer) {
	for i, n := range sizes {
		b := env.Mem.Alloc(n)
		env.Bindings.Set(0, first+uint32(i), []emu.Descriptor{{Type: kind, Addr: b.Addr, Size: uint64(n)}})
		list = append(list, b)
	}
	return list
}

func ssbo(n uint32) abi.Sysval { return abi.Sysval{Kind: abi.SysvalSSBO, Binding: n} }

func newEnv() *emu.Env { return &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}} }

// group runs one workgroup, thread by thread between barriers.
func group(t *testing.T, r *reference, env *emu.Env, size [3]uint32) {
	t.Helper()
	r.meta.WorkgroupSize, r.meta.SharedSize = size, 256
	p, err := Load(r.code, &r.meta)
	if err != nil {
		t.Fatal(err)
	}
	var waves []emu.Wave
	mem := make([]byte, 256)
	for i := range size[0] * size[1] {
		waves = append(waves, p.NewWave(&emu.Launch{Env: env, NumLanes: 1, Check: true,
			Compute: &emu.ComputeLaunch{LocalID: [][3]uint32{{i % size[0], i / size[0]}}, Shared: mem}}))
	}
	for done := 0; done < len(waves); {
		done = 0
		for _, w := range waves {
			st, err := w.Run(100000)
			if err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
			if st == emu.StatusDone {
				done++
			}
		}
	}
}

// TestReferenceCompute runs compute programs of the reference compiler.
func TestReferenceCompute(t *testing.T) {
	list := references(t)
	env := newEnv()
	d := bind(env, emu.DescStorageBuffer, 0, 256)[0].Data
	for i := range 64 {
		putF(d[4*i:], float32(i))
	}
	group(t, find(t, list, "c02_shared.comp", 0, ssbo(0)), env, [3]uint32{64, 1, 1})
	if got := getF(d, 0); got != 63*32 {
		t.Errorf("c02: the sum is %v", got)
	}

	env = newEnv()
	bufs := bind(env, emu.DescStorageBuffer, 0, 64, 64)
	putF(bufs[0].Data[16:], 1, 2, 3, 4)
	for i, v := range []int32{5, -6, 0, 0, 7, 8} {
		emu.StoreBytes(bufs[1].Data[4*i:], 4, uint64(uint32(v)))
	}
	group(t, find(t, list, "c04_vec.comp", 0, ssbo(0), ssbo(1)), env, [3]uint32{1, 1, 1})
	for i, want := range []float32{13, 0, 11, 10} {
		if got := getF(bufs[0].Data, i); got != want {
			t.Errorf("c04: component %d is %v, want %v", i, got, want)
		}
	}

	env = newEnv()
	const n = 16
	bufs = bind(env, emu.DescStorageBuffer, 0, 4*n*n, 4*n*n, 4*n*n)
	emu.StoreBytes(bind(env, emu.DescUniformBuffer, 3, 16)[0].Data, 4, n)
	for i := range n * n {
		putF(bufs[0].Data[4*i:], float32(i%7))
		putF(bufs[1].Data[4*i:], float32(i%5))
	}
	mat := find(t, list, "c05_mat.comp", 1, ssbo(0), ssbo(1), ssbo(2))
	mat.meta.WorkRegs = abi.WorkLimit([3]uint32{n, n, 1})
	group(t, mat, env, [3]uint32{n, n, 1})
	for i := range n * n {
		want := float32(0)
		for k := range n {
			want += float32((i/n*n+k)%7) * float32((k*n+i%n)%5)
		}
		if got := getF(bufs[2].Data, i); got != want {
			t.Fatalf("c05: element %d is %v, want %v", i, got, want)
		}
	}
}

// fragments runs a fragment program on a quad whose varyings are the same
// everywhere.
func fragments(t *testing.T, r *reference, env *emu.Env, change func(l *emu.Launch), vary ...emu.Vec4) *emu.Launch {
	t.Helper()
	v := &emu.Slots{}
	for i, x := range vary {
		v[int(ir.SlotVar0)+i] = x
		r.meta.Varyings = append(r.meta.Varyings, abi.Varying{Kind: abi.VaryingSlot, Slot: ir.SlotVar0 + ir.Slot(i)})
	}
	p, err := Load(r.code, &r.meta)
	if err != nil {
		t.Fatal(err)
	}
	l := quad()
	l.Env = env
	for i := range l.Fragment {
		l.Fragment[i].Prim = &emu.Primitive{V: [3]*emu.Slots{v, v, v}, FrontFacing: true}
	}
	if change != nil {
		change(l)
	}
	if st, err := p.NewWave(l).Run(100000); err != nil || st != emu.StatusDone {
		t.Fatalf("%s: status %d, %v", r.name, st, err)
	}
	return l
}

func vec(v ...float32) (x emu.Vec4) {
	for i, c := range v {
		x[i] = f(c)
	}
	return x
}

// expect compares with a tolerance of some units of the last place.
func expect(t *testing.T, name string, got emu.Vec4, want ...float32) {
	t.Helper()
	for i, w := range want {
		if g := math.Float32frombits(got[i]); !(math.Abs(float64(g-w)) <= 1e-5*math.Max(1, math.Abs(float64(w)))) {
			t.Errorf("%s: component %d is %v, want %v", name, i, g, w)
		}
	}
}

// TestReferenceFragment runs fragment programs of the reference compiler.
func TestReferenceFragment(t *testing.T) {
	list := references(t)
	run := func(name string, ubos int, env *emu.Env, change func(l *emu.Launch), vary ...emu.Vec4) *emu.Launch {
		return fragments(t, find(t, list, name, ubos), env, change, vary...)
	}
	out := func(l *emu.Launch, n int) emu.Vec4 { return l.Out[3][int(ir.SlotData0)+n] }

	l := run("f13_mrt.frag", 0, newEnv(), nil, vec(1, 2, 3, 4))
	expect(t, "f13 o0", out(l, 0), 1, 2, 3, 4)
	expect(t, "f13 o1", out(l, 1), 4, 3, 2, 1)
	expect(t, "f13 o2", out(l, 2), 1, 4, 9, 16)

	r := find(t, list, "f14_depth.frag", 0)
	r.meta.WritesDepth = true
	l = fragments(t, r, newEnv(), nil, vec(0.5, 2, 3, 4))
	expect(t, "f14", l.Out[3][ir.SlotDepth], 0.25)

	l = run("f11_discard.frag", 0, newEnv(), nil, vec(0.75, 2, 3, 4))
	expect(t, "f11", out(l, 0), 2, 3, 4, 0.75)
	if l = run("f11_discard.frag", 0, newEnv(), nil, vec(0.25, 2, 3, 4)); l.Live.Any() {
		t.Error("f11: not discarded")
	}

	// 7/2, -7/2, 100 % 7, -100 % 7; % has the sign of the divisor.
	s := func(v int32) uint32 { return uint32(v) }
	l = run("f27_idiv.frag", 0, newEnv(), nil, emu.Vec4{7, 2, 100, 7}, emu.Vec4{s(-7), 2, s(-100), 7})
	expect(t, "f27", out(l, 0), 3, -3, 2, 5)
	l = run("f27_idiv.frag", 0, newEnv(), nil, emu.Vec4{4000000000, 3, 4000000000, 99999}, emu.Vec4{s(math.MinInt32), 7, s(math.MaxInt32), s(-10)})
	expect(t, "f27", out(l, 0), 1333333333, -306783378, 4000000000%99999, -3)

	x := []float32{0.3, -0.9, 1.6, 2.5}
	l = run("f25_clamp.frag", 0, newEnv(), nil, vec(x...))
	var want [4]float32
	for i := range want {
		a, yx := float64(x[i]), float64(x[[4]int{1, 0, 3, 2}[i]])
		want[i] = float32(math.Min(math.Max(math.Abs(a)*-2+1.5, 0), 1) + 2.5 + math.RoundToEven(a) + math.Floor(yx) + a - math.Floor(a))
	}
	expect(t, "f25", out(l, 0), want[:]...)

	e := []float64{0.4, 1.2, 0.7, 3}
	l = run("f15_math.frag", 0, newEnv(), nil, vec(0.4, 1.2, 0.7, 3))
	expect(t, "f15", out(l, 0), float32(math.Sin(e[0])+math.Pow(e[0], e[1])), float32(math.Cos(e[1])+1/math.Sqrt(e[2])),
		float32(math.Exp(e[2])+math.Sqrt(e[3])), float32(math.Log(e[3])+math.Atan2(e[0], e[1])))

	env := newEnv()
	u := bind(env, emu.DescUniformBuffer, 0, 16)[0].Data
	emu.StoreBytes(u, 4, 50)
	putF(u[4:], 4)
	l = run("f23_loop.frag", 1, env, nil, vec(0.3, 0.5, 0, 0))
	zx, zy, steps := float32(0), float32(0), 0
	for ; steps < 50; steps++ {
		zx, zy = zx*zx-zy*zy+0.3, 2*zx*zy+0.5
		if zx*zx+zy*zy > 4 {
			break
		}
	}
	expect(t, "f23", out(l, 0), float32(steps))

	env = newEnv()
	u = bind(env, emu.DescUniformBuffer, 0, 320)[0].Data
	sum := float32(0)
	for i := range 20 {
		putF(u[16*i:], float32(i*i))
		sum += float32(i*i) * float32(i+1)
	}
	expect(t, "f20", out(run("f20_uni.frag", 1, env, nil), 0), sum, 0)

	l = run("f10_deriv.frag", 0, newEnv(), func(l *emu.Launch) {
		for i := range l.Fragment {
			v := [3]*emu.Slots{{}, {}, {}}
			v[1][ir.SlotVar0], v[2][ir.SlotVar0] = vec(4, 8, 12, 16), vec(20, 40, 60, 80)
			l.Fragment[i].Prim = &emu.Primitive{V: v}
		}
	}, vec(0))
	// d/dx is a quarter of the first step, d/dy half of the second.
	expect(t, "f10", out(l, 0), 1+40+11, 2+30+11, 3+20+11, 4+10+11)
}

// TestReferenceVertex runs a vertex program with the viewport transform.
func TestReferenceVertex(t *testing.T) {
	list := references(t)
	env := newEnv()
	u := bind(env, emu.DescUniformBuffer, 2, 64)[0].Data
	putF(u, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 5, 6, 7, 2)
	r := find(t, list, "v02_mvp.vert", 1, abi.Sysval{Kind: abi.SysvalViewportScale}, abi.Sysval{Kind: abi.SysvalViewportOffset})
	r.meta.Attributes = []abi.Record{{Kind: abi.RecordAttribute}, {Kind: abi.RecordAttribute, Slot: 1}}
	r.meta.Varyings = []abi.Varying{{Kind: abi.VaryingSlot, Slot: ir.SlotPos}, {Kind: abi.VaryingSlot, Slot: ir.SlotVar0}}
	p, err := Load(r.code, &r.meta)
	if err != nil {
		t.Fatal(err)
	}
	l := &emu.Launch{Env: env, NumLanes: 1, Check: true, Out: make([]emu.Slots, 1), Vertex: make([]emu.VertexLane, 1),
		Inputs: [][]emu.Vec4{{vec(1, 2, 3, 1), vec(0.5, 0.25)}}}
	finish(t, p, l)
	expect(t, "v02 position", l.Out[0][ir.SlotPos], 3, 5, 8, 0.5)
	expect(t, "v02 coordinates", l.Out[0][ir.SlotVar0], 0.5, 0.25)
}
