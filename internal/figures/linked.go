package figures

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"nirc/backend/object"
)

// Linked are pipelines, each compiled stage by stage and linked.
type Linked struct {
	Stages []LinkedStage   `json:"stages"`
	Links  []LinkedPair    `json:"links"`
	Sums   []LinkedSummary `json:"summary"`
}

// LinkedStage is a shader by itself and in its pipeline.
type LinkedStage struct {
	Pipeline string       `json:"pipeline"`
	File     string       `json:"file"`
	Entry    string       `json:"entry"`
	Stage    string       `json:"stage"`
	Target   string       `json:"target"`
	GPU      string       `json:"gpu,omitempty"`
	Alone    StageFigures `json:"alone"`
	Linked   StageFigures `json:"linked"`
}

// StageFigures are the instructions of a shader and its modelled cycles, in hundredths (0 where they are not modelled).
type StageFigures struct {
	Instructions int64 `json:"instructions"`
	Cycles       int64 `json:"cycles"`
}

// NewStageFigures picks them from a shader's.
func NewStageFigures(list []object.Stat) (f StageFigures) {
	for _, s := range list {
		switch s.Name {
		case "inst", "instructions":
			f.Instructions = s.Value
		case "total cycles":
			f.Cycles = s.Value
		}
	}
	return f
}

// LinkedPair is what linking did between two stages of a pipeline.
type LinkedPair struct {
	Pipeline string `json:"pipeline"`
	Target   string `json:"target"`
	GPU      string `json:"gpu,omitempty"`
	Link
}

// LinkedSummary compares the pipelines of a GPU: sums, and geometric means of the ratios of the pipelines.
type LinkedSummary struct {
	Target       string       `json:"target"`
	GPU          string       `json:"gpu,omitempty"`
	Pipelines    int          `json:"pipelines"`
	Instructions LinkedColumn `json:"instructions"`
	Cycles       LinkedColumn `json:"cycles"`
	Varyings     LinkedColumn `json:"varyings"`
	Slots        LinkedColumn `json:"slots"`
}

// LinkedColumn is a figure without linking and with it. Of pipelines that lose all of it the ratio counts as that to one half.
type LinkedColumn struct {
	Alone   int64 `json:"alone"`
	Linked  int64 `json:"linked"`
	GeoMean Ratio `json:"ratio_geomean"`
	logs    float64
	ratios  int
}

func (c *LinkedColumn) add(alone, linked int64) {
	c.Alone += alone
	c.Linked += linked
	if alone > 0 {
		c.logs += math.Log(max(float64(linked), 0.5) / float64(alone))
		c.ratios++
	}
	c.GeoMean = Ratio(math.Exp(c.logs / float64(c.ratios)))
}

// Add adds a pipeline on one GPU: its stages in their order, and the links between them.
func (l *Linked) Add(stages []LinkedStage, links []Link) {
	first := &stages[0]
	i := slices.IndexFunc(l.Sums, func(s LinkedSummary) bool { return s.Target == first.Target && s.GPU == first.GPU })
	if i < 0 {
		i = len(l.Sums)
		l.Sums = append(l.Sums, LinkedSummary{Target: first.Target, GPU: first.GPU})
	}
	sum := &l.Sums[i]
	sum.Pipelines++
	var alone, linked StageFigures
	for k := range stages {
		s := &stages[k]
		alone.Instructions += s.Alone.Instructions
		alone.Cycles += s.Alone.Cycles
		linked.Instructions += s.Linked.Instructions
		linked.Cycles += s.Linked.Cycles
	}
	sum.Instructions.add(alone.Instructions, linked.Instructions)
	sum.Cycles.add(alone.Cycles, linked.Cycles)
	var before, after, slotsBefore, slotsAfter int
	for _, x := range links {
		before, after, slotsBefore, slotsAfter = before+x.Before, after+x.After, slotsBefore+x.SlotsBefore, slotsAfter+x.SlotsAfter
		l.Links = append(l.Links, LinkedPair{first.Pipeline, first.Target, first.GPU, x})
	}
	sum.Varyings.add(int64(before), int64(after))
	sum.Slots.add(int64(slotsBefore), int64(slotsAfter))
	l.Stages = append(l.Stages, stages...)
}

// Write writes the stages, the pairs and the sums as tables.
func (l *Linked) Write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "inst\tlinked\tcycles\tlinked\ttarget\tstage\tfile")
	for i := range l.Stages {
		s := &l.Stages[i]
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%s\t%s\t%s\n", s.Alone.Instructions, s.Linked.Instructions, hundredths(s.Alone.Cycles), hundredths(s.Linked.Cycles), device(s.Target, s.GPU), s.Stage, s.File)
	}
	fmt.Fprintln(w, "\nvaryings\tlinked\tslots\tlinked\ttarget\tbetween\tunread unwritten constant uniform merged flat narrow moved")
	for i := range l.Links {
		p := &l.Links[i]
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%s\t%s, %s\t%d %d %d %d %d %d %d %d\n", p.Before, p.After, p.SlotsBefore, p.SlotsAfter, device(p.Target, p.GPU), p.From, p.To,
			p.Unread, p.Unwritten, p.Constants, p.Uniforms, p.Merged, p.Flat, p.Narrow, p.Moved)
	}
	fmt.Fprintln(w, "\nalone\tlinked\tgeomean\ttarget\tpipelines\tfigure")
	for i := range l.Sums {
		s := &l.Sums[i]
		row := func(name string, c *LinkedColumn, text func(int64) string) {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", text(c.Alone), text(c.Linked), c.GeoMean, device(s.Target, s.GPU), s.Pipelines, name)
		}
		whole := func(n int64) string { return fmt.Sprint(n) }
		row("instructions", &s.Instructions, whole)
		row("cycles", &s.Cycles, hundredths)
		row("varyings", &s.Varyings, whole)
		row("slots", &s.Slots, whole)
	}
	return w.Flush()
}

func device(target, gpu string) string {
	if gpu == "" {
		return target
	}
	return target + " " + gpu
}

// hundredths writes a number of hundredths.
func hundredths(n int64) string { return fmt.Sprintf("%d.%02d", n/100, n%100) }
