package spirv

import "nirc/frontend/spirv/spv"

// lacking is a capability that the module declares and the target does not have.
type lacking struct {
	capability spv.Capability
	why        string
}

// noteCapability keeps what a declared capability needs and the target lacks. It is refused where
// the entry point uses it, and not before: modules declare more than each of their entry points needs.
func (t *translator) noteCapability(c spv.Capability) {
	if t.opts.Machine == nil {
		return
	}
	if why := t.opts.Machine.Lacks(c); why != "" {
		t.lacks = append(t.lacks, lacking{c, why})
	}
}

// checkLacks refuses what is enabled by any of some capabilities, if the target lacks one of them that the module
// declares and the module declares none that it has.
func (t *translator) checkLacks(id uint32, enabling []spv.Capability) {
	var missed *lacking
	for _, c := range enabling {
		if l := t.lack(c); l != nil {
			missed = l
		} else if t.declares(c) {
			return
		}
	}
	if missed == nil {
		return
	}
	gpu := t.opts.GPUName
	err := t.errorf(id, "%s is not supported on %s: %s", missed.capability, gpu, missed.why)
	err.Unsupported, err.Target = true, t.opts.TargetName
	panic(bail{err})
}

func (t *translator) lack(c spv.Capability) *lacking {
	for i := range t.lacks {
		if t.lacks[i].capability == c {
			return &t.lacks[i]
		}
	}
	return nil
}

// declares reports whether the module declares a capability.
func (t *translator) declares(c spv.Capability) bool {
	for i := range t.m.Insts {
		in := &t.m.Insts[i]
		if in.Op == spv.OpMemoryModel {
			return false
		}
		if in.Op == spv.OpCapability && spv.Capability(in.Arg(0)) == c {
			return true
		}
	}
	return false
}
