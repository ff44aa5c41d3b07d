package passes

import (
	"bytes"
	"strings"
	"testing"

	"nirc/ir"
)

// cheaperCases are operations of the subgroup in the forms that opt_intrinsics writes otherwise.
func cheaperCases() (list []subgroupCase) {
	add := func(name string, f func(b *ir.Builder, lane, x *ir.Def) *ir.Def) {
		list = append(list, subgroupCase{name, f})
	}
	odd := func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Ine(b.Iand(x, b.Imm32(1)), b.Imm32(0)) }
	for _, op := range []ir.Op{ir.OpIadd, ir.OpImul, ir.OpImin, ir.OpImax, ir.OpUmin, ir.OpUmax, ir.OpIand, ir.OpIor, ir.OpIxor, ir.OpFadd, ir.OpFmul, ir.OpFmin, ir.OpFmax} {
		add(op.String()+" of a scan and the own value", func(b *ir.Builder, lane, x *ir.Def) *ir.Def {
			if op.Info().Out.Class == ir.ClassFloat {
				x = b.U2f32(b.Iand(x, b.Imm32(3)))
			}
			scan := &b.Intrinsic(ir.IntrExclusiveScan, 1, 32, x).Set(ir.IdxReductionOp, uint64(op)).Def
			return b.Iadd(b.ALU(op, scan, x), b.ALU(op, x, scan))
		})
	}
	add("select of shuffles", func(b *ir.Builder, lane, x *ir.Def) *ir.Def {
		shuffle := func(by uint32) *ir.Def {
			return &b.Intrinsic(ir.IntrShuffle, 1, 32, x, b.Iand(b.Ixor(lane, b.Imm32(by)), b.Imm32(31))).Def
		}
		return b.Bcsel(odd(b, x), shuffle(2), shuffle(9))
	})
	for _, op := range []ir.Op{ir.OpIand, ir.OpIor} {
		add(op.String()+" of booleans", func(b *ir.Builder, lane, x *ir.Def) *ir.Def {
			return b.B2i32(&b.Intrinsic(ir.IntrReduce, 1, 1, odd(b, x)).Set(ir.IdxReductionOp, uint64(op)).Def)
		})
	}
	return list
}

// TestCheaperSubgroup: what is written otherwise gives what it gave, with all lanes and with some, and none of it stays.
func TestCheaperSubgroup(t *testing.T) {
	for _, c := range cheaperCases() {
		for _, mask := range []uint64{1<<subgroupLanes - 1, 0xa5c3_9f31_e6, 1 << 37} {
			if strings.Contains(c.name, "shuffle") && mask != 1<<subgroupLanes-1 {
				continue // what a lane that is not there would give is open
			}
			s := subgroupShader(c, mask, subgroupLanes)
			want, err := runSubgroup(ir.Clone(s), 64)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			before := ir.Print(s)
			progress, err := RunPass(s, "opt_intrinsics")
			if err != nil || !progress {
				t.Fatalf("%s: progress %v, %v\n%s", c.name, progress, err, before)
			}
			if err := ir.Validate(s); err != nil {
				t.Fatalf("%s: %v\n%s", c.name, err, ir.Print(s))
			}
			got, err := runSubgroup(s, 64)
			if err != nil {
				t.Fatalf("%s: %v\n%s", c.name, err, ir.Print(s))
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%s: results differ:\n%x\n%x\n%s\n%s", c.name, want, got, before, ir.Print(s))
			}
		}
	}
}
