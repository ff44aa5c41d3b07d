package passes

import (
	"testing"

	"nirc/ir"
)

// TestAccessesOnce: what is accessed once in a block, or in a shader, is told from what is accessed again.
func TestAccessesOnce(t *testing.T) {
	for _, c := range []struct {
		name                string
		build               func(b *ir.Builder, x, y, input *ir.Def, val *ir.Def)
		storeOnce, accessed bool // storesOnce, accessesOnce
	}{
		{"nothing", func(*ir.Builder, *ir.Def, *ir.Def, *ir.Def, *ir.Def) {}, true, true},
		{"a store each", func(b *ir.Builder, x, y, _, v *ir.Def) { b.StoreDeref(x, v, 1, 0); b.StoreDeref(y, v, 1, 0) }, true, true},
		{"two stores", func(b *ir.Builder, x, _, _, v *ir.Def) { b.StoreDeref(x, v, 1, 0); b.StoreDeref(x, v, 1, 0) }, false, false},
		{"a store of nothing", func(b *ir.Builder, x, _, _, v *ir.Def) {
			b.StoreDeref(x, v, 1, 0)
			x.FirstUse().Instr.Set(ir.IdxWriteMask, 0)
		}, false, true},
		{"a load after a store", func(b *ir.Builder, x, _, _, v *ir.Def) { b.StoreDeref(x, v, 1, 0); b.LoadDeref(x, 0) }, true, false},
		{"two loads of an input", func(b *ir.Builder, _, _, in, _ *ir.Def) { b.LoadDeref(in, 0); b.LoadDeref(in, 0) }, true, true},
		{"a copy", func(b *ir.Builder, x, y, _, _ *ir.Def) { b.Intrinsic(ir.IntrCopyDeref, 0, 0, x, y) }, true, false},
		{"stores in two blocks", func(b *ir.Builder, x, _, _, v *ir.Def) {
			b.StoreDeref(x, v, 1, 0)
			i := ir.InsertIf(ir.AtEnd(v.Instr.Block), b.Ieq(v, v))
			ir.NewBuilder(ir.AtStart(i.Then.FirstBlock())).StoreDeref(x, v, 1, 0)
		}, true, false},
		{"an access through a cast", func(b *ir.Builder, x, _, _, v *ir.Def) {
			b.StoreDeref(b.DerefCast(x, ir.ModeShaderOut, ir.ScalarType(ir.BaseUint, 32), 0), v, 1, 0)
		}, false, false},
	} {
		s := ir.NewShader(ir.StageVertex, nil)
		impl := s.NewFunction("main").Impl
		b := ir.NewBuilder(ir.AtStart(impl.Start()))
		u32 := ir.ScalarType(ir.BaseUint, 32)
		of := func(m ir.Mode) *ir.Def { return b.DerefVar(s.NewVariable(m, u32, "")) }
		c.build(b, of(ir.ModeShaderOut), of(ir.ModeShaderOut), of(ir.ModeShaderIn), b.ImmInt(1, 32))
		if got := storesOnce(s); got != c.storeOnce {
			t.Errorf("%s: stores once: %t", c.name, got)
		}
		if got := accessesOnce(s); got != c.accessed {
			t.Errorf("%s: accesses once: %t", c.name, got)
		}
	}
}

// TestIdle: a pass that a short look calls idle does not run; under VerifyEach it does, and must change nothing.
func TestIdle(t *testing.T) {
	runs, idle := 0, true
	p := &Pass{Name: "test", Idle: func(*ir.Shader) bool { return idle }, Run: func(_ *Context, s *ir.Shader) (bool, error) {
		runs++
		s.Name += "x"
		return true, nil
	}}
	pipeline := &Pipeline{Name: "test", steps: []step{stepOf(NewContext(p), 0, 0)}, slots: 1}
	s := ir.NewShader(ir.StageCompute, nil)
	s.NewFunction("main")
	if err := pipeline.Run(s, RunOptions{}); err != nil || runs != 0 {
		t.Errorf("idle: %d runs, %v", runs, err)
	}
	if err := pipeline.Run(s, RunOptions{VerifyEach: true}); runs != 1 || err == nil {
		t.Errorf("verified: %d runs, %v", runs, err)
	}
	idle = false
	if err := pipeline.Run(s, RunOptions{}); err != nil || runs != 2 {
		t.Errorf("not idle: %d runs, %v", runs, err)
	}
}
