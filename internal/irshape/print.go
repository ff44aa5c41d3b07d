package irshape

import "strconv"

// printedSrc is a source as the printer wants it: the printed number of its def and the swizzle.
type printedSrc struct {
	def     uint32
	swizzle uint64
}

// printer renders both shapes, so that equal text means equal programs.
type printer struct {
	buf  []byte
	srcs []printedSrc
}

func (p *printer) block(i uint32) {
	p.buf = append(p.buf, 'b')
	p.buf = strconv.AppendUint(p.buf, uint64(i), 10)
	p.buf = append(p.buf, ":\n"...)
}

// instr prints one instruction with the sources gathered in p.srcs, and forgets those.
func (p *printer) instr(op opcode, bits, comps uint8, num uint32, imm uint64) {
	b := append(p.buf, '\t')
	if !ops[op].noDef {
		b = append(b, '%')
		b = strconv.AppendUint(b, uint64(num), 10)
		b = append(b, ':')
		b = strconv.AppendUint(b, uint64(bits), 10)
		b = append(b, 'x')
		b = strconv.AppendUint(b, uint64(comps), 10)
		b = append(b, " = "...)
	}
	b = append(b, ops[op].name...)
	for _, s := range p.srcs {
		b = append(b, " %"...)
		b = strconv.AppendUint(b, uint64(s.def), 10)
		if ops[op].alu {
			b = append(b, '.')
			for k := uint8(0); k < comps; k++ {
				b = append(b, "xyzwefghijklmnop"[s.swizzle>>(4*k)&15])
			}
		}
	}
	if op == opConst || op == opLoad || op == opStore {
		b = append(b, " #"...)
		b = strconv.AppendUint(b, imm, 10)
	}
	p.buf = append(b, '\n')
	p.srcs = p.srcs[:0]
}
