package main

import (
	"slices"
	"strings"

	"nirc"
)

// chooseTargets makes targets and gpus of --target and --gpu, each name once and in the order given. all is every target,
// or every GPU of the targets; a target that has none of the GPUs takes its default. A GPU that none of the targets has is
// an error where the command line names it, and is left aside where a project's settings do.
func (s *shared) chooseTargets(a *app) error {
	s.targets, s.gpus = nil, map[string][]string{}
	for _, t := range strings.Split(s.target, ",") {
		list := []string{t}
		if t == "all" {
			list = nil
			for _, t := range nirc.Targets() {
				list = append(list, t.Name)
			}
		}
		for _, t := range list {
			if !slices.Contains(s.targets, t) {
				s.targets = append(s.targets, t)
			}
		}
	}
	if s.gpu == "" {
		return nil
	}
	if s.gpu == "all" {
		for _, t := range nirc.Targets() {
			for _, g := range t.GPUs {
				if slices.Contains(s.targets, t.Name) {
					s.gpus[t.Name] = append(s.gpus[t.Name], g.Name)
				}
			}
		}
		return nil
	}
	for _, gpu := range strings.Split(s.gpu, ",") {
		if !s.chooseGPU(gpu) && !a.preset["gpu"] {
			var refused []string
			for _, t := range s.targets {
				refused = append(refused, nirc.CheckGPU(t, gpu).Error())
			}
			return nirc.Usagef("%s", strings.Join(refused, "; "))
		}
	}
	return nil
}

// chooseGPU gives a GPU to the targets that have it, and reports whether there is one; the target ir is of any.
func (s *shared) chooseGPU(gpu string) (found bool) {
	for _, t := range s.targets {
		if t == nirc.IRTarget {
			found = true
			continue
		}
		if nirc.CheckGPU(t, gpu) == nil {
			found = true
			if !slices.Contains(s.gpus[t], gpu) {
				s.gpus[t] = append(s.gpus[t], gpu)
			}
		}
	}
	return found
}

// needCode refuses the target ir, for what only machine code has.
func (s *shared) needCode(why string) error {
	if slices.Contains(s.targets, nirc.IRTarget) {
		return nirc.Usagef("--target %s: it has no code%s", nirc.IRTarget, why)
	}
	return nil
}

// device is a target and one of its GPUs, "" its default.
type device struct{ target, gpu string }

// devices lists what is compiled for, in the order of --target and --gpu.
func (s *shared) devices() (list []device) {
	for _, t := range s.targets {
		for _, g := range s.gpusOf(t) {
			list = append(list, device{t, g})
		}
	}
	return list
}

// gpusOf lists the GPUs of a target that are wanted; "" is its default.
func (s *shared) gpusOf(target string) []string {
	if list := s.gpus[target]; len(list) > 0 {
		return list
	}
	return []string{""}
}

// String names the device for people: the target, and the GPU where it has one.
func (d device) String() string {
	if d.gpu == "" && d.target != nirc.IRTarget {
		d.gpu = nirc.DefaultGPU(d.target)
	}
	return strings.TrimSpace(d.target + " " + d.gpu)
}

// oneDevice is the device of a command that can have but one, for why.
func (s *shared) oneDevice(a *app, why string) (device, error) {
	if err := s.chooseTargets(a); err != nil {
		return device{}, err
	}
	list := s.devices()
	if len(list) > 1 {
		names := make([]string, len(list))
		for i, d := range list {
			names[i] = d.String()
		}
		return device{}, nirc.Usagef("%s is for one target and GPU, not for %s: choose with -t and --gpu", why, strings.Join(names, ", "))
	}
	return list[0], s.needCode("")
}
