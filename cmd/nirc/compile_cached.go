package main

import (
	"context"
	"slices"

	"nirc"
	"nirc/cache"
)

// openStore opens the cache of --cache. Where a flag asks to see or to change what happens on the way, only modules
// of GLSL come from it.
func (c *compileCommand) openStore() error {
	if c.cacheAt == "" && len(c.remote.urls) == 0 {
		return nil
	}
	var d *cache.Dir
	var more []string
	var err error
	switch {
	case isURL(c.cacheAt):
		more = []string{c.cacheAt}
	case c.cacheAt != "":
		if d, err = openCache(c.cacheAt, true); err != nil {
			return err
		}
	}
	if c.remotes, err = c.remote.open(more...); err != nil {
		return err
	}
	if d == nil && len(c.remotes.list) == 0 {
		return nil
	}
	store := c.remotes.behind(d)
	c.kept = cache.FrontEnd{Store: store}
	if !c.writeOut || !slices.Contains(objectKinds, c.emit) || c.dumps() || c.stats || c.rules || c.verify || c.bisect != "" || c.startBefore != "" || c.stopAt != "" {
		return nil
	}
	c.builder, err = newBuilder(store, &c.shared)
	return err
}

// fromCache takes the artefact from the cache, which compiles what it does not have. ok is false if the shader is
// to be compiled all the same: of IR alone there is no object, and a refusal is told with places that a cache does not keep.
func (c *compileCommand) fromCache(ctx context.Context, r *compiled, p *part, o *nirc.Options) (ok bool, err error) {
	if c.builder == nil || o.Target == nirc.IRTarget {
		return false, nil
	}
	got, err := c.builder.Get(ctx, r.forCache, *o)
	if err != nil {
		return false, storeError(err)
	}
	if got.Outcome == cache.Repaired {
		r.warnings = append(r.warnings, nirc.Diagnostic{File: o.File, Severity: nirc.SeverityWarning, Msg: "its cache entry was broken and is compiled again", Target: o.Target})
	}
	if len(got.Refused) > 0 {
		return false, nil
	}
	p.data, err = objectArtefact(c.emit, r.job.path, got.Entry.Object, c.debug)
	return err == nil, err
}
