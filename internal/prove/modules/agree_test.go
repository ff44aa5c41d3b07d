// Package modules proves that machine code does what the IR does. Every shader of the corpus runs in
// generated worlds (buffers, images, attributes) on the interpreter, the reference, and on each core;
// what floating point leaves open is found out by disturbing the reference. The same worlds run
// listings and objects that are changed at random.
package modules

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"nirc"
	"nirc/frontend/spirv/spv"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/ir/interp"
	"nirc/passes"
)

// agreePixels is the side of the square that fragment shaders fill.
const agreePixels = 16

// agreeVertices is how many vertices vertex shaders run on.
const agreeVertices = 20

// agreeUndef is another value of what is undefined than 0.
const agreeUndef = 0x3f3a5c973f3a5c97

// agreeGradients are more such values where there are derivatives: as those of
// coordinates they lead to other levels of detail.
var agreeGradients = []uint64{0x3e2500003e250000, 0x3a2500003a250000}

// Parts that floats are shaken by, to find results that hang on their last bits: in
// general, and where results may have the precision of halves.
const agreeShake, agreeCoarse = 1.0 / (1 << 20), 1.0 / (1 << 11)

// agreeBudget is how many instructions of lanes the interpreter may run.
const agreeBudget = 1 << 25

// agreeTargets are what the interpreter is compared with.
var agreeTargets = []nirc.Options{{Target: "ir3", GPU: "a630"}, {Target: "ir3", GPU: "a740"}, {Target: "agx"}, {Target: "midgard"}}

// errSkip is why a shader cannot be compared.
type errSkip struct{ why string }

func (e errSkip) Error() string { return e.why }

// agreement compares shaders of modules on the interpreter and on the targets' cores.
type agreement struct {
	t       *testing.T
	skipped map[string]int
	refused map[string]int
	agree   map[string]int // by target and stage
}

// TestModulesAgree runs the compute, vertex and fragment shaders of modules, with
// random resources, on the interpreter as the frontend made them and on each target's
// core after all passes: they must leave the same memory, outputs and colours. What
// differs by itself, by races or undefined values, is left out. It takes a sample of
// the corpus, or the modules of the folder NIRC_MODULES.
func TestModulesAgree(t *testing.T) {
	a := &agreement{t: t, skipped: map[string]int{}, refused: map[string]int{}, agree: map[string]int{}}
	for m := range agreeModules(t) {
		for _, e := range m.EntryPoints() {
			a.shader(m, e)
		}
	}
	report := func(title string, counts map[string]int) {
		var lines []string
		for k, n := range counts {
			lines = append(lines, fmt.Sprintf("%6d %s: %s", n, title, k))
		}
		slices.Sort(lines)
		for _, l := range slices.Backward(lines) {
			t.Log(l)
		}
	}
	report("agree", a.agree)
	report("left out", a.skipped)
	report("refused", a.refused)
	if len(a.agree) == 0 {
		t.Error("no shader was compared")
	}
}

// agreeModules yields the modules that the test is about.
func agreeModules(t *testing.T) func(yield func(*nirc.Module) bool) {
	list, err := filepath.Glob(filepath.Join(os.Getenv("NIRC_MODULES"), "*.spv"))
	if err != nil {
		t.Fatal(err)
	}
	step := 1
	if os.Getenv("NIRC_MODULES") == "" {
		list = prove.Corpus(t, append([]string{"*.spv", "*.spvasm"}, prove.GLSL...)...)
		step = max(1, len(list)/48)
	}
	if len(list) == 0 {
		t.Skip("no corpus beside the repository, and NIRC_MODULES names no folder of modules")
	}
	part := os.Getenv("NIRC_SCRIPT")
	return func(yield func(*nirc.Module) bool) {
		for i := 0; i < len(list); i += step {
			if !strings.Contains(list[i], part) {
				continue
			}
			if m, err := prove.LoadCorpus(t, list[i]); err == nil && !yield(m) {
				return
			}
		}
	}
}

// shader compares a shader of a module on all targets.
func (a *agreement) shader(m *nirc.Module, e nirc.EntryPoint) {
	if e.Stage != ir.StageCompute && e.Stage != ir.StageFragment && e.Stage != ir.StageVertex {
		a.skipped["stage "+e.Stage.String()]++
		return
	}
	ctx, cancel := context.WithTimeout(a.t.Context(), 20*time.Second)
	defer cancel()
	o := nirc.Options{Target: nirc.IRTarget, Entry: e.Name, Stage: e.Stage}
	s, err := nirc.Translate(ctx, m, o)
	if err != nil {
		a.skipped["refused by the frontend"]++
		return
	}
	c := &agreeCase{m: m, o: o, s: s}
	c.examine()
	a.examined(ctx, c)
	if c.partial {
		a.examined(ctx, c.withOneLevel())
	}
}

// examined compares a case on all targets.
func (a *agreement) examined(ctx context.Context, c *agreeCase) {
	if err := c.settle(ctx); err != nil {
		if os.Getenv("NIRC_VERBOSE") != "" {
			a.t.Logf("%s: %v", c, err)
		}
		var skip errSkip
		switch {
		case errors.Is(err, context.DeadlineExceeded), errors.Is(err, emu.ErrTimeout), strings.Contains(err.Error(), emu.ErrTimeout.Error()):
			a.skipped["takes too long"]++
		case errors.As(err, &skip):
			a.skipped[skip.why]++
		case strings.Contains(err.Error(), "interp: ") && errors.Is(err, errors.ErrUnsupported), strings.Contains(err.Error(), "emu: "):
			a.skipped["the interpreter:"+refusalKind(err)]++
		default:
			a.fail("%s on the interpreter: %v", c, err)
		}
		return
	}
	for _, target := range agreeTargets {
		a.compare(ctx, c, target)
	}
}

func (a *agreement) fail(format string, args ...any) {
	a.t.Errorf(format, args...)
}

// compare compiles the case for a target, runs it and compares.
func (a *agreement) compare(ctx context.Context, c *agreeCase, target nirc.Options) {
	o := c.o
	o.Target, o.GPU, o.Level = target.Target, target.GPU, passes.O2
	label := strings.TrimSpace(o.Target+" "+o.GPU) + " " + o.Stage.String()
	if c.oneLevel {
		label += " with images of one level"
	}
	p, _, err := exec.Executable(ctx, c.m, o)
	if ctx.Err() != nil {
		a.skipped[label+": takes too long"]++
		return
	}
	if err != nil {
		if !prove.IsRefusal(c.m, o, err) {
			a.fail("%s, %s: %v", c, label, err)
			return
		}
		a.refused[label+": "+refusalKind(err)]++
		return
	}
	if c.lanesMatter && p.WaveSize() < 8 {
		a.skipped[label+": subgroups of one invocation"]++
		return
	}
	got, err := c.run(ctx, p, 16*agreeBudget, agreeRun{})
	if why := c.excuse(err); why != "" {
		label += ", except that " + why
		got, err = c.run(ctx, p, 16*agreeBudget, agreeRun{lenient: true})
	}
	if ctx.Err() != nil {
		a.skipped[label+": takes too long"]++
		return
	}
	if errors.Is(err, errors.ErrUnsupported) { // by the pipeline around the shader
		if _, why, ok := strings.Cut(err.Error(), "emu: "); ok {
			a.refused[label+": "+why]++
			return
		}
	}
	if err != nil {
		if c.beyondImages(ctx) {
			a.skipped[label+": texels that do not exist"]++
			return
		}
		a.fail("%s, %s: %v", c, label, err)
		return
	}
	want, err := c.reference(ctx, p.WaveSize())
	if err != nil {
		a.fail("%s on the interpreter with waves of %d: %v", c, p.WaveSize(), err)
		return
	}
	open := false
	diff := differ(want, got, c.tolerance())
	ctx = a.t.Context() // a difference is explained, however long that takes
	if diff != "" && c.quads && o.Target == "midgard" {
		if on, err := c.onFaces(ctx, want, p.WaveSize()); err == nil && differ(on, got, c.tolerance()) == "" {
			a.agree[label+" by LODs on the faces of cubes"]++ // all that its texture unit is given (midgard.md §6.2)
			return
		}
	}
	if diff != "" {
		want = looseCopy(want) // the other targets are compared with all of it
		if diff, open, err = a.difference(ctx, c, label, want, got, p.WaveSize()); err != nil {
			a.fail("%s on the interpreter %v", c, err)
			return
		}
	}
	if diff != "" && c.beyondImages(ctx) {
		a.skipped[label+": texels that do not exist"]++
		return
	}
	if diff != "" && c.looserByGarbage(ctx, want) && differ(want, got, c.tolerance()) == "" {
		a.skipped[label+": what nothing wrote decides"]++
		return
	}
	if diff != "" && c.ordersMatter(ctx, p.WaveSize()) {
		a.skipped[label+": invocations race"]++
		return
	}
	if diff != "" {
		a.fail("%s, %s: %s%s", c, label, diff, c.blame(ctx, o, p.WaveSize(), want))
		return
	}
	if open {
		label += ", except for digits and NaNs that Vulkan leaves open"
	}
	a.agree[label]++
}

// looserByGarbage loosens the results that hang on memory that nobody writes, of which settle tries three fillings: clamped
// results are often the same for those. It reports whether there are any.
func (c *agreeCase) looserByGarbage(ctx context.Context, want []worldMemory) (any bool) {
	for seed := range uint64(24) {
		if other, err := c.interpret(ctx, agreeRun{o: c.o, lanes: 32, seed: seed + 5}); err == nil && loosen(want, other, 0, c.want[32]) {
			any = true
		}
	}
	return any
}

// ordersMatter reports whether the result hangs on the order of invocations: settle tries few orders. It looks at where subgroups of so
// many invocations stop for others, and at those of one, for which of the stores of a subgroup's one instruction stays.
func (c *agreeCase) ordersMatter(ctx context.Context, lanes int) bool {
	for _, n := range []int{lanes, 1} {
		want, err := c.interpret(ctx, agreeRun{o: c.o, lanes: n})
		if err != nil {
			continue
		}
		for seed := range uint64(24) {
			if got, err := c.interpret(ctx, agreeRun{o: c.o, lanes: n, seed: seed + 4}); err == nil && differ(want, got, 0) != "" {
				return true
			}
		}
	}
	return false
}

// excuse says why an error of a target's checking mode is none of its code, "" if it is: the results are then compared without
// that mode.
func (c *agreeCase) excuse(err error) string {
	switch {
	case err == nil:
	case c.narrow && strings.Contains(err.Error(), "race on") && strings.Contains(err.Error(), "load of"):
		// GPUs without views of bytes load words, and take no more of them than their own bytes, whatever others store
		// in the rest. The interpreter has found no race between the bytes themselves.
		return "a narrow load reads neighbours, which others store"
	case c.o.Stage == ir.StageFragment && strings.Count(err.Error(), "store of fragment") == 2:
		// Where stores land late, those of several instructions are told of that leave what is there, as the interpreter
		// has found of these.
		return "several instructions store the same from all fragments"
	case c.partial && strings.Contains(err.Error(), "hangs on what nothing wrote"):
		// Lanes beside it have ended or are elsewhere, and lend it the garbage of their registers.
		return "the level of detail of a quad that does not run as a whole is anything"
	}
	return ""
}

// beyondImages reports whether the shader names texels or levels that its images do not have, of which Vulkan promises
// nothing without robustImageAccess.
func (c *agreeCase) beyondImages(ctx context.Context) bool {
	_, err := c.interpret(ctx, agreeRun{o: c.o, lanes: 32, texels: true})
	return err != nil && strings.Contains(err.Error(), "is out of bounds")
}

// difference makes those words of want loose that Vulkan leaves open, and tells in which others got
// differs, "" for none. open reports whether that took more than denormals.
func (a *agreement) difference(ctx context.Context, c *agreeCase, label string, want, got []worldMemory, lanes int) (diff string, open bool, err error) {
	if err := c.allowDenormals(ctx, want, lanes); err != nil {
		return "", false, fmt.Errorf("without denormals: %w", err)
	}
	if diff = differ(want, got, c.tolerance()); diff == "" {
		return "", false, nil
	}
	if os.Getenv("NIRC_VERBOSE") != "" {
		a.t.Logf("%s, %s needs an explanation: %s", c, label, diff)
	}
	if err := c.allowImprecision(a.t.Context(), want, got, lanes); err != nil {
		return "", false, fmt.Errorf("with other digits: %w", err)
	}
	return differ(want, got, c.tolerance()), true, nil
}

// refusalKind is the last part of a diagnostic.
func refusalKind(err error) string {
	s, _, _ := strings.Cut(err.Error(), "\n")
	return s[strings.LastIndex(s, ": ")+1:]
}

// agreeCase is one shader and what the interpreter makes of it.
type agreeCase struct {
	m *nirc.Module
	o nirc.Options
	s *ir.Shader
	// lanesMatter: the shader sees its subgroup. pointers: it has physical ones.
	lanesMatter, pointers bool
	quads                 bool                  // it has derivatives, which may be the quad's or finer
	partial               bool                  // some derivatives may be of quads that do not run as a whole
	oneLevel              bool                  // the images have one level, so that implicit LODs do not matter
	narrow                bool                  // it has accesses of 8 or 16 bits
	coarse                bool                  // some results may have the precision of halves
	want                  map[int][]worldMemory // by wave size
}

// String names the shader.
func (c *agreeCase) String() string { return c.m.Name + ", " + c.o.Entry }

// withOneLevel is the case with images of one level. What a shader samples where a quad
// does not run as a whole has no other level of detail there, and is compared.
func (c *agreeCase) withOneLevel() *agreeCase {
	return &agreeCase{m: c.m, o: c.o, s: c.s, lanesMatter: c.lanesMatter, pointers: c.pointers, narrow: c.narrow, coarse: c.coarse, oneLevel: true}
}

// examine finds what of the module the comparison goes by.
func (c *agreeCase) examine() {
	m, err := spv.Parse(c.m.Bytes())
	if err != nil {
		return // text of the IR
	}
	for i := range m.Insts {
		in := &m.Insts[i]
		switch w := m.Words[in.Offset+1:]; in.Op {
		case spv.OpDecorate:
			c.coarse = c.coarse || spv.Decoration(w[1]) == spv.DecorationRelaxedPrecision
		case spv.OpMemberDecorate:
			c.coarse = c.coarse || spv.Decoration(w[2]) == spv.DecorationRelaxedPrecision
		case spv.OpCapability:
			name := spv.Capability(w[0]).String()
			c.coarse = c.coarse || name == "Float16"
			c.lanesMatter = c.lanesMatter || strings.HasPrefix(name, "GroupNonUniform") || strings.HasPrefix(name, "Subgroup")
			c.narrow = c.narrow || strings.HasSuffix(name, "8BitAccess") || strings.HasSuffix(name, "16BitAccess") || strings.HasSuffix(name, "16BitStorage")
			c.pointers = c.pointers || strings.HasPrefix(name, "PhysicalStorageBuffer")
		}
	}
}

// agreeRun is a run on the interpreter.
type agreeRun struct {
	o      nirc.Options
	lanes  int
	undef  uint64
	shake  float32
	strict bool // access out of bounds is an error
	texels bool // so is one of a texel that does not exist
	other  bool // derivatives by the other choice
	faces  bool // implicit LODs of cubes by differences on the faces
	flush  bool // denormals become zeros, unless the shader asks for them
	seed   uint64
	// lenient: races, too, are no error
	lenient bool
}

// settle finds out which of the shader's results are its own: not a matter of
// undefined values, of which lane comes first, or of the last bits of floats.
func (c *agreeCase) settle(ctx context.Context) error {
	switch _, err := c.interpret(ctx, agreeRun{o: c.o, lanes: 32, strict: true}); {
	case err == nil:
	case strings.Contains(err.Error(), "is out of bounds"):
		return errSkip{"accesses are out of bounds"}
	case strings.Contains(err.Error(), "is not aligned"):
		return errSkip{"addresses are not aligned"}
	}
	want, err := c.interpret(ctx, agreeRun{o: c.o, lanes: 32})
	if err != nil {
		return err
	}
	c.want = map[int][]worldMemory{32: want}
	runs := []agreeRun{{o: c.o, lanes: 32, undef: agreeUndef}, {o: c.o, lanes: 32, shake: agreeShake}, {o: c.o, lanes: 32, shake: -agreeShake}, {o: c.o, lanes: 32, shake: 2.7 * agreeShake}}
	for seed := range uint64(3) { // other garbage in memory that nobody writes, another order of workgroups and waves
		runs = append(runs, agreeRun{o: c.o, lanes: 32, seed: seed + 2})
	}
	if c.quads {
		runs = append(runs, agreeRun{o: c.o, lanes: 32, other: true}, agreeRun{o: c.o, lanes: 32, other: true, undef: agreeUndef})
		for _, u := range agreeGradients {
			runs = append(runs, agreeRun{o: c.o, lanes: 32, undef: u}, agreeRun{o: c.o, lanes: 32, other: true, undef: u})
		}
	}
	if c.coarse {
		runs = append(runs, agreeRun{o: c.o, lanes: 32, shake: agreeCoarse}, agreeRun{o: c.o, lanes: 32, shake: -agreeCoarse})
	}
	for _, r := range runs {
		other, err := c.interpret(ctx, r)
		if err != nil {
			return err
		}
		near := c.tolerance() / 8
		if r.seed != 0 {
			near = 0 // other garbage alone makes the difference, and half of all garbage is near zero
		}
		more := loosen(want, other, near)
		c.partial = c.partial || more && c.quads && r.undef != 0
	}
	unmark(want)
	if !c.lanesMatter {
		for _, seed := range []uint64{0, 2, 3} { // one by one, also in other orders
			other, err := c.interpret(ctx, agreeRun{o: c.o, lanes: 1, seed: seed})
			if err != nil {
				return err
			}
			if differ(want, other, 0) != "" {
				return errSkip{"invocations race"}
			}
		}
	}
	o := c.o
	o.Level = passes.O2
	first, err := c.interpret(ctx, agreeRun{o: o, lanes: 32})
	if err != nil {
		return fmt.Errorf("after the passes: %w", err)
	}
	other, err := c.interpret(ctx, agreeRun{o: o, lanes: 32, undef: agreeUndef})
	if err != nil {
		return fmt.Errorf("after the passes: %w", err)
	}
	loosen(want, other, 0, first)
	if diff := differ(want, first, c.tolerance()); diff != "" {
		return fmt.Errorf("after the passes: %s%s", diff, c.blame(ctx, o, 32, want))
	}
	if !settled(want) {
		return errSkip{"it leaves nothing that is defined"}
	}
	return nil
}

// tolerance is how far floats may be off, relative above 1.
func (c *agreeCase) tolerance() float64 {
	if c.coarse {
		return 2e-2
	}
	return 1e-3
}

// Interpret runs the IR.
func (c *agreeCase) interpret(ctx context.Context, r agreeRun) ([]worldMemory, error) {
	p, err := c.interpreter(ctx, r)
	if err != nil {
		return nil, err
	}
	return c.run(ctx, p, agreeBudget, r)
}

// interpreter makes a program of the IR, as the frontend made it or after passes.
func (c *agreeCase) interpreter(ctx context.Context, r agreeRun) (emu.Program, error) {
	s, err := nirc.Translate(ctx, c.m, r.o)
	if err == nil && r.o.Level != passes.O0 {
		err = nirc.Optimize(ctx, s, r.o)
	}
	if err != nil {
		return nil, err
	}
	if r.o.Stage == ir.StageFragment {
		r.lanes = max(r.lanes, 4)
	}
	if fc := &s.Info.FloatControls; r.flush {
		for _, bits := range []uint8{16, 32} {
			if !fc.Has(ir.FCDenormPreserve, bits) {
				*fc = fc.With(ir.FCDenormFlush, bits)
			}
		}
	}
	p, err := interp.New(s, interp.Options{WaveSize: r.lanes, UndefPattern: r.undef, Strict: r.strict, StrictTexels: r.texels, OtherDerivatives: r.other, CubeFaces: r.faces})
	if err == nil && r.o.Target == nirc.IRTarget && r.o.Level == passes.O0 {
		c.quads = p.IO().NeedsQuads
	}
	return p, err
}

// reference is what the interpreter leaves with waves of a size.
func (c *agreeCase) reference(ctx context.Context, lanes int) ([]worldMemory, error) {
	if !c.lanesMatter {
		lanes = 32
	}
	if r, ok := c.want[lanes]; ok {
		return r, nil
	}
	r, err := c.interpret(ctx, agreeRun{o: c.o, lanes: lanes})
	if err != nil {
		return nil, err
	}
	for i := range r {
		r[i].loose = c.want[32][i].loose
	}
	c.want[lanes] = r
	return r, nil
}

// onFaces is what the interpreter leaves where LODs of cubes come from their faces; what is loose in want is so there.
func (c *agreeCase) onFaces(ctx context.Context, want []worldMemory, lanes int) ([]worldMemory, error) {
	if !c.lanesMatter {
		lanes = 32
	}
	on, err := c.interpret(ctx, agreeRun{o: c.o, lanes: lanes, faces: true})
	for i := range on {
		on[i].loose = want[i].loose
	}
	return on, err
}

// allowDenormals makes loose what hangs on whether denormals are kept: Vulkan leaves it
// open where a shader does not say.
func (c *agreeCase) allowDenormals(ctx context.Context, want []worldMemory, lanes int) error {
	if !c.lanesMatter {
		lanes = 32
	}
	other, err := c.interpret(ctx, agreeRun{o: c.o, lanes: lanes, flush: true})
	if err == nil {
		loosen(want, other, c.tolerance()/8)
	}
	return err
}

// blame says of a disagreement whether the target's passes have it too, and since
// which of them.
func (c *agreeCase) blame(ctx context.Context, o nirc.Options, lanes int, want []worldMemory) string {
	var steps []string
	behind := func(limit int) string {
		steps = steps[:0]
		o.Run.Bisect = &passes.BisectLimit{Runs: limit, Rewrites: -1, Every: true}
		o.Run.BisectLog = func(_ int, name string, _ bool) { steps = append(steps, name) }
		got, err := c.interpret(ctx, agreeRun{o: o, lanes: lanes})
		if err != nil {
			return "does not run: " + err.Error()
		}
		return differ(want, got, c.tolerance())
	}
	diff := behind(math.MaxInt)
	if diff == "" || ctx.Err() != nil {
		return ""
	}
	n := sort.Search(len(steps), func(n int) bool { return behind(n) != "" })
	behind(n)
	return fmt.Sprintf(" (the target's IR: %s; since step %d, %s)", diff, n, steps[max(n, 1)-1])
}

// run runs a program in a new world, and returns the memory that it may write.
func (c *agreeCase) run(ctx context.Context, p emu.Program, budget uint64, r agreeRun) ([]worldMemory, error) {
	w, err := newWorld(c.s, worldForm{seed: 1, pointers: c.pointers, shake: r.shake, flat: c.quads, oneLevel: c.oneLevel})
	if err != nil {
		return nil, errSkip{err.Error()}
	}
	limits := emu.Limits{Budget: budget, Check: !r.lenient, Exact: true, Seed: r.seed} // results are compared
	err = nirc.Guard(ctx, "run", c.m.Name, c.o.Target, func() error {
		switch c.o.Stage {
		case ir.StageCompute:
			// Once: modules from anywhere store undefined values, which no two runs agree on.
			return emu.Dispatch(emu.Once(ctx), p, &w.env, emu.DispatchParams{Limits: limits, Groups: [3]uint32{2, 1, 1}})
		case ir.StageVertex:
			return w.vertices(ctx, c.s, p, limits)
		}
		return w.fragments(ctx, c.s, p, limits)
	})
	return w.memory, err
}

// differ compares what two runs left, floats with a tolerance, and describes the
// first difference of words that are not loose in want.
func differ(want, got []worldMemory, tolerance float64) string {
	for i := range want {
		a, b := &want[i], &got[i]
		for k := 0; k+4 <= len(a.data); k += 4 {
			if a.loose != nil && a.loose[k/4] || a.near(b, k, tolerance) {
				continue
			}
			x, y := binary.LittleEndian.Uint32(a.data[k:]), binary.LittleEndian.Uint32(b.data[k:])
			return fmt.Sprintf("%s: byte %d is %#x (%g), want %#x (%g)", a.name, k, y, math.Float32frombits(y), x, math.Float32frombits(x))
		}
	}
	return ""
}

// loosen marks the words of want that another run left otherwise, floats if they
// differ by more than a tolerance. base, unless not given, is what the other run is
// compared with in want's place. It reports whether there are any.
func loosen(want, other []worldMemory, tolerance float64, base ...[]worldMemory) (any bool) {
	from := want
	if len(base) > 0 {
		from = base[0]
	}
	for i := range want {
		a := &want[i]
		for k := 0; k+4 <= len(a.data); k += 4 {
			if !from[i].near(&other[i], k, tolerance) {
				if a.loose == nil {
					a.loose = make([]bool, len(a.data)/4)
				}
				a.loose[k/4], any = true, true
			}
		}
	}
	return any
}

// looseCopy copies which words are loose, so that more can become it.
func looseCopy(list []worldMemory) []worldMemory {
	list = slices.Clone(list)
	for i := range list {
		list[i].loose = slices.Clone(list[i].loose)
	}
	return list
}

// unmark makes loose what is no number: there optimisations are free, unless a
// shader asks for more.
func unmark(want []worldMemory) {
	for i := range want {
		a := &want[i]
		for k := 0; k+4 <= len(a.data); k += 4 {
			if x := math.Float32frombits(binary.LittleEndian.Uint32(a.data[k:])); a.kindAt(k/4) == wordF32 && x != x {
				if a.loose == nil {
					a.loose = make([]bool, len(a.data)/4)
				}
				a.loose[k/4] = true
			}
		}
	}
}

// settled reports whether there is a word to compare.
func settled(want []worldMemory) bool {
	for i := range want {
		if a := &want[i]; len(a.data) >= 4 && (a.loose == nil || slices.Contains(a.loose, false)) {
			return true
		}
	}
	return false
}

// near reports whether the word at byte k is the same in b, floats within a tolerance.
func (m *worldMemory) near(b *worldMemory, k int, tolerance float64) bool {
	x, y := binary.LittleEndian.Uint32(m.data[k:]), binary.LittleEndian.Uint32(b.data[k:])
	if x == y || tolerance == 0 {
		return x == y
	}
	switch m.kindAt(k / 4) {
	case wordF32:
		return close32(math.Float32frombits(x), math.Float32frombits(y), tolerance)
	case wordF16:
		tolerance = max(tolerance, 0.01)
		return close32(emu.HalfToFloat(uint16(x)), emu.HalfToFloat(uint16(y)), tolerance) &&
			close32(emu.HalfToFloat(uint16(x>>16)), emu.HalfToFloat(uint16(y>>16)), tolerance)
	case wordF64:
		at := k &^ 7
		return close32(float32(math.Float64frombits(binary.LittleEndian.Uint64(m.data[at:]))),
			float32(math.Float64frombits(binary.LittleEndian.Uint64(b.data[at:]))), tolerance)
	}
	return false
}

// close32 reports whether two floats are the same within a tolerance, relative above 1.
func close32(a, b float32, tolerance float64) bool {
	return prove.Near(float64(a), float64(b), tolerance) || prove.Near(float64(b), float64(a), tolerance)
}
