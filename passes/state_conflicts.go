package passes

import "fmt"

// conflicts finds members of a state of which one excludes the other: nothing says which of them would hold.
func (s *ShaderState) conflicts() error {
	if p := s.Points; p != nil && p.Size != 0 && p.SizePush != nil {
		return fmt.Errorf("points.size: size_push gives the size too: want one of them")
	}
	if f := s.FlipY; f != nil && f.Height != 0 && f.Push != nil {
		return fmt.Errorf("flip_y.height: push gives scale and bias too: want one of them")
	}
	if m := s.Smooth; m != nil && m.Points && m.Samples != 0 {
		return fmt.Errorf("smooth.samples: primitives are points, whose edges hang on no samples: want points or samples")
	}
	if t := s.TwoSided; t != nil {
		if n := max(1, t.Count); t.Front < t.Back+n && t.Back < t.Front+n {
			return fmt.Errorf("two_sided.back: locations %d to %d are colours of the front too", max(t.Front, t.Back), min(t.Front, t.Back)+n-1)
		}
	}
	seen := 0
	for i := range s.Blend {
		bit := 1 << s.Blend[i].Attachment
		if seen&bit != 0 {
			return fmt.Errorf("blend: attachment %d is given twice", s.Blend[i].Attachment)
		}
		seen |= bit
	}
	return nil
}
