package core

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
)

// What a load/store bundle takes from r26 and r27 is written for it, what a texture bundle takes from r28 and r29 in its block; programs
// of others may count on what was there.
func TestStaleInputs(t *testing.T) {
	m := newMachine(64)
	lo, hi := uint32(m.buf.Addr), uint32(m.buf.Addr>>32)
	address := constants(isa.RegLdSt1, [4]uint32{lo, hi, 4, 0})
	data := constants(isa.RegConst, [4]uint32{1, 2, 3, 4})
	y := alu(func(b *isa.Bundle) {
		b.SetConsts([4]uint32{1, 2, 3, 4})
		b.Add(isa.UnitVMUL, isa.Vector(isa.OpImov, isa.Mode32, isa.RegConst, 0xc).From(1, isa.VReg(isa.RegConst, isa.XYZW)))
	})
	z := alu(func(b *isa.Bundle) {
		b.SetConsts([4]uint32{1, 2, 3, 4})
		b.Add(isa.UnitVMUL, isa.Vector(isa.OpImov, isa.Mode32, isa.RegConst, 0x30).From(1, isa.VReg(isa.RegConst, isa.XYZW)))
	})
	store := func(op isa.LdOp, mask uint8, swz isa.Swizzle) isa.Bundle {
		return ldst(isa.LoadStore{Op: op, Mask: mask, Swizzle: swz, Toggle: true, Arg: isa.AddrReg{Reg: 1}, Format: isa.IndexU32, Index: isa.AddrReg{Reg: 1, Comp: 2}})
	}
	cube := ldst(isa.LoadStore{Op: isa.LdCubemap, Reg: isa.RegTex0, Mask: 3, Swizzle: isa.XYZW, Toggle: true})
	fresh := ldst(isa.LoadStore{Op: isa.LdMov, Reg: isa.RegConst, Mask: 15, Swizzle: isa.XYZW, Arg: isa.AddrReg{Reg: isa.AddrGlobal}})
	jump := alu(func(b *isa.Bundle) {
		b.SetBranch(isa.Branch{Op: isa.BranchUncond, Cond: isa.CondAlways, Target: isa.TagLdSt})
	})
	half := alu(func(b *isa.Bundle) {
		b.SetConsts([4]uint32{1, 2, 3, 4})
		b.Add(isa.UnitVMUL, isa.Vector(isa.OpImov, isa.Mode16, isa.RegConst, 1).From(1, isa.VReg(isa.RegConst, isa.XYZW)))
	})
	save := func(mask uint8) isa.Bundle {
		return ldst(isa.LoadStore{Op: isa.St128, Mask: mask, Swizzle: isa.XYZW, Toggle: true, Arg: isa.AddrReg{Reg: isa.AddrLocal}, Format: isa.IndexU32, Index: zero})
	}
	both := "components of register 26 "
	for _, c := range []struct {
		name, want string
		prog       []isa.Bundle
	}{
		{"a vector", "", []isa.Bundle{address, data, store(isa.St128, 15, isa.XYZW)}},
		{"another store of it", both, []isa.Bundle{address, data, store(isa.St128, 15, isa.XYZW), address, store(isa.St128, 15, isa.XYZW)}},
		{"another store at the same place", "components of register 27 ", []isa.Bundle{address, data, store(isa.St128, 15, isa.XYZW), data, store(isa.St128, 15, isa.XYZW)}},
		{"one component written again, which is all that is stored", "", []isa.Bundle{address, data, store(isa.St128, 15, isa.XYZW), address, y, store(isa.St64, 12, isa.XYZW)}},
		{"one component written again, two stored", both, []isa.Bundle{address, data, store(isa.St128, 15, isa.XYZW), address, y, store(isa.St64, 15, isa.XYZW)}},
		{"an upper component written again, which is all that is stored", "", []isa.Bundle{address, data, store(isa.St128, 15, isa.XYZW), address, z, store(isa.St128, 4, isa.XYZW)}},
		{"an upper component written again, another stored", both, []isa.Bundle{address, data, store(isa.St128, 15, isa.XYZW), address, z, store(isa.St128, 8, isa.XYZW)}},
		{"a byte of what is written", "", []isa.Bundle{address, data, store(isa.St128, 15, isa.XYZW), address, y, store(isa.StU8, 1, isa.Swz(1, 0, 0, 0))}},
		{"a byte of what is not", both, []isa.Bundle{address, data, store(isa.St128, 15, isa.XYZW), address, y, store(isa.StU8, 1, isa.XYZW)}},
		{"what a load brings", "", []isa.Bundle{address, data, store(isa.St128, 15, isa.XYZW), address, fresh, store(isa.St128, 15, isa.XYZW)}},
		{"what another block wrote", both, []isa.Bundle{data, jump, store(isa.St128, 15, isa.XYZW)}},
		{"a half", both, []isa.Bundle{address, half, store(isa.St128, 1, isa.XYZW)}},
		{"a half that is saved", "", []isa.Bundle{half, save(1)}},
		{"a half that is saved, and another word", both, []isa.Bundle{half, save(3)}},
		{"a direction", "", []isa.Bundle{data, cube}},
		{"a direction again", both, []isa.Bundle{data, cube, cube}},
	} {
		code := encode(t, c.prog)
		meta := computeMeta()
		meta.FirstTag, meta.TLSSize = c.prog[0].Tag, 16
		p, err := LoadFresh(code, meta)
		if err != nil {
			t.Fatal(err)
		}
		err = m.compute(p)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if p, err = Load(code, meta); err != nil {
			t.Fatal(err)
		}
		if err := m.compute(p); err != nil && !strings.Contains(c.name, "block") {
			t.Errorf("%s, of another compiler: %v", c.name, err)
		}
	}
}

// Texture inputs may be taken again, of their own block.
func TestStaleTextureInputs(t *testing.T) {
	fetch := func(comp uint8, lod bool) isa.Bundle {
		x := isa.Texture{Op: isa.TexFetch, Mode: isa.TexNormal, Helpers: isa.HelpersNormal, Dim: isa.Tex2D, CoordFull: true, CoordSwizzle: isa.Swz(int(comp), 1, 2, 3),
			Full: true, Type: isa.TexTypeFloat, Mask: 15, Swizzle: isa.XYZW, LodReg: lod, Lod: isa.TexReg{Full: true, Select: 1, Comp: 2}.Selector()}
		return isa.Bundle{Tag: isa.TagTexVtx, Tex: x}
	}
	xy := alu(func(b *isa.Bundle) {
		b.SetConsts([4]uint32{0, 0, 0, 0})
		b.Add(isa.UnitVMUL, isa.Vector(isa.OpImov, isa.Mode32, isa.RegTex0, 0xf).From(1, isa.VReg(isa.RegConst, isa.XYZW)))
	})
	for _, c := range []struct {
		name, want string
		prog       []isa.Bundle
	}{
		{"a coordinate, twice", "", []isa.Bundle{xy, fetch(0, false), fetch(0, false)}},
		{"a component that is not written", "components of register 28 ", []isa.Bundle{xy, fetch(2, false)}},
		{"a level that is not written", "components of register 29 ", []isa.Bundle{xy, fetch(0, true)}},
	} {
		meta := computeMeta()
		meta.FirstTag = c.prog[0].Tag
		p, err := LoadFresh(encode(t, c.prog), meta)
		if err != nil {
			t.Fatal(err)
		}
		var found string
		for i := range p.(*program).code {
			if err := p.(*program).code[i].rules; err != nil {
				found += err.Error()
			}
		}
		if (found == "") != (c.want == "") || !strings.Contains(found, c.want) {
			t.Errorf("%s: %q, want %q", c.name, found, c.want)
		}
	}
}

// TestTextureInputs: what a texture operation is said to take of its input registers is what changes its operands when it changes.
func TestTextureInputs(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 4000 {
		op := []isa.TexOp{isa.TexSample, isa.TexSampleLod, isa.TexFetch, isa.TexDerivative}[r.IntN(4)]
		x := randomTexture(op, r)
		x.Dim, x.CoordFull = isa.TexDim(r.IntN(4)), r.IntN(2) == 0
		x.CoordUpper = !x.CoordFull && r.IntN(2) == 0
		x.LodReg, x.TextureReg, x.SamplerReg, x.OffsetReg = r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(2) == 0
		x.Lod, x.Texture, x.Sampler, x.Offset = uint16(r.IntN(32)), uint16(r.IntN(32)), uint16(r.IntN(32)), uint16(r.IntN(1<<11))
		meta := fragMeta()
		meta.Alias = r.IntN(4) == 0
		w := &wave{p: &program{meta: meta}}
		bundle := bundle{Bundle: isa.Bundle{Tag: isa.TagTex, Tex: x}}
		said := w.p.takes(&bundle)
		first := fileTexIn
		if meta.Alias {
			first = isa.RegConst
		}
		th := &thread{}
		before := textureOperands(w, th, &x)
		for reg := range 2 {
			for part := range uint(8) { // 16 bits each; 0x3c00 is another number in all of them
				word := &th.file[int(first)+reg][part/4]
				*word ^= 0x3c00 << (part % 4 * 16)
				taken := textureOperands(w, th, &x) != before
				*word = 0
				if got := said[int(first)-firstInput+reg][part/4]>>(part%4*16)&0xffff == 0xffff; got != taken {
					t.Fatalf("%+v: bits %d of register %d are taken %v, said to be %v", x, 16*part, int(first)+reg, taken, got)
				}
			}
		}
	}
}

// textureOperands are the operands of a texture operation that its dimension has, and a derivative writes.
func textureOperands(w *wave, th *thread, x *isa.Texture) (v struct {
	at               [4]uint32
	lod              uint32
	texture, sampler int
	offset           [3]int32
}) {
	at := w.coords(th, x)
	n := map[isa.TexDim]int{isa.Tex1D: 1, isa.Tex2D: 2, isa.Tex3D: 3, isa.TexCube: 2}[x.Dim]
	if x.Op == isa.TexDerivative {
		n = 0
		for i := range 4 {
			if x.Mask>>i&1 != 0 {
				v.at[i] = at[x.Swizzle.Lane(i)]
			}
		}
	}
	copy(v.at[:n], at[:n])
	if x.LodReg {
		v.lod = w.component(th, isa.TexSelector(x.Lod))
	}
	v.texture, v.sampler = w.handle(th, x.TextureReg, x.Texture), w.handle(th, x.SamplerReg, x.Sampler)
	if offset := w.offsets(th, x); x.OffsetReg {
		written := 0
		for i := range 4 {
			if x.Op != isa.TexDerivative && i < n || x.Op == isa.TexDerivative && slices.Contains(lanesOf(x), i) {
				written++
			}
		}
		copy(v.offset[:min(3, written)], offset[:])
	}
	return v
}

// lanesOf are the components that a derivative writes.
func lanesOf(x *isa.Texture) (list []int) {
	for i := range 4 {
		if x.Mask>>i&1 != 0 {
			list = append(list, x.Swizzle.Lane(i))
		}
	}
	return list
}

// TestStoredInputs: what a store is said to take of its data is what comes to memory, of those that pass whole components the ones that the mask has.
func TestStoredInputs(t *testing.T) {
	for op := range isa.LdOp(255) {
		info := op.Info()
		if !op.Store() || info.Swap != 0 {
			continue
		}
		for mask := range uint8(16) {
			for _, swz := range []isa.Swizzle{isa.XYZW, isa.Swz(3, 2, 1, 0), isa.Swz(1, 1, 3, 0), isa.Rep(2)} {
				for reg := range uint8(2) {
					l := isa.LoadStore{Op: op, Reg: reg, Mask: mask, Swizzle: swz, Arg: isa.AddrReg{Reg: isa.AddrLocal}, Toggle: true, Format: isa.IndexU32, Index: zero}
					var said, want written
					said.data(&l)
					switch info.Kind {
					case isa.KindStVary, isa.KindStImage, isa.KindStSpecial:
						for i := range 4 {
							if mask>>i&1 != 0 {
								c := swz.Lane(i)
								want[reg][c/2] |= 0xffffffff << (c % 2 * 32)
							}
						}
					case isa.KindStore:
						for k := range 16 { // the bytes of the register, each by itself
							w := &wave{p: &program{meta: computeMeta()}, l: &emu.Launch{}}
							th := &thread{tls: make([]byte, 16)}
							s := inputs{w: w, t: th}
							s.in[reg][k/8] = 0xff << (k % 8 * 8)
							if err := w.store(&s, &l); err != nil {
								t.Fatal(err)
							}
							if slices.Contains(th.tls, 0xff) {
								want[reg][k/8] |= 0xff << (k % 8 * 8)
							}
						}
					default:
						continue
					}
					if said != want {
						t.Errorf("%s, mask %#x, swizzle %v of register %d: %#x, want %#x", op, mask, swz, reg, said, want)
					}
				}
			}
		}
	}
}
