package main

import (
	"errors"
	"regexp"
	"strings"
	"sync"

	"nirc"
	"nirc/passes"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// checkArgs makes a command say what it wants when its arguments are not
// right. A command that has others below wants one of them, unless it takes arguments itself.
func checkArgs(c *cobra.Command) {
	if c.Args == nil {
		c.Args = cobra.NoArgs
	}
	if c.HasSubCommands() && c.Args(c, []string{"file"}) != nil {
		c.Args, c.RunE = cobra.ArbitraryArgs, func(cmd *cobra.Command, args []string) error { return noCommand(cmd, args) }
		return
	}
	args := c.Args
	c.Args = func(cmd *cobra.Command, list []string) error {
		if err := args(cmd, list); err != nil {
			if cmd.Use == cmd.Name() {
				return nirc.Usagef("%s takes no arguments, but there is %q", cmd.CommandPath(), list[0])
			}
			return nirc.Usagef("want %s; see %s --help", strings.TrimSuffix(cmd.UseLine(), " [flags]"), cmd.CommandPath())
		}
		return nil
	}
}

// noCommand is the error of a command without a command that it has.
func noCommand(c *cobra.Command, args []string) error {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	have := strings.Join(names, ", ")
	if len(args) == 0 {
		return nirc.Usagef("%s: want one of %s", c.CommandPath(), have)
	}
	return nirc.Usagef("%s: no command %q%s (have %s)", c.CommandPath(), args[0], passes.Suggest(args[0], names), have)
}

// helpCommand is nirc help, which refuses what is no command.
func helpCommand() *cobra.Command {
	return &cobra.Command{Use: "help [COMMAND…]", Short: "Show the help of a command", Args: cobra.ArbitraryArgs,
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil }, // settings that are wrong do not keep anyone from reading
		ValidArgsFunction: completeCommands,
		RunE: func(c *cobra.Command, args []string) error {
			about := c.Root()
			for _, name := range args {
				sub, _, err := about.Find([]string{name})
				if err != nil || sub == about {
					return noCommand(about, []string{name})
				}
				about = sub
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		}}
}

// completeCommands completes the names of commands for nirc help.
func completeCommands(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	about, rest, err := c.Root().Find(args)
	var list []string
	if err == nil && len(rest) == 0 {
		for _, sub := range about.Commands() {
			if sub.IsAvailableCommand() && strings.HasPrefix(sub.Name(), typed) {
				list = append(list, sub.Name()+"\t"+sub.Short)
			}
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// goWords are words of Go's number parsers in the messages of flags.
var goWords = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`strconv\.\w+: parsing "[^"]*": `) })

// flagText is what is wrong with a flag.
func flagText(err error) string { return goWords().ReplaceAllString(err.Error(), "") }

// suggestFlag names the flag that an unknown one may have been meant for.
func suggestFlag(c *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) < 2 {
		return ""
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return passes.Suggest("--"+unknown.GetSpecifiedName(), names)
}

// wantsJSON reports whether a command line asks for diagnostics as JSON, though
// a flag before that may be wrong.
func wantsJSON(args []string) bool {
	const flag = "--diagnostics-format"
	for i, arg := range args {
		if arg == flag+"=json" || arg == flag && i+1 < len(args) && args[i+1] == "json" {
			return true
		}
		if arg == "--" {
			break
		}
	}
	return false
}
