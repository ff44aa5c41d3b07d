package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"

	"nirc/backend/cost"
	"nirc/internal/costs"
)

// maxBlocks bounds the blocks of a drawn graph.
const maxBlocks = 300

// block is a run of instructions that control enters at its start alone.
type block struct {
	first, last int32 // nodes
	instrs      int
	cycles      float64
	next        []int
}

// Flow draws the flow of control of a program: a box a block, one below the other in the order of the code, with its cycles; edges
// forward at the right, back at the left.
func Flow(title string, p *cost.Program) (Graph, bool) {
	blocks := blocksOf(p)
	if len(blocks) < 2 || len(blocks) > maxBlocks {
		return Graph{}, false
	}
	most := 0.0
	for _, b := range blocks {
		most = math.Max(most, b.cycles)
	}
	const width, height, gap, left = 190, 30, 16, 110
	y := func(i int) int { return 10 + i*(height+gap) }
	s := &strings.Builder{}
	name := html.EscapeString(title)
	fmt.Fprintf(s, `<svg class="flow" role="img" aria-label="control flow of %s" viewBox="0 0 420 %d" width="420">`, name, y(len(blocks)))
	for i, b := range blocks {
		for _, t := range b.next {
			switch {
			case t == i+1:
				fmt.Fprintf(s, `<path class="edge" d="M%d %dV%d"/>`, left+width/2, y(i)+height, y(t))
			case t > i:
				bend := left + width + 12 + min(80, 6*(t-i))
				fmt.Fprintf(s, `<path class="edge" d="M%d %dC%d %d %d %d %d %d"/>`, left+width, y(i)+height-8, bend, y(i)+height, bend, y(t), left+width, y(t)+8)
			default:
				bend := left - 12 - min(80, 6*(i-t))
				fmt.Fprintf(s, `<path class="edge back" d="M%d %dC%d %d %d %d %d %d"/>`, left, y(i)+height-8, bend, y(i)+height, bend, y(t), left, y(t)+8)
			}
		}
	}
	for i, b := range blocks {
		at := p.Instrs[p.Nodes[b.first].Instr].Offset
		fmt.Fprintf(s, `<rect class="box" x="%d" y="%d" width="%d" height="%d" rx="3"/><rect class="fill" x="%d" y="%d" width="%d" height="4"/>`,
			left, y(i), width, height, left, y(i)+height-4, int(float64(width)*b.cycles/math.Max(most, 1e-9)))
		fmt.Fprintf(s, `<text x="%d" y="%d">%#x: %d instrs, %s cycles</text>`, left+6, y(i)+17, at, b.instrs, number(b.cycles))
	}
	s.WriteString(`</svg>`)
	return Graph{title, template.HTML(s.String())}, true
}

// blocksOf splits the nodes at leaders. Nodes that stand one after another in the code and lead only to each other are one.
func blocksOf(p *cost.Program) []block {
	order := make([]int32, 0, len(p.Nodes))
	preds := make([]int, len(p.Nodes))
	for i := range p.Nodes {
		order = append(order, int32(i))
		for _, t := range p.Nodes[i].Succ {
			preds[t]++
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return int(p.Nodes[a].Instr) - int(p.Nodes[b].Instr) })
	var list []block
	of := make([]int, len(p.Nodes))
	for k, n := range order {
		open := k > 0 && preds[n] == 1 && len(p.Nodes[order[k-1]].Succ) == 1 && p.Nodes[order[k-1]].Succ[0] == n
		if !open {
			list = append(list, block{first: n})
		}
		b := &list[len(list)-1]
		b.last = n
		b.instrs++
		b.cycles += p.Sum(&p.Instrs[p.Nodes[n].Instr].Work)
		of[n] = len(list) - 1
	}
	for i := range list {
		for _, t := range p.Nodes[list[i].last].Succ {
			list[i].next = append(list[i].next, of[t])
		}
	}
	return list
}

// charts draws the distribution of cycles, registers and occupancy of each target.
func charts(rows []Row) []Graph {
	var targets []string
	for _, r := range rows {
		if r.Error == "" && !slices.Contains(targets, r.Target) {
			targets = append(targets, r.Target)
		}
	}
	var list []Graph
	for _, t := range targets {
		for _, f := range []struct {
			name string
			of   func(s *costs.Shader) float64
		}{{"cycles", func(s *costs.Shader) float64 { return s.Total.Busiest }}, {"work registers", func(s *costs.Shader) float64 { return float64(s.Properties.WorkRegisters) }},
			{"waves or threads", func(s *costs.Shader) float64 { return float64(s.Occupancy.Value) }}} {
			var v []float64
			for _, r := range rows {
				if r.Target == t && r.Error == "" {
					v = append(v, f.of(r.Shader))
				}
			}
			list = append(list, histogram(fmt.Sprintf("%s: %s", t, f.name), v))
		}
	}
	return list
}

// histogram draws how many values lie in each of eight steps.
func histogram(title string, v []float64) Graph {
	const steps, width, height = 8, 320, 90
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range v {
		low, high = math.Min(low, x), math.Max(high, x)
	}
	var count [steps]int
	most := 1
	for _, x := range v {
		k := 0
		if high > low {
			k = min(steps-1, int(steps*(x-low)/(high-low)))
		}
		count[k]++
		most = max(most, count[k])
	}
	s := &strings.Builder{}
	fmt.Fprintf(s, `<svg class="hist" role="img" aria-label="%s, from %s to %s" viewBox="0 0 %d %d" width="%d">`, html.EscapeString(title), number(low), number(high), width, height+32, width)
	for k, n := range count {
		h := height * n / most
		x := k * width / steps
		fmt.Fprintf(s, `<rect class="fill" x="%d" y="%d" width="%d" height="%d"/><text x="%d" y="%d">%d</text>`, x+2, 12+height-h, width/steps-4, h, x+6, 10+height-h, n)
	}
	fmt.Fprintf(s, `<text x="2" y="%d">%s</text><text x="%d" y="%d" text-anchor="end">%s</text></svg>`, height+28, number(low), width-2, height+28, number(high))
	return Graph{title, template.HTML(s.String())}
}
