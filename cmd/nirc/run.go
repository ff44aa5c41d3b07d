package main

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const runLong = `Run shaders by hand on a target's software core: a compute shader with --dispatch, the stages of a
graphics pipeline with --draw, task and mesh shaders with --mesh (-t ir: no GPU here has them). The
input is SPIR-V, IR text or GLSL; a pipeline's stages may stand in one module or in several files.

    nirc run add.spv --dispatch 4,1,1 --buffer 0.0=f32:1,2,3,4 --buffer 0.1=data.bin --push i32:7
    nirc run k.spv --dispatch 2 --workgroup-size 2,1,1 --arg f32:1,2,3,4 --arg f32:10
    nirc run a.vert a.frag --draw out.png --size 64x64 --vertex 0=2:-1,-1,3,-1,-1,3
    nirc run -t ir cull.task quads.mesh --mesh 4,1,1 --buffer 0.0=u32:32,1*32

Buffers, push constants:
  TYPE:V,V,…   numbers; V*N is N times V. TYPE is u8 i8 u16 i16 f16 u32 i32 f32 u64 i64 f64
  FILE         the file's bytes
Images:
  FORMAT:WxH   zeros in a Vulkan format, as R32_SFLOAT:16x16
  FILE.png     R8G8B8A8_UNORM
Samplers are linear and clamp to the edge.
Arguments of a kernel, one --arg each in their order: a value, what a pointer leads to, the bytes
of workgroup memory, an image, or the word sampler.

SET.BINDING[ELEMENT] is one of an array of buffers or images, SET.BINDING the first.

Afterwards every storage buffer that was given by values is printed as SET.BINDING: and its
numbers, or with --format as a report; what shaders print by debugPrintfEXT, or kernels by
printf, comes before it. --print names buffers and types instead; --write puts a buffer's bytes,
or an image as PNG, into a file. --mesh prints the vertices and primitives of each workgroup,
@N being location N and ? what nothing was stored to. Without --vertex a draw has no vertex data:
the shader goes by VertexIndex.`

type runCommand struct {
	*app
	shared
	doc             runReport
	dispatch, push  string
	mesh            string
	buffers, images []string
	args            []string
	argTypes        []*elemType // of those given by values
	offsets         []string
	print, write    []string
	draw            drawFlags
}

// drawFlags are the flags about a draw.
type drawFlags struct {
	link                                  bool
	output, size, format, topology, clear string
	vertices                              []string
	count, instances, patch               uint32
	cull                                  string
	set                                   *pflag.FlagSet
}

func (a *app) runShader() *cobra.Command {
	c := &runCommand{app: a}
	cmd := &cobra.Command{Use: "run FILE…", Short: "Run shaders on a software core", Long: runLong, Args: cobra.MinimumNArgs(1), RunE: c.run}
	f := cmd.Flags()
	c.declare(f, compileFlags, coreFlags, countFlags, reportFlags)
	f.StringVar(&c.dispatch, "dispatch", "", "run `X,Y,Z` workgroups of a compute shader")
	f.StringVar(&c.mesh, "mesh", "", "run `X,Y,Z` workgroups of a task shader and the mesh workgroups that they launch, or of a mesh shader alone")
	f.StringArrayVar(&c.buffers, "buffer", nil, "`SET.BINDING=TYPE:VALUES` or SET.BINDING=FILE: contents of a buffer")
	f.StringArrayVar(&c.offsets, "dynamic-offset", nil, "`SET.BINDING=BYTES`: where a buffer that is dynamic in the pipeline layout begins")
	f.StringArrayVar(&c.images, "image", nil, "`SET.BINDING=FORMAT:WxH` or SET.BINDING=FILE.png: an image")
	f.StringArrayVar(&c.args, "arg", nil, "`TYPE:VALUES` or FILE, local:BYTES, FORMAT:WxH or FILE.png, sampler: an argument of a kernel, in their order")
	f.StringVar(&c.push, "push", "", "push constants: `TYPE:VALUES`, several separated by a semicolon, or FILE")
	f.StringArrayVar(&c.print, "print", nil, "`SET.BINDING=TYPE`: print this buffer")
	f.StringArrayVar(&c.write, "write", nil, "`SET.BINDING=FILE`: write this buffer or image")
	c.draw.flags(f)
	return cmd
}

func (d *drawFlags) flags(f *pflag.FlagSet) {
	d.set = f
	f.BoolVar(&d.link, "link", false, "with --draw: compile the stages together")
	f.StringVar(&d.output, "draw", "", "draw, and write the picture to this `FILE.png`")
	f.StringVar(&d.size, "size", "256x256", "`WxH` of the picture")
	f.StringVar(&d.format, "render-format", "R8G8B8A8_UNORM", "`FORMAT` of the render target")
	f.StringVar(&d.clear, "clear", "0,0,0,1", "`R,G,B,A` of the picture before the draw")
	f.StringVar(&d.topology, "topology", "", "`TOPOLOGY`: point_list, line_list, line_strip, triangle_list, triangle_strip, triangle_fan, patch_list, …_with_adjacency (default triangle_list, with tessellation shaders patch_list)")
	f.StringArrayVar(&d.vertices, "vertex", nil, "`LOCATION=N:V,V,…`: a vertex input of N 32-bit floats (Ni, Nu: integers)")
	f.Uint32Var(&d.count, "count", 0, "number of vertices (default: what the vertex data has, or 3)")
	f.Uint32Var(&d.instances, "instances", 1, "number of instances")
	f.Uint32Var(&d.patch, "patch", 3, "control points of a patch")
	f.StringVar(&d.cull, "cull", "none", "faces that are not drawn: none, front, back or both")
}

func (c *runCommand) run(cmd *cobra.Command, args []string) error {
	ways := 0
	for _, way := range []string{c.dispatch, c.mesh, c.draw.output} {
		if way != "" {
			ways++
		}
	}
	if ways != 1 {
		return nirc.Usagef("run needs one of --dispatch, --draw and --mesh")
	}
	if err := c.settle(c.app); err != nil {
		return err
	}
	form, err := c.form()
	if err != nil {
		return err
	}
	if form != "table" && c.profile.counts {
		return nirc.Usagef("--counts is text, which does not go with --format %s", form)
	}
	c.doc = runReport{head: head{1, "nirc run"}, Buffers: []runBuffer{}}
	devices := c.devices()
	if err := c.profile.check(devices); err != nil {
		return err
	}
	if len(devices) > 1 && len(c.write)+len(c.draw.output) > 0 {
		return nirc.Usagef("--draw and --write are files of one target and GPU, not of %d: choose with -t and --gpu", len(devices))
	}
	var modules []*nirc.Module
	for _, path := range args {
		m, err := nirc.LoadFile(cmd.Context(), path, c.loadOptions(c.app))
		if err != nil {
			return err
		}
		modules = append(modules, m)
	}
	for _, d := range devices {
		if len(devices) > 1 && form == "table" {
			if _, err := fmt.Fprintf(c.out, "%s:\n", d); err != nil {
				return ioError(err)
			}
		}
		if err := c.device(cmd.Context(), d, modules); err != nil {
			return err
		}
	}
	if form == "table" {
		return nil // it was printed, device by device
	}
	return c.present(&c.shared, c.doc, c.doc.sheet(), nil)
}

// device runs the shaders on one device.
func (c *runCommand) device(ctx context.Context, d device, modules []*nirc.Module) error {
	x, err := c.execution(d, modules)
	if err != nil {
		return err
	}
	types, err := c.resources(x)
	if err != nil {
		return err
	}
	var target *emu.ImageView
	if c.draw.output != "" {
		if target, err = c.draw.pipeline(x); err != nil {
			return err
		}
	} else {
		x.Mesh = c.mesh != ""
		if x.Groups, err = parseGroups(c.dispatch + c.mesh); err != nil {
			return err
		}
	}
	whole := ctx
	ctx, err = c.profile.start(ctx, &x.Options)
	if err != nil {
		return err
	}
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel()
	}
	if err := exec.Execute(ctx, x); err != nil {
		return err
	}
	if err := c.show(d, x, types); err != nil {
		return err
	}
	if err := c.profile.finish(whole, c.app); err != nil {
		return err
	}
	if target == nil {
		return nil
	}
	return c.writePNG(c.draw.output, target)
}

// execution says what is run on a device.
func (c *runCommand) execution(d device, modules []*nirc.Module) (*exec.Execution, error) {
	o, err := c.runOptions(d)
	if err != nil {
		return nil, err
	}
	o.Stage, o.Entry = c.stage, c.entry
	if len(c.spec) > 0 && len(modules) > 1 {
		return nil, nirc.Usagef("--spec goes with one file only")
	}
	for _, text := range c.spec {
		v, err := modules[0].Spec(text)
		if err != nil {
			return nil, err
		}
		o.Spec = append(o.Spec, v)
	}
	return &exec.Execution{Options: o, Limits: c.limits(), Modules: modules, Link: c.draw.link}, nil
}

// resources sets what is bound; the result has the types of buffers given by
// values.
func (c *runCommand) resources(x *exec.Execution) ([]*elemType, error) {
	var types []*elemType
	add := func(flag, text string, read func(b *exec.Binding, rest string) (*elemType, error)) error {
		b := exec.Binding{}
		var rest string
		var err error
		if b.Set, b.Binding, b.Element, rest, err = parseBinding(flag, text); err != nil {
			return err
		}
		for _, o := range x.Bindings {
			if o.Set == b.Set && o.Binding == b.Binding && o.Element == b.Element {
				return nirc.Usagef("--%s %s: %s is given twice", flag, text, &b)
			}
		}
		t, err := read(&b, rest)
		if err != nil {
			return err
		}
		x.Bindings, types = append(x.Bindings, b), append(types, t)
		return nil
	}
	for _, text := range c.buffers {
		err := add("buffer", text, func(b *exec.Binding, rest string) (t *elemType, err error) {
			b.Data, t, err = valuesOrFile(rest)
			if t != nil {
				b.Format = emu.FormatByName(fmt.Sprintf("R%d_%s", 8*t.bytes, map[byte]string{'u': "UINT", 'i': "SINT", 'f': "SFLOAT"}[t.kind]))
			}
			return t, err
		})
		if err != nil {
			return nil, err
		}
	}
	if err := c.dynamicOffsets(x); err != nil {
		return nil, err
	}
	for _, text := range c.images {
		err := add("image", text, func(b *exec.Binding, rest string) (_ *elemType, err error) {
			b.Image, err = parseImage(rest)
			return nil, err
		})
		if err != nil {
			return nil, err
		}
	}
	if err := c.arguments(x); err != nil {
		return nil, err
	}
	for _, text := range strings.Split(c.push, ";") {
		if text == "" {
			continue
		}
		data, _, err := valuesOrFile(text)
		if err != nil {
			return nil, err
		}
		x.Push = append(x.Push, data...)
	}
	return types, nil
}

// dynamicOffsets sets where dynamic buffers begin.
func (c *runCommand) dynamicOffsets(x *exec.Execution) error {
	for _, text := range c.offsets {
		i, rest, err := find(x, "dynamic-offset", text)
		if err != nil {
			return err
		}
		n, err := strconv.ParseUint(rest, 0, 32)
		if err != nil {
			return nirc.Usagef("--dynamic-offset %s: want SET.BINDING=BYTES", text)
		}
		x.Bindings[i].Offset = uint32(n)
	}
	return nil
}

func parseGroups(text string) (g [3]uint32, err error) {
	list := strings.Split(text, ",")
	for i := range g {
		g[i] = 1
		if i < len(list) {
			n, err := strconv.ParseUint(list[i], 0, 32)
			if err != nil || len(list) > 3 {
				return g, nirc.Usagef("%s: want workgroups as X,Y,Z", text)
			}
			g[i] = uint32(n)
		}
	}
	return g, nil
}

// find returns the binding that a flag names.
func find(x *exec.Execution, flag, text string) (i int, rest string, err error) {
	set, binding, element, rest, err := parseBinding(flag, text)
	for i := range x.Bindings {
		if b := &x.Bindings[i]; err == nil && b.Set == set && b.Binding == binding && b.Element == element {
			return i, rest, nil
		}
	}
	if err == nil {
		err = nirc.Usagef("--%s %s: nothing is bound there", flag, text)
	}
	return 0, "", err
}

// show prints and writes what the run left.
func (c *runCommand) show(d device, x *exec.Execution, types []*elemType) error {
	if err := c.showPrinted(x.Printed); err != nil {
		return err
	}
	if err := c.showMesh(d, x); err != nil {
		return err
	}
	if err := c.showArguments(d, x); err != nil {
		return err
	}
	for i, t := range types {
		if b := &x.Bindings[i]; len(c.print) == 0 && t != nil && strings.HasPrefix(b.Kind, "storage") {
			if err := c.printBuffer(d, b, t); err != nil {
				return err
			}
		}
	}
	for _, text := range c.print {
		i, rest, err := find(x, "print", text)
		if err != nil {
			return err
		}
		t := findType(rest)
		if t == nil || x.Bindings[i].Image != nil {
			return nirc.Usagef("--print %s: want SET.BINDING=TYPE of a buffer", text)
		}
		if err := c.printBuffer(d, &x.Bindings[i], t); err != nil {
			return err
		}
	}
	for _, text := range c.write {
		i, path, err := find(x, "write", text)
		if err != nil {
			return err
		}
		if b := &x.Bindings[i]; b.Image != nil {
			err = c.writePNG(path, &emu.ImageView{Image: b.Image})
		} else {
			err = c.writeFile(path, b.Data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// showPrinted writes what shaders have printed, or notes it for the report.
func (c *runCommand) showPrinted(lines []string) error {
	form, err := c.form()
	if err != nil || form != "table" {
		c.doc.Printed = append(c.doc.Printed, lines...)
		return err
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(c.out, strings.TrimSuffix(line, "\n")); err != nil {
			return ioError(err)
		}
	}
	return nil
}

// showMesh prints what mesh workgroups have put out, or notes it for the report.
func (c *runCommand) showMesh(d device, x *exec.Execution) error {
	if !x.Mesh {
		return nil
	}
	list := meshGroups(d, x)
	if form, err := c.form(); err != nil || form != "table" {
		c.doc.Mesh = append(c.doc.Mesh, list...)
		return err
	}
	return writeMesh(c.out, list)
}

// printBuffer prints a buffer, or notes it for the report.
func (c *runCommand) printBuffer(d device, b *exec.Binding, t *elemType) error {
	if form, err := c.form(); err != nil || form != "table" {
		c.doc.add(d, b, t)
		return err
	}
	if _, err := fmt.Fprintf(c.out, "%s:\n", b); err != nil {
		return ioError(err)
	}
	return ioError(t.write(c.out, b.Data))
}

func (c *runCommand) writePNG(path string, v *emu.ImageView) error {
	var b bytes.Buffer
	if err := emu.EncodePNG(&b, v, 0); err != nil {
		return nirc.Usagef("%s: %s", path, err)
	}
	return c.writeFile(path, b.Bytes())
}
