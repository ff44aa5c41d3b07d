package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"nirc"
	"nirc/passes"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"
)

// configFile is read from the working directory if --config names no other.
const configFile = "nirc.yaml"

// envPrefix begins the names of environment variables that are settings.
const envPrefix = "NIRC"

// settings are what the environment and the configuration file say.
type settings struct {
	v     *viper.Viper
	file  string                // "" if none was read
	nodes map[string]*yaml.Node // what the file has for a name in small letters, for its place and its kind
}

// settings reads the environment and the configuration file.
func (a *app) settings(root *cobra.Command) (*settings, error) {
	v := viper.New()
	v.SetEnvPrefix(envPrefix)
	v.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	v.AutomaticEnv()
	path := a.config
	if path == "" {
		path = v.GetString("config")
	}
	if path == "" {
		if _, err := os.Stat(configFile); err == nil {
			path = configFile
		}
	}
	s := &settings{v: v, file: path}
	if path == "" {
		return s, nil
	}
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if s.nodes, err = readSettings(text); err == nil {
		v.SetConfigType("yaml")
		err = v.ReadConfig(bytes.NewReader(text))
	}
	if err != nil {
		return nil, nirc.Usagef("%s: %s (want settings, one a line, as target: ir3)", path, strings.Join(strings.Fields(err.Error()), " "))
	}
	if a.alone {
		root = new(app).root()
	}
	return s, s.check(root)
}

// readSettings reads the text of a configuration file: a mapping of names to values and lists of values.
func readSettings(text []byte) (map[string]*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil || len(doc.Content) == 0 {
		return nil, err
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode && top.Tag != "!!null" {
		return nil, fmt.Errorf("line %d: these are no settings", top.Line)
	}
	values := map[string]*yaml.Node{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		name, value := strings.ToLower(top.Content[i].Value), top.Content[i+1]
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		at := *value
		at.Line = top.Content[i].Line // it is told by its name
		if values[name] != nil {
			return nil, fmt.Errorf("line %d: %s is set twice", top.Content[i].Line, name)
		}
		values[name] = &at
	}
	return values, nil
}

// notSettings are flags that make no sense as settings.
var notSettings = map[string]bool{"config": true, "help": true, "version": true}

// value returns what is set for a flag, and where: the name of the variable or
// of the file. A flag that may be given several times has several values: a list in the file, words in the variable.
func (s *settings) value(f *pflag.Flag) (values []string, origin string) {
	if notSettings[f.Name] || !s.v.IsSet(f.Name) {
		return nil, ""
	}
	values = []string{s.v.GetString(f.Name)}
	switch list := s.v.GetStringSlice(f.Name); {
	case f.Value.Type() == "stringArray":
		values = list
	case isList(s.v.Get(f.Name)) || len(list) > 1 && strings.HasSuffix(f.Value.Type(), "Slice"):
		values[0] = strings.Join(list, ",")
	}
	if name := envName(f.Name); os.Getenv(name) != "" {
		return values, name
	}
	return values, s.file
}

// isList reports whether a setting is a list of the file.
func isList(v any) bool {
	_, is := v.([]any)
	return is
}

// envName is the environment's name of a flag.
func envName(flag string) string {
	return envPrefix + "_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// configure gives the flags that the command line left alone the values of
// the environment or of the configuration file.
func (a *app) configure(cmd *cobra.Command) error {
	s, err := a.settings(cmd.Root())
	if err != nil {
		return err
	}
	var failed error
	a.preset = map[string]bool{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		values, origin := s.value(f)
		if f.Changed || failed != nil {
			return
		}
		if len(values) > 0 {
			a.preset[f.Name] = true
		}
		for _, v := range values {
			if err := cmd.Flags().Set(f.Name, v); err != nil {
				failed = nirc.Usagef("%s, by %s: %s", f.Name, s.place(f.Name, origin), flagText(err))
			}
		}
	})
	return failed
}

// place is where a setting stands: the line of the file, or the variable.
func (s *settings) place(name, origin string) string {
	if n := s.nodes[strings.ToLower(name)]; n != nil && origin == s.file {
		return place(s.file, n.Line)
	}
	return origin
}

// check refuses keys that no command has, so that a misspelt setting
// does not go unnoticed, and values that are not of a kind that flags have.
func (s *settings) check(root *cobra.Command) error {
	known := map[string]bool{}
	add := func(f *pflag.Flag) {
		if !notSettings[f.Name] {
			known[strings.ToLower(f.Name)] = true
		}
	}
	visitCommands(root, func(c *cobra.Command) {
		c.Flags().VisitAll(add)
		c.PersistentFlags().VisitAll(add)
	})
	names := slices.SortedFunc(maps.Keys(s.nodes), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.nodes[a].Line, s.nodes[b].Line), cmp.Compare(a, b))
	})
	for _, name := range names {
		n := s.nodes[name]
		if !known[name] {
			return nirc.Usagef("%s: no setting %q%s", place(s.file, n.Line), name, passes.Suggest(name, slices.Sorted(maps.Keys(known))))
		}
		if n.Kind == yaml.MappingNode || slices.ContainsFunc(n.Content, func(v *yaml.Node) bool { return v.Kind != yaml.ScalarNode }) {
			return nirc.Usagef("%s: the setting %s is a value, or a list of values", place(s.file, n.Line), name)
		}
	}
	return nil
}

// place is a file and, if it is known, the line.
func place(path string, line int) string {
	if line == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d", path, line)
}

// visitCommands calls f for a command and all below.
func visitCommands(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		visitCommands(sub, f)
	}
}

const configLong = `Show the settings that a command runs with when its command line gives no flags: "nirc config
show" those of nirc compile, "nirc config show cache build" those of that command. Without
--origin the output is a nirc.yaml, in which defaults are comments. --origin tells where each
comes from: an environment variable, a file, or the default.`

// configReport is the JSON document of nirc config show.
type configReport struct {
	head
	Command  string          `json:"command"`
	Settings []configSetting `json:"settings"`
}

// configSetting is a setting of it.
type configSetting struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
	Origin string   `json:"origin"`
}

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Look at the settings"}
	var origin bool
	s := &shared{}
	show := &cobra.Command{Use: "show [COMMAND…]", Short: "Show settings and where they come from", Long: configLong, Args: cobra.ArbitraryArgs, ValidArgsFunction: completeCommands}
	show.Flags().BoolVar(&origin, "origin", false, "tell where each comes from")
	s.declare(show.Flags(), reportFlags)
	show.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			args = []string{"compile"}
		}
		about, rest, err := cmd.Root().Find(args)
		if err != nil || len(rest) > 0 || about == cmd.Root() {
			return nirc.Usagef("config show: no command %q", strings.Join(args, " "))
		}
		list, err := a.effective(about)
		if err != nil {
			return err
		}
		t := &sheet{columns: []string{"name", "values", "origin"}}
		for _, x := range list {
			t.add(x.Name, strings.Join(x.Values, ","), x.Origin)
		}
		doc := configReport{head{1, "nirc config show"}, strings.Join(args, " "), list}
		return a.present(s, doc, t, func(w io.Writer) error { return showSettings(w, list, origin) })
	}
	cmd.AddCommand(show)
	return cmd
}

// effective lists what a command's flags are without a command line.
func (a *app) effective(cmd *cobra.Command) ([]configSetting, error) {
	s, err := a.settings(cmd.Root())
	if err != nil {
		return nil, err
	}
	var list []configSetting
	add := func(f *pflag.Flag) {
		if notSettings[f.Name] || f.Hidden {
			return
		}
		set := configSetting{f.Name, []string{strings.TrimSuffix(strings.TrimPrefix(f.DefValue, "["), "]")}, originDefault}
		if values, origin := s.value(f); origin != "" {
			set.Values, set.Origin = values, origin
		}
		if f.Changed && !a.preset[f.Name] { // a general flag before or after config show
			set.Values, set.Origin = []string{f.Value.String()}, originLine
		}
		list = append(list, set)
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return list, nil
}

// originDefault is the origin of what nothing sets.
const originDefault = "default"

// originLine is that of what the command line says.
const originLine = "command line"

// yamlText writes a value so that the configuration file reads it as it is, alone or in a list.
func yamlText(v string) string {
	var n yaml.Node
	if yaml.Unmarshal([]byte("- "+v+"\n- ["+v+"]"), &n) == nil && len(n.Content) == 1 && n.Content[0].Kind == yaml.SequenceNode && len(n.Content[0].Content) == 2 {
		alone, list := n.Content[0].Content[0], n.Content[0].Content[1]
		if len(list.Content) == 1 && plainYAMLValue(alone, v) && plainYAMLValue(list.Content[0], v) {
			return v
		}
	}
	if strings.ContainsFunc(v, unicode.IsControl) {
		return strconv.Quote(v) // whose escapes are YAML's too
	}
	return "'" + strings.ReplaceAll(v, "'", "''") + "'"
}

// plainYAMLValue reports whether a node is a value without quotes that is read as v: not as null, say, or as a date.
func plainYAMLValue(n *yaml.Node, v string) bool {
	if n.Kind != yaml.ScalarNode || n.Value != v || n.Style != 0 {
		return false
	}
	return n.Tag == "!!str" || n.Tag == "!!bool" || n.Tag == "!!int" && strings.Trim(v, "0123456789") == "" && (v == "0" || v[0] != '0')
}

// showSettings writes settings as the file has them.
func showSettings(out io.Writer, list []configSetting, origin bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range list {
		if s.Origin == originDefault && !origin {
			fmt.Fprint(w, "# ")
		}
		values := make([]string, len(s.Values))
		for i, v := range s.Values {
			values[i] = yamlText(v)
		}
		text := strings.Join(values, ", ")
		if len(values) > 1 {
			text = "[" + text + "]"
		}
		fmt.Fprintf(w, "%s: %s", s.Name, text)
		if origin {
			fmt.Fprintf(w, "\t# %s", s.Origin)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
