package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"nirc"
	"nirc/internal/lazy"

	"github.com/spf13/pflag"
)

// notForRepro are flags that have nothing to do with how a shader is compiled.
var notForRepro = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{"output": true, "report": true, "cache": true, "jobs": true, "keep-going": true, "MD": true, "MF": true, "MT": true, "config": true, "color": true,
		"target": true, "gpu": true, "entry": true, "stage": true, "pipeline": true, "spec": true, "layout": true}
}}

// repro writes what it takes to see an error of the compiler again as one
// file, a testscript: the command, the module, the passes and the pipeline layout. It adds where that is to the error.
func (c *compileCommand) repro(err error, m *nirc.Module, o *nirc.Options) error {
	var internal *nirc.InternalError
	if !errors.As(err, &internal) {
		return err
	}
	text, why := c.reproText(internal, m, o)
	if why != nil {
		return errors.Join(err, nirc.Diagnostics{{Severity: nirc.SeverityNote, Msg: "no repro could be made: " + why.Error()}})
	}
	sum := sha256.Sum256([]byte(text))
	name := fmt.Sprintf("nirc-repro-%x.txtar", sum[:4])
	if e := writeWhole(name, []byte(text)); e != nil {
		name = filepath.Join(os.TempDir(), name)
		if e := writeWhole(name, []byte(text)); e != nil {
			return errors.Join(err, nirc.Diagnostics{{Severity: nirc.SeverityNote, Msg: "no repro could be written: " + e.Error()}})
		}
	}
	return errors.Join(err, nirc.Diagnostics{{Severity: nirc.SeverityNote, Msg: "this is a mistake of nirc; " + name + " has what it takes to see it again: please report it"}})
}

func (c *compileCommand) reproText(internal *nirc.InternalError, m *nirc.Module, o *nirc.Options) (string, error) {
	input, module := "module.nir", m.Text()
	if text, err := m.Disassemble(); err == nil { // IR text has none
		input, module = "module.spvasm", text
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# nirc %s, %s/%s, %s\n", codeVersion(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	for line := range strings.Lines(internal.Error() + "\n" + string(internal.Stack)) {
		fmt.Fprintf(&b, "# %s\n", strings.TrimRight(line, "\n"))
	}
	fmt.Fprintf(&b, "nirc compile %s\n-- %s --\n%s", strings.Join(append(c.reproFlags(o), input), " "), input, module)
	if !strings.HasSuffix(module, "\n") {
		b.WriteByte('\n')
	}
	if c.pipeline != "" {
		text, err := os.ReadFile(c.pipeline)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "-- pipeline.yaml --\n%s", text)
	}
	if o.Layout != nil {
		fmt.Fprintf(&b, "-- layout.json --\n%s\n", nirc.LayoutJSON(o.Layout))
	}
	return b.String(), nil
}

// reproFlags are the flags that compile one shader as it was compiled.
func (c *compileCommand) reproFlags(o *nirc.Options) []string {
	flags := []string{"--target=" + o.Target}
	add := func(name, value string) {
		if value != "" {
			flags = append(flags, "'--"+name+"="+strings.ReplaceAll(value, "'", "''")+"'")
		}
	}
	add("gpu", o.GPU)
	add("entry", o.Entry)
	if o.Entry != "" && c.set != nil {
		add("stage", o.Stage.String())
	}
	for _, s := range o.Spec {
		add("spec", fmt.Sprintf("%d=0x%x", s.ID, s.Bits))
	}
	if c.pipeline != "" {
		add("pipeline", "pipeline.yaml")
	}
	if o.Layout != nil {
		add("layout", "layout.json")
	}
	if c.set != nil {
		c.set.Visit(func(f *pflag.Flag) {
			if !notForRepro.Get()[f.Name] {
				add(f.Name, strings.Trim(f.Value.String(), "[]"))
			}
		})
	}
	return flags
}
