// Command mutants asks whether tests would notice a mistake. It changes one
// place of the compiler at a time (a comparison, a sign, a constant, a dropped
// statement), runs the tests that come by that place, those of its package
// before those of the rooms that prove the whole, and lists the changes that no
// test noticed. A survivor is a missing test or an equivalent program;
// equivalent ones stand in equivalent.txt with their reason.
//
//	go run ./internal/mutants [-n 300] [-seed 1] [-only REGEXP] [-then PACKAGES] [PACKAGE…]
//
// All changes of a sample are built into one program at once, each beside what
// it changes; a number in the environment of a test chooses one (switch.go). So a
// package is compiled once, and one run of each test without a change says which
// changes it can notice (cover.go). The tree is never touched: changed files
// reach the go command by -overlay.
//
// Changes that make an equal program by what they are do not count, so they are
// not made (blind.go): of texts and of what only words them, of room made ahead,
// of hashes, and an assertion left out. What writes tables for the compiler, or
// shaders for its tests, is not the compiler.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// testOnly are packages of tests, a server of theirs, and a program that writes a table which a test compares: a change there makes other
// tests, and no other compiler.
var testOnly = map[string]bool{"nirc/ir/irtest": true, "nirc/backend/gputest": true, "nirc/cache/remote/remotetest": true, "nirc/frontend/spirv/spv/gen": true}

// config is what the flags say.
type config struct {
	n        int
	jobs     int
	seed     uint64
	only     *regexp.Regexp // of what is printed of a change
	timeout  time.Duration
	slow     time.Duration
	quiet    time.Duration // 0: a test may wait as long as it likes
	budget   time.Duration
	memory   int    // MB
	exec     string // runs the go command and the tests
	then     []string
	patterns []string
	skip     map[string]bool // tests
	root     string          // of the module
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("mutants: ")
	c := parseFlags()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	left, err := campaign(ctx, c)
	if err != nil {
		log.Fatal(err)
	}
	if left > 0 {
		os.Exit(1)
	}
}

func parseFlags() *config {
	c := &config{skip: make(map[string]bool)}
	flag.IntVar(&c.n, "n", 300, "changes to try")
	flag.IntVar(&c.jobs, "j", 1, "changes tried at once")
	flag.Uint64Var(&c.seed, "seed", 1, "which sample of all changes")
	only := flag.String("only", "", "take changes alone whose line, as it is printed, matches this expression: `ir/parse.go:604 constant: if never`")
	flag.DurationVar(&c.timeout, "timeout", 2*time.Minute, "processor time for one test; running out of it counts as noticed")
	flag.DurationVar(&c.slow, "slow", 5*time.Minute, "leave out tests that take more of the processor's time without a change")
	flag.DurationVar(&c.quiet, "quiet", 20*time.Second, "how long a test may wait and do nothing; waiting longer counts as noticed")
	flag.DurationVar(&c.budget, "budget", 0, "time for the tests of other packages that run for one change, by what they take without it; 0: all")
	flag.IntVar(&c.memory, "memory", 8192, "megabytes of addresses for one test; running out of them counts as noticed")
	flag.StringVar(&c.exec, "exec", "", "a program that runs the commands it is given")
	then := flag.String("then", "nirc,nirc/internal/exec,nirc/internal/amber,nirc/internal/prove/...,nirc/backend/...,nirc/passes/...,nirc/cmd/nirc",
		"packages whose tests run after the changed package's own, separated by commas")
	skip := flag.String("skip", "", "names of tests that are left out, separated by commas")
	flag.Parse()
	c.only = regexp.MustCompile(*only)
	c.then = strings.Split(*then, ",")
	for name := range strings.SplitSeq(*skip, ",") {
		c.skip[name] = true
	}
	if c.patterns = flag.Args(); len(c.patterns) == 0 {
		c.patterns = []string{"./passes/...", "./frontend/...", "./ir/...", "./backend/...", "./internal/emu/..."}
	}
	return c
}

// campaign tries a sample and returns how many changes nobody noticed that are
// not known to be equivalent.
func campaign(ctx context.Context, c *config) (left int, err error) {
	known, err := readEquivalent()
	if err != nil {
		return 0, err
	}
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return 0, fmt.Errorf("go env: %w", err)
	}
	c.root = filepath.Dir(strings.TrimSpace(string(mod)))
	patches, err := c.sample()
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	p, err := newProgram(ctx, c, dir, patches)
	if err != nil {
		return 0, err
	}
	p.patches = p.patches[:min(len(p.patches), c.n)]
	fmt.Printf("%d changes in %d packages\n", len(p.patches), len(p.packages()))
	all, err := p.allTests(ctx)
	if err != nil {
		return 0, err
	}
	total := make(verdicts)
	by := make(map[string]verdicts)
	p.tryAll(ctx, all, func(x *patch, v verdict, test string) {
		if v == survived && known[x.key()] {
			v = equivalent
		}
		if by[x.pkg.ImportPath] == nil {
			by[x.pkg.ImportPath] = make(verdicts)
		}
		by[x.pkg.ImportPath][v]++
		total[v]++
		fmt.Printf("%-10s %s (%s)\n", v, x, test)
	})
	for _, path := range p.packages() {
		by[path].print(path)
	}
	total.print("all")
	return total[survived], ctx.Err()
}

// tryAll tries the changes, some at once, and calls done for each, one at a time.
func (p *program) tryAll(ctx context.Context, all []*test, done func(x *patch, v verdict, test string)) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	next := 0
	for range p.c.jobs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for ctx.Err() == nil {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(p.patches) {
					return
				}
				v, test := p.try(ctx, p.patches[i], all)
				if ctx.Err() != nil {
					return
				}
				mu.Lock()
				done(p.patches[i], v, test)
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
}

// verdicts counts.
type verdicts map[verdict]int

// print prints the sums of a package, or of all.
func (count verdicts) print(of string) {
	noticed := count[noticedByOwn] + count[noticedByWhole]
	left := count[survived]
	fmt.Printf("%s: %d tried: %d noticed (%d by the package's own tests), %d equivalent, %d left", of, noticed+left+count[equivalent], noticed,
		count[noticedByOwn], count[equivalent], left)
	if n := noticed + left; n > 0 {
		fmt.Printf(": %.1f %% of those that are not equivalent", 100*float64(noticed)/float64(n))
	}
	fmt.Println()
}

// sample takes changes of all packages by chance, no two of the same statement, and some
// more than are asked for, as the types may not allow them all.
func (c *config) sample() ([]*patch, error) {
	pkgs, err := listPackages(c.patterns...)
	if err != nil {
		return nil, err
	}
	var all []site
	pkgs = slices.DeleteFunc(pkgs, func(p pkg) bool { return testOnly[p.ImportPath] })
	for i := range pkgs {
		s, err := pkgs[i].sites()
		if err != nil {
			return nil, err
		}
		all = append(all, slices.DeleteFunc(s, func(x site) bool { return !c.only.MatchString(x.String()) })...)
	}
	types, err := newTypes(c.patterns)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(c.seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	fmt.Printf("%d places in %d packages\n", len(all), len(pkgs))
	var list []*patch
	for i := range all {
		if len(list) >= c.n+c.n/8+2 {
			break
		}
		p := all[i].patch(len(list), types)
		if p == nil || slices.ContainsFunc(list, func(q *patch) bool { return q.source == p.source && q.from < p.to && p.from < q.to }) {
			continue
		}
		list = append(list, p)
	}
	return list, nil
}

// allTests builds and tries the tests of the changed packages and of those that prove the whole.
func (p *program) allTests(ctx context.Context) ([]*test, error) {
	pkgs, err := listPackages(append(p.packages(), p.c.then...)...)
	if err != nil {
		return nil, err
	}
	var all []*test
	for i := range pkgs {
		if !pkgs[i].tested() {
			continue
		}
		b, err := p.build(ctx, &pkgs[i], i)
		if err != nil {
			return nil, err
		}
		list, err := p.tests(ctx, b)
		if err != nil {
			return nil, err
		}
		total := time.Duration(0)
		for _, t := range list {
			total += t.took
		}
		fmt.Printf("%d tests of %s, %.1f s\n", len(list), pkgs[i].ImportPath, total.Seconds())
		all = append(all, list...)
	}
	return all, nil
}
