package main

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// zstdCodec compresses entries of the cache with zstd. Its coders are made
// when first used: they are large.
type zstdCodec struct {
	encoder func() *zstd.Encoder
	decoder func() *zstd.Decoder
}

func newZstd() zstdCodec {
	return zstdCodec{
		sync.OnceValue(func() *zstd.Encoder {
			e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(false))
			if err != nil {
				panic(err) // the options are constant
			}
			return e
		}),
		sync.OnceValue(func() *zstd.Decoder {
			d, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(1<<30))
			if err != nil {
				panic(err) // the options are constant
			}
			return d
		}),
	}
}

// ID is zstd's number in entries.
func (zstdCodec) ID() byte { return 1 }

// Encode compresses.
func (z zstdCodec) Encode(src []byte) []byte { return z.encoder().EncodeAll(src, nil) }

// Decode expands to size bytes.
func (z zstdCodec) Decode(src []byte, size int) ([]byte, error) {
	out, err := z.decoder().DecodeAll(src, make([]byte, 0, min(size, 1<<20)))
	if err == nil && len(out) != size {
		err = fmt.Errorf("it has %d bytes and not %d", len(out), size)
	}
	return out, err
}
