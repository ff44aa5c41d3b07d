package amber

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// kernelScript has what a kernel can be given.
const kernelScript = `#!amber
SHADER compute k SPIRV-HEX
` + someModule + `
BUFFER words DATA_TYPE int32 DATA 11 12 13 END
BUFFER more DATA_TYPE int32 DATA 21 22 END
BUFFER picture DATA_TYPE R8G8B8A8_UINT WIDTH 2 HEIGHT 2 DATA 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 END
SAMPLER point
SAMPLER smooth MAG_FILTER linear
PIPELINE compute p
  ATTACH k
END
`

// kernelEngine is an engine and a pipeline of the script.
func kernelEngine(t *testing.T) (*engine, *pipe) {
	t.Helper()
	s, err := Parse("kernel.amber", []byte(kernelScript))
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{r: &Runner{}, s: s, ctx: t.Context(), mem: emu.NewMemory(), res: make([]resource, len(s.Buffers))}
	return e, &pipe{decl: s.Pipelines[0], kernel: &Kernel{Hidden: func(name string, groups [3]uint32) []byte {
		return fmt.Appendf(nil, "%s%d%d%d", name, groups[0], groups[1], groups[2])
	}}}
}

// TestBoundArguments: each kind of argument becomes what the script gives it, wherever it stands: bytes of the push constants, addresses of
// memory, images and samplers at their bindings.
func TestBoundArguments(t *testing.T) {
	e, p := kernelEngine(t)
	buffers, samplers := e.s.Buffers, e.s.Samplers
	arg := func(name string, kind ir.ArgumentKind, offset, size uint32) Argument {
		return Argument{Argument: ir.Argument{Name: name, Kind: kind, Offset: offset, Size: size}}
	}
	program := arg("", ir.ArgProgram, 40, 8)
	program.Memory, program.Init, program.Links = 32, []byte{1, 2, 3}, []ir.ArgumentLink{{At: 8, To: 4}, {At: 16, To: 24}}
	read, written, sampler := arg("read", ir.ArgImage, 0, 0), arg("written", ir.ArgImage, 0, 0), arg("how", ir.ArgSampler, 0, 0)
	read.Set, read.Binding, read.Type = 1, 4, emu.DescSampledImage
	written.Set, written.Binding, written.Type = 2, 7, emu.DescStorageImage
	sampler.Set, sampler.Binding = 1, 5
	p.kernel.Args = []Argument{arg("n", ir.ArgValue, 24, 4), arg("to", ir.ArgGlobal, 0, 8), arg("from", ir.ArgConstant, 8, 8), read, written, sampler,
		arg("hid", ir.ArgHidden, 16, 6), program, arg("image_format.4", ir.ArgHidden, 32, 8)}
	p.decl.Args = []KernelArg{{Name: "how", Sampler: samplers[1]}, {Number: 2, Buffer: buffers[1]}, {Name: "written", Buffer: buffers[2]}, {Name: "to", Buffer: buffers[0]},
		{Name: "n", Value: []byte{9, 8, 7, 6}}, {Number: 3, Buffer: buffers[2]}}
	var first uint64
	for range 2 { // of which the second finds the program's memory
		if err := e.bindKernel(p, [3]uint32{2, 3, 4}); err != nil {
			t.Fatal(err)
		}
		push := p.env.Push
		if len(push) != 48 || !bytes.Equal(push[24:28], []byte{9, 8, 7, 6}) || string(push[16:22]) != "hid234" || !bytes.Equal(push[28:32], make([]byte, 4)) {
			t.Errorf("push constants % x", push)
		}
		at := func(offset int) uint64 { return binary.LittleEndian.Uint64(push[offset:]) }
		if a, b := e.mem.Load(at(0), 4), e.mem.Load(at(8)+4, 4); a != 11 || b != 22 {
			t.Errorf("the buffers begin with %d and go on with %d", a, b)
		}
		memory := at(40)
		if e.mem.Load(memory, 4) != 0x030201 || e.mem.Load(memory+8, 8) != memory+4 || e.mem.Load(memory+16, 8) != memory+24 || first != 0 && first != memory {
			t.Errorf("the program's memory at %#x: % x", memory, e.mem.Bytes(memory, 32))
		}
		first = memory
		order, typ, ok := emu.FormatByName("R8G8B8A8_UINT").OpenCL()
		if !ok || binary.LittleEndian.Uint32(push[32:]) != order || binary.LittleEndian.Uint32(push[36:]) != typ {
			t.Errorf("the channels % x, want %x, %x", push[32:40], order, typ)
		}
		for _, c := range []struct {
			a    *Argument
			want emu.DescriptorType
			mips int
		}{{&read, emu.DescSampledImage, 0}, {&written, emu.DescStorageImage, 1}} {
			d := p.bindings.Lookup(c.a.Set, c.a.Binding, 0)
			if d.Type != c.want || d.Image == nil || d.Image.Mips != c.mips {
				t.Errorf("%s is bound as %+v", c.a.Name, d)
				continue
			}
			if v := d.Image.Load(1, 1, 0, 0, 0); v != [4]uint32{13, 14, 15, 16} {
				t.Errorf("%s: texel %v", c.a.Name, v)
			}
		}
		if d := p.bindings.Lookup(1, 5, 0); d.Type != emu.DescSampler || d.Sampler == nil || d.Sampler.Mag != emu.FilterLinear || d.Sampler.Min != emu.FilterNearest {
			t.Errorf("the sampler is bound as %+v", d)
		}
		for i := range push { // the next dispatch has bytes of its own
			push[i] = 0xff
		}
	}
}

// TestRefusedArguments: each kind of argument by each thing that it is not, and names that the kernel does not have.
func TestRefusedArguments(t *testing.T) {
	e, p := kernelEngine(t)
	given := map[string]KernelArg{"a value": {Value: []byte{1, 2, 3, 4}}, "memory": {Buffer: e.s.Buffers[0]}, "a sampler": {Sampler: e.s.Samplers[0]}}
	takes := map[ir.ArgumentKind][]string{ir.ArgValue: {"a value"}, ir.ArgGlobal: {"memory"}, ir.ArgConstant: {"memory"}, ir.ArgImage: {"memory"}, ir.ArgSampler: {"a sampler"}, ir.ArgLocal: nil}
	for kind, list := range takes {
		for name, g := range given {
			for _, g.Name = range []string{"", "x"} {
				a := Argument{Argument: ir.Argument{Name: "x", Kind: kind, Size: 4}, Type: emu.DescSampledImage}
				if kind == ir.ArgGlobal || kind == ir.ArgConstant {
					a.Size = 8
				}
				if kind == ir.ArgImage && g.Buffer != nil {
					g.Buffer = e.s.Buffers[2]
				}
				p.kernel.Args, p.decl.Args = []Argument{a}, []KernelArg{g}
				err := e.bindKernel(p, [3]uint32{1, 1, 1})
				fits := len(list) > 0 && list[0] == name
				var u *Unsupported
				if (err == nil) != fits || errors.As(err, &u) != (kind == ir.ArgLocal) {
					t.Errorf("%s, given %s: %v", kind, name, err)
				}
				if want := fmt.Sprintf("argument %s is of kind %s", g.name(), kind); err != nil && kind != ir.ArgLocal && !strings.Contains(err.Error(), want) {
					t.Errorf("%s, given %s: %v, want %q", kind, name, err, want)
				}
			}
		}
	}
	value := Argument{Argument: ir.Argument{Name: "x", Kind: ir.ArgValue, Size: 4}}
	format := func(of string) Argument {
		return Argument{Argument: ir.Argument{Name: "image_format." + of, Kind: ir.ArgHidden, Size: 8}}
	}
	four := []byte{1, 2, 3, 4}
	for _, c := range []struct {
		args  []Argument
		given []KernelArg
		want  string
	}{
		{[]Argument{value}, nil, `argument 0 "x" of the kernel is not given`},
		{[]Argument{value}, []KernelArg{{Name: "x", Value: four[:2]}}, "argument x has 4 bytes, the value has 2"},
		{[]Argument{value}, []KernelArg{{Name: "x", Value: four}, {Name: "y", Value: four}}, "the kernel has no argument y"},
		{[]Argument{value}, []KernelArg{{Value: four}, {Number: 1, Value: four}}, "the kernel has no argument 1"},
		{[]Argument{value, format("0")}, []KernelArg{{Name: "x", Value: four}}, "argument 0 is no image"},
		{[]Argument{value, format("1")}, []KernelArg{{Name: "x", Value: four}}, "argument 1 is no image"},
		{[]Argument{value, format("2")}, []KernelArg{{Name: "x", Value: four}}, "the kernel has no argument 2"},
		{[]Argument{value, format("x")}, []KernelArg{{Name: "x", Value: four}}, "the kernel has no argument x"},
	} {
		p.kernel.Args, p.decl.Args = c.args, c.given
		if err := e.bindKernel(p, [3]uint32{1, 1, 1}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v given %v: %v, want %q", c.args, c.given, err, c.want)
		}
	}
}
