package exec

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// robustShapes are the shapes of images: size says how many places there are along each coordinate, fetch and image how a texture
// and a storage image of the shape are called, without which there are none.
var robustShapes = []struct {
	name, fetch, image string
	size               []int
	desc               emu.ImageDesc
}{
	{"1D", "usampler1D", "uimage1D", []int{4}, emu.ImageDesc{Width: 4, Height: 1}},
	{"1DArray", "usampler1DArray", "uimage1DArray", []int{4, 3}, emu.ImageDesc{Width: 4, Height: 1, Layers: 3}},
	{"2D", "usampler2D", "uimage2D", []int{4, 5}, emu.ImageDesc{Width: 4, Height: 5}},
	{"2DArray", "usampler2DArray", "uimage2DArray", []int{4, 5, 3}, emu.ImageDesc{Width: 4, Height: 5, Layers: 3}},
	{"2DArray sparse", "usampler2DArray", "uimage2DArray", []int{4, 5, 3}, emu.ImageDesc{Width: 4, Height: 5, Layers: 3}},
	{"3D", "usampler3D", "uimage3D", []int{4, 5, 3}, emu.ImageDesc{Width: 4, Height: 5, Depth: 3}},
	{"Cube", "", "uimageCube", []int{4, 4, 6}, emu.ImageDesc{Width: 4, Height: 4, Layers: 6}},
	{"CubeArray", "", "uimageCubeArray", []int{4, 4, 12}, emu.ImageDesc{Width: 4, Height: 4, Layers: 12}},
	{"2DMS", "usampler2DMS", "uimage2DMS", []int{4, 5, 4}, emu.ImageDesc{Width: 4, Height: 5, Samples: 4}},
	{"2DMSArray", "usampler2DMSArray", "uimage2DMSArray", []int{4, 5, 3}, emu.ImageDesc{Width: 4, Height: 5, Layers: 3, Samples: 4}},
}

// TestRobustShapes fetches, loads, stores and adds outside of images of each shape, along each coordinate by itself: what is read is
// zeros and nothing is written, as it is where all coordinates are inside.
func TestRobustShapes(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	r, err := ir.ParseRobust("image2")
	if err != nil {
		t.Fatal(err)
	}
	for _, shape := range robustShapes {
		fetches, place, sample, array := "", "int(p.x)", "", "0"
		n := len(shape.size)
		if shape.name == "2DMS" { // the third is the sample
			n, sample, array = 2, ", p.z", "p.z"
		} else if shape.desc.Samples > 1 {
			sample, array = ", 1", "1"
		}
		if n > 1 {
			place = fmt.Sprintf("ivec%d(p)", n)
		}
		if shape.fetch != "" {
			fetches = "w[0] = texelFetch(s, " + place + ", " + array + ").x;"
		} else {
			shape.fetch = "usampler2D"
		}
		load := "w[1] = imageLoad(g, PLACE).x;"
		if strings.HasSuffix(shape.name, "sparse") {
			load = "uvec4 v; sparseImageLoadARB(g, PLACE, v); w[1] = v.x;"
		}
		load = strings.ReplaceAll(load, "PLACE", place+sample)
		m := computeModule(t, strings.NewReplacer("LOAD", load, "FETCH", fetches, "SHAPE", shape.image, "SAMPLED", shape.fetch, "PLACE", place+sample).Replace(`#version 450
#extension GL_ARB_sparse_texture2 : require
layout(local_size_x=1) in;
layout(push_constant) uniform Push { ivec3 p; };
layout(set=0, binding=0) uniform SAMPLED s;
layout(set=0, binding=1, r32ui) uniform SHAPE g;
layout(std430, set=0, binding=2) buffer W { uint w[4]; };
void main() {
	FETCH
	LOAD
	imageStore(g, PLACE, uvec4(9u));
	imageAtomicAdd(g, PLACE, 4u);
	w[2] = imageLoad(g, PLACE).x;
}`))
		places := [][3]int32{{1, 1, 1}}
		for k, n := range shape.size {
			for _, at := range []int32{-1, int32(n), 1 << 16, 1<<16 + 1, 1 << 20, math.MinInt32, math.MaxInt32} {
				p := [3]int32{1, 1, 1}
				p[k] = at
				places = append(places, p)
			}
		}
		for _, target := range []string{"ir", "ir3", "agx", "midgard"} {
			for i, p := range places {
				want := [3]uint32{}
				if i == 0 {
					want = [3]uint32{3, 3, 13}
				}
				if fetches == "" {
					want[0] = 0
				}
				got, changed, err := atShape(m, nirc.Options{Target: target, Level: passes.O2, Robust: r}, shape.desc, p)
				if errors.Is(err, errors.ErrUnsupported) {
					t.Logf("%s/%s: %v", shape.name, target, err)
					break
				}
				if err != nil || got != want || changed != (i == 0) {
					t.Errorf("%s/%s/%v: %v, want %v; changed: %t; %v", shape.name, target, p, got, want, changed, err)
				}
			}
		}
	}
}

// atShape runs such a shader on images that are 3 all over, and says what it read and whether it changed the one it stores to.
func atShape(m *nirc.Module, o nirc.Options, d emu.ImageDesc, at [3]int32) (got [3]uint32, changed bool, err error) {
	d.Format = emu.FormatByName("R32_UINT")
	var images [2]*emu.Image
	for i := range images {
		if images[i], err = emu.NewImage(d); err != nil {
			return got, false, err
		}
		copy(images[i].Data, bytes.Repeat([]byte{3, 0, 0, 0}, len(images[i].Data)/4))
	}
	before := bytes.Clone(images[1].Data)
	var push []byte
	for _, v := range at {
		push = binary.LittleEndian.AppendUint32(push, uint32(v))
	}
	w := make([]byte, 16)
	err = Execute(context.Background(), &Execution{Modules: []*nirc.Module{m}, Options: o, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}, Push: push,
		Bindings: []Binding{{Binding: 0, Image: images[0]}, {Binding: 1, Image: images[1]}, {Binding: 2, Data: w}}})
	for i := range got {
		got[i] = binary.LittleEndian.Uint32(w[4*i:])
	}
	return got, !bytes.Equal(before, images[1].Data), err
}
