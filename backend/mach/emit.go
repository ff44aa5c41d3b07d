package mach

// What targets share in selecting instructions: appending to a block, names of
// operations, immediates that stand in registers.

// Append puts an instruction at the end of a block. loc is where it comes from
// in the source.
func (f *Func) Append(blk BlockID, loc uint32, in *Instr) {
	in.Loc = loc
	b := &f.Blocks[blk]
	b.Instrs = f.mem.push(b.Instrs, in)
}

// AppendOp makes an instruction of these operands at the end of a block.
func (f *Func) AppendOp(blk BlockID, loc uint32, op Op, defs, uses []Value) *Instr {
	in := f.NewInstr(op, len(defs), len(uses))
	for i, v := range defs {
		in.Ops[i].Val = v
	}
	for i, v := range uses {
		in.Ops[len(defs)+i].Val = v
	}
	f.Append(blk, loc, in)
	return in
}

// AppendPhi makes a phi at the end of a block, with a place for what each predecessor gives.
func (f *Func) AppendPhi(blk BlockID, loc uint32, def Value) *Instr {
	phi := f.NewInstr(OpPhi, 1, len(f.Blocks[blk].Preds))
	phi.Ops[0].Val = def
	f.Append(blk, loc, phi)
	return phi
}

// Description is what an ISA says in tables: the part of the interface that is the same for all.
type Description struct {
	Target     string
	FileList   []File
	ClassList  []Class
	Operations OpNames
}

// Name returns the target's name.
func (d *Description) Name() string { return d.Target }

// Files lists the register files.
func (d *Description) Files() []File { return d.FileList }

// Classes lists the register classes.
func (d *Description) Classes() []Class { return d.ClassList }

// OpName spells an operation.
func (d *Description) OpName(op Op) string { return d.Operations.Name(op) }

// OpByName finds an operation by its name.
func (d *Description) OpByName(name string) (Op, bool) { return d.Operations.ByName(name) }

// OpNames names a target's operations: those of its instruction set, which
// begin at FirstTargetOp, and what it adds after them.
type OpNames struct {
	// Num is the number of operations of the instruction set, 0 none of them.
	Num int
	// Of spells operation n of the instruction set.
	Of func(n int) string
	// Own are the names of what follows.
	Own []string
}

// Name spells an operation.
func (n *OpNames) Name(op Op) string {
	k := int(op - FirstTargetOp)
	if k >= n.Num {
		return n.Own[k-n.Num]
	}
	return n.Of(k)
}

// ByName finds an operation by its name. Of several with one name it is the first.
func (n *OpNames) ByName(name string) (Op, bool) {
	for i, s := range n.Own {
		if s == name {
			return FirstTargetOp + Op(n.Num+i), true
		}
	}
	for k := 1; k < n.Num; k++ {
		if n.Of(k) == name {
			return FirstTargetOp + Op(k), true
		}
	}
	return 0, false
}

const immSlots = 64

// ImmCache remembers which immediates stand in which registers, while a number
// that the target counts up (with each block) stays the same.
type ImmCache [immSlots]struct {
	bits, epoch uint32
	val         Value
	half        bool
}

// Get returns the register of an immediate.
func (c *ImmCache) Get(epoch, bits uint32, half bool) (Value, bool) {
	s := &c[immSlotOf(bits)]
	return s.val, s.epoch == epoch && s.bits == bits && s.half == half
}

// Put notes the register of an immediate.
func (c *ImmCache) Put(epoch, bits uint32, half bool, v Value) {
	s := &c[immSlotOf(bits)]
	s.bits, s.epoch, s.val, s.half = bits, epoch, v, half
}

func immSlotOf(bits uint32) uint32 { return bits * 2654435761 >> 24 & (immSlots - 1) }
