package main

import (
	"fmt"
	"io"
	"os"
)

// maxGrowth is how much longer an instruction of the largest generated shader
// may take than one of the smallest.
const maxGrowth = 1.5

// scaling prints the time of an instruction by stage and size; the error is
// that a whole compile grows faster than the shader.
func scaling(c *config) error {
	per := make([][numStages + 1]float64, len(c.sizes)) // ns an instruction
	for i, n := range c.sizes {
		rounds := c.rounds
		if n >= 50000 {
			rounds = min(rounds, 3)
		}
		f, err := measure([]byte(generate(n)), fmt.Sprintf("generated-%d", n), c.opts, rounds)
		if err != nil {
			return fmt.Errorf("generated shader of %d instructions: %w", n, err)
		}
		for k, d := range f.time {
			per[i][k] = float64(d.Nanoseconds()) / float64(n)
		}
		per[i][numStages] = float64(f.total().Nanoseconds()) / float64(n)
	}
	fmt.Printf("generated shaders for %s -%s: ns an instruction\n", c.opts.Target, c.opts.Level)
	last := len(c.sizes) - 1
	table(os.Stdout, func(t io.Writer) {
		fmt.Fprint(t, "stage\t")
		for _, n := range c.sizes {
			fmt.Fprintf(t, "%d\t", n)
		}
		fmt.Fprintf(t, "%d : %d\t\n", c.sizes[last], c.sizes[0])
		for k := range per[0] {
			name := "all"
			if k < numStages {
				name = stageNames[k]
			}
			fmt.Fprintf(t, "%s\t", name)
			for i := range c.sizes {
				fmt.Fprintf(t, "%.0f\t", per[i][k])
			}
			fmt.Fprintf(t, "%.2f\t\n", per[last][k]/max(per[0][k], 1e-3))
		}
	})
	fmt.Printf("peak memory %.0f MiB\n", peakMemory())
	if growth := per[last][numStages] / per[0][numStages]; growth > maxGrowth {
		return fmt.Errorf("an instruction takes %.2f times as long among %d as among %d; %.1f is the limit", growth, c.sizes[last], c.sizes[0], maxGrowth)
	}
	return nil
}
