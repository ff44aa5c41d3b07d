package midgard

import (
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// aluShape is how an operation is selected.
type aluShape uint8

// aluRow is one operation.
type aluRow struct {
	op    isa.Op
	shape aluShape
}

// aluTable gives the operations that are one instruction (a lane).
var aluTable = [ir.NumOps]aluRow{
	ir.OpFadd: {isa.OpFadd, shapeLanes}, ir.OpFmul: {isa.OpFmul, shapeLanes}, ir.OpFmin: {isa.OpFmin, shapeLanes}, ir.OpFmax: {isa.OpFmax, shapeLanes},
	ir.OpFfloor: {isa.OpFfloor, shapeLanes}, ir.OpFceil: {isa.OpFceil, shapeLanes}, ir.OpFtrunc: {isa.OpFtrunc, shapeLanes},
	ir.OpFroundEven: {isa.OpFroundeven, shapeLanes},
	ir.OpFrcp:       {isa.OpFrcp, shapeOneLane}, ir.OpFrsq: {isa.OpFrsqrt, shapeOneLane}, ir.OpFsqrt: {isa.OpFsqrt, shapeOneLane},
	ir.OpFexp2: {isa.OpFexp2, shapeOneLane}, ir.OpFlog2: {isa.OpFlog2, shapeOneLane},
	ir.OpFsinMdg: {isa.OpFsinpi, shapeOneLane}, ir.OpFcosMdg: {isa.OpFcospi, shapeOneLane},
	ir.OpFdot3: {isa.OpFdot3, shapeReduce}, ir.OpFdot4: {isa.OpFdot4, shapeReduce},
	ir.OpIadd: {isa.OpIadd, shapeLanes}, ir.OpIsub: {isa.OpIsub, shapeLanes}, ir.OpImul: {isa.OpImul, shapeLanes}, ir.OpAmul: {isa.OpImul, shapeLanes},
	ir.OpImul24Relaxed: {isa.OpImul, shapeLanes}, ir.OpUmul24Relaxed: {isa.OpImul, shapeLanes},
	ir.OpImin: {isa.OpImin, shapeLanes}, ir.OpImax: {isa.OpImax, shapeLanes}, ir.OpUmin: {isa.OpUmin, shapeLanes}, ir.OpUmax: {isa.OpUmax, shapeLanes},
	ir.OpIaddSat: {isa.OpIaddsat, shapeLanes}, ir.OpUaddSat: {isa.OpUaddsat, shapeLanes},
	ir.OpIsubSat: {isa.OpIsubsat, shapeLanes}, ir.OpUsubSat: {isa.OpUsubsat, shapeLanes},
	ir.OpIhadd: {isa.OpIavg, shapeLanes}, ir.OpUhadd: {isa.OpUavg, shapeLanes}, ir.OpIrhadd: {isa.OpIravg, shapeLanes}, ir.OpUrhadd: {isa.OpUravg, shapeLanes},
	ir.OpIand: {isa.OpIand, shapeLanes}, ir.OpIor: {isa.OpIor, shapeLanes}, ir.OpIxor: {isa.OpIxor, shapeLanes},
	ir.OpIshl: {isa.OpIshl, shapeLanes}, ir.OpUshr: {isa.OpIlsr, shapeLanes}, ir.OpIshr: {isa.OpIasr, shapeLanes},
	ir.OpUclz: {isa.OpIclz, shapeLanes}, ir.OpIabs: {isa.OpIabsdiff, shapeLanes},
	ir.OpInot:  {isa.OpInor, shapeLanes},
	ir.OpFlt32: {isa.OpFlt, shapeLanes}, ir.OpFge32: {isa.OpFle, shapeSwapped}, ir.OpFeq32: {isa.OpFeq, shapeLanes}, ir.OpFneu32: {isa.OpFne, shapeLanes},
	ir.OpIlt32: {isa.OpIlt, shapeLanes}, ir.OpIge32: {isa.OpIle, shapeSwapped}, ir.OpUlt32: {isa.OpUlt, shapeLanes}, ir.OpUge32: {isa.OpUle, shapeSwapped},
	ir.OpIeq32: {isa.OpIeq, shapeLanes}, ir.OpIne32: {isa.OpIne, shapeLanes},
	ir.OpFlt: {isa.OpFlt, shapeLanes}, ir.OpFge: {isa.OpFle, shapeSwapped}, ir.OpFeq: {isa.OpFeq, shapeLanes}, ir.OpFneu: {isa.OpFne, shapeLanes},
	ir.OpIlt: {isa.OpIlt, shapeLanes}, ir.OpIge: {isa.OpIle, shapeSwapped}, ir.OpUlt: {isa.OpUlt, shapeLanes}, ir.OpUge: {isa.OpUle, shapeSwapped},
	ir.OpIeq: {isa.OpIeq, shapeLanes}, ir.OpIne: {isa.OpIne, shapeLanes},
	ir.OpI2f32: {isa.OpI2f, shapeLanes}, ir.OpU2f32: {isa.OpU2f, shapeLanes}, ir.OpF2i32: {isa.OpF2iRtz, shapeLanes}, ir.OpF2u32: {isa.OpF2uRtz, shapeLanes},
	ir.OpB32allFequal2: {isa.OpFballEq, shapeReduce}, ir.OpB32allFequal3: {isa.OpFballEq, shapeReduce}, ir.OpB32allFequal4: {isa.OpFballEq, shapeReduce},
	ir.OpBallFequal2: {isa.OpFballEq, shapeReduce}, ir.OpBallFequal3: {isa.OpFballEq, shapeReduce}, ir.OpBallFequal4: {isa.OpFballEq, shapeReduce},
	ir.OpB32anyFnequal2: {isa.OpFbanyNe, shapeReduce}, ir.OpB32anyFnequal3: {isa.OpFbanyNe, shapeReduce}, ir.OpB32anyFnequal4: {isa.OpFbanyNe, shapeReduce},
	ir.OpBanyFnequal2: {isa.OpFbanyNe, shapeReduce}, ir.OpBanyFnequal3: {isa.OpFbanyNe, shapeReduce}, ir.OpBanyFnequal4: {isa.OpFbanyNe, shapeReduce},
	ir.OpB32allIequal2: {isa.OpIballIeq, shapeReduce}, ir.OpB32allIequal3: {isa.OpIballIeq, shapeReduce}, ir.OpB32allIequal4: {isa.OpIballIeq, shapeReduce},
	ir.OpBallIequal2: {isa.OpIballIeq, shapeReduce}, ir.OpBallIequal3: {isa.OpIballIeq, shapeReduce}, ir.OpBallIequal4: {isa.OpIballIeq, shapeReduce},
	ir.OpB32anyInequal2: {isa.OpIbanyIne, shapeReduce}, ir.OpB32anyInequal3: {isa.OpIbanyIne, shapeReduce}, ir.OpB32anyInequal4: {isa.OpIbanyIne, shapeReduce},
	ir.OpBanyInequal2: {isa.OpIbanyIne, shapeReduce}, ir.OpBanyInequal3: {isa.OpIbanyIne, shapeReduce}, ir.OpBanyInequal4: {isa.OpIbanyIne, shapeReduce},
}
