package emu

import (
	"encoding/binary"
	"fmt"
	"math"

	"nirc/ir"
)

// attrFetch is one attribute, resolved against its binding.
type attrFetch struct {
	slot             int
	format           *Format
	data             []byte
	stride, offset   uint64
	instance         bool
	divisor          uint32 // 0: all instances share the first's element
	bits16, wideTail bool
}

// fetcher reads the vertex stage's inputs.
type fetcher struct {
	attrs []attrFetch
	slots int // input slots a vertex
}

// newFetcher resolves the attributes that the vertex stage reads.
func newFetcher(p *Pipeline) (*fetcher, error) {
	f := &fetcher{}
	var used [ir.NumAttribSlots]*InputSlot
	ins := p.Vertex.IO().Inputs
	for i := range ins {
		s := int(ins[i].Slot)
		if s >= len(used) {
			return nil, fmt.Errorf("emu: vertex input slot %d is out of range", s)
		}
		used[s] = &ins[i]
		f.slots = max(f.slots, s+1)
	}
	for i := range p.Attributes {
		a := &p.Attributes[i]
		if a.Format == nil || a.Location >= ir.NumAttribSlots {
			return nil, fmt.Errorf("emu: vertex attribute at location %d has no format or is out of range", a.Location)
		}
		if a.Format.IsDepthStencil() {
			return nil, unsupported("vertex attribute at location %d: format %s is not supported", a.Location, a.Format.Name)
		}
		in := used[a.Location]
		tail := a.Format.IsWide() && len(a.Format.Channels) > 2 && a.Location+1 < ir.NumAttribSlots
		if in == nil && !(tail && used[a.Location+1] != nil) {
			continue
		}
		b := findBinding(p.Bindings, a.Binding)
		if b == nil {
			return nil, fmt.Errorf("emu: vertex attribute at location %d reads binding %d, which is not bound", a.Location, a.Binding)
		}
		af := attrFetch{slot: int(a.Location), format: a.Format, data: b.Data, stride: uint64(b.Stride), offset: uint64(a.Offset), instance: b.Instance, divisor: b.Divisor, wideTail: tail}
		if af.divisor == 0 && !b.DivisorSet {
			af.divisor = 1
		}
		af.bits16 = in != nil && in.Bits == 16
		if tail {
			f.slots = max(f.slots, af.slot+2)
		}
		f.attrs = append(f.attrs, af)
	}
	return f, nil
}

func findBinding(bs []VertexBinding, n uint32) *VertexBinding {
	for i := range bs {
		if bs[i].Binding == n {
			return &bs[i]
		}
	}
	return nil
}

// fetch fills the input slots of one vertex.
func (f *fetcher) fetch(l *VertexLane, in []Vec4) {
	clear(in)
	for i := range f.attrs {
		a := &f.attrs[i]
		elem := uint64(l.VertexIndex)
		if a.instance {
			elem = uint64(l.BaseInstance)
			if a.divisor != 0 {
				elem = uint64(l.BaseInstance + (l.InstanceIndex-l.BaseInstance)/a.divisor)
			}
		}
		// Below 2^64: the factors are 32-bit numbers, and so is the offset.
		at := elem*a.stride + a.offset
		var src []byte
		if size := uint64(len(a.data)); at <= size && uint64(a.format.Bytes) <= size-at {
			src = a.data[at : at+uint64(a.format.Bytes)]
		} else {
			src = zeroTexel[:a.format.Bytes]
		}
		if a.format.IsWide() {
			fetchWide(src, in[a.slot:], a.wideTail)
			continue
		}
		a.format.Unpack(src, (*[4]uint32)(&in[a.slot]))
		if a.bits16 {
			narrow(&in[a.slot], a.format.IsInteger())
		}
	}
}

// zeroTexel is what an attribute outside its buffer reads.
var zeroTexel [32]byte

// fetchWide spreads 64-bit components over one or two slots.
func fetchWide(src []byte, in []Vec4, tail bool) {
	for i := range len(src) / 4 {
		if i < 4 || tail {
			in[i/4][i&3] = binary.LittleEndian.Uint32(src[4*i:])
		}
	}
}

// narrow makes 16-bit components of 32-bit ones.
func narrow(v *Vec4, integer bool) {
	for c := range v {
		if integer {
			v[c] &= 0xffff
		} else {
			v[c] = uint32(FloatToHalf(math.Float32frombits(v[c])))
		}
	}
}

// indexAt returns element i of the index buffer, 0 beyond its end.
func (b *IndexBuffer) indexAt(i uint64) uint32 {
	n := uint64(b.Bytes)
	if i >= uint64(len(b.Data))/n {
		return 0
	}
	return uint32(LoadBytes(b.Data[i*n:], b.Bytes))
}
