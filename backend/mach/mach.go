// Package mach is the machine layer that the targets share: instructions of a
// machine in SSA form, and what every target needs from there on: liveness,
// spilling, register allocation over the SSA form, parallel copies put in
// sequence, a text form that parses back, and a checker that proves an
// allocation right.
//
// The package knows no instruction set. A target describes its register files
// and operations by an [ISA], keeps what an instruction has besides registers
// (immediates, modifiers, types) in a table of its own that [Instr.Ext] points
// into, and turns the few generic operations that are left after allocation
// (OpMove, OpSwap) into its own. Nothing here looks at package ir.
//
// The way of a function: the target builds it in SSA ([Func.NewValue],
// [Func.Add]); [Spill] brings the register pressure below the limit; [PlaceFile]
// gives out registers that threads share, which control flow of other threads must leave alone
// ([Func.AddPhysEdge]); [Allocate] gives every operand a register; [Check] proves that each use reads what it
// should; [LowerCopies] leaves moves and swaps; [Check] once more; the target
// encodes.
//
// Registers are counted in units, the smallest piece of a file that can be
// named (a 16-bit half on Adreno and AGX). A vector is one value of several
// units in consecutive registers; OpCollect and OpSplit build it and take it
// apart and cost moves only where the allocator could not place things well.
package mach

// Value is an SSA value: a dense number, 0 for none.
type Value uint32

// Reg is a register: the number of its first unit in its file.
type Reg uint16

// NoReg is no register.
const NoReg Reg = 0xffff

// Op is an operation: one of the generic ones below, or a target's, numbered
// from FirstTargetOp.
type Op uint16

// Generic operations.
const (
	// OpNone does nothing.
	OpNone Op = iota
	// OpPhi has one use for each predecessor, in the order of Block.Preds. Phis
	// stand first in their block, whose predecessors then have one successor.
	OpPhi
	// OpCopy copies one value.
	OpCopy
	// OpPcopy copies use i to def i, all at once. After allocation operands may be registers
	// without a value.
	OpPcopy
	// OpCollect makes a vector of its uses in consecutive registers.
	OpCollect
	// OpSplit takes a vector apart: the defs are its equal pieces in order; a
	// piece that nobody wants is an operand without value.
	OpSplit
	// OpUndef makes a value of any content.
	OpUndef
	// OpSpill stores its use to spill slot Aux; OpReload is the inverse. Aux
	// counts units from the start of the spill area. Further uses are the target's (a base register).
	OpSpill
	OpReload
	// OpMove and OpSwap work on registers, not values: what LowerCopies leaves.
	// OpSwap exchanges the registers of its two operands (defs 0 and 1).
	OpMove
	OpSwap
	// FirstTargetOp is the first operation of a target.
	FirstTargetOp Op = 16
)

var genericNames = [FirstTargetOp]string{"none", "phi", "copy", "pcopy", "collect", "split", "undef", "spill", "reload", "move", "swap"}

// Props are properties of an operation.
type Props uint8

// Properties. Terminators stand last in a block. A rematerialisable operation
// has at most one register use, and may be repeated, wherever that has its value, instead of reloading its result.
const (
	PropTerminator Props = 1 << iota
	PropRemat
)

// File is a register file.
type File struct {
	Name  string
	Units int // at most 512
	// Spillable files have a Spiller's operations; pressure in others must fit as it is.
	Spillable bool
	// Shared registers hold one value for all threads of a wave: what lives in them lives along
	// physical edges too, and PlaceFile gives them out.
	Shared bool
}

// Class is a kind of register: where values of that kind may live.
type Class struct {
	Name string
	File uint8
	// Elem is the size of one element in units; a vector is a multiple.
	Elem uint8
	// Align is the alignment in units, a power of two.
	Align uint8
	// Limit bounds the units that the class may use; 0 is the whole file.
	Limit uint16
}

// ISA describes a target to this package. The slices are not changed.
type ISA interface {
	// Name is the target's name in dumps.
	Name() string
	Files() []File
	Classes() []Class
	// OpName and OpByName give target operations their names in the text form.
	OpName(op Op) string
	OpByName(name string) (Op, bool)
	// Props gives the properties of a target operation.
	Props(in *Instr, f *Func) Props
	// FormatExt writes what Ext refers to, without braces and newlines; "" is nothing.
	FormatExt(f *Func, in *Instr) string
	// ParseExt is the inverse: it sets in.Ext.
	ParseExt(f *Func, in *Instr, text string) error
}

// OperandFlags say how an operand may be allocated.
type OperandFlags uint8

// Operand flags.
const (
	// Kill (uses): the value dies here. Set by liveness.
	Kill OperandFlags = 1 << iota
	// Early (defs): written before all uses are read; shares no register with them.
	Early
	// Fixed: Reg is wanted, no other.
	Fixed
	// Tied (defs): has the register of use Tie, which dies here (see LowerTied).
	Tied
	// Dead (defs): nothing reads the value. Set by liveness.
	Dead
)

// Operand is a def or a use.
type Operand struct {
	Val Value
	// Reg is the register: given before allocation if Fixed, set by it otherwise.
	Reg   Reg
	Flags OperandFlags
	// Tie is the number of the use that a tied def shares its register with.
	Tie uint8
	// Class and Size (units) describe a register operand without value.
	Class, Size uint8
}

// Instr is a machine instruction. Ops holds the defs, then the uses.
type Instr struct {
	Op    Op
	NDefs uint8
	// Flags are the target's own marks.
	Flags uint8
	// Aux is a generic operation's number: the slot of a spill or reload.
	Aux int32
	// Ext is the target's number of what else belongs to the instruction.
	Ext uint32
	// Loc is a source location number, as in package ir.
	Loc uint32
	Ops []Operand
}

// Defs returns the defined operands.
func (in *Instr) Defs() []Operand { return in.Ops[:in.NDefs] }

// Uses returns the used operands.
func (in *Instr) Uses() []Operand { return in.Ops[in.NDefs:] }

// BlockID numbers a block; blocks stand in Func.Blocks by number, in the
// order of the program. Every block's immediate dominator comes before it.
type BlockID int32

// Block is a basic block.
type Block struct {
	Instrs []*Instr
	Preds  []BlockID
	Succs  []BlockID
	// PhysSuccs and PhysPreds are further edges that control can take when
	// threads diverge; they matter to registers that threads share.
	PhysSuccs, PhysPreds []BlockID
	// LoopDepth weighs spilling decisions.
	LoopDepth int32
}

// valueInfo is what a value is.
type valueInfo struct {
	class   uint8
	size    uint8
	noSpill bool
}

// Func is a function of the machine.
type Func struct {
	Name   string
	ISA    ISA
	Blocks []Block
	// Ext belongs to the target.
	Ext any
	// SpillUnits is the size of the spill area, in units.
	SpillUnits int

	vals    []valueInfo
	classes []Class
	files   []File
	mem     *memory
	// caps bounds the units of a file below its size, 0 does not.
	caps [maxFiles]int
	// floors are the first units of the files that may be used.
	floors [maxFiles]int
}

// NewFunc returns an empty function.
func NewFunc(name string, isa ISA) *Func {
	m := memories.Get().(*memory)
	return &Func{Name: name, ISA: isa, Blocks: m.blocks[:0], vals: append(m.vals[:0], valueInfo{}), classes: isa.Classes(), files: isa.Files(), mem: m}
}

// NumValues bounds the values.
func (f *Func) NumValues() int { return len(f.vals) }

// NewValue makes a value of n elements of a class.
func (f *Func) NewValue(class uint8, n int) Value {
	f.vals = append(f.vals, valueInfo{class: class, size: uint8(n) * f.classes[class].Elem})
	return Value(len(f.vals) - 1)
}

// InstrList returns an empty list with room for n instructions, in the function's memory.
func (f *Func) InstrList(n int) []*Instr { return f.mem.room(n) }

// ValueList returns a list of n values to be filled in, in the function's memory.
func (f *Func) ValueList(n int) []Value { return f.mem.values.Slice(n) }

// Clone makes a value of the same kind as v.
func (f *Func) Clone(v Value) Value {
	f.vals = append(f.vals, f.vals[v])
	return Value(len(f.vals) - 1)
}

// Class returns the class of v.
func (f *Func) Class(v Value) uint8 { return f.vals[v].class }

// SetClass moves v to another class; it keeps its number of elements.
func (f *Func) SetClass(v Value, class uint8) {
	n := f.Elems(v)
	f.vals[v].class, f.vals[v].size = class, uint8(n)*f.classes[class].Elem
}

// Size returns the size of v in units.
func (f *Func) Size(v Value) int { return int(f.vals[v].size) }

// Elems returns the number of elements of v.
func (f *Func) Elems(v Value) int {
	i := f.vals[v]
	if e := f.classes[i.class].Elem; e != i.size { // most have one
		return int(i.size / e)
	}
	return 1
}

// Shrink leaves a vector its first n elements.
func (f *Func) Shrink(v Value, n int) {
	f.vals[v].size = uint8(int(f.vals[v].size) / f.Elems(v) * n)
}

// SetNoSpill says that v must stay in a register all its life.
func (f *Func) SetNoSpill(v Value) { f.vals[v].noSpill = true }

// File returns the register file of v.
func (f *Func) File(v Value) uint8 { return f.classes[f.vals[v].class].File }

// operandShape returns class and size of an operand.
func (f *Func) operandShape(o *Operand) (class uint8, size int) {
	if o.Val != 0 {
		return f.vals[o.Val].class, int(f.vals[o.Val].size)
	}
	return o.Class, int(o.Size)
}

// limit returns the bound of the units that a class may use.
func (f *Func) limit(class uint8) int {
	c := &f.classes[class]
	n := f.files[c.File].Units
	if c.Limit != 0 {
		n = int(c.Limit)
	}
	if k := f.caps[c.File]; k != 0 {
		n = min(n, k)
	}
	return n
}

// SetFileLimit lets allocation use the first n units of a file only.
func (f *Func) SetFileLimit(file uint8, n int) { f.caps[file] = n }

// SetFileFloor keeps allocation away from the first n units of a file; n is a
// multiple of the largest alignment of its classes or below it.
func (f *Func) SetFileFloor(file uint8, n int) { f.floors[file] = n }

// FileFloor is the first unit of a file that allocation may use.
func (f *Func) FileFloor(file uint8) int { return f.floors[file] }

// NewBlock appends a block.
func (f *Func) NewBlock() BlockID {
	f.Blocks = append(f.Blocks, Block{Preds: f.mem.edges.Slice(2)[:0], Succs: f.mem.edges.Slice(2)[:0]})
	return BlockID(len(f.Blocks) - 1)
}

// AddEdge makes to a successor of from.
func (f *Func) AddEdge(from, to BlockID) {
	f.Blocks[from].Succs = append(f.Blocks[from].Succs, to)
	f.Blocks[to].Preds = append(f.Blocks[to].Preds, from)
}

// AddPhysEdge makes to a physical successor of from.
func (f *Func) AddPhysEdge(from, to BlockID) {
	f.Blocks[from].PhysSuccs = append(f.Blocks[from].PhysSuccs, to)
	f.Blocks[to].PhysPreds = append(f.Blocks[to].PhysPreds, from)
}

// NewInstr makes an instruction with room for its operands, in no block.
func (f *Func) NewInstr(op Op, ndefs, nuses int) *Instr {
	in := f.mem.instrs.New()
	in.Op, in.NDefs = op, uint8(ndefs)
	in.Ops = f.operands(ndefs + nuses)
	return in
}

func (f *Func) operands(n int) []Operand {
	ops := f.mem.ops.Slice(n)
	for i := range ops {
		ops[i].Reg = NoReg
	}
	return ops
}

// Add appends an instruction with the given defs and uses to block b.
func (f *Func) Add(b BlockID, op Op, defs, uses []Value) *Instr {
	in := f.NewInstr(op, len(defs), len(uses))
	for i, v := range defs {
		in.Ops[i].Val = v
	}
	for i, v := range uses {
		in.Ops[len(defs)+i].Val = v
	}
	blk := &f.Blocks[b]
	blk.Instrs = f.mem.push(blk.Instrs, in)
	return in
}

// TruncateDefs keeps the first n defs.
func (in *Instr) TruncateDefs(n int) {
	copy(in.Ops[n:], in.Uses())
	in.Ops, in.NDefs = in.Ops[:n+len(in.Uses())], uint8(n)
}

// TruncateUses keeps the first n uses.
func (in *Instr) TruncateUses(n int) { in.Ops = in.Ops[:int(in.NDefs)+n] }

// RemoveUse removes use i.
func (in *Instr) RemoveUse(i int) {
	k := int(in.NDefs) + i
	copy(in.Ops[k:], in.Ops[k+1:])
	in.Ops = in.Ops[:len(in.Ops)-1]
}

// Props returns the properties of an instruction.
func (f *Func) Props(in *Instr) Props {
	if in.Op < FirstTargetOp {
		if in.Op == OpUndef {
			return PropRemat
		}
		return 0
	}
	return f.ISA.Props(in, f)
}

// firstTerminator returns the position of the first terminator of block b.
func (f *Func) firstTerminator(b *Block) int {
	i := len(b.Instrs)
	for i > 0 && f.Props(b.Instrs[i-1])&PropTerminator != 0 {
		i--
	}
	return i
}

// SplitCriticalEdges puts an empty block on every edge from a block with
// several successors to one with several predecessors. add is called for
// each new block to give it its jump; blocks keep their numbers, new ones come last, so
// the caller must lay them out. It reports whether there were any.
func (f *Func) SplitCriticalEdges(add func(b BlockID)) bool {
	any := false
	n := len(f.Blocks)
	for from := 0; from < n; from++ {
		if len(f.Blocks[from].Succs) < 2 {
			continue
		}
		for k, to := range f.Blocks[from].Succs {
			if len(f.Blocks[to].Preds) < 2 {
				continue
			}
			mid := f.NewBlock()
			any = true
			f.Blocks[from].Succs[k] = mid
			for i, p := range f.Blocks[to].Preds {
				if p == BlockID(from) {
					f.Blocks[to].Preds[i] = mid
					break
				}
			}
			f.Blocks[mid].Preds = []BlockID{BlockID(from)}
			f.Blocks[mid].Succs = []BlockID{to}
			f.Blocks[mid].LoopDepth = min(f.Blocks[from].LoopDepth, f.Blocks[to].LoopDepth)
			add(mid)
		}
	}
	return any
}
