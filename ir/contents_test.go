package ir

import "testing"

// TestContents: what is put into a shader counts, until it is gone and somebody looks again.
func TestContents(t *testing.T) {
	s := NewShader(StageCompute, nil)
	impl := s.NewFunction("main").Impl
	b := NewBuilder(AtStart(impl.Start()))
	x := b.Intrinsic(IntrLoadLocalInvocationIndex, 1, 32)
	var local *Def
	for _, c := range []struct {
		name  string
		build func()
		want  Contents
	}{
		{"an addition", func() { b.Iadd(&x.Def, &x.Def) }, HasALU},
		{"a remainder", func() { b.Umod(&x.Def, &x.Def) }, HasDivision},
		{"64 bits", func() { b.U2u64(&x.Def) }, Has64},
		{"a vector", func() { b.Vec2(&x.Def, &x.Def) }, HasVector | HasMove},
		{"an operation on a vector", func() { b.Iadd(b.Vec2(&x.Def, &x.Def), b.Vec2(&x.Def, &x.Def)) }, HasWide},
		{"a high half", func() { b.UmulHigh(&x.Def, &x.Def) }, HasAwkward},
		{"a product of addresses", func() { b.Amul(&x.Def, &x.Def) }, HasAmul},
		{"an insertion of bits", func() { b.Bfi(&x.Def, &x.Def, &x.Def) }, HasBfi},
		{"a constant vector", func() { b.Insert(s.NewConst(32, 1, 2)) }, HasVectorConst | HasConst},
		{"an undef", func() { b.Insert(s.NewUndef(1, 32)) }, HasUndef},
		{"a barrier", func() { b.Intrinsic(IntrBarrier, 0, 0) }, HasBarrier},
		{"a narrow value", func() { b.U2u16(&x.Def) }, HasNarrow},
		{"a vote", func() { b.Intrinsic(IntrElect, 1, 1) }, HasSubgroup | HasBool},
		{"a handle", func() { b.Intrinsic(IntrVulkanResourceIndex, 2, 32, &x.Def) }, HasHandle},
		{"a demote", func() { b.Intrinsic(IntrDemote, 0, 0) }, HasDiscard},
		{"a load from a buffer", func() { b.Intrinsic(IntrLoadSsbo, 1, 32, &x.Def, &x.Def) }, HasMemory | HasWritable | HasMarks},
		{"a load from a workgroup's memory", func() { b.Intrinsic(IntrLoadShared, 1, 32, &x.Def) }, HasShared},
		{"an atomic operation on it", func() { b.Intrinsic(IntrSharedAtomic, 1, 32, &x.Def, &x.Def) }, HasAtomic},
		{"a temporary", func() { local = b.DerefVar(impl.NewLocal(ScalarType(BaseUint, 32), "")) }, HasDeref | HasTemp},
		{"a load", func() { b.LoadDeref(local, 0) }, HasAccess},
		{"a store", func() { b.StoreDeref(local, &x.Def, 0, 0) }, HasStore},
		{"a temporary of the shader", func() { b.DerefVar(s.NewVariable(ModeShaderTemp, ScalarType(BaseUint, 32), "")) }, HasPrivate},
		{"a system value", func() { b.DerefVar(s.NewVariable(ModeSystemValue, ScalarType(BaseUint, 32), "")) }, HasSystemValue},
		{"a store to a buffer", func() { b.Intrinsic(IntrStoreSsbo, 0, 0, &x.Def, &x.Def, &x.Def) }, HasWrite},
		{"a stored output", func() { b.Intrinsic(IntrStoreOutput, 0, 0, &x.Def, b.Imm32(0)) }, HasOutput},
		{"a stored output of an array", func() { b.Intrinsic(IntrStoreOutput, 0, 0, &x.Def, &x.Def) }, HasSlots},
		{"a copy", func() { b.Intrinsic(IntrCopyDeref, 0, 0, local, local) }, HasCopy},
		{"an if", func() { InsertIf(AtEnd(impl.Body.Last().(*Block)), b.Ieq(&x.Def, &x.Def)) }, HasIf},
		{"a loop", func() { InsertLoop(AtEnd(impl.Body.Last().(*Block))) }, HasLoop},
	} {
		before := s.Contents()
		c.build()
		if got := s.Contents() &^ before; got != c.want {
			t.Errorf("%s adds %#x, want %#x", c.name, got, c.want)
		}
		was := s.Contents()
		if s.Recount(); s.Contents() != was {
			t.Errorf("after %s there are %#x, and %#x when one looks again", c.name, was, s.Contents())
		}
	}
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsIntrinsic(IntrBarrier) {
				in.Remove()
			}
		}
	}
	if s.Contents()&HasBarrier == 0 {
		t.Error("what was removed is forgotten before anybody looked")
	}
	if s.Recount(); s.Contents()&HasBarrier != 0 || s.Contents()&HasDivision == 0 {
		t.Errorf("without the barrier there are %#x", s.Contents())
	}
}

// TestContentsGone: what goes in one of several ways is missed when somebody looks, and what there is twice is not.
func TestContentsGone(t *testing.T) {
	s := NewShader(StageCompute, nil)
	impl := s.NewFunction("main").Impl
	b := NewBuilder(AtStart(impl.Start()))
	x := b.Intrinsic(IntrLoadLocalInvocationIndex, 1, 32)
	two := []*Def{b.Umod(&x.Def, &x.Def), b.Umod(&x.Def, &x.Def)}
	wide, small := b.U2u64(&x.Def), b.U2u16(&x.Def)
	deref := b.DerefVar(impl.NewLocal(ScalarType(BaseUint, 32), ""))
	i := InsertIf(AtEnd(impl.Start()), b.Ieq(&x.Def, &x.Def))
	NewBuilder(AtStart(i.Then.FirstBlock())).Intrinsic(IntrBarrier, 0, 0)
	helper := s.NewFunction("helper").Impl
	NewBuilder(AtStart(helper.Start())).Intrinsic(IntrDemote, 0, 0)
	s.Recount()
	for _, c := range []struct {
		name string
		do   func()
		want Contents
	}{
		{"nothing went", func() {}, 0},
		{"one of two remainders went", func() { two[0].Instr.Remove() }, 0},
		{"the other one became a product", func() { two[1].Instr.Become(OpAmul) }, HasDivision},
		{"64 bits became 32", func() { wide.Instr.Resize(32) }, Has64},
		{"a narrow value went", func() { small.Instr.Remove() }, HasNarrow},
		{"a temporary became an output", func() { deref.Instr.SetModes(ModeShaderOut) }, HasTemp},
		{"an if went", func() { RemoveNode(i) }, HasIf | HasBarrier},
		{"a function went", func() { s.Functions = s.Functions[:1] }, HasDiscard},
	} {
		before := s.Contents()
		c.do()
		before |= s.Contents()
		if s.Recount(); before&^s.Contents() != c.want {
			t.Errorf("after %s %#x are missed, want %#x", c.name, before&^s.Contents(), c.want)
		}
	}
}
