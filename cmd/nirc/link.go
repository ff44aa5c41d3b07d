package main

import (
	"errors"

	"nirc"
	"nirc/backend/object"

	"github.com/spf13/cobra"
)

const linkLong = `Link the parts of a shader: objects that nirc compile --abi separate made. One main part, with a
prolog and an epilog of its stage if it needs them, becomes one object that runs.

--state FILE.json gives the state of the pipeline that the shader is for; the prolog and the
epilog are made from it:
  {"attributes": [{"location": 0, "format": "R32G32B32_SFLOAT", "stride": 12}],
   "fragment": {"samples": 1,
                "targets": [{"format": "R8G8B8A8_UNORM", "blend": {"WriteMask": 15}}]}}
With --parts PREFIX they are written to PREFIX-vertex_prolog.o, PREFIX-fragment_epilog.o and so
on, and nothing is linked.`

type linkCommand struct {
	*app
	shared
	parts string
}

func (a *app) link() *cobra.Command {
	c := &linkCommand{app: a}
	cmd := &cobra.Command{Use: "link MAIN.o [PART.o…]", Short: "Link the parts of a shader", Long: linkLong, Args: cobra.MinimumNArgs(1), RunE: c.run}
	f := cmd.Flags()
	c.declare(f, []string{"state"})
	c.declareOutput(f, "", "write the object to `FILE` (- is standard output)")
	f.StringVar(&c.parts, "parts", "", "with --state: write the parts to files that begin with `PREFIX`, link nothing")
	return cmd
}

func (c *linkCommand) run(cmd *cobra.Command, args []string) error {
	if c.parts == "" && c.output == "" || c.parts != "" && (c.stateFile == "" || len(args) != 1) {
		return nirc.Usagef("link: want -o FILE, or --state, --parts and one main part")
	}
	if err := checkOverwrite(c.output, append(args, c.stateFile)...); err != nil {
		return err
	}
	var list []*object.Object
	for _, path := range args {
		data, err := c.read(path)
		if err != nil {
			return err
		}
		o, err := object.Read(data)
		if err != nil {
			return nirc.Diagnostics{{File: path, Msg: err.Error()}}
		}
		list = append(list, o)
	}
	var state *nirc.State
	if c.stateFile != "" {
		data, err := c.read(c.stateFile)
		if err != nil {
			return err
		}
		if state, err = nirc.ReadState(c.stateFile, data); err != nil {
			return err
		}
	}
	fail := func(err error) error {
		err = nirc.Diagnose(err, args[0], list[0].Target)
		var told nirc.Diagnostics
		if errors.As(err, &told) {
			for i := range told {
				if told[i].File == "" {
					told[i].File = args[0]
				}
			}
		}
		return err
	}
	if c.parts != "" {
		parts, err := nirc.PartsOf(list[0], state)
		if err != nil {
			return fail(err)
		}
		for _, o := range parts {
			if err := c.writeObject(c.parts+"-"+o.Entry+".o", o); err != nil {
				return err
			}
		}
		return nil
	}
	o, err := nirc.Link(cmd.Context(), list, state)
	if err != nil {
		return fail(err)
	}
	return c.writeObject(c.output, o)
}

// writeObject writes an object file.
func (a *app) writeObject(path string, o *object.Object) error {
	data, err := o.Bytes()
	if err != nil {
		return err
	}
	return a.writeFile(path, data)
}
