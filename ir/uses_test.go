package ir_test

import (
	"math/rand/v2"
	"testing"

	"nirc/ir"
	"nirc/ir/irtest"
)

// checkUses compares every use list with a walk over all sources.
func checkUses(t *testing.T, impl *ir.Impl) {
	t.Helper()
	count := map[*ir.Def]int{}
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			for i := range in.Srcs {
				count[in.Srcs[i].Def]++
			}
		}
		if i := b.FollowingIf(); i != nil {
			count[i.Cond.Def]++
		}
	}
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if !in.HasDef() {
				continue
			}
			n := 0
			for u := range in.Def.Uses() {
				if u.Def != &in.Def {
					t.Fatal("a use of another value on the list")
				}
				n++
			}
			if n != count[&in.Def] || in.Def.Unused() != (n == 0) || in.Def.UsedOnce() != (n == 1) {
				t.Fatalf("%s: %d uses listed, %d found", ir.PrintInstr(in), n, count[&in.Def])
			}
		}
	}
}

// TestUsesUnderRewriting rewrites sources at random to values that are
// available everywhere, removes and moves instructions, adds and removes phi
// and texture sources.
func TestUsesUnderRewriting(t *testing.T) {
	for seed := range uint64(30) {
		s := irtest.Config{Seed: seed, Size: 250, Everything: true}.Shader()
		impl := s.Entry().Impl
		r := rand.New(rand.NewPCG(seed, 9))
		at := func(d *ir.Def) *ir.Def { // a fresh value of d's shape in the start block
			u := s.NewUndef(d.NumComponents, d.BitSize)
			ir.AtStart(impl.Start()).Insert(u)
			return &u.Def
		}
		for range 60 {
			var all []*ir.Instr
			for b := range impl.Blocks() {
				for in := range b.Instrs() {
					all = append(all, in)
				}
			}
			in := all[r.IntN(len(all))]
			if in.Kind == ir.KindDeref || in.IsIntrinsic(ir.IntrDeclReg) {
				continue // their users need just them
			}
			switch r.IntN(6) {
			case 0:
				if in.HasDef() {
					in.Def.RewriteUses(at(&in.Def))
					if !in.Def.Unused() {
						t.Fatal("uses left behind RewriteUses")
					}
				}
			case 1:
				if in.HasDef() && in.Kind != ir.KindPhi {
					n := s.NewALU(ir.OpMov, in.Def.NumComponents, in.Def.BitSize, &in.Def)
					ir.After(in).Insert(n)
					in.Def.RewriteUsesAfter(&n.Def, n)
					if !in.Def.UsedOnce() || in.Def.FirstUse().Instr != n {
						t.Fatalf("%s: uses left behind RewriteUsesAfter", ir.PrintInstr(in))
					}
				}
			case 2:
				if len(in.Srcs) > 0 && in.Kind == ir.KindALU {
					k := r.IntN(len(in.Srcs))
					in.Srcs[k].Set(at(in.Srcs[k].Def))
				}
			case 3:
				if in.HasDef() && in.Def.Unused() {
					in.Remove()
				}
			case 4:
				if in.Kind == ir.KindPhi && len(in.Srcs) > 0 {
					k := r.IntN(len(in.Srcs))
					pred := in.PhiInfo().Preds[k]
					in.RemoveSrc(k)
					s.AddPhiSrc(in, pred, at(&in.Def))
				}
			default:
				if in.Kind == ir.KindTex {
					d := in.TexSrc(ir.TexSrcLod).Def
					for k, kind := range in.TexInfo().SrcKinds {
						if kind == ir.TexSrcLod {
							in.RemoveSrc(k)
							break
						}
					}
					s.AddTexSrc(in, ir.TexSrcMinLod, at(d))
					s.AddTexSrc(in, ir.TexSrcLod, d)
					in.RemoveSrc(len(in.Srcs) - 2)
				} else if in.Kind == ir.KindLoadConst {
					in.MoveTo(ir.AtStart(impl.Start()))
				}
			}
		}
		impl.Preserve(ir.MetaNone)
		checkUses(t, impl)
		if err := ir.Validate(s); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}
