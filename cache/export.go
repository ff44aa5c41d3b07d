package cache

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
)

// A pack is a store as one file: magic, then for each entry its digest, the
// length of its frame as 8 bytes (little endian) and the frame, by digest; a digest of zeros and the sum of
// all before it end it.
const packMagic = "nircpack1\n"

// Export writes the entries as one file; what is broken is left out and told.
// The same entries give the same bytes.
func (d *Dir) Export(ctx context.Context, w io.Writer) (n int, broken []*BrokenError, err error) {
	list, err := d.List()
	if err != nil {
		return 0, nil, err
	}
	h := sha256.New()
	buf := bufio.NewWriter(w)
	out := io.MultiWriter(buf, h)
	if _, err := io.WriteString(out, packMagic); err != nil {
		return 0, nil, err
	}
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return n, broken, err
		}
		frame, err := d.frame(e.Key)
		var b *BrokenError
		if errors.As(err, &b) {
			broken = append(broken, b)
			continue
		}
		if errors.Is(err, ErrAbsent) {
			continue
		}
		if err != nil {
			return n, broken, err
		}
		head := binary.LittleEndian.AppendUint64(append([]byte(nil), e.Key[:]...), uint64(len(frame)))
		if _, err := out.Write(append(head, frame...)); err != nil {
			return n, broken, err
		}
		n++
	}
	if _, err := out.Write(make([]byte, len(Digest{}))); err != nil {
		return n, broken, err
	}
	if _, err := buf.Write(h.Sum(nil)); err != nil {
		return n, broken, err
	}
	return n, broken, buf.Flush()
}

// ErrPack says that a file is no whole pack.
var ErrPack = errors.New("no whole export of nirc cache")

// Import adds the entries of a file that Export wrote. An entry that is
// broken is left out and told; a file that ends early gives what came before, and ErrPack, one
// that goes on after its end all, and ErrPack.
func (d *Dir) Import(ctx context.Context, r io.Reader) (Copied, error) {
	var c Copied
	p := packReader{r: bufio.NewReader(r), h: sha256.New()}
	head := p.read(len(packMagic))
	if p.err != nil || string(head) != packMagic {
		return c, p.fault("")
	}
	for {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		key := Digest(append(p.read(len(Digest{})), make([]byte, len(Digest{}))...)[:len(Digest{})])
		if p.err != nil {
			return c, p.fault("it ends early")
		}
		if key == (Digest{}) {
			break
		}
		size := p.read(8)
		if p.err != nil || binary.LittleEndian.Uint64(size) > maxEntry {
			return c, p.fault("the entry %s has no size", key)
		}
		frame := p.read(int(binary.LittleEndian.Uint64(size)))
		if p.err != nil {
			return c, p.fault("it ends early")
		}
		if err := d.take(&c, key, frame, key.String()); err != nil {
			return c, err
		}
	}
	want := p.h.Sum(nil)
	if sum := p.read(sha256.Size); p.err != nil || string(sum) != string(want) {
		return c, p.fault("its checksum is wrong")
	}
	if more := p.read(1); more != nil || p.err != io.ErrUnexpectedEOF {
		return c, p.fault("something follows its end")
	}
	return c, nil
}

// packReader reads pieces and sums them up.
type packReader struct {
	r   io.Reader
	h   hash.Hash
	err error
}

// fault is why reading failed, or if it did not, except for an early end, ErrPack with what is wrong.
func (p *packReader) fault(format string, a ...any) error {
	switch {
	case p.err != nil && p.err != io.ErrUnexpectedEOF:
		return p.err
	case format == "":
		return ErrPack
	}
	return fmt.Errorf("%w: "+format, append([]any{ErrPack}, a...)...)
}

// read reads n bytes; with an error it returns nil. Memory grows with what is
// there, not with what a damaged length claims.
func (p *packReader) read(n int) []byte {
	if p.err != nil {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(p.r, int64(n)))
	if err == nil && len(b) != n {
		err = io.ErrUnexpectedEOF
	}
	if p.err = err; err != nil {
		return nil
	}
	p.h.Write(b)
	return b
}
