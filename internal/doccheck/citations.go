package doccheck

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
)

// Pages maps the name by which a page is cited, "ir3.md", to its path from the root. Only pages with numbered headings are
// cited by section.
var Pages = map[string]string{
	"ir3.md":     "docs/isa/ir3.md",
	"agx.md":     "docs/isa/agx.md",
	"midgard.md": "docs/isa/midgard.md",
	"nir.md":     "docs/nir.md",
	"nir-ir.md":  "docs/nir-ir.md",
}

const number = `\d+(?:\.\d+)*[a-z]?`

var (
	heading = regexp.MustCompile(`(?m)^#{2,} (` + number + `)[. ]`)
	// A citation is PAGE.md §N[.M]; further numbers follow as ", N", " and N" and " to N". In a page of Pages the name may be
	// missing: it is the page itself that is meant.
	citation = regexp.MustCompile(`(?:\b([a-z][\w-]*\.md) )?§(` + number + `(?:(?:,? and |, | to |–)` + number + `)*)`)
	numbers  = regexp.MustCompile(number)
	// What cites in another form: by the word, or a list that its page does not begin.
	loose = regexp.MustCompile(`(?i)\bsections? \d|\bthe project's \w+ (?:reference|notes)|\.md section|reference, section`)
)

// Headings returns the numbers of a page's headings.
func Headings(page string) map[string]bool {
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		found[m[1]] = true
	}
	return found
}

// Check follows the citations of the passages to the pages below root. It returns how many section numbers it followed, and
// a line for each that leads nowhere or is in another form.
func Check(root string, list []Passage) (checked int, wrong []string, err error) {
	headings := map[string]map[string]bool{}
	self := map[string]string{}
	for name, file := range Pages {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return 0, nil, err
		}
		headings[name], self[file] = Headings(string(data)), name
	}
	for _, p := range list {
		complain := func(format string, args ...any) {
			wrong = append(wrong, fmt.Sprintf("%s:%d: ", p.File, p.Line)+fmt.Sprintf(format, args...))
		}
		if m := loose.FindString(p.Text); m != "" {
			complain("%q: a citation has the form PAGE.md §N", m)
		}
		for _, m := range citation.FindAllStringSubmatch(p.Text, -1) {
			page := m[1]
			if page == "" {
				page = self[p.File]
			}
			if headings[page] == nil {
				complain("%q names no page with numbered headings", m[0])
				continue
			}
			for _, n := range numbers.FindAllString(m[2], -1) {
				checked++
				if !headings[page][n] {
					complain("%q: %s has no heading %s", m[0], path.Base(Pages[page]), n)
				}
			}
		}
	}
	return checked, wrong, nil
}
