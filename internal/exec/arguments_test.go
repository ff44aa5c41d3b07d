package exec

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"nirc/backend/object"
	"nirc/internal/emu"
)

// TestFormatArguments: the format of an image that a kernel asks for needs that argument, and it must be an image whose channels have a name.
func TestFormatArguments(t *testing.T) {
	image := Arg{Image: kernelImage(t, "R8G8B8A8_UNORM", false)}
	for _, c := range []struct {
		name string
		args []Arg
		want string // of the error
	}{
		{"image_format.0", nil, "argument 0 is an image"},
		{"image_format.1", []Arg{image}, "argument 1 is an image"},
		{"image_format.1", []Arg{image, {Data: make([]byte, 4)}}, "argument 1 is an image"},
		{"image_format.0", []Arg{{Data: make([]byte, 4)}, image}, "argument 0 is an image"},
		{"image_format.0", []Arg{{Image: kernelImage(t, "B10G11R11_UFLOAT_PACK32", false)}}, "no name for the channels"},
		{"image_format.1", []Arg{{}, image}, "the kernel has 0"}, // which is asked last
	} {
		x := &Execution{Args: c.args}
		_, err := x.arguments(emu.NewMemory(), &object.Reflection{Arguments: []object.Argument{{Kind: "hidden", Name: c.name, Size: 8}}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %d arguments: %v, want %q", c.name, len(c.args), err, c.want)
		}
	}
}

// TestArgumentValues: what each kind of argument puts into the push constants and memory, and what is refused.
func TestArgumentValues(t *testing.T) {
	arg := func(kind, name string, offset, size uint32) object.Argument {
		return object.Argument{Kind: kind, Name: name, Offset: offset, Size: size}
	}
	program := func(change func(a *object.Argument)) []object.Argument {
		a := arg("program", "", 0, 8)
		a.Memory, a.Init, a.Links = 16, []byte{9, 8}, []object.ArgumentLink{{At: 8, To: 4}}
		change(&a)
		return []object.Argument{a}
	}
	for _, c := range []struct {
		list   []object.Argument
		args   []Arg
		groups [3]uint32
		want   string // of the push constants, or of the error
	}{
		{[]object.Argument{arg("value", "v", 4, 2)}, []Arg{{Data: []byte{7, 6}}}, [3]uint32{1, 1, 1}, "000000000706"},
		{[]object.Argument{arg("value", "v", 4, 2)}, []Arg{{Data: []byte{7}}}, [3]uint32{1, 1, 1}, `argument 0 "v" has 2 bytes, not 1`},
		{[]object.Argument{arg("value", "v", 0, 2)}, nil, [3]uint32{1, 1, 1}, `argument 0 "v" (value) is not given`},
		{[]object.Argument{arg("value", "v", 0, 1), arg("value", "w", 1, 1)}, []Arg{{Data: []byte{7}}}, [3]uint32{1, 1, 1}, `argument 1 "w" (value) is not given`},
		{[]object.Argument{arg("value", "v", 0, 1)}, []Arg{{Data: []byte{7}}, {}}, [3]uint32{1, 1, 1}, "2 arguments are given, the kernel has 1"},
		{[]object.Argument{arg("local", "l", 0, 8)}, []Arg{{}}, [3]uint32{1, 1, 1}, `argument 0 "l" points to workgroup memory`},
		{[]object.Argument{arg("local", "l", 0, 8), arg("local", "m", 8, 8)}, []Arg{{Local: 20}, {Local: 4}}, [3]uint32{1, 1, 1}, "00000000000000008000000000000000"},
		{[]object.Argument{arg("image", "i", 0, 0)}, []Arg{{Data: []byte{1}}}, [3]uint32{1, 1, 1}, `argument 0 "i" is an image`},
		{[]object.Argument{arg("hidden", "work_dim", 0, 4)}, nil, [3]uint32{1, 1, 1}, "01000000"},
		{[]object.Argument{arg("hidden", "work_dim", 0, 4)}, nil, [3]uint32{5, 1, 1}, "01000000"},
		{[]object.Argument{arg("hidden", "work_dim", 0, 4)}, nil, [3]uint32{1, 2, 1}, "02000000"},
		{[]object.Argument{arg("hidden", "work_dim", 0, 4)}, nil, [3]uint32{2, 1, 2}, "03000000"},
		{[]object.Argument{arg("hidden", "global_offset", 4, 12)}, nil, [3]uint32{2, 1, 2}, "00000000000000000000000000000000"},
		{program(func(a *object.Argument) { a.Size = 4 }), nil, [3]uint32{1, 1, 1}, "what cannot be"},
		{program(func(a *object.Argument) { a.Memory = 1 }), nil, [3]uint32{1, 1, 1}, "what cannot be"},
		{program(func(a *object.Argument) { a.Memory = maxProgram + 1 }), nil, [3]uint32{1, 1, 1}, "what cannot be"},
		{program(func(a *object.Argument) { a.Links[0].At = 9 }), nil, [3]uint32{1, 1, 1}, "an address beyond the end"},
	} {
		x := &Execution{Args: c.args, Groups: c.groups}
		_, err := x.arguments(emu.NewMemory(), &object.Reflection{Arguments: c.list})
		got := fmt.Sprintf("%x", x.Push)
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%+v: %s, want %s", c.list, got, c.want)
		}
	}
	mem := emu.NewMemory()
	m, err := programMemory(mem, &program(func(*object.Argument) {})[0])
	if err != nil || m.Data[0] != 9 || m.Data[1] != 8 || binary.LittleEndian.Uint64(m.Data[8:]) != m.Addr+4 || len(m.Data) != 16 {
		t.Errorf("the program's memory is %v, %v", m, err)
	}
}
