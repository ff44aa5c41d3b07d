package core

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// formsOf is how many random forms of each instruction run, by generation: most instructions do the same on both.
var formsOf = map[isa.Gen]int{isa.A6xx: 32, isa.A7xx: 8}

// Slots of descriptors: textures with samplers, storage images, buffers.
const (
	textures   = 11
	imageSlot  = 2 * textures
	bufferSlot = 4 * textures
)

// Registers of descriptor indices: of a buffer, an image, a texture and a sampler.
const bufferIndex, imageIndex, textureIndex = 8, 9, 10

// tame brings what an instruction names into the range of what there is, one thing at a time, as far as its encoding goes.
func tame(gen isa.Gen, in *isa.Instr, r *rand.Rand) (w uint64) {
	w, _ = isa.Pack(gen, in)
	try := func(f func(x *isa.Instr)) {
		x := *in
		f(&x)
		if v, err := isa.Pack(gen, &x); err == nil {
			*in, w = x, v
		}
	}
	reg := func(o *isa.Operand) {
		switch {
		case o.Kind == isa.Reg && o.Val >= isa.SharedFirst && o.Val < isa.SharedEnd, o.Kind == isa.Reg && o.Val >= isa.A0:
		case o.Kind == isa.Reg, o.Kind == isa.Const:
			o.Val &= 31
		case o.Kind == isa.RelReg, o.Kind == isa.RelConst:
			o.Val = o.Val&15 + 4
		}
	}
	try(func(x *isa.Instr) { reg(&x.Dst) })
	for i := range in.Srcs {
		try(func(x *isa.Instr) { reg(&x.Srcs[i]) })
	}
	try(func(x *isa.Instr) { x.Set = 1 })
	if in.Op.Category() == 5 && in.Set == 0 {
		try(func(x *isa.Instr) { x.Set, x.Mode = 1, isa.TexBindlessImm })
	}
	try(func(x *isa.Instr) { x.Size = 1 + x.Size%4 })
	try(func(x *isa.Instr) { x.Off = x.Off &^ 3 % 64 })
	try(func(x *isa.Instr) { x.Index &= 7 })
	try(func(x *isa.Instr) { x.Repeat &= uint8(r.IntN(4)) })
	try(func(x *isa.Instr) { x.Target = x.Target&7 - 2 })
	if in.Set > 0 {
		tameIndices(in, r, try)
	}
	return w
}

// tameIndices lets a bindless instruction name what there is.
func tameIndices(in *isa.Instr, r *rand.Rand, try func(f func(x *isa.Instr))) {
	if in.Op.Category() == 5 {
		k := r.IntN(textures)
		try(func(x *isa.Instr) { x.Tex = uint8(2 * k) })
		try(func(x *isa.Instr) { x.Samp = uint8(2*k + 1) })
		try(func(x *isa.Instr) { x.Srcs[2].Val = textureIndex })
		return
	}
	slot, index := bufferSlot+r.IntN(3), int32(bufferIndex)
	if in.Flags&isa.Typed != 0 && r.IntN(4) > 0 {
		slot, index = imageSlot+2*r.IntN(textures), imageIndex
	}
	last := len(in.Srcs) - 1
	for last > 0 && in.Srcs[last] == (isa.Operand{}) {
		last--
	}
	for _, k := range []int{last, last - 1, 0} {
		if k >= 0 && in.Srcs[k].Kind == isa.Imm {
			try(func(x *isa.Instr) { x.Srcs[k].Val = int32(slot) })
			return
		}
	}
	try(func(x *isa.Instr) { x.Srcs[last].Val = index })
}

// randomForms makes forms of an instruction.
func randomForms(gen isa.Gen, op isa.Op) (list []uint64) {
	r := rand.New(rand.NewPCG(uint64(op), 0))
	for range 60 * formsOf[gen] {
		in, err := isa.Unpack(gen, op.Word(r.Uint64()))
		if err != nil || in.Op != op {
			continue
		}
		if list = append(list, tame(gen, &in, r)); len(list) == formsOf[gen] {
			break
		}
	}
	return list
}

// effects is what programs of one instruction find.
type effects struct {
	env      *emu.Env
	mem      *emu.Buffer
	images   []gputest.Shape
	launches [4]*emu.Launch // one after the other
}

// reset makes everything new for the forms of an instruction.
func (e *effects) reset() {
	for i := range e.mem.Data {
		e.mem.Data[i] = byte(i*3) &^ 0x40
	}
	for i := range e.launches {
		l := quads(8)
		gputest.AnyStage(l, 256)
		l.Env, l.NumLanes = e.env, 12
		l.Fragment[5].Helper = true
		e.launches[i] = l
	}
}

// newEffects makes memory with 64-bit addresses of itself, and images.
func newEffects() *effects {
	m := emu.NewMemory()
	e := &effects{mem: m.Alloc(512), images: gputest.Shapes(m, false)}
	e.images = append(e.images, gputest.Shapes(m, true)...)
	b := &emu.Bindings{}
	for i := range e.images {
		b.Set(0, uint32(i), []emu.Descriptor{e.images[i].Descriptor})
	}
	n := uint32(len(e.images))
	b.Set(0, n, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: e.mem.Addr, Size: 240}})
	b.Set(0, n+1, []emu.Descriptor{{Type: emu.DescUniformBuffer, Addr: e.mem.Addr + 256, Size: 200}})
	e.env = &emu.Env{Mem: m, Bindings: b, Push: []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}
	return e
}

// meta describes a stage with all descriptors.
func (e *effects) meta(gen isa.Gen, stage ir.Stage) *abi.Meta {
	m := anyMeta(gen, stage)
	m.Descriptors = nil
	for i, s := range e.images {
		d := abi.Descriptor{Binding: uint32(i), Slot: uint32(2 * i), Count: 1, View: abi.View{Dim: s.Dim, Array: s.Array, MS: s.MS}, Kind: abi.Texture}
		if s.Sampler != nil {
			d.Kind = abi.Combined
		}
		m.Descriptors = append(m.Descriptors, d)
	}
	n := uint32(len(e.images))
	m.Descriptors = append(m.Descriptors, abi.Descriptor{Binding: n, Slot: 2 * n, Count: 1, Views: []uint8{2, 4}}, abi.Descriptor{Binding: n + 1, Slot: 2*n + 2, Count: 1})
	return m
}

// run runs code for so many instructions, by the number of its form in one stage or another, with checks or without, with all fibers, some or none.
func (e *effects) run(t *testing.T, gen isa.Gen, words []uint64, form, fuel int, d *gputest.Digest) {
	var code []byte
	for _, w := range words {
		code = binary.LittleEndian.AppendUint64(code, w)
	}
	stage := []ir.Stage{ir.StageCompute, ir.StageFragment, ir.StageCompute, ir.StageTessCtrl}[form%4]
	loaded, err := Load(code, e.meta(gen, stage))
	if err != nil {
		t.Fatal(err)
	}
	l := e.launches[form%4]
	l.Check, l.Seed = form&4 != 0, uint64(form&8)
	w := loaded.(*program).newWave(l, 12)
	if err := w.begin(); err != nil {
		t.Fatal(err)
	}
	e.fill(w, form)
	for i := range words {
		d.Text(loaded.(*program).code[i].chk)
	}
	st, err := w.Run(fuel)
	d.Text(err)
	d.Words(uint32(st), uint32(w.pc))
	e.state(w, l, d)
}

// sysvals adds what each system value is in each stage, of lanes that differ in all that they have.
func (e *effects) sysvals(t *testing.T, gen isa.Gen) map[string]string {
	rows := map[string]string{}
	for _, stage := range []ir.Stage{ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry, ir.StageFragment, ir.StageCompute} {
		e.reset()
		l := e.launches[0]
		n := 1
		for lane := range l.NumLanes {
			for _, v := range []any{&l.Vertex[lane], &l.TessCtrl[lane], &l.TessEval[lane], &l.Geometry[lane], &l.Fragment[lane], &l.Compute.LocalID[lane]} {
				n = gputest.Distinct(v, n)
			}
		}
		gputest.Distinct(&l.Compute.WorkgroupID, n)
		loaded, err := Load(make([]byte, isa.WordBytes), e.meta(gen, stage))
		if err != nil {
			t.Fatal(err)
		}
		w := loaded.(*program).newWave(l, l.NumLanes)
		if err := w.begin(); err != nil {
			t.Fatal(err)
		}
		var d gputest.Digest
		for k := abi.SysvalNone; k < abi.NumSysvals; k++ {
			for lane := range l.NumLanes {
				v := w.sysval(k, lane)
				d.Words(v[:]...)
			}
		}
		rows[fmt.Sprintf("%s system values of %s", gen, stage)] = fmt.Sprintf("%016x", uint64(d))
	}
	return rows
}

// Further kinds of words in registers.
const (
	indices = gputest.WordKinds + iota
	addresses
)

// fill gives what the wave has values of all kinds: a kind a vec4.
func (e *effects) fill(w *wave, form int) {
	r := rand.New(rand.NewPCG(uint64(form), 1))
	kinds := [...]int{0, 1, indices, 3, addresses, 2, 5, 1}
	for n := range w.p.regs {
		for lane := range w.n {
			v := uint32(0)
			switch kind := kinds[n/4%len(kinds)]; kind {
			case indices:
				k := uint32(form+lane/8) % textures
				v = [4]uint32{bufferSlot + k%3, imageSlot + 2*k, 2 * k, 2*k + 1}[n%4]
			case addresses:
				a := e.mem.Addr + uint64(16*lane+n/2%2*128)
				v = uint32(a >> (32 * (n % 2)))
			default:
				v = gputest.Word(kind, n+3*lane+form, r.Uint32())
			}
			w.regs[n*w.size+lane] = v
		}
	}
	for i := range w.consts {
		w.consts[i] = gputest.Word(i/4%gputest.WordKinds, i+form, r.Uint32())
	}
	for i := range w.shared {
		w.shared[i] = gputest.Word(i/4%gputest.WordKinds, i+form, r.Uint32())
	}
	for i := range w.preds {
		w.preds[i] = emu.Mask{r.Uint64()}
	}
	for i := range w.a0 {
		w.a0[i] = int32(i % 3)
	}
	w.a1 = uint32(2*r.IntN(2*textures)) << 3
	if form&16 != 0 {
		w.active[0] &= 0xd6b
		w.remask()
	}
	if form%32 == 31 {
		w.exec, w.full = emu.Mask{}, false // a predicated side without a fiber
	}
}

// state adds all that the wave has and can reach.
func (e *effects) state(w *wave, l *emu.Launch, d *gputest.Digest) {
	w.landAll()
	if w.regs != nil {
		for n := range w.p.regs {
			d.Words(w.regs[n*w.size : n*w.size+w.n]...)
		}
	}
	d.Words(w.shared[:]...)
	d.Words(w.consts...)
	d.Words(w.a1, uint32(w.a0[0]), uint32(w.a0[7]))
	for _, m := range append(w.preds[:], w.active, w.exec, w.alive, w.killed, w.helper) {
		d.Words(uint32(m[0]))
	}
	for _, p := range w.parked {
		d.Words(uint32(p.pc), uint32(p.mask[0]))
	}
	d.Bytes(w.private)
	d.Effects(l, e.mem, e.images, l.Out[:w.n], ir.SlotPos, ir.SlotData0, ir.SlotVar0+1)
}

// TestEffects holds what each instruction does: registers, memory, masks and refusals after random forms of it, and what the checking mode
// takes it to read and write, in digests; what it says of each beside others; and what the system values of each stage are.
func TestEffects(t *testing.T) {
	rows := map[string]string{}
	for _, gen := range []isa.Gen{isa.A6xx, isa.A7xx} {
		e := newEffects()
		var pool []uint64
		for op := isa.OpRaw + 1; op < isa.NumOps; op++ {
			if !op.OnGen(gen) {
				continue
			}
			var d gputest.Digest
			forms := randomForms(gen, op)
			e.reset()
			for i, word := range forms {
				e.run(t, gen, []uint64{word, 0, 0, 0}, i, 3, &d)
			}
			pool = append(pool, forms...)
			rows[fmt.Sprintf("%s %d %s", gen, op, op)] = fmt.Sprintf("%d\t%016x", len(forms), uint64(d))
		}
		maps.Copy(rows, e.sysvals(t, gen))
		for op := isa.OpRaw + 1; op < isa.NumOps; op++ {
			if op.OnGen(gen) {
				rows[fmt.Sprintf("%s beside %d %s", gen, op, op)] = e.beside(t, gen, op, pool)
			}
		}
		for k := range 32 {
			r := rand.New(rand.NewPCG(uint64(k), uint64(gen)))
			var d gputest.Digest
			e.reset()
			for i := range 16 {
				e.run(t, gen, randomCode(gen, pool, r), i, 40, &d)
			}
			rows[fmt.Sprintf("%s programs %d", gen, k)] = fmt.Sprintf("%016x", uint64(d))
		}
	}
	gputest.HoldTable(t, "effects.tsv", rows)
}

// beside is what checks say of an instruction before and after others that are about the same few registers, with slots and waits between
// that may do.
func (e *effects) beside(t *testing.T, gen isa.Gen, op isa.Op, pool []uint64) string {
	r := rand.New(rand.NewPCG(uint64(op), uint64(gen)+1))
	forms := randomForms(gen, op)
	if len(forms) == 0 {
		return ""
	}
	var d gputest.Digest
	e.reset()
	for k := range 40 {
		nop := isa.Instr{Op: isa.OpNop, Repeat: uint8(r.IntN(7)), Flags: [...]isa.Flags{0, 0, isa.SS, isa.SY}[r.IntN(4)]}
		between, err := isa.Pack(gen, &nop)
		if err != nil {
			between = 0
		}
		code := []uint64{crowd(gen, forms[k%len(forms)], r), between, crowd(gen, pool[r.IntN(len(pool))], r), 0, 0, 0x0300000000000000}
		if k%2 == 0 {
			code[0], code[2] = code[2], code[0]
		}
		e.run(t, gen, code, k|4, 12, &d)
	}
	return fmt.Sprintf("%016x", uint64(d))
}

// crowd brings the registers of an instruction among few.
func crowd(gen isa.Gen, word uint64, r *rand.Rand) uint64 {
	in, err := isa.Unpack(gen, word)
	if err != nil {
		return word
	}
	few := func(o *isa.Operand) {
		was, packed := *o, word
		if o.Kind == isa.Reg && o.Val < isa.SharedFirst {
			o.Val = int32(r.IntN(4))
		}
		if word, err = isa.Pack(gen, &in); err != nil {
			*o, word = was, packed
		}
	}
	few(&in.Dst)
	for i := range in.Srcs {
		few(&in.Srcs[i])
	}
	return word
}

// randomCode makes a program of what is executed one by one, apart by as many slots as may do and waits as may do.
func randomCode(gen isa.Gen, pool []uint64, r *rand.Rand) (code []uint64) {
	for range 8 {
		w := pool[r.IntN(len(pool))]
		if in, _ := isa.Unpack(gen, w); execOf[in.Op] == nil && aluOps.Get()[in.Op].nsrc == 0 {
			continue
		}
		code = append(code, w)
		nop := isa.Instr{Op: isa.OpNop, Repeat: uint8(r.IntN(6)), Flags: [...]isa.Flags{0, isa.SS, isa.SY, isa.SS | isa.SY}[r.IntN(4)]}
		if w, err := isa.Pack(gen, &nop); err == nil && r.IntN(4) > 0 {
			code = append(code, w)
		}
	}
	return append(code, 0, 0x0300000000000000)
}
