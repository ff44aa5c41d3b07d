package core

import (
	"strings"
	"testing"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestRefused: what an access cannot be, by the function that says so.
func TestRefused(t *testing.T) {
	stage := func(s ir.Stage, attributes ...abi.Record) *wave {
		w := inputWave(t, abi.Varying{})
		w.p.meta.Stage, w.p.meta.Attributes = s, attributes
		w.l.Vertex = []emu.VertexLane{{VertexIndex: 5, InstanceIndex: 9, BaseInstance: 2}}
		w.l.Inputs = [][]emu.Vec4{{2: {7, 8, 9, 10}}}
		return w
	}
	attr := abi.Record{Kind: abi.RecordAttribute, Slot: 2}
	load := func(op isa.LdOp) isa.LoadStore { return isa.LoadStore{Op: op, Reg: 1, Mask: 15} }
	drawn := func(a abi.Record, format string) *wave {
		w := stage(ir.StageVertex, a)
		w.l.Draw = &emu.Pipeline{Attributes: []emu.VertexAttribute{{Location: 1, Format: emu.FormatByName("R32_UINT")}, {Location: 2, Format: emu.FormatByName(format)}}}
		return w
	}
	ofType := func(w *wave, op isa.LdOp, format isa.IndexFormat) error {
		l := load(op)
		l.Format = format
		return w.attributeType(&l, 0)
	}
	space := func(a uint64, n int) error {
		w := stage(ir.StageCompute)
		w.check, w.l.Compute = true, &emu.ComputeLaunch{Shared: make([]byte, 8)}
		_, err := w.space(&thread{tls: make([]byte, 16)}, a, n)
		return err
	}
	for _, c := range []struct {
		name, want string
		err        error
	}{
		{"an attribute", "", second(stage(ir.StageVertex, attr).attribute(new(thread), 0))},
		{"before the first", "attribute -1: the table has 1", second(stage(ir.StageVertex, attr).attribute(new(thread), -1))},
		{"beyond the last", "attribute 1: the table has 1", second(stage(ir.StageVertex, attr).attribute(new(thread), 1))},
		{"of a fragment", "attributes exist in vertex shaders only", second(stage(ir.StageFragment, attr).attribute(new(thread), 0))},
		{"floats as floats", "", ofType(drawn(attr, "R8G8_UNORM"), isa.LdAttrF32, 0)},
		{"floats as halves", "", ofType(drawn(attr, "R8G8_UNORM"), isa.LdAttrF16, 0)},
		{"floats as integers", "attribute at location 2 of format R8G8_UNORM", ofType(drawn(attr, "R8G8_UNORM"), isa.LdAttrU32, 0)},
		{"integers as integers", "", ofType(drawn(attr, "R8_SINT"), isa.LdAttrS32, 0)},
		{"integers as floats", "attribute at location 2 of format R8_SINT", ofType(drawn(attr, "R8_SINT"), isa.LdAttrF32, 0)},
		{"integers as halves", "attribute at location 2 of format R8_SINT", ofType(drawn(attr, "R8_SINT"), isa.LdAttrF16, 0)},
		{"one of another place", "", ofType(drawn(abi.Record{Kind: abi.RecordAttribute, Slot: 3}, "R8_SINT"), isa.LdAttrF32, 0)},
		{"64 bits, which are words", "", ofType(drawn(attr, "R64_SFLOAT"), isa.LdAttrU32, 0)},
		{"by the descriptor's type", "which not all GPUs do", ofType(drawn(attr, "R8_SINT"), isa.LdAttrS32, isa.AttrAuto32)},
		{"an id", "", ofType(stage(ir.StageVertex, abi.Record{Kind: abi.RecordVertexID}), isa.LdAttrS32, 0)},
		{"an id as a float", "an id is loaded by", ofType(stage(ir.StageVertex, abi.Record{Kind: abi.RecordInstanceID}), isa.LdAttrF32, 0)},
		{"a vertex's id without a sign", "an id is loaded by", ofType(stage(ir.StageVertex, abi.Record{Kind: abi.RecordVertexID}), isa.LdAttrU32, 0)},
		{"workgroup memory", "", space(sharedBase, 8)},
		{"its end", "8 bytes at offset 0x1 of 8 bytes of work-group storage", space(sharedBase+1, 8)},
		{"a thread's memory", "", space(tlsBase+8, 8)},
		{"the end of a thread's", "4 bytes at offset 0xd of 16 bytes of thread-local storage", space(tlsBase+13, 4)},
		{"nothing", "where nothing is mapped", space(0x5000, 4)},
		{"no texel", "none of the image", space(wildBase, 4)},
		{"where accesses out of bounds go", "", space(sinkBase+16, 16)},
		{"beyond that", "16 bytes at byte 17 of the sink", space(sinkBase+17, 16)},
		{"a load to r16", "a load cannot write register 16", stage(ir.StageVertex).result(new(thread), &isa.LoadStore{Op: isa.LdAttrF32, Reg: 16, Mask: 1}, [4]uint32{})},
		{"a store of r26", "", second(new(inputs).data(&isa.LoadStore{Reg: 1}))},
		{"a store of another", "address register 2", second(new(inputs).data(&isa.LoadStore{Reg: 2}))},
	} {
		if (c.err == nil) != (c.want == "") || c.err != nil && !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.want)
		}
	}
	// The tile is among the special values where nothing else reads it.
	for _, c := range []struct {
		gpu, want string
		selector  int
	}{
		{"t860", "t860 has no tile among its special values", abi.SpecialTileTyped}, {"t860", "t860 has no tile among its special values", abi.SpecialTileRaw},
		{"t720", "render target 0 is read, but none is bound", abi.SpecialTileTyped}, {"t720", "raw pixels exist in blend programs only", abi.SpecialTileRaw},
	} {
		w := stage(ir.StageFragment)
		w.p.gpu = abi.FindGPU(c.gpu)
		w.threads[0].tile = true
		if _, err := w.special(&w.threads[0], c.selector); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.gpu, err, c.want)
		}
	}
	w := stage(ir.StageVertex)
	if _, err := w.special(&w.threads[0], abi.SpecialSampleID); err == nil || !strings.Contains(err.Error(), "fragment shaders only") {
		t.Errorf("a special value of a vertex shader: %v", err)
	}
	if _, err := w.writeout(&w.threads[0], &bundle{}); err == nil || !strings.Contains(err.Error(), "fragment shaders only") {
		t.Errorf("a writeout of a vertex shader: %v", err)
	}
	if _, err := w.tilePixel(&w.threads[0], 0); err == nil || !strings.Contains(err.Error(), "fragment shaders only") {
		t.Errorf("a tile of a vertex shader: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }
