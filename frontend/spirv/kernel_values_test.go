package spirv

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// kernelHead declares what the cases of TestKernelValues use: a workgroup of 4 x 2 items in two subgroups.
const kernelHead = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability Float64
OpCapability Groups
OpCapability GenericPointer
OpCapability GroupUniformArithmeticKHR
OpExtension "SPV_KHR_uniform_group_instructions"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main" %local %index
OpExecutionMode %main LocalSize 4 2 1
OpDecorate %local BuiltIn LocalInvocationId
OpDecorate %index BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%byte = OpTypeInt 8 0
%short = OpTypeInt 16 0
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%uvec2 = OpTypeVector %uint 2
%uvec4 = OpTypeVector %uint 4
%lvec2 = OpTypeVector %ulong 2
%lvec3 = OpTypeVector %ulong 3
%k16 = OpConstant %uint 16
%k100 = OpConstant %uint 100
%l0 = OpConstant %ulong 0
%l1 = OpConstant %ulong 1
%l2 = OpConstant %ulong 2
%l3 = OpConstant %ulong 3
%here2 = OpConstantComposite %lvec2 %l2 %l1
%here3 = OpConstantComposite %lvec3 %l3 %l1 %l0
%six = OpConstant %ulong 6
%pin = OpTypePointer Input %lvec3
%pinl = OpTypePointer Input %ulong
%word = OpTypePointer CrossWorkgroup %uint
%pair = OpTypePointer CrossWorkgroup %uvec2
%shared = OpTypePointer Workgroup %uint
%mine = OpTypePointer Function %uint
%any = OpTypePointer Generic %uint
%anypair = OpTypePointer Generic %uvec2
%local = OpVariable %pin Input
%index = OpVariable %pinl Input
%ws = OpVariable %shared Workgroup
%fn = OpTypeFunction %void %word
`

// kernelCases are instructions of kernels alone: those of a whole workgroup, and those on pointers of one kind that become others.
func kernelCases() (list []groupCase) {
	for _, c := range reductions() {
		if c.divergent || strings.Contains(c.text, "%b") {
			continue
		}
		c.text = strings.Replace(c.text, "%sg", "%k2", 1)
		list = append(list, c)
	}
	add := func(kind, text string, want func(lane int) uint32) {
		list = append(list, groupCase{kind: kind, text: text, want: func(lane int, _ []int) uint32 { return want(lane) }})
	}
	same := func(v uint32) func(int) uint32 { return func(int) uint32 { return v } }
	add("bool", "OpGroupAny %bool %k2 %is5", same(1))
	add("bool", "OpGroupAny %bool %k2 %never", same(0))
	add("bool", "OpGroupAll %bool %k2 %is5", same(0))
	add("bool", "OpGroupAll %bool %k2 %small", same(1))
	add("uint", "OpGroupBroadcast %uint %k2 %x %six", same(groupX[6]))
	add("uint", "OpGroupBroadcast %uint %k2 %x %here2", same(groupX[6]))
	add("uint", "OpGroupBroadcast %uint %k2 %x %here3", same(groupX[7]))
	add("uvec2", "OpGroupBroadcast %uvec2 %k2 %xs %l3", same(groupX[3]+3))
	add("uvec2", "OpGroupIAdd %uvec2 %k2 InclusiveScan %xs", func(lane int) (sum uint32) {
		for l := range lane + 1 {
			sum += groupX[l] + uint32(l)
		}
		return sum
	})
	// What a scan starts with, in other sizes.
	for _, n := range []struct {
		ty       string
		smin, mx uint32
	}{{"byte", 0x7f, 0x80}, {"short", 0x7fff, 0x8000}, {"ulong", 0xffffffff, 0}} {
		first := func(v uint32, f func(a, b uint32) uint32) func(int) uint32 {
			return func(lane int) uint32 {
				for l := range lane {
					v = f(v, uint32(l))
				}
				return v
			}
		}
		least := func(lane int) uint32 {
			if lane == 0 {
				return n.smin
			}
			return 0
		}
		most := func(lane int) uint32 {
			if lane == 0 {
				return n.mx
			}
			return uint32(lane - 1)
		}
		add(n.ty, "OpGroupSMin %"+n.ty+" %k2 ExclusiveScan %lane_"+n.ty, least)
		add(n.ty, "OpGroupSMax %"+n.ty+" %k2 ExclusiveScan %lane_"+n.ty, most)
		add(n.ty, "OpGroupIMulKHR %"+n.ty+" %k2 ExclusiveScan %lane_"+n.ty, first(1, func(a, b uint32) uint32 { return a * b }))
		add(n.ty, "OpGroupUMax %"+n.ty+" %k2 ExclusiveScan %lane_"+n.ty, first(0, func(a, b uint32) uint32 { return max(a, b) }))
	}
	// of doubles the upper word
	high := func(first float64) func(int) uint32 {
		return func(lane int) uint32 {
			if lane == 0 {
				return uint32(math.Float64bits(first) >> 32)
			}
			return 0
		}
	}
	add("double", "OpGroupFMulKHR %double %k2 ExclusiveScan %lane_double", high(1))
	add("double", "OpGroupFMin %double %k2 ExclusiveScan %lane_double", high(math.Inf(1)))
	x := func(l int) uint32 { return groupX[l] }
	add("uint", "OpGenericPtrMemSemantics %uint %gg", same(0x200))
	add("uint", "OpGenericPtrMemSemantics %uint %gw", same(0x100))
	add("uint", "OpGenericPtrMemSemantics %uint %gf", same(0))
	add("mine", "OpGenericCastToPtr %mine %gf", func(l int) uint32 { return uint32(100 + l) })
	add("word", "OpGenericCastToPtr %word %gg", x)
	add("word", "OpGenericCastToPtr %word %gsel", x)
	add("word", "OpGenericCastToPtrExplicit %word %gg CrossWorkgroup", x)
	add("word", "OpGenericCastToPtrExplicit %word %gsel CrossWorkgroup", x)
	add("null", "OpGenericCastToPtrExplicit %shared %gg Workgroup", same(1))
	add("null", "OpGenericCastToPtrExplicit %shared %gsel Workgroup", same(1))
	add("null", "OpGenericCastToPtrExplicit %shared %gw Workgroup", same(0))
	add("null", "OpGenericCastToPtrExplicit %mine %gf Function", same(0))
	add("word", "OpConvertUToPtr %word %num", x)
	add("word", "OpBitcast %word %num", x)
	add("word", "OpBitcast %word %vec", x)
	add("ulong", "OpBitcast %ulong %xp", func(l int) uint32 { return kernelBase + uint32(4*l) })
	add("uint", "OpConvertPtrToU %uint %xp", func(l int) uint32 { return kernelBase + uint32(4*l) })
	return list
}

// kernelStores is what makes a word of a result, after the instruction: %w from %r, each with a number.
var kernelStores = map[string]string{
	"uint":   "%w# = OpCopyObject %uint %r#",
	"float":  "%w# = OpBitcast %uint %r#",
	"bool":   "%w# = OpSelect %uint %r# %k1 %k0",
	"uvec2":  "%w# = OpCompositeExtract %uint %r# 1",
	"byte":   "%w# = OpUConvert %uint %r#",
	"short":  "%w# = OpUConvert %uint %r#",
	"ulong":  "%w# = OpUConvert %uint %r#",
	"double": "%d# = OpBitcast %uvec2 %r#\n%w# = OpCompositeExtract %uint %d# 1",
	"word":   "%w# = OpLoad %uint %r# Aligned 4",
	"mine":   "%w# = OpLoad %uint %r# Aligned 4",
	"null":   "%n# = OpConvertPtrToU %ulong %r#\n%z# = OpIEqual %bool %n# %l0\n%w# = OpSelect %uint %z# %k1 %k0",
}

// kernelCasesText is a kernel that stores the results of cases one after the other, item by item, after the items' numbers.
func kernelCasesText(cases []groupCase) string {
	var w strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&w, format+"\n", args...) }
	w.WriteString(kernelHead)
	for i := range 10 {
		p("%%k%d = OpConstant %%uint %d", i, i)
	}
	for i := range len(cases) + 1 {
		p("%%at%d = OpConstant %%ulong %d", i, groupLanes*i)
	}
	w.WriteString(`%main = OpFunction %void None %fn
%buf = OpFunctionParameter %word
%e = OpLabel
%f0 = OpVariable %mine Function
%lid = OpLoad %ulong %index
%lane = OpUConvert %uint %lid
%xp = OpInBoundsPtrAccessChain %word %buf %lid
%x = OpLoad %uint %xp Aligned 4
%mod = OpUMod %uint %x %k16
%less = OpISub %uint %mod %k6
%f = OpConvertSToF %float %less
%xl = OpIAdd %uint %x %lane
%xs = OpCompositeConstruct %uvec2 %x %xl
%is5 = OpIEqual %bool %lane %k5
%small = OpULessThan %bool %lane %k9
%never = OpUGreaterThan %bool %lane %k9
%lane_byte = OpUConvert %byte %lane
%lane_short = OpUConvert %short %lane
%lane_ulong = OpUConvert %ulong %lane
%lane_double = OpConvertUToF %double %lane
%num = OpConvertPtrToU %ulong %xp
%vec = OpBitcast %uvec2 %xp
%mineval = OpIAdd %uint %lane %k100
OpStore %f0 %mineval Aligned 4
%gf = OpPtrCastToGeneric %any %f0
%gw = OpPtrCastToGeneric %any %ws
%gg = OpPtrCastToGeneric %any %xp
%gsel = OpSelect %any %small %gg %gw
`)
	for i := range cases {
		n := fmt.Sprint(i + 1)
		p("%%r%s = %s\n%s", n, cases[i].text, strings.ReplaceAll(kernelStores[cases[i].kind], "#", n))
		p("%%i%s = OpIAdd %%ulong %%lid %%at%s\n%%p%s = OpInBoundsPtrAccessChain %%word %%buf %%i%s\nOpStore %%p%s %%w%s Aligned 4", n, n, n, n, n, n)
	}
	p("OpReturn\nOpFunctionEnd")
	return w.String()
}

// kernelBase is where the memory of a launch starts that has one buffer.
var kernelBase = uint32(emu.NewMemory().Alloc(4).Addr)

// TestKernelValues runs each case in a workgroup of two subgroups.
func TestKernelValues(t *testing.T) {
	cases := kernelCases()
	s, err := Translate(assemble(t, kernelCasesText(cases)), Options{panics: true})
	if err == nil {
		err = ir.Validate(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := interp.New(s, interp.Options{WaveSize: groupLanes / 2})
	if err != nil {
		t.Fatal(err)
	}
	mem := emu.NewMemory()
	out := mem.Alloc(4 * groupLanes * (len(cases) + 1))
	for l, x := range groupX {
		binary.LittleEndian.PutUint32(out.Data[4*l:], x)
	}
	env := &emu.Env{Mem: mem, Bindings: &emu.Bindings{}, Push: append(binary.LittleEndian.AppendUint64(nil, out.Addr), make([]byte, 16)...)}
	if err := emu.Dispatch(context.Background(), p, env, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}}); err != nil {
		t.Fatal(err)
	}
	all := []int{0, 1, 2, 3, 4, 5, 6, 7}
	for i, c := range cases {
		for _, l := range all {
			if got, want := binary.LittleEndian.Uint32(out.Data[4*(groupLanes*(i+1)+l):]), c.want(l, all); got != want {
				t.Errorf("%s: item %d has %#x, want %#x", c.text, l, got, want)
			}
		}
	}
}
