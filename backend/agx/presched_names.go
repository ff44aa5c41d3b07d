package agx

import (
	"nirc/backend/mach"
	"nirc/internal/slab"
)

// regionNames are the values that the instructions of a region write and read, and those that are live after it, by numbers
// of the region's own: what an order looks at again and again stands side by side, and tables by it are short.
type regionNames struct {
	named  []int32      // by value: its name plus 1
	vals   []mach.Value // by name, as what follows
	size   []int32      // in halves
	after  []bool       // live after the region
	halves int32        // of all that is live after it
	// Instruction i writes ops[from[2*i]:from[2*i+1]] and reads ops[from[2*i+1]:from[2*i+2]], each value once.
	ops, from []int32
}

// begin makes room for the values of a function.
func (n *regionNames) begin(f *mach.Func) { n.named = slab.Zeroed(n.named, f.NumValues()) }

// enter names the values of a region, after which out and what the rest of the block reads is live.
func (n *regionNames) enter(f *mach.Func, list []*mach.Instr, out mach.Live, rest []*mach.Instr) {
	n.vals, n.size, n.after, n.ops, n.from = n.vals[:0], n.size[:0], n.after[:0], n.ops[:0], n.from[:0]
	n.halves = 0
	for _, v := range out {
		n.keep(f, v)
	}
	for _, in := range rest {
		for _, u := range in.Uses() {
			n.keep(f, u.Val)
		}
	}
	for _, in := range list {
		n.from = append(n.from, int32(len(n.ops)))
		for k := range in.Ops {
			if k == int(in.NDefs) {
				n.from = append(n.from, int32(len(n.ops)))
			}
			if v := in.Ops[k].Val; v != 0 && (k < int(in.NDefs) || !repeated(in.Uses()[:k-int(in.NDefs)], v)) {
				n.ops = append(n.ops, n.name(f, v))
			}
		}
		if len(in.Ops) == int(in.NDefs) {
			n.from = append(n.from, int32(len(n.ops)))
		}
	}
	n.from = append(n.from, int32(len(n.ops)))
}

// leave forgets the names.
func (n *regionNames) leave() {
	for _, v := range n.vals {
		n.named[v] = 0
	}
}

// keep notes that a value is live after the region.
func (n *regionNames) keep(f *mach.Func, v mach.Value) {
	if v == 0 || n.named[v] != 0 {
		return
	}
	k := n.name(f, v)
	n.after[k] = true
	n.halves += n.size[k]
}

// name is the number of a value.
func (n *regionNames) name(f *mach.Func, v mach.Value) int32 {
	if k := n.named[v]; k != 0 {
		return k - 1
	}
	n.vals, n.size, n.after = append(n.vals, v), append(n.size, int32(f.Size(v))), append(n.after, false)
	n.named[v] = int32(len(n.vals))
	return int32(len(n.vals) - 1)
}

func (n *regionNames) writes(i int32) []int32 { return n.ops[n.from[2*i]:n.from[2*i+1]] }

func (n *regionNames) reads(i int32) []int32 { return n.ops[n.from[2*i+1]:n.from[2*i+2]] }

// both are writes and reads.
func (n *regionNames) both(i int32) (writes, reads []int32) {
	at := n.from[2*i : 2*i+3]
	return n.ops[at[0]:at[1]], n.ops[at[1]:at[2]]
}

func repeated(uses []mach.Operand, v mach.Value) bool {
	for _, u := range uses {
		if u.Val == v {
			return true
		}
	}
	return false
}
