package isa

import (
	"bytes"
	"testing"
)

// TestPacker: a packer gives what AppendPack gives, refuses what it refuses, goes on after that, and makes no garbage.
func TestPacker(t *testing.T) {
	good := Instr{Op: OpFadd32, Dst: R(1), Srcs: [6]Operand{R(2), R(3)}}
	bad := Instr{Op: OpFadd32, Dst: R(1), Srcs: [6]Operand{R(2), I(3)}}
	want, err := Pack(&good)
	if err != nil {
		t.Fatal(err)
	}
	var p Packer
	var code []byte
	for _, in := range []*Instr{&good, &bad, {Op: NumOps}, &good} {
		before := len(code)
		_, wantErr := Pack(in)
		if code, err = p.AppendPack(code, in); (err == nil) != (wantErr == nil) || err != nil && (err.Error() != wantErr.Error() || len(code) != before) {
			t.Errorf("%s: %v, want %v", in.Op, err, wantErr)
		}
	}
	if !bytes.Equal(code, append(append([]byte(nil), want...), want...)) {
		t.Errorf("% x, want % x twice", code, want)
	}
	if n := testing.AllocsPerRun(10, func() { code, _ = p.AppendPack(code[:0], &good) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
