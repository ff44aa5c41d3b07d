package modules

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/ir"
)

// slotShape is a slot of a stage's interface and the type of its components.
type slotShape struct {
	slot  ir.Slot
	typ   *ir.Type // a scalar or vector
	first uint8
	index uint32
	flat  bool
}

// shapesOf lists the slots of a variable from its location on.
func shapesOf(v *ir.Variable) (list []slotShape) {
	var add func(t *ir.Type, at int32) int32
	add = func(t *ir.Type, at int32) int32 {
		switch {
		case t.IsArray():
			if v.Compact {
				return at + int32(t.Len+3)/4
			}
			for range t.Len {
				at = add(t.Elem, at)
			}
			return at
		case t.IsStruct():
			for i := range t.Fields {
				if l := t.Fields[i].Location; l >= 0 {
					at = l
				}
				at = add(t.Fields[i].Type, at)
			}
			return at
		case t.IsMatrix():
			for range t.Cols {
				at = add(t.Column(), at)
			}
			return at
		case !t.IsNumeric():
			return at
		}
		flat := v.Interp == ir.InterpFlat || t.Base != ir.BaseFloat || t.Bits == 64
		list = append(list, slotShape{slot: ir.Slot(at), typ: t, first: v.Component, index: v.Index, flat: flat})
		return at + int32(t.SlotCount())
	}
	t := v.Type
	if v.PerVertex && t.IsArray() {
		t = t.Elem
	}
	if v.Location >= 0 || t.IsStruct() {
		add(t, v.Location)
	}
	return list
}

// plainVertex is a vertex program in Go: a triangle over all pixels, and in every
// slot what a fragment shader takes there.
type plainVertex struct {
	io     emu.StageIO
	values [3]emu.Slots
}

func (p *plainVertex) Stage() ir.Stage                { return ir.StageVertex }
func (p *plainVertex) WaveSize() int                  { return 4 }
func (p *plainVertex) WorkgroupSize() [3]uint32       { return [3]uint32{} }
func (p *plainVertex) SharedSize() uint32             { return 0 }
func (p *plainVertex) IO() *emu.StageIO               { return &p.io }
func (p *plainVertex) NewWave(l *emu.Launch) emu.Wave { return &plainWave{p, l} }

type plainWave struct {
	p *plainVertex
	l *emu.Launch
}

func (w *plainWave) Run(int) (emu.Status, error) {
	for i := range w.l.NumLanes {
		w.l.Live.Set(i)
		w.l.Out[i] = w.p.values[w.l.Vertex[i].VertexIndex%3]
	}
	return emu.StatusDone, nil
}

// newPlainVertex makes the vertex program before a fragment shader.
func newPlainVertex(w *world, s *ir.Shader, prog emu.Program) *plainVertex {
	p := &plainVertex{io: emu.StageIO{Outputs: []emu.OutputSlot{{Slot: ir.SlotPos, Mask: 15}}}}
	corners := [3][3]float32{{-1, -1, 1}, {3, -1, 1.5}, {-1, 3, 2}}
	if w.flat {
		corners[1][2], corners[2][2] = 1, 1
	}
	// Shaken, weights are others by about that part, and so is what is interpolated.
	corners[1][2] *= 1 + w.shake
	corners[2][2] *= 1 - 0.7*w.shake
	for i, c := range corners {
		p.values[i][ir.SlotPos] = emu.Vec4{math.Float32bits(c[0] * c[2]), math.Float32bits(c[1] * c[2]), math.Float32bits(0.25 * float32(1+i) * c[2]), math.Float32bits(c[2])}
	}
	for _, v := range s.Variables {
		if v.Mode != ir.ModeShaderIn {
			continue
		}
		for _, in := range shapesOf(v) {
			if in.slot < ir.SlotVar0 || in.slot >= ir.NumVaryingSlots {
				continue
			}
			o := emu.OutputSlot{Slot: in.slot, Mask: 15}
			for _, i := range prog.IO().Inputs {
				if i.Slot == in.slot && i.Bits == 16 {
					o.Bits = 16
				}
			}
			p.io.Outputs = append(p.io.Outputs, o)
			w.vary(&p.values, &in, o.Bits == 16)
		}
	}
	if prog.IO().LinearTimesW {
		p.multiply(prog.IO().Inputs)
		p.toWindow()
	}
	return p
}

// multiply multiplies what is to be linear in the window by w.
func (p *plainVertex) multiply(inputs []emu.InputSlot) {
	for _, in := range inputs {
		if in.Interp != ir.InterpNoPerspective || in.Slot < ir.SlotVar0 {
			continue
		}
		for i := range p.values {
			w := math.Float32frombits(p.values[i][ir.SlotPos][3])
			for k, v := range p.values[i][in.Slot] {
				p.values[i][in.Slot][k] = math.Float32bits(math.Float32frombits(v) * w)
			}
		}
	}
}

// toWindow puts the vertices where they are in the window, with 1/w: programs that take w back want that of the centroid too.
func (p *plainVertex) toWindow() {
	p.io.WindowPosition = true
	for i := range p.values {
		pos := &p.values[i][ir.SlotPos]
		over := 1 / math.Float32frombits(pos[3])
		for k := range 2 {
			pos[k] = math.Float32bits((math.Float32frombits(pos[k])*over + 1) * agreePixels / 2)
		}
		pos[2], pos[3] = math.Float32bits(math.Float32frombits(pos[2])*over), math.Float32bits(over)
	}
}

// vary gives an input of a fragment shader its values at the vertices; halves are
// narrow or as floats.
func (w *world) vary(values *[3]emu.Slots, in *slotShape, narrow bool) {
	for c := range int(in.typ.Rows) {
		number := w.number(in.typ)
		for i := range values {
			if !in.flat && i > 0 {
				number = w.number(in.typ)
			}
			bits := number
			if in.typ.Bits == 16 && in.typ.Base == ir.BaseFloat && !narrow {
				bits = uint64(math.Float32bits(emu.HalfToFloat(uint16(bits))))
			}
			word, at := values[i][:], int(in.first)+c
			if in.typ.Bits == 64 {
				at += c
				if next := int(in.slot) + (at+1)/4; next < len(word) {
					word[next][(at+1)%4] = uint32(bits >> 32)
				}
			}
			if slot := int(in.slot) + at/4; slot < len(word) {
				word[slot][at%4] = uint32(bits)
			}
		}
	}
}

// fragments runs a fragment shader after a vertex program in Go.
func (w *world) fragments(ctx context.Context, s *ir.Shader, prog emu.Program, limits emu.Limits) error {
	p := &emu.Pipeline{Env: &w.env, Vertex: newPlainVertex(w, s, prog), Fragment: prog, Topology: emu.TriangleList,
		Area: emu.Rect{Width: agreePixels, Height: agreePixels}}
	depth := false
	for _, v := range s.Variables {
		if v.Mode != ir.ModeShaderOut {
			continue
		}
		for _, out := range shapesOf(v) {
			depth = depth || out.slot == ir.SlotDepth
			if n := int(out.slot) - int(ir.SlotData0); out.index == 0 && n >= 0 && n < 8 {
				if err := w.attach(p, n, out.typ); err != nil {
					return err
				}
			}
		}
	}
	if depth {
		img, err := emu.NewImage(emu.ImageDesc{Width: agreePixels, Height: agreePixels, Format: emu.FormatByName("D32_SFLOAT")})
		if err != nil {
			return err
		}
		p.DepthStencil.View = &emu.ImageView{Image: img}
		p.Depth = emu.DepthState{Test: true, Write: true, Compare: emu.CompareAlways}
		w.memory = append(w.memory, worldMemory{name: "depth", data: img.Data, kinds: []wordKind{wordF32}})
	}
	if err := exec.LinkPipeline(ctx, "", p); err != nil {
		return err
	}
	return emu.Draw(ctx, p, emu.DrawParams{Limits: limits, VertexCount: 3, InstanceCount: 1})
}

// attach gives a draw colour attachment n for outputs of a type.
func (w *world) attach(p *emu.Pipeline, n int, t *ir.Type) error {
	bits := fmt.Sprint(max(16, t.Bits))
	kind, words := "SFLOAT", wordF32
	switch {
	case t.Base == ir.BaseInt:
		kind, words = "SINT", wordInt
	case t.Base != ir.BaseFloat:
		kind, words = "UINT", wordInt
	case t.Bits == 16:
		words = wordF16
	}
	img, err := emu.NewImage(emu.ImageDesc{Width: agreePixels, Height: agreePixels, Format: emu.FormatByName("R" + bits + "G" + bits + "B" + bits + "A" + bits + "_" + kind)})
	if err != nil {
		return err
	}
	for len(p.Color) <= n {
		p.Color = append(p.Color, emu.Attachment{})
		p.Blend.Attachments = append(p.Blend.Attachments, emu.AttachmentBlend{})
	}
	if p.Color[n].View != nil {
		img = p.Color[n].View.Image
	} else {
		w.memory = append(w.memory, worldMemory{name: fmt.Sprintf("colour %d", n), data: img.Data, kinds: []wordKind{words}})
	}
	p.Color[n].View = &emu.ImageView{Image: img}
	// What the shader does not write is undefined.
	p.Blend.Attachments[n].WriteMask |= (1<<t.Rows - 1) & emu.WriteAll
	return nil
}

// tap is a vertex program that keeps what its waves leave.
type tap struct {
	emu.Program
	out map[uint32]emu.Slots // by vertex index
}

type tapWave struct {
	emu.Wave
	t *tap
	l *emu.Launch
}

func (t *tap) NewWave(l *emu.Launch) emu.Wave { return &tapWave{t.Program.NewWave(l), t, l} }

func (w *tapWave) Run(fuel int) (emu.Status, error) {
	st, err := w.Wave.Run(fuel)
	if err == nil && st == emu.StatusDone {
		for i := range w.l.NumLanes {
			out := w.l.Out[i]
			if w.t.IO().WindowPosition {
				out[ir.SlotPos] = w.l.Viewport.ClipPosition(out[ir.SlotPos])
			}
			w.t.out[w.l.Vertex[i].VertexIndex] = drawn(out)
		}
	}
	return st, err
}

// drawn makes of a vertex' position and point size what is drawn by them, as some targets leave no more: a place in the
// window and w, which Midgard keeps away from zero (midgard.md §9.3), and a size that devices have.
func drawn(out emu.Slots) emu.Slots {
	pos, size := &out[ir.SlotPos], &out[ir.SlotPointSize][0]
	if w := float64(math.Float32frombits(pos[3])); !math.IsInf(w, 0) && w == w {
		w = math.Copysign(max(math.Abs(w), 1.0/32768), w)
		for k := range 3 {
			pos[k] = math.Float32bits(float32(float64(math.Float32frombits(pos[k])) / w))
		}
		pos[3] = math.Float32bits(float32(w))
	}
	*size = math.Float32bits(min(max(math.Float32frombits(*size), 1), 511.95))
	return out
}

// vertices runs a vertex shader and adds its outputs to the memory to compare.
func (w *world) vertices(ctx context.Context, s *ir.Shader, prog emu.Program, limits emu.Limits) error {
	p := &emu.Pipeline{Env: &w.env, Vertex: prog, Topology: emu.PointList, Raster: emu.RasterState{Discard: true},
		Area: emu.Rect{Width: agreePixels, Height: agreePixels}}
	for _, v := range s.Variables {
		if v.Mode != ir.ModeShaderIn {
			continue
		}
		for _, in := range shapesOf(v) {
			if in.slot >= ir.SlotAttrib0 && int(in.slot-ir.SlotAttrib0) < ir.NumAttribSlots {
				w.attribute(p, &in)
			}
		}
	}
	if err := exec.LinkPipeline(ctx, "", p); err != nil {
		return err
	}
	t := &tap{p.Vertex, map[uint32]emu.Slots{}}
	p.Vertex = t
	if err := emu.Draw(ctx, p, emu.DrawParams{Limits: limits, VertexCount: agreeVertices, InstanceCount: 1}); err != nil {
		return err
	}
	for _, v := range s.Variables {
		if v.Mode != ir.ModeShaderOut {
			continue
		}
		for _, out := range shapesOf(v) {
			if out.slot >= ir.NumVaryingSlots {
				continue
			}
			m := worldMemory{name: fmt.Sprintf("output slot %d", out.slot), kinds: []wordKind{kindOf(out.typ)}}
			words, narrow := int(out.typ.Rows)*max(1, int(out.typ.Bits)/32), false
			for _, o := range prog.IO().Outputs {
				narrow = narrow || o.Slot == out.slot && o.Bits == 16
			}
			for i := range uint32(agreeVertices) {
				slots := t.out[i]
				for c := range words {
					at := int(out.first) + c
					word := uint32(0)
					if slot := int(out.slot) + at/4; slot < len(slots) {
						word = slots[slot][at%4]
					}
					if out.typ.Bits < 32 {
						if out.typ.Base == ir.BaseFloat && !narrow {
							word = uint32(emu.FloatToHalf(math.Float32frombits(word)))
						}
						word &= 1<<out.typ.Bits - 1
					}
					m.data = binary.LittleEndian.AppendUint32(m.data, word)
				}
			}
			w.memory = append(w.memory, m)
		}
	}
	return nil
}

// attribute gives a vertex shader's input a buffer.
func (w *world) attribute(p *emu.Pipeline, in *slotShape) {
	bits := fmt.Sprint(max(8, in.typ.Bits))
	kind := "UINT"
	switch in.typ.Base {
	case ir.BaseFloat:
		kind = "SFLOAT"
	case ir.BaseInt:
		kind = "SINT"
	}
	stride := 4 * int(max(8, in.typ.Bits)) / 8
	b := emu.VertexBinding{Binding: uint32(len(p.Bindings)), Stride: uint32(stride), Data: make([]byte, stride*agreeVertices)}
	w.fill(b.Data, nil, ir.ArrayType(in.typ.ScalarOf(), 0, uint32(stride/4)), 0)
	p.Bindings = append(p.Bindings, b)
	p.Attributes = append(p.Attributes, emu.VertexAttribute{Location: uint32(in.slot - ir.SlotAttrib0), Binding: b.Binding,
		Format: emu.FormatByName("R" + bits + "G" + bits + "B" + bits + "A" + bits + "_" + kind)})
}
