package spirv

import "nirc/ir"

// call translates OpFunctionCall: values by leaves, pointers as they are, the
// result through a local of the caller.
func (t *translator) call(in *inst) {
	b := t.f.b
	f := t.val(t.arg(in, 0)).obj.(*function) // what is reachable was found by calls of functions
	if t.kernel && f.id == t.entry.ID {
		t.refuse(in.id, "a call of the kernel %q itself is not supported", t.entry.Name)
	}
	if len(in.args)-1 != len(f.typ.members) {
		t.fail(in.id, "the call has %d arguments, the function has %d parameters", len(in.args)-1, len(f.typ.members))
	}
	var args []*ir.Def
	ret := f.typ.elem
	var local *ir.Variable
	if len(f.irf.Params) > 0 && f.irf.Params[0].IsReturn {
		local = b.Impl.NewLocal(ret.temp, "")
		args = append(args, b.DerefVar(local))
	}
	for k, id := range in.args[1:] {
		want := f.typ.members[k]
		if !want.sameShape(t.valType(id)) {
			t.fail(in.id, "argument %d has type %s instead of %s", k, t.valType(id), want)
		}
		if want.kind == tPointer {
			p := t.anyPtr(id)
			if m := f.irf.Params[len(args)].Modes; m != p.mode && (!t.kernel || m&p.mode == 0) {
				t.fail(in.id, "a pointer to %s cannot be passed as a pointer to %s", p.mode, m)
			}
		}
		if want.kind == tPointer && t.kernel {
			args = append(args, t.derefOf(t.anyPtr(id))) // says what is known of where it leads
			continue
		}
		args = append(args, t.get(id)...)
	}
	b.Insert(b.Shader.NewCall(f.irf, args...))
	if local == nil {
		t.vals[t.index(in.id)] = value{kind: vUndef, typ: ret}
		return
	}
	p := t.newPointer(pointer{typ: ret, mode: ir.ModeFunctionTemp, deref: b.DerefVar(local)})
	l := t.loadLeaves(p, t.leaves.Slice(t.leafCount(ret))[:0])
	if ret.isLeaf() {
		t.nameDef(in.id, l[0])
	}
	t.vals[t.index(in.id)] = value{kind: vLeaves, typ: ret, leaves: l}
}
