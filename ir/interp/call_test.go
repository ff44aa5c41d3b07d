package interp

import (
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// TestShaderCalls: what a lane traces or calls gets each operand in its place, and the payload, which it may change.
func TestShaderCalls(t *testing.T) {
	s := ir.NewShader(ir.StageRaygen, nil)
	f := s.NewFunction("main")
	f.IsEntry = true
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	v := s.NewVariable(ir.ModeShaderCall, ir.VectorType(ir.BaseUint, 32, 2), "data")
	b.StoreVar(v, b.Const(32, 100, 200), 0)
	data := b.DerefVar(v)
	floats := func(list ...float64) *ir.Def {
		parts := make([]*ir.Def, len(list))
		for i, x := range list {
			parts[i] = b.ImmFloat(x, 32)
		}
		return b.Vec(parts...)
	}
	b.Intrinsic(ir.IntrTraceRay, 0, 0, data, b.Const(64, 0x123456789a), b.Imm32(1), b.Imm32(2), b.Imm32(3), b.Imm32(4), b.Imm32(5), floats(1, 2, 3), floats(0.5), floats(4, 5, 6), floats(9))
	b.Intrinsic(ir.IntrExecuteCallable, 0, 0, data, b.Imm32(7))
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	p, err := New(s, Options{WaveSize: 2})
	if err != nil {
		t.Fatal(err)
	}
	want := []emu.ShaderCall{
		{Index: 5, Accel: 0x123456789a, Flags: 1, CullMask: 2, SBTOffset: 3, SBTStride: 4, Origin: [3]float32{1, 2, 3}, Direction: [3]float32{4, 5, 6}, TMin: 0.5, TMax: 9},
		{Callable: true, Index: 7},
	}
	l := &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, NumLanes: 2, Rays: make([]emu.RayLane, 2)}
	calls := make([][]emu.ShaderCall, 2)
	for lane := range l.Rays {
		l.Rays[lane].Call = func(c emu.ShaderCall, data []byte) error {
			n := uint64(len(calls[lane]))
			if calls[lane] = append(calls[lane], c); len(data) != 8 || emu.LoadBytes(data, 4) != 100+n || emu.LoadBytes(data[4:], 4) != 200+n {
				t.Errorf("lane %d, call %d: data % x", lane, n, data)
				return nil
			}
			emu.StoreBytes(data, 4, 101+n)
			emu.StoreBytes(data[4:], 4, 201+n)
			return nil
		}
	}
	if _, err := p.NewWave(l).Run(1000); err != nil {
		t.Fatal(err)
	}
	for lane := range calls {
		if len(calls[lane]) != 2 || calls[lane][0] != want[0] || calls[lane][1] != want[1] {
			t.Errorf("lane %d: %+v\nwant %+v", lane, calls[lane], want)
		}
	}
}
