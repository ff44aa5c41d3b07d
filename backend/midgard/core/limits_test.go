package core

import (
	"testing"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// TestLoadResults: which registers a load writes, and of them just what its mask has.
func TestLoadResults(t *testing.T) {
	v := [4]uint32{10, 11, 12, 13}
	for r := range uint8(32) {
		var th thread
		l := isa.LoadStore{Op: isa.Ld32, Reg: r, Mask: 0b1011, Swizzle: isa.Swz(2, 0, 3, 1)}
		err := new(wave).result(&th, &l, v)
		writes := r < 16 || r == isa.RegConst || r == isa.RegLdSt1 || r == isa.RegTex0 || r == isa.RegTex1
		if (err == nil) != writes {
			t.Errorf("r%d: %v", r, err)
		}
		for k := range th.file {
			var want, def [2]uint64
			if writes && k == int(r) {
				want, def = [2]uint64{12 | 10<<32, 11 << 32}, [2]uint64{mask(64), mask(32) << 32}
			}
			if th.file[k] != want || th.def[k] != def {
				t.Errorf("a load to r%d: r%d is %x of %x, want %x of %x", r, k, th.file[k], th.def[k], want, def)
			}
		}
	}
}

// TestDepthWriteout: a writeout that is said to be of depth and stencil only writes one of them; nothing but the target says so.
func TestDepthWriteout(t *testing.T) {
	p := &program{meta: &abi.Meta{Stage: ir.StageFragment}}
	full := [2]uint64{mask(64), mask(64)}
	check := func(depth uint64, change func(x *inst)) error {
		x := inst{op: isa.OpImov, reg: 1, off: [16]uint8{8}}
		x.src[1].fixed, x.src[1].vals[0] = true, abi.TargetNone
		if change != nil {
			change(&x)
		}
		return p.checkWriteout(&bundle{alu: []inst{x}, wrote: [2][2]uint64{full, {depth, mask(64)}}})
	}
	if err := check(0, nil); err == nil {
		t.Error("a writeout of depth and stencil writes neither")
	}
	if err := check(mask(32), nil); err != nil {
		t.Errorf("a writeout of depth: %v", err)
	}
	for name, change := range map[string]func(x *inst){
		"register": func(x *inst) { x.reg = 2 }, "component": func(x *inst) { x.off[0] = 4 }, "register source": func(x *inst) { x.src[1].fixed = false },
		"operation": func(x *inst) { x.op = isa.OpIadd }, "target": func(x *inst) { x.src[1].vals[0] = abi.TargetNone - 1 },
	} {
		if err := check(0, change); err != nil {
			t.Errorf("another %s: %v", name, err)
		}
	}
}
