package passes

import "nirc/ir"

var split64BitVec3AndVec4Pass = &Pass{
	Name: "split_64bit_vec3_and_vec4", Class: "B", Run: split64BitVectors, Idempotent: true,
	Instead: "registers: scalar targets have no vectors, and midgard takes 64-bit phis apart into pairs of words (lower_64bit_phis); it stays for registers of two 64-bit components",
	Doc: "Splits temporaries and phis that are 64-bit vectors of three or four components into one of two components and one of the rest, for targets whose registers hold two of them. " +
		"Takes variables (and arrays of them) that are only loaded and stored directly, after lower_var_copies and lower_array_deref_of_vec; others stay whole. What used the vectors gets them put together again.",
	Options: []Option{
		{"modes", "modes of the variables to split", ir.ModeFunctionTemp | ir.ModeShaderTemp},
		{"phis", "split phis too", true},
	},
}

// isWide64 tells the types that are split.
func isWide64(t *ir.Type) bool {
	e := t.WithoutArray()
	return e.IsVector() && e.Bits == 64 && e.Rows > 2
}

// wideVar is a variable that may be split, and its halves once it is.
type wideVar struct {
	v     *ir.Variable
	whole bool
	half  [2]*ir.Variable
}

func split64BitVectors(c *Context, s *ir.Shader) (bool, error) {
	vars := make([]*wideVar, highestVarID(s)+1)
	modes, phis := c.Modes("modes")&(ir.ModeFunctionTemp|ir.ModeShaderTemp), c.Bool("phis")
	find := func(list []*ir.Variable) {
		for _, v := range list {
			if v.Mode&modes != 0 && isWide64(v.Type) && v.Init == nil && v.PointerInit == nil {
				vars[v.ID] = &wideVar{v: v}
			}
		}
	}
	find(s.Variables)
	for _, f := range s.Functions {
		if f.Impl != nil {
			find(f.Impl.Locals)
			findWholes(f.Impl, vars)
		}
	}
	var progress bool
	s.Variables, progress = halve(s.Variables, vars, func(t *ir.Type, name string) *ir.Variable {
		v := s.NewVariable(ir.ModeShaderTemp, t, name)
		s.Variables = s.Variables[:len(s.Variables)-1]
		return v
	})
	for _, f := range s.Functions {
		if impl := f.Impl; impl != nil {
			var did bool
			impl.Locals, did = halve(impl.Locals, vars, func(t *ir.Type, name string) *ir.Variable {
				v := impl.NewLocal(t, name)
				impl.Locals = impl.Locals[:len(impl.Locals)-1]
				return v
			})
			progress = progress || did
		}
	}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		did := splitWideAccesses(impl, vars)
		return phis && splitWidePhis(impl) || did
	}) || progress, nil
}

// wideRoot returns the variable that may be split at the root of a deref, or nil.
func wideRoot(in *ir.Instr, vars []*wideVar) *wideVar {
	v := rootVar(in)
	if v == nil || int(v.ID) >= len(vars) {
		return nil
	}
	return vars[v.ID]
}

// findWholes marks the variables with uses that need them whole.
func findWholes(impl *ir.Impl, vars []*wideVar) {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind != ir.KindDeref {
				continue
			}
			w := wideRoot(in, vars)
			if w == nil {
				continue
			}
			if in.Def.Unused() || in.Deref != ir.DerefVar && (in.Deref != ir.DerefArray || in.DerefInfo().Type.IsScalar()) {
				w.whole = true
			}
			for u := in.Def.FirstUse(); u != nil; u = u.NextUse() {
				if isComplexUse(u) || u.Instr.IsIntrinsic(ir.IntrCopyDeref) {
					w.whole = true
				}
			}
		}
	}
}

// halve replaces the variables of a list that fall apart.
func halve(list []*ir.Variable, vars []*wideVar, fresh func(*ir.Type, string) *ir.Variable) (out []*ir.Variable, any bool) {
	for _, v := range list {
		if int(v.ID) >= len(vars) || vars[v.ID] == nil || vars[v.ID].whole {
			out = append(out, v)
			continue
		}
		e := v.Type.WithoutArray()
		for i, n := range [2]uint8{2, e.Rows - 2} {
			h := fresh(wrapArrays(v.Type, ir.VectorType(e.Base, 64, n)), v.Name+[2]string{".xy", ".zw"}[i])
			h.Access, h.Mediump = v.Access, v.Mediump
			vars[v.ID].half[i] = h
			out = append(out, h)
		}
		any = true
	}
	return out, any
}

// splitWideAccesses rewrites the loads and stores of split variables.
func splitWideAccesses(impl *ir.Impl, vars []*wideVar) (progress bool) {
	var path []*ir.Instr
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if !in.IsIntrinsic(ir.IntrLoadDeref) && !in.IsIntrinsic(ir.IntrStoreDeref) {
				continue
			}
			last := in.Srcs[0].Def.Instr
			w := wideRoot(last, vars)
			if w == nil || w.whole {
				continue
			}
			path = derefPath(path[:0], last)
			b := builderBefore(in)
			var half [2]*ir.Def
			for i := range half {
				half[i] = b.DerefVar(w.half[i])
				for _, link := range path[1:] {
					half[i] = rebuildDeref(b, link, half[i])
				}
			}
			splitWideAccess(b, in, half)
			in.Remove()
			removeDeadDerefs(last)
			progress = true
		}
	}
	return progress
}

func splitWideAccess(b *ir.Builder, in *ir.Instr, half [2]*ir.Def) {
	access := ir.Access(in.Get(ir.IdxAccess))
	if in.Intr == ir.IntrLoadDeref {
		in.Def.RewriteUses(joined(b, b.LoadDeref(half[0], access), b.LoadDeref(half[1], access)))
		return
	}
	val, mask := in.Srcs[1].Def, uint16(in.Get(ir.IdxWriteMask))
	if m := mask & 3; m != 0 {
		b.StoreDeref(half[0], b.Channels(val, 0, 2), m, access)
	}
	if m := mask >> 2; m != 0 {
		b.StoreDeref(half[1], b.Channels(val, 2, int(val.NumComponents)-2), m, access)
	}
}

// joined is the vector of a vec2 and what follows.
func joined(b *ir.Builder, xy, zw *ir.Def) *ir.Def {
	comps := []*ir.Def{b.Channel(xy, 0), b.Channel(xy, 1), b.Channel(zw, 0)}
	if zw.NumComponents == 2 {
		comps = append(comps, b.Channel(zw, 1))
	}
	return b.Vec(comps...)
}

// splitWidePhis splits the phis of one function.
func splitWidePhis(impl *ir.Impl) (progress bool) {
	for blk := range impl.Blocks() {
		for phi := range blk.Phis() {
			if n := phi.Def.NumComponents; phi.Def.BitSize == 64 && (n == 3 || n == 4) {
				splitWidePhi(impl.Shader, phi)
				progress = true
			}
		}
	}
	return progress
}

func splitWidePhi(s *ir.Shader, phi *ir.Instr) {
	old := s.SetLoc(phi.Loc)
	defer s.SetLoc(old)
	rest := int(phi.Def.NumComponents) - 2
	xy, zw := s.NewPhi(2, 64), s.NewPhi(uint8(rest), 64)
	ir.Before(phi).Insert(xy)
	ir.Before(phi).Insert(zw)
	for i, pred := range phi.PhiInfo().Preds {
		b := ir.NewBuilder(ir.BeforeJump(pred))
		s.AddPhiSrc(xy, pred, b.Channels(phi.Srcs[i].Def, 0, 2))
		s.AddPhiSrc(zw, pred, b.Channels(phi.Srcs[i].Def, 2, rest))
	}
	// A phi that was its own source is now read through the vector.
	phi.Def.RewriteUses(joined(ir.NewBuilder(ir.AfterPhis(phi.Block)), &xy.Def, &zw.Def))
	phi.Remove()
}
