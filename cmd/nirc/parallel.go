package main

import "sync"

// ordered calls work for 0 to n-1 on several goroutines, this one among them, and
// done with each result, in order and never twice at a time. It stops early when
// done returns false; work that is under way ends first. Each goroutine takes as many that follow
// one another as run says: those that have something in common.
//
// There is no collector that results are handed to: whoever finishes the one whose turn it is
// takes it and those after it, while the others work on.
func ordered[T any](n, jobs, run int, work func(i int) T, done func(i int, result T) bool) {
	jobs = max(1, min(jobs, n))
	run = max(1, min(run, 16))
	q := queue[T]{n: n, run: run, work: work, done: done, slots: make([]slot[T], 256*jobs)}
	q.moved.L = &q.mu
	var wg sync.WaitGroup
	for range jobs - 1 {
		wg.Go(q.worker)
	}
	q.worker()
	wg.Wait()
}

// queue is the state of one call of ordered.
type queue[T any] struct {
	n    int
	run  int
	work func(int) T
	done func(int, T) bool

	mu    sync.Mutex
	moved sync.Cond // head moved, or stopped
	// next is the first that nobody works at, head the first that is not done.
	next, head int
	// slots hold the results that wait for their turn, i in i modulo their number, which bounds how many
	// do. They are many: a shader may take a hundred times as long as the others, which go on meanwhile.
	slots    []slot[T]
	draining bool // somebody is at head
	stopped  bool
}

type slot[T any] struct {
	result T
	ready  bool
}

// worker works until there is no more to do.
func (q *queue[T]) worker() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for !q.stopped && q.next < q.n && q.next+q.run-q.head > len(q.slots) {
			q.moved.Wait()
		}
		if q.stopped || q.next >= q.n {
			return
		}
		i := q.next
		q.next = min(i+q.run, q.n)
		for end := q.next; i < end && !q.stopped; i++ {
			q.mu.Unlock()
			r := q.work(i)
			q.mu.Lock()
			q.slots[i%len(q.slots)] = slot[T]{r, true}
			if !q.draining {
				q.drain()
			}
		}
	}
}

// drain takes the results whose turn it is, with the lock held except for done.
func (q *queue[T]) drain() {
	q.draining = true
	for !q.stopped {
		s := &q.slots[q.head%len(q.slots)]
		if !s.ready {
			break
		}
		r := s.result
		*s = slot[T]{}
		q.mu.Unlock()
		more := q.done(q.head, r)
		q.mu.Lock()
		q.head++
		q.stopped = !more
		q.moved.Broadcast()
	}
	q.draining = false
}
