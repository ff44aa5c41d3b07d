package main

import (
	"errors"
	"io"
	"os"

	"nirc"
	"nirc/cache"

	"github.com/spf13/cobra"
)

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
	n.Broken = append([]*cache.BrokenError{}, n.Broken...) // a list in JSON too
	err := c.tell(struct {
		Schema int `json:"schema"`
		*cache.Copied
	}{cacheSchema, n}, "%d entries added, %d were there, %d broken ones left out\n", n.Added, n.There, len(n.Broken))
	return errors.Join(err, c.brokenError(n.Broken))
}

func (c *cacheCommand) export() *cobra.Command {
	cmd := &cobra.Command{Use: "export FILE|-", Short: "Write a cache as one file", Args: cobra.ExactArgs(1)}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		d, err := c.open(false)
		if err != nil {
			return err
		}
		if args[0] == "-" && c.reports() {
			return nirc.Usagef("cache export -: standard output has the export, and no room for --json")
		}
		var doc struct {
			Schema  int                  `json:"schema"`
			Entries int                  `json:"entries"`
			Broken  []*cache.BrokenError `json:"broken"`
		}
		write := func(w io.Writer) error {
			n, broken, err := d.Export(cmd.Context(), w)
			doc.Schema, doc.Entries, doc.Broken = cacheSchema, n, append([]*cache.BrokenError{}, broken...)
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
		if err == nil && c.reports() {
			err = c.tell(doc, "")
		}
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

func (c *cacheCommand) importFile() *cobra.Command {
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
