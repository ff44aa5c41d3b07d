package passes

import "nirc/ir"

var lowerAmulPass = &Pass{
	Name: "lower_amul", For: ir.HasAmul, Class: "A", Run: lowerAmul, Idempotent: true,
	Doc: "Turns amul, the product of an address computation, into imul24 where every object that it may address is small, and into imul elsewhere. " +
		"Input: explicit memory (after lower_explicit_io). Output: no amul. An amul that leads to no access, is 64 bits wide, or reaches memory " +
		"of unknown size becomes imul.",
	Options: []Option{
		{Name: "ubo_max", Doc: "largest uniform buffer in bytes, 0: unknown", Default: 65536},
		{Name: "ssbo_max", Doc: "largest storage buffer in bytes, 0: unknown", Default: 0},
		{Name: "imul24", Doc: "the target has imul24; false makes every amul an imul", Default: true},
	},
}

// imul24Range is what a 24-bit signed product's operands may reach: both are
// at most as large as the product, and that stays inside the object.
const imul24Range = 1 << 23

// Marks of a value in Instr.Flags, beside the worklist's bit: it takes part in
// the address of a small object, or of one that may be large.
const (
	amulSmall = 2 << iota
	amulLarge
)

// amulLowering walks from the accesses back through what computes their
// addresses.
type amulLowering struct {
	s       *ir.Shader
	ubo     int
	ssbo    int
	work    ir.InstrWorklist
	amuls   []*ir.Instr
	enabled bool
}

func lowerAmul(c *Context, s *ir.Shader) (bool, error) {
	l := &amulLowering{s: s, ubo: c.Int("ubo_max"), ssbo: c.Int("ssbo_max"), enabled: c.Bool("imul24")}
	return eachImpl(s, ir.MetaControlFlow, l.impl), nil
}

func (l *amulLowering) impl(impl *ir.Impl) bool {
	l.amuls = l.amuls[:0]
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			in.Flags = 0
			if in.IsALU(ir.OpAmul) {
				l.amuls = append(l.amuls, in)
			}
		}
	}
	if len(l.amuls) == 0 {
		return false
	}
	if l.enabled {
		l.mark(impl)
	}
	for _, in := range l.amuls {
		in.Op = ir.OpImul
		if in.Def.BitSize == 32 && in.Flags&(amulSmall|amulLarge) == amulSmall {
			in.Op = ir.OpImul24
		}
	}
	return true
}

// mark marks what computes addresses with the sizes that these reach.
func (l *amulLowering) mark(impl *ir.Impl) {
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if in.Kind != ir.KindIntrinsic {
				continue
			}
			if at, size := l.address(in); at >= 0 {
				m := uint32(amulLarge)
				if size > 0 && size <= imul24Range {
					m = amulSmall
				}
				l.reach(in.Srcs[at].Def.Instr, m)
			}
		}
	}
	for in := l.work.Pop(); in != nil; in = l.work.Pop() {
		for i := range in.Srcs {
			l.reach(in.Srcs[i].Def.Instr, in.Flags&(amulSmall|amulLarge))
		}
	}
}

// reach adds marks to what makes an address, as far as it is arithmetic.
func (l *amulLowering) reach(in *ir.Instr, m uint32) {
	if in.Kind != ir.KindALU && in.Kind != ir.KindPhi || in.Flags&m == m {
		return
	}
	in.Flags |= m
	l.work.Push(in)
}

// address returns the source of an access that holds its address or offset,
// -1 if it has none, and the size in bytes of what it addresses, 0 unknown.
func (l *amulLowering) address(in *ir.Instr) (at, size int) {
	m := in.Memory()
	if m.Op == ir.MemNone || m.Addr < 0 {
		return -1, 0
	}
	at = int(m.Addr)
	if m.Offset >= 0 {
		at = int(m.Offset) // Addr is a base then, which nothing computes
	}
	switch m.Space {
	case ir.SpaceUbo:
		return at, l.ubo
	case ir.SpaceSsbo:
		return at, l.ssbo
	case ir.SpaceShared:
		return at, int(l.s.SharedSize)
	case ir.SpaceScratch:
		return at, int(l.s.ScratchSize)
	case ir.SpaceConstant:
		return at, len(l.s.ConstantData)
	case ir.SpacePush:
		return at, int(in.Get(ir.IdxBase) + in.Get(ir.IdxRange))
	case ir.SpaceGlobal:
		return at, 0
	}
	return -1, 0
}
