package main

import (
	"slices"
	"strings"

	"nirc"
	"nirc/backend"
	"nirc/internal/figures"
	"nirc/internal/lazy"
	"nirc/internal/targets"
	"nirc/passes"

	"github.com/spf13/cobra"
)

// completions complete the values of flags, by the flag's name.
var completions = lazy.Value[map[string]func(cmd *cobra.Command) []string]{Make: func() map[string]func(cmd *cobra.Command) []string {
	return map[string]func(cmd *cobra.Command) []string{
		"target":             completeTargets,
		"gpu":                completeGPUs,
		"passes":             completePasses,
		"disable-pass":       completeOptional,
		"dump-after":         completeSteps,
		"dump-before":        completeSteps,
		"start-before":       completePasses,
		"stop-after":         completeStops,
		"opt-level":          choices("0", "1", "2", "s"),
		"emit":               func(*cobra.Command) []string { return emitKinds() },
		"stage":              choices("vertex", "tess_ctrl", "tess_eval", "geometry", "fragment", "compute"),
		"next":               choices("tess_ctrl", "tess_eval", "geometry", "fragment"),
		"abi":                completeABIs,
		"ci":                 choices("github", "gitlab"),
		"color":              choices("auto", "always", "never"),
		"diagnostics-format": choices("text", "json"),
		"target-env":         choices("vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3", "spv1.0", "spv1.1", "spv1.2", "spv1.3", "spv1.4", "spv1.5", "spv1.6"),
		"format":             choices(formats...),
		"sort":               choices("source", "cycles"),
		"columns":            completeFigures,
		"by":                 completeFigures,
		"explain":            completeFigures,
	}
}}

// directories are the flags that name one, wherever they stand.
var directories = []string{"dir", "cache", "include"}

func completeFigures(*cobra.Command) []string {
	list := []string{"all"}
	for i := range figures.Figures() {
		list = append(list, figures.Figures()[i].Name+"\t"+figures.Figures()[i].Doc)
	}
	return list
}

// lists are the flags whose values are separated by commas.
var lists = []string{"target", "gpu", "passes", "disable-pass", "dump-after", "dump-before", "columns", "by"}

func choices(list ...string) func(*cobra.Command) []string {
	return func(*cobra.Command) []string { return list }
}

func emitKinds() []string {
	var list []string
	for _, e := range emits {
		list = append(list, e.kind)
	}
	return list
}

func completeTargets(*cobra.Command) []string {
	list := []string{"all", nirc.IRTarget + "\tthe IR alone"}
	for _, t := range nirc.Targets() {
		list = append(list, t.Name)
	}
	return list
}

// completeGPUs lists the GPUs of the targets on the command line, or of all.
func completeGPUs(cmd *cobra.Command) []string {
	var list []string
	want := ""
	if f := cmd.Flags().Lookup("target"); f != nil && f.Changed {
		want = f.Value.String()
	}
	for _, t := range nirc.Targets() {
		if want != "" && want != "all" && !slices.Contains(strings.Split(want, ","), t.Name) {
			continue
		}
		for _, g := range t.GPUs {
			list = append(list, g.Name+"\t"+t.Name+": "+g.Doc)
		}
	}
	return list
}

func completePasses(*cobra.Command) []string {
	var list []string
	for _, p := range passes.Registry() {
		list = append(list, p.Name+"\t"+summary(p.Doc))
	}
	return list
}

// completeStops lists passes and the machine steps of all targets.
func completeStops(cmd *cobra.Command) []string {
	list := completePasses(cmd)
	for _, t := range nirc.Targets() {
		for _, s := range t.Steps {
			list = append(list, s.Name+"\tstep of "+t.Name+": "+summary(s.Doc))
		}
	}
	return list
}

// completeOptional lists the passes that may be left out, and the steps of all targets.
func completeOptional(*cobra.Command) []string {
	var list []string
	for _, t := range nirc.Targets() {
		for _, s := range t.Steps {
			if s.Optional {
				list = append(list, s.Name+"\tstep of "+t.Name+": "+summary(s.Doc))
			}
		}
	}
	for _, p := range passes.Registry() {
		if p.Optional {
			list = append(list, p.Name+"\t"+summary(p.Doc))
		}
	}
	return list
}

// completeABIs lists the calling conventions, with a blend program's for each format
// that the target has it for and a cull and a clip program's for each number of distances.
func completeABIs(cmd *cobra.Command) []string {
	list := []string{backend.MonolithicABI}
	for _, b := range targets.All {
		for _, abi := range b.ABIs() {
			if !slices.Contains(list, abi) {
				list = append(list, abi)
			}
		}
	}
	return list
}

func completeSteps(cmd *cobra.Command) []string {
	return append([]string{"all", "translate"}, completeStops(cmd)...)
}

// addCompletions makes the shell complete the flags of a command and all below.
func addCompletions(root *cobra.Command) {
	root.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault // nirc FILE…
	}
	visitCommands(root, func(c *cobra.Command) {
		for _, name := range directories {
			if f := c.PersistentFlags().Lookup(name); f != nil {
				c.MarkPersistentFlagDirname(name) // the flag was looked up
			}
			if f := c.Flags().Lookup(name); f != nil {
				c.MarkFlagDirname(name)
			}
		}
		for name, f := range completions.Get() {
			if c.Flags().Lookup(name) == nil && c.PersistentFlags().Lookup(name) == nil {
				continue
			}
			isList := slices.Contains(lists, name)
			err := c.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
				// What stands before the last comma stays.
				head := ""
				if i := strings.LastIndexByte(typed, ','); isList && i >= 0 {
					head = typed[:i+1]
				}
				var list []string
				for _, v := range f(cmd) {
					bare, _, _ := strings.Cut(v, "\t")
					if strings.HasPrefix(head+v, typed) && !(isList && name != "passes" && strings.Contains(","+head, ","+bare+",")) {
						list = append(list, head+v)
					}
				}
				slices.Sort(list)
				directive := cobra.ShellCompDirectiveNoFileComp
				if isList {
					directive |= cobra.ShellCompDirectiveNoSpace
				}
				return list, directive
			})
			if err != nil {
				panic(err) // the flag was looked up
			}
		}
	})
}
