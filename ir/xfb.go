package ir

// NumXfbBuffers is the number of transform feedback buffers, and of vertex
// streams: the most that Vulkan implementations offer.
const NumXfbBuffers = 4

// Capture is a run of components of an output slot that transform feedback
// writes to a buffer for each vertex. It names slots and not variables, so it
// holds whatever passes make of the variables.
type Capture struct {
	Slot Slot
	// First and Count are the components; Bits is what each takes in the buffer:
	// 16, or 32 for words. A 64-bit value is two words.
	First, Count, Bits uint8
	Buffer, Stream     uint8
	// Offset is the run's byte offset in the vertex's part of the buffer.
	Offset uint32
}

// Size returns the bytes that the run takes.
func (c *Capture) Size() uint32 { return uint32(c.Count) * uint32(c.Bits) / 8 }

// AppendCaptures appends the runs of an output variable that is captured. The
// leaves of a composite follow each other without gaps but those that their
// alignment asks for.
func AppendCaptures(list []Capture, v *Variable) []Capture {
	c := captureWriter{list: list, at: uint32(max(v.XfbOffset, 0)), word: uint32(max(v.Location, 0))*4 + uint32(v.Component), compact: v.Compact}
	c.proto = Capture{Buffer: uint8(v.XfbBuffer), Stream: v.Stream}
	c.leaves(v.Type)
	return c.list
}

// captureWriter walks the leaves of a variable.
type captureWriter struct {
	list    []Capture
	proto   Capture
	at      uint32 // byte offset in the buffer
	word    uint32 // slot times 4 plus component
	compact bool
}

func (c *captureWriter) leaves(t *Type) {
	switch {
	case t.IsArray():
		for range t.Len {
			c.leaves(t.Elem)
		}
	case t.IsStruct():
		for i := range t.Fields {
			c.leaves(t.Fields[i].Type)
		}
	case t.IsNumeric():
		for range max(t.Cols, 1) {
			c.column(t)
		}
	}
}

// column writes a vector, and moves on to the next leaf's slot: the next word
// in a compact array.
func (c *captureWriter) column(t *Type) {
	start, left, run := c.word, uint32(t.Rows), c.proto
	size := uint32(4)
	switch t.Bits {
	case 16:
		size, run.Bits = 2, 16
	case 64:
		size, run.Bits, left = 8, 32, 2*left
	default:
		run.Bits = 32
	}
	c.at = (c.at + size - 1) &^ (size - 1)
	for left > 0 {
		n := min(left, 4-c.word%4)
		run.Slot, run.First, run.Count, run.Offset = Slot(c.word/4), uint8(c.word%4), uint8(n), c.at
		c.add(run)
		c.at += run.Size()
		c.word += n
		left -= n
	}
	if !c.compact {
		c.word = start&3 + (c.word+3)&^3
	}
}

// add appends a run, or lengthens the last one.
func (c *captureWriter) add(run Capture) {
	if n := len(c.list); n > 0 {
		l := &c.list[n-1]
		joins := l.Slot == run.Slot && l.First+l.Count == run.First && l.Bits == run.Bits && l.Buffer == run.Buffer && l.Stream == run.Stream
		if joins && l.Offset+l.Size() == run.Offset {
			l.Count += run.Count
			return
		}
	}
	c.list = append(c.list, run)
}

// captureFields names the fields of a Capture besides its slot for printer,
// parser and serialised form.
func captureFields(c *Capture) []namedField {
	return []namedField{{"first", &c.First}, {"count", &c.Count}, {"bits", &c.Bits}, {"buffer", &c.Buffer}, {"stream", &c.Stream}, {"offset", &c.Offset}}
}

// capture parses one run.
func (p *parser) capture() {
	var c Capture
	loc, ok := parseSlot(p.word())
	if !ok || loc < 0 || loc >= NumVaryingSlots {
		p.failLast("no output slot")
	}
	c.Slot = Slot(loc)
	p.expect("{")
	for !p.accept("}") {
		if name := p.word(); !p.setField(name, captureFields(&c)) {
			p.failLast("no attribute %q of a capture", name)
		}
	}
	if !c.valid() {
		p.failLast("a capture of components that do not exist")
	}
	p.s.Captures = append(p.s.Captures, c)
}

// valid reports whether the run lies within its slot, streams and buffers.
func (c *Capture) valid() bool {
	return uint64(c.Slot) < NumVaryingSlots && c.Count > 0 && uint(c.First)+uint(c.Count) <= 4 && (c.Bits == 16 || c.Bits == 32) &&
		c.Buffer < NumXfbBuffers && c.Stream < NumXfbBuffers && c.Offset%(uint32(c.Bits)/8) == 0
}
