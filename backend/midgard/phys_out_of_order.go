package midgard

import "nirc/backend/midgard/isa"

// maxOutOfOrder is how many bundles may run before a texture operation ends (midgard.md §6.5).
const maxOutOfOrder = 15

// outOfOrder lets the bundles behind each texture operation run while it is under way, up to the first that has to do with
// its result, a branch, or the next operation of the pipe.
func (c *compiler) outOfOrder() error {
	if !c.gpu.OutOfOrder {
		return nil
	}
	for i := range c.p.blocks {
		list := c.p.blocks[i].list
		for k, b := range list {
			// What stores may change has to be looked up before them.
			if b.tex == nil || b.tex.texels || b.tex.dst == regNone {
				continue
			}
			n := 0
			for n < maxOutOfOrder && k+1+n < len(list) && list[k+1+n].beside(b.tex) {
				n++
			}
			if faults.has(faultOutOfOrder) {
				n++
			}
			b.tex.tex.OutOfOrder = uint8(n)
		}
	}
	return nil
}

// beside reports whether the bundle may run while a texture operation is under way.
func (b *bundle) beside(tex *inst) bool {
	if b.tex != nil || b.branch != nil {
		return false
	}
	var buf [maxUses]liveReg
	var all [isa.NumALUUnits + 2]*inst
	for _, in := range b.instructions(all[:0]) {
		if in.mask != 0 && in.dst == tex.dst {
			return false
		}
		for _, u := range in.uses(buf[:0]) {
			if u.r == tex.dst {
				return false
			}
		}
	}
	return true
}
