package core

import (
	"fmt"
	"sync"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/internal/lazy"
	"nirc/ir"
)

const (
	numRegs = abi.NumRegs / 2     // 32-bit registers
	numUnis = abi.NumUniforms / 2 // 32-bit uniforms
)

// inst is one decoded instruction with what its execution needs.
type inst struct {
	isa.Instr
	exec   func(w *wave, x *inst) error
	fn     fn
	approx *emu.Approx // of results that are not rounded
	fv     func(res, a, b, c *vec)
	err    error // bytes that are no instruction
	limit  error // it names registers beyond what the meta declares
	s      [4]src
	d      dst
	nsrc   int
	nest   nestKind
	half   bool // fn gives f16 bits
	signed bool // a source has the sign-extend flag
	pc     int  // byte offset
	n      uint8
	target int32 // index of the branch target, -1 none
	chk    hazards
}

// program is a decoded shader.
type program struct {
	api      ir.Stage  // the shader's stage
	meta     *abi.Meta // with the stage that it runs as
	code     []inst
	entry    int // index of the main program's first instruction
	preamble int
	io       emu.StageIO
	// count and raster are the other programs of a geometry shader; count may be nil.
	count, raster *program
	top           int // registers that anything names
	uses          codeUses
	record        int           // output words of a vertex stage
	coefs         [256]coef     // coefficient registers
	states        [2][256]state // texture and sampler state registers

	counts []*emu.Counter // by instruction; nil: nobody counts

	pool, checkPool sync.Pool // *registers, *checker
}

// codeUses is what a scan of the code finds.
type codeUses struct {
	samples        bool // sample_mask or zs_emit
	depth, stencil bool // of zs_emit
	tileLoads      bool
	tileStores     bool
	partStores     bool // of some samples
	kills          bool // sample_mask
	testsFirst     bool // the first sample_mask that is no kill of constant samples tests
	killsFirst     bool // a sample_mask stands before it
	decided        bool
	stores         bool // memory
	lanes          bool // instructions that look at other lanes
	quads          bool // instructions that take derivatives
	waits          bool // wait_pix
}

// Load decodes a binary. Bytes that are no instruction (constants, padding)
// are only an error if they are executed. The stages are vertex, fragment,
// compute and those of tessellation and geometry, for which the core plays the driver that
// builds them: see package abi.
func Load(code []byte, meta *abi.Meta) (emu.Program, error) {
	if err := meta.Check(); err != nil {
		return nil, err
	}
	if meta.Part != abi.PartWhole && meta.Part != abi.PartLinked {
		return nil, fmt.Errorf("agx core: the code is a %s part, which runs only when it is linked", meta.Part)
	}
	p, err := load(code, meta)
	if g := meta.Geometry; g != nil && err == nil {
		if p.raster, err = load(code, g.Raster); err == nil && g.Count != nil {
			p.count, err = load(code, g.Count)
		}
	}
	if err != nil {
		return nil, err
	}
	p.buildIO()
	return p, nil
}

// runsAs are the stages of the hardware as which others run.
var runsAs = lazy.Value[map[ir.Stage]ir.Stage]{Make: func() map[ir.Stage]ir.Stage {
	return map[ir.Stage]ir.Stage{ir.StageTessCtrl: ir.StageCompute, ir.StageTessEval: ir.StageVertex, ir.StageGeometry: ir.StageCompute}
}}

// load decodes the program that meta describes.
func load(code []byte, meta *abi.Meta) (*program, error) {
	p := &program{api: meta.Stage, meta: meta, top: 8}
	if as, ok := runsAs.Get()[meta.Stage]; ok {
		m := *meta
		m.Stage, p.meta = as, &m
	}
	at := make([]int32, len(code)+1)
	for i := range at {
		at[i] = -1
	}
	if meta.HasPreamble {
		if err := p.sweep(code, int(meta.Preamble), at); err != nil {
			return nil, err
		}
		p.preamble = int(at[meta.Preamble])
	}
	if err := p.sweep(code, int(meta.Entry), at); err != nil {
		return nil, err
	}
	p.entry = int(at[meta.Entry])
	for i := range p.code {
		x := &p.code[i]
		x.target = -1
		if t := x.pc + int(x.Target); x.Op.HasTarget() && t >= 0 && t < len(at) {
			x.target = at[t]
		}
		p.scan(x)
	}
	if err := p.checkTile(); err != nil {
		return nil, err
	}
	if err := p.checkPass(); err != nil {
		return nil, err
	}
	return p, p.interfaces()
}

// sweep decodes from an offset to the end, or to what is decoded already.
func (p *program) sweep(code []byte, pc int, at []int32) error {
	if pc >= len(code) || pc&1 != 0 {
		return fmt.Errorf("agx core: the program starts at byte %d of %d", pc, len(code))
	}
	for pc < len(code) && at[pc] < 0 {
		p.code = append(p.code, inst{pc: pc})
		x := &p.code[len(p.code)-1]
		at[pc] = int32(len(p.code) - 1)
		in, n, err := isa.Unpack(code[pc:])
		if err != nil {
			x.err, x.exec = err, execBytes
			pc += 2
			continue
		}
		x.Instr, x.n = in, uint8(n)
		x.decode()
		pc += n
	}
	// A program that runs into the preceding sweep, or off the end.
	p.code = append(p.code, inst{pc: pc, exec: execOff})
	return nil
}

func execBytes(_ *wave, x *inst) error { return x.err }
func execOff(*wave, *inst) error       { return fmt.Errorf("execution leaves the code") }

func (p *program) scan(x *inst) {
	switch x.Op {
	case isa.OpSampleMask:
		p.uses.killsFirst = p.uses.killsFirst || !p.uses.decided && x.Srcs[1].Kind == isa.Imm && x.Srcs[1].Val == 0
		p.uses.samples, p.uses.kills = true, true
		if live := x.Srcs[1]; !p.uses.decided && (live.Kind != isa.Imm || live.Val != 0 || x.Srcs[0].Kind != isa.Imm) {
			p.uses.decided, p.uses.testsFirst = true, live.Kind == isa.Imm && live.Val == 255
		}
	case isa.OpDeviceStore, isa.OpAtomic, isa.OpImageWrite:
		p.uses.stores = p.uses.stores || !p.inPreamble(x.pc)
	case isa.OpZsEmit:
		p.uses.samples = true
		p.uses.depth = p.uses.depth || x.Srcs[1].Count >= 2
		p.uses.stencil = p.uses.stencil || x.Srcs[1].Count&1 != 0
	case isa.OpLdTile:
		p.uses.tileLoads = true
	case isa.OpStTile:
		p.uses.tileStores = true
		p.uses.partStores = p.uses.partStores || p.storesPart(x)
	case isa.OpReduce:
		p.uses.lanes = true
	case isa.OpWaitPix:
		p.uses.waits = true
	}
	p.uses.lanes = p.uses.lanes || x.Op.Traits()&isa.TraitLanes != 0
	p.uses.quads = p.uses.quads || x.takesDerivatives()
	if x.err != nil {
		return
	}
	if x.limit = p.checkLimits(x); x.limit == nil {
		x.limit = p.checkForm(x)
	}
	for _, s := range append(x.chk.reads[:x.chk.nreads:x.chk.nreads], x.chk.write, x.chk.clobber) {
		p.top = max(p.top, (int(s.half)+int(s.n)+1)/2)
	}
}

// Stage returns the shader's stage.
func (p *program) Stage() ir.Stage { return p.api }

// WaveSize returns 32.
func (p *program) WaveSize() int { return lanes }

// WorkgroupSize returns the compute workgroup's size.
func (p *program) WorkgroupSize() [3]uint32 { return p.meta.WorkgroupSize }

// SharedSize returns the workgroup memory in bytes.
func (p *program) SharedSize() uint32 { return p.meta.SharedSize }

// IO returns the stage's interface.
func (p *program) IO() *emu.StageIO { return &p.io }

// coef is a coefficient register.
type coef struct {
	*abi.Coef
	comp uint8
}

// state is a texture or sampler state register.
type state struct{ *abi.State }

// interfaces indexes the meta's lists.
func (p *program) interfaces() error {
	for _, a := range p.meta.Attribs {
		p.top = max(p.top, a.Reg/2+4)
	}
	for _, r := range p.meta.Results {
		p.top = max(p.top, min(r.Reg/2+4, numRegs))
	}
	if err := p.indexRecord(); err != nil {
		return err
	}
	for i := range p.meta.Coefs {
		c := &p.meta.Coefs[i]
		for k := 0; k < int(c.Count); k++ {
			p.coefs[c.CF+k] = coef{c, c.First + uint8(k)}
		}
	}
	for i := range p.meta.States {
		s := &p.meta.States[i]
		kind := 0
		if s.Sampler {
			kind = 1
		}
		p.states[kind][s.Index] = state{s}
	}
	return nil
}

func (p *program) buildIO() {
	m := p.meta
	p.io = emu.StageIO{UsesDiscard: m.UsesDiscard, WritesMemory: m.WritesMemory, NeedsQuads: m.NeedsQuads,
		EarlyFragmentTests: m.EarlyFragmentTests && (!p.uses.samples || p.uses.testsFirst), PerSample: m.PerSample,
		ClipDistances: m.ClipDistances, TestsCull: m.CullDistances}
	linked := m.Part == abi.PartLinked
	p.io.TileStores = linked && m.Stage == ir.StageFragment
	p.io.TileLoads = p.io.TileStores && p.uses.tileLoads
	p.io.Waits = p.uses.waits
	p.io.WritesDepth, p.io.WritesStencil, p.io.SampleDepths = p.uses.depth, p.uses.stencil, true
	for _, a := range m.Attribs {
		if linked {
			break // its prolog fetches them
		}
		p.io.Inputs = append(p.io.Inputs, emu.InputSlot{Slot: a.Slot, Mask: a.Mask})
	}
	for _, c := range m.Coefs {
		if c.Source == abi.CoefVarying {
			p.io.Inputs = append(p.io.Inputs, emu.InputSlot{Slot: c.Slot, Mask: (1<<c.Count - 1) << c.First, Interp: c.Interp})
		}
	}
	for _, slot := range m.Reads {
		p.io.Inputs = append(p.io.Inputs, emu.InputSlot{Slot: slot, Mask: 15})
	}
	for _, slot := range m.Record {
		p.addOutput(emu.OutputSlot{Slot: slot, Mask: 15})
	}
	for k := range m.PatchSlots {
		p.addOutput(emu.OutputSlot{Slot: ir.SlotPatch0 + ir.Slot(k), Mask: 15, Patch: true})
	}
	if t := m.Tess; t != nil {
		p.io.Tess = emu.TessIO(*t)
	}
	vertex := m
	if g := m.Geometry; g != nil {
		p.geometryIO(g)
		vertex = g.Raster
	}
	for _, v := range vertex.Varyings {
		p.addOutput(emu.OutputSlot{Slot: v.Slot, Mask: (1<<v.Count - 1) << v.First})
	}
	if vertex.LayerViewportWord > 0 {
		p.addOutput(emu.OutputSlot{Slot: ir.SlotLayer, Mask: 1})
		p.addOutput(emu.OutputSlot{Slot: ir.SlotViewport, Mask: 1})
	}
	for _, r := range m.Results {
		o := emu.OutputSlot{Slot: r.Slot, Mask: r.Mask, Index: r.Index}
		if r.Bits == 16 && r.Slot >= ir.SlotData0 {
			o.Bits = 16
		}
		p.addOutput(o)
	}
	for _, t := range m.Tile {
		p.addOutput(emu.OutputSlot{Slot: t.Slot, Mask: t.Mask})
	}
	if m.Stage == ir.StageFragment && p.uses.samples {
		p.addOutput(emu.OutputSlot{Slot: ir.SlotSampleMask, Mask: 1})
	}
}

// addOutput adds components of a slot.
func (p *program) addOutput(o emu.OutputSlot) {
	if p.meta.Stage == ir.StageFragment {
		p.io.WritesDepth = p.io.WritesDepth || o.Slot == ir.SlotDepth
		p.io.WritesStencil = p.io.WritesStencil || o.Slot == ir.SlotStencil
		p.io.WritesSampleMask = p.io.WritesSampleMask || o.Slot == ir.SlotSampleMask
	}
	for i := range p.io.Outputs {
		if q := &p.io.Outputs[i]; q.Slot == o.Slot && q.Index == o.Index {
			q.Mask |= o.Mask
			return
		}
	}
	p.io.Outputs = append(p.io.Outputs, o)
}
