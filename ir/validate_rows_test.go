package ir

import (
	"errors"
	"strings"
	"testing"

	"nirc/ir/optab"
)

// TestRowsOfIntrinsics: of each intrinsic's row a source of a size that it does not allow, an index beyond its limit, a type that is
// none, layers of what has none, and an atomic operation with another number of operands are found; what is at the limits is not.
func TestRowsOfIntrinsics(t *testing.T) {
	sizes := []uint8{1, 8, 16, 32, 64}
	for k := Intrinsic(1); int(k) < NumIntrinsics; k++ {
		info := k.Info()
		s := NewShader(StageCompute, nil)
		f := s.NewFunction("main")
		b := NewBuilder(AtEnd(f.Impl.Start()))
		srcs := make([]*Def, len(info.Srcs))
		for i := range srcs {
			bits := uint8(32)
			for _, z := range sizes {
				if i < len(info.SrcBits) && info.SrcBits[i] != 0 && !info.SrcBits[i].Has(bits) && info.SrcBits[i].Has(z) {
					bits = z
				}
			}
			srcs[i] = b.Undef(1, bits)
		}
		in := b.Intrinsic(k, 1, 32, srcs...)
		if at := info.IndexPos(IdxAtomicOp); at >= 0 && info.Mem.Op == MemSwap {
			in.Imm[at] = uint64(AtomicCmpXchg)
		}
		if info.IndexPos(IdxImageDim) >= 0 {
			in.Set(IdxImageDim, uint64(Dim2D))
		}
		rowsAre(t, in, info, "", "as it should be")
		for i, allowed := range info.SrcBits {
			for _, z := range sizes {
				if allowed != 0 && !allowed.Has(z) {
					was := in.Srcs[i].Def
					in.Srcs[i].Def = b.Undef(1, z)
					rowsAre(t, in, info, "I16", "a source of another size")
					in.Srcs[i].Def = was
				}
			}
		}
		for at, x := range info.Indices {
			was := in.Imm[at]
			if limit := indexLimits[x]; limit != 0 {
				in.Imm[at] = limit
				rowsAre(t, in, info, "I17", x.String()+" at its limit")
			}
			switch x {
			case IdxImageArray:
				in.Imm[at] = 1
				rowsAre(t, in, info, "", "layers")
				in.Set(IdxImageDim, uint64(Dim3D))
				rowsAre(t, in, info, "I17", "layers of a volume")
				in.Set(IdxImageDim, uint64(Dim2D))
			case IdxAtomicOp:
				in.Imm[at] = uint64(AtomicCmpXchg)
				if info.Mem.Op == MemSwap {
					in.Imm[at] = uint64(AtomicIAdd)
				}
				rowsAre(t, in, info, "I17", "an atomic of another number of operands")
			case IdxSrcType, IdxDestType:
				in.Imm[at] = ALUType{Class: ClassFloat, Bits: 32}.Pack()
				rowsAre(t, in, info, "", "a type")
				in.Imm[at] = ALUType{Class: ClassFloat, Bits: 24}.Pack()
				rowsAre(t, in, info, "I17", "a type of 24 bits")
				in.Imm[at] = ALUType{Class: ClassNone, Bits: 32}.Pack()
				rowsAre(t, in, info, "I17", "a type of no class")
			}
			in.Imm[at] = was
		}
	}
}

// rowsAre demands that the row of an instruction is violated by one rule, or by none.
func rowsAre(t *testing.T, in *Instr, info *optab.Intrinsic, rule, what string) {
	t.Helper()
	v := validator{s: NewShader(StageCompute, nil)}
	err := func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err, _ = p.(*ValidationError)
			}
		}()
		v.rows(in, info)
		return nil
	}()
	var ve *ValidationError
	if errors.As(err, &ve) != (rule != "") || ve != nil && !strings.HasPrefix(ve.Rule, rule) {
		t.Errorf("%s, %s: %v, want rule %q", info.Name, what, err, rule)
	}
}
