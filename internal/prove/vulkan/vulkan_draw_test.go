//go:build linux && (amd64 || arm64)

package vulkan

import (
	"github.com/ebitengine/purego"
	"nirc/internal/emu"
	"nirc/ir"
)

// Graphics on the Vulkan driver of vulkan_test.go: one render pass with one
// pipeline and one draw, whose attachments are copied to buffers.

// Structure types, layouts and usages of vulkan_core.h.
const (
	stVertexInput, stAssembly, stTessellation, stViewport = 19, 20, 21, 22
	stRaster, stMultisample, stDepth, stBlend             = 23, 24, 25, 26
	stGraphics, stImage, stView, stFramebuffer, stPass    = 28, 14, 15, 37, 38
	stBeginPass                                           = 43
	layoutColor, layoutDepth, layoutSource                = 2, 3, 6
	usageSource, usageColor, usageDepth                   = 1, 0x10, 0x20
	aspectColor, aspectDepth, aspectStencil               = 1, 2, 4
	stFeedbackFeatures                                    = 1000028000
	bindGraphics                                          = 0
)

// vkStages are the bits of VkShaderStageFlagBits.
var vkStages = map[ir.Stage]uint32{ir.StageVertex: 1, ir.StageTessCtrl: 2, ir.StageTessEval: 4, ir.StageGeometry: 8, ir.StageFragment: 16}

// vkDraw is a draw: the state is that of an emu.Pipeline, whose programs stand
// as SPIR-V in stages.
type vkDraw struct {
	stages        map[ir.Stage][]uint32
	state         *emu.Pipeline
	params        emu.DrawParams
	width, height int
	samples       int
	color, depth  *emu.Format // depth may be nil
	clear         [4]float32
	captures      int // bytes of the buffer of transform feedback, 0 without
}

// vkTarget is an attachment.
type vkTarget struct {
	image, memory, view vkHandle
	format              *emu.Format
	samples             int
}

func (v *vulkan) graphicsFunctions() {
	if v.fn != nil {
		return
	}
	v.fn = make(map[string]uintptr)
	for _, n := range []string{"vkCreateImage", "vkGetImageMemoryRequirements", "vkBindImageMemory", "vkCreateImageView", "vkCreateRenderPass", "vkCreateFramebuffer",
		"vkCreateGraphicsPipelines", "vkCmdBeginRenderPass", "vkCmdEndRenderPass", "vkCmdBindVertexBuffers", "vkCmdBindIndexBuffer", "vkCmdDraw", "vkCmdDrawIndexed",
		"vkCmdBindTransformFeedbackBuffersEXT", "vkCmdBeginTransformFeedbackEXT", "vkCmdEndTransformFeedbackEXT", "vkCmdCopyImageToBuffer", "vkDestroyImage", "vkDestroyImageView", "vkDestroyRenderPass", "vkDestroyFramebuffer"} {
		v.fn[n] = v.load(n)
	}
}

// create calls a function that makes an object; it is destroyed with the draw.
func (v *vulkan) create(name string, info uintptr, to *vkHandle, destroy string) error {
	f := v.fn[name]
	if f == 0 {
		f = v.load(name)
	}
	if err := vk(name, f, uintptr(v.device), info, 0, arg(to)); err != nil {
		return err
	}
	v.made = append(v.made, vkMade{v.load(destroy), *to})
	return nil
}

func (v *vulkan) newTarget(f *emu.Format, w, h, samples int, depth bool) (*vkTarget, error) {
	usage, aspect := uint32(usageColor|usageSource), uint32(aspectColor)
	if depth {
		usage, aspect = usageDepth|usageSource, aspectDepth
		if f.StencilBits > 0 {
			aspect |= aspectStencil
		}
	}
	t := &vkTarget{format: f, samples: samples}
	info := struct {
		typ                                             uint32
		_                                               uintptr
		flags, kind, format                             uint32
		w, h, d, mips, layers, samples, tiling, use, sh uint32
		families                                        uint32
		_                                               uintptr
		layout                                          uint32
	}{typ: stImage, kind: 1, format: uint32(f.Vk), w: uint32(w), h: uint32(h), d: 1, mips: 1, layers: 1, samples: uint32(samples), use: usage}
	if err := v.create("vkCreateImage", arg(&info), &t.image, "vkDestroyImage"); err != nil {
		return nil, err
	}
	var need struct {
		size, align uint64
		types       uint32
	}
	purego.SyscallN(v.fn["vkGetImageMemoryRequirements"], uintptr(v.device), uintptr(t.image), arg(&need))
	mem := struct {
		typ   uint32
		_     uintptr
		size  uint64
		index uint32
	}{typ: stAllocate, size: need.size, index: v.memoryType}
	if err := v.create("vkAllocateMemory", arg(&mem), &t.memory, "vkFreeMemory"); err != nil {
		return nil, err
	}
	if err := vk("vkBindImageMemory", v.fn["vkBindImageMemory"], uintptr(v.device), uintptr(t.image), uintptr(t.memory), 0); err != nil {
		return nil, err
	}
	view := struct {
		typ                         uint32
		_                           uintptr
		flags                       uint32
		image                       vkHandle
		kind, format                uint32
		swizzle                     [4]uint32
		aspect, mip, n, layer, nlay uint32
	}{typ: stView, image: t.image, kind: 1, format: uint32(f.Vk), aspect: aspect, n: 1, nlay: 1}
	return t, v.create("vkCreateImageView", arg(&view), &t.view, "vkDestroyImageView")
}

type vkReference struct{ attachment, layout uint32 }

// newPass makes the render pass: colour, then its resolved form if there are
// several samples, then depth.
func (v *vulkan) newPass(targets []*vkTarget, resolves, depth bool) (pass vkHandle, err error) {
	type attachment struct{ _, format, samples, load, _, stencilLoad, stencilStore, _, final uint32 }
	list := make([]attachment, len(targets))
	for i, t := range targets {
		list[i] = attachment{format: uint32(t.format.Vk), samples: uint32(t.samples), load: 1, stencilLoad: 2, stencilStore: 1, final: layoutSource}
		if t.format.StencilBits > 0 {
			list[i].stencilLoad, list[i].stencilStore = 1, 0
		}
	}
	type subpass struct {
		_, _, _        uint32
		_              uintptr
		colors         uint32
		color, resolve *vkReference
		depth          *vkReference
		_              uint32
		_              uintptr
	}
	sub := subpass{colors: 1, color: &vkReference{0, layoutColor}}
	if resolves {
		sub.resolve = &vkReference{1, layoutColor}
	}
	if depth {
		sub.depth = &vkReference{uint32(len(targets) - 1), layoutDepth}
	}
	// What the draw writes is visible to the copies.
	type dependency struct{ _, dst, srcStage, dstStage, srcAccess, dstAccess, _ uint32 }
	dep := dependency{dst: 1<<32 - 1, srcStage: 0x10000, dstStage: 0x1000, srcAccess: 0x10000, dstAccess: 0x800}
	info := struct {
		typ          uint32
		_            uintptr
		flags, count uint32
		list         *attachment
		subpasses    uint32
		subpass      *subpass
		deps         uint32
		dep          *dependency
	}{typ: stPass, count: uint32(len(list)), list: &list[0], subpasses: 1, subpass: &sub, deps: 1, dep: &dep}
	return pass, v.create("vkCreateRenderPass", arg(&info), &pass, "vkDestroyRenderPass")
}

// vkBool is a VkBool32.
func vkBool(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// newGraphics makes the pipeline.
func (v *vulkan) newGraphics(d *vkDraw, pass, layout vkHandle) (pipeline vkHandle, err error) {
	entry := []byte("main\x00")
	var stages []vkStage
	for _, st := range []ir.Stage{ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry, ir.StageFragment} {
		words := d.stages[st]
		if words == nil {
			continue
		}
		shader := newVkShader(words)
		s := vkStage{typ: stStage, stage: vkStages[st], name: &entry[0]}
		if err := v.create("vkCreateShaderModule", arg(&shader), &s.module, "vkDestroyShaderModule"); err != nil {
			return 0, err
		}
		stages = append(stages, s)
	}
	info := struct {
		typ                                     uint32
		_                                       uintptr
		flags, count                            uint32
		stages                                  *vkStage
		input, assembly, tess, viewport, raster uintptr
		multisample, depth, blend, dynamic      uintptr
		layout, pass                            vkHandle
		subpass                                 uint32
		base                                    vkHandle
		index                                   int32
	}{typ: stGraphics, count: uint32(len(stages)), stages: &stages[0], input: d.vertexInput(), assembly: d.assembly(), tess: d.tessellation(),
		viewport: d.viewports(), raster: d.raster(), multisample: d.multisample(), depth: d.depthStencil(), blend: d.blending(), layout: layout, pass: pass}
	err = vk("vkCreateGraphicsPipelines", v.fn["vkCreateGraphicsPipelines"], uintptr(v.device), 0, 1, arg(&info), 0, arg(&pipeline))
	if err == nil {
		v.made = append(v.made, vkMade{v.destroyPipeline, pipeline})
	}
	return pipeline, err
}

func (d *vkDraw) vertexInput() uintptr {
	type binding struct{ binding, stride, rate uint32 }
	type attribute struct{ location, binding, format, offset uint32 }
	bindings := make([]binding, len(d.state.Bindings))
	for i, b := range d.state.Bindings {
		bindings[i] = binding{b.Binding, b.Stride, vkBool(b.Instance)}
	}
	attributes := make([]attribute, len(d.state.Attributes))
	for i, a := range d.state.Attributes {
		attributes[i] = attribute{a.Location, a.Binding, uint32(a.Format.Vk), a.Offset}
	}
	return arg(&struct {
		typ             uint32
		_               uintptr
		flags, bindings uint32
		binding         *binding
		attributes      uint32
		attribute       *attribute
	}{typ: stVertexInput, bindings: uint32(len(bindings)), binding: &bindings[0], attributes: uint32(len(attributes)), attribute: &attributes[0]})
}

func (d *vkDraw) assembly() uintptr {
	return arg(&struct {
		typ                      uint32
		_                        uintptr
		flags, topology, restart uint32
	}{typ: stAssembly, topology: uint32(d.state.Topology), restart: vkBool(d.state.PrimitiveRestart)})
}

func (d *vkDraw) tessellation() uintptr {
	if d.stages[ir.StageTessCtrl] == nil {
		return 0
	}
	return arg(&struct {
		typ           uint32
		_             uintptr
		flags, points uint32
	}{typ: stTessellation, points: uint32(d.state.PatchControlPoints)})
}

func (d *vkDraw) viewports() uintptr {
	type rect struct {
		x, y int32
		w, h uint32
	}
	s := d.state.Scissors[0]
	return arg(&struct {
		typ              uint32
		_                uintptr
		flags, viewports uint32
		viewport         *emu.Viewport
		scissors         uint32
		scissor          *rect
	}{typ: stViewport, viewports: 1, viewport: &d.state.Viewports[0], scissors: 1, scissor: &rect{int32(s.X), int32(s.Y), uint32(s.Width), uint32(s.Height)}})
}

func (d *vkDraw) raster() uintptr {
	r := &d.state.Raster
	return arg(&struct {
		typ                                      uint32
		_                                        uintptr
		flags, clamp, discard, mode, cull, front uint32
		bias                                     uint32
		constant, biasClamp, slope, width        float32
	}{typ: stRaster, clamp: vkBool(r.DepthClamp), mode: uint32(r.Polygon), cull: uint32(r.Cull), front: vkBool(r.FrontClockwise),
		bias: vkBool(r.DepthBias), constant: r.BiasConstant, biasClamp: r.BiasClamp, slope: r.BiasSlope, width: 1})
}

func (d *vkDraw) multisample() uintptr {
	m := &d.state.Multisample
	return arg(&struct {
		typ                     uint32
		_                       uintptr
		flags, samples, shading uint32
		least                   float32
		mask                    *uint32
		toCoverage, toOne       uint32
	}{typ: stMultisample, samples: uint32(d.samples), shading: vkBool(m.SampleShading), least: 1, mask: m.Mask, toCoverage: vkBool(m.AlphaToCoverage)})
}

func (d *vkDraw) depthStencil() uintptr {
	s := &d.state.Depth
	face := func(f *emu.StencilFace) [7]uint32 {
		return [7]uint32{uint32(f.Fail), uint32(f.Pass), uint32(f.DepthFail), uint32(f.Compare), f.CompareMask, f.WriteMask, f.Reference}
	}
	return arg(&struct {
		typ                                         uint32
		_                                           uintptr
		flags, test, write, compare, bounds, enable uint32
		front, back                                 [7]uint32
		least, most                                 float32
	}{typ: stDepth, test: vkBool(s.Test), write: vkBool(s.Write), compare: uint32(s.Compare), bounds: vkBool(s.BoundsTest), enable: vkBool(s.StencilTest),
		front: face(&s.Front), back: face(&s.Back), least: s.MinBounds, most: s.MaxBounds})
}

func (d *vkDraw) blending() uintptr {
	b := &d.state.Blend
	type attachment struct{ enable, srcColor, dstColor, colorOp, srcAlpha, dstAlpha, alphaOp, mask uint32 }
	a := &b.Attachments[0]
	return arg(&struct {
		typ                         uint32
		_                           uintptr
		flags, logic, logicOp, list uint32
		attachment                  *attachment
		constants                   [4]float32
	}{typ: stBlend, logic: vkBool(b.LogicEnable), logicOp: uint32(b.Logic), list: 1, constants: b.Constants,
		attachment: &attachment{vkBool(a.Enable), uint32(a.SrcColor), uint32(a.DstColor), uint32(a.ColorOp), uint32(a.SrcAlpha), uint32(a.DstAlpha), uint32(a.AlphaOp), uint32(a.WriteMask)}})
}

// draw draws, and returns the colours (resolved if there are several samples), what is captured
// and, with one sample, depths and stencil values.
func (v *vulkan) draw(d *vkDraw) (out drawing, err error) {
	v.graphicsFunctions()
	defer v.unmake()
	targets, resolves, err := v.drawTargets(d)
	if err != nil {
		return out, err
	}
	pass, err := v.newPass(targets, resolves, d.depth != nil)
	if err != nil {
		return out, err
	}
	views := make([]vkHandle, len(targets))
	for i, t := range targets {
		views[i] = t.view
	}
	var frame, layout vkHandle
	info := struct {
		typ          uint32
		_            uintptr
		flags        uint32
		pass         vkHandle
		count        uint32
		views        *vkHandle
		w, h, layers uint32
	}{typ: stFramebuffer, pass: pass, count: uint32(len(views)), views: &views[0], w: uint32(d.width), h: uint32(d.height), layers: 1}
	if err := v.create("vkCreateFramebuffer", arg(&info), &frame, "vkDestroyFramebuffer"); err != nil {
		return out, err
	}
	empty := struct {
		typ         uint32
		_           uintptr
		flags, sets uint32
		_           uintptr
		ranges      uint32
		_           uintptr
	}{typ: stLayout}
	if err := v.create("vkCreatePipelineLayout", arg(&empty), &layout, "vkDestroyPipelineLayout"); err != nil {
		return out, err
	}
	pipeline, err := v.newGraphics(d, pass, layout)
	if err != nil {
		return out, err
	}
	return v.record(d, targets, resolves, pass, frame, pipeline)
}

// drawTargets makes the attachments in the order of the render pass.
func (v *vulkan) drawTargets(d *vkDraw) (targets []*vkTarget, resolves bool, err error) {
	add := func(f *emu.Format, samples int, depth bool) {
		if err != nil {
			return
		}
		var t *vkTarget
		t, err = v.newTarget(f, d.width, d.height, samples, depth)
		targets = append(targets, t)
	}
	add(d.color, d.samples, false)
	if d.samples > 1 {
		resolves = true
		add(d.color, 1, false)
	}
	if d.depth != nil {
		add(d.depth, d.samples, true)
	}
	return targets, resolves, err
}

// record fills and runs the command buffer and reads what came out.
func (v *vulkan) record(d *vkDraw, targets []*vkTarget, resolves bool, pass, frame, pipeline vkHandle) (out drawing, err error) {
	cmd := uintptr(v.commands)
	var made []*vkBuffer
	defer func() {
		for _, b := range made {
			v.freeBuffer(b)
		}
	}()
	buffer := func(size int, data []byte) *vkBuffer {
		if err != nil {
			return nil
		}
		var b *vkBuffer
		if b, err = v.newBuffer(size); err != nil {
			return nil
		}
		made = append(made, b)
		copy(b.data, data)
		return b
	}
	var vertices []vkHandle
	for i := range d.state.Bindings {
		if b := buffer(len(d.state.Bindings[i].Data), d.state.Bindings[i].Data); b != nil {
			vertices = append(vertices, b.buffer)
		}
	}
	from, pixels := targets[0], d.width*d.height
	if resolves {
		from = targets[1]
	}
	colors := buffer(pixels*d.color.Bytes, nil)
	var index, depths, stencils, captured *vkBuffer
	if x := d.params.Index; x != nil {
		index = buffer(len(x.Data), x.Data)
	}
	if d.depth != nil && d.samples == 1 {
		if depths = buffer(pixels*4, nil); d.depth.StencilBits > 0 {
			stencils = buffer(pixels, nil)
		}
	}
	if d.captures > 0 {
		captured = buffer(d.captures, make([]byte, d.captures))
	}
	if err != nil {
		return out, err
	}
	begin := struct {
		typ   uint32
		_     uintptr
		flags uint32
		_     uintptr
	}{typ: stCmds}
	if err := vk("vkBeginCommandBuffer", v.begin, cmd, arg(&begin)); err != nil {
		return out, err
	}
	v.beginPass(d, targets, pass, frame)
	purego.SyscallN(v.bindPipeline, cmd, bindGraphics, uintptr(pipeline))
	offsets := make([]uint64, len(vertices))
	purego.SyscallN(v.fn["vkCmdBindVertexBuffers"], cmd, 0, uintptr(len(vertices)), arg(&vertices[0]), arg(&offsets[0]))
	if captured != nil {
		size := uint64(d.captures)
		purego.SyscallN(v.fn["vkCmdBindTransformFeedbackBuffersEXT"], cmd, 0, 1, arg(&captured.buffer), arg(new(uint64)), arg(&size))
		purego.SyscallN(v.fn["vkCmdBeginTransformFeedbackEXT"], cmd, 0, 0, 0, 0)
	}
	if p := &d.params; index != nil {
		purego.SyscallN(v.fn["vkCmdBindIndexBuffer"], cmd, uintptr(index.buffer), 0, uintptr(p.Index.Bytes/4))
		purego.SyscallN(v.fn["vkCmdDrawIndexed"], cmd, uintptr(p.VertexCount), uintptr(p.InstanceCount), uintptr(p.FirstVertex), uintptr(p.VertexOffset), uintptr(p.FirstInstance))
	} else {
		purego.SyscallN(v.fn["vkCmdDraw"], cmd, uintptr(p.VertexCount), uintptr(p.InstanceCount), uintptr(p.FirstVertex), uintptr(p.FirstInstance))
	}
	if captured != nil {
		purego.SyscallN(v.fn["vkCmdEndTransformFeedbackEXT"], cmd, 0, 0, 0, 0)
	}
	purego.SyscallN(v.fn["vkCmdEndRenderPass"], cmd)
	v.copyImage(d, from, aspectColor, colors)
	if depths != nil {
		v.copyImage(d, targets[len(targets)-1], aspectDepth, depths)
	}
	if stencils != nil {
		v.copyImage(d, targets[len(targets)-1], aspectStencil, stencils)
	}
	if err := v.finish(); err != nil {
		return out, err
	}
	read := func(b *vkBuffer, n int) []byte {
		if b == nil {
			return nil
		}
		return append([]byte(nil), b.data[:n]...)
	}
	return drawing{read(colors, pixels*d.color.Bytes), read(depths, pixels*4), read(stencils, pixels), read(captured, d.captures)}, nil
}

func (v *vulkan) beginPass(d *vkDraw, targets []*vkTarget, pass, frame vkHandle) {
	clears := make([][4]float32, len(targets))
	for i := range clears {
		clears[i] = d.clear
	}
	if d.depth != nil {
		clears[len(clears)-1] = [4]float32{1}
	}
	info := struct {
		typ         uint32
		_           uintptr
		pass, frame vkHandle
		x, y        int32
		w, h, count uint32
		clears      *[4]float32
	}{typ: stBeginPass, pass: pass, frame: frame, w: uint32(d.width), h: uint32(d.height), count: uint32(len(clears)), clears: &clears[0]}
	purego.SyscallN(v.fn["vkCmdBeginRenderPass"], uintptr(v.commands), arg(&info), 0)
}

func (v *vulkan) copyImage(d *vkDraw, t *vkTarget, aspect uint32, to *vkBuffer) {
	region := struct {
		offset                   uint64
		row, rows                uint32
		aspect, mip, layer, nlay uint32
		x, y, z                  int32
		w, h, d                  uint32
	}{aspect: aspect, nlay: 1, w: uint32(d.width), h: uint32(d.height), d: 1}
	purego.SyscallN(v.fn["vkCmdCopyImageToBuffer"], uintptr(v.commands), uintptr(t.image), layoutSource, uintptr(to.buffer), 1, arg(&region))
}

// vkMade is an object and the function that destroys it.
type vkMade struct {
	destroy uintptr
	object  vkHandle
}

// unmake destroys what create made, the last first.
func (v *vulkan) unmake() {
	for i := len(v.made) - 1; i >= 0; i-- {
		purego.SyscallN(v.made[i].destroy, uintptr(v.device), uintptr(v.made[i].object), 0)
	}
	v.made = v.made[:0]
	vkKept = vkKept[:0]
}
