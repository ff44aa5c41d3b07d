package passes

import "nirc/ir"

var optShrinkStoresPass = &Pass{
	Name: "opt_shrink_stores", For: ir.HasWrite | ir.HasOutput, Class: "B", Run: optShrinkStores, Idempotent: true, Optional: true,
	Options: []Option{{"images", "stores to images keep the components that the format has", false}},
	Doc:     "Cuts components after the last written one off the values of stores.",
}

func optShrinkStores(c *Context, s *ir.Shader) (bool, error) {
	images := c.Bool("images")
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (progress bool) {
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				if k, n := storedComponents(in, images); n > 0 {
					progress = shrinkStore(in, k, n) || progress
				}
			}
		}
		return progress
	}), nil
}

// storedComponents returns the source that in stores and how many of its
// components count, 0 if in is no store that can do with fewer.
func storedComponents(in *ir.Instr, images bool) (source, n int) {
	if in.Kind != ir.KindIntrinsic {
		return 0, 0
	}
	switch in.Intr {
	case ir.IntrImageStore, ir.IntrImageDerefStore, ir.IntrBindlessImageStore:
		if images {
			return int(in.Memory().Data), formatComponents(ir.ImageFormat(in.Get(ir.IdxFormat)))
		}
		return 0, 0
	}
	if !in.Has(ir.IdxWriteMask) {
		return 0, 0
	}
	_, store, ok := memOffsetSrc(in.Intr)
	if ok = ok && store || in.Intr == ir.IntrStoreOutput || in.Intr == ir.IntrStorePerVertexOutput; !ok {
		return 0, 0
	}
	for i := range int(in.Srcs[0].Def.NumComponents) {
		if in.Get(ir.IdxWriteMask)>>i&1 != 0 {
			n = i + 1
		}
	}
	return 0, n
}

// formatComponents is how many components a format's name counts, 0 of none.
func formatComponents(f ir.ImageFormat) (n int) {
	for _, c := range f.String() {
		switch c {
		case 'r', 'g', 'b', 'a':
			n++
		case '_', 's', 'u', 'i', 'f':
			return n
		}
	}
	return n
}

func shrinkStore(in *ir.Instr, source, n int) bool {
	v := in.Srcs[source].Def
	for !legalWidth(n) {
		n++
	}
	if n >= int(v.NumComponents) {
		return false
	}
	in.Srcs[source].Set(builderBefore(in).Channels(v, 0, n))
	in.NumComponents = uint8(n)
	return true
}
