package agx

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/gputest"
	"nirc/backend/mach"
)

// Machine steps do to a text what testdata/steps says. The form is that of --dump-after: the
// machine form, or the physical one, whose lines begin with their number.
func TestSteps(t *testing.T) {
	gputest.StepTests(t, "testdata/steps", func(step string, o gputest.StepOptions, in string) (string, error) {
		pt := &part{meta: new(abi.Meta)}
		c := &compiler{parts: []*part{pt}, opts: CompileOptions{Job: without()}}
		if first := strings.TrimSpace(in); first != "" && first[0] >= '0' && first[0] <= '9' {
			p, err := parseProgram(in)
			if err != nil {
				return "", err
			}
			p.open = o["open"] == "true"
			pt.p = p
		} else {
			f, err := mach.Parse(in, newISA())
			if err != nil {
				return "", err
			}
			pt.f = f
			f.SetFileFloor(fileGPR, gprFloor)
			limit, err := strconv.Atoi(o["halves"])
			if err != nil {
				limit = gprHalves
			}
			f.SetFileLimit(fileGPR, limit)
		}
		for i := range steps {
			if steps[i].Name == step {
				if err := steps[i].Run(c); err != nil {
					return "", err
				}
			}
		}
		return c.text(), nil
	})
}

// parseProgram reads what program.String writes.
func parseProgram(text string) (*program, error) {
	p := &program{code: &code{}, f: mach.NewFunc("main", newISA())}
	p.f.SetFileFloor(fileGPR, gprFloor)
	type jump struct {
		from *pinstr
		to   int
	}
	var jumps []jump
	for line := range strings.Lines(text) {
		number, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.Atoi(number); err != nil || n != len(p.list) {
			return nil, fmt.Errorf("line %d begins with %q", len(p.list), number)
		}
		body, to, jumped := strings.Cut(rest, " -> ")
		body, _, _ = strings.Cut(body, " (") // what a special register is called
		in, err := isa.ParseText(strings.TrimSpace(body))
		if err != nil {
			return nil, err
		}
		x := p.emit(in, 0)
		if jumped {
			n, err := strconv.Atoi(strings.TrimSpace(to))
			if err != nil {
				return nil, err
			}
			jumps = append(jumps, jump{x, n})
		}
	}
	for _, j := range jumps {
		if j.to < 0 || j.to >= len(p.list) {
			return nil, fmt.Errorf("there is no line %d", j.to)
		}
		j.from.to = p.list[j.to]
	}
	return p, nil
}
