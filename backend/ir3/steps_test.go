package ir3

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// TestStepTexts runs testdata/steps. A test's options are gpu, stage, registers (a limit in vec4)
// and maskAll; a state that begins with "func" is a function of the machine, one that begins with "block" a program.
func TestStepTexts(t *testing.T) { gputest.StepTests(t, "testdata/steps", runStepText) }

func runStepText(name string, o gputest.StepOptions, in string) (string, error) {
	c, err := stepState(o, in)
	if err != nil {
		return "", err
	}
	if name == "" {
		return c.text(), nil
	}
	for _, st := range codeSteps {
		switch {
		case st.Name == name:
			if err := st.Run(c); err != nil {
				return "", err
			}
			return c.text(), nil
		case st.Name == "register_budget" && c.phys == nil:
			if err := st.Run(c); err != nil {
				return "", err
			}
		}
	}
	return "", fmt.Errorf("there is no step %q", name)
}

// stepState is a compile that has come to a text.
func stepState(o gputest.StepOptions, text string) (*compiler, error) {
	g, err := FindGPU(o["gpu"])
	if err != nil {
		return nil, err
	}
	stage := ir.StageCompute
	if o["stage"] == "fragment" {
		stage = ir.StageFragment
	}
	s, _ := gputest.NewShader(stage, 64)
	c := &compiler{s: s, impl: s.Entry().Impl, gpu: g, mem: new(memory)}
	c.opts.Registers, _ = strconv.Atoi(o["registers"])
	c.opts.Verify, c.opts.maskAll, c.repeat = true, o["maskAll"] != "", true
	c.sel = &isel{sh: s, impl: c.impl, gpu: g, consts: &constFile{}, meta: &c.meta, link: linker{plan: &vecPlan{}}}
	if strings.HasPrefix(strings.TrimSpace(text), "block") {
		c.phys, err = parseProgram(g, text)
		return c, err
	}
	if c.sel.f, err = mach.Parse(text, newISA(g.Gen)); err != nil {
		return nil, err
	}
	if c.sel.f.Ext == nil {
		c.sel.f.Ext = &code{gen: g.Gen}
	}
	c.sel.code = templates(c.sel.f)
	for b := range c.sel.f.Blocks {
		for _, in := range c.sel.f.Blocks[b].Instrs {
			if in.Op == opInputs {
				c.sel.in.defs = make([]inputDef, in.NDefs)
				for k, d := range in.Defs() {
					c.sel.in.defs[k].val = d.Val
				}
			}
			if in.Op >= mach.FirstTargetOp {
				c.sel.link.groups = max(c.sel.link.groups, in.Aux)
			}
		}
	}
	return c, nil
}

// parseProgram reads what phys.text writes.
func parseProgram(g *GPU, text string) (*phys, error) {
	p := &phys{gpu: g, start: []int32{0}, code: &code{gen: g.Gen}}
	succs := [][]int32{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if head, tail, ok := strings.Cut(line, "->"); ok && strings.HasPrefix(head, "block") {
			p.newBlock()
			b := &p.blocks[p.cur]
			list := []int32{}
			for _, w := range strings.Fields(tail) {
				if n, err := strconv.Atoi(w); err == nil {
					list = append(list, int32(n))
				}
				for _, m := range b.marks() {
					*m.is = *m.is || m.name == w
				}
			}
			succs = append(succs, list)
			continue
		}
		if line == "" {
			continue
		}
		if err := parseProgramLine(p, line); err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
	}
	p.closeBlock()
	for b, l := range succs {
		for _, to := range l {
			if int(to) >= len(p.blocks) {
				return nil, fmt.Errorf("there is no block %d", to)
			}
			p.edge(int32(b), to)
		}
	}
	return p, nil
}

func parseProgramLine(p *phys, line string) error {
	pieces := strings.Split(line, " | ")
	text, to, branches := strings.Cut(pieces[0], " -> ")
	text, group, grouped := strings.Cut(text, " group ")
	in, err := isa.ParseText(p.gpu.Gen, text)
	if err != nil {
		return err
	}
	x := p.emit(in, 0)
	if branches {
		n, err := strconv.Atoi(to)
		if err != nil {
			return err
		}
		x.to = int32(n)
	}
	if grouped {
		n, err := strconv.Atoi(group)
		if err != nil {
			return err
		}
		x.group = int32(n)
	}
	for _, a := range pieces[1:] {
		name, value, _ := strings.Cut(a, "=")
		n, err := parseOperand(p.gpu.Gen, name)
		if err != nil {
			return err
		}
		v, err := parseOperand(p.gpu.Gen, value)
		if err != nil {
			return err
		}
		x.alias = append(x.alias, aliasEntry{name: n.Val, src: v})
	}
	return nil
}
