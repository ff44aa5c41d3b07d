package emu

import (
	"context"
	"testing"

	"nirc/ir"
)

// TestTileStores draws with a program that adds to the attachment itself: two
// instances of a triangle that covers all, the second on what the first left, the last
// component masked.
func TestTileStores(t *testing.T) {
	view := mustImage(t, ImageDesc{Width: 4, Height: 4, Format: FormatByName("R32G32B32A32_SFLOAT"), Samples: 2})
	frag := &fakeProgram{stage: ir.StageFragment, wave: 64}
	frag.io = StageIO{TileStores: true, TileLoads: true, Outputs: []OutputSlot{{Slot: ir.SlotData0, Mask: 15}}}
	frag.run = func(l *Launch, _ int) (Status, error) {
		for i := range l.NumLanes {
			f := &l.Fragment[i]
			for s := range 2 {
				c := l.Draw.Color[0].View.Load(int(f.X), int(f.Y), int(f.Prim.Layer), 0, s)
				for k := range c {
					c[k] = fb(bf(c[k]) + float32(s+1))
				}
				l.Tile = append(l.Tile, TileStore{Lane: i, Samples: 1 << s, Mask: 7, Color: c})
			}
			l.Live.Set(i)
		}
		return StatusDone, nil
	}
	p := &Pipeline{Vertex: vertexShader(64, 1), Fragment: frag, Env: &Env{Mem: NewMemory(), Bindings: &Bindings{}}, Topology: TriangleList,
		Bindings:   []VertexBinding{{Data: floatBytes(-1, -1, 3, -1, -1, 3), Stride: 8}},
		Attributes: []VertexAttribute{{Format: FormatByName("R32G32_SFLOAT")}}, Color: []Attachment{{View: view}}}
	if err := Draw(context.Background(), p, DrawParams{VertexCount: 3, InstanceCount: 2}); err != nil {
		t.Fatal(err)
	}
	for y := range 4 {
		for x := range 4 {
			for s := range 2 {
				n := fb(float32(2 * (s + 1)))
				if c := view.Load(x, y, 0, 0, s); c != [4]uint32{n, n, n, 0} {
					t.Fatalf("pixel %d, %d, sample %d: %x", x, y, s, c)
				}
			}
		}
	}
}
