package report

import (
	"html"
	"html/template"
	"regexp"
	"strings"
	"sync"
)

// token finds what listings show in another colour: comments, strings, numbers, words. The languages are alike
// enough for one expression: shading languages, the IR and assembly.
var token = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(//.*|/\*.*?\*/)|("[^"]*")|(\b(?:0x[0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?[fFuUlLhH]*)\b)|([A-Za-z_][\w.]*)`)
})

// keywords are words of shading languages and of the IR's control flow.
var keywords = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`if else for while do switch case default break continue return discard struct const in out inout uniform buffer layout
		shared groupshared void bool int uint float half double vec2 vec3 vec4 ivec2 ivec3 ivec4 uvec2 uvec3 uvec4 mat2 mat3 mat4 float2 float3 float4
		float4x4 sampler2D texture2D fn let var loop barrier phi load_const load_deref store_deref`) {
		m[w] = true
	}
	return m
})

// classes are those of the groups of token, in order.
var classes = [...]string{"com", "str", "num", "kw"}

// highlight is a line of a listing as HTML.
func highlight(text string) template.HTML {
	b := &strings.Builder{}
	at := 0
	for _, m := range token().FindAllStringSubmatchIndex(text, -1) {
		for g, class := range classes {
			from, to := m[2*g+2], m[2*g+3]
			if from < 0 || class == "kw" && !keywords()[text[from:to]] {
				continue
			}
			b.WriteString(html.EscapeString(text[at:from]))
			b.WriteString(`<span class="` + class + `">` + html.EscapeString(text[from:to]) + `</span>`)
			at = to
		}
	}
	b.WriteString(html.EscapeString(text[at:]))
	return template.HTML(b.String())
}
