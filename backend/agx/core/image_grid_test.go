package core

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/layout"
	"nirc/internal/emu"
)

// gridImage is an image of a grid over shapes, and the level and the layer that its view begins at.
type gridImage struct {
	emu.ImageDesc
	baseMip, baseLayer int
}

func (g *gridImage) view(t *testing.T) *emu.ImageView {
	t.Helper()
	m, err := emu.NewImage(g.ImageDesc)
	if err != nil {
		t.Fatalf("%+v: %v", g, err)
	}
	return &emu.ImageView{Image: m, BaseMip: g.baseMip, BaseLayer: g.baseLayer}
}

// gridLevels calls f for each texel of a view's levels: its place, its level, its sample, and a number of its own, from 1 on.
func gridLevels(v *emu.ImageView, f func(at [3]int, mip, sample int, n uint32)) {
	n := uint32(0)
	for mip := range v.NumMips() {
		w, h, d := v.Size(mip)
		if v.Image.Depth <= 1 {
			d = v.NumLayers()
		}
		for z := range d {
			for y := range h {
				for x := range w {
					for s := range max(1, v.Image.Samples) {
						n++
						f([3]int{x, y, z}, mip, s, n)
					}
				}
			}
		}
	}
}

// placeOf is where a texel is in memory, in bytes after the image's address, by what the write descriptor says of it (abi.PlaceWord):
// words of 4 bytes, samples beside each other, pixels of a tile by their interleaved coordinates, tiles in rows.
func placeOf(place, stride uint32, level int, samples, sample, x, y, z int) uint32 {
	tileW, tileH := int(place&7), int(place>>3&7)
	start, width := place>>abi.PlaceShift<<abi.PlaceShift, (level+1<<tileW-1)>>tileW<<tileW
	if samples > 1 {
		start, width = 0, int(place>>abi.PlaceShift)
	}
	inside := 0
	for k, at := 0, 0; k < max(tileW, tileH); k++ {
		if k < tileW {
			inside |= x >> k & 1 << at
			at++
		}
		if k < tileH {
			inside |= y >> k & 1 << at
			at++
		}
	}
	tile := (y>>tileH)*(width>>tileW) + x>>tileW
	pixel := z*int(stride) + tile<<(tileW+tileH) + inside
	return start + 4*uint32(pixel*samples+sample)
}

// TestImagePlaces: an atomic reaches the texel that stands where the descriptor says, in images of all shapes, at any level and layer of
// theirs, and none elsewhere; a store by number reaches that of an image of several samples.
func TestImagePlaces(t *testing.T) {
	var list []gridImage
	for _, size := range [][2]int{{1, 1}, {2, 1}, {9, 1}, {1, 6}, {2, 2}, {3, 2}, {4, 4}, {5, 7}, {8, 8}, {17, 4}, {33, 9}} {
		for _, layers := range []int{1, 3} {
			for _, samples := range []int{1, 2, 4} {
				list = append(list, gridImage{ImageDesc: emu.ImageDesc{Width: size[0], Height: size[1], Layers: layers, Samples: samples}})
			}
			list = append(list, gridImage{emu.ImageDesc{Width: 2 * size[0], Height: 2 * size[1], Layers: layers, Mips: 2}, 1, layers / 2})
		}
		list = append(list, gridImage{ImageDesc: emu.ImageDesc{Width: size[0], Height: size[1], Depth: 5}})
	}
	for i := range list {
		list[i].Format = emu.FormatByName("R32_UINT")
		v := list[i].view(t)
		w := &wave{registers: new(registers), n: 1, l: &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory()}}, p: &program{meta: &abi.Meta{}}}
		w.images = []*emu.ImageView{{}, {}} // others that have addresses
		var b [abi.HeapEntrySize]byte
		w.describeMemory(descBits{&b}, &emu.Descriptor{Type: emu.DescStorageImage, Image: v}, &layout.Entry{Part: 1})
		word := func(k int) uint32 { return binary.LittleEndian.Uint32(b[4*k:]) }
		addr := uint64(word(2))<<4 | uint64(word(3)&15)<<36
		if addr != abi.ImageAddr+2<<32 || word(abi.PlaceWord)>>6&1 != 0 {
			t.Fatalf("%+v: address %#x, place %#x", list[i], addr, word(abi.PlaceWord))
		}
		samples := max(1, v.Image.Samples)
		level, height, _ := v.Size(0)
		tileW, tileH := word(abi.PlaceWord)&7, word(abi.PlaceWord)>>3&7
		if tileW-tileH > 1 || samples > 1 && word(abi.PlaceWord)>>abi.PlaceShift%(1<<tileW) != 0 || int(word(abi.StrideWord)) < level*height || height == 1 && tileH != 0 {
			t.Errorf("%+v: tiles of 2^%d by 2^%d pixels, a layer each %d", list[i], tileW, tileH, word(abi.StrideWord))
		}
		texels := map[uint32]uint32{} // numbers by place
		end := uint32(0)
		gridLevels(v, func(at [3]int, mip, sample int, n uint32) {
			if mip > 0 {
				return
			}
			place := placeOf(word(abi.PlaceWord), word(abi.StrideWord), level, samples, sample, at[0], at[1], at[2])
			if texels[place] != 0 {
				t.Fatalf("%+v: two texels at %d", list[i], place)
			}
			texels[place], end = n, max(end, place)
			v.Store(at[0], at[1], at[2], 0, sample, [4]uint32{n})
		})
		step := uint32(max(1, bits.Len32(end)-9)) // a part of what is between texels
		for place := uint32(0); place <= end+4096; place += 4 {
			if n := texels[place]; n == 0 && place/4%step != 0 {
				continue
			}
			old, err := w.imageAtomic(&inst{}, 0, addr+uint64(place), func(old uint64) uint64 { return old + 1<<20 })
			if err != nil || uint32(old) != texels[place] {
				t.Fatalf("%+v: at %d is %d, want %d (%v)", list[i], place, old, texels[place], err)
			}
		}
		gridLevels(v, func(at [3]int, mip, sample int, n uint32) {
			if got := v.Load(at[0], at[1], at[2], mip, sample)[0]; mip == 0 && got != n+1<<20 || mip > 0 && got != 0 {
				t.Fatalf("%+v: texel %v of level %d, sample %d: %#x, want %#x", list[i], at, mip, sample, got, n+1<<20)
			}
		})
		if samples > 1 {
			storeSamples(t, w, v, texels)
		}
	}
}

// storeSamples stores to all samples of an image by rows of abi.SamplesWidth of them.
func storeSamples(t *testing.T, w *wave, v *emu.ImageView, texels map[uint32]uint32) {
	t.Helper()
	d := &emu.Descriptor{Type: emu.DescStorageImage, Image: v}
	x := &inst{Instr: isa.Instr{Op: isa.OpImageWrite, Dim: isa.Dim2D, Srcs: [6]isa.Operand{1: {Kind: isa.Reg, Val: 4, Size: 32, Count: 2}, 2: {Kind: isa.Imm}}}}
	put := func(px, py, value uint32) {
		w.set(4, 32, 0, px)
		w.set(6, 32, 0, py)
		if err := w.storeTexel(x, d, 0, [4]uint32{value}); err != nil {
			t.Fatal(err)
		}
	}
	for place, n := range texels {
		put(place/4%abi.SamplesWidth, place/4/abi.SamplesWidth, 5*n)
	}
	put(abi.SamplesWidth, 0, 1)
	put(^uint32(0), 1, 1)
	put(0, ^uint32(0), 1)
	gridLevels(v, func(at [3]int, mip, sample int, n uint32) {
		if got := v.Load(at[0], at[1], at[2], 0, sample)[0]; got != 5*n {
			t.Fatalf("texel %v, sample %d: %d is stored, want %d", at, sample, got, 5*n)
		}
	})
}

// gridDims are the shapes of texture instructions, each with an image for it.
var gridDims = []struct {
	dim isa.Dim
	gridImage
	writes bool // there are stores of the shape
}{
	{isa.Dim1D, gridImage{ImageDesc: emu.ImageDesc{Width: 9, Height: 1, Mips: 3}}, true},
	{isa.Dim1DArray, gridImage{ImageDesc: emu.ImageDesc{Width: 9, Height: 1, Layers: 3, Mips: 2}}, true},
	{isa.Dim2D, gridImage{ImageDesc: emu.ImageDesc{Width: 6, Height: 5, Mips: 2}}, true},
	{isa.Dim2DArray, gridImage{emu.ImageDesc{Width: 6, Height: 5, Layers: 4, Mips: 3}, 1, 1}, true},
	{isa.Dim2DMS, gridImage{ImageDesc: emu.ImageDesc{Width: 5, Height: 3, Samples: 4}}, false},
	{isa.Dim2DMSArray, gridImage{ImageDesc: emu.ImageDesc{Width: 5, Height: 3, Samples: 2, Layers: 3}}, false},
	{isa.Dim3D, gridImage{ImageDesc: emu.ImageDesc{Width: 5, Height: 4, Depth: 3, Mips: 2}}, true},
	{isa.DimCube, gridImage{ImageDesc: emu.ImageDesc{Width: 4, Height: 4, Layers: 6, Mips: 2}}, false},
	{isa.DimCubeArray, gridImage{ImageDesc: emu.ImageDesc{Width: 4, Height: 4, Layers: 12}}, false},
}

// gridCoords writes the coordinates of a texel into registers from r4 on, as words or as halves, and returns the operand that has them.
func gridCoords(w *wave, d isa.Dim, size uint8, at [3]int, sample int) isa.Operand {
	var numbers []uint32
	rest := at[2]
	n, extra := d.Coords()
	switch d {
	case isa.DimCubeArray:
		rest, at[2] = at[2]/6, at[2]%6
	case isa.Dim1DArray, isa.Dim2DArray, isa.Dim2DMSArray:
	default:
		rest = 0
	}
	for k := range n {
		numbers = append(numbers, uint32(at[k]))
	}
	r := 8
	for _, v := range numbers {
		w.set(r, size, 0, v)
		r += int(size) / 16
	}
	o := isa.Operand{Kind: isa.Reg, Val: 8, Size: size, Count: uint8(n)}
	if !extra {
		return o
	}
	halves := []uint32{uint32(rest)}
	switch d {
	case isa.Dim2DMS:
		halves = []uint32{uint32(sample)}
	case isa.Dim2DMSArray:
		halves = []uint32{uint32(sample), uint32(rest)}
	}
	for _, v := range halves {
		w.set(r, 16, 0, v)
		r++
	}
	if o.Count++; size == 32 { // halves, two for each coordinate, and what comes after them
		o.Size, o.Count = 16, uint8(2*n+1)
	}
	return o
}

// TestTexelGrid: a fetch reads, and a store writes, the texel of its coordinates, its layer, its level and its sample, in all shapes,
// with coordinates of 16 and of 32 bits and with offsets; beside the image there is nothing.
func TestTexelGrid(t *testing.T) {
	for i := range gridDims {
		g := gridDims[i]
		g.Format = emu.FormatByName("R32_UINT")
		v := g.view(t)
		w := &wave{registers: new(registers), n: 1, exec: 1, l: &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}}, p: &program{meta: &abi.Meta{}}}
		w.p.states[0][0] = state{&abi.State{Binding: 1}}
		w.p.states[0][1] = state{&abi.State{Binding: 1, Index: 1, Write: true}}
		w.l.Env.Bindings.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageImage, Image: v}})
		gridLevels(v, func(at [3]int, mip, sample int, n uint32) { v.Store(at[0], at[1], at[2], mip, sample, [4]uint32{n}) })
		r := rand.New(rand.NewPCG(uint64(i), 1))
		fetch := func(size uint8, at [3]int, mip, sample int, off [3]int) uint32 {
			from := at
			for k := range off {
				from[k] -= off[k]
			}
			x := &inst{Instr: isa.Instr{Op: isa.OpTextureLoad, Dim: g.dim, Lod: isa.LodMin, Mask: 1, Dst: isa.Operand{Kind: isa.Reg, Val: 40, Size: 32, Count: 1}}}
			x.Srcs[1] = isa.Operand{Kind: isa.TS, Val: 0}
			x.Srcs[3] = gridCoords(w, g.dim, size, from, sample)
			w.set(30, 16, 0, uint32(mip))
			x.Srcs[4] = isa.Operand{Kind: isa.Reg, Val: 30, Size: 16, Count: 1}
			if off != [3]int{} {
				w.set(31, 16, 0, uint32(off[0]&15|off[1]&15<<4|off[2]&15<<8))
				x.Srcs[5] = isa.Operand{Kind: isa.Reg, Val: 31, Size: 16, Count: 1}
			}
			if err := execTexture(w, x); err != nil {
				t.Fatalf("%s: %v", g.dim, err)
			}
			return w.get(40, 32, 0)
		}
		n, _ := g.dim.Coords()
		spatial := min(n, 2)
		if g.dim == isa.Dim3D {
			spatial = 3
		}
		gridLevels(v, func(at [3]int, mip, sample int, want uint32) {
			for _, size := range []uint8{16, 32} {
				if got := fetch(size, at, mip, sample, [3]int{}); got != want {
					t.Fatalf("%s, texel %v of level %d, sample %d, by coordinates of %d bits: %d, want %d", g.dim, at, mip, sample, size, got, want)
				}
			}
			var off [3]int
			for k := range spatial {
				off[k] = r.IntN(16) - 8
			}
			if got := fetch(32, at, mip, sample, off); got != want {
				t.Fatalf("%s, texel %v of level %d, sample %d, by offset %v: %d, want %d", g.dim, at, mip, sample, off, got, want)
			}
		})
		for mip := range v.NumMips() {
			size := [3]int{}
			size[0], size[1], size[2] = v.Size(mip)
			for k := range spatial {
				for _, beyond := range []int{-1, size[k]} {
					var at [3]int
					at[k] = beyond
					if got := fetch(32, at, mip, 0, [3]int{}); got != 0 {
						t.Errorf("%s, beside the image at %v of level %d: %d", g.dim, at, mip, got)
					}
				}
			}
		}
		if v.Image.Samples <= 1 { // else they go by numbers of samples (TestImagePlaces)
			storeGrid(t, w, v, g.dim, g.writes)
		}
	}
}

// storeGrid stores each texel of an image by image_write, and looks at all of it once they are stored.
func storeGrid(t *testing.T, w *wave, v *emu.ImageView, dim isa.Dim, writes bool) {
	t.Helper()
	x := &inst{Instr: isa.Instr{Op: isa.OpImageWrite, Dim: dim, Round: isa.RoundEven}}
	x.Srcs[0] = isa.Operand{Kind: isa.Reg, Val: 40, Size: 32, Count: 4}
	x.Srcs[2] = isa.Operand{Kind: isa.Reg, Val: 30, Size: 16, Count: 1}
	x.Srcs[4] = isa.Operand{Kind: isa.TS, Val: 1}
	stored := true
	gridLevels(v, func(at [3]int, mip, sample int, n uint32) {
		for _, size := range []uint8{16, 32} {
			x.Srcs[1] = gridCoords(w, dim, size, at, sample)
			w.set(30, 16, 0, uint32(mip))
			for k := range 4 {
				w.set(40+2*k, 32, 0, 1000*uint32(size)+n)
			}
			if err := execImageWrite(w, x); (err == nil) != writes {
				t.Fatalf("%s: a store: %v", dim, err)
			}
			if stored = writes; !stored {
				continue
			}
			if got := v.Load(at[0], at[1], at[2], mip, sample)[0]; got != 1000*uint32(size)+n {
				t.Fatalf("%s, texel %v of level %d, by coordinates of %d bits: %d is stored", dim, at, mip, size, got)
			}
		}
	})
	gridLevels(v, func(at [3]int, mip, sample int, n uint32) {
		if got := v.Load(at[0], at[1], at[2], mip, sample)[0]; stored && got != 32000+n {
			t.Fatalf("%s, texel %v of level %d: another store went there", dim, at, mip)
		}
	})
}

// TestTexelFormats: texels of every format come into words as they are, into halves as the halves of floats or the lower bits of
// integers, and go back likewise.
func TestTexelFormats(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for _, name := range []string{"R8_UNORM", "R8_SNORM", "R8_UINT", "R8_SINT", "R8G8_UNORM", "R8G8B8A8_UNORM", "R8G8B8A8_SNORM", "R8G8B8A8_UINT", "R8G8B8A8_SINT", "R8G8B8A8_SRGB",
		"B8G8R8A8_UNORM", "A2B10G10R10_UNORM_PACK32", "A2B10G10R10_UINT_PACK32", "B10G11R11_UFLOAT_PACK32", "R16_UNORM", "R16_SFLOAT", "R16G16_SINT", "R16G16B16A16_SFLOAT",
		"R16G16B16A16_UINT", "R32_UINT", "R32_SINT", "R32_SFLOAT", "R32G32_SFLOAT", "R32G32B32A32_UINT", "R32G32B32A32_SFLOAT"} {
		f := emu.FormatByName(name)
		if f == nil {
			t.Fatalf("there is no %s", name)
		}
		g := gridImage{ImageDesc: emu.ImageDesc{Width: 2, Height: 1, Format: f}}
		v := g.view(t)
		w := &wave{registers: new(registers), n: 1, exec: 1, l: &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}}, p: &program{meta: &abi.Meta{}}}
		w.p.states[0][0] = state{&abi.State{Binding: 1}}
		w.p.states[0][1] = state{&abi.State{Binding: 1, Index: 1, Write: true}}
		w.l.Env.Bindings.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageImage, Image: v}})
		for range 40 {
			var texel [4]uint32
			for k := range texel {
				switch {
				case f.IsInteger():
					texel[k] = r.Uint32() >> r.IntN(32)
				default:
					texel[k] = fbits(float32(r.IntN(17)-8) / 8)
				}
			}
			v.Store(1, 0, 0, 0, 0, texel)
			want := v.Load(1, 0, 0, 0, 0)
			for _, size := range []uint8{16, 32} {
				for mask := uint8(1); mask < 16; mask++ {
					if err := readAndWrite(w, size, mask, f, want); err != nil {
						t.Fatalf("%s, registers of %d bits, components %04b: %v", name, size, mask, err)
					}
				}
				v.Store(0, 0, 0, 0, 0, [4]uint32{})
				writeRegisters(t, w, size, f, want)
				plain := want
				if size == 16 {
					plain = narrowed(f, want)
				}
				v.Store(1, 0, 0, 0, 0, plain)
				if got, want := v.Load(0, 0, 0, 0, 0), v.Load(1, 0, 0, 0, 0); got != want {
					t.Fatalf("%s, stored by registers of %d bits: %x, want %x", name, size, got, want)
				}
				v.Store(1, 0, 0, 0, 0, texel)
			}
		}
	}
}

// halfOf is the half of a texel's component in a register of 16 bits.
func halfOf(f *emu.Format, v uint32) uint32 {
	if f.IsInteger() {
		return v & 0xffff
	}
	return uint32(emu.FloatToHalf(toF(v)))
}

// narrowed is a texel after its components were in registers of 16 bits.
func narrowed(f *emu.Format, t [4]uint32) [4]uint32 {
	for k, v := range t {
		switch h := halfOf(f, v); {
		case !f.IsInteger():
			t[k] = fbits(emu.HalfToFloat(uint16(h)))
		case f.IsSigned():
			t[k] = uint32(int32(int16(h)))
		default:
			t[k] = h
		}
	}
	return t
}

// readAndWrite fetches some components of texel 1, which stand in registers after each other then.
func readAndWrite(w *wave, size, mask uint8, f *emu.Format, want [4]uint32) error {
	step := int(size) / 16
	x := &inst{Instr: isa.Instr{Op: isa.OpTextureLoad, Dim: isa.Dim2D, Mask: mask, Dst: isa.Operand{Kind: isa.Reg, Val: 40, Size: size, Count: uint8(bits.OnesCount8(mask))}}}
	x.Srcs[1] = isa.Operand{Kind: isa.TS}
	x.Srcs[3] = gridCoords(w, isa.Dim2D, 32, [3]int{1, 0, 0}, 0)
	for k := range 5 {
		w.set(40+k*step, size, 0, 0x1234)
	}
	if err := execTexture(w, x); err != nil {
		return err
	}
	r := 40
	for k, v := range want {
		if mask>>k&1 == 0 {
			continue
		}
		if size == 16 {
			v = halfOf(f, v)
		}
		if got := w.get(r, size, 0); got != v {
			return fmt.Errorf("component %d is %#x, want %#x", k, got, v)
		}
		r += step
	}
	if got := w.get(r, size, 0); got != 0x1234 {
		return fmt.Errorf("the register after them becomes %#x", got)
	}
	return nil
}

// writeRegisters stores a texel to texel 0 from registers.
func writeRegisters(t *testing.T, w *wave, size uint8, f *emu.Format, texel [4]uint32) {
	t.Helper()
	x := &inst{Instr: isa.Instr{Op: isa.OpImageWrite, Dim: isa.Dim2D, Round: isa.RoundEven}}
	x.Srcs[0] = isa.Operand{Kind: isa.Reg, Val: 40, Size: size, Count: 4}
	x.Srcs[1] = gridCoords(w, isa.Dim2D, 32, [3]int{}, 0)
	x.Srcs[4] = isa.Operand{Kind: isa.TS, Val: 1}
	for k, v := range texel {
		if size == 16 {
			v = halfOf(f, v)
		}
		w.set(40+k*int(size)/16, size, 0, v)
	}
	if err := execImageWrite(w, x); err != nil {
		t.Fatal(err)
	}
}

// TestDescribedMemory: a texel buffer is described by its address, in whatever parts of 16 bytes it begins; what nothing is bound to has
// an address of its own where that is told, and none elsewhere.
func TestDescribedMemory(t *testing.T) {
	describe := func(w *wave, d *emu.Descriptor, e layout.Entry) (addr uint64, b [abi.HeapEntrySize]byte) {
		w.describeMemory(descBits{&b}, d, &e)
		return uint64(binary.LittleEndian.Uint32(b[8:]))<<4 | uint64(binary.LittleEndian.Uint32(b[12:])&15)<<36, b
	}
	for _, base := range []uint64{0x1000, 0x7_1234_5670, 0xff_ffff_fff0 & (1<<40 - 1)} {
		for in := uint64(0); in < 16; in += 4 {
			d := &emu.Descriptor{Type: emu.DescStorageTexelBuffer, Format: emu.FormatByName("R32_UINT"), Addr: base + in, Size: 64}
			addr, b := describe(&wave{}, d, layout.Entry{Part: 1})
			if place := binary.LittleEndian.Uint32(b[4*abi.PlaceWord:]); addr != base || uint64(place) != in {
				t.Errorf("a buffer at %#x: address %#x, %d bytes after it", d.Addr, addr, place)
			}
		}
	}
	for _, checked := range []bool{false, true} {
		for _, others := range []bool{false, true} {
			list := make([]emu.Descriptor, 2)
			if others {
				list[1].Type = emu.DescStorageImage
			}
			bind := &emu.Bindings{}
			bind.Set(0, 2, list)
			w := &wave{p: &program{meta: &abi.Meta{}}, l: &emu.Launch{Env: &emu.Env{Bindings: bind}}}
			if checked {
				w.check = &checker{}
			}
			addr, _ := describe(w, &list[0], layout.Entry{Binding: 2, Part: 1})
			want := uint64(0)
			if checked && others {
				want = abi.ImageAddr + maxImages<<32
			}
			if addr != want || (w.lacking != nil) != (want != 0) {
				t.Errorf("nothing is bound, others %t, checked %t: address %#x, %v", others, checked, addr, w.lacking)
			}
			if _, err := w.imageAtomic(&inst{}, 0, abi.ImageAddr+maxImages<<32, nil); err == nil || want != 0 && err != w.lacking {
				t.Errorf("an atomic there: %v", err)
			}
		}
	}
}

// TestHeapShapes: the depth of an entry counts cubes where the program reads cubes by it; where it reads layers too, the image says which.
func TestHeapShapes(t *testing.T) {
	image := func(layers int) *emu.ImageView {
		g := gridImage{ImageDesc: emu.ImageDesc{Width: 4, Height: 4, Layers: layers, Format: emu.FormatByName("R32_UINT")}}
		return g.view(t)
	}
	for _, c := range []struct {
		name string
		v    *emu.ImageView
		uses []bool // of cubes
		want bool
	}{
		{"layers", image(12), []bool{false}, false}, {"cubes", image(12), []bool{true}, true}, {"an image of layers as both", image(3), []bool{true, false}, false},
		{"an image of cubes as both", image(12), []bool{false, true}, true}, {"neither", image(12), nil, false},
	} {
		m := &abi.Meta{}
		for _, use := range c.uses {
			m.Heap = append(m.Heap, abi.HeapRange{Binding: 2, Cubes: use})
		}
		m.Heap = append(m.Heap, abi.HeapRange{Binding: 1, Cubes: !c.want}, abi.HeapRange{Set: 1, Binding: 2, Cubes: !c.want})
		bind := &emu.Bindings{}
		bind.Set(0, 2, []emu.Descriptor{{Type: emu.DescSampledImage, Image: c.v}})
		w := &wave{p: &program{meta: m}, l: &emu.Launch{Env: &emu.Env{Bindings: bind, Layout: layoutOf(1, 1)}}}
		if d, e, got := w.heapEntry(0); d == nil || e.Binding != 2 || got != c.want {
			t.Errorf("%s: entry of binding %d counts cubes: %t", c.name, e.Binding, got)
		}
	}
}

// TestResidencyCodes: after the texels' four registers stands whether each lane's has memory, where the instruction asks for it, and
// what was there where it does not.
func TestResidencyCodes(t *testing.T) {
	g := gridImage{ImageDesc: emu.ImageDesc{Width: 4, Height: 4, Format: emu.FormatByName("R32_UINT")}}
	v := g.view(t)
	v.Image.Unbound = []emu.Unbound{{From: 16, To: 32}} // the second row
	w := &wave{registers: new(registers), n: 1, exec: 1, l: &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}}, p: &program{meta: &abi.Meta{}}}
	w.p.states[0][0] = state{&abi.State{Binding: 1}}
	w.l.Env.Bindings.Set(0, 1, []emu.Descriptor{{Type: emu.DescSampledImage, Image: v}})
	for _, asks := range []bool{false, true} {
		for _, size := range []uint8{16, 32} {
			for i := range 16 {
				x := &inst{Instr: isa.Instr{Op: isa.OpTextureLoad, Dim: isa.Dim2D, Mask: 1, Dst: isa.Operand{Kind: isa.Reg, Val: 40, Size: size, Count: 1}}}
				x.Srcs[1] = isa.Operand{Kind: isa.TS}
				x.Srcs[3] = gridCoords(w, isa.Dim2D, 32, [3]int{i & 3, i >> 2, 0}, 0)
				want := uint32(77)
				if asks {
					if err := x.SetField(isa.TexResidency, 2); err != nil {
						t.Fatal(err)
					}
					want = emu.Resident
					if i>>2 == 1 {
						want = emu.NotResident
					}
				}
				at := 40 + 4*int(size)/16
				w.set(at, size, 0, 77)
				if err := execTexture(w, x); err != nil {
					t.Fatal(err)
				}
				if got := w.get(at, size, 0); got != want {
					t.Errorf("texel %d, registers of %d bits, asked for %t: the code is %d, want %d", i, size, asks, got, want)
				}
			}
		}
	}
}
