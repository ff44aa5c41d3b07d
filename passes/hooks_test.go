package passes

import (
	"slices"
	"strings"
	"testing"

	"nirc/ir"
)

// everything is a state that asks for all there is.
func everything() *ShaderState {
	push, on, mask := 16, []int{0}, 7
	return &ShaderState{
		AlphaTest: &AlphaTest{Func: "less", Ref: 0.5}, AlphaToOne: true, FlatColors: []int{0}, TwoSided: &TwoSided{Front: 0, Back: 1},
		ClampColors: &ClampColors{Attachments: []int{0}, Locations: []int{0}}, Broadcast: 2, FragCoordW: true,
		Points: &PointState{SizePush: &push, Min: 1, Max: 8, TexCoords: []int{2}, YInvert: true},
		Smooth: &SmoothState{Samples: 4, Attachments: []int{0}}, FlipY: &FlipY{Height: 16},
		Clip: &ClipState{HalfZ: true, Planes: []int{0, 3}, PlanesPush: 32, Distances: &on}, EdgeFlags: &EdgeFlags{From: 1, To: 5},
		PatchVertices: 3, Shadow: &Shadow{Func: "less"}, Bitmap: &Bitmap{}, DrawPixels: &DrawPixels{}, DefaultBlock: &DefaultBlock{}, SingleSampled: true, HalfPrecision: true, ZeroUndefined: true, Blend: []Blend{{Format: "R8G8B8A8_UNORM", Enable: true, WriteMask: &mask}},
	}
}

// TestHooks: a state that asks for everything runs each pass of its table in the stages that the table says, and no stage runs
// what is the rasteriser's neighbour's where another follows.
func TestHooks(t *testing.T) {
	ran := map[string]bool{}
	for _, c := range []struct{ stage, next ir.Stage }{{ir.StageVertex, ir.StageNone}, {ir.StageVertex, ir.StageGeometry}, {ir.StageTessEval, ir.StageFragment},
		{ir.StageFragment, ir.StageNone}, {ir.StageCompute, ir.StageNone}} {
		h, err := (&Asked{State: everything(), Uniforms: []UniformValue{{Push: true, Offset: 4, Value: 7}}, Printf: &PrintfBuffer{Binding: 4}}).Hooks(c.stage, c.next)
		if err != nil {
			t.Fatal(err)
		}
		list := slices.Concat(h.Passes(HookStart), h.Passes(HookVariables), h.Passes(HookSlots))
		for _, p := range list {
			name, _, _ := strings.Cut(p, "(")
			ran[name] = true
			if last := name == "lower_clip_halfz" || name == "lower_point_size_mov"; last && c.next == ir.StageGeometry {
				t.Errorf("%s runs %s before %s", c.stage, p, c.next)
			}
		}
		if !slices.Contains(list, "inline_uniforms(values=push+4=0x7)") {
			t.Errorf("%s: no uniforms are inlined: %s", c.stage, list)
		}
	}
	s := everything()
	s.Shadow.Func, s.Smooth = "none", &SmoothState{Points: true}
	h, err := (&Asked{State: s}).Hooks(ir.StageFragment, ir.StageNone)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"remove_tex_shadow", "lower_point_smooth"} {
		ran[p] = slices.ContainsFunc(slices.Concat(h.Passes(HookVariables), h.Passes(HookSlots)), func(have string) bool { return strings.HasPrefix(have, p) })
	}
	for _, p := range HookPasses() {
		if !ran[p] {
			t.Errorf("%s does not run", p)
		}
	}
	if h, err := (&Asked{State: &ShaderState{}}).Hooks(ir.StageFragment, ir.StageNone); h != nil || err != nil {
		t.Errorf("a state that asks for nothing: %v, %v", h, err)
	}
}

// TestStateChecks: what a state says wrong is named.
func TestStateChecks(t *testing.T) {
	if err := everything().Check(); err != nil {
		t.Error(err)
	}
	bad := -4
	for member, change := range map[string]func(*ShaderState){
		"alpha_test":       func(s *ShaderState) { s.AlphaTest.Func = "more" },
		"shadow":           func(s *ShaderState) { s.Shadow.Func = "" },
		"flat_colors":      func(s *ShaderState) { s.FlatColors = []int{-1} },
		"two_sided.back":   func(s *ShaderState) { s.TwoSided.Back, s.TwoSided.Count = 31, 2 },
		"points.size_push": func(s *ShaderState) { s.Points.SizePush = &bad },
		"points.max":       func(s *ShaderState) { s.Points.Max = 0.5 },
		"points.size":      func(s *ShaderState) { s.Points.Size = -1 },
		"clip.planes":      func(s *ShaderState) { s.Clip.Planes = []int{8} },
		"clip.distances":   func(s *ShaderState) { s.Clip.Distances = &[]int{8} },
		"smooth.samples":   func(s *ShaderState) { s.Smooth.Samples = 33 },
		"edge_flags.to":    func(s *ShaderState) { s.EdgeFlags.To = 32 },
		"patch_vertices":   func(s *ShaderState) { s.PatchVertices = 33 },
		"broadcast_color":  func(s *ShaderState) { s.Broadcast = 9 },
		"flip_y":           func(s *ShaderState) { s.FlipY = &FlipY{} },
		"flip_y.height":    func(s *ShaderState) { s.FlipY = &FlipY{Height: 480, Push: new(int)} },
		"points.size: size_push gives the size too": func(s *ShaderState) { s.Points.Size, s.Points.SizePush = 2, new(int) },
		"smooth.samples: primitives are points":     func(s *ShaderState) { s.Smooth.Points, s.Smooth.Samples = true, 4 },
		"two_sided.back: locations 1 to 2 are":      func(s *ShaderState) { s.TwoSided.Front, s.TwoSided.Back, s.TwoSided.Count = 0, 1, 3 },
		"blend: attachment 0 is given twice":        func(s *ShaderState) { s.Blend = append(s.Blend, s.Blend[0]) },
		"blend":                                     func(s *ShaderState) { s.Blend[0].SrcColor = "red" },
	} {
		s := everything()
		change(s)
		want := member
		if !strings.Contains(want, ": ") {
			want += ": "
		}
		if err := s.Check(); err == nil || !strings.HasPrefix(err.Error(), want) || StateMember(err) != strings.FieldsFunc(member, func(r rune) bool { return r == '.' || r == ':' })[0] {
			t.Errorf("%s: error %v", member, err)
		}
	}
}
