package passes

import "nirc/ir"

// placeConstant puts the value of a constant variable, of a type that is laid out and takes size bytes, into the shader's constant data.
func placeConstant(s *ir.Shader, v *ir.Variable, size, align uint64) {
	align = max(align, 16)
	for uint64(len(s.ConstantData))%align != 0 {
		s.ConstantData = append(s.ConstantData, 0)
	}
	v.DriverLocation = uint32(len(s.ConstantData))
	data := make([]byte, (size+15)/16*16) // loads take words and vectors of what is narrower
	constantBytes(data, v.Type, v.Init)
	s.ConstantData = append(s.ConstantData, data...)
	v.Init = nil
}

// constantBytes writes a constant of a type that is laid out.
func constantBytes(to []byte, t *ir.Type, c *ir.Constant) {
	switch {
	case c == nil || c.Zero:
	case t.IsStruct():
		for i := range min(len(t.Fields), len(c.Elems)) {
			constantBytes(to[min(int(t.Fields[i].Offset), len(to)):], t.Fields[i].Type, c.Elems[i])
		}
	case t.IsArray() || t.IsMatrix():
		for i := range min(t.ChildCount(), len(c.Elems)) {
			constantBytes(to[min(i*int(t.Stride), len(to)):], t.Child(), c.Elems[i])
		}
	case t.IsNumeric():
		n := int(t.MemBits() / 8)
		for k := range int(t.Rows) {
			for b := range n {
				if at := k*n + b; at < len(to) {
					to[at] = byte(c.Value(k) >> (8 * b))
				}
			}
		}
	}
}
