package exec

import (
	"encoding/binary"
	"strconv"
	"strings"

	"nirc"
	"nirc/backend/object"
	"nirc/internal/emu"
)

// Arg is an argument of a kernel, in the order of its parameters.
type Arg struct {
	// Data is a value's bytes, or the contents of the memory that a pointer leads to; a run writes to them.
	Data []byte
	// Local is how many bytes of workgroup memory the argument points to.
	Local uint32
	Image *emu.Image
	// Written is set by the run: the argument points to memory that the kernel may have written.
	Written bool
}

// localAlign is how the memory of each argument is aligned: as the largest vector is.
const localAlign = 128

// LocalMemory is the workgroup memory that arguments take together.
func LocalMemory(args []Arg) (n uint32) {
	for _, a := range args {
		n += (a.Local + localAlign - 1) / localAlign * localAlign
	}
	return n
}

// arguments lays out the arguments of a kernel in the push constants, and binds its images; the result has the memory of each.
func (x *Execution) arguments(mem *emu.Memory, r *object.Reflection) ([]*emu.Buffer, error) {
	buffers := make([]*emu.Buffer, len(x.Args))
	local, used := uint32(0), 0
	for i, a := range r.Arguments {
		if a.Kind == "hidden" {
			v := hiddenValue(a.Name, x.Groups)
			if k, of := formatOf(a.Name); of {
				if k >= len(x.Args) || x.Args[k].Image == nil {
					return nil, nirc.Usagef("the kernel's argument %d is an image", k)
				}
				var err error
				if v, err = channels(x.Args[k].Image.Format); err != nil {
					return nil, err
				}
			}
			x.put(a, v)
			continue
		}
		if a.Kind == "program" {
			m, err := programMemory(mem, &a)
			if err != nil {
				return nil, err
			}
			x.put(a, binary.LittleEndian.AppendUint64(nil, m.Addr))
			continue
		}
		if i >= len(x.Args) {
			return nil, nirc.Usagef("the kernel's argument %d %q (%s) is not given", i, a.Name, a.Kind)
		}
		used++
		arg := &x.Args[i]
		switch a.Kind {
		case "value":
			if len(arg.Data) != int(a.Size) {
				return nil, nirc.Usagef("the kernel's argument %d %q has %d bytes, not %d", i, a.Name, a.Size, len(arg.Data))
			}
			x.put(a, arg.Data)
		case "global", "constant":
			buffers[i] = mem.Alloc(len(arg.Data))
			copy(buffers[i].Data, arg.Data)
			arg.Written = a.Kind == "global"
			x.put(a, binary.LittleEndian.AppendUint64(nil, buffers[i].Addr))
		case "local":
			if arg.Local == 0 {
				return nil, nirc.Usagef("the kernel's argument %d %q points to workgroup memory: say how many bytes", i, a.Name)
			}
			x.put(a, binary.LittleEndian.AppendUint64(nil, uint64(local)))
			local += LocalMemory(x.Args[i : i+1])
		case "image":
			if arg.Image == nil {
				return nil, nirc.Usagef("the kernel's argument %d %q is an image", i, a.Name)
			}
			x.Bindings = append(x.Bindings, Binding{Set: a.Set, Binding: a.Binding, Image: arg.Image})
		}
	}
	if used < len(x.Args) {
		return nil, nirc.Usagef("%d arguments are given, the kernel has %d", len(x.Args), used)
	}
	return buffers, nil
}

// formatOf is the argument whose channels a hidden argument says.
func formatOf(name string) (k int, ok bool) {
	digits, ok := strings.CutPrefix(name, "image_format.")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	return int(n), err == nil
}

// channels are the order and the data type of a format's channels.
func channels(f *emu.Format) ([]byte, error) {
	order, typ, ok := f.OpenCL()
	if !ok {
		return nil, nirc.Usagef("OpenCL has no name for the channels of %s, which the kernel asks for", f.Name)
	}
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, order), typ), nil
}

// programMemory makes the memory of a program's variables.
func programMemory(mem *emu.Memory, a *object.Argument) (*emu.Buffer, error) {
	if a.Size != 8 || uint64(len(a.Init)) > uint64(a.Memory) || a.Memory > maxProgram {
		return nil, nirc.Usagef("the object says of its program's variables what cannot be")
	}
	m := mem.Alloc(int(a.Memory))
	copy(m.Data, a.Init)
	for _, l := range a.Links {
		if uint64(l.At)+8 > uint64(a.Memory) {
			return nil, nirc.Usagef("the object has an address beyond the end of its program's variables")
		}
		binary.LittleEndian.PutUint64(m.Data[l.At:], m.Addr+uint64(l.To))
	}
	return m, nil
}

// maxProgram is the most memory that the variables of a program take.
const maxProgram = 1 << 26

// put writes an argument into the push constants.
func (x *Execution) put(a object.Argument, data []byte) {
	if n := int(a.Offset) + int(a.Size); n > len(x.Push) {
		x.Push = append(x.Push, make([]byte, n-len(x.Push))...)
	}
	copy(x.Push[a.Offset:a.Offset+a.Size], data)
}

// hiddenValue is what a hidden argument is in a run that begins at 0.
func hiddenValue(name string, groups [3]uint32) []byte {
	if name != "work_dim" {
		return nil // global_offset
	}
	dim := uint32(1)
	for k, n := range groups {
		if n > 1 {
			dim = uint32(k + 1)
		}
	}
	return binary.LittleEndian.AppendUint32(nil, dim)
}
