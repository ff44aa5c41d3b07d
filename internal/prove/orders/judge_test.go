// Package orders proves passes by what shaders do: each pass alone, in random orders, and the
// pipelines of all targets, judged by running scripts on the interpreter.
package orders

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"nirc"
	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/ir/interp"
	"nirc/passes"
)

// judge runs one script after another on the interpreter, the shaders after
// a pipeline and then a list of passes. It is an amber.Target. Each worker has
// one of his own.
type judge struct {
	pipelines *passes.Pipelines
	// name is that of the pipeline in front: judge is the frontend part of all,
	// explicit goes on until inputs, outputs and memory are, inlined leaves variables as they come.
	name     string
	level    passes.Level
	wish     int // what the passes are asked for, of wishes
	wishes   []func(ir.Stage) *ir.Options
	verify   bool   // after each pass
	budget   uint64 // of instructions, for each dispatch and draw
	times    passes.Times
	runs     int
	spared   int            // runs whose shaders came out as in one before
	refusals map[string]int // runs that ended so

	// Of the script at hand.
	script   *subject
	ready    []emu.Program // by the script's shaders; nil: note them
	fronts   map[frontKey]*front
	outcomes map[[sha256.Size]byte]*outcome
	seen     []view
}

// subject is a script that passes after the frontend part of the pipeline.
type subject struct {
	path    string
	shaders []amber.Shader // all that it compiles, once each
	want    *outcome
	floats  bool // a shader computes with floats
	relaxed bool // a shader has something of RelaxedPrecision
}

// frontKey names a shader after a pipeline.
type frontKey struct {
	shader int
	name   string
	level  passes.Level
	wish   int
}

// front is such a shader, or why there is none.
type front struct {
	shader *ir.Shader
	err    error
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
	text := append(nirc.PipelineFile(), "\n  judge:\n    - use: frontend\n  explicit:\n    - use: frontend\n    - use: clean\n    - use: interface\n"+
		"  inlined: [lower_continue_constructs, lower_returns, inline_functions, opt_copy_prop, remove_non_entrypoints]\n"...)
	p, err := passes.Load(text, "pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return &judge{pipelines: p, name: "judge", level: passes.O2, wishes: wishes(), refusals: map[string]int{}}
}

// clone is a judge for another worker.
func (j *judge) clone() *judge {
	n := *j
	n.refusals, n.times, n.runs, n.spared = map[string]int{}, passes.Times{}, 0, 0
	return &n
}

// add takes over what another has counted.
func (j *judge) add(o *judge) {
	j.runs += o.runs
	j.spared += o.spared
	for why, n := range o.refusals {
		j.refusals[why] += n
	}
	for _, s := range o.times.Steps {
		at := slices.IndexFunc(j.times.Steps, func(x passes.StepTime) bool { return x.Name == s.Name })
		if at < 0 {
			j.times.Steps = append(j.times.Steps, s)
		} else {
			j.times.Steps[at].Changes += s.Changes
		}
	}
}

// open turns to a script.
func (j *judge) open(s *subject) {
	j.script, j.fronts, j.outcomes = s, map[frontKey]*front{}, map[[sha256.Size]byte]*outcome{}
}

func (j *judge) Name() string { return nirc.IRTarget }

// Compile gives out what run has compiled, or notes the shader and compiles it.
func (j *judge) Compile(_ context.Context, sh amber.Shader) (emu.Program, error) {
	at := slices.IndexFunc(j.script.shaders, func(x amber.Shader) bool {
		return x.Name == sh.Name && x.Stage == sh.Stage && x.Entry == sh.Entry && x.SubgroupSize == sh.SubgroupSize &&
			slices.Equal(x.Spec, sh.Spec) && slices.Equal(x.Words, sh.Words)
	})
	if j.ready != nil {
		if at < 0 || j.ready[at] == nil {
			return nil, errors.New("a shader that the script did not compile at first")
		}
		return &watched{j.ready[at], j}, nil
	}
	if at < 0 {
		at = len(j.script.shaders)
		sh.Words, sh.Spec = slices.Clone(sh.Words), slices.Clone(sh.Spec)
		j.script.shaders = append(j.script.shaders, sh)
	}
	s, err := j.front(at)
	if err != nil {
		return nil, &amber.Unsupported{What: err.Error()}
	}
	p, err := interp.New(s, interp.Options{WaveSize: sh.SubgroupSize})
	if err != nil {
		return nil, err
	}
	return &watched{p, j}, nil
}

// front returns a shader of the script after the pipeline in front, to change.
func (j *judge) front(at int) (*ir.Shader, error) {
	key := frontKey{at, j.name, j.level, j.wish}
	f := j.fronts[key]
	if f == nil {
		f = &front{}
		f.shader, f.err = j.translate(j.script.shaders[at])
		j.fronts[key] = f
	}
	if f.err != nil {
		return nil, f.err
	}
	return ir.Clone(f.shader), nil
}

func (j *judge) translate(sh amber.Shader) (*ir.Shader, error) {
	m, err := spv.ParseWords(sh.Words)
	if err != nil {
		return nil, err
	}
	if lanes := j.script.look(m); lanes && j.name == "midgard" {
		return nil, errors.New("a subgroup of one is not supported here: the interpreter's has more")
	}
	o, wish := spirv.Options{Entry: sh.Entry, Stage: sh.Stage}, j.wishes[j.wish](sh.Stage)
	if wish != nil && sh.Stage != ir.StageGeometry && sh.Next != ir.StageNone && sh.Next != ir.StageFragment {
		wish.JoinsDistances = false // as a compile has it that knows what comes next
	}
	if !hasMatrices(m) {
		o.Target = wish // matrices go by the lanes, and those are the interpreter's
	}
	for _, v := range sh.Spec {
		o.Spec = append(o.Spec, spirv.SpecValue{ID: v.ID, Bits: v.Bits})
	}
	s, err := spirv.Translate(m, o)
	if err != nil {
		return nil, err
	}
	if wish != nil {
		s.Options = wish
	}
	p, err := j.pipelines.Resolve(j.name, j.level, s.Stage)
	if err != nil {
		return nil, err
	}
	return s, p.Run(s, passes.RunOptions{})
}

// hasMatrices reports whether a module has matrices of subgroups.
func hasMatrices(m *spv.Module) bool {
	return slices.ContainsFunc(m.Insts, func(in spv.Instruction) bool {
		return in.Op == spv.OpCapability && spv.Capability(in.Arg(0)) == spv.CapabilityCooperativeMatrixKHR
	})
}

// look notes what a module uses, and reports whether it has subgroup operations.
func (s *subject) look(m *spv.Module) (lanes bool) {
	for i := range m.Insts {
		in := &m.Insts[i]
		switch in.Op {
		case spv.OpTypeFloat:
			s.floats = true
		case spv.OpDecorate:
			s.relaxed = s.relaxed || spv.Decoration(in.Arg(1)) == spv.DecorationRelaxedPrecision
		case spv.OpMemberDecorate:
			s.relaxed = s.relaxed || spv.Decoration(in.Arg(2)) == spv.DecorationRelaxedPrecision
		case spv.OpCapability:
			c := spv.Capability(in.Arg(0))
			lanes = lanes || c >= spv.CapabilityGroupNonUniform && c <= spv.CapabilityGroupNonUniformQuad ||
				c == spv.CapabilityGroupNonUniformPartitionedNV || c == spv.CapabilityGroupNonUniformRotateKHR ||
				c == spv.CapabilitySubgroupBallotKHR || c == spv.CapabilitySubgroupVoteKHR
		}
	}
	return lanes
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
	images   []bool   // those of them that are images
	err      error    // a pass's
	refused  string
}

// first runs the script after the pipeline in front and notes its shaders.
func (j *judge) first() *outcome {
	j.ready = nil
	return j.execute()
}

// run runs the script after a list of passes; shaders that come out as they
// did before need not run again.
func (j *judge) run(list string) *outcome {
	j.runs++
	ready := make([]*ir.Shader, len(j.script.shaders))
	h := sha256.New()
	for i := range ready {
		s, refused, err := j.compile(i, list)
		if refused != "" {
			j.refusals[refused]++
		}
		if refused != "" || err != nil {
			return &outcome{err: err, refused: refused}
		}
		ready[i] = s
		io.WriteString(h, ir.Print(s))
	}
	key := [sha256.Size]byte(h.Sum(nil))
	if o := j.outcomes[key]; o != nil {
		j.spared++
		return o
	}
	j.ready = make([]emu.Program, len(ready))
	for i, s := range ready {
		p, err := interp.New(s, interp.Options{WaveSize: j.script.shaders[i].SubgroupSize})
		if errors.Is(err, errors.ErrUnsupported) { // a form that only hardware executes: the framebuffer as a texture
			j.refusals[err.Error()]++
			return &outcome{refused: err.Error()}
		}
		if err != nil {
			return &outcome{err: err}
		}
		j.ready[i] = p
	}
	o := j.execute()
	j.outcomes[key] = o
	return o
}

// compile runs a list of passes on a shader of the script. refused says why a
// pass or the pipeline in front does not take the shader.
func (j *judge) compile(at int, text string) (s *ir.Shader, refused string, err error) {
	err = nirc.Guard(context.Background(), "judge", "", "", func() error {
		var err error
		if s, err = j.front(at); err != nil {
			if errors.Is(err, errors.ErrUnsupported) {
				refused, err = err.Error(), nil
			}
			return err
		}
		list, err := passes.ParsePassList(text)
		if err != nil {
			return err
		}
		if err := list.Run(s, passes.RunOptions{VerifyEach: j.verify, Times: &j.times}); err != nil {
			var broken *ir.ValidationError
			if errors.As(err, &broken) {
				return &nirc.InternalError{Value: err}
			}
			return err
		}
		if err := ir.Validate(s); err != nil {
			return &nirc.InternalError{Value: err}
		}
		return nil
	})
	var d nirc.Diagnostics
	if errors.As(err, &d) {
		return nil, err.Error(), nil
	}
	return s, refused, err
}

// execute runs the script.
func (j *judge) execute() *outcome {
	j.seen = nil
	b := amber.Batch{Runner: &amber.Runner{Target: j, Modules: &judgeModules, Limits: emu.Limits{Budget: j.budget}}, Timeout: time.Minute}
	o := &outcome{result: b.RunFile(context.Background(), j.script.path)}
	for _, v := range j.seen {
		o.images = append(o.images, v.image != nil)
		if v.image != nil {
			o.contents = append(o.contents, bytes.Clone(v.image.Data))
		} else {
			o.contents = append(o.contents, bytes.Clone(v.mem.Bytes(v.addr, v.size)))
		}
	}
	return o
}

// judge tells what is wrong with the script's outcome after a list of passes,
// "" if nothing is.
func (j *judge) judge(list string) string {
	o, s := j.run(list), j.script
	switch {
	case o.err != nil:
		return o.err.Error()
	case o.refused != "":
		return "" // counted
	}
	equal := func(g, w []byte, image bool) bool {
		return bytes.Equal(g, w) || s.floats && zeros(g, w) || s.relaxed && near(g, w, image) && slices.ContainsFunc(precision, func(p string) bool { return strings.Contains(list, p) })
	}
	return o.differs(s.want, equal)
}

// differs says how an outcome differs from that without passes, "" not at all;
// equal compares words.
func (o *outcome) differs(from *outcome, equal func(got, want []byte, image bool) bool) string {
	if !reflect.DeepEqual(o.result, from.result) {
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
			if !equal(g, w, from.images[i]) {
				return fmt.Sprintf("buffer %d, byte %d: %x, want %x", i, k, g, w)
			}
		}
	}
	return ""
}

// precision are the passes that may compute what has RelaxedPrecision in 16
// bits: results differ by their rounding.
var precision = []string{"lower_mediump", "lower_mediump_io", "lower_mediump_vars"}

// near reports whether two words are the same up to the rounding of halves: as
// floats, as halves or, of images, as bytes of colours.
func near(a, b []byte, image bool) bool {
	if len(a) < 4 {
		return false
	}
	x, y := word(a), word(b)
	half := func(shift int) bool {
		g, w := uint16(x>>shift), uint16(y>>shift)
		return g == w || g>>10&31 != 0 && w>>10&31 != 0 && closeTo(emu.HalfToFloat(g), emu.HalfToFloat(w))
	}
	switch {
	case x>>23&255 != 0 && y>>23&255 != 0 && closeTo(math.Float32frombits(x), math.Float32frombits(y)):
		return true
	case half(0) && half(16):
		return true
	}
	return image && !slices.ContainsFunc([]int{0, 1, 2, 3}, func(i int) bool { return max(a[i], b[i])-min(a[i], b[i]) > 2 })
}

func word(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// closeTo allows the error of a few operations of RelaxedPrecision, 2^-10 each
// (Vulkan, "Precision and Operation of SPIR-V Instructions").
func closeTo(a, b float32) bool {
	return prove.Near(float64(a), float64(b), 1.0/256)
}

// zeros reports whether two words are floats that differ in the sign of zeros,
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
