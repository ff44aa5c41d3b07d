package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"nirc/internal/mangle"
)

// mangleLimit is what a command may take on a mangled input.
const mangleLimit = 20 * time.Second

// mangledInput is a file that commands read, or their command line.
type mangledInput struct {
	name string // of the file; "" of command lines
	base []byte
	text bool
	// lines are the command lines, one of which is run; without a name they are what is mangled.
	lines []string
	long  bool // only in long runs
	// writes: the text can name files that are written.
	writes bool
}

// mangleRoom is a directory with inputs of all kinds.
type mangleRoom struct {
	t      *testing.T
	inputs []mangledInput
}

// nirc runs a command line whose words have no spaces, in this process.
func (*mangleRoom) nirc(args []string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(context.Background(), args, streams{strings.NewReader(""), &out, &err})
	return code, out.String(), err.String()
}

// must runs a command line of the preparation.
func (m *mangleRoom) must(line string) string {
	m.t.Helper()
	code, out, err := m.nirc(strings.Fields(line))
	if code != 0 {
		m.t.Fatalf("nirc %s: %d\n%s", line, code, err)
	}
	return out
}

// file adds a kind of input that stands in a file, which a command of the preparation wrote.
func (m *mangleRoom) file(name string, text bool, lines ...string) {
	m.t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		m.t.Fatal(err)
	}
	m.inputs = append(m.inputs, mangledInput{name: name, base: data, text: text, lines: lines})
}

// write adds a kind of input whose text is given.
func (m *mangleRoom) write(name, text string, lines ...string) {
	m.inputs = append(m.inputs, mangledInput{name: name, base: []byte(text), text: true, lines: lines})
}

// specModule has specialization constants of all kinds.
//
//go:embed testdata/asm/spec_module.spvasm
var specModule string

// prepare makes the inputs in the working directory.
func (m *mangleRoom) prepare(modules []string) {
	for _, path := range modules {
		data, err := os.ReadFile(path)
		if err != nil {
			m.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Base(path), data, 0o666); err != nil {
			m.t.Fatal(err)
		}
	}
	m.write("spec.spvasm", specModule, "reflect spec.spvasm --spec 3=7", "compile spec.spvasm -t all --spec X=0.5 --spec 4=-1 --spec F=false -o out/")
	m.put(&m.inputs[0])
	m.objects()
	m.databases()
	m.settings()
	m.must("opt mandel.comp.spv -o mandel.nir")
	m.file("mandel.nir", true, "opt mandel.nir", "reflect mandel.nir", "run mandel.nir --dispatch 1 --buffer 0.0=u32:0*256 --push f32:0,0;f32:0.1;u32:16,20", "compile -t all mandel.nir -o out/")
	m.tables()
	for i := range m.inputs {
		m.inputs[i].writes = slices.Contains([]string{"args", "nirc.yaml.in"}, m.inputs[i].name)
	}
	m.commandLines()
}

var hexWord = regexp.MustCompile(`^[0-9a-f]{4,}$`)

// objects are what disasm and link read.
func (m *mangleRoom) objects() {
	m.must("compile -g mandel.comp.spv -t ir3,agx,midgard -o obj/")
	for _, t := range []string{"ir3", "agx", "midgard"} {
		m.must("compile mandel.comp.spv -t " + t + " --emit bin -o " + t + ".bin")
		m.must("compile mandel.comp.spv -t " + t + " --emit asm -o " + t + ".s")
		m.file("obj/mandel.comp."+t+".o", false, "disasm -g obj/mandel.comp."+t+".o", "disasm --verbose obj/mandel.comp."+t+".o")
		m.file(t+".bin", false, "disasm -t "+t+" "+t+".bin")
		m.file(t+".s", true, "asm -t "+t+" -o - "+t+".s")
		var code strings.Builder
		for _, line := range strings.Split(m.must("disasm --verbose obj/mandel.comp."+t+".o"), "\n") {
			if word := strings.Fields(line); len(word) > 2 && hexWord.MatchString(word[0]) && hexWord.MatchString(word[1]) {
				code.WriteString(word[1] + "\n")
			}
		}
		m.write(t+".hex", code.String(), "disasm --hex -t "+t+" "+t+".hex", "disasm --hex --verbose -t "+t+" "+t+".hex")
		if err := os.WriteFile(t+".hex", []byte(code.String()), 0o666); err != nil {
			m.t.Fatal(err)
		}
		m.write(t+".lines", m.must("disasm --hex -t "+t+" "+t+".hex"), "asm --hex -t "+t+" "+t+".lines")
	}
	m.must("compile -t agx --abi separate lit.vert.spv lit.frag.spv -o .")
	link := []string{"link lit.vert.agx.o --state state.json -o linked.o", "link lit.frag.agx.o --state state.json -o linked.o",
		"link lit.frag.agx.o --state state.json --parts part"}
	m.file("lit.vert.agx.o", false, link[0])
	m.file("lit.frag.agx.o", false, link[1:]...)
	m.write("state.json", `{"attributes": [
 {"location": 0, "format": "R32G32B32_SFLOAT", "stride": 12},
 {"location": 1, "format": "R32G32B32_SFLOAT", "stride": 12, "divisor": 1},
 {"location": 2, "format": "R16G16_SFLOAT", "stride": 4}],
 "fragment": {"targets": [
 {"format": "R8G8B8A8_UNORM", "blend": {"WriteMask": 15}},
 {"format": "R32_UINT", "blend": {"WriteMask": 1}}],
 "samples": 1}}
`, link...)
}

// databases are Fossilize's and the cache's.
func (m *mangleRoom) databases() {
	m.must("foz pack -o all.foz mandel.comp.spv lit.vert.spv lit.frag.spv")
	m.file("all.foz", false, "foz ls all.foz", "foz extract all.foz -o extracted", "compile all.foz --keep-going -o out/", "stats all.foz", "reflect --json all.foz")
	m.must("foz extract all.foz -o manifest")
	m.file("manifest/manifest", true, "cache build --dir built --manifest manifest/manifest", "cache build --dir built --manifest manifest/manifest --shard 1/2")
	m.must("cache build --modules --dir cache mandel.comp.spv lit.frag.spv")
	m.must("cache export --dir cache cache.pack")
	m.file("cache.pack", false, "cache import --dir imported cache.pack")
	uses := []string{"cache verify --dir cache --sample 1", "cache stats --dir cache", "cache export --dir cache -", "cache merge --dir merged cache"}
	entries, err := filepath.Glob("cache/*/*")
	if err != nil {
		m.t.Fatal(err)
	}
	for _, path := range entries {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			m.file(path, false, uses...)
		}
	}
}

// settings are pipelines, configurations, matrices and response files.
func (m *mangleRoom) settings() {
	m.write("pipeline.yaml", m.must("passes --file"), "passes -t ir3 --pipeline pipeline.yaml", "compile mandel.comp.spv --pipeline pipeline.yaml -o out/",
		"opt lit.frag.spv --pipeline pipeline.yaml -t midgard")
	passes := regexp.MustCompile(`(?m)^# passes: .*\n`) // to run none is a choice as well
	config := strings.ReplaceAll(passes.ReplaceAllString(m.must("config show compile"), ""), "# ", "")
	m.write("nirc.yaml.in", config, "config show --config nirc.yaml.in", "compile --config nirc.yaml.in mandel.comp.spv", "targets --config nirc.yaml.in")
	m.write("matrix.yaml", "schema: 1\nprograms:\n  - sources: [mandel.comp.spv, lit.frag.spv]\n    name: \"{stem}_{a}\"\n    include: [inc]\n    stage: fragment\n    defines: {a: {b: [A=1, -UB], c: []}}\n"+
		"    spec:\n      s:\n        t: [0=1, N=2]\n        u: []\n    targets: [ir3, agx]\n    gpus: [a740]\n    skip:\n      - {a: b, target: agx}\n", "cache build --dir cache --dry-run --matrix matrix.yaml",
		"compile --dry-run --matrix matrix.yaml")
	m.write("args", "-t 'ir3'\n-O 2 --entry \"main\" # words\nspec.spvasm\n--spec N=1 -o out/{stem}.{entry}.{target}.{ext}\n", "@args", "compile @args")
}

// tables are what stats compares with.
func (m *mangleRoom) tables() {
	m.write("base.json", m.must("stats mandel.comp.spv lit.frag.spv --format json"), "stats diff base.json base.json", "stats diff base.json fresh.json")
	m.must("stats mandel.comp.spv lit.frag.spv --format json") // shows that it is repeated
	if err := os.WriteFile("fresh.json", []byte(m.must("stats mandel.comp.spv lit.frag.spv --format json")), 0o666); err != nil {
		m.t.Fatal(err)
	}
	m.write("ir3-a630.tsv", "file\tstage\tstatus\tcompile_us\tstats\nmandel.comp.spv\tcomp\tok\t100\tinst=50;nops=3;max_reg=4;constlen=8\nlit.frag.spv\tfrag\tok\t77\tinst=70;nops=9;max_reg=5;constlen=4\n",
		"stats . --against ir3-a630.tsv", "stats . --against ir3-a630.tsv --by inst,nops --worst 2")
	m.write("module.spvasm", m.must("compile mandel.comp.spv --emit spvasm -o -"), "compile module.spvasm --emit map -o -", "reflect module.spvasm")
	if _, err := exec.LookPath("false"); err == nil {
		last := &m.inputs[len(m.inputs)-1]
		m.inputs = append(m.inputs, mangledInput{name: "reduce.spvasm", base: last.base, text: true, long: true,
			lines: []string{"reduce -q --time 300ms --run-time 100ms -o reduced reduce.spvasm -- false"}})
	}
}

// commandLines are those whose words are the input.
func (m *mangleRoom) commandLines() {
	m.inputs = append(m.inputs, mangledInput{text: true, lines: []string{
		"compile spec.spvasm -t ir3 --spec 3=1 --spec X=2.5 --spec F=true --spec 0x4=-7 -o out/ -MD -MT a.o",
		"compile lit.frag.spv -t agx,midgard --emit json -o out/{dir}{name}.{gpu}.{target}.{ext} -MD -MF rules.d -MT a:b$c",
		"compile intmath.comp.spv --passes lower_vars_to_ssa,loop(opt_copy_prop,opt_cse,opt_dce),opt_constant_folding --stop-after opt_cse:2 -o -",
		"compile lit.frag.spv --start-before opt_cse:1 --bisect-limit 12.3 --disable-pass opt_cse --emit ir -o -",
		"opt lit.vert.spv --dump-after opt_dce,opt_cse --passes lower_vars_to_ssa,opt_dce,opt_cse -o -",
		"run intmath.comp.spv --dispatch 1,2,1 --buffer 0.0=u32:1,2,3,4*93 --buffer 0.1=f32:1.5*16 --image 0.2=R32_SFLOAT:8x8 --push i32:7;f16:1 --print 0.0=u8",
		"run mandel.comp.spv -t ir3 --dispatch 2,1 --buffer 0.0=u32:0*256 --push f32:0,0;f32:0.1;u32:16,20 --timeout 500ms --write 0.0=out.data",
		"run lit.vert.spv lit.frag.spv --draw out.png --size 16x16 --vertex 0=2:-1,-1,3,-1,-1,3 --buffer 0.0=f32:1*32 --buffer 0.1=f32:1*34 --push f32:1*16 --topology triangle_list --cull back --count 3 --clear 0,1,0,1 --timeout 500ms",
		"cache build --dir built --shard 1/2 mandel.comp.spv --entry main --stage comp --next fragment",
		"cache gc --dir built --max-size 10M", "stats lit.frag.spv --columns inst,nops --format csv --time 1", "reflect spec.spvasm --spec 3=2 --spec F=0 --json",
	}})
}

// mangledArgs changes a command line; a word may change as a text does.
func mangledArgs(line string, others []string, r *rand.Rand) []string {
	args := strings.Fields(line)
	for range 1 + r.IntN(2) {
		i := r.IntN(len(args))
		switch r.IntN(6) {
		case 0:
			args = slices.Delete(args, i, i+1)
		case 1:
			args = slices.Insert(args, i, args[r.IntN(len(args))])
		case 2:
			more := strings.Fields(others[r.IntN(len(others))])
			args = slices.Insert(args, i, more[r.IntN(len(more))])
		default:
			args[i] = strings.TrimSuffix(mangle.NewOpen(args[i], strings.Fields(line)).Mangled(r), "\n")
		}
		if len(args) == 0 {
			return nil
		}
	}
	return args
}

// rootPath finds absolute paths: nothing is written outside of the test's directory.
var rootPath = regexp.MustCompile(`(^|[\s'"=:,;])/`)

// TestMangledInputs gives commands inputs that are changed here and there, each
// with its way through all that is behind the reader. No command may
// panic, end as an error of nirc itself, or fail without a word.
func TestMangledInputs(t *testing.T) {
	runs := mangle.NewRun(t, 140, 5)
	modules, err := filepath.Glob("../../testdata/*.spv")
	if err != nil || len(modules) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	for i, path := range modules {
		if modules[i], err = filepath.Abs(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range os.Environ() { // settings of the machine must not reach the commands
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, envPrefix+"_") {
			t.Setenv(name, "")
		}
	}
	t.Chdir(t.TempDir())
	m := &mangleRoom{t: t}
	m.prepare(modules)
	codes, n := map[int]int{}, 0
	for seed, r := range runs.Inputs() {
		in := &m.inputs[r.IntN(len(m.inputs))]
		if in.long && !runs.Long() {
			continue
		}
		n++
		line := in.lines[r.IntN(len(in.lines))]
		args, data := strings.Fields(line), []byte(nil)
		switch {
		case in.name == "":
			args = mangledArgs(line, in.lines, r)
			data = []byte(strings.Join(args, "\n"))
		case in.text:
			data = []byte(mangle.NewOpen(string(in.base), nil).Mangled(r))
		default:
			data = mangle.Bytes(r, in.base)
		}
		for i := range args {
			args[i] = rootPath.ReplaceAllString(args[i], "$1./")
		}
		if in.name != "" {
			if in.writes {
				data = rootPath.ReplaceAll(data, []byte("$1./"))
			}
			if err := os.WriteFile(in.name, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		runs.Try(fmt.Sprintf("%d-%s", seed, filepath.Base(in.name)), data, mangleLimit, func() string {
			code, _, stderr := m.nirc(args)
			codes[code]++
			switch {
			case code == exitInternal || strings.Contains(stderr, "internal error") || strings.Contains(stderr, "runtime error"):
				return fmt.Sprintf("nirc %q: exit code %d\n%s", args, code, stderr)
			case code != exitDone && strings.TrimSpace(stderr) == "":
				return fmt.Sprintf("nirc %q: exit code %d and no word", args, code)
			}
			return ""
		})
		m.restore(in)
	}
	t.Logf("%d kinds of inputs; exit codes %v of %d commands", len(m.inputs), codes, n)
	if codes[exitDone] == 0 || codes[exitRefused] == 0 || codes[exitUsage] == 0 {
		t.Errorf("exit codes %v", codes)
	}
}

// restore undoes what a command may have done to the inputs.
func (m *mangleRoom) restore(in *mangledInput) {
	for _, dir := range []string{"built", "imported", "merged", "extracted", "out"} {
		if err := os.RemoveAll(dir); err != nil {
			m.t.Fatal(err)
		}
	}
	if in.name == "" {
		for i := range m.inputs {
			m.put(&m.inputs[i])
		}
		return
	}
	m.put(in)
}

func (m *mangleRoom) put(in *mangledInput) {
	if in.name == "" {
		return
	}
	if err := os.WriteFile(in.name, in.base, 0o666); err != nil {
		m.t.Fatal(err)
	}
}
