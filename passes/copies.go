package passes

import "nirc/ir"

func removeCopy(in *ir.Instr) {
	dst, src := in.Srcs[0].Def.Instr, in.Srcs[1].Def.Instr
	in.Remove()
	removeDeadDerefs(dst)
	removeDeadDerefs(src)
}

// maxCopied bounds the vectors that the copies, or the initialisers, of a shader
// are written out for.
const maxCopied = 1 << 16

// vectorCount is the number of vectors in a type, as far as maxCopied.
func vectorCount(t *ir.Type) int {
	n := 1
	switch {
	case t.IsStruct():
		n = 0
		for i := 0; i < len(t.Fields) && n <= maxCopied; i++ {
			n += vectorCount(t.Fields[i].Type)
		}
	case t.IsArray():
		n = int(t.Len) * vectorCount(t.Elem)
	case t.IsMatrix():
		n = int(t.Cols)
	}
	return min(n, maxCopied+1)
}

// copiedVectors is the number of vectors that a copy copies.
func copiedVectors(in *ir.Instr) int {
	d := in.Srcs[0].Def.Instr
	n := vectorCount(d.DerefInfo().Type)
	for ; d != nil; d = derefParent(d) {
		if d.Deref == ir.DerefArrayWildcard {
			n = min(n*derefParent(d).DerefInfo().Type.ChildCount(), maxCopied+1)
		}
	}
	return n
}

// expandCopy replaces one copy by loads and stores. All elements of both sides
// are the same object or different ones, so their order does not matter.
func expandCopy(in *ir.Instr) {
	b := builderBefore(in)
	dst, src := in.Srcs[0].Def.Instr, in.Srcs[1].Def.Instr
	var dstPath, srcPath [pathLen]*ir.Instr
	e := &copyExpander{b: b, dst: derefPath(dstPath[:0], dst), src: derefPath(srcPath[:0], src),
		dstAccess: ir.Access(in.Get(ir.IdxDstAccess)), srcAccess: ir.Access(in.Get(ir.IdxSrcAccess))}
	e.wildcards(&e.dst[0].Def, &e.src[0].Def, 1, 1)
	removeCopy(in)
}

type copyExpander struct {
	b                    *ir.Builder
	dst, src             []*ir.Instr
	dstAccess, srcAccess ir.Access
}

// wildcards follows both paths from links di and si on, walking over the
// elements of each pair of wildcards.
func (e *copyExpander) wildcards(dst, src *ir.Def, di, si int) {
	dst, di = e.follow(dst, e.dst, di)
	src, si = e.follow(src, e.src, si)
	if di == len(e.dst) || si == len(e.src) {
		e.leaves(dst, src)
		return
	}
	n := dst.Instr.DerefInfo().Type.ChildCount()
	for i := 0; i < n; i++ {
		e.wildcards(e.b.DerefArrayImm(dst, i), e.b.DerefArrayImm(src, i), di+1, si+1)
	}
}

// follow rebuilds links up to the next wildcard or the end, using the
// existing derefs while the parents are the same.
func (e *copyExpander) follow(d *ir.Def, path []*ir.Instr, i int) (*ir.Def, int) {
	for ; i < len(path) && path[i].Deref != ir.DerefArrayWildcard; i++ {
		if derefParent(path[i]) == d.Instr {
			d = &path[i].Def
		} else {
			d = rebuildDeref(e.b, path[i], d)
		}
	}
	return d, i
}

func (e *copyExpander) leaves(dst, src *ir.Def) {
	t := dst.Instr.DerefInfo().Type
	switch {
	case isLeafType(t):
		e.b.StoreDeref(dst, e.b.LoadDeref(src, e.srcAccess), 0, e.dstAccess)
	case t.IsStruct():
		for i := range t.Fields {
			e.leaves(e.b.DerefStruct(dst, i), e.b.DerefStruct(src, i))
		}
	default:
		for i := 0; i < t.ChildCount(); i++ {
			e.leaves(e.b.DerefArrayImm(dst, i), e.b.DerefArrayImm(src, i))
		}
	}
}
