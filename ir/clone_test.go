package ir_test

import (
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"nirc/ir"
	"nirc/ir/irtest"
)

var variableName = regexp.MustCompile(`@\d+`)

// bodyText is a function's text without its head, its variables and blocks numbered as they come.
func bodyText(t *testing.T, s *ir.Shader, fn int) string {
	t.Helper()
	text := ir.Print(s)
	at := strings.Index(text, fmt.Sprintf("\n  fn f%d ", fn))
	if at < 0 {
		t.Fatalf("no function %d in\n%s", fn, text)
	}
	text = text[at+1:]
	text = text[strings.Index(text, "\n")+1:]
	text = text[:strings.Index(text, "\n  }")]
	seen := map[string]int{}
	return variableName.ReplaceAllStringFunc(text, func(name string) string {
		if _, ok := seen[name]; !ok {
			seen[name] = len(seen)
		}
		return fmt.Sprintf("@v%d", seen[name])
	})
}

// TestCopiedBody: the copy of a body in another function is that body, with variables of its own where it was told so.
func TestCopiedBody(t *testing.T) {
	for seed := range uint64(60) {
		s := irtest.Config{Seed: seed, Size: 150, Everything: seed%2 == 0}.Shader()
		from := s.Entry().Impl
		to := s.NewFunction("copy").Impl
		c := ir.NewCloner(from, to)
		mapped := map[*ir.Variable]*ir.Variable{}
		for _, v := range from.Locals {
			w := to.NewLocal(v.Type, v.Name)
			id := w.ID
			*w = *v
			w.ID = id
			mapped[v] = w
			c.MapVar(v, w)
		}
		c.List(&from.Body, ir.AtEnd(to.Start()))
		c.Finish()
		if err := ir.Validate(s); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got, want := bodyText(t, s, len(s.Functions)-1), bodyText(t, s, slices.Index(s.Functions, from.Fn)); got != want {
			a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
			k := 0
			for k < min(len(a), len(b))-1 && a[k] == b[k] {
				k++
			}
			t.Errorf("seed %d: line %d of the copy is\n%s\nwant\n%s", seed, k, a[k], b[k])
		}
		for b := range to.Blocks() {
			for in := range b.Instrs() {
				if in.Kind == ir.KindDeref && mapped[in.DerefInfo().Var] != nil {
					t.Errorf("seed %d: the copy goes on to use %s", seed, in.DerefInfo().Var.Name)
				}
			}
		}
	}
}

// TestClonerRelease: a cloner that was released leaves its memory to the next, and nothing that it copied.
func TestClonerRelease(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pool
	s := ir.NewShader(ir.StageCompute, nil)
	impl := s.NewFunction("main").Impl
	b := ir.NewBuilder(ir.AtEnd(impl.Start()))
	x, y := b.Imm32(1), b.Imm32(2)
	n := testing.AllocsPerRun(100, func() {
		c := ir.NewCloner(impl, impl)
		if c.Def(x) != x || c.Def(y) != y {
			t.Error("a new cloner knows copies")
		}
		c.Map(x, y)
		if c.Def(x) != y {
			t.Error("what was mapped is not known")
		}
		c.Release()
	})
	if n >= 1 {
		t.Errorf("%v allocations", n)
	}
}
