package resource

import (
	"fmt"
	"math"
	"testing"

	"nirc/ir"
)

func newShader() (*ir.Shader, *ir.Builder, *ir.Impl) {
	s := ir.NewShader(ir.StageCompute, nil)
	f := s.NewFunction("main")
	f.IsEntry = true
	return s, ir.NewBuilder(ir.AtEnd(f.Impl.Start())), f.Impl
}

// index makes a handle of an element of a binding.
func index(b *ir.Builder, set, binding uint64, element *ir.Def) *ir.Def {
	in := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, element)
	in.Set(ir.IdxDescSet, set).Set(ir.IdxBinding, binding)
	return &in.Def
}

// TestBuffers: bindings are numbered by set and binding, with as many entries as the shader names, those of unknown size last.
func TestBuffers(t *testing.T) {
	s, b, impl := newShader()
	lane := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	index(b, 1, 0, b.Imm32(2))
	index(b, 0, 3, lane)
	index(b, 0, 2, b.Imm32(0))
	index(b, 0, 2, b.Imm32(4))
	index(b, 0, 2, b.Imm32(1))
	index(b, 0, 1, lane)
	table := Buffers(s, impl, 16)
	want := "[{0 2 0 1 5} {1 0 5 1 3} {0 1 8 1 0} {0 3 24 1 0}] 40 false"
	if got := fmt.Sprint(table.Ranges, table.Total, table.Sized); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for n, want := range map[uint32]string{0: "0.2 element 0", 4: "0.2 element 4", 5: "1.0 element 0", 7: "1.0 element 2", 8: "0.1 element 0", 23: "0.1 element 15"} {
		r, element, ok := table.Entry(n)
		if got := fmt.Sprintf("%d.%d element %d", r.Set, r.Binding, element); !ok || got != want {
			t.Errorf("entry %d: %s, want %s", n, got, want)
		}
	}
	if r := table.Find(1, 0); r == nil || r.First != 5 || table.Find(1, 1) != nil || table.Find(2, 0) != nil {
		t.Errorf("binding 1.0 is %+v", r)
	}
	sized := &Table{Ranges: []Range{{First: 2, Stride: 3, Count: 2}}}
	for n := range uint32(9) {
		_, element, ok := sized.Entry(n)
		if want := n == 2 || n == 5; ok != want || ok && element != (n-2)/3 {
			t.Errorf("every third from 2 on, entry %d: element %d, %v", n, element, ok)
		}
	}
	s, b, impl = newShader()
	index(b, 0, 0, b.Imm32(math.MaxUint32-1))
	index(b, 0, 1, b.Imm32(7))
	if table = Buffers(s, impl, 16); table.Total != math.MaxUint32 || !table.Sized {
		t.Errorf("too many are %d, sized %v", table.Total, table.Sized)
	}
	s, _, impl = newShader()
	if table = Buffers(s, impl, 16); len(table.Ranges) != 0 || table.Total != 0 || !table.Sized {
		t.Errorf("of nothing: %+v", table)
	}
}

// TestLowerHandles: a handle is the number of its entry, computed where the element is, and what loads a descriptor by it passes it on.
func TestLowerHandles(t *testing.T) {
	_, b, impl := newShader()
	lane := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	var uses []*ir.Def
	for _, x := range []struct {
		set     uint64
		element *ir.Def
	}{{0, b.Imm32(2)}, {0, lane}, {1, lane}} {
		h := index(b, x.set, 3, x.element)
		load := b.Intrinsic(ir.IntrLoadVulkanDescriptor, 2, 32, h)
		uses = append(uses, b.Channel(&load.Def, 0), b.Channel(&load.Def, 1))
	}
	LowerHandles(impl, func(set, binding uint32) (first, stride uint32) {
		if binding != 3 {
			t.Errorf("binding %d", binding)
		}
		return 10 + set, 1 + 4*(1-set)
	})
	if c, ok := uses[0].Instr.Srcs[0].Def.Const(0); !ok || c != 20 {
		t.Errorf("10 + 2*5 is %d, known %v", c, ok)
	}
	kinds := map[ir.Op]int{}
	for in := range impl.Instrs() {
		if in.IsIntrinsic(ir.IntrVulkanResourceIndex) || in.IsIntrinsic(ir.IntrLoadVulkanDescriptor) {
			t.Errorf("%s is left", in.Intr)
		}
		if in.Kind == ir.KindALU {
			kinds[in.Op]++
		}
	}
	if kinds[ir.OpImul] != 1 || kinds[ir.OpIadd] < 2 { // a product where the stride is 5, a sum each
		t.Errorf("operations %v", kinds)
	}
}

// TestArrayCount: arrays of arrays have as many as their lengths make, no more than fit.
func TestArrayCount(t *testing.T) {
	word := ir.ScalarType(ir.BaseUint, 32)
	array := func(of *ir.Type, n uint32) *ir.Type { return ir.ArrayType(of, n, 4) }
	for _, c := range []struct {
		t    *ir.Type
		want uint32
	}{
		{word, 1}, {array(word, 7), 7}, {array(array(word, 7), 3), 21}, {array(array(word, 7), 0), 0}, {array(array(word, 1<<20), 1<<20), math.MaxUint32},
	} {
		if got := ArrayCount(c.t); got != c.want {
			t.Errorf("%v: %d, want %d", c.t, got, c.want)
		}
	}
}

// TestTextureOfArrays: the element of an array of arrays is the sum of its indices, each times the elements that it steps over.
func TestTextureOfArrays(t *testing.T) {
	s, b, _ := newShader()
	image := &ir.Type{Base: ir.BaseImage, Dim: ir.Dim2D, Texel: ir.BaseFloat, TexelBits: 32}
	array := func(of *ir.Type, n uint32) *ir.Type { return &ir.Type{Base: ir.BaseArray, Elem: of, Len: n} }
	v := s.NewVariable(ir.ModeImage, array(array(array(image, 5), 3), 7), "images")
	d := b.DerefVar(v)
	for _, i := range []uint32{6, 2, 4} {
		d = b.DerefArray(d, b.Imm32(i))
	}
	at, sum := Element(d, uint64(0), func(d *ir.Def, stride uint32, sum uint64) uint64 {
		k, _ := d.Const(0)
		return sum + k*uint64(stride)
	})
	if at != v || sum != 6*15+2*5+4 {
		t.Errorf("variable %v, element %d", at, sum)
	}
}

// TestSplits64: what takes pairs of words is what gathers, chooses or cuts them.
func TestSplits64(t *testing.T) {
	pairs := map[ir.Op]bool{ir.OpBcsel: true, ir.OpUnpack64_2x32SplitX: true, ir.OpUnpack64_2x32SplitY: true, ir.OpU2u32: true, ir.OpI2i32: true, ir.OpU2u16: true, ir.OpI2i16: true}
	for op := range ir.Op(ir.NumOps) {
		if got := Splits64(op); got != pairs[op] {
			t.Errorf("%s: %t", op, got)
		}
	}
}

// TestOutputStore: the first store of a slot, and none of others.
func TestOutputStore(t *testing.T) {
	_, b, impl := newShader()
	store := func(slot ir.Slot) *ir.Instr {
		sem := ir.IOSemantics{Location: slot, NumSlots: 1}
		return b.Intrinsic(ir.IntrStoreOutput, 0, 0, b.Imm32(1), b.Imm32(0)).Set(ir.IdxIoSemantics, sem.Pack())
	}
	sem := ir.IOSemantics{Location: ir.SlotVar0, NumSlots: 1}
	b.Intrinsic(ir.IntrLoadOutput, 1, 32, b.Imm32(0)).Set(ir.IdxIoSemantics, sem.Pack())
	other, first := store(ir.SlotPos), store(ir.SlotVar0)
	store(ir.SlotVar0)
	if OutputStore(impl, ir.SlotVar0) != first || OutputStore(impl, ir.SlotPos) != other || OutputStore(impl, ir.SlotVar0+1) != nil {
		t.Error("a store of another slot is found, or none, or not the first")
	}
}

// TestBarycentrics: what only places inputs needs no value; what computes with it, chooses by it or hands it on does.
func TestBarycentrics(t *testing.T) {
	_, b, _ := newShader()
	bary := func() *ir.Instr { return b.Intrinsic(ir.IntrLoadBarycentricPixel, 2, 32) }
	input := func(at *ir.Def) *ir.Instr {
		return b.Intrinsic(ir.IntrLoadInterpolatedInput, 4, 32, at, b.Imm32(0))
	}
	none, one, both, computed, offset := bary(), bary(), bary(), bary(), bary()
	input(&one.Def)
	input(&both.Def)
	input(&both.Def)
	input(&computed.Def)
	sum := b.Fadd(&computed.Def, &computed.Def)
	b.Intrinsic(ir.IntrLoadInterpolatedInput, 4, 32, &one.Def, b.F2i32(b.Channel(&offset.Def, 0)))
	b.Intrinsic(ir.IntrStoreOutput, 0, 0, &offset.Def, b.Imm32(0))
	condition := b.Intrinsic(ir.IntrLoadFrontFace, 1, 1)
	b.PopIf(b.PushIf(&condition.Def))
	for name, c := range map[string]struct {
		in   *ir.Instr
		want bool
	}{"no use": {none, true}, "one input": {one, true}, "two inputs": {both, true}, "a sum": {computed, false}, "an output": {offset, false}, "a condition": {condition, false}} {
		if got := OnlyInterpolates(c.in); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if a, c := Barycentrics(one), Barycentrics(sum.Instr); a != "load_barycentric_pixel" || c != "computed barycentrics" {
		t.Errorf("%s, %s", a, c)
	}
}

// TestVariables: variables with bindings are numbered too, of buffers and no other mode, where no handle is made of them.
func TestVariables(t *testing.T) {
	s, _, impl := newShader()
	word := ir.ScalarType(ir.BaseUint, 32)
	add := func(mode ir.Mode, typ *ir.Type, binding uint32) {
		v := s.NewVariable(mode, typ, "v")
		v.HasBinding, v.Set, v.Binding = true, 1, binding
	}
	add(ir.ModeSSBO, ir.ArrayType(word, 3, 4), 4)
	add(ir.ModeUBO, word, 2)
	add(ir.ModeImage, word, 3)
	s.NewVariable(ir.ModeSSBO, word, "unbound")
	table := Buffers(s, impl, 16)
	if got, want := fmt.Sprint(table.Ranges, table.Total), "[{1 2 0 1 1} {1 4 1 1 3}] 4"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestNoHandles: control flow and all that is known of it stays where there is nothing to lower.
func TestNoHandles(t *testing.T) {
	_, b, impl := newShader()
	b.Iadd(b.Imm32(1), b.Imm32(2))
	LowerHandles(impl, func(set, binding uint32) (first, stride uint32) {
		t.Error("a place is asked for")
		return 0, 1
	})
}

// valueOf computes a component in a lane from constants, sums and products.
func valueOf(t *testing.T, d *ir.Def, c int, lane uint64) uint64 {
	t.Helper()
	in := d.Instr
	if v, ok := d.Const(c); ok {
		return v
	}
	src := func(i, c int) uint64 { return valueOf(t, in.Srcs[i].Def, int(in.Srcs[i].Swizzle.Lane(c)), lane) }
	switch {
	case in.IsIntrinsic(ir.IntrLoadLocalInvocationId):
		return lane + uint64(c)<<20
	case in.IsVec():
		return src(c, 0)
	case in.IsALU(ir.OpMov):
		return src(0, c)
	case in.IsALU(ir.OpIadd):
		return uint64(uint32(src(0, c) + src(1, c)))
	case in.IsALU(ir.OpImul):
		return uint64(uint32(src(0, c) * src(1, c)))
	}
	t.Fatalf("what is %v?", in.Op)
	return 0
}

// TestHandleValues: a handle is first + element*stride in its first component and 0 in others, whatever the element is made of, and its
// descriptor the same.
func TestHandleValues(t *testing.T) {
	for _, comps := range []uint8{1, 2, 4} {
		for _, first := range []uint32{0, 10} {
			for _, stride := range []uint32{0, 1, 2, 5} {
				_, b, impl := newShader()
				id := &b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def
				var kept []*ir.Instr
				elements := []*ir.Def{b.Imm32(0), b.Imm32(3), b.Channel(id, 0)}
				for _, e := range elements {
					h := b.Intrinsic(ir.IntrVulkanResourceIndex, comps, 32, e)
					h.Set(ir.IdxDescSet, 0).Set(ir.IdxBinding, 3)
					d := b.Intrinsic(ir.IntrLoadVulkanDescriptor, comps, 32, &h.Def)
					for c := range int(comps) {
						kept = append(kept, b.Mov(b.Channel(&h.Def, c)).Instr, b.Mov(b.Channel(&d.Def, c)).Instr)
					}
				}
				LowerHandles(impl, func(set, binding uint32) (uint32, uint32) { return first, stride })
				for k, in := range kept {
					element, c := []uint64{0, 3, 7}[k/2/int(comps)], k/2%int(comps)
					want := uint64(0)
					if c == 0 {
						want = uint64(first) + element*uint64(stride)
					}
					if got := valueOf(t, &in.Def, 0, 7); got != want {
						t.Errorf("component %d of %d, element %d of entries from %d by %d: %d, want %d", c, comps, element, first, stride, got, want)
					}
				}
			}
		}
	}
}
