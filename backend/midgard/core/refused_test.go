package core

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nirc/backend/layout"
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
		{"a stage's memory", "4 bytes at address 0x", space(stageBase+64, 4)},
		{"the last sample position", "", sampleAt(abi.SamplePositions - 1)},
		{"the position after it", fmt.Sprintf("entry %d of the table of sample positions", abi.SamplePositions), sampleAt(abi.SamplePositions)},
		{"another's texture", "texture 0 is binding 2 of set 1 by the pipeline's layout, binding 1 of set 0 by the metadata", textureAt(1, 2)},
		{"a texture", "", textureAt(0, 1)},
		{"a call", "calls and returns are not supported", second(new(wave).branch(new(thread), &bundle{branch: isa.Branch{Call: 2}}))},
		{"a blend program", "", blendedAs(2<<abi.TargetShift|blendReturn<<32, true)},
		{"one of no target", "does not name its target in r1.z", blendedAs(2<<abi.TargetShift|blendReturn<<32, false)},
		{"one of another target", "a blend program of target 2 writes 0x100", blendedAs(1<<abi.TargetShift|blendReturn<<32, true)},
		{"one that returns elsewhere", fmt.Sprintf("a blend program returns to %#x", uint32(blendReturn+16)), blendedAs(2<<abi.TargetShift|(blendReturn+16)<<32, true)},
		{"a raw pixel", "", unpacked("R8G8B8A8_UNORM", [4]uint32{7, 7, 7, 7})},
		{"a raw pixel that does not repeat", "does not repeat its first 4 bytes", unpacked("R8G8B8A8_UNORM", [4]uint32{7, 7, 8, 7})},
		{"a patch too many", "the tessellation of more than 65536 patches", stage(ir.StageVertex).startEvaluation(&emu.TessEvalLane{Patch: &emu.Patch{PrimitiveID: 1 << 16}})},
		{"a geometry launch without lanes", "the launch lacks the lanes of stage geometry", geometryStart(0, 0)},
		{"a primitive of another size", "the lane has 2 vertices and invocation 0", geometryStart(2, 0)},
		{"an invocation too many", "the lane has 3 vertices and invocation 1", geometryStart(3, 1)},
	} {
		if (c.err == nil) != (c.want == "") || c.err != nil && !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.want)
		}
	}
	// The tile is among the special values where nothing else reads it.
	const unbound = "render target 0 is read, but none is bound"
	blend := emu.FormatByName("R8G8B8A8_UNORM")
	for _, c := range []struct {
		gpu, want string
		selector  int
		blend     *emu.Format
	}{
		{"t860", "t860 has no tile among its special values", abi.SpecialTileTyped, nil}, {"t860", "t860 has no tile among its special values", abi.SpecialTileRaw, nil},
		{"t720", unbound, abi.SpecialTileTyped, nil}, {"t720", "raw pixels exist in blend programs only", abi.SpecialTileRaw, nil},
		{"t720", unbound, abi.SpecialTileTyped, blend}, {"t720", unbound, abi.SpecialTileRaw, blend},
	} {
		w := stage(ir.StageFragment)
		w.p.gpu, w.p.blend = abi.FindGPU(c.gpu), c.blend
		w.p.meta.Blend = &abi.Blend{Tile: abi.TileForm(blend.Name, 4)}
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

// sampleAt reads an entry of the table of sample positions.
func sampleAt(n int) error {
	w := &wave{check: true, p: &program{meta: fragMeta()}, l: quad()}
	return second(w.samplePosition(new(thread), sampleBase+uint64(4*n)))
}

// textureAt looks for the texture of an entry that has binding n of a set, which by the metadata has binding 1 of set 0.
func textureAt(set, n uint32) error {
	w := &wave{p: &program{meta: &abi.Meta{Textures: []abi.Texture{{Range: abi.Range{Binding: 1, Count: 1}}}}}}
	return second(w.textureOf(0, layout.Entry{Set: set, Binding: n}, new(emu.Descriptor)))
}

// blendedAs ends a blend program of target 2 with r1.zw.
func blendedAs(zw uint64, named bool) error {
	p := &program{blend: emu.FormatByName("R8G8B8A8_UNORM"), meta: &abi.Meta{Blend: &abi.Blend{Target: 2, Tile: abi.TileForm("R8G8B8A8_UNORM", 4)}}}
	return second((&wave{p: p}).blended(emu.Vec4{}, [2]uint64{0, zw}, named))
}

func unpacked(format string, words [4]uint32) error {
	f := emu.FormatByName(format)
	var raw [16]byte
	for i, v := range words {
		binary.LittleEndian.PutUint32(raw[4*i:], v)
	}
	return unpackTile(f, abi.TileForm(format, f.Bytes), &raw, new([4]uint32))
}

// geometryStart starts an invocation, of one for a primitive of three vertices, with so many.
func geometryStart(vertices int, invocation uint32) error {
	l := &emu.Launch{Env: &emu.Env{}, NumLanes: 1}
	if vertices > 0 {
		l.Geometry = []emu.GeometryLane{{V: make([]*emu.Slots, vertices), InvocationID: invocation}}
	}
	return (&geometryWave{l: l, p: &program{meta: &abi.Meta{Geometry: &abi.Geometry{Modes: ir.GeomInfo{Invocations: 1, InPrimitive: 3}}}}}).start()
}

// TestRefusedCode: what Load refuses, and what no bundle may be followed by.
func TestRefusedCode(t *testing.T) {
	code := encode(t, []isa.Bundle{constants(0, [4]uint32{})})
	blend := func(format, tile string) *abi.Meta {
		return &abi.Meta{Stage: ir.StageFragment, WorkRegs: 8, Blend: &abi.Blend{Format: format, Tile: tile}}
	}
	for _, c := range []struct {
		name, want string
		code       []byte
		meta       *abi.Meta
	}{
		{"a part of a quadword", "17 bytes of code are no whole number of quadwords", make([]byte, 17), computeMeta()},
		{"another tag", "the code does not begin with a bundle of tag", code, computeMeta()},
		{"no format", `a blend program for the unknown format "R99"`, code, blend("R99", "")},
		{"another form of the tile", `a blend program for the format R8G8B8A8_UNORM in the form "RAW", the tile has`, code, blend("R8G8B8A8_UNORM", "RAW")},
	} {
		if _, err := loadProgram(c.code, c.meta); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	for _, c := range []struct {
		name string
		next isa.Tag
		want string
	}{
		{"the tag of what follows", isa.TagLdSt, ""},
		{"the end", isa.TagBreak, ""},
		{"no tag", isa.TagInvalid, "the next tag is invalid"},
		{"another tag", isa.TagTex, "but the next bundle is another"},
	} {
		first := ldst(isa.LoadStore{Op: isa.LdUbo128, Reg: 1, Mask: 15, Swizzle: isa.XYZW, Arg: zero, Index: zero})
		p := &program{meta: computeMeta(), code: []bundle{{Bundle: first}, {Bundle: first}}}
		p.code[0].Next = c.next
		if err := p.check(0); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	last := &program{meta: computeMeta(), code: []bundle{{Bundle: isa.Bundle{Tag: isa.TagLdSt, Next: isa.TagLdSt}}}}
	if err := last.check(0); err == nil || !strings.Contains(err.Error(), "but the next bundle is another") {
		t.Errorf("the last bundle, with one to follow: %v", err)
	}
}

// TestRefusedWriteouts: targets that there are not, and more samples than a blend program's one.
func TestRefusedWriteouts(t *testing.T) {
	for _, c := range []struct {
		target  uint64
		samples int
		want    string
	}{
		{0, 1, ""}, {7 << abi.TargetShift, 1, ""},
		{8 << abi.TargetShift, 1, "writeout to render target 8"},
		{1<<abi.TargetShift + 3, 1, "writeout of chunk 3 of target 1 is not supported"},
	} {
		w := &wave{p: &program{meta: fragMeta()}, l: quad()}
		w.l.Fragment[0].Prim.Samples = c.samples
		th := &thread{}
		th.file[1][1] = c.target
		b := &bundle{taken: pcNone}
		b.wrote[1][1] = mask(32)
		if _, err := w.writeout(th, b); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("target %#x: %v, want %q", c.target, err, c.want)
		}
	}
}

// TestShortLaunch: a wave of each stage wants its lanes.
func TestShortLaunch(t *testing.T) {
	for stage, enough := range map[ir.Stage]func(l *emu.Launch){
		ir.StageVertex:   func(l *emu.Launch) { l.Vertex, l.Out = make([]emu.VertexLane, 1), make([]emu.Slots, 1) },
		ir.StageFragment: func(l *emu.Launch) { l.Fragment, l.Out = make([]emu.FragmentLane, 1), make([]emu.Slots, 1) },
		ir.StageCompute:  func(l *emu.Launch) { l.Compute = &emu.ComputeLaunch{LocalID: make([][3]uint32, 1)} },
	} {
		for name, edit := range map[string]func(l *emu.Launch){
			"lanes": func(l *emu.Launch) { l.NumLanes = 2 }, "environment": func(l *emu.Launch) { l.Env = nil },
			"outputs": func(l *emu.Launch) { l.Out, l.Compute = nil, nil },
		} {
			l := &emu.Launch{NumLanes: 1, Env: &emu.Env{}}
			enough(l)
			edit(l)
			m := &abi.Meta{Stage: stage, WorkRegs: 8}
			_, err := load(t, m, constants(0, [4]uint32{})).NewWave(l).Run(10)
			if want := "the launch lacks the lanes of stage " + stage.String(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("stage %s without its %s: %v, want %q", stage, name, err, want)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestRefusedMeta: what no compiler says of a program is refused before its code is looked at, of both programs of a geometry shader.
func TestRefusedMeta(t *testing.T) {
	code := encode(t, []isa.Bundle{constants(0, [4]uint32{})})
	good := func() *abi.Meta {
		m := computeMeta()
		m.FirstTag = isa.Tag(code[0] & 15)
		return m
	}
	raster := func() *abi.Meta {
		return &abi.Meta{Stage: ir.StageVertex, WorkRegs: 8, FirstTag: isa.Tag(code[0] & 15)}
	}
	geometry := func(edit func(g *abi.Geometry)) *abi.Meta {
		m := good()
		m.Geometry = &abi.Geometry{Modes: ir.GeomInfo{InPrimitive: 3, OutPrimitive: ir.OutPoints, MaxVertices: 1, Invocations: 1}, Streams: 1, Raster: raster(), At: uint32(len(code))}
		edit(m.Geometry)
		return m
	}
	both := append(slices.Clone(code), code...)
	for name, c := range map[string]struct {
		meta *abi.Meta
		want string
	}{
		"a program": {good(), ""}, "a geometry shader": {geometry(func(*abi.Geometry) {}), ""},
		"another slot of a vertex":            {geometry(func(g *abi.Geometry) { g.Vertices = []ir.Slot{ir.SlotPatch0} }), "midgard meta: slot"},
		"no raster program":                   {geometry(func(g *abi.Geometry) { g.Raster = nil }), "without a raster program"},
		"a raster program inside of a bundle": {geometry(func(g *abi.Geometry) { g.At += 8 }), "the raster program would begin at byte"},
		"a raster program after the end":      {geometry(func(g *abi.Geometry) { g.At = uint32(len(both)) + 16 }), "the raster program would begin at byte"},
		"a raster program of another tag":     {geometry(func(g *abi.Geometry) { g.Raster.FirstTag = isa.TagLdSt }), "does not begin with a bundle of tag"},
		"a shader of another tag":             {geometry(func(g *abi.Geometry) { g.Raster.FirstTag = isa.TagLdSt }), "does not begin with a bundle of tag"},
	} {
		for how, load := range map[string]func([]byte, *abi.Meta) (emu.Program, error){"": Load, " that is fresh": LoadFresh} {
			if _, err := load(both, c.meta); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s%s: %v, want %q", name, how, err, c.want)
			}
		}
	}
}
