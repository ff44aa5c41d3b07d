// Package pak reads and writes archives of compiled shaders that a program maps into memory and looks
// shaders up in, without reading or copying the rest: what `nirc cache pack` makes of a cache. Their form is in
// docs/cli/formats.md, a reader in C in docs/examples/readpak.c. Nothing of the compiler is needed
// here, and nothing is compiled.
package pak

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"sort"
	"strings"
)

// The form: a header, records sorted by name, target and GPU, strings that end with a zero, objects. All numbers are
// little endian; objects begin at multiples of align.
const (
	magic      = "nircpak1"
	headerSize = 80
	recordSize = 88
	align      = 64
)

// ErrFormat says that bytes are no whole archive.
var ErrFormat = errors.New("no whole archive of nirc cache pack")

// Shader is a shader of an archive.
type Shader struct {
	// Name, Target and GPU together are its own. Name is FILE:ENTRY, or what a matrix calls the variant.
	Name, Target, GPU string
	Stage             string
	// Key is the digest of its request, by which the cache has it.
	Key [sha256.Size]byte
	// Object is an ELF file, as nirc compile writes it; Code is the machine code in it.
	Object, Code []byte
}

// compare orders shaders as an archive has them.
func compare(name, target, gpu string, s *Shader) int {
	return cmp.Or(strings.Compare(name, s.Name), strings.Compare(target, s.Target), strings.Compare(gpu, s.GPU))
}

// Archive is an archive in memory.
type Archive struct {
	data []byte
	n    int
}

// Open reads an archive from a file. A program that maps the file gives its bytes to Read.
func Open(path string) (*Archive, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	a, err := Read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w (make it again with nirc cache pack)", path, err)
	}
	return a, nil
}

// Read takes the bytes of an archive, which it keeps and checks: after it no access leaves them. Check looks at the checksum too.
func Read(data []byte) (*Archive, error) {
	if len(data) < headerSize || string(data[:8]) != magic {
		return nil, fmt.Errorf("%w: it does not begin as one", ErrFormat)
	}
	le := binary.LittleEndian
	n, size := le.Uint32(data[8:]), le.Uint64(data[16:])
	if size != uint64(len(data)) {
		return nil, fmt.Errorf("%w: it has %d bytes, and %d are said in its header", ErrFormat, len(data), size)
	}
	if le.Uint32(data[12:]) != recordSize || uint64(n) > (size-headerSize)/recordSize {
		return nil, fmt.Errorf("%w: its %d records do not fit", ErrFormat, n)
	}
	a := &Archive{data, int(n)}
	var last Shader
	for i := range a.n {
		s, err := a.shader(i)
		if err != nil {
			return nil, fmt.Errorf("%w: record %d: %w", ErrFormat, i, err)
		}
		if i > 0 && compare(last.Name, last.Target, last.GPU, &s) >= 0 {
			return nil, fmt.Errorf("%w: record %d is not in its place", ErrFormat, i)
		}
		last = s
	}
	return a, nil
}

// Check reports what is wrong with the archive's checksum.
func (a *Archive) Check() error {
	if sum(a.data) != [sha256.Size]byte(a.data[24:56]) {
		return fmt.Errorf("%w: its checksum is wrong", ErrFormat)
	}
	return nil
}

// sum is over all bytes, those of the sum itself as zeros.
func sum(data []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write(data[:24])
	h.Write(make([]byte, sha256.Size))
	h.Write(data[56:])
	return [sha256.Size]byte(h.Sum(nil))
}

// Len is the number of shaders.
func (a *Archive) Len() int { return a.n }

// At returns a shader, from 0 to Len-1, in the order of name, target and GPU. Its bytes are those of the archive.
func (a *Archive) At(i int) Shader {
	s, err := a.shader(i)
	if err != nil {
		panic(err) // Read has checked all records
	}
	return s
}

// Find returns the shader of a name for a target and a GPU.
func (a *Archive) Find(name, target, gpu string) (Shader, bool) {
	i := sort.Search(a.n, func(i int) bool { s := a.At(i); return compare(name, target, gpu, &s) <= 0 })
	if i == a.n {
		return Shader{}, false
	}
	s := a.At(i)
	return s, compare(name, target, gpu, &s) == 0
}

// shader reads a record.
func (a *Archive) shader(i int) (s Shader, err error) {
	r := a.data[headerSize+i*recordSize:][:recordSize]
	le := binary.LittleEndian
	for k, to := range []*string{&s.Name, &s.Target, &s.GPU, &s.Stage} {
		if *to, err = a.text(le.Uint32(r[4*k:])); err != nil {
			return s, err
		}
	}
	if s.Object, err = a.span(le.Uint64(r[16:]), le.Uint64(r[24:])); err != nil {
		return s, err
	}
	if s.Code, err = a.span(le.Uint64(r[32:]), le.Uint64(r[40:])); err != nil {
		return s, err
	}
	s.Key = [sha256.Size]byte(r[48:80])
	return s, nil
}

// text reads a string that ends with a zero.
func (a *Archive) text(at uint32) (string, error) {
	if uint64(at) >= uint64(len(a.data)) {
		return "", fmt.Errorf("a string begins at %d, after the end", at)
	}
	n := bytes.IndexByte(a.data[at:], 0)
	if n < 0 {
		return "", fmt.Errorf("the string at %d has no end", at)
	}
	return string(a.data[at:][:n]), nil
}

func (a *Archive) span(at, size uint64) ([]byte, error) {
	if at > uint64(len(a.data)) || size > uint64(len(a.data))-at {
		return nil, fmt.Errorf("%d bytes at %d are not in the file", size, at)
	}
	return a.data[at:][:size:size], nil
}

// maxStrings bounds the names, whose places have 32 bits.
const maxStrings = math.MaxUint32 / 2
