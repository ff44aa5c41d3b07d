package spirv

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"

	"nirc/internal/emu"
)

// FlowGraph is a random function: any graph of blocks. Each block appends a number to a trace that
// tells by which way control came, and chooses by bits of a number that changes from step to step.
type FlowGraph struct {
	blocks []flowBlock
	order  []int // as they stand in the module: a block after those that dominate it
}

type flowKind uint8

const (
	flowReturn flowKind = iota
	flowStop            // OpUnreachable in a module that never comes there
	flowBranch
	flowIf
	flowSwitch
	flowFuel // to the first target up to a number of steps, then to the second
)

type flowBlock struct {
	kind flowKind
	to   []int // targets; of a switch the default first
	vals []uint32
	bit  uint32
	hint string // a merge instruction, which says nothing in a kernel
	// phi: the block has a phi of a value of each parent; values of these blocks are also in its own.
	phi     bool
	phiFrom []int // by parent: the block whose value it takes
	uses    []int
	parents []int
}

const (
	flowSteps = 40  // after so many, fuel is out
	flowTrace = 128 // words of a trace
	flowLanes = 4
)

// NewFlowGraph makes a graph of up to n blocks and what guards its loops.
func NewFlowGraph(r *rand.Rand, n int) *FlowGraph {
	g := &FlowGraph{}
	shape := r.IntN(4)
	to := func(i int) int {
		switch {
		case shape == 0: // forward
			return min(n-1, i+1+r.IntN(4))
		case shape == 1: // near
			return min(n-1, max(1, i-3+r.IntN(8)))
		case shape == 2 && r.IntN(3) > 0:
			return min(n-1, i+1+r.IntN(3))
		}
		return 1 + r.IntN(n-1)
	}
	merges := r.Perm(n)
	for i := range n {
		b := flowBlock{kind: flowBranch, bit: uint32(r.IntN(32)), phi: r.IntN(2) == 0}
		k := r.IntN(10)
		switch {
		case i == n-1 || k == 0 && i > 0:
			b.kind = flowReturn
		case k < 3:
			b.to = []int{to(i)}
		case k < 8:
			b.kind, b.to = flowIf, []int{to(i), to(i)}
		default:
			b.kind, b.to = flowSwitch, []int{to(i)}
			cases := 1 + r.IntN(8)
			for v := range cases {
				b.to, b.vals = append(b.to, to(i)), append(b.vals, uint32(v))
			}
			if cases == 8 {
				b.to[0] = -1 // no block of the graph: one is added that control never comes to
			}
		}
		if m, c := merges[i], to(i); len(b.to) > 1 && m != c && m != i && r.IntN(4) == 0 {
			b.hint = fmt.Sprintf("OpSelectionMerge %%b%d None\n", m)
			if b.kind == flowIf && r.IntN(2) == 0 {
				b.hint = fmt.Sprintf("OpLoopMerge %%b%d %%b%d Unroll\n", m, c)
			}
		}
		g.blocks = append(g.blocks, b)
	}
	g.guard(r)
	g.values(r)
	return g
}

// guard puts a block on each edge that leads back, which leaves when the fuel is out.
func (g *FlowGraph) guard(r *rand.Rand) {
	n := len(g.blocks)
	for i := range n {
		for k, to := range g.blocks[i].to {
			if to > i {
				continue
			}
			if to < 0 {
				g.blocks[i].to[k] = len(g.blocks)
				g.blocks = append(g.blocks, flowBlock{kind: flowStop})
				continue
			}
			out := n - 1
			if r.IntN(2) == 0 {
				out = len(g.blocks)
				g.blocks = append(g.blocks, flowBlock{kind: flowReturn, phi: true})
			}
			g.blocks[i].to[k] = len(g.blocks)
			g.blocks = append(g.blocks, flowBlock{kind: flowFuel, to: []int{to, out}, phi: r.IntN(2) == 0})
		}
	}
}

// values chooses which values phis take and blocks use: such as dominate them.
func (g *FlowGraph) values(r *rand.Rand) {
	for i := range g.blocks {
		for _, to := range g.blocks[i].to {
			if p := &g.blocks[to].parents; !slices.Contains(*p, i) {
				*p = append(*p, i)
			}
		}
	}
	dom := g.dominators()
	depth := make([]int, len(g.blocks))
	for i := range g.blocks {
		g.order = append(g.order, i)
		for _, d := range dom[i] {
			if d {
				depth[i]++
			}
		}
	}
	slices.SortStableFunc(g.order[1:], func(a, b int) int { return depth[a] - depth[b] })
	pick := func(b int) int {
		var list []int
		for d := range g.blocks {
			if dom[b][d] {
				list = append(list, d)
			}
		}
		return list[r.IntN(len(list))]
	}
	for i := range g.blocks {
		b := &g.blocks[i]
		b.phi = b.phi && len(b.parents) > 0
		for _, p := range b.parents {
			b.phiFrom = append(b.phiFrom, pick(p))
		}
		if d := pick(i); d != i {
			b.uses = append(b.uses, d)
		}
	}
}

// dominators returns by block which blocks dominate it; one that control does not reach only itself.
func (g *FlowGraph) dominators() [][]bool {
	n := len(g.blocks)
	reach := func(without int) []bool {
		seen := make([]bool, n)
		var visit func(b int)
		visit = func(b int) {
			if b == without || seen[b] {
				return
			}
			seen[b] = true
			for _, s := range g.blocks[b].to {
				visit(s)
			}
		}
		visit(0)
		return seen
	}
	all := reach(-1)
	dom := make([][]bool, n)
	for b := range dom {
		dom[b] = make([]bool, n)
		dom[b][b] = true
	}
	for d := range n {
		left := reach(d)
		for b := range n {
			if all[b] && !left[b] {
				dom[b][d] = true
			}
		}
	}
	return dom
}

// walk is what a lane appends to its trace.
func (g *FlowGraph) walk(seed uint32) []uint32 {
	var trace []uint32
	val := make([]uint32, len(g.blocks))
	for b, from := 0, -1; ; {
		blk := &g.blocks[b]
		n := uint32(len(trace))
		v := uint32(b)
		if blk.phi {
			v += 7 * val[blk.phiFrom[slices.Index(blk.parents, from)]]
		}
		for _, d := range blk.uses {
			v ^= 3 * val[d]
		}
		val[b] = v
		trace = append(trace, v<<8|uint32(b)&255)
		from = b
		x := (seed ^ n) * 0x9e3779b1
		x = bits.RotateLeft32(x, -int(blk.bit))
		switch blk.kind {
		case flowReturn:
			return trace
		case flowStop:
			panic("control comes to OpUnreachable")
		case flowBranch:
			b = blk.to[0]
		case flowIf:
			b = blk.to[x&1]
		case flowSwitch:
			b = blk.to[1+slices.Index(blk.vals, x&7)] // index -1: the default
		case flowFuel:
			if b = blk.to[0]; n >= flowSteps {
				b = blk.to[1]
			}
		}
	}
}

// text writes the function's blocks; the module around them has the names it uses.
func (g *FlowGraph) text(w *strings.Builder) {
	p := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	for _, i := range g.order {
		b := &g.blocks[i]
		p("%%b%d = OpLabel", i)
		if b.phi {
			args := ""
			for k, parent := range b.parents {
				args += fmt.Sprintf(" %%v%d %%b%d", b.phiFrom[k], parent)
			}
			p("%%p%d = OpPhi %%uint%s", i, args)
		}
		if i == 0 {
			p("%s", flowEntry)
		}
		v := fmt.Sprintf("%%k%d", i)
		if b.phi {
			p("%%q%d = OpIMul %%uint %%p%d %%k7\n%%r%d = OpIAdd %%uint %%q%d %s", i, i, i, i, v)
			v = fmt.Sprintf("%%r%d", i)
		}
		for k, d := range b.uses {
			p("%%s%d_%d = OpIMul %%uint %%v%d %%k3\n%%t%d_%d = OpBitwiseXor %%uint %s %%s%d_%d", i, k, d, i, k, v, i, k)
			v = fmt.Sprintf("%%t%d_%d", i, k)
		}
		p("%%v%d = OpCopyObject %%uint %s", i, v)
		p("%%n%d = OpLoad %%uint %%count\n%%m%d = OpIAdd %%uint %%n%d %%k1\nOpStore %%count %%m%d\n%%i%d = OpIAdd %%uint %%base %%n%d", i, i, i, i, i, i)
		p("%%a%d = OpShiftLeftLogical %%uint %%v%d %%k8\n%%w%d = OpBitwiseOr %%uint %%a%d %%k%d", i, i, i, i, i&255)
		p(flowStore, i, i, i, i)
		g.branch(p, i)
	}
}

func (g *FlowGraph) branch(p func(string, ...any), i int) {
	b := &g.blocks[i]
	if b.kind == flowIf || b.kind == flowSwitch {
		p("%%x%d = OpBitwiseXor %%uint %%seed %%n%d\n%%y%d = OpIMul %%uint %%x%d %%hash", i, i, i, i)
		p("%%z%d = OpShiftRightLogical %%uint %%y%d %%k%d\n%%zz%d = OpShiftLeftLogical %%uint %%y%d %%k%d", i, i, b.bit, i, i, 32-b.bit)
		if b.bit == 0 {
			p("%%o%d = OpCopyObject %%uint %%y%d", i, i)
		} else {
			p("%%o%d = OpBitwiseOr %%uint %%z%d %%zz%d", i, i, i)
		}
	}
	switch b.kind {
	case flowReturn:
		p("OpReturn")
	case flowStop:
		p("OpUnreachable")
	case flowBranch:
		p("OpBranch %%b%d", b.to[0])
	case flowIf:
		p("%%e%d = OpBitwiseAnd %%uint %%o%d %%k1\n%%c%d = OpINotEqual %%bool %%e%d %%k0\n%sOpBranchConditional %%c%d %%b%d %%b%d", i, i, i, i, b.hint, i, b.to[1], b.to[0])
	case flowFuel:
		p("%%c%d = OpULessThan %%bool %%n%d %%steps\nOpBranchConditional %%c%d %%b%d %%b%d", i, i, i, b.to[0], b.to[1])
	case flowSwitch:
		args := ""
		for k, v := range b.vals {
			args += fmt.Sprintf(" %d %%b%d", v, b.to[k+1])
		}
		p("%%e%d = OpBitwiseAnd %%uint %%o%d %%k7\n%sOpSwitch %%e%d %%b%d%s", i, i, b.hint, i, b.to[0], args)
	}
}

// constants declares the numbers that the blocks use.
func (g *FlowGraph) constants(w *strings.Builder) {
	for i := range max(len(g.blocks), 256) {
		fmt.Fprintf(w, "%%k%d = OpConstant %%uint %d\n", i, i)
	}
	fmt.Fprintf(w, "%%hash = OpConstant %%uint %d\n%%steps = OpConstant %%uint %d\n%%lane_words = OpConstant %%uint %d\n", uint32(0x9e3779b1), flowSteps, flowTrace)
}

const flowEntry = `%count = OpVariable %pcount Function
%id3 = OpLoad %v3ulong %id
%id64 = OpCompositeExtract %ulong %id3 0
%lane = OpUConvert %uint %id64
%seedp = OpInBoundsPtrAccessChain %word %buf %lane
%seed = OpLoad %uint %seedp Aligned 4
%lanes = OpIMul %uint %lane %lane_words
%base = OpIAdd %uint %lanes %k16
OpStore %count %k0`

const flowStore = "%%g%d = OpInBoundsPtrAccessChain %%word %%buf %%i%d\nOpStore %%g%d %%w%d Aligned 4"

const flowHead = `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main" %id
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn GlobalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%v3ulong = OpTypeVector %ulong 3
%pid = OpTypePointer Input %v3ulong
%word = OpTypePointer CrossWorkgroup %uint
%pcount = OpTypePointer Function %uint
%fn = OpTypeFunction %void %word
%id = OpVariable %pid Input
`

// Kernel is a kernel of the graph, as text: each lane reads its seed and appends to its trace, at the place
// in words that its argument points to.
func (g *FlowGraph) Kernel() string {
	var w strings.Builder
	w.WriteString(flowHead)
	g.constants(&w)
	w.WriteString("%main = OpFunction %void None %fn\n%buf = OpFunctionParameter %word\n")
	g.text(&w)
	w.WriteString("OpFunctionEnd\n")
	return w.String()
}

func flowSeed(lane int) uint32 { return uint32(lane * 7919) }

// KernelArgument is the arguments of a kernel that takes an address; its global offset is zero.
func KernelArgument(addr uint64) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, addr), make([]byte, 64)...)
}

// String is the graph's edges.
func (g *FlowGraph) String() string {
	var w strings.Builder
	for i := range g.blocks {
		fmt.Fprintf(&w, "%d%v ", i, g.blocks[i].to)
	}
	return w.String()
}

// Run dispatches what was compiled of the kernel and compares its traces with those of a walk.
func (g *FlowGraph) Run(p emu.Program) error {
	mem := emu.NewMemory()
	out := mem.Alloc(4 * (16 + flowLanes*flowTrace))
	for i := range flowLanes {
		binary.LittleEndian.PutUint32(out.Data[4*i:], flowSeed(i))
	}
	env := &emu.Env{Mem: mem, Bindings: &emu.Bindings{}, Push: KernelArgument(out.Addr)}
	if err := emu.Dispatch(context.Background(), p, env, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true, Budget: 1 << 22}}); err != nil {
		return err
	}
	for i := range flowLanes {
		want := append(g.walk(flowSeed(i)), make([]uint32, flowTrace)...)[:flowTrace]
		for k, w := range want {
			if got := binary.LittleEndian.Uint32(out.Data[4*(16+i*flowTrace+k):]); got != w {
				return fmt.Errorf("lane %d comes to %#x at step %d, and should to %#x", i, got, k, w)
			}
		}
	}
	return nil
}
