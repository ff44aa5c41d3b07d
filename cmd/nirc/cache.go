package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"nirc"
	"nirc/internal/cache"

	"github.com/spf13/cobra"
)

const cacheLong = `A directory of compiled shaders for CI: an entry is found by the module (without debug information), the
entry point, stage, specialization, target, GPU, passes, flags that change code, and the version of the compiler. Entries
are compressed and checksummed. A build may be killed at any instant, and several may run on one directory
at once, without loss of what was stored.`

// cacheCommand has what the subcommands share.
type cacheCommand struct {
	*app
	dir string
}

func (a *app) cache() *cobra.Command {
	c := &cacheCommand{app: a}
	cmd := &cobra.Command{Use: "cache", Short: "Keep compiled shaders in a directory", Long: cacheLong}
	cmd.PersistentFlags().StringVar(&c.dir, "dir", "", "the cache's `DIRECTORY`")
	cmd.AddCommand(c.build(), c.verify(), c.merge(), c.gc(), c.figures(), c.export(), c.importPack())
	return cmd
}

// open opens the directory of --dir.
func (c *cacheCommand) open(create bool) (*cache.Dir, error) {
	if c.dir == "" {
		return nil, nirc.Usagef("nirc cache: want --dir DIRECTORY")
	}
	return openCache(c.dir, create)
}

func openCache(dir string, create bool) (*cache.Dir, error) {
	open := cache.OpenOld
	if create {
		open = cache.Open
	}
	d, err := open(dir, newZstd())
	if errors.Is(err, cache.ErrNoCache) {
		return nil, nirc.Diagnostics{{File: dir, Msg: err.Error()}}
	}
	return d, ioError(err)
}

// brokenError reports entries that are not what was stored; the run is refused.
func (c *cacheCommand) brokenError(list []*cache.BrokenError) error {
	if len(list) == 0 {
		return nil
	}
	var d nirc.Diagnostics
	for _, b := range list {
		d = append(d, nirc.Diagnostic{File: b.Path, Msg: "broken cache entry: " + b.Why})
	}
	return d
}

func (c *cacheCommand) verify() *cobra.Command {
	var (
		r      runFlags
		sample int
		remove bool
	)
	cmd := &cobra.Command{Use: "verify", Short: "Check every entry of a cache", Args: cobra.NoArgs, Long: `Check every entry: its checksum, that it answers the request that it is stored for, that object and code decode.
--sample N compiles one of N shaders again and compares bytes; it needs a build with --modules, and the passes of that build.
--remove takes broken entries away, so that the next build compiles them. The exit code is 1 if any was broken.`}
	f := cmd.Flags()
	f.IntVar(&sample, "sample", 0, "compile one of `N` shaders again")
	f.BoolVar(&remove, "remove", false, "remove broken entries")
	r.choiceFlags(f)
	r.levelFlag(f, "2")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if sample < 0 {
			return nirc.Usagef("--sample %d: want 0 or more", sample)
		}
		d, err := c.open(false)
		if err != nil {
			return err
		}
		base, err := r.options("")
		if err != nil {
			return err
		}
		b, err := newBuilder(d, &r)
		if err != nil {
			return err
		}
		v := &cache.Verifier{Dir: d, Sample: sample, Builder: b, Base: base}
		found, err := v.Run(cmd.Context())
		if err != nil {
			return storeError(err)
		}
		fmt.Fprintf(c.out, "%d entries: %d shaders (%d refused), %d modules; %d recompiled, %d not of this version or without module; %d broken\n",
			found.Entries, found.Shaders, found.Refusals, found.Modules, found.Recompiled, found.Skipped, len(found.Broken))
		if remove {
			for _, b := range found.Broken {
				if err := d.Remove(b.Key); err != nil {
					return &nirc.IOError{Err: err}
				}
			}
		}
		return c.brokenError(found.Broken)
	}
	return cmd
}

// storeError sorts the errors of a store: those of the compiler stay, the others are of input and output.
func storeError(err error) error {
	var internal *nirc.InternalError
	var usage *nirc.UsageError
	if err == nil || errors.As(err, &internal) || errors.As(err, &usage) || interrupted(err) {
		return err
	}
	return &nirc.IOError{Err: err}
}

func (c *cacheCommand) merge() *cobra.Command {
	cmd := &cobra.Command{Use: "merge FROM…", Short: "Copy the entries of other caches", Args: cobra.MinimumNArgs(1)}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var from []*cache.Dir
		for _, a := range args {
			d, err := openCache(a, false)
			if err != nil {
				return err
			}
			from = append(from, d)
		}
		d, err := c.open(true)
		if err != nil {
			return err
		}
		var total cache.Copied
		for _, f := range from {
			n, err := d.Merge(cmd.Context(), f)
			if err != nil {
				return storeError(err)
			}
			total.Added += n.Added
			total.There += n.There
			total.Broken = append(total.Broken, n.Broken...)
		}
		return c.copied(&total)
	}
	return cmd
}

func (c *cacheCommand) copied(n *cache.Copied) error {
	fmt.Fprintf(c.out, "%d entries added, %d were there, %d broken ones left out\n", n.Added, n.There, len(n.Broken))
	return c.brokenError(n.Broken)
}

func (c *cacheCommand) gc() *cobra.Command {
	var limit string
	cmd := &cobra.Command{Use: "gc --max-size SIZE", Short: "Remove what has not been used for longest", Args: cobra.NoArgs}
	cmd.Flags().StringVar(&limit, "max-size", "", "bytes to keep at most: `SIZE` followed by K, M or G")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if limit == "" {
			return nirc.Usagef("nirc cache gc: want --max-size SIZE")
		}
		size, err := parseSize(limit)
		if err != nil {
			return err
		}
		d, err := c.open(false)
		if err != nil {
			return err
		}
		g, err := d.GC(cmd.Context(), size)
		if err != nil {
			return storeError(err)
		}
		_, err = fmt.Fprintf(c.out, "%d of %d entries removed, %d of %d bytes; %d left by killed builds\n", g.Removed, g.Entries, g.Freed, g.Bytes, g.Stale)
		return ioError(err)
	}
	return cmd
}

// parseSize reads bytes: 500, 64K, 20M, 1G.
func parseSize(s string) (int64, error) {
	var n int64
	var unit string
	if k, _ := fmt.Sscanf(s, "%d%s", &n, &unit); k > 0 && n >= 0 {
		for i, u := range []string{"", "K", "M", "G", "T"} {
			if unit == u && n <= (1<<62)>>(10*i) {
				return n << (10 * i), nil
			}
		}
	}
	return 0, nirc.Usagef("--max-size %q: want a number, and K, M, G or T", s)
}

func (c *cacheCommand) figures() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "stats", Short: "Count what a cache holds", Args: cobra.NoArgs}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		d, err := c.open(false)
		if err != nil {
			return err
		}
		f, err := d.Stats(cmd.Context())
		if err != nil {
			return storeError(err)
		}
		if asJSON {
			return c.writeJSON(f)
		}
		fmt.Fprintf(c.out, "%d entries: %d shaders (%d refused), %d modules, %d broken\n%d bytes, %d as stored\n", f.Entries, f.Shaders, f.Refusals, f.Modules, f.Broken, f.Raw, f.Stored)
		for _, t := range f.Targets {
			fmt.Fprintf(c.out, "%s %s: %d shaders, %d bytes of code\n", t.Target, t.GPU, t.Shaders, t.Code)
		}
		return nil
	}
	return cmd
}

func (c *cacheCommand) export() *cobra.Command {
	cmd := &cobra.Command{Use: "export FILE|-", Short: "Write a cache as one file", Args: cobra.ExactArgs(1)}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		d, err := c.open(false)
		if err != nil {
			return err
		}
		write := func(w io.Writer) error {
			_, broken, err := d.Export(cmd.Context(), w)
			if err != nil {
				return storeError(err)
			}
			return c.brokenError(broken)
		}
		if args[0] == "-" {
			return write(c.out)
		}
		var broken nirc.Diagnostics // what is whole is exported all the same
		err = replaceFile(args[0], func(w io.Writer) error {
			err := write(w)
			if errors.As(err, &broken) {
				return nil
			}
			return err
		})
		switch {
		case err != nil:
			return storeError(err)
		case broken != nil:
			return broken
		}
		return nil
	}
	return cmd
}

func (c *cacheCommand) importPack() *cobra.Command {
	cmd := &cobra.Command{Use: "import FILE|-", Short: "Add the entries of an exported file", Args: cobra.ExactArgs(1)}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in := c.in
		if args[0] != "-" {
			f, err := os.Open(args[0])
			if err != nil {
				return &nirc.IOError{Err: err}
			}
			defer f.Close()
			in = f
		}
		d, err := c.open(true)
		if err != nil {
			return err
		}
		n, err := d.Import(cmd.Context(), in)
		if errors.Is(err, cache.ErrPack) {
			return errors.Join(c.copied(&n), nirc.Diagnostics{{File: args[0], Msg: err.Error()}})
		}
		if err != nil {
			return storeError(err)
		}
		return c.copied(&n)
	}
	return cmd
}
