package amber

import "math"

func (p *parser) bind(pl *Pipeline, line int) {
	switch t := p.next(); {
	case t.isWord("BUFFER"), t.isWord("BUFFER_ARRAY"):
		p.bindBuffer(pl, line, t.text == "BUFFER_ARRAY")
	case t.isWord("SAMPLER"), t.isWord("SAMPLER_ARRAY"):
		b := &Binding{Kind: BindSampler, Line: line}
		for {
			b.Elems = append(b.Elems, BindingElem{Sampler: lookup[Sampler](p, "sampler")})
			if n := p.peek(); t.text == "SAMPLER" || n.kind != tokWord || n.text == "DESCRIPTOR_SET" || n.text == "KERNEL" {
				break
			}
		}
		if p.accept("KERNEL") {
			p.argument(pl, KernelArg{Sampler: b.Elems[0].Sampler, Line: line})
			return
		}
		p.place(pl, b)
	case t.isWord("ACCELERATION_STRUCTURE"):
		a := lookup[AccelStruct](p, "acceleration structure")
		p.place(pl, &Binding{Kind: BindAccel, Line: line, Elems: []BindingElem{{Accel: a}}})
	default:
		p.unexpected(t, "BUFFER, SAMPLER, their _ARRAY or ACCELERATION_STRUCTURE")
	}
}

// bindingWords are the descriptor types by BindingKind.
var bindingWords = []string{"uniform", "storage", "uniform_dynamic", "storage_dynamic", "uniform_texel_buffer", "storage_texel_buffer",
	"sampled_image", "storage_image", "combined_image_sampler"}

func (p *parser) bindBuffer(pl *Pipeline, line int, array bool) {
	buffers := []*Buffer{lookup[Buffer](p, "buffer")}
	for array {
		if n := p.peek(); n.kind != tokWord || n.text == "AS" || n.text == "KERNEL" || n.text == "DESCRIPTOR_SET" {
			break
		}
		buffers = append(buffers, lookup[Buffer](p, "buffer"))
	}
	if p.err != nil {
		return
	}
	if array && len(buffers) < 2 {
		p.fail(line, "BUFFER_ARRAY needs more than one buffer")
	}
	if p.accept("KERNEL") {
		p.argument(pl, KernelArg{Buffer: buffers[0], Line: line})
		return
	}
	p.expect("AS")
	t := p.next()
	if t.kind == tokWord && p.bindAttachment(pl, t, buffers) {
		return
	}
	for kind, w := range bindingWords {
		if !t.isWord(w) {
			continue
		}
		b := &Binding{Kind: BindingKind(kind), Line: line}
		for _, buf := range buffers {
			b.Elems = append(b.Elems, BindingElem{Buffer: buf, Range: -1})
		}
		if b.Kind == BindCombined {
			p.expect("SAMPLER")
			s := lookup[Sampler](p, "sampler")
			for i := range b.Elems {
				b.Elems[i].Sampler = s
			}
		}
		if p.accept("KERNEL") {
			p.argument(pl, KernelArg{Buffer: buffers[0], Line: line})
			return
		}
		p.place(pl, b)
		return
	}
	p.unexpected(t, "a buffer type")
}

// bindAttachment parses the bindings that are not descriptors.
func (p *parser) bindAttachment(pl *Pipeline, t token, buffers []*Buffer) bool {
	b := buffers[0]
	switch t.text {
	case "color":
		p.expect("LOCATION")
		c := ColorBinding{Buffer: b, Location: int(p.uint("a location", 7)), Line: t.line}
		c.Mip = p.baseMip(b)
		for _, d := range pl.Color {
			if d.Location == c.Location || d.Buffer == b {
				p.fail(t.line, "buffer or location is bound as color twice")
			}
		}
		pl.Color = append(pl.Color, c)
	case "depth_stencil":
		if pl.DepthStencil != nil {
			p.fail(t.line, "two depth/stencil buffers")
		}
		pl.DepthStencil = b
	case "resolve":
		pl.Resolve = append(pl.Resolve, b)
	case "push_constant":
		if pl.Push != nil {
			p.fail(t.line, "two push constant buffers")
		}
		pl.Push = b
	default:
		return false
	}
	if len(buffers) > 1 {
		p.fail(t.line, "an array cannot be bound as %s", t.text)
	}
	return true
}

func (p *parser) baseMip(b *Buffer) int {
	if !p.accept("BASE_MIP_LEVEL") {
		return 0
	}
	line := p.peek().line
	mip := int(p.uint("a mip level", 30))
	if p.err == nil && mip >= b.MipLevels {
		p.fail(line, "buffer %q has no mip level %d", b.Name, mip)
	}
	return mip
}

// place parses DESCRIPTOR_SET … BINDING … and what follows, and binds b.
func (p *parser) place(pl *Pipeline, b *Binding) {
	p.expect("DESCRIPTOR_SET")
	b.Set = p.uint32("a descriptor set")
	p.expect("BINDING")
	b.Binding = p.uint32("a binding")
	switch b.Kind {
	case BindStorageImage, BindSampledImage, BindCombined:
		if p.err == nil {
			b.Mip = p.baseMip(b.Elems[0].Buffer)
		}
	case BindUniformDynamic, BindStorageDynamic:
		p.expect("OFFSET")
		for i := range b.Elems {
			b.Elems[i].Dynamic = p.uint("an offset", math.MaxUint32)
		}
	}
	if b.Kind <= BindStorageTexel {
		if p.accept("DESCRIPTOR_OFFSET") {
			for i := range b.Elems {
				b.Elems[i].Offset = p.uint("an offset", math.MaxUint32)
			}
		}
		if p.accept("DESCRIPTOR_RANGE") {
			for i := range b.Elems {
				if t := p.peek(); t.kind == tokInt && t.text == "-1" {
					p.next() // the whole buffer
					continue
				}
				b.Elems[i].Range = int64(p.uint("a range", math.MaxInt64))
			}
		}
	}
	for i, o := range pl.Bindings {
		if o.Set == b.Set && o.Binding == b.Binding {
			pl.Bindings[i] = b // the last one counts
			return
		}
	}
	if pl.Bindings = append(pl.Bindings, b); len(pl.Bindings) > maxNames {
		p.fail(b.Line, "pipeline has more than %d bindings", maxNames)
	}
}
