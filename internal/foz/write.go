package foz

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// Writer writes a database.
type Writer struct {
	w    io.Writer
	seen map[key]bool
}

// NewWriter writes the head.
func NewWriter(w io.Writer) (*Writer, error) {
	_, err := w.Write(append([]byte(Magic), 0, 0, 0, version))
	return &Writer{w, map[key]bool{}}, err
}

// Add writes an entry, compressed if that is shorter. One that is there
// already is left out.
func (w *Writer) Add(tag Tag, hash uint64, payload []byte) error {
	if w.seen[key{tag, hash}] {
		return nil
	}
	w.seen[key{tag, hash}] = true
	if len(payload) > maxPayload {
		return fmt.Errorf("%s %016x: %d bytes are more than an entry may have", tag, hash, len(payload))
	}
	stored, format := payload, uint32(formatNone)
	var z bytes.Buffer
	c := zlib.NewWriter(&z)
	c.Write(payload) // a Buffer takes all
	c.Close()
	if z.Len() < len(payload) {
		stored, format = z.Bytes(), formatDeflate
	}
	b := fmt.Appendf(nil, "%024x%016x", uint32(tag), hash)
	for _, v := range []uint32{uint32(len(stored)), format, crc32.ChecksumIEEE(stored), uint32(len(payload))} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	_, err := w.w.Write(append(b, stored...))
	return err
}

// hasher is Fossilize's: FNV-1 over 32-bit words.
type hasher uint64

func newHasher() hasher { return 0xcbf29ce484222325 }

func (h *hasher) u32(v uint32) { *h = *h*0x100000001b3 ^ hasher(v) }

func (h *hasher) str(s string) {
	for i := range len(s) {
		h.u32(uint32(s[i]))
	}
	h.u32(0)
}

// ModuleHash is the hash under which Fossilize has a module of these words
// (little endian) and no flags.
func ModuleHash(code []byte) uint64 {
	h := newHasher()
	for i := 0; i+4 <= len(code); i += 4 {
		h.u32(binary.LittleEndian.Uint32(code[i:]))
	}
	h.u32(0)
	return uint64(h)
}

// AddModule writes a shader module, given as words in little endian.
func (w *Writer) AddModule(code []byte) (hash uint64, err error) {
	if len(code)%4 != 0 {
		return 0, fmt.Errorf("%d bytes are no SPIR-V words", len(code))
	}
	hash = ModuleHash(code)
	var varint []byte
	for i := 0; i < len(code); i += 4 {
		varint = binary.AppendUvarint(varint, uint64(binary.LittleEndian.Uint32(code[i:])))
	}
	zero := uint64(0)
	text, err := json.Marshal(modulesJSON{version, map[string]moduleJSON{
		fmt.Sprintf("%016x", hash): {CodeSize: uint64(len(code)), VarintOffset: &zero, VarintSize: uint64(len(varint))}}})
	if err != nil {
		return 0, err
	}
	return hash, w.Add(TagShaderModule, hash, append(append(text, 0), varint...))
}

// AddPipeline writes a pipeline that uses modules so: what a stage needs, and
// of the state around it what compilers look at. A single compute stage makes a compute pipeline.
// The layout is that of the first use. A Next that is not among the uses becomes a stage of module 0, one that is not there.
func (w *Writer) AddPipeline(uses ...Use) (hash uint64, err error) {
	h := newHasher()
	for _, u := range uses {
		if u.Next != 0 && !slices.ContainsFunc(uses, func(v Use) bool { return v.Stage == u.Next }) {
			uses = append(uses[:len(uses):len(uses)], Use{Entry: "main", Stage: u.Next})
		}
	}
	p := pipelineJSON{}
	if len(uses) > 0 && uses[0].Layout != nil {
		l, err := w.AddLayout(uses[0].Layout)
		if err != nil {
			return 0, err
		}
		p.Layout = fmt.Sprintf("%016x", l)
		h.u32(uint32(l))
		h.u32(uint32(l >> 32))
	}
	for _, u := range uses {
		s := stageJSON{Name: u.Entry, Module: fmt.Sprintf("%016x", u.Module), Bits: uint32(u.Stage)}
		h.u32(uint32(u.Module))
		h.u32(uint32(u.Module >> 32))
		h.u32(uint32(u.Stage))
		h.str(u.Entry)
		if len(u.Spec) > 0 {
			var data []byte
			s.Spec = &specJSON{}
			for _, c := range u.Spec {
				size := uint32(4)
				if c.Bits>>32 != 0 {
					size = 8
				}
				s.Spec.Entries = append(s.Spec.Entries, specEntryJSON{c.ID, uint32(len(data)), size})
				data = append(data, binary.LittleEndian.AppendUint64(nil, c.Bits)[:size]...)
				h.u32(c.ID)
				h.u32(uint32(c.Bits))
				h.u32(uint32(c.Bits >> 32))
			}
			s.Spec.Data, s.Spec.DataSize = base64.StdEncoding.EncodeToString(data), uint64(len(data))
		}
		p.Stages = append(p.Stages, s)
	}
	if err := p.writeState(uses); err != nil {
		return 0, err
	}
	for _, u := range uses {
		if text := u.State.Flags(); text != "" {
			h.str(text)
		}
	}
	name := fmt.Sprintf("%016x", uint64(h))
	tag, list := TagGraphicsPipeline, pipelinesJSON{Version: version, Graphics: map[string]pipelineJSON{name: p}}
	switch {
	case len(uses) == 1 && uses[0].Stage == StageOf("compute"):
		p = pipelineJSON{Layout: p.Layout, Flags: p.Flags, PNext: p.PNext, Stage: &p.Stages[0]}
		tag, list = TagComputePipeline, pipelinesJSON{Version: version, Compute: map[string]pipelineJSON{name: p}}
	case len(uses) > 0 && uses[0].Stage >= StageOf("raygen"):
		tag, list = TagRayTracing, pipelinesJSON{Version: version, RayTracing: map[string]pipelineJSON{name: p}}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return 0, err
	}
	return uint64(h), w.Add(tag, uint64(h), append(text, 0))
}
