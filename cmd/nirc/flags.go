package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"nirc"
	"nirc/internal/emu"
	"nirc/ir"

	"github.com/spf13/pflag"
)

// shared are the values of the flags that several commands have. A command embeds it, declares the groups that it
// takes, and reads them with settle.
type shared struct {
	target, gpu, level                   string
	entry, stageName, nextName, env, abi string
	stateFile, layoutFile                string
	frontEnd, language                   string
	spec, macros, includes               []string
	preIncludes                          []string
	debug, dispatchBase, verify          bool
	sampleShading, multiview, points     bool
	passes, pipeline, robust             string
	workgroupSize                        string
	localMemory                          uint32
	safeConsts                           bool
	hardFaults                           bool
	disable, uniforms                    []string

	dumpBefore, dumpAfter         []string
	printChanged, cfg, timePasses bool
	bisect, startBefore, stopAt   string

	jobs      int
	keepGoing bool

	lenient bool
	seed    uint64
	timeout time.Duration
	profile profileFlags

	format  string
	asJSON  bool
	output  string
	columns []string
	worst   int
	hex     bool

	manifests, failOn, matrices []string
	dryRun                      bool

	remote remoteFlags

	set *pflag.FlagSet

	// What settle makes of them.
	base    nirc.Options
	stage   ir.Stage
	targets []string
	gpus    map[string][]string // by target; those that are absent take their default
}

// sharedFlag declares one flag. Its name, its grammar, its default and its help are the same in all commands.
type sharedFlag struct {
	name, short string
	// value is where it goes; what stands there by then is its default.
	value func(*shared) any
	def   any
	// check refuses values, before anything is done: of a file with its line.
	check func(string) error
	// words says that each use of the flag is one value; else commas separate the values of a list.
	words bool
	help  string
}

// sharedFlags are all flags that more than one command has; a test sees to it. CONTRIBUTING.md says how to add one.
var sharedFlags = []sharedFlag{
	{name: "target", short: "t", value: func(s *shared) any { return &s.target }, def: nirc.DefaultTarget, check: checkTargets,
		help: "`TARGETS`, separated by commas: those of nirc targets, ir (no machine code), or all"},
	{name: "gpu", value: func(s *shared) any { return &s.gpu }, check: checkGPUs,
		help: "`GPUS`, separated by commas, or all; a target that has none of them takes its first (nirc targets)"},
	{name: "opt-level", short: "O", value: func(s *shared) any { return &s.level }, def: "2", check: checkLevel, help: "optimisation `LEVEL`: 0, 1, 2 or s"},

	{name: "entry", value: func(s *shared) any { return &s.entry }, help: "`NAME` of the entry point (default: all)"},
	{name: "stage", value: func(s *shared) any { return &s.stageName }, check: checkStage, help: "`STAGE` of the entry point, or of GLSL from standard input"},
	{name: "next", value: func(s *shared) any { return &s.nextName }, check: checkStage,
		help: "`STAGE` that follows in the pipeline, where code depends on it (nirc compile --help); what a database knows goes before"},
	{name: "spec", value: func(s *shared) any { return &s.spec }, words: true, check: checkSpec,
		help: "`ID=VALUE` (or NAME=VALUE) of a specialization constant, read by the constant's type"},
	{name: "target-env", value: func(s *shared) any { return &s.env }, check: checkEnv,
		help: "`ENV` that modules are for, as of glslc (vulkan1.0 … vulkan1.3) and spirv-as (spv1.0 … spv1.6): GLSL is compiled for it, modules of a later SPIR-V are refused"},
	{name: "define", short: "D", value: func(s *shared) any { return &macros{&s.macros, "-D"} }, check: checkDefine, help: "`NAME[=TEXT]`: a macro of GLSL"},
	{name: "undefine", short: "U", value: func(s *shared) any { return &macros{&s.macros, "-U"} }, check: checkDefine, help: "`NAME`: a macro of GLSL that is taken away again; -D and -U count in their order"},
	{name: "include", short: "I", value: func(s *shared) any { return &s.includes }, words: true, help: "`DIRECTORY` that GLSL's #include looks into"},
	{name: "pre-include", value: func(s *shared) any { return &s.preIncludes }, words: true, help: "`FILE` that GLSL includes before its own text (also -include)"},
	{name: "front-end", value: func(s *shared) any { return &s.frontEnd }, help: "compiler of GLSL: glslang, glslc or a `PATH` (default: glslangValidator, else glslc)"},
	{name: "language", short: "x", value: func(s *shared) any { return &s.language }, check: choice("glsl", "hlsl"), help: "`LANGUAGE` of files, whatever they are called: glsl or hlsl"},
	{name: "abi", value: func(s *shared) any { return &s.abi }, check: checkABI,
		help: "calling convention where the target has several: monolithic, separate, blend:FORMAT, cull:N, clip:N+M, linear:MASK or xfb"},
	{name: "state", value: func(s *shared) any { return &s.stateFile },
		help: "JSON `FILE` of the pipeline's state: what it says of the shader passes do, on every target (docs/state.md); targets that link parts make the whole shader for it (nirc link --help)"},
	{name: "inline-uniform", value: func(s *shared) any { return &s.uniforms }, check: checkUniforms,
		help: "`SET.BINDING+OFFSET=VALUE`, or push+OFFSET=VALUE: a word of a uniform buffer or of the push constants that is known, at an offset in bytes; code is made for it"},
	{name: "dispatch-base", value: func(s *shared) any { return &s.dispatchBase }, help: "compile for pipelines of vkCmdDispatchBase: workgroup ids count from a base"},
	{name: "workgroup-size", value: func(s *shared) any { return &s.workgroupSize }, check: checkWorkgroupSize,
		help: "`X,Y,Z`: the workgroup size of kernels that have none of their own (reqd_work_group_size)"},
	{name: "local-memory", value: func(s *shared) any { return &s.localMemory },
		help: "`BYTES` of workgroup memory for the arguments of kernels that point there (docs/abi.md)"},
	{name: "sample-shading", value: func(s *shared) any { return &s.sampleShading }, help: "compile for pipelines with sampleShadingEnable: fragment shaders run once a sample"},
	{name: "multiview", value: func(s *shared) any { return &s.multiview }, help: "compile for pipelines with a viewMask: input attachments are read at the view, not at the layer"},
	{name: "points", value: func(s *shared) any { return &s.points }, help: "compile for pipelines that draw points: a vertex shader that writes no size stores 1 where the hardware needs it (AGX)"},
	{name: "robust", value: func(s *shared) any { return &s.robust }, def: "off", check: checkRobust,
		help: "accesses out of bounds, by `KINDS`: off, buffer, buffer2, image, image2, or by kind, as in storage=buffer2,images=image2"},
	{name: "layout", value: func(s *shared) any { return &s.layoutFile },
		help: "JSON `FILE` of the pipeline's layout: where descriptors stand follows from it, without one from the numbers of bindings; what a database knows goes before"},
	{name: "safe-consts", value: func(s *shared) any { return &s.safeConsts },
		help: "ir3: keep to the consts that each of five stages may take, for a pipeline whose shaders have more than 512 vec4 together (640 without tessellation and geometry)"},
	{name: "hard-faults", value: func(s *shared) any { return &s.hardFaults },
		help: "AGX: compile for a driver that has soft faults off: preambles of draws read by no pointer, which may lead nowhere where nothing is drawn"},
	{name: "debug", short: "g", value: func(s *shared) any { return &s.debug }, help: "keep or show the lines of the source"},

	{name: "passes", value: func(s *shared) any { return &s.passes }, check: checkPasses, help: "run these `PASSES` and not the pipeline: a,b(opt=1),loop(c,d)"},
	{name: "pipeline", value: func(s *shared) any { return &s.pipeline }, help: "read the pipeline from this `FILE`"},
	{name: "disable-pass", value: func(s *shared) any { return &s.disable }, check: checkOptional, help: "leave out these optional `PASSES`"},
	{name: "verify-each", value: func(s *shared) any { return &s.verify }, help: "check the shader after each pass"},

	{name: "dump-before", value: func(s *shared) any { return &s.dumpBefore }, help: "dump the shader before these `PASSES`, or all"},
	{name: "dump-after", value: func(s *shared) any { return &s.dumpAfter }, help: "dump the shader after these `PASSES`, or all"},
	{name: "print-changed", value: func(s *shared) any { return &s.printChanged }, help: "dump the shader after each pass that changed it"},
	{name: "print-cfg", value: func(s *shared) any { return &s.cfg }, help: "show predecessors and successors of blocks in the IR's text"},
	{name: "time-passes", value: func(s *shared) any { return &s.timePasses }, help: "tell how long each pass took"},
	{name: "bisect-limit", value: func(s *shared) any { return &s.bisect }, help: "run only the first `N[.M]` optional passes (and M rewrites of the last)"},
	{name: "start-before", value: func(s *shared) any { return &s.startBefore }, check: checkStep, help: "leave out what stands before `PASS[:K]` (its K-th run)"},
	{name: "stop-after", value: func(s *shared) any { return &s.stopAt }, check: checkStep, help: "leave out what comes after `PASS[:K]`"},

	{name: "jobs", short: "j", value: func(s *shared) any { return &s.jobs }, def: runtime.GOMAXPROCS(0), check: checkJobs, help: "`N` files or scripts at a time, on N processors at most"},
	{name: "keep-going", value: func(s *shared) any { return &s.keepGoing }, def: true, help: "go on with the others after one that is refused"},

	{name: "remote-cache", value: func(s *shared) any { return &s.remote.urls }, words: true,
		help: "`URL` of a cache to share: http(s)://, grpc(s):// (Remote Execution API), file:FOLDER; several are asked one after the other"},
	{name: "remote-header", value: func(s *shared) any { return &s.remote.headers }, words: true, help: "`NAME=VALUE` to send with each call"},
	{name: "remote-upload", value: func(s *shared) any { return &s.remote.upload }, def: true, help: "store in the remote cache what was compiled"},
	{name: "remote-download", value: func(s *shared) any { return &s.remote.download }, def: true, help: "take from the remote cache what is there"},
	{name: "remote-required", value: func(s *shared) any { return &s.remote.required }, help: "a fault of the remote cache is an error, not a miss"},
	{name: "remote-cache-compression", value: func(s *shared) any { return &s.remote.compress }, help: "upload zstd over HTTP, to servers that understand it (gRPC servers say so themselves)"},
	{name: "remote-instance-name", value: func(s *shared) any { return &s.remote.instance }, help: "`NAME` of the instance, of the Remote Execution API"},
	{name: "remote-token-file", value: func(s *shared) any { return &s.remote.tokenFile }, help: "`FILE` with the bearer's token (or the variable " + tokenVariable + ")"},
	{name: "tls-certificate", value: func(s *shared) any { return &s.remote.ca }, help: "`FILE` of certificates to trust, in place of the system's"},
	{name: "tls-client-certificate", value: func(s *shared) any { return &s.remote.certificate }, help: "`FILE` of our certificate"},
	{name: "tls-client-key", value: func(s *shared) any { return &s.remote.keyFile }, help: "`FILE` of its key"},
	{name: "remote-timeout", value: func(s *shared) any { return &s.remote.timeout }, def: 5 * time.Second, help: "time for a call"},
	{name: "remote-retries", value: func(s *shared) any { return &s.remote.retries }, def: 2, help: "how often to try again where that may help"},

	{name: "lenient", value: func(s *shared) any { return &s.lenient },
		help: "memory, registers and outputs start as zeros, waves run in order, and what hardware would punish passes"},
	{name: "seed", value: func(s *shared) any { return &s.seed }, def: uint64(1),
		help: "`N` chooses the garbage that unwritten memory, registers and outputs hold, and the order of waves and workgroups"},
	{name: "timeout", value: func(s *shared) any { return &s.timeout }, def: 2 * time.Minute, help: "time for each run, 0 for no limit"},
	{name: "profile", value: func(s *shared) any { return &s.profile.file }, help: "write what the core executed to this `FILE.pb.gz`, for go tool pprof"},
	{name: "counts", value: func(s *shared) any { return &s.profile.counts }, help: "print what the core executed in short, by program and line of the source"},

	{name: "format", value: func(s *shared) any { return &s.format }, def: "table", check: checkFormat, help: "form of the report: table, json, csv or markdown"},
	{name: "json", value: func(s *shared) any { return &s.asJSON }, help: "short for --format json"},
	{name: "output", short: "o", value: func(s *shared) any { return &s.output }, help: "write to this `FILE`, or - for standard output"},
	{name: "columns", value: func(s *shared) any { return &s.columns }, check: checkFigures, help: "these `FIGURES` only, or all (nirc stats --explain all)"},
	{name: "worst", value: func(s *shared) any { return &s.worst }, def: 10, help: "list `N` shaders of each kind"},
	{name: "fail-on", value: func(s *shared) any { return &s.failOn }, words: true, help: "`'NAME>N[%]'`: exit with 1 if the figure got worse by more"},
	{name: "manifest", value: func(s *shared) any { return &s.manifests }, words: true, help: "read what is wanted from this `FILE`; may be given several times"},
	{name: "matrix", value: func(s *shared) any { return &s.matrices }, words: true,
		help: "compile the permutations of this YAML `FILE`: sources, macros, constants, targets (docs/cli/formats.md); may be given several times"},
	{name: "dry-run", value: func(s *shared) any { return &s.dryRun }, help: "list what --matrix asks for, and compile nothing"},
	{name: "hex", value: func(s *shared) any { return &s.hex }, help: "one encoding a line in, one line of assembly out, or the other way round"},
}

// Groups of flags that commands declare together.
var (
	targetFlags  = []string{"target", "gpu"}
	choiceFlags  = []string{"opt-level", "passes", "pipeline", "disable-pass", "verify-each", "dispatch-base", "workgroup-size", "local-memory", "sample-shading", "multiview", "points", "safe-consts", "hard-faults", "robust", "layout"}
	frontFlags   = []string{"entry", "stage", "spec", "target-env", "define", "undefine", "include", "pre-include", "front-end", "language"}
	moduleFlags  = append(slices.Clone(frontFlags), "next", "abi", "state", "inline-uniform", "debug")
	compileFlags = slices.Concat(targetFlags, choiceFlags, moduleFlags) // every command that compiles modules takes these
	watchFlags   = []string{"dump-before", "dump-after", "print-changed", "print-cfg", "time-passes", "bisect-limit", "start-before", "stop-after"}
	batchFlags   = []string{"jobs", "keep-going"}
	coreFlags    = []string{"lenient", "seed", "timeout"}
	countFlags   = []string{"profile", "counts"}
	reportFlags  = []string{"format", "json"}
	matrixFlags  = []string{"matrix", "dry-run"}
)

// declare gives a command the flags of groups.
func (s *shared) declare(f *pflag.FlagSet, groups ...[]string) {
	s.set = f
	for _, g := range groups {
		for _, name := range g {
			i := slices.IndexFunc(sharedFlags, func(d sharedFlag) bool { return d.name == name })
			sharedFlags[i].declare(s, f)
		}
	}
}

// declareOutput declares -o, whose help and default are the command's own.
func (s *shared) declareOutput(f *pflag.FlagSet, def, help string) {
	s.declare(f, []string{"output"})
	flag := f.Lookup("output")
	s.output, flag.DefValue, flag.Usage = def, def, help
}

func (d *sharedFlag) declare(s *shared, f *pflag.FlagSet) {
	switch p := d.value(s).(type) {
	case *string:
		def, _ := d.def.(string)
		f.StringVarP(p, d.name, d.short, def, d.help)
	case *bool:
		def, _ := d.def.(bool)
		f.BoolVarP(p, d.name, d.short, def, d.help)
	case *int:
		def, _ := d.def.(int)
		f.IntVarP(p, d.name, d.short, def, d.help)
	case *uint32:
		f.Uint32VarP(p, d.name, d.short, 0, d.help)
	case *uint64:
		def, _ := d.def.(uint64)
		f.Uint64VarP(p, d.name, d.short, def, d.help)
	case *time.Duration:
		def, _ := d.def.(time.Duration)
		f.DurationVarP(p, d.name, d.short, def, d.help)
	case *[]string:
		if d.words {
			f.StringArrayVarP(p, d.name, d.short, nil, d.help)
		} else {
			f.StringSliceVarP(p, d.name, d.short, nil, d.help)
		}
	case pflag.Value:
		f.VarP(p, d.name, d.short, d.help)
	default:
		panic(fmt.Sprintf("flag %s: %T", d.name, p))
	}
	if d.check != nil {
		flag := f.Lookup(d.name)
		flag.Value = checked{flag.Value, d.check}
		flag.DefValue = strings.Trim(flag.DefValue, "[]") // a list that is empty is no default to show
	}
}

// settle reads the flags that choose what is compiled. The command has the groups targetFlags and choiceFlags.
func (s *shared) settle(a *app) (err error) {
	if s.base, err = s.options(""); err != nil {
		return err
	}
	s.base.ABI, s.base.Debug = s.abi, s.debug
	if a.more {
		s.base.Log = a.logger()
	}
	s.stage, s.base.Next = stageOf(s.stageName), stageOf(s.nextName)
	if s.stateFile != "" {
		data, err := a.read(s.stateFile)
		if err != nil {
			return err
		}
		if s.base.State, err = nirc.ReadState(s.stateFile, data); err != nil {
			return err
		}
	}
	return s.chooseTargets(a)
}

// loadOptions say how modules are read.
func (s *shared) loadOptions(a *app) nirc.FileOptions {
	return nirc.FileOptions{Stdin: a.in, Stage: s.stage, Debug: s.debug, Env: s.env, Entry: s.entry,
		Macros: s.macros, Include: s.includes, PreInclude: s.preIncludes, FrontEnd: s.frontEnd, Language: s.language}
}

// limits say how merciless the emulator is.
func (s *shared) limits() emu.Limits { return emu.Limits{Check: !s.lenient, Seed: s.seed} }

// macros is the value of -D and of -U, which are kept together in their order.
type macros struct {
	list *[]string
	flag string
}

// Set takes one more.
func (m *macros) Set(v string) error {
	*m.list = append(*m.list, m.flag+v)
	return nil
}

// Type is that of flags each use of which is one value.
func (m *macros) Type() string { return "stringArray" }

// String shows those of the flag.
func (m *macros) String() string {
	if m.list == nil {
		return "[]" // of the zero value, which pflag asks for defaults
	}
	var own []string
	for _, w := range *m.list {
		if v, ok := strings.CutPrefix(w, m.flag); ok {
			own = append(own, v)
		}
	}
	return "[" + strings.Join(own, ",") + "]"
}
