package run

import (
	"testing"

	"nirc/internal/apicheck"
)

// What programs that import the package use stays as it is; what must change is in the changelog.
func TestAPI(t *testing.T) { apicheck.Check(t) }
