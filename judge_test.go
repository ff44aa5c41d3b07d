package nirc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nirc/amber"
	"nirc/emu"
	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
	"nirc/ir"
	"nirc/ir/interp"
	"nirc/passes"
)

// judge runs scripts on the interpreter, their shaders behind the frontend
// part of the pipeline and then a list of passes. It is an amber.Target.
type judge struct {
	pipelines *passes.Pipelines
	// name is that of the pipeline in front: judge is the frontend part of all,
	// explicit goes on until inputs, outputs and memory are, inlined leaves variables as they come.
	name     string
	level    passes.Level
	list     string // as --passes takes them
	verify   bool   // after each pass
	budget   uint64 // of instructions, for each dispatch and draw
	options  func(ir.Stage) *ir.Options
	err      error  // of a pass
	refused  string // why a pass does not take the shader
	floats   bool   // a shader computes with floats
	times    passes.Times
	refusals map[string]int // runs that ended so
	seen     []view
}

// view is memory that a shader was given, by a descriptor.
type view struct {
	mem   *emu.Memory
	addr  uint64
	size  int
	image *emu.Image
}

func newJudge(t *testing.T) *judge {
	t.Helper()
	text := append(PipelineFile(), "\n  judge:\n    - use: frontend\n  explicit:\n    - use: frontend\n    - use: clean\n    - use: interface\n"+
		"  inlined: [lower_continue_constructs, lower_returns, inline_functions, opt_copy_prop, remove_non_entrypoints]\n"...)
	p, err := passes.Load(text, "pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return &judge{pipelines: p, name: "judge", level: passes.O2, refusals: map[string]int{}}
}

func (j *judge) Name() string { return IRTarget }

func (j *judge) Compile(ctx context.Context, sh amber.Shader) (emu.Program, error) {
	s, err := j.translate(sh)
	if err != nil {
		if strings.Contains(err.Error(), "not supported") {
			j.refused = err.Error()
		} else {
			j.err = err
		}
		return nil, &amber.Unsupported{What: err.Error()}
	}
	err = guard(ctx, "judge", "", "", func() error {
		list, err := passes.ParsePassList(j.list)
		if err != nil {
			return err
		}
		if err := list.Run(s, passes.RunOptions{VerifyEach: j.verify, Times: &j.times}); err != nil {
			return verifyError(err)
		}
		if err := ir.Validate(s); err != nil {
			return &InternalError{Value: err}
		}
		return nil
	})
	var d Diagnostics
	if errors.As(err, &d) {
		j.refused = err.Error()
		return nil, &amber.Unsupported{What: err.Error()}
	}
	if err != nil {
		j.err = err
		return nil, err
	}
	p, err := interp.New(s, interp.Options{WaveSize: sh.SubgroupSize})
	if err != nil {
		j.err = err
		return nil, err
	}
	return &watched{p, j}, nil
}

func (j *judge) translate(sh amber.Shader) (*ir.Shader, error) {
	m, err := spv.ParseWords(sh.Words)
	if err != nil {
		return nil, err
	}
	lanes := false
	for i := range m.Insts {
		in := &m.Insts[i]
		j.floats = j.floats || in.Op == spv.OpTypeFloat
		if in.Op == spv.OpCapability {
			c := spv.Capability(in.Arg(0))
			lanes = lanes || c >= spv.CapabilityGroupNonUniform && c <= spv.CapabilityGroupNonUniformQuad
		}
	}
	if lanes && j.name == "midgard" {
		return nil, errors.New("a subgroup of one is not supported here: the interpreter's has more")
	}
	o := spirv.Options{Entry: sh.Entry, Stage: sh.Stage}
	for _, v := range sh.Spec {
		o.Spec = append(o.Spec, spirv.SpecValue{ID: v.ID, Bits: v.Bits})
	}
	s, err := spirv.Translate(m, o)
	if err != nil {
		return nil, err
	}
	if o := j.options(s.Stage); o != nil {
		s.Options = o
	}
	p, err := j.pipelines.Resolve(j.name, j.level, s.Stage)
	if err != nil {
		return nil, err
	}
	return s, p.Run(s, passes.RunOptions{VerifyEach: j.verify && j.list == ""})
}

// watched is a program that notes the memory it is given.
type watched struct {
	emu.Program
	j *judge
}

func (w *watched) NewWave(l *emu.Launch) emu.Wave {
	b := l.Env.Bindings
	for h := 0; b != nil && b.Desc(h) != b.Desc(-1); h++ {
		d := b.Desc(h)
		v := view{mem: l.Env.Mem, addr: d.Addr, size: int(d.Size)}
		if d.Image != nil {
			v = view{image: d.Image.Image}
		}
		if !slices.Contains(w.j.seen, v) {
			w.j.seen = append(w.j.seen, v)
		}
	}
	return w.Program.NewWave(l)
}

// outcome is what a script left.
type outcome struct {
	result   amber.Result
	contents [][]byte // of all memory that shaders were given
	err      error    // a pass's
	refused  string
	floats   bool
}

// run runs a script behind a list of passes.
func (j *judge) run(path string, list string) *outcome {
	j.list, j.err, j.seen, j.refused, j.floats = list, nil, nil, "", false
	b := amber.Batch{Runner: &amber.Runner{Target: j, Modules: &judgeModules, Limits: emu.Limits{Budget: j.budget}}, Timeout: time.Minute}
	o := &outcome{result: b.RunFile(context.Background(), path), err: j.err, refused: j.refused}
	if o.floats = j.floats; o.refused != "" {
		j.refusals[o.refused]++
	}
	for _, v := range j.seen {
		if v.image != nil {
			o.contents = append(o.contents, bytes.Clone(v.image.Data))
		} else {
			o.contents = append(o.contents, bytes.Clone(v.mem.Bytes(v.addr, v.size)))
		}
	}
	return o
}

// refusedRuns says how many runs ended with the error that a pass does not take
// the shader, which shows nothing; it fails if those are many.
func (j *judge) refusedRuns(t *testing.T, runs int) {
	n := 0
	for _, why := range slices.Sorted(maps.Keys(j.refusals)) {
		n += j.refusals[why]
		t.Logf("%d times: %s", j.refusals[why], why)
	}
	if 4*n > runs {
		t.Errorf("%d of %d runs are refused", n, runs)
	}
}

// differs says how an outcome differs from that without passes, "" not at all.
func (o *outcome) differs(from *outcome) string {
	if o.err != nil {
		return o.err.Error()
	}
	if o.refused != "" {
		return "" // judge.run counts it
	}
	if o.result != from.result {
		return fmt.Sprintf("%v: line %d: %s", o.result.Verdict, o.result.Line, o.result.Reason)
	}
	if len(o.contents) != len(from.contents) {
		return fmt.Sprintf("%d buffers are bound, want %d", len(o.contents), len(from.contents))
	}
	for i, want := range from.contents {
		got := o.contents[i]
		if len(got) != len(want) {
			return fmt.Sprintf("buffer %d has %d bytes, want %d", i, len(got), len(want))
		}
		for k := 0; k < len(want); k += 4 {
			g, w := got[k:min(k+4, len(got))], want[k:min(k+4, len(want))]
			if !bytes.Equal(g, w) && !(o.floats && zeros(g, w)) {
				return fmt.Sprintf("buffer %d, byte %d: %x, want %x", i, k, g, w)
			}
		}
	}
	return ""
}

// zeros tells whether two words are floats that differ in the sign of zeros,
// which shaders keep only where they say so.
func zeros(a, b []byte) bool {
	for i := range a {
		// Halves have signs in their own last bytes.
		if x := a[i] | b[i]; x != 0 && (x != 0x80 || i%2 == 0) {
			return false
		}
	}
	return true
}

var judgeModules amber.ModuleCache

// wishes are what targets ask the passes for: nothing, and what each target does.
func wishes() []func(ir.Stage) *ir.Options {
	list := []func(ir.Stage) *ir.Options{func(ir.Stage) *ir.Options { return nil }}
	for _, b := range backends {
		list = append(list, func(s ir.Stage) *ir.Options {
			o, err := b.Options(b.GPUs()[0].Name, s)
			if err != nil {
				return nil // a stage that the target does not have
			}
			return o
		})
	}
	return list
}

// foreign are the passes that leave a shader for hardware that works otherwise
// than the interpreter does, with the difference.
var foreign = map[string]string{
	"lower_viewport_transform": "positions are in window coordinates",
	"lower_wpos_center":        "pixels have whole numbers as coordinates",
	"lower_samplers":           "textures and samplers have the numbers of their bindings",
	"lower_single_sampled":     "a pixel has one sample",
}

// company are the lists that stand for a pass (%) which makes sense only with
// another right before or behind it.
var company = map[string]string{
	"lower_explicit_io": "lower_vars_to_explicit_types(modes=function_temp|shader_temp|mem_shared),%",
}

// variants lists each pass with its default options, and as pipeline.yaml
// gives it options, by the numbers of passes.Registry.
func variants(t *testing.T) [][]string {
	p, err := DefaultPipelines()
	if err != nil {
		t.Fatal(err)
	}
	list := make([][]string, len(passes.Registry()))
	add := func(text string) {
		name, _, _ := strings.Cut(text, "(")
		if foreign[name] != "" || strings.Contains(text, "size_one=true") {
			return
		}
		i := slices.IndexFunc(passes.Registry(), func(p *passes.Pass) bool { return p.Name == name })
		if c := company[name]; c != "" {
			text = strings.Replace(c, "%", text, 1)
		}
		if !slices.Contains(list[i], text) {
			list[i] = append(list[i], text)
		}
	}
	for _, p := range passes.Registry() {
		add(p.Name)
	}
	for _, target := range p.Targets() {
		for _, stage := range []ir.Stage{ir.StageVertex, ir.StageFragment, ir.StageCompute} {
			r, err := p.Resolve(target, passes.O2, stage)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range r.Passes() {
				add(text)
			}
		}
	}
	return list
}

// subject is a script that passes behind the frontend part of the pipeline.
type subject struct {
	path string
	want *outcome
}

// subjects runs scripts: all of testdata, and of the corpus's n that pass
// within the given budget, taken evenly.
func (j *judge) subjects(t *testing.T, n int, budget uint64) []subject {
	var list []subject
	paths, _ := filepath.Glob("testdata/*.amber")
	vk, _ := filepath.Glob("testdata/*.vkscript")
	for _, p := range append(paths, vk...) {
		o := j.run(p, "")
		if o.result.Verdict != amber.Pass {
			t.Fatalf("%s: %v: %s", p, o.result.Verdict, o.result.Reason)
		}
		list = append(list, subject{p, o})
	}
	corpus := corpusFiles(t, "*.amber", "*.vkscript")
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(corpus), func(a, b int) { corpus[a], corpus[b] = corpus[b], corpus[a] })
	if len(corpus) == 0 {
		t.Log("no corpus beside the repository: testdata only")
	}
	have := len(list)
	j.budget = budget
	for _, p := range corpus {
		if len(list) == have+n {
			break
		}
		if strings.Contains(p, "expect_fail") || strings.Contains(p, "crash_test") {
			continue // the results of divisions by zero are undefined
		}
		if o := j.run(p, ""); o.result.Verdict == amber.Pass {
			list = append(list, subject{p, o})
		}
	}
	j.budget = 64 * budget // passes may make code longer
	return list
}

// judgeFull tells whether the environment asks for the long run.
func judgeFull() bool { return os.Getenv("NIRC_FULL") != "" }

func (j *judge) prepare(t *testing.T) []subject {
	j.options = wishes()[0]
	if judgeFull() {
		return j.subjects(t, 60, 1<<22)
	}
	return j.subjects(t, 3, 1<<19)
}

// TestPassAlone: each pass alone leaves the results of scripts as they are,
// behind the frontend part, behind the passes that make memory explicit, and behind inlining alone.
func TestPassAlone(t *testing.T) {
	j := newJudge(t)
	list, runs := j.prepare(t), 0
	j.verify = true
	opts := wishes()
	for n, p := range passes.Registry() {
		for k, text := range variants(t)[n] {
			for i, s := range list {
				if !judgeFull() && (i+n)%5 != 0 {
					continue
				}
				j.name = [...]string{"judge", "explicit", "inlined"}[(i/5+i+k)%3]
				if tooLate(t, j, p.Name) {
					j.name = "judge"
				}
				// A pass sees each script, and what each target asks for.
				wish := (i/4 + n + k) % len(opts)
				j.options = opts[wish]
				runs++
				if what := j.run(s.path, text).differs(s.want); what != "" {
					t.Errorf("%s behind %s, wishes %d: %s: %s", text, j.name, wish, s.path, what)
				}
			}
		}
	}
	j.refusedRuns(t, runs)
	var idle []string
	for _, s := range j.times.Steps {
		if s.Changes == 0 {
			idle = append(idle, s.Name)
		}
	}
	t.Logf("%d scripts, %d runs; found nothing to do: %s", len(list), runs, strings.Join(idle, " "))
}

// tooLate tells whether a pass must run before one of the pipeline in front.
func tooLate(t *testing.T, j *judge, pass string) bool {
	front, err := j.pipelines.Resolve(j.name, j.level, ir.StageFragment)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range passes.Constraints() {
		if c[0] == pass && front.Has(c[1]) {
			return true
		}
	}
	return false
}

// randomOrder returns all passes once, in an order that the constraints allow,
// each with options that some pipeline gives it.
func randomOrder(r *rand.Rand, all [][]string) []string {
	reg := passes.Registry()
	number := map[string]int{}
	for i, p := range reg {
		number[p.Name] = i
	}
	after := make([][]int, len(reg))
	for _, c := range passes.Constraints() {
		first, ok := number[c[0]]
		if then, have := number[c[1]]; ok && have {
			after[then] = append(after[then], first)
		}
	}
	var list []string
	done := make([]bool, len(reg))
	var visit func(i int)
	visit = func(i int) {
		if done[i] {
			return
		}
		done[i] = true
		for _, first := range after[i] {
			visit(first)
		}
		if len(all[i]) > 0 {
			list = append(list, all[i][r.IntN(len(all[i]))])
		}
	}
	for _, i := range r.Perm(len(reg)) {
		visit(i)
	}
	return list
}

// TestRandomOrders: all passes in random orders leave the results of scripts
// as they are. NIRC_JUDGE_SEED=N runs the order N only.
func TestRandomOrders(t *testing.T) {
	j := newJudge(t)
	subjects, all, opts := j.prepare(t), variants(t), wishes()
	first, n := 0, 12
	if judgeFull() {
		n = 200
	}
	if v := os.Getenv("NIRC_JUDGE_SEED"); v != "" {
		if _, err := fmt.Sscan(v, &first); err != nil {
			t.Fatalf("NIRC_JUDGE_SEED: %v", err)
		}
		n = first + 1
	}
	runs := 0
	for seed := first; seed < n; seed++ {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		order := randomOrder(r, all)
		j.options = opts[seed%len(opts)]
		j.name = [...]string{"judge", "inlined"}[seed%2]
		if judgeFull() && seed%20 == 0 {
			t.Logf("order %d", seed)
		}
		for i, s := range subjects {
			if !judgeFull() && (i+seed)%4 != 0 {
				continue
			}
			runs++
			what := j.run(s.path, strings.Join(order, ",")).differs(s.want)
			if what == "" {
				continue
			}
			// The first list that is enough to see it.
			lo, hi := 0, len(order)
			for lo+1 < hi {
				if mid := (lo + hi) / 2; j.run(s.path, strings.Join(order[:mid], ",")).differs(s.want) == "" {
					lo = mid
				} else {
					hi = mid
				}
			}
			front, err := j.pipelines.Resolve(j.name, j.level, ir.StageFragment)
			if err != nil {
				t.Fatal(err)
			}
			t.Errorf("order %d, %s: %s\nbad from %s on: %s", seed, s.path, what, order[hi-1], strings.Join(append(front.Passes(), order[:hi]...), ","))
		}
	}
	t.Logf("%d orders, %d scripts, %d runs", n-first, len(subjects), runs)
	j.refusedRuns(t, runs)
}

// TestPipelines: all passes of each target at each level, as the interpreter
// executes what they leave, leave the results of scripts as they are.
func TestPipelines(t *testing.T) {
	j := newJudge(t)
	subjects, runs := j.prepare(t), 0
	for _, b := range backends {
		j.name, j.options = b.Name(), func(s ir.Stage) *ir.Options {
			o, err := b.Options(b.GPUs()[0].Name, s)
			if err != nil {
				return nil
			}
			return o
		}
		for j.level = passes.O0; j.level <= passes.Os; j.level++ {
			for i, s := range subjects {
				if !judgeFull() && (i+int(j.level))%2 != 0 {
					continue
				}
				runs++
				if what := j.run(s.path, "").differs(s.want); what != "" {
					t.Errorf("%s, -%s: %s: %s", b.Name(), j.level, s.path, what)
				}
			}
		}
	}
	t.Logf("%d scripts, %d runs", len(subjects), runs)
	j.refusedRuns(t, runs)
}
