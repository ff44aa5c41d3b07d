package interp

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// TestLetOn: younger fragments may pass where all lanes of the wave that still run have come to the end of their critical section;
// lanes that have left, and those that the launch does not have, hold nobody up.
func TestLetOn(t *testing.T) {
	mask := func(bits int) (m emu.Mask) {
		for lane := range 4 {
			if bits>>lane&1 != 0 {
				m.Set(lane)
			}
		}
		return m
	}
	for _, c := range []struct {
		active, dead int // masks of three lanes
		want         uint64
	}{{7, 0, 1}, {3, 0, 0}, {3, 4, 1}, {1, 4, 0}, {6, 1, 1}, {6, 0, 0}, {4, 3, 1}, {7, 2, 1}, {8, 7, 1}} {
		order := new(emu.PixelOrder)
		w := &Wave{l: &emu.Launch{NumLanes: 3, Pixels: order}, active: mask(c.active), dead: mask(c.dead)}
		w.letOn()
		if got := reflect.ValueOf(order).Elem().FieldByName("signalled").Uint(); got != c.want {
			t.Errorf("lanes %03b have come and %03b left: fences %b are signalled, want %b", c.active, c.dead, got, c.want)
		}
	}
}

// raceMemories are the ways to memory that invocations share: each makes an access to a word at an offset.
var raceMemories = map[string]func(b *ir.Builder, kind string, offset *ir.Def){
	"a buffer": func(b *ir.Builder, kind string, offset *ir.Def) {
		access(b, kind, [3]ir.Intrinsic{ir.IntrStoreSsbo, ir.IntrLoadSsbo, ir.IntrSsboAtomic}, b.Imm32(0), offset)
	},
	"an address": func(b *ir.Builder, kind string, offset *ir.Def) {
		access(b, kind, [3]ir.Intrinsic{ir.IntrStoreGlobal, ir.IntrLoadGlobal, ir.IntrGlobalAtomic}, &b.Intrinsic(ir.IntrLoadSsboAddress, 1, 64, b.Imm32(0), offset).Def)
	},
	"workgroup memory": func(b *ir.Builder, kind string, offset *ir.Def) {
		access(b, kind, [3]ir.Intrinsic{ir.IntrStoreShared, ir.IntrLoadShared, ir.IntrSharedAtomic}, offset)
	},
	"a generic pointer to the device's memory": func(b *ir.Builder, kind string, offset *ir.Def) {
		genericAccess(b, kind, &b.Intrinsic(ir.IntrLoadSsboAddress, 1, 64, b.Imm32(0), offset).Def)
	},
	"a generic pointer to workgroup memory": func(b *ir.Builder, kind string, offset *ir.Def) {
		genericAccess(b, kind, b.Ior(b.U2u64(offset), b.Const(64, ir.GenericTag(ir.ModeShared))))
	},
}

// access stores, loads or adds to a word by one of three intrinsics, which take where it is after what they store or before what they add.
func access(b *ir.Builder, kind string, ops [3]ir.Intrinsic, at ...*ir.Def) {
	switch kind {
	case "store":
		b.Intrinsic(ops[0], 0, 0, append([]*ir.Def{b.Imm32(7)}, at...)...).Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 4)
	case "load":
		b.Intrinsic(ops[1], 1, 32, at...).Set(ir.IdxAlignMul, 4)
	default:
		b.Intrinsic(ops[2], 1, 32, append(at, b.Imm32(1))...).Set(ir.IdxAtomicOp, uint64(ir.AtomicIAdd))
	}
}

// genericAccess is access by a generic pointer.
func genericAccess(b *ir.Builder, kind string, ptr *ir.Def) {
	b.Shader.Info.Kernel = true
	d := b.DerefCast(ptr, ir.ModeGlobal|ir.ModeShared|ir.ModeFunctionTemp, ir.VectorType(ir.BaseUint, 32, 1), 4)
	switch kind {
	case "store":
		b.StoreDeref(d, b.Imm32(7), 0, 0)
	case "load":
		b.LoadDeref(d, 0)
	default:
		b.Intrinsic(ir.IntrDerefAtomic, 1, 32, d, b.Imm32(1)).Set(ir.IdxAtomicOp, uint64(ir.AtomicIAdd))
	}
}

// TestRaces: accesses of invocations to one word race, if one of them stores there, by whichever way they come to it; those to words of
// their own do not.
func TestRaces(t *testing.T) {
	for name, memory := range raceMemories {
		for _, c := range []struct {
			steps []string // kinds of accesses, and whose word each is to
			race  bool
		}{
			{[]string{"store own", "load own"}, false}, {[]string{"store own", "load next"}, true},
			{[]string{"load next", "load own"}, false}, {[]string{"load next", "store own"}, true},
			{[]string{"add first", "add first"}, false}, {[]string{"add first", "load first"}, true}, {[]string{"add own", "store own"}, false}, {[]string{"add next", "store own"}, true},
		} {
			k := newBench(t, 1)
			k.s.SharedSize = 64
			for _, step := range c.steps {
				kind, whose, _ := strings.Cut(step, " ")
				word := k.b.Imm32(0)
				switch whose {
				case "own":
					word = k.lane
				case "next":
					word = k.b.Iand(k.b.IAddImm(k.lane, 1), k.b.Imm32(7))
				}
				memory(k.b, kind, k.b.IMulImm(word, 4))
			}
			if err := ir.Validate(k.s); err != nil {
				t.Fatal(err)
			}
			p, err := New(k.s, Options{WaveSize: 4})
			if err != nil {
				t.Fatal(err)
			}
			mem := emu.NewMemory()
			var bind emu.Bindings
			bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: mem.Alloc(64).Addr, Size: 64}})
			err = emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}})
			if (err != nil) != c.race || err != nil && !strings.Contains(err.Error(), "race on") {
				t.Errorf("%s, %q: %v", name, c.steps, err)
			}
		}
	}
}
