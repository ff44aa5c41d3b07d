package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"

	"nirc"
	"nirc/internal/emu"
)

// elemType is the type of numbers on the command line.
type elemType struct {
	name  string
	kind  byte // 'u', 'i' or 'f'
	bytes int
}

var elemTypes = []elemType{{"u8", 'u', 1}, {"i8", 'i', 1}, {"u16", 'u', 2}, {"i16", 'i', 2}, {"f16", 'f', 2}, {"u32", 'u', 4}, {"i32", 'i', 4},
	{"f32", 'f', 4}, {"u64", 'u', 8}, {"i64", 'i', 8}, {"f64", 'f', 8}, {"uint", 'u', 4}, {"int", 'i', 4}, {"float", 'f', 4}, {"double", 'f', 8}}

func findType(name string) *elemType {
	for i := range elemTypes {
		if elemTypes[i].name == name {
			return &elemTypes[i]
		}
	}
	return nil
}

// parseValues reads TYPE:V,V*N,… as bytes; t is nil if text does not start with
// a type, as the name of a file.
func parseValues(text string) (data []byte, t *elemType, err error) {
	name, list, ok := strings.Cut(text, ":")
	if t = findType(name); !ok || t == nil {
		return nil, nil, nil
	}
	for _, s := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		value, times, repeat := strings.Cut(s, "*")
		n := uint64(1)
		if repeat {
			if n, err = strconv.ParseUint(times, 0, 32); err != nil {
				return nil, t, nirc.Usagef("%q: %q is not a count", text, times)
			}
		}
		b, err := t.encode(value)
		if err != nil {
			return nil, t, nirc.Usagef("%q: %s", text, err)
		}
		if uint64(len(data))+n*uint64(t.bytes) > maxInput {
			return nil, t, nirc.Usagef("%q stands for more than %d bytes", text, maxInput)
		}
		for range n {
			data = append(data, b[:t.bytes]...)
		}
	}
	return data, t, nil
}

// encode returns a number's bytes, little endian.
func (t *elemType) encode(s string) (b [8]byte, err error) {
	var bits uint64
	switch t.kind {
	case 'f':
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return b, fmt.Errorf("%q is not a number", s)
		}
		switch t.bytes {
		case 2:
			bits = uint64(emu.FloatToHalf(float32(v)))
		case 4:
			bits = uint64(math.Float32bits(float32(v)))
		default:
			bits = math.Float64bits(v)
		}
	case 'i':
		v, err := strconv.ParseInt(s, 0, t.bytes*8)
		if err != nil {
			return b, fmt.Errorf("%q is not an integer of %d bits", s, t.bytes*8)
		}
		bits = uint64(v)
	default:
		if bits, err = strconv.ParseUint(s, 0, t.bytes*8); err != nil {
			return b, fmt.Errorf("%q is not an unsigned integer of %d bits", s, t.bytes*8)
		}
	}
	binary.LittleEndian.PutUint64(b[:], bits)
	return b, nil
}

// text writes a number.
func (t *elemType) text(b []byte) string {
	v := emu.LoadBytes(b, t.bytes)
	switch t.kind {
	case 'f':
		switch t.bytes {
		case 2:
			return fmt.Sprint(emu.HalfToFloat(uint16(v)))
		case 4:
			return fmt.Sprint(math.Float32frombits(uint32(v)))
		}
		return fmt.Sprint(math.Float64frombits(v))
	case 'i':
		sh := 64 - 8*t.bytes
		return fmt.Sprint(int64(v<<sh) >> sh)
	}
	return fmt.Sprint(v)
}

// write writes the numbers of data, 16 a line.
func (t *elemType) write(w io.Writer, data []byte) error {
	for at := 0; at+t.bytes <= len(data); at += t.bytes {
		sep := " "
		if k := at / t.bytes; (k+1)%16 == 0 || at+2*t.bytes > len(data) {
			sep = "\n"
		}
		if _, err := io.WriteString(w, t.text(data[at:])+sep); err != nil {
			return err
		}
	}
	return nil
}

// valuesOrFile reads TYPE:VALUES, or the bytes of a file.
func valuesOrFile(text string) (data []byte, t *elemType, err error) {
	if data, t, err = parseValues(text); t != nil || err != nil {
		return data, t, err
	}
	data, err = readFile(text)
	return data, nil, err
}

// parseBinding reads SET.BINDING=REST.
func parseBinding(flag, text string) (set, binding, element uint32, rest string, err error) {
	place, rest, ok := strings.Cut(text, "=")
	a, b, dot := strings.Cut(place, ".")
	at := "0"
	if n, e, array := strings.Cut(b, "["); array {
		b, at = n, strings.TrimSuffix(e, "]")
		ok = ok && strings.HasSuffix(e, "]")
	}
	x, err1 := strconv.ParseUint(a, 10, 32)
	y, err2 := strconv.ParseUint(b, 10, 32)
	z, err3 := strconv.ParseUint(at, 10, 32)
	if !ok || !dot || errors.Join(err1, err2, err3) != nil {
		return 0, 0, 0, "", nirc.Usagef("--%s %s: want SET.BINDING=…, or SET.BINDING[ELEMENT]=… of an array", flag, text)
	}
	return uint32(x), uint32(y), uint32(z), rest, nil
}

// parseSize reads WxH.
func parseExtent(flag, text string) (w, h int, err error) {
	a, b, _ := strings.Cut(text, "x")
	x, err1 := strconv.ParseUint(a, 10, 16)
	y, err2 := strconv.ParseUint(b, 10, 16)
	if err1 != nil || err2 != nil || x == 0 || y == 0 {
		return 0, 0, nirc.Usagef("--%s %s: want WIDTHxHEIGHT", flag, text)
	}
	return int(x), int(y), nil
}

// maxPicture bounds the texels of a picture, before it is decoded.
const maxPicture = 1 << 26

// parseImage reads FORMAT:WxH, an image of zeros, or a PNG file.
func parseImage(text string) (*emu.Image, error) {
	if name, size, ok := strings.Cut(text, ":"); ok && emu.FormatByName(name) != nil {
		w, h, err := parseExtent("image", size)
		if err != nil {
			return nil, err
		}
		return newImage(w, h, name)
	}
	data, err := readFile(text)
	if err != nil {
		return nil, err
	}
	fail := func(err error) (*emu.Image, error) {
		return nil, nirc.Diagnostics{{File: text, Msg: err.Error()}}
	}
	cfg, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return fail(err)
	}
	if cfg.Width > maxPicture/cfg.Height { // neither is 0
		return fail(fmt.Errorf("a picture of %dx%d is too large", cfg.Width, cfg.Height))
	}
	pic, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return fail(err)
	}
	box := pic.Bounds()
	img, err := newImage(box.Dx(), box.Dy(), "R8G8B8A8_UNORM")
	if err != nil {
		return nil, err
	}
	view := emu.ImageView{Image: img}
	for y := range box.Dy() {
		for x := range box.Dx() {
			r, g, b, a := pic.At(box.Min.X+x, box.Min.Y+y).RGBA()
			var t [4]uint32
			for i, c := range [4]uint32{r, g, b, a} {
				v := float32(c) / 0xffff
				if i < 3 && a != 0 { // RGBA is premultiplied
					v = float32(c) / float32(a)
				}
				t[i] = math.Float32bits(v)
			}
			view.Store(x, y, 0, 0, 0, t)
		}
	}
	return img, nil
}

func newImage(w, h int, format string) (*emu.Image, error) {
	f := emu.FormatByName(format)
	if f == nil {
		return nil, nirc.Usagef("no image format %q", format)
	}
	img, err := emu.NewImage(emu.ImageDesc{Width: w, Height: h, Format: f})
	if err != nil {
		return nil, nirc.Usagef("%s", err)
	}
	return img, nil
}
