package foz

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"nirc/internal/mangle"
)

// TestMangledDatabases reads databases whose bytes are changed, and those whose
// payloads are, with checksums that are right.
func TestMangledDatabases(t *testing.T) {
	plain, _ := sample(t)
	bases := []base{newBase(t, plain), newBase(t, packedBytes(t))}
	run, uses, modules, layouts, problems := mangle.NewRun(t, 600, 6), 0, 0, 0, 0
	for seed, r := range run.Inputs() {
		data, whole, payloads := bases[seed%2].data, bases[seed%2].whole, bases[seed%2].payloads
		file := mangle.Bytes(r, data)
		if r.IntN(3) > 0 {
			var b bytes.Buffer
			w, err := NewWriter(&b)
			if err != nil {
				t.Fatal(err)
			}
			changed := r.IntN(len(payloads))
			for i, p := range payloads {
				e := &whole.Entries[i]
				if i == changed {
					// The JSON at the front is text; a module's code after it is bytes.
					text, code, isModule := bytes.Cut(p, []byte{0})
					if r.IntN(3) > 0 {
						text = bytes.TrimSuffix([]byte(mangle.NewOpen(string(text), nil).Mangled(r)), []byte("\n"))
						if p = text; isModule {
							p = append(append(text, 0), code...)
						}
					} else {
						p = mangle.Bytes(r, p)
					}
				}
				if err := w.Add(e.Tag, e.Hash, p); err != nil {
					t.Fatal(err)
				}
			}
			file = b.Bytes()
		}
		run.Try(fmt.Sprintf("%d.foz", seed), file, 5*time.Second, func() string {
			d, err := Open(bytes.NewReader(file), int64(len(file)))
			if err != nil {
				return ""
			}
			for i := range d.Entries {
				if e := &d.Entries[i]; e.Tag == TagShaderModule {
					code, err := d.Module(e.Hash)
					switch {
					case err == nil && len(code)%4 != 0:
						return fmt.Sprintf("a module of %d bytes", len(code))
					case err == nil:
						modules++
					case err.Error() == "":
						return "an error says nothing"
					}
				}
			}
			list, wrong := d.Uses()
			uses, problems = uses+len(list), problems+len(wrong)
			for i := range list {
				if l := list[i].Layout; l != nil {
					layouts++
					if p := l.Check(); p != nil {
						return "a layout is taken that is wrong: " + p.Msg
					}
				}
			}
			for _, p := range wrong {
				if p.Error() == "" {
					return "a problem says nothing"
				}
			}
			return ""
		})
	}
	t.Logf("%d modules, %d uses, %d layouts, %d problems with pipelines", modules, uses, layouts, problems)
	if modules == 0 || uses == 0 || layouts == 0 || problems == 0 {
		t.Errorf("%d modules, %d uses, %d layouts, %d problems with pipelines", modules, uses, layouts, problems)
	}
}

// base is a database that is mangled.
type base struct {
	data     []byte
	whole    *DB
	payloads [][]byte
}

func newBase(t *testing.T, data []byte) base {
	t.Helper()
	b := base{data: data, whole: open(t, data)}
	for i := range b.whole.Entries {
		p, err := b.whole.Payload(&b.whole.Entries[i])
		if err != nil {
			t.Fatal(err)
		}
		b.payloads = append(b.payloads, p)
	}
	return b
}
