package annotate

import (
	"bytes"
	"encoding/xml"
	"strings"
	"unicode/utf8"
)

// Suite is the tests of one device.
type Suite struct {
	Name  string
	Tests []Test
}

// Test is the outcome of a test: at most one of Failed and Skipped says why it did not pass.
type Test struct {
	Name            string // of the script
	Line            int    // of it that the reason is about, 0 if none is
	Failed, Skipped string
}

// The elements of JUnit's XML that are written, as Jenkins and GitLab read them.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string      `xml:"name,attr"`
		Class   string      `xml:"classname,attr"`
		File    string      `xml:"file,attr"`
		Line    int         `xml:"line,attr,omitempty"`
		Failure *junitCause `xml:"failure"`
		Skipped *junitCause `xml:"skipped"`
	}
	junitCause struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes outcomes of tests as JUnit's XML. No times are in it: the same outcomes are the same bytes.
func JUnit(suites []Suite) ([]byte, error) {
	doc := junitSuites{Name: "nirc"}
	for _, s := range suites {
		out := junitSuite{Name: xmlText(s.Name), Tests: len(s.Tests)}
		for _, t := range s.Tests {
			c := junitCase{Name: xmlText(t.Name), Class: out.Name, File: xmlText(t.Name), Line: t.Line}
			switch {
			case t.Failed != "":
				c.Failure = &junitCause{xmlText(firstLine(t.Failed)), "failed", xmlText(t.Failed)}
				out.Failures++
			case t.Skipped != "":
				c.Skipped = &junitCause{Message: xmlText(firstLine(t.Skipped))}
				out.Skipped++
			}
			out.Cases = append(out.Cases, c)
		}
		doc.Tests += out.Tests
		doc.Failures += out.Failures
		doc.Suites = append(doc.Suites, out)
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	e := xml.NewEncoder(&b)
	e.Indent("", "  ")
	err := e.Encode(&doc)
	b.WriteByte('\n')
	return b.Bytes(), err
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// xmlText is a text without the characters that XML 1.0 has no place for.
func xmlText(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == '\ufffe' || r == '\uffff' || r == utf8.RuneError {
			return '?'
		}
		return r
	}, s)
}
