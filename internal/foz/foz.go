// Package foz reads and writes Fossilize databases, in which Vulkan
// applications' shader modules and pipelines are captured: the stream format, version 6 (5 is read).
// The facts are those of Fossilize's own reader and writer.
//
// A database is a header and entries up to the end of the file; an entry that
// the end cuts off is no error, since a capture may be killed while it appends. An entry that is damaged
// is reported and passed over. Nothing here looks into SPIR-V.
package foz

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
)

// Tag is what kind of thing an entry holds.
type Tag uint32

// Tags.
const (
	TagApplicationInfo  Tag = 0
	TagSampler          Tag = 1
	TagSetLayout        Tag = 2
	TagPipelineLayout   Tag = 3
	TagShaderModule     Tag = 4
	TagRenderPass       Tag = 5
	TagGraphicsPipeline Tag = 6
	TagComputePipeline  Tag = 7
	TagApplicationLink  Tag = 8
	TagRayTracing       Tag = 9
	TagBucketInfo       Tag = 10
)

var tagNames = [...]string{"application_info", "sampler", "set_layout", "pipeline_layout", "shader_module", "render_pass", "graphics_pipeline",
	"compute_pipeline", "application_link", "ray_tracing_pipeline", "bucket_info"}

// String names the tag.
func (t Tag) String() string {
	if int(t) < len(tagNames) {
		return tagNames[t]
	}
	return "tag " + strconv.Itoa(int(t))
}

// Magic begins a database; version and three zeros before it follow.
const Magic = "\x81FOSSILIZEDB"

const (
	version    = 6
	minVersion = 5
	headSize   = 16
	nameSize   = 40 // hexadecimal digits: 24 of the tag, 16 of the hash
	entryHead  = nameSize + 16
	// maxPayload bounds what an entry may claim to expand to.
	maxPayload = 256 << 20
)

// How a payload is stored.
const (
	formatNone    = 1
	formatDeflate = 2 // with zlib's frame
)

// Entry is one entry, without its payload.
type Entry struct {
	Tag  Tag
	Hash uint64
	// Stored and Size are the bytes of the payload in the file, and expanded.
	Stored, Size uint32

	format, crc uint32
	offset      int64 // of the stored payload
}

// Problem is an entry that is damaged.
type Problem struct {
	Offset int64 // in the file
	Entry  *Entry
	Why    string
}

// Error tells where it is and what is wrong.
func (p *Problem) Error() string {
	if p.Entry != nil {
		return fmt.Sprintf("%s %016x at byte %d: %s", p.Entry.Tag, p.Entry.Hash, p.Offset, p.Why)
	}
	return fmt.Sprintf("entry at byte %d: %s", p.Offset, p.Why)
}

// DB is a database.
type DB struct {
	Version int
	// Entries are all whole entries, in their order; of duplicates the first.
	Entries []Entry
	// Duplicates counts those that were left out.
	Duplicates int
	// Tail is the number of bytes of a last entry that is not whole.
	Tail int64
	// Problems are the entries whose head is damaged.
	Problems []*Problem

	r     io.ReaderAt
	index map[key]int
}

type key struct {
	tag  Tag
	hash uint64
}

// IsDB reports whether a file begins as a database does.
func IsDB(head []byte) bool { return bytes.HasPrefix(head, []byte(Magic)) }

// Open reads the entries' heads.
func Open(r io.ReaderAt, size int64) (*DB, error) {
	var head [headSize]byte
	if size < headSize {
		return nil, errors.New("the file is too short for a Fossilize database")
	}
	if _, err := r.ReadAt(head[:], 0); err != nil && err != io.EOF {
		return nil, err
	}
	if !IsDB(head[:]) {
		return nil, errors.New("this is no Fossilize database")
	}
	v := int(binary.BigEndian.Uint32(head[len(Magic):]))
	if v < minVersion || v > version {
		return nil, fmt.Errorf("the Fossilize database has version %d: %d to %d are supported", v, minVersion, version)
	}
	d := &DB{Version: v, r: r, index: map[key]int{}}
	buf := make([]byte, entryHead)
	for at := int64(headSize); at < size; {
		if size-at < entryHead {
			d.Tail = size - at
			break
		}
		if _, err := r.ReadAt(buf, at); err != nil && err != io.EOF {
			return nil, err
		}
		e, why := parseHead(buf)
		e.offset = at + entryHead
		if int64(e.Stored) > size-e.offset {
			d.Tail = size - at
			break
		}
		d.add(e, at, why)
		at = e.offset + int64(e.Stored)
	}
	return d, nil
}

// add takes an entry in, or what is wrong with it.
func (d *DB) add(e Entry, at int64, why string) {
	if why != "" {
		d.Problems = append(d.Problems, &Problem{Offset: at, Why: why})
		return
	}
	k := key{e.Tag, e.Hash}
	if _, there := d.index[k]; there {
		d.Duplicates++
		return
	}
	d.index[k] = len(d.Entries)
	d.Entries = append(d.Entries, e)
}

func parseHead(b []byte) (e Entry, why string) {
	e = Entry{Stored: binary.LittleEndian.Uint32(b[nameSize:]), format: binary.LittleEndian.Uint32(b[nameSize+4:]),
		crc: binary.LittleEndian.Uint32(b[nameSize+8:]), Size: binary.LittleEndian.Uint32(b[nameSize+12:])}
	tag, err1 := hexDigits(b[:24])
	hash, err2 := hexDigits(b[24:nameSize])
	switch {
	case err1 != nil || err2 != nil || tag > 1<<31:
		return e, "its name is not 40 hexadecimal digits"
	case e.format != formatNone && e.format != formatDeflate:
		return e, fmt.Sprintf("compression %d is not supported", e.format)
	case e.format == formatNone && e.Size != e.Stored:
		return e, "it is not compressed but has two sizes"
	case e.Size > maxPayload:
		return e, fmt.Sprintf("it claims to have %d bytes", e.Size)
	}
	e.Tag, e.Hash = Tag(tag), hash
	return e, ""
}

// hexDigits reads a number; digits before the last sixteen must be zeros.
func hexDigits(b []byte) (v uint64, err error) {
	for _, c := range b {
		n := uint64(0)
		switch {
		case c >= '0' && c <= '9':
			n = uint64(c - '0')
		case c >= 'a' && c <= 'f':
			n = uint64(c-'a') + 10
		case c >= 'A' && c <= 'F':
			n = uint64(c-'A') + 10
		default:
			return 0, errors.New("no digit")
		}
		if v>>60 != 0 {
			return 0, errors.New("too large")
		}
		v = v<<4 | n
	}
	return v, nil
}

// Find returns an entry, nil if there is none.
func (d *DB) Find(tag Tag, hash uint64) *Entry {
	if i, ok := d.index[key{tag, hash}]; ok {
		return &d.Entries[i]
	}
	return nil
}

// Payload returns what an entry holds. The error is a *Problem if the entry
// is damaged.
func (d *DB) Payload(e *Entry) ([]byte, error) {
	stored := make([]byte, e.Stored)
	if _, err := d.r.ReadAt(stored, e.offset); err != nil && err != io.EOF {
		return nil, err
	}
	bad := func(format string, args ...any) ([]byte, error) {
		return nil, &Problem{e.offset - entryHead, e, fmt.Sprintf(format, args...)}
	}
	if e.crc != 0 && crc32.ChecksumIEEE(stored) != e.crc {
		return bad("its checksum is wrong")
	}
	if e.format == formatNone {
		return stored, nil
	}
	z, err := zlib.NewReader(bytes.NewReader(stored))
	if err != nil {
		return bad("%s", err)
	}
	out, err := io.ReadAll(io.LimitReader(z, int64(e.Size)+1))
	if err != nil {
		return bad("%s", err)
	}
	if len(out) != int(e.Size) {
		return bad("it has not the %d bytes that its head says", e.Size)
	}
	return out, nil
}

// problem says that an entry's payload is not what its tag says.
func problem(e *Entry, format string, args ...any) *Problem {
	return &Problem{e.offset - entryHead, e, fmt.Sprintf(format, args...)}
}
