package ir3

import "nirc/backend/mach"

// What sharing gains, in slots, by estimate: the wait of an instruction of
// normal registers for the scalar unit takes longer than the delay that it replaces, so that
// single values before such an instruction had better stay, while chains
// and what loops carry are worth it.
const (
	gainRegister = 1  // the value takes no register of fibers
	gainTight    = 2  // ... where registers cost waves
	gainChain    = 2  // a result of the same block is read without delay
	gainResize   = -1 // ... but waited for in the other size
	gainRead     = -4 // normal instructions of the same block wait for the result
	gainCopy     = -1 // a constant stands in two registers
)

// dropDear gives up the chains of shared values that cost more than they gain.
func (u *uniformity) dropDear() {
	n := len(u.share)
	store := make([]int32, 2*n)
	chain, gain := store[:n], store[n:]
	for v := range chain {
		chain[v] = int32(v)
	}
	find := func(v int32) int32 {
		for chain[v] != v {
			chain[v] = chain[chain[v]]
			v = chain[v]
		}
		return v
	}
	for v := range u.share {
		if !u.share[v] {
			continue
		}
		for _, s := range u.def[v].Uses() {
			if u.share[s.Val] {
				chain[find(int32(s.Val))] = find(int32(v))
			}
		}
	}
	for v := range u.share {
		if u.share[v] {
			gain[find(int32(v))] += u.gain(mach.Value(v))
		}
	}
	for v := range u.share {
		if u.share[v] && gain[find(int32(v))] <= 0 {
			u.share[v] = false
		}
	}
}

// gain is what sharing v gains.
func (u *uniformity) gain(v mach.Value) int32 {
	in := u.def[v]
	switch {
	case in.Op == mach.OpSplit:
		return 0 // the whole counts, and is waited for in any register
	case isUBOLoad(in):
		return u.register * int32(u.f.Elems(v))
	}
	g := u.register
	for _, s := range in.Uses() {
		from := u.def[s.Val]
		switch {
		case u.isConst(from):
			if !u.onlyScalar(s.Val) {
				g += gainCopy
			}
		case in.Op == mach.OpPhi || from.Op == mach.OpPhi || !u.share[s.Val] || u.at[s.Val] != u.at[v]:
		case u.f.Class(s.Val) == u.f.Class(v):
			g += gainChain
		default:
			g += gainResize
		}
	}
	for _, x := range u.usesOf(v) {
		if x.at != u.at[v] || u.scalarUser(x.in) {
			continue
		}
		if in.Op == mach.OpPhi {
			return g - u.loopWait(in, u.at[v])
		}
		return g + gainRead
	}
	return g
}

// loopWait is how long normal instructions at the start of a loop have to wait
// for a phi's value that was computed right before the back edge.
func (u *uniformity) loopWait(phi *mach.Instr, head mach.BlockID) int32 {
	wait := int32(0)
	for k, s := range phi.Uses() {
		// In a longer block the value is there in time.
		if p := u.f.Blocks[head].Preds[k]; p >= head && u.at[s.Val] == p {
			wait = max(wait, -gainRead-int32(len(u.f.Blocks[p].Instrs))/2)
		}
	}
	return wait
}
