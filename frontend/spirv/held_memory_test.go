package spirv_test

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"nirc/backend/gputest"
)

// memoryType is a type that is accessed, with what declares it.
type memoryType struct{ name, decl string }

// memoryModule begins a compute shader with a variable of each of some types in each storage, and constants for scopes and orders.
func memoryModule(vulkan bool, types ...memoryType) string {
	var b strings.Builder
	model := "Logical GLSL450"
	capabilities := "Shader Int8 Int16 Int64 Float16 Int64Atomics AtomicFloat32AddEXT AtomicFloat32MinMaxEXT StorageBuffer16BitAccess StorageBuffer8BitAccess"
	if vulkan {
		model, capabilities = "Logical Vulkan", capabilities+" VulkanMemoryModel VulkanMemoryModelDeviceScope"
	}
	for c := range strings.FieldsSeq(capabilities) {
		fmt.Fprintf(&b, "OpCapability %s\n", c)
	}
	fmt.Fprintf(&b, "OpMemoryModel %s\nOpEntryPoint GLCompute %%main \"main\"", model)
	for _, t := range types {
		for _, s := range memoryStorage {
			fmt.Fprintf(&b, " %%b%s%s", s, t.name)
		}
	}
	b.WriteString("\nOpExecutionMode %main LocalSize 4 1 1\n")
	for i, t := range types {
		fmt.Fprintf(&b, "OpDecorate %%s%s Block\nOpMemberDecorate %%s%s 0 Offset 0\nOpDecorate %%bStorageBuffer%s DescriptorSet 0\nOpDecorate %%bStorageBuffer%s Binding %d\n", t.name, t.name, t.name, t.name, i)
		if t.name == "array" {
			b.WriteString("OpDecorate %array ArrayStride 4\n")
		}
	}
	b.WriteString("%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n")
	b.WriteString("%uint = OpTypeInt 32 0\n%float = OpTypeFloat 32\n")
	for n := range 8 {
		fmt.Fprintf(&b, "%%scope%d = OpConstant %%uint %d\n", n, n)
	}
	for _, sem := range orders {
		fmt.Fprintf(&b, "%%sem%d = OpConstant %%uint %d\n", sem, sem)
	}
	for _, t := range types {
		if t.name != "uint" && t.name != "float" {
			fmt.Fprintf(&b, "%%%s = %s\n", t.name, t.decl)
		}
		fmt.Fprintf(&b, "%%zero%s = OpConstantNull %%%s\n%%s%s = OpTypeStruct %%%s\n", t.name, t.name, t.name, t.name)
		for _, s := range memoryStorage {
			fmt.Fprintf(&b, "%%p%s%s = OpTypePointer %s %%%s\n%%ps%s%s = OpTypePointer %s %%s%s\n%%b%s%s = OpVariable %%ps%s%s %s\n",
				s, t.name, s, t.name, s, t.name, s, t.name, s, t.name, s, t.name, s)
		}
	}
	b.WriteString("%main = OpFunction %void None %fn\n%l = OpLabel\n")
	for _, t := range types {
		for _, s := range memoryStorage {
			fmt.Fprintf(&b, "%%a%s%s = OpAccessChain %%p%s%s %%b%s%s %%scope0\n", s, t.name, s, t.name, s, t.name)
		}
	}
	return b.String()
}

var memoryTypes = []memoryType{
	{"uint", "OpTypeInt 32 0"}, {"int", "OpTypeInt 32 1"}, {"ulong", "OpTypeInt 64 0"}, {"ushort", "OpTypeInt 16 0"}, {"float", "OpTypeFloat 32"},
	{"uint3", "OpTypeVector %uint 3"}, {"array", "OpTypeArray %float %scope2"},
}

var memoryStorage = []string{"StorageBuffer", "Workgroup", "Private"}

// orders are of memory semantics: none, the four orders, with classes of memory and with what is made available or visible.
var orders = []int{0, 2, 4, 8, 16, 0x42, 0x44, 0x48, 0x148, 0x948, 0x104, 0x2044, 0x4042, 0x6048, 0x8048, 6}

// atomicForms are the operands of atomics; an empty one stands for those of most.
var atomicForms = map[string]string{
	"OpAtomicLoad": "%r = OP TYPE PTR SCOPE SEM", "OpAtomicStore": "OP PTR SCOPE SEM ZERO", "OpAtomicExchange": "%r = OP TYPE PTR SCOPE SEM ZERO",
	"OpAtomicCompareExchange": "%r = OP TYPE PTR SCOPE SEM EQUAL ZERO ZERO", "OpAtomicIIncrement": "%r = OP TYPE PTR SCOPE SEM",
	"OpAtomicIDecrement": "%r = OP TYPE PTR SCOPE SEM", "OpAtomicIAdd": "", "OpAtomicISub": "", "OpAtomicSMin": "", "OpAtomicUMin": "",
	"OpAtomicSMax": "", "OpAtomicUMax": "", "OpAtomicAnd": "", "OpAtomicOr": "", "OpAtomicXor": "", "OpAtomicFAddEXT": "", "OpAtomicFMinEXT": "", "OpAtomicFMaxEXT": "",
}

// TestHeldMemory translates atomics by type, storage, scope and order, barriers by scopes and orders, and loads, stores and copies by what they say of
// their access: the IR, or the refusal, is that of the table (testdata/held_memory.tsv).
func TestHeldMemory(t *testing.T) {
	rows := map[string]string{}
	begins := map[string]string{}
	for i, of := range memoryTypes {
		other := memoryTypes[(i+1)%len(memoryTypes)]
		begins[of.name+" false"], begins[of.name+" true"] = memoryModule(false, of, other), memoryModule(true, of, other)
	}
	hold := func(name string, texts map[string][]string) {
		var sum gputest.Digest
		n, compiled := 0, 0
		for _, of := range memoryTypes {
			for _, text := range texts[of.name] {
				for _, model := range []string{" false", " true"} {
					n++
					if translated(begins[of.name+model]+text+"\nOpReturn\nOpFunctionEnd\n", &sum) {
						compiled++
					}
				}
			}
		}
		rows[name] = fmt.Sprintf("%d\t%d\t%016x", n, compiled, uint64(sum))
	}
	for name, form := range atomicForms {
		form = cmp.Or(form, "%r = OP TYPE PTR SCOPE SEM ZERO")
		texts := map[string][]string{}
		for i, sem := range orders {
			for _, of := range memoryTypes {
				for k, s := range memoryStorage {
					equal := orders[(i+k)%len(orders)]
					texts[of.name] = append(texts[of.name], strings.NewReplacer("OP", name, "TYPE", "%"+of.name, "PTR", "%a"+s+of.name, "SCOPE", "%scope"+strconv.Itoa(1+(i+k)%5),
						"SEM", "%sem"+strconv.Itoa(sem), "EQUAL", "%sem"+strconv.Itoa(equal), "ZERO", "%zero"+of.name).Replace(form))
				}
			}
		}
		hold(name, texts)
	}
	var barriers []string
	for _, sem := range orders {
		for scope := range 8 {
			barriers = append(barriers, fmt.Sprintf("OpMemoryBarrier %%scope%d %%sem%d", scope, sem), fmt.Sprintf("OpControlBarrier %%scope2 %%scope%d %%sem%d", scope, sem))
		}
	}
	hold("barriers", map[string][]string{"uint": barriers})
	for _, access := range []string{"", "None", "Volatile", "Aligned 1", "Aligned 4", "Aligned 64", "Aligned 3", "Nontemporal", "Volatile|Aligned 2", "NonPrivatePointer",
		"MakePointerVisible|NonPrivatePointer %scope2", "MakePointerAvailable|NonPrivatePointer %scope1", "MakePointerVisible %scope5", "Aligned|Nontemporal 8"} {
		texts := map[string][]string{}
		for i, of := range memoryTypes {
			other := memoryTypes[(i+1)%len(memoryTypes)]
			for k, s := range memoryStorage {
				to := memoryStorage[(k+1)%3]
				texts[of.name] = append(texts[of.name], fmt.Sprintf("%%r = OpLoad %%%s %%a%s%s %s", of.name, s, of.name, access), fmt.Sprintf("%%r = OpLoad %%%s %%a%s%s %s", other.name, s, of.name, access),
					fmt.Sprintf("OpStore %%a%s%s %%zero%s %s", s, of.name, of.name, access), fmt.Sprintf("OpStore %%a%s%s %%zero%s %s", s, of.name, other.name, access),
					fmt.Sprintf("OpCopyMemory %%a%s%s %%a%s%s %s", to, of.name, s, of.name, access), fmt.Sprintf("OpCopyMemory %%a%s%s %%a%s%s %s", to, other.name, s, of.name, access))
			}
		}
		hold("access "+access, texts)
	}
	for name, form := range atomicForms {
		rows["counter "+name] = counterRow(cmp.Or(form, "%r = OP TYPE PTR SCOPE SEM ZERO"), name)
	}
	gputest.HoldTable(t, "held_memory.tsv", rows)
}

// counterModule begins a compute shader with atomic counters: one, those of an array of arrays, and some of floats.
const counterModule = `OpCapability Shader
OpCapability AtomicStorage
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %one Binding 3
OpDecorate %one Offset 8
OpDecorate %many Binding 1
OpDecorate %many Offset 16
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%zero = OpConstant %uint 0
%scope = OpConstant %uint 1
%two = OpConstant %uint 2
%sem66 = OpConstant %uint 66
%izero = OpConstant %int 0
%row = OpTypeArray %uint %two
%rows = OpTypeArray %row %two
%pin = OpTypePointer Input %uint
%pone = OpTypePointer AtomicCounter %uint
%pmany = OpTypePointer AtomicCounter %rows
%id = OpVariable %pin Input
%one = OpVariable %pone AtomicCounter
%many = OpVariable %pmany AtomicCounter
%main = OpFunction %void None %fn
%l = OpLabel
%n = OpLoad %uint %id
%first = OpAccessChain %pone %many %scope %zero
%any = OpAccessChain %pone %many %scope %n
%each = OpAccessChain %pone %many %n %n
`

// counterRow is what becomes of an atomic on counters, of their own type and of another.
func counterRow(form, name string) string {
	var sum gputest.Digest
	n, compiled := 0, 0
	for _, at := range []string{"%one", "%first", "%any", "%each", "%many"} {
		for _, of := range []string{"%uint", "%int"} {
			for _, sem := range []string{"%zero", "%sem66"} {
				for _, zero := range []string{"%zero", "%n", "%izero"} {
					n++
					text := strings.NewReplacer("OP", name, "TYPE", of, "PTR", at, "SCOPE", "%scope", "SEM", sem, "EQUAL", sem, "ZERO", zero).Replace(form)
					if translated(counterModule+text+"\nOpReturn\nOpFunctionEnd\n", &sum) {
						compiled++
					}
				}
			}
		}
	}
	return fmt.Sprintf("%d\t%d\t%016x", n, compiled, uint64(sum))
}
