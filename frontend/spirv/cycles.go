package spirv

import "slices"

// cycle is a loop of a function's graph: blocks that reach one another, entered by its heads
// only. A reducible one has one head, which dominates it. The heads of an irreducible one have
// one immediate dominator outside of it: a path from the entry to one of them that avoids
// the others goes on, within the cycle, to each.
type cycle struct {
	parent int32   // the cycle around it; the last of all is the whole function
	heads  []int32 // in reverse post-order
	after  []int32 // blocks that are placed after the loop, see plan
	pre    int32   // its number in preorder
	kids   []int32 // cycles directly in it, in preorder
}

// cycles is the forest of a function's cycles; each stands before its parent.
type cycles struct {
	list  []cycle
	inner []int32 // by block: the innermost cycle
	// By block: the cycle that it is the only head of, and the one it is one of several heads of; -1 none.
	natural, irreducible []int32
}

// forest is sets of blocks, each known by its root (union-find).
type forest []int32

func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = int32(i)
	}
	return f
}

func (f forest) find(x int32) int32 {
	for f[x] != x {
		f[x] = f[f[x]]
		x = f[x]
	}
	return x
}

// cycleFinder finds cycles from the leaves of the dominator tree upwards, so that inner ones are
// found first: where an edge leads back to a block that dominates its source, and where
// siblings in the dominator tree lead to one another. This is what Sreedhar, Gao and Lee
// do by levels ("Identifying Loops Using DJ Graphs", 1996). A cycle that was found is one node from then on.
type cycleFinder struct {
	cycles
	g     *graph
	under forest  // the root is that of the part of the dominator tree done so far
	whole forest  // the root is the first head of the outermost cycle so far
	outer []int32 // by such a root: that cycle, -1 none
	// Marks, by block: the root of a part of the tree that the cycle under way may enter,
	// and a root of whole that is in it.
	part, body []int32
	serial     int32
	scc        []sccFrame
	num, low   []int32
	open       []int32
}

// findCycles finds all cycles of the graph whose dominator tree is kids.
func findCycles(g *graph, kids [][]int32) *cycles {
	n := len(kids)
	none := slices.Repeat([]int32{-1}, n)
	c := &cycleFinder{g: g, under: newForest(n), whole: newForest(n), outer: slices.Clone(none), part: make([]int32, n), body: make([]int32, n), num: make([]int32, n), low: make([]int32, n)}
	c.inner, c.natural, c.irreducible = slices.Clone(none), slices.Clone(none), none
	for _, x := range slices.Backward(g.rpo) {
		if c.retreats(kids[x]) {
			c.siblings(x, kids[x])
		}
		for _, k := range kids[x] {
			c.under[k] = x
		}
		for _, p := range g.preds(x) {
			if c.under.find(p) == x {
				c.natural[x] = c.enclose([]int32{x})
				break
			}
		}
	}
	c.finish()
	return &c.cycles
}

// retreats reports whether among siblings some edge leads to one that comes earlier in reverse post-order,
// without which there is no cycle of several.
func (c *cycleFinder) retreats(kids []int32) bool {
	for _, y := range kids {
		for _, p := range c.g.preds(y) {
			if c.g.order[p] > c.g.order[y] && c.under.find(p) != y {
				return true
			}
		}
	}
	return false
}

// enclose makes the cycle with the given heads of what reaches them in the parts of the dominator tree below them.
func (c *cycleFinder) enclose(heads []int32) int32 {
	l := int32(len(c.list))
	c.list = append(c.list, cycle{parent: -1, heads: heads})
	c.serial++
	var members []int32
	add := func(r int32) {
		if c.body[r] != c.serial {
			c.body[r] = c.serial
			members = append(members, r)
		}
	}
	for _, h := range heads {
		c.part[h] = c.serial
		add(h)
	}
	for i := 0; i < len(members); i++ {
		m := members[i]
		entries := members[i : i+1]
		if o := c.outer[m]; o >= 0 {
			entries = c.list[o].heads
		}
		for _, e := range entries {
			for _, p := range c.g.preds(e) {
				if c.part[c.under.find(p)] == c.serial {
					add(c.whole.find(p))
				}
			}
		}
	}
	for _, m := range members {
		if o := c.outer[m]; o >= 0 {
			c.list[o].parent = l
		} else {
			c.inner[m] = l
		}
		c.whole[m] = heads[0]
	}
	c.outer[heads[0]] = l
	return l
}

// finish closes the forest with the function as its root, and numbers it.
func (c *cycleFinder) finish() {
	root := int32(len(c.list))
	c.list = append(c.list, cycle{parent: -1})
	for b := range c.inner {
		if c.inner[b] < 0 {
			c.inner[b] = root
		}
	}
	size := make([]int32, root+1)
	for i := range c.list[:root] {
		l := &c.list[i]
		if l.parent < 0 {
			l.parent = root
		}
		size[i]++
		size[l.parent] += size[i]
	}
	for i := root - 1; i >= 0; i-- {
		l := &c.list[i]
		up := &c.list[l.parent]
		l.pre = up.pre + 1
		if k := len(up.kids); k > 0 {
			last := up.kids[k-1]
			l.pre = c.list[last].pre + size[last]
		}
		up.kids = append(up.kids, i)
	}
}

// below returns the cycle directly in cycle a that cycle l, which is in a, is or is in.
func (c *cycles) below(a, l int32) int32 {
	kids := c.list[a].kids
	i, found := slices.BinarySearchFunc(kids, c.list[l].pre, func(k, pre int32) int { return int(c.list[k].pre) - int(pre) })
	if !found {
		i--
	}
	return kids[i]
}
