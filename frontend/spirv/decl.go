package spirv

import "nirc/frontend/spirv/spv"

// declarations translates types and constants in their order. One that fails
// is an error only where it is used.
func (t *translator) declarations() {
	for i := range t.m.Insts {
		in := &t.m.Insts[i]
		t.word = int(in.Offset)
		switch op := in.Op; {
		case op == spv.OpFunction:
			t.line.file = -1
			t.line.line = 0
			return
		case op == spv.OpLine || op == spv.OpNoLine:
			t.sourceLine(in)
		case op == spv.OpTypeForwardPointer:
			x := makeInst(in)
			if err := t.guard(func() { t.forwardPointer(&x) }); err != nil {
				if k := t.m.DefIndex(in.IDArg(0)); k >= 0 {
					t.vals[k] = value{kind: vBad, obj: err}
				}
			}
		case isType(op):
			t.declare(in, i, t.typeDecl)
		case isConstant(op):
			t.declare(in, i, t.constDecl)
		case op == spv.OpUndef || op == spv.OpPoisonKHR:
			t.declare(in, i, func(x *inst) {
				t.vals[i] = value{kind: vUndef, typ: t.typeOf(x.typ)}
			})
		}
	}
}

func (t *translator) declare(in *spv.Instruction, i int, f func(*inst)) {
	t.decl = makeInst(in)
	if err := t.guard(func() { f(&t.decl) }); err != nil {
		t.vals[i] = value{kind: vBad, obj: err}
	}
}

func isType(op spv.Op) bool {
	return op >= spv.OpTypeVoid && op <= spv.OpTypePipe || op == spv.OpTypeAccelerationStructureKHR ||
		op.HasResult() && !op.HasResultType() && op > spv.OpTypeForwardPointer && op != spv.OpLabel && op != spv.OpString &&
			op != spv.OpExtInstImport && op != spv.OpDecorationGroup
}

func isConstant(op spv.Op) bool {
	return op >= spv.OpConstantTrue && op <= spv.OpSpecConstantOp ||
		op == spv.OpConstantCompositeReplicateEXT || op == spv.OpSpecConstantCompositeReplicateEXT ||
		op == spv.OpConstantDataKHR || op == spv.OpSpecConstantDataKHR || op == spv.OpConstantSizeOfEXT ||
		// Not translated: they are told by their names.
		op == spv.OpConstantFunctionPointerINTEL || op >= spv.OpSpecConstantTargetINTEL && op <= spv.OpSpecConstantCapabilitiesINTEL
}
