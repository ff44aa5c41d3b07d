package ir3

// OptionalSteps lists the machine steps that --disable-pass may leave out:
// code without them is right too.
func (Target) OptionalSteps() []string {
	return []string{repeatStep, scalarStep, uniformStep, predicateStep, lastStep}
}
