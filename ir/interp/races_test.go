package interp

import (
	"context"
	"reflect"
	"regexp"
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

// racePlaces are the kinds of the two accesses of a race that is reported, and the instructions that make them.
var racePlaces = regexp.MustCompile(`: (\w+) of .*? \((.*?)\) and (\w+) of .*? \((.*?)\), which`)

// checkPlaces: a race that is reported is at instructions that do what is said of them.
func checkPlaces(t *testing.T, err error) {
	t.Helper()
	m := racePlaces.FindStringSubmatch(err.Error())
	if m == nil || !strings.Contains(m[2], m[1]+"_") && !strings.Contains(m[2], "_"+m[1]) || !strings.Contains(m[4], m[3]+"_") && !strings.Contains(m[4], "_"+m[3]) {
		t.Errorf("the places are other instructions: %v", err)
	}
}

// TestOutputRaces: what invocations of a mesh shader do to outputs that they share is a race at the places of both, unless it is to
// an output of their own.
func TestOutputRaces(t *testing.T) {
	const text = `shader mesh "main" {
  info { workgroup_size=2,1,1 mesh_max_vertices=2 mesh_max_primitives=2 mesh_primitive=1 }
  var @1 shader_out f32[2] "v" { location=VAR0 }
  var @2 shader_out u32[2] "p" { location=VAR1 per_primitive }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_local_invocation_index
      %1:32 = load_const 0x1
      %2:32 = ixor %0, %1
      %3:32 = load_const 0x0
      set_vertex_and_primitive_count %3, %3, %3
      ACCESSES
  }
}
`
	for _, c := range []struct {
		name, accesses string
		race           bool
	}{
		{"own vertices", "store_per_vertex_output %1, OWN, %3 write_mask=x src_type=u32 io_semantics={VAR0 1}\n%4:32 = load_per_vertex_output OWN, %3 dest_type=u32 io_semantics={VAR0 1}", false},
		{"a store, then a load of another's", "store_per_vertex_output %1, OWN, %3 write_mask=x src_type=u32 io_semantics={VAR0 1}\n%4:32 = load_per_vertex_output OTHER, %3 dest_type=u32 io_semantics={VAR0 1}", true},
		{"a load of another's, then a store", "%4:32 = load_per_vertex_output OTHER, %3 dest_type=u32 io_semantics={VAR0 1}\nstore_per_vertex_output %1, OWN, %3 write_mask=x src_type=u32 io_semantics={VAR0 1}", true},
		{"primitives", "store_per_primitive_output %1, OWN, %3 write_mask=x src_type=u32 io_semantics={VAR1 1}\n%4:32 = load_per_primitive_output OTHER, %3 dest_type=u32 io_semantics={VAR1 1}", true},
		{"a variable", "%4:32 = deref_var @1\n%5:32 = deref_array %4[OWN]\nstore_deref %5, %1 write_mask=x\n%6:32 = deref_array %4[OTHER]\n%7:32 = load_deref %6", true},
	} {
		p := stageProgram(t, strings.Replace(text, "ACCESSES", strings.NewReplacer("OWN", "%0", "OTHER", "%2").Replace(c.accesses), 1))
		_, err := emu.DrawMesh(context.Background(), nil, p.(emu.PayloadProgram), &emu.Env{Mem: emu.NewMemory()}, emu.MeshParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}})
		if (err != nil) != c.race {
			t.Errorf("%s: %v", c.name, err)
		} else if err != nil {
			checkPlaces(t, err)
		}
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
			} else if err != nil {
				checkPlaces(t, err)
			}
		}
	}
}
