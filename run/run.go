// Package run executes compute shaders on the software cores of the targets, as `nirc run --dispatch` does: a program
// that embeds the compiler sees what its shaders compute, and what they spend their instructions on, without a GPU.
//
// A [Dispatch] names a shader and what is bound; [Dispatch.Run] compiles it, loads the machine code into the target's core and
// leaves in the buffers and images what the shader stored. A [Profile] counts what is executed. Nothing is compiled
// differently here than it is for an object; draws are for the commands (nirc run --draw, nirc amber).
package run

import (
	"context"
	"io"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/profile"
)

// Dispatch is a dispatch of one compute shader.
type Dispatch struct {
	Module *nirc.Module
	// Options choose the entry point and the target; nirc.IRTarget interprets the shader without a target.
	// RunOptions.StopAfter and its kin are not for what is run.
	Options nirc.Options
	// Groups are the numbers of workgroups.
	Groups [3]uint32
	// Buffers and Images are what is bound: all that the shader declares, except for samplers, which are linear and clamp
	// to the edge where Options.Layout has no immutable one.
	Buffers []Buffer
	Images  []Image
	// Push are the push constants, zeros after their end.
	Push []byte
	// Lenient starts memory and registers with zeros, runs waves in order, and lets pass what hardware would
	// punish; else all of that is looked for, with garbage and an order that go by Seed (0 is a seed too).
	Lenient bool
	Seed    uint64
	// Budget is how many instructions all invocations may run together, 0 for 2³³. A run beyond it is an error.
	Budget uint64
	// Profile, unless nil, is told what is executed. The shader is then compiled with Options.Debug.
	Profile *Profile
}

// Buffer is a buffer that is bound. Run writes to Data.
type Buffer struct {
	Set, Binding uint32
	Data         []byte
	// Format is the format of a texel buffer, by Vulkan's name: R32_UINT.
	Format string
	// Offset is the dynamic offset in bytes, of a buffer that is dynamic in Options.Layout.
	Offset uint32
}

// Image is an image of two dimensions that is bound. Run writes to Data.
type Image struct {
	Set, Binding uint32
	// Format is Vulkan's name: R8G8B8A8_UNORM.
	Format        string
	Width, Height int
	// Data are the texels, row by row without gaps.
	Data []byte
}

// Run compiles the shader and runs it. An error is one of package nirc's: Diagnostics about the shader, or what it does
// (an access out of bounds, a race, no end); a UsageError about what is bound. ctx ends the run between instructions.
func (d *Dispatch) Run(ctx context.Context) error {
	x := &exec.Execution{Modules: []*nirc.Module{d.Module}, Options: d.Options, Groups: d.Groups, Push: d.Push,
		Limits: emu.Limits{Check: !d.Lenient, Seed: d.Seed, Budget: d.Budget}}
	if d.Module == nil {
		return nirc.Usagef("there is no module to run")
	}
	if err := d.bind(x); err != nil {
		return err
	}
	if d.Profile != nil {
		if d.Options.Target == nirc.IRTarget {
			return nirc.Usagef("a profile is of machine code, which the target %s has not", nirc.IRTarget)
		}
		x.Options.Debug = true
		ctx = exec.WithCounts(ctx, &d.Profile.counts)
	}
	err := exec.Execute(ctx, x)
	for i := range d.Images {
		copy(d.Images[i].Data, x.Bindings[len(d.Buffers)+i].Image.LevelBytes(0))
	}
	return err
}

// bind gives the execution its buffers, then its images.
func (d *Dispatch) bind(x *exec.Execution) error {
	type place struct{ set, binding uint32 }
	bound := map[place]bool{}
	add := func(b exec.Binding, format string) error {
		if at := (place{b.Set, b.Binding}); bound[at] {
			return nirc.Usagef("%d.%d is bound twice", b.Set, b.Binding)
		} else {
			bound[at] = true
		}
		if b.Format = emu.FormatByName(format); b.Format == nil && format != "" {
			return nirc.Usagef("%d.%d: the format %s is not supported", b.Set, b.Binding, format)
		}
		x.Bindings = append(x.Bindings, b)
		return nil
	}
	for i := range d.Buffers {
		b := &d.Buffers[i]
		if err := add(exec.Binding{Set: b.Set, Binding: b.Binding, Data: b.Data, Offset: b.Offset}, b.Format); err != nil {
			return err
		}
	}
	for i := range d.Images {
		m := &d.Images[i]
		image, err := m.image()
		if err != nil {
			return nirc.Usagef("%d.%d: %s", m.Set, m.Binding, err)
		}
		if err := add(exec.Binding{Set: m.Set, Binding: m.Binding, Image: image}, ""); err != nil {
			return err
		}
	}
	return nil
}

// image makes the core's image.
func (m *Image) image() (*emu.Image, error) {
	format := emu.FormatByName(m.Format)
	if format == nil {
		return nil, nirc.Usagef("the format %s is not supported", m.Format)
	}
	image, err := emu.NewImage(emu.ImageDesc{Format: format, Width: m.Width, Height: m.Height})
	if err != nil {
		return nil, err
	}
	level := image.LevelBytes(0)
	if len(m.Data) != len(level) {
		return nil, nirc.Usagef("%dx%d texels of %s are %d bytes, not %d", m.Width, m.Height, m.Format, len(level), len(m.Data))
	}
	copy(level, m.Data)
	return image, nil
}

// Profile collects what runs execute. The zero value is ready; several runs may share one, at the same time too.
type Profile struct {
	counts exec.Counts
}

// Write writes it in pprof's format, compressed, for go tool pprof: instructions, modelled cycles, bytes and texture
// operations by line of the source. The same runs give the same bytes.
func (p *Profile) Write(ctx context.Context, w io.Writer) error {
	return profile.Write(ctx, w, &p.counts)
}

// WriteText writes it in short, for people: sums of each program, and the lines that took most cycles.
func (p *Profile) WriteText(ctx context.Context, w io.Writer) error {
	return profile.WriteCounts(ctx, w, &p.counts)
}
