package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"nirc"
)

// Wanted is the document of requests that a Farm sends to another machine. The modules are files beside it.
type Wanted struct {
	Schema   int       `json:"schema"`
	Kind     string    `json:"kind"`
	Requests []Request `json:"requests"` // by key
}

// The schema of Wanted and its kind.
const (
	WantedSchema = 1
	WantedKind   = "nirc cache requests"
)

// Answerer compiles requests of another machine.
type Answerer struct {
	// Builder has the version and the passes that requests must be of, Base the passes themselves.
	Builder *Builder
	Base    nirc.Options
	// Module returns the module of a digest, as Module has its words.
	Module func(Digest) ([]byte, error)
	// Jobs is how many are compiled at a time.
	Jobs int
}

// Run hands put an entry for each request, in no order. A request that cannot be answered as it is meant keeps nobody from the others: the
// errors are joined.
func (a *Answerer) Run(ctx context.Context, list []Request, put func(Digest, []byte) error) error {
	next, errs := make(chan *Request), make([]error, max(1, a.Jobs))
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for r := range next {
				if err := a.one(ctx, r, put); err != nil {
					errs[i] = errors.Join(errs[i], fmt.Errorf("%s: %w", r.Key(), err))
				}
			}
		})
	}
	for i := range list {
		next <- &list[i]
	}
	close(next)
	wg.Wait()
	return errors.Join(errs...)
}

// one answers one request.
func (a *Answerer) one(ctx context.Context, r *Request, put func(Digest, []byte) error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case r.Code != a.Builder.Code:
		return fmt.Errorf("it wants the code of nirc %s, and this is %s", r.Code, a.Builder.Code)
	case r.Pipeline != a.Builder.Pipeline:
		return errors.New("it wants other passes than the flags choose")
	}
	words, err := a.Module(r.Module)
	if err != nil {
		return err
	}
	m, err := nirc.Load(words, r.Module.String())
	if err != nil {
		return err
	}
	mod := NewModule(m, r.Debug)
	o, err := r.options(a.Base)
	if err != nil {
		return err
	}
	o.File = m.Name // which what it says leaves out
	if got := a.Builder.Request(mod, &o); got.Key() != r.Key() {
		return errors.New("what its description says is another request")
	}
	e, err := compile(ctx, mod, o, *r)
	if err != nil {
		return err
	}
	data, err := e.Bytes()
	if err != nil {
		return err
	}
	return put(r.Key(), data)
}
