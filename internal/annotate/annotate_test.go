package annotate

import (
	"encoding/json"
	"strings"
	"testing"

	"nirc"
)

var list = nirc.Diagnostics{
	{File: "shaders/a b.frag", Line: 3, Col: 7, Msg: "100% wrong,\nreally", Target: "ir3"},
	{File: "x,y:z.spv", Msg: "no such thing | <b>", Unsupported: true, Word: 12},
	{Severity: nirc.SeverityWarning, Msg: "the server is away"},
	{File: "/abs/c.comp", Line: 1, Severity: nirc.SeverityNote, Msg: "twice"},
	{File: "/abs/c.comp", Line: 9, Severity: nirc.SeverityNote, Msg: "twice"},
}

func report(t *testing.T, form string, l nirc.Diagnostics) string {
	t.Helper()
	data, err := Find(form).Write(l, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// What SARIF 2.1.0 requires is there: version, runs, tool.driver.name, results with messages, rules that exist, lines from 1.
func TestSARIF(t *testing.T) {
	var log sarifLog
	d := json.NewDecoder(strings.NewReader(report(t, "sarif", list)))
	d.DisallowUnknownFields()
	if err := d.Decode(&log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].Tool.Driver.Name != "nirc" || len(log.Runs[0].Results) != len(list) {
		t.Fatalf("%+v", log)
	}
	uris := []string{"shaders/a%20b.frag", "./x,y:z.spv", "", "file:///abs/c.comp", "file:///abs/c.comp"}
	for i, r := range log.Runs[0].Results {
		if r.Message.Text == "" || sarifRules[r.Index].ID != r.Rule || !strings.Contains("error warning note", r.Level) {
			t.Errorf("%+v", r)
		}
		if uris[i] == "" {
			if len(r.Locations) != 0 {
				t.Errorf("%+v has a place", r)
			}
			continue
		}
		p := r.Locations[0].Physical
		if p.Artifact.URI != uris[i] || (p.Region == nil) != (list[i].Line == 0) || p.Region != nil && p.Region.Line != list[i].Line {
			t.Errorf("%+v, want %s", p, uris[i])
		}
	}
	if !strings.Contains(report(t, "sarif", nil), `"results": []`) {
		t.Error("no results are no list")
	}
}

// GitLab wants description, check_name, fingerprint, severity, location.path and location.lines.begin; fingerprints are unique, and
// stay when lines move.
func TestGitLab(t *testing.T) {
	var issues []gitlabIssue
	if err := json.Unmarshal([]byte(report(t, "gitlab", list)), &issues); err != nil {
		t.Fatal(err)
	}
	if len(issues) != 4 {
		t.Fatalf("%d issues", len(issues))
	}
	seen := map[string]bool{}
	for _, g := range issues {
		if g.Description == "" || g.Check == "" || len(g.Fingerprint) != 32 || seen[g.Fingerprint] || g.Location.Path == "" || g.Location.Lines.Begin == 0 ||
			!strings.Contains("info minor major critical blocker", g.Severity) {
			t.Errorf("%+v", g)
		}
		seen[g.Fingerprint] = true
	}
	moved := append(nirc.Diagnostics(nil), list...)
	moved[0].Line = 30
	if !strings.Contains(report(t, "gitlab", moved), issues[0].Fingerprint) {
		t.Error("the fingerprint goes with the line")
	}
	if report(t, "gitlab", nil) != "[]\n" {
		t.Error("no issues are no list")
	}
}

func TestGitHub(t *testing.T) {
	want := "::error file=shaders/a b.frag,line=3,col=7::100%25 wrong,%0Areally [ir3]\n" +
		"::error file=x%2Cy%3Az.spv::word 12: no such thing | <b>\n" +
		"::warning::the server is away\n::notice file=/abs/c.comp,line=1::twice\n::notice file=/abs/c.comp,line=9::twice\n"
	if got := report(t, "github", list); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestSummary(t *testing.T) {
	got := report(t, "summary", list)
	for _, want := range []string{"### nirc 1.2.3: 2 errors, 1 warnings, 2 notes\n", "| error | shaders/a b.frag:3 | 100% wrong, really [ir3] |\n", `no such thing \| &lt;b>`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	many := make(nirc.Diagnostics, maxSummary+5)
	if got := report(t, "summary", many); !strings.HasSuffix(got, "\nand 5 more\n") {
		t.Error(got[len(got)-100:])
	}
}
