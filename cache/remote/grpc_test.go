package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nirc/cache"
	"nirc/cache/remote/remotetest"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A server in memory keeps what it is sent, whether or not it compresses, puts entries into results, or bounds its batches.
func TestGRPC(t *testing.T) {
	for _, zstd := range []bool{false, true} {
		for _, batch := range []int64{0, 100_000} {
			s := remotetest.New(t)
			s.Zstd, s.MaxBatch, s.NoInline = zstd, batch, true
			roundTrip(t, "grpc://"+s.Start(), Options{})
		}
	}
}

// Many small entries go in few calls, up and down, and no call is larger than the server takes.
func TestGRPCBatches(t *testing.T) {
	s := remotetest.New(t)
	s.MaxBatch, s.NoInline = 40_000, true
	server := dial(t, "grpc://"+s.Start(), Options{})
	var list []cache.Keyed
	for i := range 300 {
		list = append(list, cache.Keyed{Key: sha256.Sum256(fmt.Appendf(nil, "%d", i)), Data: bytes.Repeat([]byte{byte(i), byte(i >> 8)}, 150)})
	}
	for at := 0; at < len(list); at += server.Batch() {
		if err := server.Put(t.Context(), list[at:min(at+server.Batch(), len(list))]); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.Calls["BatchUpdateBlobs"]; n > 20 {
		t.Errorf("%d entries went up in %d calls", len(list), n)
	}
	// While one batch is read, those who ask meanwhile wait together.
	release := make(chan struct{})
	s.Lock()
	s.Before = func(_ context.Context, m string) error {
		if m == "BatchReadBlobs" {
			<-release
		}
		return nil
	}
	s.Unlock()
	var wg sync.WaitGroup
	for i := range list {
		wg.Go(func() {
			if got, err := server.Get(t.Context(), list[i].Key); err != nil || !bytes.Equal(got, list[i].Data) {
				t.Errorf("entry %d: %d bytes, %v", i, len(got), err)
			}
		})
	}
	for range 400 { // until all asked for their results
		s.Lock()
		n := s.Calls["GetActionResult"]
		s.Unlock()
		if n == len(list) {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond)
	close(release)
	wg.Wait()
	if n := s.Calls["BatchReadBlobs"]; n > 60 {
		t.Errorf("%d entries came down in %d calls", len(list), n)
	}
}

// Each way in which a server may fail is the fault that it is, ends in time, and is no wrong entry.
func TestGRPCFaults(t *testing.T) {
	const large = 300_000
	on := func(method string, err error) func(s *remotetest.Server) {
		return func(s *remotetest.Server) {
			s.Before = func(_ context.Context, m string) error {
				if m == method {
					return err
				}
				return nil
			}
		}
	}
	for _, c := range []struct {
		name          string
		size          int
		set           func(s *remotetest.Server)
		again, denied bool
		absent        bool
		want          string
	}{
		{name: "who are you", size: 10, set: on("GetActionResult", status.Error(codes.Unauthenticated, "who?")), denied: true, want: "who?"},
		{name: "not you", size: 10, set: on("GetActionResult", status.Error(codes.PermissionDenied, "not you")), denied: true, want: "not you"},
		{name: "too many calls", size: 10, set: on("BatchReadBlobs", status.Error(codes.ResourceExhausted, "later")), again: true, want: "later"},
		{name: "away", size: 10, set: on("GetCapabilities", status.Error(codes.Unavailable, "away")), again: true, want: "away"},
		{name: "broken", size: 10, set: on("BatchReadBlobs", status.Error(codes.Internal, "bug")), want: "bug"},
		{name: "a stream is cut", size: large, set: on("Piece", status.Error(codes.Unavailable, "cut")), again: true, want: "cut"},
		{name: "other bytes", size: 10, set: func(s *remotetest.Server) {
			s.Spoil = func(_ string, data []byte) []byte { return append([]byte("x"), data[1:]...) }
		}, want: "other bytes"},
		{name: "other bytes in a stream", size: large, set: func(s *remotetest.Server) {
			s.Spoil = func(_ string, data []byte) []byte { return append([]byte("x"), data[1:]...) }
		}, want: "other bytes"},
		{name: "without end", size: large, set: func(s *remotetest.Server) {
			s.Spoil = func(_ string, data []byte) []byte { return bytes.Repeat(data, 3) }
		}, want: "sends more than"},
		{name: "a blob is gone", size: large, set: on("Read", status.Error(codes.NotFound, "gone")), absent: true},
		{name: "slow", size: 10, set: func(s *remotetest.Server) {
			s.Before = func(ctx context.Context, m string) error {
				if m == "BatchReadBlobs" {
					<-ctx.Done()
				}
				return nil
			}
		}, want: "deadline"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := remotetest.New(t)
			s.MaxBatch, s.NoInline = 100_000, true
			at := "grpc://" + s.Start()
			e := cache.Keyed{Key: cache.Digest{1}, Data: bytes.Repeat([]byte("ab"), c.size/2)}
			if err := dial(t, at, Options{}).Put(t.Context(), []cache.Keyed{e}); err != nil {
				t.Fatal(err)
			}
			s.Lock()
			c.set(s)
			s.Unlock()
			ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
			defer cancel()
			_, err := dial(t, at, Options{}).Get(ctx, e.Key)
			var fault *cache.Fault
			switch {
			case c.absent:
				if !errors.Is(err, cache.ErrAbsent) {
					t.Error(err)
				}
			case !errors.As(err, &fault) || fault.Again != c.again || fault.Denied != c.denied || !strings.Contains(err.Error(), c.want):
				t.Errorf("%v: %+v", err, fault)
			}
		})
	}
}

// A connection whose other end takes all and says nothing ends with the call's time.
func TestGRPCHalfOpen(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			if _, err := l.Accept(); err != nil { // and not a word
				return
			}
		}
	}()
	r := cache.NewRemote(dial(t, "grpc://"+l.Addr().String(), Options{}), cache.RemoteOptions{Timeout: 100 * time.Millisecond, Retries: -1})
	start := time.Now()
	if _, err := r.Get(cache.Digest{1}); !errors.Is(err, cache.ErrAbsent) {
		t.Error(err)
	}
	if err := r.Close(); err != nil || time.Since(start) > 2*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	if n := r.Figures(); n.Faults != 1 {
		t.Errorf("%+v", n)
	}
}

// A server that is started again in the middle of a build, and has forgotten all, costs no object and no error.
func TestGRPCRestart(t *testing.T) {
	s := remotetest.New(t)
	at := "grpc://" + s.Start()
	all := shaders()
	var calls atomic.Int32
	s.Before = func(_ context.Context, m string) error {
		if m == "GetActionResult" && calls.Add(1) == 60 {
			go s.Restart()
		}
		return nil
	}
	r := cache.NewRemote(dial(t, at, Options{}), cache.RemoteOptions{Timeout: time.Second})
	build(t, all.modules[:120], all.want[:120], r)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if n := r.Figures(); n.Hits != 0 || n.Rejected != 0 {
		t.Errorf("%+v", n)
	}
	r = cache.NewRemote(dial(t, at, Options{}), cache.RemoteOptions{})
	build(t, all.modules[:120], all.want[:120], r)
	n := r.Figures()
	if r.Close(); n.Hits == 0 || n.Faults != 0 {
		t.Errorf("after it: %+v", n)
	}
}
