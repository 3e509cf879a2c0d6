// Reads a log as Go's checksum database is read, with golang.org/x/mod/sumdb, and says what it thinks of it.
//
// On standard input: one question per line, as JSON. On standard output: "yes", or "no" and why, for each.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type question struct {
	Ask        string
	Verifier   string
	Checkpoint string
	Leaf       tlog.Hash
	Index      int64
	Old        int64
	OldRoot    tlog.Hash
	Proof      []tlog.Hash
	Directory  string
	Entries    [][]byte
}

type directory struct{ path string }

func (d directory) Height() int { return 8 }

func (d directory) SaveTiles([]tlog.Tile, [][]byte) {}

func (d directory) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		// The height is the first part of a path there, and understood here.
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		data, err := os.ReadFile(filepath.Join(d.path, path))
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

func open(q question) (tree tlog.Tree, err error) {
	verifier, err := note.NewVerifier(q.Verifier)
	if err != nil {
		return tree, err
	}
	opened, err := note.Open([]byte(q.Checkpoint), note.VerifierList(verifier))
	if err != nil {
		return tree, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() {
		return tree, errors.New("not a checkpoint of this log")
	}
	if tree.N, err = strconv.ParseInt(lines[1], 10, 64); err != nil {
		return tree, err
	}
	tree.Hash, err = tlog.ParseHash(lines[2])
	return tree, err
}

func readAll(q question, tree tlog.Tree) error {
	reader := tlog.TileHashReader(tree, directory{q.Directory})
	root, err := tlog.TreeHash(tree.N, reader)
	if err != nil || root != tree.Hash {
		return fmt.Errorf("the tiles do not lead to the root: %v", err)
	}
	if int64(len(q.Entries)) != tree.N {
		return errors.New("another number of entries")
	}
	for index, entry := range q.Entries {
		hashes, err := reader.ReadHashes([]int64{tlog.StoredHashIndex(0, int64(index))})
		if err != nil || !bytes.Equal(hashes[0][:], hash(entry)) {
			return fmt.Errorf("entry %d is not in the tiles: %v", index, err)
		}
	}
	return nil
}

func hash(entry []byte) []byte {
	sum := tlog.RecordHash(entry)
	return sum[:]
}

func answer(q question) error {
	tree, err := open(q)
	if err != nil {
		return err
	}
	switch q.Ask {
	case "inclusion":
		return tlog.CheckRecord(q.Proof, tree.N, tree.Hash, q.Index, q.Leaf)
	case "consistency":
		return tlog.CheckTree(q.Proof, tree.N, tree.Hash, q.Old, q.OldRoot)
	case "tiles":
		return readAll(q, tree)
	}
	return errors.New("what?")
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	decoder := json.NewDecoder(lines)
	for decoder.More() {
		var q question
		if err := decoder.Decode(&q); err != nil {
			fmt.Println("no", err)
			return
		}
		if err := answer(q); err != nil {
			fmt.Println("no", strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Println("yes")
		}
	}
}
