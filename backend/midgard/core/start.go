package core

import (
	"encoding/binary"
	"fmt"
	"math"

	"nirc/backend/midgard/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// anything is what checking mode leaves where nothing was written, another value each
// time; without it that is zero.
func (w *wave) anything() (v [4]uint32) {
	w.garbage.FillWords(v[:])
	return v
}

// start fills the registers of all threads.
func (w *wave) start() error {
	l, m := w.l, w.p.meta
	n := len(w.threads)
	if err := w.startStage(); err != nil {
		return err
	}
	short := l.Env == nil || l.Env.Mem == nil || l.Env.Bindings == nil
	switch m.Stage {
	case ir.StageVertex:
		short = short || len(l.Vertex) < n || len(l.Out) < n
	case ir.StageFragment:
		short = short || len(l.Fragment) < n || len(l.Out) < n
	case ir.StageCompute:
		short = short || l.Compute == nil || len(l.Compute.LocalID) < n
	}
	if short {
		return fmt.Errorf("the launch lacks the lanes of stage %s", m.Stage)
	}
	l.Live = emu.Mask{}
	if w.check {
		if w.garbage = l.Garbage(); !w.garbage.On() {
			w.garbage = emu.Poison(1) // a launch that is made by hand
		}
		w.order = w.garbage.Fork(1)
		w.watchRaces()
	}
	for i := range w.threads {
		w.startThread(&w.threads[i], i)
		if w.p.blend != nil {
			w.startBlend(&w.threads[i])
		}
	}
	for i, u := range m.Uniforms {
		var b [16]byte // the driver fills registers up with zeros
		w.readUBO(u.UBO, uint64(u.Offset), b[:])
		v := [2]uint64{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}
		for k := range w.threads {
			w.threads[k].file[abi.UniformTop-i] = v
		}
	}
	return nil
}

func (w *wave) startThread(t *thread, lane int) {
	t.lane, t.approx, t.flush, t.counts = lane, w.l.Approx, flushOf(w.l), w.l.Doubt(doubtCounts)
	if w.p.meta.Stage == ir.StageFragment {
		t.helper = w.l.Fragment[lane].Helper
	}
	t.tls = make([]byte, w.p.meta.TLSSize)
	t.file[filePCSP][1] = tlsBase
	if !w.check {
		return
	}
	for r := range t.file[:filePCSP] {
		w.garbage.Mark("register", r, 4)
		t.set(r, w.anything())
	}
	w.garbage.Mark("private memory, byte", 0, 0)
	w.garbage.Fill(t.tls)
	for r := range t.def[:24] {
		t.def[r] = [2]uint64{math.MaxUint64, math.MaxUint64}
	}
	t.def[filePCSP] = t.def[0]
}

// readUBO reads bytes of an entry of the UBO table; those beyond its end stay as they are.
func (w *wave) readUBO(i int, off uint64, b []byte) {
	if i >= len(w.p.meta.UBOs) {
		return
	}
	u := &w.p.meta.UBOs[i]
	var data []byte
	switch u.Kind {
	case abi.UBOBinding:
		d := w.l.Env.Bindings.Lookup(u.Set, u.Binding, u.Element)
		if i >= int(abi.UBOTable.Start) { // what all stages share is where the pipeline's layout has it
			if _, d = w.bound(&abi.UBOTable, i); d == nil {
				return
			}
		}
		if off < d.Size {
			n := min(uint64(len(b)), d.Size-off)
			copy(b, w.l.Env.Mem.Bytes(d.Addr+off, int(n)))
		}
		return
	case abi.UBOPush:
		data = w.l.Env.Push
	case abi.UBOSysvals:
		w.readSysvals(w.p.meta.Sysvals, w.p.meta.SysvalTail, off, b)
		return
	case abi.UBOElements:
		w.readSysvals(nil, w.p.meta.Elements, off, b)
		return
	case abi.UBOData:
		data = u.Data
	}
	if off < uint64(len(data)) {
		copy(b, data[off:])
	}
}

// readSysvals reads bytes of the system value buffer; values are made as they are
// read, because a buffer may have very many.
func (w *wave) readSysvals(list, tail []abi.Sysval, off uint64, b []byte) {
	for n := 0; n < len(b); {
		at := off + uint64(n)
		entry, element := abi.Entry(list, tail, int(min(at/16, math.MaxInt32)))
		if entry == nil {
			return
		}
		s := *entry
		s.Element += element
		var v [16]byte
		for k, x := range w.sysval(&s) {
			binary.LittleEndian.PutUint32(v[4*k:], x)
		}
		n += copy(b[n:], v[at%16:])
	}
}

// sysval is the value of a system value slot.
func (w *wave) sysval(s *abi.Sysval) (v [4]uint32) {
	l := w.l
	if v, ok := w.driver.sysval(s.Kind, s.Element); ok {
		return v
	}
	desc := func() *emu.Descriptor { return l.Env.Bindings.Lookup(s.Set, s.Binding, s.Element) }
	switch s.Kind {
	case abi.SysvalViewportScale, abi.SysvalViewportOffset:
		return w.viewport(s.Kind)
	case abi.SysvalTextureSize, abi.SysvalImageSize:
		return imageSize(desc(), s)
	case abi.SysvalTextureSamples:
		v[0] = desc().Image.QuerySamples()
	case abi.SysvalSSBO:
		d := *desc()
		if d.Type == emu.DescNone && w.check {
			d.Addr = w.absent.Place(l.Env.Bindings, s.Set, s.Binding, s.Element, &w.p.meta.Robust)
		}
		return [4]uint32{uint32(d.Addr), uint32(d.Addr >> 32), uint32(d.Size)}
	case abi.SysvalUBOSize:
		v[0] = uint32(desc().Size)
	case abi.SysvalWorkgroupSize:
		copy(v[:], w.p.meta.WorkgroupSize[:])
	case abi.SysvalWorkDim:
		v[0] = 3
	case abi.SysvalSampler:
		if d := desc().Sampler; d != nil {
			v = [4]uint32{math.Float32bits(d.MinLod), math.Float32bits(d.MaxLod), math.Float32bits(d.LodBias)}
			if d.Mip != emu.MipNearest {
				v[3] = math.Float32bits(1)
			}
		}
	case abi.SysvalFeedback:
		if f := l.Capture; f != nil && s.Element < ir.NumXfbBuffers {
			return [4]uint32{uint32(f.Buffers[s.Element]), uint32(f.Buffers[s.Element] >> 32)}
		}
	case abi.SysvalNumVertices:
		if l.Capture != nil {
			v[0] = l.Capture.Vertices
		}
	default:
		return w.launchSysval(s.Kind)
	}
	return v
}

// viewport is the scale or the offset of the draw's viewport, of a viewport of one pixel
// around the origin if there is no draw.
func (w *wave) viewport(k abi.SysvalKind) (v [4]uint32) {
	scale, offset := [3]float32{1, 1, 1}, [3]float32{}
	if t := w.l.Viewport; t != nil {
		scale, offset = t.Scale, t.Offset
	}
	x := scale
	if k == abi.SysvalViewportOffset {
		x = offset
	}
	for i := range x {
		v[i] = math.Float32bits(x[i])
	}
	return v
}

// launchSysval are the system values that come with the launch.
func (w *wave) launchSysval(k abi.SysvalKind) (v [4]uint32) {
	l := w.l
	switch {
	case l.Compute != nil && k == abi.SysvalNumWorkgroups:
		copy(v[:], l.Compute.NumWorkgroups[:])
	case l.Compute != nil && k == abi.SysvalBaseWorkgroup:
		copy(v[:], l.Compute.BaseWorkgroupID[:])
	case k == abi.SysvalViewIndex && w.driver != nil:
		v[0] = w.driver.view
	case k == abi.SysvalViewIndex && len(l.Fragment) > 0:
		if p := l.Fragment[0].Prim; p != nil {
			v[0] = p.ViewIndex
		}
	case k == abi.SysvalMultisampled && len(l.Fragment) > 0:
		if p := l.Fragment[0].Prim; p != nil && p.Samples > 1 {
			v[0] = math.MaxUint32
		}
	case k == abi.SysvalLayer && len(l.Fragment) > 0:
		if p := l.Fragment[0].Prim; p != nil {
			v[0] = p.Layer
		}
	case k == abi.SysvalSink:
		return [4]uint32{0, uint32(sinkBase >> 32), 16, uint32(sinkBase >> 32)}
	case k == abi.SysvalSamplePositions:
		return [4]uint32{0, uint32(sampleBase >> 32)}
	case len(l.Vertex) > 0:
		x := &l.Vertex[0]
		switch k {
		case abi.SysvalVertexOffsets:
			v = [4]uint32{rawOffset(x), x.BaseVertex, x.BaseInstance}
		case abi.SysvalDrawID:
			v[0] = x.DrawIndex
		case abi.SysvalViewIndex:
			v[0] = x.ViewIndex
		default:
			w.fillUnknown(v[:])
		}
	default:
		w.fillUnknown(v[:])
	}
	return v
}

// fillUnknown fills what no driver has a value for in this launch with garbage.
func (w *wave) fillUnknown(v []uint32) {
	if w.check {
		w.garbage.FillWords(v)
	}
}

func imageSize(d *emu.Descriptor, s *abi.Sysval) (v [4]uint32) {
	if d.Format != nil && d.Image == nil {
		v[0] = uint32(d.NumTexels())
		return v
	}
	v = d.Image.QuerySize(shapeOf(s.Dim), s.Array, int(s.Lod))
	v[3] = d.Image.QueryLevels()
	return v
}

// shapeOf is the emulator's shape of a texture.
func shapeOf(d ir.Dim) emu.TexDim {
	switch d {
	case ir.Dim1D, ir.DimBuf:
		return emu.Tex1D
	case ir.Dim3D:
		return emu.Tex3D
	case ir.DimCube:
		return emu.TexCube
	}
	return emu.Tex2D
}

// rawOffset is where the raw vertex ids of a draw begin: hardware counts those of indexed
// draws from the smallest index on, which stands for any here.
func rawOffset(x *emu.VertexLane) uint32 {
	if x.IsIndexed {
		return x.BaseVertex + 3
	}
	return x.BaseVertex
}
