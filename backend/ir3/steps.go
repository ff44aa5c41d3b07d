package ir3

import (
	"nirc/backend"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

type step = backend.Step[*compiler]

// loweringSteps bring the IR to what selection takes. They run once.
var loweringSteps = []step{
	{StepInfo: backend.StepInfo{Name: "operand_forms", Doc: "refuse operands of sizes that there is no selection for, and cull distances in slots of their own"},
		Run: func(c *compiler) error {
			if err := checkForms(c.s, c.impl); err != nil {
				return err
			}
			return checkDistances(c.s, c.impl, c.opts.Next)
		}},
	{StepInfo: backend.StepInfo{Name: "mixed_outputs", Doc: "store halves as words where other components of their slot are of another kind"},
		Run: func(c *compiler) error { widenMixedOutputs(c.s, c.impl); return nil }},
	{StepInfo: backend.StepInfo{Name: "chain_stages", Doc: "hand outputs over to the stage whose threads go on, and inputs from the one before", After: []string{"mixed_outputs"}},
		Run: func(c *compiler) error { return c.lowerChain(c.impl) }},
	{StepInfo: backend.StepInfo{Name: "narrow_loads", Doc: "load words where the device has no loads of 8 and 16 bits"},
		Run: func(c *compiler) error { lowerNarrowLoads(c.impl, c.gpu); return nil }},
	{StepInfo: backend.StepInfo{Name: "narrow_stores", Doc: "join or split stores of 8 and 16 bits that the device has no form of", After: []string{"narrow_loads"}},
		Run: func(c *compiler) error { c.narrowStores(); return nil }},
	{StepInfo: backend.StepInfo{Name: "interpolation", Doc: "compute barycentrics at samples and offsets from those at the centre"},
		Run: fragmentOnly(func(c *compiler) { lowerInterpolation(c.impl) })},
	{StepInfo: backend.StepInfo{Name: "clock", Doc: "read the clock as the memory in which its counter shows"},
		Run: func(c *compiler) error { lowerClock(c.impl); return nil }},
	{StepInfo: backend.StepInfo{Name: "shading_rate", Doc: "exchange the axes of shading rates, which the hardware has the other way round"},
		Run: func(c *compiler) error { lowerShadingRate(c.s, c.impl); return nil }},
	{StepInfo: backend.StepInfo{Name: "layers", Doc: "add a half to layers of sampled arrays, which the hardware rounds down"},
		Run: func(c *compiler) error { lowerLayers(c.s, c.impl); return nil }},
	{StepInfo: backend.StepInfo{Name: "image_processing", Doc: "pack the operands of box filters and block matches"},
		Run: func(c *compiler) error { lowerImageProcessing(c.impl); return nil }},
	{StepInfo: backend.StepInfo{Name: "descriptors", Doc: "number what bindings name in each set, and make bindless handles of them"},
		Run: (*compiler).lowerDescriptors},
	{StepInfo: backend.StepInfo{Name: "split_loads", Doc: "load words of memory that nobody writes one by one, where the texture path takes one at a time", After: []string{"descriptors"}},
		Run: func(c *compiler) error { splitReadOnlyLoads(c.impl, c.gpu); return nil }},
	{StepInfo: backend.StepInfo{Name: "fold_handles", Doc: "fold what became constant with the handles", After: []string{"split_loads"}},
		Run: (*compiler).foldHandles},
	{StepInfo: backend.StepInfo{Name: "subgroup_operations", Doc: "compute subgroup operations from ballots, shuffles and reads of one fiber"},
		Run: func(c *compiler) error { lowerSubgroups(c.s, c.impl, c.gpu); return nil }},
	{StepInfo: backend.StepInfo{Name: "fuse_bitwise", Doc: "bring shifts and masks together for shrm, shlm, shrg, shlg and andg, order sums of products for mad, and leave products of uniform factors to the preamble",
		After: []string{"subgroup_operations"}}, Run: (*compiler).fuse},
	{StepInfo: backend.StepInfo{Name: "terminate_if", Doc: "make kills of conditional terminations"},
		Run: fragmentOnly(func(c *compiler) { lowerTerminateIf(c.impl) })},
	{StepInfo: backend.StepInfo{Name: "uniform_units", Doc: "read uniform buffers and constant data in units of 16 bytes, except for arrays that may be in the const file", After: []string{"fold_handles", "fuse_bitwise", "terminate_if"}},
		Run: (*compiler).lowerUnits},
}

// codeSteps make the program. Where they end in an error that replans names, all of
// them run once more by another plan.
var codeSteps = []step{
	{StepInfo: backend.StepInfo{Name: "repeat_groups", Optional: true, Doc: "bring equal operations together, up to four, that can be repetitions of one instruction"},
		Run: (*compiler).groupRepeats},
	{StepInfo: backend.StepInfo{Name: "isel", Doc: "select machine instructions in SSA, of the program and of its preamble"},
		Run: (*compiler).selectProgram},
	{StepInfo: backend.StepInfo{Name: "dce", Doc: "remove instructions whose results nobody reads, and collect the parts of parts at once", After: []string{"isel"}},
		Run: onBoth(removeNeedless)},
	{StepInfo: backend.StepInfo{Name: "cse", Doc: "compute what is computed twice in a block once", After: []string{"isel"}},
		Run: onBoth(shareResults)},
	{StepInfo: backend.StepInfo{Name: "share_addresses", Doc: "write a0.x only where it has another value", After: []string{"cse"}},
		Run: onBoth(shareAddresses)},
	{StepInfo: backend.StepInfo{Name: "alias_sources", Doc: "let names in texture instructions stand for consts, immediates and other registers (a7xx)", After: []string{"cse"}},
		Run: (*compiler).alias},
	{StepInfo: backend.StepInfo{Name: "fill_branches", Optional: true, Doc: "begin with a side of a branch while its condition is not there yet", After: []string{"alias_sources"}},
		Run: func(c *compiler) error { c.mem.fill.run(c.sel.f, c.gpu); return nil }},
	{StepInfo: backend.StepInfo{Name: "early_conditions", Optional: true, Doc: "make the conditions of branches in blocks before, where others are waited for", After: []string{"fill_branches"}},
		Run: func(c *compiler) error { c.mem.conds.run(c.sel.f, &c.mem.fill, c.gpu); return nil }},
	{StepInfo: backend.StepInfo{Name: "register_budget", Doc: "find how many registers values may have beside private arrays", After: []string{"alias_sources"}},
		Run: (*compiler).budgetRegisters},
	{StepInfo: backend.StepInfo{Name: "scalar_uniform", Optional: true, Doc: "compute what is the same for all fibers in shared registers, where that is worth it", After: []string{"register_budget"}},
		Run: (*compiler).shareUniform},
	{StepInfo: backend.StepInfo{Name: "presched", Doc: "order each block so that few values live at once and results come early", After: []string{"register_budget", "scalar_uniform"}},
		Run: (*compiler).preSchedule},
	{StepInfo: backend.StepInfo{Name: "fold_shared", Doc: "read what comes in shared registers where it stands", After: []string{"scalar_uniform"}},
		Run: (*compiler).foldShared},
	{StepInfo: backend.StepInfo{Name: "fold_relative", Doc: "read consts at a0.x where they stand", After: []string{"presched"}},
		Run: func(c *compiler) error { foldRelative(c.sel.f); return nil }},
	{StepInfo: backend.StepInfo{Name: "tie", Doc: "copy what lives on after an instruction that overwrites it", After: []string{"presched", "fold_shared"}},
		Run: func(c *compiler) error { mach.LowerTied(c.sel.f); return nil }},
	{StepInfo: backend.StepInfo{Name: "spill", Doc: "store values in private memory where more live than there are registers", After: []string{"tie"}},
		Run: (*compiler).spill},
	{StepInfo: backend.StepInfo{Name: "repeat_runs", Doc: "cut repeat groups to what can merge, whose registers are to be in line", After: []string{"repeat_groups", "spill"}},
		Run: (*compiler).planRuns},
	{StepInfo: backend.StepInfo{Name: "ra", Doc: "give every operand its register", After: []string{"repeat_runs"}},
		Run: (*compiler).allocate},
	{StepInfo: backend.StepInfo{Name: "copies", Doc: "make moves and swaps of parallel copies", After: []string{"ra"}},
		Run: (*compiler).lowerCopies},
	{StepInfo: backend.StepInfo{Name: "preamble_groups", Doc: "bring the members of repeat groups of the preamble together", After: []string{"cse"}},
		Run: (*compiler).gatherPreamble},
	{StepInfo: backend.StepInfo{Name: "scalar_preamble", Optional: true, Doc: "move the preamble to shared registers where all of it can be there", After: []string{"preamble_groups"}},
		Run: (*compiler).scalarPreamble},
	{StepInfo: backend.StepInfo{Name: "preamble_ra", Doc: "give the preamble registers beside the inputs of the program", After: []string{"copies", "scalar_preamble"}},
		Run: (*compiler).allocatePreamble},
	{StepInfo: backend.StepInfo{Name: "phys", Doc: "make the program of instructions with registers, of preamble and main function", After: []string{"copies", "preamble_ra"}},
		Run: (*compiler).makeProgram},
	{StepInfo: backend.StepInfo{Name: "loop_conditions", Optional: true, Doc: "make the condition of a loop's head where rounds end, where there is work for the slots that it takes, and end them in its branch", After: []string{"phys"}},
		Run: onProgram((*phys).turnLoops)},
	{StepInfo: backend.StepInfo{Name: "sched", Doc: "order each block so that few delay slots and waits are left", After: []string{"phys"}},
		Run: onProgram((*phys).schedule)},
	{StepInfo: backend.StepInfo{Name: "repeat_merge", Doc: "make (rptN) of groups whose registers are in line and that still stand in a row", After: []string{"sched"}},
		Run: (*compiler).mergeRepeats},
	{StepInfo: backend.StepInfo{Name: "early_preamble", Doc: "mark a preamble that can run before the waves are dispatched", After: []string{"phys"}},
		Run: onProgram((*phys).markEarly)},
	{StepInfo: backend.StepInfo{Name: "end_inputs", Doc: "mark the last fetch of varyings, (ei)", After: []string{"repeat_merge"}},
		Run: func(c *compiler) error { c.phys.markEI(len(c.meta.Prefetches) > 0); return nil }},
	{StepInfo: backend.StepInfo{Name: "waits", Doc: "wait for results of slow units, (ss) and (sy)", After: []string{"sched", "end_inputs", "early_preamble"}},
		Run: (*compiler).wait},
	{StepInfo: backend.StepInfo{Name: "end_addresses", Doc: "mark the last use of each value of a0.x, (ul)", After: []string{"sched"}},
		Run: onProgram((*phys).markUL)},
	{StepInfo: backend.StepInfo{Name: "predicate_branches", Optional: true, Doc: "mask short sides of ifs instead of branching around them, where that is no longer", After: []string{"waits"}},
		Run: func(c *compiler) error { c.phys.maskBranches(c.opts.maskAll); return nil }},
	{StepInfo: backend.StepInfo{Name: "delays", Doc: "put nops where results of the ALU are not there yet, of sums by multiply-adds that read what they add later", After: []string{"waits", "predicate_branches"}},
		Run: onProgram((*phys).delays)},
	{StepInfo: backend.StepInfo{Name: "end_helpers", Doc: "switch fibers off that only help where nothing needs them any more, (eq)", After: []string{"delays"}},
		Run: (*compiler).endHelpers},
	{StepInfo: backend.StepInfo{Name: "last_reads", Optional: true, Doc: "mark the last reads of registers (a7xx)", After: []string{"delays"}},
		Run: (*compiler).markLast},
	{StepInfo: backend.StepInfo{Name: "expand_aliases", Doc: "write the alias instructions before those that they are for", After: []string{"waits", "last_reads"}},
		Run: onProgram((*phys).expandAliases)},
	{StepInfo: backend.StepInfo{Name: "layout", Doc: "put blocks in order, with branches, jumps and (jp)", After: []string{"expand_aliases"}},
		Run: func(c *compiler) error { c.list, c.stack = c.phys.layOut(); return nil }},
	{StepInfo: backend.StepInfo{Name: "encode", Doc: "encode the words, and say in the metadata what the binary needs", After: []string{"layout"}},
		Run: (*compiler).encode},
}

// Steps lists the machine steps, in order. They are the same for every chip.
func (Target) Steps(string) []backend.StepInfo { return backend.Infos(loweringSteps, codeSteps) }

// fragmentOnly is a step over fragment shaders.
func fragmentOnly(run func(*compiler)) func(*compiler) error {
	return func(c *compiler) error {
		if c.s.Stage == ir.StageFragment {
			run(c)
		}
		return nil
	}
}

// onBoth is a step over the main function and the preamble.
func onBoth(run func(*mach.Func)) func(*compiler) error {
	return func(c *compiler) error {
		run(c.sel.f)
		if c.sel.pre.f != nil {
			run(c.sel.pre.f)
		}
		return nil
	}
}

// onProgram is a step over the physical program.
func onProgram(run func(*phys)) func(*compiler) error {
	return func(c *compiler) error {
		run(c.phys)
		return nil
	}
}

func (c *compiler) lowerDescriptors() (err error) {
	c.meta.Descriptors, err = lowerDescriptors(c.s, c.impl, c.gpu, c.opts.job.Layout)
	return err
}

func (c *compiler) foldHandles() error {
	if len(c.meta.Descriptors) == 0 {
		return nil
	}
	return foldHandles(c.s, c.impl, c.opts.Lists)
}

func (c *compiler) fuse() error {
	fused := fuseBitwise(c.impl)
	ordered := orderSums(c.impl)
	if !splitUniformProducts(c.impl, c.mem) && !ordered && !fused {
		return nil
	}
	return c.opts.Lists.Run(c.s, "ir3_dead")
}

func (c *compiler) groupRepeats() error {
	if c.groups == nil {
		c.groups = vectorize(c.impl, c.mem)
	}
	c.repeat = true
	return nil
}

func (c *compiler) selectProgram() (err error) {
	c.sel, err = selectFunc(c)
	return err
}

func (c *compiler) alias() error {
	if c.gpu.Gen == isa.A7xx {
		aliasSources(c.sel.f, c.sel.isPrefetched)
	}
	return nil
}

func (c *compiler) preSchedule() error {
	if c.pressure <= c.limit {
		c.mem.pre.run(c.sel.f, c.live, c.gpu, c.doubles(), c.preRooms())
		c.planned = c.mem.pre.waves
	}
	c.live = nil // what comes next reads other values
	return nil
}

func (c *compiler) foldShared() error {
	if !c.shared {
		foldShared(c.sel.f)
	}
	return nil
}

func (c *compiler) gatherPreamble() error {
	if f := c.sel.pre.f; f != nil {
		gatherGroups(f, &c.sel.link)
	}
	return nil
}

func (c *compiler) makeProgram() (err error) {
	if c.phys, err = lower(c); err != nil {
		return err
	}
	if c.shared || c.phys.turns || c.sel.writesA1() {
		c.phys.physicalEdges()
	}
	if !c.without.preamble && !c.prefetchesFit() {
		return errPrefetch
	}
	return nil
}

func (c *compiler) mergeRepeats() error {
	if c.repeat {
		c.phys.mergeRepeats(&c.rpt)
	}
	return nil
}

func (c *compiler) wait() error {
	c.phys.waitFirst = c.s.Stage == ir.StageTessCtrl || c.s.Stage == ir.StageGeometry
	c.phys.sync(c.outputSpans(), c.prefetchSpans())
	return nil
}

func (c *compiler) endHelpers() error {
	if c.meta.NeedsQuads {
		c.meta.PrefetchQuads = !c.phys.endHelpers()
	}
	return nil
}

func (c *compiler) markLast() error {
	if c.gpu.Gen == isa.A7xx {
		c.phys.markLast(c.outputSpans())
	}
	return nil
}
