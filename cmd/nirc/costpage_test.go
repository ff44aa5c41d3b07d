package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/cost"
	"nirc/backend/object"
)

// TestCostPage: the table of pipes in docs/cost.md is that of the models (-update writes it).
func TestCostPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("| target | column | name | counts | source |\n| --- | --- | --- | --- | --- |\n")
	for _, target := range nirc.Targets() {
		back, err := nirc.Backend(target.Name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := back.(interface {
			Cost(*object.Object) (*cost.Program, error)
		}).Cost(&object.Object{Target: target.Name, GPU: target.GPUs[0].Name, ABI: []byte(`{"gen":6}`)})
		if err != nil {
			t.Fatal(err)
		}
		for _, pipe := range p.Pipes {
			fmt.Fprintf(&b, "| %s | %s | `%s` | %s | %s |\n", target.Name, pipe.Title, pipe.Name, pipe.Doc, pipe.Source)
		}
	}
	path := repository + "/docs/cost.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(page), "<!-- pipes -->\n")
	have, tail, ok := strings.Cut(rest, "<!-- end -->")
	if !ok {
		t.Fatal("docs/cost.md has no place for the pipes")
	}
	if have == b.String() {
		return
	}
	if *update {
		os.WriteFile(path, []byte(head+"<!-- pipes -->\n"+b.String()+"<!-- end -->"+tail), 0o666)
		return
	}
	t.Errorf("docs/cost.md has\n%swant\n%s", have, b.String())
}
