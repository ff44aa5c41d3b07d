package foz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"nirc/backend/layout"
)

// The descriptions of samplers, set layouts and pipeline layouts: the fields of Vulkan's structures.
type samplersJSON struct {
	Version  int                    `json:"version"`
	Samplers map[string]samplerJSON `json:"samplers"`
}

type samplerJSON struct {
	MinFilter     uint8   `json:"minFilter"`
	MagFilter     uint8   `json:"magFilter"`
	MaxAnisotropy float32 `json:"maxAnisotropy"`
	CompareOp     uint8   `json:"compareOp"`
	Anisotropy    uint32  `json:"anisotropyEnable"`
	MipmapMode    uint8   `json:"mipmapMode"`
	AddressU      uint8   `json:"addressModeU"`
	AddressV      uint8   `json:"addressModeV"`
	AddressW      uint8   `json:"addressModeW"`
	BorderColor   uint32  `json:"borderColor"`
	Unnormalized  uint32  `json:"unnormalizedCoordinates"`
	Compare       uint32  `json:"compareEnable"`
	MipLodBias    float32 `json:"mipLodBias"`
	MinLod        float32 `json:"minLod"`
	MaxLod        float32 `json:"maxLod"`
	// Next is the chain of structures, of which conversion.go reads one.
	Next []json.RawMessage `json:"pNext,omitempty"`
}

type setLayoutsJSON struct {
	Version    int                      `json:"version"`
	SetLayouts map[string]setLayoutJSON `json:"setLayouts"`
}

type setLayoutJSON struct {
	Flags    uint32        `json:"flags"`
	Bindings []bindingJSON `json:"bindings"`
	// Next is the chain of structures, of which binding_flags.go reads one.
	Next []json.RawMessage `json:"pNext,omitempty"`
}

type bindingJSON struct {
	Type      uint32   `json:"descriptorType"`
	Count     uint32   `json:"descriptorCount"`
	Stages    uint32   `json:"stageFlags"`
	Binding   uint32   `json:"binding"`
	Immutable []string `json:"immutableSamplers,omitempty"`
}

type pipelineLayoutsJSON struct {
	Version int                           `json:"version"`
	Layouts map[string]pipelineLayoutJSON `json:"pipelineLayouts"`
}

type pipelineLayoutJSON struct {
	Push []pushJSON `json:"pushConstantRanges,omitempty"`
	Sets []string   `json:"setLayouts,omitempty"`
}

type pushJSON struct {
	Stages uint32 `json:"stageFlags"`
	Size   uint32 `json:"size"`
	Offset uint32 `json:"offset"`
}

// describe reads the description of an entry into list, which is of its kind.
func (d *DB) describe(tag Tag, hash uint64, list any) (*Entry, error) {
	e := d.Find(tag, hash)
	if e == nil {
		return nil, fmt.Errorf("the database has no %s %016x", tag, hash)
	}
	payload, err := d.Payload(e)
	if err != nil {
		return e, err
	}
	text, _, _ := bytes.Cut(payload, []byte{0})
	if err := json.Unmarshal(text, list); err != nil {
		return e, problem(e, "%s", err)
	}
	return e, nil
}

// named finds the description of an entry among those of a list.
func named[T any](e *Entry, list map[string]T) (T, error) {
	for name, x := range list {
		if h, err := hexDigits([]byte(name)); err == nil && h == e.Hash {
			return x, nil
		}
	}
	var none T
	return none, problem(e, "it describes nothing of its name")
}

// Layout reads a pipeline layout with its set layouts and immutable samplers. Types of descriptors
// that no target knows are layout.Other. The error is a *Problem where an entry is damaged, and plain where one
// is not there.
func (d *DB) Layout(hash uint64) (*layout.Layout, error) {
	var list pipelineLayoutsJSON
	e, err := d.describe(TagPipelineLayout, hash, &list)
	if err != nil {
		return nil, err
	}
	p, err := named(e, list.Layouts)
	if err != nil {
		return nil, err
	}
	l := &layout.Layout{}
	for i, name := range p.Sets {
		if i >= layout.MaxSets {
			return nil, problem(e, "it has %d sets, %d are supported", len(p.Sets), layout.MaxSets)
		}
		h, err := hexDigits([]byte(name))
		if err != nil {
			return nil, problem(e, "%q is no set layout's hash", name)
		}
		if h == 0 { // a set that the pipeline does not have
			continue
		}
		s, err := d.setLayout(h)
		if err != nil {
			return nil, err
		}
		s.Set = uint32(i)
		l.Sets = append(l.Sets, *s)
	}
	for _, r := range p.Push {
		if m := knownStages(r.Stages); m != 0 && r.Size != 0 {
			l.Push = append(l.Push, layout.PushRange{Stages: m, Offset: r.Offset, Size: r.Size})
		}
	}
	if p := l.Check(); p != nil {
		return nil, problem(e, "%s", p.Msg)
	}
	return l, nil
}

// knownStages are the stages of a mask that layouts name.
func knownStages(m uint32) layout.Stages {
	if layout.Stages(m) == layout.AllStages {
		return layout.AllStages
	}
	return layout.Stages(m) & (layout.AllGraphics | layout.Stages(StageOf("compute")))
}

func (d *DB) setLayout(hash uint64) (*layout.Set, error) {
	var list setLayoutsJSON
	e, err := d.describe(TagSetLayout, hash, &list)
	if err != nil {
		return nil, err
	}
	j, err := named(e, list.SetLayouts)
	if err != nil {
		return nil, err
	}
	s := &layout.Set{}
	partially := partiallyBound(j.Next)
	for i := range j.Bindings {
		b := &j.Bindings[i]
		out := layout.Binding{Binding: b.Binding, Type: layout.OfVulkan(b.Type), Count: b.Count, Stages: knownStages(b.Stages)}
		if out.Type.HasSampler() && uint64(len(b.Immutable)) == uint64(b.Count) {
			for _, name := range b.Immutable {
				x, err := d.sampler(e, name)
				if err != nil {
					return nil, err
				}
				out.Immutable = append(out.Immutable, *x)
			}
		}
		out.PartiallyBound = i < len(partially) && partially[i]
		s.Bindings = append(s.Bindings, out)
	}
	slices.SortStableFunc(s.Bindings, func(a, b layout.Binding) int { return int(int64(a.Binding) - int64(b.Binding)) })
	return s, nil
}

func (d *DB) sampler(by *Entry, name string) (*layout.SamplerState, error) {
	hash, err := hexDigits([]byte(name))
	if err != nil {
		return nil, problem(by, "%q is no sampler's hash", name)
	}
	var list samplersJSON
	e, err := d.describe(TagSampler, hash, &list)
	if err != nil {
		return nil, err
	}
	j, err := named(e, list.Samplers)
	if err != nil {
		return nil, err
	}
	s := &layout.SamplerState{MagFilter: j.MagFilter, MinFilter: j.MinFilter, MipmapMode: j.MipmapMode, Address: [3]uint8{j.AddressU, j.AddressV, j.AddressW},
		MipLodBias: j.MipLodBias, MinLod: j.MinLod, MaxLod: j.MaxLod, Compare: j.Compare != 0, Unnormalized: j.Unnormalized != 0}
	if s.Compare {
		s.CompareOp = j.CompareOp
	}
	if j.Anisotropy != 0 {
		s.MaxAnisotropy = j.MaxAnisotropy
	}
	if s.Conversion, err = readConversion(j.Next); err != nil {
		return nil, problem(e, "%s", err)
	}
	if j.BorderColor <= layout.MaxBorderColor { // a custom one is not described
		s.BorderColor = uint8(j.BorderColor)
	}
	return s, nil
}

// AddLayout writes a pipeline layout with its set layouts and samplers, and returns its hash: not
// Fossilize's own, which is over more than layouts have, but one of the text.
func (w *Writer) AddLayout(l *layout.Layout) (hash uint64, err error) {
	p := pipelineLayoutJSON{}
	for i := range l.Sets {
		s := &l.Sets[i]
		for uint32(len(p.Sets)) < s.Set {
			p.Sets = append(p.Sets, fmt.Sprintf("%016x", 0))
		}
		h, err := w.addSetLayout(s)
		if err != nil {
			return 0, err
		}
		p.Sets = append(p.Sets, fmt.Sprintf("%016x", h))
	}
	for _, r := range l.Push {
		p.Push = append(p.Push, pushJSON{Stages: uint32(r.Stages), Size: r.Size, Offset: r.Offset})
	}
	return addNamed(w, TagPipelineLayout, p, func(m map[string]pipelineLayoutJSON) any { return pipelineLayoutsJSON{version, m} })
}

func (w *Writer) addSetLayout(s *layout.Set) (hash uint64, err error) {
	j := setLayoutJSON{}
	for i := range s.Bindings {
		b := &s.Bindings[i]
		out := bindingJSON{Type: b.Type.Vulkan(), Count: b.Count, Stages: uint32(b.Stages), Binding: b.Binding}
		for k := range b.Immutable {
			h, err := w.addSampler(&b.Immutable[k])
			if err != nil {
				return 0, err
			}
			out.Immutable = append(out.Immutable, fmt.Sprintf("%016x", h))
		}
		j.Bindings = append(j.Bindings, out)
	}
	if j.Next, err = bindingFlags(s); err != nil {
		return 0, err
	}
	return addNamed(w, TagSetLayout, j, func(m map[string]setLayoutJSON) any { return setLayoutsJSON{version, m} })
}

func (w *Writer) addSampler(s *layout.SamplerState) (hash uint64, err error) {
	bit := map[bool]uint32{true: 1}
	j := samplerJSON{MinFilter: s.MinFilter, MagFilter: s.MagFilter, MaxAnisotropy: s.MaxAnisotropy, CompareOp: s.CompareOp, Anisotropy: bit[s.MaxAnisotropy != 0],
		MipmapMode: s.MipmapMode, AddressU: s.Address[0], AddressV: s.Address[1], AddressW: s.Address[2], BorderColor: uint32(s.BorderColor),
		Unnormalized: bit[s.Unnormalized], Compare: bit[s.Compare], MipLodBias: s.MipLodBias, MinLod: s.MinLod, MaxLod: s.MaxLod}
	if s.Conversion != nil {
		text, err := json.Marshal(writeConversion(s.Conversion))
		if err != nil {
			return 0, err
		}
		j.Next = append(j.Next, text)
	}
	return addNamed(w, TagSampler, j, func(m map[string]samplerJSON) any { return samplersJSON{version, m} })
}

// addNamed writes an entry under the hash of its description.
func addNamed[T any](w *Writer, tag Tag, x T, wrap func(map[string]T) any) (hash uint64, err error) {
	text, err := json.Marshal(x)
	if err != nil {
		return 0, err
	}
	h := newHasher()
	h.u32(uint32(tag))
	h.str(string(text))
	whole, err := json.Marshal(wrap(map[string]T{fmt.Sprintf("%016x", uint64(h)): x}))
	if err != nil {
		return 0, err
	}
	return uint64(h), w.Add(tag, uint64(h), append(whole, 0))
}
