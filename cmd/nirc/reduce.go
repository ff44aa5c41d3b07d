package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"nirc"
	"nirc/internal/reduce"

	"github.com/spf13/cobra"
)

const reduceLong = `Shrink a module while a command keeps its exit code.

The command is run with the path of a candidate in place of {}, or after its other arguments:
    nirc reduce shader.spv -- nirc compile -t ir3 --verify-each -o /dev/null
First it is run on the module itself: a candidate is kept if the command ends with the same exit
code and, with --match, writes this text too. Functions, loops, sides of branches, stores and
values are taken away, many at a time first. A SPIR-V module that spirv-val accepts stays one,
where that tool is installed.

The module is SPIR-V, its assembly or IR text, and so is what comes of it.`

type reduceCommand struct {
	*app
	shared
	match    string
	limit    time.Duration
	validate bool

	dir     string
	code    int    // the command's exit code
	val     string // the path of spirv-val, "" if it is not to be asked
	command []string
}

func (a *app) reduce() *cobra.Command {
	c := &reduceCommand{app: a}
	cmd := &cobra.Command{Use: "reduce MODULE -- COMMAND…", Short: "Shrink a module while a command keeps its exit code", Long: reduceLong, RunE: c.run}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if c.split(cmd, args) == nil {
			return fmt.Errorf("want a module, -- and a command")
		}
		return nil
	}
	f := cmd.Flags()
	c.declareOutput(f, "", "write to this `FILE`, or - for standard output (default: NAME.reduced.EXT beside the module)")
	c.declare(f, []string{"timeout"})
	f.StringVar(&c.match, "match", "", "the command's output must contain this `TEXT`")
	f.DurationVar(&c.limit, "time-limit", 5*time.Minute, "time for all runs, 0 for no limit")
	f.BoolVar(&c.validate, "validate", true, "ask spirv-val, if it accepts the module itself")
	return cmd
}

// split returns the module and the command, nil if there is one of them only.
func (c *reduceCommand) split(cmd *cobra.Command, args []string) []string {
	dash := cmd.ArgsLenAtDash()
	if dash == 0 && len(args) > 1 && args[1] == "--" {
		// nirc reduce -- MODULE -- COMMAND
		args = append([]string{args[0]}, args[2:]...)
		dash = 1
	}
	if dash != 1 || len(args) < 2 {
		return nil
	}
	return args
}

func (c *reduceCommand) run(cmd *cobra.Command, args []string) (err error) {
	args = c.split(cmd, args)
	path := args[0]
	c.command = args[1:]
	if err := checkOverwrite(c.output, path); err != nil {
		return err
	}
	data, err := readFile(path)
	if err != nil {
		return err
	}
	m, err := nirc.Load(data, path)
	if err != nil {
		return err
	}
	if c.dir, err = os.MkdirTemp("", "nirc-reduce-"); err != nil {
		return &nirc.IOError{Err: err}
	}
	defer os.RemoveAll(c.dir)
	text := bytes.IndexByte(data, 0) < 0 // a binary's header has zeros
	if err := c.begin(cmd.Context(), m, filepath.Base(path), data); err != nil {
		return err
	}
	bar := c.progress(0)
	defer bar.close()
	r := reduce.Reduction{Time: c.limit, Accept: func(ctx context.Context, module []byte) (bool, error) {
		bar.step()
		return c.accept(ctx, filepath.Base(path), module)
	}}
	if !c.quiet {
		r.Log = func(what string, left int) { fmt.Fprintf(c.err, "%d instructions without %s\n", left, what) }
	}
	small, before, after, err := r.Run(cmd.Context(), m, text)
	bar.close()
	if small == nil {
		return err
	}
	out := c.output
	if out == "" {
		ext := filepath.Ext(path)
		out = strings.TrimSuffix(path, ext) + ".reduced" + ext
	}
	if e := c.writeFile(out, small); e != nil {
		return e
	}
	if !c.quiet {
		fmt.Fprintf(c.err, "%s: %d of %d instructions are left; exit code %d, %d candidates\n", out, after, before, c.code, r.Tried)
	}
	return err
}

// begin runs the command on the module as it is.
func (c *reduceCommand) begin(ctx context.Context, m *nirc.Module, name string, data []byte) error {
	code, output, err := c.execute(ctx, name, data)
	if err != nil {
		return err
	}
	if !bytes.Contains(output, []byte(c.match)) {
		return nirc.Usagef("the command does not write %q for the module itself", c.match)
	}
	c.code = code
	if m.SPIRV == nil || !c.validate {
		return nil
	}
	if c.val, err = exec.LookPath("spirv-val"); err != nil {
		c.val = ""
		return nil
	}
	if ok, err := c.valid(ctx, m.Bytes()); !ok || err != nil {
		c.val = ""
		return err
	}
	return nil
}

func (c *reduceCommand) accept(ctx context.Context, name string, module []byte) (bool, error) {
	if c.val != "" {
		m, err := nirc.Load(module, name)
		if err != nil {
			return false, nil
		}
		if ok, err := c.valid(ctx, m.Bytes()); !ok || err != nil {
			return false, err
		}
	}
	code, output, err := c.execute(ctx, name, module)
	return code == c.code && bytes.Contains(output, []byte(c.match)), err
}

// valid asks spirv-val.
func (c *reduceCommand) valid(ctx context.Context, binary []byte) (bool, error) {
	path := filepath.Join(c.dir, "valid.spv")
	if err := os.WriteFile(path, binary, 0o666); err != nil {
		return false, &nirc.IOError{Err: err}
	}
	err := exec.CommandContext(ctx, c.val, "--scalar-block-layout", "--target-env", "vulkan1.3", path).Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return false, &nirc.IOError{Err: err}
	}
	return err == nil, nil
}

// execute runs the command on a candidate; -1 is the exit code of one that
// does not end by itself.
func (c *reduceCommand) execute(ctx context.Context, name string, module []byte) (code int, output []byte, err error) {
	path := filepath.Join(c.dir, name)
	if err := os.WriteFile(path, module, 0o666); err != nil {
		return 0, nil, &nirc.IOError{Err: err}
	}
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel()
	}
	args, named := append([]string(nil), c.command...), false
	for i := range args {
		if strings.Contains(args[i], "{}") {
			args[i], named = strings.ReplaceAll(args[i], "{}", path), true
		}
	}
	if !named {
		args = append(args, path)
	}
	run := exec.CommandContext(ctx, args[0], args[1:]...)
	run.WaitDelay = time.Second
	output, err = run.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, output, nil
	case ctx.Err() != nil:
		return -2, nil, nil // killed: like no exit code of its own
	case errors.As(err, &exit):
		return exit.ExitCode(), output, nil
	}
	return 0, nil, &nirc.IOError{Err: err}
}
