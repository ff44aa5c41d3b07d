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
	data, _ := sample(t)
	whole := open(t, data)
	payloads := make([][]byte, len(whole.Entries))
	for i := range payloads {
		b, err := whole.Payload(&whole.Entries[i])
		if err != nil {
			t.Fatal(err)
		}
		payloads[i] = b
	}
	run, uses, modules, problems := mangle.NewRun(t, 600, 6), 0, 0, 0
	for seed, r := range run.Inputs() {
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
					// The JSON at the front is text; a module's code behind it is bytes.
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
			for _, p := range wrong {
				if p.Error() == "" {
					return "a problem says nothing"
				}
			}
			return ""
		})
	}
	t.Logf("%d modules, %d uses, %d problems with pipelines", modules, uses, problems)
	if modules == 0 || uses == 0 || problems == 0 {
		t.Errorf("%d modules, %d uses, %d problems with pipelines", modules, uses, problems)
	}
}
