package core

import (
	"fmt"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// Where the program counter goes from a bundle, besides an index.
const (
	pcEnd  = -1 // the thread ends
	pcNone = -2 // there is no bundle
)

// bundle is one decoded bundle, ready to run.
type bundle struct {
	isa.Bundle
	addr   int // bytes from the start of the code
	alu    []inst
	stage2 int // index of the first instruction of stage 2
	// next and taken are where execution goes on: an index, or one of the above.
	next, taken int
	branch      isa.Branch
	hasBranch   bool
	decode      error // the bytes are no legal bundle
	bad         error // what an instruction cannot do, reported when run
	needs       []need
	// plain bundles are arithmetic that cannot fail, with a plain branch or none.
	plain bool
	jump  jump
	// direct: by stage, whether instructions may write before the next ones read.
	direct [2]bool
	rules  error // what checking mode finds without running
	// wrote is, by register 0 and 1, the bits that the bundle writes.
	wrote [2][2]uint64
}

// program is a decoded shader.
type program struct {
	meta *abi.Meta
	gpu  *abi.GPU // nil: no chip's limits
	code []bundle
	io   emu.StageIO
	// blend is the format of a blend program's target.
	blend  *emu.Format
	counts []emu.Counter // by bundle; nil: nobody counts
	// raster is the other program of a geometry shader.
	raster *program
}

// Load decodes a binary. Bytes that are no bundle (the padding) are only an
// error if they are executed. For the stages between vertex and fragment shaders the core plays the
// driver that builds them of other jobs.
func Load(code []byte, meta *abi.Meta) (emu.Program, error) {
	if err := meta.Check(); err != nil {
		return nil, err
	}
	g := meta.Geometry
	if g == nil {
		return loadProgram(code, meta)
	}
	if int(g.At) > len(code) || g.At%isa.Quad != 0 {
		return nil, fmt.Errorf("midgard core: the raster program would begin at byte %d of %d", g.At, len(code))
	}
	p, err := loadProgram(code[:g.At], meta)
	if err != nil {
		return nil, err
	}
	if p.raster, err = loadProgram(code[g.At:], g.Raster); err != nil {
		return nil, err
	}
	p.io.WindowPosition, p.io.TestsClip, p.io.TestsCull = true, g.Raster.ClipDistances, g.Raster.CullDistances
	p.io.Outputs = p.raster.io.Outputs
	p.io.Captures, p.io.XfbStrides, p.io.OwnFeedback = g.Captures, g.Strides, true
	return p, nil
}

// loadProgram decodes one program.
func loadProgram(code []byte, meta *abi.Meta) (*program, error) {
	if len(code)%isa.Quad != 0 {
		return nil, fmt.Errorf("midgard core: %d bytes of code are no whole number of quadwords", len(code))
	}
	p := &program{meta: meta, gpu: abi.FindGPU(meta.GPU)}
	if b := meta.Blend; b != nil {
		if p.blend = emu.FormatByName(b.Format); p.blend == nil || p.blend.Bytes > 16 {
			return nil, fmt.Errorf("midgard core: a blend program for the unknown format %q", b.Format)
		}
		if form := abi.TileForm(b.Format, p.blend.Bytes); b.Tile != form {
			return nil, fmt.Errorf("midgard core: a blend program for the format %s in the form %q, the tile has %s", b.Format, b.Tile, form)
		}
	}
	at := make([]int, len(code)/isa.Quad+1)
	for i := range at {
		at[i] = pcNone
	}
	for pos := 0; pos < len(code); {
		b, size, err := isa.Decode(code[pos:])
		if size == 0 {
			size = len(code) - pos
		}
		at[pos/isa.Quad] = len(p.code)
		p.code = append(p.code, bundle{Bundle: b, addr: pos, decode: err})
		pos += size
	}
	if len(p.code) == 0 || p.code[0].Tag != meta.FirstTag {
		return nil, fmt.Errorf("midgard core: the code does not begin with a bundle of tag %s", meta.FirstTag)
	}
	for i := range p.code {
		p.link(i, at)
		p.prepare(&p.code[i])
		p.code[i].findNeeds()
	}
	for i := range p.code {
		p.code[i].rules = p.check(i)
		p.code[i].findPlain() // not where rules are broken
	}
	p.buildIO()
	return p, nil
}

// link finds where a bundle's execution goes on.
func (p *program) link(i int, at []int) {
	b := &p.code[i]
	b.next, b.taken = pcNone, pcNone
	if b.decode != nil {
		return
	}
	if b.Next == isa.TagBreak {
		b.next = pcEnd
	} else if i+1 < len(p.code) && p.code[i+1].Tag == b.Next {
		b.next = i + 1
	}
	b.branch, b.hasBranch = b.Branch()
	if !b.hasBranch {
		return
	}
	to := b.addr/isa.Quad + b.Quads() + int(b.branch.Offset)
	switch {
	case b.branch.Op == isa.BranchDiscard || b.branch.Target == isa.TagBreak:
		b.taken = pcEnd
	case to >= 0 && to < len(at) && at[to] >= 0 && p.code[at[to]].Tag == b.branch.Target:
		b.taken = at[to]
	}
}

// prepare compiles the instructions of an ALU bundle.
func (p *program) prepare(b *bundle) {
	if !b.Tag.ALU() || b.decode != nil {
		return
	}
	for u := isa.Unit(0); u < isa.NumALUUnits; u++ {
		if !b.Has(u) {
			continue
		}
		x := compile(&b.Bundle, u, p.meta.Alias)
		if x.bad != nil && b.bad == nil {
			b.bad = fmt.Errorf("%s: %w", x.unit, x.bad)
		}
		b.alu = append(b.alu, x)
		if u.Stage() == 1 {
			b.stage2 = len(b.alu)
		}
		if x.reg < 2 {
			b.wrote[x.reg][0] |= x.mask[0]
			b.wrote[x.reg][1] |= x.mask[1]
		}
	}
}

// Stage returns the shader's stage.
func (p *program) Stage() ir.Stage { return p.meta.API() }

// WaveSize is 1, and 4 in fragment shaders: a quad.
func (p *program) WaveSize() int {
	if p.meta.Stage == ir.StageFragment {
		return 4
	}
	return 1
}

// WorkgroupSize returns the compute workgroup's size.
func (p *program) WorkgroupSize() [3]uint32 { return p.meta.WorkgroupSize }

// SharedSize returns the workgroup memory in bytes.
func (p *program) SharedSize() uint32 { return p.meta.SharedSize }

// IO returns the stage's interface.
func (p *program) IO() *emu.StageIO { return &p.io }

func (p *program) buildIO() {
	m := p.meta
	p.io = emu.StageIO{TestsClip: m.ClipDistances, TestsCull: m.CullDistances, UsesDiscard: m.UsesDiscard, WritesMemory: m.WritesMemory, NeedsQuads: m.NeedsQuads,
		EarlyFragmentTests: m.EarlyFragmentTests, PerSample: m.PerSample, WritesDepth: m.WritesDepth,
		WritesStencil: m.WritesStencil, TileLoads: m.ReadsTile, ReadsDepth: m.ReadsDepth}
	p.io.WindowPosition = m.Stage == ir.StageVertex && m.Next == ir.StageNone
	if m.Tess != nil {
		p.io.Tess = m.Tess.Modes
	}
	if m.Geometry != nil {
		p.io.Geom = m.Geometry.Modes
	}
	p.io.Captures, p.io.XfbStrides = m.Captures, m.XfbStrides
	for _, in := range m.Inputs {
		p.io.Inputs = append(p.io.Inputs, emu.InputSlot{Slot: in.Slot, Mask: in.Mask, Interp: in.Interp, Bits: in.Bits})
		p.io.LinearTimesW = p.io.LinearTimesW || in.Interp == ir.InterpNoPerspective
	}
	for _, o := range m.Outputs {
		p.io.Outputs = append(p.io.Outputs, emu.OutputSlot{Slot: o.Slot, Mask: o.Mask, Index: o.Index, Bits: o.Bits})
	}
}
