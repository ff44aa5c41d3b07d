package amber

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"nirc/internal/emu"
)

// runPipeline executes a RUN.
func (e *engine) runPipeline(c *Run) error {
	p := e.pipe(c.Pipeline)
	if err := e.bind(p); err != nil {
		return err
	}
	p.env.Push = nil
	if b := c.Pipeline.Push; b != nil {
		data, err := e.contents(b)
		if err != nil {
			return err
		}
		p.env.Push = slices.Clone(data)
	}
	if p.kernel != nil {
		if err := e.bindKernel(p, c.Groups); err != nil {
			return err
		}
	}
	if c.Kind == RunRays {
		return e.traceRays(p, c)
	}
	if c.Kind == RunCompute {
		prog := p.programs[StageCompute]
		return emu.Dispatch(e.ctx, prog, &p.env, emu.DispatchParams{Limits: e.limits(), Groups: c.Groups, Parallel: e.r.Parallel})
	}
	return e.draw(p, c)
}

// defaultColor and defaultDepth are the attachments of a pipeline that binds
// none. The depth attachment is made when a test looks at it: nobody else can.
const (
	defaultColor = "B8G8R8A8_UNORM"
	defaultDepth = "D32_SFLOAT_S8_UINT"
)

// attach makes the pipeline's render targets, once.
func (e *engine) attach(p *pipe) error {
	if p.color != nil {
		return nil
	}
	pl := p.decl
	last := 0
	for _, c := range pl.Color {
		last = max(last, c.Location)
	}
	color := make([]emu.Attachment, last+1)
	resolve, samples := pl.Resolve, 1
	// Resolve targets go to the multisampled attachments in their order.
	for _, c := range pl.Color {
		v, err := e.view(c.Buffer, c.Mip, true)
		if err != nil {
			return at(c.Line, CauseRun, err)
		}
		color[c.Location].View = v
		samples = max(samples, c.Buffer.Samples)
		if c.Buffer.Samples > 1 && len(resolve) > 0 {
			if color[c.Location].Resolve, err = e.view(resolve[0], 0, true); err != nil {
				return at(c.Line, CauseRun, err)
			}
			resolve = resolve[1:]
		}
	}
	if len(resolve) > 0 {
		return errors.New("more resolve targets than multisampled colour attachments")
	}
	var err error
	if len(pl.Color) == 0 {
		if color[0].View, err = p.ownImage(defaultColor, 1); err != nil {
			return err
		}
	}
	switch d := &pl.Depth; {
	case pl.DepthStencil != nil:
		p.depth.View, err = e.view(pl.DepthStencil, 0, true)
	case d.Test || d.StencilTest || d.BoundsTest:
		p.depth.View, err = p.ownImage(defaultDepth, samples)
	}
	if err != nil {
		return err
	}
	p.color = color
	return nil
}

// ownImage makes an attachment that no buffer stands for.
func (p *pipe) ownImage(format string, samples int) (*emu.ImageView, error) {
	img, err := emu.NewImage(emu.ImageDesc{Width: p.decl.FramebufferWidth, Height: p.decl.FramebufferHeight, Samples: samples, Format: emu.FormatByName(format)})
	if err != nil {
		return nil, unsupported("%v", err)
	}
	return &emu.ImageView{Image: img}, nil
}

// clear executes a CLEAR.
func (e *engine) clear(c *Clear) error {
	p := e.pipe(c.Pipeline)
	if err := e.attach(p); err != nil {
		return err
	}
	for _, a := range p.color {
		if a.View == nil {
			continue
		}
		var v [4]uint32
		integer := a.View.TexelFormat().IsInteger()
		for i, u := range p.clearColor {
			v[i] = uint32(u*255 + 0.5)
			if !integer {
				v[i] = math.Float32bits(u)
			}
		}
		if err := a.View.Clear(v); err != nil {
			return err
		}
	}
	if p.depth.View == nil {
		return nil
	}
	return p.depth.View.Clear([4]uint32{math.Float32bits(p.clearDepth), uint32(p.clearStencil)})
}

// draw executes the RUN of a graphics pipeline.
func (e *engine) draw(p *pipe, c *Run) error {
	if err := e.attach(p); err != nil {
		return err
	}
	pl := p.decl
	g := emu.Pipeline{
		Vertex: p.programs[StageVertex], TessCtrl: p.programs[StageTessCtrl], TessEval: p.programs[StageTessEval],
		Geometry: p.programs[StageGeometry], Fragment: p.programs[StageFragment],
		Env: &p.env, PatchControlPoints: int(pl.PatchControlPoints),
		Area: emu.Rect{Width: pl.FramebufferWidth, Height: pl.FramebufferHeight},
		Raster: emu.RasterState{Polygon: pl.Polygon, DepthClamp: pl.DepthClamp, DepthBias: pl.DepthBias,
			DepthUnrestricted: e.s.requires("VK_EXT_depth_range_unrestricted"), BiasConstant: pl.BiasConstant, BiasClamp: pl.BiasClamp, BiasSlope: pl.BiasSlope,
			Cull: pl.Cull, FrontClockwise: pl.FrontClockwise, Discard: pl.Discard, LineWidth: pl.LineWidth},
		PrimitiveRestart: pl.Restart, Blend: emu.BlendState{LogicEnable: pl.LogicOps, Logic: pl.Logic},
		Depth: pl.Depth, Color: p.color, DepthStencil: p.depth,
		Viewports: []emu.Viewport{{Width: float32(pl.FramebufferWidth), Height: float32(pl.FramebufferHeight), MaxDepth: 1}},
	}
	if pl.Viewport != nil {
		g.Viewports[0] = *pl.Viewport
	}
	g.Blend.Attachments = slices.Repeat([]emu.AttachmentBlend{pl.Blend}, len(p.color))
	params := emu.DrawParams{Limits: e.limits(), InstanceCount: c.Instances, FirstInstance: c.FirstInst}
	switch c.Kind {
	case RunRect:
		if g.Topology = emu.TriangleStrip; c.Topology == emu.PatchList {
			g.Topology = emu.PatchList
		}
		x0, y0, x1, y1 := c.ndc(pl)
		setPositions(&g, &params, [][2]float32{{x0, y1}, {x0, y0}, {x1, y1}, {x1, y0}})
	case RunGrid:
		g.Topology = emu.TriangleList
		setPositions(&g, &params, c.grid(pl))
	default:
		g.Topology = c.Topology
		if err := e.vertices(&g, c); err != nil {
			return err
		}
		params.VertexCount, params.FirstVertex = c.Count, c.Start
		if c.Indexed {
			data, err := e.contents(pl.Index)
			if err != nil {
				return err
			}
			params.Index = &emu.IndexBuffer{Data: data, Bytes: pl.Index.Format.Size}
			// As Amber has it, START_IDX of an indexed draw is added to the
			// indices and does not skip any.
			params.FirstVertex, params.VertexOffset = 0, int32(c.Start)
		}
	}
	if l, ok := e.r.Target.(Linker); ok {
		if err := l.Link(e.ctx, &g); err != nil {
			return err
		}
	}
	return emu.Draw(e.ctx, &g, params)
}

// ndc returns the corners of a rectangle in normalised device coordinates.
func (c *Run) ndc(pl *Pipeline) (x0, y0, x1, y1 float32) {
	if c.NDC {
		return c.X, c.Y, c.X + c.W, c.Y + c.H
	}
	w, h := float32(pl.FramebufferWidth), float32(pl.FramebufferHeight)
	x0, y0 = c.X/w*2-1, c.Y/h*2-1
	return x0, y0, x0 + c.W/w*2, y0 + c.H/h*2
}

// grid returns the vertices of a grid: two triangles a cell, rows from the top.
func (c *Run) grid(pl *Pipeline) [][2]float32 {
	x0, y0, x1, y1 := c.ndc(pl)
	dx, dy := (x1-x0)/float32(c.Columns), (y1-y0)/float32(c.Rows)
	list := make([][2]float32, 0, 6*int(c.Columns)*int(c.Rows))
	for row := range c.Rows {
		top, bottom := y0+dy*float32(row), y0+dy*float32(row+1)
		for col := range c.Columns {
			left, right := x0+dx*float32(col), x0+dx*float32(col+1)
			list = append(list, [2]float32{right, bottom}, [2]float32{left, bottom}, [2]float32{left, top},
				[2]float32{right, bottom}, [2]float32{left, top}, [2]float32{right, top})
		}
	}
	return list
}

// setPositions makes positions the vertex data at location 0.
func setPositions(g *emu.Pipeline, params *emu.DrawParams, list [][2]float32) {
	data := make([]byte, 0, 8*len(list))
	for _, v := range list {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v[0]))
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v[1]))
	}
	g.Bindings = []emu.VertexBinding{{Data: data, Stride: 8}}
	g.Attributes = []emu.VertexAttribute{{Format: emu.FormatByName("R32G32_SFLOAT")}}
	params.VertexCount = uint32(len(list))
}

// vertices sets the vertex buffers of a DRAW_ARRAY.
func (e *engine) vertices(g *emu.Pipeline, c *Run) error {
	for i, v := range c.Pipeline.Vertex {
		data, err := e.contents(v.Buffer)
		if err != nil {
			return err
		}
		f, stride := v.Buffer.Format, v.Stride
		if v.Format != nil {
			f = v.Format
		}
		if stride < 0 {
			stride = int64(f.Size)
		}
		if f.Image == nil {
			return at(v.Line, CauseRun, unsupported("vertex data of type %s is not supported", f.Type.Name))
		}
		g.Bindings = append(g.Bindings, emu.VertexBinding{Binding: uint32(i), Data: data, Stride: uint32(stride), Instance: v.Instance})
		g.Attributes = append(g.Attributes, emu.VertexAttribute{Location: v.Location, Binding: uint32(i), Format: f.Image, Offset: v.Offset})
	}
	return nil
}

// limits are those of the next dispatch or draw: each has a seed of its own.
func (e *engine) limits() emu.Limits {
	l := e.r.Limits
	e.commands++
	l.Seed = max(l.Seed, 1) + uint64(e.commands)<<32
	return l
}
