package passes

import (
	"errors"
	"fmt"

	"nirc/ir"
)

// Lists runs a list of a pipeline file's codegen section on a shader: passes
// that a code generator needs between its own steps. A code generator is
// handed one and knows nothing else of the file; see Pipelines.Codegen.
type Lists func(s *ir.Shader, list string) error

// Run runs the list of that name. Nil knows no list, which is an error.
func (l Lists) Run(s *ir.Shader, list string) error {
	if l == nil {
		return errors.New("no pipeline file is at hand for the list " + list)
	}
	return l(s, list)
}

// Codegen returns what runs the lists of key codegen for a target, under the
// switches of an instrument (nil: without looking). A list that the file does
// not have is taken from fallback, if that is not nil: a file made before a
// code generator had the list still works.
//
// The code after a list relies on all of it. Dumps, times and verification see
// its passes; bisection and --disable-pass leave them alone.
func (p *Pipelines) Codegen(target string, level Level, fallback *Pipelines, ins *Instrument) Lists {
	return func(s *ir.Shader, name string) error {
		from, l := p, p.list(name)
		if l == nil && fallback != nil {
			from, l = fallback, fallback.list(name)
		}
		if l == nil || l.kind != codegenList {
			return fmt.Errorf("%s: no list %q for the code generator", from.name, name)
		}
		pl := l.resolve(condEnv{target: target, level: level, stage: s.Stage})
		return pl.runner(s, ins, true).run()
	}
}

// CodegenLists returns the names of the lists of key codegen in the file's order.
func (p *Pipelines) CodegenLists() []string { return append([]string(nil), p.codegen...) }
