package passes

import (
	"math/bits"

	"nirc/ir"
)

var optShrinkStoresPass = &Pass{
	Name: "opt_shrink_stores", For: ir.HasWrite | ir.HasOutput, Class: "B", Run: optShrinkStores, Idempotent: true, Optional: true,
	Options: []Option{{"images", "stores to images keep the components that the format has", false}},
	Doc:     "Cuts components after the last written one off the values of stores.",
}

func optShrinkStores(c *Context, s *ir.Shader) (bool, error) {
	images := c.Bool("images")
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (progress bool) {
		for blk := range impl.Blocks() {
			for in := blk.First(); in != nil; in = in.Next() {
				if in.Kind != ir.KindIntrinsic {
					continue
				}
				if k, n := storedComponents(in, images); n > 0 {
					progress = shrinkStore(in, k, n) || progress
				}
			}
		}
		return progress
	}), nil
}

// storedComponents returns the source that in stores and how many of its
// components count, 0 if an intrinsic is no store that can do with fewer.
func storedComponents(in *ir.Instr, images bool) (source, n int) {
	switch in.Intr {
	case ir.IntrImageStore, ir.IntrImageDerefStore, ir.IntrBindlessImageStore:
		if images {
			return int(in.Memory().Data), formatComponents(ir.ImageFormat(in.Get(ir.IdxFormat)))
		}
		return 0, 0
	}
	if in.HasDef() || !in.Has(ir.IdxWriteMask) {
		return 0, 0
	}
	_, store, ok := memOffsetSrc(in.Intr)
	if ok = ok && store || in.Intr == ir.IntrStoreOutput || in.Intr == ir.IntrStorePerVertexOutput; !ok {
		return 0, 0
	}
	return 0, bits.Len64(in.Get(ir.IdxWriteMask) & (1<<in.Srcs[0].Def.NumComponents - 1))
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
