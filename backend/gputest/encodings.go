package gputest

import "fmt"

// Codings are what becomes of many forms of one instruction.
type Codings struct {
	taken, refused int
	digest         Digest
}

// Add adds a form: what it became, or why it was refused.
func (c *Codings) Add(err error, what ...any) {
	if err != nil {
		c.refused++
		c.digest.Text(err)
		return
	}
	c.taken++
	c.digest.Text(what)
}

// String is a cell of a held table.
func (c *Codings) String() string {
	return fmt.Sprintf("%d taken, %d refused, %016x", c.taken, c.refused, uint64(c.digest))
}
