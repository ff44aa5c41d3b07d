package amber

import (
	"fmt"
	"slices"
	"strings"
)

// VkScript is the form that AmberScript replaced: sections with a header in
// brackets, one pipeline, and a [test] section of commands. vkParser turns it
// into the same Script, so that one engine runs both: the pipeline that the
// script changes as it goes becomes one Pipeline for each state that a draw
// sees, all sharing their buffers.

// vkParser is a parser with the state of a VkScript.
type vkParser struct {
	*parser
	// graphics and compute are the pipelines as the commands have changed them
	// so far; nil without such shaders. drawn is the pipeline made for the
	// last draw and changed says that graphics is no longer like it.
	graphics, compute, drawn *Pipeline
	changed                  bool
	color                    *Buffer
	width, height            int
	shaders                  []*Attached
	descs                    []*vkDesc
	push                     *vkDesc
	tolerances               []Tolerance
	layouts                  map[string]vkLayout // by kind of storage
	spirv14                  bool
	vertices                 int // in [vertex data]
}

// vkDesc is a buffer that commands name by its binding, or the push constants.
type vkDesc struct {
	kind         BindingKind
	set, binding uint32
	buf          *Buffer
	size         int // bytes
}

// vkScript parses the whole text.
func (p *parser) vkScript() {
	v := &vkParser{parser: p, width: defaultFramebufferSide, height: defaultFramebufferSide, layouts: map[string]vkLayout{"ubo": {std140: true}}}
	v.names = make(map[string]any)
	v.formats = make(map[formatKey]*Format)
	list := v.sections()
	if len(list) == 0 {
		p.fail(1, "the text is neither AmberScript, which starts with #!amber, nor VkScript, which has sections in brackets")
		return
	}
	// The order of sections means nothing: commands come last.
	for _, phase := range [...]func(*vkSection) bool{v.requireSection, v.shaderSection, v.dataSection, v.testSection} {
		for i := range list {
			s := &list[i]
			if p.err == nil && !s.done {
				p.lex = lexer{src: s.text, line: s.line}
				s.done = phase(s)
			}
		}
		v.pipelines()
	}
	for _, s := range list {
		if !s.done {
			p.fail(s.line-1, "unknown section [%s]", clip(s.name, 60))
		}
	}
	v.bindAll()
}

// vkSection is a section: the header's words and the text up to the next.
type vkSection struct {
	name, text string
	line       int // of the text's first line
	done       bool
}

// sections cuts the text.
func (v *vkParser) sections() []vkSection {
	var list []vkSection
	src, pos := v.lex.src, 0
	for n := 1; pos < len(src); n++ {
		end := len(src)
		if i := strings.IndexByte(src[pos:], '\n'); i >= 0 {
			end = pos + i + 1
		}
		l := strings.TrimSpace(src[pos:end])
		switch {
		case strings.HasPrefix(l, "["):
			name, rest, ok := strings.Cut(l[1:], "]")
			if rest = strings.TrimSpace(rest); !ok || rest != "" && rest[0] != '#' {
				v.fail(n, "%q is not the header of a section", clip(l, 60))
				return nil
			}
			list = append(list, vkSection{name: strings.Join(strings.Fields(name), " "), line: n + 1})
		case len(list) > 0:
			list[len(list)-1].text += src[pos:end]
		case l != "" && l[0] != '#':
			return nil
		}
		pos = end
	}
	return list
}

// requireSection parses [require]; true for [comment] too.
func (v *vkParser) requireSection(s *vkSection) bool {
	if s.name == "comment" {
		return true
	}
	if s.name != "require" {
		return false
	}
	v.lines(func(t token) {
		switch t.text {
		case "framebuffer":
			if f := v.imageFormat(); f != nil {
				v.attachment(&v.color, f, t.line)
			}
		case "depthstencil":
			if f := v.imageFormat(); f != nil && v.names["depth"] == nil {
				var b *Buffer
				v.attachment(&b, f, t.line)
				v.names["depth"] = b
			}
		case "fbsize":
			v.width, v.height = v.positive("width", maxSide), v.positive("height", maxSide)
		case "fence_timeout":
			v.s.EngineData = append(v.s.EngineData, EngineDatum{"fence_timeout_ms", v.uint32("milliseconds"), t.line})
		default:
			v.requirement(t)
		}
	})
	return true
}

// requirement notes a feature or an extension, which look alike.
func (v *vkParser) requirement(t token) {
	q := Requirement{Kind: RequireDeviceExtension, Name: t.text, Line: t.line}
	if !strings.HasPrefix(t.text, "VK_") {
		q.Kind = RequireFeature
	}
	v.spirv14 = v.spirv14 || t.text == "VK_KHR_spirv_1_4"
	v.s.Requirements = append(v.s.Requirements, q)
}

// lines calls f for the first word of every line, and takes its end.
func (v *vkParser) lines(f func(t token)) {
	for v.err == nil {
		switch t := v.next(); t.kind {
		case tokEOF:
			return
		case tokEOL:
		case tokWord:
			f(t)
			v.end()
		default:
			v.unexpected(t, "a command")
		}
	}
}

// attachment makes the buffer of a render target.
func (v *vkParser) attachment(b **Buffer, f *Format, line int) {
	if *b != nil {
		v.fail(line, "framebuffer is given twice")
		return
	}
	*b = v.addBuffer(line, "")
	(*b).Format = f
}

// addBuffer makes a buffer that the script does not name.
func (v *vkParser) addBuffer(line int, name string) *Buffer {
	b := &Buffer{Name: name, Line: line, MipLevels: 1, Samples: 1, index: len(v.s.Buffers)}
	if v.s.Buffers = append(v.s.Buffers, b); len(v.s.Buffers) > maxNames {
		v.fail(line, "script has more than %d buffers", maxNames)
	}
	return b
}

// vkStage returns the stage of that name in a VkScript, StageMulti if it is none.
func vkStage(name string) ShaderStage {
	for i, word := range stageWords.Get()[:stageTask] {
		if strings.ReplaceAll(word, "_", " ") == name {
			return ShaderStage(i)
		}
	}
	return StageMulti
}

// shaderSection takes the sections with shaders.
func (v *vkParser) shaderSection(s *vkSection) bool {
	kind, form, ok := strings.Cut(s.name, " shader")
	if !ok {
		return false
	}
	sh := &ShaderDecl{Stage: vkStage(kind), Source: s.text, Line: s.line - 1, SourceLine: s.line, Name: kind}
	if sh.Stage == StageMulti {
		return false
	}
	switch strings.TrimSpace(form) {
	case "":
		sh.Format = FormatGLSL
	case "spirv":
		sh.Format = FormatSpirvAsm
		if v.spirv14 {
			sh.TargetEnv = "spv1.4"
		}
	case "spirv hex":
		sh.Format = FormatSpirvHex
	case "passthrough":
		sh.Format = FormatPassthrough
		if sh.Stage != StageVertex {
			v.fail(sh.Line, "only a vertex shader can be passthrough, not %v", sh.Stage)
		}
	default:
		return false
	}
	for _, a := range v.shaders {
		if a.Stage == sh.Stage {
			v.fail(sh.Line, "several %v shaders are not supported", sh.Stage)
		}
	}
	v.s.Shaders = append(v.s.Shaders, sh)
	v.shaders = append(v.shaders, &Attached{Shader: sh, Stage: sh.Stage, Entry: "main", Line: sh.Line})
	return true
}

// pipelines makes the pipelines when the shaders are known.
func (v *vkParser) pipelines() {
	if len(v.shaders) == 0 || v.graphics != nil || v.compute != nil {
		return
	}
	for _, a := range v.shaders {
		pl := &v.graphics
		if a.Stage == StageCompute {
			pl = &v.compute
		}
		if *pl == nil {
			*pl = v.newPipeline(a.Line)
		}
		(*pl).Shaders = append((*pl).Shaders, a)
	}
	if v.compute != nil {
		v.compute.Name, v.compute.Kind = "compute", PipelineCompute
		v.s.Pipelines = append(v.s.Pipelines, v.compute)
	}
	if g := v.graphics; g != nil {
		v.addTargets(g)
		v.drawn = v.snapshot()
	}
}

func (v *vkParser) newPipeline(line int) *Pipeline {
	pl := &Pipeline{Line: line, FramebufferWidth: v.width, FramebufferHeight: v.height}
	pl.defaults()
	return pl
}

// defaultColorFormat is the render target of scripts that name none.
const defaultColorFormat = "B8G8R8A8_UNORM"

// addTargets gives the graphics pipeline its render targets.
func (v *vkParser) addTargets(g *Pipeline) {
	g.Kind = PipelineGraphics
	if v.color == nil {
		v.color = v.addBuffer(g.Line, "")
		v.color.Format = v.formatOf(token{kind: tokWord, text: defaultColorFormat}, false)
	}
	v.color.Name = "framebuffer"
	g.Color = []ColorBinding{{Buffer: v.color, Line: g.Line}}
	v.sizeAttachment(g, v.color, 0)
	if b, _ := v.names["depth"].(*Buffer); b != nil {
		b.Name = "depthstencil"
		g.DepthStencil = b
		v.sizeAttachment(g, b, 0)
	}
}

// snapshot adds a pipeline with the state of now.
func (v *vkParser) snapshot() *Pipeline {
	pl := *v.graphics
	pl.Name = fmt.Sprintf("graphics %d", len(v.s.Pipelines))
	pl.Shaders = slices.Clone(pl.Shaders)
	if v.s.Pipelines = append(v.s.Pipelines, &pl); len(v.s.Pipelines) > maxNames {
		v.fail(pl.Line, "script has more than %d pipelines", maxNames)
	}
	v.changed = false
	return &pl
}

// drawing returns the pipeline for a draw.
func (v *vkParser) drawing(line int) *Pipeline {
	if v.graphics == nil {
		v.fail(line, "there is no graphics shader")
		return &Pipeline{}
	}
	if v.changed {
		v.drawn = v.snapshot()
	}
	return v.drawn
}

// target is the pipeline that clears are about: the first, whose clear values
// and render targets all share.
func (v *vkParser) target(line int) *Pipeline {
	for _, pl := range v.s.Pipelines {
		if pl.Kind == PipelineGraphics {
			return pl
		}
	}
	v.fail(line, "there is no graphics shader")
	return &Pipeline{}
}

// bindAll gives all pipelines the buffers, whose sizes are known at the end.
func (v *vkParser) bindAll() {
	var list []*Binding
	for _, d := range v.descs {
		d.buf.Elements = d.size
		list = append(list, &Binding{Kind: d.kind, Set: d.set, Binding: d.binding, Line: d.buf.Line, Elems: []BindingElem{{Buffer: d.buf, Range: -1}}})
	}
	if v.push != nil {
		v.push.buf.Elements = v.push.size
	}
	for _, pl := range v.s.Pipelines {
		pl.Bindings = list
		if v.push != nil {
			pl.Push = v.push.buf
		}
	}
	v.checkTotal()
}

// write executes a Write.
func (e *engine) write(c *Write) error {
	data, err := e.contents(c.Buffer)
	if err != nil {
		return err
	}
	for i, n := range c.Values {
		l := &c.Format.Leaves[i%len(c.Format.Leaves)]
		at := c.Offset + i/len(c.Format.Leaves)*c.Format.Size + int(l.Offset)
		if at+int(l.Scalar.Bits)/8 > len(data) {
			return fmt.Errorf("value %d at byte %d is outside buffer %q of %d bytes", i, at, c.Buffer.Name, len(data))
		}
		l.Scalar.put(data[at:], n)
	}
	return nil
}
