package passes

import (
	"fmt"

	"nirc/ir"
)

var ioAddIntrinsicXfbInfoPass = &Pass{
	Name: "io_add_intrinsic_xfb_info", Class: "A", Run: ioAddIntrinsicXfbInfo, Idempotent: true,
	Instead: "hardware: backends take the shader's captures, which name slots and hold whatever passes make of stores; it stays for targets that capture where they store",
	Doc: "Puts what transform feedback captures of each output into the indices io_xfb and io_xfb2 of the store_output that writes it: buffer, byte offset, components. " +
		"Input: lower_io ran, and io_add_const_offset_to_base where loops were unrolled after it: a captured output that is indexed by a value is refused. The shader's captures stay.",
}

func ioAddIntrinsicXfbInfo(_ *Context, s *ir.Shader) (progress bool, _ error) {
	if len(s.Captures) == 0 {
		return false, nil
	}
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for blk := range f.Impl.Blocks() {
			for in := range blk.Instrs() {
				if !in.IsIntrinsic(ir.IntrStoreOutput) {
					continue
				}
				runs, err := capturesOfStore(s, in)
				if err != nil {
					return false, err
				}
				before := [2]uint64{in.Get(ir.IdxIoXfb), in.Get(ir.IdxIoXfb2)}
				in.SetStoreCaptures(runs)
				progress = progress || before != [2]uint64{in.Get(ir.IdxIoXfb), in.Get(ir.IdxIoXfb2)}
			}
		}
	}
	return progress, nil
}

// capturesOfStore returns the parts of the shader's captures that a store writes.
func capturesOfStore(s *ir.Shader, in *ir.Instr) (runs []ir.Capture, _ error) {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	offset, known := in.Srcs[1].Def.Const(0)
	written := in.Get(ir.IdxWriteMask) << in.Get(ir.IdxComponent)
	for i := range s.Captures {
		c := &s.Captures[i]
		if s.Stage == ir.StageGeometry && c.Stream != sem.GSStreams || c.Slot < sem.Location || int(c.Slot-sem.Location) >= max(int(sem.NumSlots), 1) {
			continue
		}
		switch {
		case !known || offset != 0:
			return nil, refusal(s, in, "transform feedback of an output that is stored at an offset is not supported: io_add_const_offset_to_base must run before, and no value may index it")
		case c.Slot == sem.Location && c.Offset+c.Size() > ir.MaxStoreCaptureOffset:
			return nil, refusal(s, in, fmt.Sprintf("transform feedback to byte %d of a vertex is not supported in stores: %d is the last", c.Offset, ir.MaxStoreCaptureOffset))
		case c.Slot == sem.Location:
			runs = appendWritten(runs, c, written)
		}
	}
	return runs, nil
}

// appendWritten appends the runs of c's components that are written.
func appendWritten(runs []ir.Capture, c *ir.Capture, written uint64) []ir.Capture {
	open := false
	for k := range c.Count {
		if written>>(c.First+k)&1 == 0 {
			open = false
			continue
		}
		if !open {
			part := *c
			part.First, part.Count, part.Offset = c.First+k, 0, c.Offset+uint32(k)*uint32(c.Bits)/8
			runs, open = append(runs, part), true
		}
		runs[len(runs)-1].Count++
	}
	return runs
}
