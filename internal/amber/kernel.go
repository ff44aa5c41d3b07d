package amber

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nirc/internal/emu"
	"nirc/internal/opencl"
	"nirc/ir"
)

// KernelArg is what a script gives an argument of a kernel.
type KernelArg struct {
	Name   string // or "", and Number counts
	Number uint32
	// Buffer is memory, or an image; Sampler a sampler; Value the bytes of a value. One of them is there.
	Buffer  *Buffer
	Sampler *Sampler
	Value   []byte
	Line    int
}

// Kernel is a compiled OpenCL kernel.
type Kernel struct {
	Program emu.Program
	Args    []Argument
	// Hidden returns the bytes of an argument of kind ir.ArgHidden for a dispatch.
	Hidden func(name string, groups [3]uint32) []byte
}

// Argument is an argument of a Kernel: what a host puts into the push constants, or a descriptor.
type Argument struct {
	ir.Argument
	Set, Binding uint32             // of images and samplers
	Type         emu.DescriptorType // of images
}

// KernelTarget is a Target that compiles OpenCL kernels.
type KernelTarget interface {
	// CompileKernel is Compile for a kernel, with workgroups of that size unless it fixes another.
	CompileKernel(ctx context.Context, s Shader, size [3]uint32) (*Kernel, error)
}

// kernelFlags are those of COMPILE_OPTIONS that say what a kernel means. The others say how clspv hands over arguments and what it works
// around (its docs/OpenCLCOnVulkan.md), which is the target's affair here.
func kernelFlags(options []string) (flags []string) {
	for _, o := range options {
		if strings.HasPrefix(o, "-cl-") || strings.HasPrefix(o, "-D") || strings.HasPrefix(o, "-U") {
			flags = append(flags, o)
		}
	}
	return flags
}

// kernel compiles an attached OpenCL kernel.
func (e *engine) kernel(a *Attached, p *pipe) (*Kernel, error) {
	t, ok := e.r.Target.(KernelTarget)
	if !ok {
		return nil, unsupported("OpenCL kernels are not supported")
	}
	sh := Shader{Name: a.Shader.Name, Stage: ir.StageCompute, Entry: a.Entry, Layout: p.layout, OptimizationOff: e.r.OptimizationOff, Robust: e.s.robust()}
	var err error
	if sh.Words, err = e.kernelModule(a); err != nil {
		return nil, fmt.Errorf("shader %s: %w", a.Shader.Name, err)
	}
	// clspv's first three specialization constants are the workgroup's size.
	size := [3]uint32{1, 1, 1}
	for _, s := range a.Spec {
		if s.ID >= 3 {
			return nil, unsupported("specialization constant %d of an OpenCL kernel is not supported", s.ID)
		}
		size[s.ID] = uint32(s.Bits)
	}
	k, err := t.CompileKernel(e.ctx, sh, size)
	if err != nil {
		return nil, fmt.Errorf("shader %s: %w", a.Shader.Name, err)
	}
	return k, nil
}

// kernelModule compiles OpenCL C to SPIR-V.
func (e *engine) kernelModule(a *Attached) ([]uint32, error) {
	text, err := e.s.source(a.Shader)
	if err != nil {
		return nil, err
	}
	flags := kernelFlags(a.Options)
	return e.r.Modules.get(moduleKey{source: text, format: FormatOpenCL, files: strings.Join(flags, "\x00")}, func() ([]uint32, error) {
		data, err := opencl.Compile(e.ctx, text, flags)
		switch {
		case errors.Is(err, opencl.ErrNoTools):
			return nil, unsupported("%v", err)
		case err != nil:
			return nil, err
		}
		return spirvBin(data)
	})
}

// arguments are what the pipeline gives its kernel. Buffers at a place are the arguments of that number: clspv puts them there in their order.
func (pl *Pipeline) arguments() []KernelArg {
	list := slices.Clone(pl.Args)
	for _, b := range pl.Bindings {
		if b.Set == 0 && len(b.Elems) == 1 && b.Elems[0].Buffer != nil {
			list = append(list, KernelArg{Number: b.Binding, Buffer: b.Elems[0].Buffer, Line: b.Line})
		}
	}
	return list
}

// bindKernel makes the push constants and descriptors of a dispatch of the pipeline's kernel.
func (e *engine) bindKernel(p *pipe, groups [3]uint32) error {
	k, args := p.kernel, p.decl.arguments()
	known := make([]bool, len(args))
	p.env.Push = nil
	for i := range k.Args {
		a := &k.Args[i]
		switch a.Kind {
		case ir.ArgHidden:
			data := k.Hidden(a.Name, groups)
			if digits, of := strings.CutPrefix(a.Name, imageFormat); of {
				var err error
				if data, err = k.channels(args, digits); err != nil {
					return err
				}
			}
			p.put(a, data)
			continue
		case ir.ArgProgram:
			p.put(a, binary.LittleEndian.AppendUint64(nil, e.programMemory(p.decl.Shaders[0].Shader, a)))
			continue
		}
		at := k.given(args, i)
		if at < 0 {
			return fmt.Errorf("argument %d %q of the kernel is not given", i, a.Name)
		}
		known[at] = true
		if err := e.bindArgument(p, a, &args[at]); err != nil {
			return errAt(args[at].Line, err)
		}
	}
	if i := slices.Index(known, false); i >= 0 {
		return errAt(args[i].Line, fmt.Errorf("the kernel has no argument %s", args[i].name()))
	}
	return nil
}

// given is the place of what a script gives as argument i, -1 if it does not.
func (k *Kernel) given(args []KernelArg, i int) int {
	return slices.IndexFunc(args, func(g KernelArg) bool {
		return g.Name == k.Args[i].Name && g.Name != "" || g.Name == "" && g.Number == uint32(i)
	})
}

// imageFormat begins the names of hidden arguments that say the channels of the image that is the argument of the number after it.
const imageFormat = "image_format."

// channels are those of an image that is given.
func (k *Kernel) channels(args []KernelArg, digits string) ([]byte, error) {
	n, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || int(n) >= len(k.Args) {
		return nil, fmt.Errorf("the kernel has no argument %s", digits)
	}
	at := k.given(args, int(n))
	if at < 0 || args[at].Buffer == nil || args[at].Buffer.Format == nil || args[at].Buffer.Format.Image == nil {
		return nil, fmt.Errorf("argument %s is no image", digits)
	}
	order, typ, ok := args[at].Buffer.Format.Image.OpenCL()
	if !ok {
		return nil, unsupported("channels of %s are not supported: OpenCL has no name for them", args[at].Buffer.Format.Image.Name)
	}
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, order), typ), nil
}

// programMemory is the address of the memory of a program's variables, which all runs of its kernels share.
func (e *engine) programMemory(sh *ShaderDecl, a *Argument) uint64 {
	if addr, ok := e.programs[sh]; ok {
		return addr
	}
	m := e.mem.Alloc(int(a.Memory))
	copy(m.Data, a.Init)
	for _, l := range a.Links {
		binary.LittleEndian.PutUint64(m.Data[l.At:], m.Addr+uint64(l.To))
	}
	if e.programs == nil {
		e.programs = map[*ShaderDecl]uint64{}
	}
	e.programs[sh] = m.Addr
	return m.Addr
}

func errAt(line int, err error) error { return at(line, CauseRun, err) }

// name is how the script names it.
func (a *KernelArg) name() string {
	if a.Name != "" {
		return a.Name
	}
	return fmt.Sprint(a.Number)
}

// bindArgument gives an argument what the script says.
func (e *engine) bindArgument(p *pipe, a *Argument, g *KernelArg) error {
	switch {
	case a.Kind == ir.ArgValue && g.Value != nil:
		if len(g.Value) != int(a.Size) {
			return fmt.Errorf("argument %s has %d bytes, the value has %d", g.name(), a.Size, len(g.Value))
		}
		p.put(a, g.Value)
	case (a.Kind == ir.ArgGlobal || a.Kind == ir.ArgConstant) && g.Buffer != nil:
		r, err := e.resource(g.Buffer)
		if err != nil {
			return err
		}
		p.put(a, binary.LittleEndian.AppendUint64(nil, r.mem.Addr))
	case a.Kind == ir.ArgImage && g.Buffer != nil:
		v, err := e.view(g.Buffer, 0, a.Type == emu.DescStorageImage)
		if err != nil {
			return err
		}
		p.bindings.Set(a.Set, a.Binding, []emu.Descriptor{{Type: a.Type, Image: v}})
	case a.Kind == ir.ArgSampler && g.Sampler != nil:
		p.bindings.Set(a.Set, a.Binding, []emu.Descriptor{{Type: emu.DescSampler, Sampler: g.Sampler.state()}})
	case a.Kind == ir.ArgLocal:
		return unsupported("workgroup memory as an argument of a kernel is not supported")
	default:
		return fmt.Errorf("argument %s is of kind %s, which the script does not give", g.name(), a.Kind)
	}
	return nil
}

// put writes an argument into the push constants.
func (p *pipe) put(a *Argument, data []byte) {
	if n := int(a.Offset) + int(a.Size); n > len(p.env.Push) {
		p.env.Push = append(p.env.Push, make([]byte, n-len(p.env.Push))...)
	}
	copy(p.env.Push[a.Offset:a.Offset+a.Size], data)
}
