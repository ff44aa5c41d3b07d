package passes

import (
	"fmt"

	"nirc/ir"
)

var lowerShaderCallsPass = &Pass{
	Name: "lower_shader_calls", Class: "C", Run: lowerShaderCalls,
	Instead: "hardware: no target has shaders of rays; it stays for those that have",
	Doc: "Splits a shader of ray tracing where it calls others (trace_ray, execute_callable), for hardware whose shaders end at a call: values that live on are stored to " +
		"scratch memory, rt_trace_ray or rt_execute_callable says which function goes on (call_idx) and how much of the stack is in use, and the shader halts. For each call " +
		"a function is added that begins with rt_resume, loads what it needs and goes on after the call; into loops it finds its way by a flag. Constants, derefs and what " +
		"stays the same for a launch are computed again. Input: one function, phis and structured loops without continue lists; what are still variables and no vectors become shader_temp.",
	Options: []Option{{Name: "align", Doc: "alignment of the stack in bytes, a power of two", Default: 16}},
}

// callSplit splits the entry point of one shader.
type callSplit struct {
	s     *ir.Shader
	impl  *ir.Impl
	calls []*ir.Instr
	// frame are the variables that may live across a call, and where they lie in scratch memory.
	frame []frameVar
	at    map[*ir.Variable]int // in frame
	live  [][]bool             // by call: the variables that are read after it
	size  uint32               // of the stack
}

type frameVar struct {
	v      *ir.Variable
	offset uint32
	used   bool
}

func lowerShaderCalls(c *Context, s *ir.Shader) (bool, error) {
	f := s.Entry()
	if !ir.RayStages.Has(s.Stage) || f == nil || f.Impl == nil {
		return false, nil
	}
	align := c.Int("align")
	if align < 4 || align&(align-1) != 0 || align > 1<<12 {
		return false, fmt.Errorf("align=%d is no alignment of a stack", align)
	}
	x := &callSplit{s: s, impl: f.Impl, calls: shaderCalls(f.Impl), at: map[*ir.Variable]int{}}
	if len(x.calls) == 0 {
		return false, nil
	}
	if err := x.check(); err != nil {
		return false, err
	}
	x.ownVariables()
	x.phisToVariables()
	if err := x.demote(); err != nil {
		return false, err
	}
	x.liveness()
	x.place(uint32(align))
	parts := []*callPart{x.whole()}
	for k := range x.calls {
		parts = append(parts, x.resume(k))
	}
	for _, p := range parts {
		p.lowerCalls()
		p.impl.Preserve(ir.MetaNone)
	}
	return true, nil
}

// shaderCalls lists the calls of other shaders, in the order of the text.
func shaderCalls(impl *ir.Impl) []*ir.Instr {
	return collect(impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrTraceRay || in.Intr == ir.IntrExecuteCallable })
}

// check refuses what other passes have to do before.
func (x *callSplit) check() error {
	for in := range x.impl.Instrs() {
		switch {
		case in.Kind == ir.KindCall:
			return refusal(x.s, in, "a function call beside calls of shaders is not supported here: inline_functions must run before")
		case in.IsIntrinsic(ir.IntrDeclReg):
			return refusal(x.s, in, "registers beside calls of shaders are not supported here: lower_regs_to_ssa must run before")
		case in.HasDef() && in.Def.NumComponents > 4:
			return refusal(x.s, in, "a value of more than 4 components beside calls of shaders is not supported")
		}
	}
	for b := range x.impl.Blocks() {
		if l, ok := ir.Parent(b).(*ir.Loop); ok && !l.Continue.Empty() {
			return refusal(x.s, b.First(), "a loop with a continue list beside calls of shaders is not supported here: lower_continue_constructs must run before")
		}
	}
	return nil
}

// ownVariables sorts the local variables: vectors that are loaded and stored whole get places in the frame, others become
// variables of the shader, which lie in memory anyway.
func (x *callSplit) ownVariables() {
	complicated := map[*ir.Variable]bool{}
	for in := range x.impl.Instrs() {
		if in.Kind != ir.KindDeref || in.Deref != ir.DerefVar || in.DerefInfo().Modes != ir.ModeFunctionTemp {
			continue
		}
		v := in.DerefInfo().Var
		for u := in.Def.FirstUse(); u != nil; u = u.NextUse() {
			plain := u.Instr != nil && (u.Instr.IsIntrinsic(ir.IntrLoadDeref) || u.Instr.IsIntrinsic(ir.IntrStoreDeref) && u == &u.Instr.Srcs[0])
			if !plain || !isLeafType(v.Type) {
				complicated[v] = true
			}
		}
	}
	kept := x.impl.Locals[:0]
	for _, v := range x.impl.Locals {
		if complicated[v] || !isLeafType(v.Type) || v.Init != nil {
			v.Mode = ir.ModeShaderTemp
			x.s.Variables = append(x.s.Variables, v)
			continue
		}
		kept = append(kept, v)
		x.addFrame(v)
	}
	x.impl.Locals = kept
	fixModes(x.impl)
}

func (x *callSplit) addFrame(v *ir.Variable) {
	x.at[v] = len(x.frame)
	x.frame = append(x.frame, frameVar{v: v})
}

// newVar makes a variable of the frame for values like d.
func (x *callSplit) newVar(d *ir.Def, name string) *ir.Variable {
	base := ir.BaseUint
	if d.BitSize == 1 {
		base = ir.BaseBool
	}
	v := x.impl.NewLocal(ir.VectorType(base, d.BitSize, d.NumComponents), name)
	x.addFrame(v)
	return v
}

// phisToVariables gives each phi a variable, which the predecessors store to.
func (x *callSplit) phisToVariables() {
	var phis []*ir.Instr
	for in := range x.impl.Instrs() {
		if in.Kind == ir.KindPhi {
			phis = append(phis, in)
		}
	}
	for _, phi := range phis {
		v := x.newVar(&phi.Def, "phi")
		for i, pred := range phi.PhiInfo().Preds {
			ir.NewBuilder(ir.BeforeJump(pred)).StoreVar(v, phi.Srcs[i].Def, 0)
		}
		b := ir.NewBuilder(ir.AfterPhis(phi.Block))
		phi.Def.RewriteUses(b.LoadVar(v))
		phi.Remove()
	}
}

// place gives the variables that live across some call their places.
func (x *callSplit) place(align uint32) {
	for _, set := range x.live {
		for i, live := range set {
			x.frame[i].used = x.frame[i].used || live
		}
	}
	end := (x.s.ScratchSize + align - 1) &^ (align - 1)
	for i := range x.frame {
		if f := &x.frame[i]; f.used {
			_, size, a := f.v.Type.Explicit()
			end = (end + uint32(a) - 1) &^ (uint32(a) - 1)
			f.offset = end
			end += uint32(size)
		}
	}
	x.size = (end + align - 1) &^ (align - 1)
	x.s.ScratchSize = x.size
}

// liveness finds the variables of the frame that are read after each call.
func (x *callSplit) liveness() {
	x.live = make([][]bool, len(x.calls))
	call := map[*ir.Instr]int{}
	for k, in := range x.calls {
		call[in] = k
	}
	in := map[*ir.Block][]bool{}
	for changed := true; changed; {
		changed = false
		for b := range x.impl.BlocksReverse() {
			live := make([]bool, len(x.frame))
			for _, s := range b.Succ {
				for i, l := range in[s] {
					live[i] = live[i] || l
				}
			}
			for i := range b.InstrsReverse() {
				if k, ok := call[i]; ok {
					x.live[k] = append(x.live[k][:0], live...)
				}
				x.step(i, live)
			}
			for i, l := range live {
				if l && (in[b] == nil || !in[b][i]) {
					in[b], changed = live, true
					break
				}
			}
		}
	}
}

// step goes back over an instruction.
func (x *callSplit) step(in *ir.Instr, live []bool) {
	if !in.IsIntrinsic(ir.IntrLoadDeref) && !in.IsIntrinsic(ir.IntrStoreDeref) {
		return
	}
	i, ok := x.at[derefVar(in.Srcs[0].Def.Instr)]
	switch {
	case !ok:
	case in.Intr == ir.IntrLoadDeref:
		live[i] = true
	case in.Get(ir.IdxWriteMask) == 1<<x.frame[i].v.Type.Rows-1:
		live[i] = false
	}
}
