package core

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestMemoryFaults: accesses that no memory answers, and loads that nothing orders after the store of another lane.
func TestMemoryFaults(t *testing.T) {
	const far = "\tmov_imm r6, 0, 0b0\n\tmov_imm r7, 64, 0b0\n" // 1 << 38
	const store = "\tdevice_store 0, i32, x, r10, u0_u1, r10, unsigned, 0\n"
	const other = "\txor r4, r10, 1\n\tdevice_load 0, i32, x, r2, u0_u1, r4, unsigned\n\twait 0"
	for _, c := range []struct{ name, body, want string }{
		{"load", far + "\tdevice_load 0, i32, x, r2, r6_r7, r10, unsigned\n\twait 0", "an access to 0x4000000000, where there is no memory"},
		{"store", far + "\tdevice_store 0, i32, x, r10, r6_r7, r10, unsigned, 0", "an access to 0x4000000000, where there is no memory"},
		{"hole", "\tmov_imm r6, 0, 0b0\n\tmov_imm r7, 1, 0b0\n\tdevice_load 0, i32, x, r2, r6_r7, r10, unsigned\n\twait 0", ""},
		{"another lane's", store + other, "lane 0 reads "},
		{"its own", store + "\tdevice_load 0, i32, x, r2, u0_u1, r10, unsigned\n\twait 0", ""},
		{"another lane's after a barrier", store + "\twait 0\n\tmemory_barrier 1, 2, 9\n" + other, ""},
	} {
		m := newMachine()
		err := m.run(t, head+c.body+tail)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		if m.check = false; m.run(t, head+c.body+tail) != nil {
			t.Errorf("%s: refused without checks", c.name)
		}
	}
}

// TestRefusedForms: forms that are encoded, and that the core or hardware does not do.
func TestRefusedForms(t *testing.T) {
	const at = "\tmov_imm r4, 0, 0b0\n\tmov_imm r5, 0, 0b0\n\tmov_imm r6, 0, 0b0\n"
	const load = "\ttexture_load 0, 0b1100, 0b0, none, x, 0b00, r12, None, ts0, ss0, tex_2d, r4_r5, auto_lod, 0\n\twait 0"
	for _, c := range []struct {
		name, body, want string
		edit             func(a *abi.Meta)
	}{
		{"rounding of a texel", at + "\timage_write r12_r13_r14_r15, r4l_r4h_r5l_r5h_r6l, 0, None, ts1, tex_2d_array, rtz, 1, 0, 9, 0", "image writes that round toward zero", nil},
		{"fetch without its sampler", at + load, "a fetch takes sampler state 0, which the metadata does not ask for", func(a *abi.Meta) { a.Fetches = false }},
		{"two dimensions", at + load + "\n\ttexture_load 0, 0b1100, 0b0, none, x, 0b00, r12, None, ts0, ss0, tex_2d_array, r4l_r4h_r5l_r5h_r6l, auto_lod, 0\n\twait 0", "a texture is read as tex_2d and as tex_2d_array", nil},
		{"one dimension", at + load + "\n" + load, "", nil},
		{"sampler without a binding", at + "\tmov_imm r8, 900, 0b0\n\ttexture_sample 0, 0b1100, 0b0, none, x, 0b00, r2, None, ts0, r8l, tex_2d, r4_r5, lod_min, r6l", "entry 900 of the sampler heap belongs to no binding", nil},
		{"level of its own", at + "\ttexture_sample 0, 0b1100, 0b0, none, x, 0b00, r2, None, ts0, ss1, tex_2d, r4_r5, auto_lod, 0", "no fact says which level a lookup takes of itself", nil},
		{"texel beyond a buffer", "\tmov_imm r4, 256, 0b0\n\tmov_imm r5, 0, 0b0\n\timage_write r10_r11_r12_r13, r4_r5, 0, None, ts4, tex_2d, rte, 1, 0, 9, 0", "texel 256 is stored, of a texel buffer of 256", nil},
		{"last texel of a buffer", "\tmov_imm r4, 255, 0b0\n\tmov_imm r5, 0, 0b0\n\timage_write r10_r11_r12_r13, r4_r5, 0, None, ts4, tex_2d, rte, 1, 0, 9, 0", "", nil},
		{"stack of a preamble", "\tstack_adjust 0, 1, 2, 0, 0, 4\n\tstack_adjust 0, 1, 2, 0, 0, -4", "", nil},
	} {
		m := texMachine(t)
		if edit := m.edit; c.edit != nil {
			m.edit = func(a *abi.Meta) { edit(a); c.edit(a) }
		}
		_, err := m.runTex(t, c.body)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestPreambleFaults: a preamble reaches as many uniforms as there are, and a stack takes all of its registers.
func TestPreambleFaults(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		halves           int
	}{
		{"beyond the last uniform", "\tmov_imm r4, 512, 0b0\n\tuniform_store 2, i16, x, 0, r2l, r4", "uniform halves 512 to 512 do not exist", 256},
		{"before the first uniform", "\tmov_imm r4, 4294967295, 0b0\n\tuniform_store 2, i16, x, 0, r2l, r4", "uniform halves -1 to -1 do not exist", 256},
		{"last uniform", "\tmov_imm r4, 511, 0b0\n\tuniform_store 2, i16, x, 0, r2l, r4", "", 256},
		{"stack", "\tstack_adjust 0, 1, 2, 0, 0, 4\n\tstack_adjust 0, 1, 2, 0, 0, -4", "a preamble with a stack has 256 halves, the meta says 255", 255},
		{"stack of all registers", "\tstack_adjust 0, 1, 2, 0, 0, 4\n\tstack_adjust 0, 1, 2, 0, 0, -4", "", 256},
	} {
		m := newMachine()
		main := "\tstop\n"
		m.edit = func(a *abi.Meta) {
			a.HasPreamble, a.Preamble, a.PreambleHalves, a.UniformHalves = true, uint32(len(assemble(t, main))), c.halves, 512
		}
		err := m.run(t, main+c.text+"\n\tstop\n")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestRefusedPrograms: metadata that no hardware or no draw can follow.
func TestRefusedPrograms(t *testing.T) {
	linked := func(l *abi.TileLayout, samples int, tile ...abi.TileTarget) *program {
		return &program{meta: &abi.Meta{Stage: ir.StageFragment, Part: abi.PartLinked, TileLayout: l, Samples: samples, Tile: tile}}
	}
	target := abi.TileTarget{Slot: ir.SlotData0 + 2, Mask: 15, Offset: 4, Format: isa.FormatU8Norm}
	var many []abi.Varying
	for k := range maxUserWords/4 + 1 {
		many = append(many, abi.Varying{Slot: ir.SlotVar0 + ir.Slot(k%32), Count: 4, User: true})
	}
	code := assemble(t, "\tstop\n")
	whole := func(m *abi.Meta) error { _, err := Load(code, m); return err }
	for want, err := range map[string]error{
		"the program does not say the layout of the tile":                       linked(nil, 1).checkTile(),
		"a tile of 32x32 pixels of 4 samples of 64 bytes takes 262144 bytes":    linked(&abi.TileLayout{Width: 32, Height: 32, Stride: 64}, 4).checkTile(),
		"pixels of several samples need room in the tile, even without targets": linked(&abi.TileLayout{Width: 32, Height: 32}, 4).checkTile(),
		fmt.Sprintf("tile target %d ends beyond the 7 bytes", target.Slot):      linked(&abi.TileLayout{Width: 32, Height: 32, Stride: 7}, 1, target).checkTile(),
		"part, which runs only when it is linked":                               whole(&abi.Meta{Stage: ir.StageFragment, Part: abi.PartMain}),
		"output word 256 does not exist":                                        whole(&abi.Meta{Stage: ir.StageVertex, Varyings: []abi.Varying{{Slot: ir.SlotVar0, Count: 4, Word: 253}}}),
		"output word 2 is given twice":                                          whole(&abi.Meta{Stage: ir.StageVertex, Varyings: []abi.Varying{{Slot: ir.SlotPos, Count: 4}, {Slot: ir.SlotPointSize, Count: 1, Word: 2}}}),
		fmt.Sprintf("%d words of varyings are not supported", maxUserWords+4):   whole(&abi.Meta{Stage: ir.StageVertex, Varyings: many}),
	} {
		wantError(t, err, want)
	}
	for _, p := range []*program{linked(&abi.TileLayout{Width: 32, Height: 32, Stride: 8}, 1, target), linked(&abi.TileLayout{Width: 32, Height: 32}, 1)} {
		if err := p.checkTile(); err != nil {
			t.Errorf("%+v: %v", p.meta.TileLayout, err)
		}
	}
}

// TestShortLaunch: a wave of each stage wants its lanes.
func TestShortLaunch(t *testing.T) {
	for stage, enough := range map[ir.Stage]func(l *emu.Launch){
		ir.StageVertex:   func(l *emu.Launch) { l.Vertex, l.Out = make([]emu.VertexLane, 2), make([]emu.Slots, 2) },
		ir.StageFragment: func(l *emu.Launch) { l.Fragment, l.Out = make([]emu.FragmentLane, 2), make([]emu.Slots, 2) },
		ir.StageCompute:  func(l *emu.Launch) { l.Compute = &emu.ComputeLaunch{LocalID: make([][3]uint32, 2)} },
	} {
		w := func(lanes int, edit func(l *emu.Launch)) error {
			l := &emu.Launch{NumLanes: lanes, Env: &emu.Env{}}
			enough(l)
			edit(l)
			return (&wave{p: &program{meta: &abi.Meta{Stage: stage}}, l: l, n: lanes}).start()
		}
		want := "the launch lacks the lanes of stage " + stage.String()
		wantError(t, w(3, func(*emu.Launch) {}), want)
		wantError(t, w(2, func(l *emu.Launch) { l.Env = nil }), want)
		if stage != ir.StageCompute {
			wantError(t, w(2, func(l *emu.Launch) { l.Out = l.Out[:1] }), want)
		} else {
			wantError(t, w(2, func(l *emu.Launch) { l.Compute = nil }), want)
		}
	}
	tess := &tessWaves{p: &program{api: ir.StageTessCtrl}, l: &emu.Launch{NumLanes: 1, Env: &emu.Env{}}}
	_, err := tess.Run(1)
	wantError(t, err, "the launch lacks the lanes of stage "+ir.StageTessCtrl.String())
	tess = &tessWaves{p: &program{api: ir.StageTessEval}, l: &emu.Launch{NumLanes: 1, Env: &emu.Env{}, TessEval: make([]emu.TessEvalLane, 1)}}
	_, err = tess.Run(1)
	wantError(t, err, "the launch lacks the lanes of stage "+ir.StageTessEval.String())
	tess.l.Out = make([]emu.Slots, 1)
	wantError(t, tess.start(), "lane 0 has no patch")
	geo := &geometryWaves{p: &program{api: ir.StageGeometry}, l: &emu.Launch{Env: &emu.Env{}}}
	wantError(t, geo.start(), "the launch lacks the lanes of stage "+ir.StageGeometry.String())
}

// TestRefusedDraws: what a driver's grids cannot be made for.
func TestRefusedDraws(t *testing.T) {
	var unsupported *emu.Unsupported
	env := &emu.Env{Mem: emu.NewMemory()}
	geometry := &program{api: ir.StageGeometry, meta: &abi.Meta{Geometry: &abi.Geometry{InPrimitive: 3, MaxVertices: 4}}}
	vertex := &program{api: ir.StageVertex, meta: &abi.Meta{Stage: ir.StageVertex, Next: ir.StageTessCtrl}}
	control := &program{api: ir.StageTessCtrl, meta: &abi.Meta{WorkgroupSize: [3]uint32{1, 1, 1}}}
	eval := &program{api: ir.StageTessEval, meta: &abi.Meta{}}
	if _, err := newGeometryDraw(geometry, &driverMemory{}, 0, 1<<20+1, 1); !errors.As(err, &unsupported) {
		t.Errorf("a million units: %v", err)
	} else {
		wantError(t, err, "a geometry stage of 1048577 units with 4 vertices each")
	}
	_, err := RunGeometry(t.Context(), &Geometry{Vertex: &program{api: ir.StageVertex, meta: &abi.Meta{Stage: ir.StageVertex, Next: ir.StageGeometry}}, Geometry: vertex})
	wantError(t, err, "the draw has no geometry program")
	_, err = (&Grid{Draw: emu.DrawParams{VertexCount: 1 << 11, InstanceCount: 1<<9 + 1}}).run(t.Context(), vertex)
	wantError(t, err, "a draw of 1050624 vertices is not supported")
	for _, c := range []struct {
		want string
		edit func(x *Tessellation)
	}{
		{"the draw has no vertex program", func(x *Tessellation) { x.Vertex = eval }},
		{"the draw has no tess_ctrl program", func(x *Tessellation) { x.Control = nil }},
		{"the draw has no tess_eval program", func(x *Tessellation) { x.Evaluation = control }},
		{"the draw has no environment", func(x *Tessellation) { x.Grid.Pipeline = &emu.Pipeline{} }},
		{"the vertex program is none for compute", func(x *Tessellation) { x.Vertex = &program{api: ir.StageVertex, meta: &abi.Meta{}} }},
		{"patches of 0 vertices", func(x *Tessellation) { x.PatchVertices = 0 }},
		{"patches of 33 vertices", func(x *Tessellation) { x.PatchVertices = 33 }},
		{"a workgroup of 33 lanes", func(x *Tessellation) {
			x.Control = &program{api: ir.StageTessCtrl, meta: &abi.Meta{WorkgroupSize: [3]uint32{33}}}
		}},
		{"a workgroup of 0 lanes", func(x *Tessellation) { x.Control = &program{api: ir.StageTessCtrl, meta: &abi.Meta{}} }},
	} {
		x := &Tessellation{Grid: Grid{Pipeline: &emu.Pipeline{Env: env}}, Vertex: vertex, Control: control, Evaluation: eval, PatchVertices: 3}
		c.edit(x)
		_, _, err := RunTessellation(t.Context(), x)
		wantError(t, err, c.want)
	}
	tess := &tessWaves{p: eval}
	err = tess.evaluation(&emu.Patch{PrimitiveID: 1 << (32 - abi.PatchShift)}, &emu.Launch{}, &driverMemory{})
	wantError(t, err, "the tessellation of more than")
}

// TestFragmentFaults: what a fragment program, and what runs it, must be and do.
func TestFragmentFaults(t *testing.T) {
	none := &emu.Launch{NumLanes: 1, Fragment: []emu.FragmentLane{{}}}
	w := &wave{l: none, p: &program{meta: fragMeta()}, frag: &fragState{}}
	varying := coef{Coef: &abi.Coef{Slot: ir.SlotVar0, Count: 1, Interp: ir.InterpSmooth}}
	_, err := w.planeOf(varying, 0)
	wantError(t, err, "the fragment has no primitive")
	_, err = w.place(&inst{}, 0, nil)
	wantError(t, err, "the fragment has no primitive")
	none.Fragment[0].Prim = &emu.Primitive{}
	_, err = w.planeOf(varying, 0)
	wantError(t, err, "the primitive has no barycentrics")
	_, err = w.planeOf(coef{Coef: &abi.Coef{Source: abi.CoefZ, Count: 1}}, 0)
	wantError(t, err, "the coefficients of depth are not supported")
	wantError(t, (&place{}).weigh(none.Fragment[0].Prim), "the primitive has no barycentrics")
	none.Fragment[0].SampleID = -1
	_, err = w.iterate(coef{Coef: &abi.Coef{Source: abi.CoefZ, Count: 1}}, 0, &place{}, false)
	wantError(t, err, "depth at another place than the pixel centre is not supported")
	if _, err = w.iterate(coef{Coef: &abi.Coef{Source: abi.CoefZ, Count: 1}}, 0, &place{center: true}, false); err != nil {
		t.Errorf("depth at the centre: %v", err)
	}
	m := fragMeta()
	m.Results, m.Tile = nil, []abi.TileTarget{{Slot: ir.SlotData0, Mask: 1, Format: isa.FormatI16}}
	for _, c := range []struct{ name, body, want string }{
		{"32 bits as 16", "st_tile r4, i16, 0, x, 0, 255, 0", "nobody knows how 32-bit registers are stored as shorter integers"},
		{"load of halves", "ld_tile r4l, f16, 1, x, 0, 255, 0", "nobody knows what a load of format f16 does"},
		{"odd byte", "st_tile r4l, i16, 0, x, 1, 255, 0", "byte 1 of the tile is no place for format i16, which is aligned to 2"},
		{"even byte", "st_tile r4l, i16, 0, x, 2, 255, 0", ""},
	} {
		err := finish(t, build(t, m, "\tmov_imm r4, 0, 0b0\n\twait_pix 13, 0\n\tsample_mask 255, 255\n\t"+c.body+"\n\tstop"), quads(1))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	views := quads(1)
	other := *views.Fragment[0].Prim
	other.ViewIndex = 1
	views.Fragment[3].Prim = &other
	wantError(t, (&wave{l: views, n: 4, p: &program{meta: m}}).viewIndex(make([]uint32, 1)), "a SIMD-group that shades two views at once is not supported")
	late := quads(1)
	late.Fragment[0].Prim = nil
	late.Fragment[1].Prim.ViewIndex = 7
	late.Fragment[2].Prim, late.Fragment[3].Prim = late.Fragment[1].Prim, late.Fragment[1].Prim
	view := make([]uint32, 1)
	if err := (&wave{l: late, n: 4, p: &program{meta: m}}).viewIndex(view); err != nil || view[0] != 7 {
		t.Errorf("the view of a SIMD-group whose first lane has no primitive: %d, error %v", view[0], err)
	}
	shaded := quads(1)
	shaded.Fragment[0].Prim.Samples = 4
	shaded.Draw = &emu.Pipeline{}
	shaded.Draw.Multisample.SampleShading = true
	wantError(t, finish(t, build(t, fragMeta(), "\tsample_mask 255, 255\n\tstop"), shaded), "the pipeline shades each sample, and the program does not")
}

// TestImageAddresses: atomics reach texels of 32 bits, of images that have an address.
func TestImageAddresses(t *testing.T) {
	img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Format: emu.FormatByName("R16_UINT")})
	if err != nil {
		t.Fatal(err)
	}
	w := &wave{l: &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory()}}, images: []*emu.ImageView{{Image: img}}}
	_, err = w.imageAtomic(&inst{}, 0, abi.ImageAddr+1<<32, nil)
	wantError(t, err, "is no image's")
	_, err = w.imageAtomic(&inst{}, 0, abi.ImageAddr, nil)
	wantError(t, err, "atomics on texels of format R16_UINT are not supported")
	w.images = make([]*emu.ImageView, maxImages)
	for k := range w.images {
		w.images[k] = &emu.ImageView{Image: img, BaseLayer: k}
	}
	w.describeMemory(descBits{new([abi.HeapEntrySize]byte)}, &emu.Descriptor{Type: emu.DescStorageImage, Image: &emu.ImageView{Image: img, BaseLayer: maxImages - 1}}, nil)
	if w.fault != nil {
		t.Errorf("the last image: %v", w.fault)
	}
	w.describeMemory(descBits{new([abi.HeapEntrySize]byte)}, &emu.Descriptor{Type: emu.DescStorageImage, Image: &emu.ImageView{Image: img, BaseLayer: maxImages}}, nil)
	wantError(t, w.fault, "atomics on more images than have addresses are not supported")
}

// TestTestsTwice: a program whose epilog tests depth leaves the samples untested.
func TestTestsTwice(t *testing.T) {
	m := fragMeta()
	m.KeepDepth = true
	w := &wave{l: quads(1), n: 4, check: &checker{}, p: &program{meta: m}, frag: &fragState{}}
	w.frag.cover[1], w.frag.tested[1] = 1, 1
	wantError(t, w.finishFragment(), "lane 1 ends with samples 0x1 tested, which its depth or stencil has to test")
	w = &wave{l: quads(1), n: 4, check: &checker{}, p: &program{meta: fragMeta(), uses: w.p.uses}, frag: &fragState{}}
	w.frag.cover[2], w.p.uses.samples = 3, true
	w.frag.tested[2] = 1
	wantError(t, w.finishFragment(), "lane 2 ends with samples 0x2 neither tested nor killed")
}

// TestPointSizes: hardware draws points of 1 to 512 pixels, and only those that a program gives a size.
func TestPointSizes(t *testing.T) {
	for _, c := range []struct {
		size string
		topo emu.Topology
		want string
	}{
		{"1.0", emu.PointList, ""},
		{"0.5", emu.PointList, "a point size of 0.5, which hardware does not draw"},
		{"0.5", emu.TriangleList, "a point size of 0.5, which hardware does not draw"},
		{"", emu.PointList, "points are drawn, and the program stores no size for them"},
		{"", emu.TriangleList, ""},
	} {
		m, text := vertexMeta(), "\tst_var_final 1, r5, 0\n\tstop"
		if c.size != "" {
			m.Varyings = append(m.Varyings, abi.Varying{Slot: ir.SlotPointSize, Count: 1, Word: 7})
			text = "\tfadd32 r4, " + c.size + ", 0.0\n\tst_var 1, r4, 7\n" + text
		}
		p, l := build(t, m, text), vertices(1)
		l.Draw = &emu.Pipeline{Vertex: p, Topology: c.topo}
		err := finish(t, p, l)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("points of size %q: error %v, want %q", c.size, err, c.want)
		}
	}
}
