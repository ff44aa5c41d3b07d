package main

import (
	"cmp"
	"path/filepath"
	"strings"

	"nirc"
	"nirc/cache"
	"nirc/cache/pak"
)

// compilePack is -o NAME.pak: all objects of a compile in one archive, as nirc cache pack makes it. A file system takes
// longer over a file than the compiler over a shader.
type compilePack struct {
	on      bool
	keys    *cache.Builder // which digest a cache has a shader by; it compiles nothing
	shaders []pak.Shader
	deps    []string // of -MD
}

// packEnding is what an archive's name ends in.
const packEnding = ".pak"

// checkPack settles whether -o is an archive.
func (c *compileCommand) checkPack() (err error) {
	if !c.writeOut || !strings.HasSuffix(c.output, packEnding) || strings.Contains(c.output, "{") || c.isDir() {
		return nil
	}
	if c.emit != "obj" {
		return nirc.Usagef("-o %s: an archive holds objects, and not what --emit %s writes", c.output, c.emit)
	}
	c.pack.on = true
	c.pack.keys, err = newBuilder(nil, &c.shared)
	return err
}

// keyOf is the digest by which a cache has a shader.
func (c *compileCommand) keyOf(m *cache.Module, o *nirc.Options) cache.Digest {
	r := c.pack.keys.Request(m, o)
	return r.Key()
}

// packPart puts a shader's object into the archive.
func (c *compileCommand) packPart(r *compiled, p *part) {
	c.pack.shaders = append(c.pack.shaders, pak.Shader{Name: filepath.ToSlash(r.job.rel) + ":" + p.entry.Name, Target: r.job.target,
		GPU: cmp.Or(r.job.gpu, nirc.DefaultGPU(r.job.target)), Stage: p.entry.Stage.String(), Key: p.key, Object: p.data})
	c.pack.deps = append(append(c.pack.deps, r.job.file()), r.deps...)
}

// writePack writes the archive.
func (c *compileCommand) writePack() error {
	if !c.pack.on {
		return nil
	}
	data, err := pak.Bytes(c.pack.shaders)
	if err != nil {
		return nirc.Diagnostics{{File: c.output, Msg: err.Error()}}
	}
	if err := c.writeFile(c.output, data); err != nil {
		return err
	}
	return c.deps.note(c.app, c.output, c.pack.deps, c.pipeline)
}
