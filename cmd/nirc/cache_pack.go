package main

import (
	"context"
	"errors"
	"fmt"

	"nirc"
	"nirc/cache"
	"nirc/cache/pak"

	"github.com/spf13/cobra"
)

const cachePackLong = `Write shaders of a cache as one archive that a program maps into memory (package nirc/cache/pak
reads it, docs/examples/readpak.c shows how in C). With --manifest, what nirc cache build
--manifest-out wrote, these are the shaders that the build wanted, by name (FILE:ENTRY), target
and GPU; without it all shaders of the cache, by digest. What was refused is left out; what is
missing is an error.`

func (c *cacheCommand) pack() *cobra.Command {
	s := &shared{}
	cmd := &cobra.Command{Use: "pack -o FILE", Short: "Write shaders as an archive for programs", Long: cachePackLong, Args: cobra.NoArgs}
	f := cmd.Flags()
	s.declare(f, []string{"manifest"})
	s.declareOutput(f, "", "write the archive to this `FILE`")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		output, manifests := s.output, s.manifests
		if output == "" || output == "-" && c.reports() {
			return nirc.Usagef("cache pack: want -o FILE")
		}
		d, err := c.open(false)
		if err != nil {
			return err
		}
		p := packing{cacheCommand: c, d: d}
		if len(manifests) == 0 {
			err = p.all(cmd.Context())
		} else {
			err = p.listed(manifests)
		}
		if err != nil {
			return err
		}
		data, err := pak.Bytes(p.shaders)
		if err != nil {
			return nirc.Diagnostics{{File: output, Msg: err.Error()}}
		}
		if err := c.writeFile(output, data); err != nil || output == "-" {
			return err
		}
		return c.tell(struct {
			Schema  int `json:"schema"`
			Shaders int `json:"shaders"`
			Refused int `json:"refused"`
			Bytes   int `json:"bytes"`
		}{cacheSchema, len(p.shaders), p.refused, len(data)}, "%d shaders packed, %d bytes; %d refused ones left out\n", len(p.shaders), len(data), p.refused)
	}
	return cmd
}

// packing collects what goes into an archive.
type packing struct {
	*cacheCommand
	d       *cache.Dir
	shaders []pak.Shader
	refused int
}

// all takes what is in the cache.
func (p *packing) all(ctx context.Context) error {
	var errs []error
	err := p.d.Items(ctx, func(_, _ int, item *cache.Item) bool {
		if item.Kind == cache.KindBroken {
			errs = append(errs, nirc.Diagnostics{{File: p.d.Path(item.Digest), Msg: "broken cache entry: " + item.Why}})
		}
		if q := item.Request; q != nil {
			errs = append(errs, p.take(item.Digest, pak.Shader{Name: item.Digest.String(), Target: q.Target, GPU: q.GPU, Stage: q.Stage}))
		}
		return true
	})
	return errors.Join(append(errs, storeError(err))...)
}

// packed is a row's own.
type packed struct {
	name, target, gpu string
	key               cache.Digest
}

// listed takes what manifests list; a row that is in several counts once.
func (p *packing) listed(manifests []string) error {
	var errs []error
	seen := map[packed]bool{}
	for _, path := range manifests {
		w, err := p.readWanted(path)
		if err != nil {
			return err
		}
		for i := range w.Shaders {
			s := &w.Shaders[i]
			row := pak.Shader{Name: s.Name, Target: s.Target, GPU: s.GPU, Stage: s.Stage}
			id := packed{s.Name, s.Target, s.GPU, s.Digest}
			if seen[id] {
				continue
			}
			seen[id] = true
			if err := p.take(s.Digest, row); err != nil {
				errs = append(errs, nirc.Diagnostics{{File: path, Msg: fmt.Sprintf("%s for %s %s: %v", s.Name, s.Target, s.GPU, err)}})
			}
		}
	}
	return errors.Join(errs...)
}

// take adds the shader of a digest.
func (p *packing) take(key cache.Digest, s pak.Shader) error {
	data, err := p.d.Get(key)
	if errors.Is(err, cache.ErrAbsent) {
		return fmt.Errorf("%s is not in the cache: build it again", key)
	}
	if err != nil {
		return err
	}
	e, err := cache.ParseEntry(data)
	switch {
	case err != nil:
		return err
	case e == nil:
		return fmt.Errorf("%s is a module and no shader", key)
	case len(e.Refused) > 0:
		p.refused++
		return nil
	}
	s.Key, s.Object = key, e.Object
	p.shaders = append(p.shaders, s)
	return nil
}
