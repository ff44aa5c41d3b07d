package irshape

// emit appends an instruction to the open block, marks its sources used, and makes a 32-bit result visible.
func (g *generator) emit(in genInstr) int32 {
	id := int32(len(g.p.instrs))
	g.p.instrs = append(g.p.instrs, in)
	g.used = append(g.used, false)
	for i := range int(ops[in.op].nsrc) {
		g.used[in.src[i]] = true
	}
	if !ops[in.op].noDef && in.bits == 32 {
		g.visible = append(g.visible, id)
	}
	return id
}

// recent returns the last n visible values at most.
func (g *generator) recent(n int) []int32 { return g.visible[max(0, len(g.visible)-n):] }

// value picks a visible value: mostly one that nothing reads yet, so that few values are dead by accident.
func (g *generator) value() int32 {
	if g.rnd(10) < 8 {
		near := g.recent(64)
		for i := range near {
			if !g.used[near[i]] {
				return near[i]
			}
		}
	}
	near := g.recent(200)
	return near[g.rnd(len(near))]
}

// swizzle picks selectors for n components of value v; one in three is the identity where that fits.
func (g *generator) swizzle(v int32, n uint8) uint64 {
	have := g.p.instrs[v].comps
	if have >= n && g.rnd(3) == 0 {
		return identityFor(n)
	}
	var s uint64
	for k := uint8(0); k < n; k++ {
		s |= uint64(g.rnd(int(have))) << (4 * k)
	}
	return s
}

// one emits an instruction of a random kind. The shares are those of the measured shader: see the test of the mix.
func (g *generator) one() {
	switch k := g.rnd(100); {
	case k < 16:
		g.mov()
	case k < 26:
		g.constant()
	case k < 31:
		g.load()
	case k < 32:
		g.store()
	case k < 43:
		g.duplicate()
	default:
		g.alu()
	}
}

func (g *generator) mov() {
	v := g.value()
	in := genInstr{op: opMov, bits: 32, comps: g.p.instrs[v].comps}
	in.src[0], in.swz[0] = v, identityFor(in.comps)
	if g.rnd(2) == 0 {
		in.comps = uint8(1 + g.rnd(4))
		in.swz[0] = g.swizzle(v, in.comps)
	}
	g.emit(in)
}

func (g *generator) constant() {
	g.emit(genInstr{op: opConst, bits: 32, comps: 1, imm: uint64(g.rnd(1 << 20))})
}

func (g *generator) load() {
	v := g.value()
	g.emit(genInstr{op: opLoad, bits: 32, comps: uint8(1 + g.rnd(4)), src: [3]int32{v}, imm: uint64(g.rnd(8))})
}

func (g *generator) store() {
	v, off := g.value(), g.value()
	g.emit(genInstr{op: opStore, src: [3]int32{v, off}, imm: uint64(g.rnd(8))})
}

func (g *generator) alu() {
	id := g.emit(g.aluOp(opNeg+opcode(g.rnd(int(opLt-opNeg))), 32, uint8(1+g.rnd(4))))
	if g.rnd(100) < 12 { // dead on purpose: nothing after can name it
		g.visible = g.visible[:len(g.visible)-1]
		g.used[id] = true
	}
}

func (g *generator) aluOp(op opcode, bits, comps uint8) genInstr {
	in := genInstr{op: op, bits: bits, comps: comps}
	for i := range int(ops[op].nsrc) {
		in.src[i] = g.value()
		in.swz[i] = g.swizzle(in.src[i], comps)
	}
	return in
}

// duplicate emits an instruction equal to a visible one, for CSE to find.
func (g *generator) duplicate() {
	near := g.recent(100)
	for range 16 {
		in := g.p.instrs[near[g.rnd(len(near))]]
		if ops[in.op].cse && in.op != opMov {
			g.emit(in)
			return
		}
	}
	g.alu()
}

// flush stores the values from visible[mark] on that nothing reads, before they go out of scope.
func (g *generator) flush(mark int) {
	first := int32(-1)
	for i := mark; i < len(g.visible) && len(g.p.instrs) < g.wantInstrs; i++ {
		v := g.visible[i]
		switch {
		case g.used[v]:
		case first < 0:
			first = v
		default:
			g.emit(genInstr{op: opStore, src: [3]int32{first, v}})
			first = -1
		}
	}
	if first >= 0 && len(g.p.instrs) < g.wantInstrs {
		g.emit(genInstr{op: opStore, src: [3]int32{first, g.visible[0]}})
	}
}

// condition emits a comparison and the branch that reads it.
func (g *generator) condition() {
	c := g.emit(g.aluOp(opLt, 1, 1))
	g.emit(genInstr{op: opBranch, src: [3]int32{c}})
}

// mergePhis joins up to two pairs of equal width from the ends of both sides of an if.
func (g *generator) mergePhis(a, b []int32) {
	n := 0
	for i := len(a) - 1; i >= 0 && n < 2; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			c := g.p.instrs[a[i]].comps
			if a[i] != b[j] && c == g.p.instrs[b[j]].comps {
				g.emit(genInstr{op: opPhi, bits: 32, comps: c, src: [3]int32{a[i], b[j]}})
				n++
				break
			}
		}
	}
}
