package midgard

import (
	_ "embed"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

//go:embed testdata/ir/test_unreachable_phi.nir
var testUnreachablePhiText string

// A block after a loop without end is never reached, and what it gives a phi
// was never selected.
func TestUnreachablePhi(t *testing.T) {
	programs.Hold(t)
	s, err := ir.Parse(testUnreachablePhiText)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compile(s, CompileOptions{}); err != nil {
		t.Error(err)
	}
}

// shade makes a fragment shader whose colour comes from a varying.
func shade(f func(b *ir.Builder, in *ir.Def) *ir.Def) *ir.Shader {
	s, b := gputest.NewShader(ir.StageFragment, 0)
	bary := b.Intrinsic(ir.IntrLoadBarycentricPixel, 2, 32)
	bary.Set(ir.IdxInterpMode, uint64(ir.InterpSmooth))
	in := b.Intrinsic(ir.IntrLoadInterpolatedInput, 4, 32, &bary.Def, b.Imm32(0))
	in.Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotVar0, NumSlots: 1}.Pack())
	st := b.Intrinsic(ir.IntrStoreOutput, 0, 0, f(b, &in.Def), b.Imm32(0))
	st.Set(ir.IdxWriteMask, 15)
	st.Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotData0, NumSlots: 1}.Pack())
	return s
}

// What makes a colour runs in the writeout's bundle, as far as units go.
func TestWriteoutBundle(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		name    string
		bundles int
		make    func(b *ir.Builder, v *ir.Def) *ir.Def
		want    []string
	}{
		{"a copy", 3, func(b *ir.Builder, v *ir.Def) *ir.Def { return v }, []string{"LD_VARY", "vmul.MOV.i32 R0, ", "write.always"}},
		{"a product", 3, func(b *ir.Builder, v *ir.Def) *ir.Def { return b.Fmul(v, b.Swizzle(v, 3, 3, 3, 3)) },
			[]string{"LD_VARY", "vmul.FMUL.f32 R0", "write.always"}},
		{"a sum", 4, func(b *ir.Builder, v *ir.Def) *ir.Def { return b.Fadd(v, b.Swizzle(v, 3, 2, 1, 0)) },
			[]string{"vadd.FADD.f32", "vmul.MOV.i32 R0", "write.always"}},
		{"parts", 3, func(b *ir.Builder, v *ir.Def) *ir.Def {
			p := b.Fmul(b.Channels(v, 0, 3), b.Swizzle(v, 3, 3, 3))
			return b.Vec(b.Channel(p, 0), b.Channel(p, 1), b.Channel(p, 2), b.ImmFloat(1, 32))
		}, []string{"LD_VARY", "vmul.FMUL.f32 R0.xyz", "sadd.FMOV.f32 R0.w", "write.always"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bin, text := listing(t, shade(c.make), CompileOptions{})
			expect(t, text, c.want...)
			if bin.Stats.Bundles != c.bundles {
				t.Errorf("%d bundles, want %d:\n%s", bin.Stats.Bundles, c.bundles, text)
			}
		})
	}
}

// Loads and arithmetic write the inputs of the load/store pipe themselves.
func TestNoMoves(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
	x := gputest.LoadWords(b, in, b.Imm32(0), 4)
	gputest.StoreWords(b, out, b.Imm32(0), x)
	gputest.StoreWords(b, out, b.Imm32(16), b.Fadd(x, x))
	_, text := listing(t, s, CompileOptions{})
	expect(t, text, "vadd.FADD.f32 AL0")
	s, b = gputest.NewShader(ir.StageCompute, 64)
	in, out = gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
	gputest.StoreWords(b, out, b.Imm32(0), gputest.LoadWords(b, in, b.Imm32(0), 4))
	_, text = listing(t, s, CompileOptions{})
	expect(t, text, "LD.128 AL0", "ST.128 AL0")
}

// A value that is cheap to make is made again rather than spilled, and other
// values go to memory once.
func TestRemake(t *testing.T) {
	f := &function{blocks: make([]block, 1)}
	base := f.newNode(1)
	add := func(in inst) {
		in.loc = 1
		f.blocks[0].list = append(f.blocks[0].list, f.newInst(in))
	}
	add(inst{kind: kindLdSt, dst: base, mask: 1, ld: isa.LoadStore{Op: isa.LdMov, Arg: isa.AddrReg{Reg: isa.AddrLocalID}, Index: isa.AddrReg{Reg: isa.AddrZero}}})
	const n = 200
	var regs []reg
	for i := range n {
		r := f.newNode(1)
		regs = append(regs, r)
		in := inst{op: isa.OpIadd, dst: r, mask: 1, out: isa.OutKeepLow, imm: true, con: uint16(i)}
		in.src[0] = source{reg: base}
		add(in)
	}
	for _, r := range regs {
		in := inst{op: isa.OpImov, dst: regLd0, mask: 1, out: isa.OutKeepLow}
		in.src = [2]source{{reg: regNone}, {reg: r}}
		add(in)
		add(inst{kind: kindLdSt, dst: regNone, ld: isa.LoadStore{Op: isa.St32, Mask: 15, Swizzle: isa.XYZW, Index: isa.AddrReg{Reg: isa.AddrZero}}})
	}
	slots, _, err := f.allocate(0, 4, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	if slots != 0 {
		t.Errorf("%d values were spilled that one addition makes", slots)
	}
	if got := strings.Count(f.String(), "iadd"); got < n {
		t.Errorf("%d additions are left of %d", got, n)
	}
}
