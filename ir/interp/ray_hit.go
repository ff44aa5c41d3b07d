package interp

import (
	"fmt"
	"math"
	"slices"

	"nirc/internal/emu"
	"nirc/ir"
)

// What shaders that a ray has reached know of it, and what they decide about a hit.

// attributes are the bytes of a lane's variable of hit attributes, if the shader has one.
func (w *Wave) attributes(l int) []byte {
	at := w.p.attribs
	return w.priv[l*int(w.p.private)+int(at.at):][:at.n]
}

// execHit runs a verdict on a hit, or offers one of an intersection shader. Lanes whose shader ends with it go.
func (w *Wave) execHit(i *inst) error {
	var ended emu.Mask
	for _, l := range slices.Clone(w.on) {
		h := w.l.Rays[l].Hit
		if report := i.x.in.Intr == ir.IntrReportRayIntersection; h == nil || report && h.Report == nil {
			return fmt.Errorf("%s: no ray has reached the shader", i.x.in.Intr)
		}
		switch i.x.in.Intr {
		case ir.IntrIgnoreRayIntersection:
			h.Ignored = true
		case ir.IntrAcceptRayIntersection:
			h.Ignored = false
		case ir.IntrTerminateRay:
			h.Ended = true
		default:
			accepted, ends, err := h.Report(math.Float32frombits(uint32(w.regs[i.x.src[0][0]+int32(l)])), uint32(w.regs[i.x.src[1][0]+int32(l)]), w.attributes(int(l)))
			if err != nil {
				return err
			}
			w.regs[i.dst+int32(l)] = truth(accepted) * lowBits(i.bits)
			if ends {
				ended.Set(int(l))
			}
			w.fillSysvals(int(l)) // the ray is shorter
		}
	}
	w.setActive(andNot(w.active, ended))
	return nil
}

// hasHitValue reports whether a stage has a value of a ray or a hit.
func hasHitValue(sv sysval, st ir.Stage) bool {
	primitive := ir.HitStages.Has(st) || st == ir.StageIntersection
	switch sv {
	case svRayOrigin, svRayDirection, svRayTMin, svRayTMax, svRayFlags, svCullMask:
		return primitive || st == ir.StageMiss
	case svHitKind, svTriangle:
		return ir.HitStages.Has(st)
	}
	return primitive
}

// hitValue is a value of a ray, or of what it has hit, of a matrix or the corners of a triangle a column.
func hitValue(sv sysval, r *emu.RayHit, column int) [4]uint32 {
	h := r.Hit
	switch sv {
	case svRayOrigin:
		return floats3(r.Query.World().Origin)
	case svRayDirection:
		return floats3(r.Query.World().Direction)
	case svRayTMin:
		return [4]uint32{math.Float32bits(r.Query.World().TMin)}
	case svRayTMax:
		return [4]uint32{math.Float32bits(r.TMax)}
	case svRayFlags:
		return [4]uint32{uint32(r.Query.Flags())}
	case svCullMask:
		return [4]uint32{r.CullMask}
	case svObjectOrigin:
		return floats3(h.Object.Origin)
	case svObjectDirection:
		return floats3(h.Object.Direction)
	case svObjectToWorld, svWorldToObject:
		m := r.Query.Instance(h).Transform
		if sv == svWorldToObject {
			m = m.Inverse()
		}
		return floats3([3]float32{m[0][column&3], m[1][column&3], m[2][column&3]})
	case svTriangle:
		corners := r.Query.Vertices(h)
		return floats3(corners[min(column&3, 2)])
	case svHitKind:
		return [4]uint32{r.Kind}
	case svCustomIndex:
		return [4]uint32{r.Query.Instance(h).CustomIndex}
	case svGeometryIndex:
		return [4]uint32{uint32(h.Geometry)}
	case svInstanceID:
		return [4]uint32{uint32(h.Instance)}
	}
	return [4]uint32{uint32(h.Primitive)}
}
