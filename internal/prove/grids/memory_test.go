package grids

import (
	"strings"
	"testing"

	"nirc"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// accessedTwice loads a word twice and stores another twice, in one of which a pass could do.
const accessedTwice = `#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) QUALIFIER buffer B { uint a, b; };
void main() { uint x = a; x += a; b = x; b = x + 1u; }`

// TestVolatileAccesses: each volatile access stays one, on each target, and what is coherent stays so.
func TestVolatileAccesses(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	for _, c := range []struct {
		qualifier, access string
		least, most       int // accesses that are left of each kind
	}{{"volatile", "volatile", 2, 2}, {"coherent", "coherent", 1, 2}, {"", "", 1, 1}} {
		m := prove.FromGLSL(t, ir.StageCompute, strings.Replace(accessedTwice, "QUALIFIER", c.qualifier, 1))
		for _, target := range []string{"ir3", "agx", "midgard"} {
			u, err := nirc.New(nirc.Options{Target: target, Level: passes.O2})
			if err != nil {
				t.Fatal(err)
			}
			if err := u.Translate(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			if err := u.Optimize(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, op := range []string{" load_ssbo ", "store_ssbo "} {
				n := 0
				for _, line := range strings.Split(ir.Print(u.Shader), "\n") {
					if !strings.Contains(line, op) {
						continue
					}
					n++
					if !strings.Contains(line, c.access) {
						t.Errorf("%s, %q: %s", target, c.qualifier, line)
					}
				}
				if n < c.least || n > c.most {
					t.Errorf("%s, %q: %d times%s", target, c.qualifier, n, op)
				}
			}
		}
	}
}
