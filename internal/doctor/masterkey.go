package doctor

import (
	"slices"

	"segel/internal/store"
)

// CheckMasterKeys reports an exchange of the master key that is not complete, and a former key that is still configured. Known are the keys that the database
// knows, configured those of the settings, by identifier, that which seals first. Err is what reading the known ones returned.
func CheckMasterKeys(known []store.MasterKey, configured []string, err error) (found []Finding) {
	if err != nil {
		return []Finding{problemf("See the findings about the database", "%v", err)}
	}
	for _, k := range known {
		isConfigured := slices.Contains(configured, k.ID)
		switch {
		case k.ID == configured[0]:
		case !k.RetiredAt.IsZero() && isConfigured:
			found = append(found, warnf("Remove the settings SEGEL_FORMER_MASTER_KEY..., and keep the key only with backups that were made before",
				"the former master key %s is configured, and not needed since %s", k.ID, formatTime(k.RetiredAt)))
		case k.RetiredAt.IsZero():
			found = append(found, warnf("Run segel master-key rotate when all processes use the current key",
				"the exchange of master key %s is not complete since %s: both keys are needed, also to restore a backup", k.ID, formatTime(known[len(known)-1].AnnouncedAt)))
		}
	}
	if len(known) == 0 && len(configured) > 1 {
		found = append(found, warnf("Start segel serve with the new key as SEGEL_MASTER_KEY once every process has both keys",
			"two master keys are configured, and all is sealed under %s: an exchange is prepared and was not begun", configured[0]))
	}
	if len(found) == 0 {
		found = append(found, okf("everything is sealed under master key %s", configured[0]))
	}
	return found
}
