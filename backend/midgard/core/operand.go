package core

import (
	"encoding/binary"
	"fmt"

	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
)

// The register file of a thread. Numbers below 32 are what instructions write;
// reads of 26 and 28 to 31 mean other storage, which stands after it.
const (
	fileTexIn  = isa.RegTex0
	fileCond   = isa.RegCond
	fileTexOut = 32 // texture results 0, 1
	filePCSP   = 34
	fileSize   = 35
)

type widening uint8

const (
	widenNone widening = iota
	widenFloat
	widenSext
	widenZext
	widenReplicate
	widenShift
)

var intWidening = [4]widening{widenSext, widenZext, widenReplicate, widenShift}

// source is an operand with its lanes found: where each comes from, or what it
// is.
type source struct {
	fixed bool
	vals  [16]uint64 // fixed: by lane, widened, with modifiers
	reg   uint8      // index into the file
	off   [16]uint8  // by lane: byte offset
	off2  [16]uint8  // by lane: byte offset of the upper word of a 64-bit pass operand
	pair  bool
	bits  uint // width read
	to    uint // width of the operation
	widen widening
	and   uint64    // modifiers: abs
	xor   uint64    // modifiers: neg
	bytes [2]uint64 // the bits that any lane reads
	// What words reads, if the operand is ready for it.
	comp [4]uint8
	con  [4]uint32
	mods bool
}

// element reads bits of a register at a byte offset, aligned to its width.
func element(r *[2]uint64, off uint8, bits uint) uint64 {
	return r[off>>3&1] >> (off & 7 * 8) & mask(bits)
}

// get reads lane k.
func (s *source) get(file *[fileSize][2]uint64, k int) uint64 {
	if s.fixed {
		return s.vals[k]
	}
	r := &file[s.reg]
	if s.pair {
		return (element(r, s.off[k], 32)|element(r, s.off2[k], 32)<<32)&s.and ^ s.xor
	}
	return s.finish(element(r, s.off[k], s.bits))
}

// finish widens a value and applies abs and neg.
func (s *source) finish(v uint64) uint64 {
	switch s.widen {
	case widenFloat:
		v = fromF(s.to, isa.RoundE, toF(s.bits, v), 0)
	case widenSext:
		v = uint64(sx(s.bits, v)) & mask(s.to)
	case widenReplicate:
		v |= v << s.bits
	case widenShift:
		v <<= s.bits
	}
	return v&s.and ^ s.xor
}

// sourceReg is the file index that reading a register means.
func sourceReg(r uint8, alias bool) (uint8, error) {
	switch {
	case r < 26:
		return r, nil
	case (r == isa.RegTex0 || r == isa.RegTex1) && !alias:
		return r - isa.RegTex0 + fileTexOut, nil
	case r == isa.RegCond:
		return filePCSP, nil
	}
	return 0, fmt.Errorf("register %d cannot be read", r)
}

// setup fills a source of instruction a; lanes are the lanes of the operand
// that are read, in order.
func (s *source) setup(b *isa.Bundle, a *isa.ALU, i int, scalar, alias bool, lanes []int) error {
	s.to = uint(a.Mode.Bits())
	if scalar {
		s.to = 32
	}
	s.and = mask(s.to)
	float := a.Op.Is(isa.FloatSrc)
	if i == 1 && a.Imm {
		s.fixed = true
		v := uint64(int64(int16(a.Const))) & mask(s.to)
		if float {
			v = fromF(s.to, isa.RoundE, toF(16, uint64(a.Const)), 0)
		}
		for k := range lanes {
			s.vals[k] = v
		}
		return nil
	}
	o := &a.Src[i]
	half := o.Expand.Widens()
	if scalar {
		half = !o.Full
	}
	if float && half && s.to == 16 {
		return fmt.Errorf("source %d: 8-bit floats are not supported", i+1)
	}
	s.modifiers(o, float, half)
	s.place(o, a.Mode, scalar, lanes)
	if o.Reg == isa.RegConst {
		if !b.HasConsts {
			return fmt.Errorf("source %d names the constants of a bundle that has none", i+1)
		}
		consts := [fileSize][2]uint64{{binary.LittleEndian.Uint64(b.Consts[:]), binary.LittleEndian.Uint64(b.Consts[8:])}}
		for k := range lanes {
			s.vals[k] = s.get(&consts, k)
		}
		s.fixed = true
		return nil
	}
	var err error
	s.reg, err = sourceReg(o.Reg, alias)
	return err
}

func (s *source) modifiers(o *isa.Source, float, half bool) {
	s.bits = s.to
	if half {
		s.bits /= 2
		s.widen = intWidening[o.Mod&3]
	}
	if !float {
		return
	}
	if half {
		s.widen = widenFloat
	}
	if o.Mod&isa.ModAbs != 0 {
		s.and = mask(s.to - 1)
	}
	if o.Mod&isa.ModNeg != 0 {
		s.xor = 1 << (s.to - 1)
	}
}

// place finds the byte offsets of the lanes.
func (s *source) place(o *isa.Source, m isa.Mode, scalar bool, lanes []int) {
	for k, l := range lanes {
		switch {
		case scalar:
			s.off[k] = o.Comp * 2
			if o.Full {
				s.off[k] &^= 3
			}
		case m == isa.Mode64 && !o.Expand.Widens():
			s.pair = true
			s.off[k] = uint8(o.Swizzle.Lane(2*l) * 4)
			s.off2[k] = uint8(o.Swizzle.Lane(2*l+1) * 4)
			s.touch(s.off2[k], 32)
			s.touch(s.off[k], 32)
			continue
		default:
			s.off[k] = uint8(o.Element(m, l) * int(s.bits) / 8)
		}
		s.touch(s.off[k], s.bits)
	}
}

func (s *source) touch(off uint8, bits uint) { s.bytes[off>>3&1] |= mask(bits) << (off & 7 * 8) }

// shape is how the lanes of an instruction make results.
type shape uint8

const (
	shapeLanes   shape = iota // each lane for itself
	shapeAll                  // one result: all lanes hold
	shapeAny                  // one result: any lane holds
	shapeDot                  // one result: the sum of products
	shapeFma                  // one result: a.x * a.y + b.x
	shapeSelect               // each lane by its condition
	shapeSelectW              // each lane by component w of the condition
)

// inst is one ALU instruction, ready to run.
type inst struct {
	unit    isa.Unit
	op      isa.Op
	fn      aluFn
	shape   shape
	round   isa.Round
	n       int  // lanes read
	bits    uint // width of the operation
	float   bool // the result is a float
	out     isa.OutMod
	shrink  bool
	dstBits uint
	src     [2]source
	lane    [16]uint8 // the lanes written
	off     [16]uint8 // their byte offsets
	nout    int
	reg     uint8
	mask    [2]uint64 // the bits written
	quick   quick
	arith   bool        // float arithmetic, which may flush denormals
	integer bool        // its operands are integers, which conversions to floats take
	approx  *emu.Approx // of results that are not rounded
	bad     error       // found at decoding, reported when run
}

// compile prepares an instruction. What cannot run is remembered as an error of
// its own execution.
func compile(b *isa.Bundle, u isa.Unit, alias bool) (x inst) {
	a := &b.ALU[u]
	info := a.Op.Info()
	x = inst{unit: u, op: a.Op, fn: aluFns.Get()[a.Op], round: info.Round, bits: uint(a.Mode.Bits()), float: a.Op.Is(isa.FloatDst),
		out: a.Out, reg: a.Dst, shrink: a.Shrink != isa.ShrinkNone}
	scalar := u.Scalar()
	if scalar {
		x.bits, x.shrink = 32, !a.DstFull
	}
	if f := fast32[a.Op]; f != nil && x.bits == 32 {
		x.fn = f
	}
	x.dstBits = x.bits
	if x.shrink {
		x.dstBits /= 2
	}
	x.placeResult(a, scalar)
	if x.bad = x.findShape(a); x.bad != nil {
		return x
	}
	var lanes [16]int
	x.n = x.readLanes(a, scalar, &lanes)
	for i := range x.src {
		if err := x.src[i].setup(b, a, i, scalar, alias, lanes[:x.n]); err != nil {
			x.bad = err
		}
	}
	x.approx = lutOps.Get()[a.Op]
	x.arith, x.integer = x.isArith(a), !a.Op.Is(isa.FloatSrc)
	x.quick = x.findQuick()
	return x
}

func (x *inst) findShape(a *isa.ALU) error {
	info := a.Op.Info()
	float := info.Flags&(isa.FloatSrc|isa.FloatDst) != 0
	switch {
	case float && (x.bits == 8 || x.dstBits == 8 && info.Flags&isa.FloatDst != 0):
		return fmt.Errorf("8-bit floats are not supported")
	case x.dstBits == 4:
		return fmt.Errorf("a result of half a byte is not supported")
	case a.Op == isa.OpFdot3 || a.Op == isa.OpFdot4:
		x.shape = shapeDot
	case a.Op >= isa.OpFfma && a.Op <= isa.OpFfmaRtp:
		x.shape = shapeFma
	case info.Flags&isa.SelectVector != 0:
		x.shape = shapeSelect
	case info.Flags&isa.SelectScalar != 0:
		x.shape = shapeSelectW
	case x.fn == nil:
		return fmt.Errorf("%s is not supported: its result is not known", a.Op)
	case a.Op >= isa.OpFballEq && a.Op <= isa.OpFballLe, a.Op >= isa.OpIballIeq && a.Op <= isa.OpIballIle:
		x.shape = shapeAll
	case a.Op >= isa.OpFbanyEq && a.Op <= isa.OpFbanyLe, a.Op >= isa.OpIbanyIeq && a.Op <= isa.OpIbanyIle:
		x.shape = shapeAny
	}
	return nil
}

// reduces reports whether many lanes make one result.
func (x *inst) reduces() bool { return x.shape >= shapeAll && x.shape <= shapeFma }

func (x *inst) placeResult(a *isa.ALU, scalar bool) {
	if scalar {
		x.nout = 1
		x.off[0] = a.DstComp * 2
		if a.DstFull {
			x.off[0] &^= 3
		}
		x.touch(0)
		return
	}
	base := 0
	if a.Shrink == isa.ShrinkHigh {
		base = 8
	}
	lanes := a.Lanes()
	for l := 0; l < a.Mode.Lanes(); l++ {
		if lanes>>l&1 == 0 {
			continue
		}
		x.lane[x.nout] = uint8(l)
		x.off[x.nout] = uint8(base + l*int(x.dstBits)/8)
		x.touch(x.nout)
		x.nout++
	}
}

func (x *inst) touch(k int) { x.mask[x.off[k]>>3&1] |= mask(x.dstBits) << (x.off[k] & 7 * 8) }

// readLanes lists the lanes of the operands that the instruction reads.
func (x *inst) readLanes(a *isa.ALU, scalar bool, lanes *[16]int) int {
	n := x.nout
	switch {
	case scalar:
		return 1
	case x.shape == shapeFma:
		n = 2
	case a.Op.Is(isa.Reduce3):
		n = 3
	case a.Op.Is(isa.Reduce4):
		n = 4
	default:
		for k := range n {
			lanes[k] = int(x.lane[k])
		}
		return n
	}
	for k := range n {
		lanes[k] = k
	}
	return n
}
