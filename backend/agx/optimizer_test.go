package agx

import (
	"strings"
	"testing"

	"nirc/backend/mach"
)

// TestOptimizer gives the optimizer machine code and looks at what is left.
func TestOptimizer(t *testing.T) {
	const head = "func f target agx\nblock 0\n  v1:full@10!fixed, v2:full@12!fixed, v3:half@14!fixed = inputs\n"
	for _, c := range []struct {
		name, code string
		want       []string // in the code
		not        []string
	}{
		{"saturation goes to the producer", `
  v4:full = fmul32 v1, v2 {fmul32 r0, r0, r0}
  v5:full = fadd32 v4 {fadd32.sat r0, r0, -0.0}
  end v5`, []string{"v5:full = fmul32", "fmul32.sat"}, []string{"fadd32"}},
		{"so does the conversion to 16 bits", `
  v4:full = fmul32 v1, v2 {fmul32 r0, r0, r0}
  v5:half = fadd32 v4 {fadd32 r0l, r0, -0.0}
  end v5`, []string{"v5:half = fmul32", "fmul32 r0l, r0, r0"}, []string{"fadd32"}},
		{"both, one after the other", `
  v4:full = fmul32 v1, v2 {fmul32 r0, r0, r0}
  v5:full = fadd32 v4 {fadd32.sat r0, r0, -0.0}
  v6:half = fadd32 v5 {fadd32 r0l, r0, -0.0}
  end v6`, []string{"v6:half = fmul32", "fmul32.sat r0l"}, []string{"fadd32"}},
		{"not where the value has other uses", `
  v4:full = fmul32 v1, v2 {fmul32 r0, r0, r0}
  v5:full = fadd32 v4 {fadd32.sat r0, r0, -0.0}
  end v4, v5`, []string{"fadd32.sat"}, []string{"fmul32.sat"}},
		{"not into what rounds otherwise", `
  v4:full = convert v1 {convert u32_to_f, r0, r0, rte}
  v5:half = fadd32 v4 {fadd32 r0l, r0, -0.0}
  end v5`, []string{"fadd32 r0l"}, nil},
		{"integers do not saturate so", `
  v4:full = iadd v1, v2 {iadd r0, r0, r0}
  v5:full = fadd32 v4 {fadd32.sat r0, r0, -0.0}
  end v5`, []string{"fadd32.sat"}, nil},
		{"modifiers and widening go to all users", `
  v4:full = fadd32 v3 {fadd32 r0, r0l.neg, -0.0}
  v5:full = fmul32 v4, v1 {fmul32 r0, r0, r0}
  v6:full = fadd32 v4, v1 {fadd32 r0, r0.neg, r0}
  v7:full = fadd32 v4, v1 {fadd32 r0, r0.abs, r0}
  end v5, v6, v7`, []string{"fmul32 r0, r0l.neg, r0", "fadd32 r0, r0l, r0", "fadd32 r0, r0l.abs, r0"}, []string{"v4"}},
		{"or to none", `
  v4:full = fadd32 v3 {fadd32 r0, r0l.neg, -0.0}
  v5:full = fmul32 v4, v1 {fmul32 r0, r0, r0}
  end v4, v5`, []string{"v4:full", "fmul32 r0, r0, r0"}, nil},
		{"uniforms are read where they are wanted", `
  v4:full = bitop {mov r0, u4}
  v5:full = fmul32 v4, v1 {fmul32 r0, r0, r0}
  end v5`, []string{"fmul32 r0, u4, r0"}, []string{"v4"}},
		{"zeros extend integers for nothing", `
  v4:full = bitop v3 {mov r0, r0l}
  v5:full = iadd v1, v4 {iadd r0, r0, r0}
  v6:full = bitop v4, v2 {and r0, r0, r0}
  end v5, v6`, []string{"iadd r0, r0, r0l", "and r0, r0l, r0"}, []string{"v4"}},
		{"but no floats", `
  v4:full = bitop v3 {mov r0, r0l}
  v5:full = fmul32 v1, v4 {fmul32 r0, r0, r0}
  end v5`, []string{"v4:full", "fmul32 r0, r0, r0"}, nil},
		{"signs extend in additions", `
  v4:full = iadd v3 {iadd r0, r0l.sx, 0}
  v5:full = iadd v1, v4 {iadd r0, r0, r0}
  end v5`, []string{"iadd r0, r0, r0l.sx"}, []string{"v4"}},
		{"inverted bits are another table", `
  v4:full = bitop v1 {not r0, r0}
  v5:full = bitop v2, v4 {and r0, r0, r0}
  end v5`, []string{"bitop 0100, r0, r0, r0"}, []string{"v4"}},
		{"a select does the comparison that it asks for", `
  v4:half = fcmpsel v1, v2 {fcmpsel lt, r0l, r0, r0, 0, 1}
  v5:full = icmpsel v4, v1, v2 {icmpsel ueq, r0, r0l, 0, r0, r0}
  end v5`, []string{"v5:full = fcmpsel v1, v2, v1, v2", "fcmpsel lt, r0, r0, r0, r0, r0"}, []string{"v4"}},
		{"or the other one", `
  v4:half = fcmpsel v1, v2 {fcmpsel lt, r0l, r0, r0, 1, 0}
  v5:full = icmpsel v4, v1, v2 {icmpsel ueq, r0, r0l, 0, r0, r0}
  end v5`, []string{"v5:full = fcmpsel v1, v2, v2, v1"}, []string{"v4"}},
		{"and an if", `
  v4:half = icmpsel v1, v2 {icmpsel ult, r0l, r0, r0, 1, 0}
  if v4 {if_icmp r0l, nueq, r0l, 0, 1}`, []string{"if v1, v2 {if_icmp r0l, ult, r0, r0, 1}"}, []string{"v4"}},
		{"an and of conditions is a choice", `
  v4:half = icmpsel v1, v2 {icmpsel ult, r0l, r0, r0, 1, 0}
  v5:half = fcmpsel v1, v2 {fcmpsel lt, r0l, r0, r0, 1, 0}
  v6:half = bitop v4, v5 {and r0l, r0l, r0l}
  end v6`, []string{"v6:half = icmpsel v1, v2, v5", "icmpsel ult, r0l, r0, r0, r0l, 0"}, []string{"v4", "bitop"}},
		{"so is an or, of the inverse too", `
  v4:half = icmpsel v1, v2 {icmpsel ult, r0l, r0, r0, 0, 1}
  v5:half = fcmpsel v1, v2 {fcmpsel lt, r0l, r0, r0, 1, 0}
  v6:half = bitop v5, v4 {or r0l, r0l, r0l}
  end v5, v6`, []string{"v6:half = icmpsel v1, v2, v5", "icmpsel ult, r0l, r0, r0, r0l, 1"}, []string{"v4", "bitop"}},
		{"and an and with the inverse", `
  v4:half = icmpsel v1, v2 {icmpsel ult, r0l, r0, r0, 1, 0}
  v5:half = fcmpsel v1, v2 {fcmpsel lt, r0l, r0, r0, 1, 0}
  v6:half = bitop v5, v4 {bitop 0100, r0l, r0l, r0l}
  end v5, v6`, []string{"v6:half = icmpsel v1, v2, v5", "icmpsel ult, r0l, r0, r0, 0, r0l"}, []string{"v4", "bitop"}},
		{"no exclusive or", `
  v4:half = icmpsel v1, v2 {icmpsel ult, r0l, r0, r0, 1, 0}
  v5:half = fcmpsel v1, v2 {fcmpsel lt, r0l, r0, r0, 1, 0}
  v6:half = bitop v4, v5 {xor r0l, r0l, r0l}
  end v6`, []string{"v4:half", "v5:half", "xor"}, nil},
		{"nor what may be more than a condition", `
  v4:half = icmpsel v1, v2 {icmpsel ult, r0l, r0, r0, 1, 0}
  v6:half = bitop v4, v3 {and r0l, r0l, r0l}
  end v6`, []string{"v4:half", "and"}, nil},
	} {
		f, err := mach.Parse(head+strings.TrimPrefix(c.code, "\n")+"\n", newISA())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		optimize(f)
		removeDead(f)
		text := f.String()
		if err := validate(f, "optimizer"); err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, text)
		}
		for _, w := range c.want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in\n%s", c.name, w, text)
			}
		}
		for _, w := range c.not {
			if strings.Contains(text, w) {
				t.Errorf("%s: %q in\n%s", c.name, w, text)
			}
		}
	}
}
