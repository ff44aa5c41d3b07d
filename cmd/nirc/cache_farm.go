package main

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nirc"
	"nirc/cache"
	"nirc/cache/remote"

	"github.com/spf13/pflag"
)

// farmFlags say how nirc cache build has other machines compile.
type farmFlags struct {
	url, program, salt string
	platform           []string
	jobs               int
	timeout            time.Duration
	fallback           bool
}

func (f *farmFlags) add(set *pflag.FlagSet) {
	set.StringVar(&f.url, "remote-executor", "", "`URL` of a Remote Execution API, grpc(s)://, whose workers compile what no cache has")
	set.StringVar(&f.program, "remote-nirc", "", "nirc for the workers' platform, this `FILE` in place of this program")
	set.StringArrayVar(&f.platform, "remote-default-exec-properties", nil, "`NAME=VALUE` that workers must have")
	set.StringVar(&f.salt, "remote-salt", "", "`TEXT` that makes other actions of all: none is taken from those of before")
	set.IntVar(&f.jobs, "remote-jobs", 8, "`N` actions at a time")
	set.DurationVar(&f.timeout, "remote-action-timeout", 10*time.Minute, "time for an action")
	set.BoolVar(&f.fallback, "remote-local-fallback", true, "compile here what the workers do not bring; without it that is an error")
}

// dial makes the executor of the flags, nil without them.
func (f *farmFlags) dial(r *remoteFlags) (cache.Executor, error) {
	if f.url == "" {
		return nil, nil
	}
	if f.jobs < 1 || f.timeout <= 0 {
		return nil, nirc.Usagef("--remote-jobs %d, --remote-action-timeout %s: want more than 0", f.jobs, f.timeout)
	}
	o, err := r.dialOptions()
	if err != nil {
		return nil, err
	}
	x, err := remote.DialExecutor(f.url, remote.ExecutorOptions{Options: o, Platform: f.platform, Salt: f.salt, Timeout: f.timeout})
	if err != nil {
		return nil, nirc.Usagef("--remote-executor %s: %s", f.url, err)
	}
	return x, nil
}

// openFarm makes the farm of an executor.
func (b *cacheBuild) openFarm(ctx context.Context, x cache.Executor, step func(cache.FarmFigures)) (*cache.Farm, error) {
	args, inputs, err := b.compile.forWorker()
	if err != nil {
		return nil, err
	}
	program, err := b.farmFlags.nirc(b)
	if err != nil {
		return nil, err
	}
	args = append([]string{"./" + program.Path, "cache", "execute", cache.FarmRequests, "-o", cache.FarmOutput}, args...)
	return cache.NewFarm(ctx, x, b.builder.Store, cache.FarmOptions{Args: args, Inputs: append(inputs, program),
		Jobs: b.farmFlags.jobs, Retries: b.compile.remote.tries(), Step: step}), nil
}

// nirc is the program that workers run. It should need nothing of a worker's image.
func (f *farmFlags) nirc(b *cacheBuild) (cache.File, error) {
	path := f.program
	if path == "" {
		var err error
		if path, err = os.Executable(); err != nil {
			return cache.File{}, &nirc.IOError{Err: err}
		}
		if elf, err := elf.Open(path); err == nil {
			libs, _ := elf.ImportedLibraries()
			elf.Close()
			if len(libs) > 0 {
				b.report.diagnostics(nirc.Diagnostics{{File: path, Severity: nirc.SeverityWarning, Msg: fmt.Sprintf(
					"this nirc wants %s of the workers' systems; a release, or one built with CGO_ENABLED=0, wants nothing (--remote-nirc FILE)", strings.Join(libs, " and "))}})
			}
		}
	}
	data, err := readFile(path)
	if err != nil {
		return cache.File{}, err
	}
	program := cache.NewFile("nirc", data)
	program.Executable = true
	return program, nil
}

// inRequests are flags of workerFlags that each request says for itself.
var inRequests = []string{"opt-level", "layout"}

// forWorker are the flags that choose passes as a worker is given them, and the files that they name. All else is in the requests.
func (s *shared) forWorker() (args []string, files []cache.File, err error) {
	for _, name := range workerFlags {
		flag := s.set.Lookup(name)
		if slices.Contains(inRequests, name) || !flag.Changed {
			continue
		}
		value := strings.Trim(flag.Value.String(), "[]") // of a list
		if name == "pipeline" || name == "state" {
			data, err := readFile(value)
			if err != nil {
				return nil, nil, err
			}
			value = name + filepath.Ext(value)
			files = append(files, cache.NewFile(value, data))
		}
		args = append(args, "--"+name+"="+value)
	}
	return args, files, nil
}

// byWorkers has other machines compile what no cache has of the jobs. What goes wrong there is told by the build that follows.
func (b *cacheBuild) byWorkers(ctx context.Context, x cache.Executor, jobs []buildJob) (err error) {
	if x == nil {
		return nil
	}
	bar := b.farmProgress(len(jobs) + 1) // the last step is that all is done
	defer bar.close()
	farm, err := b.openFarm(ctx, x, bar.moved)
	if err != nil {
		return err
	}
	ordered(len(jobs), max(b.compile.jobs, waiters), 1, func(i int) []asked {
		var list []asked
		// Files that cannot be read, and stores that fail, are told by the build.
		_ = b.each(ctx, &jobs[i], func(m *cache.Module, o nirc.Options, _ *variant) error {
			got, err := b.builder.Find(m, o)
			if err == nil && got.Outcome != cache.Hit && b.builder.Shard.Has(got.Key) {
				list = append(list, asked{m, got.Request})
			}
			return err
		})
		return list
	}, func(_ int, list []asked) bool {
		for _, a := range list {
			farm.Add(a.m, a.r)
		}
		bar.step()
		return ctx.Err() == nil
	})
	b.farm = farm
	if !b.farmFlags.fallback {
		b.builder.MayCompile = b.mayCompile
	}
	return ioError(farm.Close())
}

// asked is a shader that workers are asked for.
type asked struct {
	m *cache.Module
	r cache.Request
}

// fromWorkers looks whether an entry came from a worker.
func (b *cacheBuild) fromWorkers(got *cache.Result) {
	if b.farm == nil {
		return
	}
	if came, _ := b.farm.Came(got.Key); came && got.Outcome == cache.Hit {
		got.Outcome = cache.Executed
	}
}

// mayCompile returns why a shader may not be compiled here: the workers did not bring it, and --remote-local-fallback is off.
func (b *cacheBuild) mayCompile(key cache.Digest) error {
	if came, why := b.farm.Came(key); !came && why != nil {
		return &nirc.IOError{Err: fmt.Errorf("the remote executor has not compiled it: %w", why)}
	}
	return nil
}

// farmText says figures in a line.
func farmText(n *cache.FarmFigures) string {
	return fmt.Sprintf("executor: %d of %d shaders in %d actions, %d failed, %d tried again; %s in actions\n", n.Shaders, n.Wanted, n.Done+n.Failed, n.Failed, n.Retries,
		(time.Duration(n.Time) * time.Microsecond).Round(time.Millisecond))
}

// farmFigures are those of a build, with what is worth telling told; nil without a farm.
func (b *cacheBuild) farmFigures() *cache.FarmFigures {
	if b.farm == nil {
		return nil
	}
	n := b.farm.Figures()
	for _, w := range n.Warnings {
		b.report.diagnostics(nirc.Diagnostics{{Severity: nirc.SeverityWarning, Msg: w}})
	}
	return &n
}
