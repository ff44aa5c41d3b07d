package passes

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"testing"

	"nirc/ir"
)

// progGen builds random compute shaders with variables, nested ifs and loops
// that end, early exits and calls.
type progGen struct {
	r     *rand.Rand
	s     *ir.Shader
	b     *ir.Builder
	vars  []*ir.Variable // scalars
	arr   *ir.Variable   // u32[4]
	vec   *ir.Variable   // vec4
	vals  []*ir.Def
	loops int
	left  int
	conts bool // loops may have continue lists
	inFn  bool
}

func (g *progGen) val() *ir.Def {
	switch n := g.r.Intn(8); {
	case n < 4 && len(g.vals) > 0:
		return g.vals[g.r.Intn(len(g.vals))]
	case n == 4:
		return g.b.Imm32(uint32(g.r.Intn(7)))
	case n == 5:
		return g.b.Channel(g.b.LoadVar(g.vec), g.r.Intn(4))
	case n == 6:
		return g.b.LoadDeref(g.elem(), 0)
	}
	return g.b.LoadVar(g.vars[g.r.Intn(len(g.vars))])
}

func (g *progGen) elem() *ir.Def {
	d := g.b.DerefVar(g.arr)
	if g.r.Intn(3) == 0 && !g.inFn {
		return g.b.DerefArray(d, g.b.Iand(g.b.LoadVar(g.vars[0]), g.b.Imm32(3)))
	}
	return g.b.DerefArrayImm(d, g.r.Intn(4))
}

func (g *progGen) expr() *ir.Def {
	x, y := g.val(), g.val()
	b := g.b
	switch g.r.Intn(9) {
	case 0:
		return b.Iadd(x, y)
	case 1:
		return b.Imul(x, y)
	case 2:
		return b.Ixor(x, y)
	case 3:
		return b.Isub(x, y)
	case 4:
		return b.Bcsel(g.cond(), x, y)
	case 5:
		v := b.Vec(x, y, b.Imm32(3), x)
		return b.Channel(b.Iadd(b.Swizzle(v, 1, 0), v), 1)
	case 6:
		return b.Umin(x, y)
	}
	return b.Iadd(x, b.Imm32(1))
}

func (g *progGen) cond() *ir.Def {
	x, y := g.val(), g.val()
	if g.r.Intn(8) == 0 {
		return g.b.ImmBool(g.r.Intn(2) == 0)
	}
	if g.r.Intn(2) == 0 {
		return g.b.Ult(x, y)
	}
	return g.b.Ieq(g.b.Iand(x, g.b.Imm32(1)), g.b.Imm32(0))
}

func (g *progGen) store() {
	switch g.r.Intn(4) {
	case 0:
		g.b.StoreDeref(g.elem(), g.expr(), 0, 0)
	case 1:
		g.b.StoreVar(g.vec, g.b.Swizzle(g.expr(), 0, 0, 0, 0), uint16(1+g.r.Intn(15)))
	default:
		g.b.StoreVar(g.vars[g.r.Intn(len(g.vars))], g.expr(), 0)
	}
}

// block generates statements; it reports whether it ended in a jump.
func (g *progGen) block(depth int, mayJump bool) bool {
	mark := len(g.vals)
	defer func() { g.vals = g.vals[:mark] }()
	for n := 2 + g.r.Intn(5); n > 0 && g.left > 0; n-- {
		g.left--
		switch k := g.r.Intn(10); {
		case k < 2:
			g.store()
		case k < 4:
			g.vals = append(g.vals, g.expr())
		case k < 8 && depth > 0:
			g.ifStmt(depth - 1)
		case depth > 0 && g.loops < 3:
			g.loop(depth - 1)
		default:
			g.store()
		}
	}
	if !mayJump || g.r.Intn(2) != 0 {
		return false
	}
	switch {
	case g.loops > 0 && g.r.Intn(3) > 0:
		kind := ir.JumpBreak
		if g.r.Intn(2) == 0 {
			kind = ir.JumpContinue
		}
		g.b.Jump(kind)
	case g.r.Intn(2) == 0:
		g.b.Jump(ir.JumpReturn)
	default:
		return false
	}
	return true
}

func (g *progGen) ifStmt(depth int) {
	i := g.b.PushIf(g.cond())
	jumped := g.block(depth, true)
	t := ir.BeforeJump(i.Then.LastBlock())
	g.b.PushElse(i)
	other := g.block(depth, !jumped)
	e := ir.BeforeJump(i.Else.LastBlock())
	g.b.PopIf(i)
	if !jumped && !other && g.r.Intn(2) == 0 {
		x := ir.NewBuilder(t).Imm32(uint32(g.r.Intn(9)))
		y := ir.NewBuilder(e).LoadVar(g.vars[0])
		g.b.Cursor = ir.AtEnd(i.After())
		g.vals = append(g.vals, g.b.IfPhi(i, x, y))
		g.b.PopIf(i)
	}
}

func (g *progGen) loop(depth int) {
	ctr := g.b.Impl.NewLocal(ir.ScalarType(ir.BaseUint, 32), "i")
	g.b.StoreVar(ctr, g.b.Imm32(0), 0)
	l := g.b.PushLoop()
	if g.conts && g.r.Intn(2) == 0 {
		c := l.AddContinue()
		cb := ir.NewBuilder(ir.AtEnd(c))
		cb.StoreVar(g.vars[1], cb.Iadd(cb.LoadVar(g.vars[1]), cb.Imm32(5)), 0)
	}
	i := g.b.LoadVar(ctr)
	g.b.StoreVar(ctr, g.b.Iadd(i, g.b.Imm32(1)), 0)
	x := g.b.PushIf(g.b.Uge(i, g.b.Imm32(uint32(1+g.r.Intn(3)))))
	g.b.Jump(ir.JumpBreak)
	g.b.PopIf(x)
	g.loops++
	g.block(depth, false)
	g.loops--
	g.b.PopLoop(l)
}

// init makes the function's variables with known contents.
func (g *progGen) init(impl *ir.Impl, seed *ir.Def) {
	u := ir.ScalarType(ir.BaseUint, 32)
	g.vars = nil
	for i := 0; i < 3; i++ {
		v := impl.NewLocal(u, fmt.Sprint("v", i))
		g.b.StoreVar(v, g.b.Iadd(seed, g.b.Imm32(uint32(i))), 0)
		g.vars = append(g.vars, v)
	}
	g.arr = impl.NewLocal(ir.ArrayType(u, 4, 0), "a")
	for i := 0; i < 4; i++ {
		g.b.StoreDeref(g.b.DerefArrayImm(g.b.DerefVar(g.arr), i), g.b.Imm32(uint32(i)), 0, 0)
	}
	g.vec = impl.NewLocal(ir.VectorType(ir.BaseUint, 32, 4), "v")
	g.b.StoreVar(g.vec, g.b.Swizzle(seed, 0, 0, 0, 0), 0)
	g.vals = []*ir.Def{seed}
}

// randomShader builds a shader of roughly size statements.
func randomShader(seed int64, size int, conts bool) *ir.Shader {
	g := &progGen{r: rand.New(rand.NewSource(seed)), left: size, conts: conts}
	g.s = ir.NewShader(ir.StageCompute, nil)
	g.s.Name = "main"
	g.s.Info.WorkgroupSize = [3]uint32{1, 1, 1}
	u := ir.ScalarType(ir.BaseUint, 32)
	fn := g.s.NewFunction("f")
	fn.Params = []ir.Param{{NumComponents: 1, BitSize: 32, IsReturn: true, Type: u, Modes: ir.ModeFunctionTemp}, {NumComponents: 1, BitSize: 32}}
	g.b = ir.NewBuilder(ir.AtEnd(fn.Impl.Start()))
	ret := g.b.DerefCast(&g.b.Intrinsic(ir.IntrLoadParam, 1, 32).Def, ir.ModeFunctionTemp, u, 0)
	arg := &g.b.Intrinsic(ir.IntrLoadParam, 1, 32).Set(ir.IdxParamIdx, 1).Def
	g.init(fn.Impl, arg)
	g.b.StoreDeref(ret, arg, 0, 0)
	g.block(2, false)
	g.b.StoreDeref(ret, g.b.LoadVar(g.vars[1]), 0, 0)

	main := g.s.NewFunction("main")
	main.IsEntry = true
	// A body of its own, so that an early return still stores the results.
	body := g.s.NewFunction("body")
	body.Params = []ir.Param{{NumComponents: 1, BitSize: 32}}
	g.b = ir.NewBuilder(ir.AtEnd(body.Impl.Start()))
	arg = &g.b.Intrinsic(ir.IntrLoadParam, 1, 32).Def
	g.init(body.Impl, arg)
	res := body.Impl.NewLocal(u, "res")
	g.b.Insert(g.s.NewCall(fn, g.b.DerefVar(res), arg))
	g.vals = append(g.vals, g.b.LoadVar(res))
	for i := 0; i < 3; i++ {
		g.block(5, false)
		g.out(arg, i)
	}
	g.b = ir.NewBuilder(ir.AtEnd(main.Impl.Start()))
	id := g.b.Channel(&g.b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0)
	g.b.Insert(g.s.NewCall(body, id))
	return g.s
}

// out stores all variables to part i of the group's memory.
func (g *progGen) out(group *ir.Def, i int) {
	b := g.b
	sum := b.Iadd(b.LoadVar(g.vars[0]), b.Imul(b.LoadVar(g.vars[1]), b.Imm32(3)))
	for k := 0; k < 4; k++ {
		sum = b.Iadd(b.Imul(sum, b.Imm32(5)), b.LoadDeref(b.DerefArrayImm(b.DerefVar(g.arr), k), 0))
	}
	v := b.Iadd(b.LoadVar(g.vec), b.Swizzle(sum, 0, 0, 0, 0))
	off := b.Iadd(b.Imul(group, b.Imm32(256)), b.Imm32(uint32(i*16)))
	b.Intrinsic(ir.IntrStoreSsbo, 0, 0, v, b.Imm32(0), off).Set(ir.IdxWriteMask, 15).Set(ir.IdxAlignMul, 4)
}

const frontPasses = "lower_continue_constructs,lower_returns,inline_functions,remove_non_entrypoints,opt_deref"

// randomPipelines are run on random shaders, with the results compared.
var randomPipelines = []string{
	"lower_continue_constructs",
	"lower_returns",
	frontPasses,
	frontPasses + ",opt_dead_cf,opt_loop,opt_trivial_continues,opt_copy_prop_vars,opt_dead_write_vars,opt_dce",
	frontPasses + ",lower_vars_to_ssa,opt_copy_prop,opt_dce,opt_cse,opt_remove_phis,opt_dead_cf",
	frontPasses + ",lower_indirect_derefs(modes=function_temp),lower_vars_to_ssa,loop(opt_copy_prop,opt_remove_phis,opt_dce,opt_dead_cf,opt_cse,opt_if,opt_loop,opt_undef,opt_peephole_select(limit=8)),remove_dead_variables",
	frontPasses + ",lower_vars_to_ssa,lower_vars_to_scratch(threshold=4),opt_dce,lower_phis_to_scalar(all=true),opt_copy_prop,from_ssa,opt_dce,lower_vec_to_regs,opt_dce",
	frontPasses + ",lower_vars_to_ssa,opt_dce,from_ssa,lower_regs_to_ssa,opt_dce",
	frontPasses + ",lower_vars_to_ssa,loop(opt_copy_prop,opt_remove_phis,opt_dce,opt_dead_cf,opt_loop,opt_constant_folding,opt_loop_unroll,lower_vars_to_ssa)",
	frontPasses + ",lower_vars_to_ssa,opt_loop_unroll(force=true),opt_dce",
	frontPasses + ",lower_vars_to_ssa,opt_copy_prop,opt_remove_phis,opt_dce,opt_dead_cf,opt_loop,opt_trivial_continues,opt_loop_unroll(max_iterations=1,max_partial=3,partial_cost=1000,bounded=true),opt_dead_cf,opt_remove_phis,opt_dce",
	frontPasses + ",lower_vars_to_ssa,opt_copy_prop,opt_constant_folding,opt_dce,opt_dead_cf,opt_loop,opt_loop_unroll(bounded=true,max_partial=2),loop(opt_dead_cf,opt_constant_folding,opt_remove_phis,opt_dce)",
	frontPasses + ",lower_vars_to_ssa,to_lcssa,opt_copy_prop,opt_dce,from_ssa",
	frontPasses + ",lower_vars_to_ssa,opt_copy_prop,opt_dce,opt_const_components,opt_constant_folding,opt_shrink_vectors,opt_copy_prop,opt_dce,opt_shrink_vectors,opt_load_store_vectorize,opt_dce",
	frontPasses + ",lower_vars_to_ssa,opt_copy_prop,opt_gcm,opt_cse,opt_dce,opt_gcm,opt_sink(alu=true,copies=true,compares=true),opt_move(alu=true,copies=true)",
	frontPasses + ",lower_indirect_derefs(modes=function_temp),lower_vars_to_ssa,opt_if,opt_peephole_select,lower_alu_to_scalar,opt_algebraic_late,lower_bool_to_int32,opt_dce,from_ssa",
	frontPasses + ",opt_combine_stores,opt_find_array_copies,opt_copy_prop_vars,lower_var_copies,lower_vars_to_ssa,opt_copy_prop,opt_dce,opt_reassociate(float=true,uniform_const=true),opt_cse,opt_reassociate,opt_dce",
	frontPasses + ",opt_find_array_copies,split_var_copies,lower_var_copies,lower_vars_to_ssa,opt_copy_prop,opt_dce,opt_group_loads,opt_vectorize,opt_copy_prop,opt_dce,schedule(threshold=4),opt_vectorize(width=2),opt_rematerialize_compares",
	frontPasses + ",lower_vars_to_ssa,opt_copy_prop,opt_dce,schedule,lower_alu_to_scalar,opt_copy_prop,opt_dce,opt_reassociate,opt_vectorize,opt_comparison_pre,opt_phi_precision,opt_offsets,schedule(threshold=1),opt_load_store_update_alignments",
	frontPasses + ",lower_indirect_derefs(modes=function_temp),lower_vars_to_ssa,opt_if,opt_copy_prop,lower_bool_to_bitsize,opt_dce,move_vec_src_uses_to_dest,from_ssa",
	frontPasses + ",lower_indirect_derefs(modes=function_temp),lower_vars_to_ssa,opt_if,opt_peephole_select,lower_alu_to_scalar,opt_dce,lower_bool_to_float,opt_copy_prop,opt_dce",
	frontPasses + ",lower_vars_to_ssa,lower_io_to_scalar(modes=mem_ssbo),opt_copy_prop,lower_memory_model,lower_amul,lower_convert_alu_types,opt_dce",
	frontPasses + ",opt_if,opt_peephole_select,rematerialize_derefs_in_use_blocks,split_array_vars,lower_locals_to_regs,lower_regs_to_ssa,opt_dce",
}

// TestRandomPrograms runs pass lists over random shaders. The environment
// variable NIRC_RANDOM_SEEDS=FIRST,COUNT chooses others than the usual ones.
func TestRandomPrograms(t *testing.T) {
	first, n := int64(1), int64(8)
	if v := os.Getenv("NIRC_RANDOM_SEEDS"); v != "" {
		if _, err := fmt.Sscanf(v, "%d,%d", &first, &n); err != nil {
			t.Fatalf("NIRC_RANDOM_SEEDS: want FIRST,COUNT: %v", err)
		}
	}
	for seed := first; seed < first+n; seed++ {
		base := randomShader(seed, 120, seed%2 == 0)
		if err := ir.Validate(base); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(base))
		}
		want, err := execute(base)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, list := range randomPipelines {
			s := ir.Clone(base)
			p, err := ParsePassList(list)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
				t.Fatalf("seed %d: %s: %v\n%s", seed, list, err, ir.Print(s))
			}
			got, err := execute(s)
			if err != nil {
				t.Fatalf("seed %d: %s: %v\n%s", seed, list, err, ir.Print(s))
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("seed %d: %s: results differ: %s", seed, list, firstBad(t, base, list, want))
			}
		}
	}
}

// firstBad names the first pass run after which the results differ.
func firstBad(t *testing.T, base *ir.Shader, list string, want []byte) string {
	p, _ := ParsePassList(list)
	last := ir.Print(base)
	s := ir.Clone(base)
	bad := ""
	opt := RunOptions{DumpAfter: []string{"all"}}
	opt.Dump = func(title, text string) {
		if got, err := execute(s); bad == "" && (err != nil || !bytes.Equal(got, want)) {
			bad = fmt.Sprintf("%s\nbefore:\n%s\nafter:\n%s", title, last, text)
		}
		last = text
	}
	if err := p.Run(s, opt); err != nil {
		t.Fatal(err)
	}
	return bad
}
