package mangle

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

// recorder is a test that only notes its errors.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(_ string, args ...any) {
	r.errors = append(r.errors, args[0].(string)+": "+args[1].(string))
}

// TestTry: panics, what f says and time beyond the limit are errors of the test.
func TestTry(t *testing.T) {
	t.Setenv(Env, "")
	for _, c := range []struct {
		f    func() string
		want string
	}{
		{func() string { return "" }, ""},
		{func() string { return "wrong" }, "x: wrong"},
		{func() string { panic("oh") }, "x: panic: oh\n"},
		{func() string { time.Sleep(30 * time.Millisecond); return "" }, "x: took "},
	} {
		r := &recorder{TB: t}
		ok := NewRun(r, 1, 0).Try("x", nil, 20*time.Millisecond, c.f)
		if got := strings.Join(r.errors, "|"); ok != (c.want == "") || !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%v, %q; want %q", ok, got, c.want)
		}
	}
}

// TestInputs: a fixed number, a multiple of it, or as many as fit into the time, from a seed on;
// what shows a fault is kept in long runs.
func TestInputs(t *testing.T) {
	t.Setenv(Env, "")
	n := uint64(0)
	for seed := range NewRun(t, 3, 0).Inputs() {
		if seed != n {
			t.Errorf("input %d has seed %d", n, seed)
		}
		n++
	}
	if short := NewRun(t, 3, 0); n != 3 || short.Long() || short.Keep("a", nil) != "" {
		t.Errorf("%d inputs", n)
	}
	t.Setenv(Env, "4x,7")
	var seeds []uint64
	for seed := range NewRun(t, 3, 0).Inputs() {
		seeds = append(seeds, seed)
	}
	if len(seeds) != 12 || seeds[0] != 7 || seeds[11] != 18 {
		t.Errorf("four times three inputs have the seeds %v", seeds)
	}
	t.Setenv(Env, "20ms,0x10")
	t.Setenv("TMPDIR", t.TempDir())
	run, first := NewRun(t, 3, 0), uint64(0)
	for seed := range run.Inputs() {
		if first == 0 {
			first = seed
		}
	}
	path := run.Keep("a/b", []byte("kept"))
	if data, err := os.ReadFile(path); first != 16 || !run.Long() || err != nil || string(data) != "kept" {
		t.Errorf("first seed %d, %q, %v", first, data, err)
	}
}

// TestBytes: the same seed gives the same bytes, data is left as it is, and
// any length comes out.
func TestBytes(t *testing.T) {
	data := []byte("0123456789abcdefghijklmnopqrstuv")
	sizes := map[int]bool{}
	for seed := range uint64(2000) {
		for _, n := range []int{0, 1, 3, len(data)} {
			a := Bytes(rand.New(rand.NewPCG(seed, 1)), data[:n])
			if !bytes.Equal(a, Bytes(rand.New(rand.NewPCG(seed, 1)), data[:n])) {
				t.Fatalf("seed %d gives different bytes", seed)
			}
			sizes[len(a)] = true
		}
	}
	if string(data) != "0123456789abcdefghijklmnopqrstuv" || len(sizes) < len(data) {
		t.Errorf("%q, %d sizes", data, len(sizes))
	}
}

// TestOpen: strings and the numbers in words change, and lines begin with what lines begin with.
func TestOpen(t *testing.T) {
	x := NewOpen("{\n \"name\": \"r1\",\n \"size\": 4\n}\nadd r1, r2\nmul r3, r4\n", nil)
	var all strings.Builder
	for seed := range uint64(3000) {
		all.WriteString(x.Mangled(rand.New(rand.NewPCG(seed, 1))))
	}
	for _, want := range []string{`"size": "r1"`, `"name": "r3"`, "mul r1, r2", "add r1, r65536", "add r4, r2"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("%q never comes", want)
		}
	}
}
