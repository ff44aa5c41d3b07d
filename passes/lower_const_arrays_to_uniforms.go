package passes

import (
	"encoding/binary"
	"slices"

	"nirc/ir"
)

var lowerConstArraysToUniformsPass = &Pass{
	Name: "lower_const_arrays_to_uniforms", Class: "C", Run: lowerConstArraysToUniforms, Idempotent: true, Optional: true,
	Instead: "hardware: opt_large_constants puts such arrays into the program's own constant data, which all targets have; it stays for drivers whose constants are OpenGL's uniforms",
	Doc: "Makes local arrays that only ever hold constants and are read at indices that are values hidden uniforms of OpenGL's default block, each a variable with its place in bytes (driver_location) and its values (init), which a driver fills in. " +
		"Loads become load_uniform, for lower_uniforms_to_ubo(unit=1). Components of vectors have no derefs there, so lower_array_deref_of_vec comes first.",
	Options: []Option{
		{"base", "where the first array begins, in bytes: after the shader's own uniforms", 0},
		{"room", "bytes for all arrays; one that does not fit stays", 4096},
		{"threshold", "smallest array that moves, in bytes", 16},
	},
}

func lowerConstArraysToUniforms(c *Context, s *ir.Shader) (bool, error) {
	base, room, threshold := c.Int("base"), c.Int("room"), c.Int("threshold")
	if base < 0 || base > 1<<24 || room < 0 || room > 1<<24 {
		return false, optionError("base=%d, room=%d: want numbers of bytes below 2^24", base, room)
	}
	end := base + room
	for _, v := range s.Variables { // those of an earlier run
		if v.Mode == ir.ModeUniform && v.ExplicitLayout {
			base = max(base, int(v.DriverLocation)+int(v.Type.Size()))
		}
	}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (moved bool) {
		for _, k := range constantVars(impl, threshold, false) {
			at := (base + 15) &^ 15
			if !k.constant(threshold) || at+len(k.data) > end {
				continue
			}
			k.toUniform(s, impl, uint32(at))
			base, moved = at+len(k.data), true
		}
		if moved {
			removeUnusedDerefs(impl)
		}
		return moved
	}), nil
}

// toUniform makes the variable a uniform at a place and reads it there.
func (k *constantVar) toUniform(s *ir.Shader, impl *ir.Impl, at uint32) {
	k.v.Mode, k.v.Type, k.v.ExplicitLayout = ir.ModeUniform, k.t, true
	k.v.DriverLocation, k.v.Init = at, constantFrom(k.t, k.data)
	impl.Locals = slices.DeleteFunc(impl.Locals, func(v *ir.Variable) bool { return v == k.v })
	s.Variables = append(s.Variables, k.v)
	for _, in := range k.stores {
		in.Remove()
	}
	for _, in := range k.loads {
		b := builderBefore(in)
		offset, t := k.offset(b, derefOf(in.Srcs[0].Def))
		l := b.Intrinsic(ir.IntrLoadUniform, in.Def.NumComponents, t.MemBits(), offset)
		l.Set(ir.IdxBase, uint64(at)).Set(ir.IdxRange, uint64(len(k.data)))
		class := ir.ALUType{Class: ir.ClassUint, Bits: t.MemBits()}
		if t.Base == ir.BaseFloat {
			class.Class = ir.ClassFloat
		}
		l.Set(ir.IdxDestType, class.Pack())
		v := &l.Def
		if in.Def.BitSize == 1 {
			v = b.Ine(v, b.Imm32(0))
		}
		in.Def.RewriteUses(v)
		in.Remove()
	}
}

// offset is where a deref leads to, in bytes from the variable's begin, and the type there.
func (k *constantVar) offset(b *ir.Builder, d *ir.Instr) (*ir.Def, *ir.Type) {
	if d.Deref == ir.DerefVar {
		return b.Imm32(0), k.t
	}
	at, t := k.offset(b, derefParent(d))
	if d.Deref == ir.DerefStruct {
		f := &t.Fields[d.DerefInfo().Field]
		return b.IAddImm(at, int64(f.Offset)), f.Type
	}
	return b.Iadd(at, b.IMulImm(resizeUint(b, d.Srcs[1].Def, 32), int64(t.Stride))), t.Child()
}

// constantFrom reads a constant of a type that is laid out.
func constantFrom(t *ir.Type, data []byte) *ir.Constant {
	c := &ir.Constant{}
	switch {
	case t.IsStruct():
		for i := range t.Fields {
			c.Elems = append(c.Elems, constantFrom(t.Fields[i].Type, data[t.Fields[i].Offset:]))
		}
	case t.IsArray():
		for i := range uint64(t.Len) {
			c.Elems = append(c.Elems, constantFrom(t.Elem, data[i*uint64(t.Stride):]))
		}
	case t.IsMatrix():
		for i := range uint64(t.Cols) {
			c.Elems = append(c.Elems, constantFrom(t.Child(), data[i*uint64(t.Stride):]))
		}
	default:
		size := int(t.MemBits() / 8)
		values := make([]uint64, t.Rows)
		for i := range values {
			var word [8]byte
			copy(word[:], data[i*size:(i+1)*size])
			values[i] = binary.LittleEndian.Uint64(word[:])
			if t.Base == ir.BaseBool {
				values[i] = boolBits(values[i] != 0)
			}
		}
		return ir.VectorConstant(values...)
	}
	return c
}
