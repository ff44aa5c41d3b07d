package main

import (
	"fmt"
	"strconv"
	"strings"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
)

// arguments reads --arg. What the kernel makes of each is known when it is compiled.
func (c *runCommand) arguments(x *exec.Execution) error {
	c.argTypes = nil
	for _, text := range c.args {
		var a exec.Arg
		var t *elemType
		var err error
		kind, rest, _ := strings.Cut(text, ":")
		switch {
		case text == "sampler":
		case kind == "local":
			n, numeric := strconv.ParseUint(rest, 0, 31)
			if numeric != nil || n == 0 {
				return nirc.Usagef("--arg %s: want local:BYTES", text)
			}
			a.Local = uint32(n)
		case emu.FormatByName(kind) != nil || strings.HasSuffix(text, ".png"):
			a.Image, err = parseImage(text)
		default:
			a.Data, t, err = valuesOrFile(text)
		}
		if err != nil {
			return err
		}
		x.Args, c.argTypes = append(x.Args, a), append(c.argTypes, t)
	}
	return nil
}

// showArguments prints the memory that arguments given by values point to.
func (c *runCommand) showArguments(d device, x *exec.Execution) error {
	for i, a := range x.Args {
		t := c.argTypes[i]
		if t == nil || !a.Written {
			continue
		}
		if form, err := c.form(); err != nil || form != "table" {
			c.doc.add(d, &exec.Binding{Data: a.Data}, t)
			c.doc.Buffers[len(c.doc.Buffers)-1].Argument = &i
			continue
		}
		if _, err := fmt.Fprintf(c.out, "arg %d:\n", i); err != nil {
			return ioError(err)
		}
		if err := t.write(c.out, a.Data); err != nil {
			return ioError(err)
		}
	}
	return nil
}
