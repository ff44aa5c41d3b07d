package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

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
	switch c { // the drafts of extensions, whose numbers the extensions took over
	case spv.CapabilityRayQueryProvisionalKHR:
		c = spv.CapabilityRayQueryKHR
	case spv.CapabilityRayTracingProvisionalKHR:
		c = spv.CapabilityRayTracingKHR
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
		} else if t.m.Declares(c) {
			return
		}
	}
	if missed != nil {
		t.refuseLack(id, missed)
	}
}

// refuseLack refuses what a capability enables that the target lacks.
func (t *translator) refuseLack(id uint32, l *lacking) {
	err := t.errorf(id, "%s is not supported on %s: %s", l.capability, t.opts.GPUName, l.why)
	err.Unsupported, err.Target = true, t.opts.TargetName
	panic(bail{err})
}

// checkLack refuses what one capability alone enables, if the target lacks it, whether or not the module declares it.
func (t *translator) checkLack(id uint32, c spv.Capability) {
	if t.opts.Machine == nil {
		return
	}
	if why := t.opts.Machine.Lacks(c); why != "" {
		t.refuseLack(id, &lacking{c, why})
	}
}

// refuseEnumerant refuses an enumerant that is not translated, what naming its kind in words.
func (t *translator) refuseEnumerant(id uint32, what string, k spv.Kind, value uint32) {
	caps := k.Capabilities(value)
	t.checkLacks(id, caps)
	t.refuse(id, "the %s %s (%s) is not supported%s", what, k.Text(value), capabilityWords(caps), t.reason(caps))
}

// checkPassthrough refuses a geometry shader that hands inputs on by their decoration alone: its functions need not name them.
func (t *translator) checkPassthrough() {
	for i := range t.decs {
		if d := t.decs[i].dec; d == spv.DecorationPassthroughNV && t.stage == ir.StageGeometry {
			t.refuseEnumerant(t.entry.ID, "decoration", spv.KindDecoration, uint32(d))
		}
	}
}

// checkDecoration refuses a decoration that changes what a shader does, and that only capabilities enable which the target, or
// the frontend, does not have. Without a look at it the shader would compile to something else. Those of vendors' kernels say
// where an FPGA puts a variable, and who else looks at it.
func (t *translator) checkDecoration(id uint32, d spv.Decoration) {
	if t.kernel {
		return
	}
	caps := spv.KindDecoration.Capabilities(uint32(d))
	for _, c := range caps {
		if t.lack(c) == nil && (t.opts.Why == nil || t.opts.Why(c) == "") {
			return
		}
	}
	if len(caps) > 0 {
		t.refuseEnumerant(id, "decoration", spv.KindDecoration, uint32(d))
	}
}

func (t *translator) lack(c spv.Capability) *lacking {
	for i := range t.lacks {
		if t.lacks[i].capability == c {
			return &t.lacks[i]
		}
	}
	return nil
}
