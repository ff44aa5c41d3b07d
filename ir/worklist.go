package ir

import "math/bits"

// ListedFlag is the bit of Instr.Flags that says that the instruction is on an
// [InstrWorklist]. A pass that uses one leaves the bit alone and has cleared it
// on all instructions before the first Push; the other bits are its own.
const ListedFlag = 1

// InstrWorklist is a list of instructions that wait to be looked at, each on
// it once at most. Next takes the oldest, Pop the newest. The zero value is
// empty; Reset keeps the memory.
type InstrWorklist struct {
	items []*Instr
	head  int
}

// Len returns how many instructions wait.
func (w *InstrWorklist) Len() int { return len(w.items) - w.head }

// Push adds in unless it is on the list.
func (w *InstrWorklist) Push(in *Instr) {
	if in.Flags&ListedFlag == 0 {
		in.Flags |= ListedFlag
		w.items = append(w.items, in)
	}
}

// Pop takes the instruction added last off the list; nil if there is none.
func (w *InstrWorklist) Pop() *Instr {
	n := len(w.items) - 1
	if n < w.head {
		return nil
	}
	in := w.items[n]
	w.items = w.items[:n]
	in.Flags &^= ListedFlag
	return in
}

// Next takes the instruction added first off the list; nil if there is none.
func (w *InstrWorklist) Next() *Instr {
	if w.head == len(w.items) {
		return nil
	}
	in := w.items[w.head]
	in.Flags &^= ListedFlag
	w.head++
	// A long list that is mostly behind us moves to the front of its memory.
	if w.head > 4096 && w.head > len(w.items)/2 {
		w.items = w.items[:copy(w.items, w.items[w.head:])]
		w.head = 0
	}
	return in
}

// Reset empties the list without looking at what was on it.
func (w *InstrWorklist) Reset() { w.items, w.head = w.items[:0], 0 }

// BlockWorklist is a set of blocks of one function that wait to be looked at,
// by Block.Index (MetaBlockIndex stays valid meanwhile). Forward problems take
// the first block in source order, backward problems the last, so that most
// blocks are looked at once.
type BlockWorklist struct {
	blocks []*Block // by Index
	set    []uint64
	// No member lies in a word before low or after high.
	low, high int
}

// Init empties the list and prepares it for the function.
func (w *BlockWorklist) Init(impl *Impl) {
	impl.Require(MetaBlockIndex)
	n := int(impl.NumBlocks)
	if cap(w.blocks) < n {
		w.blocks = make([]*Block, n)
	}
	if words := (n + 63) / 64; cap(w.set) < words {
		w.set = make([]uint64, words)
	} else {
		w.set = w.set[:words]
		clear(w.set)
	}
	w.blocks = w.blocks[:n]
	w.low, w.high = len(w.set), -1
	for b := range impl.Blocks() {
		w.blocks[b.Index] = b
	}
	w.blocks[impl.End.Index] = impl.End
}

// AddAll adds every block of the function but its end block.
func (w *BlockWorklist) AddAll() {
	for _, b := range w.blocks {
		if b != b.impl.End {
			w.Push(b)
		}
	}
}

// Push adds b unless it is on the list.
func (w *BlockWorklist) Push(b *Block) {
	i := int(b.Index / 64)
	w.set[i] |= 1 << (b.Index % 64)
	w.low, w.high = min(w.low, i), max(w.high, i)
}

// Has reports whether b is on the list.
func (w *BlockWorklist) Has(b *Block) bool { return w.set[b.Index/64]>>(b.Index%64)&1 != 0 }

// PopFirst takes the first block in source order off the list; nil if there is none.
func (w *BlockWorklist) PopFirst() *Block {
	for ; w.low < len(w.set); w.low++ {
		if v := w.set[w.low]; v != 0 {
			w.set[w.low] = v & (v - 1)
			return w.blocks[w.low*64+bits.TrailingZeros64(v)]
		}
	}
	return nil
}

// PopLast takes the last block in source order off the list; nil if there is none.
func (w *BlockWorklist) PopLast() *Block {
	for ; w.high >= 0; w.high-- {
		if v := w.set[w.high]; v != 0 {
			k := bits.Len64(v) - 1
			w.set[w.high] = v &^ (1 << k)
			return w.blocks[w.high*64+k]
		}
	}
	return nil
}
