package hostile

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"nirc"
	"nirc/frontend/spirv/spv"
	"nirc/passes"
)

// Bounds of what a module of ill will may cost.
const (
	adversaryTime   = time.Second
	adversaryMemory = 200 << 20
)

const adversaryHead = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
`

const adversaryTypes = `%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%true = OpConstantTrue %bool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%pu = OpTypePointer Private %uint
%px = OpVariable %pu Private
`

// repeat joins what f gives for 0 to n-1.
func repeat(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}

// computeModule is a module of declarations and the body of its only function.
func computeModule(decls, body string) string {
	return adversaryHead + adversaryTypes + decls + "%main = OpFunction %void None %fn\n%entry = OpLabel\n" + body + "OpReturn\nOpFunctionEnd\n"
}

// adversary is a module of ill will: what a part of the diagnostic says, or ""
// if it compiles.
type adversary struct {
	name, want string
	text       func() string
}

// usedVariable declares a variable of a type and reads it.
func usedVariable(decls, class, typ string) string {
	return computeModule(decls+"%p = OpTypePointer "+class+" "+typ+"\n%v = OpVariable %p "+class+"\n", "%l = OpLoad "+typ+" %v\nOpStore %v %l\n")
}

// adversaries are the modules, by what they have too much of.
func adversaries() []adversary {
	list := deepAdversaries()
	list = append(list, wideAdversaries()...)
	list = append(list, cyclicAdversaries()...)
	return append(list, flowAdversaries()...)
}

func deepAdversaries() []adversary {
	structs := func(n int) string {
		return "%s0 = OpTypeStruct %uint\n" + repeat(n, func(i int) string { return fmt.Sprintf("%%s%d = OpTypeStruct %%s%d\n", i+1, i) })
	}
	arrays := func(n int) string {
		return "%a0 = OpTypeArray %uint %c1\n" + repeat(n, func(i int) string { return fmt.Sprintf("%%a%d = OpTypeArray %%a%d %%c1\n", i+1, i) })
	}
	pointers := func(n int) string {
		return "%p0 = OpTypePointer Private %uint\n" + repeat(n, func(i int) string { return fmt.Sprintf("%%p%d = OpTypePointer Private %%p%d\n", i+1, i) })
	}
	doubled := func(n int, first string) string {
		return "%d0 = OpTypeStruct " + first + "\n" + repeat(n, func(i int) string { return fmt.Sprintf("%%d%d = OpTypeStruct %%d%d %%d%d\n", i+1, i, i) })
	}
	constants := func(n int) string {
		return doubled(n, "%uint") + "%k0 = OpConstantComposite %d0 %c1\n" + repeat(n, func(i int) string {
			return fmt.Sprintf("%%k%d = OpConstantComposite %%d%d %%k%d %%k%d\n", i+1, i+1, i, i)
		})
	}
	return []adversary{
		{"structs 10000 deep", "too deep", func() string { return usedVariable(structs(10000), "Private", "%s10000") }},
		{"arrays 10000 deep", "too deep", func() string { return usedVariable(arrays(10000), "Workgroup", "%a10000") }},
		{"structs 10000 deep, unused", "", func() string { return computeModule(structs(10000), "") }},
		{"pointers 10000 deep", "", func() string { return usedVariable(pointers(10000), "Private", "%p10000") }},
		{"types that double", "too large", func() string { return usedVariable(doubled(40, "%uint"), "Private", "%d40") }},
		{"types that double, unused", "", func() string { return computeModule(doubled(60, "%uint"), "") }},
		{"constants that double", "too large", func() string {
			return computeModule(constants(40), "%e = OpCompositeExtract %uint %k40 "+strings.Repeat("0 ", 41)+"\nOpStore %px %e\n")
		}},
		{"spec constants 10000 deep", "", func() string {
			return computeModule("%q0 = OpSpecConstant %uint 1\n"+repeat(10000, func(i int) string {
				return fmt.Sprintf("%%q%d = OpSpecConstantOp %%uint IAdd %%q%d %%q%d\n", i+1, i, i)
			}), "OpStore %px %q10000\n")
		}},
	}
}

func wideAdversaries() []adversary {
	array := func(n string) string { return "%n = OpConstant %uint " + n + "\n%arr = OpTypeArray %uint %n\n" }
	list := []adversary{
		{"1 GB of workgroup memory", "maxComputeSharedMemorySize", func() string {
			return computeModule(array("268435456")+"%p = OpTypePointer Workgroup %arr\n%pe = OpTypePointer Workgroup %uint\n%v = OpVariable %p Workgroup\n",
				"%i = OpLoad %uint %px\n%e = OpAccessChain %pe %v %i\n%l = OpAtomicIAdd %uint %e %c1 %c0 %c1\n")
		}},
		{"1 GB of private memory", "private", func() string {
			return computeModule(array("268435456")+"%p = OpTypePointer Private %arr\n%v = OpVariable %p Private\n%pw = OpTypePointer Workgroup %uint\n%w = OpVariable %pw Workgroup\n",
				"%i = OpLoad %uint %w\n%e = OpAccessChain %pu %v %i\nOpStore %e %c1\n%j = OpAtomicIAdd %uint %w %c1 %c0 %c1\n%f = OpAccessChain %pu %v %j\n%l = OpLoad %uint %f\nOpStore %w %l\n")
		}},
		{"a vertex input of 65536 locations", "beyond the last", func() string {
			return strings.Replace(usedVariable(array("65536"), "Input", "%arr"), adversaryHead, "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Vertex %main \"main\" %v\nOpDecorate %v Location 0\n", 1)
		}},
		{"null of a huge array", "too large", func() string {
			return computeModule(array("1000000")+"%z = OpConstantNull %arr\n", "%e = OpCompositeExtract %uint %z 5\nOpStore %px %e\n")
		}},
		{"a variable that starts as 65000 times 65000 words", "expand", func() string {
			return computeModule("%n = OpConstant %uint 65000\n%row = OpTypeArray %uint %n\n%all = OpTypeArray %row %n\n%k = OpConstantComposite %row"+strings.Repeat(" %c1", 65000)+
				"\n%kk = OpConstantComposite %all"+strings.Repeat(" %k", 65000)+"\n%p = OpTypePointer Private %all\n%v = OpVariable %p Private %kk\n",
				"%i = OpLoad %uint %px\n%q = OpAccessChain %pu %v %i %i\n%l = OpLoad %uint %q\nOpStore %px %l\n")
		}},
		{"undef of a huge array", "too large", func() string {
			return computeModule(array("1000000"), "%z = OpUndef %arr\n%e = OpCompositeExtract %uint %z 5\nOpStore %px %e\n")
		}},
		{"a struct of 65000 members", "too large", func() string {
			return usedVariable("%s = OpTypeStruct"+strings.Repeat(" %uint", 65000)+"\n", "Private", "%s")
		}},
		{"an access chain of 65000 indices", "", func() string {
			return computeModule("", "%e = OpAccessChain %pu %px"+strings.Repeat(" %c0", 65000)+"\nOpStore %e %c1\n")
		}},
		{"a construct of 65000 parts", "", func() string {
			return computeModule("%v4 = OpTypeVector %uint 4\n", "%e = OpCompositeConstruct %v4"+strings.Repeat(" %c0", 65000)+"\n%f = OpCompositeExtract %uint %e 0\nOpStore %px %f\n")
		}},
		{"a call of 65000 arguments", "", func() string {
			return computeModule("", "%e = OpFunctionCall %void %main"+strings.Repeat(" %c0", 65000)+"\n")
		}},
		{"an entry point of 65000 variables", "", func() string {
			return strings.Replace(computeModule("", ""), "\"main\"", "\"main\""+strings.Repeat(" %px", 65000), 1)
		}},
		{"10000 names of 600 bytes", "", func() string {
			return strings.Replace(computeModule("", ""), "%void = ", repeat(10000, func(int) string { return "OpName %px \"" + strings.Repeat("x", 600) + "\"\n" })+"%void = ", 1)
		}},
		{"100000 decorations of a variable", "", func() string {
			return strings.Replace(computeModule("", "OpStore %px %c1\n"), "%void = ", strings.Repeat("OpDecorate %px RelaxedPrecision\n", 100000)+"%void = ", 1)
		}},
		{"a group of 60000 decorations for 60000 targets", "decoration groups", func() string {
			return strings.Replace(computeModule("", "OpStore %px %c1\n"), "%void = ", strings.Repeat("OpDecorate %g RelaxedPrecision\n", 60000)+"%g = OpDecorationGroup\nOpGroupDecorate %g"+strings.Repeat(" %px", 60000)+"\n%void = ", 1)
		}},
		{"10000 functions", "", func() string {
			return computeModule("", "%c = OpFunctionCall %void %f0\n") + repeat(10000, func(i int) string {
				call := ""
				if i < 9999 {
					call = fmt.Sprintf("%%q%d = OpFunctionCall %%void %%f%d\n", i, i+1)
				}
				return fmt.Sprintf("%%f%d = OpFunction %%void None %%fn\n%%l%d = OpLabel\n%sOpReturn\nOpFunctionEnd\n", i, i, call)
			})
		}},
		{"calls that double", "inlin", func() string {
			return computeModule("", "%c = OpFunctionCall %void %f0\n") + repeat(40, func(i int) string {
				call := "%y = OpLoad %uint %px\n%y1 = OpIAdd %uint %y %c1\nOpStore %px %y1\n"
				if i < 39 {
					call = fmt.Sprintf("%%q%d = OpFunctionCall %%void %%f%d\n%%e%d = OpFunctionCall %%void %%f%d\n", i, i+1, i, i+1)
				}
				return fmt.Sprintf("%%f%d = OpFunction %%void None %%fn\n%%l%d = OpLabel\n%sOpReturn\nOpFunctionEnd\n", i, i, call)
			})
		}},
	}
	for _, n := range []string{"2147483647", "2147483648", "4294967295"} {
		for _, class := range []string{"Private", "Workgroup"} {
			list = append(list, adversary{"an array of " + n + " in " + class, " ", func() string { return usedVariable(array(n), class, "%arr") }})
		}
	}
	return list
}

func cyclicAdversaries() []adversary {
	decls := func(s string) func() string { return func() string { return usedVariable(s, "Private", "%t") } }
	return []adversary{
		{"a struct that holds itself", "", decls("%t = OpTypeStruct %t\n")},
		{"an array of itself", "", decls("%t = OpTypeArray %t %c1\n")},
		{"an array as long as itself", "", decls("%t = OpTypeArray %uint %t\n")},
		{"two structs that hold each other", "", decls("%t = OpTypeStruct %u\n%u = OpTypeStruct %t\n")},
		{"a pointer to itself", "", decls("%t = OpTypePointer Private %t\n")},
		{"a forward pointer to itself", "", decls("OpTypeForwardPointer %t Private\n%t = OpTypePointer Private %t\n")},
		{"a constant of itself", "", func() string { return computeModule("%k = OpConstantComposite %uint %k\n", "OpStore %px %k\n") }},
		{"a spec constant of itself", "", func() string { return computeModule("%k = OpSpecConstantOp %uint IAdd %k %k\n", "OpStore %px %k\n") }},
		{"a variable that starts with itself", "", func() string { return computeModule("%k = OpVariable %pu Private %k\n", "OpStore %k %c1\n") }},
		{"a value of itself", "", func() string { return computeModule("", "%k = OpIAdd %uint %k %k\nOpStore %px %k\n") }},
		{"a decoration group of itself", "", func() string {
			return strings.Replace(computeModule("", "OpStore %px %c1\n"), "%void = ", "%g = OpDecorationGroup\nOpGroupDecorate %g %g %px\n%void = ", 1)
		}},
		{"recursion", "calls itself", func() string { return computeModule("", "%c = OpFunctionCall %void %main\n") }},
		{"recursion through 1000 functions", "calls itself", func() string {
			return computeModule("", "%c = OpFunctionCall %void %f0\n") + repeat(1000, func(i int) string {
				return fmt.Sprintf("%%f%d = OpFunction %%void None %%fn\n%%l%d = OpLabel\n%%q%d = OpFunctionCall %%void %%f%d\nOpReturn\nOpFunctionEnd\n", i, i, i, (i+1)%1000)
			})
		}},
	}
}

func flowAdversaries() []adversary {
	nest := func(n int, open, closed func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(open(i))
		}
		for i := n - 1; i >= 0; i-- {
			b.WriteString(closed(i))
		}
		return b.String()
	}
	ifOpen := func(i int) string {
		return fmt.Sprintf("%%x%d = OpLoad %%uint %%px\n%%b%d = OpIEqual %%bool %%x%d %%c0\nOpSelectionMerge %%m%d None\nOpBranchConditional %%b%d %%t%d %%m%d\n%%t%d = OpLabel\n", i, i, i, i, i, i, i, i)
	}
	ifClose := func(i int) string { return fmt.Sprintf("OpBranch %%m%d\n%%m%d = OpLabel\n", i, i) }
	loopOpen := func(i int) string {
		return fmt.Sprintf("OpBranch %%h%d\n%%h%d = OpLabel\n%%x%d = OpLoad %%uint %%px\n%%b%d = OpIEqual %%bool %%x%d %%c0\nOpLoopMerge %%m%d %%k%d None\nOpBranchConditional %%b%d %%t%d %%m%d\n%%t%d = OpLabel\n", i, i, i, i, i, i, i, i, i, i, i)
	}
	loopClose := func(i int) string {
		return fmt.Sprintf("OpBranch %%k%d\n%%k%d = OpLabel\nOpBranch %%h%d\n%%m%d = OpLabel\n", i, i, i, i)
	}
	return []adversary{
		{"10000 selections in each other", "nested", func() string { return computeModule("", nest(10000, ifOpen, ifClose)) }},
		{"10000 loops in each other", "nested", func() string { return computeModule("", nest(10000, loopOpen, loopClose)) }},
		{"10000 selections in a row", "", func() string {
			return computeModule("", repeat(10000, func(i int) string { return ifOpen(i) + ifClose(i) }))
		}},
		{"100000 blocks in a row", "", func() string {
			return computeModule("", repeat(100000, func(i int) string { return fmt.Sprintf("OpBranch %%m%d\n%%m%d = OpLabel\n", i, i) }))
		}},
		{"a switch of 15000 cases", "", func() string {
			return computeModule("", "%x = OpLoad %uint %px\nOpSelectionMerge %m None\nOpSwitch %x %m"+repeat(15000, func(i int) string { return fmt.Sprintf(" %d %%t%d", i, i) })+"\n"+
				repeat(15000, func(i int) string { return fmt.Sprintf("%%t%d = OpLabel\nOpBranch %%m\n", i) })+"%m = OpLabel\n")
		}},
		{"a switch whose cases fall in a circle", "", func() string {
			return computeModule("", "%x = OpLoad %uint %px\nOpSelectionMerge %m None\nOpSwitch %x %m 1 %a 2 %b\n%a = OpLabel\nOpBranch %b\n%b = OpLabel\nOpBranch %a\n%m = OpLabel\n")
		}},
		{"blocks that branch to each other", "", func() string {
			return computeModule("", "OpBranchConditional %true %a %b\n%a = OpLabel\nOpBranch %b\n%b = OpLabel\nOpBranch %a\n%m = OpLabel\n")
		}},
		{"a loop that unrolls to a million", "", func() string {
			return computeModule("%n = OpConstant %uint 1000000\n", `OpBranch %h
%h = OpLabel
%i = OpPhi %uint %c0 %entry %j %k
%b = OpULessThan %bool %i %n
OpLoopMerge %m %k None
OpBranchConditional %b %t %m
%t = OpLabel
OpStore %px %i
OpBranch %k
%k = OpLabel
%j = OpIAdd %uint %i %c1
OpBranch %h
%m = OpLabel
`)
		}},
	}
}

// spent is what a run took: time of the processor, and bytes of memory asked for.
func spent(f func()) (time.Duration, uint64) {
	var before, after syscall.Rusage
	var m0, m1 runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m0)
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	f()
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	runtime.ReadMemStats(&m1)
	return time.Duration(after.Utime.Nano() - before.Utime.Nano()), m1.TotalAlloc - m0.TotalAlloc
}

// TestAdversaries compiles modules of ill will: each gets a diagnostic or its
// code, soon and in little memory.
func TestAdversaries(t *testing.T) {
	for _, a := range adversaries() {
		words, err := spv.Assemble(a.text(), spv.AssembleOptions{})
		if err != nil {
			t.Fatalf("%s: %v", a.name, err)
		}
		data := make([]byte, 0, 4*len(words))
		for _, w := range words {
			data = binary.LittleEndian.AppendUint32(data, w)
		}
		for i, target := range []string{"ir3", "agx", "midgard"} {
			if i > 0 && !strings.Contains(a.name, "memory") {
				break // what they share says so
			}
			var err error
			took, bytes := spent(func() {
				_, err = nirc.Compile(context.Background(), data, nirc.Options{File: "adversary", Target: target, Level: passes.O2})
			})
			t.Logf("%-50s %-4s %8.1f ms %6.1f MB %.150v", a.name, target, took.Seconds()*1e3, float64(bytes)/(1<<20), err)
			if internal := (*nirc.InternalError)(nil); errors.As(err, &internal) {
				t.Errorf("%s: %v\n%s", a.name, err, internal.Stack)
			}
			if took > adversaryTime || bytes > adversaryMemory {
				t.Errorf("%s: %s: %v, %d bytes", a.name, target, took, bytes)
			}
			if a.want != "" && (err == nil || !strings.Contains(err.Error(), a.want)) {
				t.Errorf("%s: %s: %.200v, want %q", a.name, target, err, a.want)
			}
		}
	}
}
