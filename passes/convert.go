package passes

import "nirc/ir"

// The conversion operations by the result's size: 1, 8, 16, 32 and 64 bits.
var (
	intToIntOps     = [...]ir.Op{ir.OpI2i1, ir.OpI2i8, ir.OpI2i16, ir.OpI2i32, ir.OpI2i64}
	uintToUintOps   = [...]ir.Op{ir.OpU2u1, ir.OpU2u8, ir.OpU2u16, ir.OpU2u32, ir.OpU2u64}
	floatToIntOps   = [...]ir.Op{ir.OpF2i1, ir.OpF2i8, ir.OpF2i16, ir.OpF2i32, ir.OpF2i64}
	floatToUintOps  = [...]ir.Op{ir.OpF2u1, ir.OpF2u8, ir.OpF2u16, ir.OpF2u32, ir.OpF2u64}
	boolToIntOps    = [...]ir.Op{ir.OpB2i1, ir.OpB2i8, ir.OpB2i16, ir.OpB2i32, ir.OpB2i64}
	intToFloatOps   = [...]ir.Op{2: ir.OpI2f16, ir.OpI2f32, ir.OpI2f64}
	uintToFloatOps  = [...]ir.Op{2: ir.OpU2f16, ir.OpU2f32, ir.OpU2f64}
	boolToFloatOps  = [...]ir.Op{2: ir.OpB2f16, ir.OpB2f32, ir.OpB2f64}
	floatToFloatOps = [...]ir.Op{2: ir.OpF2f16, ir.OpF2f32, ir.OpF2f64}
)

// ConvertType builds the conversion of x, which is of class from, to a type by
// the operation for it: integers are cut or extended, floats to integers
// truncate, and to floats all round to nearest even.
func ConvertType(b *ir.Builder, x *ir.Def, from ir.TypeClass, to ir.ALUType) *ir.Def {
	n := ir.SizeIndex(to.Bits)
	switch {
	case from == to.Class && x.BitSize == to.Bits, from != ir.ClassFloat && from != ir.ClassBool && to.Class != ir.ClassFloat && to.Class != ir.ClassBool && x.BitSize == to.Bits:
		return x
	case to.Class == ir.ClassBool && from == ir.ClassFloat:
		return b.Fneu(x, b.ImmFloat(0, x.BitSize))
	case to.Class == ir.ClassBool:
		return b.Ine(x, b.ImmInt(0, x.BitSize))
	case from == ir.ClassBool && to.Class == ir.ClassFloat:
		return b.ALU(boolToFloatOps[n], x)
	case from == ir.ClassBool:
		return b.ALU(boolToIntOps[n], x)
	case from == ir.ClassFloat && to.Class == ir.ClassFloat:
		return b.ALU(floatToFloatOps[n], x)
	case from == ir.ClassFloat && to.Class == ir.ClassInt:
		return b.ALU(floatToIntOps[n], x)
	case from == ir.ClassFloat:
		return b.ALU(floatToUintOps[n], x)
	case from == ir.ClassInt && to.Class == ir.ClassFloat:
		return b.ALU(intToFloatOps[n], x)
	case to.Class == ir.ClassFloat:
		return b.ALU(uintToFloatOps[n], x)
	case from == ir.ClassInt:
		return b.ALU(intToIntOps[n], x)
	}
	return b.ALU(uintToUintOps[n], x)
}
