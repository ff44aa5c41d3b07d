package backend

import (
	"errors"
	"strings"
	"testing"

	"nirc/ir"
	"nirc/passes"
)

// lowered is a code generator that has IR until its machine form is made.
type lowered struct {
	s    *ir.Shader
	made bool
}

func (l *lowered) Lowering() *ir.Shader {
	if l.made {
		return nil
	}
	return l.s
}

// TestLoweringIsVerified: under VerifyEach steps that leave wrong IR, or metadata that hold no more, are named; without it, and once there is a
// machine form, nobody looks at the IR. What a step refuses comes back as it is.
func TestLoweringIsVerified(t *testing.T) {
	const text = "shader compute \"main\" {\n info { workgroup_size=1,1,1 }\n shared_size = 4\n fn f0 \"main\" entry() {\n b0:\n" +
		" %0:32 = load_local_invocation_index\n %1:32 = load_const 0x0\n %2:1 = ieq %0, %1\n" +
		" if %2 {\n b1:\n store_shared %0, %1 write_mask=x align_mul=4\n } else {\n b2:\n }\n b3:\n }\n}\n"
	refused := errors.New("refused")
	add := func(s *ir.Shader) { ir.NewBuilder(ir.AtStart(s.Entry().Impl.Start())).Imm32(7) } // so that instructions have other numbers
	for _, c := range []struct {
		name string
		run  func(l *lowered) error
		want string
	}{
		{"nothing", func(*lowered) error { return nil }, ""},
		{"what it says", func(l *lowered) error {
			add(l.s)
			l.s.Entry().Impl.Preserve(ir.MetaNone)
			return nil
		}, ""},
		{"what it does not say", func(l *lowered) error { add(l.s); return nil }, "step change: "},
		{"a use of nothing", func(l *lowered) error {
			for b := range l.s.Entry().Impl.Blocks() {
				for in := range b.Instrs() {
					if in.IsIntrinsic(ir.IntrStoreShared) {
						in.Srcs[0].Set(&ir.NewBuilder(ir.AtEnd(l.s.Entry().Impl.Body.LastBlock())).Intrinsic(ir.IntrLoadSubgroupInvocation, 1, 32).Def)
					}
				}
			}
			l.s.Entry().Impl.Preserve(ir.MetaNone)
			return nil
		}, "step change: "},
		{"refuses", func(*lowered) error { return refused }, refused.Error()},
	} {
		for _, made := range []bool{false, true} {
			for _, verify := range []bool{false, true} {
				s, err := ir.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				job := &Job{Instrument: passes.NewInstrument(passes.RunOptions{VerifyEach: verify})}
				s.Entry().Impl.Require(ir.MetaDominance | ir.MetaBlockIndex)
				err = RunSteps(job, []Step[*lowered]{{StepInfo{Name: "change", Doc: "changes"}, c.run}}, &lowered{s, made}, func(*lowered) string { return "" })
				want := c.want
				if want != refused.Error() && (made || !verify) {
					want = ""
				}
				switch {
				case want == "" && err != nil, want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)):
					t.Errorf("%s, a machine form %v, verified %v: %v, want %q", c.name, made, verify, err, want)
				case want == refused.Error() && err != refused:
					t.Errorf("%s: the error became %v", c.name, err)
				}
			}
		}
	}
}
