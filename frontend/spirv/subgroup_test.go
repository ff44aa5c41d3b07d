package spirv

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// Every instruction on subgroups runs in a subgroup of eight, once with all lanes active and once without lane 3.

const groupLanes = 8

// groupCase is an instruction: %x is its lane's number of xs, %f that as a float, %b whether it is odd; %r its result, a uint, float or bool.
type groupCase struct {
	kind, text string
	want       func(lane int, on []int) uint32
	divergent  bool // may run where lanes are not active
}

var groupX = [groupLanes]uint32{5, 0x80000002, 7, 9, 2, 5, 0xfffffff6, 5}

func groupF(l int) float32 { return float32(int32(groupX[l]%16) - 6) }

func groupBit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// laneFold is an operation on two values as the instructions' names have it, and what it starts with.
func laneFold(name string) (kind string, start uint32, f func(a, b uint32) uint32) {
	of := func(g func(a, b float32) float32) func(a, b uint32) uint32 {
		return func(a, b uint32) uint32 {
			return math.Float32bits(g(math.Float32frombits(a), math.Float32frombits(b)))
		}
	}
	inf := float32(math.Inf(1))
	switch name {
	case "IAdd":
		return "uint", 0, func(a, b uint32) uint32 { return a + b }
	case "IMul":
		return "uint", 1, func(a, b uint32) uint32 { return a * b }
	case "SMin":
		return "uint", 1<<31 - 1, func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }
	case "UMin":
		return "uint", ^uint32(0), func(a, b uint32) uint32 { return min(a, b) }
	case "SMax":
		return "uint", 1 << 31, func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }
	case "UMax":
		return "uint", 0, func(a, b uint32) uint32 { return max(a, b) }
	case "BitwiseAnd":
		return "uint", ^uint32(0), func(a, b uint32) uint32 { return a & b }
	case "BitwiseOr":
		return "uint", 0, func(a, b uint32) uint32 { return a | b }
	case "BitwiseXor":
		return "uint", 0, func(a, b uint32) uint32 { return a ^ b }
	case "LogicalAnd":
		return "bool", 1, func(a, b uint32) uint32 { return a & b }
	case "LogicalOr":
		return "bool", 0, func(a, b uint32) uint32 { return a | b }
	case "LogicalXor":
		return "bool", 0, func(a, b uint32) uint32 { return a ^ b }
	case "FAdd":
		return "float", 0, of(func(a, b float32) float32 { return a + b })
	case "FMul":
		return "float", math.Float32bits(1), of(func(a, b float32) float32 { return a * b })
	case "FMin":
		return "float", math.Float32bits(inf), of(func(a, b float32) float32 { return min(a, b) })
	case "FMax":
		return "float", math.Float32bits(-inf), of(func(a, b float32) float32 { return max(a, b) })
	}
	return "", 0, nil
}

func groupValue(kind string, l int) uint32 {
	switch kind {
	case "float":
		return math.Float32bits(groupF(l))
	case "bool":
		return groupX[l] & 1
	}
	return groupX[l]
}

// reductions are all of reduceOps in all forms that they have.
func reductions() (list []groupCase) {
	for _, r := range reduceOps {
		op := r.op.String()
		name := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(op, "OpGroup"), "NonUniform"), "KHR"), "NonUniformAMD")
		kind, start, f := laneFold(name)
		arg := map[string]string{"uint": "%x", "float": "%f", "bool": "%b"}[kind]
		add := func(form, more string, in func(lane, l int) bool) {
			list = append(list, groupCase{kind, fmt.Sprintf("%s %%%s %%sg %s %s%s", op, kind, form, arg, more), func(lane int, on []int) uint32 {
				v := start
				for _, l := range on {
					if in(lane, l) {
						v = f(v, groupValue(kind, l))
					}
				}
				return v
			}, strings.Contains(op, "NonUniform")})
		}
		add("Reduce", "", func(_, _ int) bool { return true })
		add("InclusiveScan", "", func(lane, l int) bool { return l <= lane })
		add("ExclusiveScan", "", func(lane, l int) bool { return l < lane })
		if !strings.HasPrefix(op, "OpGroupNonUniform") {
			continue
		}
		add("ClusteredReduce", " %k4", func(lane, l int) bool { return lane/4 == l/4 })
		same := func(lane, l int) bool { return groupX[lane] == groupX[l] }
		add("PartitionedReduceEXT", " %part", same)
		add("PartitionedInclusiveScanEXT", " %part", func(lane, l int) bool { return l <= lane && same(lane, l) })
		add("PartitionedExclusiveScanEXT", " %part", func(lane, l int) bool { return l < lane && same(lane, l) })
	}
	return list
}

// groupCases are the other instructions. What is read of a lane that is not active may be anything, so nobody reads lane 3 but itself.
func groupCases() []groupCase {
	at := func(f func(lane int) int) func(int, []int) uint32 {
		return func(lane int, _ []int) uint32 { return groupX[f(lane)] }
	}
	mask := func(on []int, in func(l int) bool) (m uint32) {
		for _, l := range on {
			if in(l) {
				m |= 1 << l
			}
		}
		return m
	}
	odd := func(l int) bool { return groupX[l]&1 != 0 }
	all := func(int) bool { return true }
	same := func(x func(l int) uint32) func(int, []int) uint32 {
		return func(_ int, on []int) uint32 {
			return groupBit(mask(on, func(l int) bool { return x(l) == x(on[0]) }) == mask(on, all))
		}
	}
	votes := func(all bool) func(int, []int) uint32 {
		return func(_ int, on []int) uint32 {
			m := mask(on, odd)
			return groupBit(m != 0 && (!all || bits.OnesCount32(m) == len(on)))
		}
	}
	quad := func(all bool) func(int, []int) uint32 {
		return func(lane int, on []int) uint32 {
			n, of := 0, 0
			for _, l := range on {
				if l/4 == lane/4 {
					of++
					n += int(groupX[l] & 1)
				}
			}
			return groupBit(n > 0 && (!all || n == of))
		}
	}
	x := func(l int) uint32 { return groupX[l] }
	const bal = 0b10110101 // a ballot of our own
	list := []groupCase{
		{"uint", "OpGroupNonUniformBroadcast %uint %sg %x %k2", at(func(int) int { return 2 }), true},
		{"uint", "OpGroupBroadcast %uint %sg %x %k6", at(func(int) int { return 6 }), false},
		{"uint", "OpGroupNonUniformBroadcastFirst %uint %sg %x", at(func(int) int { return 0 }), true},
		{"uint", "OpSubgroupFirstInvocationKHR %uint %x", at(func(int) int { return 0 }), true},
		{"uint", "OpSubgroupReadInvocationKHR %uint %x %k5", at(func(int) int { return 5 }), true},
		{"uint", "OpGroupNonUniformShuffle %uint %sg %x %rev", at(func(l int) int { return 7 - l }), false},
		{"uint", "OpGroupNonUniformShuffleXor %uint %sg %x %k5", at(func(l int) int { return l ^ 5 }), false},
		{"uint", "OpGroupNonUniformRotateKHR %uint %sg %x %k2", at(func(l int) int { return (l + 2) % 8 }), false},
		{"uint", "OpGroupNonUniformRotateKHR %uint %sg %x %k1 %k4", at(func(l int) int { return l&^3 | (l+1)&3 }), false},
		{"uint", "OpGroupNonUniformQuadBroadcast %uint %sg %x %k1", at(func(l int) int { return l&^3 | 1 }), true},
		{"uint", "OpGroupNonUniformQuadSwap %uint %sg %x %k0", at(func(l int) int { return l ^ 1 }), false},
		{"uint", "OpGroupNonUniformQuadSwap %uint %sg %x %k1", at(func(l int) int { return l ^ 2 }), false},
		{"uint", "OpGroupNonUniformQuadSwap %uint %sg %x %k2", at(func(l int) int { return l ^ 3 }), false},
		{"bool", "OpGroupNonUniformElect %bool %sg", func(lane int, on []int) uint32 { return groupBit(lane == on[0]) }, true},
		{"bool", "OpGroupNonUniformAllEqual %bool %sg %x", same(x), true},
		{"bool", "OpSubgroupAllEqualKHR %bool %x", same(x), true},
		{"bool", "OpSubgroupAllEqualKHR %bool %k4", func(int, []int) uint32 { return 1 }, true},
		{"bool", "OpGroupNonUniformAllEqual %bool %sg %zeros", func(int, []int) uint32 { return 1 }, true}, // of both signs
		{"bool", "OpGroupNonUniformAllEqual %bool %sg %f", same(func(l int) uint32 { return math.Float32bits(groupF(l)) }), true},
		{"uint", "OpGroupNonUniformBallotBitCount %uint %sg Reduce %bal", func(int, []int) uint32 { return uint32(bits.OnesCount32(bal)) }, true},
		{"uint", "OpGroupNonUniformBallotBitCount %uint %sg InclusiveScan %bal", func(l int, _ []int) uint32 { return uint32(bits.OnesCount32(bal & (2<<l - 1))) }, true},
		{"uint", "OpGroupNonUniformBallotBitCount %uint %sg ExclusiveScan %bal", func(l int, _ []int) uint32 { return uint32(bits.OnesCount32(bal & (1<<l - 1))) }, true},
		{"uint", "OpGroupNonUniformBallotFindLSB %uint %sg %bal", func(int, []int) uint32 { return 0 }, true},
		{"uint", "OpGroupNonUniformBallotFindMSB %uint %sg %bal", func(int, []int) uint32 { return 7 }, true},
		{"bool", "OpGroupNonUniformInverseBallot %bool %sg %bal", func(l int, _ []int) uint32 { return bal >> l & 1 }, true},
		{"bool", "OpGroupNonUniformBallotBitExtract %bool %sg %bal %rev", func(l int, _ []int) uint32 { return bal >> (7 - l) & 1 }, true},
		{"uvec4", "OpGroupNonUniformBallot %uvec4 %sg %b", func(_ int, on []int) uint32 { return mask(on, odd) }, true},
		{"uvec4", "OpSubgroupBallotKHR %uvec4 %b", func(_ int, on []int) uint32 { return mask(on, odd) }, true},
		{"uvec4", "OpGroupNonUniformPartitionEXT %uvec4 %x", func(lane int, on []int) uint32 {
			return mask(on, func(l int) bool { return groupX[l] == groupX[lane] })
		}, true},
		{"bool", "OpGroupNonUniformQuadAllKHR %bool %b", quad(true), true}, {"bool", "OpGroupNonUniformQuadAnyKHR %bool %b", quad(false), true},
	}
	// A lane without one that far below or above it asks for its own.
	list = append(list, groupCase{"uint", "OpGroupNonUniformShuffleUp %uint %sg %x %lane", at(func(int) int { return 0 }), true},
		groupCase{"uint", "OpGroupNonUniformShuffleDown %uint %sg %x %rev", at(func(int) int { return 7 }), true})
	for _, op := range []string{"OpGroupNonUniformAll %bool %sg", "OpGroupAll %bool %sg", "OpSubgroupAllKHR %bool"} {
		list = append(list, groupCase{"bool", op + " %b", votes(true), op != "OpGroupAll %bool %sg"}, groupCase{"bool", op + " %small", func(int, []int) uint32 { return 1 }, op != "OpGroupAll %bool %sg"})
	}
	for _, op := range []string{"OpGroupNonUniformAny %bool %sg", "OpGroupAny %bool %sg", "OpSubgroupAnyKHR %bool"} {
		list = append(list, groupCase{"bool", op + " %b", votes(false), op != "OpGroupAny %bool %sg"}, groupCase{"bool", op + " %never", func(int, []int) uint32 { return 0 }, op != "OpGroupAny %bool %sg"})
	}
	return append(list, reductions()...)
}

const groupHead = `OpCapability Shader
OpCapability Groups
OpCapability SubgroupBallotKHR
OpCapability SubgroupVoteKHR
OpCapability GroupUniformArithmeticKHR
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformShuffle
OpCapability GroupNonUniformShuffleRelative
OpCapability GroupNonUniformRotateKHR
OpCapability GroupNonUniformClustered
OpCapability GroupNonUniformQuad
OpCapability QuadControlKHR
OpCapability GroupNonUniformPartitionedNV
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%uvec4 = OpTypeVector %uint 4
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%pblock = OpTypePointer StorageBuffer %block
%pword = OpTypePointer StorageBuffer %uint
%pin = OpTypePointer Input %uint
%index = OpVariable %pin Input
%buf = OpVariable %pblock StorageBuffer
%sg = OpConstant %uint 3
%c6 = OpConstant %int 6
%fzero = OpConstant %float 0
%k16 = OpConstant %uint 16
%mybits = OpConstant %uint 181
`

// groupText is a module with cases, whose results it stores one after the other, lane by lane, after the numbers.
func groupText(cases []groupCase, halves [2]int) string {
	var w strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&w, format+"\n", args...) }
	w.WriteString(groupHead)
	for i := range 10 {
		p("%%k%d = OpConstant %%uint %d", i, i)
	}
	for i := range halves[0] + halves[1] + 1 {
		p("%%at%d = OpConstant %%uint %d", i, groupLanes*i)
	}
	p("%%bal = OpConstantComposite %%uvec4 %%mybits %%k0 %%k0 %%k0\n%%main = OpFunction %%void None %%fn\n%%e = OpLabel\n%%lane = OpLoad %%uint %%index\n%%rev = OpISub %%uint %%k7 %%lane")
	p("%%xp = OpAccessChain %%pword %%buf %%k0 %%lane\n%%x = OpLoad %%uint %%xp\n%%low = OpBitwiseAnd %%uint %%x %%k1\n%%b = OpINotEqual %%bool %%low %%k0")
	p("%%mod = OpUMod %%uint %%x %%k16\n%%imod = OpBitcast %%int %%mod\n%%less = OpISub %%int %%imod %%c6\n%%f = OpConvertSToF %%float %%less")
	p("%%small = OpULessThan %%bool %%lane %%k9\n%%never = OpUGreaterThan %%bool %%lane %%k9\n%%fl = OpConvertUToF %%float %%low\n%%minus = OpFNegate %%float %%fl\n%%zeros = OpFMul %%float %%minus %%fzero")
	p("%%part = OpGroupNonUniformPartitionEXT %%uvec4 %%x")
	n := 0
	emit := func(c *groupCase) {
		n++
		p("%%r%d = %s", n, c.text)
		switch c.kind {
		case "uint":
			p("%%w%d = OpCopyObject %%uint %%r%d", n, n)
		case "float":
			p("%%w%d = OpBitcast %%uint %%r%d", n, n)
		case "bool":
			p("%%w%d = OpSelect %%uint %%r%d %%k1 %%k0", n, n)
		case "uvec4":
			p("%%w%d = OpCompositeExtract %%uint %%r%d 0", n, n)
		}
		p("%%i%d = OpIAdd %%uint %%lane %%at%d\n%%p%d = OpAccessChain %%pword %%buf %%k0 %%i%d\nOpStore %%p%d %%w%d", n, n, n, n, n, n)
	}
	for i := range cases {
		emit(&cases[i])
	}
	p("%%not3 = OpINotEqual %%bool %%lane %%k3\nOpSelectionMerge %%m None\nOpBranchConditional %%not3 %%t %%m\n%%t = OpLabel")
	for i := range cases {
		if cases[i].divergent && !strings.Contains(cases[i].text, "%part") {
			emit(&cases[i])
		}
	}
	p("OpBranch %%m\n%%m = OpLabel\nOpReturn\nOpFunctionEnd")
	return w.String()
}

func TestGroupInstructions(t *testing.T) {
	cases := groupCases()
	s, err := Translate(assemble(t, groupText(cases, [2]int{len(cases), len(cases)})), Options{panics: true})
	if err == nil {
		err = ir.Validate(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := interp.New(s, interp.Options{WaveSize: groupLanes})
	if err != nil {
		t.Fatal(err)
	}
	mem := emu.NewMemory()
	out := mem.Alloc(4 * groupLanes * (2*len(cases) + 1))
	for l, x := range groupX {
		binary.LittleEndian.PutUint32(out.Data[4*l:], x)
	}
	var b emu.Bindings
	b.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: uint64(len(out.Data))}})
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &b}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}}); err != nil {
		t.Fatal(err)
	}
	n := 0
	look := func(c *groupCase, on ...int) {
		n++
		for _, l := range on {
			got, want := binary.LittleEndian.Uint32(out.Data[4*(groupLanes*n+l):]), c.want(l, on)
			if got != want {
				t.Errorf("%s: lane %d of %d has %#x, want %#x", c.text, l, on, got, want)
			}
		}
	}
	for i := range cases {
		look(&cases[i], 0, 1, 2, 3, 4, 5, 6, 7)
	}
	for i := range cases {
		if cases[i].divergent && !strings.Contains(cases[i].text, "%part") {
			look(&cases[i], 0, 1, 2, 4, 5, 6, 7)
		}
	}
}

// TestGroupScopes: in a shader each of them with a scope other than the subgroup is refused.
func TestGroupScopes(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range groupCases() {
		op := strings.Fields(c.text)[0]
		if seen[op] || !strings.Contains(c.text, "%sg") {
			continue
		}
		seen[op] = true
		c.text = strings.Replace(c.text, "%sg", "%k2", 1)
		_, err := Translate(assemble(t, groupText([]groupCase{c}, [2]int{1, 1})), Options{panics: true})
		if err == nil || !strings.Contains(err.Error(), op+" of a scope other than the subgroup is not supported") {
			t.Errorf("%s: %v", c.text, err)
		}
	}
	if len(seen) < 60 {
		t.Errorf("only %d instructions", len(seen))
	}
}
