package report

import (
	"fmt"
	"html"
	"html/template"
	"strings"

	"nirc/backend/cost"
)

// livePoints bounds the steps of a drawn curve: of more instructions the most of several is one.
const livePoints = 400

// Live draws the registers that are live over the code, with a line where the declared number is. false if they
// are not known.
func Live(title string, p *cost.Program) (Graph, bool) {
	var values []int
	most := 0
	for i := range p.Instrs {
		if in := &p.Instrs[i]; !in.Once {
			values = append(values, in.Live)
			most = max(most, in.Live)
		}
	}
	if most == 0 {
		return Graph{}, false
	}
	declared := max(most, p.Props.WorkRegisters)
	per := (len(values) + livePoints - 1) / livePoints
	const width, height, left, top = 420, 110, 34, 10
	n := (len(values) + per - 1) / per
	x := func(k int) float64 { return left + float64(width*k)/float64(n) }
	y := func(v int) float64 { return top + height - float64(height*v)/float64(declared) }
	path := &strings.Builder{}
	fmt.Fprintf(path, "M%d %d", left, top+height)
	for k := range n {
		v := 0
		for _, w := range values[k*per : min(len(values), (k+1)*per)] {
			v = max(v, w)
		}
		fmt.Fprintf(path, "V%sH%s", number(y(v)), number(x(k+1)))
	}
	fmt.Fprintf(path, "V%dZ", top+height)
	s := &strings.Builder{}
	fmt.Fprintf(s, `<svg class="live" role="img" aria-label="registers live over the code of %s: at most %d of %d %s" viewBox="0 0 %d %d" width="%d">`,
		html.EscapeString(title), most, p.Props.WorkRegisters, html.EscapeString(p.Props.RegisterUnit), left+width+8, top+height+34, left+width+8)
	fmt.Fprintf(s, `<path class="fill" d="%s"/><path class="edge back" d="M%d %sH%d"/>`, path, left, number(y(p.Props.WorkRegisters)), left+width)
	fmt.Fprintf(s, `<text x="2" y="%d">%d</text><text x="2" y="%d">0</text><text x="%d" y="%d">first instruction</text><text x="%d" y="%d" text-anchor="end">last of %d</text></svg>`,
		top+10, declared, top+height, left, top+height+16, left+width, top+height+16, len(values))
	return Graph{fmt.Sprintf("%s: at most %d %s live, %d declared (dashed)", title, most, p.Props.RegisterUnit, p.Props.WorkRegisters), template.HTML(s.String())}, true
}
