package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"nirc"
	"nirc/internal/foz"
	"nirc/ir"

	"github.com/spf13/cobra"
)

const fozLong = `Look into Fossilize databases (.foz), in which Vulkan applications' pipelines are captured, take
their shader modules out, and write new ones. nirc compile, stats and cache build read databases
too: each module with the entry points, stages and specialization of the pipelines that use it.
Damaged entries are reported and passed over; an entry that the end of the file cuts off is none.

What a database knows of a shader's pipelines, code is made for: specialization, the layout, the
stage that follows, and of the state sample shading, points, several views, a base of dispatches and
robustness, as by --spec, --layout, --next, --sample-shading, --points, --multiview, --dispatch-base
and --robust.`

func (a *app) foz() *cobra.Command {
	cmd := &cobra.Command{Use: "foz", Short: "Look into Fossilize databases", Long: fozLong}
	cmd.AddCommand(a.fozLs(), a.fozExtract(), a.fozPack())
	return cmd
}

// openFoz opens a database. Its file stays open until the program ends:
// modules are read when they are wanted.
func (a *app) openFoz(path string) (*foz.DB, error) {
	var (
		r    io.ReaderAt
		size int64
	)
	if path == "-" {
		data, err := readAll(a.in, path, maxDatabase)
		if err != nil {
			return nil, err
		}
		r, size = bytes.NewReader(data), int64(len(data))
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, &nirc.IOError{Err: err}
		}
		st, err := f.Stat()
		if err != nil {
			return nil, &nirc.IOError{Err: err}
		}
		r, size = f, st.Size()
		if st.Mode()&os.ModeNamedPipe != 0 {
			data, err := readAll(f, path, maxDatabase) // as of foz ls <(zstd -dc x.foz.zst)
			if err != nil {
				return nil, err
			}
			r, size = bytes.NewReader(data), int64(len(data))
		}
	}
	db, err := foz.Open(r, size)
	var inout *fs.PathError
	switch {
	case errors.As(err, &inout):
		return nil, &nirc.IOError{Err: err}
	case err != nil:
		return nil, nirc.Diagnostics{{File: path, Msg: err.Error()}}
	}
	return db, nil
}

// isFoz reports whether a file is a database: by its name or, where the name says nothing, its first bytes.
func isFoz(path string) bool {
	switch ext := filepath.Ext(path); {
	case ext == ".foz":
		return true
	case path == "-", slices.Contains(moduleExtensions, ext), nirc.GLSLExtension(path):
		return false
	}
	// Of a pipe nothing is taken, which its reader would miss.
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(foz.Magic))
	_, err = io.ReadFull(f, head)
	return err == nil && foz.IsDB(head)
}

// appendModules appends an input, or the modules in it if it is a database;
// what is damaged there is reported.
func (a *app) appendModules(list []input, in input) []input {
	if in.err != nil || !isFoz(in.path) {
		return append(list, in)
	}
	db, err := a.openFoz(in.path)
	if err != nil {
		in.err = err
		return append(list, in)
	}
	uses, problems := db.Uses()
	told := fozProblems(in.path, append(db.Problems, problems...))
	if db.Tail > 0 {
		told = append(told, nirc.Diagnostic{File: in.path, Severity: nirc.SeverityWarning, Msg: fmt.Sprintf("the last entry is cut off: its %d bytes are passed over", db.Tail)})
	}
	modules := len(list)
	byModule := map[uint64][]foz.Use{}
	for _, u := range uses {
		byModule[u.Module] = append(byModule[u.Module], u)
	}
	for i := range db.Entries {
		e := &db.Entries[i]
		if e.Tag != foz.TagShaderModule {
			continue
		}
		hash := fmt.Sprintf("%016x", e.Hash)
		list = append(list, input{path: in.path + ":" + hash, rel: stem(in.rel) + "." + hash + ".spv",
			module: func() ([]byte, error) { return db.Module(e.Hash) }, uses: byModule[e.Hash]})
	}
	if len(list) == modules {
		told = append(told, nirc.Diagnostic{File: in.path, Severity: nirc.SeverityWarning, Msg: "there is no shader module in the database"})
	}
	a.report.diagnostics(told)
	return list
}

// fozProblems makes warnings of damaged entries.
func fozProblems(path string, list []*foz.Problem) nirc.Diagnostics {
	var d nirc.Diagnostics
	for _, p := range list {
		d = append(d, nirc.Diagnostic{File: path, Severity: nirc.SeverityWarning, Msg: p.Error() + "; it is passed over"})
	}
	return d
}

// fozEntry is a line of nirc foz ls --json.
type fozEntry struct {
	Tag    string    `json:"tag"`
	Hash   string    `json:"hash"`
	Stored uint32    `json:"stored"`
	Size   uint32    `json:"size"`
	Words  int       `json:"words,omitempty"` // of a module
	Uses   []foz.Use `json:"uses,omitempty"`
	Error  string    `json:"error,omitempty"`
}

// fozList is what nirc foz ls --json writes.
type fozList struct {
	head
	Version    int        `json:"version"`
	Entries    []fozEntry `json:"entries"`
	Duplicates int        `json:"duplicates"`
	Tail       int64      `json:"truncated_bytes"`
	Damaged    []string   `json:"damaged"`
}

func (a *app) fozLs() *cobra.Command {
	var all bool
	s := &shared{}
	cmd := &cobra.Command{Use: "ls FILE", Short: "List the modules of a database and how pipelines use them", Args: cobra.ExactArgs(1)}
	cmd.Flags().BoolVar(&all, "all", false, "list what is no shader module too")
	s.declare(cmd.Flags(), reportFlags)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		db, err := a.openFoz(args[0])
		if err != nil {
			return err
		}
		list := listFoz(db, all)
		err = a.present(s, list, list.sheet(), list.write)
		if err == nil && len(list.Damaged) > 0 {
			return nirc.Diagnostics{{File: args[0], Msg: fmt.Sprintf("%d damaged entries", len(list.Damaged))}}
		}
		return err
	}
	return cmd
}

func listFoz(db *foz.DB, all bool) *fozList {
	list := &fozList{head: head{1, "nirc foz ls"}, Version: db.Version, Entries: []fozEntry{}, Duplicates: db.Duplicates, Tail: db.Tail, Damaged: []string{}}
	uses, problems := db.Uses()
	for _, p := range append(slices.Clone(db.Problems), problems...) {
		list.Damaged = append(list.Damaged, p.Error())
	}
	for i := range db.Entries {
		e := &db.Entries[i]
		row := fozEntry{Tag: e.Tag.String(), Hash: fmt.Sprintf("%016x", e.Hash), Stored: e.Stored, Size: e.Size}
		if e.Tag == foz.TagShaderModule {
			code, err := db.Module(e.Hash)
			if row.Words = len(code) / 4; err != nil {
				row.Error = err.Error()
				list.Damaged = append(list.Damaged, err.Error())
			}
			for _, u := range uses {
				if u.Module == e.Hash {
					row.Uses = append(row.Uses, u)
				}
			}
		} else if !all {
			continue
		}
		list.Entries = append(list.Entries, row)
	}
	return list
}

// sheet has a row a use of an entry.
func (l *fozList) sheet() *sheet {
	t := &sheet{columns: []string{"hash", "tag", "size", "words", "stage", "entry", "next", "spec", "pipelines"}}
	for i := range l.Entries {
		e := &l.Entries[i]
		if len(e.Uses) == 0 {
			t.add(e.Hash, e.Tag, e.Size, e.Words, "", "", "", "", "")
		}
		for _, u := range e.Uses {
			next := ""
			if u.Next != 0 {
				next = u.Next.String()
			}
			t.add(e.Hash, e.Tag, e.Size, e.Words, u.Stage, u.Entry, next, strings.TrimSpace(specText(u.Spec, " ")), u.Pipelines)
		}
	}
	return t
}

// nextText is the flag about the stage that follows, or nothing.
func nextText(u *foz.Use) string {
	if u.Next == 0 {
		return ""
	}
	return " --next " + u.Next.String()
}

// layoutText names the layout of the pipelines, or is nothing.
func layoutText(u *foz.Use) string {
	if u.LayoutHash == "" {
		return ""
	}
	return ", layout " + u.LayoutHash
}

func (l *fozList) write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range l.Entries {
		what := fmt.Sprintf("%d bytes", e.Size)
		if e.Words > 0 {
			what = fmt.Sprintf("%d words", e.Words)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.Hash, e.Tag, what)
		for _, u := range e.Uses {
			fmt.Fprintf(w, "\t  %s %s%s\t%d pipelines%s\n", u.Stage, u.Entry, nextText(&u)+u.State.Flags()+specText(u.Spec, " "), u.Pipelines, layoutText(&u))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, d := range l.Damaged {
		fmt.Fprintf(out, "damaged: %s\n", d)
	}
	_, err := fmt.Fprintf(out, "%d entries, %d duplicates, %d damaged, %d bytes cut off at the end\n", len(l.Entries), l.Duplicates, len(l.Damaged), l.Tail)
	return err
}

// specText writes specialization as flags are given; before each stands sep.
func specText(list []foz.Spec, sep string) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "%s--spec %d=0x%x", sep, s.ID, s.Bits)
	}
	return b.String()
}

func (a *app) fozExtract() *cobra.Command {
	s := &shared{}
	cmd := &cobra.Command{Use: "extract FILE", Short: "Write a database's modules as HASH.spv", Args: cobra.ExactArgs(1),
		Long: "Write a database's modules as HASH.spv into the directory of -o, and a file manifest beside\nthem for nirc cache build --manifest, with a line for each way that pipelines use a module."}
	s.declareOutput(cmd.Flags(), ".", "write into this `DIRECTORY`")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		db, err := a.openFoz(args[0])
		if err != nil {
			return err
		}
		dir := s.output
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return &nirc.IOError{Err: err}
		}
		return a.extract(db, args[0], dir)
	}
	return cmd
}

func (a *app) extract(db *foz.DB, path, dir string) error {
	uses, problems := db.Uses()
	problems = append(slices.Clone(db.Problems), problems...)
	var manifest strings.Builder
	layouts := layoutFiles{a, dir, map[string]bool{}}
	for i := range db.Entries {
		e := &db.Entries[i]
		if e.Tag != foz.TagShaderModule {
			continue
		}
		code, err := db.Module(e.Hash)
		var p *foz.Problem
		if errors.As(err, &p) {
			problems = append(problems, p)
			continue
		}
		if err != nil {
			return &nirc.IOError{Err: err}
		}
		name := fmt.Sprintf("%016x.spv", e.Hash)
		if err := a.writeFile(filepath.Join(dir, name), code); err != nil {
			return err
		}
		used := false
		for _, u := range uses {
			if u.Module == e.Hash {
				lay, err := layouts.file(&u)
				if err != nil {
					return err
				}
				fmt.Fprintf(&manifest, "%s --entry %s --stage %s%s\n", name, quoteArg(u.Entry), u.Stage, nextText(&u)+u.State.Flags()+lay+specText(u.Spec, " "))
				used = true
			}
		}
		if !used {
			fmt.Fprintln(&manifest, name)
		}
	}
	if err := a.writeFile(filepath.Join(dir, "manifest"), []byte(manifest.String())); err != nil {
		return err
	}
	if len(problems) > 0 {
		list := fozProblems(path, problems)
		for i := range list {
			list[i].Severity = nirc.SeverityError
		}
		return list
	}
	return nil
}

// layoutFiles are the pipeline layouts that go into a folder, each once.
type layoutFiles struct {
	app     *app
	dir     string
	written map[string]bool
}

// file writes the layout of a use and returns the flag that names it, "" if there is none.
func (l *layoutFiles) file(u *foz.Use) (flag string, err error) {
	if u.Layout == nil {
		return "", nil
	}
	name := u.LayoutHash + ".layout.json"
	if !l.written[name] {
		l.written[name] = true
		err = l.app.writeFile(filepath.Join(l.dir, name), append(nirc.LayoutJSON(u.Layout), '\n'))
	}
	return " --layout " + name, err
}

func (a *app) fozPack() *cobra.Command {
	s := &shared{}
	cmd := &cobra.Command{Use: "pack -o OUT.foz FILE|DIR…", Short: "Write modules as a database", Args: cobra.MinimumNArgs(1),
		Long: "Write modules as a database: each module, and for each of its entry points a pipeline of that\nstage alone. Modules of databases keep the uses that they have there."}
	s.declareOutput(cmd.Flags(), "", "write to this `FILE`, or - for standard output")
	s.declare(cmd.Flags(), []string{"layout"})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		output := s.output
		if output == "" {
			return nirc.Usagef("foz pack: want -o FILE")
		}
		given, err := readLayout(s.layoutFile)
		if err != nil {
			return err
		}
		inputs, err := a.expandInputs(args)
		if err != nil {
			return err
		}
		for i := range inputs {
			if inputs[i].module == nil { // a database may take more modules in
				if err := checkOverwrite(output, inputs[i].path); err != nil {
					return err
				}
			}
		}
		var b bytes.Buffer
		buf := bufio.NewWriter(&b)
		w, err := foz.NewWriter(buf)
		if err != nil {
			return &nirc.IOError{Err: err}
		}
		var passedOver []error
		for i := range inputs {
			m, err := a.load(cmd.Context(), &inputs[i], nirc.FileOptions{Stdin: a.in})
			if damaged(err) {
				passedOver = append(passedOver, err)
				continue
			}
			if err != nil {
				return err
			}
			if err := packModule(w, m, &inputs[i], given); err != nil {
				return nirc.Diagnose(err, inputs[i].path, "")
			}
		}
		buf.Flush() // into memory
		return errors.Join(append(passedOver, a.writeFile(output, b.Bytes()))...)
	}
	return cmd
}

// packModule writes a module and its pipelines, of the given layout where a database says none.
func packModule(w *foz.Writer, m *nirc.Module, in *input, given *nirc.Layout) error {
	if m.SPIRV == nil {
		return errors.New("IR text has no SPIR-V form")
	}
	hash, err := w.AddModule(m.Bytes())
	if err != nil {
		return err
	}
	list, err := variants(m, in, "", ir.StageNone, nil)
	if err != nil {
		return nil // a module without entry points
	}
	for _, v := range list {
		u := foz.Use{Module: hash, Entry: v.Name, Stage: foz.StageOf(v.Stage.String()), Next: foz.StageOf(v.next.String()), Layout: v.layoutOr(given), State: v.state}
		if u.Stage == 0 {
			continue // a stage that the IR does not know
		}
		for _, s := range v.spec {
			u.Spec = append(u.Spec, foz.Spec{ID: s.ID, Bits: s.Bits})
		}
		if _, err := w.AddPipeline(u); err != nil {
			return err
		}
	}
	return nil
}
