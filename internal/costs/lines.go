package costs

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"nirc/backend/cost"
	"nirc/backend/object"
)

// Place is a line of the source, or, of a module without lines, an instruction of it by its word; all
// zero is code that comes from nowhere in particular.
type Place struct {
	File string `json:"file,omitempty"`
	Line uint32 `json:"line,omitempty"`
	Word uint32 `json:"word,omitempty"`
	// Path is the calls by which inlined code got where it is, the outermost first, as
	// "main a.frag:40 > shade a.frag:12"; "" of code that stands where it was written.
	Path string `json:"path,omitempty"`
}

func (p Place) compare(q Place) int {
	known := func(p Place) int { return btoi(p == Place{}) }
	return cmp.Or(cmp.Compare(known(p), known(q)), cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Word, q.Word), cmp.Compare(p.Path, q.Path))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Line is what the code of a place takes, each instruction counted once.
type Line struct {
	Place
	Instructions int `json:"instructions"`
	// Cycles is the sum over the pipes, Count the cycles of each.
	Cycles float64   `json:"cycles"`
	Count  []float64 `json:"cycle_count"`
	Share  float64   `json:"share"` // of the shader's cycles, in percent
	Stall  float64   `json:"stall"`
	Live   int       `json:"live,omitempty"` // most registers live at a time; 0 if not known
}

// PlaceAt is the place of the code at an offset.
func PlaceAt(o *object.Object, offset int) Place {
	frames := o.Frames(o.LineAt(uint32(offset)))
	if frames == nil {
		return Place{}
	}
	p := Place{Path: path(frames[1:])}
	if at := &frames[0]; at.Line == 0 {
		p.Word = at.Word
	} else {
		p.File, p.Line = at.File, at.Line
	}
	return p
}

// path writes calls, the innermost first, as Place.Path.
func path(calls []object.Frame) string {
	var list []string
	for _, f := range slices.Backward(calls) {
		at := FuncName(f.Func)
		switch {
		case f.Line > 0:
			at += fmt.Sprintf(" %s:%d", f.File, f.Line)
		case f.Word > 0:
			at += fmt.Sprintf(" word %d", f.Word)
		}
		list = append(list, strings.TrimSpace(at))
	}
	return strings.Join(list, " > ")
}

// FuncName is the name of a function without the types of its parameters, which compilers of GLSL add.
func FuncName(name string) string {
	name, _, _ = strings.Cut(name, "(")
	return name
}

// Source is the place without the calls.
func (p Place) Source() Place {
	p.Path = ""
	return p
}

// Lines lists the places of a shader's code in the order of the source, what has no place last. The sums are
// those of the total. Preambles are left out, as there.
func (s *Shader) lines() []Line {
	p, o := s.program, s.object
	index := map[Place]int{}
	var list []Line
	var work []cost.Work
	whole := 0.0
	for i := range p.Instrs {
		in := &p.Instrs[i]
		if in.Once {
			continue
		}
		at := PlaceAt(o, in.Offset)
		k, ok := index[at]
		if !ok {
			k = len(list)
			index[at] = k
			list, work = append(list, Line{Place: at}), append(work, cost.Work{})
		}
		l := &list[k]
		l.Instructions += in.Count
		l.Live = max(l.Live, in.Live)
		work[k].Add(&in.Work)
		whole += p.Sum(&in.Work)
	}
	for k := range list {
		l := &list[k]
		l.Cycles, l.Stall = tidy(p.Sum(&work[k])), tidy(work[k].Stall)
		if whole > 0 {
			l.Share = tidy(100 * p.Sum(&work[k]) / whole)
		}
		for i := range p.Pipes {
			l.Count = append(l.Count, tidy(work[k].Pipes[i]))
		}
	}
	slices.SortStableFunc(list, func(a, b Line) int { return a.compare(b.Place) })
	return list
}

// AddLines fills Lines.
func (s *Shader) AddLines() {
	if s.program != nil {
		s.Lines = s.lines()
	}
}

// Program is the model that the costs come from, nil if they were read.
func (s *Shader) Program() *cost.Program { return s.program }

// Object is the code, nil if the costs were read.
func (s *Shader) Object() *object.Object { return s.object }

// Shares is the share of each instruction of the cycles in percent, by offset.
func (s *Shader) Shares() map[int]float64 {
	share, whole := map[int]float64{}, 0.0
	for i := range s.program.Instrs {
		if in := &s.program.Instrs[i]; !in.Once {
			whole += s.program.Sum(&in.Work)
		}
	}
	for i := range s.program.Instrs {
		if in := &s.program.Instrs[i]; !in.Once && whole > 0 {
			share[in.Offset] = tidy(100 * s.program.Sum(&in.Work) / whole)
		}
	}
	return share
}

// HasLines reports whether the code leads to lines of a source, HasPlaces to anything in the module.
func (s *Shader) HasLines() bool {
	return slices.ContainsFunc(s.Lines, func(l Line) bool { return l.Line != 0 })
}

// Sources finds the texts of source files: as they are named, or beside the module.
type Sources map[string][]string

// Text is a line of a file that a module names, "" if it cannot be read.
func (s Sources) Text(module, file string, line uint32) string {
	list := s.Lines(module, file)
	if line == 0 || int(line) > len(list) {
		return ""
	}
	return list[line-1]
}

// Lines are all lines of a file that a module names.
func (s Sources) Lines(module, file string) []string {
	if file == "" {
		return nil
	}
	for _, path := range []string{file, filepath.Join(filepath.Dir(module), file), filepath.Join(filepath.Dir(module), filepath.Base(file))} {
		list, ok := s[path]
		if !ok {
			if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() && st.Size() < 16<<20 {
				if data, err := os.ReadFile(path); err == nil {
					list = strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n"), "\n")
				}
			}
			s[path] = list
		}
		if list != nil {
			return list
		}
	}
	return nil
}

// WriteLines annotates the source of each shader, its targets beside each other. bySize puts what takes most cycles first.
func WriteLines(out io.Writer, list []*Shader, bySize bool) error {
	b := &strings.Builder{}
	src := Sources{}
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].File == list[0].File && list[n].Entry == list[0].Entry && list[n].Stage == list[0].Stage {
			n++
		}
		writeShaderLines(b, src, list[:n], bySize)
		if list = list[n:]; len(list) > 0 {
			b.WriteByte('\n')
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// writeShaderLines writes one shader as its targets have it.
func writeShaderLines(b *strings.Builder, src Sources, list []*Shader, bySize bool) {
	ok := list[:0:0]
	for _, s := range list {
		if s.Error != "" {
			s.text(b)
		} else {
			ok = append(ok, s)
		}
	}
	if len(ok) == 0 {
		return
	}
	name := ok[0].File
	if e := ok[0].Entry; e != "" && e != "main" {
		name += " " + e
	}
	fmt.Fprintf(b, "%s: %s\n", name, ok[0].Stage)
	if !slices.ContainsFunc(ok, (*Shader).HasLines) {
		b.WriteString("the module has no lines of a source: places are words of its SPIR-V\n")
	}
	rows := mergeLines(ok)
	if bySize {
		slices.SortStableFunc(rows, func(x, y row) int { return cmp.Compare(y.cycles, x.cycles) })
	}
	w := tabwriter.NewWriter(b, 0, 0, 1, ' ', tabwriter.AlignRight)
	head, names := "", []string{}
	for _, s := range ok {
		names = append(names, s.Target+" "+s.GPU)
		head += "instrs\tcycles\tshare\tstalls\tlive\t"
	}
	fmt.Fprintf(b, "columns from the left: %s\n", strings.Join(names, ", "))
	fmt.Fprintf(w, "%s\t  source\n", head)
	for _, r := range rows {
		for _, l := range r.cells {
			if l == nil {
				fmt.Fprint(w, ".\t.\t.\t.\t.\t")
				continue
			}
			fmt.Fprintf(w, "%d\t%s\t%.1f%%\t%s\t%s\t", l.Instructions, number(l.Cycles), l.Share, number(l.Stall), live(l.Live))
		}
		fmt.Fprintf(w, "\t  %s\n", r.text(src, ok[0].File))
	}
	for _, s := range ok {
		t := Line{}
		for _, l := range s.Lines {
			t.Instructions += l.Instructions
			t.Cycles += l.Cycles
			t.Stall += l.Stall
			t.Live = max(t.Live, l.Live)
		}
		fmt.Fprintf(w, "%d\t%s\t100.0%%\t%s\t%s\t", t.Instructions, number(t.Cycles), number(t.Stall), live(t.Live))
	}
	fmt.Fprint(w, "\t  total\n")
	w.Flush()
}

func live(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// row is a place and what its code takes on each target, nil where there is none.
type row struct {
	Place
	cells  []*Line
	cycles float64
}

func (r *row) text(src Sources, module string) string {
	t := ""
	switch {
	case r.Place == Place{}:
		return "(no place)"
	case r.Line == 0:
		t = fmt.Sprintf("word %d", r.Word)
	default:
		t = fmt.Sprintf("%s:%d", r.File, r.Line)
		if text := strings.TrimSpace(src.Text(module, r.File, r.Line)); text != "" {
			t += ": " + strings.ReplaceAll(text, "\t", " ")
		}
	}
	if r.Path != "" {
		t += "  [called by " + r.Path + "]"
	}
	return t
}

func mergeLines(list []*Shader) []row {
	index := map[Place]int{}
	var rows []row
	for k, s := range list {
		for i := range s.Lines {
			l := &s.Lines[i]
			n, ok := index[l.Place]
			if !ok {
				n = len(rows)
				index[l.Place] = n
				rows = append(rows, row{Place: l.Place, cells: make([]*Line, len(list))})
			}
			rows[n].cells[k] = l
			rows[n].cycles += l.Share // so that no target outweighs the others
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return a.compare(b.Place) })
	return rows
}
