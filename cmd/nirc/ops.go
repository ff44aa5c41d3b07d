package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"nirc/ir/optab"

	"github.com/spf13/cobra"
)

type opInfo struct {
	Name   string   `json:"name"`
	Result string   `json:"result"`
	Srcs   []string `json:"sources"`
	Props  []string `json:"properties,omitempty"`
	Target string   `json:"target,omitempty"`
	Doc    string   `json:"doc"`
}

type intrinsicInfo struct {
	Name    string   `json:"name"`
	Srcs    []int8   `json:"sources"` // components; 0: as wide as the instruction, -1: any
	Result  *int     `json:"result,omitempty"`
	Indices []string `json:"indices,omitempty"`
	Props   []string `json:"properties,omitempty"`
	Target  string   `json:"target,omitempty"`
	Doc     string   `json:"doc"`
}

type texInfo struct {
	Name  string `json:"name"`
	Comps uint8  `json:"components"` // 0: depends on the dimension
	Doc   string `json:"doc"`
}

type tables struct {
	head
	ALU        []opInfo        `json:"alu"`
	Intrinsics []intrinsicInfo `json:"intrinsics"`
	Tex        []texInfo       `json:"tex"`
	TexSources []texInfo       `json:"tex_sources"`
}

func (a *app) ops() *cobra.Command {
	s := &shared{}
	cmd := &cobra.Command{Use: "ops", Short: "List the IR's operations: ALU, intrinsics, texture operations"}
	s.declare(cmd.Flags(), reportFlags)
	cmd.RunE = func(*cobra.Command, []string) error {
		t := collectTables()
		return a.present(s, t, t.sheet(), t.write)
	}
	return cmd
}

// sheet has a row an operation.
func (t *tables) sheet() *sheet {
	s := &sheet{columns: []string{"kind", "name", "result", "operands", "doc"}}
	for _, o := range t.ALU {
		s.add("alu", o.Name, o.Result, strings.Join(o.Srcs, ", "), o.Doc)
	}
	for _, r := range t.Intrinsics {
		s.add("intrinsic", r.Name, "", strings.Join(r.Indices, " "), r.Doc)
	}
	for _, x := range t.Tex {
		s.add("tex", x.Name, "", "", x.Doc)
	}
	for _, x := range t.TexSources {
		s.add("tex source", x.Name, "", "", x.Doc)
	}
	return s
}

// collectTables reads the tables of package optab.
func collectTables() *tables {
	t := &tables{head: head{1, "nirc ops"}}
	for i := range optab.Ops {
		o := optab.Ops[i]
		info := opInfo{Name: o.Name, Result: typeName(o.Out), Srcs: []string{}, Target: o.Target, Doc: o.Doc}
		for _, in := range o.In {
			info.Srcs = append(info.Srcs, typeName(in))
		}
		for _, p := range []struct {
			bit  optab.Props
			name string
		}{{optab.Commutative, "commutative"}, {optab.Associative, "associative"}, {optab.Selection, "selection"}} {
			if o.Props&p.bit != 0 {
				info.Props = append(info.Props, p.name)
			}
		}
		t.ALU = append(t.ALU, info)
	}
	for i := range optab.Intrinsics {
		t.Intrinsics = append(t.Intrinsics, intrinsicRow(optab.Intrinsics[i]))
	}
	for i := range optab.Texs {
		x := &optab.Texs[i]
		t.Tex = append(t.Tex, texInfo{x.Name, x.Comps, x.Doc})
	}
	for _, x := range optab.TexSources {
		t.TexSources = append(t.TexSources, texInfo{Name: x.Name, Doc: x.Doc})
	}
	return t
}

func intrinsicRow(r *optab.Intrinsic) intrinsicInfo {
	info := intrinsicInfo{Name: r.Name, Srcs: append([]int8{}, r.Srcs...), Target: r.Target, Doc: r.Doc}
	if r.HasDest {
		n := int(r.DestComps)
		info.Result = &n
	}
	for _, x := range r.Indices {
		info.Indices = append(info.Indices, x.String())
	}
	if r.Flags&optab.CanEliminate != 0 {
		info.Props = append(info.Props, "can_eliminate")
	}
	if r.Flags&optab.CanReorder != 0 {
		info.Props = append(info.Props, "can_reorder")
	}
	if r.SysVal {
		info.Props = append(info.Props, "system_value")
	}
	return info
}

// typeName spells an operand's type: f32, u, vec2 i16.
func typeName(t optab.T) string {
	s := t.Class.String()
	if t.Bits != 0 {
		s += fmt.Sprint(t.Bits)
	}
	if t.Comps != 0 {
		s = fmt.Sprintf("vec%d %s", t.Comps, s)
	}
	return s
}

func (t *tables) write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "ALU operations (%d)\n", len(t.ALU))
	for _, o := range t.ALU {
		fmt.Fprintf(w, "  %s\t%s <- %s\t%s\n", o.Name, o.Result, strings.Join(o.Srcs, ", "), o.Doc)
	}
	fmt.Fprintf(w, "\nIntrinsics (%d)\n", len(t.Intrinsics))
	for _, r := range t.Intrinsics {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", r.Name, strings.Join(r.Indices, " "), r.Doc)
	}
	fmt.Fprintf(w, "\nTexture operations (%d)\n", len(t.Tex))
	for _, x := range t.Tex {
		fmt.Fprintf(w, "  %s\t\t%s\n", x.Name, x.Doc)
	}
	fmt.Fprintf(w, "\nTexture sources (%d)\n", len(t.TexSources))
	for _, x := range t.TexSources {
		fmt.Fprintf(w, "  %s\t\t%s\n", x.Name, x.Doc)
	}
	return w.Flush()
}
