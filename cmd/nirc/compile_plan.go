package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"nirc"
	"nirc/cache"
	"nirc/ir"
)

// compileJob is one file for one GPU of one target.
type compileJob struct {
	*input
	target, gpu string // gpu "" is the target's default
	manyGPUs    bool   // the target has several jobs, so the GPU is in the name
	src         *source
}

// source is a module that several jobs read once and drop when the last is done.
type source struct {
	input *input
	mu    sync.Mutex
	read  bool
	m     *nirc.Module
	err   error
	// told are the errors that were reported: what is wrong with the module itself is so for all targets.
	told []string
	// forCache is the module as a cache has it, nil without one.
	forCache *cache.Module
	left     atomic.Int32
	// alone: one job reads the module.
	alone bool
}

// module returns the module of a source, which the first job reads.
func (c *compileCommand) module(ctx context.Context, s *source) (*nirc.Module, *cache.Module, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.read {
		s.read, s.alone = true, s.left.Load() == 1
		s.m, s.err = c.load(ctx, s.input, c.moduleOptions(s.input))
		s.err = s.input.named(s.err)
		if s.err == nil && (c.builder != nil || c.pack.on) {
			s.forCache = cache.NewModule(s.m, c.debug)
		}
	}
	m, forCache, err := s.m, s.forCache, s.err
	if s.left.Add(-1) == 0 {
		s.m, s.forCache = nil, nil
	}
	return m, forCache, err
}

// moduleOptions say how a module is read.
func (c *compileCommand) moduleOptions(in *input) nirc.FileOptions {
	o := c.loadOptions(c.app)
	o.Stdin, o.Deps, o.Kept = c.stdin(in.path), c.deps.on, c.kept
	if q := in.asked; q != nil {
		o.Macros = slices.Concat(o.Macros, q.macros)
		o.Include, o.PreInclude = slices.Concat(q.include, o.Include), slices.Concat(o.PreInclude, q.preInclude)
		o.Language, o.Entry = cmp.Or(q.language, o.Language), cmp.Or(q.entry, o.Entry)
		if q.stage != "" {
			o.Stage = stageOf(q.stage)
		}
	}
	return o
}

// devicesOf are the targets and GPUs that an input is compiled for.
func (c *compileCommand) devicesOf(in *input) []device {
	if in.asked != nil {
		return in.asked.devices
	}
	return c.devices()
}

// together is how many of n jobs that follow one another share a source and are best done by one
// worker, who finds the module in his cache. Few jobs go to whoever is free.
func (c *compileCommand) together(n int) int {
	if n < 64*c.jobs {
		return 1
	}
	return c.perFile
}

// plan lists the jobs, files first.
func (c *compileCommand) plan(args []string) ([]compileJob, error) {
	inputs, err := c.expandInputs(args)
	if err != nil {
		return nil, err
	}
	if len(c.matrices) > 0 {
		more, err := c.shared.permutations(c.app)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, more...)
	}
	return c.planInputs(inputs)
}

// planInputs lists the jobs of inputs.
func (c *compileCommand) planInputs(inputs []input) ([]compileJob, error) {
	c.perFile = len(c.devices())
	jobs := make([]compileJob, 0, len(inputs)*c.perFile)
	c.inputs, c.reals = make(map[string]bool, len(inputs)), realPaths{}
	sources := make([]source, len(inputs))
	for i := range inputs {
		in, src := &inputs[i], &sources[i]
		if in.plain && in.module == nil {
			c.inputs[c.reals.plain(in.path)] = true
		} else {
			c.inputs[c.reals.of(in.file())] = true
		}
		src.input = in
		devices := c.devicesOf(in)
		if c.emit == "spvasm" {
			devices = devices[:1] // the module is the same for all
		}
		src.left.Store(int32(len(devices)))
		for _, d := range devices {
			many := slices.ContainsFunc(devices, func(e device) bool { return e.target == d.target && e.gpu != d.gpu })
			jobs = append(jobs, compileJob{input: in, target: d.target, gpu: d.gpu, manyGPUs: many, src: src})
		}
	}
	c.outputs, c.planning = map[string]string{}, len(jobs)
	return jobs, c.checkOutput(jobs)
}

// checkOutput refuses an -o that cannot take what the jobs bring, as far as is
// known before the modules are read.
func (c *compileCommand) checkOutput(jobs []compileJob) error {
	if !c.writeOut {
		return nil
	}
	if f := c.deps.file; f != "" && f != "-" && c.inputs[c.reals.of(f)] {
		return nirc.Usagef("the output %s would overwrite an input", f)
	}
	switch {
	case strings.Contains(c.output, "{"):
		if c.template, c.output = c.output, ""; true {
			return checkTemplate(c.template)
		}
	case c.output == "-":
		if (c.emit == "obj" || c.emit == "bin") && len(jobs) > 1 {
			return nirc.Usagef("-o -: %d outputs of --emit %s do not go into one stream", len(jobs), c.emit)
		}
	case c.pack.on:
		if c.inputs[c.reals.of(c.output)] {
			return nirc.Usagef("the output %s would overwrite an input", c.output)
		}
		return nil
	case c.isDir():
		c.outDir = true
	case c.output != "" && len(jobs) > 1:
		return nirc.Usagef("-o %s is one file, but there are %d outputs", c.output, len(jobs))
	}
	names := make(map[string]string, len(jobs))
	for i := range jobs {
		j := &jobs[i]
		out := c.outputName(j, nirc.EntryPoint{}, false)
		if out == "-" || j.err != nil {
			continue
		}
		if c.inputs[c.reals.of(out)] {
			return nirc.Usagef("the output %s would overwrite an input", out)
		}
		if other, twice := names[out]; twice {
			hint := ""
			if filepath.Base(other) != filepath.Base(j.path) {
				hint = " (a template with {name} tells them apart)"
			}
			return nirc.Usagef("%s and %s would both be written to %s%s", other, j.path, out, hint)
		}
		names[out] = j.path
	}
	if other, twice := names[c.deps.file]; twice {
		return nirc.Usagef("-MF %s: this is the output of %s", c.deps.file, other)
	}
	c.planned = names
	if c.outDir {
		return ioError(os.MkdirAll(c.output, 0o777))
	}
	return nil
}

// realPaths finds the files that paths lead to. The zero value is ready for use.
type realPaths struct {
	wd   string // the working directory, once it was asked for
	dirs map[string]*realDir
}

// realDir is a directory that files are asked for in.
type realDir struct {
	path string // where it really is, with a separator at its end; "" if it is not there
	// asked counts the files; when they are many, it is listed once instead of a look at each.
	asked  int
	listed bool
	links  map[string]bool // of the names in it, those that are symbolic links
}

// many is from when on a directory is listed.
const many = 32

// of is the path of the file that a path leads to, by which it is known that
// two are one file; of what is not there yet the path that it will have.
func (r *realPaths) of(path string) string {
	path = r.abs(path)
	dir, base := filepath.Split(path)
	d := r.at(dir)
	if d.path == "" {
		return path
	}
	if d.asked++; d.asked == many {
		d.list()
	}
	link := d.links[base]
	if !d.listed {
		st, err := os.Lstat(path)
		link = err == nil && st.Mode()&os.ModeSymlink != 0
	}
	if link {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
	}
	return d.path + base
}

// plain is of for a path whose last element was seen to be no symbolic link, which need not be looked at again.
func (r *realPaths) plain(path string) string {
	path = r.abs(path)
	dir, base := filepath.Split(path)
	if d := r.at(dir); d.path != "" {
		return d.path + base
	}
	return path
}

// at is what is known of a directory, of which the path has a separator at its end.
func (r *realPaths) at(dir string) *realDir {
	d := r.dirs[dir]
	if d == nil {
		d = &realDir{path: r.dir(dir)}
		if r.dirs == nil {
			r.dirs = map[string]*realDir{}
		}
		r.dirs[dir] = d
	}
	return d
}

// dir is where a directory really is, with a separator at its end. Those above it are asked for once, where
// filepath.EvalSymlinks looks at each of them for each directory: that was a quarter of a batch's system calls.
func (r *realPaths) dir(path string) string {
	up := strings.TrimSuffix(path, string(filepath.Separator))
	if runtime.GOOS != "windows" && up != "" { // Windows has other names for directories than links
		parent, base := filepath.Split(up)
		above := r.at(parent)
		if above.path == "" {
			return "" // nor is there anything in it
		}
		st, err := os.Lstat(up)
		switch {
		case err != nil:
			return ""
		case st.IsDir():
			return above.path + base + string(filepath.Separator)
		case st.Mode()&os.ModeSymlink == 0:
			return ""
		}
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	if st, err := os.Stat(real); err != nil || !st.IsDir() {
		return ""
	}
	return strings.TrimSuffix(real, string(filepath.Separator)) + string(filepath.Separator)
}

// abs is filepath.Abs, which asks for the working directory each time.
func (r *realPaths) abs(path string) string {
	switch {
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	case filepath.VolumeName(path) != "" || path != "" && os.IsPathSeparator(path[0]): // C:x or \x of Windows
		if abs, err := filepath.Abs(path); err == nil {
			return abs
		}
	}
	if r.wd == "" {
		wd, err := os.Getwd()
		if err != nil {
			return path
		}
		r.wd = wd
	}
	return filepath.Join(r.wd, path)
}

// list finds the links of the directory.
func (d *realDir) list() {
	f, err := os.Open(d.path)
	if err != nil {
		return
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return
	}
	d.listed, d.links = true, map[string]bool{}
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 {
			d.links[e.Name()] = true
		}
	}
}

// fields are the parts of a template for -o.
var fields = []string{"stem", "name", "dir", "entry", "stage", "target", "gpu", "ext"}

func checkTemplate(t string) error {
	for rest := t; ; {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			return nil
		}
		field, next, closed := strings.Cut(after, "}")
		if !closed || !slices.Contains(fields, field) {
			return nirc.Usagef("-o %s: {%s is none of {%s}", t, field, strings.Join(fields, "}, {"))
		}
		rest = next
	}
}

// stem is a file's name without its extension; GLSL keeps its own, as glslc
// has it: shader.frag gives shader.frag.ir3.o.
func stem(name string) string {
	if ext := filepath.Ext(name); !nirc.GLSLExtension(name) && ext != name {
		return strings.TrimSuffix(name, ext)
	}
	return name
}

// stem is the input's name without its extension, of a permutation its name.
func (j *compileJob) stem() string {
	switch {
	case j.asked != nil:
		return j.asked.name
	case j.base != "":
		return j.base
	}
	return stem(j.rel)
}

// outputName is where an entry point of a job goes. many tells that the module gives
// several, so that the name must tell them apart.
func (c *compileCommand) outputName(j *compileJob, e nirc.EntryPoint, many bool) string {
	if c.template != "" {
		return c.fill(j, e)
	}
	if c.output != "" && !c.outDir {
		return c.output
	}
	if c.output == "" && j.path == "-" {
		return "-"
	}
	parts := []string{j.stem()}
	if many {
		parts = append(parts, fileName(e.Name))
	}
	if c.emit != "spvasm" {
		parts = append(parts, j.target)
		if j.manyGPUs {
			parts = append(parts, j.gpu)
		}
	}
	return filepath.Join(c.output, strings.Join(append(parts, c.ending()), "."))
}

// fill fills in the template.
func (c *compileCommand) fill(j *compileJob, e nirc.EntryPoint) string {
	gpu := j.gpu
	if gpu == "" && j.target != nirc.IRTarget {
		gpu = nirc.DefaultGPU(j.target)
	}
	stage := ""
	if e.Stage != ir.StageNone {
		stage = e.Stage.String()
	}
	return filepath.Clean(strings.NewReplacer("{stem}", filepath.Base(j.stem()), "{name}", filepath.Base(j.rel), "{dir}", filepath.Dir(j.rel),
		"{entry}", fileName(e.Name), "{stage}", stage, "{target}", j.target, "{gpu}", gpu, "{ext}", c.ending()).Replace(c.template))
}

// fileName makes an entry point's name fit for a file's. One without a name is
// _, and none is a directory.
func fileName(entry string) string {
	switch entry {
	case "", ".", "..":
		return strings.Repeat("_", max(1, len(entry)))
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, entry)
}

// claim takes an output's name, once the entry points are known.
func (c *compileCommand) claim(r *compiled, p *part) error {
	if p.out == "-" {
		return nil
	}
	if _, checked := c.planned[p.out]; !checked && c.inputs[c.reals.of(p.out)] {
		return nirc.Usagef("the output %s would overwrite an input", p.out)
	}
	what := r.job.path + " " + p.entry.Name
	if other, twice := c.outputs[p.out]; twice {
		return nirc.Usagef("%s and %s would both be written to %s", other, what, p.out)
	}
	c.outputs[p.out] = what
	return nil
}
