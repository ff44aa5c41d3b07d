package cache

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nirc"
)

// farmStep is what an executor does when it is asked once.
type farmStep struct {
	err     *Fault
	missing int  // answers that it does not give
	foreign bool // and a file that nobody asked for
}

// farmScript is an executor that does as a test says, and notes what it is asked.
type farmScript struct {
	mu     sync.Mutex
	steps  []farmStep // of the next calls; after them all goes well
	calls  []string   // digests of what was asked
	fresh  []bool
	closed int
}

func (x *farmScript) Execute(_ context.Context, a *Action, fresh bool, stage func(Stage)) (*Ran, error) {
	x.mu.Lock()
	var s farmStep
	if len(x.steps) > 0 {
		s, x.steps = x.steps[0], x.steps[1:]
	}
	x.calls, x.fresh = append(x.calls, fmt.Sprint(len(a.Inputs))), append(x.fresh, fresh)
	x.mu.Unlock()
	stage(Queued)
	stage(Running)
	stage(Running)
	if s.err != nil {
		return nil, s.err
	}
	var wanted Wanted
	for _, f := range a.Inputs {
		if f.Path == FarmRequests {
			if err := json.Unmarshal(f.Data, &wanted); err != nil {
				return nil, &Fault{Err: err}
			}
		}
	}
	ran := &Ran{Exit: 1}
	for i := range wanted.Requests {
		if i < s.missing {
			continue
		}
		data, err := (&Entry{Request: wanted.Requests[i], Refused: nirc.Diagnostics{{Msg: "no"}}}).Bytes()
		if err != nil {
			return nil, &Fault{Err: err}
		}
		ran.Files = append(ran.Files, NewFile(wanted.Requests[i].Key().String(), data))
	}
	if s.foreign {
		key, data := entryFor("nobody's")
		ran.Files = append(ran.Files, NewFile(key.String(), data), NewFile("notes.txt", []byte("x")))
	}
	return ran, nil
}

func (x *farmScript) Close() error { x.closed++; return nil }

// farmRequests are requests for shaders of one module.
func farmRequests(n int) (list []Request) {
	for i := range n {
		list = append(list, Request{Module: sha256.Sum256([]byte("module")), Entry: fmt.Sprint("main", i), Stage: "compute", Target: "ir3", GPU: "a630"})
	}
	return list
}

// TestFarm: executors that fail, bring less than they were asked for, or what nobody asked for. Each action's shaders come once and are stored,
// or why they do not is known; faults that may pass are tried again as often as asked, three lost actions in a row end the use of the executor, and the
// figures are those of a book that is kept beside it.
func TestFarm(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		x := &farmScript{}
		actions, each, retries := 1+r.IntN(6), 1+r.IntN(3), 1+r.IntN(3)
		want := FarmFigures{Wanted: actions * each}
		came := make([]bool, actions*each)
		var why []string // of each action, what its shaders do not come for
		row, gone, calls := 0, "", 0
		var fresh []bool
		for k := range actions {
			if gone != "" {
				want.Failed++
				want.Skipped++
				why = append(why, gone)
				continue
			}
			left, failed := each, ""
			for try := 0; ; try++ {
				var s farmStep
				switch r.IntN(5) {
				case 0:
					s.err = [...]*Fault{busy, stupid, refused, busy}[r.IntN(4)]
				case 1:
					s.missing = 1 + r.IntN(each)
				case 2:
					s.foreign = true
				}
				x.steps = append(x.steps, s)
				calls++
				fresh = append(fresh, try > 0)
				again, denied := false, false
				if failed = ""; s.err != nil {
					failed, again, denied = s.err.Error(), s.err.Again, s.err.Denied
				} else {
					// Requests go by key, and those that are missing are the first.
					for i, key := range sortedKeys(farmRequests(actions * each)[k*each : (k+1)*each]) {
						if n := k*each + key; i >= s.missing && !came[n] {
							came[n] = true
							left--
							want.Shaders++
						}
					}
					if s.missing > 0 {
						failed, again = fmt.Sprintf("without %d of %d shaders", s.missing, each), true
					}
				}
				if left == 0 {
					want.Done++
					row = 0
					break
				}
				if !again || try >= retries {
					want.Failed++
					row++
					if denied || row == farmGone {
						gone = failed
					}
					break
				}
				want.Retries++
			}
			why = append(why, failed)
		}
		d := newDir(t)
		f := NewFarm(t.Context(), x, d, FarmOptions{Args: []string{"nirc"}, Jobs: 1, Retries: retries, Cost: each * (eachCost + 4)})
		slept := 0
		f.sleep = func(context.Context, time.Duration) { slept++ }
		list := farmRequests(actions * each)
		for i := range list {
			f.Add(&Module{words: []byte("word"), digest: list[i].Module}, list[i])
			f.Add(&Module{words: []byte("word"), digest: list[i].Module}, list[i]) // once
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		got := f.Figures()
		warned := len(got.Warnings)
		got.Warnings, got.Time = nil, 0
		if fmt.Sprint(got) != fmt.Sprint(want) || x.closed != 1 || len(x.calls) != calls || slept != want.Retries || !slices.Equal(x.fresh, fresh) {
			t.Fatalf("seed %d: %+v after %d calls, %d sleeps, closed %d times; want %+v after %d", seed, got, len(x.calls), slept, x.closed, want, calls)
		}
		if (warned > 0) != (want.Failed > want.Skipped) {
			t.Errorf("seed %d: %d warnings for %d failures", seed, warned, want.Failed)
		}
		for i := range list {
			ok, err := f.Came(list[i].Key())
			_, stored := d.Get(list[i].Key())
			if ok != came[i] || (stored == nil) != came[i] {
				t.Errorf("seed %d: shader %d came: %v, stored: %v; want %v", seed, i, ok, stored, came[i])
			}
			if reason := why[i/each]; !came[i] && (err == nil || !strings.Contains(err.Error(), reason)) || came[i] && err != nil {
				t.Errorf("seed %d: shader %d does not come because of %v, want %q", seed, i, err, reason)
			}
		}
	}
}

// sortedKeys are the numbers of requests in the order of their keys.
func sortedKeys(list []Request) (order []int) {
	keys := make([]Digest, len(list))
	for i := range list {
		keys[i] = list[i].Key()
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int { return slices.Compare(keys[a][:], keys[b][:]) })
	return order
}

// TestFarmSteps: what moves is told, and each action is in one place at any time.
func TestFarmSteps(t *testing.T) {
	x := &farmScript{steps: []farmStep{{err: busy}, {}, {err: stupid}, {}, {missing: 1}}}
	var told []string
	f := NewFarm(t.Context(), x, newDir(t), FarmOptions{Jobs: 1, Retries: 1, Cost: 1, Step: func(g FarmFigures) {
		if n := g.Queued + g.Running + g.Done + g.Failed; n < 1 || n > 4 || g.Running > 1 {
			t.Errorf("%+v", g)
		}
		told = append(told, fmt.Sprint(g.Running, g.Done, g.Failed))
	}})
	f.sleep = func(context.Context, time.Duration) {}
	list := farmRequests(4)
	for i := range list {
		f.Add(&Module{words: []byte("word"), digest: list[i].Module}, list[i])
	}
	f.Close()
	told = slices.Compact(slices.DeleteFunc(told, func(s string) bool { return s == "0 0 0" }))
	if last := told[len(told)-1]; last != "0 3 1" || !slices.Contains(told, "1 0 0") || !slices.Contains(told, "1 1 1") {
		t.Errorf("told %q", told)
	}
}

// TestFarmWakes: what is put into the queue is begun at once, also when all who work had nothing to do, and is told.
func TestFarmWakes(t *testing.T) {
	done, last, queued := make(chan int, 8), 0, 0
	f := NewFarm(t.Context(), &farmScript{}, newDir(t), FarmOptions{Jobs: 1, Cost: 1, Step: func(g FarmFigures) {
		if g.Running == 0 && g.Queued > 0 {
			queued++
		}
		if g.Done > last {
			last = g.Done
			done <- last
		}
	}})
	for i, r := range farmRequests(3) {
		f.Add(&Module{words: []byte("word"), digest: r.Module}, r)
		select {
		case n := <-done: // told with the lock held, which is given up when the next is waited for
			if n != i+1 {
				t.Errorf("after %d requests %d are done", i+1, n)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("request %d is not begun", i)
		}
	}
	f.Close()
	if queued < 3 {
		t.Errorf("%d of 3 requests were told before they were begun", queued)
	}
}

// TestFarmCost: shaders go into an action until the bytes of its modules and a little for each come to what one is worth, and a
// module counts each time it is asked of.
func TestFarmCost(t *testing.T) {
	for _, c := range []struct{ n, cost, actions int }{{6, 1, 6}, {6, eachCost + 4, 6}, {6, eachCost + 5, 3}, {6, 2 * (eachCost + 4), 3}, {6, 2*(eachCost+4) + 1, 2}, {6, 0, 1}, {1001, 1 << 30, 3}} {
		x := &farmScript{}
		f := NewFarm(t.Context(), x, newDir(t), FarmOptions{Jobs: 1, Cost: c.cost})
		list := farmRequests(c.n)
		for i := range list {
			f.Add(&Module{words: []byte("word"), digest: list[i].Module}, list[i])
		}
		if err := f.Close(); err != nil || len(x.calls) != c.actions || f.Figures().Shaders != c.n {
			t.Errorf("%d shaders, an action of %d: %d actions, want %d; %v", c.n, c.cost, len(x.calls), c.actions, err)
		}
		for _, n := range x.calls { // the requests, and one module
			if n != "2" {
				t.Errorf("an action has %s inputs, want 2", n)
			}
		}
	}
}

// TestFarmCancelled: nobody is asked again once the work is called off, and no warning follows.
func TestFarmCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	x := &farmScript{steps: []farmStep{{err: busy}}}
	f := NewFarm(ctx, x, newDir(t), FarmOptions{Jobs: 1, Cost: 1, Step: func(FarmFigures) { cancel() }})
	r := farmRequests(1)[0]
	f.Add(&Module{words: []byte("word"), digest: r.Module}, r)
	f.Close()
	if ok, why := f.Came(r.Key()); ok || !errors.Is(why, busy) || len(x.calls) != 1 || len(f.Figures().Warnings) > 0 {
		t.Errorf("came %v, %v after %d calls, warnings %q", ok, why, len(x.calls), f.Figures().Warnings)
	}
}
