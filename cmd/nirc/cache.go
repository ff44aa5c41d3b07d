package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"nirc"
	"nirc/cache"

	"github.com/spf13/cobra"
)

const cacheLong = `A directory of compiled shaders for CI: an entry is found by the module (without debug
information), the entry point, stage, specialization, target, GPU, passes, flags that change code,
and the version of the compiler. Entries are compressed and checksummed. A build may be killed at
any instant, and several may run on one directory at once, without loss of what was stored.`

// cacheCommand has what the subcommands share.
type cacheCommand struct {
	*app
	dir   string
	asked shared // --format and --json
}

// cacheSchema is the schema of the documents that the subcommands write under --json.
const cacheSchema = 1

// reports reports whether a report is asked for that is not the table.
func (c *cacheCommand) reports() bool { return c.asked.asJSON || c.asked.format != "table" }

// tell writes what a subcommand did in the form of --format; the table is a text.
func (c *cacheCommand) tell(doc any, format string, a ...any) error {
	t, err := sheetOf(doc)
	if err != nil {
		return err
	}
	return c.present(&c.asked, doc, t, func(w io.Writer) error { _, err := fmt.Fprintf(w, format, a...); return err })
}

func (a *app) cache() *cobra.Command {
	c := &cacheCommand{app: a}
	cmd := &cobra.Command{Use: "cache", Short: "Keep compiled shaders in a directory", Long: cacheLong}
	cmd.PersistentFlags().StringVar(&c.dir, "dir", "", "the cache's `DIRECTORY`")
	c.asked.declare(cmd.PersistentFlags(), reportFlags)
	cmd.AddCommand(c.build(), c.list(), c.index(), c.get(), c.remove(), c.pack(), c.execute(), c.verify(), c.merge(), c.gc(), c.figures(), c.export(), c.importFile())
	return cmd
}

// open opens the directory of --dir.
func (c *cacheCommand) open(create bool) (*cache.Dir, error) {
	if c.dir == "" {
		return nil, nirc.Usagef("nirc cache: want --dir DIRECTORY")
	}
	return openCache(c.dir, create)
}

// openCache opens a directory that is a cache, or with create becomes one.

func openCache(dir string, create bool) (*cache.Dir, error) {
	open := cache.OpenOld
	if create {
		open = cache.Open
	}
	d, err := open(dir)
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
		r      shared
		sample int
		remove bool
	)
	cmd := &cobra.Command{Use: "verify", Short: "Check every entry of a cache", Args: cobra.NoArgs, Long: `Check every entry: its checksum, that it answers the request that it is stored for, that object
and code decode. --sample N compiles one of N shaders again and compares bytes; it needs a build
with --modules, and the passes of that build. --remove takes broken entries away, so that the next
build compiles them. The exit code is 1 if any was broken.`}
	f := cmd.Flags()
	f.IntVar(&sample, "sample", 0, "compile one of `N` shaders again")
	f.BoolVar(&remove, "remove", false, "remove broken entries")
	r.declare(f, choiceFlags)
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
		bar := c.lazyProgress()
		v := &cache.Verifier{Dir: d, Sample: sample, Builder: b, Base: base, Step: bar.step}
		found, err := v.Run(cmd.Context())
		bar.close()
		if err != nil {
			return storeError(err)
		}
		removed := 0
		if remove {
			for _, b := range found.Broken {
				if err := d.Remove(b.Key); err != nil {
					return &nirc.IOError{Err: err}
				}
				removed++
			}
		}
		err = c.tell(struct {
			Schema int `json:"schema"`
			*cache.Checked
			Removed int `json:"removed"`
		}{cacheSchema, found, removed}, "%d entries: %d shaders (%d refused), %d modules; %d recompiled, %d not of this version or without module; %d broken\n",
			found.Entries, found.Shaders, found.Refusals, found.Modules, found.Recompiled, found.Skipped, len(found.Broken))
		return errors.Join(err, c.brokenError(found.Broken))
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
		return c.tell(struct {
			Schema int `json:"schema"`
			cache.Collected
		}{cacheSchema, g}, "%d of %d entries removed, %d of %d bytes; %d left by killed builds\n", g.Removed, g.Entries, g.Freed, g.Bytes, g.Stale)
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
	cmd := &cobra.Command{Use: "stats", Short: "Count what a cache holds", Args: cobra.NoArgs}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		d, err := c.open(false)
		if err != nil {
			return err
		}
		bar := c.lazyProgress()
		f, err := d.Stats(cmd.Context(), bar.step)
		bar.close()
		if err != nil {
			return storeError(err)
		}
		var text strings.Builder
		fmt.Fprintf(&text, "%d entries: %d shaders (%d refused), %d modules, %d broken\n%d bytes, %d as stored\n", f.Entries, f.Shaders, f.Refusals, f.Modules, f.Broken, f.Raw, f.Stored)
		for _, t := range f.Targets {
			fmt.Fprintf(&text, "%s %s: %d shaders, %d bytes of code\n", t.Target, t.GPU, t.Shaders, t.Code)
		}
		return c.tell(struct {
			Schema int `json:"schema"`
			*cache.Figures
		}{cacheSchema, f}, "%s", &text)
	}
	return cmd
}
