package backend_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc/backend"
	"nirc/backend/gputest"
	"nirc/ir"
)

// TestRuns: the runs of consecutive components of all masks of six components.
func TestRuns(t *testing.T) {
	for mask := range uint64(64) {
		var got []string
		backend.Runs(mask, func(first, n int) { got = append(got, fmt.Sprintf("%d+%d", first, n)) })
		var want []string
		text := fmt.Sprintf("%06b0", mask) // from the last component to the first
		for end := len(text) - 1; end > 0; {
			c := len(text) - 1 - end
			n := 0
			for c+n < 6 && mask>>(c+n)&1 != 0 {
				n++
			}
			if n > 0 {
				want = append(want, fmt.Sprintf("%d+%d", c, n))
			}
			end -= max(n, 1)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("of %06b: %v, want %v", mask, got, want)
		}
	}
}

// TestParts: a component of 64 bits is two words, the low one first, of values, constants and what gathers them.
func TestParts(t *testing.T) {
	_, b := gputest.NewShader(ir.StageCompute, 1)
	wide := b.Const(64, 0x1111_2222_3333_4444, 0x5555_6666_7777_8888)
	words := b.Const(32, 7, 8, 9)
	if backend.Parts(wide) != 2 || backend.Parts(words) != 1 || backend.Parts(b.Const(16, 1)) != 1 {
		t.Error("a component of 64 bits takes two words, and every other one")
	}
	for k, want := range []uint32{0x3333_4444, 0x1111_2222, 0x7777_8888, 0x5555_6666} {
		if got := backend.ConstPart(wide, k); got != want {
			t.Errorf("word %d is %#x, want %#x", k, got, want)
		}
		if got, ok := backend.Literal(wide, k); !ok || got != want {
			t.Errorf("literal %d is %#x, %t, want %#x", k, got, ok, want)
		}
	}
	for k, want := range []uint32{7, 8, 9} {
		if got := backend.ConstPart(words, k); got != want {
			t.Errorf("word %d is %#x, want %#x", k, got, want)
		}
	}
	if v, ok := backend.Literal(b.Undef(1, 32), 0); v != 0 || !ok {
		t.Errorf("an undefined value is the literal %d, %t", v, ok)
	}
	if _, ok := backend.Literal(b.Iadd(b.Channel(words, 0), b.Channel(words, 1)), 0); ok {
		t.Error("a sum is a literal")
	}
	at := func(d *ir.Def, k int) string { return fmt.Sprintf("%d.%d", d.Index, k) }
	vec := b.Vec(b.Channel(wide, 1), b.Channel(wide, 0))
	var want []string
	for i := range 2 {
		src := &vec.Instr.Srcs[i]
		for part := range 2 {
			want = append(want, at(src.Def, src.Swizzle.Lane(0)*2+part))
		}
	}
	if got := backend.Components(vec.Instr, 2, at); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("of a vector: %v, want %v", got, want)
	}
	mov := b.Swizzle(words, 2, 0)
	if got, want := backend.Components(mov.Instr, 1, at), []string{at(words, 2), at(words, 0)}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("of a move: %v, want %v", got, want)
	}
}

// TestValues: each value keeps the operands that it was given, and none after Reset.
func TestValues(t *testing.T) {
	_, b := gputest.NewShader(ir.StageCompute, 1)
	list := []*ir.Def{b.Const(32, 1, 2, 3), b.Const(64, 4), b.Const(16, 5)}
	for i, d := range list {
		d.Index = uint32(i)
	}
	var v backend.Values[string]
	for range 2 {
		v.Reset(len(list))
		for _, d := range list {
			if _, ok := v.At(d, 0); ok {
				t.Errorf("value %d has an operand that nobody gave it", d.Index)
			}
		}
		if !v.Set(list[1], []string{"low", "high"}) || !v.Set(list[0], []string{"x", "y", "z"}) || v.Set(list[2], []string{"one", "more"}) {
			t.Error("a value has an operand for each component, two for one of 64 bits")
		}
		for k, want := range []string{"x", "y", "z"} {
			if o, ok := v.At(list[0], k); !ok || o != want {
				t.Errorf("operand %d is %q, %t, want %q", k, o, ok, want)
			}
		}
		if o, ok := v.At(list[1], 1); !ok || o != "high" {
			t.Errorf("the high word is %q, %t", o, ok)
		}
	}
}

// TestFoldModifiers: of floats, absolute comes before negated.
func TestFoldModifiers(t *testing.T) {
	for _, x := range []float64{0, 1.5, -1.5, math.Inf(1), math.Inf(-1)} {
		for k := range 4 {
			abs, neg := k&1 != 0, k&2 != 0
			want := x
			if abs {
				want = math.Abs(want)
			}
			if neg {
				want = -want
			}
			if got := backend.FoldModifiers(math.Float32bits(float32(x)), false, abs, neg); math.Float32frombits(got) != float32(want) || got>>31 != math.Float32bits(float32(want))>>31 {
				t.Errorf("%g, abs %t, neg %t: %#x, want %g", x, abs, neg, got, want)
			}
			if x == 0 {
				want = math.Copysign(0, want)
			}
			half := uint32(ir.FloatBits(x, 16))
			if got := backend.FoldModifiers(half, true, abs, neg); got != uint32(ir.FloatBits(want, 16)) {
				t.Errorf("half %g, abs %t, neg %t: %#x, want %g", x, abs, neg, got, want)
			}
		}
	}
}

// TestIOSlots: which slot and component an input or output access reaches, what is written of it, and what cannot be selected.
func TestIOSlots(t *testing.T) {
	_, b := gputest.NewShader(ir.StageVertex, 0)
	index := &b.Intrinsic(ir.IntrLoadVertexId, 1, 32).Def
	for _, c := range []struct {
		location  ir.Slot
		off       *ir.Def
		component uint64
		n, bits   uint8
		slot      int
		want      string
	}{
		{ir.SlotVar0, b.Imm32(0), 0, 4, 32, int(ir.SlotVar0), ""},
		{ir.SlotVar0, b.Imm32(3), 2, 2, 16, int(ir.SlotVar0) + 3, ""},
		{ir.SlotVar0, b.Imm32(0), 3, 2, 32, 0, "components from 3 on"},
		{ir.SlotVar0, b.Imm32(0), 1, 4, 32, 0, "components from 1 on"},
		{ir.NumVaryingSlots - 1, b.Imm32(0), 3, 1, 32, ir.NumVaryingSlots - 1, ""},
		{ir.NumVaryingSlots - 1, b.Imm32(1), 0, 1, 32, 0, "is not supported"},
		{ir.SlotVar0, index, 0, 1, 32, 0, "indirect slot"},
	} {
		sem := ir.IOSemantics{Location: c.location, NumSlots: 1}
		load := b.Intrinsic(ir.IntrLoadInput, c.n, c.bits, c.off).Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxComponent, c.component)
		slot, comp, err := backend.IOSlot(load, load.Srcs[0].Def)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || err == nil && (slot != c.slot || comp != int(c.component)) {
			t.Errorf("slot %d, component %d: %d, %d, %v, want %d %q", c.location, c.component, slot, comp, err, c.slot, c.want)
		}
	}
	store := func(v *ir.Def, component, mask uint64, source uint8) (backend.IOStore, error) {
		sem := ir.IOSemantics{Location: ir.SlotData0 + 1, NumSlots: 1, DualSourceIndex: source}
		return backend.NewIOStore(b.Intrinsic(ir.IntrStoreOutput, 0, 0, v, b.Imm32(2)).Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxComponent, component).Set(ir.IdxWriteMask, mask))
	}
	for _, c := range []struct {
		v       *ir.Def
		mask    uint64
		source  uint8
		written string
	}{{b.Const(32, 1, 2, 3), 7, 0, "[0 1 2]"}, {b.Const(32, 1, 2, 3), 5, 1, "[0 2]"}, {b.Const(16, 1, 2), 2, 0, "[1]"}, {b.Const(32, 1), 14, 0, "[]"}} {
		st, err := store(c.v, 1, c.mask, c.source)
		if err != nil {
			t.Error(err)
			continue
		}
		var written []int
		for c := range st.Written {
			written = append(written, c)
		}
		if st.Slot != ir.SlotData0+3 || st.Comp != 1 || st.Index != c.source || st.Value != c.v || fmt.Sprint(written) != c.written {
			t.Errorf("%+v writes %v, want %s", st, written, c.written)
		}
		for c := range st.Written {
			if c != written[0] {
				t.Errorf("component %d after the loop ended", c)
			}
			break
		}
	}
	for _, bits := range []uint8{8, 64} {
		if _, err := store(b.Const(bits, 1), 0, 1, 0); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("of %d bits", bits)) {
			t.Errorf("a store of %d bits: %v", bits, err)
		}
	}
}

// TestAlignUp: the least multiple that is not below.
func TestAlignUp(t *testing.T) {
	for n := range 40 {
		for a := 1; a < 9; a++ {
			if got := backend.AlignUp(n, a); got%a != 0 || got < n || got-n >= a {
				t.Errorf("%d to a multiple of %d: %d", n, a, got)
			}
		}
	}
}

// TestOnlySaturated: a result is saturated where it is made if nothing but one fsat uses it.
func TestOnlySaturated(t *testing.T) {
	_, b := gputest.NewShader(ir.StageCompute, 1)
	sum := func() *ir.Def { return b.Fadd(b.ImmFloat(1, 32), b.ImmFloat(2, 32)) }
	one, two, other, none, cond := sum(), sum(), sum(), sum(), b.Feq(b.ImmFloat(1, 32), b.ImmFloat(2, 32))
	b.Fsat(one)
	b.Fsat(two)
	b.Fneg(two)
	b.Fneg(other)
	b.PopIf(b.PushIf(cond))
	for _, c := range []struct {
		what string
		d    *ir.Def
		want bool
	}{{"one fsat", one, true}, {"two uses", two, false}, {"another use", other, false}, {"no use", none, false}, {"a condition", cond, false}} {
		if got := backend.OnlySaturated(c.d.Instr); got != c.want {
			t.Errorf("%s: %t", c.what, got)
		}
	}
}
