package cache

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// Server is a cache on another machine, as package cache/remote makes them of URLs. It tries once, and says of what failed what kind of fault
// it is; patience is Remote's. It is safe for concurrent use.
type Server interface {
	// Get returns an entry, ErrAbsent or a *Fault.
	Get(ctx context.Context, key Digest) ([]byte, error)
	// Put stores entries, all or some; the error is a *Fault.
	Put(ctx context.Context, list []Keyed) error
	// Batch is how many entries one Put takes at most.
	Batch() int
	// Close ends connections.
	Close() error
}

// Keyed is an entry with its key.
type Keyed struct {
	Key  Digest
	Data []byte
}

// Fault is what went wrong with a server.
type Fault struct {
	Err error
	// Again says that it may go well the next time: the server is busy, or was not reached. Denied says that it never will: the
	// server wants to know who asks, or does not let him.
	Again, Denied bool
}

// Error returns the text of the error.
func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns the error.
func (f *Fault) Unwrap() error { return f.Err }

// RemoteOptions say how a Remote uses its server.
type RemoteOptions struct {
	// ReadOnly uploads nothing, WriteOnly takes nothing.
	ReadOnly, WriteOnly bool
	// Required makes faults errors. Without it they are misses: a fault never fails a compile.
	Required bool
	// Timeout is that of a call, 5 s if it is 0; Retries that of faults that may pass, 2 if it is 0, none if it is negative.
	Timeout time.Duration
	Retries int
}

// RemoteFigures say what a Remote did.
type RemoteFigures struct {
	Hits     int64 `json:"hits"`
	Misses   int64 `json:"misses"`
	Faults   int64 `json:"faults"`   // calls that failed, after retries
	Rejected int64 `json:"rejected"` // entries that were not what was asked for
	Stored   int64 `json:"stored"`
	Skipped  int64 `json:"skipped"` // calls that were not made, since the server failed before
	Down     int64 `json:"bytes_down"`
	Up       int64 `json:"bytes_up"`
	Time     int64 `json:"us"` // of all calls, which run beside each other
	// Warnings are worth telling once.
	Warnings []string `json:"warnings,omitempty"`
}

const (
	// maxCalls bounds the calls at a time, maxBatchBytes what goes into one upload, maxWaiting the bytes that
	// wait for theirs.
	maxCalls      = 32
	uploaders     = 8
	maxBatchBytes = 2 << 20
	maxWaiting    = 64 << 20
	// breakAfter faults in a row open the breaker: the server is left alone, at first for breakFor.
	breakAfter  = 5
	breakFor    = 2 * time.Second
	maxBreakFor = time.Minute
)

// Remote is a Store on a server. What goes wrong there is a miss, unless RemoteOptions.Required; entries are uploaded
// in the background, many in one call.
type Remote struct {
	server Server
	opts   RemoteOptions
	calls  chan struct{}
	sleep  func(context.Context, time.Duration)
	now    func() time.Time

	mu       sync.Mutex
	figures  RemoteFigures
	denied   bool
	row      int       // faults since the last success
	shutTill time.Time // the breaker is open
	shutFor  time.Duration
	trying   bool // one call finds out whether the server is back
	failed   error

	queue   []Keyed
	waiting int // bytes in the queue and under way
	closing bool
	moved   sync.Cond
	wg      sync.WaitGroup
}

// NewRemote makes a store on a server, which it closes in the end.
func NewRemote(s Server, o RemoteOptions) *Remote {
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	if o.Retries == 0 {
		o.Retries = 2
	}
	r := &Remote{server: s, opts: o, calls: make(chan struct{}, maxCalls), sleep: sleep, now: time.Now}
	r.moved.L = &r.mu
	if !o.ReadOnly {
		for range uploaders {
			r.wg.Go(r.upload)
		}
	}
	return r
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// Get returns an entry that is whole and the answer to its key, else ErrAbsent.
func (r *Remote) Get(key Digest) (data []byte, err error) {
	if r.opts.WriteOnly {
		return nil, ErrAbsent
	}
	err = r.call(func(ctx context.Context) (err error) {
		data, err = r.server.Get(ctx, key)
		return err
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case errors.Is(err, ErrAbsent):
		r.figures.Misses++
		return nil, ErrAbsent
	case err != nil:
		return nil, r.excuse(err)
	}
	r.figures.Down += int64(len(data))
	if checkEntry(key, data) != nil {
		r.figures.Rejected++
		return nil, ErrAbsent
	}
	r.figures.Hits++
	return data, nil
}

// Has reports whether there is an entry; it is fetched.
func (r *Remote) Has(key Digest) (bool, error) {
	_, err := r.Get(key)
	if errors.Is(err, ErrAbsent) {
		return false, nil
	}
	return err == nil, err
}

// Put uploads an entry in the background; what is not whole stays away. Close waits for it.
func (r *Remote) Put(key Digest, data []byte) error {
	if r.opts.ReadOnly || checkEntry(key, data) != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.waiting > maxWaiting && !r.closing {
		r.moved.Wait()
	}
	if r.closing {
		return nil
	}
	r.queue = append(r.queue, Keyed{key, data})
	r.waiting += len(data)
	r.moved.Broadcast()
	return nil
}

// Close waits for the uploads. The error is the first fault if RemoteOptions.Required.
func (r *Remote) Close() error {
	r.mu.Lock()
	r.closing = true
	r.moved.Broadcast()
	r.mu.Unlock()
	r.wg.Wait()
	err := r.server.Close()
	if r.opts.Required {
		return errors.Join(r.failed, err)
	}
	return nil
}

// Figures say what was done up to now.
func (r *Remote) Figures() RemoteFigures {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.figures
}

// excuse makes a miss of a fault, if it may be one.
func (r *Remote) excuse(err error) error {
	if r.opts.Required {
		return fmt.Errorf("remote cache: %w", err)
	}
	return ErrAbsent
}

// upload sends what waits, until Close.
func (r *Remote) upload() {
	for {
		batch, size := r.next()
		if len(batch) == 0 {
			return
		}
		err := r.call(func(ctx context.Context) error { return r.server.Put(ctx, batch) })
		r.mu.Lock()
		r.waiting -= size
		if err == nil {
			r.figures.Stored += int64(len(batch))
			r.figures.Up += int64(size)
		} else if r.failed == nil {
			r.failed = r.excuse(err)
		}
		r.moved.Broadcast()
		r.mu.Unlock()
	}
}

// next waits for entries to send, none when all are sent and Close was called.
func (r *Remote) next() (batch []Keyed, size int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.queue) == 0 && !r.closing {
		r.moved.Wait()
	}
	n := 0
	for n < len(r.queue) && n < r.server.Batch() && (n == 0 || size+len(r.queue[n].Data) <= maxBatchBytes) {
		size += len(r.queue[n].Data)
		n++
	}
	batch = r.queue[:n:n]
	r.queue = r.queue[n:]
	return batch, size
}

// errShut is the error of a call that was not made.
var errShut = errors.New("the server failed before, and is left alone for a while")

// call makes a call, again if that may help, and keeps the books. ErrAbsent is a success.
func (r *Remote) call(f func(context.Context) error) error {
	r.calls <- struct{}{}
	defer func() { <-r.calls }()
	if !r.enter() {
		return errShut
	}
	start := r.now()
	var err error
	for try := 0; ; try++ {
		ctx, cancel := context.WithTimeout(context.Background(), r.opts.Timeout)
		err = f(ctx)
		cancel()
		var fault *Fault
		if !errors.As(err, &fault) || !fault.Again || try >= r.opts.Retries {
			break
		}
		wait := 50 * time.Millisecond << try
		r.sleep(context.Background(), wait/2+rand.N(wait))
	}
	r.leave(err, r.now().Sub(start))
	return err
}

// enter reports whether a call may be made.
func (r *Remote) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	shut := r.denied || r.shutFor > 0 && (r.trying || r.now().Before(r.shutTill))
	if shut {
		r.figures.Skipped++
		return false
	}
	r.trying = r.shutFor > 0
	return true
}

// leave looks at how a call ended.
func (r *Remote) leave(err error, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.figures.Time += took.Microseconds()
	if err == nil || errors.Is(err, ErrAbsent) {
		r.row, r.shutFor, r.trying = 0, 0, false
		return
	}
	r.figures.Faults++
	r.row++
	var fault *Fault
	switch {
	case errors.As(err, &fault) && fault.Denied:
		if !r.denied {
			r.warn("remote cache: " + err.Error() + "; it is not used any more")
		}
		r.denied = true
	case r.shutFor > 0: // the trial failed
		r.shutFor = min(2*r.shutFor, maxBreakFor)
		r.shutTill, r.trying = r.now().Add(r.shutFor), false
	case r.row >= breakAfter:
		r.shutFor, r.shutTill = breakFor, r.now().Add(breakFor)
		r.warn(fmt.Sprintf("remote cache: %d faults in a row, the last: %v; it is left alone for a while", r.row, err))
	}
}

func (r *Remote) warn(text string) {
	if len(r.figures.Warnings) < 4 {
		r.figures.Warnings = append(r.figures.Warnings, text)
	}
}

// checkEntry reports what is wrong with an entry: it is whole, and the answer to its key.
func checkEntry(key Digest, data []byte) error {
	e, err := ParseEntry(data)
	switch {
	case err != nil:
		return err
	case e != nil && e.Request.Key() != key:
		return errors.New("it is the answer to another request")
	case e == nil && data[0] == kindModule && moduleKey(sha256.Sum256(data[1:])) != key:
		return errors.New("it is another module")
	}
	return nil
}

// Chain is stores one after the other, the nearest first: what a later one has is stored in those before it.
type Chain []Store

// Get returns an entry of the first store that has it.
func (c Chain) Get(key Digest) ([]byte, error) {
	last := ErrAbsent
	for i, s := range c {
		data, err := s.Get(key)
		if err != nil {
			if !errors.Is(err, ErrAbsent) {
				last = err
			}
			var broken *BrokenError
			if errors.Is(err, ErrAbsent) || errors.As(err, &broken) {
				continue
			}
			return nil, err
		}
		for _, before := range c[:i] {
			if err := before.Put(key, data); err != nil {
				return nil, err
			}
		}
		return data, nil
	}
	return nil, last
}

// Put stores an entry in all stores.
func (c Chain) Put(key Digest, data []byte) error {
	for _, s := range c {
		if err := s.Put(key, data); err != nil {
			return err
		}
	}
	return nil
}

// Has reports whether a store has an entry.
func (c Chain) Has(key Digest) (bool, error) {
	for _, s := range c {
		if has, err := s.Has(key); has || err != nil {
			return has, err
		}
	}
	return false, nil
}
