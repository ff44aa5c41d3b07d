package backend

// Figure says what a figure of a target's objects is (object.Object.Stats).
type Figure struct {
	Name string
	// Unit is what it counts, Doc what that is, Care when to care.
	Unit, Doc, Care string
	// More is 1 if more is better, -1 if less is, 0 if neither can be said.
	More int
	// NoSum: a total over shaders means nothing.
	NoSum bool
	// Scale divides the number that is stored: 100 of hundredths. 0 is 1.
	Scale int64
	// Baseline is the figure's name in the tables of another compiler, if it has another
	// there, and BaselineScale how many of that one of ours is; 0 is 1.
	Baseline      string
	BaselineScale int64
}

// CarePerInvocation is when to care about work that each invocation does.
const CarePerInvocation = "when it grows: it is work for each invocation"

// Figures that all targets have and count alike.
var (
	FigureCodeBytes = Figure{Name: "code_bytes", Unit: "bytes", Doc: "size of the code without padding and preamble", Care: "when it exceeds the instruction cache", More: -1}
	FigureLoops     = Figure{Name: "loops", Unit: "loops", Doc: "loops that are left", Care: "when one that runs seldom was not unrolled"}
)
