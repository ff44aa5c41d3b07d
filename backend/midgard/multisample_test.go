package midgard

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc/backend"
	"nirc/backend/midgard/core"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// sampleArrays reads, writes and counts in arrays of multisampled images, at texels,
// layers and samples some of which do not exist, and in an element of several images.
//
//go:embed testdata/ir/sample_arrays.nir
var sampleArrays string

// sampleWorld is five images of 4x4 texels of 4 samples in 3 layers, and a buffer.
func sampleWorld(t *testing.T) (env *emu.Env, images []*emu.Image, out *emu.Buffer) {
	var bind emu.Bindings
	mem := emu.NewMemory()
	image := func(kind emu.DescriptorType) emu.Descriptor {
		img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Layers: 3, Samples: 4, Format: emu.FormatByName("R32_UINT")})
		if err != nil {
			t.Fatal(err)
		}
		images = append(images, img)
		v := &emu.ImageView{Image: img}
		for i := range 4 * 4 * 3 * 4 {
			v.Store(i&3, i>>2&3, i>>4%3, 0, i/48, [4]uint32{uint32(i*i + len(images))})
		}
		return emu.Descriptor{Type: kind, Image: v}
	}
	bind.Set(0, 0, []emu.Descriptor{image(emu.DescStorageImage)})
	bind.Set(0, 1, []emu.Descriptor{image(emu.DescStorageImage)})
	bind.Set(0, 2, []emu.Descriptor{image(emu.DescSampledImage)})
	bind.Set(0, 3, []emu.Descriptor{image(emu.DescStorageImage), image(emu.DescStorageImage)})
	out = mem.Alloc(32)
	bind.Set(1, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 32}})
	return &emu.Env{Mem: mem, Bindings: &bind}, images, out
}

// samplesAfter are the texels and words that a run of p leaves.
func samplesAfter(t *testing.T, p emu.Program) []byte {
	env, images, out := sampleWorld(t)
	params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}
	params.Check, params.Budget = true, 1<<24
	if err := emu.Dispatch(t.Context(), p, env, params); err != nil {
		t.Fatal(err)
	}
	return append(texelsOf(images), out.Data...)
}

func texelsOf(images []*emu.Image) (all []byte) {
	for _, img := range images {
		v := &emu.ImageView{Image: img}
		for i := range 4 * 4 * 3 * 4 {
			all = binary.LittleEndian.AppendUint32(all, v.Load(i&3, i>>2&3, i>>4%3, 0, i/48)[0])
		}
	}
	return all
}

// Arrays of multisampled images have their samples one below the other; what the
// core leaves in them is what the interpreter leaves.
func TestSampleArrays(t *testing.T) {
	programs.Hold(t)
	s, err := ir.Parse(sampleArrays)
	if err != nil {
		t.Fatal(err)
	}
	s.Options.Robust.Images = ir.Robust2
	ref, err := interp.New(s, interp.Options{WaveSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := samplesAfter(t, ref)
	for _, g := range gpus {
		bin, err := compile(s, CompileOptions{GPU: g.Name})
		if err != nil {
			t.Fatal(err)
		}
		p, err := core.LoadFresh(bin.Code, &bin.Meta)
		if err != nil {
			t.Fatal(err)
		}
		if got := samplesAfter(t, p); !bytes.Equal(got, want) {
			t.Errorf("%s: %s", g.Name, firstWord(got, want))
		}
	}
	_, images, _ := sampleWorld(t)
	was, same := texelsOf(images), 0
	for i := 0; i < len(was); i += 4 {
		if bytes.Equal(was[i:i+4], want[i:i+4]) {
			same += 4
		}
	}
	if 4*same > 3*len(was) {
		t.Errorf("the shader leaves %d of %d bytes as they were", same, len(was))
	}
}

// TestSamplePlaces: what is interpolated at samples that the shader numbers is that of the interpreter, where pixels have one sample and
// where they have several, except for the last bits of colours.
func TestSamplePlaces(t *testing.T) {
	programs.Hold(t)
	vs, vp, err := loadText(linear, CompileOptions{Linear: backend.LinearOf(1)})
	if err != nil {
		t.Fatal(err)
	}
	vi, err := interp.New(vs, interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	colors := map[int]int{}
	for _, samples := range []int{1, 2, 4} {
		fs, fp, err := loadText(strings.NewReplacer("0x42800000", "0x40c00000", "load_const 0x5", fmt.Sprintf("load_const %d", samples-1), "iadd", "iand").Replace(sampleColor), CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		fi, err := interp.New(fs, interp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := drawSamples(vi, fi, emu.TriangleList, 1, samples)
		if err != nil {
			t.Fatal(err)
		}
		got, err := drawSamples(vp, fp, emu.TriangleList, 1, samples)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[[4]uint32]bool{}
		for i := range want {
			if seen[want[i]] = true; !near(got[i], want[i]) {
				t.Fatalf("%d samples: pixel (%d, %d) is %v, want %v", samples, i%drawnSize, i/drawnSize%drawnSize, got[i], want[i])
			}
		}
		colors[samples] = len(seen)
	}
	if colors[4] < 3 || colors[1] >= colors[4] {
		t.Errorf("colours by the number of samples: %v", colors)
	}
}

// near reports whether colours of eight bits a component are the same, except for their last bits.
func near(a, b [4]uint32) bool {
	for k := range a {
		if math.Abs(float64(math.Float32frombits(a[k])-math.Float32frombits(b[k]))) > 1.5/255 {
			return false
		}
	}
	return true
}

// firstWord finds where two runs first differ.
func firstWord(got, want []byte) string {
	for i := 0; i+4 <= len(want); i += 4 {
		g, w := binary.LittleEndian.Uint32(got[i:]), binary.LittleEndian.Uint32(want[i:])
		if g != w {
			return fmt.Sprintf("word %d is %d, want %d", i/4, g, w)
		}
	}
	return "alike"
}
