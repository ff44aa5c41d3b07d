package ir3

import "nirc/ir"

// joinDistances puts cull distances after the clip distances in their slots: the hardware has one
// array of up to eight for both, which metadata counts and names (ir3.md §11). Stages whose
// outputs go to memory keep two.
func joinDistances(s *ir.Shader, impl *ir.Impl, next ir.Stage) {
	if s.Info.CullDistances == 0 || next != ir.StageNone || s.Stage == ir.StageTessCtrl || s.Stage == ir.StageCompute {
		return
	}
	d := distances{b: ir.NewBuilder(ir.AtStart(impl.Start())), clip: int(s.Info.ClipDistances)}
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			switch {
			case in.Kind != ir.KindIntrinsic:
			case s.Stage == ir.StageFragment && (in.Intr == ir.IntrLoadInput || in.Intr == ir.IntrLoadInterpolatedInput || in.Intr == ir.IntrLoadInputVertex):
				d.load(in)
			case s.Stage != ir.StageFragment && in.Intr == ir.IntrStoreOutput:
				d.store(in)
			}
		}
	}
	s.Captures = d.captures(s.Captures)
	impl.Preserve(ir.MetaControlFlow)
}

// distances moves accesses of cull distances.
type distances struct {
	b    *ir.Builder
	clip int // clip distances before them
}

// first is the number among cull distances of the first one that an access names, -1 of other accesses.
func (d *distances) first(in *ir.Instr, off *ir.Def) int {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	c, ok := off.Const(0)
	slot := ir.Slot(int(sem.Location) + int(c))
	if !ok || slot != ir.SlotCullDist0 && slot != ir.SlotCullDist1 {
		return -1
	}
	return 4*int(slot-ir.SlotCullDist0) + int(in.Get(ir.IdxComponent))
}

// place makes in, a copy of an access, one of distance n of clip and cull ones.
func (d *distances) place(in *ir.Instr, n int) {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	sem.Location, sem.NumSlots = ir.SlotClipDist0+ir.Slot(n/4), 1
	in.Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxComponent, uint64(n%4))
}

func (d *distances) store(in *ir.Instr) {
	n := d.first(in, in.Srcs[1].Def)
	if n < 0 {
		return
	}
	d.b.Cursor = ir.Before(in)
	d.b.AtInstr(in)
	for c := range int(in.Srcs[0].Def.NumComponents) {
		if in.Get(ir.IdxWriteMask)>>c&1 == 0 {
			continue
		}
		x := d.b.Intrinsic(ir.IntrStoreOutput, 0, 0, d.b.Channel(in.Srcs[0].Def, c), d.b.Imm32(0))
		x.CopyIndices(in)
		x.Set(ir.IdxWriteMask, 1)
		d.place(x, d.clip+n+c)
	}
	in.Remove()
}

func (d *distances) load(in *ir.Instr) {
	last := len(in.Srcs) - 1
	n := d.first(in, in.Srcs[last].Def)
	if n < 0 {
		return
	}
	d.b.Cursor = ir.Before(in)
	d.b.AtInstr(in)
	parts := make([]*ir.Def, in.Def.NumComponents)
	for c := range parts {
		srcs := make([]*ir.Def, len(in.Srcs))
		for k := range last {
			srcs[k] = in.Srcs[k].Def
		}
		srcs[last] = d.b.Imm32(0)
		x := d.b.Intrinsic(in.Intr, 1, in.Def.BitSize, srcs...)
		x.CopyIndices(in)
		d.place(x, d.clip+n+c)
		parts[c] = &x.Def
	}
	in.Def.RewriteUses(d.b.Vec(parts...))
	in.Remove()
}

// captures moves what transform feedback takes.
func (d *distances) captures(list []ir.Capture) (out []ir.Capture) {
	for _, c := range list {
		if c.Slot != ir.SlotCullDist0 && c.Slot != ir.SlotCullDist1 {
			out = append(out, c)
			continue
		}
		at := d.clip + 4*int(c.Slot-ir.SlotCullDist0) + int(c.First)
		for left := int(c.Count); left > 0; {
			p := c
			p.Slot, p.First, p.Count = ir.SlotClipDist0+ir.Slot(at/4), uint8(at%4), uint8(min(left, 4-at%4))
			out = append(out, p)
			c.Offset += p.Size()
			at, left = at+int(p.Count), left-int(p.Count)
		}
	}
	return out
}
