// Command bench measures the compiler through its public library: how long
// each stage takes and allocates over the corpus, whether the time of an
// instruction grows with the shader, in all and in each pass, and how a target's compile time compares
// with a table of another compiler's. It prints tables and changes nothing;
// docs/testing.md says how to read them.
//
//	go run ./internal/bench [-corpus DIR] [-max N] [-O LEVEL] [-t TARGET]
//	go run ./internal/bench -baseline FILE -real DIR
//	go run ./internal/bench -families DIR [-t TARGET]
//	go run ./internal/bench -profile FILE -real DIR [-t TARGETS]
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"nirc"
	"nirc/passes"
)

// config is what the flags say.
type config struct {
	corpus, baseline, real string
	families, profile      string
	opts                   nirc.Options
	max, rounds            int
	scale                  float64
	generated              bool
	sizes                  []int // of generated shaders, the smallest first
}

// started is when the process began.
var started = time.Now()

func main() {
	log.SetFlags(0)
	runtime.LockOSThread() // stages are timed by this thread's clock
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // as the command does
	}
	c, err := parseFlags()
	if err != nil {
		log.Fatal("bench: ", err)
	}
	if err := run(c); err != nil {
		log.Fatal("bench: ", err)
	}
}

func parseFlags() (*config, error) {
	c := &config{}
	flag.StringVar(&c.corpus, "corpus", defaultCorpus(), "directory of .spv, .spvasm, .vert, .frag and .comp files")
	flag.StringVar(&c.baseline, "baseline", "", "table of another compiler's times, named TARGET-GPU.tsv")
	flag.StringVar(&c.real, "real", "", "directory of the modules that the table is about")
	flag.StringVar(&c.families, "families", "", "directory with a folder of .spv files for each family: print the size and weighed cycles of their code, and no times")
	flag.StringVar(&c.profile, "profile", "", "write a CPU profile of compiling the modules of -real, for each target of -t, to this file")
	flag.StringVar(&c.opts.Target, "t", nirc.DefaultTarget, "target")
	flag.StringVar(&c.opts.GPU, "gpu", "", "GPU of the target, the first if empty")
	flag.IntVar(&c.max, "max", 0, "look at no more than this many corpus files, evenly chosen; 0: all")
	flag.IntVar(&c.rounds, "n", 5, "take the best of this many runs")
	flag.Float64Var(&c.scale, "scale", 1, "how much slower this machine is than the table's")
	flag.BoolVar(&c.generated, "generated", true, "measure generated shaders")
	sizes := flag.String("sizes", "500,5000,50000", "instructions of the generated shaders, the smallest first")
	level := flag.String("O", "O2", "optimisation level")
	flag.Parse()
	if flag.NArg() > 0 || c.rounds < 1 || (c.baseline == "" && c.profile == "") != (c.real == "") {
		return nil, fmt.Errorf("want flags only, -n of at least 1, and -baseline or -profile and -real together")
	}
	var err error
	if c.opts.Level, err = passes.ParseLevel(*level); err == nil {
		c.sizes, err = parseSizes(*sizes)
	}
	return c, err
}

// parseSizes reads sizes that grow, separated by commas.
func parseSizes(text string) (sizes []int, err error) {
	for _, f := range strings.Split(text, ",") {
		n, err := strconv.Atoi(f)
		if err != nil || n < 1 || len(sizes) > 0 && n <= sizes[len(sizes)-1] {
			return nil, fmt.Errorf("-sizes %q: want numbers of instructions, the smallest first", text)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// defaultCorpus is the corpus beside the repository, "" if there is none.
func defaultCorpus() string {
	shared := os.Getenv("NIRC_SHARED")
	if shared == "" {
		dir, err := os.Getwd()
		for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				shared = filepath.Join(dir, "..", "shared")
				break
			}
		}
	}
	dir := filepath.Join(shared, "corpus")
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

func run(c *config) error {
	if c.families != "" {
		return families(c, os.Stdout)
	}
	if c.profile != "" {
		return profile(c)
	}
	if c.baseline != "" {
		return compare(c)
	}
	if c.corpus == "" {
		fmt.Println("corpus: skipped, there is none (-corpus DIR)")
	} else if err := overCorpus(c); err != nil {
		return err
	}
	if !c.generated {
		return nil
	}
	return errors.Join(scaling(c), eachPass(c))
}
