// Package layouts reads and writes pipeline layouts as the JSON that people give to --layout (docs/abi.md), and holds
// shaders to them.
//
// What a layout is, and where targets put its descriptors, is backend/layout's: no slot is numbered here.
package layouts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"nirc/backend/layout"
	"nirc/internal/jsonplace"
	"nirc/ir"
	"nirc/passes"
)

// schema is the version of the form of layouts.
const schema = 1

// The form in which people write layouts. Names of Vulkan are in small letters, without VK_ and
// what their type says.
type fileJSON struct {
	Schema int        `json:"schema"`
	Sets   []setJSON  `json:"sets,omitempty"`
	Push   []pushJSON `json:"push_constants,omitempty"`
}

type setJSON struct {
	Set      uint32        `json:"set"`
	Bindings []bindingJSON `json:"bindings"`
}

type bindingJSON struct {
	Binding   uint32        `json:"binding"`
	Type      string        `json:"type"`
	Count     *uint32       `json:"count,omitempty"` // 1
	Stages    []string      `json:"stages"`          // null: all
	Immutable []samplerJSON `json:"immutable_samplers,omitempty"`
	Partially bool          `json:"partially_bound,omitempty"`
}

type pushJSON struct {
	Stages []string `json:"stages"` // null: all
	Offset uint32   `json:"offset"`
	Size   uint32   `json:"size"`
}

type samplerJSON struct {
	MagFilter     string   `json:"mag_filter,omitempty"`
	MinFilter     string   `json:"min_filter,omitempty"`
	MipmapMode    string   `json:"mipmap_mode,omitempty"`
	AddressU      string   `json:"address_mode_u,omitempty"`
	AddressV      string   `json:"address_mode_v,omitempty"`
	AddressW      string   `json:"address_mode_w,omitempty"`
	MipLodBias    float32  `json:"mip_lod_bias,omitempty"`
	MinLod        float32  `json:"min_lod,omitempty"`
	MaxLod        *float32 `json:"max_lod,omitempty"`        // no limit: 1000, VK_LOD_CLAMP_NONE
	MaxAnisotropy float32  `json:"max_anisotropy,omitempty"` // 0: none
	CompareOp     string   `json:"compare_op,omitempty"`     // none: no comparison
	BorderColor   string   `json:"border_color,omitempty"`
	Unnormalized  bool     `json:"unnormalized_coordinates,omitempty"`
	// Conversion is in conversion.go.
	Conversion *conversionJSON `json:"ycbcr_conversion,omitempty"`
}

// The names in samplers, in the order of Vulkan's numbers; the first is the default.
var (
	filterNames  = []string{"nearest", "linear"}
	addressNames = []string{"repeat", "mirrored_repeat", "clamp_to_edge", "clamp_to_border", "mirror_clamp_to_edge"}
	compareNames = []string{"never", "less", "equal", "less_or_equal", "greater", "not_equal", "greater_or_equal", "always"}
	borderNames  = []string{"float_transparent_black", "int_transparent_black", "float_opaque_black", "int_opaque_black", "float_opaque_white", "int_opaque_white"}
)

// fields are the names of all fields, for suggestions.
var fields = []string{"schema", "sets", "push_constants", "set", "bindings", "binding", "type", "count", "stages", "immutable_samplers", "partially_bound",
	"offset", "size", "mag_filter", "min_filter", "mipmap_mode", "address_mode_u", "address_mode_v", "address_mode_w", "mip_lod_bias", "min_lod",
	"max_lod", "max_anisotropy", "compare_op", "border_color", "unnormalized_coordinates",
	"ycbcr_conversion", "format", "model", "range", "components", "x_chroma_offset", "y_chroma_offset", "chroma_filter"}

// stageNames are those that layouts may name.
var stageNames = []string{"vertex", "tess_ctrl", "tess_eval", "geometry", "fragment", "compute", "all_graphics", "all"}

// Read reads a pipeline layout from JSON (docs/abi.md). The error is an *Error.
func Read(data []byte) (*layout.Layout, error) {
	r := reader{data: data}
	var j fileJSON
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		line, text := jsonplace.Explain(data, err)
		if name, ok := strings.CutPrefix(text, "unknown field "); ok {
			text += passes.Suggest(strings.Trim(name, `"`), fields)
		}
		return nil, r.errorAt(line, text)
	}
	switch {
	case d.More():
		return nil, r.errorAt(jsonplace.Line(data, d.InputOffset()+1), "there is more after the object")
	case j.Schema != schema:
		return nil, r.problem([]any{"schema"}, "schema: want %d, have %d", schema, j.Schema)
	}
	return r.layout(&j)
}

// Error says what is wrong with the text of a layout.
type Error struct {
	Line int // from 1 on, 0 unknown
	Msg  string
}

// Error returns the message.
func (e *Error) Error() string { return e.Msg }

// reader turns the form into a layout.
type reader struct {
	data []byte
	err  error
}

func (r *reader) errorAt(line int, text string) error {
	return &Error{max(line, 0), "the pipeline layout: " + text}
}

// problem is the error about what stands at a path of names and indices.
func (r *reader) problem(path []any, format string, args ...any) error {
	return r.errorAt(jsonplace.Find(r.data, path...), fmt.Sprintf(format, args...))
}

// layout converts the whole, in order of numbers; places are where sets and bindings stood.
func (r *reader) layout(j *fileJSON) (*layout.Layout, error) {
	l := &layout.Layout{}
	setAt := map[uint32]int{}
	bindingAt := map[[2]uint32]int{}
	for i, s := range j.Sets {
		if _, ok := setAt[s.Set]; ok {
			return nil, r.problem([]any{"sets", i}, "set %d is given twice", s.Set)
		}
		setAt[s.Set] = i
		out := layout.Set{Set: s.Set}
		for k := range s.Bindings {
			b := &s.Bindings[k]
			if _, ok := bindingAt[[2]uint32{s.Set, b.Binding}]; ok {
				return nil, r.problem([]any{"sets", i, "bindings", k}, "set %d binding %d is given twice", s.Set, b.Binding)
			}
			bindingAt[[2]uint32{s.Set, b.Binding}] = k
			out.Bindings = append(out.Bindings, r.binding(b, []any{"sets", i, "bindings", k}))
		}
		slices.SortFunc(out.Bindings, func(a, b layout.Binding) int { return int(int64(a.Binding) - int64(b.Binding)) })
		l.Sets = append(l.Sets, out)
	}
	slices.SortFunc(l.Sets, func(a, b layout.Set) int { return int(int64(a.Set) - int64(b.Set)) })
	for i, p := range j.Push {
		l.Push = append(l.Push, layout.PushRange{Stages: r.stages(p.Stages, []any{"push_constants", i}), Offset: p.Offset, Size: p.Size})
	}
	if r.err != nil {
		return nil, r.err
	}
	if p := l.Check(); p != nil {
		path := []any{"push_constants", p.Range}
		if p.Set >= 0 {
			set := l.Sets[p.Set]
			if path = []any{"sets", setAt[set.Set]}; p.Binding >= 0 {
				path = append(path, "bindings", bindingAt[[2]uint32{set.Set, set.Bindings[p.Binding].Binding}])
			}
		}
		return nil, r.problem(path, "%s", p.Msg)
	}
	return l, nil
}

func (r *reader) binding(b *bindingJSON, path []any) layout.Binding {
	out := layout.Binding{Binding: b.Binding, Count: 1, Stages: r.stages(b.Stages, path), PartiallyBound: b.Partially}
	if b.Count != nil {
		out.Count = *b.Count
	}
	out.Type = layout.Type(r.name("type", b.Type, layout.TypeNames(), path))
	if b.Type == "" {
		r.fail(path, "the binding has no type")
	}
	for i := range b.Immutable {
		out.Immutable = append(out.Immutable, r.sampler(&b.Immutable[i], append(slices.Clone(path), "immutable_samplers", i)))
	}
	return out
}

func (r *reader) sampler(j *samplerJSON, path []any) layout.SamplerState {
	s := layout.SamplerState{
		MagFilter:  r.name("mag_filter", j.MagFilter, filterNames, path),
		MinFilter:  r.name("min_filter", j.MinFilter, filterNames, path),
		MipmapMode: r.name("mipmap_mode", j.MipmapMode, filterNames, path),
		Address: [3]uint8{r.name("address_mode_u", j.AddressU, addressNames, path), r.name("address_mode_v", j.AddressV, addressNames, path),
			r.name("address_mode_w", j.AddressW, addressNames, path)},
		MipLodBias: j.MipLodBias, MinLod: j.MinLod, MaxLod: 1000, MaxAnisotropy: j.MaxAnisotropy,
		Compare: j.CompareOp != "", CompareOp: r.name("compare_op", j.CompareOp, compareNames, path),
		BorderColor: r.name("border_color", j.BorderColor, borderNames, path), Unnormalized: j.Unnormalized,
	}
	if j.MaxLod != nil {
		s.MaxLod = *j.MaxLod
	}
	if j.Conversion != nil {
		s.Conversion = r.conversion(j.Conversion, append(slices.Clone(path), "ycbcr_conversion"))
	}
	return s
}

// name is the number of a name, 0 of none.
func (r *reader) name(field, name string, names []string, path []any) uint8 {
	i := slices.Index(names, name)
	if i < 0 && name != "" {
		r.fail(append(slices.Clone(path), field), "%s: no %q%s (have %s)", field, name, passes.Suggest(name, names), strings.Join(names, ", "))
	}
	return uint8(max(i, 0))
}

// stages is a mask of stages, all where none is named.
func (r *reader) stages(names []string, path []any) (m layout.Stages) {
	if names == nil {
		return layout.AllStages
	}
	for i, n := range names {
		switch s := ir.ParseStage(n); {
		case n == "all":
			m |= layout.AllStages
		case n == "all_graphics":
			m |= layout.AllGraphics
		case s != ir.StageNone && slices.Contains(stageNames, n):
			m |= layout.StageBit(s)
		default:
			r.fail(append(slices.Clone(path), "stages", i), "no stage %q%s (have %s)", n, passes.Suggest(n, stageNames), strings.Join(stageNames, ", "))
		}
	}
	return m
}

func (r *reader) fail(path []any, format string, args ...any) {
	if r.err == nil {
		r.err = r.problem(path, format, args...)
	}
}

// JSON writes a layout in the form that Read reads, in one line, the same for equal
// layouts; nil if it does not hold to Check.
func JSON(l *layout.Layout) []byte {
	j := fileJSON{Schema: schema}
	for _, s := range l.Sets {
		out := setJSON{Set: s.Set, Bindings: []bindingJSON{}}
		for _, b := range s.Bindings {
			count := b.Count
			x := bindingJSON{Binding: b.Binding, Type: b.Type.String(), Count: &count, Stages: stageList(b.Stages), Partially: b.PartiallyBound}
			for _, p := range b.Immutable {
				x.Immutable = append(x.Immutable, samplerForm(&p))
			}
			out.Bindings = append(out.Bindings, x)
		}
		j.Sets = append(j.Sets, out)
	}
	for _, p := range l.Push {
		j.Push = append(j.Push, pushJSON{stageList(p.Stages), p.Offset, p.Size})
	}
	text, err := json.Marshal(&j)
	if err != nil {
		return nil // Check refuses numbers that JSON lacks
	}
	return text
}

// stageList names the stages of a mask that layouts can name; nil is all.
func stageList(m layout.Stages) []string {
	if m == layout.AllStages {
		return nil
	}
	list := []string{}
	for _, n := range stageNames[:6] {
		if m&layout.StageBit(ir.ParseStage(n)) != 0 {
			list = append(list, n)
		}
	}
	return list
}

func samplerForm(p *layout.SamplerState) samplerJSON {
	at := func(names []string, n uint8) string { return names[min(int(n), len(names)-1)] }
	j := samplerJSON{MagFilter: at(filterNames, p.MagFilter), MinFilter: at(filterNames, p.MinFilter), MipmapMode: at(filterNames, p.MipmapMode),
		AddressU: at(addressNames, p.Address[0]), AddressV: at(addressNames, p.Address[1]), AddressW: at(addressNames, p.Address[2]),
		MipLodBias: p.MipLodBias, MinLod: p.MinLod, MaxLod: &p.MaxLod, MaxAnisotropy: p.MaxAnisotropy,
		BorderColor: at(borderNames, p.BorderColor), Unnormalized: p.Unnormalized}
	if p.Compare {
		j.CompareOp = at(compareNames, p.CompareOp)
	}
	if p.Conversion != nil {
		j.Conversion = conversionForm(p.Conversion)
	}
	return j
}
