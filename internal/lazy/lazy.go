// Package lazy has package-level tables that are made when they are first asked for. A program that links fifty packages makes all
// that their variables are initialised with before main, and one shader needs little of it. A [Value] costs nothing until then: unlike
// what sync.OnceValue returns, it is laid out by the linker.
package lazy

import (
	"sync"
	"sync/atomic"
)

// Value is a T that Make makes once. It may be used by several goroutines.
//
//	var weights = lazy.Value[map[string]int]{Make: func() map[string]int { return map[string]int{"a": 1} }}
type Value[T any] struct {
	Make func() T
	made atomic.Bool
	lock sync.Mutex
	v    T
}

// Get returns the value.
func (l *Value[T]) Get() T {
	if !l.made.Load() {
		l.fill()
	}
	return l.v
}

func (l *Value[T]) fill() {
	l.lock.Lock()
	defer l.lock.Unlock()
	if !l.made.Load() {
		l.v = l.Make()
		l.made.Store(true)
	}
}
