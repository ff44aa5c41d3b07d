package cost

import "slices"

// parts are the strongly connected parts of a region that its entry reaches, in an order in which
// edges lead forward.
type parts struct {
	list [][]int32
	of   map[int32]int // number of a node's part, from 1
}

// frame is a node on the way of the search, and which of its edges comes next.
type frame struct{ node, edge int32 }

// components finds the parts by Tarjan's algorithm, without recursion. Edges back to the header, -1 if the region has none, and
// out of the region do not count.
func components(nodes []Node, region, inside []int32, entry, header int32) parts {
	id := inside[entry]
	p := parts{of: make(map[int32]int, len(region))}
	index := make(map[int32]int32, len(region)) // from 1
	low := make(map[int32]int32, len(region))
	var stack []int32
	way := []frame{{node: entry}}
	index[entry], low[entry] = 1, 1
	stack = append(stack, entry)
	for len(way) > 0 {
		f := &way[len(way)-1]
		n := f.node
		if succ := nodes[n].Succ; int(f.edge) < len(succ) {
			t := succ[f.edge]
			f.edge++
			switch {
			case inside[t] != id || t == header || p.of[t] > 0:
			case index[t] > 0:
				low[n] = min(low[n], index[t])
			default:
				index[t] = int32(len(index) + 1)
				low[t] = index[t]
				stack = append(stack, t)
				way = append(way, frame{node: t})
			}
			continue
		}
		way = way[:len(way)-1]
		if len(way) > 0 {
			up := way[len(way)-1].node
			low[up] = min(low[up], low[n])
		}
		if low[n] != index[n] {
			continue
		}
		k := len(stack) - 1
		for stack[k] != n {
			k--
		}
		c := slices.Clone(stack[k:])
		stack = stack[:k]
		slices.Sort(c)
		p.list = append(p.list, c)
		for _, m := range c {
			p.of[m] = len(p.list)
		}
	}
	slices.Reverse(p.list)
	return p
}
