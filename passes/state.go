package passes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nirc/ir"
)

// ShaderState is what of a pipeline's state the shader does: what an API has and the hardware, or Vulkan, has not. The zero value asks
// for nothing. Locations are those of varyings, push offsets those of the words of the push constants, in bytes, where a
// driver leaves what changes between draws. docs/state.md describes each member.
type ShaderState struct {
	AlphaTest     *AlphaTest   `json:"alpha_test,omitempty"`
	AlphaToOne    bool         `json:"alpha_to_one,omitempty"`
	FlatColors    []int        `json:"flat_colors,omitempty"`
	TwoSided      *TwoSided    `json:"two_sided,omitempty"`
	ClampColors   *ClampColors `json:"clamp_colors,omitempty"`
	Broadcast     int          `json:"broadcast_color,omitempty"`
	Points        *PointState  `json:"points,omitempty"`
	Smooth        *SmoothState `json:"smooth,omitempty"`
	FlipY         *FlipY       `json:"flip_y,omitempty"`
	FragCoordW    bool         `json:"frag_coord_w_inverse,omitempty"`
	Clip          *ClipState   `json:"clip,omitempty"`
	EdgeFlags     *EdgeFlags   `json:"edge_flags,omitempty"`
	PatchVertices int          `json:"patch_vertices,omitempty"`
	Shadow        *Shadow      `json:"shadow,omitempty"`
	Blend         []Blend      `json:"blend,omitempty"`
	// Bitmap and DrawPixels draw quads by textures; DefaultBlock is the buffer of OpenGL's default block of uniforms.
	Bitmap       *Bitmap       `json:"bitmap,omitempty"`
	DrawPixels   *DrawPixels   `json:"draw_pixels,omitempty"`
	DefaultBlock *DefaultBlock `json:"default_block,omitempty"`
	// SingleSampled says that a pixel has one sample.
	SingleSampled bool `json:"single_sampled,omitempty"`
	// HalfPrecision computes in 16 bits what RelaxedPrecision lets be.
	HalfPrecision bool `json:"half_precision,omitempty"`
	// ZeroUndefined makes undefined values 0, for applications that take them for that.
	ZeroUndefined bool `json:"zero_undefined,omitempty"`
}

// AlphaTest ends fragments whose alpha does not stand to the reference as the function says (CompareOps).
type AlphaTest struct {
	Func string  `json:"func"`
	Ref  float64 `json:"ref,omitempty"`
}

// TwoSided reads the colours from Back on where the back of a primitive is seen.
type TwoSided struct {
	Front int `json:"front"`
	Back  int `json:"back"`
	Count int `json:"count,omitempty"` // 0 counts as 1
}

// ClampColors clamps colours to 0 … 1: those of attachments, and of the varyings at locations.
type ClampColors struct {
	Attachments []int `json:"attachments,omitempty"`
	Locations   []int `json:"locations,omitempty"`
}

// PointState is that of points.
type PointState struct {
	// Size is that of shaders that store none, in pixels; SizePush has it in the push constants.
	Size     float64 `json:"size,omitempty"`
	SizePush *int    `json:"size_push,omitempty"`
	// Min and Max bound the sizes, in pixels; 0 does not.
	Min float64 `json:"min,omitempty"`
	Max float64 `json:"max,omitempty"`
	// TexCoords are the locations where a fragment reads its place in the point.
	TexCoords []int `json:"texcoords,omitempty"`
	// YInvert counts y of TexCoords from below.
	YInvert bool `json:"y_invert,omitempty"`
}

// SmoothState makes soft edges by alpha.
type SmoothState struct {
	// Points says that the primitives are points; else Samples are those of a pixel, whose share counts.
	Points  bool `json:"points,omitempty"`
	Samples int  `json:"samples,omitempty"`
	// Attachments are the colours that get it; none stands for all.
	Attachments []int `json:"attachments,omitempty"`
}

// FlipY turns what a fragment shader sees of the image upside down: places of fragments and in points, samples, derivatives.
type FlipY struct {
	// Height is that of the image in rows; or scale and bias of y, two floats, are in the push constants.
	Height int  `json:"height,omitempty"`
	Push   *int `json:"push,omitempty"`
	// IntegerCenter puts the centre of the first pixel at 0, 0.
	IntegerCenter bool `json:"integer_center,omitempty"`
}

// ClipState is how primitives are clipped.
type ClipState struct {
	// HalfZ says that the shader's depths are those of OpenGL, -w … w.
	HalfZ bool `json:"half_z,omitempty"`
	// Planes are the user clip planes that are on, plane i four floats at PlanesPush+16i.
	Planes     []int `json:"planes,omitempty"`
	PlanesPush int   `json:"planes_push,omitempty"`
	// Distances, unless nil, are the clip distances of the shader that are on.
	Distances *[]int `json:"distances,omitempty"`
}

// EdgeFlags copies the flag of a vertex from an attribute to an output.
type EdgeFlags struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Shadow compares depths in the shader: "none" does not compare at all.
type Shadow struct {
	Func  string `json:"func"`
	Clamp bool   `json:"clamp,omitempty"`
}

// Blend does in the shader what fixed functions do with the colour of an attachment. Words are those of lower_blend's options.
type Blend struct {
	Attachment int    `json:"attachment"`
	Format     string `json:"format"`
	Enable     bool   `json:"enable,omitempty"`
	SrcColor   string `json:"src_color,omitempty"`
	DstColor   string `json:"dst_color,omitempty"`
	ColorOp    string `json:"color_op,omitempty"`
	SrcAlpha   string `json:"src_alpha,omitempty"`
	DstAlpha   string `json:"dst_alpha,omitempty"`
	AlphaOp    string `json:"alpha_op,omitempty"`
	WriteMask  *int   `json:"write_mask,omitempty"`
	LogicOp    string `json:"logic_op,omitempty"`
}

// Bitmap ends fragments where the texel of a combined image and sampler is not 0.
type Bitmap struct {
	Set       int `json:"set,omitempty"`
	Binding   int `json:"binding"`
	TexCoord  int `json:"texcoord,omitempty"`
	Component int `json:"component,omitempty"`
}

// DrawPixels puts texels in place of a colour.
type DrawPixels struct {
	Set      int `json:"set,omitempty"`
	Binding  int `json:"binding"`
	TexCoord int `json:"texcoord,omitempty"`
	Color    int `json:"color,omitempty"`
	// Push has scale and bias, Map is the binding of the pixel map.
	Push *int `json:"push,omitempty"`
	Map  *int `json:"map,omitempty"`
}

// DefaultBlock is a uniform buffer. Shift moves those that the shader has at its binding, and after it.
type DefaultBlock struct {
	Set     int `json:"set,omitempty"`
	Binding int `json:"binding"`
	Unit    int `json:"unit,omitempty"` // 0 counts as 1
	Shift   int `json:"shift,omitempty"`
}

// stateStage is where a member of the state is done.
type stateStage uint8

const (
	inFragment stateStage = iota
	inVertex
	inLast // the last stage before the rasteriser
	inTess
	inAny
)

func (w stateStage) holds(stage, next ir.Stage) bool {
	switch w {
	case inFragment:
		return stage == ir.StageFragment
	case inVertex:
		return stage == ir.StageVertex
	case inLast:
		return (stage == ir.StageVertex || stage == ir.StageTessEval || stage == ir.StageGeometry) && (next == ir.StageNone || next == ir.StageFragment)
	case inTess:
		return stage == ir.StageTessCtrl || stage == ir.StageTessEval
	}
	return true
}

// stateRow says which pass does a member of the state, and where.
type stateRow struct {
	member, pass, hook string
	on                 stateStage
	// runs are the options of each run, names and texts in turn; none where the state does not ask.
	runs func(*ShaderState) [][]string
}

// stateRows are in the order in which the passes run at their hooks.
var stateRows = []stateRow{
	{"shadow", "lower_tex_shadow_swizzle", HookVariables, inAny, func(s *ShaderState) [][]string {
		return when(s.Shadow != nil && s.Shadow.Func != "none", func() []string { return []string{"func", s.Shadow.Func, "clamp", fmt.Sprint(s.Shadow.Clamp)} })
	}},
	{"shadow", "remove_tex_shadow", HookVariables, inAny, func(s *ShaderState) [][]string {
		return when(s.Shadow != nil && s.Shadow.Func == "none", noOptions)
	}},
	// On variables, and on the slots of shaders that come with inputs and outputs lowered.
	{"points.texcoords", "lower_texcoord_replace", HookVariables, inFragment, (*ShaderState).texcoords},
	{"points.texcoords", "lower_texcoord_replace_late", HookSlots, inFragment, (*ShaderState).texcoords},
	{"half_precision", "lower_mediump_vars", HookVariables, inAny, (*ShaderState).half},
	{"half_precision", "lower_mediump_io", HookSlots, inAny, (*ShaderState).half},
	{"half_precision", "lower_mediump", HookSlots, inAny, (*ShaderState).half},
	{"half_precision", "opt_16bit_tex_image", HookSlots, inAny, (*ShaderState).half},
	{"zero_undefined", "lower_undef_to_zero", HookStart, inAny, func(s *ShaderState) [][]string { return when(s.ZeroUndefined, noOptions) }},
	{"single_sampled", "lower_single_sampled", HookVariables, inFragment, func(s *ShaderState) [][]string { return when(s.SingleSampled, noOptions) }},
	{"patch_vertices", "lower_patch_vertices", HookSlots, inTess, func(s *ShaderState) [][]string {
		return when(s.PatchVertices != 0, func() []string { return []string{"count", strconv.Itoa(s.PatchVertices)} })
	}},
	{"default_block", "lower_uniforms_to_ubo", HookSlots, inAny, func(s *ShaderState) [][]string {
		return when(s.DefaultBlock != nil, func() []string {
			d := s.DefaultBlock
			return []string{"set", strconv.Itoa(d.Set), "binding", strconv.Itoa(d.Binding), "unit", strconv.Itoa(max(1, d.Unit)), "shift", strconv.Itoa(d.Shift)}
		})
	}},
	{"bitmap", "lower_bitmap", HookSlots, inFragment, func(s *ShaderState) [][]string {
		return when(s.Bitmap != nil, func() []string {
			return []string{"set", strconv.Itoa(s.Bitmap.Set), "binding", strconv.Itoa(s.Bitmap.Binding), "texcoord", strconv.Itoa(s.Bitmap.TexCoord), "component", strconv.Itoa(s.Bitmap.Component)}
		})
	}},
	{"draw_pixels", "lower_drawpixels", HookSlots, inFragment, func(s *ShaderState) [][]string {
		return when(s.DrawPixels != nil, func() []string {
			d := s.DrawPixels
			return []string{"set", strconv.Itoa(d.Set), "binding", strconv.Itoa(d.Binding), "texcoord", strconv.Itoa(d.TexCoord), "color", strconv.Itoa(d.Color), "push", push(d.Push), "map", push(d.Map)}
		})
	}},
	{"two_sided", "lower_two_sided_color", HookSlots, inFragment, func(s *ShaderState) [][]string {
		return when(s.TwoSided != nil, func() []string {
			return []string{"front", strconv.Itoa(s.TwoSided.Front), "back", strconv.Itoa(s.TwoSided.Back), "count", strconv.Itoa(max(1, s.TwoSided.Count))}
		})
	}},
	{"flat_colors", "lower_flatshade", HookSlots, inFragment, func(s *ShaderState) [][]string {
		return when(len(s.FlatColors) > 0, func() []string { return []string{"locations", mask(s.flat())} })
	}},
	{"flip_y", "lower_wpos_ytransform", HookSlots, inFragment, func(s *ShaderState) [][]string {
		return when(s.FlipY != nil, func() []string {
			return []string{"height", strconv.Itoa(s.FlipY.Height), "push", push(s.FlipY.Push), "integer_center", fmt.Sprint(s.FlipY.IntegerCenter)}
		})
	}},
	{"flip_y", "lower_pntc_ytransform", HookSlots, inFragment, func(s *ShaderState) [][]string {
		return when(s.FlipY != nil, func() []string { return []string{"push", push(s.FlipY.Push)} })
	}},
	{"frag_coord_w_inverse", "lower_fragcoord_wtrans", HookSlots, inFragment, func(s *ShaderState) [][]string { return when(s.FragCoordW, noOptions) }},
	{"clamp_colors.attachments", "lower_clamp_color_outputs", HookSlots, inFragment, func(s *ShaderState) [][]string {
		return when(s.ClampColors != nil && len(s.ClampColors.Attachments) > 0, func() []string { return []string{"colors", mask(s.ClampColors.Attachments)} })
	}},
	{"smooth.points", "lower_point_smooth", HookSlots, inFragment, func(s *ShaderState) [][]string {
		return when(s.Smooth != nil && s.Smooth.Points, func() []string { return []string{"colors", s.Smooth.colors()} })
	}},
	{"smooth.samples", "lower_poly_line_smooth", HookSlots, inFragment, func(s *ShaderState) [][]string {
		return when(s.Smooth != nil && s.Smooth.Samples != 0, func() []string {
			return []string{"colors", s.Smooth.colors(), "samples", strconv.Itoa(s.Smooth.Samples)}
		})
	}},
	{"alpha_test", "lower_alpha_test", HookSlots, inFragment, func(s *ShaderState) [][]string {
		return when(s.AlphaTest != nil || s.AlphaToOne, func() []string {
			if s.AlphaTest == nil {
				return []string{"alpha_to_one", "true"}
			}
			return []string{"func", s.AlphaTest.Func, "ref", strconv.FormatFloat(s.AlphaTest.Ref, 'g', -1, 64), "alpha_to_one", fmt.Sprint(s.AlphaToOne)}
		})
	}},
	{"broadcast_color", "lower_fragcolor", HookSlots, inFragment, func(s *ShaderState) [][]string {
		return when(s.Broadcast != 0, func() []string { return []string{"count", strconv.Itoa(s.Broadcast)} })
	}},
	{"blend", "lower_blend", HookSlots, inFragment, func(s *ShaderState) (runs [][]string) {
		for i := range s.Blend {
			runs = append(runs, s.Blend[i].options())
		}
		return runs
	}},
	{"edge_flags", "lower_passthrough_edgeflags", HookSlots, inVertex, func(s *ShaderState) [][]string {
		return when(s.EdgeFlags != nil, func() []string {
			return []string{"from", strconv.Itoa(s.EdgeFlags.From), "to", strconv.Itoa(s.EdgeFlags.To)}
		})
	}},
	{"clamp_colors.locations", "lower_clamp_color_outputs", HookSlots, inLast, func(s *ShaderState) [][]string {
		return when(s.ClampColors != nil && len(s.ClampColors.Locations) > 0, func() []string { return []string{"locations", mask(s.ClampColors.Locations)} })
	}},
	{"points.size", "lower_point_size_mov", HookSlots, inLast, func(s *ShaderState) [][]string {
		return when(s.Points != nil && (s.Points.Size != 0 || s.Points.SizePush != nil), func() []string {
			return []string{"size", strconv.FormatFloat(s.Points.Size, 'g', -1, 64), "push", push(s.Points.SizePush)}
		})
	}},
	{"points.min", "lower_point_size", HookSlots, inLast, func(s *ShaderState) [][]string {
		return when(s.Points != nil && (s.Points.Min != 0 || s.Points.Max != 0), func() []string {
			return []string{"min", strconv.Itoa(int(s.Points.Min * 16)), "max", strconv.Itoa(int(s.Points.Max * 16))}
		})
	}},
	// Planes are those of the position that the shader gives.
	{"clip.planes", "lower_clip_vs", HookSlots, inLast, func(s *ShaderState) [][]string {
		return when(s.Clip != nil && len(s.Clip.Planes) > 0, func() []string {
			return []string{"planes", mask(s.Clip.Planes), "push", strconv.Itoa(s.Clip.PlanesPush)}
		})
	}},
	{"clip.distances", "lower_clip_disable", HookSlots, inLast, func(s *ShaderState) [][]string {
		return when(s.Clip != nil && s.Clip.Distances != nil, func() []string { return []string{"planes", mask(*s.Clip.Distances)} })
	}},
	{"clip.half_z", "lower_clip_halfz", HookSlots, inLast, func(s *ShaderState) [][]string {
		return when(s.Clip != nil && s.Clip.HalfZ, noOptions)
	}},
}

// when is one run with options if a member is asked for.
func when(asked bool, options func() []string) [][]string {
	if !asked {
		return nil
	}
	return [][]string{options()}
}

func noOptions() []string { return []string{} }

func (s *ShaderState) half() [][]string { return when(s.HalfPrecision, noOptions) }

func (s *ShaderState) texcoords() [][]string {
	return when(s.Points != nil && len(s.Points.TexCoords) > 0, func() []string {
		return []string{"coords", mask(s.Points.TexCoords), "y_invert", fmt.Sprint(s.Points.YInvert)}
	})
}

// flat are the locations of flat colours, of both sides.
func (s *ShaderState) flat() []int {
	list := append([]int(nil), s.FlatColors...)
	if t := s.TwoSided; t != nil {
		for _, l := range s.FlatColors {
			if l >= t.Front && l < t.Front+max(1, t.Count) {
				list = append(list, l-t.Front+t.Back)
			}
		}
	}
	return list
}

// colors are the attachments as a mask.
func (s *SmoothState) colors() string {
	if len(s.Attachments) == 0 {
		return "255"
	}
	return mask(s.Attachments)
}

// options are lower_blend's; words that are not given have their defaults.
func (t *Blend) options() []string {
	list := []string{"rt", strconv.Itoa(t.Attachment), "format", t.Format, "enable", fmt.Sprint(t.Enable)}
	for _, o := range [][2]string{{"src_color", t.SrcColor}, {"dst_color", t.DstColor}, {"color_op", t.ColorOp}, {"src_alpha", t.SrcAlpha},
		{"dst_alpha", t.DstAlpha}, {"alpha_op", t.AlphaOp}, {"logic_op", t.LogicOp}} {
		if o[1] != "" {
			list = append(list, o[0], o[1])
		}
	}
	if t.WriteMask != nil {
		list = append(list, "write_mask", strconv.Itoa(*t.WriteMask))
	}
	return list
}

// mask is the mask of some bits, which check has looked at.
func mask(bits []int) string {
	m := 0
	for _, b := range bits {
		m |= 1 << b
	}
	return strconv.Itoa(m)
}

// push is the option of an offset into the push constants, -1 for none.
func push(offset *int) string {
	if offset == nil {
		return "-1"
	}
	return strconv.Itoa(*offset)
}

// HookPasses are the names of the passes that may run at the hooks.
func HookPasses() []string {
	list := []string{inlineUniformsPass.Name, lowerPrintfPass.Name}
	for _, r := range stateRows {
		list = append(list, r.pass)
	}
	return list
}

// Check says what is wrong with a state, by the name of its member.
func (s *ShaderState) Check() error {
	for _, stage := range []ir.Stage{ir.StageVertex, ir.StageTessCtrl, ir.StageFragment} {
		if _, err := (&Asked{State: s}).Hooks(stage, ir.StageNone); err != nil {
			return err
		}
	}
	return nil
}

// stateRange is a list of numbers of a state and what they may be. Those up to lastLocation are locations.
type stateRange struct {
	member string
	list   []int
	most   int
}

const lastLocation = maxLocations - 1

// Locations lists the locations of attributes and varyings that the state names.
func (s *ShaderState) Locations() (list []int) {
	for _, r := range s.ranges() {
		if r.most == lastLocation {
			list = append(list, r.list...)
		}
	}
	if t := s.TwoSided; t != nil {
		for k := range max(1, t.Count) {
			list = append(list, t.Front+k, t.Back+k)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// check looks at what the passes could only say of a shader.
func (s *ShaderState) check() error {
	for _, r := range s.ranges() {
		for _, n := range r.list {
			if n < 0 || n > r.most {
				return fmt.Errorf("%s: %d is not one of 0 to %d", r.member, n, r.most)
			}
			if strings.HasSuffix(r.member, "push") && n%4 != 0 {
				return fmt.Errorf("%s: %d is not the offset of a word", r.member, n)
			}
		}
	}
	for i := range s.Blend {
		if err := s.Blend[i].check(); err != nil {
			return fmt.Errorf("blend: %w", err)
		}
	}
	for _, f := range s.compares() {
		if _, err := parseCompare(f[1]); err != nil {
			return fmt.Errorf("%s: %w", f[0], err)
		}
	}
	if f := s.FlipY; f != nil && f.Push == nil && f.Height <= 0 {
		return fmt.Errorf("flip_y: want height, the rows of the image, or push, where scale and bias are")
	}
	if err := s.conflicts(); err != nil {
		return err
	}
	return s.checkPoints()
}

// compares are the members that name a comparison.
func (s *ShaderState) compares() (list [][2]string) {
	if s.AlphaTest != nil {
		list = append(list, [2]string{"alpha_test", s.AlphaTest.Func})
	}
	if s.Shadow != nil && s.Shadow.Func != "none" {
		list = append(list, [2]string{"shadow", s.Shadow.Func})
	}
	return list
}

func (s *ShaderState) checkPoints() error {
	p := s.Points
	if p == nil {
		return nil
	}
	for _, v := range []struct {
		member string
		size   float64
	}{{"size", p.Size}, {"min", p.Min}, {"max", p.Max}} {
		if v.size < 0 || v.size > 1<<16 {
			return fmt.Errorf("points.%s: %g is no size in pixels", v.member, v.size)
		}
	}
	if p.Max != 0 && p.Max < p.Min {
		return fmt.Errorf("points.max: %g is less than the least size, %g", p.Max, p.Min)
	}
	return nil
}

// ranges are the numbers that have bounds.
func (s *ShaderState) ranges() []stateRange {
	const (
		lastColor = 7
		lastPlane = maxClipPlanes - 1
		last      = lastLocation
		lastPush  = 1 << 12
	)
	list := []stateRange{{"flat_colors", s.FlatColors, last}, {"broadcast_color", []int{s.Broadcast}, lastColor + 1}, {"patch_vertices", []int{s.PatchVertices}, 32}}
	if c := s.ClampColors; c != nil {
		list = append(list, stateRange{"clamp_colors.attachments", c.Attachments, lastColor}, stateRange{"clamp_colors.locations", c.Locations, last})
	}
	if t := s.TwoSided; t != nil {
		list = append(list, stateRange{"two_sided.front", []int{t.Front, t.Front + max(1, t.Count) - 1}, last}, stateRange{"two_sided.back", []int{t.Back, t.Back + max(1, t.Count) - 1}, last})
	}
	if p := s.Points; p != nil {
		list = append(list, stateRange{"points.texcoords", p.TexCoords, last}, stateRange{"points.size_push", offsets(p.SizePush), lastPush})
	}
	if m := s.Smooth; m != nil {
		list = append(list, stateRange{"smooth.samples", []int{m.Samples}, 32}, stateRange{"smooth.attachments", m.Attachments, lastColor})
	}
	if f := s.FlipY; f != nil {
		list = append(list, stateRange{"flip_y.height", []int{f.Height}, 1 << 16}, stateRange{"flip_y.push", offsets(f.Push), lastPush})
	}
	const lastBinding = 1<<16 - 1
	if m := s.Bitmap; m != nil {
		list = append(list, stateRange{"bitmap.binding", []int{m.Set, m.Binding}, lastBinding}, stateRange{"bitmap.texcoord", []int{m.TexCoord}, last}, stateRange{"bitmap.component", []int{m.Component}, 3})
	}
	if d := s.DrawPixels; d != nil {
		list = append(list, stateRange{"draw_pixels.binding", append(offsets(d.Map), d.Set, d.Binding), lastBinding}, stateRange{"draw_pixels.texcoord", []int{d.TexCoord, d.Color}, last},
			stateRange{"draw_pixels.push", offsets(d.Push), lastPush})
	}
	if d := s.DefaultBlock; d != nil {
		list = append(list, stateRange{"default_block.binding", []int{d.Set, d.Binding, d.Shift}, lastBinding}, stateRange{"default_block.unit", []int{d.Unit}, 16})
	}
	if e := s.EdgeFlags; e != nil {
		list = append(list, stateRange{"edge_flags.from", []int{e.From}, last}, stateRange{"edge_flags.to", []int{e.To}, last})
	}
	if c := s.Clip; c != nil {
		list = append(list, stateRange{"clip.planes", c.Planes, lastPlane}, stateRange{"clip.planes_push", []int{c.PlanesPush}, lastPush})
		if c.Distances != nil {
			list = append(list, stateRange{"clip.distances", *c.Distances, lastPlane})
		}
	}
	return list
}

// offsets are those of an offset that may be missing.
func offsets(p *int) []int {
	if p == nil {
		return nil
	}
	return []int{*p}
}

// check says what lower_blend would refuse of the state of an attachment.
func (t *Blend) check() error {
	c := NewContext(lowerBlendPass)
	for o := t.options(); len(o) > 0; o = o[2:] {
		if err := c.SetOption(o[0], o[1]); err != nil {
			return err
		}
	}
	if strings.TrimSpace(t.Format) == "" {
		return fmt.Errorf("attachment %d: want its format, by Vulkan's name", t.Attachment)
	}
	_, err := blendOptions(c)
	return err
}

// StateMember is the name of the state's member that an error of Check or Asked.Hooks is about.
func StateMember(err error) string {
	name, _, _ := strings.Cut(err.Error(), ":")
	name, _, _ = strings.Cut(name, ".")
	return name
}
