package main

import (
	"bytes"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
)

const recorded = `path	nirc/cmd/nirc
mod	nirc	(devel)	
dep	github.com/spf13/pflag	v1.0.10	h1:4EBh2KAYBwaONj6b2Ye1GiHfwjqyROoF4RwYO+vPwFk=
dep	example.org/old	v1.2.3	h1:4EBh2KAYBwaONj6b2Ye1GiHfwjqyROoF4RwYO+vPwFk=
=>	example.org/new	v2.0.0+incompatible	h1:4EBh2KAYBwaONj6b2Ye1GiHfwjqyROoF4RwYO+vPwFk=
build	-trimpath=true
build	GOARCH=riscv64
build	GOOS=linux
build	vcs.revision=d7930ab
build	vcs.time=2026-11-23T06:00:00Z
build	vcs.modified=false
`

// What Go recorded stands in the bill, which reads back, and is the same bytes each time.
func TestBill(t *testing.T) {
	info, err := debug.ParseBuildInfo(recorded)
	if err != nil {
		t.Fatal(err)
	}
	info.GoVersion = "go1.26.8"
	data, err := bill(info, "0.2.0")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := bill(info, "0.2.0"); err != nil || !bytes.Equal(data, again) {
		t.Errorf("another time other bytes, %v", err)
	}
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(data), cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	if bom.SpecVersion != cyclonedx.SpecVersion1_6 || bom.Metadata.Timestamp != "2026-11-23T06:00:00Z" || bom.Metadata.Component.PackageURL != "pkg:golang/nirc@0.2.0" {
		t.Errorf("the program is %+v of %s", bom.Metadata.Component, bom.Metadata.Timestamp)
	}
	var urls []string
	for _, c := range *bom.Components {
		urls = append(urls, c.PackageURL)
	}
	const want = "pkg:golang/github.com/spf13/pflag@v1.0.10 pkg:golang/example.org/new@v2.0.0%2Bincompatible pkg:golang/std@1.26.8"
	if got := strings.Join(urls, " "); got != want {
		t.Errorf("the modules are\n%s\nwant\n%s", got, want)
	}
	if hash := (*(*bom.Components)[0].Hashes)[0]; hash.Algorithm != cyclonedx.HashAlgoSHA256 || !strings.HasPrefix(hash.Value, "e04061d8a0180706") {
		t.Errorf("a hash is %+v", hash)
	}
	if uses := (*bom.Dependencies)[0]; uses.Ref != bom.Metadata.Component.BOMRef || len(*uses.Dependencies) != 3 {
		t.Errorf("the program uses %+v", uses)
	}
}

// A sum that is none is an error.
func TestBadSum(t *testing.T) {
	if _, err := component(&debug.Module{Path: "example.org/m", Version: "v1.0.0", Sum: "h1:?"}); err == nil {
		t.Error("a sum that is no base64 was taken")
	}
}
