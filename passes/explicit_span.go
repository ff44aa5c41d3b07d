package passes

import "nirc/ir"

// span bounds the byte offsets of an address in its buffer: from first on, as elements of arrays that
// values choose lie up to extra bytes further. An application promises to stay inside of its arrays;
// where buffers are robust nothing may rest on that.
type span struct {
	known        bool
	first, extra uint32
}

// maxSpan is more than any uniform buffer has.
const maxSpan = 1 << 30

// spanOf is the span of a pointer to a buffer with this room.
func spanOf(ptr *ir.Def, r room) span {
	return span{known: !r.bounded && ptr.Instr.IsIntrinsic(ir.IntrLoadVulkanDescriptor)}
}

// move adds a constant.
func (p *span) move(n int64) {
	at := int64(p.first) + n
	p.known = p.known && at >= 0 && at < maxSpan
	p.first = uint32(at)
}

// choose adds one of n elements of stride bytes; n is 0 if nobody knows how many there are.
func (p *span) choose(n, stride uint32) {
	extra := uint64(p.extra) + uint64(n-1)*uint64(stride)
	p.known = p.known && n > 0 && extra < maxSpan
	p.extra = uint32(extra)
}

// elements returns how many elements an index into t chooses from, 0 if that is not known.
func elements(t *ir.Type) uint32 {
	switch {
	case t.IsArray():
		return t.Len
	case t.IsMatrix():
		return uint32(t.Cols)
	}
	return uint32(t.Rows)
}
