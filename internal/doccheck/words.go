package doccheck

import (
	"fmt"
	"regexp"
	"strings"
)

// avoidedRow is a row of the table of avoided words: the words, and what to say.
var avoidedRow = regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \|$`)

// Avoided returns the words that CONTRIBUTING.md, whose text is given, wants avoided, in small letters, with what it says instead.
func Avoided(contributing string) map[string]string {
	_, table, _ := strings.Cut(contributing, "\n| avoid | say |\n| --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	list := map[string]string{}
	for _, m := range avoidedRow.FindAllStringSubmatch(table+"\n", -1) {
		list[strings.ToLower(m[1])] = m[2]
	}
	return list
}

// CheckWords returns a line for each passage that says one of the avoided words. CONTRIBUTING.md lists them, and CHANGELOG.md
// is of the past: both are left out, and so is what is set as code.
func CheckWords(avoided map[string]string, list []Passage) []string {
	var wrong, words []string
	for word := range avoided {
		words = append(words, regexp.QuoteMeta(word))
	}
	bad := regexp.MustCompile(`\b(?:` + strings.Join(words, "|") + `)\b`)
	code := regexp.MustCompile("`[^`]*`")
	for _, p := range list {
		if p.File == "CONTRIBUTING.md" || p.File == "CHANGELOG.md" {
			continue
		}
		for _, word := range bad.FindAllString(strings.ToLower(code.ReplaceAllString(p.Text, "``")), -1) {
			wrong = append(wrong, fmt.Sprintf("%s:%d: %q: say %q", p.File, p.Line, word, avoided[word]))
		}
	}
	return wrong
}
