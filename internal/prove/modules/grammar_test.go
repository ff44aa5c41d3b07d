package modules

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/ir"
)

// grammar makes random shaders: what a letter after $ stands for is one of the letter's texts. In these, @ is the same new number
// throughout, and what < and > enclose is a loop ({L ... }) or a switch ({W ... }), which decides where jumps may stand.
type grammar struct {
	r       *rand.Rand
	rules   map[byte]rule
	out     strings.Builder
	numbers int
	inside  []byte // the loops and switches that are open: L and W
}

// rule are the texts of a letter: short ones, which end an expansion, and those that have more letters in them.
type rule struct{ short, long []string }

// text expands the text of a rule to some depth.
func (g *grammar) text(s string, depth int) {
	g.numbers++
	number := strconv.Itoa(g.numbers)
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '$':
			i++
			g.expand(s[i], depth-1)
		case '@':
			g.out.WriteString(number)
		case '<':
			if i+1 < len(s) && (s[i+1] == 'L' || s[i+1] == 'W') {
				i++
				g.inside = append(g.inside, s[i])
				continue
			}
			g.out.WriteByte('<')
		case '`':
			g.inside = g.inside[:len(g.inside)-1]
		default:
			g.out.WriteByte(s[i])
		}
	}
}

// expand writes one of the texts of a letter.
func (g *grammar) expand(letter byte, depth int) {
	r := g.rules[letter]
	list := r.long
	if depth <= 0 || len(list) == 0 || len(r.short) > 0 && g.r.Intn(4) == 0 {
		list = r.short
	}
	for {
		s := list[g.r.Intn(len(list))]
		if strings.Contains(s, "continue") && !strings.ContainsRune(string(g.inside), 'L') || strings.Contains(s, "break;//") && len(g.inside) == 0 {
			continue
		}
		g.text(s, depth)
		return
	}
}

// words are unsigned expressions, floats and conditions that all stages have.
var words = map[byte]rule{
	'u': {[]string{"x", "y", "z", "w", "id", "0u", "1u", "3u", "31u", "255u", "65535u", "0x80000000u", "ins[(x+7u)&63u]", "ins[id&63u]", "p.k", "p.m"}, []string{
		"($u+$u)", "($u-$u)", "($u*$u)", "($u&$u)", "($u|$u)", "($u^$u)", "($u<<($u&31u))", "($u>>($u&31u))", "uint(int($u)>>($u&31u))",
		"($u/($u|1u))", "($u%($u|1u))", "uint(int($u)/int($u|1u))", "min($u,$u)", "max($u,$u)", "uint(min(int($u),int($u)))", "uint(max(int($u),int($u)))",
		"uint(bitCount($u))", "uint(findLSB($u))", "uint(findMSB($u))", "uint(findMSB(int($u)))", "bitfieldReverse($u)", "bitfieldExtract($u,5,11)",
		"uint(bitfieldExtract(int($u),3,9))", "bitfieldInsert($u,$u,7,12)", "packUnorm4x8(vec4($f,$f,0.5,1.5))", "packSnorm4x8(vec4($f,-0.5,$f,-1.5))",
		"packUnorm2x16(vec2($f,$f))", "packSnorm2x16(vec2($f,$f))", "packHalf2x16(vec2($f,$f))", "uint($t($u))", "uint($t($u)+$t(3u))", "uint($t($u)*$t($u))",
		"uint($t($u)>>$t(2u))", "uint(uint64_t($u)*uint64_t($u)>>29)", "uint((int64_t(int($u))-int64_t($u))>>9)", "uint(min(uint64_t($u)<<7,uint64_t($u)))",
		"unpack32(pack64(uvec2($u,$u))+5ul).y", "uint(pack32(u16vec2($u,$u)))", "uint(unpack8($u).z)", "($b?$u:$u)", "uint($t(clamp($f,0.0,100.0)))", "uint(int(clamp($f,-1e6,1e6)))",
		"(floatBitsToUint($f)&0x7fffff00u)"}},
	't': {[]string{"int8_t", "uint8_t", "int16_t", "uint16_t"}, nil},
	'f': {[]string{"fa", "fb", "1.0", "0.5", "(-0.25)", "3.0", "fins[id&63u]", "fins[x&63u]", "p.f"}, []string{
		"($f+$f)", "($f-$f)", "($f*$f)", "min($f,$f)", "max($f,$f)", "abs($f)", "floor($f)", "ceil($f)", "trunc($f)", "roundEven($f)", "sign($f)", "clamp($f,-8.0,8.0)",
		"float(float16_t($f))", "float(float16_t($f)+float16_t($f))", "float(max(float16_t($f),float16_t($f)))", "unpackUnorm4x8($u).z", "unpackSnorm4x8($u).w", "unpackUnorm2x16($u).y",
		"unpackSnorm2x16($u).x", "unpackHalf2x16($u&0x3bff3bffu).y", "float($t($u))", "float(int($u))", "float($u)", "float(int64_t($u)-int64_t($u))", "($b?$f:$f)"}},
	'b': {[]string{"(x<y)", "((id&1u)==0u)", "((id&7u)==3u)", "((p.k&2u)!=0u)", "(((x^id)&1u)!=0u)"}, []string{
		"($u<$u)", "($u==$u)", "($u!=$u)", "(int($u)<=int($u))", "($f<$f)", "($f==$f)", "($b&&$b)", "($b||!$b)"}},
	'n': {[]string{"2u", "4u", "6u", "(id&3u)+1u", "(p.k&3u)+1u", "min(x&7u,5u)"}, nil},
	'v': {[]string{"x", "y", "z", "w"}, nil},
	'q': {[]string{"id%5u", "p.k%4u", "(x+id)%6u", "uint(abs(int(y)))&7u", "y%3u"}, nil},
	'j': {[]string{"", "if($b)break;//\n", "if($b)continue;\n", "if($b){$v+=3u;break;//\n}\n", "if($b){$v^=$u;continue;}\n"}, nil},
	'e': {[]string{"break;//\n", "break;//\n", "", "if($b)break;//\n", "continue;\n", "if($b)continue;\n"}, nil},
	's': {[]string{"$v=$u;\n", "$v=$u;\n", "fa=clamp($f,-1e4,1e4);\n", "fb=clamp($f,-1e4,1e4);\n", "arr[$u&7u]=$u; x+=arr[$u&7u];\n"}, []string{
		"$s$s", "$s$s", "if($b){\n$s}\n", "if($b){\n$s}else{\n$s}\n", "if($b){\n$s$e}\n", "{$s}\n",
		"for(uint i@=0u;i@<$n;i@++){<L\n$s$j$s$j`}\n", "[[unroll]] for(uint i@=0u;i@<3u;i@++){<L\n$s$j$s`}\n", "[[dont_unroll]] for(uint i@=0u;i@<$n;i@++){<L\n$j$s$j$s`}\n",
		"{uint i@=0u;\nwhile(i@<$n){<L\ni@++;\n$j$s$j`}}\n", "{uint i@=0u;\ndo{<L\n$s$j$s`}while(++i@<$n);}\n",
		"switch($q){<W\ncase 0u:\n$s$e case 3u:\n$s$e case 1u:\n$s$e default:\n$s$e`;}\n", "switch($q){<W\ncase 1u:\ncase 2u:\n$s$e case 5u:\n$s$e`;}\n"}},
}

// groups are what compute shaders have besides: exchanges between invocations, in flow that parts them too.
var groups = map[byte]rule{
	'g': {[]string{"subgroupAdd($u)", "subgroupMax($u)", "subgroupXor($u)", "subgroupBroadcastFirst($u)", "subgroupBallotBitCount(subgroupBallot($b))", "subgroupExclusiveAdd($u)",
		"uint(subgroupAny($b))", "uint(subgroupAll($b))", "uint(subgroupAllEqual($u))", "subgroupInclusiveMin($u)"}, nil},
	's': {nil, []string{"$v^=$g;\n", "if($b){\n$v+=$g;\n$s}\n", "for(uint i@=0u;i@<$n;i@++){<L\n$v+=$g;\n$j$s`}\n"}},
}

// fragments are what fragment shaders have besides. Derivatives stand where all of a quad come by, which nothing has ended yet: discards
// come after them.
var fragments = map[byte]rule{
	's': {nil, []string{"if($b&&(y&3u)==1u){\n$s$d}\n", "for(uint i@=0u;i@<3u;i@++){<L\n$s if((z&7u)==6u)$d$j`}\n", "for(uint i@=0u;i@<$n;i@++){<L\nif($b&&(x&7u)==5u){$s$d}\n$j`}\n"}},
	'd': {[]string{"demote;\n"}, nil},
}

const generatedHead = `#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_demote_to_helper_invocation : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
layout(set=0,binding=0) readonly buffer I { uint ins[64]; };
layout(set=0,binding=1) readonly buffer F { float fins[64]; };
layout(push_constant) uniform P { uint k, m; float f; } p;
`

// generated makes the shader of a seed: compute shaders with barriers between parts that may part the invocations, with exchanges
// between them or without, or a fragment shader.
func generated(seed int64) (ir.Stage, string) {
	g := &grammar{r: rand.New(rand.NewSource(seed)), rules: map[byte]rule{}}
	kind := seed % 4
	for c, r := range words {
		more := [...]map[byte]rule{nil, groups, nil, fragments}[kind]
		g.rules[c] = rule{r.short, append(r.long[:len(r.long):len(r.long)], more[c].long...)}
	}
	g.rules['g'], g.rules['d'] = groups['g'], fragments['d']
	part := func() string {
		g.out.Reset()
		for range 2 + g.r.Intn(3) {
			g.expand('s', 4)
		}
		return g.out.String()
	}
	if kind == 3 {
		first := part()
		g.rules['d'] = rule{short: []string{"demote;\n", "discard;\n"}}
		return ir.StageFragment, generatedHead + `layout(location=0) flat in uvec2 a;
layout(location=1) in vec2 v;
layout(location=0) out uvec4 o;
void main() {
uint arr[8]; for (int i = 0; i < 8; i++) arr[i] = uint(i) * a.x;
uint id = uint(gl_FragCoord.x) + 3u * uint(gl_FragCoord.y), x = id * 7u + a.x, y = a.y, z = p.k, w = 1u; float fa = clamp(v.x, -8.0, 8.0), fb = 0.5;
` + first + `w += uint(dFdx(float(x & 255u)) > 0.0) + uint(abs(dFdy(float(y & 255u))));
` + part() + `o = uvec4(x, y ^ z, w, uint(int(clamp(fa + fb, -1e6, 1e6) * 4.0)));
}
`
	}
	size := [...]int{32, 64, 21, 33, 100, 1}[g.r.Intn(6)]
	n := strconv.Itoa(size)
	first := part()
	return ir.StageCompute, generatedHead + "layout(local_size_x=" + n + ") in;\nshared uint sh[" + n + `];
layout(set=0,binding=2) buffer O { uint outs[]; };
void main() {
uint id = gl_LocalInvocationIndex, at = 4u * (gl_WorkGroupID.x * ` + n + `u + id), x = id * 7u + 3u, y = ins[id & 63u], z = p.k, w = 1u; float fa = clamp(fins[id & 63u], -100.0, 100.0), fb = 0.5;
uint arr[8]; for (int i = 0; i < 8; i++) arr[i] = uint(i) * id;
` + first + "sh[id] = x; barrier(); y ^= sh[(id + 1u) % " + n + "u]; barrier(); sh[id] = y + z;\n" + part() + "barrier(); x += sh[(id * 5u) % " + n + `u];
outs[at] = x; outs[at + 1u] = y ^ z; outs[at + 2u] = w; outs[at + 3u] = uint(int(clamp(fa + fb, -1e6, 1e6) * 4.0));
}
`
}

// TestGeneratedShaders compares, as TestModulesAgree does, shaders that a grammar makes: nested switches, loops that end and go on at several
// places, words of 8 to 64 bits, packed numbers, memory of workgroups, exchanges in flow that parts invocations, discards in
// loops. NIRC_RANDOM_SEEDS=FIRST,COUNT takes other ones.
func TestGeneratedShaders(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	a := &agreement{t: t, skipped: map[string]int{}, refused: map[string]int{}, agree: map[string]int{}}
	for seed := range generatedSeeds(t) {
		stage, text := generated(seed)
		m := prove.FromGLSL(t, stage, text)
		failed := t.Failed()
		a.shader(m, nirc.EntryPoint{Name: "main", Stage: stage})
		if t.Failed() && !failed {
			t.Logf("seed %d:\n%s", seed, text)
		}
	}
	if len(a.agree) == 0 {
		t.Error("no shader was compared")
	}
	t.Log(a.agree, a.skipped, a.refused)
}

// generatedSeeds yields the seeds of generated shaders.
func generatedSeeds(t *testing.T) func(yield func(int64) bool) {
	first, count := int64(0), int64(12)
	if v := os.Getenv("NIRC_RANDOM_SEEDS"); v != "" {
		if _, err := fmt.Sscanf(v, "%d,%d", &first, &count); err != nil {
			t.Fatalf("NIRC_RANDOM_SEEDS: %v", err)
		}
	}
	return func(yield func(int64) bool) {
		for i := first; i < first+count && yield(i); i++ {
		}
	}
}
