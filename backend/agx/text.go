package agx

import (
	"fmt"
	"strings"
)

// String lists the instructions; branches show the number of their target.
func (p *program) String() string {
	var w strings.Builder
	number := map[*pinstr]int{}
	for i, in := range p.list {
		number[in] = i
	}
	for i, in := range p.list {
		fmt.Fprintf(&w, "%4d  %s", i, in.Text())
		if in.to != nil {
			fmt.Fprintf(&w, " -> %d", number[in.to])
		}
		w.WriteByte('\n')
	}
	return w.String()
}
