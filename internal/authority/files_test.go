package authority_test

import (
	"path/filepath"
	"testing"

	"segel/internal/authority"
	"segel/internal/authority/filestest"
)

func TestAFolderHoldsTheFilesOfAnAuthority(t *testing.T) {
	t.Parallel()
	filestest.Run(t, func(t *testing.T) authority.Files { return authority.Folder(filepath.Join(t.TempDir(), "authority")) })
}
