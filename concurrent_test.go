package nirc

import (
	"bytes"
	"path/filepath"
	"sync"
	"testing"

	"nirc/passes"
)

// Goroutines that share modules and options compile at once what they compile alone, to the same bytes; .ci/run runs this
// under the race detector.
func TestConcurrent(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.spv")
	if err != nil || len(paths) < 4 {
		t.Fatalf("%d modules, %v", len(paths), err)
	}
	var modules []*Module
	for _, path := range paths {
		m, err := LoadFile(t.Context(), path, FileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, m)
	}
	// all compiles all modules for all targets.
	all := func() ([][]byte, error) {
		var list [][]byte
		for _, m := range modules {
			for _, target := range Targets() {
				o := Options{Target: target.Name, Level: passes.O2, Debug: true}
				obj, err := m.Compile(t.Context(), o)
				if err != nil {
					return nil, err
				}
				if _, err := Cost(t.Context(), obj); err != nil {
					return nil, err
				}
				if _, err := m.Interface(t.Context(), o); err != nil {
					return nil, err
				}
				b, err := obj.Bytes()
				if err != nil {
					return nil, err
				}
				list = append(list, b)
			}
		}
		return list, nil
	}
	want, err := all()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			got, err := all()
			if err != nil {
				t.Error(err)
				return
			}
			for i := range want {
				if !bytes.Equal(got[i], want[i]) {
					t.Errorf("goroutine %d: object %d is another one", g, i)
				}
			}
		})
	}
	wg.Wait()
}
