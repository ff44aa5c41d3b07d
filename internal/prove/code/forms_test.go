package code

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"

	"nirc"
	"nirc/backend"
	"nirc/backend/gputest"
	registry "nirc/internal/targets"
	"nirc/ir"
)

// formsOfOperation are ways to use an operation that selectors tell apart: what its sources come from, and where its result goes.
var formsOfOperation = []struct {
	name   string
	source func(b *ir.Builder, d *ir.Def, k int, float bool) *ir.Def
	result func(b *ir.Builder, d *ir.Def, float bool) *ir.Def
}{
	{"plain", nil, nil},
	{"saturated", nil, func(b *ir.Builder, d *ir.Def, float bool) *ir.Def {
		if float {
			return b.Fsat(d)
		}
		return d
	}},
	{"signs", func(b *ir.Builder, d *ir.Def, k int, float bool) *ir.Def {
		switch {
		case !float:
			return d
		case k%2 == 0:
			return b.Fneg(d)
		}
		return b.Fneg(b.Fabs(d))
	}, nil},
	{"first constant", func(b *ir.Builder, d *ir.Def, k int, float bool) *ir.Def { return constantAt(b, d, k == 0, float) }, nil},
	{"others constant", func(b *ir.Builder, d *ir.Def, k int, float bool) *ir.Def { return constantAt(b, d, k > 0, float) }, nil},
	{"negated", nil, func(b *ir.Builder, d *ir.Def, float bool) *ir.Def {
		switch {
		case float:
			return b.Fneg(d)
		case d.BitSize > 1:
			return b.Ineg(d)
		}
		return b.Inot(d)
	}},
	{"other width", nil, func(b *ir.Builder, d *ir.Def, float bool) *ir.Def {
		switch {
		case float && d.BitSize == 32:
			return b.F2f16(d)
		case float && d.BitSize == 16:
			return b.F2f32(d)
		case !float && d.BitSize == 32:
			return b.U2u16(d)
		case !float && d.BitSize == 16:
			return b.U2u32(d)
		}
		return d
	}},
}

// constantAt is a constant where said, the value elsewhere.
func constantAt(b *ir.Builder, d *ir.Def, here, float bool) *ir.Def {
	switch {
	case !here || d.BitSize == 1:
		return d
	case float:
		return b.ImmFloat(2, d.BitSize)
	}
	return b.ImmInt(3, d.BitSize)
}

// operationForms is a shader that uses an operation in a way, on what it reads from workgroup memory.
func operationForms(op ir.Op, bits uint8, form int) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 32)
	s.SharedSize = 256
	info, f := op.Info(), &formsOfOperation[form]
	lane := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	at := b.Ishl(lane, b.Imm32(2))
	var srcs []*ir.Def
	for k, ty := range info.In {
		w := ty.Bits
		if w == 0 {
			w = bits
		}
		load := b.Intrinsic(ir.IntrLoadShared, 1, max(w, 8), at).Set(ir.IdxBase, uint64(16*k)).Set(ir.IdxAlignMul, uint64(max(w, 8)/8))
		d := &load.Def
		if w == 1 {
			d = b.Ine(d, b.ImmInt(0, 8))
		}
		if f.source != nil {
			d = f.source(b, d, k, ty.Class == ir.ClassFloat)
		}
		srcs = append(srcs, d)
	}
	d := b.ALU(op, srcs...)
	if f.result != nil {
		d = f.result(b, d, info.Out.Class == ir.ClassFloat)
	}
	if d.BitSize == 1 {
		d = b.B2i32(d)
	}
	b.Intrinsic(ir.IntrStoreShared, 0, 0, d, at).Set(ir.IdxBase, 128).Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, uint64(d.BitSize/8))
	return s
}

// TestCodeOperations generates code of each operation at each size and in each form, by itself and as it is: it is that of the table, or a
// change means to change it (go generate).
func TestCodeOperations(t *testing.T) {
	rows := map[string]string{}
	for _, target := range registry.All {
		for form := range formsOfOperation {
			x := reading{sum: sha256.New()}
			for op := ir.Op(0); int(op) < ir.NumOps; op++ {
				info := op.Info()
				if info.Target != "" && info.Target != target.Name() || info.Horizontal() || info.Out.Class == ir.ClassNone {
					continue
				}
				for _, bits := range []uint8{8, 16, 32, 64} {
					if gputest.RunsAt(op, bits) {
						x.operation(t, target, operationForms(op, bits, form))
					}
				}
			}
			rows[fmt.Sprintf("form %s\t%s", formsOfOperation[form].name, target.Name())] = x.row()
		}
	}
	compareRows(t, "form", rows)
}

// operation generates code of a shader as it is.
func (f *reading) operation(t *testing.T, target backend.Backend, s *ir.Shader) {
	if ir.Validate(s) != nil {
		return // sized otherwise
	}
	f.texts++
	wishes, err := target.Options("", s.Stage)
	if err != nil {
		t.Fatal(err)
	}
	s.Options = wishes
	obj, err := nirc.Generate(context.Background(), s, nirc.Options{Target: target.Name()})
	if err != nil {
		f.refuse(err)
		return
	}
	f.compiled++
	f.bytes += len(obj.Code)
	f.sum.Write(facts(t, obj))
}
