package amber

// finish gives attachments and copies their sizes and checks what can only
// be checked when all is known.
func (p *parser) finish() {
	for _, pl := range p.s.Pipelines {
		if pl.Kind != PipelineGraphics {
			continue
		}
		for _, c := range pl.Color {
			p.sizeAttachment(pl, c.Buffer, c.Mip)
		}
		for _, b := range pl.Resolve {
			p.sizeAttachment(pl, b, 0)
		}
		if pl.DepthStencil != nil {
			p.sizeAttachment(pl, pl.DepthStencil, 0)
		}
	}
	for _, pl := range p.s.Pipelines {
		p.checkPipeline(pl)
	}
	for _, c := range p.s.Commands {
		p.sizeCopies(c)
	}
	for _, c := range p.s.Commands {
		p.checkCommand(c)
	}
	p.checkTotal()
}

// checkTotal bounds the memory of all buffers.
func (p *parser) checkTotal() {
	total := int64(0)
	for _, b := range p.s.Buffers {
		if p.err != nil {
			return
		}
		// A full chain of mip levels is less than twice the first.
		n := int64(b.Elements) * int64(b.Format.Size) * int64(b.Samples)
		if b.MipLevels > 1 {
			n *= 2
		}
		if total += n; total > MaxDeclaredBytes {
			p.fail(b.Line, "the buffers need more than %d bytes", MaxDeclaredBytes)
		}
	}
}

// sizeAttachment gives an attachment the size of the framebuffer.
func (p *parser) sizeAttachment(pl *Pipeline, b *Buffer, mip int) {
	w, h := pl.FramebufferWidth<<mip, pl.FramebufferHeight<<mip
	if w > maxSide || h > maxSide {
		p.fail(pl.Line, "attachment %q of %dx%d is too large", b.Name, w, h)
		return
	}
	b.Width, b.Height, b.Elements = w, h, p.items(w, h, 1)
	b.Depth = 1
}

func (p *parser) checkPipeline(pl *Pipeline) {
	size := func(b *Buffer, mip int) {
		if w, h := pl.FramebufferWidth<<mip, pl.FramebufferHeight<<mip; b.Width != w || b.Height != h {
			p.fail(pl.Line, "framebuffer %q has different sizes in different pipelines: %dx%d and %dx%d", b.Name, b.Width, b.Height, w, h)
		}
	}
	for _, c := range pl.Color {
		size(c.Buffer, c.Mip)
	}
	if pl.DepthStencil != nil {
		size(pl.DepthStencil, 0)
	}
	switch {
	case pl.Kind == PipelineCompute && len(pl.Shaders) == 0:
		p.fail(pl.Line, "compute pipeline %q has no shader", pl.Name)
	case pl.Kind == PipelineGraphics && pl.stage(StageVertex) == nil:
		p.fail(pl.Line, "graphics pipeline %q has no vertex shader", pl.Name)
	}
}

// stage returns the pipeline's shader of that stage, or nil.
func (pl *Pipeline) stage(s ShaderStage) *Attached {
	for _, a := range pl.Shaders {
		if a.Stage == s {
			return a
		}
	}
	return nil
}

// sizeCopies gives the destinations of copies the size of their sources.
func (p *parser) sizeCopies(c Command) {
	switch c := c.(type) {
	case *Repeat:
		for _, d := range c.Body {
			p.sizeCopies(d)
		}
	case *Copy:
		c.To.Width, c.To.Height, c.To.Depth, c.To.Elements = c.From.Width, c.From.Height, c.From.Depth, c.From.Elements
	}
}

func (p *parser) checkCommand(c Command) {
	switch c := c.(type) {
	case *Repeat:
		for _, d := range c.Body {
			p.checkCommand(d)
		}
	case *Run:
		if c.Kind != RunArray || p.err != nil {
			return
		}
		have := c.Pipeline.Vertex[0].Buffer.Elements
		if c.Indexed {
			have = c.Pipeline.Index.Elements
		}
		if c.Count == 0 {
			if int(c.Start) >= have {
				p.fail(c.Pos(), "START_IDX %d is not in the buffer of %d elements", c.Start, have)
				return
			}
			c.Count = uint32(have) - c.Start
		}
		if int(c.Start)+int(c.Count) > have {
			p.fail(c.Pos(), "START_IDX plus COUNT is %d, the buffer has %d elements", int(c.Start)+int(c.Count), have)
		}
	}
}
