package ir

// Cursor is a place between instructions: before At in Block, or at the
// block's end if At is nil.
type Cursor struct {
	Block *Block
	At    *Instr
}

// Before is the place right before in.
func Before(in *Instr) Cursor { return Cursor{in.Block, in} }

// After is the place right after in; after a phi, it is after all phis.
func After(in *Instr) Cursor {
	if in.Kind == KindPhi {
		return AfterPhis(in.Block)
	}
	return Cursor{in.Block, in.next}
}

// AtStart is the place before all of b's instructions, phis included.
func AtStart(b *Block) Cursor { return Cursor{b, b.first} }

// AfterPhis is the place after b's phis.
func AfterPhis(b *Block) Cursor { return Cursor{b, firstNonPhi(b)} }

// AtEnd is the place after all of b's instructions.
func AtEnd(b *Block) Cursor { return Cursor{b, nil} }

// BeforeJump is the place at b's end, before its jump if it has one.
func BeforeJump(b *Block) Cursor { return Cursor{b, b.Jump()} }

// insert puts in before at (nil: at the end) and numbers its result.
func (b *Block) insert(in, at *Instr) {
	in.Block = b
	if at == nil {
		in.prev, in.next = b.last, nil
		if b.last != nil {
			b.last.next = in
		} else {
			b.first = in
		}
		b.last = in
	} else {
		if at.Block != b {
			panic("ir: a cursor names an instruction of another block")
		}
		in.prev, in.next = at.prev, at
		if at.prev != nil {
			at.prev.next = in
		} else {
			b.first = in
		}
		at.prev = in
	}
	impl := b.impl
	impl.Shader.contents |= in.contents()
	if in.Def.Index == noIndex && in.HasDef() {
		in.Def.Index = impl.NumDefs
		impl.NumDefs++
	}
	if in.Kind == KindParallelCopy {
		for i := range in.CopyInfo().Entries {
			if d := &in.CopyInfo().Entries[i].Dst; d.Index == noIndex {
				d.Index = impl.NumDefs
				impl.NumDefs++
			}
		}
	}
}

// Insert puts a free instruction (not a jump: see Block.InsertJump) at c.
func (c Cursor) Insert(in *Instr) *Instr {
	c.Block.insert(in, c.At)
	return in
}

// ReindexDefs numbers all values of the function densely in source order.
func (impl *Impl) ReindexDefs() {
	n := uint32(0)
	for b := range impl.Blocks() {
		for in := b.first; in != nil; in = in.next {
			if in.HasDef() {
				in.Def.Index = n
				n++
			}
			if in.Kind == KindParallelCopy {
				for i := range in.CopyInfo().Entries {
					in.CopyInfo().Entries[i].Dst.Index = n
					n++
				}
			}
		}
	}
	impl.NumDefs = n
	impl.valid &^= MetaLiveness | MetaDivergence | MetaUseDominance | MetaLoops
}
