package passes

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"nirc/internal/mangle"
	"nirc/ir"
)

// heldStates are states of one member each, by its name, and one of each member that is a switch.
func heldStates() map[string]*ShaderState {
	n := func(v int) *int { return &v }
	return map[string]*ShaderState{
		"switches":        {AlphaToOne: true, FragCoordW: true, SingleSampled: true, HalfPrecision: true, ZeroUndefined: true},
		"alpha_test":      {AlphaTest: &AlphaTest{Func: "less", Ref: 0.5}},
		"flat_colors":     {FlatColors: []int{1, 2}},
		"two_sided":       {TwoSided: &TwoSided{Front: 1, Back: 3, Count: 2}},
		"clamp_colors":    {ClampColors: &ClampColors{Attachments: []int{0, 1}, Locations: []int{2}}},
		"broadcast_color": {Broadcast: 4},
		"points":          {Points: &PointState{Size: 2, Min: 1, Max: 2, TexCoords: []int{1, 2}}},
		"points by push":  {Points: &PointState{SizePush: n(16), Min: 1, Max: 64, YInvert: true}},
		"smooth":          {Smooth: &SmoothState{Samples: 4, Attachments: []int{0}}},
		"flip_y":          {FlipY: &FlipY{Height: 64, IntegerCenter: true}},
		"flip_y by push":  {FlipY: &FlipY{Push: n(8)}},
		"clip":            {Clip: &ClipState{HalfZ: true, Planes: []int{0, 3}, PlanesPush: 16, Distances: &[]int{1}}},
		"edge_flags":      {EdgeFlags: &EdgeFlags{From: 1, To: 2}},
		"patch_vertices":  {PatchVertices: 3},
		"shadow":          {Shadow: &Shadow{Func: "less", Clamp: true}},
		"blend": {Blend: []Blend{{Format: "R8G8B8A8_UNORM", Enable: true, SrcColor: "src_alpha", DstColor: "one", ColorOp: "add", SrcAlpha: "one", DstAlpha: "zero", AlphaOp: "max", WriteMask: n(7)},
			{Attachment: 1, Format: "R32_UINT", LogicOp: "xor"}}},
		"bitmap":        {Bitmap: &Bitmap{Set: 1, Binding: 2, TexCoord: 3, Component: 1}},
		"draw_pixels":   {DrawPixels: &DrawPixels{Set: 1, Binding: 2, TexCoord: 3, Color: 4, Push: n(16), Map: n(5)}},
		"default_block": {DefaultBlock: &DefaultBlock{Set: 1, Binding: 2, Unit: 4, Shift: 3}},
	}
}

// asks is what runs for a state on each stage and at each hook, or why nothing does.
func asks(s *ShaderState) (text string, err error) {
	for stage := ir.StageVertex; stage <= ir.StageCompute; stage++ {
		h, err := (&Asked{State: s}).Hooks(stage, ir.StageNone)
		if err != nil {
			return "", err
		}
		for _, name := range hookNames {
			text += fmt.Sprintf("%d %s %s\n", stage, name, strings.Join(h.Passes(name), ","))
		}
	}
	return text, s.Check()
}

// TestHeldStates: testdata/held_states.tsv has what runs for each member of a state, whatever its values are, and why others are
// refused.
func TestHeldStates(t *testing.T) {
	states := heldStates()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(states)) {
		s := states[name]
		taken, refused, sum := 0, 0, sha256.New()
		text, err := asks(s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		fmt.Fprintln(sum, text)
		mangle.EachMember(s, func() {
			text, err := asks(s)
			if fmt.Fprintln(sum, text, err); err != nil {
				refused++
			} else {
				taken++
			}
		})
		fmt.Fprintf(&b, "%s\t%d\t%d\t%x\n", name, taken, refused, sum.Sum(nil)[:8])
	}
	checkTable(t, "testdata/held_states.tsv", b.String())
}
