package exec

import (
	"context"
	"math"
	"os"
	"slices"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/passes"
)

// kernelImages is 8 by 8, floats and whole numbers of the same bytes.
const kernelImages = 8

// bytesAt is component c of the texel, which the test computes.
func bytesAt(x, y, c int) byte { return byte(mixed(4*(kernelImages*y+x) + c)) }

func kernelImage(t *testing.T, format string, filled bool) *emu.Image {
	m, err := emu.NewImage(emu.ImageDesc{Width: kernelImages, Height: kernelImages, Format: emu.FormatByName(format)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Data {
		if filled {
			m.Data[i] = bytesAt(i/4%kernelImages, i/4/kernelImages, i%4)
		}
	}
	return m
}

// lookup is a literal sampler in Go: where a coordinate falls, as texels and their weights. A texel of -1 is the border.
func lookup(u float64, repeat, mirror, border, linear bool) (at [2]int, weight float64) {
	const n = kernelImages
	if repeat {
		u = (u - math.Floor(u)) * n
	}
	if mirror {
		u = math.Abs(u-2*math.RoundToEven(u/2)) * n
	}
	if linear {
		u -= 0.5
	}
	weight = u - math.Floor(u)
	if !linear {
		weight = 0
	}
	for i := range at {
		k := int(math.Floor(u)) + i
		switch {
		case repeat:
			k = (k + n) % n
		case border && (k < 0 || k >= n):
			k = -1
		default:
			k = min(max(k, 0), n-1)
		}
		at[i] = k
	}
	return at, weight
}

// wantTexel is component c of a lookup.
func wantTexel(u, v float64, c int, repeat, mirror, border, linear bool) (sum float64) {
	x, wx := lookup(u, repeat, mirror, border, linear)
	y, wy := lookup(v, repeat, mirror, border, linear)
	for i := range 4 {
		w := []float64{1 - wx, wx}[i&1] * []float64{1 - wy, wy}[i>>1]
		if px, py := x[i&1], y[i>>1]; px >= 0 && py >= 0 && w != 0 {
			sum += w * float64(bytesAt(px, py, c)) / 255
		}
	}
	return sum
}

// TestKernelImages reads by literal samplers of all kinds, by one that is an argument and by none, writes floats and whole numbers and asks for
// sizes, on all targets; of the same source, what clang optimises and what it does not (-O0), which keeps images and samplers in variables.
func TestKernelImages(t *testing.T) {
	testKernelImages(t, "images.spv")
	testKernelImages(t, "images_plain.spv")
}

func testKernelImages(t *testing.T, name string) {
	text, err := os.ReadFile("testdata/kernels/" + name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := nirc.Load(text, name)
	if err != nil {
		t.Fatal(err)
	}
	const n = kernelImages
	for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		for _, level := range []passes.Level{passes.O0, passes.O2} {
			out, whole := kernelImage(t, "R8G8B8A8_UNORM", false), kernelImage(t, "R8G8B8A8_UINT", false)
			x := &Execution{Modules: []*nirc.Module{m}, Groups: [3]uint32{2, 4, 1}, Limits: emu.Limits{Check: true, Seed: 3}, Options: nirc.Options{Target: target, Level: level},
				Args: []Arg{{Image: out}, {Image: kernelImage(t, "R8G8B8A8_UNORM", true)}, {}, data(make([]float32, n*n*24)...), data[int32](0, 0), {Image: whole}, {Image: kernelImage(t, "R8G8B8A8_UINT", true)}}}
			if err := Execute(context.Background(), x); err != nil {
				t.Errorf("%s %s: %v", target, level, err)
				continue
			}
			got := get[float32](x.Args[3].Data)
			for i := range got {
				px, py, which, c := i/24%n, i/24/n, i/4%6, i%4
				fx, fy := float64(px), float64(py)
				var want float64
				switch which {
				case 0:
					want = wantTexel(fx*3-4, fy*3-4, c, false, false, false, false)
				case 1:
					want = wantTexel(fx*1.25-0.3, fy*1.25-0.3, c, false, false, true, true)
				case 2:
					want = wantTexel(float64(float32(px)*0.3-0.55), float64(float32(py)*0.3-0.55), c, true, false, false, true)
				case 3:
					want = wantTexel(float64(float32(px)*0.41-1.2), float64(float32(py)*0.41-1.2), c, false, true, false, false)
				default: // texels themselves
					want = float64(bytesAt(px, py, c)) / 255
				}
				if !(math.Abs(float64(got[i])-want) <= 1e-5) && !(which == 5 && math.Abs(float64(got[i])-want) < 1./256) { // hardware's weights have 8 bits
					t.Fatalf("%s %s: lookup %d of %d, %d gives %v in component %d, want %v", target, level, which, px, py, got[i], c, want)
				}
			}
			for i := range out.Data {
				px, py, c := i/4%n, i/4/n, i%4
				f := []float64{float64(py) / 8, float64(px) / 8, 0.5, 1}[c] // rows are columns
				if d := math.Abs(float64(out.Data[i]) - f*255); d > 0.51 {
					t.Fatalf("%s %s: out at %d, %d is %d in component %d, want %v", target, level, px, py, out.Data[i], c, f*255)
				}
				if w := int(bytesAt(min(px+1, n-1), min(py+1, n-1), c)) + 7; int(whole.Data[i]) != min(w, 255) {
					t.Fatalf("%s %s: whole at %d, %d is %d in component %d, want %d", target, level, px, py, whole.Data[i], c, min(w, 255))
				}
			}
			if s := get[int32](x.Args[4].Data); s[0] != n || s[1] != n {
				t.Errorf("%s %s: the sizes are %v", target, level, s)
			}
		}
	}
}

// TestKernelReadWrite reads what the same item wrote before, of one and of two dimensions.
func TestKernelReadWrite(t *testing.T) {
	text, err := os.ReadFile("testdata/kernels/readwrite.spv")
	if err != nil {
		t.Fatal(err)
	}
	m, err := nirc.Load(text, "readwrite.spv")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		plane, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 1, Format: emu.FormatByName("R32G32B32A32_SFLOAT")})
		if err != nil {
			t.Fatal(err)
		}
		copy(plane.Data, put(sequence(16, func(i int) float32 { return float32(i) })...))
		line, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 1, Format: plane.Format})
		if err != nil {
			t.Fatal(err)
		}
		x := &Execution{Modules: []*nirc.Module{m}, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}, Options: nirc.Options{Target: target, Level: passes.O2},
			Args: []Arg{{Image: plane}, {Image: line}, data(make([]float32, 16)...)}}
		if err := Execute(context.Background(), x); err != nil {
			t.Errorf("%s: %v", target, err)
			continue
		}
		for i, v := range get[float32](plane.Data) {
			if got := get[float32](x.Args[2].Data)[i]; v != float32(i)/2 || got != float32(i/4) {
				t.Fatalf("%s: component %d is %v and %v, want %v and %v", target, i, v, got, float32(i)/2, i/4)
			}
		}
	}
}

// TestKernelLevels reads levels by number, by derivatives and by a literal sampler, and asks for levels and channels.
// The module declares ImageMipmap, which llvm-spirv leaves out.
func TestKernelLevels(t *testing.T) {
	text, err := os.ReadFile("testdata/kernels/levels.spv")
	if err != nil {
		t.Fatal(err)
	}
	m, err := nirc.Load(text, "levels.spv")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		for _, level := range []passes.Level{passes.O0, passes.O2} {
			image, err := emu.NewImage(emu.ImageDesc{Width: 8, Height: 8, Mips: 3, Format: emu.FormatByName("R8G8B8A8_UNORM")})
			if err != nil {
				t.Fatal(err)
			}
			for i := range image.Data {
				image.Data[i] = byte(i * 3)
			}
			out, err := emu.NewImage(emu.ImageDesc{Width: 1, Height: 1, Format: emu.FormatByName("R32_SFLOAT")})
			if err != nil {
				t.Fatal(err)
			}
			x := &Execution{Modules: []*nirc.Module{m}, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true, Seed: 3, Exact: true}, Options: nirc.Options{Target: target, Level: level},
				Args: []Arg{data(make([]float32, 24)...), data(make([]int32, 5)...), {Image: image}, {}, {Image: out}, data[float32](0.5, 0.75, 1.5, 9)}}
			if err := Execute(context.Background(), x); err != nil {
				t.Errorf("%s %s: %v", target, level, err)
				continue
			}
			// CLK_RGBA, CLK_UNORM_INT8, CLK_R, CLK_FLOAT and three levels.
			if q := get[int32](x.Args[1].Data); !slices.Equal(q, []int32{0x10b5, 0x10d2, 0x10b0, 0x10de, 3}) {
				t.Errorf("%s %s: %#x", target, level, q)
			}
			got := get[float32](x.Args[0].Data)
			for i, mip := range []int{1, 1, 0, 1, 1, 2} {
				// The texels lie level after level.
				side, first := 8>>mip, []int{0, 64, 80}[mip]
				at := first + side*(side*5/8) + side*3/8
				for c := range 4 {
					if want := float64(image.Data[4*at+c]) / 255; !(math.Abs(float64(got[4*i+c])-want) <= 1e-5) {
						t.Errorf("%s %s: lookup %d gives %v in component %d, want %v", target, level, i, got[4*i+c], c, want)
					}
				}
			}
			if w := get[float32](out.Data)[0]; w != got[0] {
				t.Errorf("%s %s: written is %v", target, level, w)
			}
		}
	}
}

// TestFormatsOfOpenCL: the channels that kernels are told.
func TestFormatsOfOpenCL(t *testing.T) {
	for name, want := range map[string][2]uint32{"B8G8R8A8_UNORM": {6, 2}, "R8G8B8A8_SRGB": {17, 2}, "R16G16_SFLOAT": {2, 13}, "D32_SFLOAT": {13, 14}, "R32_SINT": {0, 9}, "R16_SNORM": {0, 1}} {
		if o, d, ok := emu.FormatByName(name).OpenCL(); !ok || o != want[0] || d != want[1] {
			t.Errorf("%s: %d, %d, %v", name, o, d, ok)
		}
	}
	for _, name := range []string{"R5G6B5_UNORM_PACK16", "D24_UNORM_S8_UINT", "E5B9G9R9_UFLOAT_PACK32", "A2B10G10R10_UNORM_PACK32"} {
		if f := emu.FormatByName(name); f == nil {
			t.Errorf("no format %s", name)
		} else if _, _, ok := f.OpenCL(); ok {
			t.Errorf("%s has a name", name)
		}
	}
}
