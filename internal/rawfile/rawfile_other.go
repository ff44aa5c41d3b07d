//go:build !unix

package rawfile

import "os"

// Read returns the contents of a file, of one with more than limit bytes no more than limit+1. Errors are those of package os.
func Read(path string, limit int64) ([]byte, error) { return read(path, limit) }

// Write makes a file of data that is not there yet. Errors are those of package os; after one the file may be there in part.
func Write(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// Rename is os.Rename of a file onto what is no directory.
func Rename(from, to string) error { return os.Rename(from, to) }
