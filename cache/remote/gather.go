package remote

import (
	"context"
	"sync"

	"nirc/cache"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/status"
)

const (
	// eachBlob is what a blob of a batch takes beside its bytes: digest and framing. maxBatch bounds the blobs of a batch.
	eachBlob, maxBatch = 200, 1000
	// readers is how many batches are read at a time; what is asked for meanwhile goes together into the next.
	readers = 4
)

// gather puts small reads that are asked for at the same time together.
type gather struct {
	mu      sync.Mutex
	busy    int
	waiting []*asking
}

// asking is one who waits for a blob.
type asking struct {
	digest *repb.Digest
	got    answer
	ready  chan struct{}
}

// answer is a blob, or why there is none.
type answer struct {
	data []byte
	err  error
}

// readTogether reads small blobs in one call; the answers are in the order of the digests.
func (s *grpcServer) readTogether(ctx context.Context, list []*repb.Digest) ([]answer, error) {
	resp, err := s.blobs.BatchReadBlobs(ctx, &repb.BatchReadBlobsRequest{InstanceName: s.instance, Digests: list})
	if err != nil {
		return nil, err
	}
	by := map[string]answer{}
	for _, r := range resp.GetResponses() {
		by[r.GetDigest().GetHash()] = answer{r.GetData(), status.FromProto(r.GetStatus()).Err()}
	}
	answers := make([]answer, len(list))
	for i, d := range list {
		var there bool
		if answers[i], there = by[d.Hash]; !there {
			answers[i].err = cache.ErrAbsent
		}
	}
	return answers, nil
}

// readSmall reads one small blob, with those that others ask for.
func (s *grpcServer) readSmall(ctx context.Context, d *repb.Digest, lim *limits) ([]byte, error) {
	g, a := &s.gather, &asking{digest: d, ready: make(chan struct{})}
	g.mu.Lock()
	g.waiting = append(g.waiting, a)
	lead := g.busy < readers
	if lead {
		g.busy++
	}
	g.mu.Unlock()
	if lead {
		go s.readWaiting(context.WithoutCancel(ctx), lim)
	}
	select {
	case <-a.ready:
		return a.got.data, a.got.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// readWaiting reads what waits until nothing does.
func (s *grpcServer) readWaiting(ctx context.Context, lim *limits) {
	g := &s.gather
	for {
		g.mu.Lock()
		n, size := 0, int64(0)
		for n < len(g.waiting) && n < maxBatch && (n == 0 || size+g.waiting[n].digest.SizeBytes+eachBlob <= lim.batch) {
			size += g.waiting[n].digest.SizeBytes + eachBlob
			n++
		}
		batch := g.waiting[:n:n]
		g.waiting = g.waiting[n:]
		if n == 0 {
			g.busy--
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		s.readOne(ctx, batch)
	}
}

// readOne reads a batch and tells those who wait for it.
func (s *grpcServer) readOne(ctx context.Context, batch []*asking) {
	ctx, cancel := context.WithTimeout(ctx, uploadTimeout)
	defer cancel()
	digests := make([]*repb.Digest, len(batch))
	for i, a := range batch {
		digests[i] = a.digest
	}
	answers, err := s.readTogether(ctx, digests)
	for i, a := range batch {
		if a.got.err = err; err == nil {
			a.got = answers[i]
		}
		close(a.ready)
	}
}
