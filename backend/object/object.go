// Package object is the compiler's output: machine code with the facts that a
// driver needs to run it. It knows no instruction set: what is special to a
// target is an opaque note. An object is written as an ELF file and read back.
package object

import (
	"encoding/json"

	"nirc/ir"
)

// Object is one compiled shader stage.
type Object struct {
	Target string   `json:"target"`
	GPU    string   `json:"gpu"`
	Stage  ir.Stage `json:"-"`
	Entry  string   `json:"entry"`
	// Code is the machine code, Data the constant data that stands after it.
	Code []byte `json:"-"`
	Data []byte `json:"-"`
	// ABI is the target's own description of the binary as JSON.
	ABI     json.RawMessage `json:"abi,omitempty"`
	Reflect Reflection      `json:"reflection"`
	Stats   []Stat          `json:"stats"`
	// Lines maps code offsets to places in the source, by rising offset.
	Lines []LineEntry `json:"lines,omitempty"`
	Files []string    `json:"files,omitempty"`
	// Funcs are the functions of the source, from 1 on, Calls where they were inlined: Lines name both.
	Funcs []string `json:"funcs,omitempty"`
	Calls []Call   `json:"calls,omitempty"`
	// Loops are those that were not unrolled, if the object has Lines.
	Loops []Loop `json:"loops,omitempty"`
}

// Call is a call that was inlined.
type Call struct {
	File uint32 `json:"file"` // index into Object.Files
	Line uint32 `json:"line"`
	Col  uint32 `json:"col,omitempty"`
	Word uint32 `json:"word,omitempty"` // offset in the module in words
	Func uint32 `json:"func,omitempty"` // the function that calls: index into Object.Funcs, 0 unknown
	Call uint32 `json:"call,omitempty"` // where that was inlined in turn: 1 + index into Object.Calls, below its own; 0 nowhere
}

// Loop is a loop of the shader.
type Loop struct {
	Depth int    `json:"depth"`           // 1 for an outermost one
	Trips uint32 `json:"trips,omitempty"` // how often its header runs; 0 if that is not known
	Most  uint32 `json:"most,omitempty"`  // how often it runs at most, where Trips is not known; 0 if that is not either
	// Header is the offset of its first instruction; -1 if the loops of the code could not be told apart.
	Header int32  `json:"header"`
	File   uint32 `json:"file"` // of the first instruction that has a place: index into Object.Files
	Line   uint32 `json:"line"`
	Word   uint32 `json:"word,omitempty"`
	Why    string `json:"why"` // it was not unrolled
}

// Stat is one figure about the code, named as on the target's ISA page.
type Stat struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

// Stat returns the figure of that name, or 0.
func (o *Object) Stat(name string) int64 {
	for _, s := range o.Stats {
		if s.Name == name {
			return s.Value
		}
	}
	return 0
}

// LineEntry says where the code from Offset up to the next entry comes from; all zero
// except for Offset if that is not known.
type LineEntry struct {
	Offset uint32 `json:"offset"` // bytes
	File   uint32 `json:"file"`   // index into Object.Files
	Line   uint32 `json:"line"`
	Col    uint32 `json:"col,omitempty"`
	ID     uint32 `json:"id,omitempty"`   // SPIR-V result id
	Word   uint32 `json:"word,omitempty"` // offset in the module in words
	Func   uint32 `json:"func,omitempty"` // index into Object.Funcs, 0 unknown
	Call   uint32 `json:"call,omitempty"` // where that was inlined: 1 + index into Object.Calls, 0 nowhere
}

// Reflection is the interface of a shader as its module declares it.
type Reflection struct {
	Stage         string     `json:"stage"`
	Inputs        []Slot     `json:"inputs,omitempty"`
	Outputs       []Slot     `json:"outputs,omitempty"`
	Resources     []Resource `json:"resources,omitempty"`
	PushConstants []Member   `json:"push_constants,omitempty"`
	Arguments     []Argument `json:"arguments,omitempty"`
	WorkgroupSize []uint32   `json:"workgroup_size,omitempty"`
	SharedSize    uint32     `json:"shared_size,omitempty"`
	ScratchSize   uint32     `json:"scratch_size,omitempty"`
}

// Slot is an input or output variable.
type Slot struct {
	Name      string `json:"name,omitempty"`
	Location  string `json:"location"`
	Component uint8  `json:"component,omitempty"`
	Type      string `json:"type"`
	Interp    string `json:"interp,omitempty"`
	// PerPrimitive says that mesh shaders write it once for each primitive.
	PerPrimitive bool `json:"per_primitive,omitempty"`
}

// Resource is a descriptor binding.
type Resource struct {
	Name    string `json:"name,omitempty"`
	Set     uint32 `json:"set"`
	Binding uint32 `json:"binding"`
	Kind    string `json:"kind"`
	Count   uint32 `json:"count"` // array elements; 0 run-time sized
	Type    string `json:"type,omitempty"`
}

// Argument is an argument of a kernel. Those that are no image and no sampler stand in the push constants.
type Argument struct {
	Name string `json:"name,omitempty"`
	// Kind is value, global, constant, local, image, sampler, hidden or program (ir.ArgumentKind).
	Kind string `json:"kind"`
	// Offset and Size are the place in the push constants, in bytes.
	Offset uint32 `json:"offset"`
	Size   uint32 `json:"size"`
	// Set and Binding are the descriptor of an image or sampler.
	Set     uint32 `json:"set"`
	Binding uint32 `json:"binding"`
	// Memory is how many bytes the program's variables take, of kind program: Init, zeros after it, and addresses.
	Memory uint32         `json:"memory,omitempty"`
	Init   []byte         `json:"init,omitempty"`
	Links  []ArgumentLink `json:"links,omitempty"`
}

// ArgumentLink is an address in the memory of a program: at byte At stands the address of byte To.
type ArgumentLink struct {
	At uint32 `json:"at"`
	To uint32 `json:"to"`
}

// Member is a member of the push constant block.
type Member struct {
	Name   string `json:"name,omitempty"`
	Offset uint32 `json:"offset"`
	Size   uint32 `json:"size"`
	Type   string `json:"type"`
}
