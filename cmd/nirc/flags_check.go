package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nirc"
	"nirc/backend"
	"nirc/frontend/spirv/spv"
	"nirc/internal/figures"
	"nirc/internal/targets"
	"nirc/ir"
	"nirc/passes"

	"github.com/spf13/pflag"
)

// checked is a flag's value that refuses what its check refuses, wherever the value comes from.
type checked struct {
	pflag.Value
	check func(string) error
}

// Set takes a value, or says what is wrong with it.
func (c checked) Set(v string) error {
	if err := c.check(v); err != nil {
		return err
	}
	return c.Value.Set(v)
}

// oneOf refuses what is no word of a list, and says what it may have been.
func oneOf(v string, list ...string) error {
	if slices.Contains(list, v) {
		return nil
	}
	last := len(list) - 1
	return fmt.Errorf("want %s or %s%s", strings.Join(list[:last], ", "), list[last], passes.Suggest(v, list))
}

// choice makes a check of words.
func choice(list ...string) func(string) error {
	return func(v string) error { return oneOf(v, list...) }
}

// formats are the forms of a report.
var formats = []string{"table", "json", "csv", "markdown"}

func checkFormat(v string) error { return oneOf(v, formats...) }

// nameList are the parts of a list; none is empty.
func nameList(list string) ([]string, error) {
	all := strings.Split(list, ",")
	if slices.Contains(all, "") {
		return nil, errors.New("a name is missing")
	}
	return all, nil
}

func checkTargets(list string) error {
	all, err := nameList(list)
	if err != nil {
		return err
	}
	for _, t := range all {
		if t == "all" || t == nirc.IRTarget {
			continue
		}
		if _, err := nirc.Backend(t); err != nil {
			return err
		}
	}
	return nil
}

// checkGPUs refuses GPUs that no target has.
func checkGPUs(list string) error {
	if list == "" || list == "all" {
		return nil
	}
	all, err := nameList(list)
	if err != nil {
		return err
	}
	var have []string
	for _, t := range nirc.Targets() {
		for _, g := range t.GPUs {
			have = append(have, g.Name)
		}
	}
	for _, g := range all {
		if !isGPU(g) {
			if why := targets.Lacks(g); why != "" {
				return fmt.Errorf("the GPU %q is not supported: %s", g, why)
			}
			return fmt.Errorf("no target has a GPU %q%s", g, passes.Suggest(g, have))
		}
	}
	return nil
}

// isGPU reports whether any target has a GPU of this name.
func isGPU(name string) bool {
	return slices.ContainsFunc(nirc.Targets(), func(t nirc.Target) bool { return nirc.CheckGPU(t.Name, name) == nil })
}

func checkLevel(v string) error {
	_, err := passes.ParseLevel("O" + v)
	return err
}

// parseStage reads a stage's name, or the extension of its GLSL.
func parseStage(name string) (ir.Stage, error) {
	if s := stageOf(name); s != ir.StageNone || name == "" {
		return s, nil
	}
	have := []string{"vertex", "tess_ctrl", "tess_eval", "geometry", "fragment", "compute"}
	return ir.StageNone, nirc.Usagef("no stage %q%s (have %s)", name, passes.Suggest(name, have), strings.Join(have, ", "))
}

// stageOf is the stage of a name that parseStage takes, none of others.
func stageOf(name string) ir.Stage {
	if s := ir.ParseStage(name); s != ir.StageNone {
		return s
	}
	return ir.StageOfSuffix(name)
}

func checkStage(v string) error {
	_, err := parseStage(v)
	return err
}

func checkSpec(v string) error {
	if name, value, ok := strings.Cut(v, "="); !ok || name == "" || value == "" {
		return errors.New("want ID=VALUE or NAME=VALUE")
	}
	return nil
}

func checkEnv(v string) error {
	if _, ok := spv.EnvironmentVersion(v); !ok && v != "" {
		return fmt.Errorf("the target environment is not supported%s: there are %s", passes.Suggest(v, spv.Environments()), strings.Join(spv.Environments(), ", "))
	}
	return nil
}

// checkDefine refuses what is no name of a macro.
func checkDefine(v string) error {
	name, _, _ := strings.Cut(v, "=")
	for i, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return fmt.Errorf("%q is no name of a macro", name)
		}
	}
	if name == "" {
		return errors.New("a name is missing")
	}
	return nil
}

// checkABI refuses a calling convention that no target has; the target knows the parameters.
func checkABI(name string) error {
	if kinds := backend.ABIKinds(targets.All...); name != "" && !slices.Contains(kinds, backend.ABIKind(name)) {
		return fmt.Errorf("want %s%s", strings.Join(kinds, ", "), passes.Suggest(name, kinds))
	}
	return nil
}

// checkUniforms refuses words that are none.
func checkUniforms(list string) error {
	_, err := parseUniforms(strings.Split(list, ","))
	return err
}

// parseUniforms reads --inline-uniform. A word has one value.
func parseUniforms(list []string) (known []passes.UniformValue, err error) {
	for _, text := range list {
		u, err := passes.ParseUniformValue(text)
		if err != nil {
			return nil, err
		}
		place := u
		for i := range known {
			if place.Value = known[i].Value; place == known[i] && u != known[i] {
				return nil, fmt.Errorf("%q: the word has another value by then", text)
			}
		}
		known = append(known, u)
	}
	return known, nil
}

func checkRobust(v string) error {
	_, err := ir.ParseRobust(v)
	return err
}

func checkPasses(v string) error {
	_, err := passes.ParsePassList(v)
	return err
}

// checkJobs refuses a -j that leaves nobody to do the work.
func checkJobs(v string) error {
	if n, err := strconv.ParseInt(v, 0, 64); err == nil && n < 1 {
		return errors.New("want 1 or more")
	}
	return nil // the value itself refuses what is no number
}

// allSteps are the passes and the machine steps of all targets.
func allSteps() []string {
	list := passNames()
	for _, t := range nirc.Targets() {
		for _, s := range t.Steps {
			list = append(list, s.Name)
		}
	}
	return list
}

// checkStep refuses what is neither a pass, nor the translation, nor a machine step, with or without the number of a run.
func checkStep(v string) error {
	name, run, numbered := strings.Cut(v, ":")
	if name != "" && name != "translate" && passes.Find(name) == nil && machineStep(name) == "" {
		return fmt.Errorf("no pass or step %q%s", name, passes.Suggest(name, allSteps()))
	}
	if n, err := strconv.Atoi(run); numbered && (err != nil || n < 1) {
		return fmt.Errorf("%q: want PASS:K, the K-th run from 1", v)
	}
	return nil
}

// checkOptional refuses names of --disable-pass that are neither passes nor steps; the target knows which it needs.
func checkOptional(list string) error {
	for _, n := range strings.Split(list, ",") {
		if err := checkStep(n); err != nil {
			return err
		}
	}
	return nil
}

// checkFigures refuses what is no figure.
func checkFigures(list string) error {
	var have []string
	for i := range figures.Figures() {
		have = append(have, figures.Figures()[i].Name)
	}
	for _, n := range strings.Split(list, ",") {
		if n != "" && n != "all" && !slices.Contains(have, n) {
			return fmt.Errorf("no figure %q%s", n, passes.Suggest(n, have))
		}
	}
	return nil
}

func checkWorkgroupSize(text string) error {
	_, err := parseWorkgroupSize(text)
	return err
}

// parseWorkgroupSize reads --workgroup-size: none is zeros.
func parseWorkgroupSize(text string) (size [3]uint32, err error) {
	if text == "" {
		return size, nil
	}
	size, err = parseGroups(text)
	if err != nil || size[0] == 0 || size[1] == 0 || size[2] == 0 {
		return size, nirc.Usagef("--workgroup-size %s: want the invocations of a workgroup as X,Y,Z, at least one", text)
	}
	return size, nil
}
