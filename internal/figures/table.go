package figures

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// usual are the columns that a table shows if the targets have such figures and none are asked for.
var usual = []string{"total cycles", "longest cycles", "weighed cycles", "inst", "alu", "bundles", "quadwords", "nops", "regs", "half", "constlen", "uniforms", "waves", "threads", "(ss)", "(sy)", "sstall", "systall",
	"loops", "spills", "fills", "scratch", "code_bytes", "functions", "blocks", "instructions", "intrinsic", "tex"}

func cell(name string, v int64, ok bool) string {
	if !ok {
		return "-"
	}
	return Format(name, v)
}

// writeCells aligns all columns right but the last.
func writeCells(out io.Writer, cells [][]string) error {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', tabwriter.AlignRight)
	for _, row := range cells {
		last := len(row) - 1
		fmt.Fprintf(w, "%s\t  %s\n", strings.Join(row[:last], "\t"), row[last])
	}
	return w.Flush()
}
