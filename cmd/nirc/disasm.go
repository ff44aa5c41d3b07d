package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"nirc"
	"nirc/backend"
	"nirc/backend/object"

	"github.com/spf13/cobra"
)

const disasmLong = `Disassemble an object of nirc, or raw code with -t.

--hex reads one encoding a line, in hexadecimal, and writes one line of assembly for each, in order.
A line that does not decode says so in its place ("raw 0x…" or "error: …"), and the exit code is 1 at the end.`

type disasmCommand struct {
	*app
	target, gpu         string
	hex, lines, verbose bool
}

func (a *app) disasm() *cobra.Command {
	d := &disasmCommand{app: a}
	cmd := &cobra.Command{Use: "disasm FILE|-", Short: "Disassemble objects or raw code", Long: disasmLong, Args: cobra.ExactArgs(1)}
	f := cmd.Flags()
	f.StringVarP(&d.target, "target", "t", "", "`TARGET` of raw code; an object knows its own")
	f.StringVar(&d.gpu, "gpu", "", "`GPU` of the target, for raw code")
	f.BoolVar(&d.hex, "hex", false, "one encoding a line in, one line of assembly out")
	f.BoolVarP(&d.lines, "debug", "g", false, "show source lines between the instructions")
	f.BoolVar(&d.verbose, "verbose", false, "show offsets and encodings, and what the short form leaves out")
	cmd.RunE = func(_ *cobra.Command, args []string) error { return d.run(args[0]) }
	return cmd
}

func (d *disasmCommand) run(path string) error {
	if d.hex {
		b, err := backendOf(d.target, d.gpu)
		if err != nil {
			return err
		}
		return d.filter(path, func(line string) (string, error) {
			if d.verbose {
				return b.DecodeHexVerbose(d.gpu, line)
			}
			return b.DecodeHex(d.gpu, line)
		})
	}
	data, err := d.read(path)
	if err != nil {
		return err
	}
	o := &object.Object{Target: d.target, GPU: d.gpu, Code: data}
	if object.IsObject(data) {
		if o, err = object.Read(data); err != nil {
			return nirc.Diagnose(err, path, "")
		}
		if d.target != "" && d.target != o.Target && !d.preset["target"] {
			return nirc.Usagef("-t %s: %s is for %s", d.target, path, o.Target)
		}
		if d.gpu != "" && d.gpu != o.GPU && !d.preset["gpu"] {
			return nirc.Usagef("--gpu %s: %s is for %s", d.gpu, path, o.GPU)
		}
	} else if d.target == "" {
		return nirc.Usagef("%s is no object of nirc: raw code needs -t", path)
	}
	b, err := backendOf(o.Target, o.GPU)
	if err != nil {
		return err
	}
	lines, err := b.Disassemble(o.GPU, o.Code)
	if err != nil {
		return nirc.Diagnose(err, path, o.Target)
	}
	if d.lines && len(o.Lines) == 0 {
		d.report.diagnostics(nirc.Diagnostics{{File: path, Severity: nirc.SeverityWarning, Msg: "no source lines are in it: nirc compile -g keeps them"}})
	}
	return d.print(path, o, lines)
}

// print writes the listing, and fails at its end if lines were bad.
func (d *disasmCommand) print(path string, o *object.Object, lines []backend.Line) error {
	w := bufio.NewWriter(d.out)
	places := interleaved{o: o, src: sources{}}
	bad := 0
	for i := range lines {
		l := &lines[i]
		if d.lines {
			places.before(w, l.Offset)
		}
		if l.Bad {
			bad++
		}
		if !d.verbose {
			writeLine(w, l)
			continue
		}
		if l.Label != "" {
			fmt.Fprintf(w, "%s:\n", l.Label)
		}
		fmt.Fprintf(w, "%08x  %s  %s\n", l.Offset, l.Hex, l.Text)
	}
	if err := w.Flush(); err != nil {
		return &nirc.IOError{Err: err}
	}
	if bad > 0 {
		return nirc.Diagnostics{{File: path, Msg: fmt.Sprintf("%d of %d encodings do not decode", bad, len(lines)), Target: o.Target}}
	}
	return nil
}

// interleaved writes places of the source between the instructions of an object.
type interleaved struct {
	o    *object.Object
	src  sources
	last *object.LineEntry
}

// before writes where the code at an offset comes from, if that is another place than before.
func (p *interleaved) before(w io.Writer, offset int) {
	at := p.o.LineAt(uint32(offset))
	if at.Known() && (p.last == nil || at.File != p.last.File || at.Line != p.last.Line || at.Line == 0 && at.ID != p.last.ID) {
		p.last = at
		p.src.write(w, p.o, at)
	}
}

// sources are the lines of source files that could be read.
type sources map[string][]string

// write says where the code that follows comes from: the source's line, or,
// of a module without lines, its instruction.
func (s sources) write(w io.Writer, o *object.Object, at *object.LineEntry) {
	file := ""
	if int(at.File) < len(o.Files) {
		file = o.Files[at.File]
	}
	switch {
	case at.Line != 0:
		fmt.Fprintf(w, "; %s:%d%s\n", file, at.Line, s.line(file, at.Line))
	case at.ID != 0:
		fmt.Fprintf(w, "; %%%d, word %d\n", at.ID, at.Word)
	case at.Word != 0:
		fmt.Fprintf(w, "; word %d\n", at.Word)
	}
}

// line returns ": " and the text of a line, or "" if there is none.
func (s sources) line(file string, n uint32) string {
	text, ok := s[file]
	if !ok {
		if data, err := os.ReadFile(file); err == nil {
			text = strings.Split(string(data), "\n")
		}
		s[file] = text
	}
	if n == 0 || int(n) > len(text) {
		return ""
	}
	return ": " + strings.TrimSpace(text[n-1])
}

// maxLine bounds a line of the one-a-line filters.
const maxLine = 1 << 20

// filter writes f of each line read, in order. A line that f refuses is
// written as what f has for it, or as "error: why", and makes the run fail at its
// end; an empty line stays.
func (a *app) filter(path string, f func(line string) (string, error)) error {
	in := a.in
	if path != "-" {
		data, err := a.read(path)
		if err != nil {
			return err
		}
		in = bytes.NewReader(data)
	}
	scan := bufio.NewScanner(in)
	scan.Buffer(make([]byte, 0, 1<<16), maxLine)
	w := bufio.NewWriter(a.out)
	var refused nirc.Diagnostics
	for n := uint32(1); scan.Scan(); n++ {
		line := strings.TrimSpace(scan.Text())
		out := ""
		if line != "" {
			var err error
			if out, err = f(line); err != nil {
				if out == "" {
					out = "error: " + strings.Join(strings.Fields(err.Error()), " ")
				}
				refused = append(refused, nirc.Diagnostic{File: path, Line: n, Msg: err.Error()})
			}
		}
		fmt.Fprintln(w, out)
	}
	if err := scan.Err(); err != nil {
		return &nirc.IOError{Err: err}
	}
	if err := w.Flush(); err != nil {
		return &nirc.IOError{Err: err}
	}
	if len(refused) > 0 {
		return refused
	}
	return nil
}
