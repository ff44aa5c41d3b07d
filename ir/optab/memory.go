package optab

import "sync"

// Space is the memory that an intrinsic reaches.
type Space uint8

// Spaces. SpaceDeref is whatever the deref says; SpaceConstant is the shader's
// own constant data. Registers, inputs, outputs and tiles are no memory here.
const (
	SpaceNone Space = iota
	SpaceDeref
	SpaceUbo
	SpaceSsbo
	SpaceGlobal
	SpaceShared
	SpaceScratch
	SpacePush
	SpaceConstant
	SpaceUniform
	SpaceKernelInput
	SpaceTaskPayload
	SpaceImage
	SpaceCounter
	numSpaces
)

var spaceNames = [numSpaces]string{"", "deref", "ubo", "ssbo", "global", "shared", "scratch", "push", "constant", "uniform", "kernel_input", "task_payload", "image", "counter"}

// String returns the space's name, "" for none.
func (s Space) String() string { return spaceNames[s] }

// Device reports whether the space is of the device: buffers, what addresses
// reach, and images, of which other workgroups see what is written.
func (s Space) Device() bool {
	return s == SpaceSsbo || s == SpaceGlobal || s == SpaceImage || s == SpaceCounter
}

// MemOp is what an intrinsic does with memory.
type MemOp uint8

// What is done. MemQuery asks about the resource (size, levels, samples) and
// reads no contents; MemAddress makes an address that others use later.
const (
	MemNone MemOp = iota
	MemLoad
	MemStore
	MemAtomic // one datum: Data
	MemSwap   // compare and swap: Data is the comparand, Data+1 the new value
	MemCopy   // from memory to memory: Handle is the destination, Data the source
	MemCall   // a shader that is called reads and writes what Handle leads to
	MemQuery
	MemAddress
	numMemOps
)

var memOpNames = [numMemOps]string{"", "load", "store", "atomic", "swap", "copy", "call", "query", "address"}

// String returns the name of what is done, "" for nothing.
func (o MemOp) String() string { return memOpNames[o] }

// Memory says how an intrinsic reaches memory. Handle, Addr, Offset and Data
// are numbers of sources, -1 where there is none such, and mean nothing if Op is MemNone.
type Memory struct {
	Space Space
	Op    MemOp
	// Handle names the resource: a buffer's handle, a deref, an image.
	Handle int8
	// Addr is the address, or the offset in the resource; an image's coordinates.
	Addr int8
	// Offset is added to Addr.
	Offset int8
	// Data is what is stored, or the (first) operand of an atomic.
	Data int8
	// Unit is how many bytes a step of Addr is; 0 if the operation has its own rule.
	Unit uint8
}

// Reads reports whether contents of memory reach the shader.
func (m Memory) Reads() bool {
	return m.Op == MemLoad || m.Op == MemAtomic || m.Op == MemSwap || m.Op == MemCopy || m.Op == MemCall
}

// Writes reports whether contents of memory may change.
func (m Memory) Writes() bool {
	return m.Op == MemStore || m.Op == MemAtomic || m.Op == MemSwap || m.Op == MemCopy || m.Op == MemCall
}

// Atomic reports whether memory is read and written in one step.
func (m Memory) Atomic() bool { return m.Op == MemAtomic || m.Op == MemSwap }

// Accesses reports whether contents are read or written.
func (m Memory) Accesses() bool { return m.Op != MemNone && m.Op < MemQuery }

// Plain reports whether the access is by Addr alone, counted in bytes.
func (m Memory) Plain() bool { return m.Addr >= 0 && m.Offset < 0 && m.Unit == 1 }

// loads, stores and their like make the column's values from the numbers of sources.
func loads(s Space, handle, addr int8) Memory {
	return Memory{Space: s, Op: MemLoad, Handle: handle, Addr: addr, Offset: -1, Data: -1, Unit: 1}
}

func stores(s Space, data, handle, addr int8) Memory {
	return Memory{Space: s, Op: MemStore, Handle: handle, Addr: addr, Offset: -1, Data: data, Unit: 1}
}

func atomics(s Space, handle, addr, data int8) Memory {
	return Memory{Space: s, Op: MemAtomic, Handle: handle, Addr: addr, Offset: -1, Data: data, Unit: 1}
}

func swaps(s Space, handle, addr, data int8) Memory {
	return Memory{Space: s, Op: MemSwap, Handle: handle, Addr: addr, Offset: -1, Data: data, Unit: 1}
}

func copies(dst, src int8) Memory {
	return Memory{Space: SpaceDeref, Op: MemCopy, Handle: dst, Addr: -1, Offset: -1, Data: src}
}

// calls hands on what a deref leads to.
func calls(deref int8) Memory {
	return Memory{Space: SpaceDeref, Op: MemCall, Handle: deref, Addr: -1, Offset: -1, Data: -1}
}

func asks(s Space, handle int8) Memory {
	return Memory{Space: s, Op: MemQuery, Handle: handle, Addr: -1, Offset: -1, Data: -1}
}

func addresses(s Space, handle, addr int8) Memory {
	return Memory{Space: s, Op: MemAddress, Handle: handle, Addr: addr, Offset: -1, Data: -1, Unit: 1}
}

// plus adds the source of an offset.
func (m Memory) plus(offset int8) Memory { m.Offset = offset; return m }

// in sets the unit of the address in bytes.
func (m Memory) in(unit uint8) Memory { m.Unit = unit; return m }

// memoryRows holds for each space and what is done there the number of the
// first row, which is the general one, plus 1.
var memoryRows = sync.OnceValue(func() *[numSpaces][numMemOps]int16 {
	t := new([numSpaces][numMemOps]int16)
	for i := range Intrinsics {
		m := Intrinsics[i].Mem
		if m.Accesses() && t[m.Space][m.Op] == 0 && Intrinsics[i].Target == "" {
			t[m.Space][m.Op] = int16(i + 1)
		}
	}
	return t
})

// MemoryIntrinsic returns the number of the intrinsic that does op in space
// s for all targets, the one with the simplest address; false if there is none.
func MemoryIntrinsic(s Space, op MemOp) (int, bool) {
	i := memoryRows()[s][op]
	return int(i) - 1, i != 0
}
