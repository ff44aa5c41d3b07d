package spirv

import (
	"slices"

	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Transform feedback: what the decorations XfbBuffer, XfbStride, Offset and
// Stream of output variables, and of members of output blocks, say.

// captureDec is what of it ir.Field has no room for.
type captureDec struct {
	stride, stream uint32
}

// read takes one decoration.
func (c *captureDec) read(d *decoration) bool {
	switch d.dec {
	case spv.DecorationXfbStride:
		c.stride = d.arg(0)
	case spv.DecorationStream:
		c.stream = d.arg(0)
	default:
		return false
	}
	return true
}

// memberCapture notes a decoration of member k.
func (ty *typ) memberCapture(k int32, d *decoration) bool {
	var c captureDec
	if !c.read(d) {
		return false
	}
	if ty.xfb == nil {
		ty.xfb = make([]captureDec, len(ty.members))
	}
	ty.xfb[k].read(d)
	return true
}

// merge gives a member's decorations, which win, or its variable's.
func (c captureDec) merge(ty *typ, k int) captureDec {
	if k >= len(ty.xfb) {
		return c
	}
	m := ty.xfb[k]
	if m.stride == 0 {
		m.stride = c.stride
	}
	if m.stream == 0 {
		m.stream = c.stream
	}
	return m
}

// capture enters what transform feedback writes of an output variable.
func (t *translator) capture(v *variable, iv *ir.Variable, c captureDec) {
	if c.stream >= ir.NumXfbBuffers {
		t.refuse(v.id, "the vertex stream %d is not supported: there are %d", c.stream, ir.NumXfbBuffers)
	}
	iv.Stream, iv.XfbStride = uint8(c.stream), c.stride
	if iv.XfbBuffer < 0 {
		iv.XfbOffset = -1
		return
	}
	info := &t.s.Info
	info.Xfb = true
	if iv.XfbBuffer >= ir.NumXfbBuffers {
		t.refuse(v.id, "the transform feedback buffer %d is not supported: there are %d", iv.XfbBuffer, ir.NumXfbBuffers)
	}
	if s := &info.XfbStrides[iv.XfbBuffer]; c.stride != 0 {
		if *s != 0 && *s != c.stride {
			t.fail(v.id, "transform feedback buffer %d has an XfbStride of %d and of %d", iv.XfbBuffer, *s, c.stride)
		}
		*s = c.stride
	}
	if iv.XfbOffset >= 0 {
		t.captureRuns(v, iv)
	}
}

// captureRuns appends what is captured of an output.
func (t *translator) captureRuns(v *variable, iv *ir.Variable) {
	if iv.XfbBuffer < 0 || iv.Mode != ir.ModeShaderOut || iv.Location < 0 {
		return
	}
	if t.stage == ir.StageTessCtrl || t.stage == ir.StageFragment {
		t.fail(v.id, "transform feedback of outputs of a %s shader is not allowed", t.stage)
	}
	base := iv.Type.WithoutArray()
	if bytes := int32(base.Bits / 8); base.IsNumeric() && iv.XfbOffset%max(bytes, 1) != 0 {
		t.fail(v.id, "the Offset %d of %q is not a multiple of the %d bytes of its components", iv.XfbOffset, iv.Name, bytes)
	}
	t.s.Captures = ir.AppendCaptures(t.s.Captures, iv)
}

// noBlockArrayCapture refuses arrays of blocks whose members are captured: the
// elements would go to consecutive buffers.
func (t *translator) noBlockArrayCapture(v *variable, own *ir.Field) {
	base := v.typ.withoutArray()
	if base.kind != tStruct {
		return
	}
	for k := range base.memb {
		if m := &base.memb[k]; m.Offset >= 0 && (own.XfbBuffer >= 0 || m.XfbBuffer >= 0) {
			t.refuse(v.id, "transform feedback of an array of blocks is not supported")
		}
	}
}

// checkCaptures puts the captures in the order of the buffers, and checks that
// each buffer has a stride that holds them, one stream, and no byte twice.
func (t *translator) checkCaptures() {
	info := &t.s.Info
	slices.SortStableFunc(t.s.Captures, func(a, b ir.Capture) int {
		if a.Buffer != b.Buffer {
			return int(a.Buffer) - int(b.Buffer)
		}
		return int(int64(a.Offset) - int64(b.Offset))
	})
	for i := range t.s.Captures {
		c := &t.s.Captures[i]
		if stride := info.XfbStrides[c.Buffer]; uint64(c.Offset)+uint64(c.Size()) > uint64(stride) {
			t.fail(t.entry.ID, "transform feedback writes bytes %d to %d of a vertex to buffer %d, whose XfbStride is %d", c.Offset, c.Offset+c.Size()-1, c.Buffer, stride)
		}
		if i == 0 || t.s.Captures[i-1].Buffer != c.Buffer {
			continue
		}
		before := &t.s.Captures[i-1]
		if before.Offset+before.Size() > c.Offset {
			t.fail(t.entry.ID, "transform feedback writes byte %d of a vertex to buffer %d twice", c.Offset, c.Buffer)
		}
		if before.Stream != c.Stream {
			t.fail(t.entry.ID, "transform feedback writes the streams %d and %d to buffer %d", before.Stream, c.Stream, c.Buffer)
		}
	}
}
