//go:build unix

package rawfile

import (
	"os"
	"syscall"
)

// retried calls f until no signal cuts it short.
func retried(f func() (int, error)) (int, error) {
	for {
		n, err := f()
		if err != syscall.EINTR {
			return n, err
		}
	}
}

func open(path string, flag int) (int, error) {
	fd, err := retried(func() (int, error) { return syscall.Open(path, flag|syscall.O_CLOEXEC, 0o666) })
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}

// Read returns the contents of a file, of one with more than limit bytes no more than limit+1. Errors are those of package os.
func Read(path string, limit int64) ([]byte, error) {
	fd, err := open(path, syscall.O_RDONLY)
	if err != nil {
		return nil, err
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil || st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return readOpen(os.NewFile(uintptr(fd), path), limit) // to open a pipe again would lose its writer
	}
	defer syscall.Close(fd)
	data := make([]byte, 0, min(st.Size, limit)+1)
	for {
		n, err := retried(func() (int, error) { return syscall.Read(fd, data[len(data):cap(data)]) })
		if err != nil {
			return nil, &os.PathError{Op: "read", Path: path, Err: err}
		}
		full := n == cap(data)-len(data)
		data = data[:len(data)+n]
		switch {
		case n == 0 || !full || int64(len(data)) > limit: // a regular file gives all that it has
			return data, nil
		case full:
			data = append(data, 0)[:len(data)] // it has grown
		}
	}
}

// Write makes a file of data that is not there yet. Errors are those of package os; after one the file may be there in part.
func Write(path string, data []byte) error {
	fd, err := open(path, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_EXCL)
	if err != nil {
		return err
	}
	for len(data) > 0 && err == nil {
		var n int
		n, err = retried(func() (int, error) { return syscall.Write(fd, data) })
		data = data[max(n, 0):]
	}
	if e := syscall.Close(fd); err == nil {
		err = e
	}
	if err != nil {
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// Rename is os.Rename of a file onto what is no directory.
func Rename(from, to string) error {
	if err := syscall.Rename(from, to); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
