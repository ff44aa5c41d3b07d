// Command sbom writes what a Go program was built of, as Go itself records it in the program: a bill of materials in
// CycloneDX's JSON. The same program gives the same bytes. Nothing is run or fetched, and no source is looked at.
//
//	sbom -version 0.2.0 -o nirc_0.2.0_linux_amd64.cdx.json nirc
package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime/debug"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

func main() {
	log.SetFlags(0)
	version := flag.String("version", "", "version of the program")
	out := flag.String("o", "", "the file to write")
	flag.Parse()
	if flag.NArg() != 1 || *out == "" {
		log.Fatal("usage: sbom -version VERSION -o FILE PROGRAM")
	}
	info, err := buildinfo.ReadFile(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	data, err := bill(info, *version)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*out, data, 0o666); err != nil {
		log.Fatal(err)
	}
}

// bill returns the bill of materials of a program: its modules, in the order of their paths, and Go's library.
func bill(info *buildinfo.BuildInfo, version string) ([]byte, error) {
	program := cyclonedx.Component{BOMRef: purl(info.Main.Path, version), Type: cyclonedx.ComponentTypeApplication, Name: info.Main.Path, Version: version,
		PackageURL: purl(info.Main.Path, version), Properties: properties(info.Settings)}
	components := []cyclonedx.Component{}
	for _, m := range info.Deps {
		c, err := component(m)
		if err != nil {
			return nil, err
		}
		components = append(components, c)
	}
	library := strings.TrimPrefix(info.GoVersion, "go")
	components = append(components, cyclonedx.Component{BOMRef: purl("std", library), Type: cyclonedx.ComponentTypeLibrary, Name: "std", Version: library,
		Scope: cyclonedx.ScopeRequired, PackageURL: purl("std", library)})
	uses := make([]string, len(components))
	for i := range components {
		uses[i] = components[i].BOMRef
	}

	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Timestamp: setting(info.Settings, "vcs.time"), Component: &program}
	bom.Components = &components
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: program.BOMRef, Dependencies: &uses}}
	var b bytes.Buffer
	err := cyclonedx.NewBOMEncoder(&b, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cyclonedx.SpecVersion1_6)
	return b.Bytes(), err
}

// component is a module that the program has, with the hash of go.sum.
func component(m *debug.Module) (cyclonedx.Component, error) {
	if m.Replace != nil {
		m = m.Replace
	}
	c := cyclonedx.Component{BOMRef: purl(m.Path, m.Version), Type: cyclonedx.ComponentTypeLibrary, Name: m.Path, Version: m.Version,
		Scope: cyclonedx.ScopeRequired, PackageURL: purl(m.Path, m.Version)}
	if sum, ok := strings.CutPrefix(m.Sum, "h1:"); ok {
		digest, err := base64.StdEncoding.DecodeString(sum)
		if err != nil {
			return c, fmt.Errorf("%s: the sum %s: %w", m.Path, m.Sum, err)
		}
		c.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(digest)}}
	}
	return c, nil
}

// purl is the package URL of a module.
func purl(path, version string) string {
	return "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
}

// properties are how the program was built: system, processor, commit.
func properties(settings []debug.BuildSetting) *[]cyclonedx.Property {
	var list []cyclonedx.Property
	for _, key := range []string{"GOOS", "GOARCH", "GOAMD64", "GOARM", "GOARM64", "GO386", "GORISCV64", "CGO_ENABLED", "-trimpath", "vcs.revision", "vcs.modified"} {
		if v := setting(settings, key); v != "" {
			list = append(list, cyclonedx.Property{Name: "golang:build:" + strings.TrimPrefix(key, "-"), Value: v})
		}
	}
	return &list
}

// setting is what the program was built with, "" if that is not known.
func setting(settings []debug.BuildSetting, key string) string {
	for _, s := range settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
