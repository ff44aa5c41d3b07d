package main

import "nirc/passes/algebraic"

// newRuleHits returns counters for all algebraic rules.
func newRuleHits() []uint32 { return make([]uint32, algebraic.NumRules()) }

func ruleName(i int) string { return algebraic.RuleName(i) }
