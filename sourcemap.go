package nirc

import (
	"context"
	"strings"

	"nirc/backend/object"
	"nirc/ir"
)

// SourceMapSchema is the number of the source map's JSON form.
const SourceMapSchema = 1

// SourceMap leads from each machine instruction to the IR it was made of, to the
// SPIR-V instruction and to the line of the source, as far as the module says.
type SourceMap struct {
	Schema int         `json:"schema"`
	File   string      `json:"file"` // the module
	Target string      `json:"target"`
	GPU    string      `json:"gpu"`
	Entry  string      `json:"entry"`
	Stage  string      `json:"stage"`
	Instrs []MapInstr  `json:"instructions"`
	Places []MapSource `json:"places"`
}

// MapInstr is one machine instruction.
type MapInstr struct {
	Offset int    `json:"offset"` // bytes
	Text   string `json:"text"`
	Place  int    `json:"place"` // index into Places, -1 if unknown
}

// MapSource is one place in the module, and the IR that stood for it when the
// target's passes were done.
type MapSource struct {
	ID   uint32   `json:"id,omitempty"`   // SPIR-V result id
	Word uint32   `json:"word,omitempty"` // offset in the module in words
	File string   `json:"file,omitempty"`
	Line uint32   `json:"line,omitempty"`
	Col  uint32   `json:"col,omitempty"`
	IR   []string `json:"ir,omitempty"`
}

// GenerateMapped is Generate with a source map. Options.Debug must be set.
func (u *Unit) GenerateMapped(ctx context.Context) (*object.Object, *SourceMap, error) {
	if !u.opts.Debug {
		return nil, nil, Usagef("a source map needs Options.Debug")
	}
	lines := irByPlace(u.Shader)
	obj, err := u.Generate(ctx)
	if err != nil {
		return nil, nil, err
	}
	code, err := u.back.Disassemble(obj.GPU, obj.Code)
	if err != nil {
		return nil, nil, &InternalError{Pass: "sourcemap", Value: err}
	}
	m := &SourceMap{Schema: SourceMapSchema, File: u.opts.File, Target: obj.Target, GPU: obj.GPU, Entry: obj.Entry, Stage: obj.Stage.String(), Places: []MapSource{}}
	places := map[ir.Loc]int{{}: -1}
	for i := range code {
		var at ir.Loc
		if e := obj.LineAt(uint32(code[i].Offset)); e != nil {
			at = ir.Loc{File: e.File, Line: e.Line, Col: e.Col, ID: e.ID, Word: e.Word}
		}
		n, ok := places[at]
		if !ok {
			n = len(m.Places)
			places[at] = n
			p := MapSource{ID: at.ID, Word: at.Word, Line: at.Line, Col: at.Col, IR: lines[at]}
			if int(at.File) < len(obj.Files) {
				p.File = obj.Files[at.File]
			}
			m.Places = append(m.Places, p)
		}
		m.Instrs = append(m.Instrs, MapInstr{code[i].Offset, strings.TrimSpace(code[i].Text), n})
	}
	return obj, m, nil
}

// irByPlace lists the instructions' text by their place.
func irByPlace(s *ir.Shader) map[ir.Loc][]string {
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
