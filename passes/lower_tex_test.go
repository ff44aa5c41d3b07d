package passes

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// runPlanes samples a texture in a compute shader, after passes, at (u, v) and returns what it gives. The planes
// are the elements of the binding, with one sampler.
func runPlanes(t *testing.T, list, op string, u, v float32, filter emu.Filter, planes ...*emu.Image) (out [4]float32) {
	t.Helper()
	s := parseShader(t, fmt.Sprintf(`shader compute "main" {
  info { workgroup_size=1,1,1 }
  var @1 uniform sampled2D<f32> "t" { set=0 binding=1 }
  fn f0 "main" entry() {
    b0:
      %%0:32 = load_const 0x0
      %%1:32 = load_const 0x%x
      %%2:32 = load_const 0x%x
      %%3:32x2 = vec2 %%1, %%2
      %%4:32 = deref_var @1
      %%5:32x4 = %s
      store_ssbo %%5, %%0, %%0 write_mask=xyzw align_mul=16
  }
}`, math.Float32bits(u), math.Float32bits(v), op))
	runPasses(t, s, list)
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	p, err := interp.New(s, interp.Options{WaveSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	mem := emu.NewMemory()
	buf := mem.Alloc(16)
	var bind emu.Bindings
	bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: 16}})
	smp := &emu.Sampler{Mag: filter, Min: filter, MaxLod: emu.LodNone, Address: [3]emu.AddressMode{emu.AddressClampToEdge, emu.AddressClampToEdge, emu.AddressClampToEdge}}
	var elements []emu.Descriptor
	for _, img := range planes {
		elements = append(elements, emu.Descriptor{Type: emu.DescCombinedImageSampler, Image: &emu.ImageView{Image: img}, Sampler: smp})
	}
	bind.Set(0, 1, elements)
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(buf.Data[4*i:]))
	}
	return out
}

func testImage(t *testing.T, format string, w, h int, data []byte) *emu.Image {
	t.Helper()
	img, err := emu.NewImage(emu.ImageDesc{Width: w, Height: h, Format: emu.FormatByName(format)})
	if err != nil || len(data) != len(img.Data) {
		t.Fatal(len(data), err)
	}
	copy(img.Data, data)
	return img
}

const sampleOp = "txl texture_deref=%4 sampler_deref=%4 coord=%3 lod=%0 dim=2D dest=f32 coord_components=2"

// TestYCbCr compares conversions of images in planes with their formulas, at the middles of texels of luma.
func TestYCbCr(t *testing.T) {
	luma := []byte{16, 50, 90, 235, 30, 70, 128, 200, 40, 80, 120, 160, 20, 60, 100, 255}
	blue, red := []byte{16, 90, 128, 240}, []byte{200, 128, 64, 30}
	both := make([]byte, 0, 8)
	for i := range blue {
		both = append(both, blue[i], red[i])
	}
	y := testImage(t, "R8_UNORM", 4, 4, luma)
	two := []*emu.Image{y, testImage(t, "R8G8_UNORM", 2, 2, both)}
	three := []*emu.Image{y, testImage(t, "R8_UNORM", 2, 2, blue), testImage(t, "R8_UNORM", 2, 2, red)}
	// chroma interpolates a plane of 2 by 2 at a place in its texels.
	chroma := func(p []byte, x, y float64, linear bool) float64 {
		at := func(i, j int) float64 { return float64(p[min(max(j, 0), 1)*2+min(max(i, 0), 1)]) / 255 }
		if !linear {
			return at(int(math.Floor(x)), int(math.Floor(y)))
		}
		i, j := math.Floor(x-0.5), math.Floor(y-0.5)
		a, b := x-0.5-i, y-0.5-j
		return (1-b)*((1-a)*at(int(i), int(j))+a*at(int(i)+1, int(j))) + b*((1-a)*at(int(i), int(j)+1)+a*at(int(i)+1, int(j)+1))
	}
	for _, words := range []string{"709/narrow/2plane/nearest", "601/full/3plane/nearest", "2020/narrow/2plane/linear/cosited_x", "709/full/3plane/linear/cosited_x/cosited_y", "601/narrow/2plane/linear", "ycbcr/full/2plane/nearest", "rgb/3plane/nearest", "601/full/2plane/nearest/brg1"} {
		c, err := ir.ParseYCbCr("0.1/" + words)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := ir.ParseYCbCr(c.String()); err != nil || again != c {
			t.Errorf("%s reads as %+v, %v, want %+v", c.String(), again, err, c)
		}
		planes, filter := two, emu.FilterNearest
		if c.Planes == 3 {
			planes = three
		}
		if c.Linear {
			filter = emu.FilterLinear
		}
		for texel := range 16 {
			px, py := float64(texel%4)+0.5, float64(texel/4)+0.5
			cx, cy := px/2, py/2
			if c.Linear && c.CositedX {
				cx += 0.25
			}
			if c.Linear && c.CositedY {
				cy += 0.25
			}
			in := [3]float64{chroma(red, cx, cy, c.Linear), float64(luma[texel]) / 255, chroma(blue, cx, cy, c.Linear)}
			if strings.HasSuffix(words, "brg1") {
				in = [3]float64{in[2], in[0], in[1]}
			}
			want := modelYCbCr(&c, in)
			got := runPlanes(t, "lower_tex(ycbcr="+c.String()+")", sampleOp, float32(px/4), float32(py/4), filter, planes...)
			for i, w := range want {
				if !(math.Abs(float64(got[i])-w) <= 2e-5) {
					t.Fatalf("%s, texel %d: %v, want %v", words, texel, got, want)
				}
			}
		}
	}
}

// modelYCbCr is the conversion of red, green and blue as Vulkan writes it.
func modelYCbCr(c *ir.YCbCr, in [3]float64) [4]float64 {
	cr, y, cb := in[0], in[1], in[2]
	if c.Model == ir.YCbCrRGB {
		return [4]float64{cr, y, cb, 1}
	}
	if c.Narrow {
		y, cb, cr = (y*255-16)/219, (cb*255-128)/224, (cr*255-128)/224
	} else {
		cb, cr = cb-128.0/255, cr-128.0/255
	}
	switch c.Model {
	case ir.YCbCr709:
		return [4]float64{y + 1.5748*cr, y - 0.13397432/0.7152*cb - 0.33480248/0.7152*cr, y + 1.8556*cb, 1}
	case ir.YCbCr601:
		return [4]float64{y + 1.402*cr, y - 0.202008/0.587*cb - 0.419198/0.587*cr, y + 1.772*cb, 1}
	case ir.YCbCr2020:
		return [4]float64{y + 1.4746*cr, y - 0.11156702/0.6780*cb - 0.38737742/0.6780*cr, y + 1.8814*cb, 1}
	}
	return [4]float64{cr, y, cb, 1}
}

// TestYCbCrRefused: what a sampler with a conversion is not for is said, and where.
func TestYCbCrRefused(t *testing.T) {
	for _, c := range []struct{ op, list, want string }{
		{"tg4 texture_deref=%4 sampler_deref=%4 coord=%3 dim=2D dest=f32 coord_components=2 component=0", "0.1", "only for sampling"},
		{"txl texture_deref=%4 sampler_deref=%4 coord=%3 lod=%0 offset=%3 dim=2D dest=f32 coord_components=2", "0.1", "without offsets"},
		{sampleOp, "0.1/5plane", `"5plane" is no word`},
		{sampleOp, "0", "want SET.BINDING"},
	} {
		s := parseShader(t, `shader compute "main" {
  info { workgroup_size=1,1,1 }
  var @1 uniform sampled2D<f32> "t" { set=0 binding=1 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %3:32x2 = vec2 %0, %0
      %4:32 = deref_var @1
      %5:32x4 = `+c.op+`
      store_ssbo %5, %0, %0 write_mask=xyzw align_mul=16
  }
}`)
		p, err := ParsePassList("lower_tex(ycbcr=" + c.list + ")")
		if err == nil {
			err = p.Run(s, RunOptions{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %s: %v, want %s", c.list, c.op, err, c.want)
		}
	}
}

// TestPackedResults unpacks in the shader what another format holds in the same bytes.
func TestPackedResults(t *testing.T) {
	fetch := "txf texture_deref=%4 coord=%3 lod=%0 dim=2D dest=f32 coord_components=2"
	bytes := []byte{0, 0x3c, 0x99, 0xb5, 0x01, 0x48, 0x33, 0x2e}
	for _, c := range []struct{ list, words, texels string }{{"lower_tex(packing=half)", "R32G32_SFLOAT", "R16G16B16A16_SFLOAT"}, {"lower_tex(packing=byte)", "R32_SFLOAT", "R8G8B8A8_UNORM"}, {"lower_tex(packing=byte,swizzle=zyx1)", "R32_SFLOAT", "B8G8R8A8_UNORM"}} {
		data := bytes
		if strings.Contains(c.list, "byte") {
			data = bytes[:4]
		}
		got := runPlanes(t, c.list, fetch, 0, 0, emu.FilterNearest, testImage(t, c.words, 1, 1, data))
		want := runPlanes(t, "opt_dce", fetch, 0, 0, emu.FilterNearest, testImage(t, c.texels, 1, 1, data))
		if strings.Contains(c.list, "1)") {
			want[3] = 1
		}
		if got != want {
			t.Errorf("%s: %v, want %v", c.list, got, want)
		}
	}
}
