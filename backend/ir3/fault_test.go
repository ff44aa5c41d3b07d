package ir3

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/core"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/passes"
)

// faultCases run, for each fault, what fails with it and does not without.
var faultCases = []struct {
	fault fault
	name  string
	run   func() error
}{
	{faultShuffle, "shuffle", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		to := b.Iand(b.IAddImm(b.Imul(id, b.Imm32(5)), 12), b.Imm32(63))
		x := lane1(b, ir.IntrShuffle, 32, b.IAddImm(id, 100), to)
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), x)
		return differ(s, CompileOptions{GPU: "a740"}, 1, nil, 256, nil)
	}},
	{faultAliasCount, "alias.rt count", func() error {
		s, b := newStage(ir.StageFragment)
		outputTo(b, b.Vec(inputFrom(b, ir.SlotVar0, 0, 1), b.ImmFloat(1, 32), b.ImmFloat(0.5, 32)), ir.SlotData0)
		return stageDiffer(s, "a750")
	}},
	{faultPrefetch, "prefetch", func() error {
		for _, gpu := range smallDevices {
			bin, err := compile(prefetchShader(), CompileOptions{GPU: gpu})
			if err == nil && len(bin.Meta.Prefetches) > 0 {
				err = fmt.Errorf("prefetches on %s, which has none", gpu)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}},
	{faultPrefetchPlace, "barycentrics of prefetches", func() error {
		bin, err := compile(prefetchShader(), CompileOptions{GPU: "a660"})
		if err != nil {
			return err
		}
		if len(bin.Meta.Prefetches) != 1 {
			return fmt.Errorf("%d prefetches", len(bin.Meta.Prefetches))
		}
		_, err = core.Load(bin.Code, &bin.Meta)
		return err
	}},
	{faultDistanceMasks, "clip and cull masks", func() error {
		bin, err := compile(distanceShader(), CompileOptions{GPU: "a740"})
		if err != nil {
			return err
		}
		if m := &bin.Meta; m.ClipMask != 0b101 || m.CullMask != 0b100000 {
			return fmt.Errorf("masks %#b and %#b", m.ClipMask, m.CullMask)
		}
		return nil
	}},
	{faultPrivateLayout, "private memory", func() error { return differ(scratchShader(), CompileOptions{GPU: "a630"}, 1, nil, 1024, nil) }},
	{faultChainIDs, "ids of the next stage", func() error {
		for _, next := range []ir.Stage{ir.StageTessCtrl, ir.StageGeometry} {
			p, _, err := loaded(chainVertex(), CompileOptions{GPU: "a740", Next: next})
			if err != nil {
				return err
			}
			if _, err := runStage(p, ir.StageVertex); err != nil {
				return err
			}
		}
		return evalBeforeGeometry()
	}},
	{faultViews, "16-bit views", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		buf := gputest.StorageBuffer(b, 0, 1)
		at := b.Ishl(id, b.Imm32(1))
		st := b.Intrinsic(ir.IntrStoreSsbo, 0, 0, b.U2u16(id), buf, at)
		st.Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 2)
		size := b.Intrinsic(ir.IntrGetSsboSize, 1, 32, buf)
		gputest.StoreWords(b, buf, b.IAddImm(b.Ishl(id, b.Imm32(2)), 128), &size.Def)
		for _, gpu := range []string{"a660", "a740", "a750"} {
			if err := differ(s, CompileOptions{GPU: gpu}, 1, nil, 128+256, nil); err != nil {
				return err
			}
		}
		return nil
	}},
	{faultSlots, "slots of the pipeline", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), id)
		return differ(s, CompileOptions{GPU: "a740"}, 1, nil, 256, nil)
	}},
	{faultResinfo, "resinfo", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		buf := gputest.StorageBuffer(b, 0, 1)
		gputest.StoreWords(b, buf, b.Ishl(id, b.Imm32(2)), &b.Intrinsic(ir.IntrGetSsboSize, 1, 32, buf).Def)
		return onBothGens(s, 1, 256)
	}},
	{faultAliasLine, "alias.tex in two lines", aliasLines},
	{faultAliasWait, "waits of names", func() error {
		return namedLookups(func(b *ir.Builder, x *ir.Def, look func(u, v *ir.Def) *ir.Def) *ir.Def {
			return look(x, b.ImmFloat(0.37, 32))
		})
	}},
	{faultBarrierWait, "waits after barriers", func() error { return onBothGens(exchange(ir.ScopeWorkgroup, ir.ModeShared, false), 2, 2048) }},
	{faultLock, "lock", func() error { return onBothGens(exchange(ir.ScopeWorkgroup, ir.ModeShared, false), 1, 2048) }},
	{faultFence, "fence of workgroup memory", func() error { return onBothGens(exchange(ir.ScopeWorkgroup, ir.ModeShared, false), 1, 2048) }},
	{faultFence, "fence of buffers", func() error { return onBothGens(exchange(ir.ScopeWorkgroup, ir.ModeSSBO, true), 1, 2048) }},
	{faultCacheInvalidate, "ccinv", func() error { return onBothGens(exchange(ir.ScopeQueueFamily, ir.ModeSSBO, true), 1, 2048) }},
	{faultReadOnly, "read only through the texture cache", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		buf, at := gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2))
		gputest.StoreWords(b, buf, at, b.IAddImm(id, 7))
		gputest.StoreWords(b, buf, b.IAddImm(at, 256), gputest.LoadWords(b, buf, at, 1))
		return onBothGens(s, 1, 512)
	}},
	{faultCoherent, "coherent loads", readAfterStore},
	{faultDelays, "delays", func() error { return onBothGens(exchange(ir.ScopeWorkgroup, ir.ModeShared, false), 1, 2048) }},
	{faultJoins, "(jp)", divergent},
	{faultBranchStack, "branch stack", divergent},
	{faultFootprint, "registers", func() error { return onBothGens(exchange(ir.ScopeWorkgroup, ir.ModeShared, false), 1, 2048) }},
	{faultEarlyEnd, "(ei)", func() error {
		s, b := newStage(ir.StageFragment)
		outputTo(b, b.Vec(inputFrom(b, ir.SlotVar0, 0, 1), inputFrom(b, ir.SlotVar0+1, 0, 1)), ir.SlotData0)
		return stageDiffer(s, "a740")
	}},
	{faultPrivateSize, "size of private memory", func() error { return differ(scratchShader(), CompileOptions{GPU: "a630"}, 1, nil, 1024, nil) }},
	{faultEarlyPreamble, "early preamble", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		x := b.Intrinsic(ir.IntrLoadSsbo, 1, 32, gputest.StorageBuffer(b, 0, 0), b.Imm32(16)).Set(ir.IdxAlignMul, 4).Set(ir.IdxAccess, uint64(ir.AccessNonWriteable|ir.AccessCanReorder))
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), b.Iadd(b.Imul(&x.Def, &x.Def), id))
		return differ(s, CompileOptions{GPU: "a740"}, 1, make([]byte, 64), 256, nil)
	}},
	{faultPredicateNops, "idle slots of predicates", func() error {
		return differ(ifShader(false), CompileOptions{GPU: "a740", maskAll: true}, 2, gputest.RandomInput(5, 128), 128*8, nil)
	}},
	{faultMixedSizes, "writes in two sizes", func() error {
		const in = "block 0 ->\n    mul.f r1.y, r0.w, r0.w\n    mad.f32 hr2.z, r0.w, r1.x, r1.y\n    mul.f hr3.x, hr2.z, hr2.z\n    end\n"
		out, err := runStepText("delays", gputest.StepOptions{"gpu": "a630"}, in)
		if err == nil && !strings.Contains(out, "(nop3) mad.f32 hr2.z, r0.w, r1.x, r1.y\n    nop\n") {
			err = fmt.Errorf("hr2.z is read before r1.y is over:\n%s", out)
		}
		return err
	}},
	{faultHeldInputs, "inputs in the preamble", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		x := gputest.LoadPush(b, b.Imm32(0), 1, 32, 0, 16)
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), b.Iadd(b.Imul(b.Imul(x, x), x), id))
		return differ(s, CompileOptions{GPU: "a630"}, 1, nil, 256, []byte{3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	}},
	{faultUniformNumbers, "numbers of descriptors by fiber", unlikeTextures},
	{faultTornLoads, "numbers of descriptors that others change meanwhile", tornNumbers},
	{faultSharedHalves, "halves for shared registers", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 128)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		i := b.PushIf(b.Uge(id, b.Imm32(70)))
		x := b.U2u32(&b.Intrinsic(ir.IntrReadFirstInvocation, 1, 16, b.U2u16(id)).Def)
		b.PopIf(i)
		x = b.IfPhi(i, x, id)
		b.Cursor = ir.AtEnd(i.After())
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), x)
		return differ(s, CompileOptions{GPU: "a740"}, 1, nil, 512, nil)
	}},
	{faultKillSense, "kills by what is not set", func() error {
		s, b := newStage(ir.StageFragment)
		x := inputFrom(b, ir.SlotVar0, 0, 1)
		b.Intrinsic(ir.IntrDemoteIf, 0, 0, b.Inot(b.Flt(x, b.ImmFloat(1, 32))))
		outputTo(b, b.Vec(x, b.Fneg(x)), ir.SlotData0)
		return stageDiffer(s, "a740")
	}},
	{faultLastHalf, "a buffer's last half", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 9)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		x := &b.Intrinsic(ir.IntrLoadSsbo, 1, 8, gputest.StorageBuffer(b, 0, 0), id).Set(ir.IdxAlignMul, 1).Def
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), b.U2u32(x))
		return differ(s, CompileOptions{GPU: "a740"}, 1, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, 9*4, nil)
	}},
	{faultTypedResinfo, "sizes of images", imageSize},
	{faultLayerHalf, "layers of arrays", arrayLayer},
	{faultFragOffset, "coordinates under a map of densities", func() error {
		s, b := newStage(ir.StageFragment)
		size := &b.Intrinsic(ir.IntrLoadFragSize, 2, 32).Def
		coord := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
		outputTo(b, b.Vec(b.Channel(coord, 0), b.Channel(coord, 1), b.I2f32(b.Channel(size, 0)), b.I2f32(b.Channel(size, 1))), ir.SlotData0)
		if err := stageDiffer(s, "a750"); err != nil {
			return err
		}
		return stageDiffer(s, "a630")
	}},
	{faultRateAxes, "axes of shading rates", func() error {
		if err := stageDiffer(rateReader(), "a750"); err != nil {
			return err
		}
		return stageDiffer(rateWriter(), "a750")
	}},
	{faultRateMask, "mask beside the shading rate", func() error { return stageDiffer(rateReader(), "a740") }},
	{faultRayMark, "rays in the metadata", testRay},
	{faultImageCoords, "coordinates of lines", func() error { return textureDiffers(linesAndBuffers, "a740") }},
	{faultTexelLevel, "levels of texel buffers", func() error { return textureDiffers(levelOfBuffer, "a630") }},
	{faultTexShape, "shape of sizes", textureSize},
	{faultSafeConsts, "consts of a pipeline", safeConsts},
	{faultTessBarrier, "bar.g in tessellation control", func() error {
		s, b := newStage(ir.StageTessCtrl)
		gputest.Barrier(b)
		p, _, err := loaded(s, CompileOptions{GPU: "a740"})
		if err != nil {
			return err
		}
		l := stageLaunch(s.Stage)
		for range stageLanes {
			l.TessCtrl = append(l.TessCtrl, emu.TessCtrlLane{Patch: &emu.Patch{In: []*emu.Slots{{}}, Out: make([]emu.Slots, 1)}})
		}
		if _, err := p.NewWave(l).Run(1); err != nil && strings.Contains(err.Error(), "bar.g") {
			return err
		}
		return nil // it is too short to end
	}},
	{faultIsamBit, "bit 18 of isam", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		x := b.Intrinsic(ir.IntrLoadSsbo, 1, 32, gputest.StorageBuffer(b, 0, 0), b.Ishl(id, b.Imm32(2))).Set(ir.IdxAlignMul, 4).Set(ir.IdxAccess, uint64(ir.AccessNonWriteable|ir.AccessCanReorder))
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), &x.Def)
		return differ(s, CompileOptions{GPU: "a630"}, 1, make([]byte, 256), 256, nil)
	}},
	{faultMinLod, "bounds of implicit LODs", boundedLods},
	{faultSpillStore, "stores of what is spilled", func() error {
		for seed := range int64(4) {
			s := randomShader(1000+seed, 80)
			r := &gputest.Run{Groups: 1, In: gputest.RandomInput(seed, 64), OutSize: 64 * gputest.OutBytes}
			if _, err := execute(s, CompileOptions{GPU: "a740", Registers: 6}, r, nil); err != nil {
				return err
			}
		}
		return nil
	}},
	{faultRayList, "list of ray_intersection", testRay},
	{faultResidency, "residency of gathers", residentGathers},
	{faultCutTexels, "rounding of texels", roundedTexels},
	{faultPartiallyBound, "descriptor that is not bound", func() error {
		return texelOfFew(true)
	}},
	{faultChosenDescriptor, "descriptor by an index", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		number, none := uniformWord(b, b.Imm32(0)), b.Imm32(7)
		i := b.PushIf(b.Ult(number, b.Imm32(1)))
		x := uniformWord(b, number)
		b.PopIf(i)
		x = b.IfPhi(i, x, none)
		b.Cursor = ir.AtEnd(i.After())
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), x)
		return differ(s, CompileOptions{GPU: "a740"}, 1, binary.LittleEndian.AppendUint32(nil, 1000), 256, nil)
	}},
	{faultClockOrder, "words of the clock", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		clock := func() (low, high *ir.Def) {
			c := &b.Intrinsic(ir.IntrShaderClock, 2, 32).Set(ir.IdxMemoryScope, uint64(ir.ScopeSubgroup)).Def
			return b.Channel(c, 0), b.Channel(c, 1)
		}
		was, over := clock()
		count := b.Imm32(0)
		for range 4 { // each reading is later than the one before, though the low word turns over
			low, high := clock()
			later := b.Ior(b.Ult(over, high), b.Iand(b.Ieq(over, high), b.Ult(was, low)))
			count, was, over = b.Iadd(count, b.B2i32(later)), low, high
		}
		_, alone := clock() // whose low word nobody wants
		count = b.Iadd(count, b.B2i32(b.Uge(alone, over)))
		count = b.Iadd(count, b.B2i32(b.Ult(alone, b.IAddImm(over, 2))))
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), count)
		return onBothGens(s, 1, 256)
	}},
	{faultFullQuads, "whole quads", func() error { return quadReader(ir.IntrDdxFine) }},
	{faultBindless, "tables of descriptors", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), id)
		return onBothGens(s, 1, 256)
	}},
	{faultHelpers, "helpers", func() error { return quadReader(ir.IntrDdx) }},
	{faultLayer, "layers of input attachments", func() error {
		s, b := newStage(ir.StageFragment)
		layer := b.Intrinsic(ir.IntrLoadInput, 1, 32, b.Imm32(0)).Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassInt, Bits: 32}.Pack()).
			Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotLayer, NumSlots: 1}.Pack())
		outputTo(b, b.U2f32(&layer.Def), ir.SlotData0)
		return stageDiffer(s, "a630")
	}},
	{faultAttachments, "attachments that are read", func() error { return countedUp("a630", 1) }},
	{faultAttachmentLayer, "layers of attachments", func() error { return countedUp("a630", 1) }},
	{faultAttachmentSamples, "samples of attachments", func() error { return countedUp("a740", 1) }},
	{faultAttachmentOrder, "order of fragments that read attachments", func() error { return countedUp("a740", 1) }},
	{faultWaits, "waits for results", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		buf, at := gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2))
		gputest.StoreWords(b, buf, b.IAddImm(at, 256), b.IAddImm(gputest.LoadWords(b, buf, at, 1), 3))
		return onBothGens(s, 1, 512)
	}},
	{faultViewVarying, "view of fragments", func() error {
		s, b := newStage(ir.StageFragment)
		outputTo(b, b.U2f32(lane1(b, ir.IntrLoadViewIndex, 32)), ir.SlotData0)
		return stageDiffer(s, "a740")
	}},
	{faultSlotDistances, "distances of a slot", func() error {
		bin, err := compile(oneDistance(), CompileOptions{GPU: "a740"})
		if err != nil {
			return err
		}
		_, err = core.Load(bin.Code, &bin.Meta)
		return err
	}},
	{faultRelativeRepeat, "repetitions of elements", repeatedElements},
	{faultUnits, "units of 4 vec4", func() error {
		return differ(sumOfUniforms(0, 5, 7), CompileOptions{GPU: "a740"}, 1, make([]byte, 4096), 1024, nil)
	}},
	{faultConstMemory, "consts beside workgroup memory", func() error {
		return differ(sumOfUniforms(32<<10, 0, 480), CompileOptions{GPU: "a740"}, 1, make([]byte, 8192), 1024, nil)
	}},
	{faultResident, "registers of a workgroup with barriers", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 1024)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		buf, at := gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2))
		var kept []*ir.Def
		for k := range 64 {
			kept = append(kept, gputest.LoadWords(b, buf, b.IAddImm(at, int64(4096*(k&7))), 1))
		}
		gputest.Barrier(b)
		for k, x := range kept {
			gputest.StoreWords(b, buf, b.IAddImm(at, int64(4096*(k&7))), x)
		}
		return differ(s, CompileOptions{GPU: "a630"}, 1, nil, 8*4096, nil)
	}},
	{faultResident, "branch stack of a workgroup with barriers", func() error {
		if err := onBothGens(barrierInBranches(2), 1, 4096); err != nil {
			return err
		}
		p, _, err := loaded(barrierInBranches(20), CompileOptions{GPU: "a630"})
		if err == nil {
			return fmt.Errorf("%v is taken, and not all of its waves are resident", p.WorkgroupSize())
		}
		if strings.Contains(err.Error(), "ir3 meta: ") { // what checks binaries refuses it, not the compiler
			return err
		}
		return nil
	}},
	{faultPostDepth, "coverage after tests", func() error { return postDepth(true, 12) }},
	{faultKillLoops, "killed fibers in loops", func() error {
		s, b := newStage(ir.StageFragment)
		x := inputFrom(b, ir.SlotVar0, 0, 1)
		l := b.PushLoop()
		b.Intrinsic(ir.IntrTerminateIf, 0, 0, b.Fge(b.ImmFloat(1e9, 32), &b.Intrinsic(ir.IntrDdx, 1, 32, x).Def))
		b.PopLoop(l)
		p, _, err := loaded(s, CompileOptions{GPU: "a740"})
		if err != nil {
			return err
		}
		if st, err := p.NewWave(stageLaunch(ir.StageFragment)).Run(1 << 16); err != nil || st != emu.StatusDone {
			return fmt.Errorf("status %v, %v", st, err)
		}
		return nil
	}},
	{faultStreams, "cuts of streams", func() error {
		for _, gpu := range []string{"a630", "a740"} {
			if err := streamStrips(gpu); err != nil {
				return fmt.Errorf("%s: %w", gpu, err)
			}
		}
		return nil
	}},
	{faultConsts, "consts of the preamble", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		x := b.Iadd(gputest.LoadUBO(b, b.Imm32(80), 1, 32, 16), gputest.LoadPush(b, b.Imm32(8), 1, 32, 0, 64))
		x = b.Iadd(x, b.Channel(&b.Intrinsic(ir.IntrLoadNumWorkgroups, 3, 32).Def, 0))
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), b.Ixor(id, x))
		in, push := make([]byte, 512), make([]byte, 64)
		for i := range in {
			in[i], push[i&63] = byte(i*31), byte(i*7)
		}
		for _, gpu := range []string{"a630", "a660", "a740", "a750"} {
			if err := differ(s, CompileOptions{GPU: gpu}, 2, in, 512, push); err != nil {
				return fmt.Errorf("%s: %w", gpu, err)
			}
		}
		return nil
	}},
	{faultDispatchOrder, "dispatch order", func() error {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
		n := lane1(b, ir.IntrLoadSubgroupInvocation, 32)
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), n)
		return differ(s, CompileOptions{GPU: "a740"}, 1, nil, 256, nil)
	}},
}

// evalBeforeGeometry runs an evaluation shader that needs no ids itself.
func evalBeforeGeometry() error {
	s, b := newStage(ir.StageTessEval)
	outputTo(b, b.Vec(b.ImmFloat(1, 32), b.ImmFloat(2, 32), b.ImmFloat(3, 32), b.ImmFloat(1, 32)), ir.SlotPos)
	l := stageLaunch(s.Stage)
	patch := &emu.Patch{Out: make([]emu.Slots, 3), PrimitiveID: 9}
	for range stageLanes {
		l.TessEval = append(l.TessEval, emu.TessEvalLane{Patch: patch})
	}
	p, _, err := loaded(s, CompileOptions{GPU: "a740", Next: ir.StageGeometry})
	if err != nil {
		return err
	}
	if st, err := p.NewWave(l).Run(1 << 16); err != nil || st != emu.StatusDone {
		return fmt.Errorf("status %v, %v", st, err)
	}
	return nil
}

// exchange is a shader of workgroups of 256, whose invocations store where another loads after a barrier;
// before it they load there too, if early.
func exchange(scope ir.Scope, modes ir.Mode, early bool) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 256)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	buf := gputest.StorageBuffer(b, 0, 1)
	mine, other := b.Ishl(id, b.Imm32(2)), b.Ishl(b.Isub(b.Imm32(255), id), b.Imm32(2))
	wait := func(scope ir.Scope) {
		b.Intrinsic(ir.IntrBarrier, 0, 0).Set(ir.IdxExecutionScope, uint64(ir.ScopeWorkgroup)).Set(ir.IdxMemoryScope, uint64(scope)).
			Set(ir.IdxMemorySemantics, uint64(ir.SemAcquire|ir.SemRelease)).Set(ir.IdxMemoryModes, uint64(modes))
	}
	x := id
	if modes == ir.ModeShared {
		s.SharedSize = 1024
		gputest.StoreTo(b, ir.IntrStoreShared, b.IAddImm(id, 7), mine, 1, 0)
		wait(scope)
		x = gputest.LoadShared(b, other, 1, 32, 0)
	} else {
		if early {
			x = b.Iadd(x, gputest.LoadWords(b, buf, other, 1))
			wait(scope)
		}
		gputest.StoreWords(b, buf, mine, b.IAddImm(id, 7))
		wait(scope)
		x = b.Iadd(x, gputest.LoadWords(b, buf, other, 1))
	}
	gputest.StoreWords(b, buf, b.IAddImm(mine, 1024), x)
	return s
}

// onBoth compares runs of a shader on devices of both generations.
func onBothGens(s *ir.Shader, groups uint32, size int) error {
	for _, gpu := range []string{"a630", "a660", "a740", "a750"} {
		if err := differ(s, CompileOptions{GPU: gpu}, groups, nil, size, nil); err != nil {
			return fmt.Errorf("%s: %w", gpu, err)
		}
	}
	return nil
}

// repeatedElements adds what could be one repetition, if its sources were not relative to a0.x.
func repeatedElements() error {
	s := pushedArray(3, 2, func(b *ir.Builder, id, x *ir.Def) *ir.Def {
		v := b.Iadd(x, b.Vec(id, id, id, id))
		return b.Ixor(b.Ixor(b.Channel(v, 0), b.Channel(v, 1)), b.Ixor(b.Channel(v, 2), b.Channel(v, 3)))
	})
	if err := lowerToScalar(s); err != nil {
		return err
	}
	for _, gpu := range []string{"a630", "a740"} {
		if err := differ(s, CompileOptions{GPU: gpu}, 1, make([]byte, 128), 256, nil); err != nil {
			return fmt.Errorf("%s: %w", gpu, err)
		}
	}
	return nil
}

// residentGathers reads four texels by one gather, of which the first has no memory and the last has.
func residentGathers() error {
	img, err := emu.NewImage(emu.ImageDesc{Width: 32, Height: 1, Format: emu.FormatByName("R8_UNORM")})
	if err != nil {
		return err
	}
	img.Unbound = []emu.Unbound{{From: 8, To: 32}}
	stageEnv = func(env *emu.Env) {
		env.Bindings = &emu.Bindings{}
		env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: &emu.ImageView{Image: img}, Sampler: &emu.Sampler{MaxLod: emu.LodNone}}})
	}
	defer func() { stageEnv = nil }()
	s, b := newStage(ir.StageFragment)
	pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
	x := &texBuild{s: s, b: b}
	d := x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
	at := b.Vec(b.Fmul(b.Channel(pos, 0), b.ImmFloat(1.0/32, 32)), b.ImmFloat(0.5, 32))
	g := x.op(ir.TexOpTg4, 5, ir.Dim2D, false, texSource{ir.TexSrcTextureDeref, d}, texSource{ir.TexSrcSamplerDeref, d}, texSource{ir.TexSrcCoord, at})
	g.TexInfo().HasOffsets, g.TexInfo().IsSparse, g.TexInfo().Offsets = true, true, [4][2]int8{{7, 0}, {2, 0}, {1, 0}, {-1, 0}}
	outputTo(b, b.B2f32(b.Ieq(b.Channel(&g.Def, 4), b.Imm32(0))), ir.SlotData0)
	if err := lowerToScalar(s); err != nil {
		return err
	}
	return stageDiffer(s, "a740")
}

// boundedLods samples, where coordinates change and where they do not, levels that only a lower bound asks for.
func boundedLods() error {
	stageEnv = func(env *emu.Env) { texWorld(&testing.T{}, env) }
	defer func() { stageEnv = nil }()
	s, b := newStage(ir.StageFragment)
	pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
	x := &texBuild{s: s, b: b}
	d := x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
	var levels []*ir.Def
	for _, at := range []*ir.Def{b.Vec(b.ImmFloat(0.25, 32), b.ImmFloat(0.5, 32)), b.Vec(b.Fmul(b.Channel(pos, 0), b.ImmFloat(1.0/64, 32)), b.ImmFloat(0.5, 32))} {
		t := x.op(ir.TexOpTex, 4, ir.Dim2D, false, texSource{ir.TexSrcTextureDeref, d}, texSource{ir.TexSrcSamplerDeref, d}, texSource{ir.TexSrcCoord, at},
			texSource{ir.TexSrcMinLod, b.ImmFloat(1.5, 32)})
		levels = append(levels, b.Channel(&t.Def, 0))
	}
	outputTo(b, b.Vec(levels...), ir.SlotData0)
	if err := lowerToScalar(s); err != nil {
		return err
	}
	return stageDiffer(s, "a740")
}

// roundedTexels samples, fetches and loads texels that it rounds to halves as it says.
func roundedTexels() error {
	stageEnv, stageApprox = func(env *emu.Env) { texWorld(&testing.T{}, env) }, 1
	defer func() { stageEnv, stageApprox = nil, 0 }()
	for _, round := range []ir.Op{ir.OpF2f16Rtne, ir.OpF2f16Rtz} {
		for i, texel := range texelsOfHalves {
			build := func() *ir.Shader {
				s, b := newStage(ir.StageFragment)
				x := &texBuild{s: s, b: b, id: b.F2u32(b.Fmul(b.Channel(&b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def, 2), b.ImmFloat(64, 32)))}
				last := b.ImmInt(15, 16) // the last digits, which stages are compared by
				outputTo(b, b.U2f32(b.Iand(b.ALU(round, texel(x)), b.Vec(last, last, last, last))), ir.SlotData0)
				return s
			}
			s := build()
			var err error
			if s.Options, err = Options("a740", s.Stage); err != nil {
				return err
			}
			if _, err := passes.RunPass(s, "opt_16bit_tex_image"); err != nil {
				return err
			}
			if err := lowerToScalar(s); err != nil {
				return err
			}
			if err := stageDiffersFrom(build(), s, "a740"); err != nil {
				return fmt.Errorf("%s of texel %d: %w", round, i, err)
			}
		}
	}
	return nil
}

// texelsOfHalves reads thirds and other numbers that no half is equal to.
var texelsOfHalves = []func(x *texBuild) *ir.Def{
	func(x *texBuild) *ir.Def { // in the middle of texels, where filters make no digits
		d := x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
		u := x.b.Fmul(x.b.Fadd(x.b.U2f32(x.b.Iand(x.id, x.b.Imm32(7))), x.b.ImmFloat(0.5, 32)), x.b.ImmFloat(1.0/8, 32))
		return &x.op(ir.TexOpTxl, 4, ir.Dim2D, false, append(at(d), texSource{ir.TexSrcCoord, x.b.Vec(u, x.b.ImmFloat(3.5/4, 32))}, texSource{ir.TexSrcLod, x.b.ImmFloat(1, 32)})...).Def
	},
	func(x *texBuild) *ir.Def {
		d := x.variable(0, 9, ir.BaseTexture, ir.DimBuf, false, false, 0)
		return &x.op(ir.TexOpTxf, 4, ir.DimBuf, false, texSource{ir.TexSrcTextureDeref, d}, texSource{ir.TexSrcCoord, x.id}).Def
	},
	func(x *texBuild) *ir.Def {
		u := x.b.Undef(1, 32)
		in := x.b.Intrinsic(ir.IntrImageDerefLoad, 4, 32, x.variable(0, 11, ir.BaseImage, ir.DimBuf, false, false, 0), x.b.Vec(x.id, u, u, u), x.b.Imm32(0), x.b.Imm32(0))
		return &in.Set(ir.IdxImageDim, uint64(ir.DimBuf)).Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack()).Def
	},
}

// scratchShader stores vectors to private memory and loads them.
func scratchShader() *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	s.ScratchSize = 256
	off := b.Ishl(b.Iand(id, b.Imm32(15)), b.Imm32(4))
	gputest.StoreTo(b, ir.IntrStoreScratch, b.Vec(id, b.Inot(id), b.Imm32(7), b.Imm32(8)), off, 15, 0)
	x := b.Intrinsic(ir.IntrLoadScratch, 4, 32, off).Set(ir.IdxAlignMul, 4)
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(4)), &x.Def)
	return s
}

// divergent has fibers go both ways of an if.
func divergent() error {
	s := ifShader(false)
	for _, gpu := range []string{"a630", "a740"} {
		if err := differ(s, CompileOptions{GPU: gpu, Run: leaveOut("predicate_branches")}, 2, gputest.RandomInput(5, 128), 128*8, nil); err != nil {
			return fmt.Errorf("%s: %w", gpu, err)
		}
	}
	return nil
}

// quadReader is a fragment shader that reads a fiber of its quad in one way.
func quadReader(by ir.Intrinsic) error {
	s, b := newStage(ir.StageFragment)
	srcs := []*ir.Def{inputFrom(b, ir.SlotVar0, 0, 1)}
	if by == ir.IntrQuadBroadcast {
		srcs = append(srcs, b.Imm32(2))
	}
	outputTo(b, &b.Intrinsic(by, 1, 32, srcs...).Def, ir.SlotData0)
	return stageDiffer(s, "a740")
}

// TestHelpersAsked: fragment shaders ask for helpers where lookups choose their level by derivatives, and only there.
func TestHelpersAsked(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		name  string
		op    ir.TexOp
		comps uint8
		more  []ir.TexSrc
		want  bool
	}{
		{"lookup", ir.TexOpTex, 4, nil, true}, {"bias", ir.TexOpTxb, 4, []ir.TexSrc{ir.TexSrcBias}, true}, {"level", ir.TexOpTxl, 4, []ir.TexSrc{ir.TexSrcLod}, false},
		{"query", ir.TexOpLod, 2, nil, true}, {"gather", ir.TexOpTg4, 4, nil, false},
	} {
		for _, prefetched := range []bool{false, true} {
			s, b := newStage(ir.StageFragment)
			x := &texBuild{s: s, b: b}
			uv := inputFrom(b, ir.SlotVar0, 0, 2)
			if !prefetched {
				half := b.ImmFloat(0.5, 32)
				uv = b.Vec(b.Fmul(b.Channel(uv, 0), half), b.Fmul(b.Channel(uv, 1), half))
			}
			srcs := append(at(x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)), texSource{ir.TexSrcCoord, uv})
			for _, k := range c.more {
				srcs = append(srcs, texSource{k, b.ImmFloat(0.5, 32)})
			}
			v := b.Channel(&x.op(c.op, c.comps, ir.Dim2D, false, srcs...).Def, 0)
			outputTo(b, b.Vec(v, v, v, v), ir.SlotData0)
			for _, gpu := range []string{"a610", "a630", "a740"} {
				bin, err := compile(s, CompileOptions{GPU: gpu})
				if err != nil {
					t.Fatalf("%s on %s: %v", c.name, gpu, err)
				}
				if bin.Meta.NeedsQuads != c.want {
					t.Errorf("%s on %s, with %d prefetches: helpers are asked for: %t, want %t", c.name, gpu, len(bin.Meta.Prefetches), bin.Meta.NeedsQuads, c.want)
				}
			}
		}
	}
}

// TestQuadReaders: fragment shaders that read fibers of their quads ask for whole quads where they must.
func TestQuadReaders(t *testing.T) {
	programs.Hold(t)
	for _, by := range []ir.Intrinsic{ir.IntrDdxFine, ir.IntrDdyFine, ir.IntrDdx, ir.IntrDdy, ir.IntrQuadBroadcast, ir.IntrQuadSwapHorizontal, ir.IntrQuadSwapVertical, ir.IntrQuadSwapDiagonal} {
		if err := quadReader(by); err != nil {
			t.Errorf("%v: %v", by, err)
		}
	}
}

// textureSize paints the sizes of a volume.
func textureSize() error {
	stageEnv = func(env *emu.Env) { texWorld(&testing.T{}, env) }
	defer func() { stageEnv = nil }()
	s, b := newStage(ir.StageFragment)
	x := &texBuild{s: s, b: b}
	size := x.op(ir.TexOpTxs, 3, ir.Dim3D, false, texSource{ir.TexSrcTextureDeref, x.variable(0, 3, ir.BaseSampledImage, ir.Dim3D, false, false, 0)}, texSource{ir.TexSrcLod, b.Imm32(0)})
	outputTo(b, b.Vec(b.U2f32(b.Channel(&size.Def, 0)), b.U2f32(b.Channel(&size.Def, 1)), b.U2f32(b.Channel(&size.Def, 2))), ir.SlotData0)
	return stageDiffer(s, "a740")
}

// unlikeTextures has fibers look at different textures.
func unlikeTextures() error {
	stageEnv = func(env *emu.Env) { texWorld(&testing.T{}, env) }
	defer func() { stageEnv = nil }()
	s, b := newStage(ir.StageFragment)
	x := &texBuild{s: s, b: b}
	id := b.F2u32(b.Channel(&b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def, 0))
	d := b.DerefArray(x.variable(0, 8, ir.BaseSampledImage, ir.Dim2D, false, false, 3), b.Iand(id, b.Imm32(1)))
	in := x.op(ir.TexOpTxl, 4, ir.Dim2D, false, append(at(d), texSource{ir.TexSrcCoord, b.Vec(b.ImmFloat(0.5, 32), b.ImmFloat(0.5, 32))}, texSource{ir.TexSrcLod, b.ImmFloat(0, 32)})...)
	in.TexInfo().TextureNonUniform = true
	outputTo(b, &in.Def, ir.SlotData0)
	return stageDiffer(s, "a740")
}

// tornNumbers chooses textures by a word that one wave changes while the other loads it.
func tornNumbers() error {
	s, b := gputest.NewShader(ir.StageCompute, 256)
	o, err := Options("a630", ir.StageCompute)
	if err != nil {
		return err
	}
	s.Options.LoadsTear = o.LoadsTear
	x := &texBuild{s: s, b: b}
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	word := gputest.Handle(b, 0, 20, emu.DescStorageBuffer)
	i := b.PushIf(b.Ult(id, b.Imm32(128)))
	gputest.Times(b, 16, func(n *ir.Def) {
		b.Intrinsic(ir.IntrStoreSsbo, 0, 0, b.Iand(n, b.Imm32(1)), word, b.Imm32(0)).Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 4).Set(ir.IdxAccess, uint64(ir.AccessVolatile))
		b.Intrinsic(ir.IntrBarrier, 0, 0).Set(ir.IdxMemoryScope, uint64(ir.ScopeDevice)).Set(ir.IdxMemorySemantics, uint64(ir.SemAcquire|ir.SemRelease)).Set(ir.IdxMemoryModes, uint64(ir.ModeSSBO))
	})
	b.PushElse(i)
	gputest.Times(b, 8, func(*ir.Def) {
		n := &b.Intrinsic(ir.IntrLoadSsbo, 1, 32, word, b.Imm32(0)).Set(ir.IdxAlignMul, 4).Set(ir.IdxAccess, uint64(ir.AccessVolatile)).Def
		srcs := at(b.DerefArray(x.variable(0, 8, ir.BaseSampledImage, ir.Dim2D, false, false, 3), n))
		in := x.op(ir.TexOpTxl, 4, ir.Dim2D, false, append(srcs, texSource{ir.TexSrcCoord, b.Vec(b.ImmFloat(0.5, 32), b.ImmFloat(0.5, 32))}, texSource{ir.TexSrcLod, b.ImmFloat(0, 32)})...)
		in.TexInfo().TextureNonUniform = true
		gputest.StoreWords(b, gputest.Handle(b, 0, 21, emu.DescStorageBuffer), b.Ishl(id, b.Imm32(2)), b.Channel(&in.Def, 0))
	})
	b.PopIf(i)
	p, bin, err := loaded(s, CompileOptions{GPU: "a630"})
	if err != nil {
		return err
	}
	for seed := range uint64(4) {
		env := emu.Env{Mem: emu.NewMemory()}
		texWorld(&testing.T{}, &env)
		for k, size := range []int{4, 1024} {
			env.Bindings.Set(0, uint32(20+k), []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: env.Mem.Alloc(size).Addr, Size: uint64(size)}})
		}
		params := emu.DispatchParams{Groups: [3]uint32{64, 1, 1}}
		params.Check, params.Seed = true, seed
		if err := emu.Dispatch(context.Background(), p, &env, params); err != nil {
			return fmt.Errorf("%w\n%s", err, disasm(bin))
		}
	}
	return nil
}

// imageSize asks for the size of a storage image.
func imageSize() error {
	stageEnv = func(env *emu.Env) { texWorld(&testing.T{}, env) }
	defer func() { stageEnv = nil }()
	s, b := newStage(ir.StageFragment)
	x := &texBuild{s: s, b: b}
	size := b.Intrinsic(ir.IntrImageDerefSize, 2, 32, x.variable(0, 10, ir.BaseImage, ir.Dim2D, false, false, 0), b.Imm32(0)).Set(ir.IdxImageDim, uint64(ir.Dim2D))
	outputTo(b, b.Vec(b.U2f32(b.Channel(&size.Def, 0)), b.U2f32(b.Channel(&size.Def, 1))), ir.SlotData0)
	return stageDiffer(s, "a630")
}

// arrayLayer samples arrays at layers between two.
func arrayLayer() error {
	stageEnv = func(env *emu.Env) { texWorld(&testing.T{}, env) }
	defer func() { stageEnv = nil }()
	for _, bits := range []uint8{16, 32} {
		s, b := newStage(ir.StageFragment)
		x := &texBuild{s: s, b: b}
		place := b.Intrinsic(ir.IntrLoadFragCoord, 4, 32)
		layer := b.Fmul(b.Channel(&place.Def, 0), b.ImmFloat(0.4, 32))
		if bits == 16 {
			layer = b.F2f16(layer)
		}
		coord := b.Vec(b.ImmFloat(0.5, bits), b.ImmFloat(0.5, bits), layer)
		sample := func(coord *ir.Def) *ir.Def {
			d := x.variable(0, 2, ir.BaseSampledImage, ir.Dim2D, true, false, 0)
			return &x.op(ir.TexOpTxl, 4, ir.Dim2D, true, append(at(d), texSource{ir.TexSrcCoord, coord}, texSource{ir.TexSrcLod, b.ImmFloat(0, 32)})...).Def
		}
		fixed := b.Vec(b.ImmFloat(0.5, 32), b.ImmFloat(0.5, 32), b.ImmFloat(1.75, 32))
		x1, x2 := sample(coord), sample(fixed)
		outputTo(b, b.Vec(b.Channel(x1, 0), b.Channel(x1, 1), b.Channel(x2, 0), b.Channel(x2, 1)), ir.SlotData0)
		for _, gpu := range []string{"a630", "a740"} {
			if err := stageDiffer(s, gpu); err != nil {
				return err
			}
		}
	}
	return nil
}

// safeConsts compiles four stages of a pipeline for the const file that they share.
func safeConsts() error {
	s := uniformVertex(240)
	s.Options = &ir.Options{SafeConsts: true}
	bin, err := compile(s, CompileOptions{GPU: "a740"})
	if err != nil {
		return err
	}
	var programs []emu.Program
	for _, stage := range []ir.Stage{ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry} {
		m := bin.Meta
		m.Stage, m.Inputs, m.Outputs, m.Sysvals = stage, nil, nil, nil
		p, err := core.Load(bin.Code, &m)
		if err != nil {
			return err
		}
		programs = append(programs, p)
	}
	if n := (Target{}).Misfits(programs); n != nil {
		return fmt.Errorf("of four stages with %d vec4 each %v are too large", bin.Meta.ConstLen, n)
	}
	return nil
}

// readAfterStore stores to a buffer by one binding and loads what was stored by another, coherent and not written there.
func readAfterStore() error {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	at := b.Ishl(id, b.Imm32(2))
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), at, b.IAddImm(id, 7))
	gputest.Barrier(b)
	x := b.Intrinsic(ir.IntrLoadSsbo, 1, 32, gputest.StorageBuffer(b, 0, 0), at).Set(ir.IdxAlignMul, 4).
		Set(ir.IdxAccess, uint64(ir.AccessNonWriteable|ir.AccessCanReorder|ir.AccessCoherent))
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 2), at, &x.Def)
	p, _, err := loaded(s, CompileOptions{GPU: "a740"})
	if err != nil {
		return err
	}
	mem, bind := emu.NewMemory(), &emu.Bindings{}
	shared, out := mem.Alloc(256), mem.Alloc(256)
	for i, m := range []*emu.Buffer{shared, shared, out} {
		bind.Set(0, uint32(i), []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: m.Addr, Size: 256}})
	}
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: bind}, emu.DispatchParams{Limits: emu.Limits{Check: true}, Groups: [3]uint32{1, 1, 1}}); err != nil {
		return err
	}
	for i := range uint64(64) {
		if x := emu.LoadBytes(out.Data[4*i:], 4); x != i+7 {
			return fmt.Errorf("invocation %d loads %#x, want %#x", i, x, i+7)
		}
	}
	return nil
}

// aliasLines looks textures up with names for constants, after more and more other instructions.
func aliasLines() error {
	stageEnv = func(env *emu.Env) { texWorld(&testing.T{}, env) }
	defer func() { stageEnv = nil }()
	for n := range 16 {
		s, b := newStage(ir.StageFragment)
		pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
		x := &texBuild{s: s, b: b}
		d := x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
		u := b.Fmul(b.Channel(pos, 0), b.ImmFloat(0.0625, 32))
		for k := range n {
			u = b.Fmax(u, b.Fmul(u, b.ImmFloat(float64(k), 32)))
		}
		outputTo(b, &x.op(ir.TexOpTex, 4, ir.Dim2D, false, append(at(d), texSource{ir.TexSrcCoord, b.Vec(u, b.ImmFloat(0.37, 32))})...).Def, ir.SlotData0)
		if err := lowerToScalar(s); err != nil {
			return err
		}
		if err := stageDiffer(s, "a740"); err != nil {
			return err
		}
	}
	return nil
}

// namedLookups looks up by names for constants, and makes with the result what is drawn.
func namedLookups(make func(b *ir.Builder, x *ir.Def, look func(u, v *ir.Def) *ir.Def) *ir.Def) error {
	stageEnv = func(env *emu.Env) { texWorld(&testing.T{}, env) }
	defer func() { stageEnv = nil }()
	s, b := newStage(ir.StageFragment)
	pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
	x := &texBuild{s: s, b: b}
	d := x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
	look := func(u, v *ir.Def) *ir.Def {
		return &x.op(ir.TexOpTex, 4, ir.Dim2D, false, append(at(d), texSource{ir.TexSrcCoord, b.Vec(u, v)})...).Def
	}
	u := b.Fmul(b.Channel(pos, 0), b.ImmFloat(0.0625, 32))
	outputTo(b, make(b, b.Channel(look(u, b.ImmFloat(0.25, 32)), 1), look), ir.SlotData0)
	if err := lowerToScalar(s); err != nil {
		return err
	}
	return stageDiffer(s, "a740")
}

// testRay tests a ray against a node outside of memory, which has no children.
func testRay() error {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	zero := b.Imm32(0)
	r := b.Intrinsic(ir.IntrRayIntersectionIr3, 5, 32, b.Vec(zero, zero), zero, b.Vec(zero, zero, zero, zero, zero, zero, zero, zero), b.Imm32(0xff000f))
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), zero, b.Ior(b.Channel(&r.Def, 0), b.Channel(&r.Def, 3)))
	p, _, err := loaded(s, CompileOptions{GPU: "a740"})
	if err != nil {
		return err
	}
	mem := emu.NewMemory()
	out := mem.Alloc(4)
	out.Data[0] = 1
	var bind emu.Bindings
	bind.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 4}})
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, emu.DispatchParams{Limits: emu.Limits{Check: true}, Groups: [3]uint32{1, 1, 1}}); err != nil {
		return err
	}
	if x := emu.LoadBytes(out.Data, 4); x != 0 {
		return fmt.Errorf("a node without children gives %#x", x)
	}
	return nil
}

// distanceShader writes two of five clip distances, and the first of two cull distances.
func distanceShader() *ir.Shader {
	s, b := newStage(ir.StageVertex)
	s.Info.ClipDistances, s.Info.CullDistances = 5, 2
	p := inputFrom(b, 0, 0, 4)
	outputTo(b, p, ir.SlotPos)
	at := func(v *ir.Def, slot ir.Slot, comp uint64) {
		b.Intrinsic(ir.IntrStoreOutput, 0, 0, v, b.Imm32(0)).Set(ir.IdxWriteMask, 1).Set(ir.IdxIoSemantics, sem(slot)).Set(ir.IdxComponent, comp).
			Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack())
	}
	at(b.Channel(p, 0), ir.SlotClipDist0, 0)
	at(b.Channel(p, 1), ir.SlotClipDist0, 2)
	at(b.Channel(p, 2), ir.SlotClipDist1, 1)
	return s
}

// TestObligations: each step that meets an obligation of ir3.md §11.1 is missed if it is left out.
func TestObligations(t *testing.T) {
	programs.Hold(t)
	o := gputest.ReadObligations(t, "ir3")
	for _, c := range faultCases {
		o.Try(t, c.name, int(c.fault), func(number int) { faults = fault(number) }, func(*testing.T) error { return c.run() })
	}
	o.Report(t, "ir3")
}

// prefetchShader looks a texture up at interpolated coordinates.
func prefetchShader() *ir.Shader {
	s, b := newStage(ir.StageFragment)
	x := &texBuild{s: s, b: b, uv: interpolated(b, ir.IntrLoadBarycentricPixel, ir.InterpSmooth, ir.SlotVar0+1, 1, 2)}
	outputTo(b, texTests[0].build(x), ir.SlotData0)
	return s
}

// smallDevices have no prefetches, and less of all else.
var smallDevices = []string{"a605", "a608", "a610", "a612", "a613", "a702"}

// TestSmallDevices: what the smallest devices lack is refused where it cannot be done otherwise.
func TestSmallDevices(t *testing.T) {
	programs.Hold(t)
	shared, _ := gputest.NewShader(ir.StageCompute, 64)
	shared.SharedSize = 17 << 10
	wide, _ := gputest.NewShader(ir.StageCompute, 1024)
	wide.Info.WorkgroupSize[1] = 2
	inputs, b := newStage(ir.StageVertex)
	outputTo(b, b.Fadd(inputFrom(b, 16, 0, 1), b.ImmFloat(1, 32)), ir.SlotPos)
	for _, c := range []struct {
		s    *ir.Shader
		want string
	}{
		{shared, "17408 bytes of workgroup memory are not supported on a610, which has 16384"},
		{inputs, "vertex attribute 16 is not supported on a610, which has 16"},
		{wide, "2048 invocations of a workgroup are not supported on a610, which has 1024"},
	} {
		for _, gpu := range smallDevices {
			want := strings.ReplaceAll(c.want, "a610", gpu)
			if gpu == "a702" {
				want = strings.ReplaceAll(want, "has 1024", "has 512")
			}
			if _, err := compile(c.s, CompileOptions{GPU: gpu}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
		if _, err := compile(c.s, CompileOptions{GPU: "a630"}); err != nil {
			t.Errorf("on a630: %v", err)
		}
	}
	for size, want := range map[[3]uint32]string{{1024, 4, 1}: "4096 invocations of a workgroup are not supported on a630, which has 2048", {1, 1, 1025}: "1025 invocations in a dimension"} {
		wide.Info.WorkgroupSize = size
		if _, err := compile(wide, CompileOptions{GPU: "a630"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", size, err, want)
		}
	}
}

// barrierInBranches is a shader of large workgroups with a barrier and branches in branches.
func barrierInBranches(levels int) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 1024)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	gputest.Barrier(b)
	buf, at := gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2))
	var ifs []*ir.If
	for k := range levels {
		x := gputest.LoadWords(b, buf, at, 1)
		ifs = append(ifs, b.PushIf(b.Ine(b.Iand(x, b.Imm32(1<<(k&31))), b.Imm32(0))))
		gputest.StoreWords(b, buf, at, b.IAddImm(x, int64(k)))
	}
	for k := range ifs {
		i := ifs[len(ifs)-1-k]
		b.PushElse(i)
		gputest.StoreWords(b, buf, at, b.IAddImm(id, int64(k)))
		b.PopIf(i)
	}
	return s
}

// TestBarrierInDeepBranches: waves that cannot be resident together must not meet at a barrier.
func TestBarrierInDeepBranches(t *testing.T) {
	programs.Hold(t)
	if _, err := compile(barrierInBranches(2), CompileOptions{GPU: "a630"}); err != nil {
		t.Error(err)
	}
	if _, err := compile(barrierInBranches(20), CompileOptions{GPU: "a630"}); err == nil || !strings.Contains(err.Error(), "can be resident") {
		t.Errorf("error %v, want %q", err, "can be resident")
	}
}

// TestBarrierInCrowd: a workgroup whose waves leave each fiber too few registers is refused, and a smaller one is not.
func TestBarrierInCrowd(t *testing.T) {
	programs.Hold(t)
	for _, threads := range []uint32{64, 512} {
		s, b := gputest.NewShader(ir.StageCompute, threads)
		gputest.Barrier(b)
		at := b.Ishl(b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0), b.Imm32(4))
		for k := range uint32(6) {
			from, to := gputest.StorageBuffer(b, 0, k), gputest.StorageBuffer(b, 1, k)
			gputest.StoreWords(b, to, at, gputest.LoadWords(b, from, at, 4))
		}
		_, err := compile(s, CompileOptions{GPU: "a702"})
		switch {
		case threads == 64 && err != nil:
			t.Error(err)
		case threads == 512 && (err == nil || !strings.Contains(err.Error(), "a barrier is not supported in a workgroup of 512 invocations here: each has 2 vec4 registers")):
			t.Errorf("error %v", err)
		}
	}
}

// TestViewIndexIsVarying: the rasteriser gives the view of a fragment as a flat varying with a
// word of its own, and no register has it.
func TestViewIndexIsVarying(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		s, b := newStage(ir.StageFragment)
		outputTo(b, b.Vec(inputFrom(b, ir.SlotVar0, 0, 1), b.U2f32(lane1(b, ir.IntrLoadViewIndex, 32))), ir.SlotData0)
		bin := stageBinary(t, s, gpu)
		found := false
		for _, in := range bin.Meta.Inputs {
			found = found || in.Slot == ir.SlotViewIndex && in.Mask == 1 && in.Interp == ir.InterpFlat && in.InLoc%4 == 0
		}
		if !found || len(bin.Meta.Inputs) != 2 {
			t.Errorf("%s: inputs %+v", gpu, bin.Meta.Inputs)
		}
	}
}

// oneDistance reads one cull distance, the last of three after as many clip distances.
func oneDistance() *ir.Shader {
	s, b := newStage(ir.StageFragment)
	s.Info.ClipDistances, s.Info.CullDistances = 3, 3
	i := b.Intrinsic(ir.IntrLoadBarycentricPixel, 2, 32).Set(ir.IdxInterpMode, uint64(ir.InterpNoPerspective))
	x := b.Intrinsic(ir.IntrLoadInterpolatedInput, 1, 32, &i.Def, b.Imm32(0)).Set(ir.IdxIoSemantics, sem(ir.SlotClipDist1)).Set(ir.IdxComponent, 1).
		Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack())
	outputTo(b, &x.Def, ir.SlotData0)
	return s
}

// sumOfUniforms sums vec4 of a uniform buffer, from one on and up to another, beside so much workgroup memory.
func sumOfUniforms(shared uint32, from, to int) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	s.SharedSize = shared
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	sum := id
	for k := from; k < to; k++ {
		sum = b.Iadd(sum, gputest.LoadUBO(b, b.Imm32(uint32(16*k)), 1, 32, 16))
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), sum)
	return s
}

// TestFragmentDistances: a fragment shader that reads one distance lists all of its slot.
func TestFragmentDistances(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		bin, err := compile(oneDistance(), CompileOptions{GPU: gpu})
		if err != nil {
			t.Fatal(err)
		}
		if in := bin.Meta.Inputs; len(in) != 1 || in[0].Slot != ir.SlotClipDist1 || in[0].Mask != 3 {
			t.Errorf("%s: inputs %+v, want the two distances of the second slot", gpu, in)
		}
	}
}

// TestOwnCullSlots: cull distances in slots of their own are refused where fixed functions take or give them.
func TestOwnCullSlots(t *testing.T) {
	programs.Hold(t)
	store, b := newStage(ir.StageVertex)
	store.Info.CullDistances = 8
	p := inputFrom(b, 0, 0, 4)
	outputTo(b, p, ir.SlotPos)
	outputTo(b, p, ir.SlotCullDist1)
	load := oneDistance()
	for in := range load.Entry().Impl.Start().Instrs() {
		if in.IsIntrinsic(ir.IntrLoadInterpolatedInput) {
			in.Set(ir.IdxIoSemantics, sem(ir.SlotCullDist0))
		}
	}
	const want = "cull distances in slots of their own are not supported"
	for _, s := range []*ir.Shader{store, load} {
		if _, err := compile(s, CompileOptions{GPU: "a630"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", s.Stage, err, want)
		}
	}
	if _, err := compile(store, CompileOptions{GPU: "a630", Next: ir.StageGeometry}); err != nil {
		t.Errorf("before a geometry shader: %v", err)
	}
}

// rateReader makes a colour of the fragment's shading rate.
func rateReader() *ir.Shader {
	s, b := newStage(ir.StageFragment)
	rate := b.U2f32(&b.Intrinsic(ir.IntrLoadFragShadingRate, 1, 32).Def)
	outputTo(b, b.Vec(rate, b.Fneg(rate)), ir.SlotData0)
	return s
}

// rateWriter writes a shading rate by the number of the vertex.
func rateWriter() *ir.Shader {
	s, b := newStage(ir.StageVertex)
	id := &b.Intrinsic(ir.IntrLoadVertexId, 1, 32).Def
	wide, high := b.Umin(b.Iand(id, b.Imm32(3)), b.Imm32(2)), b.Umin(b.Iand(b.Ushr(id, b.Imm32(2)), b.Imm32(3)), b.Imm32(2))
	outputTo(b, b.Vec(b.U2f32(id), b.ImmFloat(1, 32), b.ImmFloat(0, 32), b.ImmFloat(1, 32)), ir.SlotPos)
	outputTo(b, b.Ior(b.Ishl(wide, b.Imm32(2)), high), ir.SlotShadingRate)
	return s
}

// TestCoordinatesBesideParameters: the coordinates of a program that has parameters, and does not ask for the size of fragments, are
// those of the framebuffer.
func TestCoordinatesBesideParameters(t *testing.T) {
	programs.Hold(t)
	s, b := newStage(ir.StageFragment)
	coord := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
	id := &b.Intrinsic(ir.IntrLoadSubgroupInvocation, 1, 32).Def
	outputTo(b, b.Vec(b.Channel(coord, 0), b.Channel(coord, 1), b.U2f32(id)), ir.SlotData0)
	for _, gpu := range []string{"a660", "a740", "a750"} {
		if err := stageDiffer(s, gpu); err != nil {
			t.Errorf("%s: %v", gpu, err)
		}
	}
}

// TestShadingRates: rates are those of Vulkan on the devices that have them, and refused on others.
func TestShadingRates(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		gpu         string
		read, write string
	}{
		{"a630", "shading rate of fragments is not supported on a630", "shading rate of primitives is not supported on a630"},
		{"a660", "shading rate of fragments is not supported on a660", "shading rate of primitives is not supported on a660"},
		{"a730", "", "shading rate of primitives is not supported on a730"},
		{"a740", "", ""},
		{"a750", "", ""},
	} {
		for s, want := range map[*ir.Shader]string{rateReader(): c.read, rateWriter(): c.write} {
			err := stageDiffer(s, c.gpu)
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %v: error %v, want %q", c.gpu, s.Stage, err, want)
			}
		}
	}
}

// uniformWord reads the first word of an element of the uniform buffers at set 1, binding 0, of which gputest has one.
func uniformWord(b *ir.Builder, element *ir.Def) *ir.Def {
	h := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, element).Set(ir.IdxDescSet, 1).Set(ir.IdxDescType, uint64(emu.DescUniformBuffer))
	d := b.Intrinsic(ir.IntrLoadVulkanDescriptor, 2, 32, &h.Def).Set(ir.IdxDescType, uint64(emu.DescUniformBuffer))
	return &b.Intrinsic(ir.IntrLoadUbo, 1, 32, b.Channel(&d.Def, 0), b.Imm32(0)).Set(ir.IdxAlignMul, 16).Set(ir.IdxRange, 1<<32-1).Def
}
