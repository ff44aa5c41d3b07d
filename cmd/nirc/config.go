package main

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"nirc"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// configFile is read from the working directory if --config names no other.
const configFile = "nirc.yaml"

// configure gives the flags that the command line left alone the values of
// the environment or of the configuration file.
func (a *app) configure(cmd *cobra.Command) error {
	v := viper.New()
	v.SetEnvPrefix("NIRC")
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
	if path != "" {
		v.SetConfigFile(path)
		v.SetConfigType("yaml")
		if err := v.ReadInConfig(); err != nil {
			var at *fs.PathError
			if errors.As(err, &at) {
				return &nirc.IOError{Err: err}
			}
			return nirc.Usagef("%s: %s", path, err)
		}
		if err := checkConfig(v, cmd, path); err != nil {
			return err
		}
	}
	var failed error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed || f.Name == "config" || f.Name == "help" || f.Name == "version" || !v.IsSet(f.Name) || failed != nil {
			return
		}
		value := v.GetString(f.Name)
		if list := v.GetStringSlice(f.Name); len(list) > 1 && strings.HasSuffix(f.Value.Type(), "Slice") {
			value = strings.Join(list, ",")
		}
		if err := cmd.Flags().Set(f.Name, value); err != nil {
			failed = nirc.Usagef("%s: %s", f.Name, err)
		}
	})
	return failed
}

// checkConfig refuses keys that no command has, so that a misspelt setting
// does not go unnoticed.
func checkConfig(v *viper.Viper, cmd *cobra.Command, path string) error {
	known := map[string]bool{}
	for _, c := range append(cmd.Root().Commands(), cmd.Root()) {
		c.Flags().VisitAll(func(f *pflag.Flag) { known[strings.ToLower(f.Name)] = true })
		c.PersistentFlags().VisitAll(func(f *pflag.Flag) { known[strings.ToLower(f.Name)] = true })
	}
	for _, k := range v.AllKeys() {
		if !known[k] {
			return nirc.Usagef("%s: no setting %q", path, k)
		}
	}
	return nil
}
