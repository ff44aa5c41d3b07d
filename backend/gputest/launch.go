package gputest

import (
	"fmt"

	"nirc/internal/emu"
)

// launchLanes is no multiple of a quad, nor of a patch's invocations.
const launchLanes = 29

// AnyStage gives a launch what a wave of any stage looks at, for programs that are made of random code: compute lanes with
// shared bytes, vertices, patches of two vertices, three outputs and eight invocations, points of them, and triangles. Each has
// launchLanes lanes. Fragment lanes are the caller's, at least as many.
func AnyStage(l *emu.Launch, shared int) {
	const most = (launchLanes + 3) &^ 3
	l.NumLanes = launchLanes
	l.Compute = &emu.ComputeLaunch{LocalID: make([][3]uint32, most), Shared: make([]byte, shared), NumWorkgroups: [3]uint32{2, 1, 1}}
	l.Vertex, l.Inputs, l.Out = make([]emu.VertexLane, most), make([][]emu.Vec4, most), make([]emu.Slots, most)
	var patch *emu.Patch
	for i := range l.NumLanes {
		if i%8 == 0 {
			patch = &emu.Patch{In: []*emu.Slots{{}, {}}, PrimitiveID: uint32(i), Out: make([]emu.Slots, 3)}
		}
		l.TessCtrl = append(l.TessCtrl, emu.TessCtrlLane{Patch: patch, InvocationID: uint32(i % 8)})
		l.TessEval = append(l.TessEval, emu.TessEvalLane{Patch: patch, Coord: [3]float32{0.5, float32(i), 2}})
		l.Geometry = append(l.Geometry, emu.GeometryLane{V: []*emu.Slots{{}, {}, {}}, PrimitiveID: uint32(i), InvocationID: uint32(i+1) % 2, Emitted: emu.NewEmission(5)})
	}
}

// Picture is a descriptor of a small image with a sampler.
func Picture() emu.Descriptor {
	img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Format: emu.FormatByName("R8G8B8A8_UNORM")})
	if err != nil {
		panic(fmt.Sprintf("gputest: %v", err)) // the numbers above are wrong
	}
	return emu.Descriptor{Type: emu.DescCombinedImageSampler, Image: &emu.ImageView{Image: img}, Sampler: &emu.Sampler{}}
}
