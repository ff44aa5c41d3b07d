package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"nirc"
	"nirc/cache"

	"github.com/spf13/cobra"
)

// listed is the document of nirc cache ls.
type listed struct {
	Schema  int          `json:"schema"`
	Entries []cache.Item `json:"entries"`
}

func (c *cacheCommand) list() *cobra.Command {
	cmd := &cobra.Command{Use: "ls", Short: "List what a cache holds", Args: cobra.NoArgs, Long: `List the entries by digest: what each is, for which target, GPU, stage, entry point and level,
bytes of its object, when it was used last (to within an hour). Files are not in a cache: nirc
cache index says which digest a file's shaders have.`}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		d, err := c.open(false)
		if err != nil {
			return err
		}
		doc := listed{Schema: cacheSchema, Entries: []cache.Item{}}
		bar := c.lazyProgress()
		err = d.Items(cmd.Context(), func(_, n int, item *cache.Item) bool {
			bar.step(n)
			doc.Entries = append(doc.Entries, *item)
			return true
		})
		bar.close()
		if err != nil {
			return storeError(err)
		}
		var text strings.Builder
		w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
		for i := range doc.Entries {
			e := &doc.Entries[i]
			fmt.Fprintf(w, "%s\t%s", e.Digest, e.Kind)
			if q := e.Request; q != nil {
				fmt.Fprintf(w, "\t%s\t%s\t%s\t%s\t%s\t%d", q.Target, q.GPU, q.Stage, q.Entry, q.Level, e.Object)
			}
			fmt.Fprintln(w)
		}
		w.Flush()
		return c.tell(&doc, "%s", &text)
	}
	return cmd
}

// cacheIndex is nirc cache index.
func (c *cacheCommand) index() *cobra.Command {
	r := c.requests()
	cmd := &cobra.Command{Use: "index FILE|DIR…", Short: "Say which digests the shaders of files have", Args: cobra.MinimumNArgs(1), Long: `Say under which digest a cache has, or would have, each shader of the files, and whether it is
there. Nothing is compiled, except GLSL to SPIR-V. The flags are those of nirc cache build.`}
	r.flags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		d, err := c.open(false)
		if err != nil {
			return err
		}
		if err := r.prepare(cmd, d); err != nil {
			return err
		}
		jobs, err := r.jobList(args)
		if err != nil {
			return err
		}
		doc := wanted{Schema: cacheSchema, Code: r.builder.Code, Shaders: []wantedShader{}}
		var errs []error
		for i := range jobs {
			j := &jobs[i]
			errs = append(errs, r.each(cmd.Context(), j, func(m *cache.Module, o nirc.Options, v *variant) error {
				q := r.builder.Request(m, &o)
				row := newWanted(j, v.label, q.Key(), &q)
				there, err := d.Has(row.Digest)
				row.Outcome = "absent"
				if there {
					row.Outcome = "there"
				}
				doc.Shaders = append(doc.Shaders, row)
				return storeError(err)
			}))
		}
		var text strings.Builder
		w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
		for i := range doc.Shaders {
			s := &doc.Shaders[i]
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Digest, s.Outcome, s.Name, s.Stage, s.Target, s.GPU, s.Level)
		}
		w.Flush()
		return errors.Join(append(errs, c.tell(&doc, "%s", &text))...)
	}
	return cmd
}

// asked are the digests that arguments name: beginnings of digests, and FILE or FILE:ENTRY.
func (r *cacheRequests) asked(cmd *cobra.Command, d *cache.Dir, args []string) (keys []cache.Digest, err error) {
	for _, arg := range args {
		if _, err := os.Stat(arg); err != nil && cache.IsPrefix(arg) {
			key, err := d.Find(arg)
			if err != nil {
				return nil, nirc.Diagnostics{{Msg: err.Error()}}
			}
			keys = append(keys, key)
			continue
		}
		file, entry := splitEntry(arg)
		jobs, err := r.jobList([]string{file})
		if err != nil {
			return nil, err
		}
		for i := range jobs {
			if entry != "" {
				jobs[i].entry = entry
			}
			err := r.each(cmd.Context(), &jobs[i], func(m *cache.Module, o nirc.Options, v *variant) error {
				q := r.builder.Request(m, &o)
				keys = append(keys, q.Key())
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return keys, nil
}

// splitEntry splits FILE:ENTRY; a file that is there is one, whatever it is called.
func splitEntry(arg string) (file, entry string) {
	i := strings.LastIndexByte(arg, ':')
	if _, err := os.Stat(arg); err == nil || i <= 0 {
		return arg, ""
	}
	return arg[:i], arg[i+1:]
}

func (c *cacheCommand) get() *cobra.Command {
	var emit string
	r := c.requests()
	cmd := &cobra.Command{Use: "get DIGEST|FILE[:ENTRY]", Short: "Take one shader out of a cache", Args: cobra.ExactArgs(1), Long: `Write a shader that the cache has, byte for byte what nirc compile writes. It is named by the
first digits of its digest (six at least; nirc cache ls lists them), or by file, entry point,
target and flags as for nirc cache build. Of a module's digest the module is written.`}
	f := cmd.Flags()
	r.flags(f)
	r.compile.declareOutput(f, "-", "write to this `FILE`, or - for standard output")
	f.StringVar(&emit, "emit", "obj", "what to write: obj, bin, asm or json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		output := r.compile.output
		if output == "-" && c.reports() {
			return nirc.Usagef("cache get -o -: standard output has the shader, and no room for --json")
		}
		d, err := c.open(false)
		if err != nil {
			return err
		}
		if err := r.prepare(cmd, d); err != nil {
			return err
		}
		keys, err := r.asked(cmd, d, args)
		if err != nil {
			return err
		}
		if len(keys) != 1 {
			return nirc.Usagef("cache get: %s is %d shaders: choose by FILE:ENTRY, --target and --gpu, or by digest (nirc cache index)", args[0], len(keys))
		}
		if err := checkOverwrite(output, args[0]); err != nil {
			return err
		}
		data, err := r.taken(d, keys[0], args[0], emit)
		if err != nil {
			return err
		}
		if err := c.writeFile(output, data); err != nil || !c.reports() {
			return err
		}
		return c.tell(struct {
			Schema int          `json:"schema"`
			Digest cache.Digest `json:"digest"`
			Bytes  int          `json:"bytes"`
		}{cacheSchema, keys[0], len(data)}, "")
	}
	return cmd
}

// taken is what an entry gives for --emit.
func (r *cacheRequests) taken(d *cache.Dir, key cache.Digest, arg, emit string) ([]byte, error) {
	data, err := d.Get(key)
	var broken *cache.BrokenError
	switch {
	case errors.Is(err, cache.ErrAbsent):
		return nil, nirc.Diagnostics{{File: arg, Msg: fmt.Sprintf("%s is not in the cache: nirc cache build compiles what is missing", key)}}
	case errors.As(err, &broken):
		return nil, r.brokenError([]*cache.BrokenError{broken})
	case err != nil:
		return nil, storeError(err)
	}
	e, err := cache.ParseEntry(data)
	switch {
	case err != nil:
		return nil, nirc.Diagnostics{{File: d.Path(key), Msg: "broken cache entry: " + err.Error()}}
	case e == nil:
		return data[1:], nil
	case len(e.Refused) > 0:
		return nil, inFile(e.Refused, arg)
	}
	return objectArtefact(emit, arg, e.Object, e.Request.Debug)
}

func (c *cacheCommand) remove() *cobra.Command {
	r := c.requests()
	cmd := &cobra.Command{Use: "rm DIGEST|FILE[:ENTRY]…", Short: "Remove entries from a cache", Args: cobra.MinimumNArgs(1), Long: `Remove entries, named as for nirc cache get; several shaders of a file go together. What is not
there is no error.`}
	r.flags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		d, err := c.open(false)
		if err != nil {
			return err
		}
		if err := r.prepare(cmd, d); err != nil {
			return err
		}
		keys, err := r.asked(cmd, d, args)
		if err != nil {
			return err
		}
		doc := struct {
			Schema  int            `json:"schema"`
			Removed []cache.Digest `json:"removed"`
		}{cacheSchema, []cache.Digest{}}
		for _, key := range keys {
			there, err := d.Has(key)
			if err == nil && there {
				err = d.Remove(key)
				doc.Removed = append(doc.Removed, key)
			}
			if err != nil {
				return storeError(err)
			}
		}
		return c.tell(&doc, "%d entries removed\n", len(doc.Removed))
	}
	return cmd
}
