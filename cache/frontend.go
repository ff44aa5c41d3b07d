package cache

import "crypto/sha256"

// kindFront is the first byte of an entry that says what a front end made of GLSL; only package internal/glsl reads it.
const kindFront = 'f'

// FrontEnd keeps in a store what front ends made of GLSL: it is a nirc.FrontEndStore. What the store
// cannot keep or give back is compiled again, and no error.
type FrontEnd struct{ Store Store }

// Get returns what was made under a key, nil if that is not known.
func (f FrontEnd) Get(key [sha256.Size]byte) []byte { return f.get(key, kindFront) }

// Put keeps what was made under a key.
func (f FrontEnd) Put(key [sha256.Size]byte, data []byte) {
	_ = f.Store.Put(key, append([]byte{kindFront}, data...))
}

// GetModule returns SPIR-V by its digest, nil if it is not there.
func (f FrontEnd) GetModule(digest [sha256.Size]byte) []byte {
	data := f.get(moduleKey(digest), kindModule)
	if sha256.Sum256(data) != digest {
		return nil
	}
	return data
}

// PutModule keeps SPIR-V and returns its digest.
func (f FrontEnd) PutModule(spirv []byte) [sha256.Size]byte {
	digest := sha256.Sum256(spirv)
	if key := moduleKey(digest); f.get(key, kindModule) == nil {
		_ = f.Store.Put(key, append([]byte{kindModule}, spirv...))
	}
	return digest
}

func (f FrontEnd) get(key Digest, kind byte) []byte {
	data, err := f.Store.Get(key)
	if err != nil || len(data) == 0 || data[0] != kind {
		return nil
	}
	return data[1:]
}
