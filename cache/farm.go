package cache

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// File is one of an action's inputs.
type File struct {
	Path       string // relative, with slashes
	Data       []byte
	Sum        Digest // of Data
	Executable bool
}

// NewFile makes a file, which nobody changes afterwards.
func NewFile(path string, data []byte) File {
	return File{Path: path, Data: data, Sum: sha256.Sum256(data)}
}

// Action is a command for another machine: nothing of this one is in it, so that the same work is the same action wherever it is asked for.
type Action struct {
	Args   []string
	Inputs []File // by path
	// Output is the folder that comes back.
	Output string
}

// Stage is how far an action is.
type Stage uint8

// Stages.
const (
	Queued Stage = iota
	Running
	Done
)

// Ran is what an action left.
type Ran struct {
	Files  []File // of the output folder, by path; Sum is theirs
	Exit   int32  // the exit code
	Errors string // the end of its standard error
}

// Executor runs actions on other machines, as package cache/remote makes them of URLs. It tries once; patience is Farm's. It is safe
// for concurrent use.
type Executor interface {
	// Execute runs an action, or takes from the server what it gave before unless fresh. The error is a *Fault.
	Execute(ctx context.Context, a *Action, fresh bool, stage func(Stage)) (*Ran, error)
	// Close ends connections.
	Close() error
}

// FarmOptions say how a Farm uses its executor.
type FarmOptions struct {
	// Args is the command that answers the requests in the file FarmRequests, whose modules are below FarmModules, with
	// files in the folder FarmOutput that are named by keys; Inputs are the files that it needs beside them.
	Args   []string
	Inputs []File
	// Jobs are the actions at a time, 8 if it is 0; Retries as of RemoteOptions.
	Jobs, Retries int
	// Cost is what an action is worth: requests are put together until the bytes of their modules, and a little for each, come to it. 0 is 1 MiB.
	Cost int
	// Step, unless nil, is called when something moved.
	Step func(FarmFigures)
}

// What stands where in an action.
const (
	FarmRequests = "requests.json"
	FarmModules  = "modules/"
	FarmOutput   = "out"
)

// FarmFigures say what a Farm did. Of actions, each is in one of the first four.
type FarmFigures struct {
	Queued  int `json:"queued"`
	Running int `json:"running"`
	Done    int `json:"done"`
	Failed  int `json:"failed"`  // after retries
	Skipped int `json:"skipped"` // of the failed ones: not tried, since the server failed before
	Retries int `json:"retries"`
	Wanted  int `json:"wanted"`   // shaders
	Shaders int `json:"executed"` // of them, those that came back whole
	Time    int `json:"us"`       // of all actions, which run beside each other
	// Warnings are worth telling once.
	Warnings []string `json:"warnings,omitempty"`
}

const (
	// eachCost is what a request costs whatever its module is, maxRequests bounds those of an action.
	eachCost, maxRequests = 4 << 10, 500
	// maxFarmWaiting bounds the bytes of modules that wait: who adds more waits too.
	maxFarmWaiting = 64 << 20
	// farmGone failed actions in a row end the use of the executor.
	farmGone = 3
)

// Farm has other machines compile what no cache has, and stores it. What they do not bring, the builder that looks for it afterwards
// compiles: nothing is lost, and nothing is twice in the store.
type Farm struct {
	exec  Executor
	store Store
	opts  FarmOptions
	sleep func(context.Context, time.Duration)
	ctx   context.Context

	mu      sync.Mutex
	moved   sync.Cond
	figures FarmFigures
	seen    map[Digest]bool // that were asked for
	came    map[Digest]bool
	why     map[Digest]error // of those that did not come
	open    batch
	queue   []*batch
	waiting int // bytes of modules in open and queue
	closing bool
	row     int // failed actions since the last that went well
	gone    error
	failed  error // of the store
	wg      sync.WaitGroup
}

// batch is what goes into one action.
type batch struct {
	requests []Request
	modules  map[Digest]*Module
	cost     int
	bytes    int
}

// NewFarm starts the use of an executor, which it closes in the end.
func NewFarm(ctx context.Context, x Executor, s Store, o FarmOptions) *Farm {
	o.Jobs, o.Cost = cmp.Or(o.Jobs, 8), cmp.Or(o.Cost, 1<<20)
	o.Retries = cmp.Or(o.Retries, 2)
	f := &Farm{exec: x, store: s, opts: o, sleep: sleep, ctx: ctx, seen: map[Digest]bool{}, came: map[Digest]bool{}, why: map[Digest]error{}}
	f.moved.L = &f.mu
	for range o.Jobs {
		f.wg.Go(f.work)
	}
	return f
}

// Add asks for a shader, once. It waits while too much waits already.
func (f *Farm) Add(m *Module, r Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := r.Key()
	for f.waiting > maxFarmWaiting && !f.closing && f.ctx.Err() == nil {
		f.moved.Wait()
	}
	if f.seen[key] || f.closing {
		return
	}
	f.seen[key] = true
	f.figures.Wanted++
	b := &f.open
	if b.modules == nil {
		b.modules = map[Digest]*Module{}
	}
	if b.modules[m.digest] == nil {
		b.modules[m.digest] = m
		b.bytes += len(m.words)
		f.waiting += len(m.words)
	}
	b.requests = append(b.requests, r)
	if b.cost += len(m.words) + eachCost; b.cost >= f.opts.Cost || len(b.requests) == maxRequests {
		f.flush()
	}
}

// flush puts what is open into the queue.
func (f *Farm) flush() {
	if len(f.open.requests) == 0 {
		return
	}
	b := f.open
	f.open = batch{}
	f.queue = append(f.queue, &b)
	f.figures.Queued++
	f.step()
}

// step tells that something moved.
func (f *Farm) step() {
	f.moved.Broadcast()
	if f.opts.Step != nil {
		f.opts.Step(f.figures)
	}
}

// Close waits for all that was asked for. The error is that of the store.
func (f *Farm) Close() error {
	f.mu.Lock()
	f.flush()
	f.closing = true
	f.moved.Broadcast()
	f.mu.Unlock()
	f.wg.Wait()
	_ = f.exec.Close() // nothing is under way
	return f.failed
}

// Came reports whether a shader came from the executor, after Close. If it was asked for and did not, why says so.
func (f *Farm) Came(key Digest) (came bool, why error) { return f.came[key], f.why[key] }

// Figures say what was done.
func (f *Farm) Figures() FarmFigures {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.figures
}

// work runs actions until Close.
func (f *Farm) work() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		for len(f.queue) == 0 && !f.closing {
			f.moved.Wait()
		}
		if len(f.queue) == 0 {
			return
		}
		b := f.queue[0]
		f.queue = f.queue[1:]
		f.run(b)
		f.waiting -= b.bytes
		f.step()
	}
}

// run runs a batch, again if that may help, and keeps the books. The lock is held except for what takes time.
func (f *Farm) run(b *batch) {
	if f.gone != nil {
		f.figures.Skipped++
		f.fail(b, f.gone)
		return
	}
	f.mu.Unlock()
	a, err := f.action(b)
	f.mu.Lock()
	if err != nil {
		f.fail(b, err)
		return
	}
	left := len(b.requests)
	for try := 0; ; try++ {
		var came int
		came, err = f.try(b, a, try > 0)
		left -= came
		if left == 0 {
			break
		}
		var fault *Fault
		if !errors.As(err, &fault) || !fault.Again || try >= f.opts.Retries || f.ctx.Err() != nil {
			break
		}
		f.figures.Retries++
		f.mu.Unlock()
		wait := 100 * time.Millisecond << (2 * try)
		f.sleep(f.ctx, wait/2+rand.N(wait))
		f.mu.Lock()
	}
	if left > 0 {
		f.fail(b, err)
		return
	}
	f.figures.Queued--
	f.figures.Done++
	f.row = 0
}

// fail notes why what did not come of a batch did not.
func (f *Farm) fail(b *batch, err error) {
	f.figures.Queued--
	f.figures.Failed++
	for i := range b.requests {
		if key := b.requests[i].Key(); !f.came[key] {
			f.why[key] = err
		}
	}
	var fault *Fault
	if f.gone != nil || !errors.As(err, &fault) || f.ctx.Err() != nil {
		return
	}
	f.row++
	switch {
	case fault.Denied:
		f.gone = err
		f.warn("remote executor: " + err.Error() + "; it is not used any more")
	case f.row >= farmGone:
		f.gone = err
		f.warn(fmt.Sprintf("remote executor: %d actions in a row failed, the last: %v; it is not used any more", f.row, err))
	case len(f.figures.Warnings) == 0:
		f.warn("remote executor: an action failed: " + err.Error())
	}
}

func (f *Farm) warn(text string) { f.figures.Warnings = append(f.figures.Warnings, text) }

// try runs an action once and stores what comes back; came are those that had not come before.
func (f *Farm) try(b *batch, a *Action, fresh bool) (came int, err error) {
	running := false
	stage := func(s Stage) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if now := s == Running; now != running {
			running = now
			move := 1
			if !now {
				move = -1
			}
			f.figures.Running += move
			f.figures.Queued -= move
			f.step()
		}
	}
	f.mu.Unlock()
	start := time.Now()
	ran, err := f.exec.Execute(f.ctx, a, fresh, stage)
	stage(Done)
	var keyed []Keyed
	if err == nil {
		keyed, err = b.answers(ran)
	}
	var failed error
	for _, k := range keyed {
		failed = cmp.Or(failed, f.store.Put(k.Key, k.Data))
	}
	f.mu.Lock()
	f.figures.Time += int(time.Since(start).Microseconds())
	f.failed = cmp.Or(f.failed, failed)
	for _, k := range keyed {
		if !f.came[k.Key] {
			f.came[k.Key] = true
			came++
		}
	}
	f.figures.Shaders += came
	return came, err
}

// answers are the entries in what came back that are whole and were asked for. The error is about those that are not there.
func (b *batch) answers(ran *Ran) (list []Keyed, err error) {
	wanted := make(map[Digest]bool, len(b.requests))
	for i := range b.requests {
		wanted[b.requests[i].Key()] = true
	}
	for _, file := range ran.Files {
		key, err := ParseDigest(file.Path)
		if err != nil || !wanted[key] || answerTo(key, file.Data) == nil {
			continue
		}
		delete(wanted, key) // once
		list = append(list, Keyed{key, file.Data})
	}
	if len(wanted) == 0 {
		return list, nil
	}
	text := ran.Errors
	if text == "" {
		text = "it says nothing about them"
	}
	return list, &Fault{Err: fmt.Errorf("an action ended with exit code %d and without %d of %d shaders: %s", ran.Exit, len(wanted), len(b.requests), text), Again: true}
}

// action makes the action of a batch: the same shaders make the same one, in whatever order they were asked for.
func (f *Farm) action(b *batch) (*Action, error) {
	keys := make(map[*Request]Digest, len(b.requests))
	order := make([]*Request, len(b.requests))
	for i := range b.requests {
		order[i] = &b.requests[i]
		keys[order[i]] = order[i].Key()
	}
	slices.SortFunc(order, func(x, y *Request) int { kx, ky := keys[x], keys[y]; return slices.Compare(kx[:], ky[:]) })
	doc := Wanted{Schema: WantedSchema, Kind: WantedKind}
	for _, r := range order {
		doc.Requests = append(doc.Requests, *r)
	}
	text, err := json.Marshal(&doc)
	if err != nil {
		return nil, err
	}
	a := &Action{Args: f.opts.Args, Output: FarmOutput, Inputs: append(slices.Clone(f.opts.Inputs), NewFile(FarmRequests, text))}
	for digest, m := range b.modules {
		a.Inputs = append(a.Inputs, File{Path: FarmModules + digest.String(), Data: m.words, Sum: digest})
	}
	slices.SortFunc(a.Inputs, func(x, y File) int { return cmp.Compare(x.Path, y.Path) })
	return a, nil
}
