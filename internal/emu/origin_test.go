package emu

import (
	"context"
	"strings"
	"testing"

	"nirc/ir"
)

// A wave that stores, branches or goes to an address by what nothing wrote is reported, with the piece of
// garbage that it hangs on; one that only holds it is not.
func TestOrigins(t *testing.T) {
	type wave struct {
		l          *Launch
		regs, priv []uint32
		at         uint64 // of a buffer of 256 bytes
	}
	store := func(w *wave, place uint32, at uint64, v uint32) {
		w.l.Races.Global(0, w.at+at, 4, AccessWrite, place)
		w.l.Env.Mem.Store(w.at+at, 4, uint64(v))
	}
	none := uint32(0)
	for _, c := range []struct {
		name, want string
		run        func(w *wave)
	}{
		{"a result", "the result of the store of invocation 1 of workgroup 0 at address 0x20c000104 (step 7) hangs on what nothing wrote, register 3 of wave 1", func(w *wave) {
			if w.l.Compute.SubgroupID == 1 {
				store(w, 7, 4, w.regs[3]&1<<5)
			}
		}},
		{"an address", "the address of the store of invocation 0 of workgroup 0 (step 3) hangs on what nothing wrote, private memory, byte 16 of wave 0", func(w *wave) {
			if w.l.Compute.SubgroupID == 0 {
				store(w, 3, uint64(w.priv[5]%8*4), 1)
			}
		}},
		{"a branch", "the way of invocation 0 of workgroup 0 to the store (step", func(w *wave) {
			if w.l.Compute.SubgroupID != 0 {
				return
			}
			if w.regs[7]&1 != 0 {
				store(w, 1, 0, 1)
			} else {
				store(w, 2, 0, 1)
			}
		}},
		{"a branch around", "hangs on what nothing wrote, register 7 of wave 0", func(w *wave) {
			if w.l.Compute.SubgroupID == 0 && w.regs[7]&1 != 0 {
				store(w, 1, 0, 1)
			}
		}},
		{"workgroup memory", "hangs on what nothing wrote, workgroup memory, byte 8", func(w *wave) {
			if w.l.Compute.SubgroupID == 0 {
				store(w, 1, 0, uint32(LoadBytes(w.l.Compute.Shared[12:], 4)))
			}
		}},
		{"two registers", "hangs on what nothing wrote, register 2 ", func(w *wave) {
			if w.l.Compute.SubgroupID == 0 {
				store(w, 1, 0, w.regs[2]+w.regs[6])
			}
		}},
		{"nothing", "", func(w *wave) { store(w, 1, 8*uint64(w.l.Compute.SubgroupID), w.regs[2]*none+3) }},
	} {
		mem := NewMemory()
		p := &fakeProgram{stage: ir.StageCompute, size: [3]uint32{2, 1, 1}, wave: 1, share: 32}
		buf := mem.Alloc(256)
		p.run = func(l *Launch, _ int) (Status, error) {
			w := &wave{l: l, regs: make([]uint32, 8), priv: make([]uint32, 8), at: buf.Addr}
			l.Races.Watch(RaceOptions{Where: func(place uint32) string { return "step " + string(rune('0'+place)) }})
			g := l.Garbage()
			for r := range w.regs {
				g.Mark("register", r, 2)
				w.regs[r] = g.Word()
			}
			b := make([]byte, 32)
			g.Mark("private memory, byte", 0, 0)
			g.Fill(b)
			for i := range w.priv {
				w.priv[i] = uint32(LoadBytes(b[4*i:], 4))
			}
			c.run(w)
			return StatusDone, nil
		}
		found, clean := 0, 0
		for seed := range uint64(16) {
			copy(buf.Data, make([]byte, 256))
			params := DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: Limits{Check: true, Seed: seed + 1}}
			err := Dispatch(context.Background(), p, &Env{Mem: mem}, params)
			switch {
			case err == nil:
				clean++
			case c.want == "" || !strings.Contains(strings.ReplaceAll(err.Error(), "0x"+hex(buf.Addr+4), "0x20c000104"), c.want):
				t.Errorf("%s, seed %d: %v", c.name, seed, err)
			default:
				found++
			}
			if err := Dispatch(Once(context.Background()), p, &Env{Mem: mem}, params); err != nil {
				t.Errorf("%s, once: %v", c.name, err)
			}
		}
		if c.want == "" && found > 0 || c.want != "" && found < 4 {
			t.Errorf("%s: %d runs of %d show it", c.name, found, found+clean)
		}
	}
}

func hex(v uint64) string {
	s := ""
	for ; v > 0; v >>= 4 {
		s = string("0123456789abcdef"[v&15]) + s
	}
	return s
}

// What a second run leaves is undone: memory, images and counts are those of the first.
func TestSecondRunLeavesNothing(t *testing.T) {
	mem := NewMemory()
	buf := mem.Alloc(8)
	p := &fakeProgram{stage: ir.StageCompute, size: [3]uint32{1, 1, 1}, wave: 1}
	view := mustImage(t, ImageDesc{Width: 1, Height: 1, Format: FormatByName("R32_UINT")})
	runs := 0
	p.run = func(l *Launch, _ int) (Status, error) {
		runs++
		mem.Store(buf.Addr, 4, mem.Load(buf.Addr, 4)+1)
		mem.Load(1, 4)
		view.Store(0, 0, 0, 0, 0, Vec4{view.Load(0, 0, 0, 0, 0)[0] + 1})
		return StatusDone, nil
	}
	env := &Env{Mem: mem, Bindings: &Bindings{}}
	env.Bindings.Set(0, 0, []Descriptor{{Type: DescStorageImage, Image: view}})
	var stats DispatchStats
	if err := Dispatch(context.Background(), p, env, DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: Limits{Check: true}, Stats: &stats}); err != nil {
		t.Fatal(err)
	}
	if a, b := mem.Load(buf.Addr, 4), view.Load(0, 0, 0, 0, 0)[0]; runs != 2 || a != 1 || b != 1 || mem.OutOfBounds != 1 || stats.Workgroups != 1 {
		t.Errorf("%d runs leave %d, %d, %d accesses out of bounds and %d workgroups", runs, a, b, mem.OutOfBounds, stats.Workgroups)
	}
}

// A draw whose texels, or memory, hang on what its waves find where nothing was written is reported, with the
// piece of garbage and the stage; one that only holds it is not.
func TestDrawOrigins(t *testing.T) {
	for _, c := range []struct {
		name, want string
		vertex     bool
		run        func(l *Launch, regs []uint32)
	}{
		{"a colour", "hangs on what nothing wrote, register 2 of wave 1, of the fragment stage", false, func(l *Launch, regs []uint32) {
			l.Out[0][ir.SlotData0][1] = fb(float32(regs[2] % 2))
		}},
		{"memory", "what is stored at address", false, func(l *Launch, regs []uint32) { l.Env.Mem.Store(l.Env.Mem.bufs[0].Addr, 4, uint64(regs[0])) }},
		{"a position", "register 3 of wave 0, of the vertex stage", true, func(l *Launch, regs []uint32) {
			l.Out[2][ir.SlotPos][0] = fb(-1 + float32(regs[3]%3))
		}},
		{"nothing", "", false, func(l *Launch, regs []uint32) { l.Out[0][ir.SlotData0][1] = regs[1] * 0 }},
	} {
		found := 0
		for seed := range uint64(8) {
			spoil := func(p *fakeProgram) {
				run := p.run
				p.run = func(l *Launch, pc int) (Status, error) {
					st, err := run(l, pc)
					g, regs := l.Garbage(), make([]uint32, 4)
					for r := range regs {
						g.Mark("register", r, 2)
						regs[r] = g.Word()
					}
					c.run(l, regs)
					return st, err
				}
			}
			p := testPipeline(t, 8, 8, 1, "R8G8B8A8_UNORM", 1, quad(0), constantColor(1, 0, 0, 1))
			p.Topology = TriangleStrip
			p.Env.Mem.Alloc(16)
			if c.vertex {
				spoil(p.Vertex.(*fakeProgram))
			} else {
				spoil(p.Fragment.(*fakeProgram))
			}
			params := DrawParams{VertexCount: 4, InstanceCount: 1, Limits: Limits{Check: true, Seed: seed + 1}}
			err := Draw(context.Background(), p, params)
			switch {
			case err == nil:
			case c.want == "" || !strings.Contains(err.Error(), c.want):
				t.Errorf("%s, seed %d: %v", c.name, seed, err)
			default:
				found++
			}
			if err := Draw(Once(context.Background()), p, params); err != nil {
				t.Errorf("%s, once: %v", c.name, err)
			}
		}
		if c.want == "" && found > 0 || c.want != "" && found < 3 {
			t.Errorf("%s: %d runs of 8 show it", c.name, found)
		}
	}
}
