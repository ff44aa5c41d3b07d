package cache

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// codecZstd is zstd's number in entries; 0 is no compression.
const codecZstd = 1

// The coders are made when first used: they are large.
var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(false))
		if err != nil {
			panic(err) // the options are constant
		}
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxEntry))
		if err != nil {
			panic(err) // the options are constant
		}
		return d
	})
)

// Compress returns data as one frame of zstd.
func Compress(data []byte) []byte { return encoder().EncodeAll(data, nil) }

// Expand is the inverse of Compress; the result must have size bytes, and memory grows with what
// is there, not with what a damaged size claims.
func Expand(data []byte, size int) ([]byte, error) {
	out, err := decoder().DecodeAll(data, make([]byte, 0, min(max(size, 0), 1<<20)))
	if err == nil && len(out) != size {
		err = fmt.Errorf("it has %d bytes and not %d", len(out), size)
	}
	return out, err
}
