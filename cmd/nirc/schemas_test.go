package main

import (
	"bytes"
	"context"
	"encoding"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/figures"

	schemas "github.com/invopop/jsonschema"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:generate go test -run TestSchemas -update .

// documents are the JSON documents that nirc writes: the name of the schema, and a command that writes one.
var documents = []struct {
	name, command string
	// made is what the command writes, if it writes it by pieces.
	made any
}{
	{"amber", "amber --json -t all testdata/add.amber", nil},
	{"bisect", "bisect --json -t ir --dump --passes opt_copy_prop,opt_constant_folding,opt_dce,opt_cse wrong.amber", nil},
	{"cache-build", "cache build --json --dir cache --manifest-out manifest.json testdata/lit.frag.spv testdata/blur.comp.spv -t all", nil},
	{"cache-matrix", "cache build --json --dry-run --matrix matrix.yaml", nil},
	{"cache-ls", "cache ls --json --dir cache", nil},
	{"cache-index", "cache index --json --dir cache testdata/lit.frag.spv", nil},
	{"cache-get", "cache get --json --dir cache testdata/lit.frag.spv -o got.o", nil},
	{"cache-verify", "cache verify --json --dir cache", nil},
	{"cache-stats", "cache stats --json --dir cache", nil},
	{"cache-pack", "cache pack --json --dir cache -o shaders.pak", nil},
	{"cache-export", "cache export --json --dir cache export.nircpack", nil},
	{"cache-merge", "cache merge --json --dir all cache", nil},
	{"cache-execute", "cache execute --json requests.json -o answers", nil},
	{"cache-gc", "cache gc --json --dir all --max-size 1K", nil},
	{"cache-rm", "cache rm --json --dir cache testdata/lit.frag.spv", nil},
	{"compile", "compile -g --link --emit json testdata/lit.vert.spv testdata/lit.frag.spv -o -", nil},
	{"map", "compile --emit map testdata/lit.frag.spv -o -", nil},
	{"config-show", "config show --json", nil},
	{"cost", "cost --json --lines testdata/lit.frag.spv -t all", nil},
	{"cost-diff", "cost diff --json before.json after.json", nil},
	{"run", "run --json testdata/blur.comp.spv -t all --dispatch 1,1,1 --buffer 0.0=f32:1,2,3,4 --buffer 0.1=f32:0*4 --push 'i32:4;f32:0.2,0.4,0.2'", nil},
	{"stats", "stats --json testdata/lit.frag.spv testdata/blur.comp.spv bad.spvasm -t all", figures.Set{}},
	{"stats-link", "stats --link --json testdata/lit.vert.spv testdata/lit.frag.spv", nil},
	{"stats-against", "stats --json --against ir3-a630.tsv testdata", nil},
	{"foz-ls", "foz ls --json shaders.foz", nil},
	{"ops", "ops --json", nil},
	{"passes", "passes --json", nil},
	{"pipelines", "passes --json -t all", nil},
	{"reflect", "reflect --json testdata/lit.frag.spv testdata/blur.comp.spv", nil},
	{"targets", "targets --json", nil},
	{"targets-capabilities", "targets --capabilities --json", nil},
	{"version", "version --json", nil},
	{"state", "", nirc.State{}}, // an input: lit.state.json
	{"diagnostics", "compile --diagnostics-format json bad.spvasm", nirc.Diagnostic{}},
}

// docs/schemas has a JSON Schema of each document, and what the commands write is as it says: members are known, in small letters
// and underscores, and each document has a number of its schema.
func TestSchemas(t *testing.T) {
	dir, err := filepath.Abs(filepath.Join(repository, "docs", "schemas"))
	if err != nil {
		t.Fatal(err)
	}
	schemaPlace(t)
	validated := 0
	for _, d := range documents {
		args, err := splitArgs(d.command)
		if err != nil {
			t.Fatal(err)
		}
		if d.name == "bisect" {
			defer breakFolding()()
		}
		doc := d.made
		written = func(v any) {
			if doc == nil {
				doc = v
			}
		}
		var out, errs bytes.Buffer
		code, input := 0, d.command == ""
		if !input {
			code = run(context.Background(), args, streams{strings.NewReader(""), &out, &errs})
		}
		written = func(any) {}
		text := out.Bytes()
		if input {
			if text, err = os.ReadFile(filepath.Join("testdata", "lit."+d.name+".json")); err != nil {
				t.Fatal(err)
			}
		}
		if d.name == "diagnostics" {
			text, code = errs.Bytes(), 0
		}
		if doc == nil || code > exitRefused {
			t.Errorf("nirc %s: exit code %d, no document\n%s", d.command, code, errs.String())
			continue
		}
		path := filepath.Join(dir, "nirc-"+d.name+".json")
		schema := schemaOf(t, d.name, doc)
		if *update {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, schema, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, schema) {
			t.Errorf("%s is not the schema of nirc %s (go generate writes it): %v", path, d.command, err)
		}
		compiler := jsonschema.NewCompiler()
		compiled, err := compiler.Compile(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		for _, line := range documentsIn(text) {
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
			if err == nil {
				err = compiled.Validate(v)
			}
			if err != nil {
				t.Errorf("nirc %s: %v", d.command, err)
				continue
			}
			if m, _ := v.(map[string]any); m["schema"] == nil && !input {
				t.Errorf("nirc %s: the document has no member schema", d.command)
			}
			validated++
		}
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*.json")); err != nil || len(files) != len(documents) {
		t.Errorf("%d schemas of %d documents: %v", len(files), len(documents), err)
	}
	t.Logf("%d documents validated by %d schemas", validated, len(documents))
}

// documentsIn splits text into its documents.
func documentsIn(text []byte) (list []json.RawMessage) {
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var m json.RawMessage
		if d.Decode(&m) != nil {
			return list
		}
		list = append(list, m)
	}
}

var snake = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// schemaOf derives the schema of a document from its type.
func schemaOf(t *testing.T, name string, doc any) []byte {
	t.Helper()
	r := schemas.Reflector{Anonymous: true, ExpandedStruct: true, DoNotReference: true, Mapper: func(typ reflect.Type) *schemas.Schema {
		switch {
		case typ == reflect.TypeFor[figures.Stats]():
			return &schemas.Schema{Type: "object", AdditionalProperties: &schemas.Schema{Type: "integer"}, Description: "figures by their names (docs/figures.md)"}
		case typ == reflect.TypeFor[figures.Ratio]():
			return &schemas.Schema{OneOf: []*schemas.Schema{{Type: "number"}, {Type: "null"}}}
		case typ == reflect.TypeFor[[]*float64]():
			return orNull("number")
		case typ == reflect.TypeFor[[]*string]():
			return orNull("string")
		case typ == reflect.TypeFor[json.RawMessage]():
			return schemas.TrueSchema
		case typ.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
			return &schemas.Schema{Type: "string"}
		}
		return nil
	}}
	typ := reflect.TypeOf(doc)
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	s := r.ReflectFromType(typ)
	s.Title = "nirc " + name
	if name == "diagnostics" {
		s.Properties.Set("schema", &schemas.Schema{Type: "integer"})
	}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		if !snake.MatchString(p.Key) {
			t.Errorf("%s: %q is not in small letters and underscores", name, p.Key)
		}
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// orNull is an array whose elements may be null, as malioc's are.
func orNull(kind string) *schemas.Schema {
	return &schemas.Schema{Type: "array", Items: &schemas.Schema{OneOf: []*schemas.Schema{{Type: kind}, {Type: "null"}}}}
}

// schemaPlace is a directory with what the commands of documents want.
func schemaPlace(t *testing.T) {
	t.Helper()
	script, err := txtar.ParseFile(filepath.Join("testdata", "script", "bisect.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS(filepath.Join(repository, "testdata"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	write := func(name string, text []byte) {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range script.Files {
		if f.Name == "pass.amber" {
			write("wrong.amber", f.Data)
		}
	}
	write("requests.json", noRequests)
	write("matrix.yaml", []byte("schema: 1\nprograms:\n  - sources: [testdata/lit.frag.spv]\n    defines: {p: {a: [A, -UB], b: []}}\n    targets: [ir3]\n    gpus: [a630, a740]\n"))
	write("bad.spvasm", []byte("OpNothing\n"))
	write("ir3-a630.tsv", []byte("file\tstage\tstatus\tcompile_us\tstats\nblur.comp.spv\tcomp\tok\t2.5\tcode_bytes=64;inst=5;max_waves=16\nlit.frag.spv\tfrag\tno way\t\t\n"))
	for name, line := range map[string]string{"before.json": "cost --json -O 0 testdata/lit.frag.spv", "after.json": "cost --json testdata/lit.frag.spv", "packed": "foz pack -o shaders.foz testdata/lit.frag.spv"} {
		args, err := splitArgs(line)
		if err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := run(context.Background(), args, streams{strings.NewReader(""), &out, &errs}); code != 0 {
			t.Fatalf("nirc %s: %s", line, errs.String())
		}
		write(name, out.Bytes())
	}
}
