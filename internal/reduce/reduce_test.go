package reduce

import (
	"context"
	"errors"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nirc"
	"nirc/ir"
)

// reduceFile reduces a module of testdata, as SPIR-V or as IR text.
func reduceFile(t *testing.T, path string, asIR bool, accept func([]byte) bool) (small []byte, before, after int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := nirc.Load(data, path)
	if err != nil {
		t.Fatal(err)
	}
	if asIR {
		s, err := nirc.Translate(context.Background(), m, nirc.Options{Target: nirc.IRTarget})
		if err != nil {
			t.Fatal(err)
		}
		if m, err = nirc.Load([]byte(ir.Print(s)), path); err != nil {
			t.Fatal(err)
		}
	}
	r := Reduction{Accept: func(_ context.Context, c []byte) (bool, error) { return accept(c), nil }}
	small, before, after, err = r.Run(context.Background(), m, false)
	if err != nil {
		t.Fatal(err)
	}
	return small, before, after
}

// TestReduceCandidates: whatever is accepted on the way, every candidate is a
// module that can be read, and that the frontend takes or refuses.
func TestReduceCandidates(t *testing.T) {
	files, err := filepath.Glob("../../testdata/*.spv")
	if err != nil || len(files) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	for _, path := range files {
		for _, asIR := range []bool{false, true} {
			tried, taken, first := 0, 0, true
			_, before, after := reduceFile(t, path, asIR, func(c []byte) bool {
				tried++
				m, err := nirc.Load(c, path)
				if err != nil {
					t.Fatalf("candidate %d: %v\n%s", tried, err, c)
				}
				_, err = nirc.Translate(context.Background(), m, nirc.Options{Target: nirc.IRTarget})
				var internal *nirc.InternalError
				if errors.As(err, &internal) {
					t.Fatalf("candidate %d: %v", tried, err)
				}
				if err == nil {
					taken++
				}
				h := fnv.New32a()
				h.Write(c)
				was := first
				first = false
				return was || err == nil && h.Sum32()%3 == 0
			})
			if after >= before || taken*10 < tried*4 {
				t.Errorf("%s: %d of %d instructions; the frontend takes %d of %d candidates", path, after, before, taken, tried)
			}
			t.Logf("%s: %d of %d instructions; the frontend takes %d of %d candidates", path, after, before, taken, tried)
		}
	}
}

// TestReduceLeast: where everything is accepted next to nothing is left, and
// what the test asks for stays.
func TestReduceLeast(t *testing.T) {
	for _, asIR := range []bool{false, true} {
		small, before, after := reduceFile(t, "../../testdata/mandel.comp.spv", asIR, func([]byte) bool { return true })
		if before < 20 || after > 8 {
			t.Errorf("%d of %d instructions are left:\n%s", after, before, small)
		}
	}
	small, _, after := reduceFile(t, "../../testdata/mandel.comp.spv", true, func(c []byte) bool { return strings.Contains(string(c), "fmul") })
	if after > 4 || !strings.Contains(string(small), "fmul") {
		t.Errorf("%d instructions are left:\n%s", after, small)
	}
}

// TestReduceTime: the time is kept, and what was found by then comes back.
func TestReduceTime(t *testing.T) {
	data, err := os.ReadFile("../../testdata/mandel.comp.spv")
	if err != nil {
		t.Fatal(err)
	}
	m, err := nirc.Load(data, "mandel")
	if err != nil {
		t.Fatal(err)
	}
	r := Reduction{Time: 50 * time.Millisecond, Accept: func(ctx context.Context, c []byte) (bool, error) {
		select {
		case <-ctx.Done():
		case <-time.After(time.Millisecond):
		}
		return len(c)%8 == 0 || len(c) == len(data), nil
	}}
	start := time.Now()
	small, before, after, err := r.Run(context.Background(), m, false)
	if err != nil || time.Since(start) > 10*time.Second {
		t.Fatalf("%v after %v", err, time.Since(start))
	}
	if _, err := nirc.Load(small, "small"); err != nil || after > before {
		t.Errorf("%d of %d instructions: %v", after, before, err)
	}
	// What is not accepted as it is cannot be reduced.
	r.Accept = func(context.Context, []byte) (bool, error) { return false, nil }
	if _, _, _, err := r.Run(context.Background(), m, false); err == nil {
		t.Error("a module that is not accepted is reduced")
	}
}
