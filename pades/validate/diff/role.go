package diff

// role is what an object is to those that refer to it. It selects the rule for changes of the object. An object with
// several roles has to satisfy all their rules.
//
// Roles are in the order of checking: the referring object comes before its target.
type role uint8

const (
	roleCatalog role = iota
	roleInfo
	roleExtensions // and everything below
	roleMarkInfo
	roleMetadata
	roleForm
	roleFields    // array of the fields at the form's root
	roleField     // field, or the widget below a field
	roleKids      // array of what is below a field; owner: the field
	roleValue     // signature dictionary; owner: the field, 0 for a certification named by the catalog
	roleContents  // value of another field; owner: the field
	roleDefaults  // resources of the form
	roleResources // one kind of them
	rolePages     // node of the page tree
	rolePage
	roleAnnots         // array of annotations; owner: the page
	roleAnnotation     // widget or comment on a page
	roleAppearances    // appearance dictionary, or one by states; owner: the widget
	roleAppearance     // appearance stream; owner: the widget
	roleStore          // document security store
	roleStoreItems     // array of certificates, OCSP responses or CRLs
	roleStoreItem      // one of them
	roleVRIs           // dictionary by signature
	roleVRI            // what belongs to one signature
	roleStructure      // root of the structure tree
	roleElements       // array of structure elements
	roleElement        // structure element, or a reference to an object in it
	roleParents        // node of the parent tree
	roleNumbers        // array of pairs in it
	rolePart           // part of something that may be added as a whole and never changes by itself
	roleAppearancePart // the same for what an appearance is drawn with, where every reference counts as a use
	roleContent        // what a page is drawn with
	roleOther          // anything else
	roleMention        // page or node that /Parent, /P or /Pg names; replaced by another role in skeleton.roleOf
	roleCount
)

// isOwned reports whether objects in the role are distinguished by owner.
func (r role) isOwned() bool {
	switch r {
	case roleKids, roleValue, roleContents, roleAnnots, roleAppearances, roleAppearance:
		return true
	}
	return false
}

// isAnchor reports whether objects in the role may be mentioned anywhere, as the page of a destination is. Their rules
// allow no change that a mentioning object could show: lists of fields and annotations gain fields, the document
// security store gains validation data, and objects that mention them in another role do not read that.
func (r role) isAnchor() bool {
	switch r {
	case roleCatalog, rolePages, rolePage, roleAnnotation, roleField, roleStructure, roleElement,
		roleForm, roleFields, roleAnnots, roleStore, roleStoreItems, roleVRIs:
		return true
	}
	return false
}

// isStoreRole reports whether the role is one of the document security store.
func (r role) isStoreRole() bool { return r >= roleStore && r <= roleVRI }

// isMention reports whether an anchor is only mentioned in the role.
func (r role) isMention() bool { return r == rolePart || r == roleOther }

// isTyped reports whether the role has a structure; the other roles pass to everything an object refers to.
func (r role) isTyped() bool { return r < rolePart }

// node is an object in a role.
type node struct {
	number uint32
	role   role
	owner  uint32 // object number, if the role is owned
}
