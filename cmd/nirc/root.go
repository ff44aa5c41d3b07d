package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"nirc"

	"github.com/spf13/cobra"
)

// streams are the standard streams of a run.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// app is one run of the program.
type app struct {
	streams
	report   reporter
	config   string   // --config
	color    string   // --color
	reports  []string // --report
	diagForm string   // --diagnostics-format
	quiet    bool     // --quiet
	more     bool     // --verbose
	alone    bool     // the command tree has one command
	// inputBytes is how large the files are that arguments name; those of directories and patterns are not counted.
	inputBytes int64
	preset     map[string]bool // flags that the environment or the file has set, not the command line
}

// run executes a command line and returns the exit code.
func run(ctx context.Context, args []string, s streams) int {
	out := &watchedOut{w: s.out}
	s.out = out
	a := &app{streams: s}
	a.report = reporter{w: s.err}
	args, err := expandResponses(args, 0)
	if err != nil {
		a.report.error(err)
		return exitCode(err)
	}
	root := a.rootFor(args)
	root.SetArgs(longDeps(args))
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	if err = root.ExecuteContext(ctx); err == nil {
		err = ioError(out.err) // what help and completion do not look at
	}
	if err != nil {
		a.report.json = a.diagForm == "json" || wantsJSON(args) // a wrong flag is found before the setup
		a.report.error(err)
	}
	if e := a.writeReports(); e != nil {
		a.report.error(e)
		err = errors.Join(err, e)
	}
	return exitCode(err)
}

// watchedOut is standard output, which remembers that a write has failed.
type watchedOut struct {
	w   io.Writer
	err error
}

// terminal reports whether standard output is one.
func (o *watchedOut) terminal() bool {
	f, ok := o.w.(*os.File)
	return ok && isTerminal(f)
}

func (o *watchedOut) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

const rootLong = `nirc compiles SPIR-V shaders to machine code for Adreno (ir3), AGX and Midgard GPUs.

"nirc FILE…" is "nirc compile FILE…". An argument @FILE stands for the arguments in FILE. Every
flag can also come from the environment (NIRC_TARGET=ir3 for --target) or from nirc.yaml in the
working directory (target: ir3); the command line wins over the environment, that over the file.

Exit codes: 0 done; 1 the input or the target says no; 2 usage; 3 input or output failed; 5 an
error of nirc itself (NIRC_BACKTRACE=1 shows where, and a file nirc-repro-….txtar has what it
takes to see it again); 130 stopped by Ctrl-C or SIGTERM.`

// subcommand is one of nirc's.
type subcommand struct {
	name string
	of   func() *cobra.Command
	// wide: it looks at other commands.
	wide bool
}

// commands lists them as the help does.
func (a *app) commands() []subcommand {
	return []subcommand{
		{"compile", a.compile, false}, {"opt", a.opt, false}, {"disasm", a.disasm, false}, {"asm", a.asm, false}, {"amber", a.amber, false},
		{"bisect", a.bisectScript, false}, {"reduce", a.reduce, false}, {"passes", a.passesCommand, false}, {"targets", a.targetsCommand, false},
		{"ops", a.ops, false}, {"run", a.runShader, false}, {"reflect", a.reflect, false}, {"stats", a.stats, false}, {"cost", a.cost, false},
		{"report", a.reportPages, false}, {"cache", a.cache, false}, {"foz", a.foz, false}, {"link", a.link, false},
		{"config", a.configCommand, true}, {"init", a.init, false}, {"man", a.man, true}, {"version", a.version, false},
	}
}

// root builds the command tree.
func (a *app) root() *cobra.Command { return a.rootFor(nil) }

// rootFor is root for one command line. If that begins with the name of a command, no other is built: all of them
// together have a thousand flags, which took a twentieth of the time of compiling one small shader.
func (a *app) rootFor(line []string) *cobra.Command {
	list := a.commands()
	i := slices.IndexFunc(list, func(c subcommand) bool { return len(line) > 0 && c.name == line[0] && !c.wide })
	if a.alone = i >= 0; a.alone {
		root := a.bareRoot()
		root.AddCommand(list[i].of())
		visitCommands(root, checkArgs)
		addExamples(root)
		return root
	}
	root := a.bareRoot()
	compile := &compileCommand{app: a}
	compile.flags(root.Flags())
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nirc.Usagef("no input file; see nirc --help")
		}
		// A word that is no file is more likely a command spelt wrongly.
		if _, err := os.Stat(args[0]); err != nil && !strings.ContainsAny(args[0], "./*?@-") {
			hint := ""
			if list := cmd.SuggestionsFor(args[0]); len(list) > 0 {
				hint = "; did you mean " + strings.Join(list, " or ") + "?"
			}
			return nirc.Usagef("no command and no file %q%s", args[0], hint)
		}
		return compile.run(cmd, args)
	}
	for _, c := range list {
		root.AddCommand(c.of())
	}
	root.InitDefaultCompletionCmd()
	visitCommands(root, checkArgs)
	addCompletions(root)
	addExamples(root)
	return root
}

// bareRoot is the root of the command tree, with the flags of all commands.
func (a *app) bareRoot() *cobra.Command {
	root := &cobra.Command{
		Use: "nirc FILE…", Short: "Compile SPIR-V shaders for Adreno, AGX and Midgard", Long: rootLong, Version: nirc.Version,
		SilenceErrors: true, SilenceUsage: true, Args: cobra.ArbitraryArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.configure(cmd); err != nil {
				return err
			}
			if err := a.report.reports(a.reports, cmd.Name() == "amber"); err != nil {
				return err
			}
			return a.report.setup(a.diagForm, a.color)
		},
	}
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 100")) // columns
	root.SetVersionTemplate("nirc {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return nirc.Usagef("%s%s; see %s --help", flagText(err), suggestFlag(cmd, err), cmd.CommandPath())
	})
	root.SetHelpCommand(helpCommand())
	root.SuggestionsMinimumDistance = 2
	p := root.PersistentFlags()
	p.StringVar(&a.config, "config", "", "read settings from this `FILE` and not from nirc.yaml")
	p.StringVar(&a.color, "color", "auto", "colour in diagnostics: auto, always or never (NO_COLOR is honoured)")
	p.StringVar(&a.diagForm, "diagnostics-format", "text", "form of diagnostics: text or json, one object a line")
	p.StringArrayVar(&a.reports, "report", nil, "write all diagnostics to a file when all is done, `FORM=FILE`: sarif, gitlab (Code Quality), github (annotations; - for standard output), summary (Markdown) or, of nirc amber, junit")
	p.BoolVarP(&a.quiet, "quiet", "q", false, "say errors alone: no warnings, no progress")
	p.BoolVarP(&a.more, "verbose", "v", false, "say what each compile did and how long it took; in listings, also what the short form leaves out")
	for name, list := range map[string][]string{"color": {"auto", "always", "never"}, "diagnostics-format": {"text", "json"}} {
		flag := p.Lookup(name)
		flag.Value = checked{flag.Value, choice(list...)}
	}
	return root
}
