package passes

import "nirc/ir"

// RemoveUnusedIO takes away outputs that consumer never reads, and inputs that
// producer never writes, which have no defined value: stores go, loads are undefined, and what a stage
// reads of its own outputs becomes private. It reports how many components went on either side.
func RemoveUnusedIO(producer, consumer *ir.Shader) (outputs, inputs int) {
	p, c := usesOfVaryings(producer), usesOfVaryings(consumer)
	written := p.mask(producer, ir.ModeShaderOut, func(i int, v *ir.Variable) bool { return p.used[i] || v.AlwaysActive })
	read := c.mask(consumer, ir.ModeShaderIn, func(i int, v *ir.Variable) bool { return c.used[i] || v.AlwaysActive })
	if producer.Stage == ir.StageTessCtrl {
		// Invocations read each other's outputs.
		own := p.mask(producer, ir.ModeShaderOut, func(i int, _ *ir.Variable) bool { return p.loaded[i] })
		read.add(&own)
	}
	return makePrivate(producer, ir.ModeShaderOut, &p, &read), makePrivate(consumer, ir.ModeShaderIn, &c, &written)
}

// RemoveLastOutputs takes away what the last stage of a pipeline without a fragment shader hands on: only captured
// outputs are for somebody. It reports whether there was any.
func RemoveLastOutputs(s *ir.Shader) bool {
	u := usesOfVaryings(s)
	var none slotMask
	return makePrivate(s, ir.ModeShaderOut, &u, &none) > 0
}

// makePrivate turns the varyings of a mode that the other side leaves alone
// into private variables, or removes all that is done with them. It counts their components.
func makePrivate(s *ir.Shader, mode ir.Mode, u *varyingUses, other *slotMask) (comps int) {
	var gone slotMask
	progress := false
	for i, v := range s.Variables {
		if !isVarying(s, v, mode) || v.AlwaysActive || v.XfbBuffer >= 0 {
			continue
		}
		m, _ := varyingMask(s, v)
		if m.meets(other) {
			continue
		}
		if u.used[i] {
			gone.add(&m)
		}
		switch {
		case mode == ir.ModeShaderOut && !u.loaded[i]:
			removeStores(s, v)
		case mode == ir.ModeShaderIn && arrayedIO(s, v):
			inputLoads(s, v, func(b *ir.Builder, in, _ *ir.Instr) *ir.Def { return b.Undef(in.Def.NumComponents, in.Def.BitSize) })
		}
		v.Mode, v.Location, v.Component = ir.ModeShaderTemp, -1, 0
		v.Interp, v.Centroid, v.Sample, v.Patch, v.PerVertex = ir.InterpNone, false, false, false, false
		progress = true
	}
	if progress {
		eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool { return followMode(impl, mode) })
	}
	comps, _ = gone.size()
	return comps
}

// removeStores removes what is stored to a variable.
func removeStores(s *ir.Shader, v *ir.Variable) {
	eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool {
			return in.Intr == ir.IntrStoreDeref && rootVar(derefOf(in.Srcs[0].Def)) == v
		})
		for _, in := range list {
			d := derefOf(in.Srcs[0].Def)
			in.Remove()
			removeDeadDerefs(d)
		}
		return len(list) > 0
	})
}

// followMode gives derefs of a mode the mode that their variable has now;
// interpolation of a private variable is a load.
func followMode(impl *ir.Impl, mode ir.Mode) (changed bool) {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindDeref && in.DerefInfo().Modes == mode {
				if v := rootVar(in); v != nil && v.Mode != mode {
					in.SetModes(v.Mode)
					changed = true
				}
				continue
			}
			if !isInterp(in) {
				continue
			}
			if d := derefOf(in.Srcs[0].Def); d != nil && d.DerefInfo().Modes == ir.ModeShaderTemp {
				in.Def.RewriteUses(builderBefore(in).LoadDeref(in.Srcs[0].Def, 0))
				in.Remove()
				changed = true
			}
		}
	}
	return changed
}
