package passes

import (
	"fmt"
	"strings"

	"nirc/ir"
)

// cond is a condition of a pipeline: a tree of operators over comparisons and
// facts of the shader.
type cond struct {
	op   byte // '!', '&', '|', '=' comparison, 'f' fact
	a, b *cond
	key  string // of a comparison: target, stage, level
	rel  string
	val  string
	num  int
	fact func(*ir.Shader) bool
}

// condEnv is what is known when a pipeline is resolved.
type condEnv struct {
	target string
	level  Level
	stage  ir.Stage
}

// facts are the shader facts that a condition may name.
var facts = []struct {
	name string
	get  func(*ir.Shader) bool
}{
	{"writes_memory", func(s *ir.Shader) bool { return s.Info.WritesMemory }},
	{"uses_discard", func(s *ir.Shader) bool { return s.Info.UsesDiscard }},
	{"uses_demote", func(s *ir.Shader) bool { return s.Info.UsesDemote }},
	{"needs_quad_helpers", func(s *ir.Shader) bool { return s.Info.NeedsQuadHelpers }},
	{"uses_control_barrier", func(s *ir.Shader) bool { return s.Info.UsesControlBarrier }},
	{"uses_sample_shading", func(s *ir.Shader) bool { return s.Info.UsesSampleShading }},
	{"io_lowered", func(s *ir.Shader) bool { return s.Info.IOLowered }},
	{"zero_init_shared", func(s *ir.Shader) bool { return s.Info.ZeroInitShared }},
	{"shared_explicit_layout", func(s *ir.Shader) bool { return s.Info.SharedExplicitLayout }},
	{"workgroup_size_variable", func(s *ir.Shader) bool { return s.Info.WorkgroupSizeVariable }},
	{"kernel", func(s *ir.Shader) bool { return s.Info.Kernel }},
	// whole_quads: no quad of a subgroup lacks lanes.
	{"whole_quads", (*ir.Shader).WholeQuads},
	// generic_pointers: an access of a kernel may lead to several kinds of memory.
	{"generic_pointers", hasGenericDerefs},
	{"xfb", func(s *ir.Shader) bool { return s.Info.Xfb }},
	// inlines_much: inlining its calls makes more of the shader than is worth
	// waiting with the first cleaning up.
	{"inlines_much", func(s *ir.Shader) bool { return inlinesMuch(s) }},
	// joins_distances: cull distances stand after the clip distances where fixed functions take or give them, and the stage is next to those.
	{"joins_distances", func(s *ir.Shader) bool {
		return s.Options != nil && s.Options.JoinsDistances && s.Stage != ir.StageTessCtrl && s.Info.CullDistances != 0
	}},
	// ycbcr: immutable samplers convert from YCbCr.
	{"ycbcr", func(s *ir.Shader) bool { return s.Options != nil && s.Options.YCbCr != nil }},
}

// partial evaluates what is known without a shader; known is false where a
// fact decides.
func (c *cond) partial(env *condEnv) (val, known bool) {
	switch c.op {
	case '!':
		v, k := c.a.partial(env)
		return !v, k
	case '&', '|':
		dominant := c.op == '|'
		av, ak := c.a.partial(env)
		bv, bk := c.b.partial(env)
		if ak && av == dominant || bk && bv == dominant {
			return dominant, true
		}
		return !dominant, ak && bk
	case '=':
		return c.compare(env), true
	}
	return false, false
}

// eval evaluates c for a shader.
func (c *cond) eval(s *ir.Shader, env *condEnv) bool {
	switch c.op {
	case '!':
		return !c.a.eval(s, env)
	case '&':
		return c.a.eval(s, env) && c.b.eval(s, env)
	case '|':
		return c.a.eval(s, env) || c.b.eval(s, env)
	case '=':
		return c.compare(env)
	}
	return c.fact(s)
}

func (c *cond) compare(env *condEnv) bool {
	switch c.key {
	case "target":
		return (env.target == c.val) == (c.rel == "==")
	case "stage":
		return (env.stage == ir.Stage(c.num)) == (c.rel == "==")
	}
	l := int(env.level)
	switch c.rel {
	case "==":
		return l == c.num
	case "!=":
		return l != c.num
	case ">=":
		return l >= c.num
	case "<=":
		return l <= c.num
	case ">":
		return l > c.num
	}
	return l < c.num
}

// parseCond reads a condition.
func parseCond(text string) (*cond, error) {
	p := &condParser{toks: condTokens(text)}
	c, err := p.or()
	if err != nil {
		return nil, fmt.Errorf("condition %q: %w", text, err)
	}
	if p.pos < len(p.toks) {
		return nil, fmt.Errorf("condition %q: unexpected %q", text, p.toks[p.pos])
	}
	return c, nil
}

// condTokens splits a condition into names and operators.
func condTokens(text string) []string {
	for _, op := range []string{"(", ")", "&&", "||", "==", ">=", "<=", "!="} {
		text = strings.ReplaceAll(text, op, " "+op+" ")
	}
	var out []string
	for _, f := range strings.Fields(text) {
		for len(f) > 1 && (f[0] == '!' && f != "!=") {
			out = append(out, "!")
			f = f[1:]
		}
		out = append(out, f)
	}
	return out
}

type condParser struct {
	toks  []string
	pos   int
	depth int
}

func (p *condParser) peek() string {
	if p.pos < len(p.toks) {
		return p.toks[p.pos]
	}
	return ""
}

func (p *condParser) or() (*cond, error) {
	a, err := p.and()
	for err == nil && p.peek() == "||" {
		p.pos++
		var b *cond
		b, err = p.and()
		a = &cond{op: '|', a: a, b: b}
	}
	return a, err
}

func (p *condParser) and() (*cond, error) {
	a, err := p.unary()
	for err == nil && p.peek() == "&&" {
		p.pos++
		var b *cond
		b, err = p.unary()
		a = &cond{op: '&', a: a, b: b}
	}
	return a, err
}

func (p *condParser) unary() (*cond, error) {
	if p.depth++; p.depth > 100 {
		return nil, fmt.Errorf("nested too deep")
	}
	defer func() { p.depth-- }()
	switch t := p.peek(); t {
	case "":
		return nil, fmt.Errorf("ends too early")
	case "!":
		p.pos++
		a, err := p.unary()
		return &cond{op: '!', a: a}, err
	case "(":
		p.pos++
		a, err := p.or()
		if err == nil && p.peek() != ")" {
			err = fmt.Errorf("no closing parenthesis")
		}
		p.pos++
		return a, err
	default:
		p.pos++
		return p.term(t)
	}
}

func (p *condParser) term(t string) (*cond, error) {
	switch t {
	case "target", "stage", "level":
		rel := p.peek()
		p.pos++
		val := p.peek()
		p.pos++
		return comparison(t, rel, val)
	}
	for _, f := range facts {
		if f.name == t {
			return &cond{op: 'f', fact: f.get}, nil
		}
	}
	return nil, fmt.Errorf("no fact %q", t)
}

func comparison(key, rel, val string) (*cond, error) {
	c := &cond{op: '=', key: key, rel: rel, val: val}
	switch rel {
	case "==", "!=":
	case ">=", "<=", ">", "<":
		if key != "level" {
			return nil, fmt.Errorf("%s has no order", key)
		}
	default:
		return nil, fmt.Errorf("want a comparison after %s, not %q", key, rel)
	}
	switch key {
	case "stage":
		s := ir.ParseStage(val)
		if s == ir.StageNone {
			return nil, fmt.Errorf("no stage %q", val)
		}
		c.num = int(s)
	case "level":
		l, err := ParseLevel(val)
		if err != nil {
			return nil, err
		}
		c.num = int(l)
	default:
		if val == "" {
			return nil, fmt.Errorf("no value after %s %s", key, rel)
		}
	}
	return c, nil
}
