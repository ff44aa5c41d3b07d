package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// unpack returns the files of a tar archive.
func unpack(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// The archive holds together as `docker load` checks it, has the program in its layer, and is the same bytes each time.
func TestArchive(t *testing.T) {
	at := time.Unix(1700000000, 0).UTC()
	program := []byte("\x7fELF program")
	data, err := archive(program, "nirc", "arm64", "nirc:1.2.3", at)
	if err != nil {
		t.Fatal(err)
	}
	again, err := archive(program, "nirc", "arm64", "nirc:1.2.3", at)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("the second time other bytes come out (%v)", err)
	}
	files := unpack(t, data)
	var manifest []struct {
		Config           string
		RepoTags, Layers []string
	}
	if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil || len(manifest) != 1 || len(manifest[0].Layers) != 1 {
		t.Fatalf("%s: %v", files["manifest.json"], err)
	}
	m := manifest[0]
	if want := fmt.Sprintf("%x.json", sha256.Sum256(files[m.Config])); m.Config != want || m.RepoTags[0] != "nirc:1.2.3" {
		t.Errorf("configuration %s, want %s; tags %v", m.Config, want, m.RepoTags)
	}
	layer := files[m.Layers[0]]
	if got := unpack(t, layer)["nirc"]; !bytes.Equal(got, program) {
		t.Errorf("the layer's program is %q", got)
	}
	config := string(files[m.Config])
	for _, want := range []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer)), `"architecture":"arm64"`, `"Entrypoint":["/nirc"]`, "2023-11-14T22:13:20Z"} {
		if !strings.Contains(config, want) {
			t.Errorf("%s is not in %s", want, config)
		}
	}
}
