// Command mutants asks whether tests would notice a mistake. It changes one
// place of the compiler at a time (a comparison, a sign, a constant, a dropped
// statement), runs the tests of that package, then those of the rooms that
// prove the whole, and lists the changes that no test noticed. A survivor is a
// missing test or an equivalent program; equivalent ones stand in
// equivalent.txt with their reason.
//
//	go run ./internal/mutants [-n 300] [-seed 1] [-then PACKAGES] [PACKAGE…]
//
// It never touches the tree: changed files reach the go command by -overlay.
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
	"strings"
	"time"
)

// config is what the flags say.
type config struct {
	n        int
	seed     uint64
	timeout  time.Duration
	then     []string
	patterns []string
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
	c := &config{}
	flag.IntVar(&c.n, "n", 300, "changes to try")
	flag.Uint64Var(&c.seed, "seed", 1, "which sample of all changes")
	flag.DurationVar(&c.timeout, "timeout", 5*time.Minute, "time for the tests of one package; running out of it counts as noticed")
	then := flag.String("then", "nirc,nirc/internal/prove/...,nirc/cmd/nirc", "packages whose tests run after the changed package's own, separated by commas")
	flag.Parse()
	c.then = strings.Split(*then, ",")
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
	pkgs, err := listPackages(c.patterns)
	if err != nil {
		return 0, err
	}
	var all []site
	for i := range pkgs {
		s, err := pkgs[i].sites()
		if err != nil {
			return 0, err
		}
		all = append(all, s...)
	}
	r := rand.New(rand.NewPCG(c.seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	fmt.Printf("%d places in %d packages\n", len(all), len(pkgs))
	count := make(map[verdict]int)
	tried := 0
	for i := range all {
		if tried == c.n || ctx.Err() != nil {
			break
		}
		s := &all[i]
		v, err := s.try(ctx, c)
		if err != nil {
			return 0, err
		}
		if v == noProgram {
			continue // the types do not allow it: another takes its place
		}
		if v == survived && known[s.key()] {
			v = equivalent
		}
		tried++
		count[v]++
		fmt.Printf("%-10s %s\n", v, s)
	}
	noticed := count[noticedByOwn] + count[noticedByWhole]
	left = count[survived]
	fmt.Printf("%d tried: %d noticed (%d by the package's own tests), %d equivalent, %d left", tried, noticed, count[noticedByOwn], count[equivalent], left)
	if n := noticed + left; n > 0 {
		fmt.Printf(": %.1f %% of those that are not equivalent", 100*float64(noticed)/float64(n))
	}
	fmt.Println()
	return left, nil
}

// goTest runs tests with a changed file; ok is that they pass, built that there was a program.
func goTest(ctx context.Context, c *config, overlay string, pkgs ...string) (ok, built bool) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout+time.Minute)
	defer cancel()
	args := append([]string{"test", "-vet=off", "-failfast", "-timeout", c.timeout.String(), "-overlay", overlay}, pkgs...)
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	return err == nil, !strings.Contains(string(out), "[build failed]") && !strings.Contains(string(out), "[setup failed]")
}
