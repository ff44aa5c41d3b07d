package core

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// formsOf is how many random forms of each instruction run.
const formsOf = 36

// textures is how many textures there are, and storage images, which are in set 1.
const textures = 11

// effects is what programs of one bundle find.
type effects struct {
	env      *emu.Env
	mem      *emu.Buffer
	images   []gputest.Shape
	meta     abi.Meta
	launches [3]*emu.Launch
}

// newEffects makes memory, images and what describes them.
func newEffects(t *testing.T) *effects {
	m := emu.NewMemory()
	e := &effects{mem: m.Alloc(512), images: gputest.Shapes(m, false), meta: *fragMeta()}
	e.images = append(e.images, gputest.Shapes(m, true)...)
	e.meta.WorkRegs, e.meta.TLSSize, e.meta.SharedSize, e.meta.FirstTag = 16, 64, 128, isa.TagALU4
	e.meta.UBOs = []abi.UBO{{Kind: abi.UBOSysvals}, {Kind: abi.UBOBinding}, {Kind: abi.UBOPush}}
	e.meta.Attributes = []abi.Record{{}, {Kind: abi.RecordAttribute}}
	for k := abi.SysvalNone + 1; k < abi.NumSysvals; k++ {
		e.meta.Sysvals = append(e.meta.Sysvals, abi.Sysval{Kind: k})
	}
	b := &emu.Bindings{}
	for i := range e.images {
		s, set, n := &e.images[i], uint32(i/textures), uint32(i%textures)
		b.Set(set, n, []emu.Descriptor{s.Descriptor})
		r := abi.Range{Set: set, Binding: n, First: n, Count: 1}
		x := abi.Texture{Range: r, Dim: s.Dim, Array: s.Array}
		if set == 0 {
			e.meta.Textures, e.meta.Samplers = append(e.meta.Textures, x), append(e.meta.Samplers, r)
			continue
		}
		p, err := abi.ImageTable.Place(nil, set, n, 1)
		if err != nil {
			t.Fatal(err)
		}
		x.First = p.First
		e.meta.Images = append(e.meta.Images, x)
	}
	e.env = &emu.Env{Mem: m, Bindings: b, Push: []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}
	return e
}

// reset makes everything new for the forms of an instruction.
func (e *effects) reset() {
	for i := range e.mem.Data {
		e.mem.Data[i] = byte(i*3) &^ 0x40
	}
	for i := range e.launches {
		l := quad()
		l.Compute = &emu.ComputeLaunch{LocalID: [][3]uint32{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}, WorkgroupID: [3]uint32{3, 2, 1}, Shared: make([]byte, 128)}
		l.Vertex = []emu.VertexLane{{VertexIndex: 1, InstanceIndex: 2}, {VertexIndex: 3}, {BaseVertex: 4, VertexIndex: 5}, {BaseInstance: 2, InstanceIndex: 9}}
		l.Inputs, l.Env = make([][]emu.Vec4, 4), e.env
		l.Fragment[2].Helper = true
		e.launches[i] = l
	}
}

var stages = [3]ir.Stage{ir.StageCompute, ir.StageFragment, ir.StageVertex}

// run runs bundles, by the number of their form in one stage or another, with checks or without.
func (e *effects) run(t *testing.T, code []byte, form, fuel int, d *gputest.Digest) {
	m := e.meta
	m.Stage, m.FirstTag = stages[form%3], isa.Tag(code[0]&15)
	if m.Stage == ir.StageCompute {
		m.WorkgroupSize = [3]uint32{4, 1, 1}
	}
	if form&2 != 0 {
		m.Robust = ir.Robust{Uniform: ir.Robust2, Storage: ir.Robust2, Images: ir.Robust2}
	}
	loaded, err := Load(code, &m)
	if d.Text(err); err != nil {
		return
	}
	l := e.launches[form%3]
	l.Check, l.Seed = form%2 != 0, uint64(form&8)
	w := loaded.NewWave(l).(*wave)
	w.started = true
	if err := w.start(); err != nil {
		t.Fatal(err)
	}
	e.fill(w, form)
	for i := range w.p.code {
		b := &w.p.code[i]
		d.Text(b.rules)
		d.Text(b.needs)
		d.Text(b.wrote)
		d.Text(b.direct)
	}
	st, err := w.Run(fuel)
	d.Text(err)
	d.Words(uint32(st), uint32(l.Live[0]))
	e.state(w, l, d)
}

// fill gives what threads have values of all kinds: a kind a register.
func (e *effects) fill(w *wave, form int) {
	r := rand.New(rand.NewPCG(uint64(form), 1))
	kinds := [...]int{0, 1, 4, 3, 5, 2, 1}
	for i := range w.threads {
		t := &w.threads[i]
		for n := range t.file[:filePCSP] {
			v := [4]uint32{}
			for c := range v {
				v[c] = gputest.Word(kinds[n%len(kinds)], n+7*c+3*i+form, r.Uint32())
			}
			t.file[n] = pack4(v)
			t.def[n] = [2]uint64{^uint64(0), ^uint64(0)}
		}
		t.file[isa.RegConst] = [2]uint64{e.mem.Addr + uint64(32*i), uint64(8*i) | 16<<32}
		if form&4 != 0 {
			t.file[isa.RegConst][0] = pack4([4]uint32{uint32(i + form/8), uint32(i)})[0]
		}
	}
}

func pack4(v [4]uint32) [2]uint64 {
	return [2]uint64{uint64(v[0]) | uint64(v[1])<<32, uint64(v[2]) | uint64(v[3])<<32}
}

// state adds all that threads have and can reach.
func (e *effects) state(w *wave, l *emu.Launch, d *gputest.Digest) {
	for i := range w.threads {
		t := &w.threads[i]
		for n := range t.file {
			v := words(t.file[n])
			d.Words(v[:]...)
			d.Words(uint32(t.def[n][0]), uint32(t.def[n][1]))
		}
		d.Words(uint32(t.pc), uint32(t.state))
		d.Bool(t.killed)
		d.Bool(t.helper)
		d.Bytes(t.tls)
	}
	d.Effects(l, e.mem, e.images, l.Out, ir.SlotPos, ir.SlotDepth, ir.SlotData0, ir.SlotData0+2, ir.SlotVar0+1)
}

// randomReg is a register to read: of work, uniforms, constants.
func randomReg(r *rand.Rand) uint8 {
	if r.IntN(4) == 0 {
		return isa.RegConst
	}
	return uint8(r.IntN(24))
}

// randomALU makes an instruction of some unit.
func randomALU(op isa.Op, r *rand.Rand) (isa.Unit, isa.ALU) {
	u := isa.Unit(r.IntN(int(isa.NumALUUnits)))
	for range 20 {
		if op.Info().Units&u.In() != 0 {
			break
		}
		u = isa.Unit(r.IntN(int(isa.NumALUUnits)))
	}
	n := func(k int) uint8 { return uint8(r.IntN(k)) }
	var a isa.ALU
	if u.Scalar() {
		a = isa.Scalar(op, n(16), r.IntN(4))
		for i := range 2 {
			a = a.From(i, isa.Source{Reg: randomReg(r), Comp: n(8), Full: r.IntN(2) == 0, Mod: isa.Mod(n(4))})
		}
	} else {
		a = isa.Vector(op, [...]isa.Mode{isa.Mode32, isa.Mode32, isa.Mode16, isa.Mode64, isa.Mode(n(4))}[r.IntN(5)], n(16), [...]uint8{0xff, 0xff, 0x0f, 0xf0, 0x3c, n(255)}[r.IntN(6)])
		for i := range 2 {
			a = a.From(i, isa.Source{Reg: randomReg(r), Swizzle: isa.Swizzle(r.Uint32()), Expand: isa.Expand(n(5) * n(2)), Mod: isa.Mod(n(4))})
		}
		a.Shrink = isa.Shrink(n(3) * n(2))
	}
	if r.IntN(4) == 0 {
		a = a.Inline(uint16(r.Uint32()))
	}
	a.Out = isa.OutMod(n(4))
	return u, a
}

// randomLdSt makes an access to memory, stage inputs or outputs, or an image.
func randomLdSt(op isa.LdOp, r *rand.Rand) isa.LoadStore {
	n := func(k int) uint8 { return uint8(r.IntN(k)) }
	l := isa.LoadStore{Op: op, Reg: n(16), Mask: n(16), Swizzle: isa.Swizzle(r.Uint32()), Toggle: r.IntN(2) == 0, Format: isa.IndexFormat(1 + n(3)), Shift: n(3)}
	l.Index = isa.AddrReg{Reg: isa.AddrZero}
	if r.IntN(2) == 0 {
		l.Index = isa.AddrReg{Reg: isa.AddrLdSt0, Comp: 2 + n(2)}
	}
	l.Offset = int32(r.IntN(12)) * 4
	switch r.IntN(8) {
	case 0:
		l.Arg = isa.AddrReg{Reg: n(8), Comp: n(4)}
	case 1:
		l.Arg, l.Toggle = isa.AddrReg{Reg: isa.AddrLocal, Comp: 2 * n(2)}, true
	default:
		l.Arg, l.Toggle = isa.AddrReg{Reg: isa.AddrLdSt0}, true
	}
	switch k := op.Info().Kind; k {
	case isa.KindStore, isa.KindStImage, isa.KindStVary:
		l.Reg = n(2)
	case isa.KindAtomic, isa.KindCmpXchg:
		l.SetAtomicSrc(isa.AddrReg{Reg: n(2), Comp: 2 * n(2)})
		if k == isa.KindCmpXchg {
			l.Index, l.Format = isa.AddrReg{Reg: n(2), Comp: 2 * n(2)}, isa.IndexReserved
		}
	case isa.KindUbo:
		l.Arg = isa.AddrReg{Reg: isa.AddrZero}
		l.SetUBO(r.IntN(3), 4*r.IntN(6))
	case isa.KindAttr, isa.KindVary, isa.KindSpecial:
		l.Arg = isa.AddrReg{Reg: isa.AddrZero}
		l.Toggle = r.IntN(4) == 0
		l.Offset = int32(r.Uint32()) << 14 >> 14 & 0x3ff
	case isa.KindImage, isa.KindLeaImage:
		l.Index = isa.AddrReg{Reg: isa.AddrZero}
	}
	switch op.Info().Kind {
	case isa.KindImage, isa.KindStImage, isa.KindLeaImage, isa.KindAttr, isa.KindVary, isa.KindStVary:
		l.SetSlot(randomSlot(op, r), r.IntN(512)*r.IntN(2))
	}
	return l
}

// randomSlot is an entry of the table that an operation looks into.
func randomSlot(op isa.LdOp, r *rand.Rand) int {
	switch op.Info().Kind {
	case isa.KindImage, isa.KindStImage, isa.KindLeaImage:
		p, _ := abi.ImageTable.Place(nil, 1, uint32(r.IntN(textures)), 1)
		return int(p.First)
	}
	return r.IntN(3)
}

// randomTexture makes a lookup, or what else the texture pipe does.
func randomTexture(op isa.TexOp, r *rand.Rand) isa.Texture {
	n := func(k int) uint8 { return uint8(r.IntN(k)) }
	k := r.IntN(textures)
	x := isa.Texture{Op: op, Mode: isa.TexMode(n(16)), Helpers: isa.HelpersNormal, CoordFull: r.IntN(4) > 0, CoordSel: n(2), CoordSwizzle: isa.Swizzle(r.Uint32()), Full: r.IntN(4) > 0,
		Type: isa.TexType(n(4)), Dst: n(2), Mask: n(16), Out: isa.OutMod(n(2) * n(4)), Swizzle: isa.Swizzle(r.Uint32()), Sampler: uint16(k), Texture: uint16(k),
		Offset: uint16(n(2)) * uint16(r.Uint32()) & 0xfff, Lod: uint16(n(2)) * uint16(r.IntN(600))}
	if !x.CoordFull {
		x.CoordUpper = r.IntN(2) == 0
	}
	if !x.Full {
		x.Upper = r.IntN(2) == 0
	}
	x.Dim = map[ir.Dim]isa.TexDim{ir.Dim1D: isa.Tex1D, ir.DimBuf: isa.Tex1D, ir.Dim3D: isa.Tex3D, ir.DimCube: isa.TexCube, ir.Dim2D: isa.Tex2D, ir.DimMS: isa.Tex2D}[gputest.ShapeDim(k)]
	switch {
	case op == isa.TexDerivative:
		x.Mode = isa.TexMode(n(2))
	case r.IntN(6) > 0:
		x.Mode = [...]isa.TexMode{isa.TexNormal, isa.TexNormal, isa.TexShadow, isa.TexGatherShadow, isa.TexGatherX + 1}[r.IntN(5)]
	}
	return x
}

// alone is the code of a bundle, as a program.
func alone(b isa.Bundle) []byte {
	code, err := isa.AppendEncode(nil, &b)
	if err != nil {
		return nil
	}
	code[0] = code[0]&15 | byte(isa.TagBreak)<<4
	return code
}

// randomPrograms makes a program of several bundles, of several instructions some.
func randomPrograms(r *rand.Rand) []byte {
	var prog []isa.Bundle
	for range 3 + r.IntN(4) {
		var b isa.Bundle
		switch r.IntN(5) {
		case 0:
			b.Tag = isa.TagLdSt
			for i := range b.LdSt {
				op := isa.LdOp(r.IntN(255))
				for k := op.Info().Kind; k != isa.KindLoad && k != isa.KindStore && k != isa.KindUbo && k != isa.KindAtomic && k != isa.KindMov; k = op.Info().Kind {
					op = isa.LdOp(r.IntN(255))
				}
				b.LdSt[i] = randomLdSt(op, r)
			}
		case 1:
			b.Tag, b.Tex = isa.TagTex, randomTexture([...]isa.TexOp{isa.TexSample, isa.TexFetch, isa.TexMov}[r.IntN(3)], r)
			b.Tex.OutOfOrder = uint8(r.IntN(3))
		default:
			for range 1 + r.IntN(3) {
				op := isa.Op(r.IntN(255))
				for !op.Known() {
					op = isa.Op(r.IntN(255))
				}
				b.Add(randomALU(op, r))
			}
			if r.IntN(3) == 0 {
				b.SetBranch(isa.Branch{Op: isa.BranchOp(1 + r.IntN(2)), Cond: isa.Cond(r.IntN(4)) * 0x5555, Target: isa.TagALU4, Offset: int32(r.IntN(5) - 1)})
			}
			b.SetTag(false)
		}
		prog = append(prog, b)
	}
	isa.Link(prog)
	code, err := isa.Encode(prog)
	if err != nil {
		return nil
	}
	return code
}

// TestEffects holds what each instruction does: registers, memory and refusals after random forms of it, in digests.
func TestEffects(t *testing.T) {
	rows, e := map[string]string{}, newEffects(t)
	hold := func(name string, seed int, form func(r *rand.Rand) []byte, fuel int) {
		r := rand.New(rand.NewPCG(uint64(seed), 0))
		var d gputest.Digest
		e.reset()
		n := 0
		for i := range formsOf {
			if code := form(r); code != nil {
				e.run(t, code, i, fuel, &d)
				n++
			}
		}
		rows[name] = fmt.Sprintf("%d\t%016x", n, uint64(d))
	}
	for op := range isa.Op(255) {
		if op.Known() {
			hold(fmt.Sprintf("alu %d %s", op, op), int(op), func(r *rand.Rand) []byte {
				b := isa.Bundle{}
				b.Add(randomALU(op, r))
				if r.IntN(2) == 0 {
					b.SetConsts([4]uint32{r.Uint32(), 0x3f800000, 7, r.Uint32()})
				}
				b.SetTag(false)
				return alone(b)
			}, 1)
		}
	}
	for op := range isa.LdOp(255) {
		if k := op.Info().Kind; op != isa.LdNop && k != 0 && k != isa.KindTrap {
			hold(fmt.Sprintf("ldst %d %s", op, op), 256+int(op), func(r *rand.Rand) []byte {
				return alone(isa.Bundle{Tag: isa.TagLdSt, LdSt: [2]isa.LoadStore{randomLdSt(op, r), isa.EmptySlot}})
			}, 1)
		}
	}
	for _, op := range []isa.TexOp{isa.TexSample, isa.TexSampleLod, isa.TexFetch, isa.TexDerivative} {
		for _, tag := range []isa.Tag{isa.TagTex, isa.TagTexVtx} {
			for k := range 3 {
				hold(fmt.Sprintf("tex %d %s %d, %d", op, op, tag, k), 512+int(op)+16*k, func(r *rand.Rand) []byte { return alone(isa.Bundle{Tag: tag, Tex: randomTexture(op, r)}) }, 1)
			}
		}
	}
	for k := range 72 {
		hold(fmt.Sprint("programs ", k), 1024+k, randomPrograms, 100)
	}
	gputest.HoldTable(t, "effects.tsv", rows)
}
