package exec

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"nirc"
	"nirc/backend/object"
	"nirc/internal/emu"
)

// Counts collects what the cores executed: of each program that is loaded under a context of
// WithCounts, how often each of its instructions ran.
type Counts struct {
	mu   sync.Mutex
	list []*Counted
}

// Counted is one program.
type Counted struct {
	File   string // the module
	Object *object.Object
	// Counters count by instruction, in the order of the code.
	Counters []emu.Counter
}

type countsKey struct{}

type moduleKey struct{}

// withModule tells under a context that counts which module the programs come from.
func withModule(ctx context.Context, m *nirc.Module) context.Context {
	if ctx.Value(countsKey{}) == nil {
		return ctx
	}
	return context.WithValue(ctx, moduleKey{}, m)
}

func moduleOf(ctx context.Context) *nirc.Module {
	m, _ := ctx.Value(moduleKey{}).(*nirc.Module)
	return m
}

// WithCounts makes the programs that are loaded under the context count.
func WithCounts(ctx context.Context, c *Counts) context.Context {
	return context.WithValue(emu.Once(ctx), countsKey{}, c)
}

// Programs lists what was counted, by file, target, stage, entry point and code: the same run
// gives the same list.
func (c *Counts) Programs() []*Counted {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := slices.Clone(c.list)
	slices.SortStableFunc(list, func(a, b *Counted) int {
		x, y := a.Object, b.Object
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(x.Target, y.Target), cmp.Compare(x.Stage, y.Stage), cmp.Compare(x.Entry, y.Entry), slices.Compare(x.Code, y.Code))
	})
	return list
}

// count makes a program count if the context asks for that. m is the module that it comes from, nil if
// that is not known.
func count(ctx context.Context, p emu.Program, o *object.Object, m *nirc.Module) {
	c, _ := ctx.Value(countsKey{}).(*Counts)
	counting, ok := p.(emu.Counting)
	if c == nil || !ok {
		return
	}
	n := &Counted{Object: o, Counters: counting.StartCounting()}
	if m != nil {
		n.File = m.Name
	}
	c.mu.Lock()
	c.list = append(c.list, n)
	c.mu.Unlock()
}
