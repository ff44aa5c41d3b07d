package core

import (
	"context"
	"errors"
	"testing"

	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
)

// TestDispatch goes through the software GPU's own dispatch, from text: each
// workgroup turns the order of its ids around in shared memory.
func TestDispatch(t *testing.T) {
	const text = `LDST_MOV R0.x~~~, LOCAL_THREAD_ID.xyzx
LDST_MOV R1.x~~~, GLOBAL_THREAD_ID.xyzx

vmul.MOV.i32 AL0.x, TMP0.x, R0
vadd.MOV.i32 AL1, TMP0.xxxx, R1.xxxx

ST.32 AL1.xxxx, LOCAL_STORAGE_PTR.u64.z + AL0.u32.x << 2

BARRIER

vmul.MOV.i64 AL0.y, TMP0.[xx], U0.X
smul.SUB.i32 AL0.x, #31, R0.x
uconstants 0x1F, 0x0, 0x0, 0x0

LD.32 AL1.x~~~, LOCAL_STORAGE_PTR.u64.z + AL0.u32.x << 2

vmul.MOV.i32 AL0.x, TMP0.x, R1

ST.32 AL1.xxxx, AL0.u64.z + AL0.u32.x << 2`
	code, err := isa.Assemble(text, isa.TextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m := computeMeta()
	m.FirstTag, m.SharedSize, m.WorkgroupSize = isa.Tag(code[0]&15), 128, [3]uint32{32, 1, 1}
	p, err := Load(code, m)
	if err != nil {
		t.Fatal(err)
	}
	for _, parallel := range []int{1, 2} {
		env := newEnv()
		out := bind(env, emu.DescStorageBuffer, 0, 4*32*7)[0]
		params := emu.DispatchParams{Groups: [3]uint32{7, 1, 1}, Parallel: parallel}
		params.Check = true
		if err := emu.Dispatch(context.Background(), p, env, params); err != nil {
			t.Fatal(err)
		}
		for i := range 32 * 7 {
			if got, want := emu.LoadBytes(out.Data[4*i:], 4), uint64(i&^31+31-i&31); got != want {
				t.Fatalf("parallel %d: element %d is %d, want %d", parallel, i, got, want)
			}
		}
	}
	code, err = isa.Assemble("brx.cond.always -1 -> alu/4", isa.TextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m.FirstTag = isa.TagALU4
	if p, err = Load(code, m); err != nil {
		t.Fatal(err)
	}
	params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}
	params.Budget = 1 << 20
	if err := emu.Dispatch(context.Background(), p, newEnv(), params); !errors.Is(err, emu.ErrTimeout) {
		t.Errorf("endless loop: %v", err)
	}
}
