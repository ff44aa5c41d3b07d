package main

import (
	"os"
	"path/filepath"
	"strings"

	"nirc"
)

// compileJob is one shader for one target.
type compileJob struct {
	file, target string
	out          string // path, "-", or "" to write nothing
}

// plan lists the jobs with the names of their outputs, files first.
func (c *compileCommand) plan(files []string) ([]compileJob, error) {
	var jobs []compileJob
	inputs := map[string]bool{}
	for _, f := range files {
		inputs[filepath.Clean(f)] = true
		targets := c.targets
		if c.emit == "spvasm" {
			targets = targets[:1] // the module is the same for all
		}
		for _, t := range targets {
			jobs = append(jobs, compileJob{file: f, target: t})
		}
	}
	if !c.writeOut {
		return jobs, nil
	}
	dir := c.isDir()
	if c.output != "" && c.output != "-" && !dir && len(jobs) > 1 {
		return nil, nirc.Usagef("-o %s is one file, but there are %d outputs", c.output, len(jobs))
	}
	if dir {
		if err := os.MkdirAll(c.output, 0o777); err != nil {
			return nil, &nirc.IOError{Err: err}
		}
	}
	from := map[string]string{}
	for i := range jobs {
		j := &jobs[i]
		switch {
		case dir:
			j.out = filepath.Join(c.output, c.defaultName(j))
		case c.output != "":
			j.out = c.output
		case j.file == "-":
			j.out = "-"
		default:
			j.out = c.defaultName(j)
		}
		if j.out == "-" {
			continue
		}
		if inputs[filepath.Clean(j.out)] {
			return nil, nirc.Usagef("the output %s would overwrite an input", j.out)
		}
		if other, twice := from[j.out]; twice {
			return nil, nirc.Usagef("%s and %s would both be written to %s", other, j.file, j.out)
		}
		from[j.out] = j.file
	}
	return jobs, nil
}

// defaultName is the name of an output: shader.spv gives shader.ir3.o,
// shader.frag gives shader.frag.ir3.o.
func (c *compileCommand) defaultName(j *compileJob) string {
	name := filepath.Base(j.file)
	switch ext := filepath.Ext(name); {
	case j.file == "-":
		name = "stdin"
	case !nirc.GLSLExtension(name) && ext != name:
		name = strings.TrimSuffix(name, ext)
	}
	if c.emit == "spvasm" {
		return name + "." + c.ending()
	}
	return name + "." + j.target + "." + c.ending()
}
