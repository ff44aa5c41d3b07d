package emu

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestFragmentFails: a fragment program that fails once ends the draw, wherever in it the wave stands, and of whatever primitive.
func TestFragmentFails(t *testing.T) {
	corner := func(x, y float32) []float32 { return []float32{x, y, 0, 1} }
	line := append(corner(-1, -1), corner(1, 1)...)
	for name, c := range map[string]struct {
		topology Topology
		vertices int
		data     []float32
	}{"triangles": {TriangleStrip, 4, quad(0)}, "lines": {LineList, 2, line}, "points": {PointList, 4, quad(0)}} {
		waves := 0
		var fail int
		fs := fragmentShader(4, func(*FragmentLane, *Slots) bool { return true })
		run := fs.run
		fs.run = func(l *Launch, pc int) (Status, error) {
			if waves++; waves == fail {
				return 0, errors.New("division of a wave")
			}
			return run(l, pc)
		}
		p := testPipeline(t, 32, 32, 1, "R8_UNORM", 1, c.data, fs)
		p.Topology = c.topology
		draw(t, p, c.vertices)
		all := waves
		for fail = 1; fail <= all; fail += 1 + all/20 {
			waves = 0
			err := Draw(context.Background(), p, DrawParams{VertexCount: uint32(c.vertices), InstanceCount: 1})
			if err == nil || !strings.Contains(err.Error(), "division of a wave") {
				t.Errorf("%s: wave %d of %d fails: %v", name, fail, all, err)
			}
		}
	}
}
