package passes

import "nirc/ir"

var assignIOLocationsPass = &Pass{
	Name: "assign_io_locations", Class: "B", Run: assignIOLocations, Idempotent: true,
	Doc: "Numbers the slots that inputs and outputs use without gaps, as driver locations. Input: variables with locations. Output: driver_location of each; " +
		"variables of one slot share it, and inputs and outputs count apart.",
	Options: []Option{{Name: "modes", Doc: "shader_in, shader_out or both", Default: ir.ModeShaderIn | ir.ModeShaderOut}},
}

func assignIOLocations(c *Context, s *ir.Shader) (bool, error) {
	progress := false
	for _, mode := range [2]ir.Mode{ir.ModeShaderIn, ir.ModeShaderOut} {
		if c.Modes("modes")&mode == 0 {
			continue
		}
		var used [256]bool
		slots := func(v *ir.Variable) int32 {
			t := v.Type
			if arrayedIO(s, v) && t.IsArray() {
				t = t.Elem
			}
			if v.Compact {
				return int32(uint32(v.Component)+t.Len+3) / 4
			}
			return int32(t.SlotCount())
		}
		for _, v := range s.Variables {
			if v.Mode == mode && v.Location >= 0 {
				for k := range slots(v) {
					used[min(v.Location+k, 255)] = true
				}
			}
		}
		var number [257]uint32
		for i, u := range used {
			number[i+1] = number[i]
			if u {
				number[i+1]++
			}
		}
		for _, v := range s.Variables {
			if v.Mode == mode && v.Location >= 0 && v.DriverLocation != number[min(v.Location, 255)] {
				v.DriverLocation = number[min(v.Location, 255)]
				progress = true
			}
		}
	}
	return progress, nil
}
