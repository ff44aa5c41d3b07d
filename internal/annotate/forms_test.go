package annotate

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nirc"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The forms that are JSON are what their schemas say, whatever the diagnostics are; and the schemas refuse what is not.
func TestSchemas(t *testing.T) {
	odd := nirc.Diagnostics{{}, {File: "a\x00b", Line: 1, Col: 1, Msg: "\xff\n\"</x>"}, {File: "ü%20 #?.frag", Msg: "x", Severity: nirc.SeverityNote}, {File: "./a/../b", Msg: "y"}}
	for _, form := range []string{"sarif", "gitlab"} {
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		schema, err := c.Compile(filepath.Join("testdata", form+".json"))
		if err != nil {
			t.Fatal(err)
		}
		validate := func(text string) error {
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				return err
			}
			return schema.Validate(v)
		}
		for _, l := range []nirc.Diagnostics{nil, list, odd} {
			if err := validate(report(t, form, l)); err != nil {
				t.Errorf("%s: %v", form, err)
			}
		}
		whole := report(t, form, list)
		for _, wrong := range [][2]string{{`"description": "`, `"Description": "`}, {`"severity": "`, `"severity": "very `}, {`"fingerprint": "`, `"print": "`}, {`"version": "2.1.0"`, `"version": "2.0"`},
			{`"message": {`, `"massage": {`}, {`"startLine": 3`, `"startLine": 0`}, {`"begin": 1`, `"begin": "1"`}, {`"level": "`, `"level": "dire `}} {
			if changed := strings.Replace(whole, wrong[0], wrong[1], 1); changed != whole && validate(changed) == nil {
				t.Errorf("%s: the schema lets %s pass", form, wrong[1])
			}
		}
	}
}

// A GitHub annotation is a workflow command: ::KIND PROPERTY=VALUE,…::TEXT, a line each, with what the command's reader would take for more escaped.
func TestGitHubForm(t *testing.T) {
	command := regexp.MustCompile(`^::(error|warning|notice)( file=[^,:\r\n]+(,line=[1-9][0-9]*)?(,col=[1-9][0-9]*)?)?::[^\r\n]*$`)
	for line := range strings.Lines(report(t, "github", append(list, nirc.Diagnostic{File: "a,b:c\r\n", Line: 2, Msg: "%0A\r\n::error::x"}))) {
		if !command.MatchString(strings.TrimSuffix(line, "\n")) {
			t.Errorf("%q", line)
		}
	}
}

// junitElement is what an element of JUnit's XML may have: those of Jenkins' junit-10.xsd, of which GitLab reads a part.
type junitElement struct {
	children, wanted, optional []string
	text                       bool
}

var junitElements = map[string]junitElement{
	"testsuites": {children: []string{"testsuite"}, optional: []string{"name", "time", "tests", "failures", "disabled", "errors"}},
	"testsuite": {children: []string{"testsuite", "properties", "testcase", "system-out", "system-err"}, wanted: []string{"name", "tests"},
		optional: []string{"failures", "errors", "group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url", "version"}},
	"testcase": {children: []string{"skipped", "error", "failure", "system-out", "system-err", "properties"}, wanted: []string{"name"},
		optional: []string{"time", "classname", "group", "file", "line", "status", "assertions"}},
	"failure": {optional: []string{"type", "message"}, text: true},
	"skipped": {optional: []string{"type", "message"}, text: true},
}

// checkJUnit reports what is wrong with a document.
func checkJUnit(data []byte) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	var open []string
	for {
		token, err := d.Token()
		if err == io.EOF && len(open) == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		switch x := token.(type) {
		case xml.StartElement:
			name := x.Name.Local
			e, known := junitElements[name]
			switch {
			case !known, len(open) == 0 && name != "testsuites", len(open) > 0 && !slices.Contains(junitElements[open[len(open)-1]].children, name):
				return fmt.Errorf("no element %s here", name)
			}
			wanted := slices.Clone(e.wanted)
			for _, a := range x.Attr {
				n := a.Name.Local
				if !slices.Contains(e.wanted, n) && !slices.Contains(e.optional, n) {
					return fmt.Errorf("%s: no attribute %s", name, n)
				}
				wanted = slices.DeleteFunc(wanted, func(w string) bool { return w == n })
				if _, err := strconv.ParseUint(a.Value, 10, 32); err != nil && slices.Contains([]string{"tests", "failures", "errors", "skipped", "line"}, n) {
					return err
				}
			}
			if len(wanted) > 0 {
				return fmt.Errorf("%s has no %v", name, wanted)
			}
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(bytes.TrimSpace(x)) > 0 && (len(open) == 0 || !junitElements[open[len(open)-1]].text) {
				return errors.New("text where none is")
			}
		}
	}
}

// JUnit's XML has what its schema says, with every outcome counted once, whatever the texts are.
func TestJUnit(t *testing.T) {
	suites := []Suite{{"ir3 a630", []Test{{Name: "a.amber"}, {Name: "b<&\".amber", Line: 3, Failed: "1 is not 2\nat all"}, {Name: "c\x00\xff.amber", Skipped: "no\x1b tessellation"}}}, {Name: "agx"}}
	for _, s := range [][]Suite{nil, suites} {
		data, err := JUnit(s)
		if err == nil {
			err = checkJUnit(data)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, data)
		}
	}
	data, _ := JUnit(suites)
	for _, want := range []string{`<testsuites name="nirc" tests="3" failures="1">`, `<testsuite name="ir3 a630" tests="3" failures="1" errors="0" skipped="1">`,
		`<testcase name="a.amber" classname="ir3 a630" file="a.amber"></testcase>`, `line="3">`, `<failure message="1 is not 2" type="failed">1 is not 2&#xA;at all</failure>`, `<skipped message="no? tessellation">`} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("no %s in\n%s", want, data)
		}
	}
	for _, wrong := range [][2]string{{"testcase", "test"}, {` name="a.amber"`, ""}, {`tests="3"`, `tests="many"`}, {"<failure", "oops<failure"}, {"classname", "class"}} {
		if checkJUnit(bytes.ReplaceAll(data, []byte(wrong[0]), []byte(wrong[1]))) == nil {
			t.Errorf("%s for %s is not noticed", wrong[1], wrong[0])
		}
	}
}
