package passes

import "nirc/ir"

// accessed tells which variables were accessed: by number, a mark of where that was.
type accessed [64]uint32

// again notes an access through a deref and reports whether its object may have been accessed at the same mark before.
func (a *accessed) again(d *ir.Instr, mark uint32) bool {
	if d == nil {
		return true
	}
	v := derefVar(d)
	if v == nil || v.ID >= uint32(len(a)) || a[v.ID] == mark {
		return true
	}
	a[v.ID] = mark
	return false
}

// storesOnce reports whether no block stores twice to an object, and all stores store something: passes that compare stores of
// a block are idle then. To know takes a third of what they took, and most shaders are so once temporaries are values.
func storesOnce(s *ir.Shader) bool {
	var seen accessed
	mark := uint32(0)
	return !anyIntrinsic(s, &mark, func(in *ir.Instr) bool {
		switch in.Intr {
		case ir.IntrStoreDeref:
			return in.Get(ir.IdxWriteMask) == 0 || seen.again(derefOf(in.Srcs[0].Def), mark)
		case ir.IntrCopyDeref:
			return seen.again(derefOf(in.Srcs[0].Def), mark)
		}
		return false
	})
}

// accessesOnce reports whether no object that opt_copy_prop_vars follows is loaded or stored twice, and none copied.
func accessesOnce(s *ir.Shader) bool {
	var seen accessed
	var mark uint32
	return !anyIntrinsic(s, &mark, func(in *ir.Instr) bool {
		switch in.Intr {
		case ir.IntrLoadDeref, ir.IntrStoreDeref:
			d := derefOf(in.Srcs[0].Def)
			return d != nil && d.DerefInfo().Modes&trackedModes != 0 && seen.again(d, 1)
		case ir.IntrCopyDeref:
			return true
		}
		return false
	})
}

// anyIntrinsic reports whether f holds of an intrinsic. It counts blocks in mark.
func anyIntrinsic(s *ir.Shader, mark *uint32, f func(*ir.Instr) bool) bool {
	for _, fn := range s.Functions {
		if fn.Impl == nil {
			continue
		}
		for b := range fn.Impl.Blocks() {
			*mark++
			for in := b.First(); in != nil; in = in.Next() {
				if in.Kind == ir.KindIntrinsic && f(in) {
					return true
				}
			}
		}
	}
	return false
}
