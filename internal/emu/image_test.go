package emu

import "testing"

// TestImageLayout writes its own number to every texel of every shape.
func TestImageLayout(t *testing.T) {
	f := FormatByName("R32_UINT")
	for _, d := range []ImageDesc{
		{Width: 5, Height: 3, Format: f}, {Width: 8, Height: 4, Mips: 4, Layers: 3, Format: f},
		{Width: 4, Height: 4, Depth: 4, Mips: 3, Format: f}, {Width: 3, Height: 2, Samples: 4, Layers: 2, Format: f},
	} {
		v := mustImage(t, d)
		n := uint32(0)
		each := func(do func(x, y, z, mip, s int)) {
			for mip := range v.NumMips() {
				w, h, depth := v.Size(mip)
				for z := range max(depth, v.NumLayers()) {
					for y := range h {
						for x := range w {
							for s := range max(1, d.Samples) {
								do(x, y, z, mip, s)
							}
						}
					}
				}
			}
		}
		each(func(x, y, z, mip, s int) {
			n++
			v.Store(x, y, z, mip, s, [4]uint32{n})
		})
		if int(n)*4 != len(v.Image.Data) {
			t.Errorf("%+v: %d texels in %d bytes", d, n, len(v.Image.Data))
		}
		n = 0
		each(func(x, y, z, mip, s int) {
			n++
			if got := v.Load(x, y, z, mip, s)[0]; got != n {
				t.Fatalf("%+v: texel %d,%d,%d level %d sample %d holds %d, want %d", d, x, y, z, mip, s, got, n)
			}
		})
		w, h, _ := v.Size(0)
		for _, c := range [][5]int{{-1, 0, 0, 0, 0}, {w, 0, 0, 0, 0}, {0, h, 0, 0, 0}, {0, 0, 9, 0, 0}, {0, 0, -1, 0, 0}, {0, 0, 0, 9, 0}, {0, 0, 0, 0, 9}} {
			v.Store(c[0], c[1], c[2], c[3], c[4], [4]uint32{77})
			if got := v.Load(c[0], c[1], c[2], c[3], c[4]); got != [4]uint32{} {
				t.Errorf("%+v: %v outside reads %v", d, c, got)
			}
		}
	}
}

func TestImageErrors(t *testing.T) {
	f := FormatByName("R8G8B8A8_UNORM")
	for _, d := range []ImageDesc{
		{Width: 1, Height: 1}, {Width: 0, Height: 1, Format: f}, {Width: 1 << 16, Height: 1 << 16, Format: f}, {Width: 1, Height: 1, Samples: 3, Format: f},
		{Width: 4, Height: 4, Mips: 4, Format: f}, {Width: 1 << 16, Height: 1 << 16, Depth: 1 << 16, Layers: 1 << 16, Samples: 16, Format: f}, {Width: -1, Height: 1, Format: f},
	} {
		if _, err := NewImage(d); err == nil {
			t.Errorf("%+v makes an image", d)
		}
	}
}

func TestImageClearAndAtomic(t *testing.T) {
	img := mustImage(t, ImageDesc{Width: 3, Height: 3, Layers: 3, Format: FormatByName("R32_UINT")}).Image
	v := &ImageView{Image: img, BaseLayer: 1, Layers: 1}
	if err := v.Clear([4]uint32{9}); err != nil {
		t.Fatal(err)
	}
	n := 0
	for i := 0; i < len(img.Data); i += 4 {
		if img.Data[i] == 9 {
			n++
		}
	}
	if n != 9 || v.Load(2, 2, 0, 0, 0)[0] != 9 {
		t.Errorf("%d texels cleared, want the 9 of one layer", n)
	}
	if old := v.Atomic(1, 1, 0, 0, func(old uint64) uint64 { return old + 5 }); old != 9 || v.Load(1, 1, 0, 0, 0)[0] != 14 {
		t.Errorf("atomic returned %d", old)
	}
	if old := v.Atomic(3, 1, 0, 0, func(uint64) uint64 { t.Error("called outside"); return 0 }); old != 0 {
		t.Errorf("atomic outside returned %d", old)
	}
	bad := &ImageView{Image: &Image{Width: 4, Height: 4, Layers: 1, Samples: 1, Format: FormatByName("R8_UNORM")}}
	if bad.Clear([4]uint32{}) == nil || bad.Load(0, 0, 0, 0, 0) != [4]uint32{} {
		t.Error("an image without storage")
	}
}

func TestMemory(t *testing.T) {
	m := NewMemory()
	a, b := m.Alloc(16), m.Alloc(8)
	m.Store(a.Addr+8, 8, 0x1122334455667788)
	if m.Load(a.Addr+8, 4) != 0x55667788 || m.Load(a.Addr+12, 2) != 0x3344 {
		t.Error("little endian")
	}
	for _, addr := range []uint64{0, a.Addr - 1, a.Addr + 13, b.Addr + 8, ^uint64(0), ^uint64(0) - 3} {
		before := m.OutOfBounds
		m.Store(addr, 4, 1)
		if m.Load(addr, 4) != 0 || m.OutOfBounds != before+2 {
			t.Errorf("address %#x is not out of bounds", addr)
		}
	}
	if len(m.Bytes(b.Addr, 8)) != 8 || m.Bytes(b.Addr, 9) != nil || m.Bytes(b.Addr, -1) != nil {
		t.Error("Bytes")
	}
}
