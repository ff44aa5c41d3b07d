package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"nirc"
	"nirc/backend"
	"nirc/backend/object"
	"nirc/frontend/spirv/spv"

	"github.com/spf13/cobra"
)

const disasmLong = `Disassemble an object of nirc, or raw code with -t.

--hex reads one encoding a line, in hexadecimal, and writes one line of assembly for each, in
order. A line that does not decode says so in its place ("raw 0x…" or "error: …"), and the exit
code is 1 at the end.`

type disasmCommand struct {
	*app
	shared
}

func (a *app) disasm() *cobra.Command {
	d := &disasmCommand{app: a}
	cmd := &cobra.Command{Use: "disasm FILE|-", Short: "Disassemble objects or raw code", Long: disasmLong, Args: cobra.ExactArgs(1)}
	d.declare(cmd.Flags(), targetFlags, []string{"hex", "debug"})
	cmd.RunE = func(_ *cobra.Command, args []string) error { return d.run(args[0]) }
	return cmd
}

func (d *disasmCommand) run(path string) error {
	if d.hex {
		on, err := d.oneDevice(d.app, "raw code")
		if err != nil {
			return err
		}
		b, err := nirc.Backend(on.target)
		if err != nil {
			return err
		}
		return d.filter(path, func(line string) (string, error) {
			line = strings.TrimSpace(line)
			if d.more {
				return b.DecodeHexVerbose(on.gpu, line)
			}
			return b.DecodeHex(on.gpu, line)
		})
	}
	data, err := d.read(path)
	if err != nil {
		return err
	}
	o, err := d.object(path, data)
	if err != nil {
		return err
	}
	b, err := nirc.Backend(o.Target)
	if err != nil {
		return err
	}
	lines, err := b.Disassemble(o.GPU, o.Code)
	if err != nil {
		return nirc.Diagnose(err, path, o.Target)
	}
	if d.debug && len(o.Lines) == 0 {
		d.report.diagnostics(nirc.Diagnostics{{File: path, Severity: nirc.SeverityWarning, Msg: "no source lines are in it: nirc compile -g keeps them"}})
	}
	return d.print(path, o, lines)
}

// object reads an object, or makes one of raw code.
func (d *disasmCommand) object(path string, data []byte) (*object.Object, error) {
	if !object.IsObject(data) {
		if spv.IsModule(data) {
			return nil, nirc.Diagnostics{{File: path, Msg: "this is SPIR-V, no machine code: nirc compile --emit spvasm disassembles it"}}
		}
		on, err := d.oneDevice(d.app, "raw code")
		return &object.Object{Target: on.target, GPU: on.gpu, Code: data}, err
	}
	o, err := object.Read(data)
	if err != nil {
		return nil, nirc.Diagnose(err, path, "")
	}
	if err := d.chooseTargets(d.app); err != nil {
		return nil, err
	}
	if d.set.Changed("target") && !d.preset["target"] && !slices.Contains(d.targets, o.Target) {
		return nil, nirc.Usagef("-t %s: %s is for %s", d.target, path, o.Target)
	}
	if gpus := d.gpus[o.Target]; len(gpus) > 0 && !d.preset["gpu"] && !slices.Contains(gpus, o.GPU) {
		return nil, nirc.Usagef("--gpu %s: %s is for %s", d.gpu, path, o.GPU)
	}
	return o, nil
}

// print writes the listing, and fails at its end if lines were bad.
func (d *disasmCommand) print(path string, o *object.Object, lines []backend.Line) error {
	w := bufio.NewWriter(d.out)
	places := interleaved{o: o, src: sources{}}
	bad := 0
	for i := range lines {
		l := &lines[i]
		if d.debug {
			places.before(w, l.Offset)
		}
		if l.Bad {
			bad++
		}
		if !d.more {
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
		line := strings.TrimLeft(scan.Text(), " \t") // a blank at the end may belong to it, as of Midgard's texture words
		out := ""
		if strings.TrimSpace(line) != "" {
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
