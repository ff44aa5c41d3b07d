package main

// shadows reports whether rule a, which stands before b, fires wherever b could:
// a's pattern, in some order of its commutative sources, is a generalisation
// of b's and its conditions are among b's.
func shadows(a, b *checked) bool {
	if a.section != b.section || a.pat.op != b.pat.op {
		return false
	}
	for swap := 0; swap < 1<<len(a.comm); swap++ {
		g := &generaliser{a: a, b: b, swap: swap, vars: map[string]*term{}}
		if g.term(a.pat, b.pat) && g.conditions() {
			return true
		}
	}
	return false
}

type generaliser struct {
	a, b *checked
	swap int
	vars map[string]*term // a's variables in terms of b
}

func (g *generaliser) term(x, y *term) bool {
	if x.bits != 0 && g.b.sizes[y].find().bits != x.bits {
		return false
	}
	switch x.kind {
	case kVar:
		if x.isNum && !g.constant(y) {
			return false
		}
		if old := g.vars[x.name]; old != nil {
			return sameTerm(old, y)
		}
		g.vars[x.name] = y
		return true
	case kInt, kFloat:
		return y.kind == x.kind && y.val == x.val
	}
	if y.kind != kOp || x.op != y.op {
		return false
	}
	for _, f := range x.flags {
		if !y.has(f) {
			return false
		}
	}
	flip := 0
	for i, c := range g.a.comm {
		if c == x && g.swap>>i&1 != 0 {
			flip = 1
		}
	}
	for i := range x.args {
		k := i
		if k < 2 {
			k ^= flip
		}
		if !g.term(x.args[i], y.args[k]) {
			return false
		}
	}
	return true
}

func (g *generaliser) constant(y *term) bool {
	switch y.kind {
	case kInt, kFloat:
		return true
	case kVar:
		return g.b.vars[y.name].isConst
	}
	return false
}

// conditions reports whether each of a's conditions is one of b's.
func (g *generaliser) conditions() bool {
	for _, p := range g.a.conds {
		found := false
		for _, q := range g.b.conds {
			if p.pred != q.pred || p.not != q.not {
				continue
			}
			if p.arg == q.arg && (p.arg == "" || p.arg == "root") {
				found = true
			}
			if g.same(p.arg, q.arg) && (p.arg2 == "" && q.arg2 == "" || g.same(p.arg2, q.arg2)) {
				found = true
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// same reports whether a's variable x stands for b's variable y.
func (g *generaliser) same(x, y string) bool {
	t := g.vars[x]
	return t != nil && t.kind == kVar && t.name == y
}
