package core

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// inst is one decoded instruction with what its execution needs.
type inst struct {
	isa.Instr
	exec   func(w *wave, x *inst) error
	alu    aluFn
	approx *sfu // of results that are not rounded
	cov    covFn
	src    [3]src
	dst    dst
	nsrc   int
	ext    uint  // 32 minus the source size: 0 or 16
	post   uint8 // steps after the ALU operation
	flow   bool  // may change the program counter or the masks
	// alias.tex: attached to the instruction that it serves, which has the entries.
	attached bool
	alias    []aliasName
	chk      hazards
}

// program is a decoded shader.
type program struct {
	meta   *abi.Meta
	gpu    *abi.GPU // rules; nil: those of the generation alone
	code   []inst
	io     emu.StageIO
	size   int       // lanes of a wave
	regs   int       // full registers to allocate
	static error     // what Check finds without running
	inputs []varying // by inloc

	counts []emu.Counter // by word; nil: nobody counts

	regPool   sync.Pool // *[]uint32 of ended waves
	checkPool sync.Pool // *checker
}

// ReadsStale reports whether the program reads buffers through the texture cache.
func (p *program) ReadsStale() bool {
	for pc := range p.code {
		if p.code[pc].Op == isa.OpIsam {
			return true
		}
	}
	return false
}

// Load decodes a binary. Words that are no instruction (padding, constant
// data) are only an error if they are executed.
func Load(code []byte, meta *abi.Meta) (emu.Program, error) {
	if err := checkMeta(meta); err != nil {
		return nil, err
	}
	switch meta.Stage {
	case ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry, ir.StageFragment, ir.StageCompute:
	default:
		return nil, fmt.Errorf("ir3 core: stage %s is not supported", meta.Stage)
	}
	if len(code)%isa.WordBytes != 0 {
		return nil, fmt.Errorf("ir3 core: %d bytes of code are no whole number of instructions", len(code))
	}
	p := &program{meta: meta, gpu: meta.Device(), size: meta.WaveSize(), code: make([]inst, len(code)/isa.WordBytes)}
	p.regs = meta.MaxRegs * 4
	for pc := range p.code {
		x := &p.code[pc]
		x.Instr, _ = isa.Unpack(meta.Gen, binary.LittleEndian.Uint64(code[pc*isa.WordBytes:]))
		x.decode()
	}
	p.analyse()
	p.checkMasks()
	p.checkPairs()
	p.checkTargets()
	p.checkEarly()
	p.checkShared()
	p.checkRules()
	p.attachAliases()
	for pc := range p.code {
		x := &p.code[pc]
		if top := x.maxReg(); top >= p.regs {
			if p.static == nil && top >= meta.MaxRegs*4 {
				p.static = fmt.Errorf("ir3 core: pc %d: %s uses r%d.%c, but the meta says %d vec4 registers",
					pc, x.Text(meta.Gen), top>>2, "xyzw"[top&3], meta.MaxRegs)
			}
			p.regs = top + 1
		}
	}
	if p.regs > 192 {
		p.regs = 192
	}
	if err := p.interfaceRegs(); err != nil {
		return nil, err
	}
	p.buildIO()
	return p, nil
}

// interfaceRegs makes room for inputs and outputs.
func (p *program) interfaceRegs() error {
	need := func(reg, n int, half bool, what string) error {
		if reg == abi.NoReg || n == 0 {
			return nil
		}
		top := reg + n - 1
		if top >= isa.SharedFirst && top < isa.SharedEnd {
			return nil
		}
		if half {
			top >>= 1
		}
		if reg < 0 || top >= isa.SharedFirst {
			return fmt.Errorf("ir3 core: %s stands in register number %d", what, reg)
		}
		p.regs = max(p.regs, top+1)
		return nil
	}
	for _, in := range p.meta.Inputs {
		if err := need(in.Reg, topBit(in.Mask), in.Half, "an input"); err != nil {
			return err
		}
	}
	for _, o := range p.meta.Outputs {
		if err := need(o.Reg, topBit(o.Registers()), o.Half, "an output"); err != nil {
			return err
		}
	}
	for _, s := range p.meta.Sysvals {
		if err := need(s.Reg, s.Count(), s.Kind.Half(), s.Kind.String()); err != nil {
			return err
		}
	}
	return nil
}

func topBit(mask uint8) (n int) {
	for ; mask != 0; mask >>= 1 {
		n++
	}
	return n
}

// Meta returns what the binary says of itself.
func (p *program) Meta() *abi.Meta { return p.meta }

// Stage returns the shader's stage.
func (p *program) Stage() ir.Stage { return p.meta.Stage }

// WaveSize returns the fibers of a wave; of a geometry shader the invocations whose
// threads fill a wave.
func (p *program) WaveSize() int {
	if isGeometry(p) {
		return max(1, p.size/p.threads())
	}
	return p.size
}

// WorkgroupSize returns the compute workgroup's size.
func (p *program) WorkgroupSize() [3]uint32 { return p.meta.WorkgroupSize }

// SharedSize returns the workgroup memory in bytes.
func (p *program) SharedSize() uint32 { return p.meta.SharedSize }

// IO returns the stage's interface.
func (p *program) IO() *emu.StageIO { return &p.io }

func (p *program) buildIO() {
	m := p.meta
	p.io = emu.StageIO{UsesDiscard: m.UsesDiscard, WritesMemory: m.WritesMemory, NeedsQuads: m.NeedsQuads,
		EarlyFragmentTests: m.EarlyFragmentTests, PostDepthCoverage: m.PostDepthCoverage, PerSample: m.PerSample, TileLoads: m.Attachments != 0,
		ReadsDepth: m.Attachments&(abi.DepthAttachment|abi.StencilAttachment) != 0, InOrder: m.OrderedAttachments,
		ClipDistances: m.ClipDistances, CullDistances: m.CullDistances,
		NoDistances: uint8(1<<(m.ClipDistances+m.CullDistances)-1) &^ (m.ClipMask | m.CullMask)}
	p.chainIO()
	for _, in := range m.Inputs {
		p.io.Inputs = append(p.io.Inputs, emu.InputSlot{Slot: in.Slot, Mask: in.Mask, Interp: in.Interp})
		if m.Stage != ir.StageFragment {
			continue
		}
		for k := 0; k < 4; k++ {
			if in.Mask>>k&1 != 0 {
				for len(p.inputs) <= in.InLoc+k {
					p.inputs = append(p.inputs, varying{slot: -1})
				}
				p.inputs[in.InLoc+k] = varying{int(in.Slot), k}
			}
		}
	}
	for _, o := range m.Outputs {
		if o.VertexFlags {
			continue
		}
		out := emu.OutputSlot{Slot: o.Slot, Mask: o.Mask, Index: o.Index}
		if o.Half && o.As == 0 {
			out.Bits = 16
		}
		p.io.Outputs = append(p.io.Outputs, out)
		if m.Stage == ir.StageFragment {
			p.io.WritesDepth = p.io.WritesDepth || o.Slot == ir.SlotDepth
			p.io.WritesStencil = p.io.WritesStencil || o.Slot == ir.SlotStencil
			p.io.WritesSampleMask = p.io.WritesSampleMask || o.Slot == ir.SlotSampleMask
		}
	}
}

// execOf are the instructions outside the ALU.
var execOf = [isa.NumOps]func(w *wave, x *inst) error{
	isa.OpMov: execMov, isa.OpCov: execMov, isa.OpMova: execMov, isa.OpMova1: execMov,
	isa.OpSwz: execSwz, isa.OpGat: execSwz, isa.OpSct: execSwz, isa.OpMovmsk: execMovmsk,
	isa.OpBaryF: execBary, isa.OpFlatB: execFlat,
	isa.OpNop: execNop, isa.OpBr: execBr, isa.OpBraa: execBr, isa.OpBrao: execBr, isa.OpBany: execUniform,
	isa.OpBall: execUniform, isa.OpJump: execJump, isa.OpKill: execKill, isa.OpEnd: execEnd, isa.OpChmask: execChmask, isa.OpChsh: execEnd, isa.OpGetone: execGetone,
	isa.OpGetlast: execGetlast, isa.OpShps: execIdle, isa.OpShpe: execIdle, isa.OpPredt: execPred, isa.OpPredf: execPred,
	isa.OpPrede: execPred,

	isa.OpLdg: execLdg, isa.OpLdgA6: execLdg, isa.OpLdgA7: execLdg, isa.OpStg: execStg, isa.OpStgA6: execStg,
	isa.OpStgA7: execStg, isa.OpLdgK: execLdgK,
	isa.OpLdl: execLdl, isa.OpLdlw: execLdl, isa.OpStl: execStl, isa.OpStlw: execStl, isa.OpLdp: execLdp, isa.OpStp: execStp,
	isa.OpStc: execStc, isa.OpStsc: execStsc, isa.OpLdc: execLdc, isa.OpLdcK: execLdcK, isa.OpLdib: execLdib, isa.OpStib: execStib,
	isa.OpResinfo: execResinfo, isa.OpGetfiberid: execGetID, isa.OpGetwid: execGetID, isa.OpGetspid: execGetID,
	isa.OpShflXor: execShfl, isa.OpShflUp: execShfl, isa.OpShflDown: execShfl, isa.OpShflRup: execShfl, isa.OpShflRdown: execShfl,

	isa.OpSam: execSample, isa.OpSamb: execSample, isa.OpSaml: execSample, isa.OpSamgq: execSample, isa.OpSamgp0: execSample, isa.OpSamgp1: execSample, isa.OpSamgp2: execSample, isa.OpSamgp3: execSample, isa.OpGetlod: execSample,
	isa.OpGather4r: execSample, isa.OpGather4g: execSample, isa.OpGather4b: execSample, isa.OpGather4a: execSample,
	isa.OpImgHof: execImage, isa.OpImgPcmn: execImage, isa.OpImgSad: execImage, isa.OpImgSsd: execImage,
	isa.OpIsaml: execIsam, isa.OpIsamm: execIsam, isa.OpGetsize: execGetsize, isa.OpGetinfo: execGetinfo,
	isa.OpIsam: execIsam, isa.OpGetbuf: execGetbuf, isa.OpDsx: execDeriv, isa.OpDsy: execDeriv, isa.OpDsxpp1: execDeriv,
	isa.OpDsypp1: execDeriv, isa.OpBrcstActive: execBrcst, isa.OpQuadBrcst: execQuad, isa.OpQuadHoriz: execQuad,
	isa.OpQuadVert: execQuad, isa.OpQuadDiag: execQuad, isa.OpTcinv: execIdle, isa.OpRgetpos: execRgetpos,

	isa.OpBar: execBar, isa.OpFence: execFence, isa.OpSleepS: execIdle, isa.OpSleepL: execIdle, isa.OpIcinv: execIdle,
	isa.OpDcclnShr: execIdle, isa.OpDcclnAll: execIdle, isa.OpDcinvShr: execIdle, isa.OpDcinvAll: execIdle,
	isa.OpDcfluShr: execIdle, isa.OpDcfluAll: execIdle, isa.OpCcinv: execCcinv, isa.OpLock: execIdle, isa.OpUnlock: execIdle,
	isa.OpAlias: execAlias, isa.OpRayIntersection: execRayIntersection,
}

func init() {
	for o := isa.OpAtomicLAdd; o <= isa.OpAtomicLXor; o++ {
		execOf[o] = execAtomicL
	}
	for o := isa.OpAtomicGAdd; o <= isa.OpAtomicGXor; o++ {
		execOf[o] = execAtomicG
	}
	for o := isa.OpAtomicBAdd; o <= isa.OpAtomicBXor; o++ {
		execOf[o] = execAtomicB
	}
}

func execIdle(*wave, *inst) error { return nil }

func execUnsupported(_ *wave, x *inst) error {
	if x.Op == isa.OpRaw {
		return fmt.Errorf("the word %#016x is no instruction", x.Raw)
	}
	if x.Category() == 5 {
		return errImages
	}
	return fmt.Errorf("%s is not supported by this core", x.Op)
}

// execNoReg refuses r56 to r60 (and hr56 to hr60), which do not exist.
func execNoReg(*wave, *inst) error { return errors.New("it names one of r56..r60, which do not exist") }

// Category is the instruction's category, -1 for a raw word.
func (x *inst) Category() int { return x.Op.Category() }

// decode prepares operands and picks the execution function.
func (x *inst) decode() {
	x.exec = execOf[x.Op]
	cat := x.Category()
	x.flow = cat == 0 && x.Op != isa.OpNop || x.Op == isa.OpBar
	info := &aluOps.Get()[x.Op]
	x.dst = decodeDst(x.Dst)
	switch {
	case info.nsrc > 0:
		x.nsrc = info.nsrc
		half := x.Srcs[0].IsHalf() || x.Srcs[1].IsHalf()
		x.alu, x.approx = info.full, info.approx
		if half {
			x.ext, x.alu = 16, info.half
		}
		demote := info.class == clsFloat || info.class == clsCmpF
		for i := 0; i < x.nsrc; i++ {
			x.src[i] = decodeSrc(x.Srcs[i], info.class, demote)
		}
		x.post = x.postSteps(info.class)
		if x.alu != nil {
			x.exec = execALU
		}
	case cat == 1 && x.exec != nil:
		x.nsrc = 1
		x.src[0] = decodeSrc(x.Srcs[0], clsUint, false)
		x.cov = conversion(x.SrcType, x.Type)
	case x.Op == isa.OpBaryF || x.Op == isa.OpFlatB:
		x.src[0] = decodeSrc(x.Srcs[0], clsUint, false)
	}
	if x.exec == nil {
		x.exec = execUnsupported
	}
	for _, o := range [...]isa.Operand{x.Dst, x.Srcs[0], x.Srcs[1], x.Srcs[2], x.Srcs[3]} {
		if o.Kind == isa.Reg && o.Val >= isa.SharedEnd && o.Val < isa.A0 {
			x.exec = execNoReg
		}
	}
	x.chk = x.findHazards()
}

// maxReg returns the highest full register number that the instruction names,
// -1 if none. alias.tex destinations do not count.
func (x *inst) maxReg() int {
	top := -1
	if x.Op == isa.OpAlias || x.Op == isa.OpRaw {
		return top
	}
	for _, s := range x.chk.spans {
		if s.unit < unitShared {
			top = max(top, (int(s.unit)+int(s.n)-1)>>1)
		}
	}
	return top
}
