package main

import (
	"bytes"
	"os"
	"strings"

	"nirc"

	"github.com/spf13/pflag"
)

// depFlags are -MD, -MF and -MT: rules for make about the outputs.
type depFlags struct {
	on           bool
	file, target string
	rules        bytes.Buffer // of -MF
}

func (d *depFlags) add(f *pflag.FlagSet) {
	f.BoolVar(&d.on, "MD", false, "write a rule for make beside each output, OUTPUT.d (also -MD)")
	f.StringVar(&d.file, "MF", "", "write the rules into this `FILE` (also -MF)")
	f.StringVar(&d.target, "MT", "", "the rule is about `NAME` and not the output (also -MT)")
}

// longDeps spells -MD, -MF FILE, -MT NAME and -include FILE, which are no flags of one letter,
// with two dashes. As with flags of one letter the value may follow at once: -MFrules, -MF=rules.
func longDeps(args []string) []string {
	out := make([]string, 0, len(args))
	for i, a := range args {
		switch {
		case a == "--":
			return append(out, args[i:]...)
		case a == "-MD" || a == "-MF" || a == "-MT":
			a = "-" + a
		case a == "-include":
			a = "--pre-include"
		case strings.HasPrefix(a, "-MF") || strings.HasPrefix(a, "-MT"):
			a = "-" + a[:len("-MF")] + "=" + strings.TrimPrefix(a[len("-MF"):], "=")
		}
		out = append(out, a)
	}
	return out
}

var errDepsOfStream = nirc.Usagef("-MD: standard output needs -MF FILE and -MT NAME")

// check refuses flags that do nothing.
func (d *depFlags) check(writes bool, output string) error {
	if d.on && output == "-" && (d.file == "" || d.target == "") {
		return errDepsOfStream
	}
	if !d.on && (d.file != "" || d.target != "") {
		return nirc.Usagef("-MF and -MT need -MD")
	}
	if d.on && output == "-" && d.file == "-" {
		return nirc.Usagef("-MF -: standard output has the artefact")
	}
	if d.on && !writes {
		return nirc.Usagef("-MD: nothing is written that a rule could be about (use -o or --emit)")
	}
	return nil
}

// note writes the rule about an output, or keeps it for -MF.
func (d *depFlags) note(a *app, out string, deps []string, pipeline string) error {
	if !d.on {
		return nil
	}
	if out == "-" && (d.file == "" || d.target == "") {
		return errDepsOfStream
	}
	if st, err := os.Stat(out); d.file == "" && err == nil && !st.Mode().IsRegular() {
		return nirc.Usagef("-MD: %s is no file that a rule could stand beside: give -MF FILE", out)
	}
	about := out
	if d.target != "" {
		about = d.target
	}
	if pipeline != "" {
		deps = append(deps, pipeline)
	}
	var b strings.Builder
	b.WriteString(makeTarget(about) + ":")
	for _, p := range deps {
		if p != "-" {
			b.WriteString(" " + makeName(p))
		}
	}
	b.WriteByte('\n')
	if d.file != "" {
		d.rules.WriteString(b.String())
		return nil
	}
	return a.writeFile(out+".d", []byte(b.String()))
}

// finish writes the file of -MF.
func (d *depFlags) finish(a *app) error {
	if d.rules.Len() == 0 {
		return nil
	}
	return a.writeFile(d.file, d.rules.Bytes())
}

// makeTarget writes a path as make reads it before the colon, where % begins a pattern.
func makeTarget(path string) string { return strings.ReplaceAll(makeName(path), "%", `\%`) }

// makeName writes a path as make reads it. A \ counts as one unless it stands before
// a character that is escaped; ~ in front would be somebody's home.
func makeName(path string) string {
	var b strings.Builder
	if strings.HasPrefix(path, "~") {
		b.WriteString("./")
	}
	slashes := 0 // before the character
	for _, c := range []byte(path) {
		switch c {
		case ' ', '\t', '#', ':':
			b.WriteString(strings.Repeat(`\`, slashes+1))
		case '$':
			b.WriteByte('$')
		}
		b.WriteByte(c)
		if slashes++; c != '\\' {
			slashes = 0
		}
	}
	return b.String()
}
