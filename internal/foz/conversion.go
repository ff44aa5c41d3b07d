package foz

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"nirc/backend/layout"
	"nirc/ir"
)

// typeConversion is VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_CREATE_INFO: Fossilize writes it into a sampler's chain instead of the conversion's handle.
const typeConversion = 1000156000

// conversionJSON has VkSamplerYcbcrConversionCreateInfo's fields. Type is typeConversion.
type conversionJSON struct {
	Type       uint32   `json:"sType"`
	Format     uint32   `json:"format"`
	Model      uint8    `json:"ycbcrModel"`
	Range      uint8    `json:"ycbcrRange"`
	Components []uint16 `json:"components"`
	OffsetX    uint8    `json:"xChromaOffset"`
	OffsetY    uint8    `json:"yChromaOffset"`
	Filter     uint8    `json:"chromaFilter"`
	Explicit   uint32   `json:"forceExplicitReconstruction"`
}

// swizzles are VkComponentSwizzle's values after the identity.
const swizzles = "01rgba"

// readConversion finds a conversion in a chain of structures, nil if there is none.
func readConversion(chain []json.RawMessage) (*layout.Conversion, error) {
	for _, text := range chain {
		var head struct {
			Type uint32 `json:"sType"`
		}
		if err := json.Unmarshal(text, &head); err != nil || head.Type != typeConversion {
			continue // no structure of ours
		}
		var j conversionJSON
		if err := json.Unmarshal(text, &j); err != nil {
			return nil, err
		}
		return j.read()
	}
	return nil, nil
}

func (j *conversionJSON) read() (*layout.Conversion, error) {
	switch {
	case len(j.Components) != 4:
		return nil, fmt.Errorf("a conversion maps %d components, want 4", len(j.Components))
	case j.Range > 1 || j.OffsetX > 1 || j.OffsetY > 1:
		return nil, errors.New("a range or place of chroma of a conversion does not exist")
	case j.Explicit != 0:
		return nil, errors.New("forceExplicitReconstruction is not supported: the hardware filters each plane by itself")
	}
	c := &layout.Conversion{Format: j.Format, Model: ir.YCbCrModel(j.Model), Narrow: j.Range != 0, MidpointX: j.OffsetX != 0, MidpointY: j.OffsetY != 0, Filter: j.Filter}
	for i, s := range j.Components {
		switch {
		case s == 0:
			c.Components += "rgba"[i : i+1]
		case int(s) <= len(swizzles):
			c.Components += swizzles[s-1 : s]
		default:
			return nil, fmt.Errorf("a conversion maps a component to %d, which is none", s)
		}
	}
	return c, nil
}

func writeConversion(c *layout.Conversion) conversionJSON {
	bit := map[bool]uint8{true: 1}
	j := conversionJSON{Type: typeConversion, Format: c.Format, Model: uint8(c.Model), Range: bit[c.Narrow], OffsetX: bit[c.MidpointX], OffsetY: bit[c.MidpointY], Filter: c.Filter, Components: make([]uint16, 4)}
	for i := range c.Components {
		j.Components[i] = uint16(strings.IndexByte(swizzles, c.Components[i]) + 1)
	}
	return j
}
