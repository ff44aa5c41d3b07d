package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nirc"
	"nirc/cache"
	"nirc/cache/remote/remotetest"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// worker answers the requests in a folder, as nirc cache execute does.
func worker(ctx context.Context, dir string, _ []string) (int32, string) {
	var doc cache.Wanted
	text, err := os.ReadFile(filepath.Join(dir, cache.FarmRequests))
	if err == nil {
		err = json.Unmarshal(text, &doc)
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, cache.FarmOutput), 0o777)
	}
	if err == nil {
		a := cache.Answerer{Builder: &cache.Builder{Code: "1"}, Jobs: 2, Module: func(d cache.Digest) ([]byte, error) {
			return os.ReadFile(filepath.Join(dir, cache.FarmModules, d.String()))
		}}
		err = a.Run(ctx, doc.Requests, func(key cache.Digest, data []byte) error {
			return os.WriteFile(filepath.Join(dir, cache.FarmOutput, key.String()), data, 0o666)
		})
	}
	if err != nil {
		return 1, err.Error()
	}
	return 0, ""
}

// sample is shaders, with what a compile gives.
type sample struct {
	modules []*cache.Module
	want    [][]byte
}

// shaders makes a sample once for all tests.
var shaders = sync.OnceValue(func() (s sample) {
	for _, text := range texts(200) {
		m, err := nirc.Load([]byte(text), "s.nir")
		if err != nil {
			panic(err)
		}
		o, err := m.Compile(context.Background(), sampleOptions)
		if err != nil {
			panic(err)
		}
		data, err := o.Bytes()
		if err != nil {
			panic(err)
		}
		s.modules, s.want = append(s.modules, cache.NewModule(m, false)), append(s.want, data)
	}
	return s
})

var sampleOptions = nirc.Options{Target: "ir3", Level: 2, Entry: "main"}

// byFarm has n shaders of the sample compiled by an executor, and the rest by the build that follows, whose objects must be right.
func byFarm(t *testing.T, address string, n int, o ExecutorOptions, fo cache.FarmOptions) (f *cache.Farm, compiled int) {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = 20 * time.Second
	}
	x, err := DialExecutor("grpc://"+address, o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := cache.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b, s := &cache.Builder{Store: d, Code: "1"}, shaders()
	if fo.Args == nil {
		fo.Args = []string{"./nirc"}
	}
	program := cache.NewFile("nirc", []byte("the program"))
	program.Executable = true
	fo.Inputs = []cache.File{program}
	f = cache.NewFarm(t.Context(), x, d, fo)
	for _, m := range s.modules[:n] {
		f.Add(m, b.Request(m, &sampleOptions))
	}
	f.Add(s.modules[0], b.Request(s.modules[0], &sampleOptions)) // twice is once
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	came := 0
	for i, m := range s.modules[:n] {
		r, err := b.Get(t.Context(), m, sampleOptions)
		if err != nil || r.Entry == nil || !bytes.Equal(r.Entry.Object, s.want[i]) {
			t.Fatalf("shader %d: %v", i, err)
		}
		switch there, why := f.Came(r.Key); {
		case there != (r.Outcome == cache.Hit), there == (why != nil):
			t.Errorf("shader %d: came %v, %v, found %s", i, there, why, r.Outcome)
		case there:
			came++
		default:
			compiled++
		}
	}
	n0 := f.Figures()
	if n0.Wanted != n || n0.Shaders != came || n0.Queued != 0 || n0.Running != 0 {
		t.Errorf("%+v: %d came", n0, came)
	}
	return f, compiled
}

// A farm compiles all, in actions of their cost, and what it made is the same bytes. The same work is the same action.
func TestExecute(t *testing.T) {
	s := remotetest.New(t)
	s.Run, s.MaxBatch, s.Zstd = worker, 100_000, true
	at := s.Start()
	o := ExecutorOptions{Platform: []string{"pool=gpu", "OSFamily=linux"}, Salt: "1"}
	var queued, running, done int // the most at a time, as progress has them
	_, compiled := byFarm(t, at, 200, o, cache.FarmOptions{Cost: 200_000, Step: func(n cache.FarmFigures) {
		queued, running, done = max(queued, n.Queued), max(running, n.Running), max(done, n.Done)
	}})
	if queued == 0 || running == 0 || done != s.Ran {
		t.Errorf("progress: %d queued, %d running, %d of %d done", queued, running, done, s.Ran)
	}
	if compiled != 0 || s.Ran < 4 || s.Ran > 20 {
		t.Errorf("%d actions, %d shaders compiled here", s.Ran, compiled)
	}
	if got := strings.Join(s.Properties, " "); got != "OSFamily=linux pool=gpu" || s.Salt != "1" {
		t.Errorf("properties %s, salt %s", got, s.Salt)
	}
	ran := s.Ran
	if _, compiled := byFarm(t, at, 200, o, cache.FarmOptions{Cost: 200_000}); compiled != 0 || s.Ran != ran {
		t.Errorf("the same work was done twice: %d actions more", s.Ran-ran)
	}
	o.Salt = "2"
	if byFarm(t, at, 200, o, cache.FarmOptions{Cost: 200_000}); s.Ran != 2*ran {
		t.Errorf("salted: %d actions, not %d", s.Ran, 2*ran)
	}
}

// Whatever a farm does wrong, nothing is lost and nothing is wrong.
func TestExecuteFaults(t *testing.T) {
	const all, each = 30, 10
	for _, c := range []struct {
		name     string
		set      func(s *remotetest.Server)
		o        ExecutorOptions
		compiled int // here, -1 some
		failed   int // actions
		retries  bool
		warning  string
	}{
		{name: "a worker is lost", retries: true, set: func(s *remotetest.Server) {
			var n atomic.Int32
			s.Run = func(ctx context.Context, dir string, args []string) (int32, string) {
				if n.Add(1) == 2 {
					return 137, "killed"
				}
				return worker(ctx, dir, args)
			}
		}},
		{name: "the server forgets everything", retries: true, set: func(s *remotetest.Server) {
			var once sync.Once
			s.Run = func(ctx context.Context, dir string, args []string) (int32, string) {
				once.Do(func() { go s.Restart(); time.Sleep(50 * time.Millisecond) })
				return worker(ctx, dir, args)
			}
		}},
		{name: "one action fails", compiled: each, failed: 1, retries: true, warning: "exit code 1 and without 10 of 10 shaders: I do not like it", set: func(s *remotetest.Server) {
			hash := shaders().modules[3]
			s.Run = func(ctx context.Context, dir string, args []string) (int32, string) {
				b := &cache.Builder{Code: "1"}
				r := b.Request(hash, &sampleOptions)
				if _, err := os.Stat(filepath.Join(dir, cache.FarmModules, r.Module.String())); err == nil {
					return 1, "I do not like it"
				}
				return worker(ctx, dir, args)
			}
		}},
		{name: "one shader fails", compiled: 1, failed: 1, retries: true, warning: "without 1 of 10 shaders: it says nothing", set: func(s *remotetest.Server) {
			b := &cache.Builder{Code: "1"}
			r := b.Request(shaders().modules[3], &sampleOptions)
			s.Run = func(ctx context.Context, dir string, args []string) (int32, string) {
				worker(ctx, dir, args)
				_ = os.Remove(filepath.Join(dir, cache.FarmOutput, r.Key().String()))
				return 0, ""
			}
		}},
		{name: "the answers are others", compiled: all, failed: all / each, retries: true, warning: "without 10 of 10", set: func(s *remotetest.Server) {
			s.Run = func(ctx context.Context, dir string, args []string) (int32, string) {
				worker(ctx, dir, args)
				files, _ := filepath.Glob(filepath.Join(dir, cache.FarmOutput, "*"))
				first, _ := os.ReadFile(files[0])
				for _, f := range files[1:] {
					_ = os.WriteFile(f, first, 0o666)
				}
				_ = os.WriteFile(files[0], []byte("nonsense"), 0o666)
				return 0, ""
			}
		}},
		{name: "the deadline", compiled: all, failed: all / each, retries: true, warning: "DeadlineExceeded", o: ExecutorOptions{Timeout: 30 * time.Millisecond}, set: func(s *remotetest.Server) {
			s.Run = func(ctx context.Context, _ string, _ []string) (int32, string) { <-ctx.Done(); return 0, "" }
		}},
		{name: "who are you", compiled: all, failed: all / each, warning: "it is not used any more", set: func(s *remotetest.Server) {
			s.Run = worker
			s.Before = func(_ context.Context, m string) error {
				if m == "Execute" {
					return status.Error(codes.Unauthenticated, "who are you?")
				}
				return nil
			}
		}},
		{name: "busy at first", retries: true, set: func(s *remotetest.Server) {
			var n atomic.Int32
			s.Run = worker
			s.Before = func(_ context.Context, m string) error {
				if m == "Execute" && n.Add(1) < 4 {
					return status.Error(codes.ResourceExhausted, "too many")
				}
				return nil
			}
		}},
		{name: "a cut stream is waited for", set: func(s *remotetest.Server) {
			var n atomic.Int32
			s.Run = worker
			s.Before = func(_ context.Context, m string) error {
				if m == "Executing" && n.Add(1) == 1 {
					return status.Error(codes.Unavailable, "cut")
				}
				return nil
			}
		}},
		{name: "wrong bytes", compiled: -1, failed: -1, retries: true, warning: "other bytes", set: func(s *remotetest.Server) {
			var n atomic.Int32
			s.Run = worker
			s.Spoil = func(_ string, data []byte) []byte {
				if n.Add(1)%5 == 0 {
					return append([]byte("x"), data...)
				}
				return data
			}
		}},
		{name: "no executor", compiled: all, failed: all / each, warning: "it has a cache alone", set: func(*remotetest.Server) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := remotetest.New(t)
			c.set(s)
			fo := cache.FarmOptions{Cost: 10 * (4<<10 + len(texts(1)[0])), Jobs: 2}
			f, compiled := byFarm(t, s.Start(), all, c.o, fo)
			n := f.Figures()
			t.Logf("%d compiled here, %+v", compiled, n)
			if c.compiled >= 0 && (compiled != c.compiled || n.Failed != c.failed) || c.compiled < 0 && n.Retries == 0 {
				t.Errorf("%d shaders compiled here, %d actions failed", compiled, n.Failed)
			}
			if (n.Retries > 0) != c.retries || c.compiled >= 0 && !strings.Contains(strings.Join(n.Warnings, "\n"), c.warning) || len(n.Warnings) > 0 && c.warning == "" || len(n.Warnings) > 2 {
				t.Errorf("%+v", n)
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		t.Parallel()
		f, compiled := byFarm(t, freePort(t), all, ExecutorOptions{}, cache.FarmOptions{Cost: 1, Jobs: 2})
		if n := f.Figures(); compiled != all || n.Skipped < all-6 {
			t.Errorf("%+v", n)
		}
	})
}

// Addresses and properties that are wrong are errors before anything is sent.
func TestDialExecutorErrors(t *testing.T) {
	for _, c := range []struct {
		url  string
		o    ExecutorOptions
		want string
	}{
		{"farm.example:8980", ExecutorOptions{}, "begins with grpc://"},
		{"http://farm.example", ExecutorOptions{}, "begins with grpc://"},
		{"grpc://farm.example", ExecutorOptions{Platform: []string{"linux"}}, "NAME=VALUE"},
		{"grpcs://farm.example", ExecutorOptions{Options: Options{CA: "/nowhere"}}, "/nowhere"},
	} {
		if _, err := DialExecutor(c.url, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.url, err)
		}
	}
}
