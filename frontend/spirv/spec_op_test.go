package spirv

import (
	"slices"
	"strings"
	"testing"

	"nirc/ir"
)

// TestSpecConstantOps: what OpSpecConstantOp gives has the bits of its type and no more, and components are taken and put where the
// operation says.
func TestSpecConstantOps(t *testing.T) {
	const text = `OpCapability Shader
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u8 = OpTypeInt 8 0
%u16 = OpTypeInt 16 0
%i16 = OpTypeInt 16 1
%u32 = OpTypeInt 32 0
%i64 = OpTypeInt 64 1
%v2 = OpTypeVector %u32 2
%v4 = OpTypeVector %u32 4
%b200 = OpSpecConstant %u8 200
%b100 = OpConstant %u8 100
%s1 = OpConstant %i16 1
%s7 = OpConstant %i16 7
%sm2 = OpSpecConstant %i16 -2
%n3 = OpSpecConstant %u32 3
%n5 = OpConstant %u32 5
%n7 = OpConstant %u32 7
%n11 = OpConstant %u32 11
%most = OpSpecConstant %u32 0xffffffff
%lm1 = OpSpecConstant %i64 -1
%true = OpSpecConstantTrue %bool
%false = OpSpecConstantFalse %bool
%x = OpSpecConstantComposite %v2 %n5 %n3
%y = OpConstantComposite %v2 %n7 %n11
%more = OpSpecConstantOp %bool UGreaterThan %n5 %n3
%both = OpSpecConstantOp %bool LogicalAnd %more %true
%r = OpSpecConstantOp %TYPE OP
%p = OpTypePointer Private %TYPE
%var = OpVariable %p Private %r
%main = OpFunction %void None %fn
%l = OpLabel
%z = OpLoad %TYPE %var
OpReturn
OpFunctionEnd
`
	for _, c := range []struct {
		typ, op string
		want    []uint64
	}{
		{"u8", "IAdd %b200 %b100", []uint64{44}},
		{"u8", "ISub %b100 %b200", []uint64{156}},
		{"u8", "Not %b200", []uint64{55}},
		{"i16", "SNegate %s7", []uint64{0xfff9}},
		{"i16", "IMul %s7 %sm2", []uint64{0xfff2}},
		{"i16", "SMod %sm2 %s7", []uint64{5}},
		{"i16", "SRem %sm2 %s7", []uint64{0xfffe}},
		{"i16", "ShiftRightArithmetic %sm2 %s1", []uint64{0xffff}},
		{"i16", "ShiftRightLogical %sm2 %s1", []uint64{0x7fff}},
		{"u16", "UConvert %most", []uint64{0xffff}},
		{"u32", "ISub %n3 %n5", []uint64{0xfffffffe}},
		{"u32", "ShiftLeftLogical %most %n3", []uint64{0xfffffff8}},
		{"u32", "UDiv %most %n5", []uint64{0x33333333}},
		{"u32", "Select %both %n5 %n3", []uint64{5}},
		{"u32", "Select %false %n5 %n3", []uint64{3}},
		{"u32", "CompositeExtract %y 1", []uint64{11}},
		{"i64", "SConvert %sm2", []uint64{0xfffffffffffffffe}},
		{"i64", "IAdd %lm1 %lm1", []uint64{0xfffffffffffffffe}},
		{"v2", "IAdd %x %y", []uint64{12, 14}},
		{"v2", "ISub %x %y", []uint64{0xfffffffe, 0xfffffff8}},
		{"v2", "CompositeInsert %n5 %y 1", []uint64{7, 5}},
		{"v2", "VectorShuffle %x %y 3 0", []uint64{11, 5}},
		{"v4", "VectorShuffle %x %y 1 2 0 3", []uint64{3, 7, 5, 11}},
	} {
		s, err := Translate(assemble(t, strings.NewReplacer("TYPE", c.typ, "OP\n", c.op+"\n").Replace(text)), Options{panics: true})
		if err != nil {
			t.Errorf("%s: %v", c.op, err)
			continue
		}
		var got []uint64
		for _, v := range s.Variables {
			if v.Init != nil {
				for k := range int(v.Type.Rows) {
					got = append(got, v.Init.Value(k))
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %#x, want %#x", c.typ, c.op, got, c.want)
		}
	}
}

// TestSpecCompositeOps: composites of all shapes, in each other, come out of OpSpecConstantOp with the type and the values of each of their parts.
func TestSpecCompositeOps(t *testing.T) {
	const text = `OpCapability Shader
OpCapability Int8
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u8 = OpTypeInt 8 0
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%v2 = OpTypeVector %u32 2
%f2 = OpTypeVector %f32 2
%m2 = OpTypeMatrix %f2 2
%n2 = OpConstant %u32 2
%n3 = OpSpecConstant %u32 3
%n5 = OpSpecConstant %u32 5
%n9 = OpConstant %u32 9
%b7 = OpSpecConstant %u8 7
%f1 = OpSpecConstant %f32 1
%f4 = OpConstant %f32 4
%true = OpSpecConstantTrue %bool
%false = OpSpecConstantFalse %bool
%pair = OpTypeArray %v2 %n2
%inner = OpTypeStruct %u8 %v2
%outer = OpTypeStruct %inner %u32 %pair %m2
%v = OpSpecConstantComposite %v2 %n3 %n5
%w = OpSpecConstantComposite %v2 %n5 %n9
%a = OpSpecConstantComposite %pair %v %w
%f = OpSpecConstantComposite %f2 %f1 %f4
%m = OpSpecConstantComposite %m2 %f %f
%i = OpSpecConstantComposite %inner %b7 %v
%o = OpSpecConstantComposite %outer %i %n9 %a %m
%other = OpSpecConstantOp %outer CompositeInsert %n2 %o 1
%r = OpSpecConstantOp %TYPE OP
%p = OpTypePointer Private %TYPE
%var = OpVariable %p Private %r
%main = OpFunction %void None %fn
%l = OpLabel
%z = OpLoad %TYPE %var
OpReturn
OpFunctionEnd
`
	const one, four = 0x3f800000, 0x40800000
	for _, c := range []struct {
		typ, op string
		want    []uint64
	}{
		{"outer", "CompositeInsert %n3 %o 1", []uint64{7, 3, 5, 3, 3, 5, 5, 9, one, four, one, four}},
		{"outer", "CompositeInsert %n9 %o 0 1 0", []uint64{7, 9, 5, 9, 3, 5, 5, 9, one, four, one, four}},
		{"outer", "CompositeInsert %w %o 2 0", []uint64{7, 3, 5, 9, 5, 9, 5, 9, one, four, one, four}},
		{"outer", "CompositeInsert %f4 %o 3 1 0", []uint64{7, 3, 5, 9, 3, 5, 5, 9, one, four, four, four}},
		{"outer", "Select %true %other %o", []uint64{7, 3, 5, 2, 3, 5, 5, 9, one, four, one, four}},
		{"outer", "Select %false %other %o", []uint64{7, 3, 5, 9, 3, 5, 5, 9, one, four, one, four}},
		{"inner", "CompositeExtract %o 0", []uint64{7, 3, 5}},
		{"inner", "CompositeInsert %w %i 1", []uint64{7, 5, 9}},
		{"pair", "CompositeExtract %other 2", []uint64{3, 5, 5, 9}},
		{"pair", "CompositeInsert %n2 %a 1 0", []uint64{3, 5, 2, 9}},
		{"m2", "CompositeInsert %f1 %m 0 1", []uint64{one, one, one, four}},
		{"v2", "CompositeExtract %o 2 1", []uint64{5, 9}},
		{"u8", "CompositeExtract %o 0 0", []uint64{7}},
	} {
		s, err := Translate(assemble(t, strings.NewReplacer("TYPE", c.typ, "OP\n", c.op+"\n").Replace(text)), Options{panics: true})
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			t.Errorf("%s: %v", c.op, err)
			continue
		}
		var got []uint64
		var leaves func(ty *ir.Type, k *ir.Constant)
		leaves = func(ty *ir.Type, k *ir.Constant) {
			if ty.IsVectorOrScalar() {
				for i := range int(ty.Rows) {
					got = append(got, k.Value(i))
				}
				return
			}
			for i, e := range k.Elems {
				child := ty.Child()
				if ty.IsStruct() {
					child = ty.Fields[i].Type
				}
				leaves(child, e)
			}
		}
		for _, v := range s.Variables {
			if v.Init != nil {
				leaves(v.Type, v.Init)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %#x, want %#x", c.typ, c.op, got, c.want)
		}
	}
}
