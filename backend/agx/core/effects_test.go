package core

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/gputest"
	"nirc/internal/emu"
	"nirc/ir"
)

// formsOf is how many random forms of each instruction run.
const formsOf = 48

// Texture states of textures and of images for writing; sampler states have the textures' numbers.
const textures = 11

// memoryUniform is the uniform where 64-bit addresses stand, memoryReg the register.
const memoryUniform, memoryReg = 16, 16

// tame brings what an instruction names into the range of what there is, one thing at a time, as far as its encoding goes.
func tame(in *isa.Instr, r *rand.Rand) {
	try := func(f func(x *isa.Instr)) {
		x := *in
		if f(&x); x != *in {
			if _, err := isa.Pack(&x); err == nil {
				*in = x
			}
		}
	}
	for i := -1; i < len(in.Srcs); i++ {
		try(func(x *isa.Instr) {
			o := &x.Dst
			if i >= 0 {
				o = &x.Srcs[i]
			}
			switch {
			case o.Kind == isa.Reg && o.Size == 64:
				o.Val = int32(2 * (memoryReg + 2*r.IntN(2)))
			case o.Kind == isa.Uniform && o.Size == 64:
				o.Val = int32(2 * (memoryUniform + 2*r.IntN(2)))
			case o.Kind == isa.Reg:
				o.Val = o.Val%40 + 8
			case o.Kind == isa.Uniform:
				o.Val %= 64
			case o.Kind == isa.Imm:
				o.Val %= 16
			case o.Kind == isa.SS:
				o.Val %= textures
			case o.Kind == isa.CF:
				o.Val %= 2
			}
		})
	}
	try(func(x *isa.Instr) { x.Nest &= 3 })
	try(func(x *isa.Instr) { x.Target = x.Target % 8 * 2 })
	try(func(x *isa.Instr) { x.Extra = 0 })
	if r.IntN(8) > 0 {
		try(func(x *isa.Instr) { x.Flags &^= isa.Kill })
	}
	k := r.IntN(textures)
	if in.Op == isa.OpTextureSample && r.IntN(8) > 0 {
		k = sampled[r.IntN(len(sampled))]
		if r.IntN(4) > 0 {
			try(func(x *isa.Instr) { x.Gather &= isa.GatherCompare })
		}
		if in.Gather > isa.GatherCompare || r.IntN(3) == 0 {
			try(func(x *isa.Instr) { x.Lod, x.Srcs[4] = isa.LodAuto, isa.Operand{} })
		}
	}
	try(func(x *isa.Instr) { x.Dim = dimOf[k] })
	switch in.Op {
	case isa.OpLdTile, isa.OpStTile:
		try(func(x *isa.Instr) { x.Imm = 0 })
	case isa.OpImageWrite:
		k += textures
		try(func(x *isa.Instr) { x.Srcs[3], x.Srcs[4] = isa.Operand{}, isa.Operand{Kind: isa.TS} })
		try(func(x *isa.Instr) { x.Round = isa.RoundEven })
	case isa.OpTextureLoad, isa.OpTextureSample:
		try(func(x *isa.Instr) { x.Srcs[0], x.Srcs[1] = isa.Operand{}, isa.Operand{Kind: isa.TS} })
		try(func(x *isa.Instr) { x.Srcs[2] = isa.Operand{Kind: isa.SS, Val: int32(k)} })
		if r.IntN(4) > 0 {
			try(func(x *isa.Instr) { x.Mode = 0 })
		}
	case isa.OpStackAdjust:
		try(func(x *isa.Instr) { x.Imm = uint32([...]int32{4, 8, -8, 40, -4, 0}[r.IntN(6)]) })
	}
	for i := range in.Srcs {
		if in.Srcs[i].Kind == isa.TS {
			try(func(x *isa.Instr) { x.Srcs[i].Val = int32(k) })
		}
	}
}

// sampled are the shapes with filters and levels.
var sampled = [...]int{0, 1, 4, 5, 6}

// dimOf is how instructions see gputest.Shapes.
var dimOf = [textures]isa.Dim{isa.Dim2D, isa.Dim2DArray, isa.Dim1D, isa.Dim1DArray, isa.Dim3D, isa.DimCube, isa.DimCubeArray, isa.Dim2DMS, isa.Dim2DMSArray, isa.Dim2D, isa.Dim2D}

// randomForms makes forms of an instruction.
func randomForms(op isa.Op) (list [][]byte) {
	r := rand.New(rand.NewPCG(uint64(op), 0))
	n := formsOf
	switch op {
	case isa.OpGetSR:
		n = 3 * 256
	case isa.OpTextureSample, isa.OpTextureLoad, isa.OpImageWrite: // shapes, levels and coordinates in all their ways
		n = 8 * formsOf
	}
	for range 1000 * formsOf {
		in, ok := op.Form(r.Uint64)
		if !ok {
			continue
		}
		tame(&in, r)
		if op == isa.OpGetSR {
			in.Srcs[0].Val = int32(len(list) / 3)
		}
		if code, err := isa.Pack(&in); err == nil {
			if list = append(list, code); len(list) == n {
				break
			}
		}
	}
	return list
}

// effects is what programs of one instruction find.
type effects struct {
	env      *emu.Env
	mem      *emu.Buffer
	images   []gputest.Shape
	launches [3]*emu.Launch
}

// newEffects makes memory and images.
func newEffects() *effects {
	m := emu.NewMemory()
	e := &effects{mem: m.Alloc(512), images: gputest.Shapes(m, false)}
	e.images = append(e.images, gputest.Shapes(m, true)...)
	b := &emu.Bindings{}
	for i := range e.images {
		b.Set(0, uint32(i), []emu.Descriptor{e.images[i].Descriptor})
	}
	e.env = &emu.Env{Mem: m, Bindings: b, Push: []byte{1, 2, 3, 4, 5, 6, 7, 8}}
	return e
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

// run runs code for so many instructions, by the number of its form in one stage or another, with checks or without, with all lanes or some.
func (e *effects) run(t *testing.T, code []byte, form, fuel int, d *gputest.Digest) {
	m := anyMeta(ir.StageCompute)
	m.States, m.ScratchSize, m.SharedSize = nil, 128, 256
	for i := range e.images {
		m.States = append(m.States, abi.State{Index: i, Binding: uint32(i), Write: i >= textures})
		if i < textures {
			m.States = append(m.States, abi.State{Index: i, Binding: uint32(i), Sampler: true})
		}
	}
	loaded, err := Load(code, m)
	if err != nil {
		t.Fatal(err)
	}
	p := loaded.(*program)
	k := form % 3
	switch p.code[0].Op {
	case isa.OpLdTile, isa.OpStTile, isa.OpIter, isa.OpIterProj, isa.OpLdcf, isa.OpSampleMask, isa.OpZsEmit, isa.OpWaitPix:
		k = 1
	case isa.OpThreadgroupLoad, isa.OpThreadgroupStore, isa.OpThreadgroupAtomic:
		k = 0
	case isa.OpStVar, isa.OpStVarFinal, isa.OpNoVar:
		k = 2
	}
	p.api = [...]ir.Stage{ir.StageCompute, ir.StageFragment, ir.StageVertex}[k]
	m.Stage = p.api // what the meta of a fragment shader must say of its code is not asked
	for i := range p.code {
		p.scan(&p.code[i])
	}
	l := e.launches[k]
	if l.NumLanes = 12; form%16 >= 12 { // a whole group of threads
		l.NumLanes = lanes
	}
	l.Check, l.Seed = form%2 != 0, uint64(form&8)
	w := p.newWave(l)
	w.started = true
	if err := w.start(); err != nil {
		t.Fatal(err)
	}
	w.preamble = form%16 == 15
	if c := w.check; c != nil && form%4 == 1 {
		c.nest, c.fences = true, 15
	}
	if form%8 >= 3 {
		w.frames, w.stackTop = []frame{{0, 8}, {8, 8}}, 16
		w.growStack(w.stackTop * 4 * w.n)
	}
	e.fill(w, form)
	for i := range p.code {
		d.Text(p.code[i].chk)
	}
	st, err := w.Run(fuel)
	d.Text(err)
	d.Words(uint32(st), uint32(w.at), w.exec)
	e.state(w, l, d)
}

// fill gives what the wave has values of all kinds: a kind four registers.
func (e *effects) fill(w *wave, form int) {
	r := rand.New(rand.NewPCG(uint64(form), 1))
	kinds := [...]int{0, 0, 1, 4, 0, 2, 5, 3}
	for n := range w.regs[:32] {
		for lane := range w.n {
			w.regs[n][lane] = gputest.Word(kinds[n/4%len(kinds)], n+3*lane+form, r.Uint32())
		}
	}
	for n := range w.unis[:32] {
		w.unis[n] = gputest.Word(kinds[n/4%len(kinds)], n+form, r.Uint32())
	}
	for k := range 2 {
		a := e.mem.Addr + uint64(64*k)
		w.unis[memoryUniform+2*k], w.unis[memoryUniform+2*k+1] = uint32(a), uint32(a>>32)
		for lane := range w.n {
			a := a + uint64(16*lane)
			w.regs[memoryReg+2*k][lane], w.regs[memoryReg+2*k+1][lane] = uint32(a), uint32(a>>32)
		}
	}
	for lane := range w.n { // how deep lanes are in control flow that they wait in
		w.set(0, 16, lane, 0)
		if form&16 != 0 && lane%5 == 3 {
			w.set(0, 16, lane, uint32(1+lane%3))
			w.exec &^= 1 << lane
		}
	}
}

// state adds all that the wave has and can reach.
func (e *effects) state(w *wave, l *emu.Launch, d *gputest.Digest) {
	if w.registers != nil {
		for n := range w.regs[:40] {
			d.Words(w.regs[n][:w.n]...)
		}
		d.Words(w.unis[:48]...)
	}
	for _, f := range w.frames {
		d.Words(uint32(f.start), uint32(f.words))
	}
	d.Bytes(w.stack)
	d.Words(w.record...)
	d.Words(uint32(l.Live[0]))
	if f := w.frag; f != nil {
		for lane := range w.n {
			d.Words(f.cover[lane], f.killed[lane], f.tested[lane], f.stored[lane], f.z[lane][0].depth, f.z[lane][0].stencil)
		}
		for _, b := range f.tile {
			d.Bool(b.ok)
			d.Words(uint32(b.v))
		}
	}
	d.Effects(l, e.mem, e.images, l.Out[:w.n], ir.SlotPos, ir.SlotData0, ir.SlotVar0+1)
}

// beside is what checks say of an instruction before and after others that are about the same few registers, with waits between that
// may do.
func (e *effects) beside(t *testing.T, op isa.Op, pool [][]byte, end []byte) string {
	r := rand.New(rand.NewPCG(uint64(op), 3))
	forms := randomForms(op)
	if len(forms) == 0 {
		return ""
	}
	waits := [][]byte{nil, assemble(t, "\twait 0"), assemble(t, "\twait 1")}
	var d gputest.Digest
	e.reset()
	for k := range 40 {
		first, second := crowd(forms[k%len(forms)], r), crowd(pool[r.IntN(len(pool))], r)
		if k%2 == 0 {
			first, second = second, first
		}
		e.run(t, slices.Concat(first, waits[r.IntN(len(waits))], second, end), k|1, 12, &d)
	}
	return fmt.Sprintf("%016x", uint64(d))
}

// crowd brings the registers of an instruction among few, and what it waits for to one of two slots.
func crowd(code []byte, r *rand.Rand) []byte {
	in, _, err := isa.Unpack(code)
	if err != nil {
		return code
	}
	try := func(change func()) {
		was := in
		if change(); in != was {
			if other, err := isa.Pack(&in); err == nil {
				code = other
				return
			}
		}
		in = was
	}
	for i := -1; i < len(in.Srcs); i++ {
		try(func() {
			o := &in.Dst
			if i >= 0 {
				o = &in.Srcs[i]
			}
			if o.Kind == isa.Reg {
				o.Val = int32(8 + 4*r.IntN(3))
			}
		})
	}
	try(func() { in.Slot = uint8(r.IntN(2)) })
	return code
}

// TestEffects holds what each instruction does: registers, memory, masks and refusals after random forms of it, and what checks say of it
// beside others, in digests.
func TestEffects(t *testing.T) {
	rows := map[string]string{}
	e, end := newEffects(), assemble(t, "\tstop")
	var pool [][]byte
	for op := isa.OpInvalid + 1; op < isa.NumOps; op++ {
		if execOf.Get()[op] == nil {
			continue
		}
		var d gputest.Digest
		forms := randomForms(op)
		e.reset()
		for i, code := range forms {
			e.run(t, append(code[:len(code):len(code)], end...), i, 1, &d)
		}
		pool = append(pool, forms...)
		rows[fmt.Sprintf("%d %s", op, op)] = fmt.Sprintf("%d\t%016x", len(forms), uint64(d))
	}
	for op := isa.OpInvalid + 1; op < isa.NumOps; op++ {
		if execOf.Get()[op] != nil {
			rows[fmt.Sprintf("beside %d %s", op, op)] = e.beside(t, op, pool, end)
		}
	}
	for k := range 32 {
		r := rand.New(rand.NewPCG(uint64(k), 2))
		var d gputest.Digest
		e.reset()
		for i := range 16 {
			var code []byte
			for range 10 {
				code = append(code, pool[r.IntN(len(pool))]...)
			}
			e.run(t, append(code, end...), i, 40, &d)
		}
		rows[fmt.Sprintf("programs %d", k)] = fmt.Sprintf("%016x", uint64(d))
	}
	gputest.HoldTable(t, "effects.tsv", rows)
}
