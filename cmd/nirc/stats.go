package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nirc"
	"nirc/backend"
	"nirc/internal/costs"
	"nirc/internal/figures"
	"nirc/ir"
	"nirc/passes"

	"github.com/spf13/cobra"
)

const statsLong = `Compile shaders and show the statistics of their code: a line a shader and the totals. Every entry
point counts. The arguments are files, directories, patterns and databases, as of nirc compile.
Shaders that do not compile are told, counted and left out of the totals, and the exit code stays
0; with --keep-going=false the first one ends the run. A line is written when its shader is done.

--against FILE.tsv compares with a baseline of another compiler: columns file, stage, status,
compile_us and stats (key=value;…). The files are looked for in the directory that is the
argument. Target and GPU are those of the baseline's name (ir3-a630.tsv) unless -t or --gpu say
otherwise. The AGX baseline counts the main part alone, as --abi separate gives it: with it that
is the default. For each figure that both have it shows the geometric mean of the ratios, the
ratio of the totals, and with --by the worst shaders.

--repeat N compiles each shader N times and notes the best time, from the module's words in memory
to machine code; use -j 1 with it.

--link takes the files as the stages of one pipeline, and databases pipeline by pipeline, as nirc
compile --link does: it shows instructions and modelled cycles of each stage by itself and linked,
the components and locations of the varyings between two stages before and after, what became of
them, and the sums with the geometric means of the pipelines' ratios.

The figures "total cycles" and so on are modelled (docs/cost.md), in hundredths of a cycle in JSON
and CSV; --repeat and --against leave them out. --explain says what a figure is.

The JSON has a member schema (1); members may be added under the same number.`

type statsCommand struct {
	*app
	shared
	against string
	by      []string
	repeat  int
	explain string
	link    bool
}

func (a *app) stats() *cobra.Command {
	c := &statsCommand{app: a}
	cmd := &cobra.Command{Use: "stats FILE|DIR…", Short: "Show statistics of shaders, or compare them", Long: statsLong, RunE: c.run}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if c.explain != "" {
			return cobra.NoArgs(cmd, args)
		}
		return cobra.MinimumNArgs(1)(cmd, args)
	}
	f := cmd.Flags()
	c.declare(f, compileFlags, batchFlags, reportFlags, []string{"columns", "worst"})
	f.StringVar(&c.against, "against", "", "compare with this baseline `FILE`")
	f.StringSliceVar(&c.by, "by", []string{"inst"}, "with --against: list the worst shaders by these `FIGURES`")
	f.IntVar(&c.repeat, "repeat", 0, "measure compile times, best of `N`")
	f.BoolVar(&c.link, "link", false, "show pipelines, each stage by itself and linked with the others")
	f.StringVar(&c.explain, "explain", "", "say what a `FIGURE` is, or all (docs/figures.md)")
	cmd.AddCommand(a.statsDiff())
	return cmd
}

func (c *statsCommand) run(cmd *cobra.Command, args []string) error {
	if c.explain != "" {
		return c.explained()
	}
	form, err := c.form()
	if err != nil {
		return err
	}
	if c.against != "" {
		return c.runAgainst(cmd, args)
	}
	if err := c.setup(); err != nil {
		return err
	}
	if c.link {
		return c.runLinked(cmd, args)
	}
	inputs, err := c.expandInputs(args)
	if err != nil {
		return err
	}
	bar := c.progress(len(inputs))
	defer bar.close()
	out := figures.NewStream(c.out, "O"+c.level, figures.NewLayout(form, c.columns, c.targets, c.repeat > 0))
	var broken error // of the output
	failed := c.collect(cmd.Context(), inputs, func(_ int, list []figures.Shader) bool {
		for i := 0; i < len(list) && broken == nil; i++ {
			broken = ioError(out.Add(list[i]))
		}
		bar.step()
		return broken == nil
	})
	if broken == nil {
		broken = cmd.Context().Err() // figures of a part without totals
	}
	if broken == nil && (failed == nil || c.keepGoing) {
		broken = ioError(out.Close())
	}
	switch {
	case broken != nil:
		return broken
	case !c.keepGoing, exitCode(failed) > exitRefused:
		return failed // a file that could not be read is no statistic
	}
	return nil
}

// explained is --explain.
func (c *statsCommand) explained() error {
	var names []string
	for i := range figures.Figures() {
		f := &figures.Figures()[i]
		if c.explain == "all" || c.explain == f.Name {
			if _, err := io.WriteString(c.out, f.Explain()); err != nil {
				return ioError(err)
			}
		}
		names = append(names, f.Name)
	}
	if c.explain != "all" && figures.Find(c.explain) == nil {
		return nirc.Usagef("--explain: no figure %q%s", c.explain, passes.Suggest(c.explain, names))
	}
	return nil
}

// setup reads the flags, and refuses options that a target does not have.
func (c *statsCommand) setup() error {
	if err := c.settle(c.app); err != nil {
		return err
	}
	for _, d := range c.devices() {
		o := c.base
		o.Target, o.GPU = d.target, d.gpu
		if _, err := nirc.New(o); err != nil {
			return err
		}
	}
	return nil
}

// fileStats are the shaders of one file.
type fileStats struct {
	shaders []figures.Shader
	err     error // of all together
}

// collect compiles all inputs and hands on their shaders in order. Errors are
// reported as they come and returned together.
func (c *statsCommand) collect(ctx context.Context, inputs []input, add func(i int, list []figures.Shader) bool) error {
	defer useProcessors(c.jobs)()
	var all []error
	useHugePages(len(inputs), c.inputBytes)
	ordered(len(inputs), c.jobs, 1, func(i int) fileStats { return c.module(ctx, &inputs[i]) }, func(i int, r fileStats) bool {
		if ctx.Err() != nil {
			return false // what was interrupted has no figures
		}
		more := add(i, r.shaders)
		if r.err != nil {
			if c.against == "" {
				c.report.error(r.err)
			}
			all = append(all, errReported{r.err})
		}
		return more && ctx.Err() == nil && (r.err == nil || c.keepGoing)
	})
	return errors.Join(all...)
}

// module compiles the entry points of a file, each for all targets and GPUs.
func (c *statsCommand) module(ctx context.Context, in *input) fileStats {
	r := fileStats{}
	fail := func(e nirc.EntryPoint, d device, err error) {
		s := figures.Shader{File: in.path, Entry: e.Name, Target: d.target, GPU: d.gpu, Error: reason(in.path, err)}
		if e.Stage != ir.StageNone {
			s.Stage = e.Stage.String()
		}
		r.shaders = append(r.shaders, s)
		r.err = errors.Join(r.err, err)
	}
	m, err := c.load(ctx, in, c.loadOptions(c.app))
	var list []variant
	if err == nil {
		list, err = variants(m, in, c.entry, c.stage, c.spec)
	}
	if err != nil {
		fail(nirc.EntryPoint{}, device{target: strings.Join(c.targets, ",")}, err)
		return r
	}
	for i := range list {
		for _, d := range c.devices() {
			s, err := c.shader(ctx, in, m, &list[i], d)
			if err != nil {
				fail(list[i].EntryPoint, d, err)
				continue
			}
			r.shaders = append(r.shaders, *s)
		}
	}
	return r
}

// reason is an error's text without what a diagnostic begins with.
func reason(path string, err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), path+": "), "error: ")
}

// shader compiles one entry point, several times if times are asked for.
func (c *statsCommand) shader(ctx context.Context, in *input, m *nirc.Module, v *variant, d device) (*figures.Shader, error) {
	o := c.base
	o.Target, o.GPU = d.target, d.gpu
	o.File, o.Entry, o.Stage, o.Spec = in.path, v.Name, v.Stage, v.spec
	o.Next, o.Layout = v.follows(o.Next), v.layoutOr(o.Layout)
	v.asked(&o)
	s := &figures.Shader{File: in.path, Entry: v.label}
	for i := range max(1, c.repeat) {
		start := time.Now()
		d, bound, err := documentOf(ctx, m, o, c.repeat == 0 && c.against == "")
		if err != nil {
			return nil, err
		}
		us := float64(time.Since(start).Nanoseconds()) / 1000
		if c.repeat > 0 && (i == 0 || us < s.Micros) {
			s.Micros = us
		}
		s.Stage, s.Target, s.GPU, s.Stats, s.Bound = d.Stage, d.Target, d.GPU, d.Stats, bound
	}
	return s, nil
}

// documentOf compiles a shader and describes it; the target ir has no code. With modelled come the figures of
// the cost model, and what bounds the shader in words.
func documentOf(ctx context.Context, m *nirc.Module, o nirc.Options, modelled bool) (d *figures.Document, bound string, err error) {
	u, err := nirc.New(o)
	if err != nil {
		return nil, "", err
	}
	if err := u.Translate(ctx, m); err != nil {
		return nil, "", err
	}
	if err := u.Optimize(ctx); err != nil {
		return nil, "", err
	}
	if u.Target() == nirc.IRTarget {
		return figures.UnitDocument(o.File, u), "", nil
	}
	if !modelled {
		obj, err := u.Generate(ctx)
		if err != nil {
			return nil, "", err
		}
		return figures.NewDocument(o.File, obj), "", nil
	}
	obj, p, loops, err := u.GenerateCosted(ctx)
	if err != nil {
		return nil, "", err
	}
	s := costs.New(o.File, o.Entry, obj, p, loops)
	d = figures.NewDocument(o.File, obj)
	d.Stats = append(slices.Clone(d.Stats), s.Figures()...)
	return d, s.Verdict(), nil
}

// runAgainst is --against.
func (c *statsCommand) runAgainst(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return nirc.Usagef("--against: want one directory")
	}
	f, err := os.Open(c.against)
	if err != nil {
		return &nirc.IOError{Err: err}
	}
	defer f.Close()
	base, err := figures.ReadBaseline(f)
	if err != nil {
		return placed(nirc.Diagnose(err, c.against, ""))
	}
	target, gpu := figures.BaselineTarget(c.against)
	if !cmd.Flags().Changed("target") && target != "" {
		c.target = target
	}
	if !cmd.Flags().Changed("gpu") && gpu != "" && c.target == target {
		c.gpu = gpu
	}
	if len(strings.Split(c.target, ",")) > 1 || c.target == "all" {
		return nirc.Usagef("--against: a baseline is of one target, not of %s", c.target)
	}
	if b, err := nirc.Backend(c.target); err == nil && backend.HasABI(b, nirc.SeparateABI) && !cmd.Flags().Changed("abi") {
		c.abi = nirc.SeparateABI // the baseline counts main parts
	}
	if err := c.setup(); err != nil {
		return err
	}
	ours := make([]*figures.Shader, len(base.Rows))
	var inputs []input
	var rows []int // of each input
	for i := range base.Rows {
		path := filepath.Join(args[0], filepath.FromSlash(base.Rows[i].File))
		if _, err := os.Stat(path); err == nil {
			inputs = append(inputs, input{path: path, rel: base.Rows[i].File})
			rows = append(rows, i)
		}
	}
	if len(inputs) == 0 {
		return nirc.Usagef("--against: none of the baseline's %d files is in %s", len(base.Rows), args[0])
	}
	c.keepGoing = true
	bar := c.progress(len(inputs))
	defer bar.close()
	c.collect(cmd.Context(), inputs, func(i int, list []figures.Shader) bool {
		ours[rows[i]] = ofStage(list, base.Rows[rows[i]].Stage)
		bar.step()
		return true
	})
	bar.close()
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	a := figures.Compare(base, ours, c.worst)
	return c.present(&c.shared, againstReport{head{1, "nirc stats --against"}, a}, againstSheet(a), func(w io.Writer) error { return a.Write(w, c.by) })
}

// againstReport is the JSON document of --against.
type againstReport struct {
	head
	*figures.Against
}

// againstSheet has a row a figure.
func againstSheet(a *figures.Against) *sheet {
	t := &sheet{columns: []string{"figure", "ours", "theirs", "ratio_total", "ratio_geomean", "lower", "higher", "ratios"}}
	for i := range a.Columns {
		x := &a.Columns[i]
		t.add(x.Name, x.Ours, x.Theirs, x.Total, x.GeoMean, x.Lower, x.Higher, x.Ratios)
	}
	return t
}

// ofStage picks the shader of a baseline's row: main, or the first, of its
// stage, or of any if the row does not know it; a file that could not be read stands for itself.
func ofStage(list []figures.Shader, stage string) *figures.Shader {
	want, err := parseStage(stage)
	var found *figures.Shader
	for i := range list {
		s := &list[i]
		if err == nil && s.Stage != "" && s.Stage != want.String() {
			continue
		}
		if found == nil || found.Entry != "main" && s.Entry == "main" {
			found = s
		}
	}
	return found
}
