package core

import (
	"math/rand"
	"testing"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// anything runs bytes as a program of each stage; nothing may panic.
func anything(code []byte, check bool) {
	code = code[:len(code)&^15]
	if len(code) == 0 {
		return
	}
	for _, stage := range []ir.Stage{ir.StageCompute, ir.StageVertex, ir.StageFragment} {
		m := fragMeta()
		m.Stage, m.FirstTag, m.WorkRegs = stage, isa.Tag(code[0]&15), 16
		m.Textures, m.Samplers = []abi.Texture{{Range: abi.Range{Count: 2}}}, make([]abi.Range, 2)
		m.Images = []abi.Texture{{Range: abi.Range{First: 34, Count: 2}}}
		m.Attributes = []abi.Record{{}, {Kind: abi.RecordAttribute}}
		m.UBOs = []abi.UBO{{Kind: abi.UBOSysvals}, {Kind: abi.UBOBinding}, {Kind: abi.UBOPush}}
		for k := abi.SysvalNone + 1; k < abi.NumSysvals; k++ {
			m.Sysvals = append(m.Sysvals, abi.Sysval{Kind: k})
		}
		m.TLSSize, m.SharedSize = 32, 32
		p, err := Load(code, m)
		if err != nil {
			continue
		}
		l := quad()
		l.Check = check
		l.Compute = &emu.ComputeLaunch{LocalID: make([][3]uint32, 4), Shared: make([]byte, 32)}
		l.Vertex = make([]emu.VertexLane, 4)
		l.NumLanes = p.WaveSize()
		w := p.NewWave(l)
		for range 4 {
			if st, err := w.Run(500); err != nil || st == emu.StatusDone {
				break
			}
		}
	}
}

// randomProgram makes a program of bundles with random fields; most tags and
// opcodes are good ones.
func randomProgram(r *rand.Rand) []byte {
	var code []byte
	for range 1 + r.Intn(6) {
		tag := []isa.Tag{isa.TagTexVtx, isa.TagTex, isa.TagBarrier, isa.TagLdSt, isa.TagLdSt, isa.TagALU4, isa.TagALU4 + 1, isa.TagALU4 + 2}[r.Intn(8)]
		q := make([]byte, tag.Quads()*isa.Quad)
		r.Read(q)
		if tag.ALU() {
			b := isa.Bundle{}
			for u := isa.UnitVMUL; u < isa.NumALUUnits; u++ {
				if r.Intn(2) == 0 {
					a := isa.Vector(isa.Op(r.Intn(256)), isa.Mode(r.Intn(4)), uint8(r.Intn(32)), uint8(r.Intn(256)))
					a = a.From(0, isa.Source{Reg: uint8(r.Intn(32)), Swizzle: isa.Swizzle(r.Intn(256)), Expand: isa.Expand(r.Intn(8)), Mod: isa.Mod(r.Intn(4))})
					a.Shrink, a.Out = isa.Shrink(r.Intn(4)), isa.OutMod(r.Intn(4))
					if u.Scalar() {
						a = isa.Scalar(isa.Op(r.Intn(256)), uint8(r.Intn(32)), r.Intn(4)).From(0, isa.Source{Reg: uint8(r.Intn(32)), Comp: uint8(r.Intn(8)), Full: r.Intn(2) == 0})
					}
					b.Add(u, a)
				}
			}
			if r.Intn(2) == 0 {
				b.SetBranch(isa.Branch{Op: isa.BranchOp(r.Intn(8)), Cond: isa.Cond(r.Intn(4)) * 0x5555, Target: isa.Tag(r.Intn(16)), Offset: int32(r.Intn(7) - 3)})
			}
			b.SetTag(r.Intn(4) == 0)
			q, _ = isa.AppendEncode(nil, &b)
			tag = b.Tag
		}
		q[0] = byte(tag)
		code = append(code, q...)
	}
	// Link the next tags.
	for at := 0; at < len(code); {
		size := isa.Tag(code[at]&15).Quads() * isa.Quad
		next := byte(isa.TagBreak)
		if at+size < len(code) {
			next = code[at+size] & 15
		}
		code[at] = code[at]&15 | next<<4
		at += size
	}
	return code
}

func TestRandomPrograms(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 3000 {
		code := randomProgram(r)
		anything(code, false)
		anything(code, true)
	}
}

func FuzzRun(f *testing.F) {
	r := rand.New(rand.NewSource(2))
	for range 30 {
		f.Add(randomProgram(r))
	}
	f.Fuzz(func(_ *testing.T, code []byte) { anything(code, len(code)&16 != 0) })
}

// BenchmarkLoop counts down in a bundle of two instructions and a branch.
func BenchmarkLoop(b *testing.B) {
	prog := []isa.Bundle{constants(0, [4]uint32{1 << 30, 0}),
		alu(func(b *isa.Bundle) {
			b.Add(isa.UnitVMUL, isa.Vector(isa.OpFmul, isa.Mode32, 1, 0xff).From(0, isa.VReg(0, isa.XYZW)).From(1, isa.VReg(0, isa.XYZW)))
			b.Add(isa.UnitSADD, isa.Scalar(isa.OpIadd, 0, 0).From(0, isa.SReg(0, 0)).Inline(0xffff))
			b.Add(isa.UnitSMUL, isa.Scalar(isa.OpIne, isa.RegCond, 3).From(0, isa.SReg(0, 0)).Inline(0))
			b.SetBranch(isa.Branch{Op: isa.BranchCond, Cond: isa.CondTrue, Target: isa.TagALU4 + 2, Offset: -3})
		})}
	prog[1].Extended.Target, prog[1].Extended.Offset = prog[1].Tag, -int32(prog[1].Quads())
	isa.Link(prog)
	code, err := isa.Encode(prog)
	if err != nil {
		b.Fatal(err)
	}
	m := computeMeta()
	m.FirstTag = prog[0].Tag
	p, err := Load(code, m)
	if err != nil {
		b.Fatal(err)
	}
	w := p.NewWave(&emu.Launch{Env: newEnv(), NumLanes: 1, Compute: &emu.ComputeLaunch{LocalID: make([][3]uint32, 1)}})
	if _, err := w.Run(10); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	if st, err := w.Run(b.N); err != nil || st != emu.StatusYield {
		b.Fatal(st, err)
	}
}

// BenchmarkThreads starts and ends threads.
func BenchmarkThreads(b *testing.B) {
	code, err := isa.Encode([]isa.Bundle{constants(0, [4]uint32{1, 2, 3, 4})})
	if err != nil {
		b.Fatal(err)
	}
	code[0] |= byte(isa.TagBreak) << 4
	m := computeMeta()
	m.FirstTag = isa.Tag(code[0] & 15)
	p, err := Load(code, m)
	if err != nil {
		b.Fatal(err)
	}
	l := &emu.Launch{Env: newEnv(), NumLanes: 1, Compute: &emu.ComputeLaunch{LocalID: make([][3]uint32, 1)}}
	b.ReportAllocs()
	for range b.N {
		if _, err := p.NewWave(l).Run(10); err != nil {
			b.Fatal(err)
		}
	}
}
