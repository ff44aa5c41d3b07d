// Package profile writes what the cores executed: as a profile in pprof's format, for go tool pprof, and
// in short as text. It counts nothing itself; see [exec.Counts].
package profile

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"nirc"
	"nirc/backend/cost"
	"nirc/internal/costs"
	"nirc/internal/exec"

	"github.com/google/pprof/profile"
)

// program is a counted program with its model.
type program struct {
	*exec.Counted
	cost    *cost.Program
	samples []sample
}

// sample is what one instruction did.
type sample struct {
	instr int // index into the model's
	// runs of waves, lanes of all of them; the modelled cycles, waits of a wave alone, bytes and texture operations of these.
	runs, lanes   uint64
	cycles, waits float64
	bytes, texels uint64
}

// programs models what was counted. What ran in preambles is left out: a GPU runs them once, the cores
// once for each wave.
func programs(ctx context.Context, c *exec.Counts) ([]*program, error) {
	var list []*program
	for _, n := range c.Programs() {
		m, err := nirc.Cost(ctx, n.Object)
		if err != nil {
			return nil, err
		}
		p := &program{Counted: n, cost: m}
		for i := range n.Counters {
			count := &n.Counters[i]
			if count.Runs() == 0 {
				continue
			}
			k, ok := slices.BinarySearchFunc(m.Instrs, int(count.Offset), func(in cost.Instr, at int) int { return in.Offset - at })
			if !ok || m.Instrs[k].Once && !m.Instrs[k].Aside {
				continue
			}
			in := &m.Instrs[k]
			p.samples = append(p.samples, sample{instr: k, runs: count.Runs() * uint64(max(1, in.Count)), lanes: count.Lanes() * uint64(max(1, in.Count)),
				cycles: m.Sum(&in.Work) * float64(count.Runs()), waits: in.Stall * float64(count.Runs()), bytes: count.Lanes() * uint64(in.Bytes), texels: count.Lanes() * uint64(in.Texels)})
		}
		list = append(list, p)
	}
	return list, nil
}

// values are a sample's, as the types of the profile.
func (s *sample) values() []int64 {
	return []int64{clamp(float64(s.runs)), clamp(float64(s.lanes)), clamp(math.Round(s.cycles)), clamp(float64(s.bytes)), clamp(float64(s.texels)), clamp(math.Round(s.waits))}
}

func clamp(v float64) int64 { return int64(math.Min(v, math.MaxInt64/2)) }

// types are the kinds of values of the profile, and what stands in comments about them.
var types = []*profile.ValueType{{Type: "instructions", Unit: "count"}, {Type: "lane_instructions", Unit: "count"}, {Type: "cycles", Unit: "count"},
	{Type: "memory", Unit: "bytes"}, {Type: "texture", Unit: "count"}, {Type: "waits", Unit: "count"}}

// Write writes the profile, compressed: the same counts give the same bytes.
func Write(ctx context.Context, w io.Writer, c *exec.Counts) error {
	list, err := programs(ctx, c)
	if err != nil {
		return err
	}
	b := builder{p: &profile.Profile{SampleType: types, DefaultSampleType: "cycles",
		Comments: []string{"nirc " + nirc.Version + ": instructions of waves, of lanes; cycles, bytes, texture operations and the cycles of waits that no other wave hides are modelled (docs/cost.md)"}},
		functions: map[string]*profile.Function{}}
	for _, p := range list {
		if err := b.program(p); err != nil {
			return err
		}
	}
	if err := b.p.CheckValid(); err != nil {
		return err
	}
	return b.p.Write(w)
}

// builder makes the profile.
type builder struct {
	p         *profile.Profile
	functions map[string]*profile.Function
}

// program adds a program: a mapping of its code, a location an instruction.
func (b *builder) program(p *program) error {
	o := p.Object
	back, err := nirc.Backend(o.Target)
	if err != nil {
		return err
	}
	lines, err := back.Disassemble(o.GPU, o.Code)
	if err != nil {
		return err
	}
	text := map[int]string{}
	for i := range lines {
		text[lines[i].Offset] = strings.Join(strings.Fields(lines[i].Text), " ")
	}
	m := &profile.Mapping{ID: uint64(len(b.p.Mapping) + 1), File: fmt.Sprintf("%s %s %s %s", p.File, o.Entry, o.Target, o.GPU),
		HasFunctions: true, HasFilenames: true, HasLineNumbers: true}
	m.Start = m.ID << 32
	m.Limit = m.Start + uint64(max(1, len(o.Code)))
	b.p.Mapping = append(b.p.Mapping, m)
	root := b.location(m, m.Start, profile.Line{Function: b.function(o.Entry, p.File)})
	for i := range p.samples {
		s := &p.samples[i]
		in := &p.cost.Instrs[s.instr]
		leaf := b.location(m, m.Start+uint64(in.Offset), b.lines(p, in.Offset)...)
		stack := []*profile.Location{leaf}
		if outermost := leaf.Line[len(leaf.Line)-1].Function.Name; costs.FuncName(outermost) != o.Entry {
			stack = append(stack, root)
		}
		b.p.Sample = append(b.p.Sample, &profile.Sample{Location: stack, Value: s.values(), Label: map[string][]string{
			"target": {o.Target + " " + o.GPU}, "stage": {o.Stage.String()}, "entry": {o.Entry}, "pipe": {pipeOf(p.cost, in)}, "instruction": {text[in.Offset]}}})
	}
	return nil
}

// lines are the place of the code at an offset and the calls that were inlined to get there, the
// innermost first, as pprof has them.
func (b *builder) lines(p *program, offset int) (list []profile.Line) {
	for _, f := range p.Object.Frames(p.Object.LineAt(uint32(offset))) {
		name, file := f.Func, f.File
		if name == "" {
			name = p.Object.Entry
		}
		if file == "" {
			file = p.File
		}
		list = append(list, profile.Line{Function: b.function(name, file), Line: int64(f.Line)})
	}
	if list == nil {
		list = []profile.Line{{Function: b.function(p.Object.Entry, p.File)}}
	}
	return list
}

func (b *builder) location(m *profile.Mapping, address uint64, lines ...profile.Line) *profile.Location {
	l := &profile.Location{ID: uint64(len(b.p.Location) + 1), Mapping: m, Address: address, Line: lines}
	b.p.Location = append(b.p.Location, l)
	return l
}

func (b *builder) function(name, file string) *profile.Function {
	key := name + "\x00" + file
	f := b.functions[key]
	if f == nil {
		f = &profile.Function{ID: uint64(len(b.p.Function) + 1), Name: name, SystemName: name, Filename: file}
		b.functions[key] = f
		b.p.Function = append(b.p.Function, f)
	}
	return f
}

// pipeOf is the name of the pipe that an instruction takes most of, "none" if it takes none.
func pipeOf(p *cost.Program, in *cost.Instr) string {
	name, most := "none", 0.0
	for i := range p.Pipes {
		if !p.Pipes[i].Part && in.Pipes[i] > most {
			name, most = p.Pipes[i].Name, in.Pipes[i]
		}
	}
	return name
}

// WriteCounts writes the sums of each program for people, and the lines of the source that took most cycles.
func WriteCounts(ctx context.Context, w io.Writer, c *exec.Counts) error {
	list, err := programs(ctx, c)
	if err != nil {
		return err
	}
	b := &strings.Builder{}
	var all sample
	for _, p := range list {
		sum := p.text(b)
		all.add(&sum)
	}
	if len(list) > 1 {
		fmt.Fprintf(b, "all %d programs: %s\n", len(list), all.text())
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// topLines is how many lines of the source the short form shows.
const topLines = 10

// text is what was executed in words.
func (s *sample) text() string {
	return fmt.Sprintf("%d instructions of waves, %d of lanes, %.0f modelled cycles, %.0f of waits, %d bytes, %d texture operations",
		s.runs, s.lanes, s.cycles, s.waits, s.bytes, s.texels)
}

// text writes what a program executed, and where; it returns the sum.
func (p *program) text(b *strings.Builder) (sum sample) {
	byLine := map[costs.Place]*sample{}
	var places []costs.Place
	for i := range p.samples {
		s := &p.samples[i]
		sum.add(s)
		at := costs.PlaceAt(p.Object, p.cost.Instrs[s.instr].Offset).Source()
		if byLine[at] == nil {
			byLine[at] = &sample{}
			places = append(places, at)
		}
		byLine[at].add(s)
	}
	o := p.Object
	fmt.Fprintf(b, "%s %s: %s %s %s: %s\n", p.File, o.Entry, o.Stage, o.Target, o.GPU, sum.text())
	slices.SortStableFunc(places, func(x, y costs.Place) int { return cmp.Compare(byLine[y].cycles, byLine[x].cycles) })
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "instructions\tof lanes\tcycles\twaits\tbytes\ttextures\t  where\n")
	for i, at := range places {
		if i == topLines {
			fmt.Fprintf(t, "\t\t\t\t\t\t  … and %d more places\n", len(places)-i)
			break
		}
		s, where := byLine[at], "(no place)"
		switch {
		case at.Line > 0:
			where = fmt.Sprintf("%s:%d", at.File, at.Line)
		case at.Word > 0:
			where = fmt.Sprintf("word %d", at.Word)
		}
		fmt.Fprintf(t, "%d\t%d\t%.0f\t%.0f\t%d\t%d\t  %s\n", s.runs, s.lanes, s.cycles, s.waits, s.bytes, s.texels, where)
	}
	t.Flush()
	return sum
}

func (s *sample) add(o *sample) {
	s.runs += o.runs
	s.lanes += o.lanes
	s.cycles += o.cycles
	s.waits += o.waits
	s.bytes += o.bytes
	s.texels += o.texels
}
