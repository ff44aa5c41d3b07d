package glsl

import (
	"strconv"
	"strings"
)

// messages reads those of glslangValidator ("ERROR: FILE:LINE: message") and
// glslc ("FILE:LINE: error: message").
func messages(text, path string) []Message {
	var list []Message
	for _, line := range strings.Split(text, "\n") {
		if m, ok := message(strings.TrimSpace(line), path); ok {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		list = []Message{{Text: "the GLSL compiler failed: " + strings.TrimSpace(text)}}
	}
	return list
}

// message reads a line; ok is false if it is not about the file.
func message(line, path string) (m Message, ok bool) {
	line, m.Warning = strings.CutPrefix(line, "WARNING: ")
	if !m.Warning {
		line = strings.TrimPrefix(line, "ERROR: ")
	}
	rest, ok := strings.CutPrefix(line, path+":")
	if !ok {
		return m, false
	}
	num, rest, ok := strings.Cut(rest, ":")
	n, err := strconv.ParseUint(num, 10, 32)
	if !ok || err != nil {
		return m, false
	}
	m.Line, m.Text = uint32(n), strings.TrimPrefix(strings.TrimSpace(rest), "error: ")
	if text, warning := strings.CutPrefix(m.Text, "warning: "); warning {
		m.Text, m.Warning = text, true
	}
	return m, true
}
