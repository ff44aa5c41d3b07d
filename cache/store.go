// Package cache keeps compiled shaders, so that a job compiles only what is new. A
// Store maps digests to bytes; Dir is the store in a directory. Above it a Builder makes
// the key of a shader (see Request), looks it up, and compiles what is not there. What is packed for
// programs at run time is read by package cache/pak, which needs nothing of the compiler.
//
// An entry is there whole or not at all, at whatever instant a process is killed; many processes
// may use one directory at once. What a disk did to an entry, its checksum tells. Nothing here
// changes code: an object from the cache is byte for byte what a compile gives.
package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
)

// Digest names an entry.
type Digest [sha256.Size]byte

// String gives hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// ParseDigest reads what String gave.
func ParseDigest(s string) (d Digest, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(d) {
		return d, fmt.Errorf("%q is no digest", s)
	}
	return Digest(b), nil
}

// ErrAbsent is what Get returns for a digest that the store does not have.
var ErrAbsent = errors.New("not in the cache")

// Store maps digests to bytes. It is safe for concurrent use. A remote store
// is one more implementation.
type Store interface {
	// Get returns an entry, ErrAbsent, a *BrokenError, or what input and output say.
	Get(Digest) ([]byte, error)
	// Put stores an entry, or replaces it.
	Put(Digest, []byte) error
	// Has reports whether there is an entry; it need not be whole.
	Has(Digest) (bool, error)
}

// BrokenError says that an entry's bytes are not those that were stored.
type BrokenError struct {
	Key  Digest `json:"digest"`
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Error names the file.
func (e *BrokenError) Error() string { return fmt.Sprintf("%s: broken cache entry: %s", e.Path, e.Why) }

// The frame of an entry: magic, codec, size, sum, body. The sum is over the
// key and all of the frame but itself, so that an entry under a wrong name is broken too.
const (
	magic     = "nirc\x00ca1"
	sumAt     = len(magic) + 1 + 8
	frameHead = sumAt + sha256.Size
	// maxEntry bounds what an entry may claim to hold.
	maxEntry = 1 << 30
)

// seal frames an entry.
func seal(key Digest, data []byte) []byte {
	body, id := Compress(data), byte(codecZstd)
	if len(body) >= len(data) {
		body, id = data, 0
	}
	out := make([]byte, 0, frameHead+len(body))
	out = append(append(out, magic...), id)
	out = binary.LittleEndian.AppendUint64(out, uint64(len(data)))
	sum := frameSum(key, out, body)
	return append(append(out, sum[:]...), body...)
}

func frameSum(key Digest, head, body []byte) Digest {
	h := sha256.New()
	h.Write(key[:])
	h.Write(head)
	h.Write(body)
	return Digest(h.Sum(nil))
}

// check returns "" for a whole frame, or what is wrong with it.
func check(key Digest, frame []byte) string {
	if len(frame) < frameHead || string(frame[:len(magic)]) != magic {
		return "it is no entry"
	}
	if frameSum(key, frame[:sumAt], frame[frameHead:]) != Digest(frame[sumAt:frameHead]) {
		return "its checksum is wrong"
	}
	if frameSize(frame) > maxEntry {
		return "its size is out of proportion"
	}
	return ""
}

// frameSize is the size of the entry in a frame.
func frameSize(frame []byte) uint64 { return binary.LittleEndian.Uint64(frame[len(magic)+1:]) }

// open returns the entry in a whole frame, or what is wrong with it.
func open(frame []byte) ([]byte, string) {
	size, body := int(frameSize(frame)), frame[frameHead:]
	switch id := frame[len(magic)]; id {
	case 0:
		if len(body) != size {
			return nil, "its size is wrong"
		}
		return body, ""
	case codecZstd:
		data, err := Expand(body, size)
		if err != nil {
			return nil, err.Error()
		}
		return data, ""
	default:
		return nil, fmt.Sprintf("it is compressed by codec %d", id)
	}
}
