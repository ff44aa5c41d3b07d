package amber

import (
	"context"
	"slices"
	"sync"
)

// ModuleCache keeps the SPIR-V modules that glslangValidator and clang made, for runners
// that run the same shaders many times. The zero value is empty. Several
// goroutines may use it.
type ModuleCache struct {
	mu   sync.Mutex
	list map[moduleKey][]uint32
}

// moduleKey is what a module depends on: the shader's text, how it is compiled
// and the script's virtual files, or a kernel's flags.
type moduleKey struct {
	source, env, entry, files string
	format                    ShaderFormat
	stage                     ShaderStage
}

// glslModule is glslang through the runner's cache.
func (r *Runner) glslModule(ctx context.Context, s *Script, sh *glslSource) ([]uint32, error) {
	key := moduleKey{source: sh.text, env: sh.TargetEnv, entry: sh.entry, format: sh.Format, stage: sh.stage}
	for _, f := range s.Files {
		key.files += f.Path + "\x00" + f.Text + "\x00"
	}
	return r.Modules.get(key, func() ([]uint32, error) { return r.glslang(ctx, s, sh) })
}

// get returns what is kept for a key, or makes and keeps it; a nil cache keeps nothing.
func (c *ModuleCache) get(key moduleKey, compile func() ([]uint32, error)) ([]uint32, error) {
	if c == nil {
		return compile()
	}
	c.mu.Lock()
	words := c.list[key]
	c.mu.Unlock()
	if words != nil {
		return slices.Clone(words), nil
	}
	words, err := compile()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.list == nil {
		c.list = make(map[moduleKey][]uint32)
	}
	c.list[key] = slices.Clone(words)
	return words, nil
}
