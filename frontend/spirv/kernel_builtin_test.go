package spirv

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir/interp"
)

// builtInCase is a built-in of kernels: how many components and bits its variable has, and its value for an item.
type builtInCase struct {
	name  string
	comps int
	bits  int
	want  func(group, local [3]uint32) [3]uint32
}

var (
	builtInSize   = [3]uint32{4, 3, 2}
	builtInGroups = [3]uint32{2, 3, 2}
	builtInOffset = [3]uint32{70, 11, 13}
)

const builtInLanes = 8 // of a subgroup

func builtInCases() []builtInCase {
	each := func(f func(c int, group, local [3]uint32) uint32) func(group, local [3]uint32) [3]uint32 {
		return func(group, local [3]uint32) (v [3]uint32) {
			for c := range v {
				v[c] = f(c, group, local)
			}
			return v
		}
	}
	one := func(f func(group, local [3]uint32) uint32) func(group, local [3]uint32) [3]uint32 {
		return func(group, local [3]uint32) [3]uint32 { return [3]uint32{f(group, local)} }
	}
	index := func(local [3]uint32) uint32 {
		return local[0] + builtInSize[0]*(local[1]+builtInSize[1]*local[2])
	}
	id := func(c int, group, local [3]uint32) uint32 { return group[c]*builtInSize[c] + local[c] }
	total := func(c int) uint32 { return builtInGroups[c] * builtInSize[c] }
	subgroups := builtInSize[0] * builtInSize[1] * builtInSize[2] / builtInLanes
	return []builtInCase{
		{"WorkDim", 1, 32, one(func(_, _ [3]uint32) uint32 { return 3 })},
		{"GlobalSize", 3, 64, each(func(c int, _, _ [3]uint32) uint32 { return total(c) })},
		{"GlobalOffset", 3, 64, each(func(c int, _, _ [3]uint32) uint32 { return builtInOffset[c] })},
		{"GlobalInvocationId", 3, 64, each(func(c int, g, l [3]uint32) uint32 { return id(c, g, l) + builtInOffset[c] })},
		{"GlobalLinearId", 1, 64, one(func(g, l [3]uint32) uint32 {
			return id(0, g, l) + total(0)*(id(1, g, l)+total(1)*id(2, g, l))
		})},
		{"WorkgroupSize", 3, 64, each(func(c int, _, _ [3]uint32) uint32 { return builtInSize[c] })},
		{"EnqueuedWorkgroupSize", 3, 64, each(func(c int, _, _ [3]uint32) uint32 { return builtInSize[c] })},
		{"NumWorkgroups", 3, 64, each(func(c int, _, _ [3]uint32) uint32 { return builtInGroups[c] })},
		{"WorkgroupId", 3, 64, each(func(c int, g, _ [3]uint32) uint32 { return g[c] })},
		{"LocalInvocationId", 3, 64, each(func(c int, _, l [3]uint32) uint32 { return l[c] })},
		{"LocalInvocationIndex", 1, 64, one(func(_, l [3]uint32) uint32 { return index(l) })},
		{"SubgroupSize", 1, 32, one(func(_, _ [3]uint32) uint32 { return builtInLanes })},
		{"SubgroupMaxSize", 1, 32, one(func(_, _ [3]uint32) uint32 { return builtInLanes })},
		{"NumSubgroups", 1, 32, one(func(_, _ [3]uint32) uint32 { return subgroups })},
		{"SubgroupId", 1, 32, one(func(_, l [3]uint32) uint32 { return index(l) / builtInLanes })},
		{"SubgroupLocalInvocationId", 1, 32, one(func(_, l [3]uint32) uint32 { return index(l) % builtInLanes })},
	}
}

// builtInKernel stores all built-ins of each item, three words for each, one item after the other.
func builtInKernel(cases []builtInCase) string {
	var w strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&w, format+"\n", args...) }
	p("OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\nOpCapability Groups\nOpMemoryModel Physical64 OpenCL")
	w.WriteString(`OpEntryPoint Kernel %main "main"`)
	for i := range cases {
		fmt.Fprintf(&w, " %%v%d", i)
	}
	p("\nOpExecutionMode %%main LocalSize %d %d %d", builtInSize[0], builtInSize[1], builtInSize[2])
	for i, c := range cases {
		p("OpDecorate %%v%d BuiltIn %s", i, c.name)
	}
	p("%%void = OpTypeVoid\n%%t32x1 = OpTypeInt 32 0\n%%t64x1 = OpTypeInt 64 0\n%%t32x3 = OpTypeVector %%t32x1 3\n%%t64x3 = OpTypeVector %%t64x1 3")
	for _, k := range []string{"32x1", "64x1", "64x3"} {
		p("%%p%s = OpTypePointer Input %%t%s", k, k)
	}
	p("%%word = OpTypePointer CrossWorkgroup %%t32x1\n%%fn = OpTypeFunction %%void %%word")
	for i := range 3 * len(cases) {
		p("%%k%d = OpConstant %%t64x1 %d", i, i)
	}
	p("%%stride = OpConstant %%t64x1 %d", 3*len(cases))
	for i, c := range cases {
		p("%%v%d = OpVariable %%p%dx%d Input", i, c.bits, c.comps)
	}
	p("%%main = OpFunction %%void None %%fn\n%%buf = OpFunctionParameter %%word\n%%e = OpLabel")
	item := 0
	for i, c := range cases {
		p("%%l%d = OpLoad %%t%dx%d %%v%d", i, c.bits, c.comps, i)
		if c.name == "GlobalLinearId" {
			item = i
		}
	}
	p("%%first = OpIMul %%t64x1 %%l%d %%stride", item)
	for i, c := range cases {
		for k := range c.comps {
			x := fmt.Sprintf("%%l%d", i)
			if c.comps > 1 {
				p("%%x%d_%d = OpCompositeExtract %%t%dx1 %s %d", i, k, c.bits, x, k)
				x = fmt.Sprintf("%%x%d_%d", i, k)
			}
			if c.bits == 64 {
				p("%%n%d_%d = OpUConvert %%t32x1 %s", i, k, x)
				x = fmt.Sprintf("%%n%d_%d", i, k)
			}
			p("%%a%d_%d = OpIAdd %%t64x1 %%first %%k%d\n%%q%d_%d = OpInBoundsPtrAccessChain %%word %%buf %%a%d_%d\nOpStore %%q%d_%d %s Aligned 4", i, k, 3*i+k, i, k, i, k, i, k, x)
		}
	}
	p("OpReturn\nOpFunctionEnd")
	return w.String()
}

// TestKernelBuiltIns runs a kernel that stores all built-ins, in three dimensions of sizes that differ, with an offset.
func TestKernelBuiltIns(t *testing.T) {
	cases := builtInCases()
	s, err := Translate(assemble(t, builtInKernel(cases)), Options{panics: true})
	if err != nil {
		t.Fatal(err)
	}
	p, err := interp.New(s, interp.Options{WaveSize: builtInLanes})
	if err != nil {
		t.Fatal(err)
	}
	total := [3]uint32{}
	for c := range total {
		total[c] = builtInGroups[c] * builtInSize[c]
	}
	mem := emu.NewMemory()
	out := mem.Alloc(12 * len(cases) * int(total[0]*total[1]*total[2]))
	push := binary.LittleEndian.AppendUint64(nil, out.Addr)
	for _, o := range append(builtInOffset[:], 3) {
		push = binary.LittleEndian.AppendUint32(push, o)
	}
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &emu.Bindings{}, Push: push}, emu.DispatchParams{Groups: builtInGroups, Limits: emu.Limits{Check: true}}); err != nil {
		t.Fatal(err)
	}
	for item := range total[0] * total[1] * total[2] {
		at := [3]uint32{item % total[0], item / total[0] % total[1], item / total[0] / total[1]}
		var group, local [3]uint32
		for c := range at {
			group[c], local[c] = at[c]/builtInSize[c], at[c]%builtInSize[c]
		}
		for i, c := range cases {
			want := c.want(group, local)
			for k := range c.comps {
				if got := binary.LittleEndian.Uint32(out.Data[12*(int(item)*len(cases)+i)+4*k:]); got != want[k] {
					t.Fatalf("%s.%d of item %d of group %d is %d, want %d", c.name, k, local, group, got, want[k])
				}
			}
		}
	}
}

// TestWideSwitch: literals of a switch of 64, of 16 and of 8 bits, some negative, choose their cases and no others.
func TestWideSwitch(t *testing.T) {
	for _, c := range []struct {
		bits, signed int
		literals     []string
		values       []uint64 // each literal's, then what is none of them
	}{
		{64, 0, []string{"4294967296", "1", "18446744073709551615"}, []uint64{1 << 32, 1, ^uint64(0), 0, 1<<32 + 1, 1<<32 - 1}},
		{64, 1, []string{"-1", "-4294967296", "5"}, []uint64{^uint64(0), 0xffffffff00000000, 5, 0xffffffff, 0x500000000}},
		{16, 1, []string{"-2", "7", "32767"}, []uint64{0xfffe, 7, 0x7fff, 0xffff, 0}},
		{8, 1, []string{"-1", "7", "-128"}, []uint64{0xff, 7, 0x80, 0x7f, 0}},
		{8, 0, []string{"255", "128", "1"}, []uint64{0xff, 0x80, 1, 0, 0x7f}},
	} {
		for i, v := range c.values {
			want := uint32(9)
			if i < len(c.literals) {
				want = uint32(i + 1)
			}
			text := strings.Replace(flowHead, "OpCapability Int64\n", "OpCapability Int64\nOpCapability Int16\nOpCapability Int8\n", 1)
			for k := range 10 {
				text += fmt.Sprintf("%%c%d = OpConstant %%uint %d\n", k, k)
			}
			ty := ""
			if c.bits == 64 && c.signed == 0 {
				ty = "%ulong"
			} else {
				text += fmt.Sprintf("%%n = OpTypeInt %d %d\n", c.bits, c.signed)
				ty = "%n"
			}
			text += fmt.Sprintf("%%sel = OpConstant %s %s\n", ty, literalOf(v, c.bits, c.signed))
			text += "%main = OpFunction %void None %fn\n%buf = OpFunctionParameter %word\n%e = OpLabel\n%s = OpCopyObject " + ty + " %sel\nOpSwitch %s %d"
			for k, l := range c.literals {
				text += fmt.Sprintf(" %s %%l%d", l, k+1)
			}
			text += "\n"
			for k := range c.literals {
				text += fmt.Sprintf("%%l%d = OpLabel\nOpStore %%buf %%c%d Aligned 4\nOpBranch %%m\n", k+1, k+1)
			}
			text += "%d = OpLabel\nOpStore %buf %c9 Aligned 4\nOpBranch %m\n%m = OpLabel\nOpReturn\nOpFunctionEnd\n"
			p, err := interpreted(text, nil)
			if err != nil {
				t.Fatal(err)
			}
			mem := emu.NewMemory()
			out := mem.Alloc(4)
			if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &emu.Bindings{}, Push: KernelArgument(out.Addr)}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}); err != nil {
				t.Fatal(err)
			}
			if got := binary.LittleEndian.Uint32(out.Data); got != want {
				t.Errorf("%d bits, literals %v, of %#x: case %d, want %d", c.bits, c.literals, v, got, want)
			}
		}
	}
}

func literalOf(v uint64, bits, signed int) string {
	if signed != 0 {
		return fmt.Sprint(int64(v<<(64-bits)) >> (64 - bits))
	}
	return fmt.Sprint(v)
}
