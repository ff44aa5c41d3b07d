package optab

import (
	"slices"
	"strings"
	"testing"
)

// The column of memory fits the other columns of each row.
func TestMemoryColumn(t *testing.T) {
	for i := range Intrinsics {
		r := Intrinsics[i]
		m := r.Mem
		for _, s := range []int8{m.Handle, m.Addr, m.Offset, m.Data} {
			if m.Op != MemNone && (s < -1 || int(s) >= len(r.Srcs)) {
				t.Errorf("%s: there is no source %d", r.Name, s)
			}
		}
		if got, want := m.Atomic(), slices.Contains(r.Indices, IdxAtomicOp); got != want {
			t.Errorf("%s: atomic %t, with an atomic operation %t", r.Name, got, want)
		}
		if got, want := m.Op == MemSwap, strings.Contains(r.Name, "atomic_swap"); got != want {
			t.Errorf("%s: swap %t", r.Name, got)
		}
		if m.Op == MemSwap && int(m.Data)+2 != len(r.Srcs) || m.Op == MemAtomic && int(m.Data)+1 != len(r.Srcs) && r.Name != "deref_atomic" {
			t.Errorf("%s: the operands are not the last sources", r.Name)
		}
		if m.Writes() && r.Flags&(CanEliminate|CanReorder) != 0 {
			t.Errorf("%s: writes memory, and may be deleted or moved", r.Name)
		}
		if m.Reads() && m.Op != MemCopy && m.Op != MemCall && !r.HasDest || m.Op == MemStore && r.HasDest {
			t.Errorf("%s: %s with the result of another", r.Name, m.Op)
		}
		if m.Op == MemStore && m.Data >= 0 && r.Srcs[m.Data] != 0 {
			t.Errorf("%s: stores a source of fixed width", r.Name)
		}
		noMemory := strings.HasPrefix(r.Name, "interp_") || strings.HasPrefix(r.Name, "rq_") // inputs; ray queries have no form in memory
		if got, want := m.Space != SpaceNone && (m.Space == SpaceDeref || m.Space == SpaceImage && r.Derefs > 0), r.Derefs > 0 && !noMemory; got != want {
			t.Errorf("%s: works on a deref: %t", r.Name, want)
		}
	}
}

// Whose name says that it reaches memory has the column, by the same name.
func TestMemoryByName(t *testing.T) {
	spaces := map[string]Space{"ssbo": SpaceSsbo, "ubo": SpaceUbo, "shared": SpaceShared, "global": SpaceGlobal, "scratch": SpaceScratch, "push_constant": SpacePush,
		"constant": SpaceConstant, "uniform": SpaceUniform, "kernel_input": SpaceKernelInput, "task_payload": SpaceTaskPayload, "deref": SpaceDeref}
	ops := map[string]MemOp{"load_%": MemLoad, "store_%": MemStore, "%_atomic": MemAtomic, "%_atomic_swap": MemSwap}
	found := 0
	for form, op := range ops {
		for name, space := range spaces {
			i := slices.IndexFunc(Intrinsics, func(r *Intrinsic) bool { return r.Name == strings.Replace(form, "%", name, 1) })
			if i < 0 {
				continue
			}
			found++
			if m := Intrinsics[i].Mem; m.Space != space || m.Op != op {
				t.Errorf("%s: %s %s", Intrinsics[i].Name, m.Op, m.Space)
			}
			if k, ok := MemoryIntrinsic(space, op); !ok || k != i {
				t.Errorf("%s %s is done by number %d, not %s", op, space, k, Intrinsics[i].Name)
			}
		}
	}
	if found < 26 {
		t.Errorf("%d found", found)
	}
	if _, ok := MemoryIntrinsic(SpaceUbo, MemStore); ok {
		t.Error("something stores to uniform buffers")
	}
}
