package isa

import (
	"math/rand"
	"testing"
)

// TestExact: what is said to be kept is what comes back. Each instruction of exact classes is tried in random forms in which
// an operand or a number is then another instruction's, or none at all.
func TestExact(t *testing.T) {
	r := rand.New(rand.NewSource(21))
	operands := []Operand{{}, R(3), R(127), H(3), H(255), R64(4), R(4).Run(2), H(4).Run(2), U(3), UH(3), UH(511), U64(6), U(200), I(0), I(7), I(255), I(256), I(-1),
		{Kind: FImm, Val: 64}, {Kind: SR, Val: 50}, {Kind: TS, Val: 3}, {Kind: Reg, Size: 32, Count: 1, Val: 5}, {Kind: Imm, Size: 16, Val: 1}, {Kind: Imm, Count: 1, Val: 1},
		R(4).With(Cache), R(4).With(Discard), R(4).With(Cache | Discard), R(4).With(Abs), R(4).With(Neg), H(4).With(SignExt), I(3).With(SignExt), I(3).With(Cache),
		U(3).With(Discard), U(3).With(Neg), {Kind: FImm, Val: 64, Flags: Abs | Neg}, {Kind: FImm, Val: 3, Count: 1}}
	exact, kept, packs, x := 0, 0, 0, new(xfer)
	for o := OpInvalid + 1; o < NumOps; o++ {
		in := infoOf(o)
		if !in.exact {
			continue
		}
		exact++
		for range 6000 {
			i, ok := o.Form(r.Uint64)
			if !ok {
				continue
			}
			for range r.Intn(3) {
				spoil(&i, operands, r)
			}
			w, n, err := in.packBy(x, &i)
			if err != nil || candidateOf(w, n) != in.op {
				continue
			}
			packs++
			var back Instr
			err = in.decode(&back, w, n)
			if same := err == nil && back == i; in.keeps(x, &i) {
				kept++
				if !same {
					t.Fatalf("%s: said to be kept, but unpacks as %+v, %v; packed was %+v", o, back, err, i)
				}
			} else if same && i.Flags&Long == 0 {
				t.Fatalf("%s: kept, and not known to be: %+v", o, i)
			}
		}
	}
	if exact < 60 || kept*4 < packs || kept == packs {
		t.Errorf("%d instructions are exact, %d of %d kept", exact, kept, packs)
	}
}

// spoil changes one thing of an instruction.
func spoil(i *Instr, operands []Operand, r *rand.Rand) {
	o, v := operands[r.Intn(len(operands))], r.Intn(18)
	switch k := r.Intn(26); k {
	case 0:
		i.Dst = o
	case 1, 2, 3, 4, 5, 6:
		i.Srcs[k-1] = o
	case 7:
		i.Flags ^= 1 << (v % 10)
	case 8:
		i.Cond = Cond(v)
	case 9:
		i.Shift = uint8(v)
	case 10:
		i.Bits = uint8(v * 4)
	case 11:
		i.Table = uint8(v)
	case 12:
		i.Mode = uint8(v)
	case 13:
		i.Round = Round(v & 3)
	case 14:
		i.Format = Format(v)
	case 15:
		i.Mask = uint8(v)
	case 16:
		i.Slot = uint8(v & 1)
	case 17:
		i.Nest = uint8(v & 7)
	case 18:
		i.Dim = Dim(v)
	case 19:
		i.Lod = Lod(v)
	case 20:
		i.Gather = Gather(v)
	case 21:
		i.Interp = Interp(v)
	case 22:
		i.Imm = uint32(v)
	case 23:
		i.Target = int32(v)
	case 24:
		i.Extra = uint32(v)
	}
}
