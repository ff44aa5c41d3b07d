//go:build linux && (amd64 || arm64)

package vulkan

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/internal/prove"
	"nirc/ir"
)

// drawing is what a draw leaves: colours, and depths, stencil values and what was captured, or nil.
type drawing struct{ color, depth, stencil, captured []byte }

// depthFormat is that of the depths of a drawing.
var depthFormat = emu.FormatByName("D32_SFLOAT")

// aspects takes depths and stencil values from an image.
func (d *drawing) aspects(f *emu.Format, data []byte) {
	if f.StencilBits == 0 {
		d.depth = data
		return
	}
	for at := 0; at < len(data); at += f.Bytes { // D32_SFLOAT_S8_UINT: four bytes, then one
		d.depth = append(d.depth, data[at:at+4]...)
		d.stencil = append(d.stencil, data[at+4])
	}
}

// byteTexels are stencil values as an image.
func byteTexels(data []byte) [][4]float32 {
	list := make([][4]float32, len(data))
	for i, b := range data {
		list[i][0] = float32(b)
	}
	return list
}

// stencil adds stencil tests and operations, other ones of back faces.
func (c *drawCase) stencil() {
	face := func() emu.StencilFace {
		op := func() emu.StencilOp { return emu.StencilOp(c.late.IntN(8)) }
		return emu.StencilFace{Fail: op(), Pass: op(), DepthFail: op(), Compare: emu.CompareOp(c.late.IntN(8)),
			CompareMask: pick(c.late, []uint32{255, 3, 1}), WriteMask: pick(c.late, []uint32{255, 255, 7}), Reference: c.late.Uint32N(4)}
	}
	s := &c.d.state.Depth
	c.d.depth = emu.FormatByName("D32_SFLOAT_S8_UINT")
	s.StencilTest, s.Front, s.Back = true, face(), face()
	c.feature("stencil")
}

// secondSource blends with a second colour of the fragment shader.
func (c *drawCase) secondSource(a *emu.AttachmentBlend) {
	if !strings.Contains(c.d.color.Name, "UNORM") || c.late.IntN(3) != 0 {
		return
	}
	factor := func() ir.BlendFactor { return ir.BlendSrc1Color + ir.BlendFactor(c.late.IntN(4)) }
	a.SrcColor, a.DstColor, a.SrcAlpha, a.DstAlpha = factor(), factor(), factor(), factor()
	c.dual = true
	c.feature("dual source")
}

// captureStride is how much of a vertex is captured: what is handed on, and the position.
const captureStride = 32

// capture writes what the vertex shader hands on to a buffer, primitive by primitive.
func (c *drawCase) capture() {
	text := c.stages[ir.StageVertex]
	text = strings.Replace(text, "layout(location=0) out vec4 v;", "layout(location=0, xfb_buffer=0, xfb_offset=0, xfb_stride=32) out vec4 v;", 1)
	const block = "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };\n"
	if strings.Contains(text, block) {
		text = strings.Replace(text, "out gl_PerVertex { vec4 gl_Position;", "out gl_PerVertex { layout(xfb_buffer=0, xfb_offset=16) vec4 gl_Position;", 1)
	} else {
		text = strings.Replace(text, "void main()", "out gl_PerVertex { layout(xfb_buffer=0, xfb_offset=16) vec4 gl_Position; };\nvoid main()", 1)
	}
	c.stages[ir.StageVertex] = text
	c.d.captures = 3 * captureStride * int(c.d.params.VertexCount*c.d.params.InstanceCount)
	c.feature("transform feedback")
}

// judgeCapture compares captured floats, all of which are sums and products of few bits.
func (c *drawCase) judgeCapture(t *testing.T, seed uint64, who string, a, b []byte) {
	t.Helper()
	if b != nil && !c.d.state.PrimitiveRestart && bytes.Count(b, []byte{0}) == len(b) {
		t.Errorf("seed %d, %s: nothing is captured", seed, who)
	}
	for at := 0; at+4 <= len(a) && at+4 <= len(b); at += 4 {
		x, y := math.Float32frombits(binary.LittleEndian.Uint32(a[at:])), math.Float32frombits(binary.LittleEndian.Uint32(b[at:]))
		if prove.Near(float64(y), float64(x), 1e-6) {
			continue
		}
		t.Errorf("seed %d, %s: captured vertex %d, float %d is %v, %v (%s)", seed, who, at/captureStride, at%captureStride/4, x, y, strings.Join(c.features, ", "))
		return
	}
}
