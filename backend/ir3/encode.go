package ir3

import (
	"encoding/binary"
	"fmt"

	"nirc/backend"
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// encode makes the binary of the program, whose instructions stand in order.
func (c *compiler) encode() error {
	b := &Binary{}
	count := len(c.list)
	padded := backend.AlignUp(count+4, 16) // room for what the hardware fetches ahead
	b.Code, b.Locs = make([]byte, 0, isa.WordBytes*padded), make([]uint32, 0, count)
	for i := range c.list {
		in := &c.list[i].Instr
		in.Flags &^= inOrder | narrow
		b.Locs = append(b.Locs, c.list[i].loc)
		w, err := isa.Pack(c.gpu.Gen, in)
		if err != nil {
			return fmt.Errorf("ir3: instruction %d: %w", i, err)
		}
		b.Code = binary.LittleEndian.AppendUint64(b.Code, w)
	}
	nop, err := isa.Pack(c.gpu.Gen, &isa.Instr{Op: isa.OpNop})
	if err != nil {
		return fmt.Errorf("ir3: %w", err)
	}
	for range padded - count { // half of a small shader's words: they are made once
		b.Code = binary.LittleEndian.AppendUint64(b.Code, nop)
	}
	c.describe()
	b.Meta = c.meta
	b.Stats = c.stats(c.list)
	b.Stats.Rpt = c.rpt
	c.bin = b
	if faults.has(faultResident) {
		return nil
	}
	if need, have := b.Meta.WavesPerGroup(&c.gpu.GPU), b.Meta.ResidentWaves(&c.gpu.GPU); c.s.Stage == ir.StageCompute && b.Meta.UsesBarrier && need > have {
		return backend.Refuse(TargetName, c.s, nil, "a barrier is not supported where a workgroup has %d waves of which %d can be resident: %d vec4 registers, fibers wait at %d places",
			need, have, b.Meta.MaxRegs, b.Meta.BranchStack)
	}
	return b.Meta.Check()
}

// codeLines finds where the location of the words changes.
func codeLines(locs []uint32) []backend.CodeLine {
	var lines []backend.CodeLine
	for i, n := range locs {
		if i == 0 || n != locs[i-1] {
			lines = append(lines, backend.CodeLine{Offset: i * isa.WordBytes, Loc: n})
		}
	}
	return lines
}
