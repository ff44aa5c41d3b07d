package modules

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"nirc"
	"nirc/backend"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/mangle"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// mangleLimit is what reading, loading and running one mangled program may take:
// far more than its budget of instructions needs.
const mangleLimit = 10 * time.Second

// mangleBudget is how many instructions of lanes a mangled program may run.
const mangleBudget = 1 << 19

// mangledCase is a compiled shader whose listing, object or ABI is mangled.
type mangledCase struct {
	agreeCase
	backend backend.Backend
	obj     *object.Object
	listing string
}

// mangledTargets are the chips whose listings are mangled.
var mangledTargets = []nirc.Options{{Target: "ir3", GPU: "a630"}, {Target: "ir3", GPU: "a750"}, {Target: "agx"}, {Target: "midgard"}}

// newMangledCase compiles a shader of a file, nil if that is not possible.
func newMangledCase(t *testing.T, name string, o nirc.Options) *mangledCase {
	m, err := prove.Read(name)
	if err != nil {
		return nil
	}
	points := m.EntryPoints()
	if len(points) == 0 {
		return nil
	}
	o.File, o.Entry, o.Stage, o.Level = name, points[0].Name, points[0].Stage, passes.O2
	c := &mangledCase{agreeCase: agreeCase{m: m, o: o}}
	plain := o
	plain.Target, plain.GPU, plain.Level = nirc.IRTarget, "", passes.O0
	if c.s, err = nirc.Translate(t.Context(), m, plain); err != nil {
		return nil
	}
	c.examine()
	if c.obj, err = m.Compile(t.Context(), o); err != nil || len(c.obj.Code) > 32<<10 {
		return nil
	}
	if c.backend, err = nirc.Backend(o.Target); err != nil {
		t.Fatal(err)
	}
	lines, err := c.backend.Disassemble(o.GPU, c.obj.Code)
	if err != nil {
		t.Fatalf("%s, %s: %v", name, o.Target, err)
	}
	c.listing = listingOf(lines)
	return c
}

// listingOf writes lines as nirc disasm does.
func listingOf(lines []backend.Line) string {
	var b strings.Builder
	for i := range lines {
		if lines[i].Label != "" {
			fmt.Fprintf(&b, "%s:\n", lines[i].Label)
		}
		fmt.Fprintf(&b, "    %s\n", lines[i].Text)
	}
	return b.String()
}

// mangledCases makes cases of files when they are asked for, and keeps those of testdata.
type mangledCases struct {
	t     *testing.T
	files []string
	kept  map[string]*mangledCase
	pools map[string][]string // lines that decode, by target and GPU
}

func newMangledCases(t *testing.T) *mangledCases {
	return &mangledCases{t, prove.MangleFiles(t), map[string]*mangledCase{}, map[string][]string{}}
}

// pick returns a case that r chooses, nil if what it chose does not compile.
func (l *mangledCases) pick(r *rand.Rand) *mangledCase {
	o := mangledTargets[r.IntN(len(mangledTargets))]
	name := l.files[r.IntN(len(l.files))]
	if only := os.Getenv("NIRC_MANGLE_TARGET"); only != "" && only != o.Target {
		return nil
	}
	key := o.Target + o.GPU + " " + name
	c, ok := l.kept[key]
	if !ok {
		c = newMangledCase(l.t, name, o)
		if len(l.kept) < 64 {
			l.kept[key] = c
		}
	}
	return c
}

// pool returns lines of all kinds of instructions: what random bytes decode to.
func (l *mangledCases) pool(c *mangledCase) []string {
	key := c.o.Target + c.o.GPU
	if list, ok := l.pools[key]; ok {
		return list
	}
	code := make([]byte, 64<<10)
	r := rand.New(rand.NewPCG(1, 7))
	for i := range code {
		code[i] = byte(r.Uint32())
		if c.o.Target == "midgard" && i%16 == 0 && r.IntN(2) == 0 {
			code[i] = 8 + byte(r.IntN(8)) | code[i]&0xf0 // tags of bundles of arithmetic
		}
	}
	lines, err := c.backend.Disassemble(c.o.GPU, code)
	if err != nil {
		l.t.Fatal(err)
	}
	var list []string
	for i := range lines {
		if !lines[i].Bad {
			list = append(list, lines[i].Text)
		}
	}
	if len(list) < 200 {
		l.t.Fatalf("%s: only %d of %d random lines decode", key, len(list), len(lines))
	}
	l.pools[key] = list
	return list
}

var wordsOfListing = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_.]*`)

// mangledListing changes the listing, often with lines of other instructions.
func (l *mangledCases) mangledListing(c *mangledCase, r *rand.Rand) string {
	lines, pool := strings.Split(strings.TrimSuffix(c.listing, "\n"), "\n"), l.pool(c)
	var words []string
	for range r.IntN(4) {
		at, line := r.IntN(len(lines)), pool[r.IntN(len(pool))]
		words = append(words, wordsOfListing.FindAllString(line, -1)...)
		if r.IntN(2) == 0 {
			lines[at] = "    " + line
		} else {
			lines = slices.Insert(lines, at, "    "+line)
		}
	}
	return mangle.NewOpen(strings.Join(lines, "\n"), words).Mangled(r)
}

// program loads an object and runs it in its world. What is wrong with the compiler is the
// result; another error is what it may say.
func (c *mangledCase) program(ctx context.Context, obj *object.Object) (fault string, err error) {
	p, err := exec.Reload(ctx, obj)
	if err == nil {
		if p.Stage() != c.o.Stage {
			return "", errors.New("the stage is another")
		}
		switch c.o.Stage {
		case ir.StageCompute, ir.StageVertex, ir.StageFragment:
			// Waves that end count as short in the budget: very many long ones take long.
			ctx, cancel := context.WithTimeout(ctx, mangleLimit/5)
			defer cancel()
			_, err = c.run(ctx, p, mangleBudget, agreeRun{})
		default:
			err = c.wave(ctx, p)
		}
	}
	return faultOf(err), err
}

// wave runs a wave of a tessellation or geometry stage, without those before and after it.
func (c *mangledCase) wave(ctx context.Context, p emu.Program) error {
	w, err := newWorld(c.s, worldForm{seed: 1, pointers: c.pointers})
	if err != nil {
		return errSkip{err.Error()}
	}
	io, n := p.IO(), min(7, p.WaveSize())
	l := &emu.Launch{Env: &w.env, NumLanes: n, Check: true, Out: make([]emu.Slots, n)}
	vertices := make([]*emu.Slots, 6)
	for i := range vertices {
		vertices[i] = &emu.Slots{ir.SlotPos: {uint32(i), 2, 3, 4}}
	}
	var patch *emu.Patch
	for i := range n {
		if patch == nil || i%len(patch.Out) == 0 {
			patch = &emu.Patch{In: vertices[:3], Out: make([]emu.Slots, max(1, min(io.Tess.OutputVertices, emu.MaxPatchVertices)))}
		}
		switch p.Stage() {
		case ir.StageTessCtrl:
			l.TessCtrl = append(l.TessCtrl, emu.TessCtrlLane{Patch: patch, InvocationID: uint32(i % len(patch.Out))})
		case ir.StageTessEval:
			l.TessEval = append(l.TessEval, emu.TessEvalLane{Patch: patch, Coord: [3]float32{float32(i) / 8, 0.5, 0.25}})
		case ir.StageGeometry:
			l.Geometry = append(l.Geometry, emu.GeometryLane{V: vertices[:max(1, min(int(io.Geom.InPrimitive), 6))], PrimitiveID: uint32(i),
				Emitted: emu.NewEmission(int(min(io.Geom.MaxVertices, 1024)))})
		}
	}
	return nirc.Guard(ctx, "run", c.m.Name, c.o.Target, func() error {
		wave := p.NewWave(l)
		for range 64 {
			if st, err := wave.Run(mangleBudget / 64 / n); err != nil || st == emu.StatusDone {
				return err
			}
		}
		return emu.ErrTimeout
	})
}

// faultOf is what is wrong with the compiler, "" if an error is the input's fault.
func faultOf(err error) string {
	if internal := (*nirc.InternalError)(nil); errors.As(err, &internal) {
		return fmt.Sprintf("%v\n%s", err, internal.Stack)
	}
	if err != nil && strings.TrimSpace(err.Error()) == "" {
		return "an error says nothing"
	}
	return ""
}

var errorLine = regexp.MustCompile(`line \d+`)

// TestMangledListings assembles listings that are changed here and there, and
// runs what they give on the cores.
func TestMangledListings(t *testing.T) {
	list := newMangledCases(t)
	assembled, ran, timed, n := 0, 0, 0, 0
	refusals := map[string]int{}
	for seed, r := range mangle.NewRun(t, 500, 2).Inputs() {
		c := list.pick(r)
		if c == nil {
			continue
		}
		n++
		text := list.mangledListing(c, r)
		run := mangle.NewRun(t, 0, 2)
		run.Try(fmt.Sprintf("%s-%s-%d.s", c.o.Target+c.o.GPU, c.m.Name, seed), []byte(text), mangleLimit, func() string {
			code, err := c.backend.Assemble(c.o.GPU, text)
			if err != nil {
				if !errorLine.MatchString(err.Error()) {
					return fmt.Sprintf("%q names no line", err)
				}
				refusals[refusalKind(err)]++
				return ""
			}
			assembled++
			lines, err := c.backend.Disassemble(c.o.GPU, code)
			if err != nil {
				return fmt.Sprintf("what was assembled does not disassemble: %v", err)
			}
			if again, err := c.backend.Assemble(c.o.GPU, listingOf(lines)); err != nil || !bytes.Equal(again, code) {
				return fmt.Sprintf("what was assembled does not come back: %v", err)
			}
			obj := *c.obj
			obj.Code = code
			fault, err := c.program(t.Context(), &obj)
			switch {
			case err == nil:
				ran++
			case errors.Is(err, emu.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
				timed++
			}
			return fault
		})
	}
	if os.Getenv("NIRC_VERBOSE") != "" {
		for why, n := range refusals {
			t.Logf("%6d refused: %s", n, why)
		}
	}
	t.Logf("%d of %d texts assembled, %d of them ran to their end, %d too long; %d kinds of refusals", assembled, n, ran, timed, len(refusals))
	if assembled == 0 || assembled == n || ran == 0 {
		t.Errorf("%d of %d texts assembled, %d ran", assembled, n, ran)
	}
}

// TestMangledObjects changes the bytes of object files, and the target's
// description of the program in them, and loads, disassembles and runs what can be read.
func TestMangledObjects(t *testing.T) {
	list := newMangledCases(t)
	read, ran, n := 0, 0, 0
	for seed, r := range mangle.NewRun(t, 700, 3).Inputs() {
		c := list.pick(r)
		if c == nil {
			continue
		}
		n++
		file := c.mangledObject(t, r)
		run := mangle.NewRun(t, 0, 3)
		run.Try(fmt.Sprintf("%s-%s-%d.o", c.o.Target+c.o.GPU, c.m.Name, seed), file, mangleLimit, func() string {
			obj, err := object.Read(file)
			if err != nil {
				return faultOf(err)
			}
			read++
			b, err := nirc.Backend(obj.Target)
			if err != nil {
				return faultOf(err)
			}
			if lines, err := b.Disassemble(obj.GPU, obj.Code); err == nil {
				for i := range lines {
					obj.LineAt(uint32(lines[i].Offset))
				}
			}
			if _, err := nirc.Link(t.Context(), []*object.Object{obj}, nil); faultOf(err) != "" {
				return faultOf(err)
			}
			fault, err := c.program(t.Context(), obj)
			if err == nil {
				ran++
			}
			return fault
		})
	}
	t.Logf("%d of %d objects read, %d of them ran", read, n, ran)
	if read == 0 || read == n || ran == 0 {
		t.Errorf("%d of %d objects read, %d ran", read, n, ran)
	}
}

// mangledObject changes an object file: its bytes, its code alone, or its description.
func (c *mangledCase) mangledObject(t *testing.T, r *rand.Rand) []byte {
	o := *c.obj
	kind := r.IntN(4)
	switch kind {
	case 0:
		o.Code = mangle.Bytes(r, o.Code)
	case 1, 2:
		var b bytes.Buffer
		if err := json.Indent(&b, o.ABI, "", " "); err != nil {
			t.Fatal(err)
		}
		text := mangle.NewOpen(b.String(), nil).Mangled(r)
		if o.ABI = json.RawMessage(text); !json.Valid(o.ABI) {
			o.ABI, kind = c.obj.ABI, 3
		}
	}
	file, err := o.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if kind == 3 {
		return mangle.Bytes(r, file)
	}
	return file
}
