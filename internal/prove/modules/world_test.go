package modules

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"

	"nirc"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/ir"
)

// Sizes of what a world has: bytes of an array without a size, bytes of the
// heap that physical pointers point to, and texels on a side of an image.
const (
	worldTail   = 4096
	worldHeap   = 1 << 16
	worldTexels = 8
)

// wordKind is what a 32-bit word of memory holds, and so how it is compared.
type wordKind uint8

const (
	wordInt wordKind = iota
	wordF32
	wordF16 // two halves
	wordF64 // a half of one
)

// worldMemory is memory that is compared after a run.
type worldMemory struct {
	name  string
	data  []byte
	kinds []wordKind // by word; the last holds for all after it
	loose []bool     // words that are not compared, nil: none
}

// kindAt returns what word i is.
func (m *worldMemory) kindAt(i int) wordKind {
	if len(m.kinds) == 0 {
		return wordInt
	}
	return m.kinds[min(i, len(m.kinds)-1)]
}

// world is what a module's shader sees: descriptors for all that it declares,
// with random but tame contents. Worlds of one seed are the same.
type world struct {
	r    *rand.Rand
	env  emu.Env
	bind emu.Bindings
	heap *emu.Buffer
	ints uint32 // integers are smaller: they index all arrays of descriptors
	worldForm
	memory []worldMemory
}

// worldForm is what a world's contents go by.
type worldForm struct {
	seed     uint64
	pointers bool    // 64-bit integers are addresses in the heap
	shake    float32 // floats are larger by this part
	flat     bool    // no perspective: derivatives are the same all over a quad
	oneLevel bool    // sampled images have one level
}

// newWorld makes the world of a shader, as the frontend made it.
func newWorld(s *ir.Shader, form worldForm) (*world, error) {
	w := &world{r: rand.New(rand.NewPCG(form.seed, 99)), worldForm: form}
	w.env = emu.Env{Mem: emu.NewMemory(), Bindings: &w.bind, Push: make([]byte, 256)}
	w.heap = w.env.Mem.Alloc(worldHeap)
	w.ints = 4
	for _, v := range s.Variables {
		if v.Type.IsArray() && v.Type.WithoutArray().IsOpaque() || v.Mode&(ir.ModeUBO|ir.ModeSSBO) != 0 && v.Type.IsArray() {
			if n := declared(v).Count; n > 0 {
				w.ints = min(w.ints, n)
			}
		}
	}
	for i := 0; i+8 <= worldHeap; i += 8 { // addresses in the heap; their words are no large integers
		binary.LittleEndian.PutUint64(w.heap.Data[i:], w.heap.Addr+256*w.r.Uint64N(4))
	}
	if form.pointers {
		w.memory = append(w.memory, worldMemory{name: "heap", data: w.heap.Data})
	}
	w.words(w.env.Push)
	for _, v := range s.Variables {
		var err error
		switch v.Mode {
		case ir.ModeUniform, ir.ModeImage, ir.ModeUBO, ir.ModeSSBO:
			err = w.resource(s, v)
		case ir.ModePushConst:
			w.fill(w.env.Push, nil, v.Type, 0)
		}
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

// integer returns a small integer. Where there are pointers it is even, so that a
// pair of them is no address.
func (w *world) integer() uint32 {
	n := w.r.Uint32N(w.ints)
	if w.pointers {
		n &^= 1
	}
	return n
}

// words fills memory with small integers.
func (w *world) words(data []byte) {
	for i := 0; i+4 <= len(data); i += 4 {
		binary.LittleEndian.PutUint32(data[i:], w.integer())
	}
}

// declared describes what a variable declares.
func declared(v *ir.Variable) object.Resource {
	r := nirc.Reflect(&ir.Shader{Variables: []*ir.Variable{v}}).Resources
	if len(r) == 0 {
		return object.Resource{}
	}
	return r[0]
}

// resource binds what a variable declares. Variables that share a binding share
// the first one's descriptors, in the size of the largest.
func (w *world) resource(s *ir.Shader, v *ir.Variable) error {
	if w.bind.Handle(v.Set, v.Binding, 0) >= 0 {
		return nil
	}
	res, size := declared(v), uint64(0)
	elem := v.Type
	for elem.IsArray() && (elem.Elem.IsArray() || elem.Elem.IsOpaque() || elem.Elem.IsStruct()) {
		elem = elem.Elem
	}
	for _, o := range s.Variables {
		if o.Mode&(ir.ModeUniform|ir.ModeImage|ir.ModeUBO|ir.ModeSSBO) == 0 || o.Set != v.Set || o.Binding != v.Binding {
			continue
		}
		a, b := v.Type.WithoutArray(), o.Type.WithoutArray()
		if k := declared(o).Kind; k != res.Kind || a.Dim != b.Dim || a.Arrayed != b.Arrayed || a.MS != b.MS || a.Texel != b.Texel {
			return errSkip{"resources of different types have the same binding"}
		}
		if o.Mode == v.Mode {
			size = max(size, o.Type.WithoutArray().Size())
			if n := declared(o).Count; n > res.Count {
				res.Count = n
			}
		}
	}
	if size > 1<<22 || res.Count > 1<<12 {
		return fmt.Errorf("%s of %d elements of %d bytes is too large for the test", res.Kind, res.Count, size)
	}
	if res.Count == 0 {
		res.Count = 8
	}
	if elem.Dim == ir.DimRect {
		return errSkip{"rectangle images are not Vulkan's"}
	}
	list := make([]emu.Descriptor, res.Count)
	for i := range list {
		name := fmt.Sprintf("%s %d.%d[%d]", res.Kind, v.Set, v.Binding, i)
		list[i].Type = exec.DescriptorTypes[res.Kind]
		switch {
		case res.Kind == "sampler":
			list[i].Type, list[i].Sampler = emu.DescSampler, worldSampler(elem, false)
		case list[i].Type == emu.DescNone:
			return fmt.Errorf("a resource of kind %s is not bound by the test", res.Kind)
		case exec.ImageKinds[res.Kind]:
			img, err := w.image(v, elem, name)
			if err != nil {
				return err
			}
			list[i].Image, list[i].Sampler = &emu.ImageView{Image: img}, worldSampler(elem, elem.Texel == ir.BaseFloat)
		default:
			w.buffer(&list[i], v, elem, name, int(size))
		}
	}
	w.bind.Set(v.Set, v.Binding, list)
	return nil
}

// worldSampler returns a sampler for images of a type.
func worldSampler(t *ir.Type, smooth bool) *emu.Sampler {
	s := &emu.Sampler{MaxLod: emu.LodNone, CompareOp: emu.CompareLess,
		Address: [3]emu.AddressMode{emu.AddressRepeat, emu.AddressMirroredRepeat, emu.AddressClampToEdge}}
	if smooth && t.Dim != ir.DimMS {
		s.Mag, s.Min, s.Mip = emu.FilterLinear, emu.FilterLinear, emu.MipLinear // continuous in coordinates and level
	}
	return s
}

// unsized reports whether a type is an array without a size, or a struct that ends in one.
func unsized(t *ir.Type) bool {
	if t.IsArray() {
		return t.Len == 0
	}
	return t.IsStruct() && len(t.Fields) > 0 && unsized(t.Fields[len(t.Fields)-1].Type)
}

// buffer makes a uniform, storage or texel buffer.
func (w *world) buffer(d *emu.Descriptor, v *ir.Variable, elem *ir.Type, name string, size int) {
	size = (size + 15) &^ 15
	if size == 0 || unsized(elem) {
		size += worldTail
	}
	b := w.env.Mem.Alloc(size)
	d.Addr, d.Size = b.Addr, uint64(size)
	m := worldMemory{name: name, data: b.Data}
	if elem.Dim == ir.DimBuf && elem.IsOpaque() {
		d.Format = worldFormat(v, elem)
		m.kinds = w.texels(b.Data, d.Format)
	} else {
		m.kinds = make([]wordKind, size/4)
		w.words(b.Data)
		w.fill(b.Data, m.kinds, elem, 0)
	}
	if v.Mode != ir.ModeUBO {
		w.memory = append(w.memory, m)
	}
}

// image makes a sampled or storage image.
func (w *world) image(v *ir.Variable, t *ir.Type, name string) (*emu.Image, error) {
	d := emu.ImageDesc{Width: worldTexels, Height: worldTexels, Format: worldFormat(v, t)}
	if t.Base != ir.BaseImage && !w.oneLevel {
		d.Mips = 4
	}
	switch t.Dim {
	case ir.Dim1D:
		d.Height = 1
	case ir.Dim3D:
		d.Depth = worldTexels
	case ir.DimCube:
		d.Layers = 6
	case ir.DimRect, ir.DimMS, ir.DimSubpass, ir.DimSubpassMS:
		d.Mips = 1
	}
	if t.Dim == ir.DimSubpass || t.Dim == ir.DimSubpassMS {
		d.Width, d.Height = agreePixels, agreePixels
	}
	if t.Arrayed {
		d.Layers = max(3, 2*d.Layers)
	}
	if t.MS || t.Dim == ir.DimMS || t.Dim == ir.DimSubpassMS {
		d.Samples, d.Mips = 4, 1
	}
	img, err := emu.NewImage(d)
	if err != nil {
		return nil, err
	}
	kinds := w.texels(img.Data, img.Format)
	if t.Base == ir.BaseImage {
		w.memory = append(w.memory, worldMemory{name: name, data: img.Data, kinds: kinds})
	}
	return img, nil
}

// texels fills memory with random texels, and tells what the words of a texel are.
func (w *world) texels(data []byte, f *emu.Format) []wordKind {
	for at := 0; at+f.Bytes <= len(data); at += f.Bytes {
		var t [4]uint32
		for c := range t {
			if t[c] = math.Float32bits(float32(w.r.IntN(256)) / 256 * (1 + w.shake)); f.IsInteger() {
				t[c] = w.integer()
			}
		}
		if f.IsWide() {
			t[1], t[3] = 0, 0
		}
		f.Pack(data[at:], &t)
	}
	kind := wordInt
	if f.IsFloat() && len(f.Channels) > 0 {
		switch f.Channels[0].Width {
		case 32:
			kind = wordF32
		case 16:
			kind = wordF16
		}
	}
	return []wordKind{kind}
}

var imageFormatParts = regexp.MustCompile(`^(rgba|rg|r)(8|16|32|64)(_snorm|f|ui|i|)$`)

// worldFormat returns the format of texels for a type of images.
func worldFormat(v *ir.Variable, t *ir.Type) *emu.Format {
	name := v.ImageFormat.String()
	switch p := imageFormatParts.FindStringSubmatch(name); {
	case p != nil:
		kind := map[string]string{"": "UNORM", "_snorm": "SNORM", "f": "SFLOAT", "ui": "UINT", "i": "SINT"}[p[3]]
		channels := ""
		for _, c := range strings.ToUpper(p[1]) {
			channels += string(c) + p[2]
		}
		return emu.FormatByName(channels + "_" + kind)
	case name == "r11g11b10f":
		return emu.FormatByName("B10G11R11_UFLOAT_PACK32")
	case name == "rgb10a2":
		return emu.FormatByName("A2B10G10R10_UNORM_PACK32")
	case name == "rgb10a2ui":
		return emu.FormatByName("A2B10G10R10_UINT_PACK32")
	case t.Shadow:
		return emu.FormatByName("D32_SFLOAT")
	}
	wide := t.TexelBits == 64
	switch {
	case t.Texel == ir.BaseInt && wide:
		return emu.FormatByName("R64_SINT")
	case t.Texel == ir.BaseUint && wide:
		return emu.FormatByName("R64_UINT")
	case t.Texel == ir.BaseInt:
		return emu.FormatByName("R32G32B32A32_SINT")
	case t.Texel == ir.BaseUint:
		return emu.FormatByName("R32G32B32A32_UINT")
	}
	return emu.FormatByName("R32G32B32A32_SFLOAT")
}

// fill gives data at an offset the contents of a type, and kinds the kind of each
// word. An array without a size goes to the end.
func (w *world) fill(data []byte, kinds []wordKind, t *ir.Type, at int) {
	switch {
	case at >= len(data):
	case t.IsStruct():
		for i := range t.Fields {
			if f := &t.Fields[i]; f.Offset >= 0 {
				w.fill(data, kinds, f.Type, at+int(f.Offset))
			}
		}
	case t.IsArray():
		stride := int(t.Stride)
		if stride == 0 {
			stride = int(t.Elem.Size())
		}
		for i := 0; stride > 0 && (i < int(t.Len) || t.Len == 0) && at+i*stride < len(data); i++ {
			w.fill(data, kinds, t.Elem, at+i*stride)
		}
	case t.IsMatrix() && t.Stride != 0:
		n, rows := int(t.Cols), t.Rows
		if t.RowMajor {
			n, rows = int(t.Rows), t.Cols
		}
		for i := range n {
			w.fill(data, kinds, ir.VectorType(t.Base, t.Bits, rows), at+i*int(t.Stride))
		}
	case t.IsNumeric():
		n := int(t.MemBits() / 8)
		for i := range t.Components() {
			if o := at + i*n; o+n <= len(data) {
				emu.StoreBytes(data[o:], n, w.number(t))
				if kinds != nil {
					kinds[o/4] = kindOf(t)
					if n == 8 {
						kinds[o/4+1] = kindOf(t)
					}
				}
			}
		}
	}
}

func kindOf(t *ir.Type) wordKind {
	switch {
	case t.Base != ir.BaseFloat:
		return wordInt
	case t.Bits == 16:
		return wordF16
	case t.Bits == 64:
		return wordF64
	}
	return wordF32
}

// number returns a tame value of a numeric type's component: floats from 1/64 to 1 (shaken),
// small integers. A 64-bit integer may be an address.
func (w *world) number(t *ir.Type) uint64 {
	f := float32(1+w.r.IntN(64)) / 64 * (1 + w.shake)
	switch {
	case t.Base == ir.BaseBool:
		return w.r.Uint64N(2)
	case t.Base == ir.BaseFloat && t.Bits == 16:
		if w.shake != 0 { // by one unit in the last place at least
			f *= 1 + 1.0/1024
		}
		return uint64(emu.FloatToHalf(f))
	case t.Base == ir.BaseFloat && t.Bits == 64:
		return math.Float64bits(float64(f))
	case t.Base == ir.BaseFloat:
		return uint64(math.Float32bits(f))
	case t.Bits == 64 && w.pointers:
		return w.heap.Addr + 256*w.r.Uint64N(64)
	}
	return uint64(w.integer())
}
