package abi

import "nirc/backend/ir3/isa"

// Bindless says of which kinds the descriptors are that instructions find by set and slot: the state of each stage has a bit for each
// kind (Mesa's ir3_shader.h: bindless_tex, bindless_samp, bindless_ibo and bindless_ubo are for filling out sp_xs_config).
type Bindless struct {
	Textures bool `json:"textures,omitempty"` // of lookups, isam and queries of theirs
	Samplers bool `json:"samplers,omitempty"`
	Storage  bool `json:"storage,omitempty"`  // of loads, stores, atomics and sizes of buffers and images
	Uniforms bool `json:"uniforms,omitempty"` // of ldc
}

// BindlessOf is what an instruction needs.
func BindlessOf(in *isa.Instr) (b Bindless) {
	if in.Set == 0 {
		return b
	}
	switch in.Op {
	case isa.OpLdc, isa.OpLdcK:
		b.Uniforms = true
	case isa.OpIsam, isa.OpIsaml, isa.OpIsamm, isa.OpGetsize, isa.OpGetbuf, isa.OpGetinfo:
		b.Textures = true
	default:
		if in.Op.Category() == 5 {
			b.Textures, b.Samplers = true, true
		} else {
			b.Storage = true
		}
	}
	return b
}

// Or is what two programs need, or two instructions.
func (b Bindless) Or(o Bindless) Bindless {
	return Bindless{b.Textures || o.Textures, b.Samplers || o.Samplers, b.Storage || o.Storage, b.Uniforms || o.Uniforms}
}
