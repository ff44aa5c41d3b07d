// Package interp runs the IR itself: it is the reference that every target's
// machine code is compared with, and the judge of what a pass did to a
// shader. It takes a shader at any stage of lowering, with derefs and
// variables or with explicit memory intrinsics, and is an emu core like those
// of the targets.
//
// New translates a shader once into a dense program: values live in slots, one
// column of lanes each; a copy that only renames (mov, vec) shares its source's
// slot; the control flow tree becomes jumps and mask changes over an explicit
// stack, so that a wave may stop at a barrier and go on later. Lanes of a wave
// run in lock step and join exactly where the tree says.
//
// Nothing here rewrites a shader, and nothing here knows a target.
package interp

import (
	"fmt"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/optab"
)

// Options are the choices that the IR leaves to an implementation.
type Options struct {
	// WaveSize is the number of lanes of a wave and of a subgroup: a power of
	// two from 1 to emu.MaxLanes; 0 means 32. Fragment shaders need 4 or more.
	WaveSize int
	// UndefPattern gives the bits of every undef, cut to its size, of variables,
	// outputs and scratch memory that nothing was stored to, and of what is asked
	// of lanes that are not active; 0 leaves them to the launch's garbage, which is
	// zeros in a lenient one. One other than 0 is also every derivative in a
	// quad that does not run as a whole, those of implicit LODs among them, which
	// otherwise go by the lanes that do.
	UndefPattern uint64
	// Strict makes errors of what Vulkan leaves undefined or to robustness: an
	// index beyond an array, a vector or a binding, memory that is not there, a
	// physical address that is not aligned to the components.
	Strict bool
	// StrictTexels makes errors of texels, levels and samples that an image does not have, where they are fetched, loaded,
	// stored or asked for: without robustImageAccess Vulkan leaves them undefined.
	StrictTexels bool
	// OtherDerivatives makes the choice that Vulkan leaves the other way round:
	// derivatives that are neither coarse nor fine are coarse instead of fine, those of
	// implicit LODs fine.
	OtherDerivatives bool
	// CubeFaces takes implicit LODs of cubes from differences of coordinates on the faces, as hardware
	// does whose texture unit is given no directions, and not from Vulkan's derivatives of the directions.
	CubeFaces bool
	// Alter, unless nil, is given what each component of each ALU operation and of each query of an
	// LOD comes to, and returns what to take instead: so one learns what a result hangs on. The operands'
	// bits are in srcs, of horizontal operations in vecs, by component; queries have neither. in is of the
	// program's own shader; calls may be concurrent.
	Alter func(in *ir.Instr, srcs *[4]uint64, vecs [][]uint64, result uint64) uint64
}

// Program is a translated shader. It is immutable.
type Program struct {
	shader *ir.Shader
	lanes  int
	strict bool
	texels bool   // they have to exist
	other  bool   // Options.OtherDerivatives
	faces  bool   // Options.CubeFaces
	undef  uint64 // Options.UndefPattern
	mode   optab.Mode
	io     emu.StageIO

	code     []inst
	entry    int32
	preamble int32   // start of the preamble function, or -1
	resumes  []int32 // starts of the functions that go on after calls of shaders, -1 none
	incoming span    // private memory of what the caller of a ray tracing shader hands on
	attribs  span    // the same of a hit's attributes
	slots    int
	consts   []constSlot
	undefs   []constSlot // value is the mask of the bits
	// Memory of a lane: variables, then inputs and outputs by slot, then scratch.
	private                      uint32
	inBase, outBase, scratchBase uint32
	outSlots                     uint32
	shared                       uint32
	payload                      uint32 // bytes of the task payload
	constMem                     []byte // ModeConstant variables
	init                         []byte // of private memory, where inits says
	inits                        []span
	sharedInit                   []byte // of workgroup memory, where sharedInits says
	sharedInits                  []span
	inputs                       []input
	inputAt                      [ir.NumVaryingSlots][4]int16 // indices into inputs by components, -1 none
	sysvars                      []sysvar
	outputs                      []ir.Slot
	signedBytes                  []ir.Slot      // outputs of signed bytes, which become words
	stageInits                   []*ir.Variable // outputs of the tessellation control stage
	preambleHalves               int            // in halves of words, see preambleAt
	pool                         wavePool
	badIO                        error // found by scanIO
}

// span is the bytes from at on.
type span struct{ at, n uint32 }

type constSlot struct {
	slot  int32
	value uint64
}

// New translates the shader. It fails on what no run could do: a stage
// without launches, recursion, a construct that has no meaning here. The
// program does not follow later changes of s.
func New(s *ir.Shader, opts Options) (emu.Program, error) {
	w := opts.WaveSize
	if w == 0 {
		w = 32
	}
	if w < 1 || w > emu.MaxLanes || w&(w-1) != 0 {
		return nil, fmt.Errorf("interp: wave size %d is not a power of two up to %d", w, emu.MaxLanes)
	}
	switch s.Stage {
	case ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry, ir.StageCompute, ir.StageKernel, ir.StageTask, ir.StageMesh,
		ir.StageRaygen, ir.StageAnyHit, ir.StageClosestHit, ir.StageMiss, ir.StageIntersection, ir.StageCallable:
	case ir.StageFragment:
		if w < 4 {
			return nil, fmt.Errorf("interp: a fragment wave of %d lanes holds no quad", w)
		}
	default:
		return nil, ir.Unsupportedf("interp: stage %s is not supported by the emulator", s.Stage)
	}
	s = ir.Clone(s) // the caller may go on changing his
	p := &Program{shader: s, lanes: w, strict: opts.Strict, texels: opts.StrictTexels, other: opts.OtherDerivatives, faces: opts.CubeFaces, undef: opts.UndefPattern, mode: ir.ModeOf(s.Info.FloatControls), preamble: -1}
	c := &compiler{p: p, s: s, opts: opts, constAt: map[uint64]int32{}, vars: map[*ir.Variable]uint32{}, fns: map[*ir.Function]*function{}, undefs: map[uint8][]int32{}}
	if err := c.shader(); err != nil {
		return nil, err
	}
	if err := p.scanIO(); err != nil {
		return nil, err
	}
	return p, nil
}

// Stage returns the shader's stage.
func (p *Program) Stage() ir.Stage { return p.shader.Stage }

// WaveSize returns the number of lanes of a wave.
func (p *Program) WaveSize() int { return p.lanes }

// WorkgroupSize returns the shader's workgroup size.
func (p *Program) WorkgroupSize() [3]uint32 { return p.shader.Info.WorkgroupSize }

// SharedSize returns the workgroup memory in bytes.
func (p *Program) SharedSize() uint32 { return p.shared }

// PayloadSize returns the task payload in bytes.
func (p *Program) PayloadSize() uint32 { return p.payload }

// IO describes the stage's inputs and outputs.
func (p *Program) IO() *emu.StageIO { return &p.io }

// where names an instruction for an error: its text and place in the source.
func (p *Program) where(in *ir.Instr) string {
	s := in.Intr.String()
	if in.Block != nil {
		s = ir.PrintInstr(in)
	}
	if int(in.Loc) < len(p.shader.Locs) && in.Loc != 0 {
		l := p.shader.Locs[in.Loc]
		file := ""
		if int(l.File) < len(p.shader.Files) {
			file = p.shader.Files[l.File]
		}
		s += fmt.Sprintf(" at %s:%d", file, l.Line)
		if l.ID != 0 {
			s += fmt.Sprintf(" (SPIR-V %%%d)", l.ID)
		}
	}
	return s
}
