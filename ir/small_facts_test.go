package ir

import (
	"reflect"
	"testing"

	"nirc/ir/optab"
)

// TestGenericPointers: the tag of each memory leads back to it, and to no other, whatever the place.
func TestGenericPointers(t *testing.T) {
	for m, tag := range map[Mode]uint64{ModeGlobal: 0, ModeShared: 2 << 61, ModeConstant: 3 << 61, ModeFunctionTemp: 4 << 61} {
		if got := GenericTag(m); got != tag || GenericMode(got|0xfffffffc) != m {
			t.Errorf("%s has the tag %#x, which leads to %s", m, got, GenericMode(got))
		}
	}
	if GenericTag(ModeShaderTemp) != GenericTag(ModeFunctionTemp) {
		t.Error("private memory has two tags")
	}
	if GenericMode(^uint64(0)) != ModeGlobal || GenericMode(1<<61-1) != ModeGlobal {
		t.Error("sign extended addresses and short ones are of global memory")
	}
}

// TestFloatModes: what a target lacks of what is asked, by size and by each part of a mode.
func TestFloatModes(t *testing.T) {
	for i := range FloatModes {
		m := &FloatModes[i]
		for _, bits := range FloatSizes {
			asked := FloatControls(0).With(m.Properties, bits)
			if !asked.HasAll(m.Properties, bits) || !asked.Has(m.Properties, bits) {
				t.Errorf("%s of %d bits is not what was asked", m.Name, bits)
			}
			for _, other := range FloatSizes {
				if asked.Has(m.Properties, other) != (other == bits) {
					t.Errorf("%s of %d bits asked: of %d bits too", m.Name, bits, other)
				}
			}
			if name, n, why := asked.Beyond(0); name != m.Name || n != bits || why != m.Lacking {
				t.Errorf("%s of %d bits lacks: %s of %d, %s", m.Name, bits, name, n, why)
			}
			if name, _, _ := asked.Beyond(asked); name != "" {
				t.Errorf("%s of %d bits lacks though it is there", m.Name, bits)
			}
			part := FloatControls(0).With(m.Properties&-m.Properties, bits)
			if name, _, _ := asked.Beyond(part); (name == "") != (part == asked) {
				t.Errorf("%s of %d bits, with a part of it: %q lacks", m.Name, bits, name)
			}
			if name, _, _ := part.Beyond(0); part != asked && name != "" {
				t.Errorf("a part of %s is asked, which is no mode: %q lacks", m.Name, name)
			}
		}
	}
}

// TestComposedSwizzles: a swizzle of a swizzle reads what one after the other reads.
func TestComposedSwizzles(t *testing.T) {
	list := []Swizzle{IdentitySwizzle, Broadcast(0), Broadcast(5), Broadcast(15), IdentitySwizzle.With(0, 3), IdentitySwizzle.With(7, 1).With(1, 9), Broadcast(2).With(15, 4)}
	for _, outer := range list {
		for _, inner := range list {
			got := outer.Compose(inner)
			for i := range 16 {
				if want := inner.Lane(outer.Lane(i)); got.Lane(i) != want {
					t.Errorf("%x of %x: lane %d is %d, want %d", uint64(outer), uint64(inner), i, got.Lane(i), want)
				}
			}
		}
	}
}

func TestRobustOfModes(t *testing.T) {
	r := Robust{Storage: Robust1, Uniform: Robust2, Images: Robust1}
	for m, want := range map[Mode]Robustness{ModeSSBO: Robust1, ModeUBO: Robust2, ModeSSBO | ModeUBO: Robust2, ModeGlobal: RobustOff, ModeImage: RobustOff} {
		if got := r.Of(m); got != want {
			t.Errorf("%s: %d, want %d", m, got, want)
		}
	}
	o := Robust{Storage: Robust2, Vertex: Robust1}
	if got, want := r.Max(o), (Robust{Storage: Robust2, Uniform: Robust2, Vertex: Robust1, Images: Robust1}); got != want || o.Max(r) != want {
		t.Errorf("both: %s, want %s", got, want)
	}
}

// TestMemoryIntrinsics: each memory has its load and its store, which say that they reach it, and no other does.
func TestMemoryIntrinsics(t *testing.T) {
	seen := map[Intrinsic]Mode{}
	for _, m := range []Mode{ModeSSBO, ModeUBO, ModeShared, ModeGlobal, ModeFunctionTemp, ModeConstant, ModePushConst, ModeTaskPayload} {
		load, ok := MemoryIntrinsic(m, optab.MemLoad)
		if !ok {
			t.Errorf("%s is not loaded", m)
			continue
		}
		if seen[load] != 0 {
			t.Errorf("%s loads %s and %s", load, seen[load], m)
		}
		seen[load] = m
		_, ok = MemoryIntrinsic(m, optab.MemStore)
		if readOnly := m&ModeReadOnly != 0; ok == readOnly {
			t.Errorf("%s is stored to: %v", m, ok)
		}
	}
	a, _ := MemoryIntrinsic(ModeShaderTemp, optab.MemLoad)
	if b, _ := MemoryIntrinsic(ModeFunctionTemp, optab.MemLoad); a != b {
		t.Errorf("private memory is loaded by %s and by %s", a, b)
	}
	if in, ok := MemoryIntrinsic(ModeShaderIn, optab.MemLoad); ok {
		t.Errorf("inputs are loaded as memory by %s", in)
	}
}

// TestArgumentBindings: images that are written, textures, which sampled images count as, and samplers are numbered each by itself in the order
// of the arguments, and in sets of their own where that is asked.
func TestArgumentBindings(t *testing.T) {
	s := NewShader(StageCompute, nil)
	for i, v := range []struct {
		mode     Mode
		base     Base
		location int32
		array    bool
		set      uint32
		binding  uint32
	}{
		{ModeUniform, BaseTexture, 4, false, 1, 1},
		{ModeImage, BaseImage, 1, false, 0, 0},
		{ModeUniform, BaseSampler, 0, false, 2, 0},
		{ModeUniform, BaseSampledImage, 2, true, 1, 0},
		{ModeImage, BaseImage, 9, false, 0, 1},
	} {
		ty := &Type{Base: v.base}
		if v.array {
			ty = ArrayType(ty, 2, 0)
		}
		x := s.NewVariable(v.mode, ty, "")
		x.Location = v.location
		defer func() {
			if set, n := s.ArgumentBinding(x, true); set != v.set || n != v.binding {
				t.Errorf("%d: set %d, number %d, want %d, %d", i, set, n, v.set, v.binding)
			}
			if set, n := s.ArgumentBinding(x, false); set != 0 || n != v.binding {
				t.Errorf("%d: number %d of set %d, want %d of 0", i, n, set, v.binding)
			}
		}()
	}
	bound := s.NewVariable(ModeUniform, &Type{Base: BaseTexture}, "") // has a number already
	bound.HasBinding = true
	s.NewVariable(ModeShaderTemp, &Type{Base: BaseTexture}, "")
}

// TestPackedSemantics: each fact of an input or output has bits of its own in the constant index, and the flags are the last: 32 to 40.
func TestPackedSemantics(t *testing.T) {
	var one IOSemantics
	v := reflect.ValueOf(&one).Elem()
	used := uint64(0)
	for i := range v.NumField() {
		one = IOSemantics{}
		f := v.Field(i)
		if f.Kind() == reflect.Bool {
			f.SetBool(true)
		} else {
			f.SetUint(0xff)
		}
		bits := one.Pack()
		if bits == 0 || bits&used != 0 {
			t.Errorf("%s is packed as %#x, beside %#x", v.Type().Field(i).Name, bits, used)
		}
		if flag := f.Kind() == reflect.Bool; flag != (bits >= 1<<32) || bits >= 1<<41 {
			t.Errorf("%s is packed as %#x", v.Type().Field(i).Name, bits)
		}
		if used |= bits; UnpackIOSemantics(bits) != one {
			t.Errorf("%s is unpacked as %+v", v.Type().Field(i).Name, UnpackIOSemantics(bits))
		}
	}
}
