package cache

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"nirc"
)

// scripted is a server that does as a test says.
type scripted struct {
	mu     sync.Mutex
	have   map[Digest][]byte
	faults []error // of the next calls; after them all goes well
	calls  int
	always error
}

func (s *scripted) fault() error {
	s.calls++
	if s.always != nil {
		return s.always
	}
	if len(s.faults) == 0 {
		return nil
	}
	err := s.faults[0]
	s.faults = s.faults[1:]
	return err
}

func (s *scripted) Get(_ context.Context, key Digest) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fault(); err != nil {
		return nil, err
	}
	if data, ok := s.have[key]; ok {
		return data, nil
	}
	return nil, ErrAbsent
}

func (s *scripted) Put(_ context.Context, list []Keyed) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fault(); err != nil {
		return err
	}
	for _, e := range list {
		s.have[e.Key] = e.Data
	}
	return nil
}

// give puts what a test wants to be there.
func (s *scripted) give(key Digest, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.have[key] = data
}

func (s *scripted) Batch() int   { return 16 }
func (s *scripted) Close() error { return nil }

// entryFor makes an entry of a module.
func entryFor(text string) (Digest, []byte) {
	d := moduleKey(sha256.Sum256([]byte(text)))
	return d, append([]byte{kindModule}, text...)
}

// testRemote is a remote whose clock the test moves, and that sleeps without waiting.
func testRemote(s Server, o RemoteOptions) (r *Remote, clock *time.Time, slept *int) {
	clock, slept = new(time.Time), new(int)
	*clock = time.Now()
	r = NewRemote(s, o)
	r.sleep = func(context.Context, time.Duration) { *slept++ }
	r.now = func() time.Time { return *clock }
	return r, clock, slept
}

var (
	busy    = &Fault{Err: errors.New("busy"), Again: true}
	stupid  = &Fault{Err: errors.New("stupid")}
	refused = &Fault{Err: errors.New("who are you?"), Denied: true}
)

// A fault that may pass is tried again, others are not; all are misses unless the remote is required.
func TestRemoteRetries(t *testing.T) {
	key, data := entryFor("one")
	for _, c := range []struct {
		name       string
		faults     []error
		found      bool
		calls      int
		faultCount int64
	}{
		{"none", nil, true, 1, 0},
		{"one that passes", []error{busy}, true, 2, 0},
		{"two that pass", []error{busy, busy}, true, 3, 0},
		{"three", []error{busy, busy, busy}, false, 3, 1},
		{"one that does not pass", []error{stupid}, false, 1, 1},
		{"denied", []error{refused}, false, 1, 1},
	} {
		for _, required := range []bool{false, true} {
			s := &scripted{have: map[Digest][]byte{key: data}, faults: c.faults}
			r, _, slept := testRemote(s, RemoteOptions{Required: required})
			got, err := r.Get(key)
			if c.found != (err == nil) || c.found && string(got) != string(data) || s.calls != c.calls || r.Figures().Faults != c.faultCount {
				t.Errorf("%s: %q, %v, %d calls, %+v", c.name, got, err, s.calls, r.Figures())
			}
			if !c.found && errors.Is(err, ErrAbsent) == required {
				t.Errorf("%s: required %v: %v", c.name, required, err)
			}
			if *slept != max(0, c.calls-1) {
				t.Errorf("%s: slept %d times", c.name, *slept)
			}
			r.Close()
		}
	}
}

// Who is denied asks no more, and is told once.
func TestRemoteDenied(t *testing.T) {
	key, _ := entryFor("one")
	s := &scripted{always: refused}
	r, _, _ := testRemote(s, RemoteOptions{})
	for range 10 {
		if _, err := r.Get(key); !errors.Is(err, ErrAbsent) {
			t.Fatal(err)
		}
	}
	if n := r.Figures(); s.calls != 1 || len(n.Warnings) != 1 || n.Skipped != 9 {
		t.Errorf("%d calls, %+v", s.calls, n)
	}
}

// A server that fails again and again is left alone, and tried again later by one call at a time.
func TestRemoteBreaker(t *testing.T) {
	key, data := entryFor("one")
	s := &scripted{have: map[Digest][]byte{key: data}, always: stupid}
	r, clock, _ := testRemote(s, RemoteOptions{})
	get := func() error { _, err := r.Get(key); return err }
	for range 20 {
		get()
	}
	if s.calls != breakAfter {
		t.Fatalf("%d calls", s.calls)
	}
	*clock = clock.Add(breakFor + time.Second)
	get()
	get()
	if s.calls != breakAfter+1 {
		t.Fatalf("%d calls when the time is up", s.calls)
	}
	s.always = nil
	*clock = clock.Add(breakFor + time.Second)
	if get(); s.calls != breakAfter+1 {
		t.Error("the second pause is no longer than the first")
	}
	*clock = clock.Add(breakFor)
	if err := get(); err != nil {
		t.Errorf("it is back: %v", err)
	}
	if err := get(); err != nil || s.calls != breakAfter+3 {
		t.Errorf("%v, %d calls", err, s.calls)
	}
}

// What a server has under a key is taken only if it is the answer; what is not whole is never sent.
func TestRemoteRejects(t *testing.T) {
	key, data := entryFor("one")
	other, _ := entryFor("two")
	b := &Builder{Code: "1"}
	m := NewModule(load(t, "", ""), false)
	req := b.Request(m, &nirc.Options{Entry: "main", Level: 2})
	e := &Entry{Request: req, Object: []byte("x")}
	shader, _ := e.Bytes()
	s := &scripted{have: map[Digest][]byte{other: data, key: nil, {1}: []byte("sjunk"), {2}: shader, req.Key(): shader}}
	r, _, _ := testRemote(s, RemoteOptions{})
	for _, k := range []Digest{other, key, {1}, {2}} {
		if _, err := r.Get(k); !errors.Is(err, ErrAbsent) {
			t.Errorf("%s: %v", k, err)
		}
	}
	if _, err := r.Get(req.Key()); err != nil || r.Figures().Rejected != 4 {
		t.Errorf("%v, %+v", err, r.Figures())
	}
	r.Put(other, data)
	r.Put(Digest{2}, shader)
	r.Put(Digest{3}, []byte("junk"))
	r.Close()
	if n := r.Figures(); n.Stored != 0 {
		t.Errorf("%+v", n)
	}
}

// Modes, and uploads that Close waits for, many in a call.
func TestRemoteModes(t *testing.T) {
	fill := func(o RemoteOptions) (*scripted, *Remote) {
		s := &scripted{have: map[Digest][]byte{}}
		r, _, _ := testRemote(s, o)
		for i := range 500 {
			key, data := entryFor(fmt.Sprint(i))
			if err := r.Put(key, data); err != nil {
				t.Fatal(err)
			}
		}
		r.Close()
		return s, r
	}
	s, r := fill(RemoteOptions{})
	if len(s.have) != 500 || r.Figures().Stored != 500 || s.calls >= 400 {
		t.Errorf("%d stored in %d calls, %+v", len(s.have), s.calls, r.Figures())
	}
	if s, _ := fill(RemoteOptions{ReadOnly: true}); s.calls != 0 {
		t.Errorf("read only: %d calls", s.calls)
	}
	key, data := entryFor("one")
	s = &scripted{have: map[Digest][]byte{key: data}}
	r, _, _ = testRemote(s, RemoteOptions{WriteOnly: true})
	if _, err := r.Get(key); !errors.Is(err, ErrAbsent) || s.calls != 0 {
		t.Errorf("write only: %v", err)
	}
	s.always = stupid
	r, _, _ = testRemote(s, RemoteOptions{Required: true})
	r.Put(key, data)
	if err := r.Close(); err == nil {
		t.Error("a fault of an upload is no error where the remote is required")
	}
}

// A chain asks the nearest first, and fills it.
func TestChain(t *testing.T) {
	near, far := newDir(t), newDir(t)
	key, data := entryFor("one")
	if err := far.Put(key, data); err != nil {
		t.Fatal(err)
	}
	c := Chain{near, far}
	if has, err := c.Has(key); !has || err != nil {
		t.Errorf("%v, %v", has, err)
	}
	if got, err := c.Get(key); err != nil || string(got) != string(data) {
		t.Fatalf("%q, %v", got, err)
	}
	if _, err := near.Get(key); err != nil {
		t.Errorf("the near one has it not: %v", err)
	}
	damage(t, near, key)
	if got, err := c.Get(key); err != nil || string(got) != string(data) {
		t.Errorf("the near one is broken: %q, %v", got, err)
	}
	if _, err := near.Get(key); err != nil {
		t.Errorf("it is not mended: %v", err)
	}
	damage(t, near, key)
	far.Remove(key)
	var broken *BrokenError
	if _, err := c.Get(key); !errors.As(err, &broken) {
		t.Errorf("broken, and nowhere else: %v", err)
	}
	if _, err := c.Get(Digest{9}); !errors.Is(err, ErrAbsent) {
		t.Error(err)
	}
	if err := c.Put(Digest{8}, data); err != nil {
		t.Fatal(err)
	}
	if _, err := far.Get(Digest{8}); err != nil {
		t.Error(err)
	}
}

// TestRemoteFigures: of random calls, what came, what was not there, what was not what it is called, and the bytes both ways, beside a book.
func TestRemoteFigures(t *testing.T) {
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		s := &scripted{have: map[Digest][]byte{}}
		r, _, _ := testRemote(s, RemoteOptions{})
		var want RemoteFigures
		put := map[Digest][]byte{}
		for i := range 40 {
			key, data := entryFor(fmt.Sprint(rnd.IntN(30)))
			switch rnd.IntN(4) {
			case 0:
				s.give(key, data)
			case 1:
				s.give(key, data[:len(data)-1])
			case 2:
				key, data = entryFor(fmt.Sprint("put ", i))
				put[key] = data
				want.Stored++
				want.Up += int64(len(data))
				if err := r.Put(key, data); err != nil {
					t.Fatal(err)
				}
				continue
			}
			got, err := r.Get(key)
			s.mu.Lock()
			there, ok := s.have[key]
			s.mu.Unlock()
			switch want.Down += int64(len(there)); {
			case !ok:
				want.Misses++
			case string(there) != string(data):
				want.Rejected++
			default:
				want.Hits++
				if string(got) != string(data) || err != nil {
					t.Errorf("seed %d: %q, %v; want %q", seed, got, err, data)
				}
				continue
			}
			if !errors.Is(err, ErrAbsent) {
				t.Errorf("seed %d: %q, %v", seed, got, err)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		got := r.Figures()
		got.Time = 0
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("seed %d: %+v, want %+v", seed, got, want)
		}
		for key, data := range put {
			if string(s.have[key]) != string(data) {
				t.Errorf("seed %d: %s is not stored", seed, key)
			}
		}
	}
}
