package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"nirc"
)

// TestReadAll: what is there is read whole, and no more than is allowed.
func TestReadAll(t *testing.T) {
	for n, whole := range map[int]bool{0: true, 9: true, 10: true, 11: false, 5000: false} {
		want := strings.Repeat("x", n)
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		got, err := readAll(f, "f", 10)
		again, errAgain := readAll(iotest.OneByteReader(strings.NewReader(want)), "f", 10)
		if (err == nil) != whole || (errAgain == nil) != whole || whole && (string(got) != want || string(again) != want) {
			t.Errorf("%d bytes: %d, %v; %d, %v", n, len(got), err, len(again), errAgain)
		}
	}
	if _, err := readAll(iotest.ErrReader(os.ErrClosed), "f", 10); exitCode(err) != exitIO {
		t.Errorf("a reader that fails: %v", err)
	}
}

// TestTooLarge gives commands a file that is too large to be read.
func TestTooLarge(t *testing.T) {
	dir := t.TempDir()
	big, module := filepath.Join(dir, "big"), filepath.Join(dir, "m.nir")
	if err := os.WriteFile(big, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, maxInput+1); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(module, []byte("shader compute \"main\" { info { workgroup_size=1,1,1 } fn f0 \"main\" entry() { b0: } }"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"run", module, "--dispatch", "1", "--buffer", "0.0=" + big}, {"run", module, "--dispatch", "1", "--push", big}, {"run", module, "--dispatch", "1", "--image", "0.0=" + big},
		{"asm", "-t", "ir3", big}, {"disasm", big}, {"link", "-o", "x", big}, {"@" + big}, {"reduce", big, "--", "true"}, {"cache", "build", "--dir", dir, "--manifest", big}, {"--pipeline", big, module}} {
		var out, errs bytes.Buffer
		code := run(context.Background(), args, streams{strings.NewReader(""), &out, &errs})
		if want := big + ": error: more than 256 MB, which is too large\n"; code != exitRefused || errs.String() != want {
			t.Errorf("%q: exit code %d, %s", args, code, errs.String())
		}
	}
}

// TestPictureSize: a picture says how large it is before it is decoded.
func TestPictureSize(t *testing.T) {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), 60000), 60000)
	head = append(head, 8, 6, 0, 0, 0)
	data := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), uint32(len(head)-4))
	data = binary.BigEndian.AppendUint32(append(data, head...), crc32.ChecksumIEEE(head))
	data = append(data, "\x00\x00\x00\x02IDAT\x78\x9c"...)
	data = binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE([]byte("IDAT\x78\x9c")))
	path := filepath.Join(t.TempDir(), "p.png")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := parseImage(path)
	if told, ok := err.(nirc.Diagnostics); !ok || told[0].Msg != "a picture of 60000x60000 is too large" {
		t.Error(err)
	}
}
