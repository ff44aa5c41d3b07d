// Package sourcemap leads from machine code back to what it was made of: the IR, the SPIR-V instruction, the line of
// the source.
//
// It knows no ISA: the backend disassembles, and the object says where its code comes from.
package sourcemap

import (
	"strings"

	"nirc/backend"
	"nirc/backend/object"
	"nirc/ir"
)

// Schema is the number of the source map's JSON form.
const Schema = 1

// Map leads from each machine instruction to the IR it was made of, to the
// SPIR-V instruction and to the line of the source, as far as the module says.
type Map struct {
	Schema int      `json:"schema"`
	File   string   `json:"file"` // the module
	Target string   `json:"target"`
	GPU    string   `json:"gpu"`
	Entry  string   `json:"entry"`
	Stage  string   `json:"stage"`
	Instrs []Instr  `json:"instructions"`
	Places []Source `json:"places"`
}

// Instr is one machine instruction.
type Instr struct {
	Offset int    `json:"offset"` // bytes
	Text   string `json:"text"`
	Place  int    `json:"place"` // index into Places, -1 if unknown
}

// Source is one place in the module, and the IR that stood for it when the
// target's passes were done.
type Source struct {
	ID   uint32   `json:"id,omitempty"`   // SPIR-V result id
	Word uint32   `json:"word,omitempty"` // offset in the module in words
	File string   `json:"file,omitempty"`
	Line uint32   `json:"line,omitempty"`
	Col  uint32   `json:"col,omitempty"`
	IR   []string `json:"ir,omitempty"`
}

// New makes the map of an object that was compiled for debugging: file names the module, code is the object's, disassembled, lines
// what ByPlace said before the code was generated.
func New(file string, o *object.Object, code []backend.Line, lines map[ir.Loc][]string) *Map {
	m := &Map{Schema: Schema, File: file, Target: o.Target, GPU: o.GPU, Entry: o.Entry, Stage: o.Stage.String(), Places: []Source{}}
	places := map[ir.Loc]int{{}: -1}
	for i := range code {
		var at ir.Loc
		if e := o.LineAt(uint32(code[i].Offset)); e != nil {
			at = ir.Loc{File: e.File, Line: e.Line, Col: e.Col, ID: e.ID, Word: e.Word}
		}
		n, ok := places[at]
		if !ok {
			n = len(m.Places)
			places[at] = n
			p := Source{ID: at.ID, Word: at.Word, Line: at.Line, Col: at.Col, IR: lines[at]}
			if int(at.File) < len(o.Files) {
				p.File = o.Files[at.File]
			}
			m.Places = append(m.Places, p)
		}
		m.Instrs = append(m.Instrs, Instr{code[i].Offset, strings.TrimSpace(code[i].Text), n})
	}
	return m
}

// ByPlace lists the instructions' text by their place.
func ByPlace(s *ir.Shader) map[ir.Loc][]string {
	byPlace := map[ir.Loc][]string{}
	ir.PrintWith(s, ir.PrintOptions{Instr: func(in *ir.Instr, text string) {
		if in.Loc != 0 && int(in.Loc) < len(s.Locs) {
			at := s.Locs[in.Loc]
			at.Func, at.Call = 0, 0
			byPlace[at] = append(byPlace[at], text)
		}
	}})
	return byPlace
}
