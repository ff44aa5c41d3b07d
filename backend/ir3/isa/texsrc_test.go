package isa

import "testing"

// TestTexSources: how many registers each source of a texture operation takes. Derivatives take as many as they make.
func TestTexSources(t *testing.T) {
	for text, want := range map[string][3]int{
		"dsx (f32)(x)r1.x, r2.x":                                {1, 0, 0},
		"dsx (f32)(xy)r1.x, r2.x":                               {2, 0, 0},
		"dsy (f32)(xyzw)r1.x, r2.x":                             {4, 0, 0},
		"isam.base0 (u32)(x)r1.x, r2.x, s#0, t#1":               {2, 0, 0},
		"isam.3d.base0 (u32)(x)r1.x, r2.x, s#0, t#1":            {3, 0, 0},
		"sam.base0.clp (f32)(x)r1.x, r2.x, r3.x, s#0, t#1":      {2, 1, 0},
		"samb.o.base0.clp (f32)(x)r1.x, r2.x, r3.x, s#0, t#1":   {2, 4, 0},
		"samgq.3d.base0.clp (f32)(x)r1.x, r2.x, r4.w, s#0, t#1": {10, 1, 0},
		"getsize (f32)(xyzw)r1.x, r7.x, t#2":                    {1, 0, 0},
	} {
		code, err := Assemble(A6xx, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		in := Disassemble(A6xx, code)[0].Instr
		n1, n2, n3 := in.TexSources()
		if got := [3]int{n1, n2, n3}; got != want {
			t.Errorf("%s: %v registers, want %v", text, got, want)
		}
	}
}
