package midgard

import (
	"errors"

	"nirc/backend"
	"nirc/backend/layout"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// step is a machine step of this target.
type step = backend.Step[*compiler]

func info(name, doc string, after ...string) backend.StepInfo {
	return backend.StepInfo{Name: name, Doc: doc, After: after}
}

func optional(name, doc string, after ...string) backend.StepInfo {
	return backend.StepInfo{Name: name, Doc: doc, After: after, Optional: true}
}

// lowerSteps rewrite IR for this target alone; they run once.
var lowerSteps = []step{
	{StepInfo: info("lower_stage", "makes tessellation and geometry shaders jobs that reach their inputs and outputs in memory"), Run: (*compiler).lowerStage},
	{StepInfo: info("lower_handles", "numbers buffers and makes handles entries of the tables", "lower_stage"), Run: (*compiler).lowerHandles},
	{StepInfo: info("lower_texels", "makes atomics on images those at the addresses of texels", "lower_handles"), Run: (*compiler).lowerTexels},
	{StepInfo: optional("lower_columns", "sums scaled rows where a vector is multiplied by several columns of a matrix"), Run: (*compiler).lowerColumns},
	{StepInfo: optional("sink_textures", "moves texture operations to where their results are first read"), Run: (*compiler).sinkTextures},
	{StepInfo: info("lower_clip_distances", "stores what cull distances say, and drops fragments that distances cut off", "lower_stage", "lower_handles"), Run: (*compiler).lowerClipDistances},
	{StepInfo: info("lower_offsets", "computes inputs at offsets and at named samples by derivatives"), Run: (*compiler).lowerOffsets},
	{StepInfo: info("lower_position", "takes the position of vertices to the window", "lower_stage"), Run: (*compiler).lowerPosition},
}

var dce = step{StepInfo: optional("dce", "removes instructions and lanes whose results nothing reads", "isel"), Run: (*compiler).removeDead}

// selectSteps make a function in the machine form.
var selectSteps = []step{
	{StepInfo: info("isel", "selects instructions with virtual vec4 registers", "lower_handles", "lower_texels", "lower_clip_distances", "lower_offsets", "lower_position"), Run: (*compiler).selectInstructions},
	dce,
	{StepInfo: optional("forward_copies", "lets the readers of copies read the originals, and removes the copies", "isel"), Run: onFunction((*function).forwardCopies)},
	dce,
	{StepInfo: optional("drop_held", "removes moves of what the texture pipe's inputs hold already", "isel"), Run: onFunction((*function).dropHeld)},
	{StepInfo: optional("coalesce", "makes values where moves would put them", "isel"), Run: onFunction((*function).coalesce)},
	dce,
	{StepInfo: optional("fuse_writeouts", "runs what makes a colour in the bundle of its writeout", "coalesce"), Run: onFunction((*function).fuseWriteouts)},
	{StepInfo: optional("fuse_conditions", "runs what makes a condition in the bundle that wants it", "coalesce"), Run: onFunction((*function).fuseConditions)},
	dce,
}

// Steps of plans.
var (
	presched   = step{StepInfo: optional("presched", "orders blocks for low pressure that want more work registers than cost no threads", "isel"), Run: (*compiler).orderByPressure}
	ra         = step{StepInfo: info("ra", "gives values places among the work registers, makes cheap ones again and spills others", "isel"), Run: (*compiler).allocate}
	raAll      = step{StepInfo: info("ra_all", "gives values places among all work registers in turn, makes cheap ones again and spills others", "isel"), Run: (*compiler).allocateAll}
	schedPairs = step{StepInfo: info("sched_pairs", "packs instructions into bundles, and lets loads wait for others to share theirs with", "isel"), Run: (*compiler).scheduleInPairs}
	sched      = step{StepInfo: info("sched", "packs instructions into bundles", "isel"), Run: (*compiler).schedule}
	schedRoom  = step{StepInfo: info("sched_within", "packs instructions into bundles, with no more values live at a time than there is room for, where it can", "isel"), Run: (*compiler).scheduleWithin}
	pipes      = step{StepInfo: optional("pipe_registers", "keeps values that live in one bundle in its pipeline registers", "sched"), Run: (*compiler).pipeRegisters}
	raBundles  = step{StepInfo: info("ra_bundles", "gives values of bundles places among the work registers; the plan does not do where they are too few", "sched"), Run: (*compiler).allocateBundles}
	dropJumps  = step{StepInfo: optional("drop_jumps", "removes jumps to what follows anyway", "sched"), Run: onProgram((*program).dropJumps)}
	helpers    = step{StepInfo: optional("helper_threads", "ends helper threads after the last derivative, and lets them go without results that no later one needs", "ra", "ra_bundles"), Run: (*compiler).helperThreads}
	outOfOrder = step{StepInfo: optional("out_of_order", "lets bundles run while a texture operation is under way", "ra", "ra_bundles"), Run: (*compiler).outOfOrder}
	layOut     = step{StepInfo: info("layout", "forms the words of the bundles, and links tags and branches", "ra", "ra_bundles"), Run: onProgram((*program).layout)}
	encodeStep = step{StepInfo: info("encode", "makes the bytes", "layout"), Run: (*compiler).encode}
)

// encodeSteps make the bytes of what the best plan made.
var encodeSteps = []step{helpers, outOfOrder, layOut, encodeStep}

// planSteps are the steps that plans choose from, each after what it needs.
var planSteps = []step{presched, ra, raAll, schedPairs, sched, schedRoom, pipes, raBundles, dropJumps}

// Steps lists the machine steps in the order in which they can run.
func (Target) Steps(string) []backend.StepInfo {
	return backend.Infos(lowerSteps, selectSteps, planSteps, encodeSteps)
}

// steps runs steps under the switches of the job.
func (c *compiler) steps(list []step) error {
	return backend.RunSteps(c.job, list, c, (*compiler).text)
}

// Lowering is the shader before selection.
func (c *compiler) Lowering() *ir.Shader {
	if c.f != nil {
		return nil
	}
	return c.s
}

// text is the state of the shader between two steps: IR, machine form, bundles.
func (c *compiler) text() string {
	switch {
	case c.p != nil:
		return c.p.listing(c.f)
	case c.f != nil:
		return c.f.String()
	}
	return ir.Print(c.s)
}

// onFunction is a step that rewrites the function.
func onFunction(do func(*function)) func(*compiler) error {
	return func(c *compiler) error {
		do(c.f)
		return nil
	}
}

// onProgram is a step that rewrites the program.
func onProgram(do func(*program)) func(*compiler) error {
	return func(c *compiler) error {
		do(c.p)
		return nil
	}
}

func (c *compiler) lowerHandles() error {
	for _, t := range []*layout.Table{&abi.UBOTable, &abi.TextureTable, &abi.SamplerTable, &abi.ImageTable} {
		if err := t.Fits(c.job.Layout); err != nil && !(t == &abi.UBOTable && faults.has(faultUBOCount)) {
			return backend.Refuse(TargetName, c.s, nil, "%v", err)
		}
	}
	if err := backend.CheckTextures(TargetName, c.s, c.impl()); err != nil {
		return err
	}
	c.res = lowerHandles(c.s, c.impl())
	return nil
}

// lowerTexels refuses atomics of texels that the hardware has not: of addresses it takes any. It gives the address of a
// texel that there is not too.
func (c *compiler) lowerTexels() error {
	some := false
	for blk := range c.impl().Blocks() {
		for in := range blk.Instrs() {
			if !in.IsIntrinsic(ir.IntrImageDerefAtomic) && !in.IsIntrinsic(ir.IntrImageDerefAtomicSwap) {
				continue
			}
			if some = true; in.Def.BitSize != 32 {
				return backend.Refuse(TargetName, c.s, in, "%d-bit atomics on images are not supported: the hardware has no 64-bit texels", in.Def.BitSize)
			}
		}
	}
	if !some {
		return nil
	}
	if err := c.job.Lists.Run(c.s, "midgard_texels"); err != nil || faults.has(faultTexelRange) {
		return err
	}
	return c.job.Lists.Run(c.s, "midgard_texel_bounds")
}

func (c *compiler) lowerColumns() error {
	sumRows(c.impl())
	return nil
}

func (c *compiler) sinkTextures() error {
	sinkTextures(c.impl())
	return nil
}

// lowerOffsets: a blend program has no inputs but colours.
func (c *compiler) lowerOffsets() error {
	if c.blend == nil {
		lowerOffsets(c.impl())
	}
	return nil
}

// lowerPosition: what leaves for a stage of shaders, or for transform feedback, stays in clip coordinates (midgard.md §9.3).
func (c *compiler) lowerPosition() error {
	if c.s.Stage != ir.StageVertex || c.opts.Next != ir.StageNone || c.opts.Feedback || faults.has(faultViewport) {
		return nil
	}
	return c.job.Lists.Run(c.s, "midgard_position")
}

func (c *compiler) selectInstructions() error {
	c.mem.reset()
	s, err := c.selectFunc()
	if err != nil {
		return err
	}
	c.attempt = attempt{f: s.f}
	c.f.verify = c.job.Instrument.VerifyEach()
	c.floor = s.floor
	return nil
}

// orderByPressure leaves alone what the registers that cost no threads have room for.
func (c *compiler) orderByPressure() error {
	free := min(freeRegisters, c.workLimit()) - c.floor
	changed, peak := c.f.orderByPressure(4 * free)
	if !c.reordered {
		c.peak = peak
	}
	c.reordered = c.reordered || changed
	return nil
}

func (c *compiler) allocate() error { return c.allocateIn(false) }

func (c *compiler) allocateAll() error { return c.allocateIn(true) }

func (c *compiler) allocateIn(all bool) (err error) {
	c.slots, c.used, err = c.f.allocate(c.floor, c.workLimit(), c.scratchBase(), all)
	switch {
	case errors.Is(err, errNoPlace):
		return backend.Refuse(TargetName, c.s, nil, "an instruction with more operands than %d work registers hold on %s is not supported: %s", c.workLimit()-c.floor, c.gpu.Name, c.whyFewRegisters())
	case errors.Is(err, errSpillReach):
		return backend.Refuse(TargetName, c.s, nil, "so many values at once are not supported: beside %d bytes of arrays %d bytes of them would be spilled with %d work registers, and offsets of spills reach %d bytes of a thread's storage (18 bits with a sign)",
			c.scratchBase(), 16*c.slots, c.workLimit(), spillReach)
	}
	return err
}

func (c *compiler) schedule() (err error) {
	c.p, _, err = schedule(c.f, c.gpu, false, 0)
	return err
}

func (c *compiler) scheduleInPairs() (err error) {
	c.p, c.waited, err = schedule(c.f, c.gpu, true, 0)
	return err
}

// scheduleWithin leaves the plan's gaps, for values do not lie side by side without any.
func (c *compiler) scheduleWithin() (err error) {
	c.p, _, err = schedule(c.f, c.gpu, false, max(4*(c.workLimit()-c.floor)-c.gaps, 1))
	return err
}

func (c *compiler) pipeRegisters() error {
	c.p.pipeRegisters(c.f)
	return nil
}

func (c *compiler) allocateBundles() error {
	used, ok, err := c.p.allocate(c.f, c.floor, c.workLimit())
	if err == nil && !ok {
		err = errUnfit
	}
	c.used = used
	return err
}

func (c *compiler) encode() error {
	b := c.bin
	if err := c.p.encode(b); err != nil {
		return err
	}
	c.meta.FirstTag = isa.Tag(b.Code[0] & 15)
	b.Meta = c.meta
	b.Stats = c.p.stats()
	b.Stats.finish(&b.Meta, len(b.Code), c.f.loops)
	return nil
}
