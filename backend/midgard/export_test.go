package midgard

// Programs are those that the tests of the package hold.
var Programs = &programs
