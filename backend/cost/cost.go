// Package cost says what machine code costs, by a model: cycles of each pipe, on
// the shortest and the longest path and in total, stalls, occupancy. Each target
// decodes its own code into a [Program] (file cost.go beside its code generator) by one table of
// issue cycles and latencies; the rest is here and knows no instruction set. No
// shader is compiled or run here, and no figure is measured: the word for them is
// modelled.
//
// # The unit
//
// A cycle is one of the scheduler that the wave (Midgard: the thread) runs on. What several schedulers
// share costs each of them its part: a texture unit that two schedulers share and
// that takes 16 cycles for a wave costs 32.
//
// # Paths
//
// A path is one of an invocation: of an if it takes one side. Waves whose lanes part
// take both, which a profile of a run shows (nirc run --profile). Paths are compared by the sum of
// their cycles over all pipes. A loop counts as often as it is known to run; where that is not known
// there is no longest path, and the shortest goes through it once at most.
package cost

import (
	"math"
	"slices"
)

// Class is a kind of work, the same words for all targets.
type Class uint8

// The classes.
const (
	Other Class = iota
	Float32
	Float16
	Int32
	Int16
	Convert
	Special // reciprocals, roots, logarithms, sines
	Move
	Flow // branches and masks
	Nop  // slots that only wait
	Sync // waits and barriers
	Memory
	Varying
	Texture
	Tile
	NumClasses
)

var classNames = [NumClasses]string{"other", "fp32", "fp16", "int32", "int16", "cvt", "sfu", "move", "flow", "nop", "sync", "memory", "varying", "texture", "tile"}

// String is the class's name.
func (c Class) String() string {
	if c < NumClasses {
		return classNames[c]
	}
	return "class?"
}

// Arithmetic reports whether the class computes: what the share of 16-bit arithmetic is of.
func (c Class) Arithmetic() bool { return c >= Float32 && c <= Special }

// Pipe is a resource that instructions take for some cycles each.
type Pipe struct {
	// Name is malioc's where it has one, else made like it; Title its short form in tables.
	Name  string `json:"name"`
	Title string `json:"title"`
	Doc   string `json:"doc"`
	// Part: the pipe counts a part of another one's cycles and bounds nothing.
	Part bool `json:"part,omitempty"`
	// Source says where the figures come from, and what is doubtful about them.
	Source string `json:"source"`
}

// MaxPipes is the largest number of pipes of a target, stalls not counted.
const MaxPipes = 10

// Vec is cycles by pipe.
type Vec [MaxPipes]float64

// Work is what a run of instructions takes.
type Work struct {
	Pipes Vec
	// Issue is the time of a wave alone that never waits, Stall what it then waits on top.
	Issue, Stall float64
}

// add adds n times w.
func (w *Work) add(o *Work, n float64) {
	for i := range w.Pipes {
		w.Pipes[i] += n * o.Pipes[i]
	}
	w.Issue += n * o.Issue
	w.Stall += n * o.Stall
}

// Add adds o.
func (w *Work) Add(o *Work) { w.add(o, 1) }

// Sum is the cycles of all pipes that are no parts of others; what paths are compared by.
func (p *Program) Sum(w *Work) (n float64) {
	for i := range p.Pipes {
		if !p.Pipes[i].Part {
			n += w.Pipes[i]
		}
	}
	return n
}

// Instr is one instruction (Midgard: a bundle).
type Instr struct {
	Offset, Size int // bytes
	// Count is how many instructions it stands for: repeats, the units of a bundle.
	Count int
	Class Class
	Work
	// Classes counts the instructions of a bundle by class; nil: one of Class.
	Classes []Class
	// Once: it runs once for all invocations, in a preamble, and counts in no path.
	Once bool
	// Aside: it is of another program of the object, which runs for invocations of its own, or fills
	// what programs leave; it counts in no path, as what runs once does.
	Aside bool
	// Doubt: the figures are assumed, nobody has published or measured them.
	Doubt bool
	// Spill is a store (1) or a load (2) of a spilled register.
	Spill uint8
	// Array: it indexes private memory by a register.
	Array bool
	// Address64: it takes a 64-bit address that the shader has computed.
	Address64 bool
	// Produces and Waits are sets of scoreboard tokens, Latency what a waiter of the first waits at most.
	Produces, Waits uint8
	Latency         [2]float64
	// Bytes is what it moves to or from memory for a lane, Texels how many texture operations it is.
	Bytes, Texels int
	// Live is how many registers are live at it, in the unit of Properties.RegisterUnit; 0 if not known.
	Live int
	// Leader: a block begins here.
	Leader bool
}

// Node is a place on a path: an instruction, in one of the states of control that there are at it.
type Node struct {
	Instr int32
	Succ  []int32
	// Idle: the lane waits here while others run.
	Idle bool
	// Ends: the program may end here though nodes follow.
	Ends bool
}

// Program is decoded machine code.
type Program struct {
	Target, GPU string
	Pipes       []Pipe
	Instrs      []Instr // by offset
	// Nodes is the flow of control from Entry on; a node without successors ends. None: it could not be
	// followed, and no path is known.
	Nodes []Node
	Entry int32
	// Hiding is the number of waves that a scheduler interleaves, this one among them.
	Hiding    float64
	Occupancy Occupancy
	Props     Properties
	// Trips says how often the header of a loop runs, by the index of its first instruction; what is
	// not in it is not known. Most says of others how often it runs at most.
	Trips, Most map[int32]uint32
	// Turned: where the rounds of a loop end in a branch out of it, the shader's loop was turned: what its head tests was
	// tested once before the first round.
	Turned bool
}

// Occupancy is how many waves or threads run at a time, and why not more.
type Occupancy struct {
	Value int    `json:"value"`
	Max   int    `json:"max"`
	Unit  string `json:"unit"` // waves or threads
	// Limits are all that bound it, the lowest first.
	Limits []Limit `json:"limits"`
	// Next is what the next step would take; nil at the top, or where nothing is known to.
	Next *Step `json:"next,omitempty"`
}

// Limit is a resource and how many waves or threads it leaves room for.
type Limit struct {
	By    string `json:"by"`
	Value int    `json:"value"`
}

// Step says that Less of something fewer gives Value waves or threads.
type Step struct {
	What  string `json:"what"`
	Less  int    `json:"less"`
	Value int    `json:"value"`
}

// Sort puts the limits in order, the lowest first.
func (o *Occupancy) Sort() {
	slices.SortStableFunc(o.Limits, func(a, b Limit) int { return a.Value - b.Value })
}

// With is the occupancy if one of the limits were another.
func (o *Occupancy) With(by string, value int) int {
	n := min(o.Max, value)
	for _, l := range o.Limits {
		if l.By != by {
			n = min(n, l.Value)
		}
	}
	return n
}

// Properties are facts about the shader that its metadata tells.
type Properties struct {
	WorkRegisters    int    `json:"work_registers"`
	RegisterUnit     string `json:"register_unit"` // what they are counted in
	UniformRegisters int    `json:"uniform_registers"`
	SpillBytes       int    `json:"spill_bytes"`  // of private memory, arrays included
	SharedBytes      int    `json:"shared_bytes"` // of a workgroup
	// Preamble: what is the same for all invocations is computed ahead of them.
	Preamble      bool `json:"preamble"`
	SideEffects   bool `json:"side_effects"`
	Discards      bool `json:"discards"`
	WritesDepth   bool `json:"writes_depth"`
	EarlyTests    bool `json:"early_tests"`
	ReadsColor    bool `json:"reads_color"`
	NeedsHelpers  bool `json:"needs_helpers"`
	Address64     int  `json:"address64"` // memory instructions with 64-bit addresses
	Spills        int  `json:"spills"`
	Fills         int  `json:"fills"`
	ArrayAccesses int  `json:"array_accesses"` // private memory indexed by registers
}

// LateTest reports whether depth and stencil are tested after a fragment shader, for what it writes.
func (p *Properties) LateTest() bool {
	return !p.EarlyTests && (p.WritesDepth || p.SideEffects)
}

// LateUpdate reports whether depth and stencil are written after a fragment shader.
func (p *Properties) LateUpdate() bool {
	return !p.EarlyTests && (p.WritesDepth || p.Discards || p.SideEffects)
}

// Fill sets what follows from the instructions: stalls, spills, array accesses.
func (p *Program) Fill() {
	for i := range p.Instrs {
		in := &p.Instrs[i]
		switch {
		case in.Once:
			continue
		case in.Spill == 1:
			p.Props.Spills += in.Count
		case in.Spill == 2:
			p.Props.Fills += in.Count
		}
		if in.Address64 {
			p.Props.Address64++
		}
		if in.Array {
			p.Props.ArrayAccesses++
		}
	}
	p.stalls()
}

// stalls finds how long each instruction waits for tokens if no other wave runs: inside a block,
// what of the latency has not passed since the producer was issued.
func (p *Program) stalls() {
	var left [2]float64
	for i := range p.Instrs {
		in := &p.Instrs[i]
		if in.Leader {
			left = [2]float64{}
		}
		wait := 0.0
		for t := range left {
			if in.Waits>>t&1 != 0 {
				wait = math.Max(wait, left[t])
			}
		}
		in.Stall += wait
		for t := range left {
			if in.Produces>>t&1 != 0 {
				left[t] = in.Latency[t]
			} else {
				left[t] -= math.Min(left[t], in.Issue+wait)
			}
		}
	}
}

// HalfShare is the share of 16-bit arithmetic in percent; ok is false if there is no arithmetic
// whose size is known.
func (p *Program) HalfShare() (percent int, ok bool) {
	var half, all int
	count := func(c Class, n int) {
		switch c {
		case Float16, Int16:
			half += n
			all += n
		case Float32, Int32:
			all += n
		}
	}
	for i := range p.Instrs {
		in := &p.Instrs[i]
		if in.Classes == nil {
			count(in.Class, in.Count)
		}
		for _, c := range in.Classes {
			count(c, 1)
		}
	}
	if all == 0 {
		return 0, false
	}
	return (100*half + all/2) / all, true
}
