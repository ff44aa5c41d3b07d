// Package annotate writes diagnostics in the forms that CI systems show beside the code: SARIF 2.1.0, GitLab's Code Quality, and
// GitHub's annotations and job summary; and outcomes of tests as JUnit's XML. It chooses nothing and leaves nothing out.
package annotate

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"nirc"
	"nirc/internal/jsonplace"
)

// Form is a form of a report.
type Form struct {
	Name string
	// Write returns the report as a file; version is nirc's.
	Write func(list nirc.Diagnostics, version string) ([]byte, error)
}

// Forms are all forms.
var Forms = []Form{{"sarif", sarif}, {"gitlab", gitlab}, {"github", github}, {"summary", summary}}

// Names are the names of the forms.
func Names() []string {
	var list []string
	for _, f := range Forms {
		list = append(list, f.Name)
	}
	return list
}

// Find returns the form of a name, nil if there is none.
func Find(name string) *Form {
	for i := range Forms {
		if Forms[i].Name == name {
			return &Forms[i]
		}
	}
	return nil
}

// rule is what kind of diagnostic it is, in a word that tools group by.
func rule(d *nirc.Diagnostic) string {
	switch {
	case d.Unsupported:
		return "unsupported"
	case d.Severity == nirc.SeverityError:
		return "refused"
	}
	return d.Severity.String()
}

// message is a diagnostic's text without its place.
func message(d *nirc.Diagnostic) string {
	e := *d
	e.File, e.Line, e.Col = "", 0, 0
	text := strings.TrimSpace(e.String())
	return strings.TrimPrefix(text, d.Severity.String()+": ")
}

// The members of SARIF 2.1.0 that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		Rule      string          `json:"ruleId"`
		Index     int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region *sarifRegion `json:"region,omitempty"`
		} `json:"physicalLocation"`
	}
	sarifRegion struct {
		Line uint32 `json:"startLine"`
		Col  uint32 `json:"startColumn,omitempty"`
	}
)

var sarifRules = []sarifRule{{"refused", sarifText{"the input is wrong"}}, {"unsupported", sarifText{"the input asks for what nirc or the target does not do"}},
	{"warning", sarifText{"something is odd"}}, {"note", sarifText{"worth knowing"}}}

func sarif(list nirc.Diagnostics, version string) ([]byte, error) {
	run := sarifRun{Tool: sarifTool{sarifDriver{"nirc", version, sarifRules}}, Results: []sarifResult{}}
	for i := range list {
		d := &list[i]
		r := sarifResult{Rule: rule(d), Level: d.Severity.String(), Message: sarifText{message(d)}}
		for k := range sarifRules {
			if sarifRules[k].ID == r.Rule {
				r.Index = k
			}
		}
		if d.File != "" {
			var l sarifLocation
			l.Physical.Artifact.URI = fileURI(d.File)
			if d.Line > 0 {
				l.Physical.Region = &sarifRegion{d.Line, d.Col}
			}
			r.Locations = []sarifLocation{l}
		}
		run.Results = append(run.Results, r)
	}
	return jsonplace.Indented(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// fileURI is a path as a relative reference, or a URI if it is absolute.
func fileURI(path string) string {
	u := url.URL{Path: filepath.ToSlash(path)}
	if filepath.IsAbs(path) {
		u.Scheme = "file"
		if !strings.HasPrefix(u.Path, "/") {
			u.Path = "/" + u.Path // a drive of Windows
		}
	}
	return u.String()
}

// gitlabIssue is one of GitLab's Code Quality; path and begin must be there.
type gitlabIssue struct {
	Description string `json:"description"`
	Check       string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"`
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin uint32 `json:"begin"`
		} `json:"lines"`
	} `json:"location"`
}

func gitlab(list nirc.Diagnostics, _ string) ([]byte, error) {
	issues := []gitlabIssue{}
	seen := map[string]int{}
	for i := range list {
		d := &list[i]
		if d.File == "" {
			continue // there is no place to show it at
		}
		g := gitlabIssue{Description: message(d), Check: rule(d), Severity: map[nirc.Severity]string{nirc.SeverityError: "major", nirc.SeverityWarning: "minor", nirc.SeverityNote: "info"}[d.Severity]}
		g.Location.Path, g.Location.Lines.Begin = strings.TrimPrefix(filepath.ToSlash(filepath.Clean(d.File)), "./"), max(1, d.Line)
		// The line is no part of it, so that a diagnostic is the same when lines are added before it; those alike are numbered.
		id := g.Location.Path + "\n" + g.Description
		g.Fingerprint = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s\n%d", id, seen[id])))[:32]
		seen[id]++
		issues = append(issues, g)
	}
	return jsonplace.Indented(issues)
}

// githubData and githubProperty escape as workflow commands want it.
var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func github(list nirc.Diagnostics, _ string) ([]byte, error) {
	var b bytes.Buffer
	for i := range list {
		d := &list[i]
		kind := map[nirc.Severity]string{nirc.SeverityError: "error", nirc.SeverityWarning: "warning", nirc.SeverityNote: "notice"}[d.Severity]
		b.WriteString("::" + kind)
		if d.File != "" {
			b.WriteString(" file=" + githubProperty.Replace(filepath.ToSlash(d.File)))
			if d.Line > 0 {
				fmt.Fprintf(&b, ",line=%d", d.Line)
			}
			if d.Col > 0 {
				fmt.Fprintf(&b, ",col=%d", d.Col)
			}
		}
		b.WriteString("::" + githubData.Replace(message(d)) + "\n")
	}
	return b.Bytes(), nil
}

// maxSummary is how many rows a job summary has; more are counted.
const maxSummary = 200

func summary(list nirc.Diagnostics, version string) ([]byte, error) {
	var n [nirc.SeverityNote + 1]int
	for i := range list {
		n[list[i].Severity]++
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "### nirc %s: %d errors, %d warnings, %d notes\n", version, n[nirc.SeverityError], n[nirc.SeverityWarning], n[nirc.SeverityNote])
	cell := strings.NewReplacer("|", `\|`, "\n", " ", "\r", "", "<", "&lt;", "&", "&amp;")
	for i := range list {
		if i == 0 {
			b.WriteString("\n| | where | what |\n| --- | --- | --- |\n")
		}
		if i == maxSummary {
			fmt.Fprintf(&b, "\nand %d more\n", len(list)-i)
			break
		}
		d := &list[i]
		where := d.File
		if d.Line > 0 {
			where = fmt.Sprintf("%s:%d", where, d.Line)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", d.Severity, cell.Replace(where), cell.Replace(message(d)))
	}
	return b.Bytes(), nil
}
