package amber

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"

	"nirc/internal/emu"
)

// resource is the memory of a buffer. A buffer and the image of the same name
// share their bytes, so every pipeline sees what another one wrote.
type resource struct {
	mem *emu.Buffer
	img *emu.Image // when it has been used as an image
	extent
}

// extent is the size of a buffer: elements at level 0, and as an image.
type extent struct {
	elements, w, h, d int
}

// extent returns the size that the script gives.
func (b *Buffer) extent() extent { return extent{b.Elements, b.Width, b.Height, b.Depth} }

// texels is the width and height of level 0, slices below each other. A buffer
// without a width is one row.
func (x extent) texels() (w, h int) {
	if x.w == 0 {
		return x.elements, 1
	}
	return x.w, max(1, x.h) * max(1, x.d)
}

// resource returns the memory of a buffer, made and filled on first use.
func (e *engine) resource(b *Buffer) (*resource, error) {
	r := &e.res[b.index]
	if r.mem != nil {
		return r, nil
	}
	x := b.extent()
	var file []byte
	if b.Init >= InitPNG {
		var err error
		if file, err = e.load(b, &x); err != nil {
			return nil, at(b.Line, CauseRun, fmt.Errorf("buffer %q: %w", b.Name, err))
		}
	}
	size := x.elements * b.Format.Size
	var img *emu.Image
	if b.MipLevels > 1 || b.Samples > 1 {
		var err error
		if img, err = b.newImage(x); err != nil {
			return nil, err
		}
		size = len(img.Data)
	}
	if b.Samples > 1 && b.Init != InitZero {
		return nil, unsupported("contents of multisampled image %q are not supported", b.Name)
	}
	*r = resource{mem: e.mem.Alloc(size), img: img, extent: x}
	if img != nil {
		img.Data = r.mem.Data
	}
	b.initial(r.level0(b))
	copy(r.level0(b), file)
	return r, nil
}

// level0 is the part of the memory that scripts see as the buffer.
func (r *resource) level0(b *Buffer) []byte {
	return r.mem.Data[:min(len(r.mem.Data), r.elements*b.Format.Size)]
}

// load reads the file of a buffer and sets the size that follows from it: a
// text makes the buffer larger where it needs to be, other files replace its size.
func (e *engine) load(b *Buffer, x *extent) (data []byte, err error) {
	data, err = e.s.readFile(b.File)
	if err != nil {
		return nil, err
	}
	switch b.Init {
	case InitPNG:
		data, err = b.decodePNG(data, x)
	case InitText:
		data, err = b.parseText(data)
		x.elements = max(x.elements, len(data)/b.Format.Size)
		return data, err
	}
	if err == nil && len(data)%b.Format.Size != 0 {
		err = fmt.Errorf("%d bytes are not made of elements of %d", len(data), b.Format.Size)
	}
	x.elements = len(data) / b.Format.Size
	return data, err
}

// parseText reads the numbers of a text file.
func (b *Buffer) parseText(src []byte) ([]byte, error) {
	p := &parser{s: &Script{Name: b.File}, lex: lexer{src: string(src) + "\nEND", line: 1}}
	data, _ := p.values(b.Format, 1)
	if p.err != nil {
		return nil, p.err
	}
	return data, nil
}

// maxPNGPixels bounds a picture before it is decoded.
const maxPNGPixels = 1 << 26

// decodePNG turns a picture into texels of the buffer's format and sets x to
// its size.
func (b *Buffer) decodePNG(src []byte, x *extent) ([]byte, error) {
	cfg, err := png.DecodeConfig(bytes.NewReader(src))
	if err != nil {
		return nil, err
	}
	if int64(cfg.Width)*int64(cfg.Height) > maxPNGPixels {
		return nil, fmt.Errorf("picture of %dx%d is too large", cfg.Width, cfg.Height)
	}
	if x.w != 0 && (cfg.Width != x.w || cfg.Height != x.h) {
		return nil, fmt.Errorf("picture of %dx%d for an image of %dx%d", cfg.Width, cfg.Height, x.w, x.h)
	}
	x.w, x.h, x.d = cfg.Width, cfg.Height, 1
	f := b.Format.Image
	if f == nil || f.IsInteger() || f.IsDepthStencil() || f.IsWide() || f.Bytes != b.Format.Size {
		return nil, fmt.Errorf("a picture cannot be loaded as %s", b.Format.Type.Name)
	}
	img, err := png.Decode(bytes.NewReader(src))
	if err != nil {
		return nil, err
	}
	return packPicture(img, f), nil
}

func packPicture(img image.Image, f *emu.Format) []byte {
	box := img.Bounds()
	data := make([]byte, box.Dx()*box.Dy()*f.Bytes)
	off := 0
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			c := unmultiplied(img.At(x, y))
			v := [4]uint32{}
			for i, u := range [4]uint16{c.R, c.G, c.B, c.A} {
				x := float64(u) / 0xffff
				if i < 3 && f.IsSrgb() {
					x = srgbToLinear(x)
				}
				v[i] = math.Float32bits(float32(x))
			}
			f.Pack(data[off:], &v)
			off += f.Bytes
		}
	}
	return data
}

// unmultiplied returns a colour that is not multiplied by its alpha, as it was if it never was: package color multiplies and divides
// those of 8 bits, and loses digits where alpha is low.
func unmultiplied(c color.Color) color.NRGBA64 {
	if n, ok := c.(color.NRGBA); ok {
		wide := func(v uint8) uint16 { return uint16(v) * 0x101 }
		return color.NRGBA64{R: wide(n.R), G: wide(n.G), B: wide(n.B), A: wide(n.A)}
	}
	return color.NRGBA64Model.Convert(c).(color.NRGBA64)
}

// srgbToLinear is the transfer function of the Khronos data format
// specification, 13.3.
func srgbToLinear(x float64) float64 {
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// contents returns the bytes of level 0 of a buffer, which are the memory itself.
func (e *engine) contents(b *Buffer) ([]byte, error) {
	if b.Samples > 1 {
		return nil, unsupported("contents of multisampled image %q are not supported", b.Name)
	}
	r, err := e.resource(b)
	if err != nil {
		return nil, err
	}
	return r.level0(b), nil
}

// newImage makes an image of that size in the buffer's format.
func (b *Buffer) newImage(x extent) (*emu.Image, error) {
	f := b.Format.Image
	if f == nil || f.Bytes != b.Format.Size {
		return nil, unsupported("image %q of %s is not supported", b.Name, b.Format.Type.Name)
	}
	d := emu.ImageDesc{Width: x.w, Height: x.h, Depth: x.d, Mips: b.MipLevels, Samples: b.Samples, Format: f}
	if x.w == 0 {
		d.Width, d.Height = x.elements, 1
	}
	img, err := emu.NewImage(d)
	if err != nil {
		return nil, unsupported("image %q: %v", b.Name, err)
	}
	return img, nil
}

// image returns the buffer as an image.
func (e *engine) image(b *Buffer) (*emu.Image, error) {
	r, err := e.resource(b)
	if err != nil || r.img != nil {
		return r.image(), err
	}
	img, err := b.newImage(r.extent)
	if err != nil {
		return nil, err
	}
	if len(img.Data) != len(r.mem.Data) {
		return nil, fmt.Errorf("image %q needs %d bytes and has %d", b.Name, len(img.Data), len(r.mem.Data))
	}
	img.Data = r.mem.Data
	r.img = img
	return img, nil
}

func (r *resource) image() *emu.Image {
	if r == nil {
		return nil
	}
	return r.img
}

// view returns one mip level of a buffer for drawing, or from a level on for
// sampling.
func (e *engine) view(b *Buffer, mip int, one bool) (*emu.ImageView, error) {
	img, err := e.image(b)
	if err != nil {
		return nil, err
	}
	v := &emu.ImageView{Image: img, BaseMip: mip}
	if one {
		v.Mips = 1
	}
	return v, nil
}

// bind makes the descriptors of a pipeline. Buffers do not move, so it is
// done once.
func (e *engine) bind(p *pipe) error {
	if p.env.Mem != nil {
		return nil
	}
	for _, b := range p.decl.Bindings {
		descs := make([]emu.Descriptor, len(b.Elems))
		for i := range b.Elems {
			d, err := e.descriptor(p, b, &b.Elems[i])
			if err != nil {
				return at(b.Line, CauseRun, err)
			}
			descs[i] = d.Immutable(p.layout, b.Set, b.Binding, uint32(i))
		}
		p.bindings.Set(b.Set, b.Binding, descs)
	}
	p.env = emu.Env{Mem: e.mem, Bindings: &p.bindings, Layout: p.layout}
	return nil
}

// descTypes are the descriptor types by BindingKind.
var descTypes = [...]emu.DescriptorType{BindUniform: emu.DescUniformBuffer, BindStorage: emu.DescStorageBuffer,
	BindUniformDynamic: emu.DescUniformBuffer, BindStorageDynamic: emu.DescStorageBuffer,
	BindUniformTexel: emu.DescUniformTexelBuffer, BindStorageTexel: emu.DescStorageTexelBuffer,
	BindSampledImage: emu.DescSampledImage, BindStorageImage: emu.DescStorageImage,
	BindCombined: emu.DescCombinedImageSampler, BindSampler: emu.DescSampler, BindAccel: emu.DescAccelStruct}

func (e *engine) descriptor(p *pipe, b *Binding, el *BindingElem) (emu.Descriptor, error) {
	if int(b.Kind) >= len(descTypes) {
		return emu.Descriptor{}, errors.New("binding of unknown kind")
	}
	d := emu.Descriptor{Type: descTypes[b.Kind]}
	var err error
	if el.Sampler != nil {
		d.Sampler = el.Sampler.state()
	}
	switch b.Kind {
	case BindSampler:
	case BindAccel:
		d = e.mem.Accel(p.anyProgram(), el.Accel.Top)
	case BindSampledImage, BindStorageImage, BindCombined:
		d.Image, err = e.view(el.Buffer, b.Mip, b.Kind == BindStorageImage)
	case BindUniformTexel, BindStorageTexel:
		d.Format = el.Buffer.Format.Image
		if d.Format == nil || d.Format.Bytes != el.Buffer.Format.Size {
			return d, unsupported("texel buffer %q of %s is not supported", el.Buffer.Name, el.Buffer.Format.Type.Name)
		}
		err = e.bufferRange(&d, el)
	default:
		err = e.bufferRange(&d, el)
	}
	return d, err
}

// bufferRange sets the address and size of a buffer descriptor.
func (e *engine) bufferRange(d *emu.Descriptor, el *BindingElem) error {
	r, err := e.resource(el.Buffer)
	if err != nil {
		return err
	}
	size, off := uint64(len(r.mem.Data)), el.Dynamic+el.Offset
	if off > size {
		return fmt.Errorf("offset %d is outside buffer %q of %d bytes", off, el.Buffer.Name, size)
	}
	d.Addr, d.Size = r.mem.Addr+off, size-off
	if el.Range >= 0 {
		d.Size = min(d.Size, uint64(el.Range))
	}
	return nil
}
