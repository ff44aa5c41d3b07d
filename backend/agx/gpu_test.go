package agx_test

import (
	"context"
	"testing"

	"nirc"
	"nirc/backend/agx"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/passes"
)

// chips are the GPUs with what of their code differs: atomics of several dies (agx.md §7.5).
var chips = []struct {
	name, doc string
	multiDie  bool
}{
	{"g13g", "Apple M1", false}, {"g13s", "Apple M1 Pro", true}, {"g13c", "Apple M1 Max", true}, {"g13d", "Apple M1 Ultra", true},
	{"g14g", "Apple M2", false}, {"g14s", "Apple M2 Pro", false}, {"g14c", "Apple M2 Max", false}, {"g14d", "Apple M2 Ultra", true},
}

// atomicModule adds to a word of a storage buffer and keeps what stood there in another, one for each invocation.
const atomicModule = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %v DescriptorSet 0
OpDecorate %v Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u = OpTypeInt 32 0
%words = OpTypeRuntimeArray %u
%block = OpTypeStruct %words
%pblock = OpTypePointer StorageBuffer %block
%pu = OpTypePointer StorageBuffer %u
%pin = OpTypePointer Input %u
%c0 = OpConstant %u 0
%c1 = OpConstant %u 1
%c3 = OpConstant %u 3
%v = OpVariable %pblock StorageBuffer
%id = OpVariable %pin Input
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %u %id
%p = OpAccessChain %pu %v %c0 %c0
%old = OpAtomicIAdd %u %p %c1 %c0 %c3
%j = OpIAdd %u %i %c1
%q = OpAccessChain %pu %v %c0 %j
OpStore %q %old
OpReturn
OpFunctionEnd
`

// TestChips: each chip compiles and runs, and its code is that of the others except for the bit of atomics.
func TestChips(t *testing.T) {
	agx.Programs.Hold(t)
	m, err := nirc.Load([]byte(atomicModule), "atomic.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	if got := len(agx.Target{}.GPUs()); got != len(chips) {
		t.Errorf("%d GPUs, the table has %d", got, len(chips))
	}
	plain := map[bool]string{}
	for _, c := range chips {
		g, err := agx.FindGPU(c.name)
		if err != nil || g.Doc != c.doc || g.MultiDie != c.multiDie {
			t.Errorf("%s is %+v, %v; want %+v", c.name, g, err, c)
			continue
		}
		o := nirc.Options{Target: agx.TargetName, GPU: c.name, Level: passes.O2}
		obj, err := m.Compile(context.Background(), o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		agx.Programs.Add(obj.Code, obj.ABI, obj.Stats, obj.Lines)
		atomics := 0
		for _, l := range isa.Disassemble(obj.Code) {
			if l.Err != nil || l.Instr.Op != isa.OpAtomic {
				continue
			}
			atomics++
			if u, ok := l.Instr.Field("u5"); !ok || u&1 != 0 != c.multiDie {
				t.Errorf("%s: an atomic with %#x", c.name, u)
			}
		}
		if atomics != 1 {
			t.Errorf("%s: %d atomics", c.name, atomics)
		}
		if before, ok := plain[c.multiDie]; ok && before != string(obj.Code) {
			t.Errorf("%s has other code than chips of its kind", c.name)
		}
		plain[c.multiDie] = string(obj.Code)
		runAtomics(t, m, o)
	}
	if a, b := plain[false], plain[true]; len(a) != len(b) || differingBits(a, b) != 1 {
		t.Errorf("%d and %d bytes, %d bits differ", len(a), len(b), differingBits(a, b))
	}
}

func differingBits(a, b string) (n int) {
	for i := range min(len(a), len(b)) {
		for x := a[i] ^ b[i]; x != 0; x &= x - 1 {
			n++
		}
	}
	return n
}

// runAtomics runs a wave: the word is three for each lane, and the lanes saw 0, 3 to 93 in some order.
func runAtomics(t *testing.T, m *nirc.Module, o nirc.Options) {
	t.Helper()
	p, _, err := exec.Executable(t.Context(), m, o)
	if err != nil {
		t.Errorf("%s: %v", o.GPU, err)
		return
	}
	mem := emu.NewMemory()
	buf := mem.Alloc(4 * 33)
	var b emu.Bindings
	b.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: 4 * 33}})
	if err := emu.Dispatch(t.Context(), p, &emu.Env{Mem: mem, Bindings: &b}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}}); err != nil {
		t.Errorf("%s: %v", o.GPU, err)
	}
	seen := map[uint64]bool{}
	for k := 1; k <= 32; k++ {
		if x := emu.LoadBytes(buf.Data[4*k:], 4); x%3 == 0 && x < 96 {
			seen[x] = true
		}
	}
	if sum := emu.LoadBytes(buf.Data, 4); sum != 96 || len(seen) != 32 {
		t.Errorf("%s: the sum is %d, the lanes saw %d values", o.GPU, sum, len(seen))
	}
}
