package cache

import (
	"crypto/sha256"
	"slices"
	"sync"

	"nirc"
)

// Module is a module that shaders are requested of.
type Module struct {
	*nirc.Module
	words  []byte   // canonical, or all words with Debug
	number []uint32 // the canonical ids by the module's, nil if they are the same
	digest Digest
	debug  bool
	stored sync.Once
	err    error
}

// NewModule makes the canonical form of a module. IR text stands for itself.
func NewModule(m *nirc.Module, debug bool) *Module {
	c := &Module{Module: m, debug: debug}
	switch {
	case m.SPIRV == nil:
		c.words = []byte(m.Text())
	case debug:
		c.words = m.Bytes()
	default:
		c.words, c.number = canonical(m.SPIRV)
	}
	c.digest = sha256.Sum256(c.words)
	return c
}

// refused are an entry's diagnostics with the ids of this module.
func (m *Module) refused(e *Entry) nirc.Diagnostics {
	list := slices.Clone(e.Refused)
	for i := range list {
		if id := list[i].ID; id != 0 && m.number != nil {
			list[i].ID = uint32(max(0, slices.Index(m.number, id)))
		}
	}
	return list
}

// moduleKey is the key of a module's entry.
func moduleKey(d Digest) Digest { return sha256.Sum256(append([]byte("nirc module 1\n"), d[:]...)) }
