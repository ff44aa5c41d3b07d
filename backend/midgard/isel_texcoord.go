package midgard

import (
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// sampling gathers what goes into the second input of a texture instruction.
type sampling struct {
	parts []source
}

// put takes the next component for o and returns it.
func (p *sampling) put(o source) uint8 {
	p.parts = append(p.parts, o)
	return uint8(len(p.parts) - 1)
}

func (s *isel) sampleOffset(d *ir.Def, t *isa.Texture, more *sampling) {
	n := int(d.NumComponents)
	var c [3]int
	for i := range n {
		c[i] = int(more.put(s.comp(d, i)))
	}
	if n < 3 {
		zero := int(more.put(constant(0)))
		for i := n; i < 3; i++ {
			c[i] = zero
		}
	}
	t.OffsetReg = true
	t.Offset = isa.OffsetSelector(isa.TexReg{Full: true, Select: 1}, isa.Swz(c[0], c[1], c[2], 0))
}

// dimCoords is the number of coordinates of a dimension.
func dimCoords(d ir.Dim) int {
	switch d {
	case ir.Dim1D, ir.DimBuf:
		return 1
	case ir.Dim3D, ir.DimCube:
		return 3
	}
	return 2
}

// sampleCoords fills an input with coordinates, reference or sample in z, layer
// in w (midgard.md §6.2): the first one where the second holds more. Lanes that mean nothing
// repeat x, but all that a fetch has must hold something.
func (s *isel) sampleCoords(in *ir.Instr, t *isa.Texture, fetch, more bool) bool {
	ti := in.TexInfo()
	q := in.TexSrc(ir.TexSrcCoord)
	if q == nil || q.Def.BitSize != 32 {
		s.fail(in, "a texture operation (%s) without coordinates of 32 bits is not supported", in.TexOp)
		return false
	}
	parts := [4]source{{reg: regNone}, {reg: regNone}, {reg: regNone}, {reg: regNone}}
	n := dimCoords(ti.Dim)
	for i := range n {
		parts[i] = s.comp(q.Def, i)
	}
	if ti.Dim == ir.DimCube {
		pair := s.cubePair(q.Def)
		parts[0], parts[1], parts[2] = pair.lane(0), pair.lane(1), source{reg: regNone}
	}
	if ti.IsArray {
		parts[3] = s.comp(q.Def, n)
	}
	if c := in.TexSrc(ir.TexSrcComparator); c != nil {
		parts[2] = s.comp(c.Def, 0)
		if n == 3 && ti.Dim != ir.DimCube {
			s.fail(in, "a shadow texture of three dimensions is not supported")
		}
	}
	if m := in.TexSrc(ir.TexSrcMsIndex); m != nil {
		parts[2] = s.comp(m.Def, 0)
	}
	var lanes [4]int
	for i := range parts {
		if parts[i].reg != regNone {
			lanes[i] = i
		} else if fetch {
			parts[i], lanes[i] = constant(0), i
		}
	}
	if !fetch && upperPair(&parts) {
		// Where they are in their register they may come with what is below them.
		none := source{reg: regNone}
		parts, lanes = [4]source{none, none, parts[0], parts[1]}, [4]int{2, 3, 2, 2}
	}
	t.CoordSwizzle = isa.Swz(lanes[0], lanes[1], lanes[2], lanes[3])
	if !more && !s.gpu.Alias {
		t.CoordSel = s.coordInput(&parts)
	}
	s.gather(s.texIn(reg(t.CoordSel)), parts[:])
	for i := range parts {
		if parts[i].reg != regNone {
			s.coords[t.CoordSel][i] = parts[i]
		}
	}
	return true
}

// upperPair reports whether coordinates are two, in the upper half of a register.
func upperPair(parts *[4]source) bool {
	x, y := &parts[0], &parts[1]
	return x.reg.virtual() && x.reg == y.reg && x.swz[0] == 2 && y.swz[0] == 3 && parts[2].reg == regNone && parts[3].reg == regNone
}

// unknownCoords is what an input holds that nothing is known of.
var unknownCoords = [4]source{{reg: regNone}, {reg: regNone}, {reg: regNone}, {reg: regNone}}

// coordInput chooses the input for coordinates: the one that was given them last, so that they need not be moved again, else
// the two in turn.
func (s *isel) coordInput(parts *[4]source) uint8 {
	for k := range s.coords {
		same := true
		for i := range parts {
			p, q := &parts[i], &s.coords[k][i]
			same = same && (p.reg == regNone || *p == *q)
		}
		if same {
			return uint8(k)
		}
	}
	for k := range s.coords {
		if s.joinsHeld(parts, &s.coords[k]) {
			return uint8(k)
		}
	}
	k := s.texTurn
	s.texTurn ^= 1
	s.coords[k] = unknownCoords
	return k
}

// joinsHeld reports whether an input has other components of the register that coordinates come from, and nothing where they go.
func (s *isel) joinsHeld(parts, held *[4]source) bool {
	joins := false
	for i := range parts {
		p := &parts[i]
		if p.reg == regNone {
			joins = joins || held[i].reg.virtual() && held[i].reg == parts[i^2].reg
			continue
		}
		if !p.reg.virtual() || held[i].reg != regNone {
			return false
		}
	}
	return joins
}

// cubePair turns a direction into the pair that cube textures take.
func (s *isel) cubePair(coord *ir.Def) source {
	d := s.f.newFirst(2)
	input, number := s.input()
	s.move(input, 7, s.operand(coord, 3, func(i int) int { return i }))
	t := inst{kind: kindLdSt, dst: d, mask: 3}
	t.ld = isa.LoadStore{Op: isa.LdCubemap, Swizzle: isa.Swz(0, 1, 2, 2), Toggle: true, Arg: isa.AddrReg{Reg: number}}
	s.add(t)
	return source{reg: d, swz: identity}
}
