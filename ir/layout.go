package ir

// Explicit returns t with offsets and strides (natural alignment, vec3 as vec4), its size and alignment
// in bytes. What has a layout keeps it.
func (t *Type) Explicit() (et *Type, size, align uint64) {
	switch {
	case t.IsArray():
		e, es, ea := t.Elem.Explicit()
		stride := uint64(t.Stride)
		if stride == 0 {
			stride = (es + ea - 1) / ea * ea
		}
		return ArrayType(e, t.Len, uint32(stride)), stride * uint64(t.Len), ea
	case t.IsStruct():
		c := *t
		c.Fields = append([]Field(nil), t.Fields...)
		align = 1
		for i := range c.Fields {
			f := &c.Fields[i]
			ft, fs, fa := f.Type.Explicit()
			f.Type = ft
			if f.Offset < 0 {
				f.Offset = int32((size + fa - 1) / fa * fa)
			}
			size = max(size, uint64(f.Offset)+fs)
			align = max(align, fa)
		}
		return &c, (size + align - 1) / align * align, align
	case t.IsMatrix():
		col := t.Column()
		_, cs, ca := col.Explicit()
		if t.Stride != 0 {
			return t, t.Size(), ca
		}
		c := *t
		c.Stride = uint32((cs + ca - 1) / ca * ca)
		return &c, uint64(c.Stride) * uint64(c.Cols), ca
	case t.IsNumeric():
		n := uint64(t.MemBits() / 8)
		rows := uint64(t.Rows)
		if rows == 3 {
			rows = 4
		}
		return t, n * uint64(t.Rows), n * rows
	}
	return t, 4, 4
}
