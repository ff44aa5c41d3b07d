package main

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"nirc"
	"nirc/ir"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// compileCommand is `nirc compile`, and `nirc FILE…`.
type compileCommand struct {
	*app
	runFlags
	output, emit, entry, stageName, abi string
	spec                                []string
	stats, debug, rules, keepGoing      bool
	jobs                                int

	base     nirc.Options // of every job
	stage    ir.Stage
	targets  []string
	gpus     map[string]string // by target
	emitSet  bool
	writeOut bool // an artefact is to be written

	stdinOnce sync.Once
	stdinData []byte
	stdinErr  error
}

const compileLong = `Compile shaders: SPIR-V (binary of either byte order, or assembly), the IR's text
form, or GLSL if glslangValidator or glslc is installed. What a file is, its
contents tell; only GLSL goes by the extension (.vert .frag .comp …). - is standard input.

Without -o, shader.spv becomes shader.ir3.o in the working directory, shader.frag becomes
shader.frag.ir3.o, and standard input goes to standard output. -o DIR/ puts these names
into a directory, -o - writes to standard output. When a flag asks for a look inside
(--dump-…, --print-changed, --time-passes, --stats, --rule-stats) and neither -o nor --emit is
given, nothing is written but what was asked for. What is shown goes to standard
output unless an artefact goes there, then to standard error.

What --emit writes:
  obj     an ELF file: code, constants, and all else as a note (nirc disasm reads it)
  bin     the machine code only
  asm     the machine code disassembled; nirc asm assembles it again
  ir      the shader in the IR's text form behind the target's passes
  json    one JSON document a shader: statistics, interface, layout
  spvasm  the SPIR-V module disassembled

The target "ir" runs the passes that all targets share, for --emit ir and json.`

func (a *app) compile() *cobra.Command {
	c := &compileCommand{app: a}
	cmd := &cobra.Command{Use: "compile FILE…", Short: "Compile shaders", Long: compileLong, Args: cobra.MinimumNArgs(1), RunE: c.run}
	c.flags(cmd.Flags())
	return cmd
}

func (c *compileCommand) flags(f *pflag.FlagSet) {
	c.targetFlags(f, nirc.DefaultTarget, "`TARGET`s, separated by commas: those of nirc targets, ir, or all")
	c.levelFlag(f, "2")
	c.passFlags(f)
	f.StringVarP(&c.output, "output", "o", "", "write to this `FILE`, DIR/ or - for standard output")
	f.StringVar(&c.emit, "emit", "obj", "what to write: obj, bin, asm, ir, json or spvasm")
	f.StringVar(&c.entry, "entry", "", "`NAME` of the entry point (default: the only one, or main)")
	f.StringVar(&c.stageName, "stage", "", "`STAGE` of the entry point, or of GLSL from standard input")
	f.StringArrayVar(&c.spec, "spec", nil, "`ID=VALUE` (or NAME=VALUE) of a specialization constant, read by the constant's type")
	f.StringVar(&c.abi, "abi", "", "calling convention where the target has several: monolithic or separate")
	f.BoolVar(&c.stats, "stats", false, "show statistics of the code")
	f.BoolVarP(&c.debug, "debug", "g", false, "keep source lines")
	f.BoolVar(&c.rules, "rule-stats", false, "count how often each algebraic rule fired")
	f.BoolVar(&c.keepGoing, "keep-going", false, "go on with the other files after an error")
	f.IntVarP(&c.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "`N` files at a time")
}

// emits are the kinds of artefacts and the endings of their names.
var emits = []struct{ kind, ending string }{{"obj", "o"}, {"bin", "bin"}, {"asm", "asm"}, {"ir", "nir"}, {"json", "json"}, {"spvasm", "spvasm"}}

func (c *compileCommand) run(cmd *cobra.Command, files []string) error {
	if err := c.check(cmd); err != nil {
		return err
	}
	jobs, err := c.plan(files)
	if err != nil {
		return err
	}
	c.jobs = max(1, min(c.jobs, len(jobs)))
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	var all []error
	total := newTotals(c)
	ordered(len(jobs), c.jobs, func(i int) *compiled { return c.compileOne(ctx, &jobs[i]) }, func(_ int, r *compiled) bool {
		err := c.flush(r)
		total.add(r)
		if err != nil {
			c.report.error(err)
			all = append(all, err)
		}
		if err != nil && (!c.keepGoing || cmd.Context().Err() != nil) {
			cancel()
			return false
		}
		return true
	})
	total.write(c.shown())
	if len(all) > 0 {
		return errReported{errors.Join(all...)}
	}
	return nil
}

// check reads the flags that do not depend on files.
func (c *compileCommand) check(cmd *cobra.Command) (err error) {
	if c.base, err = c.options(""); err != nil {
		return err
	}
	if c.stage, err = parseStage(c.stageName); err != nil {
		return err
	}
	c.emitSet = cmd.Flags().Changed("emit")
	c.writeOut = c.emitSet || c.output != "" || !c.dumps() && !c.stats && !c.rules
	if c.stopAt != "" && !c.emitSet {
		c.emit = "ir"
	}
	if c.ending() == "" {
		return nirc.Usagef("--emit %s: want obj, bin, asm, ir, json or spvasm", c.emit)
	}
	if c.stopAt != "" && c.emit != "ir" && c.emit != "spvasm" {
		return nirc.Usagef("--emit %s: --stop-after leaves no code", c.emit)
	}
	switch c.abi {
	case "", "monolithic", "separate":
	default:
		return nirc.Usagef("--abi %s: want monolithic or separate", c.abi)
	}
	for _, t := range strings.Split(c.target, ",") {
		if t == "all" {
			for _, t := range nirc.Targets() {
				c.targets = append(c.targets, t.Name)
			}
			continue
		}
		if t != nirc.IRTarget {
			if _, err := nirc.Backend(t); err != nil {
				return err
			}
		} else if c.writeOut && c.code() {
			return nirc.Usagef("--emit %s: target %s has no code (use --emit ir or json)", c.emit, t)
		}
		if !slices.Contains(c.targets, t) {
			c.targets = append(c.targets, t)
		}
	}
	return c.chooseGPUs()
}

// chooseGPUs gives each target the first GPU of --gpu that it has, or its
// default; each name must be of one of the targets.
func (c *compileCommand) chooseGPUs() error {
	c.gpus = make(map[string]string)
	if c.gpu == "" {
		return nil
	}
	for _, gpu := range strings.Split(c.gpu, ",") {
		var refused error
		found := false
		for _, t := range c.targets {
			if t == nirc.IRTarget {
				found = true
				continue
			}
			if err := nirc.CheckGPU(t, gpu); err != nil {
				refused = err
				continue
			}
			found = true
			if c.gpus[t] == "" {
				c.gpus[t] = gpu
			}
		}
		if !found {
			return refused
		}
	}
	return nil
}

// code tells whether the artefact needs machine code.
func (c *compileCommand) code() bool { return c.emit == "obj" || c.emit == "bin" || c.emit == "asm" }

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

// isDir tells whether the output is a directory.
func (c *compileCommand) isDir() bool {
	if strings.HasSuffix(c.output, "/") {
		return true
	}
	st, err := os.Stat(c.output)
	return err == nil && st.IsDir()
}
