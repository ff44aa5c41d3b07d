package analysis

import "nirc/ir"

// MaxWorkgroups is how many workgroups a dispatch has at most in each dimension: as many as Vulkan has
// every device take, and as drivers of the targets report (docs/abi.md).
const MaxWorkgroups = 65535

// maxSubgroupSize is the largest of the targets, maxWorkgroupSize what no device exceeds.
const maxSubgroupSize, maxWorkgroupSize = 128, 4096

// sysvalRange is the range of component c of what an intrinsic reads of the state of the invocation.
func sysvalRange(in *ir.Instr, c int) Interval {
	d := &in.Def
	below := func(n uint64) Interval { return Interval{0, min(n-1, fullRange(d).Max)} }
	switch in.Intr {
	case ir.IntrLoadWorkgroupId:
		return below(MaxWorkgroups)
	case ir.IntrLoadNumWorkgroups:
		return below(MaxWorkgroups + 1)
	case ir.IntrLoadSubgroupInvocation:
		return below(maxSubgroupSize)
	case ir.IntrLoadSubgroupSize:
		return below(maxSubgroupSize + 1)
	case ir.IntrLoadSubgroupId:
		return below(maxSubgroups(in))
	case ir.IntrLoadNumSubgroups:
		return below(maxSubgroups(in) + 1)
	case ir.IntrLoadSampleId:
		return below(32)
	case ir.IntrLoadLocalInvocationId, ir.IntrLoadGlobalInvocationId, ir.IntrLoadLocalInvocationIndex:
		size := workgroupSize(in)
		switch {
		case in.Intr == ir.IntrLoadLocalInvocationIndex:
			return below(size[0] * size[1] * size[2])
		case in.Intr == ir.IntrLoadLocalInvocationId:
			return below(size[c])
		}
		return below(size[c] * MaxWorkgroups)
	}
	return fullRange(d)
}

// workgroupSize bounds the dimensions of the shader's workgroups.
func workgroupSize(in *ir.Instr) (size [3]uint64) {
	info := &in.Block.Impl().Shader.Info
	for i, n := range info.WorkgroupSize {
		size[i] = uint64(n)
		if n == 0 || n > maxWorkgroupSize || info.WorkgroupSizeVariable {
			size[i] = maxWorkgroupSize
		}
	}
	return size
}

// maxSubgroups bounds the number of subgroups of a workgroup.
func maxSubgroups(in *ir.Instr) uint64 {
	least := uint64(1)
	if o := in.Block.Impl().Shader.Options; o != nil {
		least = uint64(max(o.SubgroupSize, o.MinSubgroupSize, 1))
	}
	size := workgroupSize(in)
	n := min(size[0]*size[1]*size[2], maxWorkgroupSize)
	return (n + least - 1) / least
}
