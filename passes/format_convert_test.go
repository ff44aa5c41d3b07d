package passes

import (
	"encoding/binary"
	"math"
	"math/rand"
	"slices"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// formatPair is a format as the emulator and as the passes know it.
type formatPair struct {
	e *emu.Format
	f *PixelFormat
}

// colourFormats are all of the emulator's that ParsePixelFormat takes.
func colourFormats(t *testing.T) (list []formatPair) {
	for _, e := range emu.Formats() {
		f, err := ParsePixelFormat(e.Name)
		if err != nil {
			if !e.IsDepthStencil() && !e.IsWide() {
				t.Errorf("%s: %v", e.Name, err)
			}
			continue
		}
		if (f.Bits+7)/8 != e.Bytes || f.IsInteger() != e.IsInteger() || f.IsFloat() != e.IsFloat() {
			t.Errorf("%s: %d bits, integer %v, float %v", e.Name, f.Bits, f.IsInteger(), f.IsFloat())
		}
		list = append(list, formatPair{e, f})
	}
	if len(list) < 80 {
		t.Errorf("only %d formats are known", len(list))
	}
	return list
}

// randomColour makes components that reach beyond what most formats hold.
func randomColour(r *rand.Rand, f *emu.Format) []uint32 {
	c := make([]uint32, 4)
	for i := range c {
		switch {
		case f.IsInteger():
			c[i] = r.Uint32() >> r.Intn(32)
			if r.Intn(2) == 0 {
				c[i] = -c[i]
			}
		case r.Intn(3) == 0:
			c[i] = math.Float32bits(float32(r.NormFloat64() * math.Pow(2, float64(r.Intn(40)-20))))
		default:
			c[i] = math.Float32bits(r.Float32()*2.5 - 1.25)
		}
	}
	return c
}

// edgeColours are values around the limits of formats, the same one in all components: zeros, what is halfway between two values, the smallest and largest
// that are normal or finite, infinities and NaN; of integers the limits of each width.
func edgeColours(f *PixelFormat) (list [][]uint32) {
	add := func(v uint32) { list = append(list, []uint32{v, v, v, v}) }
	if f.IsInteger() {
		for bits := range 33 {
			v := uint32(1<<bits - 1)
			for _, x := range []uint32{v - 1, v, v + 1} {
				add(x)
				add(-x)
			}
		}
		return list
	}
	for _, v := range []uint32{0, 1, 0x3f800000, 0x3f000000, 0x7f800000, 0x7f7fffff, 0x007fffff, 0x38800000, 0x387fffff, 0x38800001, 0x33800000, 0x477fe000, 0x477fefff, 0x477ff000,
		0x47800000, 0x477e0000, 0x477f0000, 0x477c0000, 0x477e0001, 0x38820000, 0x38810000, 0x3f810000, 0x3f820000, 0x3f830000, 0x3f808000, 0x3f80c000, 0x35000000, 0x35800000, 0x36000000} {
		add(v)
		add(v | 1<<31)
	}
	if !slices.ContainsFunc(f.Channels, func(c PixelChannel) bool { return c.Kind == PixelSnorm || c.Kind == PixelSscaled }) {
		add(0x7fc00000) // what it is as a signed number Vulkan leaves open
	}
	return list
}

// TestFormatPack compares packing with the emulator's, which rounds from more
// bits: where both choose among neighbours they may differ by one.
func TestFormatPack(t *testing.T) {
	for _, p := range colourFormats(t) {
		s := wordsShader(4, func(b *ir.Builder, in []*ir.Def) []*ir.Def { return FormatPack(b, p.f, b.Vec(in...)) })
		r := rand.New(rand.NewSource(3))
		in := edgeColours(p.f)
		for range 200 {
			in = append(in, randomColour(r, p.e))
		}
		for i, got := range runWords(t, s, in) {
			var want, texel [16]byte
			p.e.Pack(want[:], (*[4]uint32)(in[i]))
			for k := range p.f.Words() {
				binary.LittleEndian.PutUint32(texel[4*k:], got[k])
			}
			if !sameTexel(p.f, texel, want) {
				t.Errorf("%s: %08x packs to %x, want %x", p.e.Name, in[i], texel[:p.e.Bytes], want[:p.e.Bytes])
			}
		}
	}
}

// sameTexel compares two texels; normalised channels may differ by one step.
func sameTexel(f *PixelFormat, a, b [16]byte) bool {
	for _, c := range f.Channels {
		field := func(t [16]byte) int64 {
			v := binary.LittleEndian.Uint32(t[c.Offset/32*4:]) >> (c.Offset % 32)
			v <<= 32 - c.Width
			if c.Kind == PixelSnorm {
				return int64(int32(v) >> (32 - c.Width))
			}
			return int64(v >> (32 - c.Width))
		}
		d := field(a) - field(b)
		if c.Kind != PixelUnorm && c.Kind != PixelSnorm && c.Kind != PixelSrgb && d != 0 || d < -1 || d > 1 {
			return false
		}
	}
	return true
}

// TestFormatUnpack compares unpacking with the emulator's, up to the last bits
// of a division.
func TestFormatUnpack(t *testing.T) {
	for _, p := range colourFormats(t) {
		s := wordsShader(4, func(b *ir.Builder, in []*ir.Def) []*ir.Def {
			c := FormatUnpack(b, p.f, in)
			return []*ir.Def{b.Channel(c, 0), b.Channel(c, 1), b.Channel(c, 2), b.Channel(c, 3)}
		})
		r := rand.New(rand.NewSource(4))
		in := make([][]uint32, 200)
		for i := range in {
			in[i] = []uint32{r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32()}
		}
		for i, got := range runWords(t, s, in) {
			var texel [16]byte
			for k, w := range in[i] {
				binary.LittleEndian.PutUint32(texel[4*k:], w)
			}
			var want [4]uint32
			p.e.Unpack(texel[:], &want)
			for k := range want {
				if got[k] == want[k] {
					continue
				}
				a, b := float64(math.Float32frombits(got[k])), float64(math.Float32frombits(want[k]))
				if p.f.IsInteger() || p.f.IsFloat() && !(a != a && b != b) || !p.f.IsFloat() && !(math.Abs(a-b) <= 1e-6) {
					t.Errorf("%s: %08x component %d: %v, want %v", p.e.Name, in[i], k, a, b)
				}
			}
		}
	}
}

// TestFormatRoundTrip packs what it unpacked, all 8-bit codes.
func TestFormatRoundTrip(t *testing.T) {
	for _, name := range []string{"R8_UNORM", "R8_SRGB", "R8_UINT", "R8_SINT", "R8_USCALED", "R8_SSCALED", "R5G6B5_UNORM_PACK16", "B10G11R11_UFLOAT_PACK32"} {
		f, err := ParsePixelFormat(name)
		if err != nil {
			t.Fatal(err)
		}
		s := wordsShader(1, func(b *ir.Builder, in []*ir.Def) []*ir.Def { return FormatPack(b, f, FormatUnpack(b, f, in)) })
		in := make([][]uint32, 256)
		for i := range in {
			in[i] = []uint32{uint32(i)}
		}
		for i, got := range runWords(t, s, in) {
			if got[0] != uint32(i) {
				t.Errorf("%s: %#x comes back as %#x", name, i, got[0])
			}
		}
	}
}

func TestFormatClamp(t *testing.T) {
	for _, c := range []struct {
		name     string
		in, want float32
	}{
		{"R8_UNORM", 1.5, 1}, {"R8_UNORM", -1.5, 0}, {"R8_SNORM", -1.5, -1}, {"R8_USCALED", 300, 255}, {"R8_SSCALED", -300, -128},
		{"R16_SFLOAT", 1.5, 1.5}, {"B10G11R11_UFLOAT_PACK32", -2, 0},
	} {
		f, err := ParsePixelFormat(c.name)
		if err != nil {
			t.Fatal(err)
		}
		s := wordsShader(1, func(b *ir.Builder, in []*ir.Def) []*ir.Def { return []*ir.Def{FormatClamp(b, f, in[0])} })
		if got := math.Float32frombits(runWords(t, s, [][]uint32{{math.Float32bits(c.in)}})[0][0]); got != c.want {
			t.Errorf("%s: %v becomes %v, want %v", c.name, c.in, got, c.want)
		}
	}
	for _, bad := range []string{"", "R8", "R8_", "R8_FOO", "D16_UNORM", "R64_UINT", "R8G8B8A8X8_UNORM", "R32_UNORM", "BC1_RGB_UNORM"} {
		if _, err := ParsePixelFormat(bad); err == nil {
			t.Errorf("%q is a format", bad)
		}
	}
}
