package agx

import (
	"fmt"

	"nirc/backend"
	"nirc/backend/agx/isa"
)

var trap = isa.Instr{Op: isa.OpTrap}

// align fills code with traps up to where a program may start.
func align(code []byte) (_ []byte, err error) {
	for len(code)%codeAlign != 0 && err == nil {
		code, err = isa.AppendPack(code, &trap)
	}
	return code, err
}

// trapCount is the number of traps after the last instruction.
const trapCount = 8

// encode encodes the instructions one after another. Branches have one length,
// so that their offsets can follow when all places are known.
func (p *program) encode() (code []byte, lines []backend.CodeLine, err error) {
	code = make([]byte, 0, 8*len(p.list)+2*trapCount)
	for _, in := range p.list {
		in.addr = len(code)
		if p.open && in.Op == isa.OpStop {
			break // the next part follows
		}
		if n := len(lines); n == 0 || lines[n-1].Loc != in.loc {
			lines = append(lines, backend.CodeLine{Offset: len(code), Loc: in.loc})
		}
		if code, err = p.code.packer.AppendPack(code, &in.Instr); err != nil {
			return nil, nil, fmt.Errorf("%w in %s", err, in.Text())
		}
	}
	for _, in := range p.list {
		if in.to == nil {
			continue
		}
		in.Target = int32(in.to.addr - in.addr)
		if _, err = p.code.packer.AppendPack(code[:in.addr], &in.Instr); err != nil {
			return nil, nil, fmt.Errorf("%w in %s", err, in.Text())
		}
	}
	if p.open {
		return code, lines, nil
	}
	if faults.has(faultTraps) {
		return code, lines, nil
	}
	end := len(code)
	if code, err = p.code.packer.AppendPack(code, &trap); err != nil {
		return nil, nil, err
	}
	for one := code[end:]; len(code) < end+trapCount*len(one); {
		code = append(code, one...)
	}
	return code, lines, nil
}

// codeAlign is the alignment of a program in the code.
const codeAlign = 128
