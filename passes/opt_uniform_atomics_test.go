package passes

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// atomicShader runs workgroups of 10 lanes, of which the odd ones do an
// atomic on one word and keep what it gave.
//
//go:embed testdata/ir/atomic_shader.nir
var atomicShader string

// TestUniformAtomics: the memory and each lane's result are those of one
// atomic a lane, with fewer done.
func TestUniformAtomics(t *testing.T) {
	for _, op := range []string{"iadd", "imin", "umin", "imax", "umax", "iand", "ior", "ixor", "fmin", "fmax"} {
		s, err := ir.Parse(fmt.Sprintf(atomicShader, op))
		if err != nil {
			t.Fatal(err)
		}
		want, err := execute(s)
		if err != nil {
			t.Fatal(err)
		}
		p, err := ParsePassList("opt_uniform_atomics,opt_cse,opt_dce")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
			t.Fatalf("%s: %v", op, err)
		}
		text := ir.Print(s)
		if !strings.Contains(text, "elect") || strings.Count(text, "ssbo_atomic") != 1 {
			t.Errorf("%s: not reduced:\n%s", op, text)
		}
		got, err := execute(s)
		if err != nil {
			t.Fatalf("%s: %v\n%s", op, err, text)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: results differ\n%x\n%x\n%s", op, want, got, text)
		}
	}
}

// wholeSubgroups is a shader whose lanes all do an atomic, together or not, and keep what it gave.
//
//go:embed testdata/ir/whole_subgroups.nir
var wholeSubgroups string

// TestUniformAtomicsJoined: lanes read lane 0 where the whole subgroup is there together, else they share by a reduction, or read the first lane:
// where conditions differ from lane to lane, or after lanes may have ended. The memory and each lane's result are those of one atomic a lane.
func TestUniformAtomicsJoined(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		whole               bool
	}{
		{"all", "", "", true},
		{"under what is the same", "if %20 {\n b1:\n", "} else {\n b2:\n }\n b3:\n", true},
		{"under what differs", "if %21 {\n b1:\n", "} else {\n b2:\n }\n b3:\n", false},
		{"lane 0 left", "if %22 {\n b1:\n return\n } else {\n b2:\n }\n b3:\n", "", false},
		{"rounds of the same number", "loop {\n b1:\n", "if %20 {\n b2:\n break\n } else {\n b3:\n }\n b4:\n }\n b5:\n", true},
		{"a round of some", "loop {\n b1:\n if %22 {\n b2:\n break\n } else {\n b3:\n }\n b4:\n", "break\n }\n b5:\n", false},
		{"after rounds of some", "loop {\n b1:\n if %22 {\n b2:\n break\n } else {\n b3:\n }\n b4:\n break\n }\n b5:\n", "", true},
	} {
		text := strings.NewReplacer("BEFORE", c.before, "AFTER", c.after).Replace(wholeSubgroups)
		joinsAtomics(t, c.name, text, "(join=true)", c.whole, "reduction_op=ior")
		joinsAtomics(t, c.name, text, "", c.whole, "read_first_invocation")
	}
}

// joinsAtomics demands that a shader's lanes get the result of an atomic of lane 0, if it is whole, or else by other.
func joinsAtomics(t *testing.T, name, text, options string, whole bool, other string) {
	t.Helper()
	s, err := ir.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	want, err := execute(s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	p, err := ParsePassList("opt_uniform_atomics" + options + ",opt_cse,opt_dce")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text = ir.Print(s)
	if strings.Contains(text, "read_invocation") != whole || strings.Contains(text, other) == whole {
		t.Errorf("%s: reads lane 0 %t:\n%s", name, !whole, text)
	}
	got, err := execute(s)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: results differ\n%x\n%x\n%s", name, want, got, text)
	}
}

// TestUniformAtomicsOneLane: what a single lane does as conditions tell is left alone.
func TestUniformAtomicsOneLane(t *testing.T) {
	const ids = `
      %1:32x3 = load_local_invocation_id
      %2:32x3 = load_global_invocation_id
      %3:32 = load_local_invocation_index
      %4:32 = load_const 0x20
      %5:32 = load_const 0x10
      %6:32 = load_const 0x0
      %7:32x3 = load_workgroup_id
      %8:32 = mov %7.x
      %9:32 = mov %1.x
      %10:32 = mov %1.y
      %11:32 = mov %2.x
      %12:1 = load_const false
      %13:1 = ieq %9, %6
      %14:1 = ieq %10, %6
      %17:32 = mov %4
      %15:32 = imul %10, %17
      %16:32 = imul %10, %5
`
	const plain = ids + "COND\n    if %30 {\n b1:\n %31:32 = shared_atomic %6, %4 atomic_op=iadd\n } else {\n b2:\n }\n b3:\n"
	const turned = ids + "COND\n    if %30 {\n b1:\n } else {\n b2:\n %31:32 = shared_atomic %6, %4 atomic_op=iadd\n }\n b3:\n"
	const phi = ids + "if %13 {\n b4:\n COND } else {\n b5:\n }\n b6:\n %30:1 = phi b4: %29, b5: %12\n" +
		" if %30 {\n b1:\n %31:32 = shared_atomic %6, %4 atomic_op=iadd\n } else {\n b2:\n }\n b3:\n"
	const late = ids + "loop {\n b4:\n %33:32 = phi b0: %6, b8: %34\n COND\n %34:32 = iadd %33, %4\n if %30 {\n b5:\n break\n } else {\n b6:\n }\n b8:\n }\n b9:\n" +
		" if %30 {\n b1:\n %31:32 = shared_atomic %6, %4 atomic_op=iadd\n } else {\n b2:\n }\n b3:\n"
	for _, c := range []struct {
		name, form, cond string
		one              bool
	}{
		{"the index", plain, "%30:1 = ieq %3, %8", true},
		{"the index in parts", plain, "%29:32 = iadd %9, %15\n %30:1 = ieq %29, %6", true},
		{"with what is uniform", plain, "%28:32 = iadd %8, %15\n %29:32 = iadd %9, %28\n %30:1 = ieq %29, %6", true},
		{"rows that overlap", plain, "%29:32 = iadd %9, %16\n %30:1 = ieq %29, %6", false},
		{"both dimensions", plain, "%30:1 = iand %13, %14", true},
		{"one of two", plain, "%30:1 = iand %13, %13", false},
		{"either", plain, "%30:1 = ior %13, %14", false},
		{"the global id", plain, "%29:1 = ieq %11, %4\n %30:1 = iand %29, %14", true},
		{"another lane's", plain, "%30:1 = ieq %9, %10", false},
		{"the other way", turned, "%30:1 = ine %3, %6", true},
		{"all others", turned, "%30:1 = ieq %3, %6", false},
		{"one after the other", phi, "%29:1 = ieq %10, %8\n", true},
		{"the first alone", phi, "%29:1 = ieq %9, %8\n", false},
		{"each in its own round", late, "%30:1 = ieq %3, %33\n", false},
	} {
		text := "shader compute \"main\" {\n info { workgroup_size=32,4,1 }\n shared_size = 4\n fn f0 \"main\" entry() {\n b0:" + strings.Replace(c.form, "COND", c.cond, 1) + "}\n}\n"
		for _, moves := range []bool{false, true} {
			s, err := ir.Parse(text)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if moves {
				moveSources(s.Entry().Impl)
			}
			p, err := ParsePassList("opt_uniform_atomics")
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if text := ir.Print(s); strings.Contains(text, "elect") == c.one {
				t.Errorf("%s: one lane %t:\n%s", c.name, c.one, text)
			}
		}
	}
}

// moveSources puts a move before each source of an operation and each condition: what is known of a value is known of its copies.
func moveSources(impl *ir.Impl) {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindALU && in.Op != ir.OpMov {
				for i := range in.Srcs {
					in.Srcs[i].Set(ir.NewBuilder(ir.Before(in)).Mov(in.Srcs[i].Def))
				}
			}
		}
		if x, ok := ir.Prev(b).(*ir.If); ok {
			x.Cond.Set(ir.NewBuilder(ir.AtEnd(ir.Prev(x).(*ir.Block))).Mov(x.Cond.Def))
		}
	}
}
