package remote

import (
	"context"
	"errors"

	"nirc/cache"
)

// folder is a cache in a folder, as of a file server.
type folder struct{ d *cache.Dir }

func (f folder) Get(_ context.Context, key cache.Digest) ([]byte, error) {
	data, err := f.d.Get(key)
	var broken *cache.BrokenError
	switch {
	case err == nil:
		return data, nil
	case errors.Is(err, cache.ErrAbsent), errors.As(err, &broken):
		return nil, cache.ErrAbsent
	}
	return nil, &cache.Fault{Err: err}
}

func (f folder) Put(_ context.Context, list []cache.Keyed) error {
	for _, e := range list {
		if err := f.d.Put(e.Key, e.Data); err != nil {
			return &cache.Fault{Err: err}
		}
	}
	return nil
}

// Batch is one: each entry is a file.
func (folder) Batch() int { return 1 }

func (folder) Close() error { return nil }
