package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"nirc"

	"github.com/spf13/cobra"
)

const asmLong = `Assemble a listing to raw machine code: what nirc disasm and --emit asm write.

--hex reads one line of assembly and writes its encoding in hexadecimal, line by line, in order. A
line that is wrong says so in its place, and the exit code is 1 at the end.`

func (a *app) asm() *cobra.Command {
	s := &shared{}
	cmd := &cobra.Command{Use: "asm FILE|-", Short: "Assemble a listing to machine code", Long: asmLong, Args: cobra.ExactArgs(1)}
	f := cmd.Flags()
	s.declare(f, targetFlags, []string{"hex"})
	s.declareOutput(f, "", "write to this `FILE`, or - for standard output (default: NAME.bin)")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		d, err := s.oneDevice(a, "a listing")
		if err != nil {
			return err
		}
		target, gpu, output := d.target, d.gpu, s.output
		b, err := nirc.Backend(target)
		if err != nil {
			return err
		}
		if s.hex {
			if output != "" && output != "-" {
				return nirc.Usagef("-o %s: --hex writes to standard output", output)
			}
			return a.filter(args[0], func(line string) (string, error) { return b.EncodeHex(gpu, line) })
		}
		text, err := a.read(args[0])
		if err != nil {
			return err
		}
		code, err := b.Assemble(gpu, string(text))
		if err != nil {
			return placed(nirc.Diagnose(err, args[0], target))
		}
		if output == "" {
			output = "-"
			if args[0] != "-" {
				name := filepath.Base(args[0])
				output = strings.TrimSuffix(name, filepath.Ext(name)) + ".bin"
			}
		}
		if err := checkOverwrite(output, args[0]); err != nil {
			return err
		}
		return a.writeFile(output, code)
	}
	return cmd
}

// placed takes the line out of the messages of an assembler or a table's reader ("line 2: …").
func placed(err error) error {
	var list nirc.Diagnostics
	if !errors.As(err, &list) {
		return err
	}
	for i := range list {
		var n uint32
		d := &list[i]
		if k, _ := fmt.Sscanf(d.Msg, "line %d:", &n); k == 1 && d.Line == 0 {
			_, d.Msg, _ = strings.Cut(d.Msg, ": ")
			d.Line = n
		}
	}
	return list
}
