package ir3

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"nirc/backend"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
	"nirc/passes"
)

// CompileOptions steer Compile.
type CompileOptions struct {
	// GPU is the device's name, "" for DefaultGPU.
	GPU string
	// Verify validates the IR before selection and runs the allocation checker.
	Verify bool
	// Dump, if not nil, receives the program's text after each step: isel, uniform, spill, ra, copies, final.
	Dump func(step, text string)
	// NoRepeat leaves repeat groups out.
	NoRepeat bool
	// NoScalar keeps preambles out of the shared registers.
	NoScalar bool
	// NoLast leaves out the hints at the last reads of registers.
	NoLast bool
	// uniform says which uniform values of the program go to shared registers.
	uniform sharing
	// predicate says where short sides of ifs are masked instead of branched around.
	predicate predication
	// Next is the stage whose threads go on where this one ends: tessellation
	// control or geometry behind vertex, geometry behind tessellation evaluation. None
	// means that outputs are left in registers.
	Next ir.Stage
	// Lists runs the lists ir3_… of pipeline.yaml.
	Lists passes.Lists
	// Registers, if not 0, bounds the vec4 registers that may be used (for tests of spilling).
	Registers int
}

// Binary is a compiled shader.
type Binary struct {
	Code  []byte
	Meta  abi.Meta
	Stats Stats
	// Locs[i] is the source location (an index into ir.Shader.Locs) of instruction i.
	Locs []uint32
}

// Compile generates code for a shader in the form that the package comment
// describes. It changes the shader. What cannot be compiled is an error that says what and,
// if known, where in the source.
func Compile(s *ir.Shader, opts CompileOptions) (*Binary, error) {
	g, err := FindGPU(opts.GPU)
	if err != nil {
		return nil, err
	}
	c := &compiler{s: s, gpu: g, opts: opts, mem: scratches.Get().(*scratch)}
	b, err := c.run()
	c.release()
	return b, err
}

type compiler struct {
	s    *ir.Shader
	gpu  *GPU
	opts CompileOptions
	meta abi.Meta
	sel  *isel
	plan *vecPlan
	rpt  RptStats
	// vectorPreamble keeps the preamble out of shared registers, vectorUniform
	// the uniform values of the program.
	vectorPreamble, vectorUniform bool
	// shared: uniform values of the program are in shared registers.
	shared bool
	// spillStart is where the spill area begins in private memory, in bytes.
	spillStart int
	mem        *scratch
}

func (c *compiler) run() (*Binary, error) {
	switch c.s.Stage {
	case ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry, ir.StageFragment, ir.StageCompute:
	default:
		return nil, fmt.Errorf("ir3: %s shaders are not supported", c.s.Stage)
	}
	entry := c.s.Entry()
	if entry == nil || entry.Impl == nil {
		return nil, errors.New("ir3: the shader has no entry point")
	}
	c.meta = abi.Meta{Gen: c.gpu.Gen, Stage: c.s.Stage}
	if err := c.lowerIR(entry.Impl); err != nil {
		return nil, err
	}
	c.vectorize(entry.Impl)
	plain := false
	for {
		p, err := c.program(entry.Impl, plain)
		switch {
		case err == errNoArrays:
			arraysToMemory(c.s, entry.Impl)
			c.vectorize(entry.Impl)
		case err == errNotPlaced:
			c.vectorUniform = true
		case err == errNotShared:
			c.vectorPreamble = true
		case !plain && (err == errNoPreamble || err == nil && !c.prefetchesFit()):
			plain = true
		case err != nil:
			return nil, err
		default:
			return c.finish(p)
		}
		c.meta = c.freshMeta()
	}
}

// vectorize plans the repeat groups.
func (c *compiler) vectorize(impl *ir.Impl) {
	c.plan = &vecPlan{}
	if c.opts.NoRepeat {
		return
	}
	c.plan = vectorize(impl)
	if c.opts.Dump != nil {
		c.opts.Dump("vectorize", ir.Print(c.s))
	}
}

// freshMeta is the metadata before selection.
func (c *compiler) freshMeta() abi.Meta {
	return abi.Meta{Gen: c.gpu.Gen, Stage: c.s.Stage, Descriptors: c.meta.Descriptors, Chain: c.meta.Chain}
}

// prefetchesFit reports whether the results of prefetches got registers that
// prefetches can write.
func (c *compiler) prefetchesFit() bool {
	for _, s := range c.prefetchSpans() {
		if (s.unit+s.n-1)/2 > abi.MaxPrefetchReg {
			return false
		}
	}
	return true
}

// errNoPreamble: the preamble does not fit beside the inputs of the program.
var errNoPreamble = errors.New("ir3: the preamble needs more registers than there are")

// errNotShared: the preamble does not fit into the shared registers.
var errNotShared = errors.New("ir3: the preamble needs more shared registers than there are")

// program selects and allocates the program, with its preamble unless plain.
func (c *compiler) program(impl *ir.Impl, plain bool) (*final, error) {
	sel, err := selectFunc(c.s, impl, c.gpu, &c.meta, c.plan, plain, c.mem)
	if err != nil {
		return nil, err
	}
	c.sel = sel
	removeDead(sel.f)
	shareResults(sel.f)
	shareAddresses(sel.f)
	if c.gpu.Gen == isa.A7xx {
		aliasSources(sel.f, sel.isPrefetched)
	}
	c.dump("isel", sel.f)
	if err := c.allocate(sel.f); err != nil {
		return nil, err
	}
	if sel.pre.f == nil {
		return c.lower(nil)
	}
	if err := c.allocatePreamble(); err != nil {
		var p *mach.PressureError
		if errors.As(err, &p) {
			return nil, errNoPreamble
		}
		if err == errNotShared {
			return nil, err
		}
		return nil, fmt.Errorf("ir3: preamble: %w", err)
	}
	return c.lower(sel.pre.f)
}

// lower makes the physical program.
func (c *compiler) lower(preamble *mach.Func) (*final, error) {
	p, err := lower(c.sel.f, preamble, c.gpu, c.spillStart, c.mem)
	if err == nil && c.shared {
		p.physicalEdges()
	}
	return p, err
}

// lowerIR runs the target's own passes over the IR.
func (c *compiler) lowerIR(impl *ir.Impl) (err error) {
	if err := checkForms(c.s, impl); err != nil {
		return err
	}
	if err := c.lowerChain(impl); err != nil {
		return err
	}
	lowerNarrowStores(impl, c.gpu)
	if c.s.Stage == ir.StageFragment {
		lowerInterpolation(impl)
	}
	if c.meta.Descriptors, err = lowerDescriptors(c.s, impl); err != nil {
		return err
	}
	if len(c.meta.Descriptors) > 0 {
		if err := foldHandles(c.s, impl, c.opts.Lists); err != nil {
			return err
		}
	}
	lowerSubgroups(c.s, impl)
	fused := fuseBitwise(impl)
	if orderSums(impl) || fused {
		if err := c.opts.Lists.Run(c.s, "ir3_dead"); err != nil {
			return err
		}
	}
	if c.s.Stage == ir.StageFragment {
		lowerTerminateIf(impl)
	}
	if c.opts.Verify {
		return ir.Validate(c.s)
	}
	return nil
}

func (c *compiler) dump(step string, f *mach.Func) {
	if c.opts.Dump != nil {
		c.opts.Dump(step, f.String())
	}
}

// registers reads from the operands where inputs and outputs ended up.
func (c *compiler) registers(f *mach.Func) {
	s := c.sel
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			switch in.Op {
			case opInputs:
				for k := range in.Defs() {
					c.input(&s.in.defs[k], &in.Ops[k])
				}
			case machOp(isa.OpEnd):
				k := 0
				for _, u := range in.Uses() {
					for c.meta.Outputs[k].Registers() == 0 {
						k++
					}
					c.meta.Outputs[k].Reg = regNumber(f.Class(u.Val), int(u.Reg))
					k++
				}
			}
		}
	}
	if c.s.Stage != ir.StageFragment {
		return
	}
	for slot := range s.in.slots {
		i := &s.in.slots[slot]
		if i.mask == 0 {
			continue
		}
		c.meta.Inputs = append(c.meta.Inputs, abi.Input{Slot: ir.Slot(slot), Mask: i.mask, Reg: abi.NoReg, InLoc: i.inLoc, Interp: i.interp, Half: i.half})
		for k := range 4 {
			if i.mask>>k&1 != 0 {
				c.meta.TotalIn = max(c.meta.TotalIn, i.inLoc+k+1)
			}
		}
	}
}

func regNumber(class uint8, unit int) int { return int(regOperand(class, unit).Val) }

func (c *compiler) input(d *inputDef, o *mach.Operand) {
	f := c.sel.f
	if o.Flags&mach.Dead != 0 && o.Flags&mach.Fixed == 0 {
		return
	}
	reg := regNumber(f.Class(d.val), int(o.Reg))
	if d.prefetch > 0 {
		p := c.sel.in.prefetches[d.prefetch-1].meta
		p.Reg = reg
		c.meta.Prefetches = append(c.meta.Prefetches, p)
		return
	}
	if d.attrib {
		c.meta.Inputs = append(c.meta.Inputs, abi.Input{Slot: d.slot, Mask: c.sel.in.slots[d.slot].mask, Reg: reg})
		return
	}
	c.meta.Sysvals = append(c.meta.Sysvals, abi.Sysval{Kind: d.sysval, Reg: reg})
}

// finish orders, flags, pads and encodes the physical program.
func (c *compiler) finish(p *final) (*Binary, error) {
	var outs []span
	for _, o := range c.meta.Outputs {
		for k := range 4 {
			if o.Registers()>>k&1 == 0 {
				continue
			}
			r := isa.R(o.Reg + k)
			if o.Half {
				r = isa.HR(o.Reg + k)
			}
			if sp, ok := operandSpan(r, 1); ok {
				outs = append(outs, sp)
			}
		}
	}
	if !c.opts.NoRepeat {
		p.mergeRepeats(&c.rpt)
		if c.opts.Dump != nil {
			c.opts.Dump("rpt", p.text())
		}
	}
	p.schedule()
	p.markEarly()
	p.markEI(len(c.meta.Prefetches) > 0)
	p.waitFirst = c.s.Stage == ir.StageTessCtrl || c.s.Stage == ir.StageGeometry
	p.sync(outs, c.prefetchSpans())
	p.markUL()
	p.delays(c.opts.predicate)
	if c.meta.NeedsQuads {
		c.meta.PrefetchQuads = !p.endHelpers()
	}
	if c.gpu.Gen == isa.A7xx && !c.opts.NoLast {
		p.markLast(outs)
	}
	p.expandAliases()
	list, stack := p.layOut()
	if c.opts.Dump != nil {
		c.opts.Dump("final", listing(list, c.gpu.Gen))
	}
	b := &Binary{}
	count := len(list)
	padded := max((count+15)/16*16, count+4)
	padded = (padded + 15) / 16 * 16
	nop := isa.Instr{Op: isa.OpNop}
	b.Code = make([]byte, 0, 8*padded)
	for i := range padded {
		in := &nop
		if i < count {
			in = &list[i].Instr
		}
		w, err := isa.Pack(c.gpu.Gen, in)
		if err != nil {
			return nil, fmt.Errorf("ir3: instruction %d: %w", i, err)
		}
		b.Code = binary.LittleEndian.AppendUint64(b.Code, w)
		if i < count {
			b.Locs = append(b.Locs, list[i].loc)
		}
	}
	c.describe(list, stack, p.early)
	b.Meta = c.meta
	b.Stats = c.stats(list)
	b.Stats.Rpt = c.rpt
	if err := b.Meta.Check(); err != nil {
		return nil, err
	}
	return b, nil
}

func listing(list []pinstr, gen isa.Gen) string {
	var w strings.Builder
	for i := range list {
		fmt.Fprintf(&w, "%4d  %s\n", i, list[i].Text(gen))
	}
	return w.String()
}

// text is the program by blocks, before it has its order.
func (p *final) text() string {
	var w strings.Builder
	for b := range p.blocks {
		fmt.Fprintf(&w, "b%d:\n", b)
		for i := range p.blocks[b].ins {
			fmt.Fprintf(&w, "    %s\n", p.blocks[b].ins[i].Text(p.gpu.Gen))
		}
	}
	return w.String()
}

// describe fills the metadata that follows from the final code.
func (c *compiler) describe(list []pinstr, stack int, early bool) {
	m := &c.meta
	m.BranchStack = stack
	m.ScalarALU, m.EarlyPreamble = c.gpu.ScalarALU, early
	m.PredtNops, m.PredeNops = c.gpu.PredtNops, c.gpu.PredeNops
	m.SharedSize = c.s.SharedSize
	m.PrivateSize = uint32(backend.AlignUp(int(c.s.ScratchSize), 512))
	if n := c.sel.f.SpillUnits; n > 0 {
		m.PrivateSize = uint32(backend.AlignUp(c.spillStart+2*n, 512))
	}
	if c.s.Stage == ir.StageCompute {
		m.WorkgroupSize = c.s.Info.WorkgroupSize
	}
	if len(c.s.Captures) > 0 {
		m.Feedback = &abi.Feedback{Captures: c.s.Captures, Strides: c.s.Info.XfbStrides}
	}
	m.EarlyFragmentTests = c.s.Info.EarlyFragmentTests
	m.ClipDistances, m.CullDistances = c.s.Info.ClipDistances, c.s.Info.CullDistances
	m.MaxRegs = c.footprint(list)
	m.DoubleWave = c.doubleWave()
	c.sel.consts.describe(m, c.gpu)
	m.Consts.Preamble = c.sel.pre.area()
}

// footprint is the number of vec4 registers in use, halves folded in.
func (c *compiler) footprint(list []pinstr) int {
	most := 0
	note := func(s span) {
		if s.unit+s.n <= gprUnits {
			most = max(most, s.unit+s.n)
		}
	}
	var t touch
	for i := range list {
		t.ofAliased(&list[i])
		for _, r := range t.reads {
			note(r)
		}
		for _, w := range t.writes {
			note(w)
		}
	}
	for _, v := range c.meta.Sysvals {
		r := isa.R(v.Reg)
		if v.Kind.Half() {
			r = isa.HR(v.Reg)
		}
		if s, ok := operandSpan(r, v.Kind.Count()); ok {
			note(s)
		}
	}
	for _, i := range c.meta.Inputs {
		if i.Reg != abi.NoReg {
			n := 1
			for i.Mask>>n != 0 {
				n++
			}
			if s, ok := operandSpan(isa.R(i.Reg), n); ok {
				note(s)
			}
		}
	}
	for _, s := range c.prefetchSpans() {
		note(s)
	}
	for _, o := range c.meta.Outputs {
		r := isa.R(o.Reg)
		if o.Half {
			r = isa.HR(o.Reg)
		}
		if s, ok := operandSpan(r, bits.Len8(o.Registers())); ok {
			note(s)
		}
	}
	return (most + 7) / 8
}

// doubleWave decides the wave size (ir3.md §1.6).
func (c *compiler) doubleWave() bool {
	if c.gpu.NoDoubleWave || c.meta.BranchStack > 64 || 2*c.meta.MaxRegs > c.gpu.RegVec4 {
		return false
	}
	switch c.s.Stage {
	case ir.StageFragment:
		return true
	case ir.StageCompute:
		// The waves of a workgroup with barriers must fit at once.
		return c.threads() > 64 && !(c.meta.UsesBarrier && 2*c.meta.MaxRegs*c.wavesPerGroup(true) > c.gpu.RegVec4)
	}
	return false
}
