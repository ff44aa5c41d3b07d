package passes

import "nirc/ir"

var lowerSsboPass = &Pass{
	Name: "lower_ssbo", Class: "A", Run: implPass(ir.MetaControlFlow, lowerSsbo), Idempotent: true,
	Instead: "descriptors: ir3 has instructions on buffers; AGX and midgard read address and size from their descriptors at selection, test bounds by the size, and fold offsets into the forms of their addresses; it stays for targets whose descriptor is an address alone",
	Doc:     "Reaches storage buffers as global memory: load_ssbo_address gives the address. Bounds are not checked any more.",
}

func lowerSsbo(impl *ir.Impl) bool {
	list := collect(impl, func(in *ir.Instr) bool {
		m := in.Memory()
		return m.Space == ir.SpaceSsbo && m.Accesses() && in.Intr.Info().Target == ""
	})
	for _, in := range list {
		b := builderBefore(in)
		m := in.Memory()
		op, _ := ir.MemoryIntrinsic(ir.ModeGlobal, m.Op)
		srcs := make([]*ir.Def, 0, 3)
		for k := range in.Srcs {
			switch k {
			case int(m.Handle):
			case int(m.Addr):
				srcs = append(srcs, &b.Intrinsic(ir.IntrLoadSsboAddress, 1, 64, b.Channel(in.Srcs[m.Handle].Def, 0), in.Srcs[k].Def).Def)
			default:
				srcs = append(srcs, in.Srcs[k].Def)
			}
		}
		n := b.Intrinsic(op, in.Def.NumComponents, in.Def.BitSize, srcs...)
		for _, k := range []ir.Index{ir.IdxAccess, ir.IdxAlignMul, ir.IdxAlignOffset, ir.IdxAtomicOp, ir.IdxWriteMask} {
			if n.Has(k) && in.Has(k) {
				n.Set(k, in.Get(k))
			}
		}
		if in.HasDef() {
			in.Def.RewriteUses(&n.Def)
		}
		in.Remove()
	}
	return len(list) > 0
}
