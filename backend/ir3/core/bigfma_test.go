package core

import "math/big"

// bigFMA is a*b+c with exact arithmetic, rounded once.
func bigFMA(a, b, c float32) (float32, big.Accuracy) {
	p := new(big.Float).SetPrec(600).Mul(big.NewFloat(float64(a)), big.NewFloat(float64(b)))
	p = new(big.Float).SetPrec(600).Add(p, big.NewFloat(float64(c)))
	return p.Float32()
}
