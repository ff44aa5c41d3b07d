package ir

import (
	"reflect"
	"strings"
	"testing"
)

// TestBuilderOps: the builder's method of an operation makes that operation, of its operands in their order.
func TestBuilderOps(t *testing.T) {
	fold := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
	byName := map[string]Op{}
	for op := Op(1); int(op) < NumOps; op++ {
		byName[fold(op.Info().Name)] = op
	}
	b := NewBuilder(AtEnd(NewShader(StageCompute, nil).NewFunction("main").Impl.Start()))
	methods := reflect.TypeOf(b)
	found := 0
	for i := range methods.NumMethod() {
		m := methods.Method(i)
		op, ok := byName[fold(m.Name)]
		if !ok || m.Type.NumIn() < 2 || m.Type.NumOut() != 1 {
			continue
		}
		found++
		args := []reflect.Value{reflect.ValueOf(b)}
		for _, in := range op.Info().In {
			args = append(args, reflect.ValueOf(b.Undef(max(in.Comps, 1), max(uint8(in.Bits), 1))))
		}
		in := m.Func.Call(args)[0].Interface().(*Def).Instr
		if !in.IsALU(op) || len(in.Srcs) != len(op.Info().In) {
			t.Errorf("%s makes %s", m.Name, PrintInstr(in))
			continue
		}
		for k := range in.Srcs {
			if in.Srcs[k].Def != args[k+1].Interface().(*Def) {
				t.Errorf("%s: source %d is another operand", m.Name, k)
			}
		}
	}
	if found < NumOps-20 {
		t.Errorf("of %d operations %d have a method", NumOps, found)
	}
}
