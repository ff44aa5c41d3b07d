package main

import (
	"context"
	"io"
)

// stoppable is a reader that an interrupt ends, though the one below may wait
// for bytes for ever, as a terminal does.
type stoppable struct {
	ctx context.Context
	r   io.Reader
	buf []byte
}

// Read reads into a buffer of its own: after an interrupt somebody else may still write to it.
func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	if s.buf == nil {
		s.buf = make([]byte, 1<<16)
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := s.r.Read(s.buf[:min(len(p), len(s.buf))])
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return copy(p, s.buf[:r.n]), r.err
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
}
