package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"nirc"
	"nirc/passes"

	"go.yaml.in/yaml/v3"
)

// matrix is the file of --matrix: programs, each with sources and what is combined with them.
type matrix struct {
	file     string
	programs []matrixProgram
}

// matrixProgram is sources × choices of each axis × targets × GPUs.
type matrixProgram struct {
	line                          int
	name                          string // a template, "" is the stem and the choices
	sources                       []matrixFile
	include, preInclude           []string
	language, entry, stage, next  string
	axes                          []matrixAxis
	targets, gpus                 []string
	skip                          []matrixRule
	targetsLine, gpusLine, nameAt int
}

// matrixFile is a file or a pattern, and its line.
type matrixFile struct {
	text string
	line int
}

// matrixAxis is names of choices, of which a permutation takes one.
type matrixAxis struct {
	name    string
	spec    bool // the words are specialization constants, not macros
	choices []matrixChoice
}

type matrixChoice struct {
	name  string
	words []string // ID=VALUE, or -DNAME[=TEXT] and -UNAME
}

// matrixRule leaves out what has all of these choices.
type matrixRule map[string]string

// Names that rules have beside those of axes.
const (
	matrixTarget = "target"
	matrixGPU    = "gpu"
	matrixSource = "source"
)

// matrixReader reads a matrix; errors name file and line.
type matrixReader struct{ file string }

func (r *matrixReader) errorf(line int, format string, args ...any) error {
	return nirc.Diagnostics{{File: r.file, Line: uint32(line), Msg: fmt.Sprintf(format, args...)}}
}

// readMatrix reads the file of --matrix.
func (a *app) readMatrix(file string) (*matrix, error) {
	text, err := a.read(file)
	if err != nil {
		return nil, err
	}
	r := &matrixReader{file}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, r.errorf(yamlLine(err), "no YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return nil, r.errorf(1, "an empty matrix: want schema: 1 and a list of programs")
	}
	m := &matrix{file: file}
	schema := ""
	err = r.members(doc.Content[0], map[string]func(*yaml.Node) error{
		"schema": r.word(&schema),
		"programs": func(n *yaml.Node) error {
			return r.list(n, func(n *yaml.Node) error {
				p, err := r.program(n)
				m.programs = append(m.programs, p)
				return err
			})
		},
	})
	switch {
	case err != nil:
		return nil, err
	case schema != "1":
		return nil, r.errorf(1, "the matrix's schema is %q; this nirc reads schema: 1", schema)
	case len(m.programs) == 0:
		return nil, r.errorf(1, "a matrix without programs")
	}
	return m, nil
}

// yamlLine is the line in the text of an error of the parser, 0 if none is.
func yamlLine(err error) (line int) {
	_, rest, _ := strings.Cut(err.Error(), "line ")
	_, _ = fmt.Sscanf(rest, "%d", &line) // without a number it stays 0
	return line
}

// members reads a mapping whose members are known, each once.
func (r *matrixReader) members(n *yaml.Node, known map[string]func(*yaml.Node) error) error {
	var names []string
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	return r.pairs(n, func(key, value *yaml.Node) error {
		read := known[key.Value]
		if read == nil {
			return r.errorf(key.Line, "no member %q here%s (want %s)", key.Value, passes.Suggest(key.Value, names), strings.Join(names, ", "))
		}
		return read(value)
	})
}

// pairs reads a mapping in its order.
func (r *matrixReader) pairs(n *yaml.Node, f func(key, value *yaml.Node) error) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		return r.errorf(n.Line, "want a mapping here, NAME: …")
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if seen[key.Value] {
			return r.errorf(key.Line, "%q is there twice", key.Value)
		}
		seen[key.Value] = true
		if err := f(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (r *matrixReader) list(n *yaml.Node, f func(*yaml.Node) error) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.SequenceNode {
		return r.errorf(n.Line, "want a list here, [a, b] or a line each with -")
	}
	for _, e := range n.Content {
		if err := f(e); err != nil {
			return err
		}
	}
	return nil
}

func (r *matrixReader) word(to *string) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		if n.Kind != yaml.ScalarNode {
			return r.errorf(n.Line, "want a word here")
		}
		*to = n.Value
		return nil
	}
}

// words reads a list of words.
func (r *matrixReader) words(to *[]string, lines ...*int) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		for _, l := range lines {
			*l = n.Line
		}
		return r.list(n, func(n *yaml.Node) error {
			var w string
			err := r.word(&w)(n)
			*to = append(*to, w)
			return err
		})
	}
}

// program reads a program.
func (r *matrixReader) program(n *yaml.Node) (p matrixProgram, err error) {
	p.line = n.Line
	var skip *yaml.Node
	err = r.members(n, map[string]func(*yaml.Node) error{
		"name": func(n *yaml.Node) error { p.nameAt = n.Line; return r.word(&p.name)(n) },
		"sources": func(n *yaml.Node) error {
			return r.list(n, func(n *yaml.Node) error {
				s := matrixFile{line: n.Line}
				err := r.word(&s.text)(n)
				p.sources = append(p.sources, s)
				return err
			})
		},
		"include": r.words(&p.include), "pre-include": r.words(&p.preInclude),
		"language": r.checkedWord(&p.language, choice("glsl", "hlsl")), "entry": r.word(&p.entry),
		"stage": r.checkedWord(&p.stage, checkStage), "next": r.checkedWord(&p.next, checkStage),
		"defines": func(n *yaml.Node) error { return r.axes(&p, n, false) },
		"spec":    func(n *yaml.Node) error { return r.axes(&p, n, true) },
		"targets": r.words(&p.targets, &p.targetsLine), "gpus": r.words(&p.gpus, &p.gpusLine),
		"skip": func(n *yaml.Node) error { skip = n; return nil },
	})
	if err == nil && len(p.sources) == 0 {
		err = r.errorf(p.line, "a program without sources")
	}
	if err == nil {
		err = r.checkDevices(&p)
	}
	if err == nil && skip != nil { // once all names are known
		err = r.list(skip, func(n *yaml.Node) error { return r.rule(&p, n) })
	}
	if err == nil {
		err = r.checkName(&p)
	}
	if err == nil {
		err = r.checkNumber(&p)
	}
	return p, err
}

// maxPermutations bounds those of all matrices of a command: more are a mistake.
const maxPermutations = 1 << 20

// checkNumber refuses more combinations of choices than anybody compiles.
func (r *matrixReader) checkNumber(p *matrixProgram) error {
	n := 1
	for i := range p.axes {
		if n *= len(p.axes[i].choices); n > maxPermutations {
			return r.errorf(p.line, "more than %d permutations of each source", maxPermutations)
		}
	}
	return nil
}

func (r *matrixReader) checkedWord(to *string, check func(string) error) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		err := r.word(to)(n)
		if err == nil {
			if why := check(*to); why != nil {
				err = r.errorf(n.Line, "%q: %s", *to, why)
			}
		}
		return err
	}
}

// checkDevices refuses targets and GPUs that there are not.
func (r *matrixReader) checkDevices(p *matrixProgram) error {
	for _, c := range []struct {
		list  []string
		line  int
		check func(string) error
	}{{p.targets, p.targetsLine, checkTargets}, {p.gpus, p.gpusLine, checkGPUs}} {
		for _, name := range c.list {
			if err := c.check(name); err != nil {
				return r.errorf(c.line, "%s", err)
			}
		}
	}
	return nil
}

// axes reads the axes of macros or of specialization constants.
func (r *matrixReader) axes(p *matrixProgram, n *yaml.Node, spec bool) error {
	return r.pairs(n, func(key, value *yaml.Node) error {
		a := matrixAxis{name: key.Value, spec: spec}
		if slices.Contains([]string{matrixTarget, matrixGPU, matrixSource, "stem", "name"}, a.name) || slices.ContainsFunc(p.axes, func(b matrixAxis) bool { return b.name == a.name }) {
			return r.errorf(key.Line, "the axis %q: there is one of this name already", a.name)
		}
		err := r.pairs(value, func(key, value *yaml.Node) error {
			c := matrixChoice{name: key.Value}
			if err := checkMatrixName(c.name); err != nil {
				return r.errorf(key.Line, "%s", err)
			}
			err := r.list(value, func(n *yaml.Node) error {
				var text string
				if err := r.word(&text)(n); err != nil {
					return err
				}
				w, err := matrixWord(text, spec)
				if err != nil {
					return r.errorf(n.Line, "%q: %v", text, err)
				}
				c.words = append(c.words, w)
				return nil
			})
			a.choices = append(a.choices, c)
			return err
		})
		if err == nil && len(a.choices) == 0 {
			err = r.errorf(key.Line, "the axis %q has no choices", a.name)
		}
		p.axes = append(p.axes, a)
		return err
	})
}

// matrixWord is a word of a choice as the flags have it.
func matrixWord(w string, spec bool) (string, error) {
	if spec {
		return w, checkSpec(w)
	}
	for _, flag := range []string{"-D", "-U"} {
		if rest, ok := strings.CutPrefix(w, flag); ok {
			return flag + strings.TrimSpace(rest), checkDefine(strings.TrimSpace(rest))
		}
	}
	return "-D" + w, checkDefine(w)
}

// checkMatrixName refuses names that are no part of a file's name.
func checkMatrixName(name string) error {
	if name == "" || name != fileName(name) || strings.ContainsAny(name, "{}") {
		return fmt.Errorf("the name %q cannot be part of a file's name", name)
	}
	return nil
}

// rule reads what is left out, whose names must be known.
func (r *matrixReader) rule(p *matrixProgram, n *yaml.Node) error {
	rule := matrixRule{}
	err := r.pairs(n, func(key, value *yaml.Node) error {
		var v string
		if err := r.word(&v)(value); err != nil {
			return err
		}
		rule[key.Value] = v
		return r.checkChoice(p, key, v)
	})
	if err == nil && len(rule) == 0 {
		err = r.errorf(n.Line, "this would leave out everything")
	}
	p.skip = append(p.skip, rule)
	return err
}

// checkChoice refuses names of axes and choices that there are not.
func (r *matrixReader) checkChoice(p *matrixProgram, key *yaml.Node, v string) error {
	var err error
	switch key.Value {
	case matrixTarget:
		err = checkTargets(v)
	case matrixGPU:
		err = checkGPUs(v)
	case matrixSource: // which there are the patterns say
	default:
		names := []string{matrixTarget, matrixGPU, matrixSource}
		for i := range p.axes {
			a := &p.axes[i]
			if names = append(names, a.name); a.name != key.Value {
				continue
			}
			var choices []string
			for _, c := range a.choices {
				choices = append(choices, c.name)
			}
			if !slices.Contains(choices, v) {
				return r.errorf(key.Line, "the axis %q has no choice %q%s (has %s)", a.name, v, passes.Suggest(v, choices), strings.Join(choices, ", "))
			}
			return nil
		}
		return r.errorf(key.Line, "no axis %q%s (have %s)", key.Value, passes.Suggest(key.Value, names), strings.Join(names, ", "))
	}
	if err != nil {
		return r.errorf(key.Line, "%s", err)
	}
	return nil
}

// checkName refuses fields of the name that there are not.
func (r *matrixReader) checkName(p *matrixProgram) error {
	names := []string{"stem", "name"}
	for i := range p.axes {
		names = append(names, p.axes[i].name)
	}
	for rest := p.name; ; {
		before, after, ok := strings.Cut(rest, "{")
		if strings.ContainsAny(before, `/\`) {
			return r.errorf(p.nameAt, "the name %q is to be part of a file's name", p.name)
		}
		if !ok {
			return nil
		}
		field, next, closed := strings.Cut(after, "}")
		if !closed || !slices.Contains(names, field) {
			return r.errorf(p.nameAt, "name: {%s is none of {%s}", field, strings.Join(names, "}, {"))
		}
		rest = next
	}
}

// beside are paths of the matrix, from its folder on.
func (m *matrix) beside(paths []string) []string {
	list := make([]string, len(paths))
	for i, p := range paths {
		list[i] = beside(m.file, filepath.FromSlash(p))
	}
	return list
}
