package layouts

import (
	"slices"

	"nirc/backend/layout"
	"nirc/ir"
)

// conversionJSON is a conversion from YCbCr: the fields of VkSamplerYcbcrConversionCreateInfo.
type conversionJSON struct {
	Format     string `json:"format"`
	Model      string `json:"model,omitempty"`
	Range      string `json:"range,omitempty"`
	Components string `json:"components,omitempty"` // four of rgba01
	OffsetX    string `json:"x_chroma_offset,omitempty"`
	OffsetY    string `json:"y_chroma_offset,omitempty"`
	Filter     string `json:"chroma_filter,omitempty"`
}

// The names in conversions, in the order of Vulkan's numbers; the first is the default.
var (
	modelNames  = []string{"rgb_identity", "ycbcr_identity", "ycbcr_709", "ycbcr_601", "ycbcr_2020"}
	rangeNames  = []string{"itu_full", "itu_narrow"}
	chromaNames = []string{"cosited_even", "midpoint"}
)

// formatNames are the formats of conversions.
func formatNames() (names []string) {
	for i := range layout.Formats() {
		names = append(names, layout.Formats()[i].Name)
	}
	return names
}

func (r *reader) conversion(j *conversionJSON, path []any) *layout.Conversion {
	if j.Format == "" {
		r.fail(path, "the conversion has no format")
	}
	return &layout.Conversion{
		Format:     layout.Formats()[r.name("format", j.Format, formatNames(), path)].Format,
		Model:      ir.YCbCrModel(r.name("model", j.Model, modelNames, path)),
		Narrow:     r.name("range", j.Range, rangeNames, path) == 1,
		Components: j.Components,
		MidpointX:  r.name("x_chroma_offset", j.OffsetX, chromaNames, path) == 1,
		MidpointY:  r.name("y_chroma_offset", j.OffsetY, chromaNames, path) == 1,
		Filter:     r.name("chroma_filter", j.Filter, filterNames, path),
	}
}

func conversionForm(c *layout.Conversion) *conversionJSON {
	one := map[bool]int{true: 1}
	j := &conversionJSON{Model: modelNames[min(int(c.Model), len(modelNames)-1)], Range: rangeNames[one[c.Narrow]], Components: c.Components,
		OffsetX: chromaNames[one[c.MidpointX]], OffsetY: chromaNames[one[c.MidpointY]], Filter: filterNames[min(c.Filter, 1)]}
	if i := slices.IndexFunc(layout.Formats(), func(f layout.Planar) bool { return f.Format == c.Format }); i >= 0 {
		j.Format = layout.Formats()[i].Name
	}
	return j
}
