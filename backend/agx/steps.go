package agx

import (
	"strings"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/mach"
	"nirc/ir"
)

// steps are the whole code generator in its order: of the IR, of the machine form in SSA
// and of the physical form. A geometry shader takes it once for each of its programs.
var steps = []backend.Step[*compiler]{
	onIR("tessellation", "turns inputs and outputs of tessellation stages into accesses to memory", (*compiler).lowerTess),
	onIR("cull_distances", "leaves cull distances as varyings, and drops the fragments that they cull", (*compiler).lowerCullDistances),
	onIR("attachments", "reads colour attachments from the tile, in the formats that the state of the pipeline gives", (*compiler).lowerAttachments),
	onIR("descriptors", "gives bindings their places and makes numbers of handles", (*compiler).lowerDescriptors),
	onIR("fold_handles", "folds what the numbers of handles have made constant", (*compiler).foldHandles, "descriptors"),
	optional(onIR("zero_offsets", "drops additions of 0 from offsets", func(c *compiler) error { dropZeros(c.impl); return nil }, "fold_handles")),
	onIR("texture_indices", "computes where textures and samplers stand that an index chooses", func(c *compiler) error {
		return lowerTextureIndices(c.s, c.impl, c.res, c.opts.lists())
	}, "descriptors"),
	onIR("helper_stores", "keeps helper invocations from writing memory", func(c *compiler) error { lowerFragSidefx(c.s, c.impl); return nil }),
	onIR("early_tests", "has samples tested first where that is asked for, and late where there are side effects", (*compiler).lowerEarlyTests, "helper_stores", "cull_distances", "attachments"),
	onIR("shared_addresses", "narrows addresses of workgroup memory to 16 bits", func(c *compiler) error { lowerSharedBitsize(c.impl); return nil }),
	onIR("subgroups", "lowers operations of clusters and of lanes that hardware has not", func(c *compiler) error { lowerSubgroups(c.impl); return nil }),
	onIR("layers", "rounds and clamps layers of sampled arrays", func(c *compiler) error { lowerTexture(c.s, c.impl); return nil }, "descriptors"),
	onIR("texel_range", "moves fetches out of the levels and layers outside of the image", func(c *compiler) error {
		if c.s.Options.Robust.Images != ir.RobustOff && !faults.has(faultTexelRange) {
			lowerTexelRange(c.s, c.impl)
		}
		return nil
	}, "descriptors"),
	onIR("uniform_room", "counts the uniform registers that the shader cannot do without", (*compiler).countUniforms, "descriptors", "tessellation"),
	optional(onIR("preamble", "moves what is the same for all invocations into a program of its own", (*compiler).formPreamble, "uniform_room", "layers")),

	step("isel", "selects instructions", (*compiler).selectParts, "uniform_room"),
	optional(eachMach("dead_code", "deletes what selection made and nobody reads", removeDead)),
	optional(eachMach("cse", "computes a value once", cse)),
	optional(eachMach("optimizer", "folds moves, modifiers, conversions and comparisons into their neighbours", optimize)),
	optional(eachMach("dce", "deletes what the optimizer has left without use", removeDead, "optimizer")),
	optional(eachMach("reindex", "numbers the values that are left", mach.Reindex)),
	optional(step("presched", "orders blocks for less register pressure", (*compiler).orderBlocks, "isel")),
	optional(step("shrink_loads", "leaves out what nobody reads at the end of loaded vectors", (*compiler).shrinkLoads, "presched")),
	step("spill", "brings the register pressure below the limit", (*compiler).spillParts, "isel"),
	step("ra", "allocates registers", (*compiler).allocate, "spill"),
	step("copies", "makes moves and swaps of parallel copies", (*compiler).lowerCopies, "ra"),
	step("uniforms", "gives uniforms their registers", (*compiler).layOutUniforms, "isel"),

	step("phys", "makes physical instructions of machine instructions", (*compiler).makePhysical, "copies", "uniforms"),
	optional(eachPhys("empty_else", "drops elses that nothing stands after", (*program).emptyElse, "phys")),
	optional(eachPhys("break_if", "fuses an if around a break with its comparison", (*program).breakIf, "empty_else")),
	optional(eachPhys("jump_none", "jumps over long code that no lane runs", (*program).jumpNone, "break_if")),
	step("frame", "begins programs with the nesting counter and the stack frame", (*compiler).frame, "jump_none"),
	eachPhys("waits", "chooses scoreboard slots and waits for them", (*program).insertWaits, "frame"),
	optional(eachPhys("register_cache", "sets the hints for the operand cache", (*program).registerCache, "waits")),
	step("encode", "encodes the instructions", (*compiler).encode, "waits"),
}

func step(name, doc string, run func(*compiler) error, after ...string) backend.Step[*compiler] {
	return backend.Step[*compiler]{StepInfo: backend.StepInfo{Name: name, Doc: doc, After: after}, Run: run}
}

func optional(s backend.Step[*compiler]) backend.Step[*compiler] {
	s.Optional = true
	return s
}

// onIR is a step on the shader, which is checked after the step if the compile is to verify.
func onIR(name, doc string, run func(*compiler) error, after ...string) backend.Step[*compiler] {
	return step(name, doc, func(c *compiler) error {
		if err := run(c); err != nil || !c.verify() {
			return err
		}
		return ir.Validate(c.s)
	}, after...)
}

// eachMach is a step on each part's machine form in SSA, which is checked likewise; eachPhys
// one on the physical form.
func eachMach(name, doc string, run func(*mach.Func), after ...string) backend.Step[*compiler] {
	return step(name, doc, func(c *compiler) error {
		for _, pt := range c.parts {
			run(pt.f)
		}
		return c.validate(name)
	}, append([]string{"isel"}, after...)...)
}

func (c *compiler) orderBlocks() error {
	for _, pt := range c.parts {
		pressureSchedule(pt.f, pt.room)
	}
	return c.validate("presched")
}

func (c *compiler) shrinkLoads() error {
	for _, pt := range c.parts {
		shrinkLoads(pt.f)
	}
	return c.validate("shrink_loads")
}

func eachPhys(name, doc string, run func(*program), after ...string) backend.Step[*compiler] {
	return step(name, doc, func(c *compiler) error {
		for _, pt := range c.parts {
			run(pt.p)
		}
		return nil
	}, after...)
}

// validate checks the machine form of the parts, if it is asked to.
func (c *compiler) validate(step string) error {
	for _, pt := range c.parts {
		if !c.verify() {
			break
		}
		if err := validate(pt.f, step); err != nil {
			return err
		}
	}
	return nil
}

// preambleTitle stands before the preamble in the text of a step.
const preambleTitle = "; preamble\n"

// Lowering is the shader before selection.
func (c *compiler) Lowering() *ir.Shader {
	if c.main.f != nil {
		return nil
	}
	return c.s
}

// text is the state between two steps: of each part the last form that it has.
func (c *compiler) text() string {
	var w strings.Builder
	for _, pt := range c.parts {
		if pt.preamble {
			w.WriteString(preambleTitle)
		}
		switch {
		case pt.p != nil:
			w.WriteString(pt.p.String())
		case pt.f != nil:
			w.WriteString(pt.f.String())
		default:
			w.WriteString(ir.Print(pt.s))
		}
	}
	return w.String()
}

func (c *compiler) lowerTess() (err error) {
	if c.s.Stage == ir.StageTessCtrl || c.s.Stage == ir.StageTessEval {
		c.s.Stage, err = lowerTess(c.s, c.impl, &c.meta, c.opts.lists())
	}
	return err
}

func (c *compiler) lowerCullDistances() error {
	if c.opts.Next == ir.StageNone && c.opts.Part != abi.PartProlog {
		c.meta.CullDistances = uint8(backend.StoreCullFlags(c.s, c.impl, abi.CullSlot0))
	}
	return cullFragments(c.s, c.impl, c.opts.CullDistances, c.opts.lists())
}

func (c *compiler) lowerDescriptors() error {
	res, err := lowerDescriptors(c.s, c.impl, c.opts.job().Layout)
	if err != nil {
		return err
	}
	c.res = res
	return nil
}

func (c *compiler) foldHandles() error { return c.opts.lists().Run(c.s, "agx_handles") }

func (c *compiler) countUniforms() error {
	c.uni.keep = needed(c.s, c.impl)
	c.uni.takeBiases(c.impl)
	return nil
}

func (c *compiler) layOutUniforms() (err error) {
	c.meta.Uniforms, c.meta.UniformHalves, err = c.uni.layOut()
	return err
}

func (c *compiler) makePhysical() (err error) {
	for _, pt := range c.parts {
		if n := pt.scratch(); n > maxFrameBytes {
			return ir.Unsupportedf("agx: %d bytes of private memory an invocation are not supported, a stack frame has up to %d", n, maxFrameBytes)
		}
		if pt.p, err = lowerPseudo(pt.f, &c.uni); err != nil {
			return err
		}
	}
	return nil
}

func (c *compiler) frame() error {
	for _, pt := range c.parts {
		pt.p.open = c.opts.Part != abi.PartWhole && !pt.preamble
		pt.p.entry(pt.scratch(), pt.p.open && pt.meta.PerSample)
	}
	return nil
}
