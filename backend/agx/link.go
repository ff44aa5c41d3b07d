package agx

import (
	"encoding/json"
	"errors"
	"fmt"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/object"
	"nirc/ir"
)

// linker joins the parts of a program.
type linker struct {
	out    *object.Object
	meta   abi.Meta
	code   []byte
	main   *object.Object
	parts  [3]*object.Object // prolog, main, epilog; nil where there is none
	metas  [3]abi.Meta
	looped int // where the sample loop begins, -1 without one
}

// Link joins objects of the separate ABI, one main part with at most a prolog
// and an epilog of its stage in any order, to an object that runs: the parts stand
// one after another, with the loop over the samples around main part and epilog
// of a fragment shader that runs once a sample (agx.md §11.4).
func (Target) Link(objects []*object.Object) (*object.Object, error) {
	l := &linker{looped: -1}
	for _, o := range objects {
		if err := l.add(o); err != nil {
			return nil, err
		}
	}
	if l.main == nil {
		return nil, errors.New("agx: a program needs a main part, compiled with --abi separate")
	}
	if err := l.check(); err != nil {
		return nil, err
	}
	if err := l.join(); err != nil {
		return nil, err
	}
	data, err := json.Marshal(&l.meta)
	if err != nil {
		return nil, fmt.Errorf("agx: %w", err)
	}
	l.out.Code, l.out.ABI = l.code, data
	l.out.Stats = l.stats()
	return l.out, l.meta.Check()
}

// add takes a part.
func (l *linker) add(o *object.Object) error {
	var m abi.Meta
	if err := backend.Meta(TargetName, o, &m); err != nil {
		return err
	}
	k := 0
	switch m.Part {
	case abi.PartProlog:
	case abi.PartMain:
		k, l.main = 1, o
	case abi.PartEpilog:
		k = 2
	default:
		return fmt.Errorf("agx: %s is no part of a program: compile it with --abi separate", o.Entry)
	}
	if l.parts[k] != nil {
		return fmt.Errorf("agx: there are two %s parts, %s and %s", m.Part, l.parts[k].Entry, o.Entry)
	}
	if err := m.Check(); err != nil {
		return err
	}
	if int(m.CodeSize) > len(o.Code) {
		return fmt.Errorf("agx: the %s part %s has %d bytes of code, its meta says %d", m.Part, o.Entry, len(o.Code), m.CodeSize)
	}
	l.parts[k], l.metas[k] = o, m
	return nil
}

// check finds parts that do not belong together.
func (l *linker) check() error {
	for k, o := range l.parts {
		if o == nil {
			continue
		}
		if o.Stage != l.main.Stage || o.GPU != l.main.GPU {
			return fmt.Errorf("agx: the part %s is for %s %s, the main part for %s %s", o.Entry, o.GPU, o.Stage, l.main.GPU, l.main.Stage)
		}
		if k != 1 && l.metas[k].HasPreamble {
			return fmt.Errorf("agx: the part %s has a preamble, which only the main part can have", o.Entry)
		}
	}
	main := &l.metas[1]
	for _, read := range main.TileReads {
		for _, t := range l.metas[2].Tile {
			if t.Slot == read.Slot && t != read {
				return fmt.Errorf("agx: the main part %s reads colour attachment %d elsewhere in the tile, or in another format, than its epilog stores it", l.main.Entry, t.Slot-ir.SlotData0)
			}
		}
	}
	switch {
	case l.parts[0] != nil && l.metas[0].Next != main.Next:
		return fmt.Errorf("agx: the prolog %s is for a vertex shader before stage %s, the main part for one before %s", l.parts[0].Entry, l.metas[0].Next, main.Next)
	case main.Next != ir.StageNone && l.parts[0] == nil:
		return fmt.Errorf("agx: the main part %s runs as compute and there is no prolog", l.main.Entry)
	case len(main.Attribs) > 0 && l.parts[0] == nil:
		return fmt.Errorf("agx: the main part %s reads %d attributes and there is no prolog", l.main.Entry, len(main.Attribs))
	case l.main.Stage == ir.StageFragment && l.parts[2] == nil:
		return fmt.Errorf("agx: the main part %s has no epilog, which fragment shaders need", l.main.Entry)
	}
	return nil
}

// join puts code and meta together.
func (l *linker) join() (err error) {
	main := &l.metas[1]
	l.meta = *main
	l.meta.Part, l.meta.CodeSize, l.meta.PerSample, l.meta.Results, l.meta.HasPreamble = abi.PartLinked, 0, false, nil, false
	l.meta.Uniforms, l.meta.SampleLoop = nil, main.PerSample
	l.out = &object.Object{Target: TargetName, GPU: l.main.GPU, Stage: l.main.Stage, Entry: l.main.Entry, Data: l.main.Data, Reflect: l.main.Reflect, Files: l.main.Files, Funcs: l.main.Funcs, Calls: l.main.Calls}
	shift := 0
	for k, o := range l.parts {
		if k == 1 && main.PerSample {
			if err := l.open(); err != nil {
				return err
			}
		}
		if o == nil {
			continue
		}
		if k == 1 {
			shift = len(l.code)
		}
		l.code = append(l.code, o.Code[:l.metas[k].CodeSize]...)
		if err := l.merge(&l.metas[k]); err != nil {
			return err
		}
	}
	if main.PerSample {
		if err := l.close(); err != nil {
			return err
		}
	}
	if err := l.emit(isa.Instr{Op: isa.OpStop}); err != nil {
		return err
	}
	for range trapCount {
		if err := l.emit(isa.Instr{Op: isa.OpTrap}); err != nil {
			return err
		}
	}
	return l.preamble(shift)
}

// preamble puts that of the main part after the program, and the source lines
// of both where their code went.
func (l *linker) preamble(shift int) (err error) {
	main := &l.metas[1]
	at := 0
	if main.HasPreamble {
		if int(main.Preamble) > len(l.main.Code) {
			return fmt.Errorf("agx: the preamble of %s lies outside its code", l.main.Entry)
		}
		if l.code, err = align(l.code); err != nil {
			return err
		}
		at = len(l.code)
		l.code = append(l.code, l.main.Code[main.Preamble:]...)
		l.meta.HasPreamble, l.meta.Preamble = true, uint32(at)
	}
	if len(l.main.Lines) == 0 {
		return nil
	}
	moved := func(offset uint32) uint32 {
		if main.HasPreamble && offset >= main.Preamble {
			return offset + uint32(at) - main.Preamble
		}
		return offset + uint32(shift)
	}
	var behind []object.LineEntry
	for _, e := range l.main.Lines {
		inPreamble, inMain := main.HasPreamble && e.Offset >= main.Preamble, e.Offset < main.CodeSize
		e.Offset = moved(e.Offset)
		if inPreamble {
			behind = append(behind, e)
		} else if inMain {
			l.out.Lines = append(l.out.Lines, e)
		}
	}
	for _, x := range l.main.Loops {
		if x.Header >= 0 {
			x.Header = int32(moved(uint32(x.Header)))
		}
		l.out.Loops = append(l.out.Loops, x)
	}
	// The epilog, which stands between them, is of no line.
	l.out.Lines = append(append(l.out.Lines, object.LineEntry{Offset: uint32(shift) + main.CodeSize}), behind...)
	return nil
}

func (l *linker) emit(in isa.Instr) (err error) {
	l.code, err = isa.AppendPack(l.code, &in)
	return err
}

// open starts what runs once a sample: no lane waits, and the first sample.
func (l *linker) open() error {
	if err := l.emit(isa.Instr{Op: isa.OpMovImm16, Dst: isa.H(isa.R0L)}); err != nil {
		return err
	}
	err := l.emit(isa.Instr{Op: isa.OpMovImm16, Dst: isa.H(abi.SampleMaskReg), Imm: 1})
	if l.metas[2].Samples > 1 {
		l.looped = len(l.code)
	}
	return err
}

// close goes on to the next sample while there is one.
func (l *linker) close() error {
	if l.looped < 0 {
		return nil
	}
	mask := isa.H(abi.SampleMaskReg)
	limit := 1<<l.metas[2].Samples - 1
	for _, in := range []isa.Instr{
		{Op: isa.OpIadd, Dst: mask, Srcs: [6]isa.Operand{isa.I(0), mask}, Shift: 1},
		{Op: isa.OpWhileIcmp, Dst: isa.H(isa.R0L), Cond: isa.CondULT, Srcs: [6]isa.Operand{mask, isa.I(limit)}, Nest: 1},
	} {
		if err := l.emit(in); err != nil {
			return err
		}
	}
	if err := l.emit(isa.Instr{Op: isa.OpJmpExecAny, Target: int32(l.looped - len(l.code))}); err != nil {
		return err
	}
	return l.emit(popExec(1))
}

// merge adds what a part says about itself.
func (l *linker) merge(p *abi.Meta) error {
	m := &l.meta
	m.Halves = max(m.Halves, p.Halves)
	m.UniformHalves = max(m.UniformHalves, p.UniformHalves)
	m.ScratchSize = max(m.ScratchSize, p.ScratchSize)
	m.Samples = max(m.Samples, p.Samples)
	m.UsesDiscard = m.UsesDiscard || p.UsesDiscard
	m.NeedsQuads = m.NeedsQuads || p.NeedsQuads
	m.WritesMemory = m.WritesMemory || p.WritesMemory
	m.Fetches = m.Fetches || p.Fetches
	m.KeepDepth = false // the epilog does
	if !faults.has(faultPassFacts) {
		m.Pass.Or(&p.Pass)
	}
	m.Tile = append(m.Tile, p.Tile...)
	if p.TileLayout != nil {
		m.TileLayout = p.TileLayout
	}
	if p.Part == abi.PartProlog { // those of the main part are there
		m.Coefs = append(m.Coefs[:len(m.Coefs):len(m.Coefs)], p.Coefs...)
		m.Lists = m.Lists || p.Lists
	}
	for i := range p.Uniforms {
		if err := l.uniform(&p.Uniforms[i]); err != nil {
			return err
		}
	}
	return nil
}

// uniform adds a uniform, which other parts may have too.
func (l *linker) uniform(u *abi.Uniform) error {
	for i := range l.meta.Uniforms {
		o := &l.meta.Uniforms[i]
		if o.Kind == u.Kind && o.Half == u.Half && o.Element == u.Element && o.Set == u.Set && o.Binding == u.Binding && o.Offset == u.Offset && o.Size == u.Size {
			return nil
		}
		if u.Half < o.Half+o.Halves() && o.Half < u.Half+u.Halves() {
			return fmt.Errorf("agx: the parts want %s and %s at uniform half %d", o.Kind, u.Kind, max(o.Half, u.Half))
		}
	}
	l.meta.Uniforms = append(l.meta.Uniforms, *u)
	return nil
}

// stats adds up what the parts count; what they share is the largest.
func (l *linker) stats() (list []object.Stat) {
	for _, s := range l.main.Stats {
		v := int64(0)
		for _, o := range l.parts {
			if o == nil {
				continue
			}
			switch n := o.Stat(s.Name); s.Name {
			case "halfregs", "regs", "uniforms", "scratch":
				v = max(v, n)
			case "threads":
				if v == 0 || n < v {
					v = n
				}
			default:
				v += n
			}
		}
		switch s.Name {
		case "bytes", "code_bytes":
			v = int64(len(l.code))
		}
		list = append(list, object.Stat{Name: s.Name, Value: v})
	}
	return list
}

// partObject makes the object of a prolog or an epilog.
func partObject(gpu, name string, stage ir.Stage, bin *Binary) (*object.Object, error) {
	data, err := json.Marshal(&bin.Meta)
	if err != nil {
		return nil, fmt.Errorf("agx: %w", err)
	}
	g, err := FindGPU(gpu)
	if err != nil {
		return nil, err
	}
	return &object.Object{Target: TargetName, GPU: g.Name, Stage: stage, Entry: name, Code: bin.Code, ABI: data, Stats: bin.Stats.list(),
		Reflect: object.Reflection{Stage: stage.String()}}, nil
}
