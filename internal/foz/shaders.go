package foz

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"nirc/backend/layout"
	"nirc/ir"
)

// Use is how a pipeline uses a shader module.
type Use struct {
	Module uint64 `json:"-"`
	Entry  string `json:"entry"`
	Stage  Stage  `json:"stage"`
	Spec   []Spec `json:"spec,omitempty"` // by id
	// Next is the stage that follows in the pipeline if that is tessellation control
	// or geometry, which take their inputs from threads and not from the rasteriser.
	Next Stage `json:"next,omitempty"`
	// LayoutHash names the pipeline's layout, 16 digits, "" if it has none; Layout is that, nil if
	// the database does not have it whole.
	LayoutHash string         `json:"layout,omitempty"`
	Layout     *layout.Layout `json:"-"`
	// State is what else the pipeline asks of the shader's code.
	State State `json:"state,omitzero"`
	// Pipelines counts those that use it so.
	Pipelines int `json:"pipelines"`
}

// Spec is the value of a specialization constant: its bytes, zero extended.
type Spec struct {
	ID   uint32 `json:"id"`
	Bits uint64 `json:"bits"`
}

// Stage is a bit of Vulkan's VkShaderStageFlagBits.
type Stage uint32

// String is the stage's name as the command line has it.
func (s Stage) String() string {
	for i := range ir.StageTable {
		if s == 1<<i {
			return ir.StageTable[i].Name
		}
	}
	return "stage " + strconv.FormatUint(uint64(s), 10)
}

// MarshalText gives the name, for JSON.
func (s Stage) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// StageOf returns the stage of that name, 0 if there is none.
func StageOf(name string) Stage {
	for i := range ir.StageTable {
		if ir.StageTable[i].Name == name {
			return 1 << i
		}
	}
	return 0
}

// moduleJSON is a shader module's description.
type moduleJSON struct {
	Flags        uint32  `json:"flags"`
	CodeSize     uint64  `json:"codeSize"`
	VarintOffset *uint64 `json:"varintOffset,omitempty"`
	VarintSize   uint64  `json:"varintSize,omitempty"`
	Code         string  `json:"code,omitempty"` // of old databases: base64
}

type modulesJSON struct {
	Version       int                   `json:"version"`
	ShaderModules map[string]moduleJSON `json:"shaderModules"`
}

// stageJSON is a pipeline's stage.
type stageJSON struct {
	Flags  uint32    `json:"flags"`
	Name   string    `json:"name"`
	Module string    `json:"module"`
	Bits   uint32    `json:"stage"`
	Spec   *specJSON `json:"specializationInfo,omitempty"`

	PNext json.RawMessage `json:"pNext,omitempty"`
}

type specJSON struct {
	Entries  []specEntryJSON `json:"mapEntries,omitempty"`
	Data     string          `json:"data"`
	DataSize uint64          `json:"dataSize"`
}

type specEntryJSON struct {
	ID     uint32 `json:"constantID"`
	Offset uint32 `json:"offset"`
	Size   uint32 `json:"size"`
}

type pipelineJSON struct {
	Flags  uint64          `json:"flags,omitempty"`
	PNext  json.RawMessage `json:"pNext,omitempty"`
	Layout string          `json:"layout,omitempty"`
	Stages []stageJSON     `json:"stages,omitempty"`
	Stage  *stageJSON      `json:"stage,omitempty"` // of a compute pipeline
	stateJSON
}

type pipelinesJSON struct {
	Version    int                     `json:"version"`
	Graphics   map[string]pipelineJSON `json:"graphicsPipelines,omitempty"`
	Compute    map[string]pipelineJSON `json:"computePipelines,omitempty"`
	RayTracing map[string]pipelineJSON `json:"raytracingPipelines,omitempty"`
}

// Module returns the words of a shader module, little endian.
func (d *DB) Module(hash uint64) ([]byte, error) {
	e := d.Find(TagShaderModule, hash)
	if e == nil {
		return nil, fmt.Errorf("the database has no shader module %016x", hash)
	}
	payload, err := d.Payload(e)
	if err != nil {
		return nil, err
	}
	text, rest, _ := bytes.Cut(payload, []byte{0})
	var list modulesJSON
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, problem(e, "%s", err)
	}
	for name, m := range list.ShaderModules {
		if h, err := hexDigits([]byte(name)); err != nil || h != hash {
			continue
		}
		code, why := m.words(rest)
		if why != "" {
			return nil, problem(e, "%s", why)
		}
		return code, nil
	}
	return nil, problem(e, "it describes no module of its name")
}

// words decodes a module's code.
func (m *moduleJSON) words(payload []byte) (code []byte, why string) {
	if m.CodeSize%4 != 0 || m.CodeSize > maxPayload {
		return nil, fmt.Sprintf("codeSize %d is no size of a module", m.CodeSize)
	}
	if m.VarintOffset == nil {
		code, err := base64.StdEncoding.DecodeString(m.Code)
		if err != nil || uint64(len(code)) != m.CodeSize {
			return nil, "its code is not codeSize bytes of base64"
		}
		return code, ""
	}
	if *m.VarintOffset > uint64(len(payload)) || m.VarintSize > uint64(len(payload))-*m.VarintOffset {
		return nil, "its code ends after the entry"
	}
	in := payload[*m.VarintOffset : *m.VarintOffset+m.VarintSize]
	n := int(m.CodeSize / 4)
	if n > len(in) { // a word takes a byte at least
		return nil, "its code is shorter than codeSize"
	}
	code = make([]byte, 0, m.CodeSize)
	for range n {
		w, k := binary.Uvarint(in)
		if k <= 0 || k > 5 || w > 1<<32-1 {
			return nil, "its code is not written as varints"
		}
		code, in = binary.LittleEndian.AppendUint32(code, uint32(w)), in[k:]
	}
	if len(in) > 0 {
		return nil, "its code is longer than codeSize"
	}
	return code, ""
}

// Uses lists how pipelines use modules: by module in the order of the entries, then
// by entry point, stage and specialization. Damaged pipelines are reported and passed over.
func (d *DB) Uses() (uses []Use, problems []*Problem) {
	views := passViews{}
	for i := range d.Entries {
		e := &d.Entries[i]
		switch e.Tag {
		case TagGraphicsPipeline, TagComputePipeline, TagRayTracing:
		default:
			continue
		}
		list, p := d.pipeline(e, views)
		if p != nil {
			problems = append(problems, p)
		}
		uses = append(uses, list...)
	}
	for i := range uses {
		uses[i].State = uses[i].State.of(uses[i].Stage)
	}
	slices.SortStableFunc(uses, d.order)
	problems = append(problems, d.readLayouts(uses)...)
	out := uses[:0]
	for _, u := range uses {
		if n := len(out); n > 0 && d.order(out[n-1], u) == 0 {
			out[n-1].Pipelines++
			continue
		}
		out = append(out, u)
	}
	return out, problems
}

// readLayouts gives uses the layouts that their pipelines name, and reports those that are not there
// or damaged.
func (d *DB) readLayouts(uses []Use) (problems []*Problem) {
	read := map[string]*layout.Layout{}
	for i := range uses {
		name := uses[i].LayoutHash
		l, ok := read[name]
		if !ok && name != "" {
			hash, err := hexDigits([]byte(name))
			if err == nil {
				l, err = d.Layout(hash)
			}
			if err != nil {
				p, ok := err.(*Problem)
				if !ok {
					p = &Problem{Entry: &Entry{Tag: TagPipelineLayout, Hash: hash}, Why: err.Error()}
				}
				problems = append(problems, p)
			}
			read[name] = l
		}
		uses[i].Layout = l
	}
	return problems
}

func (d *DB) order(a, b Use) int {
	return cmp.Or(cmp.Compare(d.place(a.Module), d.place(b.Module)), cmp.Compare(a.Module, b.Module), cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.Stage, b.Stage),
		slices.CompareFunc(a.Spec, b.Spec, func(x, y Spec) int { return cmp.Or(cmp.Compare(x.ID, y.ID), cmp.Compare(x.Bits, y.Bits)) }), cmp.Compare(a.Next, b.Next), cmp.Compare(a.LayoutHash, b.LayoutHash), a.State.compare(b.State))
}

// place orders modules as the database has them, those that it lacks last.
func (d *DB) place(module uint64) int {
	if i, ok := d.index[key{TagShaderModule, module}]; ok {
		return i
	}
	return len(d.Entries)
}

// describePipelines reads an entry of pipelines.
func (d *DB) describePipelines(e *Entry) (list pipelinesJSON, p *Problem) {
	payload, err := d.Payload(e)
	if err != nil {
		if p, ok := err.(*Problem); ok {
			return list, p
		}
		return list, problem(e, "%s", err)
	}
	text, _, _ := bytes.Cut(payload, []byte{0})
	if err := json.Unmarshal(text, &list); err != nil {
		return pipelinesJSON{}, problem(e, "%s", err)
	}
	return list, nil
}

// sortedNames are the names of pipelines in order.
func sortedNames(group map[string]pipelineJSON) []string {
	names := make([]string, 0, len(group))
	for n := range group {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// pipeline lists the stages of a pipeline.
func (d *DB) pipeline(e *Entry, views passViews) (uses []Use, p *Problem) {
	list, p := d.describePipelines(e)
	for _, group := range []map[string]pipelineJSON{list.Graphics, list.Compute, list.RayTracing} {
		for _, n := range sortedNames(group) {
			g := group[n]
			found, _, why := d.stages(&g, views)
			uses = append(uses, found...)
			if why != "" {
				return uses, problem(e, "%s", why)
			}
		}
	}
	return uses, p
}

// stages lists those of a pipeline whose modules the capture has; whole reports whether that are all.
func (d *DB) stages(p *pipelineJSON, views passViews) (uses []Use, whole bool, why string) {
	if p.Stage != nil {
		p.Stages = append(p.Stages, *p.Stage)
	}
	state := p.state()
	state.Multiview = state.Multiview || views.of(d, p.RenderPass, p.Subpass)
	for i := range p.Stages {
		u, why := p.Stages[i].use()
		if why != "" {
			return uses, false, why
		}
		u.Next, u.State = p.next(u.Stage), state
		u.State.chain(p.Stages[i].PNext)
		if h, err := hexDigits([]byte(p.Layout)); err == nil && h != 0 {
			u.LayoutHash = fmt.Sprintf("%016x", h)
		}
		if u.Module != 0 { // 0 is a module that the capture does not have
			uses = append(uses, u)
		}
	}
	return uses, len(uses) == len(p.Stages), ""
}

// The stages that are Use.Next, and the one that stands between them.
const (
	stageTessCtrl Stage = 1 << (1 + iota)
	stageTessEval
	stageGeometry
)

// next is Use.Next of a stage of the pipeline. The bits of the stages of a
// draw are in their order.
func (p *pipelineJSON) next(s Stage) Stage {
	after := Stage(0)
	for i := range p.Stages {
		if b := Stage(p.Stages[i].Bits); b > s && b <= stageGeometry && (after == 0 || b < after) {
			after = b
		}
	}
	if after == stageTessEval {
		return 0
	}
	return after
}

func (s *stageJSON) use() (u Use, why string) {
	h, err := hexDigits([]byte(s.Module))
	if err != nil {
		return u, fmt.Sprintf("%q is no module's hash", s.Module)
	}
	u = Use{Module: h, Entry: s.Name, Stage: Stage(s.Bits), Pipelines: 1}
	if s.Spec == nil {
		return u, ""
	}
	data, err := base64.StdEncoding.DecodeString(s.Spec.Data)
	if err != nil || uint64(len(data)) < s.Spec.DataSize {
		return u, "its specialization data is not dataSize bytes of base64"
	}
	for _, m := range s.Spec.Entries {
		if uint64(m.Offset)+uint64(m.Size) > uint64(len(data)) || m.Size > 8 {
			return u, fmt.Sprintf("specialization constant %d lies outside of the data", m.ID)
		}
		var b [8]byte
		copy(b[:], data[m.Offset:m.Offset+m.Size])
		u.Spec = append(u.Spec, Spec{m.ID, binary.LittleEndian.Uint64(b[:])})
	}
	slices.SortStableFunc(u.Spec, func(a, b Spec) int { return cmp.Compare(a.ID, b.ID) })
	return u, ""
}
