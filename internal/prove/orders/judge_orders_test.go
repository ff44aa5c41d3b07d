package orders

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/prove"
	"nirc/internal/targets"
	"nirc/ir"
	"nirc/passes"
)

var judgeModules amber.ModuleCache

// wishes are what targets ask the passes for: nothing, and what each target
// does, except for what shaders must not have there and may have on the interpreter.
func wishes() []func(ir.Stage) *ir.Options {
	list := []func(ir.Stage) *ir.Options{func(ir.Stage) *ir.Options { return nil }}
	for _, b := range targets.All {
		list = append(list, func(s ir.Stage) *ir.Options {
			o, err := b.Options(b.GPUs()[0].Name, s)
			if err != nil {
				return nil // a stage that the target does not have
			}
			o.NoBaryCoord = false
			o.MinSubgroupSize = 0 // which is not that of the interpreter
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
	// State of fixed function, which draws of the scripts do not have.
	"lower_bitmap":                   "texels end fragments",
	"lower_bool_to_float":            "conditions are floats",
	"lower_drawpixels":               "colours are texels",
	"lower_int_to_float":             "integers are floats, with 24 bits",
	"lower_const_arrays_to_uniforms": "tables are uniforms that a driver fills in",
	"passthrough_gs":                 "another stage is made of the shader",
	"passthrough_tcs":                "another stage is made of the shader",
	"lower_uniforms_to_ubo":          "the default block is a buffer",
	"lower_alpha_test":               "fragments fail the alpha test",
	"lower_clamp_color_outputs":      "colours are clamped",
	"lower_clip_disable":             "planes are disabled",
	"lower_clip_halfz":               "z goes from -w to w",
	"lower_flatshade":                "colours are flat",
	"lower_fragcolor":                "one colour goes to all attachments",
	"lower_fragcoord_wtrans":         "w is the reciprocal",
	"lower_passthrough_edgeflags":    "edge flags pass through",
	"lower_pntc_ytransform":          "points are upside down",
	"lower_point_size_mov":           "points have the size of a state",
	"lower_point_smooth":             "points are round",
	"lower_poly_line_smooth":         "edges are smooth",
	"lower_tex_shadow_swizzle":       "comparisons are done in the shader, by their state",
	"lower_texcoord_replace":         "coordinates are those of points",
	"lower_texcoord_replace_late":    "coordinates are those of points",
	"lower_two_sided_color":          "back faces have colours of their own",
	"lower_wpos_ytransform":          "y goes up",
	"remove_tex_shadow":              "comparisons are left out",
	"inline_uniforms":                "uniforms have values",
	"lower_patch_vertices":           "patches have a size",
}

// company are the lists that stand for a pass (%) which makes sense only with
// another right before or after it.
var company = map[string]string{
	"lower_explicit_io": "lower_var_copies,lower_vars_to_explicit_types(modes=function_temp|shader_temp|mem_shared),%",
	"lower_io":          "lower_indirect_derefs,%",
	"lower_frag_coord_to_pixel_coord(center=false)": "gather_info,lower_wpos_center,%",
	// Both stages of an interface take it; where pipelines have one side alone, the rasteriser is the other.
	"lower_clip_cull_distance_arrays(modes=shader_in)":  "lower_clip_cull_distance_arrays",
	"lower_clip_cull_distance_arrays(modes=shader_out)": "lower_clip_cull_distance_arrays",
}

// variants lists each pass with its default options, and as pipeline.yaml
// gives it options, by the numbers of passes.Registry.
func variants(t *testing.T) [][]string {
	p, err := nirc.DefaultPipelines()
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
		if c := cmp.Or(company[text], company[name]); c != "" {
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

// corpusShare is how many scripts of the corpus the tests take, and within how
// many instructions a dispatch or draw.
func corpusShare() (n int, budget uint64) {
	if prove.Full() {
		return 60, 1 << 22
	}
	return 3, 1 << 19
}

// judged are the scripts, found once for all tests.
var judged struct {
	once sync.Once
	list []*subject
}

// prepare returns a judge and the scripts that it runs. NIRC_JUDGE_SCRIPT=PART
// takes those only whose path has that part.
func prepare(t *testing.T) (*judge, []*subject) {
	t.Helper()
	j := newJudge(t)
	judged.once.Do(func() { judged.list = j.subjects(t) })
	if len(judged.list) == 0 {
		t.Fatal("no scripts")
	}
	_, budget := corpusShare()
	j.budget = 64 * budget // passes may make code longer
	list, part := slices.Clone(judged.list), os.Getenv("NIRC_JUDGE_SCRIPT")
	return j, slices.DeleteFunc(list, func(s *subject) bool { return !strings.Contains(s.path, part) })
}

// subjects runs scripts: all of testdata, and some of the corpus's that pass
// within the budget, taken evenly.
func (j *judge) subjects(t *testing.T) (list []*subject) {
	paths, _ := filepath.Glob(prove.Data("*.amber"))
	paths = slices.DeleteFunc(paths, func(p string) bool { return filepath.Base(p) == "kernel.amber" }) // a judge is no amber.KernelTarget
	vk, _ := filepath.Glob(prove.Data("*.vkscript"))
	for _, s := range j.firsts(append(paths, vk...)) {
		if s.want.result.Verdict != amber.Pass {
			t.Fatalf("%s: %v: %s", s.path, s.want.result.Verdict, s.want.result.Reason)
		}
		list = append(list, s)
	}
	corpus := prove.Corpus(t, "*.amber", "*.vkscript")
	if len(corpus) == 0 {
		t.Log("no corpus beside the repository: testdata only")
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(corpus), func(a, b int) { corpus[a], corpus[b] = corpus[b], corpus[a] })
	corpus = slices.DeleteFunc(corpus, func(p string) bool {
		return strings.Contains(p, "expect_fail") || strings.Contains(p, "crash_test") // the results of divisions by zero are undefined
	})
	n, budget := corpusShare()
	n += len(list)
	limited := j.clone()
	limited.budget = budget
	for some := range slices.Chunk(corpus, 4*runtime.GOMAXPROCS(0)) {
		for _, s := range limited.firsts(some) {
			if len(list) < n && s.want.result.Verdict == amber.Pass {
				list = append(list, s)
			}
		}
		if len(list) == n {
			break
		}
	}
	return list
}

// firsts runs scripts after the frontend part of the pipeline.
func (j *judge) firsts(paths []string) []*subject {
	list := make([]*subject, len(paths))
	share(len(paths), func(next func() (int, bool)) {
		w := j.clone()
		for i, ok := next(); ok; i, ok = next() {
			list[i] = &subject{path: paths[i]}
			w.open(list[i])
			list[i].want = w.first()
		}
	})
	return list
}

// share lets as many workers as there are processors take the numbers below n.
func share(n int, worker func(next func() (int, bool))) {
	var wg sync.WaitGroup
	var taken atomic.Int64
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			worker(func() (int, bool) {
				i := int(taken.Add(1)) - 1
				return i, i < n
			})
		})
	}
	wg.Wait()
}

// eachSubject lets f look at each script, and reports what it finds in the
// order of the scripts, as soon as that allows; the long run tells how far it is.
func (j *judge) eachSubject(t *testing.T, list []*subject, f func(j *judge, i int) (faults []string)) {
	t.Helper()
	found := make([]chan []string, len(list))
	for i := range found {
		found[i] = make(chan []string, 1)
	}
	var mu sync.Mutex
	done := make(chan struct{})
	go func() {
		defer close(done)
		share(len(list), func(next func() (int, bool)) {
			w := j.clone()
			for i, ok := next(); ok; i, ok = next() {
				w.open(list[i])
				found[i] <- f(w, i)
			}
			mu.Lock()
			defer mu.Unlock()
			j.add(w)
		})
	}()
	start := time.Now()
	for i := range list {
		for _, what := range <-found[i] {
			t.Error(what)
		}
		if prove.Full() && (i+1)%5 == 0 {
			t.Logf("%d of %d scripts after %v", i+1, len(list), time.Since(start).Round(time.Second))
		}
	}
	<-done
	t.Logf("%d scripts, %d runs, %d of them with shaders that had been run before, in %v", len(list), j.runs, j.spared, time.Since(start).Round(time.Second))
	j.refusedRuns(t)
}

// refusedRuns says how many runs ended with the error that a pass does not take
// the shader, which shows nothing; it fails if those are many.
func (j *judge) refusedRuns(t *testing.T) {
	n := 0
	for _, why := range slices.Sorted(maps.Keys(j.refusals)) {
		n += j.refusals[why]
		t.Logf("%d times: %s", j.refusals[why], why)
	}
	if 4*n > j.runs {
		t.Errorf("%d of %d runs are refused", n, j.runs)
	}
}

// TestPassAlone: each pass alone leaves the results of scripts as they are,
// after the frontend part, after the passes that make memory explicit, and after inlining alone.
func TestPassAlone(t *testing.T) {
	j, list := prepare(t)
	j.verify = true
	all := variants(t)
	late := map[[2]string]bool{}
	for _, name := range judgeNames {
		for _, p := range passes.Registry() {
			late[[2]string{name, p.Name}] = j.tooLate(t, name, p.Name)
		}
	}
	j.eachSubject(t, list, func(j *judge, i int) (faults []string) {
		for n, p := range passes.Registry() {
			number := pairNumber(j.script.path, p.Name)
			if !prove.Full() && number%5 != 0 {
				continue
			}
			for k, text := range all[n] {
				j.name = judgeNames[(number/5+k)%len(judgeNames)]
				if late[[2]string{j.name, p.Name}] {
					j.name = "judge"
				}
				// A pass sees each script, and what each target asks for.
				j.wish = (number/15 + k) % len(j.wishes)
				if what := j.judge(text); what != "" {
					faults = append(faults, fmt.Sprintf("%s after %s, wishes %d: %s: %s", text, j.name, j.wish, j.script.path, what))
				}
			}
		}
		return faults
	})
	var idle []string
	for _, s := range j.times.Steps {
		if s.Changes == 0 {
			idle = append(idle, s.Name)
		}
	}
	slices.Sort(idle)
	t.Logf("found nothing to do: %s", strings.Join(idle, " "))
}

// pairNumber is a number of a script and a pass, which other scripts and passes do not change.
func pairNumber(path, pass string) int {
	h := fnv.New32a()
	fmt.Fprintf(h, "%s %s", filepath.Base(path), pass)
	return int(h.Sum32() >> 1)
}

// judgeNames are the pipelines in front, of newJudge.
var judgeNames = [...]string{"judge", "explicit", "inlined"}

// tooLate reports whether a pass must run before one of a pipeline in front.
func (j *judge) tooLate(t *testing.T, name, pass string) bool {
	front, err := j.pipelines.Resolve(name, j.level, ir.StageFragment)
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
// as they are. NIRC_JUDGE_SEED=N runs the order N only, N-M those from N to M.
func TestRandomOrders(t *testing.T) {
	j, list := prepare(t)
	first, n := 0, 12
	if prove.Full() {
		n = 200
	}
	asked := os.Getenv("NIRC_JUDGE_SEED")
	if asked != "" {
		last, from, to := 0, asked, asked
		if a, b, ok := strings.Cut(asked, "-"); ok {
			from, to = a, b
		}
		if _, err := fmt.Sscan(from+" "+to, &first, &last); err != nil || last < first {
			t.Fatalf("NIRC_JUDGE_SEED=%s: want N or N-M (%v)", asked, err)
		}
		n = last + 1
	}
	all := variants(t)
	orders := make([][]string, n)
	for seed := first; seed < n; seed++ {
		orders[seed] = randomOrder(rand.New(rand.NewPCG(uint64(seed), 3)), all)
	}
	j.eachSubject(t, list, func(j *judge, i int) (faults []string) {
		for seed := first; seed < n; seed++ {
			if !prove.Full() && asked == "" && (i+seed)%4 != 0 {
				continue
			}
			j.wish, j.name = seed%len(j.wishes), [...]string{"judge", "inlined"}[seed%2]
			if what := j.judge(strings.Join(orders[seed], ",")); what != "" {
				faults = append(faults, fmt.Sprintf("order %d, %s: %s\nbad from %s", seed, j.script.path, what, j.culprit(orders[seed])))
			}
		}
		return faults
	})
}

// culprit names the pass at the end of the first part of an order that is
// enough to see what is wrong, and that part.
func (j *judge) culprit(order []string) string {
	lo, hi := 0, len(order)
	for lo+1 < hi {
		if mid := (lo + hi) / 2; j.judge(strings.Join(order[:mid], ",")) == "" {
			lo = mid
		} else {
			hi = mid
		}
	}
	front, err := j.pipelines.Resolve(j.name, j.level, ir.StageFragment)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s on: %s", order[hi-1], strings.Join(append(front.Passes(), order[:hi]...), ","))
}

// TestPipelines: all passes of each target at each level, as the interpreter
// executes what they leave, leave the results of scripts as they are.
func TestPipelines(t *testing.T) {
	j, list := prepare(t)
	j.eachSubject(t, list, func(j *judge, i int) (faults []string) {
		for k, b := range targets.All {
			j.name, j.wish = b.Name(), 1+k
			for j.level = passes.O0; j.level <= passes.Os; j.level++ {
				if !prove.Full() && (i+int(j.level))%2 != 0 {
					continue
				}
				if what := j.judge(""); what != "" {
					faults = append(faults, fmt.Sprintf("%s, -%s: %s: %s", b.Name(), j.level, j.script.path, what))
				}
			}
		}
		return faults
	})
}
