package agx

import (
	"fmt"
	"slices"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/object"
	"nirc/internal/emu"
	"nirc/ir"
)

// StateOf takes the state out of a pipeline of the software GPU.
func StateOf(p *emu.Pipeline) *backend.State {
	s := &backend.State{}
	for i := range p.Attributes {
		a := &p.Attributes[i]
		k := backend.AttribKey{Location: a.Location}
		if a.Format != nil {
			k.Format = a.Format.Name
		}
		for j := range p.Bindings {
			b := &p.Bindings[j]
			if b.Binding != a.Binding {
				continue
			}
			k.Stride, k.Instance, k.Divisor = b.Stride, b.Instance, b.Divisor
			if k.Divisor == 0 && !b.DivisorSet {
				k.Divisor = 1
			}
		}
		s.Attributes = append(s.Attributes, k)
	}
	f := &s.Fragment
	f.LogicEnable, f.Logic = p.Blend.LogicEnable, p.Blend.Logic
	f.AlphaToCoverage, f.AlphaToOne = p.Multisample.AlphaToCoverage, p.Multisample.AlphaToOne
	f.DepthNever = p.Depth.Test && p.Depth.Compare == emu.CompareNever
	f.SampleMask, f.Samples = p.Multisample.Mask, p.Multisample.Samples
	for i := range p.Color {
		k := backend.TargetKey{Blend: emu.AttachmentBlend{WriteMask: emu.WriteAll}}
		if v := p.Color[i].View; v != nil {
			k.Format = v.TexelFormat().Name
			f.Samples = max(f.Samples, v.Image.Samples)
		}
		if i < len(p.Blend.Attachments) {
			k.Blend = p.Blend.Attachments[i]
		}
		f.Targets = append(f.Targets, k)
	}
	if v := p.DepthStencil.View; v != nil {
		f.Samples = max(f.Samples, v.Image.Samples)
	}
	return s
}

// Strip takes out of a pipeline what the parts made from StateOf do themselves.
func Strip(p *emu.Pipeline) {
	p.Blend = emu.BlendState{Constants: p.Blend.Constants}
	p.Multisample.AlphaToCoverage, p.Multisample.AlphaToOne, p.Multisample.Mask = false, false, nil
}

// Parts compiles the prolog and the epilog that a main part takes with a
// state; nil stands for none.
func (t Target) Parts(main *object.Object, s *backend.State) (prolog, epilog *object.Object, err error) {
	var m abi.Meta
	if err := backend.Meta(TargetName, main, &m); err != nil {
		return nil, nil, err
	}
	if m.Part != abi.PartMain {
		return nil, nil, fmt.Errorf("agx: %s is no main part: compile it with --abi separate", main.Entry)
	}
	if err := m.Check(); err != nil {
		return nil, nil, err
	}
	switch main.Stage {
	case ir.StageVertex:
		prolog, err = t.vertexParts(main, &m, s)
	case ir.StageFragment:
		prolog, epilog, err = t.fragmentParts(main, &m, s)
	}
	return prolog, epilog, err
}

func (t Target) vertexParts(main *object.Object, m *abi.Meta, s *backend.State) (*object.Object, error) {
	if len(m.Attribs) == 0 && m.Next == ir.StageNone {
		return nil, nil
	}
	bin, err := t.VertexProlog(main.GPU, m, s)
	if err != nil {
		return nil, err
	}
	return partObject(main.GPU, "vertex_prolog", main.Stage, bin)
}

// checkReads refuses a state in which attachments that a main part reads are elsewhere in the tile than it takes them to be, or of
// another format.
func checkReads(main *object.Object, m *abi.Meta, k *backend.FragmentKey) error {
	if len(m.TileReads) == 0 {
		return nil
	}
	targets, _, err := placeTargets(k.Targets)
	if err != nil {
		return err
	}
	for _, t := range m.TileReads {
		if !slices.Contains(targets, t) {
			return fmt.Errorf("agx: %s was compiled to read colour attachment %d for another state of the pipeline", main.Entry, t.Slot-ir.SlotData0)
		}
	}
	if k.Samples > 1 && m.OneSample {
		return fmt.Errorf("agx: %s was compiled to read attachments of one sample, the state has %d", main.Entry, k.Samples)
	}
	return nil
}

func (t Target) fragmentParts(main *object.Object, m *abi.Meta, s *backend.State) (prolog, epilog *object.Object, err error) {
	if err := checkReads(main, m, &s.Fragment); err != nil {
		return nil, nil, err
	}
	if s.Fragment.NeedsProlog() {
		bin, err := t.FragmentProlog(main.GPU, m, &s.Fragment)
		if err != nil {
			return nil, nil, err
		}
		if prolog, err = partObject(main.GPU, "fragment_prolog", main.Stage, bin); err != nil {
			return nil, nil, err
		}
	}
	bin, err := t.FragmentEpilog(main.GPU, m, &s.Fragment)
	if err != nil {
		return nil, nil, err
	}
	epilog, err = partObject(main.GPU, "fragment_epilog", main.Stage, bin)
	return prolog, epilog, err
}
