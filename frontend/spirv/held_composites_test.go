package spirv_test

import (
	"fmt"
	"strings"
	"testing"

	"nirc/backend/gputest"
)

// compositeTypes are vectors, matrices, arrays and structures, and what they are made of, with what declares them.
var compositeTypes = []struct{ name, decl string }{
	{"f", "OpTypeFloat 32"}, {"u", "OpTypeInt 32 0"}, {"v2", "OpTypeVector %f 2"}, {"v3", "OpTypeVector %f 3"}, {"m2", "OpTypeMatrix %v2 2"},
	{"a1", "OpTypeArray %f %n1"}, {"a3", "OpTypeArray %f %n3"}, {"s1", "OpTypeStruct %f"}, {"s2", "OpTypeStruct %f %v2"}, {"as", "OpTypeArray %s2 %n2"}, {"t", "OpTypeStruct %m2 %as %u"},
}

// TestHeldComposites translates composites that are made of all short lists of parts, and taken apart and changed by all short lists of
// indices: the IR, or the refusal, is that of the table (testdata/held_composites.tsv).
func TestHeldComposites(t *testing.T) {
	var b strings.Builder
	b.WriteString("OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n")
	for i, of := range compositeTypes {
		fmt.Fprintf(&b, "%%%s = %s\n", of.name, of.decl)
		if of.name == "u" {
			b.WriteString("%n1 = OpConstant %u 1\n%n2 = OpConstant %u 2\n%n3 = OpConstant %u 3\n")
		}
		fmt.Fprintf(&b, "%%x%s = OpConstantNull %%%s\n%%p%d = OpTypePointer Function %%%s\n", of.name, of.name, i, of.name)
	}
	b.WriteString("%main = OpFunction %void None %fn\n%l = OpLabel\n")
	for i := range compositeTypes {
		fmt.Fprintf(&b, "%%o%d = OpVariable %%p%d Function\n", i, i)
	}
	begin := b.String()
	rows := map[string]string{}
	hold := func(name string, texts []string) {
		var sum gputest.Digest
		compiled := 0
		for _, text := range texts {
			if translated(begin+text+"OpReturn\nOpFunctionEnd\n", &sum) {
				compiled++
			}
		}
		rows[name] = fmt.Sprintf("%d\t%d\t%016x", len(texts), compiled, uint64(sum))
	}
	parts := shortLists([]string{" %xf", " %xv2", " %xs2", " %xm2", " %xas"}, 3)
	indices := shortLists([]string{" 0", " 1", " 2", " 7"}, 3)
	for i, of := range compositeTypes {
		store := fmt.Sprintf("\nOpStore %%o%d %%r\n", i)
		var made, taken, changed []string
		for _, list := range parts {
			made = append(made, fmt.Sprintf("%%r = OpCompositeConstruct %%%s%s%s", of.name, list, store))
		}
		made = append(made, fmt.Sprintf("%%r = OpCompositeConstruct %%%s %%xm2 %%xas %%xu%s", of.name, store), fmt.Sprintf("%%r = OpCompositeConstruct %%%s %%xf %%xf %%xf %%xf%s", of.name, store))
		for _, list := range indices {
			for k, part := range []string{"f", "v2", "s2", "u"} {
				at := map[string]int{"f": 0, "v2": 2, "s2": 8, "u": 1}[part]
				taken = append(taken, fmt.Sprintf("%%r = OpCompositeExtract %%%s %%x%s%s\nOpStore %%o%d %%r\n", part, of.name, list, at))
				if k < 3 {
					changed = append(changed, fmt.Sprintf("%%r = OpCompositeInsert %%%s %%x%s %%x%s%s%s", of.name, part, of.name, list, store))
				}
			}
		}
		hold(of.name+" made", made)
		hold(of.name+" taken apart", taken)
		hold(of.name+" changed", changed)
	}
	gputest.HoldTable(t, "held_composites.tsv", rows)
}

// shortLists are all lists of up to n words, each as one text.
func shortLists(words []string, n int) []string {
	all, last := []string{""}, []string{""}
	for range n {
		var next []string
		for _, list := range last {
			for _, w := range words {
				next = append(next, list+w)
			}
		}
		all, last = append(all, next...), next
	}
	return all
}
