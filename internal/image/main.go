// Command image writes a container image of one static program, built on nothing, as the archive that `docker load` and
// `podman load` read. The same program, version and time give the same bytes. Nothing is run or fetched.
//
//	image -binary nirc -arch arm64 -tag nirc:0.2.0 -time 1700000000 -o nirc_0.2.0_linux_arm64_image.tar
package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path"
	"time"
)

func main() {
	log.SetFlags(0)
	binary := flag.String("binary", "", "the program, a static Linux executable")
	arch := flag.String("arch", "amd64", "its processor, as Go calls it")
	tag := flag.String("tag", "", "name and tag of the image")
	seconds := flag.Int64("time", 0, "time of everything in it, in seconds since 1970")
	out := flag.String("o", "", "the archive to write")
	flag.Parse()
	program, err := os.ReadFile(*binary)
	if err != nil {
		log.Fatal(err)
	}
	data, err := archive(program, path.Base(*binary), *arch, *tag, time.Unix(*seconds, 0).UTC())
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*out, data, 0o666); err != nil {
		log.Fatal(err)
	}
}

// entry is a file of an archive.
type entry struct {
	name string
	mode int64
	data []byte
}

// archive returns the image: a layer with the program and a folder to work in, the image's configuration, and the
// manifest that names both.
func archive(program []byte, name, arch, tag string, at time.Time) ([]byte, error) {
	layer, err := pack([]entry{{name: "work/", mode: 0o777}, {name: name, mode: 0o755, data: program}}, at)
	if err != nil {
		return nil, err
	}
	digest := fmt.Sprintf("%x", sha256.Sum256(layer))
	type object = map[string]any
	config, err := json.Marshal(object{
		"architecture": arch, "os": "linux", "created": at.Format(time.RFC3339),
		"config":  object{"Entrypoint": []string{"/" + name}, "WorkingDir": "/work"},
		"rootfs":  object{"type": "layers", "diff_ids": []string{"sha256:" + digest}},
		"history": []object{{"created": at.Format(time.RFC3339), "created_by": tag}},
	})
	if err != nil {
		return nil, err
	}
	configName := fmt.Sprintf("%x.json", sha256.Sum256(config))
	manifest, err := json.Marshal([]object{{"Config": configName, "RepoTags": []string{tag}, "Layers": []string{digest + "/layer.tar"}}})
	if err != nil {
		return nil, err
	}
	return pack([]entry{
		{name: configName, mode: 0o644, data: config},
		{name: digest + "/layer.tar", mode: 0o644, data: layer},
		{name: "manifest.json", mode: 0o644, data: manifest},
	}, at)
}

// pack returns a tar archive of the entries; a name that ends in / is a folder.
func pack(list []entry, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range list {
		if err := w.WriteHeader(&tar.Header{Name: e.name, Mode: e.mode, Size: int64(len(e.data)), ModTime: at, Format: tar.FormatUSTAR}); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
