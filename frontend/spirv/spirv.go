package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// SpecValue gives a specialization constant a value.
type SpecValue struct {
	// ID is the SpecId decoration's number.
	ID uint32
	// Bits is the value, zero or sign extended; a boolean is true if not 0.
	Bits uint64
}

// Options choose what to translate and how.
type Options struct {
	// Entry is the entry point's name; "" takes the only one of the stage, or
	// "main" if there are several.
	Entry string
	// Stage is the stage; StageNone goes by the name alone.
	Stage ir.Stage
	// Spec are the values of specialization constants; others keep their defaults.
	Spec []SpecValue
	// Target goes into the shader's Options. Nothing of it is read here but the roundings of ffma and the lanes of matrices.
	Target *ir.Options
	// FloatControls, unless nil, are the modes of floats that a target, of which TargetName is the name,
	// honours; others are refused.
	FloatControls *ir.FloatControls
	TargetName    string
	// Why, unless nil, is why the frontend does not translate what a capability brings in, a clause, "" if nobody has said it: diagnostics
	// have it.
	Why func(spv.Capability) string
	// Machine, unless nil, is asked what the GPU called GPUName lacks, and gives Target and FloatControls.
	Machine Machine
	GPUName string
	// Robust is what becomes of accesses out of bounds: it decides what an index beyond 32 bits reads.
	Robust ir.Robust
	// WorkgroupSize is that of kernels that fix none themselves; zeros: such kernels are refused.
	WorkgroupSize [3]uint32
	// AnySize lets kernels be without a workgroup size: their interface is wanted and nothing else.
	AnySize bool
	// LocalMemory is how many bytes of workgroup memory, from its beginning on, are for arguments of kernels that point there.
	LocalMemory uint32
	// Debug gives every instruction its own Loc with id and word offset, and
	// values their names.
	Debug bool
	// Printf translates calls of NonSemantic.DebugPrintf and of OpenCL's printf, which are left out else.
	Printf bool

	panics bool        // tests: run-time panics are not turned into errors
	limits *flowLimits // tests: how deep unstructured functions nest, instead of kernelLimits
	spent  *int        // tests: gets how much of the budget was taken
}

// Machine is what a translation asks of the target once it knows the stage. It is an interface, for a
// function that closes over the compile would be made for each shader.
type Machine interface {
	// Options are what goes into the Options of a shader of a stage, nil if the target has none for it.
	Options(stage ir.Stage) *ir.Options
	// Lacks is why the GPU lacks a capability, "" if it does not: what needs the capability is refused.
	Lacks(c spv.Capability) string
}

// line is a place in the source.
type line struct {
	file      int32 // index in Insts of the OpString, -1 none
	line, col uint32
}

// translator is the state of one translation. Everything that belongs to an
// id stands in slices indexed by the place of its definition in m.Insts.
type translator struct {
	m    *spv.Module
	s    *ir.Shader
	opts Options

	kept

	entry    EntryPoint
	stage    ir.Stage
	kernel   bool // of OpenCL
	args     kernelArgs
	decLeft  int      // decorations that may still be read: bounds groups
	fileIdx  []uint32 // by definition of an OpString: index in s.Files + 1
	nameIdx  []uint32 // by definition: index in s.Names + 1
	specVals map[uint32]uint64
	errs     []*Error

	// The place under translation, for messages.
	word int
	line line
	// fn is the function under translation in Shader.Funcs, inScope what debug information says of it.
	fn      uint32
	inScope debugScope
	funcIdx map[string]uint32 // in Shader.Funcs
	inlined map[uint32]uint32 // by DebugInlinedAt: the place in Shader.Locs

	budget int // leaf operations that may still be made: bounds memory
	f      *fctx
	caps   capSet
	lacks  []lacking

	float         floatModes
	scratch       *fctx   // evaluates OpSpecConstantOp
	workgroupSize *cnst   // constant decorated BuiltIn WorkgroupSize
	parents       parents // of the function's blocks
}

// Translate translates the entry point that opts choose. Errors are of type
// *Error, or several of them joined.
func Translate(m *spv.Module, opts Options) (*ir.Shader, error) {
	t := translators.Get().(*translator)
	t.m, t.opts = m, opts
	defer t.free()
	t.line.file = -1
	budget := 1<<20 + 16*len(m.Words)
	t.budget = budget
	if err := t.guard(t.module); err != nil {
		t.errs = []*Error{err}
	}
	if opts.spent != nil {
		*opts.spent = budget - t.budget
	}
	if len(t.errs) > 0 {
		t.giveUp()
		return nil, joinErrors(t.errs)
	}
	return t.s, nil
}

// chooseTarget asks the machine for what it wants of shaders of the stage, or for what it wants of any where it has no
// such stage: who set the machine refuses that later, after all that is wrong with the module.
func (t *translator) chooseTarget() {
	if t.opts.Machine == nil {
		return
	}
	o := t.opts.Machine.Options(t.stage)
	if o == nil {
		o = t.opts.Machine.Options(ir.StageCompute)
	}
	if t.opts.Target = o; o != nil {
		t.opts.FloatControls = &o.FloatControls
	}
}

func (t *translator) module() {
	t.chooseEntry()
	t.chooseTarget()
	t.tables()
	t.s = ir.NewShader(t.stage, t.opts.Target)
	t.s.Name = t.entry.Name
	t.s.Info.Kernel = t.kernel
	if len(t.opts.Spec) > 0 {
		t.specVals = make(map[uint32]uint64, len(t.opts.Spec))
		for _, v := range t.opts.Spec {
			t.specVals[v.ID] = v.Bits
		}
	}
	t.collectDecorations()
	t.checkPassthrough()
	t.declarations()
	t.executionModes()
	t.findFunctions()
	t.reachable()
	t.makeVariables()
	t.kernelArguments()
	t.checkCaptures()
	t.makeFunctions()
	for _, f := range t.order {
		if err := t.guard(func() { t.function(f) }); err != nil {
			if t.note(err); len(t.errs) >= maxErrors {
				return
			}
		}
	}
	if len(t.errs) == 0 {
		t.dropUnwrittenDistances()
	}
}

// maxErrors bounds how many functions may fail before the rest is not tried.
const maxErrors = 20

// spend takes n leaf operations from the budget.
func (t *translator) spend(n int) {
	t.budget -= n
	if t.budget < 0 {
		t.fail(0, "the module's aggregate operations expand to too many instructions")
	}
}
