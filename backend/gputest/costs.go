package gputest

import (
	"fmt"
	"slices"
	"strings"

	"nirc/backend/cost"
)

// CostRows collects what the cost model says of instructions, by the name of the operation, for HoldTable.
type CostRows struct {
	Pipes []cost.Pipe
	rows  map[string][]string
}

// Add notes an instruction of an operation; what the model says of another of it already counts once.
func (r *CostRows) Add(op string, x *cost.Instr) {
	if r.rows == nil {
		r.rows = map[string][]string{}
	}
	if text := r.text(x); !slices.Contains(r.rows[op], text) {
		r.rows[op] = append(r.rows[op], text)
	}
}

// Table is the rows of HoldTable.
func (r *CostRows) Table() map[string]string {
	table := map[string]string{}
	for op, list := range r.rows {
		slices.Sort(list)
		table[op] = strings.Join(list, " | ")
	}
	return table
}

// text is all that an instruction has besides its place, what is zero left out.
func (r *CostRows) text(x *cost.Instr) string {
	list := []string{x.Class.String()}
	number := func(name string, v float64) {
		if v != 0 {
			list = append(list, fmt.Sprintf("%s=%g", name, v))
		}
	}
	flag := func(name string, on bool) {
		if on {
			list = append(list, name)
		}
	}
	if len(x.Classes) > 1 {
		list[0] = fmt.Sprint(x.Classes)
	}
	number("count", float64(x.Count-1))
	number("issue", x.Issue)
	for i := range r.Pipes {
		number(r.Pipes[i].Title, x.Pipes[i])
	}
	number("stall", x.Stall)
	number("bytes", float64(x.Bytes))
	number("texels", float64(x.Texels))
	number("makes", float64(x.Produces))
	number("waits", float64(x.Waits))
	number("latency", x.Latency[0])
	number("latency1", x.Latency[1])
	number("spill", float64(x.Spill))
	flag("array", x.Array)
	flag("address64", x.Address64)
	flag("doubt", x.Doubt)
	flag("leader", x.Leader)
	return strings.Join(list, " ")
}
