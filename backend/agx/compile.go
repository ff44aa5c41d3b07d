package agx

import (
	"errors"
	"fmt"
	"strings"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// CompileOptions steer Compile.
type CompileOptions struct {
	// GPU is the chip's name, "" for DefaultGPU.
	GPU string
	// Verify validates the IR before selection and runs the allocation checker.
	Verify bool
	// Dump, if not nil, receives the program's text after each step: isel, spill, ra, copies, final.
	Dump func(step, text string)
	// Halves, if not 0, bounds the register halves that may be used (for tests of spilling).
	Halves int
}

// Binary is a compiled shader.
type Binary struct {
	Code  []byte
	Meta  abi.Meta
	Stats Stats
	// Lines tells the source location (an index into ir.Shader.Locs) of the code
	// from a byte offset on.
	Lines []backend.CodeLine
}

// Compile generates code for a shader in the form that the package comment
// describes. It changes the shader. What cannot be compiled is an error that
// says what and, if known, where in the source.
func Compile(s *ir.Shader, opts CompileOptions) (*Binary, error) {
	g, err := FindGPU(opts.GPU)
	if err != nil {
		return nil, err
	}
	c := &compiler{s: s, gpu: g, opts: opts}
	return c.run()
}

type compiler struct {
	s    *ir.Shader
	gpu  *GPU
	opts CompileOptions
	meta abi.Meta
	uni  uniforms
	res  *resources
}

func (c *compiler) run() (*Binary, error) {
	switch c.s.Stage {
	case ir.StageVertex, ir.StageFragment, ir.StageCompute:
	default:
		return nil, fmt.Errorf("agx: %s shaders are not supported: a driver builds them from compute shaders", c.s.Stage)
	}
	entry := c.s.Entry()
	if entry == nil || entry.Impl == nil {
		return nil, errors.New("agx: the shader has no entry point")
	}
	c.meta = abi.Meta{Stage: c.s.Stage, LayerViewportWord: abi.NoWord}
	var err error
	if c.res, err = lowerDescriptors(c.s, entry.Impl); err != nil {
		return nil, err
	}
	lowerFragSidefx(c.s, entry.Impl)
	lowerSubgroups(entry.Impl)
	lowerTexture(c.s, entry.Impl)
	if c.opts.Verify {
		if err := ir.Validate(c.s); err != nil {
			return nil, err
		}
	}
	var main, pre *part
	ps := formPreamble(c.s, entry.Impl, &c.uni)
	if main, err = c.generate(c.s, &c.meta); err != nil {
		return nil, err
	}
	if ps == nil && len(c.uni.limits) > 0 {
		ps = newPreamble(c.s)
	}
	if ps != nil {
		if pre, err = c.generate(ps, &abi.Meta{LayerViewportWord: abi.NoWord}); err != nil {
			return nil, err
		}
	}
	return c.finish(main, pre)
}

// part is a program of the binary: the shader itself or its preamble.
type part struct {
	s          *ir.Shader
	f          *mach.Func
	meta       *abi.Meta
	spillStart int // where the spill area begins on the stack, in bytes
	code       []byte
	lines      []backend.CodeLine
	p          *program
}

// generate selects and allocates the entry point of a shader.
func (c *compiler) generate(s *ir.Shader, meta *abi.Meta) (*part, error) {
	f, err := selectFunc(c, s, meta)
	if err != nil {
		return nil, err
	}
	pt := &part{s: s, f: f, meta: meta}
	mach.RemoveDead(f, removable)
	c.dump("isel", f)
	return pt, c.allocate(pt)
}

// removable tells whether an instruction does nothing but compute its result.
func removable(in *mach.Instr) bool {
	switch in.Op {
	case opInputs, opEnd, opIf, opRefresh:
		return false
	case opShuffle:
		return true
	}
	const effects = isa.TraitStore | isa.TraitBarrier | isa.TraitExec | isa.TraitBranch
	return isaOp(in.Op).Traits()&effects == 0
}

func (c *compiler) dump(step string, f *mach.Func) {
	if c.opts.Dump != nil {
		c.opts.Dump(step, f.String())
	}
}

// allocate brings f to physical registers.
func (c *compiler) allocate(pt *part) error {
	f := pt.f
	limit := c.registerLimit()
	f.SetFileLimit(fileGPR, limit)
	mach.LowerTied(f)
	if err := c.spill(pt, limit); err != nil {
		return err
	}
	c.dump("spill", f)
	var check *mach.Checker
	if c.opts.Verify {
		check = mach.NewChecker(f)
	}
	if _, err := mach.Allocate(f, mach.AllocOptions{}); err != nil {
		return fmt.Errorf("agx: %w", err)
	}
	c.dump("ra", f)
	if check != nil {
		if err := check.Check(); err != nil {
			return fmt.Errorf("agx: %w", err)
		}
	}
	mach.LowerCopies(f)
	c.dump("copies", f)
	if check != nil {
		if err := check.Check(); err != nil {
			return fmt.Errorf("agx: after copies: %w", err)
		}
	}
	return nil
}

// registerLimit is the number of halves that a thread may use: all, or less
// where a workgroup must be resident as a whole.
func (c *compiler) registerLimit() int {
	n := gprHalves
	if c.s.Stage == ir.StageCompute {
		z := c.s.Info.WorkgroupSize
		n = halvesFor(int(z[0]) * int(z[1]) * int(z[2]))
	}
	if c.opts.Halves > 0 {
		n = min(n, c.opts.Halves)
	}
	return n
}

// codeAlign is the alignment of a program in the code.
const codeAlign = 128

// finish makes the physical programs, improves and encodes them.
func (c *compiler) finish(main, pre *part) (*Binary, error) {
	var err error
	if c.meta.Uniforms, c.meta.UniformHalves, err = c.uni.layOut(); err != nil {
		return nil, err
	}
	if err := c.encode(main); err != nil {
		return nil, err
	}
	b := &Binary{Code: main.code, Lines: main.lines}
	c.describe(main)
	c.meta.Halves = c.footprint(main.p)
	if pre != nil {
		if err := c.encode(pre); err != nil {
			return nil, err
		}
		c.meta.HasPreamble = true
		for len(b.Code)%codeAlign != 0 {
			if b.Code, err = isa.AppendPack(b.Code, &isa.Instr{Op: isa.OpTrap}); err != nil {
				return nil, err
			}
		}
		c.meta.Preamble = uint32(len(b.Code))
		c.meta.PreambleScratch = uint32(pre.scratch())
		c.meta.PreambleHalves = registers(pre.p)
		if pre.scratch() > 0 {
			c.meta.PreambleHalves = gprHalves
		}
		for _, l := range pre.lines {
			b.Lines = append(b.Lines, backend.CodeLine{Offset: l.Offset + len(b.Code), Loc: l.Loc})
		}
		b.Code = append(b.Code, pre.code...)
	}
	b.Meta = c.meta
	b.Stats = c.stats(main, len(b.Code))
	return b, b.Meta.Check()
}

// encode makes the code of a part.
func (c *compiler) encode(pt *part) (err error) {
	p, err := lowerPseudo(pt.f, &c.uni)
	if err != nil {
		return err
	}
	pt.p = p
	p.emptyElse()
	p.breakIf()
	p.jumpNone()
	p.entry(pt.scratch())
	p.insertWaits()
	if c.opts.Dump != nil {
		c.opts.Dump("final", p.String())
	}
	pt.code, pt.lines, err = p.encode()
	return err
}

// scratch is the number of bytes of stack that a part addresses.
func (pt *part) scratch() int {
	n := int(pt.s.ScratchSize)
	if k := pt.f.SpillUnits; k > 0 {
		n = pt.spillStart + 2*k
	}
	return alignUp(n, 16)
}

// entry puts what every program that needs it begins with in front: the
// nesting counter's start and the stack frame.
func (p *program) entry(scratch int) {
	var head []*pinstr
	if p.exec {
		head = append(head, p.newInstr(isa.Instr{Op: isa.OpMovImm16, Dst: isa.H(isa.R0L)}, 0))
	}
	if p.r0h {
		head = append(head, p.newInstr(zeroIndex, 0))
	}
	if scratch > 0 {
		words := alignUp((scratch+3)/4+stackReserved, stackAlign)
		head = append(head, p.newInstr(isa.Instr{Op: isa.OpStackAdjust, Imm: uint32(words)}, 0))
	}
	if len(head) > 0 {
		p.list = append(head, p.list...)
	}
}

// trapCount is the number of traps behind the last instruction.
const trapCount = 8

// encode lays the instructions out and encodes them.
func (p *program) encode() (code []byte, lines []backend.CodeLine, err error) {
	at := 0
	for _, in := range p.list {
		in.addr = at
		n, err := in.Length()
		if err != nil {
			return nil, nil, fmt.Errorf("%w in %s", err, in.Text())
		}
		at += n
	}
	code = make([]byte, 0, at+2*trapCount)
	for _, in := range p.list {
		if in.to != nil {
			in.Target = int32(in.to.addr - in.addr)
		}
		if n := len(lines); in.loc != 0 && (n == 0 || lines[n-1].Loc != in.loc) {
			lines = append(lines, backend.CodeLine{Offset: len(code), Loc: in.loc})
		}
		if code, err = isa.AppendPack(code, &in.Instr); err != nil {
			return nil, nil, fmt.Errorf("%w in %s", err, in.Text())
		}
	}
	trap := isa.Instr{Op: isa.OpTrap}
	for range trapCount {
		if code, err = isa.AppendPack(code, &trap); err != nil {
			return nil, nil, err
		}
	}
	return code, lines, nil
}

// String lists the instructions; branches show the number of their target.
func (p *program) String() string {
	var w strings.Builder
	number := map[*pinstr]int{}
	for i, in := range p.list {
		number[in] = i
	}
	for i, in := range p.list {
		fmt.Fprintf(&w, "%4d  %s", i, in.Text())
		if in.to != nil {
			fmt.Fprintf(&w, " -> %d", number[in.to])
		}
		w.WriteByte('\n')
	}
	return w.String()
}

// describe fills the metadata that follows from the final code.
func (c *compiler) describe(main *part) {
	m := &c.meta
	m.ScratchSize = uint32(main.scratch())
	m.SharedSize = c.s.SharedSize
	if c.s.Stage == ir.StageCompute {
		m.WorkgroupSize = c.s.Info.WorkgroupSize
	}
	m.EarlyFragmentTests = c.s.Info.EarlyFragmentTests
	m.ClipDistances, m.CullDistances = c.s.Info.ClipDistances, c.s.Info.CullDistances
	m.Table = c.res.table
	m.Heap = c.res.heap
	m.States = append(append([]abi.State(nil), c.res.textures...), c.res.samplers...)
}

// registers is the number of halves that a program names: the highest plus 1.
func registers(p *program) int {
	most := 0
	note := func(o *isa.Operand) {
		if o.Kind == isa.Reg {
			most = max(most, int(o.Val)+o.Halves())
		}
	}
	for _, in := range p.list {
		note(&in.Dst)
		for i := range in.Srcs {
			note(&in.Srcs[i])
		}
	}
	return most
}

// footprint is the number of halves in use by the shader, inputs and results included.
func (c *compiler) footprint(p *program) int {
	most := registers(p)
	for _, r := range c.meta.Results {
		n := 1
		for r.Mask>>n != 0 {
			n++
		}
		most = max(most, r.Reg+n*int(r.Bits)/16)
	}
	for _, a := range c.meta.Attribs {
		n := 1
		for a.Mask>>n != 0 {
			n++
		}
		most = max(most, a.Reg+2*n)
	}
	if c.s.Stage == ir.StageVertex {
		most = max(most, abi.InstanceIDReg+2)
	}
	return most
}
