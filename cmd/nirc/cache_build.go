package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nirc"
	"nirc/internal/cache"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

const cacheBuildLong = `Compile shaders into a cache, those alone that it does not have. The arguments are as of nirc compile: files, directories,
patterns, Fossilize databases; every entry point, for each target and GPU. What cannot be compiled is stored too, with the reason. A
broken entry is compiled anew.

--manifest FILE reads requests, one a line: FILE [--entry NAME] [--stage STAGE] [--next STAGE] [--spec ID=VALUE]…; paths are relative to the
manifest. --shard I/N does the I-th of N parts of all keys, for N jobs whose caches nirc cache merge joins.

The exit code is 1 if a shader was refused, now or earlier.`

// cacheBuild is nirc cache build.
type cacheBuild struct {
	*cacheCommand
	compile  compileCommand // for its targets, GPUs and flags about passes
	manifest string
	shard    string
	modules  bool
	builder  *cache.Builder
}

func (c *cacheCommand) build() *cobra.Command {
	b := &cacheBuild{cacheCommand: c}
	b.compile.app = c.app
	cmd := &cobra.Command{Use: "build FILE|DIR…", Short: "Compile what a cache does not have", Long: cacheBuildLong, RunE: b.run, Args: cobra.ArbitraryArgs}
	f := cmd.Flags()
	m := &b.compile
	m.targetFlags(f, nirc.DefaultTarget, "`TARGETS`, separated by commas: those of nirc targets, or all")
	m.levelFlag(f, "2")
	m.choiceFlags(f)
	shaderFlags(f, &m.entry, &m.stageName, &m.spec)
	f.StringVar(&m.nextName, "next", "", "`STAGE` that follows in the pipeline; what a Fossilize database says of its modules goes before")
	abiFlag(f, &m.abi)
	f.BoolVarP(&m.debug, "debug", "g", false, "keep source lines")
	f.BoolVar(&m.keepGoing, "keep-going", true, "go on after a shader that is refused")
	jobsFlag(f, &m.jobs, "files")
	f.StringVar(&b.manifest, "manifest", "", "read requests from this `FILE`")
	f.StringVar(&b.shard, "shard", "", "do the part `I/N` of the work")
	f.BoolVar(&b.modules, "modules", false, "keep the modules, so that nirc cache verify --sample can compile again")
	return cmd
}

// newBuilder makes a builder whose keys stand for the flags about passes.
func newBuilder(d *cache.Dir, r *runFlags) (*cache.Builder, error) {
	text := nirc.PipelineFile()
	if r.pipeline != "" {
		var err error
		if text, err = readFile(r.pipeline); err != nil {
			return nil, err
		}
	}
	text = plainYAML(text)
	if r.set != nil && r.set.Changed("passes") {
		text = []byte("--passes " + strings.Join(strings.Fields(r.passes), ""))
	}
	disabled := slices.Clone(r.disable)
	slices.Sort(disabled)
	disabled = slices.Compact(disabled)
	text = fmt.Appendf(text, "\n--disable-pass %q", disabled)
	if r.dispatchBase {
		text = append(text, "\n--dispatch-base"...)
	}
	h := sha256.Sum256(text)
	return &cache.Builder{Store: d, Code: codeVersion(), Pipeline: h}, nil
}

// plainYAML is a file's text without what means nothing: comments, blanks, the
// order of a mapping's keys.
func plainYAML(text []byte) []byte {
	var v any
	if yaml.Unmarshal(text, &v) != nil {
		return text
	}
	plain, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return plain
}

// buildJob is one module and what is wanted of it.
type buildJob struct {
	input
	entry, stage, next string
	spec               []string
}

// buildResult is what became of a module's shaders.
type buildResult struct {
	counts   [cache.Elsewhere + 1]int // by outcome
	warnings nirc.Diagnostics
	err      error
	unread   bool // err is about the file, and keeps nobody from the others
}

func (b *cacheBuild) run(cmd *cobra.Command, args []string) error {
	m := &b.compile
	m.emit = "obj"
	if err := m.check(cmd); err != nil {
		return err
	}
	if slices.Contains(m.targets, nirc.IRTarget) {
		return nirc.Usagef("cache build: target %s has no code", nirc.IRTarget)
	}
	defer useProcessors(m.jobs)()
	jobs, err := b.jobList(args)
	if err != nil {
		return err
	}
	var shard cache.Shard
	if b.shard != "" {
		if shard, err = cache.ParseShard(b.shard); err != nil {
			return nirc.Usagef("--shard %s", err)
		}
	}
	d, err := b.open(true)
	if err != nil {
		return err
	}
	if b.builder, err = newBuilder(d, &m.runFlags); err != nil {
		return err
	}
	b.builder.Shard, b.builder.Modules = shard, b.modules
	return b.all(cmd.Context(), jobs)
}

// all builds the jobs and tells what became of them.
func (b *cacheBuild) all(ctx context.Context, jobs []buildJob) error {
	start := time.Now()
	var errs []error
	refused := 0
	var n [cache.Elsewhere + 1]int
	bar := b.progress(len(jobs), true)
	defer bar.close()
	ordered(len(jobs), b.compile.jobs, 1, func(i int) (r buildResult) { r.err = b.job(ctx, &jobs[i], &r); return r }, func(_ int, r buildResult) bool {
		bar.step()
		b.report.diagnostics(r.warnings)
		for i := range n {
			n[i] += r.counts[i]
		}
		if r.err == nil {
			return true
		}
		b.report.error(r.err)
		errs = append(errs, errReported{r.err})
		if (r.unread || exitCode(r.err) == exitRefused) && b.compile.keepGoing && ctx.Err() == nil {
			refused++
			return true
		}
		return false
	})
	bar.close()
	fmt.Fprintf(b.out, "%d files: %d shaders were there, %d compiled, %d broken ones compiled anew, %d duplicates, %d of other shards; %d files refused; %s\n",
		len(jobs), n[cache.Hit], n[cache.Compiled], n[cache.Repaired], n[cache.Duplicate], n[cache.Elsewhere], refused, time.Since(start).Round(time.Millisecond))
	return errors.Join(errs...)
}

// jobList lists the modules of the arguments and of the manifest.
func (b *cacheBuild) jobList(args []string) ([]buildJob, error) {
	inputs, err := b.expandInputs(args)
	if err != nil {
		return nil, err
	}
	var jobs []buildJob
	for _, in := range inputs {
		jobs = append(jobs, buildJob{in, b.compile.entry, b.compile.stageName, b.compile.nextName, b.compile.spec})
	}
	if b.manifest != "" {
		more, err := b.readManifest()
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, more...)
	}
	if len(jobs) == 0 {
		return nil, nirc.Usagef("cache build: no input")
	}
	return jobs, nil
}

// readManifest reads the requests of --manifest.
func (b *cacheBuild) readManifest() ([]buildJob, error) {
	text, err := b.read(b.manifest)
	if err != nil {
		return nil, err
	}
	var jobs []buildJob
	scan := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; scan.Scan(); n++ {
		words, err := splitArgs(scan.Text())
		j := buildJob{entry: b.compile.entry, stage: b.compile.stageName, next: b.compile.nextName, spec: b.compile.spec}
		if err == nil && len(words) > 0 {
			err = j.parse(words)
		}
		if err != nil {
			return nil, nirc.Diagnostics{{File: b.manifest, Line: uint32(n), Msg: err.Error()}}
		}
		if len(words) == 0 {
			continue
		}
		if !filepath.IsAbs(j.path) && b.manifest != "-" {
			j.path = filepath.Join(filepath.Dir(b.manifest), j.path)
		}
		j.rel = filepath.Base(j.path)
		jobs = append(jobs, j)
	}
	return jobs, ioError(scan.Err())
}

// parse reads a manifest's line.
func (j *buildJob) parse(words []string) error {
	for i := 0; i < len(words); i++ {
		w := words[i]
		if !strings.HasPrefix(w, "-") {
			if j.path != "" {
				return fmt.Errorf("%q: a line has one file", w)
			}
			j.path = w
			continue
		}
		name, value, ok := strings.Cut(w, "=")
		if !ok {
			if i++; i == len(words) {
				return fmt.Errorf("%s wants a value", w)
			}
			value = words[i]
		}
		switch name {
		case "--entry":
			j.entry = value
		case "--stage", "--next":
			if _, err := parseStage(value); err != nil {
				return err
			}
			if name == "--stage" {
				j.stage = value
			} else {
				j.next = value
			}
		case "--spec":
			j.spec = append(slices.Clone(j.spec), value)
		default:
			return fmt.Errorf("%s: want --entry, --stage, --next or --spec", name)
		}
	}
	if j.path == "" {
		return fmt.Errorf("the line has no file")
	}
	return nil
}

// job builds one module's shaders for all targets.
func (b *cacheBuild) job(ctx context.Context, j *buildJob, r *buildResult) error {
	stage, err := parseStage(j.stage)
	if err != nil {
		return err
	}
	next, err := parseStage(j.next)
	if err != nil {
		return err
	}
	c := &b.compile
	m, err := c.load(ctx, &j.input, nirc.FileOptions{Stdin: c.stdin(j.path), Stage: stage, Debug: c.debug})
	if err != nil {
		r.unread = true
		return err
	}
	list, err := variants(m, &j.input, j.entry, stage, j.spec)
	if err != nil {
		return err
	}
	o := c.base
	o.File, o.Debug, o.ABI = j.path, c.debug, c.abi
	mod := cache.NewModule(m, c.debug)
	var errs []error
	for _, t := range c.targets {
		gpus := c.gpus[t]
		if len(gpus) == 0 {
			gpus = []string{""}
		}
		for _, g := range gpus {
			for _, v := range list {
				o.Target, o.GPU, o.Entry, o.Stage, o.Spec = t, g, v.Name, v.Stage, v.spec
				o.Next = v.follows(next)
				if err := b.shader(ctx, mod, o, r); err != nil {
					errs = append(errs, err)
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
			}
		}
	}
	return errors.Join(errs...)
}

// shader builds one shader.
func (b *cacheBuild) shader(ctx context.Context, m *cache.Module, o nirc.Options, r *buildResult) error {
	out, refused, err := b.builder.Shader(ctx, m, o)
	if err != nil {
		return storeError(err)
	}
	r.counts[out]++
	if out == cache.Repaired {
		r.warnings = append(r.warnings, nirc.Diagnostic{File: o.File, Severity: nirc.SeverityWarning, Msg: "its cache entry was broken and is compiled anew", Target: o.Target})
	}
	if len(refused) == 0 {
		return nil
	}
	list := slices.Clone(refused)
	for i := range list {
		if list[i].File == "" {
			list[i].File = o.File
		}
	}
	return list
}
