package mangle

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Env is the environment variable for longer runs: DURATION[,SEED], which runs for as long, or Nx[,SEED], which runs
// N times the inputs that a test has without it: always the same ones.
const Env = "NIRC_MANGLE"

// MaxMemory is how many bytes a Try may allocate in all.
const MaxMemory = 4 << 30

// Run is a test's row of mangled inputs: a fixed number of them, a multiple of it, or as many as
// a time allows, as NIRC_MANGLE says, from its seed on.
type Run struct {
	t      testing.TB
	inputs int
	until  time.Time
	seed   uint64
	stream uint64
}

// NewRun returns a test's run of so many inputs. Tests of different streams
// get different random numbers of the same seed.
func NewRun(t testing.TB, inputs int, stream uint64) *Run {
	v := os.Getenv(Env)
	m := &Run{t: t, inputs: inputs, stream: stream}
	if v == "" {
		return m
	}
	if err := m.extend(v); err != nil {
		t.Fatalf("%s: %v", Env, err)
	}
	return m
}

// extend makes a run as long as the variable asks.
func (m *Run) extend(v string) (err error) {
	size, seed, _ := strings.Cut(v, ",")
	if seed != "" {
		if m.seed, err = strconv.ParseUint(seed, 0, 64); err != nil {
			return err
		}
	}
	if n, ok := strings.CutSuffix(size, "x"); ok {
		times, err := strconv.ParseUint(n, 10, 16)
		m.inputs *= int(times)
		return err
	}
	long, err := time.ParseDuration(size)
	m.inputs, m.until = math.MaxInt, time.Now().Add(long)
	return err
}

// Long reports whether NIRC_MANGLE asks for a run that only time ends.
func (m *Run) Long() bool { return !m.until.IsZero() }

// Inputs yields a seed and its random numbers for each input of the run. The
// seed alone, as NIRC_MANGLE=1s,SEED, gives the input again.
func (m *Run) Inputs() iter.Seq2[uint64, *rand.Rand] {
	return func(yield func(uint64, *rand.Rand) bool) {
		for n := 0; n < m.inputs && (m.until.IsZero() || time.Now().Before(m.until)); n++ {
			seed := m.seed + uint64(n)
			if !yield(seed, rand.New(rand.NewPCG(seed, m.stream))) {
				return
			}
		}
	}
}

// Keep writes an input that showed a fault to the folder for temporary files,
// in long runs, and returns its path.
func (m *Run) Keep(name string, data []byte) string {
	if !m.Long() {
		return ""
	}
	path := filepath.Join(os.TempDir(), "mangled-"+strings.ReplaceAll(name, string(filepath.Separator), "_"))
	if err := os.WriteFile(path, data, 0o666); err != nil {
		m.t.Log(err)
		return ""
	}
	return path
}

// Try runs f on an input, and reports as an error of the test what no input may bring about:
// a panic, more time than limit, more memory than MaxMemory, and what f itself
// returns unless it is "". An f that takes ten times the limit ends the test's
// program. It reports whether all was well.
func (m *Run) Try(name string, data []byte, limit time.Duration, f func() string) bool {
	m.t.Helper()
	watch := time.AfterFunc(10*limit, func() {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		panic(fmt.Sprintf("%s does not end %s\n%s", name, m.Keep(name, data), stacks))
	})
	start, before := time.Now(), allocated()
	fault := try(f)
	watch.Stop()
	if d := time.Since(start); fault == "" && d > limit {
		fault = fmt.Sprintf("took %v", d)
	}
	if n := allocated() - before; fault == "" && n > MaxMemory {
		fault = fmt.Sprintf("allocated %d MB", n>>20)
	}
	if fault != "" {
		m.t.Errorf("%s: %s %s", name, fault, m.Keep(name, data))
	}
	return fault == ""
}

func try(f func() string) (fault string) {
	defer func() {
		if v := recover(); v != nil {
			fault = fmt.Sprintf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return f()
}

// allocated is how many bytes the program has allocated in all.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return s[0].Value.Uint64()
}
