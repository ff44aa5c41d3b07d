package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nirc"
	"nirc/cache"

	"github.com/spf13/cobra"
	"nirc/internal/jsonplace"
)

const cacheBuildLong = `Compile shaders into a cache, those alone that it does not have. The arguments are as of nirc
compile: files, directories, patterns, Fossilize databases; every entry point, for each target and
GPU. What cannot be compiled is stored too, with the reason. A broken entry is compiled again.

What GLSL became is kept too: it is compiled again when its text, a macro, the include path, a
file that it includes or would include if it were there, or the compiler of GLSL changed.

--matrix FILE builds permutations that a YAML file lists: sources, macros, specialization
constants, targets and GPUs, with names (docs/cli/formats.md). Those that become the same SPIR-V
are compiled once.

--manifest FILE reads requests, one a line: FILE [--entry NAME] [--stage STAGE] [--next STAGE]
[--spec ID=VALUE]… [--layout FILE] [--sample-shading] [--points] [--multiview] [--dispatch-base]
[--robust KINDS]; paths are relative to the manifest. --manifest-out FILE writes what was wanted
and what became of it, for nirc cache pack. --shard I/N does the I-th of N parts of all keys, for
N jobs whose caches nirc cache merge joins.

--link builds the shaders of all files as the stages of one graphics pipeline, and those of a
Fossilize database pipeline by pipeline, each linked with the others: what nirc compile --link
--cache then finds.

With --remote-cache what the directory does not have is looked up on a server that a team shares,
and what is compiled is stored there: Bazel's HTTP cache (bazel-remote, or any web server that
takes PUT), the Remote Execution API, a folder. What fails there is a miss, and no compile fails
for it; --remote-required makes it an error. Servers know nirc by --remote-header, a token from a
file or the variable NIRC_REMOTE_TOKEN, or a certificate.

With --remote-executor what no cache has is compiled by the workers of a server of the Remote
Execution API, many shaders in an action; they are sent this program, so it should be a static one,
or --remote-nirc's. What they make is stored as if it were compiled here. What they do not bring,
after --remote-retries, is compiled here; --remote-local-fallback=false makes it an error. The
server is the remote cache too unless --remote-cache names another ('' is none).

The exit code is 1 if a shader was refused, now or earlier.`

// cacheBuild is nirc cache build.
type cacheBuild struct {
	*cacheRequests
	manifestOut string
	shard       string
	modules     bool
	link        bool
	farmFlags   farmFlags

	remotes *remotes
	farm    *cache.Farm // nil without an executor
}

func (c *cacheCommand) build() *cobra.Command {
	b := &cacheBuild{cacheRequests: c.requests()}
	cmd := &cobra.Command{Use: "build FILE|DIR…", Short: "Compile what a cache does not have", Long: cacheBuildLong, RunE: b.run, Args: cobra.ArbitraryArgs}
	f := cmd.Flags()
	b.flags(f)
	b.compile.declare(f, batchFlags)
	b.compile.declare(f, []string{"manifest"}, matrixFlags)
	b.compile.declare(f, remoteNames)
	b.farmFlags.add(f)
	f.StringVar(&b.manifestOut, "manifest-out", "", "write what was wanted and got to this `FILE`")
	f.StringVar(&b.shard, "shard", "", "do the part `I/N` of the work")
	f.BoolVar(&b.link, "link", false, "link the shaders as the stages of one pipeline, those of a database as its pipelines")
	f.BoolVar(&b.modules, "modules", false, "keep the modules, so that nirc cache verify --sample can compile again")
	return cmd
}

// waiters are the files at a time where a remote cache answers.
const waiters = 16

// buildResult is what became of a module's shaders.
type buildResult struct {
	counts   buildCounts
	rows     []wantedShader
	warnings nirc.Diagnostics
	modules  []cache.Digest
	err      error
}

// buildCounts count shaders, each once: by what became of it, those that were refused apart.
type buildCounts struct {
	Hits       int `json:"hits"`
	Executed   int `json:"executed"` // by workers of --remote-executor
	Compiled   int `json:"compiled"`
	Repaired   int `json:"repaired"`
	Refused    int `json:"refused"`
	Known      int `json:"refused_before"` // of the refused ones
	Duplicates int `json:"duplicates"`
	Elsewhere  int `json:"other_shards"`
}

func (n *buildCounts) count(r *cache.Result) {
	switch {
	case len(r.Refused) > 0:
		n.Refused++
		if r.Outcome == cache.Hit {
			n.Known++
		}
	default:
		*[...]*int{cache.Hit: &n.Hits, cache.Compiled: &n.Compiled, cache.Repaired: &n.Repaired, cache.Duplicate: &n.Duplicates, cache.Elsewhere: &n.Elsewhere, cache.Executed: &n.Executed}[r.Outcome]++
	}
}

func (n *buildCounts) add(m *buildCounts) {
	n.Hits += m.Hits
	n.Executed += m.Executed
	n.Compiled += m.Compiled
	n.Repaired += m.Repaired
	n.Refused += m.Refused
	n.Known += m.Known
	n.Duplicates += m.Duplicates
	n.Elsewhere += m.Elsewhere
}

// built is the document of a build.
type built struct {
	Schema int `json:"schema"`
	Files  int `json:"files"`
	Unread int `json:"files_unread"`
	buildCounts
	GLSL         int64                `json:"glsl"`          // modules that are of GLSL
	Made         int64                `json:"glsl_compiled"` // of them, those that were not kept
	Modules      int                  `json:"modules"`       // distinct ones
	Remote       *cache.RemoteFigures `json:"remote,omitempty"`
	Executor     *cache.FarmFigures   `json:"executor,omitempty"`
	Microseconds int64                `json:"us"`
}

func (b *cacheBuild) run(cmd *cobra.Command, args []string) error {
	var shard cache.Shard
	if b.shard != "" {
		var err error
		if shard, err = cache.ParseShard(b.shard); err != nil {
			return nirc.Usagef("--shard %s", err)
		}
	}
	if err := b.prepare(cmd, nil); err != nil {
		return err
	}
	defer useProcessors(b.compile.jobs)()
	if b.compile.dryRun {
		list, err := b.compile.dryPermutations(b.app)
		if err != nil {
			return err
		}
		doc, text := dryRun(list)
		return b.tell(doc, "%s", text)
	}
	var jobs []buildJob
	var groups [][]input
	var err error
	if b.link {
		groups, err = b.pipelines(args)
	} else {
		jobs, err = b.jobs(args)
	}
	if err != nil {
		return err
	}
	d, err := b.open(true)
	if err != nil {
		return err
	}
	x, err := b.farmFlags.dial(&b.compile.remote)
	if err != nil {
		return err
	}
	var more []string
	if len(b.compile.remote.urls) == 0 {
		more = []string{b.farmFlags.url} // which has a cache too, or says that it has none
	}
	if b.remotes, err = b.compile.remote.open(more...); err != nil {
		return err
	}
	b.use(b.remotes.behind(d))
	b.builder.Shard, b.builder.Modules = shard, b.modules
	start := time.Now()
	if err := b.byWorkers(cmd.Context(), x, jobs); err != nil {
		return err
	}
	if b.link {
		return b.all(cmd.Context(), len(groups), len(slices.Concat(groups...)), start, func(i int, r *buildResult) error { return b.pipeline(cmd.Context(), groups[i], r) })
	}
	return b.all(cmd.Context(), len(jobs), len(jobs), start, func(i int, r *buildResult) error { return b.job(cmd.Context(), &jobs[i], r) })
}

// jobs lists the modules of the arguments and of the manifest.
func (b *cacheBuild) jobs(args []string) ([]buildJob, error) {
	jobs, err := b.jobList(args)
	if err != nil {
		return nil, err
	}
	for _, manifest := range b.compile.manifests {
		more, err := b.readManifest(manifest)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, more...)
	}
	if len(b.compile.matrices) > 0 {
		more, err := b.compile.permutations(b.app)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, b.jobsOf(more)...)
	}
	if len(jobs) == 0 {
		return nil, nirc.Usagef("cache build: no input")
	}
	return jobs, nil
}

// all does n pieces of work on files and tells what became of them.
func (b *cacheBuild) all(ctx context.Context, n, files int, start time.Time, work func(i int, r *buildResult) error) error {
	b.glsl.Store(0) // what the workers were sent is read once more, and counted once
	var errs []error
	done := built{Schema: cacheSchema, Files: files}
	list := wanted{Schema: cacheSchema, Code: b.builder.Code, Shaders: []wantedShader{}}
	modules := map[cache.Digest]bool{}
	bar := b.progress(n)
	defer bar.close()
	workers := b.compile.jobs
	if len(b.remotes.list) > 0 {
		workers = max(workers, waiters) // most wait for the network; the processors are those of -j
	}
	useHugePages(n, b.inputBytes)
	ordered(n, workers, 1, func(i int) (r buildResult) { r.err = work(i, &r); return r }, func(_ int, r buildResult) bool {
		bar.step()
		b.report.diagnostics(r.warnings)
		done.add(&r.counts)
		for _, m := range r.modules {
			modules[m] = true
		}
		if b.manifestOut != "" {
			list.Shaders = append(list.Shaders, r.rows...)
		}
		if r.err == nil {
			return true
		}
		b.report.error(r.err)
		errs = append(errs, errReported{r.err})
		var unread unreadError
		if errors.As(r.err, &unread) {
			done.Unread++
		}
		return (unread.error != nil || exitCode(r.err) == exitRefused) && b.compile.keepGoing && ctx.Err() == nil
	})
	bar.close()
	var err error
	done.Remote, err = b.remotes.close(&b.report)
	errs = append(errs, err)
	done.Executor = b.farmFigures()
	took := time.Since(start)
	done.Microseconds = took.Microseconds()
	done.GLSL, done.Made, done.Modules = b.glsl.Load(), b.made.Load(), len(modules)
	errs = append(errs, b.tell(&done, "%s", done.text(took)))
	if b.manifestOut != "" {
		text, err := jsonplace.Indented(&list)
		if err == nil {
			err = b.writeFile(b.manifestOut, text)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// text is the line that a person reads of a build.
func (d *built) text(took time.Duration) string {
	n, executed, glsl, remote := &d.buildCounts, "", "", ""
	if d.Remote != nil {
		remote = remoteText(d.Remote)
	}
	if d.Executor != nil {
		executed = fmt.Sprintf(" %d by workers,", n.Executed)
		remote += farmText(d.Executor)
	}
	if d.GLSL > 0 {
		glsl = fmt.Sprintf("; %d of GLSL, %d made again; %d distinct modules", d.GLSL, d.Made, d.Modules)
	}
	return fmt.Sprintf("%d files: %d shaders were there,%s %d compiled, %d broken ones compiled again, %d refused (%d known before), %d duplicates, %d of other shards; %d files unread%s; %s\n%s",
		d.Files, n.Hits, executed, n.Compiled, n.Repaired, n.Refused, n.Known, n.Duplicates, n.Elsewhere, d.Unread, glsl, took.Round(time.Millisecond), remote)
}

// job builds one module's shaders for all targets.
func (b *cacheBuild) job(ctx context.Context, j *buildJob, r *buildResult) error {
	return b.each(ctx, j, func(m *cache.Module, o nirc.Options, v *variant) error { return b.shader(ctx, j, m, o, v.label, r) })
}

// shader builds one shader.
func (b *cacheBuild) shader(ctx context.Context, j *buildJob, m *cache.Module, o nirc.Options, label string, r *buildResult) error {
	got, err := b.builder.Shader(ctx, m, o)
	if err != nil {
		return storeError(err)
	}
	b.fromWorkers(&got)
	if n := len(r.modules); n == 0 || r.modules[n-1] != got.Request.Module {
		r.modules = append(r.modules, got.Request.Module)
	}
	r.counts.count(&got)
	if got.Outcome == cache.Repaired {
		r.warnings = append(r.warnings, nirc.Diagnostic{File: o.File, Severity: nirc.SeverityWarning, Msg: "its cache entry was broken and is compiled again", Target: o.Target})
	}
	list := inFile(got.Refused, o.File)
	if b.manifestOut != "" {
		row := newWanted(j, label, got.Key, &got.Request)
		row.Outcome = got.Outcome.String()
		for i := range list {
			row.Refused = append(row.Refused, list[i].Msg)
		}
		r.rows = append(r.rows, row)
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// inFile are an entry's diagnostics, which name no file if they are about the module's.
func inFile(refused nirc.Diagnostics, file string) nirc.Diagnostics {
	list := slices.Clone(refused)
	for i := range list {
		if list[i].File == "" {
			list[i].File = file
		}
	}
	return list
}
