package passes

import (
	"fmt"
	"testing"

	"nirc/ir"
)

// bigShader chains n ifs over some variables: about 30 instructions each.
func bigShader(n int) *ir.Shader {
	s := ir.NewShader(ir.StageCompute, nil)
	f := s.NewFunction("main")
	f.IsEntry = true
	s.Info.WorkgroupSize = [3]uint32{1, 1, 1}
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	u := ir.ScalarType(ir.BaseUint, 32)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0)
	var vars []*ir.Variable
	for i := 0; i < 32; i++ {
		v := f.Impl.NewLocal(u, "v")
		b.StoreVar(v, b.Iadd(id, b.Imm32(uint32(i))), 0)
		vars = append(vars, v)
	}
	at := func(i int) *ir.Variable { return vars[i%len(vars)] }
	for i := 0; i < n; i++ {
		x := b.PushIf(b.Ult(b.LoadVar(at(i)), b.LoadVar(at(i*7+3))))
		sum := b.LoadVar(at(i * 3))
		for k := 0; k < 5; k++ {
			sum = b.Iadd(b.Imul(sum, b.Imm32(uint32(k+i))), b.LoadVar(at(i+k)))
		}
		b.StoreVar(at(i+1), sum, 0)
		b.PushElse(x)
		b.StoreVar(at(i+2), b.Ixor(id, b.LoadVar(at(i*5))), 0)
		b.PopIf(x)
	}
	for i, v := range vars {
		b.Intrinsic(ir.IntrStoreSsbo, 0, 0, b.LoadVar(v), b.Imm32(0), b.Imm32(uint32(4*i))).Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 4)
	}
	return s
}

func countInstrs(s *ir.Shader) (n int) {
	for b := range s.Entry().Impl.Blocks() {
		for range b.Instrs() {
			n++
		}
	}
	return n
}

// benchPasses are timed one after the other on the same shader.
const benchPasses = "lower_vars_to_ssa,opt_copy_prop,opt_dce,opt_cse,opt_remove_phis,opt_dead_cf,opt_if,opt_loop,opt_undef,opt_peephole_select(limit=0),lower_phis_to_scalar(all=true),from_ssa,opt_dce"

// benchVarPasses are timed before variables become values.
const benchVarPasses = "opt_copy_prop_vars,opt_dead_write_vars,opt_deref,remove_dead_variables,rematerialize_derefs_in_use_blocks"

// BenchmarkPasses reports each pass's ns/instr on shaders of two sizes; a pass
// that is near linear has the same in both.
func BenchmarkPasses(b *testing.B) {
	for _, n := range []int{200, 1600} {
		for _, list := range []string{benchPasses, benchVarPasses} {
			b.Run(fmt.Sprint(n), func(b *testing.B) { benchList(b, n, list) })
		}
	}
}

func benchList(b *testing.B, n int, list string) {
	p, err := ParsePassList(list)
	if err != nil {
		b.Fatal(err)
	}
	var times Times
	instrs := 0
	for b.Loop() {
		s := bigShader(n)
		instrs += countInstrs(s)
		if err := p.Run(s, RunOptions{Times: &times}); err != nil {
			b.Fatal(err)
		}
	}
	for _, t := range times.Steps {
		b.ReportMetric(float64(t.Time.Nanoseconds())/float64(instrs), t.Name+"-ns/instr")
	}
}
