package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"nirc"
)

// permutation is what a matrix asks for of a source, beside what the flags say.
type permutation struct {
	name                         string
	file                         string // the matrix's, and the line of the program
	line                         int
	choices                      []string // of each axis
	macros, include, preInclude  []string
	spec                         []string
	language, entry, stage, next string
	devices                      []device
}

// permutations lists what the matrices of --matrix ask for: programs and sources in their order, the last axis fastest.
func (s *shared) permutations(a *app) ([]input, error) {
	var list []input
	for _, file := range s.matrices {
		m, err := a.readMatrix(file)
		if err != nil {
			return nil, err
		}
		for i := range m.programs {
			p := &m.programs[i]
			found, err := m.sources(a, p)
			if err != nil {
				return nil, err
			}
			devices, err := s.matrixDevices(m, p)
			if err != nil {
				return nil, err
			}
			for k := range found {
				if list = append(list, m.combine(p, found[k], devices)...); len(list) > maxPermutations {
					return nil, nirc.Diagnostics{{File: m.file, Line: uint32(p.line), Msg: fmt.Sprintf("more than %d permutations in all", maxPermutations)}}
				}
			}
		}
	}
	return list, uniqueNames(list)
}

// uniqueNames refuses permutations of one name.
func uniqueNames(list []input) error {
	names := make(map[string]bool, len(list))
	for i := range list {
		q := list[i].asked
		if names[q.name] {
			return nirc.Diagnostics{{File: q.file, Line: uint32(q.line), Msg: fmt.Sprintf("two permutations are called %s: a name with {name} or more {AXIS} tells them apart", q.name)}}
		}
		names[q.name] = true
	}
	return nil
}

// sources are the files of a program.
func (m *matrix) sources(a *app, p *matrixProgram) ([]input, error) {
	var list []input
	for _, s := range p.sources {
		found, err := a.expandInputs(m.beside([]string{s.text}))
		if err == nil && len(found) == 0 {
			err = errors.New("no file")
		}
		if err != nil {
			return nil, nirc.Diagnostics{{File: m.file, Line: uint32(s.line), Msg: fmt.Sprintf("source %s: %s", s.text, err)}}
		}
		list = append(list, found...)
	}
	return list, nil
}

// matrixDevices are the targets and GPUs of a program: its own, or else those of the flags.
func (s *shared) matrixDevices(m *matrix, p *matrixProgram) ([]device, error) {
	if len(p.targets)+len(p.gpus) == 0 {
		return s.devices(), nil
	}
	own := shared{target: s.target, gpu: strings.Join(p.gpus, ",")}
	if len(p.targets) > 0 {
		own.target = strings.Join(p.targets, ",")
	}
	if err := own.chooseTargets(&app{}); err != nil {
		return nil, nirc.Diagnostics{{File: m.file, Line: uint32(max(p.targetsLine, p.gpusLine)), Msg: err.Error()}}
	}
	return own.devices(), nil
}

// combine makes the permutations of a source.
func (m *matrix) combine(p *matrixProgram, source input, devices []device) []input {
	var list []input
	at := make([]int, len(p.axes)) // the choice of each axis
	for {
		q := &permutation{file: m.file, line: p.line, include: m.beside(p.include), preInclude: m.beside(p.preInclude), language: p.language, entry: p.entry, stage: p.stage, next: p.next}
		base := filepath.Base(source.rel)
		fields := []string{"{stem}", plainStem(base), "{name}", base}
		for i, c := range at {
			axis := &p.axes[i]
			choice := &axis.choices[c]
			q.choices = append(q.choices, choice.name)
			fields = append(fields, "{"+axis.name+"}", choice.name)
			if axis.spec {
				q.spec = append(q.spec, choice.words...)
			} else {
				q.macros = append(q.macros, choice.words...)
			}
		}
		name := p.name
		if name == "" {
			name = strings.Join(append([]string{"{stem}"}, q.choices...), ".")
		}
		q.name = strings.NewReplacer(fields...).Replace(name)
		for _, d := range devices {
			if !slices.ContainsFunc(p.skip, func(r matrixRule) bool { return r.fits(p, q, d, base) }) {
				q.devices = append(q.devices, d)
			}
		}
		if len(q.devices) > 0 {
			in := source
			in.rel, in.asked = q.name, q
			list = append(list, in)
		}
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < len(p.axes[i].choices) {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return list
		}
	}
}

// plainStem is a file's name without its extensions.
func plainStem(name string) string {
	if i := strings.IndexByte(name[min(1, len(name)):], '.'); i >= 0 {
		return name[:i+1]
	}
	return name
}

// fits reports whether a rule leaves a permutation out on a device.
func (r matrixRule) fits(p *matrixProgram, q *permutation, d device, source string) bool {
	for name, want := range r {
		var have string
		switch name {
		case matrixTarget:
			have = d.target
		case matrixGPU:
			if have = d.gpu; have == "" {
				have = nirc.DefaultGPU(d.target)
			}
		case matrixSource:
			if want != plainStem(source) {
				have = source
			} else {
				have = want
			}
		default:
			have = q.choices[slices.IndexFunc(p.axes, func(a matrixAxis) bool { return a.name == name })]
		}
		if have != want {
			return false
		}
	}
	return true
}

// named gives diagnostics the permutation that they are about.
func (in *input) named(err error) error {
	var list nirc.Diagnostics
	if in.asked == nil || !errors.As(err, &list) {
		return err
	}
	list = slices.Clone(list)
	for i := range list {
		list[i].Msg += " (" + in.asked.name + ")"
	}
	return list
}

// matrixList is the document of --dry-run.
type matrixList struct {
	Schema       int                 `json:"schema"`
	Permutations []matrixPermutation `json:"permutations"`
}

// matrixPermutation is one of it.
type matrixPermutation struct {
	Name    string   `json:"name"`
	File    string   `json:"file"`
	Macros  []string `json:"macros"`
	Spec    []string `json:"spec"`
	Devices []string `json:"devices"` // TARGET GPU
}

// dryRun lists what matrices ask for.
func dryRun(list []input) (*matrixList, string) {
	doc := &matrixList{Schema: 1, Permutations: []matrixPermutation{}}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	shaders := 0
	for i := range list {
		q := list[i].asked
		row := matrixPermutation{Name: q.name, File: filepath.ToSlash(list[i].path), Macros: append([]string{}, q.macros...), Spec: append([]string{}, q.spec...)}
		for _, d := range q.devices {
			row.Devices = append(row.Devices, d.String())
		}
		shaders += len(row.Devices)
		doc.Permutations = append(doc.Permutations, row)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", row.Name, row.File, strings.Join(row.Devices, ","), strings.Join(append(row.Macros, row.Spec...), " "))
	}
	_ = w.Flush() // into memory
	fmt.Fprintf(&text, "%d permutations, %d with targets and GPUs\n", len(list), shaders)
	return doc, text.String()
}

// dryPermutations are those of --dry-run, which needs a matrix.
func (s *shared) dryPermutations(a *app) ([]input, error) {
	if len(s.matrices) == 0 {
		return nil, nirc.Usagef("--dry-run lists what --matrix asks for: want --matrix FILE")
	}
	return s.permutations(a)
}
