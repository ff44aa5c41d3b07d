package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"nirc"
	"nirc/backend/object"
)

// Checked is what Verify found.
type Checked struct {
	Entries  int `json:"entries"`
	Shaders  int `json:"shaders"`
	Refusals int `json:"refusals"`
	Modules  int `json:"modules"`
	FrontEnd int `json:"front_end"` // what modules were made of
	// Recompiled and Skipped are of the sample; skipped ones lack their module, or are of another version.
	Recompiled int            `json:"recompiled"`
	Skipped    int            `json:"skipped"`
	Broken     []*BrokenError `json:"broken"`
}

// Verifier checks a store's entries.
type Verifier struct {
	Dir *Dir
	// Sample compiles one of this many shaders again and compares bytes; 0 none.
	Sample int
	// Builder has the version and the pipeline that a recompile is for, Base the passes.
	Builder *Builder
	Base    nirc.Options
	// Step, unless nil, is called after each of n entries.
	Step func(n int)
}

// Run checks the checksum of every entry, decodes it, and compiles the
// sample again.
func (v *Verifier) Run(ctx context.Context) (*Checked, error) {
	list, err := v.Dir.List()
	if err != nil {
		return nil, err
	}
	c := &Checked{Entries: len(list), Broken: []*BrokenError{}}
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		why, err := v.entry(ctx, c, e.Key)
		if err != nil {
			return c, err
		}
		if why != "" {
			c.Broken = append(c.Broken, &BrokenError{e.Key, v.Dir.Path(e.Key), why})
		}
		if v.Step != nil {
			v.Step(len(list))
		}
	}
	return c, nil
}

// entry checks one entry and returns what is wrong with it.
func (v *Verifier) entry(ctx context.Context, c *Checked, key Digest) (string, error) {
	data, err := v.Dir.Get(key)
	var broken *BrokenError
	switch {
	case errors.As(err, &broken):
		return broken.Why, nil
	case errors.Is(err, ErrAbsent):
		return "", nil // removed in between
	case err != nil:
		return "", err
	}
	e, err := ParseEntry(data)
	if err != nil {
		return err.Error(), nil
	}
	if e == nil {
		if data[0] == kindFront {
			c.FrontEnd++
		} else {
			c.Modules++
		}
		return "", nil
	}
	c.Shaders++
	if e.Request.Key() != key {
		return "it is the answer to another request", nil
	}
	if len(e.Refused) > 0 {
		c.Refusals++
	} else if why := decode(e); why != "" {
		return why, nil
	}
	if v.Sample > 0 && (c.Shaders-1)%v.Sample == 0 {
		return v.recompile(ctx, c, e)
	}
	return "", nil
}

// decode reads the object and its code.
func decode(e *Entry) string {
	o, err := object.Read(e.Object)
	if err != nil {
		return err.Error()
	}
	b, err := nirc.Backend(o.Target)
	if err != nil {
		return err.Error()
	}
	lines, err := b.Disassemble(o.GPU, o.Code)
	if err != nil {
		return err.Error()
	}
	for i := range lines {
		if lines[i].Bad {
			return fmt.Sprintf("the code does not decode at byte %d", lines[i].Offset)
		}
	}
	return ""
}

// recompile compiles an entry's request again and compares.
func (v *Verifier) recompile(ctx context.Context, c *Checked, e *Entry) (string, error) {
	r := &e.Request
	if r.Code != v.Builder.Code || r.Pipeline != v.Builder.Pipeline {
		c.Skipped++
		return "", nil
	}
	data, err := v.Dir.Get(moduleKey(r.Module))
	if err != nil || len(data) == 0 {
		c.Skipped++
		return "", nil
	}
	m, err := nirc.Load(data[1:], "")
	if err != nil {
		return "its module does not load: " + err.Error(), nil
	}
	o, err := r.options(v.Base)
	if err != nil {
		return err.Error(), nil
	}
	var again *Entry
	if len(r.Linked) == 0 && !r.Alone {
		again, err = compile(ctx, &Module{Module: m}, o, *r)
	} else {
		var there bool
		if again, there, err = v.recompileLinked(ctx, r, o); err == nil && !there {
			c.Skipped++
			return "", nil
		}
	}
	if err != nil {
		return "", err
	}
	c.Recompiled++
	if len(e.Refused) > 0 && len(again.Refused) > 0 {
		return "", nil // in other words perhaps: the debug information is gone
	}
	want, err1 := e.Bytes()
	got, err2 := again.Bytes()
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	if !bytes.Equal(want, got) {
		return "a recompile gives other bytes", nil
	}
	return "", nil
}

// Figures are what a store holds.
type Figures struct {
	Entries  int            `json:"entries"`
	Shaders  int            `json:"shaders"`
	Refusals int            `json:"refusals"`
	Modules  int            `json:"modules"`
	FrontEnd int            `json:"front_end"`
	Broken   int            `json:"broken"`
	Stored   int64          `json:"bytes_stored"`
	Raw      int64          `json:"bytes"`
	Targets  []TargetFigure `json:"targets"`
}

// TargetFigure counts the shaders of one GPU.
type TargetFigure struct {
	Target  string `json:"target"`
	GPU     string `json:"gpu"`
	Shaders int    `json:"shaders"`
	Code    int64  `json:"code_bytes"`
}

// Stats counts what there is. step, unless nil, is called after each of n entries.
func (d *Dir) Stats(ctx context.Context, step func(n int)) (*Figures, error) {
	list, err := d.List()
	if err != nil {
		return nil, err
	}
	f := &Figures{Entries: len(list), Targets: []TargetFigure{}}
	for _, i := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.Stored += i.Size
		if step != nil {
			step(len(list))
		}
		data, err := d.Get(i.Key)
		if err == nil {
			var e *Entry
			if e, err = ParseEntry(data); err == nil {
				f.Raw += int64(len(data))
				f.add(e, data[0])
				continue
			}
		}
		f.Broken++
	}
	return f, nil
}

func (f *Figures) add(e *Entry, kind byte) {
	if e == nil {
		if kind == kindFront {
			f.FrontEnd++
		} else {
			f.Modules++
		}
		return
	}
	f.Shaders++
	if len(e.Refused) > 0 {
		f.Refusals++
	}
	i := 0
	for ; i < len(f.Targets); i++ {
		if f.Targets[i].Target == e.Request.Target && f.Targets[i].GPU == e.Request.GPU {
			break
		}
	}
	if i == len(f.Targets) {
		f.Targets = append(f.Targets, TargetFigure{Target: e.Request.Target, GPU: e.Request.GPU})
	}
	f.Targets[i].Shaders++
	if o, err := object.Read(e.Object); err == nil {
		f.Targets[i].Code += int64(len(o.Code))
	}
}
