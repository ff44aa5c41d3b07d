package figures

import (
	"fmt"
	"strings"
)

// Bound says in words how many waves or threads a shader leaves room for, what takes
// most of its time by the target's own figures, and "" where the figures do not tell.
// It is a reading of counts, not a measurement.
func Bound(s *Shader) string {
	get := func(name string) int64 { v, _ := s.Get(name); return v }
	var say []string
	switch s.Target {
	case "ir3":
		if w := get("waves"); w > 0 {
			say = append(say, fmt.Sprintf("%d of 16 waves", w))
		}
		// Issue slots of each pipe, and the cycles that (ss) and (sy) are expected
		// to wait when no other wave hides them.
		say = append(say, largest([]share{
			{"ALU", get("cat1") + get("cat2") + get("cat3")}, {"special functions", 4 * get("cat4")}, {"textures", 4 * get("cat5")},
			{"memory", 4 * get("cat6")}, {"nops", get("nops")}, {"waits for SFU and shared memory", get("sstall") / max(get("waves"), 1)},
			{"waits for textures and memory", get("systall") / max(get("waves"), 1)},
		}))
	case "agx":
		if t := get("threads"); t > 0 {
			say = append(say, fmt.Sprintf("%d of 1024 threads", t))
		}
		say = append(say, largest([]share{{"ALU", get("alu")}, {"the fscib pipe", get("fscib")}, {"the ic pipe", get("ic")}}))
	case "midgard":
		if t := get("threads"); t > 0 {
			say = append(say, fmt.Sprintf("%d of 4 threads", t))
		}
	}
	var kept []string
	for _, t := range say {
		if t != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, ", ")
}

type share struct {
	unit string
	n    int64
}

// largest names the unit with the largest share.
func largest(list []share) string {
	best := share{}
	for _, s := range list {
		if s.n > best.n {
			best = s
		}
	}
	if best.n == 0 {
		return ""
	}
	return "bound by " + best.unit
}
