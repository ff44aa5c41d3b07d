package main

import "sync"

// ordered calls work for 0 to n-1 on several goroutines, and done with each
// result in order on this one. It stops early when done returns false; work
// that is under way ends first.
func ordered[T any](n, jobs int, work func(i int) T, done func(i int, result T) bool) {
	jobs = max(1, min(jobs, n))
	if jobs == 1 {
		for i := range n {
			if !done(i, work(i)) {
				return
			}
		}
		return
	}
	results := make([]chan T, n)
	for i := range results {
		results[i] = make(chan T, 1)
	}
	// Results wait for their turn; the window bounds how many do. It is wide:
	// a shader may take a hundred times as long as the others, which go on meanwhile.
	window := make(chan struct{}, 64*jobs)
	next := make(chan int)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range jobs {
		wg.Go(func() {
			for i := range next {
				results[i] <- work(i)
			}
		})
	}
	wg.Go(func() {
		defer close(next)
		for i := range n {
			select {
			case window <- struct{}{}:
			case <-stop:
				return
			}
			select {
			case next <- i:
			case <-stop:
				return
			}
		}
	})
	for i := range n {
		r := <-results[i]
		<-window
		if !done(i, r) {
			break
		}
	}
	close(stop)
	wg.Wait()
}
