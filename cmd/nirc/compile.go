package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"nirc"
	"nirc/cache"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// compileCommand is `nirc compile`, and `nirc FILE…`.
type compileCommand struct {
	*app
	shared
	emit         string
	assembly     bool // -S
	stats, rules bool
	link         bool // the stages of pipelines together

	emitSet  bool
	writeOut bool            // an artefact is to be written
	outDir   bool            // -o is a directory
	template string          // -o with {fields}
	perFile  int             // jobs of one file
	inputs   map[string]bool // cleaned paths
	reals    realPaths
	planned  map[string]string // outputs whose names are known to overwrite no input, of which
	outputs  map[string]string // what was written where
	folder   folder            // of the output before
	planning int               // jobs
	deps     depFlags
	pack     compilePack

	cacheAt string // --cache
	remotes *remotes
	builder *cache.Builder // nil if all is compiled
	kept    nirc.FrontEndStore

	stdinOnce sync.Once
	stdinData []byte
	stdinErr  error
}

const compileLong = `Compile shaders: SPIR-V (binary of either byte order, or assembly), the IR's text form, Fossilize
databases, or GLSL if glslangValidator or glslc is installed. What a file is, its contents tell;
only GLSL goes by the extension (.vert .frag .comp …). - is standard input. A directory stands for
the shaders below it (links to directories there are not followed), a pattern
('shaders/**/*.frag') for the files that fit, and @FILE for the arguments in FILE, quoted as in a
shell. Every entry point is compiled unless --entry or --stage choose.

Without -o, shader.spv becomes shader.ir3.o in the working directory, shader.frag becomes
shader.frag.ir3.o, an entry point of several shader.NAME.ir3.o, one of several GPUs of a target
shader.ir3.a740.o, and standard input goes to standard output. -o DIR/ puts these names into a
directory, files found below a directory keep their path there; -o - writes to standard output.
-o NAME.pak puts all objects into one archive, as nirc cache pack makes it, by FILE:ENTRY, target
and GPU: the fastest output, for a new file costs a system as much as a small shader costs here.
An -o with {stem}, {name}, {dir}, {entry}, {stage}, {target}, {gpu} or {ext} is a template: -o
'out/{stem}.{entry}.{target}.{ext}'. An output is there whole or not at all. Outputs and
diagnostics come in the order of the inputs whatever -j is.

When a flag asks for a look inside (--dump-…, --print-changed, --time-passes, --stats,
--rule-stats) and neither -o nor --emit is given, nothing is written but what was asked for. What
is shown goes to standard output unless an artefact goes there, then to standard error.

-MD writes beside each output a rule for make, OUTPUT.d: the output depends on the input, on what
GLSL includes, and on --pipeline's file. -MF FILE names the file (for all rules), -MT NAME the
rule's target.

What --emit writes:
  obj     an ELF file: code, constants, and all else as a note (nirc disasm reads it)
  bin     the machine code only
  asm     the machine code disassembled, under -g with the lines of the source between; nirc asm
          assembles it again
  ir      the shader in the IR's text form after the target's passes
  json    one JSON document a shader: statistics, interface, layout
  map     the source map as JSON: machine code, IR, SPIR-V id, line of the source
  spvasm  the SPIR-V module disassembled

With --cache DIRECTORY what a cache of nirc cache build has is not compiled; outputs are the same
bytes. It is left aside where a flag asks to look inside, or for --emit ir, map and spvasm.

--matrix FILE compiles permutations that a YAML file lists: sources, macros, specialization
constants, targets and GPUs, with names, of which the outputs' are made (docs/cli/formats.md).

--next says which stage follows in the pipeline, where code depends on it: on ir3 tess_ctrl and
geometry take over the threads, on agx vertex and evaluation shaders before them become compute.

--link compiles the shaders of all files as the stages of one graphics pipeline, in any order, and
those of a Fossilize database pipeline by pipeline (HASH.STAGE.ir3.o): varyings that nobody reads
go, constants and uniform values move to the stage that reads them, and the rest is packed. --next
follows from the stages. Inputs that the stage before does not write are told.

The target "ir" runs the passes that all targets share, for --emit ir and json.`

func (a *app) compile() *cobra.Command {
	c := &compileCommand{app: a}
	cmd := &cobra.Command{Use: "compile FILE|DIR…", Short: "Compile shaders", Long: compileLong, Args: c.someInput, RunE: c.run}
	c.flags(cmd.Flags())
	return cmd
}

func (c *compileCommand) flags(f *pflag.FlagSet) {
	c.declare(f, compileFlags, watchFlags, batchFlags)
	c.declareOutput(f, "", "write to this `FILE`, DIR/, template or - for standard output")
	f.StringVar(&c.emit, "emit", "obj", "what to write: obj, bin, asm, ir, json, map or spvasm")
	f.Lookup("emit").Value = checked{f.Lookup("emit").Value, choice(emitKinds()...)}
	f.BoolVarP(&c.assembly, "assembly", "S", false, "write assembly, as of compilers of C: --emit asm")
	f.BoolVar(&c.link, "link", false, "link the shaders as the stages of one pipeline, those of a database as its pipelines")
	f.BoolVar(&c.stats, "stats", false, "show statistics of the code")
	f.BoolVar(&c.rules, "rule-stats", false, "count how often each algebraic rule fired")
	f.StringVar(&c.cacheAt, "cache", "", "take objects from the cache in this `DIRECTORY`, or at a URL, and store there what it does not have")
	c.declare(f, remoteNames, matrixFlags)
	c.deps.add(f)
}

// emits are the kinds of artefacts and the endings of their names.
var emits = []struct{ kind, ending string }{{"obj", "o"}, {"bin", "bin"}, {"asm", "asm"}, {"ir", "nir"}, {"json", "json"}, {"map", "map.json"}, {"spvasm", "spvasm"}}

// someInput wants files, unless a matrix names them.
func (c *compileCommand) someInput(cmd *cobra.Command, args []string) error {
	if len(c.matrices) > 0 {
		return nil
	}
	return cobra.MinimumNArgs(1)(cmd, args)
}

func (c *compileCommand) run(cmd *cobra.Command, files []string) error {
	if err := c.check(cmd); err != nil {
		return err
	}
	if c.dryRun {
		list, err := c.dryPermutations(c.app)
		if err == nil {
			_, text := dryRun(list)
			err = c.writeFile("-", []byte(text))
		}
		return err
	}
	n, work, err := c.works(files)
	if err != nil {
		return err
	}
	defer useProcessors(c.jobs)()
	c.jobs = max(1, min(c.jobs, n))
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	var all []error
	total := newTotals(c)
	bar := c.progress(n)
	defer bar.close()
	useHugePages(n, c.inputBytes)
	ordered(n, c.jobs, c.together(n), func(i int) []*compiled { return work(ctx, i) }, func(_ int, list []*compiled) bool {
		bar.step()
		for _, r := range list {
			err := c.flush(r)
			total.add(r)
			if err != nil {
				c.report.error(err)
				all = append(all, err)
			}
			if err != nil && (!c.keepGoing && !damaged(err) || cmd.Context().Err() != nil) {
				cancel()
				return false
			}
		}
		return true
	})
	bar.close()
	all = append(all, c.finishRun(len(all) > 0)...)
	total.write(c.shown())
	if len(all) > 0 {
		return errReported{errors.Join(all...)}
	}
	return nil
}

// finishRun writes what belongs to the whole run and reports what fails then. Of a run that failed no archive is written
// without --keep-going.
func (c *compileCommand) finishRun(failed bool) []error {
	_, remote := c.remotes.close(&c.report)
	list := []error{remote}
	if c.keepGoing || !failed && remote == nil {
		list = append(list, c.writePack())
	}
	list = append(list, c.deps.finish(c.app))
	list = slices.DeleteFunc(list, func(err error) bool { return err == nil })
	for _, err := range list {
		c.report.error(err)
	}
	return list
}

// works are the pieces of work: files, or pipelines under --link.
func (c *compileCommand) works(files []string) (n int, work func(ctx context.Context, i int) []*compiled, err error) {
	if c.link {
		jobs, err := c.planLinks(files)
		return len(jobs), func(ctx context.Context, i int) []*compiled { return c.linkOne(ctx, jobs[i]) }, err
	}
	jobs, err := c.plan(files)
	return len(jobs), func(ctx context.Context, i int) []*compiled { return []*compiled{c.compileOne(ctx, &jobs[i])} }, err
}

// check reads the flags that do not depend on files.
func (c *compileCommand) check(cmd *cobra.Command) (err error) {
	if step := machineStep(c.stopAt); step != "" && !c.dumps() {
		c.dumpAfter = []string{step} // it is why one stops there
	}
	if err := c.checkAssembly(cmd.Flags().Changed("emit")); err != nil {
		return err
	}
	if err := c.settle(c.app); err != nil {
		return err
	}
	if err := c.checkEmit(); err != nil {
		return err
	}
	if c.emit == "map" && c.writeOut {
		c.debug, c.base.Debug = true, true
	}
	if c.writeOut && c.code() {
		if err := c.needCode(", so not what --emit " + c.emit + " writes (use --emit ir or json)"); err != nil {
			return err
		}
	}
	if err := c.deps.check(c.writeOut, c.output); err != nil {
		return err
	}
	if err := c.checkPack(); err != nil {
		return err
	}
	return c.openStore()
}

// checkAssembly makes --emit asm of -S, and notes whether either was given.
func (c *compileCommand) checkAssembly(emitSet bool) error {
	c.emitSet = emitSet || c.assembly
	if !c.assembly {
		return nil
	}
	if emitSet && c.emit != "asm" {
		return nirc.Usagef("-S and --emit %s: give one of them", c.emit)
	}
	c.emit = "asm"
	return nil
}

// checkEmit settles what to write, if anything, from --emit, -o, --stop-after
// and the flags that ask for a look inside.
func (c *compileCommand) checkEmit() error {
	c.writeOut = c.emitSet || c.output != "" || !c.dumps() && !c.stats && !c.rules
	if c.stopAt != "" && !c.emitSet {
		c.emit = "ir"
	}
	if step := machineStep(c.stopAt); step != "" && !c.emitSet {
		c.writeOut = false
		if c.output != "" {
			return nirc.Usagef("-o %s: --stop-after %s leaves nothing to write, only dumps", c.output, step)
		}
	} else if step != "" && c.emit == "ir" {
		return nirc.Usagef("--emit ir: %s is a machine step, after which there is no IR", step)
	}
	if c.stopAt != "" && c.emit != "ir" && c.emit != "spvasm" {
		return nirc.Usagef("--emit %s: --stop-after leaves no code", c.emit)
	}
	return nil
}

// code reports whether the artefact needs machine code.
func (c *compileCommand) code() bool {
	return c.emit == "obj" || c.emit == "bin" || c.emit == "asm" || c.emit == "map"
}

func (c *compileCommand) ending() string {
	for _, e := range emits {
		if e.kind == c.emit {
			return e.ending
		}
	}
	return ""
}

// shown is where dumps and statistics go.
func (c *compileCommand) shown() io.Writer {
	if c.writeOut && c.output == "-" {
		return c.err
	}
	return c.out
}

// isDir reports whether the output is a directory.
func (c *compileCommand) isDir() bool {
	if strings.HasSuffix(c.output, "/") {
		return true
	}
	st, err := os.Stat(c.output)
	return err == nil && st.IsDir()
}
