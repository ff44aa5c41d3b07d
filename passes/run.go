package passes

import (
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"nirc/internal/slab"
	"nirc/ir"
)

// Run runs the pipeline on s. An error names the pass.
func (p *Pipeline) Run(s *ir.Shader, opt RunOptions) error {
	return p.RunWith(s, NewInstrument(opt))
}

// RunWith is Run with an instrument that other steps of the same compile share;
// nil runs everything without looking.
func (p *Pipeline) RunWith(s *ir.Shader, ins *Instrument) error {
	return p.runner(s, ins, false).run()
}

// runner makes a run of the pipeline. Whatever comes after a needed one relies
// on each of its passes: none of them counts as optional.
func (p *Pipeline) runner(s *ir.Shader, ins *Instrument, needed bool) *runner {
	r := runners.Get().(*runner)
	*r = runner{p: p, s: s, ins: ins, needed: needed, plain: ins.Plain() && (ins == nil || ins.opt.RuleHits == nil), clean: slab.Zeroed(r.clean, p.slots), epoch: 1}
	return r
}

// run runs the pipeline. The runner is not to be used afterwards.
func (r *runner) run() error {
	_, err := r.steps(r.p.steps)
	*r = runner{clean: r.clean}
	runners.Put(r)
	return err
}

// runners keeps the memory of runs that are over.
var runners = sync.Pool{New: func() any { return new(runner) }}

// runner is one run of a pipeline. The epoch counts changes of the shader:
// clean holds for each step the epoch at which a run of it would change
// nothing, so that loops skip what has nothing to do.
type runner struct {
	p   *Pipeline
	s   *ir.Shader
	ins *Instrument
	// needed: no pass may be left out.
	needed bool
	// plain: nobody looks at steps, or counts rules.
	plain bool
	hooks *Hooks
	epoch uint64
	// last holds by kind of change the epoch that the last of it began.
	last [changeKinds]uint64
	// counted is the epoch when the shader's contents were looked at.
	counted uint64
	clean   []uint64
	// The pass at hand: step is made once and used for all.
	step     Step
	ctx      *Context
	inLoop   bool
	verifier verifier
}

func (r *runner) steps(steps []step) (progress bool, err error) {
	for i := range steps {
		st := &steps[i]
		var did bool
		switch {
		case st.ctx != nil:
			switch {
			case r.clean[st.slot] == r.epoch:
				continue
			case !r.plain:
				did, err = r.pass(st) // who looks at steps sees all run that have not
			case r.without(st.looks) || r.withstands(st.withstands, r.clean[st.slot]):
				continue
			default:
				did, err = r.plainPass(st)
			}
		case st.hook != "":
			did, err = r.hook(st.hook)
		case st.loop && !r.inLoop && r.ins != nil && r.ins.opt.Times != nil:
			since := r.ins.opt.Times.watch()
			r.inLoop = true
			did, err = r.loop(st)
			r.inLoop = false
			r.ins.opt.Times.addLoop(st.line, since())
		case st.loop:
			did, err = r.loop(st)
		default:
			branch := st.els
			if st.cond.eval(r.s, &r.p.env) {
				branch = st.body
			}
			did, err = r.steps(branch)
		}
		if err != nil {
			return progress, err
		}
		progress = progress || did
	}
	return progress, nil
}

func (r *runner) loop(st *step) (progress bool, err error) {
	for turn := 0; turn < st.max; turn++ {
		r.recount()
		did, err := r.steps(st.body)
		if err != nil {
			return progress, err
		}
		if !did {
			return progress, nil
		}
		progress = true
	}
	if r.ins.VerifyEach() && st.max == defaultMax {
		return progress, fmt.Errorf("%s:%d: the loop still makes progress after %d turns", r.p.Name, st.line, st.max)
	}
	return progress, nil
}

// recount looks what the shader contains if it has changed since that was looked at last.
func (r *runner) recount() {
	if r.counted != r.epoch {
		r.s.Recount()
		r.counted = r.epoch
	}
}

// without reports whether the shader has nothing of what a pass looks for.
func (r *runner) without(looks ir.Contents) bool { return looks != 0 && r.s.Contents()&looks == 0 }

// plainPass is pass while nobody looks: of the sixty passes that a small shader runs most took less than what was asked
// around them, which was a twentieth of its compile.
func (r *runner) plainPass(st *step) (progress bool, err error) {
	p := st.ctx.pass
	if p.Idle != nil && p.Idle(r.s) {
		r.clean[st.slot] = r.epoch
		return false, nil
	}
	r.s.SetLoc(0) // what the last pass worked on is no place for this one's code
	if r.ins != nil {
		outer, err := r.ins.Enter(p.Name)
		if err != nil {
			return false, fmt.Errorf("%s: %w", p.Name, err)
		}
		if progress, err = p.Run(st.ctx, r.s); err != nil {
			return progress, fmt.Errorf("%s: %w", p.Name, err)
		}
		r.ins.running = outer
	} else if progress, err = p.Run(st.ctx, r.s); err != nil {
		return progress, fmt.Errorf("%s: %w", p.Name, err)
	}
	r.noted(st, progress)
	return progress, nil
}

func (r *runner) pass(st *step) (bool, error) {
	p := st.ctx.pass
	idle := r.without(st.looks) || r.withstands(st.withstands, r.clean[st.slot]) || p.Idle != nil && p.Idle(r.s)
	progress, err := r.runPass(st.ctx, p)
	if err == nil && progress && idle && r.ins.VerifyEach() {
		err = errors.New("changed a shader that contains nothing of what the pass says that it looks for, that it calls idle, or after no more than what it says that it withstands")
	}
	if err != nil {
		return progress, fmt.Errorf("%s: %w", p.Name, err)
	}
	r.noted(st, progress)
	return progress, nil
}

// noted keeps what a run of a step was good for.
func (r *runner) noted(st *step, progress bool) {
	p := st.ctx.pass
	if progress {
		r.changed(p.Makes)
		if p.Makes == ChangeRemoval {
			r.recount()
		}
	}
	if !progress || p.Idempotent {
		r.clean[st.slot] = r.epoch
	}
}

// changed begins a new epoch after progress of a kind, 0 being any.
func (r *runner) changed(kind Change) {
	r.epoch++
	if kind == 0 {
		kind = changeOther
	}
	r.last[bits.TrailingZeros8(uint8(kind))] = r.epoch
}

// withstands reports whether a pass that had nothing to do at an epoch has nothing to do after all that happened since,
// progress of these kinds being nothing to it.
func (r *runner) withstands(kinds Change, epoch uint64) bool {
	if epoch == 0 || kinds == 0 {
		return false
	}
	for k, last := range r.last {
		if last > epoch && kinds>>k&1 == 0 {
			return false
		}
	}
	return true
}

func (r *runner) runPass(proto *Context, p *Pass) (bool, error) {
	r.s.SetLoc(0) // what the last pass worked on is no place for this one's code
	r.ctx = proto
	if step := p.Rewrites && !r.needed && r.ins.opt.Bisect != nil; step || r.ins.opt.RuleHits != nil {
		c := *proto
		c.RuleHits = r.ins.opt.RuleHits
		if step {
			c.step = r.ins.Rewrite
		}
		r.ctx = &c
	}
	if r.step.Run == nil {
		r.step = Step{Print: func() string { return ir.Print(r.s) }, Run: r.work, Verify: r.verify}
	}
	r.step.Name, r.step.Optional = p.Name, p.Optional && !r.needed
	return r.ins.Do(&r.step)
}

// work is what the step at hand runs, verify what checks it.
func (r *runner) work() (bool, error) {
	if r.ins.opt.VerifyEach {
		r.verifier.begin(r.s)
	}
	return r.ctx.pass.Run(r.ctx, r.s)
}

func (r *runner) verify(changed bool) error { return r.verifier.end(r.s, changed) }

// RunPass runs a single pass on s without switches; opts are pairs of an
// option's name and its text. It is for tests and for looking at a pass by
// itself: what a compile runs stands in the pipeline file.
func RunPass(s *ir.Shader, name string, opts ...string) (progress bool, err error) {
	p := Find(name)
	if p == nil {
		return false, fmt.Errorf("no pass %q", name)
	}
	c := NewContext(p)
	for k := 0; k+1 < len(opts); k += 2 {
		if err := c.SetOption(opts[k], opts[k+1]); err != nil {
			return false, err
		}
	}
	s.SetLoc(0)
	if progress, err = p.Run(c, s); err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return progress, err
}
