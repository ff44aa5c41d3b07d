package ir

import (
	"testing"
)

// sizedType is a type, and how large it is without a layout and with one.
type sizedType struct {
	name        string
	t           *Type
	size        uint64
	laid, align uint64
	slots       uint32
	parts       int
}

// laidOut are types with what they take: bytes as they are laid out, bytes and alignment once they are, slots between stages, and parts.
func laidOut() []sizedType {
	f := func(n uint8) *Type { return VectorType(BaseFloat, 32, n) }
	d := func(n uint8) *Type { return VectorType(BaseFloat, 64, n) }
	matrix := func(stride uint32, rowMajor bool) *Type {
		m := *MatrixType(32, 3, 2)
		m.Stride, m.RowMajor = stride, rowMajor
		return &m
	}
	loose := &Type{Base: BaseStruct, Name: "S", Fields: []Field{{Name: "a", Type: ScalarType(BaseInt, 16), Offset: -1}, {Name: "b", Type: f(3), Offset: -1}, {Name: "c", Type: BoolType, Offset: -1}}}
	bytes := &Type{Base: BaseStruct, Fields: []Field{{Type: ScalarType(BaseUint, 8), Offset: -1}, {Type: ScalarType(BaseUint, 16), Offset: -1}, {Type: ScalarType(BaseUint, 8), Offset: -1}}}
	fixed := &Type{Base: BaseStruct, Name: "T", Fields: []Field{{Name: "a", Type: d(3), Offset: 8}, {Name: "b", Type: f(1), Offset: 4}}}
	return []sizedType{
		{"void", VoidType, 0, 4, 4, 1, 0},
		{"bool", BoolType, 4, 4, 4, 1, 0},
		{"u8", ScalarType(BaseUint, 8), 1, 1, 1, 1, 0},
		{"vec3", f(3), 12, 12, 16, 1, 3},
		{"vec2f64", d(2), 16, 16, 16, 1, 2},
		{"vec3f64", d(3), 24, 24, 32, 2, 3},
		{"mat3x2", matrix(0, false), 24, 24, 8, 3, 3},
		{"mat3x2:16", matrix(16, false), 40, 40, 8, 3, 3},
		{"mat3x2:16 row major", matrix(16, true), 28, 28, 8, 3, 3},
		{"mat2x4f64", MatrixType(64, 2, 4), 64, 64, 32, 4, 2},
		{"vec3[2]", ArrayType(f(3), 2, 0), 24, 32, 16, 2, 2},
		{"vec3[2:20]", ArrayType(f(3), 2, 20), 32, 40, 16, 2, 2},
		{"f32[:4]", ArrayType(f(1), 0, 4), 0, 0, 4, 0, 0},
		{"struct", loose, 0, 32, 16, 3, 3},
		{"struct with offsets", fixed, 32, 32, 32, 3, 2},
		{"struct of bytes", bytes, 0, 6, 2, 3, 3},
		{"struct[2]", ArrayType(loose, 2, 0), 0, 64, 16, 6, 2},
		{"sampler", &Type{Base: BaseSampler}, 0, 4, 4, 1, 0},
	}
}

func TestTypeSizes(t *testing.T) {
	for _, c := range laidOut() {
		if got := c.t.Size(); got != c.size {
			t.Errorf("%s has %d bytes, want %d", c.name, got, c.size)
		}
		if c.t.SlotCount() != c.slots || c.t.ChildCount() != c.parts {
			t.Errorf("%s: %d slots of %d parts, want %d of %d", c.name, c.t.SlotCount(), c.t.ChildCount(), c.slots, c.parts)
		}
		laid, size, align := c.t.Explicit()
		if size != c.laid || align != c.align {
			t.Errorf("%s is laid out in %d bytes, aligned by %d, want %d by %d", c.name, size, align, c.laid, c.align)
		}
		again, size2, align2 := laid.Explicit()
		if !again.Equal(laid) || size2 != size || align2 != align {
			t.Errorf("%s is laid out twice: %s in %d bytes, then %s in %d", c.name, laid, size, again, size2)
		}
		if !laid.Bare().Equal(c.t.Bare()) {
			t.Errorf("%s without layout is %s, and %s after it was laid out", c.name, c.t.Bare(), laid.Bare())
		}
	}
	_, e, _ := ArrayType(VectorType(BaseFloat, 32, 3), 2, 0).Explicit()
	if s, size, _ := laidOut()[13].t.Explicit(); s.Fields[0].Offset != 0 || s.Fields[1].Offset != 16 || s.Fields[2].Offset != 28 || size != e {
		t.Errorf("the members lie at %d, %d, %d", s.Fields[0].Offset, s.Fields[1].Offset, s.Fields[2].Offset)
	}
}

// TestTypesDiffer compares each type with each other, and with itself changed in one field.
func TestTypesDiffer(t *testing.T) {
	list, again := laidOut(), laidOut()
	for i := range list {
		for j := range again {
			if list[i].t.Equal(again[j].t) != (i == j) {
				t.Errorf("%s and %s: equal is %v", list[i].name, again[j].name, i != j)
			}
		}
	}
	image := Type{Base: BaseImage, Texel: BaseFloat}
	for name, change := range map[string]func(*Type){
		"base": func(x *Type) { x.Base = BaseTexture }, "dim": func(x *Type) { x.Dim = Dim3D }, "array": func(x *Type) { x.Arrayed = true },
		"shadow": func(x *Type) { x.Shadow = true }, "samples": func(x *Type) { x.MS = true }, "texel": func(x *Type) { x.Texel = BaseInt }, "bits": func(x *Type) { x.TexelBits = 64 },
	} {
		other := image
		if !image.Equal(&other) {
			t.Errorf("an image is not equal to its copy")
		}
		if change(&other); image.Equal(&other) {
			t.Errorf("images of another %s are equal", name)
		}
	}
	block := func(change func(*Field)) *Type {
		f := Field{Name: "a", Type: BoolType, Offset: 4, Location: 1}
		change(&f)
		return &Type{Base: BaseStruct, Block: true, Fields: []Field{f}}
	}
	same := block(func(*Field) {})
	if !same.Equal(block(func(f *Field) { f.Name = "b" })) {
		t.Error("the names of members count")
	}
	for name, change := range map[string]func(*Field){
		"type": func(f *Field) { f.Type = ScalarType(BaseInt, 32) }, "offset": func(f *Field) { f.Offset = 8 }, "location": func(f *Field) { f.Location = 2 }, "interpolation": func(f *Field) { f.Interp = InterpFlat },
	} {
		if same.Equal(block(change)) {
			t.Errorf("structs whose member has another %s are equal", name)
		}
	}
	if same.Equal(nil) || (*Type)(nil).Equal(same) || !(*Type)(nil).Equal(nil) {
		t.Error("no type is equal to one")
	}
}

func TestHasRayQuery(t *testing.T) {
	query := &Type{Base: BaseRayQuery}
	inside := &Type{Base: BaseStruct, Fields: []Field{{Type: BoolType}, {Type: ArrayType(ArrayType(query, 2, 0), 3, 0)}}}
	for _, c := range []struct {
		t    *Type
		want bool
	}{{query, true}, {ArrayType(query, 2, 0), true}, {inside, true}, {ArrayType(inside, 2, 0), true}, {BoolType, false}, {&Type{Base: BaseAccelStruct}, false}} {
		if c.t.HasRayQuery() != c.want {
			t.Errorf("%s: a ray query inside is %v", c.t, !c.want)
		}
	}
}
