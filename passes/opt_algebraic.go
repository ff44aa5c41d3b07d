package passes

import (
	"fmt"

	"nirc/ir"
	"nirc/passes/algebraic"
)

// algebraicPass makes the pass that runs one section of the algebraic rules.
func algebraicPass(name, doc string, section algebraic.Section) *Pass {
	return &Pass{
		Name: name, For: sectionContents(section), Class: "A", Doc: doc, Idempotent: true, Rewrites: true,
		Run: func(c *Context, s *ir.Shader) (bool, error) { return runAlgebraic(c, s, section) },
	}
}

// sectionContents are what the rules of a section match.
func sectionContents(section algebraic.Section) ir.Contents {
	switch section {
	case algebraic.Flrp:
		return ir.HasFlrp
	case algebraic.Frexp:
		return ir.HasFrexp
	case algebraic.BeforeInt64:
		return ir.Has64
	}
	return ir.HasALU
}

func runAlgebraic(c *Context, s *ir.Shader, section algebraic.Section) (progress bool, err error) {
	env := algebraic.Env{Hits: c.RuleHits}
	if c.step != nil {
		env.Step = c.Step
	}
	for _, f := range s.Functions {
		if f.Impl == nil || !concerns(f.Impl, section) {
			continue
		}
		did, err := algebraic.Run(f.Impl, section, env)
		if did {
			f.Impl.Preserve(ir.MetaControlFlow)
			progress = true
		}
		if err != nil {
			return progress, fmt.Errorf("function %s: %w", f.Name, err)
		}
	}
	return progress, nil
}

// concerns reports whether a function holds what the small sections are about:
// most hold none of it, and looking is cheaper than matching.
func concerns(impl *ir.Impl, section algebraic.Section) bool {
	var about func(in *ir.Instr) bool
	switch section {
	case algebraic.Flrp:
		about = func(in *ir.Instr) bool { return in.Op == ir.OpFlrp }
	case algebraic.Frexp:
		about = func(in *ir.Instr) bool { return in.Op == ir.OpFrexpSig || in.Op == ir.OpFrexpExp }
	case algebraic.BeforeInt64:
		about = is64
	default:
		return true
	}
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind == ir.KindALU && about(in) {
				return true
			}
		}
	}
	return false
}

// The passes of algebraic rules differ in the list of rules only, and share this file.
var (
	optAlgebraicPass                  = algebraicPass("opt_algebraic", "Rewrites ALU instructions by the main algebraic rules: identities, canonical forms, and what the target's options ask to have lowered.", algebraic.Main)
	optAlgebraicLatePass              = algebraicPass("opt_algebraic_late", "Rewrites ALU instructions by the late rules, after the optimisation loop: fused operations of the target, canonical forms undone, mp conversions made concrete.", algebraic.Late)
	lowerFlrpPass                     = algebraicPass("lower_flrp", "Writes flrp as products and sums if the target lacks it: the short form where rounding is free.", algebraic.Flrp)
	lowerFrexpPass                    = algebraicPass("lower_frexp", "Writes frexp_sig and frexp_exp with integer operations on the bits.", algebraic.Frexp)
	optAlgebraicDistributeSrcModsPass = algebraicPass("opt_algebraic_distribute_src_mods", "Moves negations and absolutes towards sources, for targets with source modifiers.", algebraic.DistributeSrcMods)
	optAlgebraicBeforeFfmaPass        = algebraicPass("opt_algebraic_before_ffma", "Rewrites products of sums so that opt_algebraic_late fuses them, once the optimisation loop, which does the opposite, is over.", algebraic.BeforeFfma).doneBy(
		"hardware: fusing is left to opt_algebraic_late, which all pipelines run; it stays for targets that want products of sums taken apart before")
	optAlgebraicBeforeLowerInt64Pass = algebraicPass("opt_algebraic_before_lower_int64", "Rewrites 64-bit integer operations whose halves are simple, before lower_int64.", algebraic.BeforeInt64)
)

// doneBy says why nothing runs a pass.
func (p *Pass) doneBy(instead string) *Pass {
	p.Instead = instead
	return p
}
