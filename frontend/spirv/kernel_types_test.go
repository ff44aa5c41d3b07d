package spirv

import (
	"testing"

	"nirc/ir"
)

// TestKernelLayout: sizes, alignments and strides of OpenCL's types: numbers and vectors stand at multiples of their sizes, vectors of three
// are as large as those of four, structs are padded to their members' alignment unless they are packed.
func TestKernelLayout(t *testing.T) {
	tr := &translator{}
	number := func(kind tkind, bits uint8) *typ { return &typ{kind: kind, bits: bits} }
	char, short, word, long, half := number(tInt, 8), number(tInt, 16), number(tInt, 32), number(tInt, 64), number(tFloat, 16)
	boolean := number(tBool, 1)
	vector := func(of *typ, n uint32) *typ { return &typ{kind: tVector, elem: of, bits: of.bits, n: n} }
	array := func(of *typ, n uint32) *typ {
		return &typ{kind: tArray, elem: of, n: n, stride: tr.kernelStride(0, of)}
	}
	structure := func(packed bool, members ...*typ) *typ {
		s := &typ{kind: tStruct, packed: packed, members: members, memb: make([]ir.Field, len(members))}
		for k := range s.memb {
			s.memb[k].Offset = -1
		}
		tr.placeMembers(0, s)
		return s
	}
	mixed := []*typ{char, long, short, vector(half, 3), word, array(short, 3)}
	for _, c := range []struct {
		name        string
		t           *typ
		size, align uint64
	}{
		{"char", char, 1, 1}, {"short", short, 2, 2}, {"int", word, 4, 4}, {"long", long, 8, 8}, {"half", half, 2, 2}, {"bool", boolean, 4, 4},
		{"char2", vector(char, 2), 2, 2}, {"char3", vector(char, 3), 4, 4}, {"half3", vector(half, 3), 8, 8}, {"int3", vector(word, 3), 16, 16}, {"int4", vector(word, 4), 16, 16},
		{"long8", vector(long, 8), 64, 64}, {"long16", vector(long, 16), 128, 128}, {"bool3", vector(boolean, 3), 16, 16}, {"bool2", vector(boolean, 2), 8, 8},
		{"pointer", &typ{kind: tPointer}, 8, 8}, {"void", &typ{kind: tVoid}, 1, 1},
		{"int3[5]", array(vector(word, 3), 5), 80, 16}, {"char[3]", array(char, 3), 3, 1}, {"unsized", &typ{kind: tRuntimeArray, elem: long, stride: 8}, 0, 8},
		{"struct", structure(false, mixed...), 48, 8}, {"packed", structure(true, mixed...), 29, 1}, {"empty", structure(false), 0, 1},
		{"struct of structs", structure(false, char, structure(false, short, char), structure(true, long, char)), 16, 2},
		{"array of structs", array(structure(false, word, char), 3), 24, 4},
	} {
		size, align := c.t.kernelLayout()
		if size != c.size || align != c.align || tr.kernelStride(0, c.t) != uint32(c.size) {
			t.Errorf("%s: %d bytes by %d, %d apart; want %d by %d", c.name, size, align, tr.kernelStride(0, c.t), c.size, c.align)
		}
	}
	for k, want := range []int32{0, 8, 16, 24, 32, 36} {
		if at := structure(false, mixed...).memb[k].Offset; at != want {
			t.Errorf("member %d is at %d, want %d", k, at, want)
		}
	}
	for k, want := range []int32{0, 1, 9, 11, 19, 23} {
		if at := structure(true, mixed...).memb[k].Offset; at != want {
			t.Errorf("packed member %d is at %d, want %d", k, at, want)
		}
	}
	placed := &typ{kind: tStruct, members: []*typ{char, word, char}, memb: []ir.Field{{Offset: -1}, {Offset: 20}, {Offset: -1}}}
	if tr.placeMembers(0, placed); placed.memb[0].Offset != 0 || placed.memb[1].Offset != 20 || placed.memb[2].Offset != 24 {
		t.Errorf("members at %d, %d, %d", placed.memb[0].Offset, placed.memb[1].Offset, placed.memb[2].Offset)
	}
}

// TestUnderAligned: a kernel's access says that its place is less aligned than its type only of numbers and vectors, of which components count.
func TestUnderAligned(t *testing.T) {
	word := &typ{kind: tInt, bits: 32}
	vector := &typ{kind: tVector, elem: word, bits: 32, n: 4}
	for _, c := range []struct {
		t      *typ
		kernel bool
		align  uint32
		want   bool
	}{
		{word, true, 3, true}, {word, true, 4, false}, {word, true, 2, true}, {word, false, 2, false}, {vector, true, 4, false}, {vector, true, 2, true},
		{&typ{kind: tArray, elem: word, n: 2, stride: 4}, true, 2, false}, {nil, true, 1, false},
	} {
		tr := &translator{}
		tr.kernel = c.kernel
		if got := tr.underAligned(&pointer{typ: c.t}, c.align); got != c.want {
			t.Errorf("%+v by %d in a kernel %v: %v", c.t, c.align, c.kernel, got)
		}
	}
}
